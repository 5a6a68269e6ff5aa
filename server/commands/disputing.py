"""`tableref verify`: is the file of a dispute as it was sealed, and is it ruled so today."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from engine.errors import TableRefError
from server.commands.recording import LibraryOption
from server.disputes.seal import in_groups
from server.disputes.verify import Verified, as_record, rule_again, verify
from server.files import FileError
from server.lines import line
from server.recording.library import Library
from server.rulebook import Rulebook, WhiteLineFever

console = Console(highlight=False, soft_wrap=True)

MOST_BYTES = 200 * 1024 * 1024
"""A file of a dispute has a few megabytes."""


def book_called(name: str) -> Rulebook | None:
    """The rule book of that name; None if this tableref does not have it."""
    book = WhiteLineFever()
    return book if book.name == name else None


def check_dispute(
    file: Annotated[Path, typer.Argument(help="The HTML or PDF file of a dispute.", metavar="FILE")],
    seal: Annotated[
        str | None,
        typer.Option("--seal", help="The seal that was noted elsewhere; its first digits will do."),
    ] = None,
    library: LibraryOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON object.")] = False,
) -> None:
    """Check that the file of a dispute is as it was sealed, and rule the question again."""
    found = verify(read(file))
    problems = list(found.changed)
    if seal is not None and (said := not_sealed_so(found.seal, seal)):
        problems.append(said)
    recorded = _recorded(found, library)
    if recorded is not None and recorded != found.seal:
        problems.append(
            f"The record of game {found.contents['game']} has another seal: {in_groups(recorded)}."
        )
    again = _ruled_again(found)
    if as_json:
        record = as_record(found) | {"problems": problems, "recorded": recorded, "ruled_differently": again}
        print(line(record), flush=True)
    else:
        _say(found, problems, recorded, again)
    if problems:
        raise typer.Exit(1)


def read(file: Path) -> bytes:
    """The bytes of a file that is not larger than any dispute; a clear error otherwise."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise FileError(f"{file} is too large for the file of a dispute")
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror or error}") from error


def not_sealed_so(found: str, noted: str) -> str | None:
    """A sentence if a noted seal is not that of the file; spaces and case do not matter.

    >>> not_sealed_so("ab12" * 16, "AB12 ab12") is None, not_sealed_so("ab12" * 16, "ab13")
    (True, 'The seal of this file begins with ab12, noted was ab13.')
    """
    digits = "".join(noted.split()).casefold()
    if len(digits) < 4 or not set(digits) <= set("0123456789abcdef"):
        raise TableRefError(f"expected four or more digits of a seal, 0 to 9 and a to f, but got {noted!r}")
    if found.startswith(digits):
        return None
    return f"The seal of this file begins with {found[: len(digits)]}, noted was {digits}."


def _recorded(found: Verified, library: str | None) -> str | None:
    """The seal of this dispute in the record of its game on this computer; None if it is not there."""
    game, id = found.contents.get("game"), found.contents.get("id")
    if game is None:
        return None
    try:
        with Library.open(library) as opened:
            for entry in opened.reader(str(game)).entries(("dispute.decided",)):
                if entry.data.get("id") == id:
                    return str(entry.data.get("seal"))
    except TableRefError:
        # The game was played elsewhere, or there is no library here: the file speaks for itself.
        return None
    return None


def _ruled_again(found: Verified) -> list[str] | None:
    """Where today's engine rules otherwise; None if the book is not known here."""
    book = book_called(str(found.contents["book"]))
    return None if book is None else list(rule_again(found.contents, book.rule))


def _say(found: Verified, problems: list[str], recorded: str | None, again: list[str] | None) -> None:
    record: dict[str, Any] = as_record(found)
    console.print(f"[bold]{'Changed' if problems else 'Intact'}[/]  ", end="")
    console.print(record["question"], record["verdict"], markup=False)
    decision = record["decision"]
    console.print(f"  {'Not decided.' if decision is None else decision['words']}", markup=False)
    console.print(f"  Seal {in_groups(found.seal)}", markup=False)
    if recorded == found.seal:
        console.print(f"  The record of game {found.contents['game']} here has the same seal.", markup=False)
    for problem in problems:
        console.print(f"✗ {problem}", markup=False)
    if again is None:
        console.print(f"  {found.contents['book']} is not known here: it was not ruled again.", markup=False)
    elif not again:
        console.print("  Ruled again by today's engine: the same.", markup=False)
    for said in again or ():
        console.print(f"! Today: {said}", markup=False)

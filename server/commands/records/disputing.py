"""`tableref verify` checks the file of a dispute, `tableref dispute` reopens one from the record."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from calibration.whole_files import write_whole
from engine.errors import TableRefError
from engine.game.registry import game_called, games
from server.commands.options import LibraryOption, in_its_folder, with_games
from server.disputes.documents import html, pdf
from server.disputes.documents.account import Contents, account_of, pictures_listed
from server.disputes.evidence import NEAR_S
from server.disputes.recorded.reopening import Had, disputes_of, reopened, sealed
from server.disputes.sealed.proving import Proofs, proofs_of
from server.disputes.sealed.seal import DIGITS, canonical, in_groups, seal_of
from server.disputes.sealed.verify import (
    NotADispute,
    Verified,
    as_record,
    not_ruled_again,
    read,
    rule_again,
    verify,
)
from server.formats import units
from server.formats.terminal import Terminal, tell
from server.recording.library.games import Library
from server.recording.matches import game_of
from server.table.questions.rulings import Rulings, verify_whole

console = Terminal()


def book_called(name: str) -> Rulings | None:
    """The rulings by the rule book of that name; None if this tableref does not have it."""
    known = (found.id for found in games() if found.about is not None and found.about.book == name)
    return next((Rulings.of(game_called(id)) for id in known), None)


@with_games
def check_dispute(
    file: Annotated[Path, typer.Argument(help="The HTML or PDF file of a dispute.", metavar="FILE")],
    seal: Annotated[
        str | None,
        typer.Option("--seal", help="The seal that was noted elsewhere: its first 20 digits, or more."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", help="The table's key that was noted elsewhere: its first 20 digits, or more."),
    ] = None,
    library: LibraryOption = None,
    anew: Annotated[
        Path | None,
        typer.Option("--anew", help="Where to write what is sealed in the file anew; .pdf makes a PDF."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON object.")] = False,
) -> None:
    """Check that the file of a dispute is as it was sealed, and rule the question again."""
    try:
        found = verify(read(file))
    except NotADispute as error:
        raise NotADispute(f"{file}: {error}") from error
    if anew is not None:
        _write_anew(found, anew)
    proofs = proofs_of(found, seal, key, library)
    again = _ruled_again(found)
    if as_json:
        record = as_record(found) | {
            "problems": list(proofs.problems), "proved": proofs.as_json(),
            "recorded": proofs.recorded.seal, "ruled_differently": again,
        }  # fmt: skip
        tell(record)
    else:
        _say(found, proofs, again)
    if proofs.problems:
        raise typer.Exit(1)


def _write_anew(found: Verified, out: Path) -> None:
    missing = [p["name"] for p in pictures_listed(found.contents) if p["sha256"] not in found.pictures]
    if missing:
        raise TableRefError(f"the file lacks pictures as they were sealed: {', '.join(missing)}")
    write_whole(in_its_folder(out), _render_for(out)(found.contents, found.pictures, found.signature))


def _render_for(out: Path) -> Callable[[Contents, Mapping[str, bytes], str], bytes]:
    return pdf.render if out.suffix.casefold() == ".pdf" else html.render


@with_games
def dispute(
    game: Annotated[str, typer.Argument(help="The game's id, or a part of it.", metavar="GAME")],
    id: Annotated[str | None, typer.Option("--id", help="A dispute of this game, by its number.")] = None,
    at: Annotated[
        str | None, typer.Option("--at", help="Any moment of the game: seconds, 12:30 or 1:02:03.")
    ] = None,
    asking: Annotated[
        str | None, typer.Option("--from", help="The piece that the question is about.")
    ] = None,
    others: Annotated[
        list[str] | None, typer.Option("--to", help="The other piece; several times for more.")
    ] = None,
    which: Annotated[
        str | None, typer.Option("--question", help="Which question, by its label, such as a weapon.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the file goes; .pdf makes a PDF, else HTML.")
    ] = None,
    library: LibraryOption = None,
) -> None:
    """List the disputes of a recorded game, or write the file of one, or of any moment."""
    with Library.looked_at(library) as opened:
        record = opened.game(game)
        reader = opened.reader(record.id)
        had = disputes_of(reader, opened.place.pictures_of(record.id))
        if id is None and at is None:
            _list(had)
            return
        if at is not None:
            if asking is None:
                raise TableRefError("say which pieces it is about: --from NAME --to NAME")
            rulings, moment = Rulings.of(game_of(reader)), seconds_of(at)
            if moment > record.duration_s + NEAR_S:
                lasted = units.clock(record.duration_s)
                raise TableRefError(f"the game lasts {lasted}: expected a moment in it but got {at}")
            table = reader.table_at(moment)
            named = [table.find(name).name for name in (asking, *(others or ()))]
            question = rulings.find(named, which)
            verify_whole(question, named)
            if question.missing:
                raise TableRefError(f"{question.words} Still to be named: {question.missing}")
            made = reopened(reader, rulings, moment, question)
            contents: Contents = made.contents()
            pictures: Mapping[str, bytes] = {p.digest: p.data for p in made.evidence.pictures}
            signature = ""
        else:
            kept = sealed(_one(had, id or ""))
            contents, pictures, signature = kept.contents, kept.pictures, kept.signature
    path = out or Path(f"dispute-{contents['id']}.html")
    write_whole(in_its_folder(path), _render_for(path)(contents, pictures, signature))
    account = account_of(contents)
    console.print(f"{account.title} {account.verdict}. {account.outcome}")
    console.print(f"Written to {path}. Seal {in_groups(seal_of(canonical(contents)))}")


def seconds_of(text: str) -> float:
    """A moment of a game.

    >>> seconds_of("75.5"), seconds_of("12:30"), seconds_of("1:02:03")
    (75.5, 750.0, 3723.0)
    """
    match = re.fullmatch(r"\s*(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,6}(?:\.\d*)?)\s*", text)
    if match is None:
        raise TableRefError(f"expected seconds, 12:30 or 1:02:03 but got {text!r}")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def _list(had: Sequence[Had]) -> None:
    if not had:
        console.print("This game has no disputes.")
        return
    for one in had:
        seal = "" if one.seal is None else f"  seal {in_groups(one.seal[:DIGITS])}…"
        console.print(f"{one.id}  {units.seconds(one.at_s)}  {units.retold(one.words)}{seal}")


def _one(had: Sequence[Had], id: str) -> Had:
    found = [one for one in had if id and id in one.id]
    if len(found) != 1:
        known = ", ".join(one.id for one in had) or "none"
        raise TableRefError(f"{id!r} names {len(found)} disputes of this game; there are: {known}")
    return found[0]


def _ruled_again(found: Verified) -> list[str] | None:
    """Where today's engine rules otherwise; None if the book is not known here."""
    rulings = book_called(str(found.contents["book"]))
    return None if rulings is None else list(rule_again(found.contents, rulings))


def _say(found: Verified, proofs: Proofs, again: list[str] | None) -> None:
    record: dict[str, Any] = as_record(found)
    said = "Changed" if proofs.problems else "Intact" if proofs.unchanged.by else "Not proved"
    console.print(f"{said}  ", style="bold", end="")
    console.print(record["question"], record["verdict"])
    decision = record["decision"]
    console.print(f"  {'Not decided.' if decision is None else decision['words']}")
    console.print(f"  Seal {in_groups(found.seal)}")
    for problem in proofs.problems:
        console.print(f"✗ {problem}")
    for proof in proofs.all:
        console.print(f"{'✓' if proof.by else '–'} {proof.words}")
    if again is None:
        console.print(f"  {found.contents['book']} is not known here: it was not ruled again.")
    elif told := not_ruled_again(found.contents):
        console.print(f"  {told}")
    elif not again:
        console.print("  Ruled again by today's engine: the same.")
    for changed in again or ():
        console.print(f"! Today: {changed}")

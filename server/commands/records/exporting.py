"""`tableref export` and `tableref replay`: recorded games taken along, and ruled again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import TableRefError
from engine.game.log.unknown import UnknownGame
from engine.game.showing import Viewer
from server.commands.options import (
    GameArgument,
    LibraryOption,
    in_its_folder,
    with_games,
)
from server.exports.forms import ExportName, file_name
from server.exports.forms import export as write_export
from server.formats import units
from server.formats.terminal import Terminal, styled, tell
from server.recording.library.games import Library
from server.recording.matches import game_of
from server.replay.rerule import Again, rule_again

console = Terminal()


@with_games
def export(
    game: GameArgument,
    form: Annotated[ExportName, typer.Option("--to", help="In which form.")] = ExportName.JSONL,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file; unless said, named by the game.")
    ] = None,
    library: LibraryOption = None,
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="With stills and video, where the form has them.")
    ] = True,
) -> None:
    """Write a recorded game to a file: all of it, for Foxglove, for spreadsheets, or its video."""
    with Library.looked_at(library) as opened:
        name = file_name(opened, game, form)
        path = in_its_folder(Path(name) if out is None else out)
        write_export(opened, game, form, path, pictures)
    console.print(f"{path} written, {path.stat().st_size / 1e6:.1f} MB.")


@with_games
def report(
    game: GameArgument,
    out: Annotated[
        Path, typer.Option("--out", help="The folder for the two files, made if missing.")
    ] = Path(),
    library: LibraryOption = None,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="With photos.")] = True,
) -> None:
    """Write a recorded game's battle report, turn by turn: a page and a PDF."""
    with Library.looked_at(library) as opened:
        for form in (ExportName.REPORT, ExportName.PDF):
            path = in_its_folder(out / file_name(opened, game, form))
            write_export(opened, game, form, path, pictures)
            console.print(f"{path} written.")


@with_games
def replay(
    game: GameArgument,
    library: LibraryOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Rule a recorded game again with today's engine: what would come out differently, and why."""
    found: Counter[str] = Counter()
    with Library.looked_at(library) as opened:
        reader = opened.reader(opened.game(game).id)
        played = game_of(reader)
        if isinstance(played, UnknownGame):
            # Without its rules nothing can be said to come out differently.
            raise TableRefError(played.status({}, Viewer()).who)
        numbers: list[Again] = []
        said: list[Again] = []
        for again in rule_again(reader):
            found[again.weight] += again.ruled
            said += [again] if again.said else []
            if as_json:
                tell(again_record(again))
            elif again.weight == "verdict":
                _print_changes(again)
            elif again.weight == "other":
                numbers.append(again)
        for again in numbers:
            _print_changes(again)
        for again in () if as_json else said:
            _print_said(again)
    if not as_json:
        console.print(_summed(found, len(said)))
    raise typer.Exit(1 if found["verdict"] or found["other"] else 0)


def _summed(found: Counter[str], said: int = 0) -> str:
    """The whole in one line.

    >>> _summed(Counter(same=37, verdict=1))
    '38 ruled again; 1 decided differently, 0 with other figures.'
    >>> _summed(Counter(same=3), said=1)
    '3 ruled again; none comes out differently. 1 rests on what was said and not seen.'
    """
    told = f"{found.total()} ruled again; "
    if found["verdict"] or found["other"]:
        told += f"{found['verdict']} decided differently, {found['other']} with other figures."
    else:
        told += "none comes out differently."
    within = f" In {found['within']} a number moved by less than its deviation."
    told += within if found["within"] else ""
    rest = "rests" if said == 1 else "rest"
    return f"{told} {said} {rest} on what was said and not seen." if said else told


def _print_entry(again: Again) -> None:
    console.print(
        styled(units.clock(again.at_s), "bold"),
        f" {units.retold(again.words)} ",
        styled(f"(entry {again.number}{'' if again.stands else ', taken back later'})", "dim"),
    )


def _print_said(again: Again) -> None:
    """An entry with what it rests on that was said and not seen."""
    _print_entry(again)
    for words in again.said:
        console.print(f"    Said, and not seen: {units.retold(words)}")


def _print_changes(again: Again) -> None:
    """An entry with its changes, the answer before its numbers."""
    _print_entry(again)
    for change in sorted(again.changes, key=lambda c: c.weight != "verdict"):
        was, now = units.retold(change.was), units.retold(change.now)
        if change.what == "verdict":
            console.print(f"    The answer was {was}, and is", styled(now, "bold"), "today.")
        elif change.weight != "within":
            console.print(f"    {units.retold(change.what)}: {was}", styled("→", "bold"), now)


def again_record(again: Again) -> dict[str, object]:
    """One entry ruled again, as one JSON object."""
    return {
        "number": again.number,
        "at_s": round(again.at_s, 3),
        "words": again.words,
        "same": not again.changes,
        "weight": again.weight,
        "said": list(again.said),
        "stands": again.stands,
        "changes": [{"what": c.what, "was": c.was, "now": c.now, "weight": c.weight} for c in again.changes],
    }

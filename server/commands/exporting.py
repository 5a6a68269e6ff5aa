"""`tableref export` and `tableref replay`: recorded games taken along, and ruled again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from server.commands.options import (
    GameArgument,
    LibraryOption,
    with_games,
)
from server.exports.forms import ExportName, file_name
from server.exports.forms import export as write_export
from server.formats import units
from server.formats.json_lines import line
from server.recording.library.games import Library
from server.replay.rerule import Again, rule_again

console = Console(highlight=False, soft_wrap=True)


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
    with Library.open(library) as opened:
        path = Path(file_name(opened, game, form)) if out is None else out
        write_export(opened, game, form, path, pictures)
    console.print(f"{path} written, {path.stat().st_size / 1e6:.1f} MB.", markup=False)


@with_games
def report(
    game: GameArgument,
    out: Annotated[Path, typer.Option("--out", help="The folder for the two files.")] = Path(),
    library: LibraryOption = None,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="With photos.")] = True,
) -> None:
    """Write a recorded game's battle report, turn by turn: a page and a PDF."""
    with Library.open(library) as opened:
        for form in (ExportName.REPORT, ExportName.PDF):
            path = out / file_name(opened, game, form)
            write_export(opened, game, form, path, pictures)
            console.print(f"{path} written.", markup=False)


@with_games
def replay(
    game: GameArgument,
    library: LibraryOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Rule a recorded game again with today's engine: what would come out differently, and why."""
    count = different = 0
    with Library.open(library) as opened:
        reader = opened.reader(opened.game(game).id)
        for again in rule_again(reader):
            count += 1
            different += bool(again.changes)
            if as_json:
                print(line(again_record(again)), flush=True)
            elif again.changes:
                _print_changes(again)
    if not as_json:
        verb = "comes" if different == 1 else "come"
        console.print(f"{count} ruled again; {different or 'none'} {verb} out differently.", markup=False)
    raise typer.Exit(1 if different else 0)


def _print_changes(again: Again) -> None:
    console.print(
        f"[bold]{units.clock(again.at_s)}[/]  {escape(again.words)}  [dim](entry {again.number})[/]"
    )
    for change in again.changes:
        console.print(f"    {escape(change.what)}: {escape(change.was)} [bold]→[/] {escape(change.now)}")


def again_record(again: Again) -> dict[str, object]:
    """One entry ruled again, as one JSON object."""
    return {
        "number": again.number,
        "at_s": round(again.at_s, 3),
        "words": again.words,
        "same": not again.changes,
        "changes": [{"what": c.what, "was": c.was, "now": c.now} for c in again.changes],
    }

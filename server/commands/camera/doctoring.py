"""`tableref doctor`: looks at what the camera sees and says what to fix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.tablefile import load_table
from calibration.whole_files import write_whole
from engine.errors import TableRefError
from engine.game.registry import game_of_table
from server.commands.options import in_its_folder, with_games
from server.formats.terminal import Terminal, styled
from server.pipeline.opening import lens_finder
from server.setup.bundle import bundle
from server.setup.doctor import examine, pictures_of, unread_words
from server.setup.kept_tables import KeptTables, OtherTables
from vision.source import open_source, parse_source

console = Terminal()


@with_games
def doctor(
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            help="Webcam number, address, video, photo, folder or sim.",
            show_default="the last one",
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            help="The table file; tags and light alone for a source without one.",
            show_default="the last one",
        ),
    ] = None,
    pictures: Annotated[int, typer.Option("--pictures", help="How many to look at.", min=1, max=200)] = 6,
    bundle_file: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            help="Write a picture, the table file and what was found into this zip file, without names.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Look at what the camera sees and say what to fix."""
    kept = KeptTables()
    last = kept.last().spec
    if table is None and last is not None and source in (None, last) and kept.current().written:
        table = kept.current().file
        console.print(styled("·", "dim"), f"The table used last: {kept.current().name}.")
    source = source or last or "0"
    file = None if table is None else load_table(table)
    opened = open_source(source)
    try:
        frames = pictures_of(opened, pictures)
        notice = opened.notice
    finally:
        opened.close()
    found = examine(frames, file, lens_finder(source), opened.live)
    elsewhere = [] if file is None else OtherTables(kept).words(found.unnamed, table)
    for fact in (*found.facts, *elsewhere):
        console.print(styled("·", "dim"), fact)
    complaints = ([notice] if notice else []) + list(found.complaints)
    if found.unread:
        complaints.append(unread_words(found.unread))
    if file is not None:
        complaints += _game_missing(file.game)
    for complaint in complaints:
        console.print("✗ " + complaint)
    if not complaints:
        console.print("All is well.")
    if bundle_file is not None:
        said = [*found.facts, *("✗ " + complaint for complaint in complaints)]
        text = None if file is None else file.text
        # One of another resolution is what may be wrong, so it goes along, too.
        lens = None if file is None else file.lens or file.lens_for(frames[-1].size)
        made = bundle(frames[-1], text, lens, said, parse_source(source).kind)
        write_whole(in_its_folder(bundle_file), made)
        console.print(f"{bundle_file} holds a picture, the table file and all this, without names.")
        console.print("The picture shows whatever the camera sees: look at it before you hand it on.")
    raise typer.Exit(1 if complaints else 0)


def _game_missing(name: str | None) -> list[str]:
    """What to say of a table file that names a game that is not there."""
    try:
        game_of_table(name)
    except TableRefError as error:
        return [f"Nothing can be ruled: {error}."]
    return []

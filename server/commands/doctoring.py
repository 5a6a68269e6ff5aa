"""`tableref doctor`: looks at what the camera sees and says what to fix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from calibration.tablefile import load_table
from server.pipeline.lenses import lens_finder
from server.setup.doctor import examine, pictures_of
from server.setup.tables import KeptTables
from vision.source import open_source

console = Console(highlight=False, soft_wrap=True)


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
) -> None:
    """Look at what the camera sees and say what to fix."""
    kept = KeptTables()
    last = kept.last().spec
    if table is None and last is not None and source in (None, last) and kept.current().written:
        table = kept.current().file
        console.print(f"[dim]·[/] The table used last: {kept.current().name}.")
    source = source or last or "0"
    file = None if table is None else load_table(table)
    opened = open_source(source)
    try:
        frames = pictures_of(opened, pictures)
        notice = opened.notice
    finally:
        opened.close()
    found = examine(frames, file, lens_finder(source), opened.live)
    for fact in found.facts:
        console.print(f"[dim]·[/] {fact}")
    complaints = ([notice] if notice else []) + list(found.complaints)
    for complaint in complaints:
        console.print("✗ " + complaint, markup=False)
    if not complaints:
        console.print("All is well.")
    raise typer.Exit(1 if complaints else 0)

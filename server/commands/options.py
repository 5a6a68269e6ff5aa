"""The options that several commands share: what a webcam is asked for, what is kept, and where."""

from __future__ import annotations

from typing import Annotated

import typer

SizeOption = Annotated[str, typer.Option("--size", help="A webcam's picture size; own leaves it alone.")]
FpsOption = Annotated[
    float | None,
    typer.Option("--fps", help="Pictures a second of a webcam, folder or sim.", min=0.1, max=240.0),
]
FocusOption = Annotated[
    str, typer.Option("--focus", help="auto, lock (as found after its first pictures) or a number.")
]
ExposureOption = Annotated[str, typer.Option("--exposure", help="auto, lock or a number.")]
LibraryOption = Annotated[
    str | None,
    typer.Option("--library", help="Folder or PostgreSQL address of the games.", show_default=False),
]
RecordOption = Annotated[bool, typer.Option("--record/--no-record", help="Keep the game in the library.")]
VideoOption = Annotated[
    str, typer.Option("--video", help="Video that is kept: 720p, 1080p@15 or off.", metavar="WHAT")
]
NewGameOption = Annotated[
    bool, typer.Option("--new-game", help="Begin a new game, even if one was cut off at this table.")
]
GameArgument = Annotated[str, typer.Argument(help="The game's id, or a part of it.", metavar="GAME")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]

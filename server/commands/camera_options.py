"""The options that say what a webcam is asked for."""

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

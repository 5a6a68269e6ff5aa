"""`tableref calibrate live`: the page takes the pictures of the board, before there is any table file."""

from __future__ import annotations

import os
import webbrowser
from typing import Annotated

import typer
from rich.console import Console

from engine.space.geometry import Region
from engine.space.table import TableState
from server.pipeline.lenses import camera_of
from server.pipeline.referee import Moment
from server.pipeline.runner import Runner
from server.serving.run import PORT, PageServer, listen
from server.table.rulebook import WhiteLineFever
from vision.frame import Frame
from vision.source import ask, play_source

console = Console(highlight=False, soft_wrap=True)

SURFACE = Region.rectangle(0.0, 0.0, 48.0, 48.0)


class _JustPictures:
    """Stands where a referee stands and looks for no tags: a lens needs the board alone."""

    def step(self, frame: Frame) -> Moment:
        """The frame and an empty table."""
        return Moment(frame.index, frame.time, frame, TableState(frame.time, SURFACE, ()), None, {})


def live(
    source: Annotated[str, typer.Option("--source", help="Webcam number, address, video or folder.")] = "0",
    port: Annotated[int, typer.Option("--port", help="Port of the page.", min=0, max=65535)] = PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop after so many seconds.", min=0, show_default=False)
    ] = None,
) -> None:
    """Calibrate a lens on the page: hold the board into the picture. Needs no table file."""
    camera = camera_of(ask(source))
    opened = listen(port=port)
    pictures = Runner(play_source(source), _JustPictures(), camera=camera)

    def ready(address: str) -> None:
        console.print(f"Calibrate {camera}: {address}calibrate   (Ctrl-C stops)", markup=False)
        if browser and not os.environ.get("CI"):
            webbrowser.open(f"{address}calibrate")

    PageServer(pictures, WhiteLineFever(), opened).run(seconds, ready)

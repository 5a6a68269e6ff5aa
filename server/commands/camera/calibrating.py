"""`tableref calibrate …`: the lens, and the proof that measurements are right."""

from __future__ import annotations

import math
import os
import webbrowser
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from calibration.lens.files import LensForm, lens_doubts, read_lens, write_lens
from calibration.lens.intrinsics import COLUMNS, ROWS, LensCalibration, calibrate_folder
from calibration.lens.model import Lens, LensError
from engine.space.geometry import Region
from engine.space.table import TableState
from server.commands.camera.checking import check
from server.commands.camera.target_options import (
    Dictionary,
    KindOption,
    MarkerOption,
    SquareOption,
    Squares,
    TargetKind,
    target_of,
)
from server.formats.terminal import Terminal, styled, tell
from server.pipeline.json_records import lens_record
from server.pipeline.opening import camera_of, keep_lens
from server.pipeline.referee import Moment, Refereeing
from server.pipeline.runner import Runner
from server.serving.run import PORT, PageServer, listen
from server.table.questions.rulings import Rulings
from vision.frame import Frame
from vision.source import SourceRefused, parse_source, play_source

app = typer.Typer(
    help="Calibrate a lens, and prove what is measured.", no_args_is_help=True, add_completion=False
)
console = Terminal()

app.command()(check)

SURFACE = Region.rectangle(0.0, 0.0, 48.0, 48.0)


class LensFormat(StrEnum):
    """The forms that a lens file can have."""

    TABLEREF = "tableref"
    OPENCV = "opencv"
    ROS = "ros"
    KALIBR = "kalibr"

    @property
    def lens_form(self) -> LensForm:
        """As `calibration.lens.files` calls it."""
        return self.value

    @property
    def suffix(self) -> str:
        """The ending that its files have."""
        return ".json" if self is LensFormat.TABLEREF else ".yaml"


AsForm = Annotated[LensFormat, typer.Option("--form", help="Whose form the file has.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]


@app.command()
def lens(
    folder: Annotated[
        Path, typer.Argument(help="A folder of pictures of the board, all of one camera.", metavar="FOLDER")
    ],
    kind: KindOption = TargetKind.CHARUCO,
    squares: Squares = "5x7",
    square_mm: SquareOption = 33.0,
    marker_mm: MarkerOption = 24.0,
    dictionary: Dictionary = "DICT_5X5_100",
    out: Annotated[Path | None, typer.Option("--out", help="The lens file.", show_default=False)] = None,
    form: AsForm = LensFormat.TABLEREF,
    camera: Annotated[
        str | None,
        typer.Option("--camera", help="Keep it for this webcam (number or name).", show_default=False),
    ] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
) -> None:
    """Calibrate a lens from a folder of pictures of a board."""
    board = target_of(kind, squares, square_mm, marker_mm, dictionary)
    target = out if out is not None or camera is not None else Path("lens" + form.suffix)
    if target is not None:
        _refuse_to_overwrite(target, force)
    found = calibrate_folder(folder, board)
    kept = []
    if target is not None:
        write_lens(found.lens, target, form.lens_form, _camera_name(camera) if camera else "")
        kept.append(f"Lens written to {target}; name it in the table file as lens under [camera].")
    if camera is not None:
        name = _camera_name(camera)
        path = keep_lens(found.lens, name)
        kept.append(f"Lens kept for {name} at {_size(found.lens)} in {path}.")
    if as_json:
        tell(lens_record(found))
        return
    _print_report(found)
    for words in kept:
        console.print(words)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(help="A lens file of any form.", metavar="FROM")],
    target: Annotated[Path, typer.Argument(help="The file to write.", metavar="TO")],
    form: AsForm = LensFormat.TABLEREF,
    camera: Annotated[
        str, typer.Option("--camera", help="Which of a Kalibr file's cameras.", show_default=False)
    ] = "",
    force: Force = False,
) -> None:
    """Turn a lens file of OpenCV, ROS, Kalibr or tableref into another form."""
    found = read_lens(source, camera)
    _refuse_to_overwrite(target, force)
    write_lens(found, target, form.lens_form)
    console.print(f"Lens of {_size(found)} pixels written to {target} in the form {form.value}.")
    for words in lens_doubts(source, found):
        console.print(styled("✗", "yellow"), words)


def _print_report(found: LensCalibration) -> None:
    grid = Table("picture", "corners", "off px", "tilt", "", box=None, pad_edge=False)
    for view in found.views:
        grid.add_row(
            view.name,
            str(view.corners),
            "" if view.rms is None else f"{view.rms:.3f}",
            "" if view.tilt is None else f"{math.degrees(view.tilt):.0f}°",
            styled("used", "green") if view.used else styled("dropped", "red"),
        )
    console.print(grid)
    cells = Table("corners seen", *COLUMNS, box=None, pad_edge=False)
    for name, row in zip(ROWS, found.coverage, strict=True):
        cells.add_row(name, *(str(int(count)) for count in row))
    console.print(cells)
    for words in found.words:
        console.print(words[0].upper() + words[1:] + ".")


def _camera_name(text: str) -> str:
    """A webcam's own name where its number is given; any other text is the name."""
    try:
        asked = parse_source(text)
    except SourceRefused:
        return text
    return camera_of(asked) if asked.kind == "webcam" else text


def _size(lens: Lens) -> str:
    return f"{lens.size[0]}x{lens.size[1]}"


def _refuse_to_overwrite(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise LensError(f"{path} is there already: choose another name, or say --force")


class _JustPictures(Refereeing):
    """Stands where a referee stands and looks for no tags: a lens needs the board alone."""

    def step(self, frame: Frame) -> Moment:
        """The frame and an empty table."""
        return Moment(frame.index, frame.time, frame, TableState(frame.time, SURFACE, ()), None)


@app.command()
def live(
    source: Annotated[str, typer.Option("--source", help="Webcam number, address, video or folder.")] = "0",
    port: Annotated[int, typer.Option("--port", help="Port of the page.", min=0, max=65535)] = PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop after so many seconds.", min=0, show_default=False)
    ] = None,
) -> None:
    """Calibrate a lens on the page: hold the board in view. Needs no table file."""
    camera = camera_of(parse_source(source))
    opened = listen(port=port)
    pictures = Runner(play_source(source), _JustPictures(), camera=camera)

    def ready(address: str) -> None:
        console.print(f"Calibrate {camera}: {address}calibrate   (Ctrl-C stops)")
        if browser and not os.environ.get("CI"):
            webbrowser.open(f"{address}calibrate")

    PageServer(pictures, Rulings.by_book(None), opened).run(seconds, ready)

"""Makes README's moving picture anew: a push, its inches while it is made, and what the book says of it.

`python -m tests.pictures.moving_picture` plays the sample round through the whole referee and draws over the
camera's picture what it tells: nothing of it is typed here. By day it is docs/front.webp, by night
docs/front-dark.webp.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import reportlab  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import ArrayLike
from PIL import Image, ImageDraw, ImageFont

from calibration.tablefile import TableFile, load_table
from engine.games.white_line_fever.rules.moves import rule_manoeuvre
from engine.motion.moves import Move
from engine.ruling import Ruling, Verdict
from engine.space.table import Standing
from server.moves.recognising import recognise
from server.pipeline.referee import Moment, Referee
from server.table.projection import PictureSpace, densified
from server.table.questions.rulings import Rulings
from vision.frame import Frame
from vision.source import open_source
from vision.sources.base import SourceEnded

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "opening-round"
CAR, SPEED = "Blue 1", 5
TARGETS = ("Red 3", "Red 2")
"""Whom the car asks about afterwards: one that it may shoot at, and one behind the mug."""

BEGINS, EVERY = 8.2, 2
"""Seconds of the clip at which the picture begins, and which of its ten frames a second are kept."""

CROP = (430, 5, 1495, 1070)
"""The table in the sample's frames, pixels: left, top, right, bottom."""

SIDE, PANEL = 600, 330
MOVING_MS, STILL_MS = 200, 2800
MOST_BYTES = 3_000_000
COLOURS = {
    Verdict.YES: (74, 210, 120),
    Verdict.NO: (255, 96, 86),
    Verdict.TOO_CLOSE: (255, 196, 60),
}
"""Of lines on the cloth."""

BLACK, WAY = (24, 27, 31), (255, 255, 255)

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """The colours of the panel beside the table, red, green and blue of 255."""

    paper: Colour
    ink: Colour
    faint: Colour
    verdicts: Mapping[Verdict, Colour]


DARK = Theme(BLACK, (240, 240, 236), (160, 166, 172), COLOURS)
LIGHT = Theme(
    (255, 253, 248), (30, 37, 41), (86, 96, 103),
    {Verdict.YES: (20, 112, 61), Verdict.NO: (171, 42, 34), Verdict.TOO_CLOSE: (127, 86, 0)},
)  # fmt: skip
FONTS = Path(reportlab.__file__).parent / "fonts"


def font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The font that comes with what prints the sheets, so that the picture is the same everywhere."""
    return ImageFont.truetype(str(FONTS / ("VeraBd.ttf" if bold else "Vera.ttf")), size)


class Canvas:
    """One picture of the film: the table as the camera sees it, and a panel of words beside it."""

    def __init__(self, frame: Frame, moment: Moment, theme: Theme) -> None:
        assert moment.surface is not None
        self.theme = theme
        self.space = PictureSpace(moment.surface)
        # Drawn in the frame's own pixels and made smaller with them, so that lines are smooth.
        self.picture = Image.fromarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2RGB))
        self.over = ImageDraw.Draw(self.picture)
        self.panel = Image.new("RGB", (PANEL, SIDE), theme.paper)
        self.draw = ImageDraw.Draw(self.panel)
        self.down = 26

    def image(self) -> Image.Image:
        """Picture and panel side by side."""
        whole = Image.new("RGB", (SIDE + PANEL, SIDE))
        whole.paste(self.picture.crop(CROP).resize((SIDE, SIDE), Image.Resampling.LANCZOS), (0, 0))
        whole.paste(self.panel, (SIDE, 0))
        return whole

    def line(self, points: ArrayLike, colour: Colour, width: int = 5) -> None:
        """A line on the cloth through table points, (n, 2) inches."""
        pixels = self.space.outline(densified(np.asarray(points, dtype=np.float64), closed=False))
        self.over.line(pixels, BLACK, width + 4, joint="curve")
        self.over.line(pixels, colour, width, joint="curve")

    def name(self, standing: Standing) -> None:
        """The name of a piece, beside it in the picture."""
        ((x, y),) = self.space.outline(np.array([standing.pose.xy]), standing.piece.body.height)
        self.over.text(
            (x, y - 46), standing.name, (255, 255, 255), font(25, bold=True), anchor="mm",
            stroke_width=4, stroke_fill=BLACK,
        )  # fmt: skip

    def words(
        self, text: str, size: int = 17, colour: Colour | None = None, bold: bool = False, gap: int = 8
    ) -> None:
        """A paragraph in the panel, below the last one; in the theme's ink if nobody says otherwise."""
        letters = font(size, bold)
        row: list[str] = []
        for word in [*text.split(), ""]:
            if word and letters.getlength(" ".join([*row, word])) <= PANEL - 36:
                row.append(word)
                continue
            self.draw.text((20, self.down), " ".join(row), colour or self.theme.ink, letters)
            self.down += round(size * 1.35)
            row = [word]
        self.down += gap


def under_way(canvas: Canvas, way: Move) -> None:
    """The car on its way: its path, and the inches that it has gone."""
    canvas.line([way.start.pose.xy, *(pose.xy for pose in way.poses)], WAY)
    length, runs = recognise(way)
    canvas.words(f"{CAR} is pushed", 20, bold=True)
    canvas.words(f"{length:.2f} in", 44, bold=True, gap=14)
    for run in runs:
        canvas.words(run, 17, canvas.theme.faint, gap=2)


def driven(canvas: Canvas, move: Move) -> None:
    """The car has stopped: what the book says of its move."""
    ruled = rule_manoeuvre(move.before, move.piece, move.recognised(), SPEED, way=move.poses)
    canvas.line([move.start.pose.xy, *(pose.xy for pose in move.poses)], WAY)
    legal = ruled.verdict is Verdict.YES
    canvas.words(
        {Verdict.YES: "Legal", Verdict.NO: "Not legal"}.get(ruled.verdict, "Too close to call"),
        32, canvas.theme.verdicts[ruled.verdict], bold=True, gap=14,
    )  # fmt: skip
    for check in ruled.ruling.checks:
        canvas.words(
            f"{check.name}: {check.words}",
            15,
            canvas.theme.faint if check.verdict is Verdict.YES else None,
            gap=5,
        )
    assert legal, ruled.words


def shot(canvas: Canvas, ruling: Ruling) -> None:
    """A shot: the line that decides, every condition with its number, and its rule."""
    colours = canvas.theme.verdicts
    conditions = [check for check in ruling.checks if check.role == "condition"]
    for check in conditions:
        if check.witness.shows == "sight" and check.witness.line is not None:
            canvas.line(check.witness.line, COLOURS[check.verdict], 7)
    canvas.words(ruling.question, 20, bold=True)
    canvas.words(str(ruling.verdict).capitalize(), 38, colours[ruling.verdict], bold=True, gap=14)
    for check in conditions:
        canvas.words(check.name, 16, colours[check.verdict], bold=True, gap=0)
        canvas.words(check.words, 15, gap=8)
    canvas.words(conditions[0].citation, 12, canvas.theme.faint)


def film(table: TableFile, theme: Theme) -> Iterator[tuple[Image.Image, int]]:
    """The pictures in order, and how long each stands, milliseconds."""
    source, referee = open_source(str(SAMPLE / "opening-round.mp4")), Referee(table)
    kept = 0
    try:
        while True:
            frame = source.read()
            moment = referee.step(frame)
            done = [move for move in moment.moves if move.piece == CAR]
            if done:
                yield from stills(frame, moment, done[0], Rulings.by_book(table.game), theme)
                return
            if frame.time < BEGINS:
                continue
            kept += 1
            way = moment.under_way.get(CAR)
            if kept % EVERY == 0 and (way is None or not way.reads or moving(way)):
                canvas = Canvas(frame, moment, theme)
                canvas.name(moment.table.find(CAR))
                if way is not None and way.reads:
                    under_way(canvas, way)
                else:
                    canvas.words(
                        "A webcam over the table, printed tags, and nobody picks up a ruler.", 20, bold=True
                    )
                yield canvas.image(), MOVING_MS
    except SourceEnded as error:
        raise SystemExit(f"{CAR} was not seen to move in {source.name}") from error
    finally:
        source.close()


def moving(way: Move) -> bool:
    """Whether the car still goes: the pictures in which it rests until that is told are left out."""
    return way.after.status.value != "still"


def stills(
    frame: Frame, moment: Moment, move: Move, rulings: Rulings, theme: Theme
) -> Iterator[tuple[Image.Image, int]]:
    """The move's ruling, and the shots that the car asks about."""
    canvas = Canvas(frame, moment, theme)
    canvas.name(moment.table.find(CAR))
    driven(canvas, move)
    yield canvas.image(), STILL_MS
    for target in TARGETS:
        canvas = Canvas(frame, moment, theme)
        ruling = rulings.answer(moment.table, (CAR, target))[1]
        blockers = [name for check in ruling.checks for name in check.witness.blockers]
        shot(canvas, ruling)
        for name in dict.fromkeys((CAR, target, *blockers)):
            canvas.name(moment.table.find(name))
        yield canvas.image(), STILL_MS + 600


def main() -> None:
    """Draws the film and writes it as an animated WebP."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/front.webp"), help="the light one")
    options = parser.parse_args()
    table, dark = load_table(SAMPLE / "table.toml"), options.out.with_stem(f"{options.out.stem}-dark")
    for theme, out in ((LIGHT, options.out), (DARK, dark)):
        first, *others = film(table, theme)
        first[0].save(
            out, save_all=True, append_images=[image for image, _ in others],
            duration=[first[1], *(ms for _, ms in others)], loop=0, quality=74, method=6,
        )  # fmt: skip
        size = out.stat().st_size
        print(f"{out}: {1 + len(others)} pictures, {size / 1e6:.2f} MB")
        if size > MOST_BYTES:
            raise SystemExit(f"expected {MOST_BYTES / 1e6:.0f} MB at most")


if __name__ == "__main__":
    main()

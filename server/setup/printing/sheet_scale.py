"""The printer's scale by the camera: what is printed held against the paper that it is printed on.

Two ways: the sheet with the four corner tags laid on the table before it is cut, or any sheet of paper on a
table that is set up. Paper has a known size, so all printed sizes follow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from calibration.accuracy import Accuracy
from calibration.bundle.doubts import judge
from calibration.lens.model import Lens
from calibration.prints.paper import PAPERS
from calibration.prints.sheets import GAP, CornerPrint
from calibration.surface import CornerTag, Surface, SurfaceError, diagonal_crossing
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.setup.printing.last_look import LastLook
from server.setup.setup_messages import SheetState
from vision.evidence import sort_out
from vision.frame import Detection, Frame
from vision.paper_edges import PaperSheet, find_sheets
from vision.tags.unnamed import USUAL_FAMILY

PAPER_SD_IN = 0.02
"""How exactly paper is cut, and how flat it lies: a standard deviation of each side."""

STRETCH = 0.002
"""By what share a printer's two directions differ, as a standard deviation."""

MISFIT = 0.03
"""Tags on one sheet fit its layout so well, as a share of a tag's side in the picture."""

MOST_OFF = 0.1
DISAGREE = 4.0
SHORTEST, LONGEST = 7.0, 14.0
SQUARE_RAD = math.radians(1.5)
WORTH = 0.5
"""A scale is offered if it is known at least so much better than before."""

NOT_FOUND = (
    "No sheet of paper is found. It must lie flat and whole in the picture, uncovered, on something darker "
    "than itself; on a white table use the bar and a ruler."
)

PaperName = Literal["letter", "a4"]
NAMES: dict[PaperName, str] = {"letter": "US Letter", "a4": "A4"}


@dataclass(frozen=True, eq=False)
class PrintScale:
    """What was printed is `ratio` times as large as stated, with its deviation `sd`.

    `outline` is the sheet in the picture, (4, 2) pixels.
    """

    paper: PaperName
    ratio: float
    sd: float
    outline: FloatArray

    @property
    def words(self) -> str:
        """For people, with the 95 % that everything is told with.

        >>> PrintScale("letter", 0.9704, 0.0014, np.zeros((4, 2))).words
        'a sheet of US Letter: printed at 97.0 % (±0.3)'
        """
        return f"a sheet of {NAMES[self.paper]}: printed at {100 * self.ratio:.1f} % (±{196 * self.sd:.1f})"


def lie_on_one_sheet(lens: Lens, detections: Sequence[Detection], size: float) -> bool:
    """Whether the four corner tags lie just as they are printed: nobody has cut them out yet."""
    seen = _corners(detections)
    if len(seen) < 4:
        return False
    rays = np.concatenate([lens.rays(seen[n].corners) for n in range(4)])
    printed = np.concatenate([tag.corners_at() for tag in _layout(size)])
    flat = _homography(printed, rays)
    off = cv2.perspectiveTransform(printed[:, None], flat)[:, 0] - rays
    side = float(np.mean([d.side for d in seen.values()]))
    return math.sqrt(float(np.mean(off**2))) * float(lens.K[0, 0]) < MISFIT * side


def of_uncut_sheet(
    frame: Frame, lens: Lens, detections: Sequence[Detection], size: float
) -> PrintScale | str:
    """The scale of the sheet that the corner tags, `size` inches, are still part of; else why there is none.

    The paper's four edges tell what each pixel on it is in inches; so the tags' centres tell how far apart
    they came out of the printer.
    """
    focal = float(lens.K[0, 0])
    seen = _corners(detections)
    centres = focal * lens.rays(np.array([diagonal_crossing(seen[n].corners)[0] for n in range(4)]))
    sheets = find_sheets(frame.grey, lambda pixels: focal * lens.rays(pixels))
    holding = [s for s in sheets if all(_holds(s.corners, centre) for centre in centres)]
    if not holding:
        return NOT_FOUND
    # The sheet may lie in the middle of a bright table, which is a shape that holds the tags, too.
    sheet = min(holding, key=lambda s: s.across(0)[0] * s.across(1)[0])
    # Edge 0 is made the upper one: the one that the first two tags are nearest to.
    mids = (sheet.corners + np.roll(sheet.corners, -1, axis=0)) / 2
    first = int(np.argmin(np.linalg.norm(mids - (centres[0] + centres[1]) / 2, axis=1)))
    sheet = PaperSheet(*(np.roll(part, -first, axis=0) for part in (sheet.corners, sheet.sd, sheet.curve)))
    across, down = _layout(size)[1].at[0], _layout(size)[0].at[1]
    fits = []
    for name in NAMES:
        short, long = PAPERS[name]
        paper = np.array([(0.0, long), (short, long), (short, 0.0), (0.0, 0.0)])
        flat = _homography(sheet.corners, paper)
        at = cv2.perspectiveTransform(centres[:, None], flat)[:, 0]
        ways = np.array([[at[1] - at[0], at[3] - at[2]], [at[0] - at[2], at[1] - at[3]]])
        lengths = np.linalg.norm(ways, axis=2)
        ratios, sds = [], []
        for pair, stated, true, (way, sd) in (
            (lengths[0], across, short, sheet.across(1)),
            (lengths[1], down, long, sheet.across(0)),
        ):
            mean = float(pair.mean())
            ratios.append(mean / stated)
            # Both pairs of tags are as far apart on the paper: what they differ by is the centres' own error.
            own = float(np.ptp(pair)) / 2 / mean
            sds.append(math.hypot(PAPER_SD_IN / true, sd / way, STRETCH, own))
        fits.append(_Fit(name, (ratios[0], ratios[1]), (sds[0], sds[1])))
    outline = np.array(sheet.corners) / focal
    return _likeliest(fits, 0.0, _pixels(lens, outline))


def of_laid_sheet(
    frame: Frame, surface: Surface, table: TableFile, lens: Lens, detections: Sequence[Detection]
) -> PrintScale | str:
    """The scale by any sheet that lies on a table that is set up; else why there is none."""
    sheets = [s for s in find_sheets(frame.grey, surface.table_from_image) if _like_paper(s)]
    if not sheets:
        return NOT_FOUND
    sheet = sheets[0]
    short, long = sorted([sheet.across(0), sheet.across(1)])
    fits = []
    for name in NAMES:
        sides = list(zip(PAPERS[name], (short, long), strict=True))
        ratios = [side / way for side, (way, _) in sides]
        sds = [math.hypot(PAPER_SD_IN / side, sd / way, STRETCH) for side, (way, sd) in sides]
        fits.append(_Fit(name, (ratios[0], ratios[1]), (sds[0], sds[1])))
    seen = sort_out(detections, table)
    try:
        # How well lengths are known here but for the print's scale, which is what is asked for.
        common = replace(table.accuracy.common, scale=1e-6)
        apart = judge(lens, seen.corners, [*seen.loose, *seen.raised], table.frame, common).surface
    except SurfaceError as error:
        return f"A sheet of paper is seen, but not the table under it: {error}."
    share = _share_of_length(apart, sheet)
    found = _likeliest(fits, share, surface.image_from_table(sheet.corners))
    if isinstance(found, PrintScale) and found.sd > WORTH * table.accuracy.print_scale:
        return (
            f"Seen: {found.words}. That is not sure enough to be of use: calibrate the lens, lay the sheet "
            "in the middle of the table, or measure with a ruler."
        )
    return found


@dataclass(frozen=True)
class _Fit:
    """If the sheet is this paper: the scale along its short and along its long side, with deviations."""

    paper: PaperName
    ratios: tuple[float, float]
    sds: tuple[float, float]


def _likeliest(fits: Sequence[_Fit], share: float, outline: FloatArray) -> PrintScale | str:
    """The paper whose two sides agree; `share` is how well lengths are known besides."""

    def apart(fit: _Fit) -> float:
        return abs(fit.ratios[0] - fit.ratios[1]) / math.hypot(*fit.sds)

    best = min(fits, key=apart)
    weights = np.array(best.sds) ** -2
    ratio = float(weights @ best.ratios / weights.sum())
    if apart(best) > DISAGREE or abs(ratio - 1) > MOST_OFF:
        return (
            "A bright sheet is seen whose sides are neither those of US Letter nor of A4, or no printer "
            "prints so: lay one whole sheet, flat, with nothing beside it."
        )
    return PrintScale(best.paper, ratio, math.hypot(float(weights.sum()) ** -0.5, share), outline)


def _share_of_length(surface: Surface, sheet: PaperSheet) -> float:
    """How well the sheet's sides are known by this surface alone: a standard deviation, as a share."""
    mids = (sheet.corners + np.roll(sheet.corners, -1, axis=0)) / 2
    _, by_parameters, _ = surface.jacobians(mids, 0.0)
    # Both sides together: an error that shortens one and lengthens the other drops out.
    gradient = np.zeros(surface.covariance.shape[0])
    for a, b in ((0, 2), (1, 3)):
        way = mids[b] - mids[a]
        length = float(np.hypot(*way))
        gradient += (way / length) @ (by_parameters[b] - by_parameters[a]) / length / 2
    return math.sqrt(float(gradient @ surface.covariance @ gradient))


def _corners(detections: Sequence[Detection]) -> dict[int, Detection]:
    return {d.tag: d for d in detections if d.family == USUAL_FAMILY and d.tag < 4}


def _layout(size: float) -> list[CornerTag]:
    """The four corner tags where `calibration.prints` puts them on a sheet, inches from the third one."""
    one = CornerPrint(0, size=size)
    across, down = one.width + GAP, one.height + GAP
    places = [(0.0, down), (across, down), (0.0, 0.0), (across, 0.0)]
    return [CornerTag(USUAL_FAMILY, n, size, places[n], math.pi / 2) for n in range(4)]


def _homography(points: FloatArray, others: FloatArray) -> FloatArray:
    """The plane that takes points (n, 2) to the others, (3, 3); one that misfits where they span none."""
    found, _ = cv2.findHomography(points, others)
    return np.eye(3) if found is None else np.asarray(found, dtype=np.float64)


def _pixels(lens: Lens, rays: FloatArray) -> FloatArray:
    points = np.column_stack([rays, np.ones(len(rays))])
    pixels, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), lens.K, lens.dist)
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)


def _holds(corners: FloatArray, point: FloatArray) -> bool:
    a, b = corners, np.roll(corners, -1, axis=0)
    way, to = b - a, point - a
    sides = way[:, 0] * to[:, 1] - way[:, 1] * to[:, 0]
    return bool((sides > 0).all() or (sides < 0).all())


def _like_paper(sheet: PaperSheet) -> bool:
    """Whether a shape on the table, inches, is about as large as a sheet, and has right angles."""
    a, b = sheet.corners[1] - sheet.corners[0], sheet.corners[2] - sheet.corners[1]
    turn = float(a @ b) / float(np.hypot(*a) * np.hypot(*b))
    return abs(turn) < SQUARE_RAD and all(SHORTEST < sheet.across(n)[0] < LONGEST for n in (0, 1))


# Watches for a sheet of paper on the table, and keeps what somebody took over from it

CORNER_SIZE_IN = 2.4
"""The corner tags' black square, as it is printed unless somebody says otherwise."""

UNCUT = (
    "The corner tags still lie on the sheet that they were printed on. {then} Then cut them out and lay them "
    "near the corners of the table."
)


class SheetWatch:
    """The printer's scale as far as the camera knows it.

    `uncut` says that the corner tags are still on one sheet. `taken` is the scale that somebody took over
    before the table was kept.
    """

    def __init__(self, stated: float = CORNER_SIZE_IN) -> None:
        self.stated = stated
        self.uncut = False
        self.seen: PrintScale | None = None
        self.words = ""
        self.taken: PrintScale | None = None

    def look(self, last: LastLook, lens: Lens) -> None:
        """Looks for a sheet where one would help.

        That is before the corner tags are cut out, and on a table whose printed sizes nobody has measured.
        """
        self.uncut, self.seen, self.words = False, None, ""
        if last.frame is None:
            return
        found: PrintScale | str = ""
        if last.table is None:
            self.uncut = lie_on_one_sheet(lens, last.detections, self.stated)
            if self.uncut:
                found = of_uncut_sheet(last.frame, lens, last.detections, self.stated)
        elif last.found is not None and last.table.accuracy.print_scale >= Accuracy().print_scale:
            surface: Surface = last.found[0]
            found = of_laid_sheet(last.frame, surface, last.table, lens, last.detections)
        if isinstance(found, str):
            self.words = found
        else:
            size = self.stated if last.table is None else corner_size(last.table)
            self.seen = found
            self.words = (
                f"Seen: {found.words}. A corner tag is then {size * found.ratio:.3f} in "
                f"({25.4 * size * found.ratio:.1f} mm) instead of {size:g}."
            )

    @property
    def next(self) -> str:
        """What to do while the corner tags are on one sheet."""
        if self.taken is not None:
            return UNCUT.format(then="Its scale is taken.")
        return UNCUT.format(then="Use its scale." if self.seen else self.words)

    @property
    def state(self) -> SheetState:
        """What the page shows."""
        seen, taken = self.seen, self.taken
        return SheetState(
            uncut=self.uncut,
            paper=None if seen is None else seen.paper,
            words=self.words,
            outline=[]
            if seen is None
            else [(round(float(x), 1), round(float(y), 1)) for x, y in seen.outline],
            taken="" if taken is None else f"Scale by {taken.words}.",
        )


def corner_size(table: TableFile) -> float:
    """The side of a table's corner tags, inches."""
    return table.loose[0].size if table.loose else table.corners[0].size


def scale_of(table: TableFile) -> float:
    """How much larger than stated a table's tags were printed, as far as its corner tags tell."""
    ratio = corner_size(table) / CORNER_SIZE_IN
    return ratio if 0.9 < ratio < 1.1 else 1.0

"""Which pictures of a board to take, while it is held into the camera: sharp, steady, new.

Nobody presses a button: each picture that is sharp and shows the board somewhere else, or
otherwise tilted, is taken by itself, until there are enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.lens.intrinsics import MIN_CORNERS, advice, board_normal, coverage
from calibration.lens.model import LensError, guess_lens
from calibration.lens.target import Grey, Target, TargetError, TargetView, look, recognise
from engine.space.geometry import FloatArray

# Blur (a Gaussian's deviation) of the squares' edges up to which a picture is sharp, pixels.
SHARP_PX = 1.6
# How far the corners may move between two looks of a living picture, pixels a second.
STEADY_PX_S = 40.0
# Seconds between two looks over which steadiness is judged.
STEADY_WITHIN_S = 1.0

# Two pictures are different if the board has moved by a twelfth of the picture, grown by a seventh or
# tilted by five degrees, or less of several of these.
STEP_PLACE = 0.08
STEP_SIZE = 0.14
STEP_TILT = math.sin(math.radians(5.0))

GOOD_VIEWS = 12
MOST_VIEWS = 30

# After so many looks without a board it is asked what the picture shows instead.
ASK_AFTER = 12


@dataclass(frozen=True, eq=False)
class BoardLook:
    """What one picture gave: the board's corners if seen, whether it was `taken`, and why (not), in words."""

    view: TargetView | None
    taken: bool
    words: str


class Collector:
    """Collects views of one board from one camera at one resolution."""

    def __init__(self, board: Target) -> None:
        self.board = board
        self.views: list[TargetView] = []
        self._places: list[FloatArray] = []
        self._before: tuple[float, TargetView] | None = None
        self._unseen = 0
        self._instead = ""

    def offer(self, image: Grey, time: float, alone: bool = False) -> BoardLook:
        """Looks at a grey picture (h, w) taken at `time`, seconds, and keeps the view if it is worth it.

        The board must rest between two pictures, except in one that stands `alone`: a photograph.
        """
        size = (image.shape[1], image.shape[0])
        if self.views and self.views[0].size != size:
            self.views.clear()
            self._places.clear()
        view = self._seen(image, f"view {len(self.views) + 1}")
        if view is None:
            return BoardLook(None, False, self._instead or "The board is not seen: hold it in view.")
        before, self._before = self._before, (time, view)
        why = self._why_not(image, view, alone or _steady(view, time, before))
        if why:
            return BoardLook(view, False, why)
        place = _place(view)
        if self._places and min(_apart(place, other) for other in self._places) < 1.0:
            return BoardLook(view, False, "Taken already: move or tilt the board.")
        self.views.append(view)
        self._places.append(place)
        return BoardLook(view, True, "Taken. Move or tilt the board.")

    @property
    def missing(self) -> tuple[str, ...]:
        """What is still missing, in words; nothing when the views settle the lens."""
        size = self.views[0].size if self.views else (1, 1)
        return advice(self.views, size)

    @property
    def will_do(self) -> bool:
        """Whether a lens can be calibrated from these views."""
        return not self.missing

    @property
    def enough(self) -> bool:
        """Whether more views would hardly make the lens better."""
        return self.will_do and len(self.views) >= GOOD_VIEWS

    @property
    def cells(self) -> FloatArray:
        """Corners in each ninth of the picture, (3, 3), its top row first."""
        return coverage(self.views, self.views[0].size) if self.views else np.zeros((3, 3))

    @property
    def tilts(self) -> list[tuple[float, float]]:
        """Each view's tilt: how much the board faces right and down, as sines."""
        return [(float(p[3]), float(p[4])) for p in self._places]

    def _seen(self, image: Grey, name: str) -> TargetView | None:
        view = look(image, self.board, name)
        if view is None and self.board.kind == "charuco" and not self.views:
            other = replace(self.board, legacy=not self.board.legacy)
            view = look(image, other, name)
            if view is not None:
                self.board = other
        if view is not None:
            self._unseen, self._instead = 0, ""
            return view
        self._unseen += 1
        if self._unseen % ASK_AFTER == 0 and not self.views:
            self._instead = _shown_instead(image, self.board)
        return None

    def _why_not(self, image: Grey, view: TargetView, steady: bool) -> str:
        if len(self.views) >= MOST_VIEWS:
            return "That is plenty: calibrate."
        if edge_blur(image, view) > SHARP_PX:
            return "Blurred: hold the board still, give more light, focus."
        if len(view.in_image) < MIN_CORNERS:
            return "Too little of the board is seen: bring it further into the picture."
        if not steady:
            return "Hold the board still for a moment."
        return ""


def edge_blur(image: Grey, view: TargetView) -> float:
    """How blurred the squares' edges are: a Gaussian's deviation in pixels, the usual one of the corners."""
    smooth = cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.float64)
    spacing = _spacing(view)
    half = int(np.clip(0.25 * spacing, 3, 12))
    h, w = image.shape
    blurs = []
    for x, y in np.round(view.in_image).astype(int).tolist():
        if not (half < x < w - half - 1 and half < y < h - half - 1):
            continue
        patch = smooth[y - half - 1 : y + half + 2, x - half - 1 : x + half + 2]
        gy, gx = np.gradient(patch)
        steepest = float(np.percentile(np.hypot(gx, gy)[1:-1, 1:-1], 97))
        contrast = float(np.ptp(np.percentile(patch, (5, 95))))
        # A blurred step of this contrast is at its steepest contrast / (sqrt(2 pi) deviation).
        blurs.append(contrast / (math.sqrt(2 * math.pi) * max(steepest, 1e-6)))
    if not blurs:
        return math.inf
    # The smoothing and the differences above blur by themselves.
    return math.sqrt(max(float(np.median(blurs)) ** 2 - 0.7**2 - 1 / 3, 0.0))


def _spacing(view: TargetView) -> float:
    """Pixels between neighbouring corners."""
    apart = np.linalg.norm(view.on_board[:, None] - view.on_board[None], axis=2)
    pixels = np.linalg.norm(view.in_image[:, None] - view.in_image[None], axis=2)
    nearest = np.where(apart > 0, apart, np.inf).min()
    return float(np.median(pixels[(apart > 0) & (apart < 1.1 * nearest)]))


def _steady(view: TargetView, time: float, before: tuple[float, TargetView] | None) -> bool:
    if before is None or not 0.0 < time - before[0] <= STEADY_WITHIN_S:
        return False
    known = {
        tuple(p): q for p, q in zip(np.round(before[1].on_board, 6).tolist(), before[1].in_image, strict=True)
    }
    moved = [
        float(np.linalg.norm(q - known[key]))
        for p, q in zip(np.round(view.on_board, 6).tolist(), view.in_image, strict=True)
        if (key := tuple(p)) in known
    ]
    return len(moved) >= MIN_CORNERS and float(np.median(moved)) <= STEADY_PX_S * (time - before[0])


def _place(view: TargetView) -> FloatArray:
    """Where a view is: middle (in pictures), logarithm of its size, the normal's x and y; shape (5,)."""
    middle = view.in_image.mean(axis=0) / np.array(view.size)
    normal = board_normal(view, guess_lens(view.size))
    return np.array([*middle, math.log(_spacing(view)), normal[0], normal[1]])


def _apart(a: FloatArray, b: FloatArray) -> float:
    steps = np.array([STEP_PLACE, STEP_PLACE, STEP_SIZE, STEP_TILT, STEP_TILT])
    return float(np.linalg.norm((a - b) / steps))


def _shown_instead(image: Grey, board: Target) -> str:
    try:
        recognise([image], board)
    except (TargetError, LensError) as error:
        said = str(error)
        return said[:1].upper() + said[1:] + "."
    return ""

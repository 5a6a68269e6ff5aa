"""The lens from pictures of a board, how surely it is known, and what pictures are still missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from calibration.lens.model import Lens, LensError, guess_lens
from calibration.lens.target import Target, TargetView, look, pictures_in, read_grey, recognise
from engine.space.geometry import FloatArray

MIN_VIEWS = 6
MIN_CORNERS = 8

# A board parallel to the picture says nothing of the focal length: tilts below this do not count.
TILTED = math.radians(10.0)

# A view this many times worse than the usual one, and worse than this many pixels, was moved,
# blurred or misread.
BAD_VIEW_RATIO = 3.0
BAD_VIEW_PX = 0.5

# A focal length known less surely than the first is worth more pictures, than the second no calibration.
GOOD_FOCAL_SD = 0.01
MAX_FOCAL_SD = 0.05

# Cameras have square pixels; more than this between the two focal lengths has another cause.
SQUARE_PIXELS = 0.01

ROWS = ("upper", "middle", "lower")
COLUMNS = ("left", "centre", "right")

# OpenCV's order: fx, fy, cx, cy, k1, k2, p1, p2, k3.
PARAMETERS = 9


@dataclass(frozen=True, slots=True)
class ViewReport:
    """One picture's part: `rms` in pixels, and `why` it was dropped if it was.

    `tilt` is the angle between board and picture plane, radians.
    """

    name: str
    corners: int
    rms: float | None = None
    tilt: float | None = None
    used: bool = False
    why: str = ""


@dataclass(frozen=True, eq=False)
class LensCalibration:
    """A lens with its proof.

    `rms` is the reprojection error in pixels over all corners used. `coverage` counts corners in
    the cells of a 3x3 grid over the picture, row 0 at its top. `notes` are sentences for people.
    """

    lens: Lens
    board: Target
    rms: float
    views: tuple[ViewReport, ...]
    coverage: FloatArray
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The report, line by line."""
        lens, used = self.lens, [v for v in self.views if v.used]
        focal = (lens.K[0, 0] + lens.K[1, 1]) / 2
        lines = [
            f"{self.board.words}; {len(used)} of {len(self.views)} pictures used, "
            f"{sum(v.corners for v in used)} corners",
            f"reprojection error {self.rms:.3f} px rms",
            f"focal length {lens.K[0, 0]:.1f} x {lens.K[1, 1]:.1f} px, known to "
            f"{lens.sd[:2].max():.1f} px ({lens.sd[:2].max() / focal:.2%})",
            f"centre ({lens.K[0, 2]:.1f}, {lens.K[1, 2]:.1f}) px, known to "
            f"({lens.sd[2]:.1f}, {lens.sd[3]:.1f}) px",
            f"distortion {', '.join(f'{v:.4f}' for v in lens.dist)}",
        ]
        lines += [f"dropped {v.name}: {v.why}" for v in self.views if not v.used]
        return (*lines, *self.notes)


def calibrate_folder(folder: Path, board: Target) -> LensCalibration:
    """The lens from a folder of pictures of the board, taken at one resolution.

    Raises `TargetError` where the pictures cannot be read or show another board, and `LensError`
    where they are too few or too flat, saying what is missing.
    """
    names = [p.name for p in pictures_in(folder)]
    images = [read_grey(folder / name) for name in names]
    known = recognise(images, board)
    views = [look(image, known, name) for name, image in zip(names, images, strict=True)]
    unseen = [n for n, v in zip(names, views, strict=True) if v is None]
    calibration = calibrate([v for v in views if v is not None], known)
    reports = [*calibration.views, *(ViewReport(n, 0, why="the board is not seen") for n in unseen)]
    return replace(calibration, views=tuple(sorted(reports, key=lambda r: names.index(r.name))))


def calibrate(views: Sequence[TargetView], board: Target) -> LensCalibration:
    """The lens from views of the board, each with a name of its own; see `calibrate_folder`.

    The variances in `Lens.covariance` are the larger of what the least squares state and of what leaving
    out one view at a time shows: corners of one view share their errors, which the first ignores.
    """
    size = _one_size(views)
    unusable = [ViewReport(v.name, len(v.in_image), why=why) for v in views if (why := _unusable(v))]
    usable = [v for v in views if not _unusable(v)]
    if missing := advice(usable, size):
        raise LensError(f"these pictures do not settle the lens: {'; '.join(missing)}")
    good, fit, bad = _without_bad_views(usable, size)
    left_out = _leaving_one_out(good, size, fit.parameters)
    covariance = _jackknife(left_out)
    short = np.maximum(fit.sd**2 - np.diag(covariance), 0.0)
    covariance = covariance + np.diag(short)
    focal_sd = float((np.sqrt(np.diag(covariance))[:2] / fit.parameters[:2]).max())
    if focal_sd > MAX_FOCAL_SD:
        raise LensError(
            f"these pictures leave the focal length uncertain by {focal_sd:.0%}, more than "
            f"{MAX_FOCAL_SD:.0%}: take more of them, closer to the board and tilted up to 40 degrees each way"
        )
    fx, fy, cx, cy, *dist = fit.parameters
    K = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    lens = Lens(size, K, np.array(dist), "board", covariance)
    reports = {r.name: r for r in (*unusable, *bad, *_used(good, fit))}
    cells = coverage(good, size)
    notes = _notes(board, lens, cells)
    if focal_sd > GOOD_FOCAL_SD:
        most = good[int(np.abs(left_out[:, 0] - fx).argmax())].name
        notes += (f"the focal length hangs on {most} more than on any other: take more pictures like it",)
    return LensCalibration(lens, board, fit.rms, tuple(reports[v.name] for v in views), cells, notes)


def _without_bad_views(
    views: Sequence[TargetView], size: tuple[int, int]
) -> tuple[list[TargetView], _Fit, list[ViewReport]]:
    """The views that agree with each other, the lens that fits them, and what was dropped, worst first."""
    good = list(views)
    bad: list[ViewReport] = []
    while True:
        fit = _fit(good, size)
        worst, usual = int(np.argmax(fit.per_view)), float(np.median(fit.per_view))
        off = float(fit.per_view[worst])
        if off <= max(BAD_VIEW_PX, BAD_VIEW_RATIO * usual) or len(good) == MIN_VIEWS:
            return good, fit, bad
        view = good.pop(worst)
        why = f"{off:.2f} px off where the others are {usual:.2f}: moved, blurred or misread"
        bad.append(ViewReport(view.name, len(view.in_image), off, why=why))


def _used(views: Sequence[TargetView], fit: _Fit) -> list[ViewReport]:
    return [
        ViewReport(v.name, len(v.in_image), float(rms), math.acos(min(1.0, float(normal[2]))), used=True)
        for v, rms, normal in zip(views, fit.per_view, fit.normals, strict=True)
    ]


def advice(views: Sequence[TargetView], size: tuple[int, int]) -> tuple[str, ...]:
    """What these views still lack to settle a lens, in words; nothing when they will do.

    Tilts are judged with a lens guessed from the picture's `size` in pixels, so that the answer is there
    while pictures are still being taken.
    """
    missing = []
    if len(views) < MIN_VIEWS:
        missing.append(
            f"{len(views)} pictures show enough of the board and at least {MIN_VIEWS} are needed "
            "(12 are good)"
        )
    if not views:
        return tuple(missing)
    guess = guess_lens(size)
    normals = np.array([board_normal(view, guess) for view in views])
    enough = math.sin(TILTED)
    if np.abs(normals[:, 0]).max() < enough:
        missing.append(
            "no picture has the board's left or right edge well closer: turn it sideways by 30 degrees"
        )
    if np.abs(normals[:, 1]).max() < enough:
        missing.append("no picture has the board's top or bottom edge well closer: tip it back by 30 degrees")
    cells = coverage(views, size)
    if (cells[:, [0, 2]].sum(axis=0) == 0).any() or (cells[[0, 2]].sum(axis=1) == 0).any():
        missing.append(f"the board never reached the {_empty(cells)} of the picture: hold it there")
    return tuple(missing)


def coverage(views: Sequence[TargetView], size: tuple[int, int]) -> FloatArray:
    """How many corners lie in each cell of a 3x3 grid over the picture, row 0 at its top."""
    points = np.concatenate([v.in_image for v in views]) if views else np.zeros((0, 2))
    edges = [np.linspace(0, size[1], 4), np.linspace(0, size[0], 4)]
    return np.asarray(np.histogram2d(points[:, 1], points[:, 0], bins=edges)[0])


def _empty(cells: FloatArray) -> str:
    """The parts of the picture without a corner, in words."""
    names = [f"{ROWS[r]} {COLUMNS[c]}" for r, c in zip(*np.nonzero(cells == 0), strict=True)]
    return ", ".join(names)


def _notes(board: Target, lens: Lens, cells: FloatArray) -> tuple[str, ...]:
    notes = []
    if board.legacy:
        notes.append("the board has the older ChArUco pattern (OpenCV before 4.6) and was read as such")
    if (cells == 0).any():
        notes.append(f"no corner in the {_empty(cells)} of the picture: distortion there is a guess")
    stretch = float(lens.K[0, 0] / lens.K[1, 1] - 1)
    if abs(stretch) > SQUARE_PIXELS:
        notes.append(
            f"the two focal lengths differ by {abs(stretch):.1%}: was the board stretched, or the picture?"
        )
    return tuple(notes)


def _one_size(views: Sequence[TargetView]) -> tuple[int, int]:
    if not views:
        raise LensError(f"no picture shows enough of the board; at least {MIN_VIEWS} are needed")
    sizes = sorted({v.size for v in views})
    if len(sizes) > 1:
        words = ", ".join(f"{w}x{h}" for w, h in sizes)
        raise LensError(f"expected pictures of one resolution but got {words}: calibrate each by itself")
    return sizes[0]


def _unusable(view: TargetView) -> str:
    """Why a view cannot take part, empty if it can."""
    if len(view.in_image) < MIN_CORNERS:
        return f"only {len(view.in_image)} corners seen, at least {MIN_CORNERS} are needed"
    spread = np.linalg.svd(view.on_board - view.on_board.mean(axis=0), compute_uv=False)
    if spread[1] < 0.1 * spread[0]:
        return "the corners seen lie in one line"
    return ""


def board_normal(view: TargetView, lens: Lens) -> FloatArray:
    """The board's normal in the camera's frame, (3,), pointing away from the camera."""
    points = np.column_stack([view.on_board, np.zeros(len(view.on_board))])
    _, rvec, _ = cv2.solvePnP(points, view.in_image, lens.K, lens.dist, flags=cv2.SOLVEPNP_IPPE)
    return _away(np.asarray(rvec, dtype=np.float64))


def _away(rvec: FloatArray) -> FloatArray:
    normal: FloatArray = np.asarray(cv2.Rodrigues(rvec)[0], dtype=np.float64)[:, 2]
    return normal if normal[2] > 0 else -normal


@dataclass(frozen=True, eq=False)
class _Fit:
    """`parameters` and `sd` (9,) in OpenCV's order, `per_view` (n,) px, `normals` (n, 3) of the boards."""

    parameters: FloatArray
    sd: FloatArray
    rms: float
    per_view: FloatArray
    normals: FloatArray


def _fit(views: Sequence[TargetView], size: tuple[int, int], start: FloatArray | None = None) -> _Fit:
    boards = [np.column_stack([v.on_board, np.zeros(len(v.on_board))]).astype(np.float32) for v in views]
    images = [v.in_image.astype(np.float32) for v in views]
    K, dist, flags = np.eye(3), np.zeros(5), 0
    if start is not None:
        K[0, 0], K[1, 1], K[0, 2], K[1, 2] = start[:4]
        dist, flags = start[4:].copy(), cv2.CALIB_USE_INTRINSIC_GUESS
    try:
        rms, fitted, bent, rvecs, _, sd, _, per_view = cv2.calibrateCameraExtended(
            boards, images, size, K, dist, flags=flags
        )
    except cv2.error as error:
        raise LensError("no lens fits these pictures: state the board as it was printed") from error
    K = np.asarray(fitted, dtype=np.float64)
    return _Fit(
        np.concatenate(
            [[K[0, 0], K[1, 1], K[0, 2], K[1, 2]], np.asarray(bent, dtype=np.float64).ravel()[:5]]
        ),
        np.asarray(sd, dtype=np.float64).ravel()[:PARAMETERS],
        float(rms),
        np.asarray(per_view, dtype=np.float64).ravel(),
        np.array([_away(np.asarray(r, dtype=np.float64)) for r in rvecs]),
    )


def _leaving_one_out(views: Sequence[TargetView], size: tuple[int, int], start: FloatArray) -> FloatArray:
    """The parameters from all views but one, for each of them, shape (views, 9)."""
    return np.array([_fit([*views[:i], *views[i + 1 :]], size, start).parameters for i in range(len(views))])


def _jackknife(left_out: FloatArray) -> FloatArray:
    """Covariance (9, 9) of the parameters from what leaving out one view changes (Efron's jackknife)."""
    n = len(left_out)
    off = left_out - left_out.mean(axis=0)
    return np.asarray((n - 1) / n * off.T @ off)

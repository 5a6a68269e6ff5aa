"""First cameras for the least squares: from corner tags of stated place, or from printed sizes alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from calibration.bundle.parts import SeenTag
from calibration.lens.model import Lens
from calibration.surface import CornerTag, SeenCorner, Surface, SurfaceError, diagonal_crossing
from engine.space.geometry import FloatArray

OTHER_FOCALS = (0.72, 1.35)
"""Focal lengths, as shares of a guessed one, from which the search is begun again where it ended astray."""


def other_lenses(lens: Lens) -> list[Lens]:
    """What a guessed lens may be instead: one of a wider and one of a narrower view; none of a known one.

    The search begins with an undistorted lens of the guessed view. Where the true one is much wider or
    narrower it may end in a camera that hangs elsewhere and fits nothing well.
    """
    if not lens.guessed:
        return []
    changes = np.zeros((len(OTHER_FOCALS), len(lens.parameters)))
    changes[:, :2] = (np.array(OTHER_FOCALS)[:, None] - 1.0) * lens.parameters[:2]
    return [lens.adjusted(change) for change in changes]


def above(lens: Lens, points: FloatArray, pixels: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Camera poses over flat points by OpenCV's planar solver, those above the table, best first."""
    world = np.column_stack([points, np.zeros(len(points))]).reshape(-1, 1, 3)
    rays = lens.rays(pixels).reshape(-1, 1, 2)
    try:
        count, rvecs, tvecs, _ = cv2.solvePnPGeneric(
            world, rays, np.eye(3), np.zeros(4), flags=cv2.SOLVEPNP_IPPE
        )
    except cv2.error as error:
        raise SurfaceError("the corner tags stand in one line: put them round the table") from error
    poses = [
        (
            np.asarray(cv2.Rodrigues(rvecs[k])[0], dtype=np.float64),
            np.asarray(tvecs[k], dtype=np.float64).ravel(),
        )
        for k in range(count)
    ]
    return [(R, t) for R, t in poses if (-R.T @ t)[2] > 0]


def start_from_corners(lens: Lens, corners: Sequence[SeenCorner]) -> tuple[FloatArray, FloatArray]:
    """A first pose over corner tags of stated place. Raises `SurfaceError`."""
    if sum(1 if c.corner.turn is None else 4 for c in corners) < 4:
        return _start_from_one(lens, corners)
    known = [_known_points(c) for c in corners]
    poses = above(lens, np.concatenate([p for p, _ in known]), np.concatenate([q for _, q in known]))
    if not poses:
        raise SurfaceError(
            "the corner tags are seen as if from below the table: their stated places are "
            "mirrored or swapped (x runs to the right, y away from the near-left corner)"
        )
    return poses[0]


def starts_by_size(
    lens: Lens, flat: Sequence[SeenTag], frame: tuple[tuple[str, int], tuple[str, int]]
) -> list[tuple[FloatArray, FloatArray]]:
    """First poses from each solution of the largest flat tag, turned into the frame of the two."""
    largest = max(flat, key=lambda t: float(np.ptp(t.corners, axis=0).max()))
    by_key = {t.key: t for t in flat}
    if frame[0] not in by_key or frame[1] not in by_key:
        raise SurfaceError("the two tags that set the table's frame must lie flat on it")
    square = CornerTag(largest.family, largest.tag, largest.size, (0.0, 0.0), 0.0, 0.0).corners_at()
    starts = []
    for R, t in above(lens, square, largest.corners):
        local = Surface(lens, R, t, np.zeros((0, 0)), 0.0)
        centres = [diagonal_crossing(by_key[k].corners)[0][None] for k in frame]
        origin, ahead = (local.table_from_image(c)[0] for c in centres)
        turn = math.atan2(*(ahead - origin)[::-1])
        local_from_table = np.array(
            [[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1.0]]
        )
        starts.append((R @ local_from_table, t + R @ np.array([*origin, 0.0])))
    if not starts:
        raise SurfaceError("the tags are seen as if from below the table; are they printed mirrored?")
    return starts


def _known_points(seen: SeenCorner) -> tuple[FloatArray, FloatArray]:
    """Points of stated place on the table and in the image: the centre alone where no turn is stated."""
    if seen.corner.turn is not None:
        return seen.corner.corners_at(), seen.corners
    return np.array([seen.corner.at]), diagonal_crossing(seen.corners)[0][None]


def _start_from_one(lens: Lens, corners: Sequence[SeenCorner]) -> tuple[FloatArray, FloatArray]:
    """From the largest tag's own shape, laid over the stated places of all."""
    largest = max(corners, key=lambda c: float(np.ptp(c.corners, axis=0).max()))
    square = CornerTag(largest.corner.family, largest.corner.tag, largest.corner.size, (0.0, 0.0), 0.0, 0.0)
    stated = np.array([c.corner.at for c in corners])
    centres = np.array([diagonal_crossing(c.corners)[0] for c in corners])
    best: tuple[float, FloatArray, FloatArray] | None = None
    for R, t in above(lens, square.corners_at(), largest.corners):
        here = Surface(lens, R, t, np.zeros((0, 0)), 0.0).table_from_image(centres)
        a, b = here - here.mean(axis=0), stated - stated.mean(axis=0)
        turn = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
        cos, sin = math.cos(turn), math.sin(turn)
        table_from_local = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
        shift = np.append(stated.mean(axis=0) - table_from_local[:2, :2] @ here.mean(axis=0), 0.0)
        misfit = float(np.square(here @ table_from_local[:2, :2].T + shift[:2] - stated).sum())
        rotation = R @ table_from_local.T
        if best is None or misfit < best[0]:
            best = misfit, rotation, t - rotation @ shift
    if best is None:
        raise SurfaceError("the tags are seen as if from below the table; are they printed mirrored?")
    return best[1], best[2]

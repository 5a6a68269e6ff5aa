"""Detection + lens + surface + the tag's height -> sighting in inches, with covariance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from calibration.surface import PARAMETERS, Surface
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece, TagMount
from engine.space.table import PoseUncertainty
from vision.frame import Detection, Sighting


def tag_corners(size: float) -> FloatArray:
    """A tag's corners in its own frame (x toward its printed top), `Detection` order, (4, 2) inches."""
    h = size / 2
    return np.array([(h, h), (h, -h), (-h, -h), (-h, h)])


def locate(detection: Detection, piece: Piece, surface: Surface, time: float) -> Sighting:
    """Where a detected piece stands: `locate_all` of one."""
    assert piece.mount is not None
    return _locate([detection], [piece], [piece.mount], surface, time, 0.0)[0]


def locate_all(
    detections: Iterable[Detection],
    pieces: Iterable[Piece],
    surface: Surface,
    time: float,
    checked: float = 0.0,
) -> list[Sighting]:
    """Every detection that belongs to a piece, located; others (corner tags) are passed over.

    The detection's corners are brought down to the plane of the tag's own height and the printed
    square is fitted to them (generalised least squares over x, y and heading). Own errors: corner
    noise, the height, the mount; shared ones: the surface's camera pose and lens. `checked` is what
    a check found of the surface's own error, inches: it differs from place to place, so it is own.
    """
    by_key = {(p.mount.family, p.mount.tag): (p, p.mount) for p in pieces if p.mount is not None}
    known = [(d, *by_key[d.family, d.tag]) for d in detections if (d.family, d.tag) in by_key]
    if not known:
        return []
    found, theirs, mounts = zip(*known, strict=True)
    return _locate(found, theirs, mounts, surface, time, checked)


def _locate(
    detections: Sequence[Detection],
    pieces: Sequence[Piece],
    mounts: Sequence[TagMount],
    surface: Surface,
    time: float,
    checked: float,
) -> list[Sighting]:
    """All at once: a frame's two dozen tags one by one would cost as much as reading them."""
    corners, covariances, by_parameters, by_height = _on_planes(detections, mounts, surface)
    squares = np.stack([tag_corners(m.size) for m in mounts])
    values, noises, gains = _fit_squares(corners, covariances, squares)
    # Errors that move all four corners together move the pose by the same least squares.
    height_columns = np.einsum("kij,kj->ki", gains, by_height)
    shared = gains @ by_parameters @ surface.loading
    raised = height_columns[:, :, None] * height_columns[:, None, :]
    own = noises + raised * _squared(math.hypot(m.sd_height, surface.lift[1]) for m in mounts)
    own += _leaning(values, squares, gains, by_height) * _squared(m.sd_tilt for m in mounts)
    own[:, (0, 1), (0, 1)] += checked**2
    bodies, by_tag = _to_bodies(values, mounts)
    owns = by_tag @ own @ by_tag.transpose(0, 2, 1) + _mounted(by_tag, mounts)
    noise = by_tag @ noises @ by_tag.transpose(0, 2, 1)
    shares = by_tag @ shared
    return [
        Sighting(
            piece,
            time,
            Pose(*values[k].tolist()),
            Pose(*bodies[k].tolist()),
            PoseUncertainty(own[k], shared[k]),
            PoseUncertainty(owns[k], shares[k]),
            noise[k],
            detection,
        )
        for k, (detection, piece) in enumerate(zip(detections, pieces, strict=True))
    ]


def tag_in_image(piece: Piece, pose: Pose, surface: Surface) -> FloatArray:
    """Where the corners of a piece's tag appear when the piece stands at `pose`, (4, 2) pixels."""
    mount = piece.mount
    assert mount is not None
    corners = pose.compose(mount.body_from_tag).to_table(tag_corners(mount.size))
    return surface.image_from_table(corners, mount.height + surface.lift[0])


def _on_planes(
    detections: Sequence[Detection], mounts: Sequence[TagMount], surface: Surface
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Corners of k tags on the planes of their own heights, and what moves them.

    Returns (k, 4, 2) inches, their covariances (k, 8, 8) from corner noise, their Jacobians by the
    surface's parameters (k, 8, 15) and by the height (k, 8).
    """
    k = len(detections)
    heights = np.repeat([m.height + surface.lift[0] for m in mounts], 4)
    corners = surface.table_from_image(np.concatenate([d.corners for d in detections]), heights)
    by_pixel, by_parameters, by_height = surface.jacobians(corners, heights)
    blocks = np.zeros((k, 4, 2, 4, 2))
    for i in range(4):
        blocks[:, i, :, i] = by_pixel.reshape(k, 4, 2, 2)[:, i]
    spread = blocks.reshape(k, 8, 8)
    covariances = spread @ np.stack([d.covariance for d in detections]) @ spread.transpose(0, 2, 1)
    return (
        corners.reshape(k, 4, 2),
        covariances,
        by_parameters.reshape(k, 8, PARAMETERS),
        by_height.reshape(k, 8),
    )


def _fit_squares(
    corners: FloatArray, covariances: FloatArray, squares: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Squares (k, 4, 2) fitted to corners (k, 4, 2) with covariances (k, 8, 8).

    Returns x, y and heading (k, 3), their covariances (k, 3, 3), and how they move with the flattened
    corners (k, 3, 8).
    """
    middle = corners.mean(axis=1)
    offsets = corners - middle[:, None]
    sine = (squares[..., 0] * offsets[..., 1] - squares[..., 1] * offsets[..., 0]).sum(axis=1)
    values = np.column_stack([middle, np.arctan2(sine, (squares * offsets).sum(axis=(1, 2)))])
    weights = _inverse(covariances)
    J = np.zeros((len(corners), 4, 2, 3))
    J[:, :, 0, 0] = J[:, :, 1, 1] = 1.0
    for _ in range(3):
        cos, sin = np.cos(values[:, 2:]), np.sin(values[:, 2:])
        x, y = squares[..., 0], squares[..., 1]
        turned = np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
        J[:, :, 0, 2], J[:, :, 1, 2] = -turned[..., 1], turned[..., 0]
        flat = J.reshape(-1, 8, 3)
        weighted = flat.transpose(0, 2, 1) @ weights
        noises = _inverse(weighted @ flat)
        gains = noises @ weighted
        off = (corners - turned - values[:, None, :2]).reshape(-1, 8)
        values = values + np.einsum("kij,kj->ki", gains, off)
    return values, noises, gains


def _leaning(values: FloatArray, squares: FloatArray, gains: FloatArray, by_height: FloatArray) -> FloatArray:
    """What a lean of one radian about either axis does to x, y and heading, as covariances (k, 3, 3)."""
    cos, sin = np.cos(values[:, 2:]), np.sin(values[:, 2:])
    x, y = squares[..., 0], squares[..., 1]
    added = np.zeros((len(values), 3, 3))
    for lifts in (cos * x - sin * y, sin * x + cos * y):
        # Each corner sinks or rises by its distance from the axis.
        moved = np.einsum("kij,kj->ki", gains, by_height * np.repeat(lifts, 2, axis=1))
        added += moved[:, :, None] * moved[:, None, :]
    return added


def _inverse(matrices: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64)


def _to_bodies(tags: FloatArray, mounts: Sequence[TagMount]) -> tuple[FloatArray, FloatArray]:
    """Poses (k, 3) of the pieces whose tags have the poses (k, 3), and their Jacobians by these (k, 3, 3)."""
    bodies = np.array([(m.x, m.y, m.heading) for m in map(_tag_from_body, mounts)])
    cos, sin = np.cos(tags[:, 2]), np.sin(tags[:, 2])
    dx = cos * bodies[:, 0] - sin * bodies[:, 1]
    dy = sin * bodies[:, 0] + cos * bodies[:, 1]
    J = np.tile(np.eye(3), (len(tags), 1, 1))
    J[:, 0, 2], J[:, 1, 2] = -dy, dx
    return tags + np.column_stack([dx, dy, bodies[:, 2]]), J


@lru_cache(maxsize=256)
def _tag_from_body(mount: TagMount) -> Pose:
    return mount.body_from_tag.inverse()


def _mounted(by_tag: FloatArray, mounts: Sequence[TagMount]) -> FloatArray:
    """What the mounts add to the pieces' covariances, (k, 3, 3)."""
    # The tag glued on askew turns the body about the tag; glued beside its place shifts it.
    turned = by_tag[:, :, 2]
    added = turned[:, :, None] * turned[:, None, :] * _squared(m.sd_turn for m in mounts)
    added[:, (0, 1), (0, 1)] += _squared(m.sd_at for m in mounts)[:, 0]
    return added


def _squared(deviations: Iterable[float]) -> FloatArray:
    """Variances that go with matrices one by one, (k, 1, 1)."""
    return np.array(list(deviations))[:, None, None] ** 2

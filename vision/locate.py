"""Detection + lens + surface + the tag's height -> sighting in inches, with covariance."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from calibration.surface import PARAMETERS, Surface
from engine.geometry import FloatArray, Pose
from engine.pieces import Piece, TagMount
from engine.table import PoseUncertainty
from vision.frame import Detection, Sighting


def tag_corners(size: float) -> FloatArray:
    """A tag's corners in its own frame (x toward its printed top), `Detection` order, (4, 2) inches."""
    h = size / 2
    return np.array([(h, h), (h, -h), (-h, -h), (-h, h)])


def locate(
    detection: Detection, piece: Piece, surface: Surface, time: float, checked: float = 0.0
) -> Sighting:
    """Where a detected piece stands.

    The detection's corners are brought down to the plane of the tag's own height and the printed
    square is fitted to them (generalised least squares over x, y and heading). Own errors: corner
    noise, the height, the mount; shared ones: the surface's camera pose and lens. `checked` is what
    a check found of the surface's own error, inches: it differs from place to place, so it is own.
    """
    mount = piece.mount
    assert mount is not None
    corners, covariance, by_parameters, by_height = _on_plane(detection, mount, surface)
    tag_pose, information = _fit_square(corners, covariance, mount.size)
    gain = np.linalg.solve(information[0], information[1])
    # Errors that move all four corners together move the pose by the same least squares.
    height_column = gain @ by_height.reshape(8)
    noise = np.asarray(np.linalg.inv(information[0]), dtype=np.float64)
    own = noise + np.outer(height_column, height_column) * mount.sd_height**2
    own = own + np.diag([checked**2, checked**2, 0.0])
    shared = gain @ by_parameters.reshape(8, PARAMETERS) @ surface.loading
    tag_uncertainty = PoseUncertainty(own, shared)
    pose, uncertainty, J = _to_body(tag_pose, tag_uncertainty, mount)
    return Sighting(piece, time, tag_pose, pose, tag_uncertainty, uncertainty, J @ noise @ J.T, detection)


def locate_all(
    detections: Iterable[Detection],
    pieces: Iterable[Piece],
    surface: Surface,
    time: float,
    checked: float = 0.0,
) -> list[Sighting]:
    """Every detection that belongs to a piece, located; others (corner tags) are passed over."""
    by_key = {(p.mount.family, p.mount.tag): p for p in pieces if p.mount is not None}
    return [
        locate(d, by_key[d.family, d.tag], surface, time, checked)
        for d in detections
        if (d.family, d.tag) in by_key
    ]


def tag_in_image(piece: Piece, pose: Pose, surface: Surface) -> FloatArray:
    """Where the corners of a piece's tag appear when the piece stands at `pose`, (4, 2) pixels."""
    mount = piece.mount
    assert mount is not None
    corners = pose.compose(mount.body_from_tag).to_table(tag_corners(mount.size))
    return surface.image_from_table(corners, mount.height)


def _on_plane(
    detection: Detection, mount: TagMount, surface: Surface
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Corners on the plane of the tag's height, and what moves them.

    Returns (4, 2) inches, their covariance (8, 8) from corner noise, their Jacobians by the
    surface's parameters (4, 2, 11) and by the height (4, 2).
    """
    corners = surface.table_from_image(detection.corners, mount.height)
    by_pixel, by_parameters, by_height = surface.jacobians(corners, mount.height)
    spread = np.zeros((8, 8))
    for i in range(4):
        spread[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = by_pixel[i]
    return corners, spread @ detection.covariance @ spread.T, by_parameters, by_height


def _fit_square(
    corners: FloatArray, covariance: FloatArray, size: float
) -> tuple[Pose, tuple[FloatArray, FloatArray]]:
    """The square's pose and its normal equations: information (3, 3) and J^T W (3, 8)."""
    square = tag_corners(size)
    offsets = corners - corners.mean(axis=0)
    heading = math.atan2(
        float((square[:, 0] * offsets[:, 1] - square[:, 1] * offsets[:, 0]).sum()),
        float((square * offsets).sum()),
    )
    x, y = corners.mean(axis=0)
    pose = Pose(float(x), float(y), heading)
    weight = np.linalg.inv(covariance)
    for _ in range(3):
        J = np.concatenate([pose.jacobian(p) for p in square])
        weighted = J.T @ weight
        information = weighted @ J
        step = np.linalg.solve(information, weighted @ (corners - pose.to_table(square)).ravel())
        pose = Pose(pose.x + float(step[0]), pose.y + float(step[1]), pose.heading + float(step[2]))
    return pose, (information, weighted)


def _to_body(
    tag_pose: Pose, tag: PoseUncertainty, mount: TagMount
) -> tuple[Pose, PoseUncertainty, FloatArray]:
    """The piece's pose from its tag's with the mount's errors added, and its Jacobian by the tag's."""
    tag_from_body = mount.body_from_tag.inverse()
    pose = tag_pose.compose(tag_from_body)
    J = np.vstack([tag_pose.jacobian((tag_from_body.x, tag_from_body.y)), [0.0, 0.0, 1.0]])
    # The tag glued on askew turns the body about the tag; glued beside its place shifts it.
    askew = J[:, 2:] * mount.sd_turn
    shifted = np.diag([mount.sd_at**2, mount.sd_at**2, 0.0])
    own = J @ tag.own @ J.T + askew @ askew.T + shifted
    return pose, PoseUncertainty(own, J @ tag.shared), J

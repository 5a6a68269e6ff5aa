"""Where the table is under the camera: pose, scale, its uncertainty.

The camera's pose (and, as far as the lens file leaves it open, the lens) is solved from corner
tags of known place by weighted least squares. What comes out is a `Surface`: pixels to inches at
any height and back, each with Jacobians, so that everything downstream knows how sure it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.lens import ADJUSTABLE, Lens
from engine.errors import TableRefError
from engine.geometry import FloatArray

POSE_PARAMETERS = 6
PARAMETERS = POSE_PARAMETERS + len(ADJUSTABLE)

# Huber's constant on a tag's Mahalanobis distance per observation: beyond it a tag (half under a
# hand, mis-stated in the table file) pulls linearly, no longer quadratically.
HUBER = 2.5


class SurfaceError(TableRefError):
    """The table cannot be found from what is seen of its corner tags."""


@dataclass(frozen=True, eq=False)
class CornerTag:
    """A fiducial of known place on the table, inches and radians.

    `at` is the centre of its black square, `turn` the direction of its printed top (None: only
    the centre is used), `sd` how well the place is known; a ruler gives about 0.03 inch.
    """

    family: str
    tag: int
    size: float
    at: tuple[float, float]
    turn: float | None = None
    sd: float = 0.03

    def corners_at(self) -> FloatArray:
        """The square's corners (top-left, top-right, bottom-right, bottom-left), shape (4, 2)."""
        top = self.turn if self.turn is not None else math.pi / 2
        up = np.array([math.cos(top), math.sin(top)]) * self.size / 2
        right = np.array([up[1], -up[0]])
        centre = np.array(self.at)
        return np.array([centre + up - right, centre + up + right, centre - up + right, centre - up - right])

    def place_covariance(self) -> FloatArray:
        """Of the flattened corners (8, 8): shifted, turned and printed a little wrong."""
        offsets = self.corners_at() - np.array(self.at)
        shift = np.tile(np.eye(2), (4, 1)) * self.sd
        turned = np.stack([-offsets[:, 1], offsets[:, 0]], axis=1).reshape(8, 1)
        # Laying both ends of an edge to within sd turns the tag by sqrt(2) sd / size.
        turned = turned * (math.sqrt(2) * self.sd / self.size)
        scaled = offsets.reshape(8, 1) * (0.003 if self.sd > 0 else 0.0)
        loading = np.hstack([shift, turned, scaled])
        return np.asarray(loading @ loading.T)


@dataclass(frozen=True, eq=False)
class SeenCorner:
    """A corner tag as seen: corners (4, 2) pixels in `CornerTag.corners_at` order, covariance (8, 8)."""

    corner: CornerTag
    corners: FloatArray
    covariance: FloatArray


@dataclass(frozen=True, eq=False)
class Surface:
    """The table's frame under the camera: x, y in inches on the table, height in inches above it.

    `rotation` (3, 3) and `translation` (3,) are `camera_from_table` as in OpenCV (camera x right,
    y down, z forward). `covariance` (11, 11) is of (rotation vector, translation, `ADJUSTABLE`
    lens changes). `residual` is the root mean square misfit of the corner tags in inches;
    `misfits` the same tag by tag.
    """

    lens: Lens
    rotation: FloatArray
    translation: FloatArray
    covariance: FloatArray
    residual: float
    misfits: tuple[tuple[CornerTag, float], ...] = ()

    @property
    def camera_position(self) -> FloatArray:
        """The camera's centre in the table frame, shape (3,), inches."""
        return np.asarray(-self.rotation.T @ self.translation)

    @property
    def note(self) -> str:
        """A sentence for people."""
        worst = max(self.misfits, key=lambda m: m[1], default=None)
        text = f"{self.lens.note}; table from {len(self.misfits)} corner tags, misfit {self.residual:.3f} in"
        if worst is not None and worst[1] > 0.1:
            text += f"; corner tag {worst[0].tag} is {worst[1]:.2f} in from where the table file puts it"
        return text

    @property
    def loading(self) -> FloatArray:
        """(11, 11): parameter errors as a linear map of independent unit-variance ones."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.asarray(vectors * np.sqrt(np.clip(values, 0.0, None)))

    def image_from_table(self, points: FloatArray, height: float = 0.0) -> FloatArray:
        """Table points (n, 2) at one height, in the image, (n, 2) pixels."""
        return self.project(np.column_stack([points, np.full(len(points), height)]))

    def project(self, points: FloatArray) -> FloatArray:
        """Points (n, 3) of the table frame in the image, (n, 2) pixels."""
        return _project(self.lens, self.rotation, self.translation, points)[0]

    def table_from_image(self, points_in_image: FloatArray, height: float = 0.0) -> FloatArray:
        """Pixels (n, 2) brought down to the plane at `height`, in the table frame, (n, 2) inches."""
        rays = self.lens.rays(points_in_image)
        directions = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        centre = self.camera_position
        along = (height - centre[2]) / directions[:, 2]
        return np.asarray(centre[:2] + along[:, None] * directions[:, :2])

    def jacobians(self, points: FloatArray, height: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """How table points (n, 2) at one height move with pixels, parameters and height.

        Returns d(x, y)/d(pixel) (n, 2, 2), d(x, y)/d(parameters) (n, 2, 11) and
        d(x, y)/d(height) (n, 2), at a fixed pixel: implicit differentiation of the projection.
        """
        n = len(points)
        world = np.column_stack([points, np.full(n, height)])
        _, jacobian = _project(self.lens, self.rotation, self.translation, world)
        by_place = jacobian[:, :, 3:6] @ self.rotation
        table_by_pixel: FloatArray = np.asarray(np.linalg.inv(by_place[:, :, :2]), dtype=np.float64)
        by_height = -np.einsum("nij,nj->ni", table_by_pixel, by_place[:, :, 2])
        by_parameters = -np.einsum("nij,njk->nik", table_by_pixel, jacobian)
        return table_by_pixel, by_parameters, by_height


def _project(
    lens: Lens, rotation: FloatArray, translation: FloatArray, world: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Pixels (n, 2) of (n, 3) points and their Jacobian (n, 2, 11) by the surface's parameters."""
    rvec = cv2.Rodrigues(rotation)[0]
    points = np.ascontiguousarray(world, dtype=np.float64).reshape(-1, 1, 3)
    pixels, raw = cv2.projectPoints(points, rvec, translation, lens.K, lens.dist)
    raw = np.asarray(raw, dtype=np.float64).reshape(len(world), 2, -1)
    jacobian = np.empty((len(world), 2, PARAMETERS))
    jacobian[:, :, :6] = raw[:, :, :6]
    jacobian[:, :, 6] = raw[:, :, 6] * lens.K[0, 0] + raw[:, :, 7] * lens.K[1, 1]
    jacobian[:, :, 7:9] = raw[:, :, 8:10]
    jacobian[:, :, 9:11] = raw[:, :, 10:12]
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2), jacobian


@dataclass(frozen=True, eq=False)
class _Observation:
    """One corner tag's part of the least squares: table points, pixels, covariances."""

    seen: SeenCorner
    points: FloatArray
    pixels: FloatArray
    pixel_covariance: FloatArray
    place_covariance: FloatArray


def _observation(seen: SeenCorner) -> _Observation:
    tag = seen.corner
    if tag.turn is not None:
        return _Observation(seen, tag.corners_at(), seen.corners, seen.covariance, tag.place_covariance())
    centre, by_corners = diagonal_crossing(seen.corners)
    return _Observation(
        seen,
        np.array([tag.at]),
        centre[None],
        by_corners @ seen.covariance @ by_corners.T,
        np.eye(2) * max(tag.sd, 1e-6) ** 2,
    )


def diagonal_crossing(corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where a square's diagonals cross, (2,), and its Jacobian by the flattened corners, (2, 8)."""
    a, b, c, d = corners
    along, across = c - a, d - b
    matrix = np.stack([along, -across], axis=1)
    s, t = np.linalg.solve(matrix, b - a)
    inverse = np.linalg.inv(matrix)
    # matrix (s, t) = b - a, differentiated by each corner; the crossing is a + s (c - a).
    by_st = {"a": -(1 - s), "c": -s, "b": 1 - t, "d": t}
    jacobian = np.zeros((2, 8))
    for index, name in enumerate("abcd"):
        change = np.outer(along, inverse[0] * by_st[name])
        if name == "a":
            change = change + np.eye(2) * (1 - s)
        if name == "c":
            change = change + np.eye(2) * s
        jacobian[:, 2 * index : 2 * index + 2] = change
    return np.asarray(a + s * along), jacobian


def _start(lens: Lens, observations: Sequence[_Observation]) -> tuple[FloatArray, FloatArray]:
    """A first pose from all points by OpenCV's planar solver, the solution above the table."""
    points = np.concatenate([o.points for o in observations])
    rays = lens.rays(np.concatenate([o.pixels for o in observations]))
    world = np.column_stack([points, np.zeros(len(points))]).reshape(-1, 1, 3)
    try:
        count, rvecs, tvecs, _ = cv2.solvePnPGeneric(
            world, rays.reshape(-1, 1, 2), np.eye(3), np.zeros(4), flags=cv2.SOLVEPNP_IPPE
        )
    except cv2.error as error:
        raise SurfaceError("the corner tags stand in one line: put them round the table") from error
    for k in range(count):
        rotation = np.asarray(cv2.Rodrigues(rvecs[k])[0], dtype=np.float64)
        translation = np.asarray(tvecs[k], dtype=np.float64).ravel()
        if (-rotation.T @ translation)[2] > 0:
            return rotation, translation
    raise SurfaceError(
        "the corner tags are seen as if from below the table: their places in the table file are "
        "mirrored or swapped (x runs to the right, y away from the near-left corner)"
    )


def _normal_equations(
    lens: Lens,
    prior: Lens,
    rotation: FloatArray,
    translation: FloatArray,
    observations: Sequence[_Observation],
    delta: FloatArray,
) -> tuple[FloatArray, FloatArray, float]:
    """Information matrix, gradient and robust cost at one estimate."""
    active = prior.sd > 0
    information = np.zeros((PARAMETERS, PARAMETERS))
    gradient = np.zeros(PARAMETERS)
    cost = 0.0
    for o in observations:
        world = np.column_stack([o.points, np.zeros(len(o.points))])
        pixels, jacobian = _project(lens, rotation, translation, world)
        by_place = (jacobian[:, :, 3:6] @ rotation)[:, :, :2]
        place = np.zeros((2 * len(world), 2 * len(world)))
        for i, block in enumerate(by_place):
            place[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
        covariance = o.pixel_covariance + place @ o.place_covariance @ place.T
        misfit = (o.pixels - pixels).ravel()
        solved = np.linalg.solve(covariance, misfit)
        distance = math.sqrt(float(misfit @ solved) / len(misfit))
        weight = 1.0 if distance <= HUBER else HUBER / distance
        J = jacobian.reshape(-1, PARAMETERS)
        information += weight * J.T @ np.linalg.solve(covariance, J)
        gradient += weight * J.T @ solved
        squared = distance**2 if distance <= HUBER else HUBER * (2 * distance - HUBER)
        cost += squared * len(misfit)
    weights = np.where(active, 1.0 / np.where(active, prior.sd, 1.0) ** 2, 0.0)
    information[6:, 6:] += np.diag(weights)
    gradient[6:] -= weights * delta
    cost += float(weights @ delta**2)
    fixed = np.flatnonzero(~active) + POSE_PARAMETERS
    information[fixed, :] = information[:, fixed] = 0.0
    information[fixed, fixed] = 1.0
    gradient[fixed] = 0.0
    return information, gradient, cost


def solve_surface(lens: Lens, seen: Sequence[SeenCorner]) -> Surface:
    """The table's pose under the camera from at least three corner tags (four without turns).

    Weighted least squares over the camera's pose and the lens's open parameters (their stated
    deviations are the prior), Levenberg-damped, with Huber's loss a tag. Raises `SurfaceError`.
    """
    points = sum(4 if s.corner.turn is not None else 1 for s in seen)
    if points < 4:
        tags = ", ".join(str(s.corner.tag) for s in seen) or "none"
        raise SurfaceError(
            f"the table cannot be found: corner tags seen: {tags}; at least four are needed "
            "(two, where the table file gives their turn). Clear them, light them, or move the camera up"
        )
    observations = [_observation(s) for s in seen]
    rotation, translation = _start(lens, observations)
    prior, delta, damping = lens, np.zeros(len(ADJUSTABLE)), 1e-3
    information, gradient, cost = _normal_equations(lens, prior, rotation, translation, observations, delta)
    for _ in range(60):
        scaled = information + damping * np.diag(np.diag(information))
        step = np.linalg.solve(scaled, gradient)
        # projectPoints differentiates by the rotation vector itself, so that is what is stepped.
        rvec = cv2.Rodrigues(rotation)[0].ravel() + step[:3]
        trial = (
            prior.adjusted(delta + step[6:]),
            np.asarray(cv2.Rodrigues(rvec)[0], dtype=np.float64),
            translation + step[3:6],
        )
        equations = _normal_equations(trial[0], prior, trial[1], trial[2], observations, delta + step[6:])
        if equations[2] <= cost * (1 + 1e-12):
            done = cost - equations[2] < 1e-9 * max(cost, 1.0)
            lens, rotation, translation = trial
            delta = delta + step[6:]
            information, gradient, cost = equations
            damping = max(damping / 10, 1e-9)
            if done:
                break
        else:
            damping *= 10
            if damping > 1e9:
                break
    return _finish(lens, prior, rotation, translation, information, observations)


def _finish(
    lens: Lens,
    prior: Lens,
    rotation: FloatArray,
    translation: FloatArray,
    information: FloatArray,
    observations: Sequence[_Observation],
) -> Surface:
    covariance: FloatArray = np.asarray(np.linalg.inv(information), dtype=np.float64)
    fixed = np.flatnonzero(prior.sd <= 0) + POSE_PARAMETERS
    covariance[fixed, :] = covariance[:, fixed] = 0.0
    draft = Surface(lens, rotation, translation, covariance, 0.0)
    misfits = []
    squares: list[float] = []
    for o in observations:
        off = draft.table_from_image(o.pixels) - o.points
        squares += list((off**2).sum(axis=1))
        misfits.append((o.seen.corner, float(np.hypot(*off.mean(axis=0)))))
    residual = math.sqrt(float(np.mean(squares)))
    return Surface(lens, rotation, translation, covariance, residual, tuple(misfits))

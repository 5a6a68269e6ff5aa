"""Where the table is under the camera: pose, scale, its uncertainty.

The camera's pose (and, as far as the lens file leaves it open, the lens) is solved from corner
tags of known place by weighted least squares. What comes out is a `Surface`: pixels to inches at
any height and back, each with Jacobians, so that everything downstream knows how sure it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.lens.model import PARAMETERS as LENS_PARAMETERS
from calibration.lens.model import Lens
from calibration.tag_shape import FLAT, Paper
from engine.errors import TableRefError
from engine.space.geometry import FloatArray

POSE_PARAMETERS = 6
PARAMETERS = POSE_PARAMETERS + len(LENS_PARAMETERS)

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
    paper: Paper = FLAT

    def corners_at(self) -> FloatArray:
        """The square's corners (top-left, top-right, bottom-right, bottom-left), shape (4, 2)."""
        top = self.turn if self.turn is not None else math.pi / 2
        up = np.array([math.cos(top), math.sin(top)]) * self.size / 2
        right = np.array([up[1], -up[0]])
        centre = np.array(self.at)
        return np.array([centre + up - right, centre + up + right, centre - up + right, centre - up - right])


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
    y down, z forward). `covariance` (15, 15) is of (rotation vector, translation, the
    lens's nine parameters). `residual` is the root mean square misfit of the corner tags in inches;
    `misfits` the same tag by tag. `lift` is what all stated heights of raised tags lack, with its
    deviation, inches.
    """

    lens: Lens
    rotation: FloatArray
    translation: FloatArray
    covariance: FloatArray
    residual: float
    misfits: tuple[tuple[CornerTag, float], ...] = ()
    lift: tuple[float, float] = (0.0, 0.0)

    @property
    def camera_position(self) -> FloatArray:
        """The camera's centre in the table frame, shape (3,), inches."""
        return np.asarray(-self.rotation.T @ self.translation)

    @property
    def note(self) -> str:
        """A sentence for people."""
        count = len(self.misfits)
        where = f"table from {count} corner tags" if count else "table from the tags' printed sizes"
        return f"{self.lens.note}; {where}, misfit {self.residual:.3f} in"

    @property
    def loading(self) -> FloatArray:
        """(15, 15): parameter errors as a linear map of independent unit-variance ones."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.asarray(vectors * np.sqrt(np.clip(values, 0.0, None)))

    def image_from_table(self, points: FloatArray, height: float = 0.0) -> FloatArray:
        """Table points (n, 2) at one height, in the image, (n, 2) pixels."""
        return self.project(np.column_stack([points, np.full(len(points), height)]))

    def project(self, points: FloatArray) -> FloatArray:
        """Points (n, 3) of the table frame in the image, (n, 2) pixels."""
        return project(self.lens, self.rotation, self.translation, points)[0]

    def table_from_image(self, points_in_image: FloatArray, height: float | FloatArray = 0.0) -> FloatArray:
        """Pixels (n, 2) brought down to the plane at `height`, in the table frame, (n, 2) inches.

        `height` is one for all or each point's own, (n,).
        """
        rays = self.lens.rays(points_in_image)
        directions = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        centre = self.camera_position
        along = (height - centre[2]) / directions[:, 2]
        return np.asarray(centre[:2] + along[:, None] * directions[:, :2])

    def jacobians(
        self, points: FloatArray, height: float | FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """How table points (n, 2) at one height, or each at its own (n,), move with what they depend on.

        Returns d(x, y)/d(pixel) (n, 2, 2), d(x, y)/d(parameters) (n, 2, 15) and
        d(x, y)/d(height) (n, 2), at a fixed pixel: implicit differentiation of the projection.
        """
        world = np.column_stack([points, np.broadcast_to(height, len(points))])
        _, jacobian = project(self.lens, self.rotation, self.translation, world)
        by_place = jacobian[:, :, 3:6] @ self.rotation
        table_by_pixel: FloatArray = np.asarray(np.linalg.inv(by_place[:, :, :2]), dtype=np.float64)
        by_height = -np.einsum("nij,nj->ni", table_by_pixel, by_place[:, :, 2])
        by_parameters = -np.einsum("nij,njk->nik", table_by_pixel, jacobian)
        return table_by_pixel, by_parameters, by_height


def project(
    lens: Lens, rotation: FloatArray, translation: FloatArray, world: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Pixels (n, 2) of (n, 3) points and their Jacobian (n, 2, 15) by the surface's parameters."""
    return project_by_vector(lens, rotation_vector(rotation), translation, world)


def project_by_vector(
    lens: Lens, rvec: FloatArray, translation: FloatArray, world: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """As `project`, of a camera whose `rotation_vector` (3,) is known already."""
    points = np.ascontiguousarray(world, dtype=np.float64).reshape(-1, 1, 3)
    pixels, raw = cv2.projectPoints(points, rvec, translation, lens.K, lens.dist)
    raw = np.asarray(raw, dtype=np.float64).reshape(len(world), 2, -1)
    # OpenCV's own order: rotation, translation, focal lengths, centre, distortion.
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2), raw


def rotation_vector(rotation: FloatArray) -> FloatArray:
    """Axis times angle of a rotation matrix (3, 3), shape (3,).

    OpenCV's loses half its digits near half a turn, and half a turn is a camera that looks straight down.
    """
    R: list[list[float]] = rotation.tolist()
    squares = [
        1.0 + R[0][0] + R[1][1] + R[2][2],
        1.0 + R[0][0] - R[1][1] - R[2][2],
        1.0 - R[0][0] + R[1][1] - R[2][2],
        1.0 - R[0][0] - R[1][1] + R[2][2],
    ]
    # Four times the quaternion's products with its largest part, which is never small.
    rows = (
        (squares[0], R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]),
        (R[2][1] - R[1][2], squares[1], R[0][1] + R[1][0], R[0][2] + R[2][0]),
        (R[0][2] - R[2][0], R[0][1] + R[1][0], squares[2], R[1][2] + R[2][1]),
        (R[1][0] - R[0][1], R[0][2] + R[2][0], R[1][2] + R[2][1], squares[3]),
    )
    w, *axis = rows[max(range(4), key=squares.__getitem__)]
    sine = math.hypot(*axis)
    if sine == 0.0:
        return np.zeros(3)
    angle = 2.0 * math.atan2(sine, abs(w))
    return np.array(axis) * math.copysign(angle / sine, w)


def apart(there: FloatArray, covariance: FloatArray, centre: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far parameters (n,) that begin with a rotation vector lie from `centre` (n,), and their covariance.

    A camera that looks straight down turns by half a turn, and half a turn about an axis is one about
    the opposite axis: two cameras that are all but the same may have opposite vectors. The difference is
    that of the nearer one, and the covariance (n, n) comes back as that vector's.
    """
    angle = float(np.linalg.norm(there[:3]))
    if angle == 0.0:
        return there - centre, covariance
    share = math.tau / angle
    other = np.concatenate([there[:3] * (1.0 - share), there[3:]])
    if np.linalg.norm((other - centre)[:3]) >= np.linalg.norm((there - centre)[:3]):
        return there - centre, covariance
    by_vector = np.eye(len(there))
    axis = there[:3] / angle
    by_vector[:3, :3] = (1.0 - share) * np.eye(3) + share * np.outer(axis, axis)
    return other - centre, by_vector @ covariance @ by_vector.T


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

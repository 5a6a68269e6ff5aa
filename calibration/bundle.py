"""Camera, lens and tag places solved together from what one or more tags look like.

Bundle adjustment over the camera's pose, the lens as far as it is open (its covariance is the
prior), and the places of tags that nobody has measured. Corner tags of stated place hold the
table's frame; without any, the frame is set by two tags: the first is the origin, the second
lies on the x axis, and the printed sizes give the scale. Weighted least squares,
Levenberg-damped, Huber's loss tag by tag; the covariance that comes out is marginal over all
else that was solved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from calibration.lens.model import Lens
from calibration.surface import (
    POSE_PARAMETERS,
    CornerTag,
    SeenCorner,
    Surface,
    SurfaceError,
    diagonal_crossing,
    project,
    rotation_vector,
)
from engine.space.geometry import FloatArray, Pose

# Huber's constant on a tag's Mahalanobis distance per observation: beyond it a tag (half under a
# hand, mis-stated in the table file) pulls linearly, no longer quadratically.
HUBER = 2.5
ROUNDS = 80
# How well a printed size is known at best, as a share of it: paper, ink, and the reader's own bias.
SIZE_SD = 0.0003
# Solving the lens from a table's tags leans on small differences in their sizes, where the reader's
# errors are not independent from tag to tag. Measured on rendered frames, what is solved then
# scatters this much more than stated.
GUESSED_INFLATION = 1.3
# A size that nobody vouches for is known to this share.
UNSIZED = 0.2


@dataclass(frozen=True, eq=False)
class SeenTag:
    """A tag of known size and height but unknown place, as seen.

    `corners` (4, 2) pixels in `CornerTag.corners_at` order, `covariance` (8, 8). `height` is the
    tag's plane above the table, `size` the side of its black square, inches.
    """

    family: str
    tag: int
    size: float
    height: float
    corners: FloatArray
    covariance: FloatArray
    sd_height: float = 0.0
    sd_size: float = 0.0

    @property
    def key(self) -> tuple[str, int]:
        """Family and id."""
        return self.family, self.tag


@dataclass(frozen=True, eq=False)
class Solved:
    """A surface and where the tags of unknown place turned out to lie, with (3, 3) covariances."""

    surface: Surface
    places: dict[tuple[str, int], tuple[Pose, FloatArray]]
    cost: float


@dataclass
class _Part:
    """One tag's observations. Free tags have a state (x, y, turn) at `column` of the unknowns."""

    name: str
    pixels: FloatArray
    pixel_covariance: FloatArray
    corner: CornerTag | None = None
    seen: SeenTag | None = None
    state: FloatArray = field(default_factory=lambda: np.zeros(3))
    column: int = -1

    def world(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Points (m, 3), their Jacobian (3m, 3) by the state, and their own covariance (3m, 3m)."""
        if self.corner is not None:
            return _stated(self.corner, len(self.pixels))
        assert self.seen is not None
        return _free(self.seen, self.state)


def _stated(corner: CornerTag, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    if count == 1:
        flat = np.array([corner.at])
        covariance = np.eye(2) * corner.sd**2
    else:
        flat, covariance = corner.corners_at(), corner.place_covariance()
    rows = np.array([3 * i + k for i in range(count) for k in range(2)])
    spread = np.zeros((3 * count, 3 * count))
    spread[np.ix_(rows, rows)] = covariance
    return np.column_stack([flat, np.zeros(count)]), np.zeros((3 * count, 3)), spread


def _free(seen: SeenTag, state: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    square = CornerTag(seen.family, seen.tag, seen.size, (0.0, 0.0), float(state[2]), 0.0).corners_at()
    points = np.column_stack([square + state[:2], np.full(4, seen.height)])
    jacobian = np.zeros((12, 3))
    jacobian[0::3, 0] = jacobian[1::3, 1] = 1.0
    jacobian[0::3, 2], jacobian[1::3, 2] = -square[:, 1], square[:, 0]
    lifted = np.zeros(12)
    lifted[2::3] = seen.sd_height
    scaled = np.column_stack([square, np.zeros(4)]).ravel() * math.hypot(seen.sd_size / seen.size, SIZE_SD)
    return points, jacobian, np.outer(lifted, lifted) + np.outer(scaled, scaled)


def solve_surface(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag] = (),
    frame: tuple[tuple[str, int], tuple[str, int]] | None = None,
) -> Surface:
    """The table's pose under the camera; see `solve`."""
    return solve(lens, corners, tags, frame).surface


def solve(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag] = (),
    frame: tuple[tuple[str, int], tuple[str, int]] | None = None,
) -> Solved:
    """Camera, lens and places from corner tags of stated place and tags of unknown place.

    With stated corners (at least four, or two whose turn is stated) the others only help: a roof
    tag of known size and height settles the camera's height where the lens leaves it open.
    Without, `frame` names the tags that are the origin and the direction of x. Raises
    `SurfaceError`.
    """
    parts = [_part(c) for c in corners]
    if not parts and frame is None:
        raise _too_few(corners)
    if parts and sum(len(p.pixels) for p in parts) < 4:
        raise _too_few(corners)
    free = [_Part(f"tag {t.tag}", t.corners, t.covariance, seen=t) for t in tags]
    if parts:
        starts = [_start(lens, parts)]
        return _Problem(lens, parts, free, None).run(starts[0])
    assert frame is not None
    keys = {t.key for t in tags}
    missing = [str(k[1]) for k in frame if k not in keys]
    flat = [t for t in tags if t.height <= 0.0]
    if missing or len(flat) < 3:
        raise SurfaceError(
            f"the table's frame is set by tags {frame[0][1]} (origin) and {frame[1][1]} (along x), and at "
            f"least three flat tags must be seen; seen: {', '.join(str(t.tag) for t in flat) or 'none'}"
        )
    solved = [_Problem(lens, parts, free, frame).run(s) for s in _starts_by_size(lens, flat, frame)]
    return min(solved, key=lambda s: s.cost)


@dataclass(frozen=True, eq=False)
class Misplaced:
    """A corner tag that lies `distance` inches (deviation `sd`) from where the table file puts it."""

    corner: CornerTag
    distance: float
    sd: float

    @property
    def words(self) -> str:
        """A sentence for people."""
        return (
            f"corner tag {self.corner.tag} lies {self.distance:.2f} in from where the table file puts it: "
            "measure its place again, or tape it back"
        )


def misplaced(lens: Lens, corners: Sequence[SeenCorner], least: float = 0.08) -> Misplaced | None:
    """The corner tag that disagrees with all others, if one does beyond doubt and by `least` inches.

    Each corner in turn is taken for a tag of unknown place; the one without which the rest agree
    best is the culprit.
    """
    found: list[tuple[float, Misplaced]] = []
    for k, out in enumerate(corners):
        rest = [*corners[:k], *corners[k + 1 :]]
        c = out.corner
        # Where the turn is not stated only centres are used, so the size must not speak here either.
        unsized = 0.0 if c.turn is not None else UNSIZED * c.size
        lone = SeenTag(c.family, c.tag, c.size, 0.0, out.corners, out.covariance, sd_size=unsized)
        try:
            solved = solve(lens, rest, [lone])
        except SurfaceError:
            continue
        pose, covariance = solved.places[c.family, c.tag]
        off = np.array([pose.x - c.at[0], pose.y - c.at[1]])
        spread = covariance[:2, :2] + np.eye(2) * c.sd**2
        distance = float(np.hypot(*off))
        sd = float(np.sqrt(off @ spread @ off)) / max(distance, 1e-9)
        if distance > max(least, 3.0 * sd):
            found.append((solved.cost, Misplaced(c, distance, sd)))
    return min(found, key=lambda f: f[0])[1] if found else None


def _too_few(corners: Sequence[SeenCorner]) -> SurfaceError:
    tags = ", ".join(str(s.corner.tag) for s in corners) or "none"
    return SurfaceError(
        f"the table cannot be found: corner tags seen: {tags}; at least four are needed "
        "(two, where the table file gives their turn). Clear them, light them, or move the camera up"
    )


def _part(seen: SeenCorner) -> _Part:
    if seen.corner.turn is not None:
        return _Part(f"corner {seen.corner.tag}", seen.corners, seen.covariance, seen.corner)
    centre, by_corners = diagonal_crossing(seen.corners)
    covariance = by_corners @ seen.covariance @ by_corners.T
    return _Part(f"corner {seen.corner.tag}", centre[None], covariance, seen.corner)


def _above(lens: Lens, points: FloatArray, pixels: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
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


def _start(lens: Lens, parts: Sequence[_Part]) -> tuple[FloatArray, FloatArray]:
    points = np.concatenate([p.world()[0][:, :2] for p in parts])
    poses = _above(lens, points, np.concatenate([p.pixels for p in parts]))
    if not poses:
        raise SurfaceError(
            "the corner tags are seen as if from below the table: their places in the table file are "
            "mirrored or swapped (x runs to the right, y away from the near-left corner)"
        )
    return poses[0]


def _starts_by_size(
    lens: Lens, flat: Sequence[SeenTag], frame: tuple[tuple[str, int], tuple[str, int]]
) -> list[tuple[FloatArray, FloatArray]]:
    """First poses from each solution of the largest flat tag, turned into the frame of the two."""
    largest = max(flat, key=lambda t: float(np.ptp(t.corners, axis=0).max()))
    by_key = {t.key: t for t in flat}
    if frame[0] not in by_key or frame[1] not in by_key:
        raise SurfaceError("the two tags that set the table's frame must lie flat on it")
    square = CornerTag(largest.family, largest.tag, largest.size, (0.0, 0.0), 0.0, 0.0).corners_at()
    starts = []
    for R, t in _above(lens, square, largest.corners):
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


class _Problem:
    """The least squares: unknowns are the pose (6), the lens along its open directions, free tags."""

    def __init__(
        self,
        prior: Lens,
        stated: Sequence[_Part],
        free: Sequence[_Part],
        frame: tuple[tuple[str, int], tuple[str, int]] | None,
    ) -> None:
        values, vectors = np.linalg.eigh(prior.covariance)
        open_ = values > 1e-12 * max(float(values.max()), 1e-30)
        # delta = loading @ u with u of unit variance: a known lens has no u at all.
        self.loading = vectors[:, open_] * np.sqrt(values[open_])
        self.prior, self.parts, self.free, self.frame = prior, [*stated, *free], free, frame
        lens_columns = POSE_PARAMETERS + self.loading.shape[1]
        for k, part in enumerate(free):
            part.column = lens_columns + 3 * k
        self.size = lens_columns + 3 * len(free)
        self.held = self._held()

    def _held(self) -> list[int]:
        """Unknowns that the frame fixes: the first tag's place and the second one's y."""
        if self.frame is None:
            return []
        columns = {p.seen.key: p.column for p in self.free if p.seen is not None}
        return [columns[self.frame[0]], columns[self.frame[0]] + 1, columns[self.frame[1]] + 1]

    def run(self, start: tuple[FloatArray, FloatArray]) -> Solved:
        estimate = _Estimate(self.prior, *start, np.zeros(self.loading.shape[1]), self._places(start))
        equations, damping = self._equations(estimate), 1e-3
        for _ in range(ROUNDS):
            information, gradient, cost = equations
            damped = information + damping * np.diag(np.diag(information))
            step: FloatArray = np.asarray(np.linalg.solve(damped, gradient), dtype=np.float64)
            trial = self._stepped(estimate, step)
            tried = self._equations(trial)
            if tried[2] <= cost * (1 + 1e-12):
                done = cost - tried[2] < 1e-9 * max(cost, 1.0)
                estimate, equations, damping = trial, tried, max(damping / 10, 1e-9)
                if done:
                    break
            else:
                damping *= 10
                if damping > 1e9:
                    break
        return self._finish(estimate, *equations)

    def _places(self, start: tuple[FloatArray, FloatArray]) -> list[FloatArray]:
        """First places of the free tags under a first camera."""
        surface = Surface(self.prior, *start, np.zeros((0, 0)), 0.0)
        places = []
        for part in self.free:
            assert part.seen is not None
            on_plane = surface.table_from_image(part.pixels, part.seen.height)
            up = on_plane[0] + on_plane[1] - on_plane[2] - on_plane[3]
            places.append(np.array([*on_plane.mean(axis=0), math.atan2(up[1], up[0])]))
            if self.frame is not None:
                places[-1][:2] *= (part.seen.key != self.frame[0], part.seen.key not in self.frame)
        return places

    def _stepped(self, e: _Estimate, step: FloatArray) -> _Estimate:
        # projectPoints differentiates by the rotation vector itself, so that is what is stepped.
        rvec = rotation_vector(e.rotation) + step[:3]
        u = e.u + step[6 : 6 + len(e.u)]
        return _Estimate(
            self.prior.adjusted(self.loading @ u),
            np.asarray(cv2.Rodrigues(rvec)[0], dtype=np.float64),
            e.translation + step[3:6],
            u,
            [s + step[p.column : p.column + 3] for s, p in zip(e.places, self.free, strict=True)],
        )

    def _equations(self, e: _Estimate) -> tuple[FloatArray, FloatArray, float]:
        """Information matrix, gradient and robust cost at one estimate."""
        information, gradient, cost = np.zeros((self.size, self.size)), np.zeros(self.size), 0.0
        for part, place in zip(self.free, e.places, strict=True):
            part.state = place
        lens_slice = slice(POSE_PARAMETERS, POSE_PARAMETERS + len(e.u))
        for part in self.parts:
            world, by_state, spread = part.world()
            pixels, jacobian = project(e.lens, e.rotation, e.translation, world)
            m = len(world)
            by_world = np.zeros((2 * m, 3 * m))
            for i, block in enumerate(jacobian[:, :, 3:6] @ e.rotation):
                by_world[2 * i : 2 * i + 2, 3 * i : 3 * i + 3] = block
            flat = jacobian.reshape(2 * m, -1)
            J = np.zeros((2 * m, self.size))
            J[:, :POSE_PARAMETERS] = flat[:, :POSE_PARAMETERS]
            J[:, lens_slice] = flat[:, POSE_PARAMETERS:] @ self.loading
            if part.column >= 0:
                J[:, part.column : part.column + 3] = by_world @ by_state
            covariance = part.pixel_covariance + by_world @ spread @ by_world.T
            misfit = (part.pixels - pixels).ravel()
            solved = np.linalg.solve(covariance, misfit)
            distance = math.sqrt(max(float(misfit @ solved), 0.0) / len(misfit))
            weight = 1.0 if distance <= HUBER else HUBER / distance
            information += weight * J.T @ np.linalg.solve(covariance, J)
            gradient += weight * J.T @ solved
            squared = distance**2 if distance <= HUBER else HUBER * (2 * distance - HUBER)
            cost += squared * len(misfit)
        information[lens_slice, lens_slice] += np.eye(len(e.u))
        gradient[lens_slice] -= e.u
        information[self.held, :] = information[:, self.held] = 0.0
        information[self.held, self.held] = 1.0
        gradient[self.held] = 0.0
        return information, gradient, cost + float(e.u @ e.u)

    def _finish(self, e: _Estimate, information: FloatArray, _: FloatArray, cost: float) -> Solved:
        inverse: FloatArray = np.asarray(np.linalg.inv(information), dtype=np.float64)
        inverse[self.held, :] = inverse[:, self.held] = 0.0
        k = POSE_PARAMETERS + len(e.u)
        # Back from the lens's open directions to its nine parameters.
        full = np.zeros((POSE_PARAMETERS + len(self.loading), k))
        full[:POSE_PARAMETERS, :POSE_PARAMETERS] = np.eye(POSE_PARAMETERS)
        full[POSE_PARAMETERS:, POSE_PARAMETERS:] = self.loading
        lens = e.lens
        known = full @ inverse[:k, :k] @ full.T * (GUESSED_INFLATION**2 if lens.guessed else 1.0)
        surface = Surface(lens, e.rotation, e.translation, known, 0.0)
        misfits, squares = [], []
        for part in self.parts:
            world, _, _ = part.world()
            height = float(world[0, 2])
            off = surface.table_from_image(part.pixels, height) - world[:, :2]
            squares += list((off**2).sum(axis=1))
            if part.corner is not None:
                misfits.append((part.corner, float(np.hypot(*off.mean(axis=0)))))
        residual = math.sqrt(float(np.mean(squares)))
        places = {
            p.seen.key: (Pose(*map(float, s)), inverse[p.column : p.column + 3, p.column : p.column + 3])
            for p, s in zip(self.free, e.places, strict=True)
            if p.seen is not None
        }
        return Solved(replace(surface, residual=residual, misfits=tuple(misfits)), places, cost)


@dataclass(frozen=True, eq=False)
class _Estimate:
    """One point of the search."""

    lens: Lens
    rotation: FloatArray
    translation: FloatArray
    u: FloatArray
    places: list[FloatArray]

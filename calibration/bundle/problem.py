"""The least squares of camera, lens, print scale and tags: Levenberg-damped, Huber's loss tag by tag."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.bundle.parts import STATE, Part
from calibration.lens.model import Lens, LensError
from calibration.surface import HUBER, POSE_PARAMETERS, Surface, SurfaceError, project, rotation_vector
from engine.space.geometry import FloatArray, wrap_angle

ROUNDS = 60

LIFT = 3
"""Where all heights' common error stands in `Common.sds`."""

Start = tuple[FloatArray, FloatArray]
"""A first camera: rotation (3, 3) and translation (3,) of camera_from_table."""


@dataclass(frozen=True, slots=True)
class Common:
    """Errors that all tags share, standard deviations.

    `scale` of the print run, a share of every printed size; `stretch` of all stated places along x and
    along y, a share; `lift` of all stated heights, inches; `places`, a share, of all stated places in both
    directions. Zero takes what is stated at its word.
    """

    scale: float = 0.0
    stretch_x: float = 0.0
    stretch_y: float = 0.0
    lift: float = 0.0
    places: float = 0.0

    @property
    def sds(self) -> FloatArray:
        """In the order scale, stretch along x, along y, lift, places."""
        return np.array([self.scale, self.stretch_x, self.stretch_y, self.lift, self.places])


@dataclass(frozen=True, eq=False)
class Estimate:
    """One point of the search. `common` are in the order of `Common.sds`, `states` (n, 3)."""

    lens: Lens
    rotation: FloatArray
    translation: FloatArray
    u: FloatArray
    common: FloatArray
    states: FloatArray


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the search ended.

    `covariance` is that of all unknowns in the problem's order. `cost` is the robust sum of squares of
    what was seen and stated, `evidence` minus twice the logarithm of how likely all that is under these
    assumptions, but for a constant and for `logdet`, the logarithm of the determinants of what is seen
    scatters by. `freedom` is how many more numbers were seen and stated than solved.
    """

    estimate: Estimate
    covariance: FloatArray
    cost: float
    evidence: float
    logdet: float
    freedom: int


class Problem:
    """Unknowns: the pose (6), the lens along its open directions, shared errors that are open, tags (3 each).

    `held` names two tags that fix the frame where no place is stated: the first one's place is the origin
    and the second lies on the x axis.
    """

    def __init__(
        self,
        prior: Lens,
        parts: Sequence[Part],
        common: Common,
        frame: tuple[tuple[str, int], tuple[str, int]] | None,
    ) -> None:
        values, vectors = np.linalg.eigh(prior.covariance)
        open_ = values > 1e-12 * max(float(values.max()), 1e-30)
        # delta = loading @ u with u of unit variance: a known lens has no u at all.
        self.loading = vectors[:, open_] * np.sqrt(values[open_])
        self.prior, self.parts, self.frame = prior, list(parts), frame
        self.open_common = np.flatnonzero(common.sds > 0.0)
        self.common_sds = common.sds
        k = POSE_PARAMETERS + self.loading.shape[1]
        self.lens_columns = slice(POSE_PARAMETERS, k)
        self.common_column = {int(which): k + i for i, which in enumerate(self.open_common)}
        first = k + len(self.open_common)
        for i, part in enumerate(self.parts):
            part.column = first + STATE * i
        self.size = first + STATE * len(self.parts)
        self.held = self._held()

    def _held(self) -> list[int]:
        if self.frame is None:
            return []
        columns = {p.key: p.column for p in self.parts}
        return [columns[self.frame[0]], columns[self.frame[0]] + 1, columns[self.frame[1]] + 1]

    def run(self, start: Start | Estimate, lens: Lens | None = None) -> Solution:
        """The solution from a first camera, or from another problem's estimate of the same tags.

        A first camera was found with `lens`, or else with the one that the problem was stated with.
        """
        estimate = self._taken_over(start) if isinstance(start, Estimate) else self._first(start, lens)
        first = self._tried(estimate)
        if first is None:
            raise SurfaceError(
                "the corner tags' stated places fit no camera above the table: measure them again"
            )
        equations, damping = first, 1e-3
        for _ in range(ROUNDS):
            information, gradient, cost = equations[:3]
            damped = information + damping * np.diag(np.diag(information))
            step = np.asarray(np.linalg.solve(damped, gradient), dtype=np.float64)
            trial = self._stepped(estimate, step)
            tried = None if trial is None else self._tried(trial)
            if trial is not None and tried is not None and tried[2] <= cost * (1 + 1e-12):
                done = cost - tried[2] < 1e-6 * max(cost, 1.0)
                estimate, equations, damping = trial, tried, max(damping / 10, 1e-9)
                if done:
                    break
            else:
                damping *= 10
                if damping > 1e9:
                    break
        return self._solution(estimate, *equations)

    def _tried(self, e: Estimate) -> tuple[FloatArray, FloatArray, float, float] | None:
        """The equations at a place that a step may have led to: None where no camera could be."""
        try:
            equations = self._equations(e)
        except np.linalg.LinAlgError:
            return None
        return equations if math.isfinite(equations[2]) else None

    def _first(self, start: Start, lens: Lens | None) -> Estimate:
        lens = lens or self.prior
        return Estimate(lens, *start, self._lens_unknowns(lens), np.zeros(5), self._states(lens, start))

    def _lens_unknowns(self, lens: Lens) -> FloatArray:
        """The lens as steps along the open directions."""
        if not self.loading.size:
            return np.zeros(0)
        change = lens.parameters - self.prior.parameters
        return np.asarray(np.linalg.lstsq(self.loading, change, rcond=None)[0], dtype=np.float64)

    def _taken_over(self, e: Estimate) -> Estimate:
        u = self._lens_unknowns(e.lens)
        common = np.where(self.common_sds > 0.0, e.common, 0.0)
        return replace(e, lens=self.prior.adjusted(self.loading @ u), u=u, common=common)

    def _states(self, lens: Lens, start: Start) -> FloatArray:
        """First places of the tags under a first camera."""
        surface = Surface(lens, *start, np.zeros((0, 0)), 0.0)
        states = []
        for part in self.parts:
            on_plane = surface.table_from_image(part.pixels, part.height)
            up = on_plane[0] + on_plane[1] - on_plane[2] - on_plane[3]
            state = np.array([*on_plane.mean(axis=0), math.atan2(up[1], up[0])])
            if self.frame is not None:
                state[:2] *= (part.key != self.frame[0], part.key not in self.frame)
            states.append(state)
        return np.array(states).reshape(-1, STATE)

    def _stepped(self, e: Estimate, step: FloatArray) -> Estimate | None:
        """One step on; None where no lens could be."""
        # projectPoints differentiates by the rotation vector itself, so that is what is stepped.
        u = e.u + step[self.lens_columns]
        common = e.common.copy()
        for which, column in self.common_column.items():
            common[which] += step[column]
        first = self.parts[0].column
        try:
            lens = self.prior.adjusted(self.loading @ u)
        except LensError:
            return None
        return Estimate(
            lens,
            np.asarray(cv2.Rodrigues(rotation_vector(e.rotation) + step[:3])[0], dtype=np.float64),
            e.translation + step[3:6],
            u,
            common,
            e.states + step[first:].reshape(-1, STATE),
        )

    def _equations(self, e: Estimate) -> tuple[FloatArray, FloatArray, float, float]:
        """Information matrix, gradient, robust cost, and the logarithm of the noise's determinants."""
        information, gradient = np.zeros((self.size, self.size)), np.zeros(self.size)
        cost = logdet = 0.0
        scale, lift = float(e.common[0]), float(e.common[3])
        worlds = [p.world(s, scale, lift) for p, s in zip(self.parts, e.states, strict=True)]
        points = np.concatenate([w[0] for w in worlds])
        all_pixels, all_jacobians = project(e.lens, e.rotation, e.translation, points)
        all_by_world = all_jacobians[:, :, 3:6] @ e.rotation
        for i, (part, (_, by_state, spread)) in enumerate(zip(self.parts, worlds, strict=True)):
            four = slice(4 * i, 4 * i + 4)
            by_world = np.zeros((8, 12))
            for j, block in enumerate(all_by_world[four]):
                by_world[2 * j : 2 * j + 2, 3 * j : 3 * j + 3] = block
            flat = all_jacobians[four].reshape(8, -1)
            own = by_world @ by_state
            columns = [*range(self.lens_columns.stop), *range(part.column, part.column + STATE)]
            J = np.hstack(
                [flat[:, :POSE_PARAMETERS], flat[:, POSE_PARAMETERS:] @ self.loading, own[:, :STATE]]
            )
            for which, column in ((0, 3), (3, 4)):
                if which in self.common_column:
                    J = np.hstack([J, own[:, column : column + 1]])
                    columns.append(self.common_column[which])
            covariance = part.pixel_covariance + by_world @ spread @ by_world.T
            misfit = (part.pixels - all_pixels[four]).ravel()
            L = np.linalg.cholesky(covariance)
            white, white_J = np.linalg.solve(L, misfit), np.linalg.solve(L, J)
            distance = math.sqrt(float(white @ white) / len(white))
            weight = 1.0 if distance <= HUBER else HUBER / distance
            information[np.ix_(columns, columns)] += weight * white_J.T @ white_J
            gradient[columns] += weight * white_J.T @ white
            squared = distance**2 if distance <= HUBER else HUBER * (2 * distance - HUBER)
            cost += squared * len(white)
            logdet += 2.0 * float(np.log(np.diag(L)).sum())
            cost += self._stated(part, e.states[i], e.common, information, gradient)
        lens = self.lens_columns
        information[lens, lens] += np.eye(len(e.u))
        gradient[lens] -= e.u
        cost += float(e.u @ e.u)
        for which, column in self.common_column.items():
            weight = 1.0 / self.common_sds[which] ** 2
            information[column, column] += weight
            gradient[column] -= weight * e.common[which]
            cost += weight * float(e.common[which]) ** 2
        information[self.held, :] = information[:, self.held] = 0.0
        information[self.held, self.held] = 1.0
        gradient[self.held] = 0.0
        return information, gradient, cost, logdet

    def _stated(
        self, part: Part, state: FloatArray, common: FloatArray, information: FloatArray, gradient: FloatArray
    ) -> float:
        """Adds what was stated of a tag's place; returns what it costs."""
        cost = 0.0
        for axis in np.flatnonzero(np.isfinite(part.stated_sd)):
            weight = 1.0 / float(part.stated_sd[axis]) ** 2
            column = part.column + int(axis)
            off = float(part.stated[axis] - state[axis])
            rows, by = [column], [1.0]
            for which in (1 + int(axis), 4) if axis < 2 else ():
                if which in self.common_column:
                    off += float(part.stated[axis] * common[which])
                    rows.append(self.common_column[which])
                    by.append(-float(part.stated[axis]))
            if axis == 2:
                off = float(wrap_angle(off))
            information[np.ix_(rows, rows)] += weight * np.outer(by, by)
            gradient[rows] += weight * off * np.array(by)
            cost += weight * off**2
        return cost

    def _solution(
        self, e: Estimate, information: FloatArray, _: FloatArray, cost: float, logdet: float
    ) -> Solution:
        inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
        inverse[self.held, :] = inverse[:, self.held] = 0.0
        stated_sds = np.concatenate([p.stated_sd for p in self.parts])
        stated_sds = stated_sds[np.isfinite(stated_sds)]
        priors = np.concatenate([stated_sds, self.common_sds[self.open_common]])
        logs = 2.0 * float(np.log(priors).sum()) + float(np.linalg.slogdet(information)[1])
        # Lengths of which nothing is stated: nothing speaks for a larger table, or for a smaller one.
        lengths = 3 + 2 * sum(not np.isfinite(p.stated_sd[0]) for p in self.parts) - len(self.held)
        distance = float(np.linalg.norm(e.translation))
        evidence = cost + logs + 2.0 * lengths * math.log(distance)
        known = 8 * len(self.parts) + len(priors) + len(e.u)
        return Solution(e, inverse, cost, evidence, logdet, known - (self.size - len(self.held)))

    def surface_loading(self) -> FloatArray:
        """(15, k): the pose's and the lens's nine parameters by the first k unknowns."""
        k = self.lens_columns.stop
        full = np.zeros((POSE_PARAMETERS + len(self.loading), k))
        full[:POSE_PARAMETERS, :POSE_PARAMETERS] = np.eye(POSE_PARAMETERS)
        full[POSE_PARAMETERS:, POSE_PARAMETERS:] = self.loading
        return full


def without_place(part: Part, sd: float) -> Part:
    """The part with its stated place known to `sd` inches only, and no stated turn."""
    return replace(part, stated_sd=np.array([sd, sd, np.inf]))

"""The least squares of camera, lens, print scale and tags: Levenberg-damped, Huber's loss tag by tag."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bundle.common import INK, LIFT, PLACES, SCALE, Common
from calibration.bundle.parts import LEAST_SD, STATE, Part, Tags
from calibration.lens.model import Lens, LensError
from calibration.surface import (
    HUBER,
    POSE_PARAMETERS,
    Surface,
    SurfaceError,
    project_by_vector,
    rotation_vector,
)
from engine.space.geometry import FloatArray, wrap_angle

ROUNDS = 100

# Of a tag that is seen at one place only.
_NO_ERRORS = np.zeros((1, 2))

# Damping of the first step, and by what it is eased and raised. What the tags leave open (camera height
# against focal length) is a long bent valley: eased at once by more, every second step leaves it.
DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-3, 1e-9, 1e9
EASED, RAISED = 3.0, 2.0
# From where another problem's search ended it is not far: the first steps may be nearly whole ones.
NEAR_DAMPING = 1e-6

# A camera is found if it is known better than this, radians, and than its own distance.
MOST_TURN = 1.0
OPEN_CAMERA = (
    "what is seen of the corner tags leaves the camera open: clear more of them, spread them round the "
    "table, or measure their places again"
)
FITS_NOTHING = "the corner tags' stated places fit no camera above the table: measure them again"

# The search has ended where no number is further from its best value than a thousandth of its deviation.
CONVERGED = 1e-6

# It is given up, after so many rounds, where not even so many times what a whole step promises would bring
# the cost to where it is of any use. Of 2,825 searches none that ended there would be given up at 5 times.
LEAST_ROUNDS, MORE_THAN_PROMISED = 4, 50.0

Start = tuple[FloatArray, FloatArray]
"""A first camera: rotation (3, 3) and translation (3,) of camera_from_table."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """One point of the search. `common` are in the order of `Common.sds`, `states` (n, 3).

    `own` (m, 2) are, of each tag that is seen at several places, by which share it is larger than stated and
    by how many inches it is higher.
    """

    lens: Lens
    rotation: FloatArray
    translation: FloatArray
    u: FloatArray
    common: FloatArray
    own: FloatArray
    states: FloatArray

    @cached_property
    def vector(self) -> FloatArray:
        """The rotation as axis times angle (3,)."""
        return rotation_vector(self.rotation)


Projected = tuple[FloatArray, FloatArray, FloatArray]
"""Tags' squares about their centres and their pixels, (n, 4, 2), and Jacobians (n, 4, 2, 15)."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the search ended.

    `covariance` is that of all unknowns in the problem's order, `by_reads` what of it the errors of the
    corners' pixels alone make, told under a guessed lens (zeros else). `cost` is the robust sum of squares of
    what was seen and stated, `evidence` minus twice the logarithm of how likely all that is under these
    assumptions, but for a constant and for `logdet`, the logarithm of the determinants of what is seen
    scatters by. `freedom` is how many more numbers were seen and stated than solved.
    """

    estimate: Estimate
    covariance: FloatArray
    by_reads: FloatArray
    cost: float
    evidence: float
    logdet: float
    freedom: int


@dataclass(frozen=True, eq=False)
class Equations:
    """The least squares about one point of the search.

    `whiteners` (n, 8, 8) are the Cholesky factors of what each tag's corners scatter by there, `weighted`
    (n, 8, k) how its whitened corners move with what all tags share and with its own place, by its weight.
    """

    information: FloatArray
    gradient: FloatArray
    cost: float
    whiteners: FloatArray
    weighted: FloatArray

    @cached_property
    def scaled(self) -> tuple[FloatArray, FloatArray]:
        """The information with ones along its diagonal, and by what its unknowns were divided."""
        return _scaled(self.information)


@dataclass(frozen=True, eq=False)
class _Stated:
    """Of each number that is stated of a tag's place: which tag and which axis, the number, its deviation.

    `by` (m, size) is the estimate's Jacobian by all unknowns in deviations, `by_common` (m, 6) how the stated
    number moves with what all tags share.
    """

    tags: NDArray[np.intp]
    axes: NDArray[np.intp]
    values: FloatArray
    sds: FloatArray
    by: FloatArray
    by_common: FloatArray


class Problem:
    """Unknowns: the pose (6), the lens along its open directions, shared errors that are open, tags (3 each).

    A roof tag that is seen at several places is as much too large, and as much too high, at each of them: so
    these two are unknowns too, and many places do not make one tag's size better known than it is printed.

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
        self.prior, self.common, self.frame = prior, common, frame
        self._given = tuple(parts)
        at_several_places, self.own_sds = _with_errors_of_their_own(parts)
        self.open_common = np.flatnonzero(common.sds > 0.0)
        self.common_sds = common.sds
        k = POSE_PARAMETERS + self.loading.shape[1]
        self.lens_columns = slice(POSE_PARAMETERS, k)
        self.common_column = {int(which): k + i for i, which in enumerate(self.open_common)}
        own = k + len(self.open_common)
        first = own + self.own_sds.size
        self.own_columns = slice(own, first)
        self.parts = [replace(part, column=first + STATE * i) for i, part in enumerate(at_several_places)]
        self.size = first + STATE * len(self.parts)
        self.held = self._held()
        self.tags, self.stated = Tags(self.parts), self._stated()

    def _held(self) -> list[int]:
        if self.frame is None:
            return []
        columns = {p.key: p.column for p in self.parts}
        return [columns[self.frame[0]], columns[self.frame[0]] + 1, columns[self.frame[1]] + 1]

    def _stated(self) -> _Stated:
        """What is stated of the tags' places, and how it moves with the unknowns: the same at every step."""
        sds = np.array([part.stated_sd for part in self.parts]).reshape(-1, STATE)
        tags, axes = np.nonzero(np.isfinite(sds))
        values = np.array([part.stated for part in self.parts]).reshape(-1, STATE)[tags, axes]
        by, by_common = np.zeros((len(tags), self.size)), np.zeros((len(tags), len(self.common_sds)))
        by[np.arange(len(tags)), self.own_columns.stop + STATE * tags + axes] = 1.0
        for row in np.flatnonzero(axes < 2):
            for which in (1 + int(axes[row]), PLACES):
                if which in self.common_column:
                    by[row, self.common_column[which]] = -values[row]
                    by_common[row, which] = values[row]
        return _Stated(
            tags, axes, values, sds[tags, axes], np.asarray(by / sds[tags, axes][:, None]), by_common
        )

    def run(
        self,
        start: Start | Estimate,
        lens: Lens | None = None,
        enough: float = CONVERGED,
        rounds: int = ROUNDS,
        useless: float = math.inf,
    ) -> Solution:
        """The solution from a first camera, or from another problem's estimate of the same tags.

        A first camera was found with `lens`, or else with the one that the problem was stated with. The
        search ends where the cost would fall by less than `enough`, after so many `rounds` at the latest.
        Raises `SurfaceError` where no camera fits, or where the cost will plainly stay above `useless`.
        """
        estimate = self._taken_over(start) if isinstance(start, Estimate) else self._first(start, lens)
        first = self._tried(estimate, self._projected(estimate))
        if first is None:
            raise SurfaceError(FITS_NOTHING)
        equations, damping = first, NEAR_DAMPING if isinstance(start, Estimate) else DAMPING
        full = self._step(equations, LEAST_DAMPING)
        for done in range(rounds):
            promised = full @ equations.gradient
            if promised < enough:
                break
            if done >= LEAST_ROUNDS and equations.cost - MORE_THAN_PROMISED * promised > useless:
                raise SurfaceError(FITS_NOTHING)
            step = full if damping == LEAST_DAMPING else self._step(equations, damping)
            trial, better = self._stepped(estimate, step), None
            # Held against what is there by the same deviations: those of a tag in the picture follow from
            # where it is taken to be, so that a step may make all errors look smaller, or larger.
            if trial is not None:
                projected = self._projected(trial)
                if self._cost(trial, projected, equations.whiteners) <= equations.cost:
                    better = self._tried(trial, projected)
            if trial is not None and better is not None:
                estimate, equations, damping = trial, better, max(damping / EASED, LEAST_DAMPING)
                full = self._step(equations, LEAST_DAMPING)
            else:
                damping *= RAISED
                if damping > MOST_DAMPING:
                    break
        return self._solution(estimate, equations)

    @staticmethod
    def _step(equations: Equations, damping: float) -> FloatArray:
        """The step of least squares, damped by a share of each unknown's own information."""
        scaled, scale = equations.scaled
        damped = scaled.copy()
        damped.flat[:: len(scale) + 1] += damping
        return np.asarray(scale * np.linalg.solve(damped, scale * equations.gradient), dtype=np.float64)

    def _tried(self, e: Estimate, projected: Projected) -> Equations | None:
        """The equations at a place that a step may have led to: None where no camera could be."""
        try:
            equations = self._equations(e, projected)
        except np.linalg.LinAlgError:
            return None
        return equations if math.isfinite(equations.cost) else None

    def _first(self, start: Start, lens: Lens | None) -> Estimate:
        lens = lens or self.prior
        own = np.zeros_like(self.own_sds)
        return Estimate(
            lens,
            *start,
            self._lens_unknowns(lens),
            np.zeros(len(self.common_sds)),
            own,
            self._states(lens, start),
        )

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
            np.asarray(cv2.Rodrigues(e.vector + step[:3])[0], dtype=np.float64),
            e.translation + step[3:6],
            u,
            common,
            e.own + step[self.own_columns].reshape(-1, 2),
            e.states + step[first:].reshape(-1, STATE),
        )

    def _equations(self, e: Estimate, projected: Projected) -> Equations:
        """The linearised equations, robustly weighted."""
        tags, first = len(self.parts), self.own_columns.stop
        information, gradient = np.zeros((self.size, self.size)), np.zeros(self.size)
        square, pixels, jacobians = projected
        by_corner = jacobians[:, :, :, 3:6] @ e.rotation
        scattered = (by_corner @ self.tags.scattered(square)).reshape(tags, 8, -1)
        covariances = self.tags.pixel_covariances + scattered @ scattered.swapaxes(1, 2)
        whiteners: FloatArray = np.asarray(np.linalg.cholesky(covariances), dtype=np.float64)
        by_state = (by_corner @ self.tags.by_state(square)).reshape(tags, 8, -1)
        flat = jacobians.reshape(tags, 8, -1)
        # Of each tag's corners by what all tags share, and by its own place.
        shared = np.zeros((tags, 8, first))
        shared[:, :, :POSE_PARAMETERS] = flat[:, :, :POSE_PARAMETERS]
        shared[:, :, self.lens_columns] = flat[:, :, POSE_PARAMETERS:] @ self.loading
        size, height = by_state[:, :, STATE], by_state[:, :, STATE + 1]
        for which, by in ((SCALE, size), (LIFT, height), (INK, size / self.tags.sizes[:, None])):
            if which in self.common_column:
                shared[:, :, self.common_column[which]] = by
        for i in self.tags.at_several_places:
            column = self.own_columns.start + 2 * int(self.tags.own[i])
            shared[i, :, column : column + 2] = by_state[i, :, STATE:]
        misfit = (self.tags.pixels - pixels).reshape(tags, 8, 1)
        white = np.linalg.solve(whiteners, np.concatenate([shared, by_state[:, :, :STATE], misfit], axis=2))
        weights, costs = _robust(white[:, :, -1])
        J, off = white[:, :, :-1], white[:, :, -1:]
        weighted = weights[:, None, None] * J
        self._add(information, weighted, J)
        pulls = (weighted * off).sum(axis=1)
        gradient[:first] = pulls[:, :first].sum(axis=0)
        gradient[first:] = pulls[:, first:].ravel()
        by, off_stated = self.stated.by, self._off_stated(e)
        information += by.T @ by
        gradient += by.T @ off_stated
        for rows, length_by, off_length, sd in self._lengths(e):
            information[np.ix_(rows, rows)] += np.outer(length_by, length_by) / sd**2
            gradient[rows] += off_length * length_by / sd**2
        lens = self.lens_columns
        information[lens, lens] += np.eye(len(e.u))
        gradient[lens] -= e.u
        for which, column in self.common_column.items():
            weight = 1.0 / self.common_sds[which] ** 2
            information[column, column] += weight
            gradient[column] -= weight * e.common[which]
        if self.own_sds.size:
            own_columns = range(*self.own_columns.indices(self.size))
            information[own_columns, own_columns] += 1.0 / self.own_sds.ravel() ** 2
            gradient[self.own_columns] -= (e.own / self.own_sds**2).ravel()
        if self.held:
            information[self.held, :] = information[:, self.held] = 0.0
            information[self.held, self.held] = 1.0
            gradient[self.held] = 0.0
        cost = self._cost_of_unknowns(e) + float(costs.sum()) + float(off_stated @ off_stated)
        return Equations(information, gradient, cost, whiteners, weighted)

    def _scatter(self, equations: Equations) -> FloatArray:
        """The gradient's covariance by the corners' pixel errors, told under a guessed lens (zeros else)."""
        scatter = np.zeros_like(equations.information)
        if self.prior.guessed:
            whiteners = equations.whiteners.swapaxes(1, 2)
            by_read = np.asarray(np.linalg.solve(whiteners, equations.weighted), dtype=np.float64)
            self._add(scatter, by_read, self.tags.pixel_covariances @ by_read)
        return scatter

    def _add(self, matrix: FloatArray, left: FloatArray, right: FloatArray) -> None:
        """Add to a matrix of all unknowns what each tag's rows make, (n, 8, what is shared and its place)."""
        first, tags = self.own_columns.stop, len(left)
        rows, columns = (side[:, :, :first].reshape(8 * tags, -1) for side in (left, right))
        matrix[:first, :first] += rows.T @ columns
        across = left[:, :, :first].swapaxes(1, 2) @ right[:, :, first:]
        across = across.swapaxes(0, 1).reshape(first, -1)
        matrix[:first, first:] += across
        matrix[first:, :first] += across.T
        places = left[:, :, first:].swapaxes(1, 2) @ right[:, :, first:]
        # A view: of each tag, its own block along the diagonal.
        blocks = matrix[first:, first:].reshape(tags, STATE, tags, STATE)
        blocks[np.arange(tags), :, np.arange(tags), :] += places

    def _cost(self, e: Estimate, projected: Projected, whiteners: FloatArray) -> float:
        """The robust cost by given deviations of what is seen."""
        misfit = (self.tags.pixels - projected[1]).reshape(-1, 8, 1)
        white = np.asarray(np.linalg.solve(whiteners, misfit), dtype=np.float64)
        costs = _robust(white[:, :, 0])[1]
        off = self._off_stated(e)
        return self._cost_of_unknowns(e) + float(costs.sum()) + float(off @ off)

    def _projected(self, e: Estimate) -> Projected:
        """All tags as the camera of an estimate sees them."""
        larger, higher = np.concatenate([e.own, _NO_ERRORS])[self.tags.own].T
        larger = larger + e.common[SCALE] + e.common[INK] / self.tags.sizes
        square = self.tags.squares(e.states[:, 2])
        points = np.empty((len(square), 4, 3))
        points[:, :, :2] = square * (1.0 + larger)[:, None, None] + e.states[:, None, :2]
        lifted = self.tags.heights + self.tags.raised * (e.common[LIFT] + higher)
        points[:, :, 2] = lifted[:, None]
        pixels, jacobians = project_by_vector(e.lens, e.vector, e.translation, points.reshape(-1, 3))
        return square, pixels.reshape(-1, 4, 2), jacobians.reshape(len(square), 4, 2, -1)

    def _cost_of_unknowns(self, e: Estimate) -> float:
        """What lens, errors and lengths cost by what is known of them."""
        which = self.open_common
        shared = float(np.square(e.common[which] / self.common_sds[which]).sum())
        own = float(np.square(e.own / self.own_sds).sum())
        return float(e.u @ e.u) + shared + own + sum((off / sd) ** 2 for _, _, off, sd in self._lengths(e))

    def _off_stated(self, e: Estimate) -> FloatArray:
        """How far the numbers stated of tags' places are off, in deviations (m,)."""
        stated = self.stated
        off = stated.values - e.states[stated.tags, stated.axes] + stated.by_common @ e.common
        turned = stated.axes == 2
        off[turned] = [wrap_angle(float(angle)) for angle in off[turned]]
        return np.asarray(off / stated.sds, dtype=np.float64)

    def _lengths(self, e: Estimate) -> Iterator[tuple[list[int], FloatArray, float, float]]:
        """Of each length between two tags that are seen, what `_stated` tells of a tag's place."""
        if not self.common.lengths:
            return
        known = {part.key: (part.column, state) for part, state in zip(self.parts, e.states, strict=True)}
        for length in self.common.lengths:
            if all(key in known for key in length.between):
                (a, one), (b, other) = (known[key] for key in length.between)
                way = other[:2] - one[:2]
                apart = max(float(np.hypot(*way)), 1e-9)
                by = np.concatenate([-way, way]) / apart
                yield [a, a + 1, b, b + 1], by, length.inches - apart, length.sd

    def _solution(self, e: Estimate, equations: Equations) -> Solution:
        inverse, evidence = self._weighed(e, equations)
        distance = float(np.linalg.norm(e.translation))
        turn_sd, shift_sd = np.sqrt(np.diag(inverse)[:POSE_PARAMETERS]).reshape(2, 3).max(axis=1)
        # Where nothing holds the camera, all that it may be would count as likely.
        if not (np.isfinite(inverse).all() and turn_sd < MOST_TURN and shift_sd < distance):
            raise SurfaceError(OPEN_CAMERA)
        inverse[self.held, :] = inverse[:, self.held] = 0.0
        known = 8 * len(self.parts) + len(self._priors()) + len(e.u) + sum(1 for _ in self._lengths(e))
        by_reads = inverse @ self._scatter(equations) @ inverse
        freedom = known - (self.size - len(self.held))
        return Solution(e, inverse, by_reads, equations.cost, evidence, _logdet(equations.whiteners), freedom)

    def _weighed(self, e: Estimate, equations: Equations) -> tuple[FloatArray, float]:
        """The covariance, and the evidence. Raises `SurfaceError`."""
        inverse, logdet_of_information = _inverted(equations.information)
        logs = 2.0 * float(np.log(self._priors()).sum()) + logdet_of_information
        # Lengths of which nothing is stated: nothing speaks for a larger table, or for a smaller one.
        lengths = 3 + 2 * sum(not np.isfinite(p.stated_sd[0]) for p in self.parts) - len(self.held)
        distance = float(np.linalg.norm(e.translation))
        return inverse, equations.cost + logs + 2.0 * lengths * math.log(distance)

    def _priors(self) -> FloatArray:
        """The deviations of all that is stated."""
        stated_sds = np.concatenate([p.stated_sd for p in self.parts])
        stated_sds = stated_sds[np.isfinite(stated_sds)]
        return np.concatenate([stated_sds, self.common_sds[self.open_common], self.own_sds.ravel()])

    def flatter(self, share: float) -> Problem:
        """The same tags, that lean and bow by this share of what they are granted."""
        parts = [replace(p, paper=p.paper.flatter(share)) for p in self._given]
        return Problem(self.prior, parts, self.common, self.frame)

    def through(self, prior: Lens) -> Problem:
        """The same tags seen through another lens."""
        return Problem(prior, self._given, self.common, self.frame)

    def unknowns(self, e: Estimate) -> FloatArray:
        """All unknowns of an estimate as `loading` has them: rotation vector first, (n,)."""
        pose = np.concatenate([e.vector, e.translation])
        common = e.common[self.open_common]
        return np.concatenate([pose, e.lens.parameters, common, e.own.ravel(), e.states.ravel()])

    def loading_of_all(self) -> FloatArray:
        """The unknowns with the lens's nine parameters by the unknowns as they are solved, (n, size)."""
        k = self.lens_columns.stop
        by_lens = self.surface_loading()
        full = np.zeros((len(by_lens) + self.size - k, self.size))
        full[: len(by_lens), :k] = by_lens
        full[len(by_lens) :, k:] = np.eye(self.size - k)
        return full

    def surface_loading(self) -> FloatArray:
        """(15, k): the pose's and the lens's nine parameters by the first k unknowns."""
        k = self.lens_columns.stop
        full = np.zeros((POSE_PARAMETERS + len(self.loading), k))
        full[:POSE_PARAMETERS, :POSE_PARAMETERS] = np.eye(POSE_PARAMETERS)
        full[POSE_PARAMETERS:, POSE_PARAMETERS:] = self.loading
        return full


def _with_errors_of_their_own(parts: Sequence[Part]) -> tuple[list[Part], FloatArray]:
    """The parts, and the deviations (m, 2) of size and height of those tags that are seen at several places.

    Their parts say which of these is theirs (`Part.own`), and scatter by them no more.
    """
    often = [key for key, n in Counter(p.key for p in parts if p.raised).items() if n > 1]
    place, sds, out = {key: k for k, key in enumerate(often)}, np.zeros((len(often), 2)), []
    for part in parts:
        own = place.get(part.key, -1) if part.raised else -1
        if own < 0:
            out.append(part)
            continue
        sds[own] = np.maximum((part.paper.size, part.height_sd), LEAST_SD)
        out.append(replace(part, paper=replace(part.paper, size=0.0), height_sd=0.0, own=own))
    return out, sds


def _logdet(whiteners: FloatArray) -> float:
    return 2.0 * float(np.log(np.diagonal(whiteners, axis1=1, axis2=2)).sum())


_TINY = np.finfo(np.float64).tiny


def _scaled(information: FloatArray) -> tuple[FloatArray, FloatArray]:
    """An information matrix with ones along its diagonal, and by what its unknowns were divided.

    Pixels of focal length beside coefficients of distortion leave no digits to a matrix as it comes.
    """
    # Under a camera that a bad step has put out of the world nothing tells of an unknown at all.
    scale = 1.0 / np.sqrt(np.maximum(information.diagonal(), _TINY))
    return information * scale[:, None] * scale[None, :], scale


def _inverted(information: FloatArray) -> tuple[FloatArray, float]:
    """The covariance, and the logarithm of the information's determinant. Raises `SurfaceError`."""
    scaled, scale = _scaled(information)
    try:
        L = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError as error:
        raise SurfaceError(OPEN_CAMERA) from error
    logdet = 2.0 * float(np.log(np.diag(L)).sum() - np.log(scale).sum())
    # What nothing is known of has a variance too large to be written.
    with np.errstate(over="ignore", invalid="ignore"):
        half = np.linalg.solve(L, np.diag(scale))
        return np.asarray(half.T @ half, dtype=np.float64), logdet


def _robust(white: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The weights of tags by their whitened misfits (n, 8), and what they cost: Huber's loss."""
    count = white.shape[1]
    distance = np.sqrt(np.square(white).sum(axis=1) / count)
    far = np.maximum(distance, HUBER)
    # As near as Huber's constant the square, beyond it a straight line that goes on from it.
    return HUBER / far, np.where(distance <= HUBER, distance**2, HUBER * (2 * far - HUBER)) * count


# Tags may all lean by these shares of what they are granted, in place of all of it.
FLATTER = (0.5, 0.25, 0.125)

# What flatter tags say is searched for until no more than this is to be gained, by which odds change by 5 %,
# or for so many rounds: a camera to which nothing fits gains for ever.
ENOUGH, ROUNDS = 0.1, 10


def unlikelihood(problem: Problem, solution: Solution) -> float:
    """Minus twice the logarithm of how likely all that was seen and stated is, but for a constant.

    The constant is the same for the same reads of the same tags, whatever is supposed of camera, lens and
    places.
    """
    scores = [solution.evidence + solution.logdet]
    for share in FLATTER:
        # A camera that flatter tags leave open explains nothing.
        with suppress(SurfaceError):
            found = problem.flatter(share).run(solution.estimate, enough=ENOUGH, rounds=ROUNDS)
            scores.append(found.evidence + found.logdet)
    return float(-2.0 * np.logaddexp.reduce(-0.5 * np.array(scores)))

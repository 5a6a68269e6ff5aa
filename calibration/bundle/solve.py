"""The table under the camera, from what one or more tags look like.

Bundle adjustment over the camera's pose, the lens as far as it is open (its covariance is the
prior), the print scale, and the places of all tags; stated places pull each by its deviation.
Without any stated place the frame is set by two tags: the first is the origin, the second lies on
the x axis, and the printed sizes give the scale. The covariance that comes out is marginal over all
else that was solved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle.parts import STATE, Part, corner_part, tag_part
from calibration.bundle.problem import LIFT, Common, Estimate, Problem, Solution, Start
from calibration.bundle.seen import SeenTag
from calibration.bundle.starts import other_lenses, start_from_corners, starts_by_size
from calibration.lens.model import Lens
from calibration.surface import SeenCorner, Surface, SurfaceError
from engine.space.geometry import FloatArray, Pose, wrap_angle

Key = tuple[str, int]

# Solving the lens from a table's tags leans on small differences in their sizes, where the reader's
# errors are not independent from tag to tag. Measured on rendered frames, what is solved then
# scatters this much more than stated.
GUESSED_INFLATION = 1.3


# A guessed lens is tried anew, wider and narrower, where the cost is so many times what it should be.
ASTRAY = 2.0


@dataclass(frozen=True, eq=False)
class Solved:
    """A surface, where the tags of unknown place lie with (3, 3) covariances, and how well all fits.

    `cost`, `freedom` and `evidence` as in `calibration.bundle.problem.Solution`; `common` are what all tags
    share, in the order of `Common.sds`, with the deviations `common_sd`. `pulls` are by how many
    deviations each stated number was pulled away.
    """

    surface: Surface
    places: dict[Key, tuple[Pose, FloatArray]]
    cost: float
    freedom: int
    evidence: float
    logdet: float
    common: FloatArray
    common_sd: FloatArray
    estimate: Estimate
    pulls: dict[str, float]


def solve_surface(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag] = (),
    frame: tuple[Key, Key] | None = None,
    common: Common | None = None,
) -> Surface:
    """The table's pose under the camera; see `solve`."""
    return solve(lens, corners, tags, frame, common).surface


def solve(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag] = (),
    frame: tuple[Key, Key] | None = None,
    common: Common | None = None,
    near: Estimate | None = None,
) -> Solved:
    """Camera, lens and places from corner tags of stated place and tags of unknown place.

    With stated corners (at least three, or two whose turn is stated) the others only help: a roof
    tag of known size and height settles the camera's height where the lens leaves it open.
    Without, `frame` names the tags that are the origin and the direction of x. `near` is where to begin
    the search. Raises `SurfaceError`.
    """
    common = common or Common()
    parts = [*map(corner_part, corners), *map(tag_part, tags)]
    if corners or frame is None:
        if len(corners) < 3 and sum(4 for c in corners if c.corner.turn is not None) < 8:
            raise _too_few(corners)
        problem = Problem(lens, parts, common, None)
        if near is not None:
            return _solved(problem, problem.run(near))
        return _solved(problem, _best(problem, lambda seen_by: [start_from_corners(seen_by, corners)]))
    flat = [t for t in tags if t.height <= 0.0]
    missing = [str(k[1]) for k in frame if k not in {t.key for t in tags}]
    if missing or len(flat) < 3:
        raise SurfaceError(
            f"the table's frame is set by tags {frame[0][1]} (origin) and {frame[1][1]} (along x), and at "
            f"least three flat tags must be seen; seen: {', '.join(str(t.tag) for t in flat) or 'none'}"
        )
    problem = Problem(lens, parts, common, frame)
    if near is not None:
        return _solved(problem, problem.run(near))
    return _solved(problem, _best(problem, lambda seen_by: starts_by_size(seen_by, flat, frame)))


def _best(problem: Problem, starts: Callable[[Lens], Sequence[Start]]) -> Solution:
    """The cheapest solution from all starts; from other guesses of the lens too where that fits badly."""
    found = [problem.run(start) for start in starts(problem.prior)]
    best = min(found, key=lambda s: s.cost)
    if best.cost > ASTRAY * max(best.freedom, 1):
        for lens in other_lenses(problem.prior):
            with suppress(SurfaceError):
                found += [problem.run(start, lens) for start in starts(lens)]
        best = min(found, key=lambda s: s.cost)
    return best


def _too_few(corners: Sequence[SeenCorner]) -> SurfaceError:
    tags = ", ".join(str(s.corner.tag) for s in corners) or "none"
    return SurfaceError(
        f"the table cannot be found: corner tags seen: {tags}; at least three are needed "
        "(two, where the table file gives their turn). Clear them, light them, or move the camera up"
    )


def _solved(problem: Problem, solution: Solution) -> Solved:
    e, k = solution.estimate, problem.lens_columns.stop
    full = problem.surface_loading()
    known = full @ _inflated(problem, solution)[:k, :k] @ full.T
    sds = np.zeros(len(e.common))
    for which, column in problem.common_column.items():
        sds[which] = math.sqrt(float(solution.covariance[column, column]))
    lift = float(e.common[LIFT]), float(sds[LIFT])
    surface = Surface(e.lens, e.rotation, e.translation, known, 0.0, lift=lift)
    misfits, squares = [], []
    for part, state in zip(problem.parts, e.states, strict=True):
        off = _misfit(surface, part, state, float(e.common[0]))
        # A camera to which nothing fits may see the table's plane edge on: that far off is infinitely far.
        with np.errstate(over="ignore"):
            squares.append(float((off**2).sum(axis=1).mean()))
        if part.corner is not None:
            misfits.append((part.corner, float(np.hypot(*off.mean(axis=0)))))
    residual = math.sqrt(float(np.mean(squares)))
    places = {
        p.key: (
            Pose(*map(float, s)),
            solution.covariance[p.column : p.column + STATE, p.column : p.column + STATE],
        )
        for p, s in zip(problem.parts, e.states, strict=True)
    }
    return Solved(
        replace(surface, residual=residual, misfits=tuple(misfits)),
        places,
        solution.cost,
        solution.freedom,
        solution.evidence,
        solution.logdet,
        e.common,
        sds,
        e,
        _pulls(problem, solution),
    )


def _inflated(problem: Problem, solution: Solution) -> FloatArray:
    """The covariance; of a lens solved from the tags larger, but for what the print's scale makes of it."""
    covariance = solution.covariance
    if not solution.estimate.lens.guessed:
        return covariance
    by_scale = np.zeros_like(covariance)
    if (column := problem.common_column.get(0)) is not None:
        with_scale = covariance[:, column]
        by_scale = np.outer(with_scale, with_scale) / covariance[column, column]
    return np.asarray(by_scale + GUESSED_INFLATION**2 * (covariance - by_scale))


def _pulls(problem: Problem, solution: Solution) -> dict[str, float]:
    """By how many deviations each stated number was pulled away; unit normal if all are right."""
    e, pulls = solution.estimate, {}

    def pull(off: float, sd: float, column: int) -> float:
        # What was stated is itself part of the estimate, so the difference scatters less than either.
        return off / math.sqrt(max(sd**2 - float(solution.covariance[column, column]), (0.05 * sd) ** 2))

    for part, state in zip(problem.parts, e.states, strict=True):
        for axis in np.flatnonzero(np.isfinite(part.stated_sd)):
            off = (
                float(wrap_angle(state[axis] - part.stated[axis]))
                if axis == 2
                else state[axis] - part.stated[axis]
            )
            name = f"{'xyt'[axis]} {part.key[1]}"
            pulls[name] = pull(float(off), float(part.stated_sd[axis]), part.column + int(axis))
    for which, column in problem.common_column.items():
        name = ("scale", "width", "depth", "heights", "places")[which]
        pulls[name] = pull(float(e.common[which]), float(problem.common_sds[which]), column)
    for i, u in enumerate(e.u):
        pulls[f"lens {i}"] = pull(float(u), 1.0, problem.lens_columns.start + i)
    return pulls


def _misfit(surface: Surface, part: Part, state: FloatArray, scale: float) -> FloatArray:
    """How far the tag's corners are seen from where they should be on the table, (4, 2) inches."""
    stated = state.copy()
    stated_here = np.isfinite(part.stated_sd)
    stated[stated_here] = part.stated[stated_here]
    square = part.square(stated) * (1.0 + scale) + stated[:2]
    return np.asarray(surface.table_from_image(part.pixels, part.height) - square)

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
from functools import cached_property, partial

import numpy as np

from calibration.bundle.common import LIFT, Common, grown
from calibration.bundle.guessed import SURFACE, weighed
from calibration.bundle.parts import STATE, Part, SeenTag, corner_part, tag_part
from calibration.bundle.problem import Estimate, Problem, Solution, Start, unlikelihood
from calibration.bundle.starts import other_lenses, start_from_corners, starts_by_size
from calibration.fiducials import TagKey
from calibration.lens.model import Lens
from calibration.surface import SeenCorner, Surface, SurfaceError
from engine.space.geometry import FloatArray, Pose, wrap_angle

# A guessed lens is tried anew, wider and narrower, where the cost is so many times what it should be.
ASTRAY = 2.0


@dataclass(frozen=True, eq=False)
class Solved:
    """A surface, where the tags of unknown place lie with (3, 3) covariances, and how well all fits.

    `cost` and `freedom` as in `calibration.bundle.problem.Solution`; `common` are what all tags share, in the
    order of `Common.sds`, with the deviations `common_sd`. `pulls` are by how many deviations each stated
    number was pulled away, `unlikely` works `evidence` out.
    """

    surface: Surface
    places: dict[TagKey, tuple[Pose, FloatArray]]
    cost: float
    freedom: int
    unlikely: Callable[[], float]
    common: FloatArray
    common_sd: FloatArray
    estimate: Estimate
    pulls: dict[str, float]

    @cached_property
    def evidence(self) -> float:
        """How unlikely all that was seen and stated is, as `calibration.bundle.problem` has it."""
        return self.unlikely()


def solve(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag] = (),
    frame: tuple[TagKey, TagKey] | None = None,
    common: Common | None = None,
    near: Estimate | None = None,
    useless: float = math.inf,
) -> Solved:
    """Camera, lens and places from corner tags of stated place and tags of unknown place.

    With stated corners (at least three, or two whose turn is stated) the others only help: a roof
    tag of known size and height settles the camera's height where the lens leaves it open.
    Without, `frame` names the tags that are the origin and the direction of x. `near` is where to begin
    the search. Raises `SurfaceError`, also where the cost will plainly stay above `useless`.
    """
    common = common or Common()
    parts = [*map(corner_part, corners), *map(tag_part, tags)]
    if corners or frame is None:
        if len(corners) < 3 and sum(4 for c in corners if c.corner.turn is not None) < 8:
            raise _too_few(corners)
        problem = Problem(lens, parts, common, None)
        if near is not None:
            return _told(problem, problem.run(near, useless=useless))
        found = _best(problem, lambda seen_by: [start_from_corners(seen_by, corners)], useless)
        return _told(problem, found)
    flat = [t for t in tags if t.height <= 0.0]
    missing = [str(k[1]) for k in frame if k not in {t.key for t in tags}]
    if missing or len(flat) < 3:
        raise SurfaceError(
            f"the table cannot be found: corner tags seen: {_tag_words([t.tag for t in flat])}; at least "
            f"three are needed, tags {frame[0][1]} and {frame[1][1]} among them, from which places are "
            "counted. Clear them, light them, or move the camera up"
        )
    problem = Problem(lens, parts, common, frame)
    if near is not None:
        return _told(problem, problem.run(near, useless=useless))
    return _told(problem, _best(problem, lambda seen_by: starts_by_size(seen_by, flat, frame), useless))


def _best(problem: Problem, starts: Callable[[Lens], Sequence[Start]], useless: float) -> Solution:
    """The cheapest solution from all starts; from other guesses of the lens too where that fits badly."""
    others = other_lenses(problem.prior)
    found = _searched(problem, starts(problem.prior), math.inf if others else useless)
    best = min(found, key=lambda s: s.cost)
    if best.cost > ASTRAY * max(best.freedom, 1):
        for lens in others:
            with suppress(SurfaceError):
                found += _searched(problem, starts(lens), useless, lens)
        best = min(found, key=lambda s: s.cost)
    return best


def _searched(
    problem: Problem, starts: Sequence[Start], useless: float, lens: Lens | None = None
) -> list[Solution]:
    """Where the searches end that end somewhere. Raises `SurfaceError` where none does."""
    found: list[Solution] = []
    errors: list[SurfaceError] = []
    for start in starts:
        try:
            found.append(problem.run(start, lens, useless=useless))
        except SurfaceError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    return found


def _tag_words(tags: Sequence[int]) -> str:
    """Tags by their ids, so that one id does not read as a count.

    >>> _tag_words([]), _tag_words([0]), _tag_words([0, 2, 3])
    ('none', 'tag 0', 'tags 0, 2 and 3')
    """
    if len(tags) < 2:
        return f"tag {tags[0]}" if tags else "none"
    return f"tags {', '.join(map(str, tags[:-1]))} and {tags[-1]}"


def _too_few(corners: Sequence[SeenCorner]) -> SurfaceError:
    tags = _tag_words([s.corner.tag for s in corners])
    return SurfaceError(
        f"the table cannot be found: corner tags seen: {tags}; at least three are needed "
        "(two, where their turn is stated). Clear them, light them, or move the camera up"
    )


def _told(problem: Problem, solution: Solution) -> Solved:
    """What was solved; under a guessed lens, whether it bends at all is weighed first."""
    if not problem.prior.guessed:
        loading = problem.loading_of_all()
        covariance = loading @ solution.covariance @ loading.T
        unlikely = partial(unlikelihood, problem, solution)
        return _solved(problem, solution, covariance, covariance[:SURFACE, :SURFACE], unlikely)
    found = weighed(problem, solution)
    told = _solved(found.problem, found.solution, found.covariance, found.surface, lambda: found.evidence)
    best = found.likelier[1]
    return replace(told, cost=best.cost, pulls=_pulls(*found.likelier))


def _solved(
    problem: Problem,
    solution: Solution,
    covariance: FloatArray,
    surface_covariance: FloatArray,
    unlikely: Callable[[], float],
) -> Solved:
    """`covariance` is that of `Problem.unknowns`, `surface_covariance` (15, 15) that of pose and lens."""
    e = solution.estimate
    sds = np.zeros(len(e.common))
    shared = slice(SURFACE, SURFACE + len(problem.open_common))
    sds[problem.open_common] = np.sqrt(np.diag(covariance)[shared])
    first = SURFACE + problem.parts[0].column - problem.lens_columns.stop
    lift = float(e.common[LIFT]), float(sds[LIFT])
    surface = Surface(e.lens, e.rotation, e.translation, surface_covariance, 0.0, lift=lift)
    misfits, squares, places = [], [], {}
    for i, (part, state) in enumerate(zip(problem.parts, e.states, strict=True)):
        off = _misfit(surface, part, state, grown(part, e.common))
        # A camera to which nothing fits may see the table's plane edge on: that far off is infinitely far.
        with np.errstate(over="ignore"):
            squares.append(float((off**2).sum(axis=1).mean()))
        if part.corner is not None:
            misfits.append((part.corner, float(np.hypot(*off.mean(axis=0)))))
        own = slice(first + STATE * i, first + STATE * (i + 1))
        places[part.key] = Pose(*map(float, state)), covariance[own, own]
    residual = math.sqrt(float(np.mean(squares)))
    return Solved(
        replace(surface, residual=residual, misfits=tuple(misfits)),
        places,
        solution.cost,
        solution.freedom,
        unlikely,
        e.common,
        sds,
        e,
        _pulls(problem, solution),
    )


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
        name = ("scale", "width", "depth", "heights", "places", "ink")[which]
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

"""Whether all stated numbers fit what is seen, and if not, which one is wrong.

Everything stated has a deviation, so small errors are taken in the least squares' stride. What no
deviation explains is put down to one mistake of those that people make (a corner measured wrong, two
corners swapped, the width or all places off, another lens, wrong heights): each is granted in turn, and
Bayes' rule says how likely each is. Until somebody settles it the surface is uncertain by what the
likely ones disagree about; where no single mistake explains what is seen, nothing is to be ruled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations
from statistics import NormalDist
from typing import Literal, TypeVar

import numpy as np

from calibration.bundle.common import Common, Length
from calibration.bundle.parts import SeenTag
from calibration.bundle.solve import Solved, solve
from calibration.fiducials import TagKey
from calibration.lens.model import Lens, guess_lens
from calibration.surface import (
    CornerTag,
    SeenCorner,
    Surface,
    SurfaceError,
    apart,
    rotation_vector,
)
from engine.ruling import chi_square_above
from engine.space.geometry import FloatArray

_T = TypeVar("_T")

DoubtKind = Literal["corner", "swap", "scale", "width", "depth", "lens", "heights", "height"]

# How often people make each mistake, of all tables (house defaults), and how large it then is.
MISTAKES = 0.2
CORNER_IN, SCALE, STRETCH, HEIGHT_IN = 2.0, 0.07, 0.04, 0.7
# The readers' corners scatter a little more than they state: chi-square is taken by so much less.
OPTIMISM = 1.3
# A mistake is looked for when everything together is off, or one stated number by so many deviations.
FINE, PULLED = 0.02, 2.3
# Nothing is ruled when the best explanation misfits like this, or the likely ones are so far apart, inches.
HOPELESS, APART_IN = 1e-7, 1.5
# That there is a mistake is told when it is so likely; then those are named of which one is it, so surely.
TOLD, NAMED, MOST_NAMED = 0.8, 0.95, 3
# What p1 and p2 of a lens file may be wrong by, standard deviation (house default).
ASKEW = 0.01
# By what a mistake may cost more than the cheapest and be of any weight: what evidence adds differs by less.
NO_WEIGHT = 2000.0
# A number is told as wrong that is off by so many deviations.
OFF = 2.5
# Explanations less likely than this are left out of the mixture. Those likelier than 5 % keep every verdict
# open that would be another one if they were true: a verdict is called at 95 % to one side, which 1.645
# deviations reach, so these reach as far as the explanations lie off, and as much further as each of them is
# unsure itself, so that no more than 5 % of all verdicts are wrong by it; at most this much further.
NEGLIGIBLE, LIKELY = 1e-4, 0.05
ONE_SIDED, FURTHER = NormalDist().inv_cdf(1.0 - LIKELY), 2.0
# A corner is not measured wrong by more than this, inches: then it is another tag, or another corner's place.
FARTHEST_IN = 4.0 * CORNER_IN


@dataclass(frozen=True, eq=False)
class Doubt:
    """A stated number that contradicts what is seen.

    `tags` are the ids that it is about. `value` is what is found and `stated` what the file says, with the
    deviation `sd` (inches, or a share for *scale*, *width* and *depth*); for a corner `value` is how far
    its tag lies from its stated place and `at` where it lies. `chance` is how surely this is the mistake.
    """

    kind: DoubtKind
    tags: tuple[int, ...]
    value: float
    sd: float
    stated: float
    chance: float
    words: str
    at: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Judged:
    """The surface and how well everything fits.

    `consistent` is False where no single mistake explains what is seen: then nothing may be ruled.
    `chi_square` is that of the explanation chosen, with `freedom` degrees of freedom; `stated_chi_square`
    that of everything as stated (infinite where no camera fits at all). `unseen` are the ids of corner tags
    of stated place that were not seen. `unheld` are lengths that were measured while the tags lay elsewhere.
    `loosened`, of a contradiction, is the surface with all stated deviations grown until everything fits.
    """

    surface: Surface
    solved: Solved
    doubts: tuple[Doubt, ...]
    consistent: bool
    chi_square: float
    freedom: int
    stated_chi_square: float
    unseen: tuple[int, ...] = ()
    unheld: tuple[Length, ...] = ()
    loosened: Surface | None = None

    @property
    def unexplained(self) -> bool:
        """Whether what is seen does not fit even with the likeliest mistake granted: there are several."""
        return fits(self.solved) < HOPELESS

    @property
    def named(self) -> tuple[Doubt, ...]:
        """The doubts to be told, likeliest first: one of them is the mistake, as surely as is named.

        None while what is stated may well be right. Where nothing is ruled, the likeliest ones.
        """
        if not self.consistent:
            return self.doubts[:MOST_NAMED]
        if sum(d.chance for d in self.doubts) < TOLD:
            return ()
        surely = list(accumulate(d.chance for d in self.doubts))
        enough = next((k for k, sure in enumerate(surely, 1) if sure >= NAMED), len(surely))
        return self.doubts[: min(enough, MOST_NAMED)]


@dataclass(frozen=True, eq=False)
class _Mistake:
    """One mistake granted: what it changes, how likely it is beforehand, and what to say of it."""

    kind: DoubtKind
    prior: float
    lens: Lens
    corners: tuple[SeenCorner, ...]
    seen: tuple[SeenTag, ...]
    common: Common
    tell: Callable[[Solved, float], Doubt]


def judge(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag] = (),
    frame: tuple[TagKey, TagKey] | None = None,
    common: Common | None = None,
    stated_corners: Sequence[CornerTag] = (),
) -> Judged:
    """As `calibration.bundle.solve.solve`, and what contradicts what. Raises `SurfaceError`.

    `stated_corners` are all corner tags of stated place: one that is covered may have been swapped, too.
    Of the lengths in `common` those count that were measured while the tags lay as they do now.
    """
    common = common or Common()
    alone = _judge(lens, corners, tags, frame, common.by_lengths(()), stated_corners)
    places = {key: pose for key, (pose, _) in alone.solved.places.items()}
    here = [(length, length.now(places)) for length in common.lengths]
    held = tuple(now for _, now in here if now is not None)
    unheld = tuple(length for length, now in here if now is None)
    if not held:
        return replace(alone, unheld=unheld)
    judged = _judge(lens, corners, tags, frame, common.by_lengths(held), stated_corners)
    return replace(judged, unheld=unheld)


def _judge(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag],
    frame: tuple[TagKey, TagKey] | None,
    common: Common,
    stated_corners: Sequence[CornerTag],
) -> Judged:
    """`judge` by all lengths of `common`."""
    seen = {(c.corner.family, c.corner.tag) for c in corners}
    unseen = tuple(c for c in stated_corners if (c.family, c.tag) not in seen)
    error: SurfaceError | None = None
    try:
        stated: Solved | None = solve(lens, corners, tags, frame, common)
    except SurfaceError as problem:
        stated, error = None, problem
        if len(corners) < 4:
            raise
    if (
        stated is not None
        and fits(stated) >= FINE
        and max(map(abs, stated.pulls.values()), default=0.0) < PULLED
    ):
        return _judged(stated, stated, (), _held(stated, lens, tags, frame, common), unseen)
    granted: list[tuple[_Mistake, Solved]] = []
    cheapest = math.inf if stated is None else stated.cost
    for mistake in _mistakes(lens, tuple(corners), tuple(tags), common, unseen):
        solved = _try(mistake, frame, stated, cheapest + NO_WEIGHT)
        if solved is not None:
            granted.append((mistake, solved))
            cheapest = min(cheapest, solved.cost)
    scores = [solved.evidence - 2.0 * math.log(mistake.prior) for mistake, solved in granted]
    if stated is not None:
        scores.append(stated.evidence - 2.0 * math.log(1.0 - MISTAKES))
    if not scores:
        assert error is not None
        raise error
    weights = np.exp(-(np.array(scores) - min(scores)) / 2.0)
    weights /= weights.sum()
    solutions = [s for _, s in granted] + ([stated] if stated is not None else [])
    best = int(weights.argmax())
    likely = [
        mistake.tell(_as_it_fits(solved), float(weight))
        for (mistake, solved), weight in zip(granted, weights, strict=False)
        if weight >= LIKELY
    ]
    doubts = _together([d for d in likely if d.kind != "corner" or d.value <= FARTHEST_IN])
    surfaces = [s.surface for s in solutions]
    surface = _mixed(surfaces, _with_another_lens(granted, weights), best)
    spread = _apart([s for s, w in zip(surfaces, weights, strict=True) if w >= 0.02], surfaces[best], corners)
    # Of a swap the fourth corner tells which pair it is: without it the table may be turned round.
    turned = len(corners) < 4 and any(d.kind == "swap" for d in doubts)
    settled = spread <= APART_IN and not turned
    return _judged(solutions[best], stated, doubts, surface, unseen, settled=settled)


def _with_another_lens(granted: Sequence[tuple[_Mistake, Solved]], weights: FloatArray) -> FloatArray:
    """The weights by which explanations are mixed: where a lens is wrong, as much may be wrong about it.

    That nothing but its focal length is another one needs fewer numbers, and wins where the tags hardly show
    centre and bend. Between the tags these count all the same.
    """
    zoomed, *others = [k for k, (mistake, _) in enumerate(granted) if mistake.kind == "lens"] or [0]
    whole, rest = float(weights[[zoomed, *others]].sum()), float(weights[others].sum())
    if rest <= 0.0 or rest >= whole / 2:
        return weights
    mixed = weights.copy()
    mixed[others] *= whole / 2 / rest
    mixed[zoomed] = whole / 2
    return mixed


def _held(
    stated: Solved, lens: Lens, tags: Sequence[SeenTag], frame: tuple[TagKey, TagKey] | None, common: Common
) -> Surface:
    """The surface where nothing is contradicted, by those tags that tell something of it.

    Where nobody stated places and the lens is calibrated, that is what lies on the table. Small tags that
    lean on roofs of heights that nobody knows well make such a table hardly surer, and each of their reads
    is a little biased: they bear witness, and no more.
    """
    flat = [t for t in tags if t.height <= 0.0]
    if lens.guessed or frame is None or len(flat) == len(tags):
        return stated.surface
    try:
        return solve(lens, (), flat, frame, common).surface
    except SurfaceError:
        return stated.surface


def _together(doubts: Sequence[Doubt]) -> tuple[Doubt, ...]:
    """Likeliest first; two ways to make the same mistake are one doubt."""
    found: dict[tuple[DoubtKind, tuple[int, ...]], Doubt] = {}
    for doubt in sorted(doubts, key=lambda d: -d.chance):
        same = found.get((doubt.kind, doubt.tags))
        chance = doubt.chance + (same.chance if same else 0.0)
        found[doubt.kind, doubt.tags] = replace(same or doubt, chance=chance)
    return tuple(sorted(found.values(), key=lambda d: -d.chance))


def _as_it_fits(solved: Solved) -> Solved:
    """An explanation, as unsure as it misfits where it does not explain what is seen (Birge's ratio)."""
    if fits(solved) >= HOPELESS:
        return solved
    times = math.sqrt(solved.cost / OPTIMISM / solved.freedom)
    surface = solved.surface
    wider = replace(
        surface, covariance=surface.covariance * times**2, lift=(surface.lift[0], surface.lift[1] * times)
    )
    places = {key: (pose, covariance * times**2) for key, (pose, covariance) in solved.places.items()}
    return replace(solved, surface=wider, places=places, common_sd=solved.common_sd * times)


def fits(solved: Solved) -> float:
    """The probability of a misfit as large as this one if all deviations are as stated."""
    if solved.freedom <= 0:
        return 1.0
    return chi_square_above(solved.cost / OPTIMISM, solved.freedom)


def _judged(
    best: Solved,
    stated: Solved | None,
    doubts: tuple[Doubt, ...],
    surface: Surface,
    unseen: Sequence[CornerTag],
    *,
    settled: bool = True,
) -> Judged:
    cost = math.inf if stated is None else stated.cost
    consistent = settled and fits(best) >= HOPELESS
    covered = tuple(c.tag for c in unseen)
    return Judged(surface, best, doubts, consistent, best.cost, best.freedom, cost, covered)


def _apart(likely: Sequence[Surface], best: Surface, corners: Sequence[SeenCorner]) -> float:
    """How far apart the likely explanations put what is seen on the table, inches."""
    if not corners:
        return 0.0
    pixels = np.concatenate([c.corners for c in corners])
    places = best.table_from_image(pixels)
    return max(float(np.hypot(*(s.table_from_image(pixels) - places).T).max()) for s in [best, *likely])


def _try(
    mistake: _Mistake, frame: tuple[TagKey, TagKey] | None, stated: Solved | None, useless: float
) -> Solved | None:
    """What is found if a mistake is granted; None where no camera fits, or none of a cost of any weight."""
    near = None if stated is None or mistake.kind == "swap" else stated.estimate
    try:
        return solve(mistake.lens, mistake.corners, mistake.seen, frame, mistake.common, near, useless)
    except (SurfaceError, np.linalg.LinAlgError):
        return None


def _mixed(surfaces: Sequence[Surface], weights: FloatArray, best: int) -> Surface:
    """The best surface, as uncertain as the likely ones together."""
    chosen = surfaces[best]
    centre = _parameters(chosen)
    covariance = np.zeros_like(chosen.covariance)
    for surface, weight in zip(surfaces, weights, strict=True):
        if weight < NEGLIGIBLE:
            continue
        off, own = apart(_parameters(surface), surface.covariance, centre)
        kept = float(weight)
        if weight >= LIKELY:
            kept = max(kept, (_reach(off, own, float(weight)) / ONE_SIDED) ** 2)
        covariance += weight * own + kept * np.outer(off, off)
    lifts, sds = np.array([s.lift for s in surfaces]).T
    lift = float(weights @ lifts)
    lift_sd = math.sqrt(float(weights @ (sds**2 + (lifts - lift) ** 2)))
    return replace(chosen, covariance=covariance, lift=(lift, lift_sd))


def _reach(off: FloatArray, own: FloatArray, weight: float) -> float:
    """How far an explanation reaches that lies off by `off` (15,), as a multiple of that."""
    sds = np.sqrt(np.diag(own))
    open_ = sds > 0.0
    if np.any(off[~open_] != 0.0):
        # It is sure of that itself.
        return 1.0
    scaled = off[open_] / sds[open_]
    correlation = own[np.ix_(open_, open_)] / np.outer(sds[open_], sds[open_])
    by_own_sds = math.sqrt(
        max(float(scaled @ np.linalg.pinv(correlation, 1e-9, hermitian=True) @ scaled), 0.0)
    )
    wrong = NormalDist().inv_cdf(1.0 - min(LIKELY / weight, 0.5))
    return min(1.0 + wrong / max(by_own_sds, 1e-9), FURTHER)


def _parameters(surface: Surface) -> FloatArray:
    pose = np.concatenate([rotation_vector(surface.rotation), surface.translation])
    return np.concatenate([pose, surface.lens.parameters])


def _mistakes(
    lens: Lens,
    corners: tuple[SeenCorner, ...],
    seen: tuple[SeenTag, ...],
    common: Common,
    unseen: tuple[CornerTag, ...],
) -> Iterator[_Mistake]:
    """Every mistake that could explain what is seen, one at a time."""

    def of(
        kind: DoubtKind, share: float, tell: Callable[[Solved, float], Doubt], **change: object
    ) -> _Mistake:
        given = {"lens": lens, "corners": corners, "seen": seen, "common": common} | change
        return _Mistake(kind, MISTAKES * share, tell=tell, **given)  # type: ignore[arg-type]

    for k, c in enumerate(corners):
        loose = replace(c, corner=replace(c.corner, sd=CORNER_IN, turn=None))
        yield of("corner", 0.4 / len(corners), _tell_corner(c.corner), corners=_with(corners, k, loose))
    stated = [*(c.corner for c in corners), *unseen]
    pairs = [(i, j) for i, j in combinations(range(len(stated)), 2) if i < len(corners)]
    for i, j in pairs:
        one, other = stated[i], stated[j]
        swapped = _with(corners, i, replace(corners[i], corner=_put(one, other)))
        if j < len(corners):
            swapped = _with(swapped, j, replace(corners[j], corner=_put(other, one)))
        tell = _tell_swap(one, other)
        yield of("swap", 0.1 / len(pairs), tell, corners=swapped)
    if corners:
        # Paper printed too small, or every place measured too large: the picture shows only their ratio.
        yield of("scale", 0.08, _tell_scale, common=replace(common, scale=SCALE))
        yield of("scale", 0.08, _tell_places, common=replace(common, places=SCALE))
        yield of("width", 0.08, _tell_stretch("width", corners), common=replace(common, stretch_x=STRETCH))
        yield of("depth", 0.08, _tell_stretch("depth", corners), common=replace(common, stretch_y=STRETCH))
    if not lens.guessed:
        for another in (_zoomed(lens), guess_lens(lens.size).covariance, _askew(lens)):
            wide = replace(lens, covariance=lens.covariance + another)
            yield of("lens", 0.1 / 3, _tell_lens(lens), lens=wide)
    raised = {t.key: t for t in seen if t.height > 0.0}
    if raised:
        yield of("heights", 0.1, _tell_heights, common=replace(common, lift=HEIGHT_IN))
    for key, tag in raised.items():
        free = tuple(replace(t, sd_height=HEIGHT_IN) if t.key == key else t for t in seen)
        yield of("height", 0.1 / len(raised), _tell_height(tag), seen=free)


def _zoomed(lens: Lens) -> FloatArray:
    """What is added to a lens's covariance if nothing but its focal length is another one."""
    added = np.zeros_like(lens.covariance)
    added[:2, :2] = guess_lens(lens.size).covariance[:2, :2]
    return added


def _askew(lens: Lens) -> FloatArray:
    """What is added to a lens's covariance (9, 9) if everything about it may be another, p1 and p2 included.

    A bad calibration has such ones and no good lens, so that a guess leaves them out.
    """
    added = guess_lens(lens.size).covariance
    added[6:8, 6:8] = np.eye(2) * ASKEW**2
    return added


def _with(items: tuple[_T, ...], k: int, item: _T) -> tuple[_T, ...]:
    return (*items[:k], item, *items[k + 1 :])


def _put(corner: CornerTag, there: CornerTag) -> CornerTag:
    return replace(corner, at=there.at, turn=there.turn, sd=there.sd)


def _both(a: CornerTag, b: CornerTag) -> tuple[int, int]:
    return min(a.tag, b.tag), max(a.tag, b.tag)


def _tell_corner(corner: CornerTag) -> Callable[[Solved, float], Doubt]:
    def tell(solved: Solved, chance: float) -> Doubt:
        pose, covariance = solved.places[corner.family, corner.tag]
        off = np.array([pose.x - corner.at[0], pose.y - corner.at[1]])
        distance = float(np.hypot(*off))
        sd = math.sqrt(float(off @ covariance[:2, :2] @ off)) / max(distance, 1e-9)
        words = (
            f"corner tag {corner.tag} lies {distance:.2f} ± {sd:.2f} in from its stated place, "
            f"at {pose.x:.2f}, {pose.y:.2f} and not {corner.at[0]:g}, {corner.at[1]:g}: measure its place "
            "again, or tape it back"
        )
        return Doubt("corner", (corner.tag,), distance, sd, 0.0, chance, words, (pose.x, pose.y))

    return tell


def _tell_swap(a: CornerTag, b: CornerTag) -> Callable[[Solved, float], Doubt]:
    def tell(_: Solved, chance: float) -> Doubt:
        first, second = _both(a, b)
        words = (
            f"corner tags {first} and {second} lie at each other's stated place: swap the two tags on the "
            "table, or their places"
        )
        return Doubt("swap", (first, second), 0.0, 0.0, 0.0, chance, words)

    return tell


def _tell_scale(solved: Solved, chance: float) -> Doubt:
    return _tell_sizes(float(solved.common[0]), float(solved.common_sd[0]), chance)


def _tell_places(solved: Solved, chance: float) -> Doubt:
    return _tell_sizes(-float(solved.common[4]), float(solved.common_sd[4]), chance)


def _tell_sizes(scale: float, sd: float, chance: float) -> Doubt:
    smaller = scale < 0.0
    words = (
        f"the tags look {abs(scale):.1%} ± {sd:.1%} {'smaller' if smaller else 'larger'} than their stated "
        "size against the stated places of the corner tags: measure a printed black square, then "
        "the places of the corner tags"
    )
    return Doubt("scale", (), scale, sd, 0.0, chance, words)


def _tell_stretch(
    kind: Literal["width", "depth"], corners: Sequence[SeenCorner]
) -> Callable[[Solved, float], Doubt]:
    axis = 0 if kind == "width" else 1
    places = [c.corner.at[axis] for c in corners]
    stated = max(places) - min(places)
    way = "left to right" if kind == "width" else "near to far"

    def tell(solved: Solved, chance: float) -> Doubt:
        stretch, sd = float(solved.common[1 + axis]), float(solved.common_sd[1 + axis])
        words = (
            f"from {way} the corner tags lie {stated * (1 + stretch):.2f} ± {stated * sd:.2f} in apart, not "
            f"{stated:.2f} as stated: measure it again"
        )
        return Doubt(kind, (), stated * (1 + stretch), stated * sd, stated, chance, words)

    return tell


def _tell_lens(lens: Lens) -> Callable[[Solved, float], Doubt]:
    def tell(solved: Solved, chance: float) -> Doubt:
        found, stated = float(solved.surface.lens.K[0, 0]), float(lens.K[0, 0])
        sd = math.sqrt(float(solved.surface.covariance[6, 6]))
        words = (
            "the lens file does not belong to this camera as it is set: "
            f"{_what_is_off(lens, solved.surface)}. Choose its own lens file, or calibrate the lens again"
        )
        return Doubt("lens", (), found, sd, stated, chance, words)

    return tell


def _what_is_off(lens: Lens, surface: Surface) -> str:
    """What a lens file says otherwise than the tags do, for people; first the focal length."""
    found, stated = surface.lens.parameters, lens.parameters
    sds = np.sqrt(np.diag(surface.covariance)[6:])
    times = np.abs(found - stated) / np.maximum(np.hypot(sds, lens.sd), 1e-9)
    focal, askew = times[0], times[6:8].max()
    if focal >= OFF or (focal >= 1.0 and askew < OFF):
        return f"its focal length is {stated[0]:.0f} pixels, the tags say {found[0]:.0f} ± {sds[0]:.0f}"
    if askew >= OFF:
        return (
            f"its tangential bend (p1, p2) is {stated[6]:.4f}, {stated[7]:.4f}, the tags say {found[6]:.4f}, "
            f"{found[7]:.4f} ± {sds[6:8].max():.4f}"
        )
    return f"its focal length of {stated[0]:.0f} pixels may be right, its centre or its bend is not"


def _tell_heights(solved: Solved, chance: float) -> Doubt:
    lift, sd = solved.surface.lift
    words = (
        f"all roof tags look {abs(lift):.2f} ± {sd:.2f} in {'higher' if lift > 0 else 'lower'} than "
        "stated: measure again how high the roof tags sit, and the black squares of roof and corner tags"
    )
    return Doubt("heights", (), lift, sd, 0.0, chance, words)


def _tell_height(seen: SeenTag) -> Callable[[Solved, float], Doubt]:
    def tell(_: Solved, chance: float) -> Doubt:
        words = (
            f"tag {seen.tag} looks higher or lower above the table than the {seen.height:g} in that are "
            "stated: measure how high it sits, and its black square, and set it up anew"
        )
        return Doubt("height", (seen.tag,), math.nan, math.nan, seen.height, chance, words)

    return tell

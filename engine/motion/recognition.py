"""Which way did it go: a track becomes straight runs, drifts and turns, and is held against a plan.

A hand pushes a car through a few simple steps, too far and back, in several pushes, or carries it; it
hides the car on the way. So steps are proposed in two ways: the few that could lead from where the car
stood to where it stands at all, and those into which the track itself falls
(`engine.motion.segmentation`). The ones that explain start, end and what was seen between them best
(`engine.motion.fit`), with a price for every further size, are the manoeuvre.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engine.errors import TableRefError
from engine.measure.sweep import Step, Straight, Turn, poses_along
from engine.motion.fit import Fit, Track, count_of, fitted, sizes_of
from engine.motion.segmentation import LEAST_RUN, LEAST_TURN, cut, joined
from engine.ruling import Belief, Measurement
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body

LEAST_DRIFT = 0.15
"""Inches below which a run that ends aside of its line is no drift but a hand's trembling."""

_MIDDLE = (0.0, 0.0)
_SWING = math.radians(6.0)

Pivot = tuple[float, float]


def plain(track: Track, pivots: Sequence[Pivot]) -> list[list[Step]]:
    """What start and end alone allow: one run, one drift, one turn with its runs."""
    move = track.start.inverse().compose(track.end)
    found: list[list[Step]] = [[], [Straight(move.x)]]
    if abs(move.y) >= LEAST_DRIFT:
        found += _drifts(track, move)
    if abs(track.turned) >= LEAST_TURN:
        found.append([Turn(track.turned, _MIDDLE)])
        for pivot in pivots:
            found += _turns(move, track.turned, pivot)
    return [joined(steps) for steps in found]


def winding(track: Track, pivots: Sequence[Pivot]) -> list[list[Step]]:
    """What the samples suggest: a drift and a turn, two turns, the steps into which the track falls."""
    found: list[list[Step]] = []
    for pivot in pivots:
        found += _drift_and_turn(track, pivot)
        found += _two_turns(track, pivot)
        found += cut(track.rows, pivot, track.sd, track.sd_heading)
    return [joined(steps) for steps in found]


def fuller(steps: Sequence[Step]) -> list[list[Step]]:
    """The same steps with one more run before or after a turn: what a hand may have hidden."""
    found: list[list[Step]] = []
    if steps and isinstance(steps[-1], Turn):
        found.append([*steps, Straight(0.5)])
    if steps and isinstance(steps[0], Turn):
        found.append([Straight(0.5), *steps])
    return found


def _turns(move: Pose, angle: float, pivot: Pivot) -> list[list[Step]]:
    """A turn with runs before and after it; `move` is the end in the start's frame."""
    way = move.to_table(np.array(pivot)) - pivot
    turn, sin, cos = Turn(angle, pivot), math.sin(angle), math.cos(angle)
    found: list[list[Step]] = [
        [turn],
        [Straight(float(way[0])), turn],
        [turn, Straight(float(way @ (cos, sin)))],
    ]
    if abs(sin) >= math.sin(LEAST_TURN):
        after = float(way[1]) / sin
        found.append([Straight(float(way[0]) - after * cos), turn, Straight(after)])
    return found


def _drifts(track: Track, move: Pose) -> list[list[Step]]:
    """A drift with straight runs before and after it, by where the samples begin and end to go aside."""
    body = np.array([track.start.to_body(row) for row in track.rows[:, :2]])
    aside = body[:, 1] / move.y
    early, late = body[aside < 0.15, 0], body[aside > 0.85, 0]
    ahead = move.x
    # The ends of a gently begun drift, from where it is at a seventh and at six sevenths.
    a = float(early.max(initial=0.0)) if ahead > 0 else float(early.min(initial=0.0))
    b = float(late.min(initial=ahead)) if ahead > 0 else float(late.max(initial=ahead))
    a, b = a - 0.15 * (b - a) / 0.7, b + 0.15 * (b - a) / 0.7
    a, b = (min(max(v / ahead, 0.0), 1.0) * ahead if abs(ahead) > LEAST_RUN else 0.0 for v in (a, b))
    inch = math.copysign(min(1.0, abs(ahead)), ahead)
    places: list[list[Step]] = [
        [Straight(k * (ahead - inch)), Straight(inch, move.y), Straight((1.0 - k) * (ahead - inch))]
        for k in (0.0, 0.5, 1.0)
    ]
    return [
        *places,
        [Straight(ahead, move.y)],
        [Straight(a), Straight(ahead - a, move.y)],
        [Straight(b, move.y), Straight(ahead - b)],
        [Straight(a), Straight(b - a, move.y), Straight(ahead - b)],
    ]


def _drift_and_turn(track: Track, pivot: Pivot) -> list[list[Step]]:
    """A turn between runs of which one goes aside, by the samples at the first and at the last heading."""
    if abs(track.turned) < LEAST_TURN:
        return []
    near = max(2.0 * track.sd_heading, math.radians(2.0))
    first = np.flatnonzero(np.abs(track.rows[:, 2] - track.rows[0, 2]) < near)
    last = np.flatnonzero(np.abs(track.rows[:, 2] - track.rows[-1, 2]) < near)
    begun, ended = _pose(track.rows[first[-1]]), _pose(track.rows[last[0]])
    before = Straight(*track.start.to_body(begun.xy).tolist())
    after = Straight(*ended.to_body(track.end.xy).tolist())
    turn = Turn(track.turned, pivot)
    found: list[list[Step]] = []
    if abs(before.left) >= LEAST_DRIFT:
        found.append([before, turn, Straight(after.ahead)])
    if abs(after.left) >= LEAST_DRIFT:
        found.append([Straight(before.ahead), turn, after])
    # Where the drift was hidden: an inch aside before the turn, or after it.
    move = track.start.inverse().compose(track.end)
    sin, cos = math.sin(track.turned), math.cos(track.turned)
    for left, before_turn in itertools.product((-1.0, 1.0), (True, False)):
        x, y = (0.0, left) if before_turn else (-left * sin, left * cos)
        for steps in _turns(Pose(move.x - x, move.y - y, move.heading), track.turned, pivot)[3:]:
            k = 0 if before_turn else 2
            run = steps[k]
            assert isinstance(run, Straight)
            steps[k] = Straight(run.ahead, left)
            found.append(steps)
    return found


def _two_turns(track: Track, pivot: Pivot) -> list[list[Step]]:
    """Two turns against each other, by where the heading swung out farthest."""
    low, high = sorted((float(track.rows[0, 2]), float(track.rows[-1, 2])))
    swing = track.rows[:, 2] - np.clip(track.rows[:, 2], low, high)
    out = int(np.abs(swing).argmax())
    if abs(swing[out]) < _SWING:
        return []
    resting = np.flatnonzero(np.abs(swing - swing[out]) < max(2.0 * track.sd_heading, math.radians(2.0)))
    found: list[list[Step]] = []
    for k in {int(resting[0]), int(resting[-1])}:
        there = _pose(track.rows[k])
        angle = float(track.rows[k, 2] - track.rows[0, 2])
        firsts = _turns(track.start.inverse().compose(there), angle, pivot)
        seconds = _turns(there.inverse().compose(track.end), track.turned - angle, pivot)
        found += [[*a, *b] for a, b in itertools.product(firsts[2:], seconds[2:])]
    return found


def _pose(row: FloatArray) -> Pose:
    return Pose(*map(float, row))


# From a track to its steps

SLIP = 0.03
"""Inches by which a car stands beside where a hand's steps lead (house default)."""

SLIP_TURN = math.radians(0.6)
"""Radians by which it stands askew of them (house default)."""

_PRICE = 8.0
_GOOD, _BAD = 12.0, 30.0
_DOUBT = 10.0
_ASKEW, _ASKEW_TURN, _PIVOT = 0.06, math.radians(1.0), 0.05
_MOST = 90
_TRIED, _PATIENT = 3, 30
_UNSEEN = 0.75
_ELSEWHERE = 0.1
_CALLED = 1.645  # deviations beyond which an answer is called at 95 %


@dataclass(frozen=True, slots=True)
class Done:
    """One recognised step with the deviations of its sizes: inches and radians."""

    step: Step
    sd_ahead: float = 0.0
    sd_left: float = 0.0
    sd_angle: float = 0.0

    @property
    def kind(self) -> Literal["straight", "drift", "turn"]:
        """What people call it."""
        if isinstance(self.step, Turn):
            return "turn"
        return "drift" if self.step.left != 0.0 else "straight"

    @property
    def ahead(self) -> float:
        """Inches ahead, below 0 back; 0 of a turn."""
        return self.step.ahead if isinstance(self.step, Straight) else 0.0

    @property
    def left(self) -> float:
        """Inches aside, to the left above 0; 0 of a turn."""
        return self.step.left if isinstance(self.step, Straight) else 0.0

    @property
    def angle(self) -> float:
        """Radians, counter-clockwise; 0 of a run."""
        return self.step.angle if isinstance(self.step, Turn) else 0.0

    @property
    def words(self) -> str:
        """For people: `turn 35.3° left`, `straight 2.00 in`."""
        return step_words(self.step)


NEVER_ASTRAY = Measurement(Belief(0.0, 0.0))
"""All that was seen lies on the way."""


@dataclass(frozen=True, eq=False)
class Manoeuvre:
    """What a track was: from `start` to `end`, through `steps`.

    `runs` are the same with straight steps that follow each other put together, their drifts added.
    `length` is the sum of the straight runs along the heading in inches, as a ruler held at the
    front measures it, and `turn` the sum of the turns in radians, left above 0, both with deviation. `stray`
    is how far a seen place lies off the way, inches (the largest but for one in twenty); `unseen` the
    longest stretch in inches over which the piece was not seen. `doubts` are other manoeuvres that
    explain what was seen nearly as well; `elsewhere` such that are the same in kind and in size, but lead
    another way: turned about another point of the car.
    """

    start: Pose
    end: Pose
    steps: tuple[Done, ...]
    runs: tuple[Done, ...]
    length: Measurement
    turn: Measurement
    stray: Measurement = NEVER_ASTRAY
    unseen: float = 0.0
    doubts: tuple[Manoeuvre, ...] = ()
    elsewhere: tuple[Manoeuvre, ...] = ()

    @property
    def turned(self) -> Measurement:
        """How much it turned in all, radians: a turn to the right adds to one to the left."""
        turns = [done for done in self.steps if done.angle]
        one_way = len({done.angle > 0.0 for done in turns}) < 2
        sd = self.turn.sd if one_way else sum(done.sd_angle for done in turns)
        return Measurement(Belief(sum(abs(done.angle) for done in turns), sd), "rad")

    @property
    def words(self) -> str:
        """For people: the steps in order."""
        return ", ".join(done.words for done in self.steps) or "stood still"

    @property
    def runs_words(self) -> str:
        """For people who only want to know what it came to: the runs in order."""
        return ", ".join(done.words for done in self.runs) or "stood still"

    @property
    def open_words(self) -> str:
        """The runs in order, and in which other sizes they lead to the same end where nobody saw them."""
        return " or ".join(dict.fromkeys([self.runs_words, *(m.runs_words for m in self.elsewhere)]))


def up_to(seen: Manoeuvre, step: int, share: float) -> Manoeuvre:
    """A manoeuvre up to a share of one of its steps; what it is known by stays as it was."""
    kept = [*seen.steps[:step], replace(seen.steps[step], step=seen.steps[step].step.part(share))]
    steps = tuple(d for d in kept if d.step.size > 1e-6)
    runs: list[Done] = []
    for done in steps:
        last = runs[-1].step if runs else None
        if isinstance(done.step, Straight) and isinstance(last, Straight):
            runs[-1] = replace(done, step=Straight(last.ahead + done.step.ahead, last.left + done.step.left))
        else:
            runs.append(done)
    length = sum(abs(d.ahead) for d in runs)
    angle = sum(d.angle for d in steps)
    return replace(
        seen,
        end=poses_along(seen.start, [d.step for d in steps])[-1],
        steps=steps,
        runs=tuple(runs),
        length=Measurement(Belief(float(length), seen.length.sd)),
        turn=Measurement(Belief(float(angle), seen.turn.sd), "rad"),
        doubts=(),
        elsewhere=(),
    )


def step_words(step: Step) -> str:
    """A step as players say it.

    >>> step_words(Turn(math.radians(-40)))
    'turn 40.0° right'
    >>> step_words(Straight(2, -1))
    'straight 2.00 in with a drift of 1.00 in right'
    """
    if isinstance(step, Turn):
        return f"turn {math.degrees(abs(step.angle)):.1f}° {'left' if step.angle >= 0 else 'right'}"
    way = f"straight {step.ahead:.2f} in" if step.ahead >= 0 else f"back {-step.ahead:.2f} in"
    if step.left == 0.0:
        return way
    return f"{way} with a drift of {abs(step.left):.2f} in {'left' if step.left > 0 else 'right'}"


def rear_of(body: Body) -> tuple[float, float]:
    """The middle of the body's rear edge: where a ruler lies when a car is turned on its rear."""
    outline = body.footprint.outline
    return float(outline[:, 0].min()), float((outline[:, 1].min() + outline[:, 1].max()) / 2)


def pivots_of(body: Body) -> tuple[tuple[float, float], ...]:
    """Where hands let a car turn that is turned on its rear: its rear edge, and its rear axle."""
    if body.tyres is None:
        return (rear_of(body),)
    x, y = body.rear_axle
    return (float(x), float(y)), rear_of(body)


def recognise(
    track: Sequence[Pose],
    *,
    pivot: Pivot | Sequence[Pivot] = (0.0, 0.0),
    sd: float = 0.01,
    sd_heading: float = math.radians(0.4),
    rests: tuple[FloatArray, FloatArray] | None = None,
    slip: tuple[float, float] = (0.0, 0.0),
) -> Manoeuvre:
    """The straight runs, drifts and turns of a track of at least two poses, in order of time.

    `pivot` is the body point that stays in place in a turn (inches), or several that come in
    question; `sd` and `sd_heading` are the deviations of one sample. Without `rests` the samples at
    rest before and after are found and averaged, so hand over a few; with them the first and the last
    pose are where the piece stood and stands, known with these covariances (3, 3). `slip` is by how
    much the hand may have let it stand beside where the steps lead: inches and radians.
    """
    if len(track) < 2:
        raise TableRefError(f"a track needs at least two poses but got {len(track)}; keep the car in view")
    pivots: list[Pivot] = [(float(x), float(y)) for x, y in np.reshape(pivot, (-1, 2))]
    seen = _as_track(track, sd, sd_heading, rests)
    # A pivot that gives a little moves the car the more, the farther it turns.
    play = 2.0 * abs(math.sin(seen.turned / 2))
    spare = _askew(slip[0] * (1.0 + play), slip[1])
    # The end may lie beside the steps for a hand's trembling, or no simple steps would ever be believed.
    loose = np.maximum(spare, _askew(_ASKEW + _PIVOT * play, _ASKEW_TURN))
    fits = _best(seen, plain(seen, pivots), loose)
    if fits[0].cost > _GOOD:
        ways = winding(seen, pivots)
        fits = sorted([*fits, *_best(seen, ways, loose)], key=_price)
        if fits[0].cost > _BAD:
            # A way that lies beside many samples gives them up one by one: all of them pull at it first.
            pulled = (fitted(seen, steps, loose, _PATIENT, every=True).steps for steps in _unlike(ways))
            fits = sorted([*fits, *(fitted(seen, steps, loose) for steps in pulled)], key=_price)
    if _unseen(seen):
        fits = sorted([*fits, *_best(seen, fuller(fits[0].steps), loose)], key=_price)
    near = [fit for fit in fits if _price(fit) <= _price(fits[0]) + _DOUBT]
    whole = [_manoeuvre(seen, fitted(seen, _tidy(fit.steps), spare, _PATIENT)) for fit in near]
    others = tuple(m for m in whole[1:] if _differs(m, whole[0]))
    elsewhere = tuple(m for m in whole[1:] if m not in others and _leads_elsewhere(m, whole[0]))
    return replace(_left_open(whole[0], elsewhere), doubts=others, elsewhere=elsewhere)


def _askew(inches: float, angle: float) -> FloatArray:
    return np.asarray(np.diag([inches, inches, angle]) ** 2)


def _tidy(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps without what a fit has made to nothing."""
    plain = [Straight(s.ahead) if isinstance(s, Straight) and abs(s.left) < LEAST_DRIFT else s for s in steps]
    tidy = joined(plain)
    return tidy if len(tidy) < len(steps) else plain


def _differs(other: Manoeuvre, one: Manoeuvre) -> bool:
    """Whether another reading of a track is one to think of, and not the same in other sizes."""
    if _ways(d.step for d in other.steps) > _ways(d.step for d in one.steps):
        # Back, a turn on the axle and ahead is a turn on the rear edge.
        return False
    if [d.kind for d in one.runs] != [d.kind for d in other.runs]:
        return True
    return any(
        abs(a.value - b.value) > 3.0 * max(a.sd, b.sd, 0.01)
        for a, b in ((one.length, other.length), (one.turn, other.turn))
    )


def _leads_elsewhere(other: Manoeuvre, one: Manoeuvre) -> bool:
    """Whether a reading of the same kinds in the same sizes leads another way."""
    mine, theirs = ([d.step for d in m.steps] for m in (one, other))
    if [type(s) for s in mine] != [type(s) for s in theirs]:
        return False
    places = zip(poses_along(one.start, mine), poses_along(other.start, theirs), strict=True)
    return any(math.dist(a.xy, b.xy) > _ELSEWHERE for a, b in places)


def _left_open(one: Manoeuvre, elsewhere: Sequence[Manoeuvre]) -> Manoeuvre:
    """The manoeuvre with its single sizes as unsure as the other ways of going leave them.

    About another point of the car the same turn needs a longer run before it and a shorter one after: where
    the turn was not seen, the ends do not tell. What they add up to is as sure as before.
    """
    steps, runs = list(one.steps), list(one.runs)
    for other in elsewhere:
        steps = [_as_unsure(a, b) for a, b in zip(steps, other.steps, strict=True)]
        if [d.kind for d in runs] == [d.kind for d in other.runs]:
            runs = [_as_unsure(a, b) for a, b in zip(runs, other.runs, strict=True)]
    return replace(one, steps=tuple(steps), runs=tuple(runs))


def sds_of_runs(one: Manoeuvre) -> tuple[float, ...]:
    """How surely each run is known for the point that the car turned about, inches; of a turn 0.

    Without what other points of its rear leave open: for who looks at each of these points anyway.
    """
    found = []
    for k, done in enumerate(one.runs):
        left = done.sd_ahead**2
        for other in one.elsewhere:
            if [d.kind for d in one.runs] != [d.kind for d in other.runs]:
                continue
            a, b = done.step, other.runs[k].step
            if isinstance(a, Straight) and isinstance(b, Straight):
                left -= ((a.ahead - b.ahead) / _CALLED) ** 2
        found.append(math.sqrt(max(left, 0.0)))
    return tuple(found)


def _as_unsure(one: Done, other: Done) -> Done:
    """One step, with deviations at which nothing is called that the other one would turn."""
    a, b = one.step, other.step
    if isinstance(a, Turn) or isinstance(b, Turn):
        if not (isinstance(a, Turn) and isinstance(b, Turn)):
            return one
        return replace(one, sd_angle=math.hypot(one.sd_angle, (a.angle - b.angle) / _CALLED))
    return replace(
        one,
        sd_ahead=math.hypot(one.sd_ahead, (a.ahead - b.ahead) / _CALLED),
        sd_left=math.hypot(one.sd_left, (a.left - b.left) / _CALLED),
    )


def _best(track: Track, rows: Sequence[Sequence[Step]], loose: FloatArray) -> list[Fit]:
    """The few rows of steps that explain the track best for their price, best first."""
    rough = sorted((fitted(track, steps, loose, rounds=2) for steps in _unlike(rows)), key=_price)
    return sorted((fitted(track, fit.steps, loose) for fit in rough[:_TRIED]), key=_price)


def _price(fit: Fit) -> float:
    """What a fit costs: every size has its price, going there and back and sliding sideways another."""
    sideways = sum(isinstance(s, Straight) and abs(s.left) > abs(s.ahead) for s in fit.steps)
    return fit.cost + _PRICE * (
        2 * sideways + sum(count_of(s) for s in fit.steps) + 2 * max(_ways(fit.steps) - 1, 0)
    )


def _ways(steps: Iterable[Step]) -> int:
    """In how many directions the steps run: 1 or 2, or 0."""
    return len({math.copysign(1.0, s.ahead) for s in steps if isinstance(s, Straight)})


def _unlike(rows: Iterable[Sequence[Step]]) -> list[Sequence[Step]]:
    """The rows of steps without those that differ from an earlier one in nothing worth mentioning."""
    out: list[Sequence[Step]] = []
    for steps in rows:
        shape = [(type(s), getattr(s, "pivot", None), count_of(s)) for s in steps]
        for other in out:
            if shape == [(type(s), getattr(s, "pivot", None), count_of(s)) for s in other] and np.allclose(
                sizes_of(steps), sizes_of(other), atol=0.05
            ):
                break
        else:
            out.append(steps)
    return out


# The track


def _as_track(
    track: Sequence[Pose], sd: float, sd_heading: float, rests: tuple[FloatArray, FloatArray] | None
) -> Track:
    rows = np.array([(p.x, p.y, p.heading) for p in track])
    rows[:, 2] = np.unwrap(rows[:, 2])
    if rests is not None:
        return Track(_thinned(rows), *rests, sd, sd_heading)
    one = np.diag([sd, sd, sd_heading]) ** 2
    start, rest_at_start = _rest(rows, sd, sd_heading)
    end, rest_at_end = _rest(rows[::-1], sd, sd_heading)
    moving = rows[max(rest_at_start - 1, 0) : len(rows) - max(rest_at_end - 1, 0)]
    moving = _thinned(np.concatenate([[start], moving, [end]]))
    return Track(moving, one / rest_at_start, one / rest_at_end, sd, sd_heading)


def _rest(rows: FloatArray, sd: float, sd_heading: float) -> tuple[FloatArray, int]:
    """The mean of the leading samples that stand still, and how many they are."""
    away = np.hypot(*(rows[:, :2] - rows[0, :2]).T) > 5.0 * sd
    away |= np.abs(rows[:, 2] - rows[0, 2]) > 5.0 * sd_heading
    still = int(away.argmax()) if away.any() else len(rows)
    # The last of them may have begun to move.
    still = max(still - 1, 1) if away.any() else still
    return rows[:still].mean(axis=0), still


def _thinned(rows: FloatArray) -> FloatArray:
    if len(rows) <= _MOST:
        return rows
    effort = np.abs(np.diff(rows, axis=0)) @ (1.0, 1.0, 1.5)
    place = np.concatenate([[0.0], np.cumsum(effort)])
    chosen = np.searchsorted(place, np.linspace(0.0, place[-1], _MOST))
    kept = np.unique(np.clip([0, *chosen, len(rows) - 1], 0, len(rows) - 1))
    return np.asarray(rows[kept])


# What it was


def _manoeuvre(track: Track, fit: Fit) -> Manoeuvre:
    covariance, steps = fit.covariance, fit.steps
    # Which sizes make up the ahead, left and angle of each step, and of each run of straight steps.
    rows: list[FloatArray] = []
    k = 0
    for step in steps:
        row = np.zeros((3, len(covariance)))
        if isinstance(step, Turn):
            row[2, k] = 1.0
        else:
            row[0, k] = 1.0
            if step.left != 0.0:
                row[1, k + 1] = 1.0
        rows.append(row)
        k += count_of(step)
    runs: list[tuple[Step, FloatArray]] = []
    for step, row in zip(steps, rows, strict=True):
        last = runs[-1][0] if runs else None
        if isinstance(step, Straight) and isinstance(last, Straight):
            runs[-1] = (Straight(last.ahead + step.ahead, last.left + step.left), runs[-1][1] + row)
        else:
            runs.append((step, row))
    length = sum(abs(s.ahead) for s, _ in runs if isinstance(s, Straight))
    angle = sum(s.angle for s in steps if isinstance(s, Turn))
    signs = [math.copysign(1.0, s.ahead) if isinstance(s, Straight) else 1.0 for s, _ in runs]
    total = (
        np.sum([sign * row for sign, (_, row) in zip(signs, runs, strict=True)], axis=0)
        if runs
        else np.zeros((3, len(covariance)))
    )
    sds = np.sqrt(np.einsum("rk,kl,rl->r", total, covariance, total))
    return Manoeuvre(
        fit.start,
        track.end,
        tuple(_done(step, row, covariance) for step, row in zip(steps, rows, strict=True)),
        tuple(_done(step, row, covariance) for step, row in runs),
        Measurement(Belief(float(length), float(sds[0]))),
        Measurement(Belief(float(angle), float(sds[2])), "rad"),
        Measurement(Belief(float(np.quantile(fit.strays, 0.95)), track.sd)),
        _unseen(track),
    )


def _unseen(track: Track) -> float:
    """The longest stretch over which it was not seen, inches; 0 where that is not worth telling."""
    return track.longest_gap if track.longest_gap >= _UNSEEN else 0.0


def _done(step: Step, row: FloatArray, covariance: FloatArray) -> Done:
    ahead, left, angle = np.sqrt(np.einsum("rk,kl,rl->r", row, covariance, row))
    return Done(step, float(ahead), float(left), float(angle))

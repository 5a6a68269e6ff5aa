"""Was that a lawful manoeuvre, what did it meet, and where may the car end.

A manoeuvre is straight runs of at least an inch that sum to the car's Speed, with at most one turn or
one drift in them. What is ruled is the manoeuvre that `engine.motion.recognition` has recognised; the
book's numbers are exact, hands are not, so each has a tolerance that the players may change (house
defaults).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from engine.errors import TableRefError
from engine.game.events import Reason
from engine.game.kit import reading
from engine.game.kit.free_moves import HIDDEN, halts, hidden_words, straight_line, turns_away
from engine.game.kit.reading import PoseJson
from engine.game.kit.table import pose_json, seen, step_json
from engine.games.white_line_fever.book.data import BOOK, cite
from engine.games.white_line_fever.state import GameState, in_play
from engine.measure.contacts import Contact, contacts, touching
from engine.measure.sweep import (
    THE_EDGE,
    Step,
    Straight,
    Touch,
    Turn,
    edge_margins,
    first_touch,
    gaps_along,
    leaves,
    poses_along,
    way_through,
)
from engine.measure.uncertainty import gap_sd
from engine.motion.fit import WOBBLE
from engine.motion.reach import Reach, reachable
from engine.motion.recognition import Done, Manoeuvre, pivots_of, sds_of_runs, step_words, up_to
from engine.ruling import (
    Belief,
    Check,
    Measurement,
    Ruling,
    Verdict,
    Witness,
    left_open,
    make_check,
    plus_minus,
    show_words,
    unless,
    unplaced_words,
    unseen,
)
from engine.space.geometry import FloatArray, Pose, wrap_angle
from engine.space.pieces import Body
from engine.space.table import Standing, Status, TableState, key_of
from engine.words import listed

# What a car met on its way: cars and obstacles touched, tokens passed over, the edge of the surface.

AGAINST = 0.06
"""Inches within which a car stands against something: one that stopped short of its Speed, or that is about
to turn away from it (house default)."""

_NEAR_END = 0.3
# Deviations beyond which nothing was touched: no confidence asks for so much.
_FAR_SDS = 8.0

Kind = Literal["car", "obstacle", "token", "edge"]


@dataclass(frozen=True, eq=False)
class Meeting:
    """Something that the car touched, or may have touched, on its way.

    `gap` is the smallest distance between the two in inches, negative for an overlap, held against 0:
    `verdict` says whether they touched. `pose` is where the car was when it first did, or nearest.
    """

    other: str
    kind: Kind
    gap: Measurement
    verdict: Verdict
    pose: Pose

    @property
    def words(self) -> str:
        """For people."""
        sure, maybe = {
            "edge": ("leaves the surface", "may have left the surface"),
            "token": (f"passes over {self.other}", f"may have passed over {self.other}"),
        }.get(self.kind, (f"touches {self.other}", f"may have touched {self.other}"))
        return sure if self.verdict is Verdict.YES else f"{maybe} (too close to call)"


_Met = dict[str, tuple[int, Meeting]]
"""What a car met on one way, by name, with the number of the place where it did."""


def what_it_met(
    table: TableState, car: Standing, seen: Manoeuvre, way: Sequence[Pose] = (), *, short: bool = False,
) -> tuple[Meeting, ...]:  # fmt: skip
    """Everything that the car touched or may have touched, in the order of its way.

    `way` is where it was seen meanwhile: a hand that pushes too far and comes back has touched what
    lies there. `short` says that it stopped short of its Speed: then what it stands against has
    stopped it. What it touched before it set out counts only if it goes deeper into it, and not if it turns
    away from it. Where what was seen may have been another way of the same kind and size, as a turn about
    another point of its rear, what it met on only one of them is left open.
    """
    readings = [_on_one_way(table, car, one, way, short=short) for one in (seen, *seen.elsewhere)]
    found = {name: one for reading in reversed(readings) for name, one in reading.items()}
    return tuple(
        one for _, one in sorted((_of_all(readings, name) for name in found), key=lambda one: one[0])
    )


def _of_all(readings: Sequence[_Met], name: str) -> tuple[int, Meeting]:
    """What is sure on every way is sure; of anything else how probable it is over all of them."""
    found = [reading[name] for reading in readings if name in reading]
    first, met = found[0]
    if len(found) == len(readings) and all(one.verdict is met.verdict for _, one in found):
        return first, met
    share = sum(1.0 if one.verdict is Verdict.YES else one.gap.p_yes or 0.0 for _, one in found)
    gap = replace(met.gap, p_yes=share / len(readings))
    return first, replace(met, gap=gap, verdict=Verdict.TOO_CLOSE)


def _on_one_way(
    table: TableState, car: Standing, seen: Manoeuvre, way: Sequence[Pose], *, short: bool
) -> _Met:
    steps = [d.step for d in seen.steps]
    rows = way_through(seen.start, steps)
    driven, begun = len(rows), replace(car, pose=seen.start)
    if way:
        rows = np.concatenate([rows, np.array([(p.x, p.y, p.heading) for p in way])])
    last = np.array([seen.end.x, seen.end.y, seen.end.heading])
    rows = np.concatenate([rows, last[None]])
    found: list[tuple[int, Meeting]] = []
    for other in table.others(car.name):
        if other.status is not Status.LOST:
            apart = gaps_along(car, rows, other)
            what = other.piece
            kind: Kind = "token" if not what.solid else "obstacle" if what.look == "terrain" else "car"
            seen_deeper = apart.min() <= apart[:driven].min() - 2.0 * WOBBLE
            if kind != "token" and not seen_deeper and turns_away(begun, steps, other, AGAINST):
                continue
            sd = gap_sd(car, other)
            found += _meeting(other.name, kind, rows, apart, sd, short)
    margins = edge_margins(car, rows, table.surface)
    found += _meeting(THE_EDGE, "edge", rows, margins, gap_sd(car), False)
    return {one.other: (_along(rows, driven, at), one) for at, one in found}


def _along(rows: FloatArray, driven: int, at: int) -> int:
    """Where on the way that was recognised, its first rows, a place is: one that was seen is beside it."""
    if at < driven:
        return at
    off = rows[:driven] - rows[at]
    off[:, 2] = np.remainder(off[:, 2] + math.pi, math.tau) - math.pi
    return int(np.linalg.norm(off, axis=1).argmin())


def _meeting(
    name: str, kind: Kind, rows: FloatArray, apart: FloatArray, sd: float, short: bool
) -> list[tuple[int, Meeting]]:
    if apart.min() > _FAR_SDS * math.hypot(sd, WOBBLE):
        return []
    near_end = np.hypot(*(rows[:, :2] - rows[-1, :2]).T) < _NEAR_END
    errors = np.where(near_end, sd, math.hypot(sd, WOBBLE))
    if apart[0] < 3.0 * sd and apart.min() > apart[0] - 2.0 * WOBBLE:
        return []
    k = int((apart / np.maximum(errors, 1e-9)).argmin())
    gap = touching(Measurement(Belief(float(apart[k]), float(errors[k])), "in", Witness(None, (name,))))
    verdict = gap.verdict()
    stands_against = short and kind in ("car", "obstacle") and abs(apart[-1]) <= max(AGAINST, 2.0 * sd)
    if verdict is not Verdict.YES and stands_against:
        verdict, k = Verdict.YES, len(rows) - 1
    if verdict is Verdict.NO:
        return []
    first = int((apart <= apart[k] if verdict is not Verdict.YES else apart <= max(0.0, apart[k])).argmax())
    return [(first, Meeting(name, kind, gap, verdict, Pose(*map(float, rows[first]))))]


# Whether a way that was typed can have been driven, as far as the table knows.

COLLISION = cite("Collisions")
LEAVING = cite("Maneuvers", "Leaving the Playing Surface")


def typed_way(
    state: GameState, name: str, data: Mapping[str, Any], met: Sequence[str], table: TableState | None
) -> list[Reason]:
    """What the table has against typed `steps`, `from` and `to`; `met` are the contacts that are told.

    The steps must lead from `from` to `to`, the car stand there, and nothing lie surely in the way that it
    was not told to have met. Without `from` and `to` it may stand at either end of its way.
    """
    standing = seen(table, name)
    if table is None or standing is None:
        return []
    rows = reading.objects(data, "steps")
    start, end = _pose(reading.pose(data, "from")), _pose(reading.pose(data, "to"))
    reasons = []
    if end is not None:
        off = math.dist(end.xy, standing.pose.xy)
        if off > state.house.place_tolerance:
            words = f"{name} stands {off:.2f} in from where it is said to have gone"
            reasons.append(Reason(words, MOVE, open=True))
    if not rows:
        return reasons
    ways = [_steps(rows, pivot) for pivot in pivots_of(standing.piece.body)]
    goal = end or (standing.pose if start is not None else None)
    way: Sequence[Step] = ways[0]
    if start is not None and goal is not None:
        way, off, askew = min((_off(start, steps, goal) for steps in ways), key=lambda one: one[1] + one[2])
        if off > state.house.place_tolerance or askew > state.house.place_turn_tolerance:
            words = f"these steps lead {off:.2f} in and {math.degrees(askew):.0f}° from where {name} went"
            reasons.append(Reason(words, MOVE, open=True))
    if start is None and end is None:
        begins = [standing.pose, _back(standing.pose, way)]
        more = f" from where {name} stands; if it has been moved already, say `from`"
    else:
        begins, more = [start or _back(end or standing.pose, way)], ""
    for begin, words in zip(begins, (more, ""), strict=False):
        reasons += _in_the_way(state, table, replace(standing, pose=begin), way, met, data, words)
    return list({r.words: r for r in reasons}.values())


def _in_the_way(
    state: GameState, table: TableState, car: Standing, way: Sequence[Step], met: Sequence[str],
    data: Mapping[str, Any], more: str,
) -> list[Reason]:  # fmt: skip
    told = {key_of(name) for name in met}
    solid = [
        s
        for s in in_play(state, table).others(car.name)
        if s.piece.solid
        and key_of(s.name) not in told
        and s.status not in (Status.HELD, Status.LOST)
        and not turns_away(car, way, s, AGAINST)
    ]
    edge = None if reading.flag(data, "left_surface") else table.surface
    found = [c for c in contacts(car, way, solid, edge) if c.verdict is Verdict.YES]
    return [
        Reason(f"these steps leave the surface{more}", LEAVING, open=True)
        if contact.other == THE_EDGE
        else Reason(f"these steps go through {contact.other}{more}", COLLISION, open=True)
        for contact in found
    ]


def _pose(said: PoseJson | None) -> Pose | None:
    return None if said is None else Pose(*said)


def _steps(rows: Sequence[Mapping[str, Any]], pivot: tuple[float, float]) -> tuple[Step, ...]:
    return tuple(
        Turn(reading.number(row, "angle"), pivot)
        if row.get("kind") == "turn"
        else Straight(reading.number(row, "ahead"), reading.number(row, "left"))
        for row in rows
    )


def _off(start: Pose, steps: Sequence[Step], goal: Pose) -> tuple[Sequence[Step], float, float]:
    """The steps, and by how much they miss a goal: inches and radians."""
    there = poses_along(start, steps)[-1]
    return steps, math.dist(there.xy, goal.xy), abs(wrap_angle(there.heading - goal.heading))


def _back(end: Pose, steps: Sequence[Step]) -> Pose:
    """Where a way began that ended there."""
    return end.compose(poses_along(Pose(0.0, 0.0, 0.0), steps)[-1].inverse())


# Where a car may end, and whether it stands where it must (White Line Fever 0.9).

LEAST_RUN = 1.0
"""Inches of the shortest straight run."""


def hundredths(inches: float) -> str:
    """A length in figures, as exactly as people are told one.

    >>> hundredths(1.5513), hundredths(3.0)
    ('1.55', '3')
    """
    return f"{round(inches, 2):g}"


MOST_TURN = math.pi / 2
"""Radians of the largest turn."""
DRIFT_IN = 1.0
"""Inches of a drift."""
LEAST_DRIFT = 0.25
"""Inches aside up to which a run is none with a drift, only a hand's trembling (house default)."""

PLACE, PLACE_TURN = 0.25, math.radians(5.0)
"""Inches and radians by which a car that a rule has put somewhere may stand beside it (house default)."""

_EVERY = 0.05


def lawful_steps(
    body: Body, seen: Manoeuvre, speed: float, *, reverse: bool = False, least_drift: float = LEAST_DRIFT,
    bent: bool = False,
) -> tuple[Step, ...]:  # fmt: skip
    """The lawful manoeuvre of that Speed whose end lies nearest to where the car stands.

    Of the kind that was driven where that was one kind: a run, a run with a turn, a run with a drift; a run
    where its turn or drift is done already (`bent`).
    """
    sign = -1.0 if reverse else 1.0
    if bent:
        return (Straight(sign * speed),)
    turns = [d.step for d in seen.steps if isinstance(d.step, Turn)]
    sideways = [d.left for d in seen.steps]
    drifts = [left for left in sideways if abs(left) > least_drift]
    rows: list[tuple[Step, ...]] = []
    mixed = len(turns) + len(drifts) > 1
    if mixed or (not turns and not drifts):
        rows.append((Straight(sign * speed),))
    if mixed or drifts:
        sides = (-1.0, 1.0) if mixed else (math.copysign(1.0, drifts[0]),)
        rows += [(Straight(sign * speed, side * DRIFT_IN),) for side in sides]
    if mixed or turns:
        angle = seen.turn.value if turns else wrap_angle(seen.end.heading - seen.start.heading)
        pivots = {t.pivot for t in turns} or set(pivots_of(body))
        rows += _turned(max(-MOST_TURN, min(MOST_TURN, angle)), speed, sign, pivots)

    def off(steps: tuple[Step, ...]) -> float:
        end = poses_along(seen.start, steps)[-1]
        askew = wrap_angle(end.heading - seen.end.heading)
        return math.hypot(end.x - seen.end.x, end.y - seen.end.y, askew)

    return min(rows, key=off)


def _turned(
    angle: float, speed: float, sign: float, pivots: set[tuple[float, float]]
) -> list[tuple[Step, ...]]:
    least = min(LEAST_RUN, speed)
    places = np.arange(least, speed - least + 1e-9, _EVERY)
    rows: list[tuple[Step, ...]] = []
    for pivot in sorted(pivots):
        turn = Turn(angle, pivot)
        rows += [(turn, Straight(sign * speed)), (Straight(sign * speed), turn)]
        rows += [(Straight(sign * float(a)), turn, Straight(sign * (speed - float(a)))) for a in places]
    return rows


@dataclass(frozen=True, eq=False)
class Underway:
    """A manoeuvre that a hand is still pushing.

    `used` inches of the Speed are used and `left` are still to go (below 0: too far; both along the
    runs). `ghost` is where the car would lawfully end if it went on as it goes; `touch` is what it
    would touch on the way there first, a piece or the edge.
    """

    seen: Manoeuvre
    used: float
    left: float
    ghost: Pose
    touch: Touch | None

    @property
    def words(self) -> str:
        """For people: what was done, what is still to go, what lies in the way."""
        done = ", ".join(step_words(d.step) for d in self.seen.steps) or "not under way yet"
        if self.left > 0.05:
            rest = f"{self.left:.2f} in to go"
        elif self.left < -0.05:
            rest = f"{-self.left:.2f} in too far"
        else:
            rest = "all of its Speed used"
        ahead = ""
        if self.touch is not None and self.touch.travelled > 0.0:
            ahead = f"; would meet {self.touch.other} after {self.touch.travelled:.2f} in"
        elif self.touch is not None:
            ahead = f"; touches {self.touch.other}"
        return f"{done}: {rest}{ahead}"


def underway(
    table: TableState, car: Standing, seen: Manoeuvre, speed: float, *, reverse: bool = False,
    bent: bool = False,
) -> Underway:  # fmt: skip
    """What is still to go, where it would lawfully end, and what it would touch on the way there."""
    used = seen.length.value
    left = speed - used
    sign = -1.0 if reverse else 1.0
    here = Standing(car.piece, seen.end, car.uncertainty, Status.MOVING)
    rest: tuple[Step, ...] = (Straight(sign * left),) if left > 0.0 else ()
    goal = poses_along(seen.end, rest)[-1]
    going_on = Manoeuvre(
        seen.start, goal, seen.steps, seen.runs, Measurement(Belief(max(used, speed), 0.0)), seen.turn
    )
    ghost = poses_along(
        seen.start, lawful_steps(car.piece.body, going_on, speed, reverse=reverse, bent=bent)
    )[-1]
    others = [s for s in table.others(car.name) if s.piece.solid and s.status is not Status.LOST]
    met = [t for t in (first_touch(here, rest, others), leaves(here, rest, table.surface)) if t is not None]
    return Underway(seen, used, left, ghost, min(met, key=lambda t: (t.step, t.share)) if met else None)


def reach_of(
    table: TableState, car: Standing, speed: float, *, reverse: bool = False, bent: bool = False
) -> Reach:
    """Where the car may lawfully end from where it stands."""
    body = car.piece.body
    others = [s for s in table.others(car.name) if s.piece.solid and s.status is not Status.LOST]
    return reachable(
        car, speed, pivot=pivots_of(body)[0], most_turn=0.0 if bent else MOST_TURN,
        least_run=min(LEAST_RUN, speed), surface=table.surface, blockers=others,
        drift=None if bent else DRIFT_IN, reverse=reverse,
    )  # fmt: skip


# Was that a lawful manoeuvre, what did it meet, and where should the car stand (White Line Fever 0.9).

MANOEUVRE = f"{BOOK} · Maneuvers"
MOVE, TURN, DRIFT = (f"{MANOEUVRE} · {rule}" for rule in ("Move Car", "Turn Car", "Drift Car"))
DIRECTION = f"{BOOK} · Rounds · Determine Direction"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How exactly a manoeuvre must be driven: inches and radians (house defaults).

    `turn` is the size from which a second turn counts as one, `past` how far a turn may go past 90°.
    """

    length: float = 0.25
    run: float = 0.25
    drift: float = LEAST_DRIFT
    turn: float = math.radians(5.0)
    stray: float = 0.4
    past: float = math.radians(5.0)


@dataclass(frozen=True, eq=False)
class Driven:
    """A manoeuvre, ruled by what was `asked` of it; `stop` is what it met that ended its way.

    `should` is the lawful end nearest to where the car stands, `lawful` the steps that lead there; `halted`
    is the way up to the touch with what has stopped it.
    `away` is how far it is off in inches and `askew` by how much it has to be turned, radians. `told` are
    the runs as the game is told of them, a single turn where on the rear it is best for the driver; one that
    goes up to `least_drift` inches aside counts as straight.
    """

    ruling: Ruling
    seen: Manoeuvre
    asked: _Asked
    met: tuple[Meeting, ...]
    stop: Meeting | None
    told: tuple[Step, ...]
    halted: Manoeuvre | None = None
    least_drift: float = LEAST_DRIFT

    @cached_property
    def lawful(self) -> tuple[Step, ...]:
        """Looked for as it is asked for: of what is lawful nobody does."""
        if self.halted is not None:
            return tuple(done.step for done in self.halted.steps)
        one, drift = self.asked, self.least_drift
        return lawful_steps(
            one.body, self.seen, one.speed, reverse=one.reverse, least_drift=drift, bent=one.bent
        )

    @cached_property
    def should(self) -> Pose:
        """Where it met what ends its way, else where the lawful steps lead."""
        if self.halted is not None:
            return self.halted.end
        return poses_along(self.seen.start, self.lawful)[-1] if self.stop is None else self.stop.pose

    @property
    def away(self) -> float:
        """Inches."""
        return math.hypot(self.should.x - self.seen.end.x, self.should.y - self.seen.end.y)

    @property
    def too_far(self) -> float:
        """Inches by which it went farther than its Speed; 0 where something ended its way."""
        return max(self.seen.length.value - self.asked.speed, 0.0) if self.stop is None else 0.0

    @property
    def askew(self) -> float:
        """Radians, left above 0."""
        return wrap_angle(self.should.heading - self.seen.end.heading)

    @property
    def verdict(self) -> Verdict:
        """Whether it was lawful."""
        return self.ruling.verdict

    @property
    def words(self) -> str:
        """For people: `Red 1: straight 2.00 in, turn 40.0° left (2.00 in of Speed 2): legal`."""
        used = f"{self.seen.length.value:.2f} in of Speed {hundredths(self.asked.speed)}"
        told = f"{self.ruling.subject}: {self.seen.open_words} ({used})"
        if self.seen.unseen > HIDDEN:
            told += f", hidden over {self.seen.unseen:.1f} in"
        met = "".join(f"; {m.words}" for m in self.met)
        rest = f": {self.wrong}" if self.wrong else ""
        return f"{told}{met}: {self.verdict_words}{rest}"

    @property
    def verdict_words(self) -> str:
        """For people: legal, not legal, or too close to call."""
        return {Verdict.YES: "legal", Verdict.NO: "not legal"}.get(self.verdict, "too close to call")

    @property
    def wrong(self) -> str:
        """For people: what decided that it is not legal, or what of it is open; nothing if it is legal."""
        if self.verdict is Verdict.YES:
            return ""
        decided = [c.words for c in self.ruling.checks if c.verdict is self.verdict]
        short = dict.fromkeys(w.partition(" (last seen")[0].partition(": too close")[0] for w in decided)
        return "; ".join(short)

    def as_action(self) -> dict[str, Any]:
        """What the game wants to know of a move, as plain JSON values: inches and radians."""
        sure = [m for m in self.met if m.verdict is Verdict.YES]
        return {
            "car": self.ruling.subject,
            "steps": [self._step_json(step) for step in self.told],
            "from": pose_json(self.seen.start),
            "to": pose_json(self.seen.end),
            "contacts": [{"other": m.other} for m in sure if m.kind in ("car", "obstacle")],
            "left_surface": any(m.kind == "edge" for m in sure),
            "triggered": [m.other for m in sure if m.kind == "token"],
        }

    def _step_json(self, step: Step) -> dict[str, Any]:
        """A step as it was measured: only its kind says that it counts as no drift."""
        told = step_json(step)
        trembled = isinstance(step, Straight) and abs(step.left) <= self.least_drift
        return told | ({"kind": "straight"} if trembled else {})


def rule_manoeuvre(
    table: TableState, car: str, seen: Manoeuvre, speed: float, *, way: Sequence[Pose] = (),
    reverse: bool = False, tolerance: Tolerance | None = None, stops: Collection[str] = (),
    bent: bool = False, broken: Contact | None = None, perhaps: float | None = None,
    doubtful: Sequence[str] = (), said: Mapping[str, bool] = MappingProxyType({}),
) -> Driven:  # fmt: skip
    """Everything that the book asks of a manoeuvre, answered from what was recognised.

    `table` is the table as it stood when the car set out, `way` where the car was seen meanwhile;
    `reverse` says that the driver may go backwards. Checks: *Speed*, *One Turn or Drift*, *Turn*,
    *Drift*, *Straight Runs*, *Straight Line*, *Direction*. A car that met a car, an obstacle, the edge or
    one of the tokens `stops`, which end its way, may stop short of its Speed, and meets nothing beyond;
    *Halts at the Touch* says whether it stands where it touched a car or an obstacle. `broken` is the
    contact with a token at which what was seen was cut off, `bent` says that the manoeuvre's one turn or
    drift was made before; `perhaps` is the Speed that it has if it met the tokens `doubtful`, which is too
    close to call. `said` is whether it met what was too close to call, by name.
    What another manoeuvre that the hidden car may have gone, or a contact that is too close to call,
    or one with an obstacle that was never seen, would answer otherwise is left open.
    """
    if not (math.isfinite(speed) and speed > 0):
        raise TableRefError(f"expected a Speed above 0 but got {speed}")
    allowed = tolerance or Tolerance()
    standing = table.find(car)
    if not standing.piece.driven:
        raise TableRefError(f"{standing.name} is no car; only cars are driven")
    short = seen.length.value < speed - allowed.length
    met = _as_said(what_it_met(table, standing, seen, way, short=short), said)
    if broken is not None:
        before = tuple(m for m in met if m.other != broken.other)
        met = (*before, Meeting(broken.other, "token", broken.gap, Verdict.YES, seen.end))
    ends = [m for m in met if m.kind != "token" or m.other in stops]
    stop = next((m for m in ends if m.verdict is Verdict.YES), None)
    met = _up_to(met, stop)
    asked = _Asked(standing.name, standing.piece.body, speed, reverse, stop is not None, bent)
    checks = _checks(seen, asked, allowed)
    for doubt in seen.doubts:
        reason = f"the car was hidden on its way and may have gone {doubt.words}"
        checks = unless(checks, _checks(doubt, asked, allowed), reason)
    if perhaps is not None:
        slower = _checks(seen, replace(asked, speed=perhaps), allowed)
        checks = unless(checks, slower, f"{standing.name} may have reached {listed(doubtful)}")
    if stop is None and ends:
        stopped = _checks(seen, replace(asked, stopped=True), allowed)
        checks = unless(checks, stopped, f"{standing.name} {ends[0].words}")
    elif stop is None and (
        names := table.unknown_on(
            *(standing.piece.body.footprint.at(p) for p in (seen.start, *way, seen.end))
        )
    ):
        # What nobody has seen or named may be what it ran against.
        stopped = _checks(seen, replace(asked, stopped=True), allowed)
        checks = unless(checks, stopped, f"{unplaced_words(names)}{show_words(names)}")
    if seen.unseen > HIDDEN or any(c.name == "Straight Line" and c.verdict is Verdict.NO for c in checks):
        checks = [_as_seen(c, checks, standing.name, seen) for c in checks]
    if seen.unseen > HIDDEN:
        checks = unseen(checks)
    halted = None
    if stop is not None and stop.kind in _SOLID:
        halted = _halted(standing, seen, table.find(stop.other))
    if stop is not None and halted is not None:
        away = math.dist(halted.end.xy, seen.end.xy)
        checks.append(halts(stop.other, away, stop.gap.sd, COLLISION))
    return Driven(
        Ruling(
            question=f"Was that a legal Maneuver of {standing.name} at Speed {hundredths(speed)}?",
            time=table.time, subject=standing.name, target=standing.name, checks=tuple(checks),
        ),
        seen, asked, met, stop, told_steps(seen, standing.piece.body, allowed.run, allowed.drift),
        halted, allowed.drift,
    )  # fmt: skip


def _as_said(met: Sequence[Meeting], said: Mapping[str, bool]) -> tuple[Meeting, ...]:
    """What it met, with the players' word on what is too close to call."""
    kept = (m for m in met if m.verdict is Verdict.YES or said.get(m.other, True))
    return tuple(replace(m, verdict=Verdict.YES) if m.other in said else m for m in kept)


_SOLID = ("car", "obstacle")


def _up_to(met: Sequence[Meeting], stop: Meeting | None) -> tuple[Meeting, ...]:
    """What a car met up to what ended its way: beyond it nothing, but what else it touched there at once."""
    if stop is None:
        return tuple(met)
    k = met.index(stop) + 1
    at_once = (m for m in met[k:] if m.kind in _SOLID and stop.kind in _SOLID and _beside(m, stop))
    return (*met[:k], *at_once)


def _beside(one: Meeting, other: Meeting) -> bool:
    """Whether two are met so close together that no hand could halt between them."""
    a, b = one.pose, other.pose
    return math.hypot(*(a.xy - b.xy), wrap_angle(a.heading - b.heading)) <= max(AGAINST, 2.0 * one.gap.sd)


def _halted(car: Standing, seen: Manoeuvre, other: Standing) -> Manoeuvre | None:
    """What was seen up to where the car touches another piece; None where only a hand that came back did."""
    found = contacts(replace(car, pose=seen.start), [d.step for d in seen.steps], [other])
    return up_to(seen, found[0].step, found[0].share) if found else None


def _as_seen(check: Check, checks: Sequence[Check], name: str, seen: Manoeuvre) -> Check:
    """The check of a car whose way was hidden, or is not what it was seen on, left open if that matters."""
    by_name = {c.name: c for c in checks}
    hidden = hidden_words(name, seen)
    if seen.unseen <= HIDDEN:
        hidden = f"{name} was seen {seen.stray.value:.1f} in off such a way"
    ways = {math.copysign(1.0, d.ahead) for d in seen.runs if d.kind != "turn"}
    if check.verdict is Verdict.NO and check.name in ("Direction", "Speed") and len(ways) > 1:
        # Back, a turn on the axle and ahead may have been a turn on the rear edge.
        return left_open(check, hidden)
    bends = [d for d in seen.steps if d.kind != "straight"]
    if len(bends) > 1 and check.verdict is Verdict.NO and check.name in ("Speed", "Drift", "Straight Runs"):
        # Start and end settle the sizes of one turn or one drift, but of no more.
        return left_open(check, hidden)
    plain = check.name == "One Turn or Drift" and check.verdict is Verdict.YES
    astray = by_name["Straight Line"].verdict is Verdict.NO or by_name["Straight Line"].unknown
    if plain and bends and (astray or by_name["Speed"].verdict is Verdict.NO):
        # Of that Speed it was not what it looks like; what it was nobody has seen.
        return left_open(check, hidden)
    return check


# The checks


def _checks(seen: Manoeuvre, car: _Asked, allowed: Tolerance) -> list[Check]:
    runs = [d for d in seen.runs if isinstance(d.step, Straight)]
    checks = [_speed(seen, car.speed, car.stopped, allowed), _once(seen, car.bent, allowed)]
    if any(d.kind == "turn" for d in seen.runs):
        checks.append(_turn(seen, allowed))
    for run in runs:
        if run.kind == "drift":
            checks.append(_drift(run, car.stopped and run is seen.runs[-1], allowed))
    if runs:
        checks.append(_shortest(seen, car, allowed))
    checks.append(straight_line(car.name, seen, allowed.stray, MOVE))
    if runs:
        checks.append(_direction(runs, car.reverse))
    return checks


@dataclass(frozen=True)
class _Asked:
    """What a manoeuvre is held against, and of which car; `stopped`: the car met what ended its way.

    `bent`: its one turn or drift was made before.
    """

    name: str
    body: Body
    speed: float
    reverse: bool
    stopped: bool
    bent: bool = False


def _turn(seen: Manoeuvre, allowed: Tolerance) -> Check:
    size, sd = abs(seen.turn.value), seen.turn.sd
    held = Measurement(Belief(size, sd), "rad").at_most(MOST_TURN + allowed.past)
    words = f"{math.degrees(size):.1f}° of 90°{plus_minus(sd, 'rad')}"
    return make_check("Turn", held, citation=TURN, words=words)


def _shortest(seen: Manoeuvre, car: _Asked, allowed: Tolerance) -> Check:
    """The shortest run, measured as is best for the driver.

    Turned on the rear axle, a car has run a little farther before its turn, and less after it, than
    the same car turned on its rear edge; the book says only "on the rear". A run that a contact cut
    short could not be longer.
    """
    runs = [d for d in seen.runs if isinstance(d.step, Straight)]
    rows = [[abs(d.ahead) for d in seen.runs], *_otherwise_pivoted(seen, car.body)]
    # What is left of a manoeuvre that a token broke off may be less than an inch.
    least = min(LEAST_RUN, car.speed)
    if car.stopped:
        rows = [[v for v in row[:-1] if abs(v) > allowed.run] or [least] for row in rows]
    best = max(_least(row, allowed.run) for row in rows)
    # Where every point of the rear is looked at, which of them it was adds nothing that is not known.
    sd = max(d.sd_ahead for d in runs) if len(rows) == 1 else max(sds_of_runs(seen))
    words = f"the shortest run is {best:.2f} in, at least {hundredths(least)} in{plus_minus(sd)}"
    held = Measurement(Belief(best, sd)).at_least(least - allowed.run)
    return make_check("Straight Runs", held, citation=MOVE, words=words)


def _least(lengths: Sequence[float], nothing: float) -> float:
    """The shortest of the runs; one of nothing is none, unless there is no other."""
    return min((v for v in lengths if abs(v) > nothing), default=max(map(abs, lengths)))


def _otherwise_pivoted(seen: Manoeuvre, body: Body) -> list[list[float]]:
    """The runs before and after the one turn, had it been elsewhere on the rear."""
    turns = [k for k, d in enumerate(seen.runs) if isinstance(d.step, Turn)]
    if len(turns) != 1:
        return []
    turn = seen.runs[turns[0]].step
    assert isinstance(turn, Turn)
    before = sum(d.ahead for d in seen.runs[: turns[0]])
    after = sum(d.ahead for d in seen.runs[turns[0] + 1 :])
    way = math.copysign(1.0, before + after)
    shifts = [share * (turn.pivot[0] - x) for x, _ in pivots_of(body) for share in (0.25, 0.5, 0.75, 1.0)]
    return [[way * (before + shift), way * (after - shift)] for shift in shifts]


NOTHING = 0.25
"""Inches up to which a run is told as none, however far one may miss (house default)."""


def told_steps(seen: Manoeuvre, body: Body, nothing: float, least_drift: float) -> tuple[Step, ...]:
    """The runs of a manoeuvre; around a single turn as is best for the driver, runs of nothing left out.

    Up to `least_drift` aside is a hand's trembling, and goes along with a run that is put together.
    """
    nothing = min(nothing, NOTHING)
    runs = tuple(d.step for d in seen.runs)
    turn = next((s for s in runs if isinstance(s, Turn)), None)
    ways = _otherwise_pivoted(seen, body)
    if turn is None or not ways or any(abs(d.left) > least_drift for d in seen.runs):
        return runs
    begun = list(itertools.takewhile(lambda d: d.kind != "turn", seen.runs))
    before, total = sum(d.ahead for d in begun), sum(d.ahead for d in seen.runs)
    aside, askew = sum(d.left for d in begun), sum(d.left for d in seen.runs)
    way = math.copysign(1.0, total)
    first, _ = max([[way * before, way * (total - before)], *ways], key=lambda row: _least(row, nothing))
    if abs(total) <= nothing:
        return (turn,)
    if abs(first) <= nothing:
        first, aside = 0.0, 0.0
    elif abs(way * total - first) <= nothing:
        first, aside = way * total, askew
    # About a point so much farther back the same turn leads to the same place.
    turn = replace(turn, pivot=(turn.pivot[0] - (way * first - before), turn.pivot[1]))
    runs = Straight(way * first, aside), turn, Straight(total - way * first, askew - aside)
    return tuple(s for s in runs if s != Straight(0.0))


def _within(value: float, sd: float, wanted: float, tolerance: float) -> Measurement:
    """A number that must be another within a tolerance: `margin` is what is left of the tolerance."""
    off = Belief(value - wanted, sd)
    p_yes = (
        off.at_most(tolerance) - off.at_most(-tolerance) if sd > 0.0 else float(abs(off.value) <= tolerance)
    )
    return Measurement(Belief(value, sd), limit=wanted, margin=tolerance - abs(off.value), p_yes=p_yes)


def _speed(seen: Manoeuvre, speed: float, stopped: bool, allowed: Tolerance) -> Check:
    length, whole = seen.length, hundredths(speed)
    off = length.value - speed
    if stopped and off <= allowed.length:
        held = length.at_most(speed + allowed.length)
        words = f"{length.value:.2f} in of {whole} in, stopped by what it met{plus_minus(length.sd)}"
        return make_check("Speed", held, citation=MANOEUVRE, words=words)
    held = _within(length.value, length.sd, speed, allowed.length)
    words = f"{length.value:.2f} in of {whole} in"
    if abs(off) > allowed.length:
        words += f", {abs(off):.2f} in too {'far' if off > 0 else 'short'}"
    words += plus_minus(length.sd)
    return make_check("Speed", held, citation=MANOEUVRE, words=words)


def _once(seen: Manoeuvre, bent: bool, allowed: Tolerance) -> Check:
    """At most one turn or drift, none where it is made: all but the largest must be a hand's trembling."""
    extras = sorted((d for d in seen.steps if d.kind != "straight"), key=lambda d: _amount(d, allowed).value)
    most = 0 if bent else 1
    p_yes = math.prod(_amount(d, allowed).at_most(1.0) for d in extras[: len(extras) - most])
    count = float(len(extras))
    held = Measurement(Belief(count, 0.0), "", limit=float(most), margin=most - count, p_yes=p_yes)
    words = " and ".join(d.words for d in seen.steps if d.kind != "straight") or "neither turned nor drifted"
    words += "; the Maneuver's turn or drift was made before" if bent else ""
    return make_check("One Turn or Drift", held, citation=MANOEUVRE, words=words)


def _amount(done: Done, allowed: Tolerance) -> Belief:
    """A turn's or a drift's size in tolerances."""
    if isinstance(done.step, Turn):
        return Belief(abs(done.step.angle) / allowed.turn, done.sd_angle / allowed.turn)
    return Belief(abs(done.step.left) / allowed.drift, done.sd_left / allowed.drift)


def _drift(done: Done, stopped: bool, allowed: Tolerance) -> Check:
    """An inch to a side; less of it if a contact ended the run, or next to nothing: a hand's trembling."""
    assert isinstance(done.step, Straight)
    left = done.step.left
    aside = Belief(abs(left), done.sd_left)
    side = "left" if left > 0 else "right"
    words = f"drifted {aside.value:.2f} in {side}; limit {DRIFT_IN:g} in{plus_minus(aside.sd)}"
    held = _within(aside.value, aside.sd, DRIFT_IN, allowed.drift)
    if stopped:
        held = Measurement(aside).at_most(DRIFT_IN + allowed.drift)
    elif aside.value < DRIFT_IN / 2:
        none = aside.at_most(allowed.drift)
        held = replace(held, margin=allowed.drift - aside.value, p_yes=min((held.p_yes or 0.0) + none, 1.0))
    return make_check("Drift", held, citation=DRIFT, words=words)


def _direction(runs: Sequence[Done], reverse: bool) -> Check:
    """Forward, unless the driver may go backwards; never both."""
    worst = max(runs, key=lambda run: run.ahead) if reverse else min(runs, key=lambda run: run.ahead)
    sign = -1.0 if reverse else 1.0
    held = Measurement(Belief(sign * worst.ahead, worst.sd_ahead)).at_least(0.0)
    said = "in reverse" if reverse else "forward"
    other = "forward" if reverse else "in reverse"
    words = said if held.value >= 0.0 else f"{abs(held.value):.2f} in {other}{plus_minus(held.sd)}"
    return make_check("Direction", held, citation=DIRECTION, words=words)

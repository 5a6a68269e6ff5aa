"""Which way did each car go: follows the table, piece by piece from rest to rest, and says what it was."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from engine.errors import TableRefError
from engine.games.white_line_fever.driving import HIDDEN, Driven, rule_manoeuvre
from engine.games.white_line_fever.meetings import Meeting, what_it_met
from engine.motion.recognition import SLIP, SLIP_TURN, Manoeuvre, pivots_of, recognise
from engine.ruling import Verdict
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, Status, TableState

SPUN = math.radians(150.0)
"""Radians from which a car that was turned on the spot was spun round."""

ON_THE_SPOT = 0.75
"""Inches that its middle may move meanwhile."""

WORTH_TELLING = 0.1
"""Inches, or tenths of a radian, below which a car has only been nudged."""

JOIN_S = 2.0
"""Seconds that a car may rest on its way (house default)."""

SPEEDS = range(1, 7)
KEPT = 600
"""Reads that one way keeps; a longer one is thinned out."""

_SAME, _SAME_TURN = 0.04, math.radians(1.5)


@dataclass(frozen=True, eq=False)
class Drive:
    """What one car did, in one go or in several on end.

    `before` is the table as the car left it, `since` when it did and `time` when it was first seen
    where it then rested. `way` is where it was read meanwhile, and `whole` the same with times.
    """

    car: str
    kind: Literal["driven", "spun", "lifted", "moved"]
    since: float
    time: float
    before: TableState
    way: tuple[Pose, ...]
    seen: Manoeuvre
    met: tuple[Meeting, ...]
    words: str
    whole: Way


@dataclass(eq=False)
class Way:
    """A car that has left its rest: where it stood, on which table, and where it was read since.

    `lifted` says that its place was seen bare meanwhile.
    """

    stood: Standing
    before: TableState
    since: float
    reads: list[tuple[float, Pose, float, float]] = field(default_factory=list)
    lifted: bool = False

    @property
    def poses(self) -> list[Pose]:
        """Where it was read."""
        return [pose for _, pose, _, _ in self.reads]

    def add(self, time: float, standing: Standing) -> None:
        """One more read."""
        if len(self.reads) >= KEPT:
            del self.reads[1::2]
        own = np.sqrt(np.diag(standing.uncertainty.own))
        self.reads.append((time, standing.pose, float(own[:2].max()), float(own[2])))

    def and_then(self, other: Way) -> Way:
        """This way and, from where it ended, another."""
        return Way(self.stood, self.before, self.since, [*self.reads, *other.reads])

    def recognised(self, now: Standing) -> Manoeuvre:
        """What the way was, up to where the car is now."""
        sds = np.array([read[2:] for read in self.reads] or [(0.01, 0.01)])
        return recognise(
            [self.stood.pose, *self.poses, now.pose],
            pivot=pivots_of(now.piece.body),
            sd=float(np.median(sds[:, 0])),
            sd_heading=float(np.median(sds[:, 1])),
            rests=(self.stood.uncertainty.own, now.uncertainty.own),
            slip=(SLIP, SLIP_TURN),
        )

    def rested_at(self, now: Standing, time: float) -> float:
        """When it was first seen where it then stayed, seconds."""
        for when, pose, _, _ in reversed(self.reads):
            askew = abs(wrap_angle(pose.heading - now.pose.heading))
            if math.dist((pose.x, pose.y), (now.pose.x, now.pose.y)) > _SAME or askew > _SAME_TURN:
                break
            time = when
        return time


class DrivingWatch:
    """Follows every car of a table. `update` takes the table after each frame, in order of time.

    A driver pushes, looks, lays the ruler on and pushes on: what one car does with rests of less
    than `JOIN_S` is one manoeuvre, unless another car moves, it was spun or lifted, or it ran into something.
    """

    def __init__(self) -> None:
        self._rested: dict[str, Standing] = {}
        self._seen_still: dict[str, float] = {}
        self._under_way: dict[str, Way] = {}
        self._resting: dict[str, tuple[Way, Standing, float]] = {}

    def under_way(self) -> dict[str, Way]:
        """The cars that are being driven, by name, also those that only rest on their way."""
        found = {name: way for name, (way, _, _) in self._resting.items()}
        for name, way in self._under_way.items():
            # A copy: it grows on in the thread that sees.
            found[name] = found[name].and_then(way) if name in found else replace(way, reads=[*way.reads])
        return found

    def forget(self) -> None:
        """The camera has moved or another table is seen: no way leads from there to here."""
        for known in (self._rested, self._seen_still, self._under_way, self._resting):
            known.clear()

    def update(self, table: TableState, read: Iterable[str]) -> tuple[Drive, ...]:
        """What has ended with this frame."""
        seen = frozenset(read)
        done: list[Drive] = []
        for car in table.standings:
            if car.piece.kind == "car":
                done += self._follow(car, table, seen)
        moving = {name for name, way in self._under_way.items() if way.reads}
        for name, (_, _, time) in list(self._resting.items()):
            others = moving - {name}
            if name not in self._under_way and (others or table.time - time > JOIN_S):
                done += self._flush(name)
        return tuple(done)

    def _follow(self, car: Standing, table: TableState, seen: frozenset[str]) -> list[Drive]:
        way = self._under_way.get(car.name)
        if car.status is Status.STILL:
            self._rested[car.name], self._seen_still[car.name] = car, table.time
            if way is None:
                if car.name in self._resting:
                    # The longer it rests, the better its place is known.
                    before, _, time = self._resting[car.name]
                    self._resting[car.name] = (before, car, time)
                return []
            del self._under_way[car.name]
            return self._ended(way, car, table.time)
        stood = self._rested.get(car.name)
        if stood is None:
            return []
        if way is None:
            since = self._seen_still[car.name]
            way = self._under_way[car.name] = Way(stood, self._as_it_was(table), since)
        if car.status is Status.LOST:
            way.lifted = True
        elif car.name in seen and car.status is Status.MOVING:
            way.add(table.time, car)
        return []

    def _ended(self, way: Way, car: Standing, time: float) -> list[Drive]:
        kind = kind_of(way, car)
        if kind == "none":
            return []
        if kind != "driven":
            return [*self._flush(car.name), finished(way, car, time, kind)]
        whole = self._resting[car.name][0].and_then(way) if car.name in self._resting else way
        self._resting[car.name] = (whole, car, time)
        ran_into = [m for m in whole_met(whole, car) if m.kind in ("car", "obstacle", "edge")]
        return self._flush(car.name) if any(m.verdict is Verdict.YES for m in ran_into) else []

    def _flush(self, name: str) -> list[Drive]:
        """Ends the manoeuvre of a car that rests."""
        if name not in self._resting:
            return []
        way, car, time = self._resting.pop(name)
        return [finished(way, car, time, "driven")]

    def finish(self) -> tuple[Drive, ...]:
        """What rests when nothing more will come, as at the end of a clip."""
        return tuple(drive for name in list(self._resting) for drive in self._flush(name))

    def _as_it_was(self, table: TableState) -> TableState:
        """The table with every piece where it rested last."""
        standings = (self._rested.get(s.name, s) for s in table.standings)
        return TableState(table.time, table.surface, tuple(standings))


Kind = Literal["driven", "spun", "lifted", "moved"]


def kind_of(way: Way, now: Standing) -> Literal["driven", "spun", "lifted", "none"]:
    """What has been done to a car that rests again; none if it was only touched or uncovered."""
    gone = math.dist((now.pose.x, now.pose.y), (way.stood.pose.x, way.stood.pose.y))
    turned = abs(wrap_angle(now.pose.heading - way.stood.pose.heading))
    if gone < WORTH_TELLING and turned < WORTH_TELLING:
        return "none"
    if way.lifted and not passes_for_driven(way, now):
        return "lifted"
    return "spun" if turned >= SPUN and gone <= ON_THE_SPOT else "driven"


def passes_for_driven(way: Way, now: Standing) -> bool:
    """Whether a car whose place was seen bare may have been pushed away from it under the hand.

    It may if it stands where a lawful manoeuvre ends; anywhere else it was carried to.
    """
    seen = way.recognised(now)
    return bool(seen.steps) and _ruled_at_nearest(now.name, way, seen).verdict is Verdict.YES


def whole_met(way: Way, now: Standing) -> tuple[Meeting, ...]:
    """What the car met so far."""
    return what_it_met(way.before, now, way.recognised(now), way.poses, short=True)


def finished(way: Way, now: Standing, time: float, kind: Kind) -> Drive:
    """A way that has come to its end."""
    gone = math.dist((now.pose.x, now.pose.y), (way.stood.pose.x, way.stood.pose.y))
    turned = wrap_angle(now.pose.heading - way.stood.pose.heading)
    seen = way.recognised(now)
    name = now.name
    met: tuple[Meeting, ...] = ()
    side = "left" if turned > 0 else "right"
    angle = f"{math.degrees(abs(turned)):.1f}°"
    if kind == "lifted":
        words = f"{name} was lifted and put down {gone:.2f} in away, turned {angle} {side}."
    elif kind == "spun":
        words = f"{name} was spun round on the spot by {angle}."
    elif not seen.steps:
        kind, words = "moved", f"{name} stands {gone:.2f} in from where it stood, turned {angle} {side}."
    else:
        met = what_it_met(way.before, now, seen, way.poses, short=True)
        words = told(name, way, seen, met)
    rested = way.rested_at(now, time)
    return Drive(name, kind, way.since, rested, way.before, tuple(way.poses), seen, met, words, way)


def told(name: str, way: Way, seen: Manoeuvre, met: tuple[Meeting, ...]) -> str:
    """A drive in words, held against the Speed that it comes nearest to."""
    ruled = _ruled_at_nearest(name, way, seen)
    length = f"{seen.length.value:.2f} in"
    if seen.unseen > HIDDEN:
        length += f", hidden over {seen.unseen:.1f} in"
    touched = "".join(f"; {m.words}" for m in met)
    return f"{name}: {seen.runs_words} ({length}){touched}: {_lawful(ruled, stopped=bool(met))}."


def _ruled_at_nearest(name: str, way: Way, seen: Manoeuvre) -> Driven:
    speed = min(SPEEDS, key=lambda s: abs(s - seen.length.value))
    return rule_manoeuvre(way.before, name, seen, speed, way=way.poses)


def _lawful(ruled: Driven, stopped: bool) -> str:
    wrong = ruled.wrong
    if wrong:
        return f"{ruled.verdict_words} at Speed {ruled.speed:g}: {wrong}"
    return f"legal at Speed {ruled.speed:g}{' or more' if stopped else ''}"


def ruled_at(drive: Drive, speed: float, *, reverse: bool = False) -> Driven:
    """A drive held against the Speed that the car has."""
    if drive.kind == "lifted":
        raise TableRefError(f"{drive.car} was lifted and put down: that is no manoeuvre")
    return rule_manoeuvre(drive.before, drive.car, drive.seen, speed, way=drive.way, reverse=reverse)

"""A piece that is pushed along a way, as the camera would see it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engine.game.contract import Seen
from engine.measure.sweep import Step
from engine.motion.moves import Move, Read
from engine.motion.recognition import Done, Manoeuvre, up_to
from engine.ruling import Belief, Measurement
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, Status, TableState, key_of

PUSH_SPEED = 6.0
"""Inches a second, of a hand that pushes a car."""

EVERY_IN, EVERY_TURN = 0.5, math.radians(10.0)
"""How far apart the poses of a way lie, inches and radians."""

THOUGHT = "thought"
"""The id of a move that nobody has made."""

REST_S = 1.0
"""Seconds that a piece rests before and after it is pushed."""


def along(start: Pose, steps: Sequence[Step]) -> tuple[Pose, ...]:
    """The poses of a way from `start` through these steps, close enough to be pushed along."""
    found: list[Pose] = []
    here = start
    for step in steps:
        turn = abs(getattr(step, "angle", 0.0))
        parts = max(1, math.ceil(max(step.size / EVERY_IN, turn / EVERY_TURN)))
        found += [step.part(k / parts).after(here) for k in range(1, parts + 1)]
        here = found[-1]
    return tuple(found)


def straight_to(
    start: Pose, end: Pose, every: float = EVERY_IN, every_turn: float = EVERY_TURN
) -> tuple[Pose, ...]:
    """The poses of a piece that is slid from one place to another, turning on its way.

    They lie `every` inches and `every_turn` radians apart at the most.
    """
    far, turn = math.dist(start.xy, end.xy), wrap_angle(end.heading - start.heading)
    parts = max(1, math.ceil(max(far / every, abs(turn) / every_turn)))
    return tuple(
        Pose(
            start.x + (end.x - start.x) * k / parts, start.y + (end.y - start.y) * k / parts,
            start.heading + turn * k / parts,
        )
        for k in range(1, parts + 1)
    )  # fmt: skip


def length_of(start: Pose, way: Sequence[Pose]) -> float:
    """Inches along a way, a turn counted as the way of a point an inch off."""
    poses = [start, *way]
    return sum(
        math.dist(a.xy, b.xy) + abs(wrap_angle(b.heading - a.heading)) for a, b in itertools.pairwise(poses)
    )


def put(table: TableState, piece: str, pose: Pose) -> TableState:
    """The table with one piece elsewhere; what hangs on it goes along."""
    here = table.find(piece)
    shift = pose.compose(here.pose.inverse())
    moved = {key_of(s.name) for s in (table.vehicle(piece) if here.piece.hitch is None else (here,))}

    def placed(standing: Standing) -> Standing:
        if key_of(standing.name) == key_of(here.name):
            return replace(standing, pose=pose, status=Status.STILL)
        return (
            replace(standing, pose=shift.compose(standing.pose))
            if key_of(standing.name) in moved
            else standing
        )

    return replace(table, standings=tuple(placed(s) for s in table.standings))


def known(start: Pose, steps: Sequence[Step]) -> Manoeuvre:
    """The manoeuvre that is made of these steps, one at least."""
    none = Manoeuvre(
        start, start, tuple(Done(step) for step in steps), (),
        Measurement(Belief(0.0, 0.01)), Measurement(Belief(0.0, 0.005), "rad"),
    )  # fmt: skip
    return up_to(none, len(steps) - 1, 1.0)


@dataclass(frozen=True, eq=False)
class Thought(Move):
    """A move in thought, of which is known what it is made of: nothing has to be recognised."""

    steps: tuple[Step, ...] = ()

    def recognised(self) -> Manoeuvre:
        """The very steps."""
        return self._known

    @cached_property
    def _known(self) -> Manoeuvre:
        return known(self.start.pose, self.steps)


def pushed(
    seen: Seen, piece: str, way: Sequence[Pose], id: str = THOUGHT, steps: tuple[Step, ...] = ()
) -> Seen:
    """What the camera would know once a piece was pushed along a way and rests at its end.

    With its `steps` it is a thought, which is quick to judge; without them it is recognised as any move.
    """
    table = seen.table
    if table is None or not way:
        return seen
    start = table.find(piece)
    began = table.time + REST_S
    took = length_of(start.pose, way) / PUSH_SPEED
    sure = start.uncertainty.own
    sd, turn_sd = math.sqrt(max(sure[0, 0], sure[1, 1])), math.sqrt(sure[2, 2])
    reads = tuple(
        Read(began + took * k / len(way), pose, max(sd, 0.005), max(turn_sd, 0.003))
        for k, pose in enumerate(way, start=1)
    )
    ended = began + took
    after = put(table, piece, way[-1])
    after = replace(after, time=ended + REST_S)
    rest = replace(after.find(piece), since=ended, seen_at=after.time)
    move = Move(id, start.name, table, rest, began, ended, reads)
    if steps:
        move = Thought(id, start.name, table, rest, began, ended, reads, steps=steps)
    others = {name: one for name, one in seen.moves.items() if key_of(one.piece) != key_of(piece)}
    return replace(seen, table=after, moves={**others, id: move})

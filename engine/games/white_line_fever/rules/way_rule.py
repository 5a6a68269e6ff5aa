"""Whether a way that was typed can have been driven, as far as the table knows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.game.events import Reason
from engine.game.kit import reading
from engine.game.kit.free_moves import turns_away
from engine.game.kit.reading import PoseJson
from engine.game.kit.table import seen
from engine.games.white_line_fever.book.data import cite
from engine.games.white_line_fever.rules.contact_rule import AGAINST
from engine.games.white_line_fever.state.game_state import GameState
from engine.games.white_line_fever.state.table_facts import in_play
from engine.measure.contacts import contacts
from engine.measure.sweep import THE_EDGE, Step, Straight, Turn, poses_along
from engine.motion.recognition import pivots_of
from engine.ruling import Verdict
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, Status, TableState, key_of

MOVE = cite("Maneuvers", "Move Car")
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

"""What the rules of a game read from a table, and how they tell of a move on a free one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.game.contract import Seen
from engine.game.forms import PathOnTable
from engine.measure.sweep import Step, Turn
from engine.ruling import Belief, Measurement, Verdict
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, Status, TableState

HEADLINES: Mapping[Verdict, str] = MappingProxyType(
    {Verdict.YES: "Legal", Verdict.NO: "Not legal", Verdict.TOO_CLOSE: "Too close to call"}
)
"""How a move that came to rest on a free table is headed."""

ACCEPT = "Accept it as it stands"
"""The button that takes a move against which something stands."""


def standing_of(table: TableState | None, name: str) -> Standing | None:
    """Where a piece stands, if there is a table that knows it."""
    return None if table is None else table.called(name)


def seen(table: TableState | None, name: str) -> Standing | None:
    """The same, but only of what is neither under a hand nor out of sight."""
    standing = standing_of(table, name)
    unknown = standing is None or standing.status in (Status.HELD, Status.LOST)
    return None if unknown else standing


def sorted_out(verdicts: Mapping[str, Verdict]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of which something is surely so, and those of which it may be."""
    sure, perhaps = (
        tuple(name for name, one in verdicts.items() if one is verdict)
        for verdict in (Verdict.YES, Verdict.TOO_CLOSE)
    )
    return sure, perhaps


@dataclass(frozen=True, slots=True)
class Off:
    """How far a piece stands from where it has to: inches, and radians to be turned, left above 0."""

    away: Measurement
    angle: Measurement
    askew: float

    @property
    def verdict(self) -> Verdict:
        """Whether it stands there."""
        found = (self.away.verdict(), self.angle.verdict())
        return next((v for v in (Verdict.NO, Verdict.TOO_CLOSE) if v in found), Verdict.YES)


def off_goal(standing: Standing, goal: Pose, inches: float, radians: float) -> Off:
    """A piece held against the pose where it has to stand, within so many inches and radians."""
    own, askew = standing.uncertainty.own, wrap_angle(goal.heading - standing.pose.heading)
    sd = math.sqrt(float(max(own[0, 0], own[1, 1])))
    away = Measurement(Belief(math.dist(standing.pose.xy, goal.xy), sd)).at_most(inches)
    angle = Measurement(Belief(abs(askew), math.sqrt(float(own[2, 2]))), "rad").at_most(radians)
    return Off(away, angle, askew)


def path(seen: Seen, piece: str) -> PathOnTable:
    """Asks how a piece was moved, where the camera saw it."""
    newest = seen.newest(piece)
    usual = None if newest is None else newest.id
    return PathOnTable(words="As the camera saw it", piece=piece, usual=usual, optional=True)


def pose_json(pose: Pose) -> list[float]:
    """A pose as [x, y, heading]: inches to the ten-thousandth, radians to the hundred-thousandth."""
    return [round(pose.x, 4), round(pose.y, 4), round(pose.heading, 5)]


def step_json(step: Step) -> dict[str, Any]:
    """A step as plain JSON values, inches and radians; of a turn also its pivot."""
    if isinstance(step, Turn):
        pivot = [round(v, 4) for v in step.pivot]
        return {"kind": "turn", "angle": round(step.angle, 5), "pivot": pivot}
    kind = "drift" if step.left else "straight"
    return {"kind": kind, "ahead": round(step.ahead, 4), "left": round(step.left, 4)}

"""What happens on a simulated table and when: moves, hands, pieces lifted and put elsewhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import Pose
from vision.simulate.drawing.solids import Hand
from vision.simulate.scene import Scene, ScenePlacement, SceneSnapshot

Touch = Literal["none", "push", "over"]
"""No hand, fingertips at the piece's side with its tag in view, or a hand that covers it."""

HAND_IN = 0.5
"""Seconds that a hand takes to come and to go."""

_HAND_FROM = 44.0
# From the fingertips back to the middle of the palm, which covers what is under it.
_PALM = 4.8
_LIFT_SHARE = 0.22
_TURN_STEPS = 12


@dataclass(frozen=True, slots=True)
class RunLeg:
    """A run ahead; `aside` inches to the left meanwhile makes it a drift."""

    inches: float
    aside: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnLeg:
    """A turn on the rear axle, radians, counter-clockwise."""

    angle: float


def manoeuvre(start: Pose, legs: Sequence[RunLeg | TurnLeg], rear_axle: float = -0.9) -> tuple[Pose, ...]:
    """The poses of a car that drives these legs; `rear_axle` is its axle's x in the body frame."""
    poses = []
    pose = start
    for leg in legs:
        if isinstance(leg, RunLeg):
            pose = pose.compose(Pose(leg.inches, leg.aside))
            poses.append(pose)
            continue
        pivot = pose.compose(Pose(rear_axle, 0.0))
        for step in range(1, _TURN_STEPS + 1):
            turned = Pose(pivot.x, pivot.y, pivot.heading + leg.angle * step / _TURN_STEPS)
            poses.append(turned.compose(Pose(-rear_axle, 0.0)))
        pose = poses[-1]
    return tuple(poses)


@dataclass(frozen=True, slots=True)
class Act:
    """Something that happens from `start` to `end` (seconds).

    The piece goes from where it is through the poses of `path`, gently started and stopped,
    `lift` inches high in between. With `away` it is out of sight meanwhile. Without a piece, a
    hand rests with its fingertips on the first pose of `path`. `reach` is the direction in which
    the hand points (radians); by default it comes from the nearer of the near and the far side.
    """

    start: float
    end: float
    piece: str | None = None
    path: tuple[Pose, ...] = ()
    touch: Touch = "push"
    lift: float = 0.0
    away: bool = False
    reach: float | None = None

    def __post_init__(self) -> None:
        if not self.end > self.start >= 0.0:
            raise TableRefError(f"an act must end after it starts, but got {self.start} to {self.end} s")
        if not self.path:
            raise TableRefError(
                "an act needs at least one pose: where the piece goes, or where the hand lies"
            )


def _eased(share: float) -> float:
    """0 to 1 with gentle ends."""
    s = min(1.0, max(0.0, share))
    return s * s * s * (s * (6 * s - 15) + 10)


def between(a: Pose, b: Pose, share: float) -> Pose:
    """The pose at a share of the way from a to b, turning the short way round."""
    turn = math.remainder(b.heading - a.heading, math.tau)
    return Pose(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.heading + share * turn)


def along(path: Sequence[Pose], share: float) -> Pose:
    """The pose at a share of a path's length; a turn counts as the way of a point 1" off."""
    steps = [
        math.hypot(b.x - a.x, b.y - a.y) + abs(math.remainder(b.heading - a.heading, math.tau))
        for a, b in itertools.pairwise(path)
    ]
    run = np.concatenate([[0.0], np.cumsum(steps)])
    if run[-1] <= 0.0:
        return path[-1]
    at = share * run[-1]
    leg = min(int(np.searchsorted(run, at, side="right")) - 1, len(steps) - 1)
    return between(path[leg], path[leg + 1], float((at - run[leg]) / max(steps[leg], 1e-12)))


class Script:
    """A scene and what happens in it: a snapshot for every time."""

    def __init__(self, scene: Scene, acts: Sequence[Act] = ()) -> None:
        self.scene = scene
        self.acts = tuple(sorted(acts, key=lambda act: act.start))
        self._paths: list[tuple[Act, tuple[Pose, ...]]] = []
        where = dict(scene.start)
        busy: dict[str, float] = {}
        for act in self.acts:
            if act.piece is None:
                self._paths.append((act, act.path))
                continue
            name = scene.piece(act.piece).name
            if act.start < busy.get(name, 0.0):
                raise TableRefError(f"{name} is to do two things at once at {act.start} s; let one end first")
            path = (where.get(name, act.path[0]), *act.path)
            self._paths.append((act, path))
            where[name], busy[name] = path[-1], act.end

    @property
    def duration(self) -> float:
        """When the last act is over and its hand gone, seconds."""
        return max((act.end for act in self.acts), default=0.0) + HAND_IN

    def at(self, time: float) -> SceneSnapshot:
        """The table at one time, seconds."""
        placements = {name: ScenePlacement(pose) for name, pose in self.scene.start.items()}
        hand: Hand | None = None
        for act, path in self._paths:
            share = (time - act.start) / (act.end - act.start)
            if share >= 0.0 and act.piece is not None:
                name = self.scene.piece(act.piece).name
                placement = _placement(act, path, share)
                if placement is None:
                    placements.pop(name, None)
                else:
                    placements[name] = placement
            if act.touch != "none" and act.start - HAND_IN <= time <= act.end + HAND_IN:
                hand = self._hand(act, path, time) or hand
        return SceneSnapshot(placements, hand)

    def _hand(self, act: Act, path: tuple[Pose, ...], time: float) -> Hand | None:
        share = min(1.0, max(0.0, (time - act.start) / (act.end - act.start)))
        placement = ScenePlacement(path[0]) if act.piece is None else _placement(act, path, share)
        if placement is None:
            placement = ScenePlacement(path[0] if share < 0.5 else path[-1])
        out = max(act.start - time, time - act.end, 0.0) / HAND_IN
        if act.away:
            out = max(out, min(1.0, 4.0 * min(share, 1.0 - share)))
        reach = act.reach
        if reach is None:
            middle = self.scene.near_left[1] + self.scene.size[1] / 2
            reach = math.radians(75.0) if path[0].y < middle else math.radians(-105.0)
        half = 0.0 if act.piece is None else self.scene.piece(act.piece).body.length / 2
        return hand_at(placement, reach, act.touch, half, _eased(out))


def _placement(act: Act, path: tuple[Pose, ...], share: float) -> ScenePlacement | None:
    """Where the act has its piece at a share of its time; None while it is away."""
    if share >= 1.0:
        return ScenePlacement(path[-1])
    if act.away:
        return None
    if act.lift <= 0.0:
        return ScenePlacement(along(path, _eased(share)))
    up = min(share, 1.0 - share) / _LIFT_SHARE
    carried = (share - _LIFT_SHARE) / (1.0 - 2 * _LIFT_SHARE)
    return ScenePlacement(along(path, _eased(carried)), act.lift * _eased(up))


def hand_at(
    placement: ScenePlacement, reach: float, touch: Touch, half_length: float, out: float = 0.0
) -> Hand:
    """A hand at a piece (`push`) or over it; `out` 0 to 1 is how far it has withdrawn."""
    pose = placement.pose
    forward = _PALM if touch == "over" else -0.25
    if touch == "push":
        # It touches the side of the piece that faces it: the tail when it pushes from behind.
        across = abs(math.sin(pose.heading - reach))
        forward -= half_length * (1.0 - across) + 0.6 * across
    forward -= _HAND_FROM * out
    tips = Pose(pose.x + forward * math.cos(reach), pose.y + forward * math.sin(reach), reach)
    return Hand(tips, 0.5 + placement.lift + (1.1 if touch == "over" else 0.0) + 1.5 * out)

"""Cars that a rule puts elsewhere: Spin Out, push, pull, turn. Each owes the game a placement."""

from __future__ import annotations

import math

from engine.games.white_line_fever.play import Play
from engine.games.white_line_fever.state import Duty, PoseJson
from engine.geometry import Pose


def as_pose_json(pose: Pose) -> PoseJson:
    """A pose as the state holds it."""
    return (pose.x, pose.y, pose.heading)


def owe_spin(play: Play, name: str, citation: str) -> None:
    """The car faces the exact opposite way, where it stands."""
    standing = play.standing(name)
    target = None
    if standing is not None:
        p = standing.pose
        target = as_pose_json(Pose(p.x, p.y, p.heading + math.pi))
    play.owe(Duty("spin", name, citation, angle=math.pi, target=target), f"{name} spins out: turn it round")


def owe_turn(play: Play, name: str, by: str, citation: str) -> None:
    """The car is turned where it stands by up to 90 degrees, as a player chooses."""
    standing = play.standing(name)
    target = None if standing is None else as_pose_json(standing.pose)
    duty = Duty("turn", name, citation, angle=math.pi / 2, by=by, target=target)
    play.owe(duty, f"{by} turns {name} by up to 90°")


def owe_push(play: Play, name: str, inches: float, citation: str, away_from: str) -> None:
    """The car is shifted straight away from another; its heading stays."""
    target = _shifted(play, name, inches, away_from)
    duty = Duty("push", name, citation, inches=inches, target=target)
    play.owe(duty, f'{name} is pushed {inches:g}" away from {away_from}')


def owe_pull(play: Play, name: str, inches: float, citation: str, toward: str) -> None:
    """The car is shifted straight toward another; its heading stays."""
    target = _shifted(play, name, -inches, toward)
    duty = Duty("pull", name, citation, inches=inches, target=target)
    play.owe(duty, f'{name} is pulled {inches:g}" toward {toward}')


def owe_shove(play: Play, name: str, inches: float, citation: str) -> None:
    """The car is shifted along its own axis, backwards if negative."""
    standing = play.standing(name)
    target = None if standing is None else as_pose_json(standing.pose.compose(Pose(inches, 0.0)))
    way = "backwards" if inches < 0 else "ahead"
    duty = Duty("push", name, citation, inches=abs(inches), target=target)
    play.owe(duty, f'{name} is pushed {abs(inches):g}" {way}')


def _shifted(play: Play, name: str, inches: float, other: str) -> PoseJson | None:
    """Where a car stands after a shift along the line from another's middle to its own."""
    here, there = play.standing(name), play.standing(other)
    if here is None or there is None:
        return None
    way = here.pose.xy - there.pose.xy
    length = float(math.hypot(*way))
    if length == 0.0:
        return None
    x, y = here.pose.xy + way * (inches / length)
    return (float(x), float(y), here.pose.heading)

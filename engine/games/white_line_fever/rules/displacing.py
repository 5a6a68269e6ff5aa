"""Cars that a rule puts elsewhere: Spin Out, push, pull, turn. Each owes the game a placement."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.game.kit.reading import PoseJson
from engine.games.white_line_fever.rules.displacement_rule import shifted
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import Duty
from engine.measure.sweep import THE_EDGE, Straight
from engine.space.geometry import Pose
from engine.space.table import Standing


def as_pose_json(pose: Pose) -> PoseJson:
    """A pose as the state holds it."""
    return (pose.x, pose.y, pose.heading)


def _to_be(play: Play, name: str) -> Standing | None:
    """Where a car stands, or will stand once it has been placed as it is owed so far."""
    standing = play.standing(name)
    owed = [d.target for d in play.state.duties if d.car == name and d.target is not None]
    return replace(standing, pose=Pose(*owed[-1])) if standing is not None and owed else standing


def owe_spin(play: Play, name: str, citation: str) -> None:
    """The car faces the exact opposite way, where it stands."""
    standing = _to_be(play, name)
    target = None
    if standing is not None:
        p = standing.pose
        target = as_pose_json(Pose(p.x, p.y, p.heading + math.pi))
    play.owe(Duty("spin", name, citation, angle=math.pi, target=target), f"{name} spins out: turn it round")


def owe_turn(play: Play, name: str, by: str, citation: str) -> None:
    """The car is turned where it stands by up to 90 degrees, as a player chooses."""
    standing = _to_be(play, name)
    target = None if standing is None else as_pose_json(standing.pose)
    duty = Duty("turn", name, citation, angle=math.pi / 2, by=by, target=target)
    play.owe(duty, f"{by} turns {name} by up to 90°")


def owe_push(play: Play, name: str, inches: float, citation: str, away_from: str) -> None:
    """The car is shifted straight away from another; its heading stays."""
    way = _way(play, name, inches, away_from)
    _shift(play, Duty("push", name, citation, inches=inches), way, f"away from {away_from}")


def owe_pull(play: Play, name: str, inches: float, citation: str, toward: str) -> None:
    """The car is shifted straight toward another; its heading stays."""
    way = _way(play, name, -inches, toward)
    _shift(play, Duty("pull", name, citation, inches=inches), way, f"toward {toward}")


def owe_shove(play: Play, name: str, inches: float, citation: str) -> None:
    """The car is shifted along its own axis, backwards if negative."""
    duty = Duty("push", name, citation, inches=abs(inches))
    _shift(play, duty, Straight(inches), "backwards" if inches < 0 else "ahead")


def _way(play: Play, name: str, inches: float, other: str) -> Straight | None:
    """The shift away from another car, from its middle through this one's, in this car's own frame."""
    here, there = _to_be(play, name), play.standing(other)
    if here is None or there is None:
        return None
    way = (here.pose.xy - there.pose.xy) @ here.pose.rotation
    length = math.hypot(*way)
    return None if length == 0.0 else Straight(*(float(v) * inches / length for v in way))


def _shift(play: Play, duty: Duty, step: Straight | None, whither: str) -> None:
    words = f"{duty.car} is {duty.kind}ed {duty.inches:g} in {whither}"
    car = _to_be(play, duty.car)
    if play.table is not None and car is not None and step is not None:
        ghost = shifted(play.state, play.table, car, step)
        target = as_pose_json(ghost.pose)
        duty = replace(
            duty, target=target, meets=ghost.meets, crosses=ghost.crosses, leaves=ghost.leaves,
            doubtful=ghost.doubtful, way=ghost.way,
        )  # fmt: skip
        stops = " and ".join(ghost.meets) or (THE_EDGE if ghost.leaves else "")
        words += f", up to {stops}" if stops else ""
        words += f" ({' and '.join(ghost.doubtful)}: too close to call)" if ghost.doubtful else ""
    play.owe(duty, words)

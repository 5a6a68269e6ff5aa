"""Collisions with solid obstacles and vehicles: who makes which Damage roll, and whose Speed changes."""

from __future__ import annotations

from typing import Any, Literal

from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.rules.damage import damage_task
from engine.games.frothy_races.rules.entering import control_task, half
from engine.games.frothy_races.rules.moves import arc_of, can_pass
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import Task, Vehicle
from engine.ruling import signed

SOLID = cite("Collisions", "Solid Obstacles and Vehicles")
PASSING = SOLID

Kind = Literal["Solid Obstacle", "Head-On", "T-collision", "Rear-End"]

KINDS: dict[str, Kind] = {"front": "Head-On", "side": "T-collision", "rear": "Rear-End"}


def shares(kind: Kind, speed: int, other: int) -> tuple[int, int]:
    """The Damage dice of the vehicle that collides and of the one that is hit.

    >>> shares("Rear-End", 6, 1), shares("Rear-End", 2, 4), shares("T-collision", 5, 1)
    ((5, 5), (1, 1), (5, 5))
    """
    if kind == "Head-On":
        return speed + other, speed + other
    if kind == "Rear-End":
        dice = speed - other if speed > other else 1
        return dice, dice
    return speed, 0 if kind == "Solid Obstacle" else speed


def speed_changes(kind: Kind, speed: int, other: int) -> tuple[int | None, int | None]:
    """By how much each Speed rating changes; None halves it.

    >>> speed_changes("Rear-End", 6, 1), speed_changes("Rear-End", 2, 4)
    ((-3, 3), (-1, 0))
    """
    if kind == "Head-On":
        return None, None
    if kind == "Rear-End":
        by = half(speed - other)
        return (-by, by) if speed > other else (-1, 0)
    return None, 0


def collide(play: Play, name: str, towards: int, into: str, *, heading: int, side: str) -> None:
    """A vehicle would move into an occupied hex: it stays, and the collision is resolved."""
    v = play.vehicle(name)
    other = next((o for o in play.state.racing if o.name == into), None)
    kind: Kind = "Solid Obstacle" if other is None else KINDS[arc_of(other.facing, (towards + 6) % 12)]
    play.tell(
        "collided", f"{name} collides with {into}: {kind}", SOLID, vehicle=name,
        other=None if other is None else other.name, into=into, sort=kind,
    )  # fmt: skip
    speeds = (v.speed, 0 if other is None else other.speed)
    dice, changes = shares(kind, *speeds), speed_changes(kind, *speeds)
    both = [v] if other is None else [v, other]
    slide: dict[str, Any] = {"heading": heading, "side": side if side in ("L", "R") else ""}
    if other is None:
        # "In the direction the vehicle was originally moving when it hit the obstacle": towards it.
        slide = {"heading": towards, "side": ""}
    tasks: list[Task] = []
    for k, one in enumerate(both):
        count = traited(dice[k], one, both[1 - k] if len(both) > 1 else None)
        if count > 0:
            whose = both[1 - k].name if len(both) > 1 else None
            tasks.append(damage_task(one.name, count, kind, SOLID, settles=True, by=whose))
    rolls = {t.vehicle for t in tasks}
    for one in both:
        if one.name in rolls:
            against = into if one is v else name
            tasks.append(control_task(one.name, kind, hurt=True, against=against, **slide))
    for one, by in zip(both, changes, strict=False):
        if by != 0:
            tasks.append(_rate(one, by))
    words = f"{name} may be turned past {into}"
    tasks.append(Task("reface", name, words, PASSING, {"into": into}))
    play.owe(*tasks)


def traited(dice: int, one: Vehicle, other: Vehicle | None = None) -> int:
    """The dice of any collision with the traits of both; 0 where there is no roll."""
    if dice <= 0:
        return 0
    return max(dice - one.trait("B.S.H.") + (0 if other is None else other.trait("Spiked")), 0)


def _rate(v: Vehicle, by: int | None) -> Task:
    what = "halves its Speed" if by is None else f"changes its Speed by {signed(by)}"
    return Task("rate", v.name, f"{v.name} {what}", SOLID, {"by": by})


def facings(play_state: Any, v: Vehicle) -> tuple[tuple[int, ...], bool]:
    """The facings that it may take so as to pass, and whether its Speed becomes 0 for that."""
    if can_pass(play_state, v, v.facing):
        return (), False
    near = tuple(
        (v.facing + turn) % 12 for turn in (1, -1) if can_pass(play_state, v, (v.facing + turn) % 12)
    )
    if near:
        return near, False
    return tuple(f for f in range(12) if can_pass(play_state, v, f)), True

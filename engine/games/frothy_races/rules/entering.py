"""What a vehicle meets on a hex that it moves into: hazards, fragile obstacles, points for them."""

from __future__ import annotations

from typing import Any

from engine.boards.board import Cell
from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.rules.damage import SCORING, damage_task
from engine.games.frothy_races.rules.order import gained
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import GameState, Task, Vehicle

HAZARDS = cite("Collisions", "Hazards and Fragile Obstacles")
CONTROL = cite("Damage", "Damage Roll")


def control_task(name: str, why: str, citation: str = CONTROL, **data: Any) -> Task:
    """A Control roll that is owed.

    `heading` and `side` are the way of a slide, `against` what it may slide into again. With `hurt` it is
    owed only once damage is sustained; `initiated`: a failure ends the movement.
    """
    usual = {"side": "", "against": "", "hurt": False, "initiated": False}
    return Task(
        "control", name, f"{name} makes a Control roll ({why})", citation, usual | {"why": why} | data
    )


def stepped(state: GameState, v: Vehicle, there: Cell) -> float:
    """How far a vehicle has travelled once it is on a hex beside it."""
    assert v.cell is not None
    return v.travelled + gained(state, v.cell, there)


def half(speed: int) -> int:
    """Half a Speed, rounded up."""
    return (speed + 1) // 2


def meets(state: GameState, v: Vehicle, cell: Cell) -> bool:
    """Whether something happens to a vehicle that moves into a hex."""
    if v.trait("Flyer"):
        return False
    return bool(state.things(cell, "hazard") or state.things(cell, "fragile"))


def enter(play: Play, name: str) -> None:
    """It has moved into its hex: a hazard costs control, fragile obstacles may damage it."""
    v, state = play.vehicle(name), play.state
    assert v.cell is not None
    if not meets(state, v, v.cell):
        return
    hazards, fragile = state.things(v.cell, "hazard"), state.things(v.cell, "fragile")
    tasks: list[Task] = []
    heading: dict[str, Any] = {"heading": v.facing, "side": v.side}
    if fragile:
        one = fragile[0]
        play.tell("removed", f"{name} runs over {one.name}", HAZARDS, obstacle=one.name, vehicle=name)
        if state.rules.race == "Scoring" and one.worth:
            words = f"{name} scores {one.worth} for {one.name}"
            play.tell("scored", words, SCORING, vehicle=name, points=one.worth)
        dice = half(v.speed) + len(fragile) - 1 - v.trait("B.S.H.")
        if dice > 0:
            tasks.append(damage_task(name, dice, one.name, HAZARDS, settles=True, heading=v.facing))
            tasks.append(control_task(name, one.name, hurt=not hazards, **heading))
    if hazards:
        play.add_control(name, half(v.speed), hazards[0].name)
        if not tasks:
            tasks.append(control_task(name, hazards[0].name, HAZARDS, **heading))
    play.owe(*tasks)

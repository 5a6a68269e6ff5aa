"""Vehicles out of control or without a driver, and the edges of the play space."""

from __future__ import annotations

from engine.game.about import house
from engine.games.shattered_highways.book.data import UNMANNED_LOSES, cite
from engine.games.shattered_highways.state.duties import ROLLED, due
from engine.games.shattered_highways.state.game_state import Duty
from engine.games.shattered_highways.state.play import Play

LOST = cite("Lost Control")
UNMANNED = cite("Driver Actions")
EDGE = cite("Move")
SHIFT = house("Moving the fleet back")


def lose(play: Play, name: str) -> None:
    """It has Lost Control: once everything else is resolved, a D6 says where it veers."""
    if play.state.vehicle(name).in_play:
        play.owe(Duty("control", name, LOST), f"{name} has Lost Control")


def roll_due(play: Play) -> None:
    """The dice that decide by themselves, as long as nothing else has to be done first."""
    while (duty := due(play.state)) is not None and duty.kind in ROLLED:
        if duty.kind == "control":
            _veer(play, duty)
        else:
            _unmanned(play, duty)


def _veer(play: Play, duty: Duty) -> None:
    vehicle = play.state.vehicle(duty.vehicle)
    driver = play.state.driver(vehicle.name)
    by = vehicle.control if driver is None else driver.owner
    section = play.die(f"{vehicle.name} veers into section", LOST, vehicle.name, by)
    words = f"{vehicle.name} veers to the far edge of section {section}"
    play.tell("veers", words, LOST, vehicle=vehicle.name, duty="control", section=section)
    play.owe(Duty("lost", vehicle.name, LOST, by=by, section=section), f"{vehicle.name} is put there")


def _unmanned(play: Play, duty: Duty) -> None:
    name = duty.vehicle
    by = play.state.vehicle(name).control
    value = play.die(f"{name} is unmanned, 1 to {UNMANNED_LOSES} loses control", UNMANNED, name, by)
    lost = value <= UNMANNED_LOSES
    words = f"{name} {'swerves' if lost else 'goes straight on'} without a driver"
    play.tell("checked", words, UNMANNED, vehicle=name, duty="unmanned", value=value)
    if lost:
        lose(play, name)


def reach_edge(play: Play, name: str, edge: str | None, inches: float | None = None) -> None:
    """At the front edge the fleet is moved back; at the back edge the vehicle waits for its last chance."""
    if edge == "front" and not any(d.kind == "shift" for d in play.state.duties):
        by = play.state.house.shift if inches is None else inches
        words = f"{name} reaches the front edge: all vehicles are moved back"
        play.owe(Duty("shift", name, EDGE, inches=by), words)
    if edge == "back":
        left_against_edge(play, name)


def left_against_edge(play: Play, name: str) -> None:
    """It is left against the back edge."""
    if play.state.vehicle(name).status == "driving":
        words = f"{name} is left against the back edge and has one Move to get back"
        play.tell("behind", words, EDGE, vehicle=name)

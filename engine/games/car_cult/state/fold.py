"""The state after an event: one small change for each kind, nothing decided here; and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.dice import Want
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play as AnyPlay
from engine.game.records import to_json
from engine.games.car_cult.book import tracks
from engine.games.car_cult.book.data import SIDES
from engine.games.car_cult.state.game_state import (
    STATES,
    Attack,
    Duty,
    GameState,
    Laid,
    Passed,
    Route,
    Turn,
)

EVENTS = Events[GameState]("Car Cult", pieces=("car", "target", "other", "token", "cars"), states=STATES)
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("card", "roll", "rolls", "applied", "modified", "checked", "kept")
EVENTS.only_told("missed", tone="miss")
EVENTS.only_told("hit", tone="good")
EVENTS.only_told("blast", tone="bad")


def _was_measured(data: Data) -> bool | None:
    """Whether what counts of a range was measured: players may have said otherwise."""
    return None if data.get("distance") is None else not data.get("said")


# A range is measured once its target is declared: it may be read from then on.
EVENTS.only_told("ranged", measured=_was_measured)


def _zones(
    state: GameState, car: str, name: str, change: Callable[[tracks.Zones], tracks.Zones]
) -> GameState:
    return state.with_component(car, name, zones=change(state.car(car).component(name).zones))


@EVENTS.on("deployed")
def _deployed(state: GameState, data: Data) -> GameState:
    state = state.with_car(data["car"], status="driving")
    engine = state.car(data["car"]).engine
    zones = engine.zones
    for _ in range(data["tokens"]):
        zones = tracks.with_speed(zones)
    return state.with_component(data["car"], engine.name, zones=zones)


@EVENTS.on("round", tone="turn")
def _round(state: GameState, data: Data) -> GameState:
    cars = tuple(replace(c, activated=False, rolls=()) for c in state.cars)
    return replace(state, round=data["number"], quiet=data["quiet"], calm=True, cars=cars)


@EVENTS.on("order", tone="quiet")
def _order(state: GameState, data: Data) -> GameState:
    for name, value in data["rolls"].items():
        before = () if data.get("anew") else state.car(name).rolls
        state = state.with_car(name, rolls=(*before, value))
    return state


@EVENTS.on("activated", tone="turn")
def _activated(state: GameState, data: Data) -> GameState:
    state = state.with_car(data["car"], activated=True)
    return replace(state, turn=Turn(data["car"], data["player"]))


def _in_turn(state: GameState, **changes: Any) -> GameState:
    if state.turn is None:
        raise TableRefError("the log is out of order: no car is activated")
    return replace(state, turn=replace(state.turn, **changes))


@EVENTS.on("shifted")
def _shifted(state: GameState, data: Data) -> GameState:
    """Speed tokens leave every component but the engine, and as many of the engine as it shifts down."""
    car = state.car(data["car"])
    first, *rest = car.components
    cleared = [replace(c, used=0, zones=tracks.without_speed(c.zones, len(c.zones))) for c in rest]
    engine = replace(first, used=0, zones=tracks.without_speed(first.zones, data["tokens"]))
    return state.with_car(car.name, components=(engine, *cleared))


@EVENTS.on("generated")
def _generated(state: GameState, data: Data) -> GameState:
    return _in_turn(state, stage="allocate", pool=data["tokens"])


@EVENTS.on("allocated")
def _allocated(state: GameState, data: Data) -> GameState:
    for name, count in data["tokens"].items():
        for _ in range(count):
            state = _zones(state, data["car"], name, tracks.with_speed)
    return _in_turn(state, pool=0)


@EVENTS.on("ready")
def _ready(state: GameState, data: Data) -> GameState:
    return _in_turn(state, stage="act", moved=data["stands"])


@EVENTS.on("boosted")
def _boosted(state: GameState, _data: Data) -> GameState:
    assert state.turn is not None
    return _in_turn(state, turbo=state.turn.turbo + 1)


@EVENTS.on("moved", tone="move")
def _moved(state: GameState, data: Data) -> GameState:
    passed = tuple(Passed(one["name"], one["kind"], tuple(one["at"])) for one in data.get("passed", ()))
    return _in_turn(state, moved=True, drove=True, route=_route(data), passed=passed)


def _route(data: Data) -> Route | None:
    """Where it went; None where nobody saw it, or an older record does not say about what it turned."""
    start, steps = data.get("from"), data.get("steps")
    if start is None or steps is None or any(s["kind"] == "turn" and "pivot" not in s for s in steps):
        return None
    taken = tuple(
        (s["angle"], *s["pivot"]) if s["kind"] == "turn" else (s["ahead"], s["left"]) for s in steps
    )
    return Route((start[0], start[1], start[2]), taken, data.get("sd") or 0.0)


@EVENTS.on("laid")
def _laid(state: GameState, data: Data) -> GameState:
    at = None if data["at"] is None else tuple(data["at"])
    one = Laid(data["token"], data["card"], state.car(data["car"]).owner, data["car"], at)
    counts = dict(state.counts)
    counts[data["card"]] = counts.get(data["card"], 0) + 1
    state = _zones(state, data["car"], data["component"], lambda z: tracks.speed_into_damage(z, 1))
    return replace(state, laid=(*state.laid, one), counts=tuple(sorted(counts.items())), calm=False)


@EVENTS.on("removed")
def _removed(state: GameState, data: Data) -> GameState:
    return replace(state, laid=tuple(one for one in state.laid if one.name != data["token"]))


@EVENTS.on("stopped", tone="bad")
def _stopped(state: GameState, data: Data) -> GameState:
    engine = state.car(data["car"]).engine
    return _zones(state, data["car"], engine.name, lambda z: tracks.without_speed(z, len(z)))


def _used(state: GameState, car: str, name: str) -> GameState:
    return state.with_component(car, name, used=state.car(car).component(name).used + 1)


@EVENTS.on("declared", tone="attack")
def _declared(state: GameState, data: Data) -> GameState:
    state = _used(state, data["car"], data["weapon"])
    return replace(state, attack=Attack(data["car"], data["weapon"], data["target"]))


@EVENTS.on("attacked")
def _dice(state: GameState, data: Data) -> GameState:
    if state.attack is None:
        raise TableRefError("the log is out of order: no attack was declared")
    return replace(state, attack=replace(state.attack, dice=tuple(data["dice"])))


@EVENTS.on("rerolled")
def _rerolled(state: GameState, data: Data) -> GameState:
    return _dice(_used(state, data["car"], data["component"]), data)


@EVENTS.on("attack over", tone="quiet")
def _ended_attack(state: GameState, _data: Data) -> GameState:
    return replace(state, attack=None)


@EVENTS.on("swapped", tone="good")
def _swapped(state: GameState, data: Data) -> GameState:
    state = _used(state, data["car"], data["component"])
    (one, k), (other, m) = data["places"]
    tokens = [state.car(data["car"]).component(n).zones[i] for n, i in data["places"]]
    for name, place, token in ((one, k, tokens[1]), (other, m, tokens[0])):
        zones = state.car(data["car"]).component(name).zones
        state = state.with_component(data["car"], name, zones=(*zones[:place], token, *zones[place + 1 :]))
    return state


@EVENTS.on("damaged", tone="bad")
def _damaged(state: GameState, data: Data) -> GameState:
    state = _zones(state, data["car"], data["component"], tracks.with_damage)
    return replace(state if not data["due"] else _done(state, data), calm=False)


@EVENTS.on("struck", tone="bad")
def _struck(state: GameState, data: Data) -> GameState:
    """Damage tokens on a piece of terrain; one that has as many as destroy it is off the table."""
    name, counts = data["target"], dict(state.struck)
    counts[name] = data["tokens"]
    gone = state.destroyed
    if data["destroyed"]:
        counts.pop(name)
        gone = tuple(dict.fromkeys((*gone, name)))
    return replace(state, struck=tuple(sorted(counts.items())), destroyed=gone, calm=False)


@EVENTS.on("owed", tone="quiet")
def _owed(state: GameState, data: Data) -> GameState:
    found = agenda.owed(Duty, *data["duties"])
    duties = (*found, *state.duties) if data["first"] else (*state.duties, *found)
    return replace(state, duties=duties)


@EVENTS.on("settled", tone="quiet")
def _done(state: GameState, _data: Data) -> GameState:
    """The first duty is done."""
    return replace(state, duties=agenda.without(state.duties, lambda _duty: True))


@EVENTS.on("exploded", tone="loss")
def _exploded(state: GameState, data: Data) -> GameState:
    """What was owed to the car is owed no more; an attack by it or at it is over."""
    name = data["car"]
    attack = state.attack
    if attack is not None and name in (attack.car, attack.target):
        attack = None
    duties = tuple(d for d in state.duties if d.car != name or d.kind == "blast")
    state = replace(state.with_car(name, status="exploded"), duties=duties, attack=attack)
    # Who has no car left places no tokens any more: the car's owner does.
    there = {car.owner for car in state.cars if car.status != "exploded"}
    duties = agenda.handed_on(state.duties, there, lambda d: state.car(d.car).owner)
    return replace(state, duties=duties)


@EVENTS.on("ended")
def _ended(state: GameState, _data: Data) -> GameState:
    return replace(state, turn=None, attack=None)


@EVENTS.on("over", tone="end")
def _over(state: GameState, data: Data) -> GameState:
    return replace(state, over=True, winner=data["winner"], turn=None, attack=None, duties=())


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    @property
    def turn(self) -> Turn:
        """The activation, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def d20(self, why: str, citation: str, car: str, by: str, count: int = 1) -> tuple[int, ...]:
        """So many D20 of a player, rolled together."""
        wants = [Want(SIDES, why, by=by) for _ in range(count)]
        return tuple(roll.value for roll in self.rolls(wants, citation, (car,)))

    def owe(self, duties: Sequence[Duty], words: str, *, first: bool = False) -> None:
        """What has to be done before the game goes on; `first` of all that is owed already."""
        if duties:
            self.tell("owed", words, duties[0].citation, duties=[to_json(d) for d in duties], first=first)

    def settled(self, words: str) -> None:
        """The first thing that was owed is done."""
        duty = self.state.duties[0]
        self.tell("settled", words, duty.citation, car=duty.car, duty=duty.kind)

"""What each event changes: one small change for each kind, nothing decided here; and how it is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.game import records
from engine.game.dice import Want
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play as AnyPlay
from engine.games.battlecars.book.data import SIDES, Formula
from engine.games.battlecars.state.game_state import (
    STATES,
    BoardJson,
    GameState,
    Reply,
    StandIn,
    Terrain,
    Token,
    Turn,
    Vehicle,
)

EVENTS = Events[GameState](
    "Battlecars", pieces=("vehicle", "target", "other", "token", "terrain", "piece"), states=STATES
)
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("armed", "roll", "rolls", "avoided", "ran onto", "modified", "detonated")
EVENTS.only_told("missed", tone="miss")
EVENTS.only_told("skidded", tone="bad")
EVENTS.only_told("hit", tone="good")


@EVENTS.on("built")
def _built(state: GameState, data: Data) -> GameState:
    one = Terrain(data["terrain"], data["sort"], tuple(data["cell"]), tuple(data["size"]))
    state = replace(state.counted(one.kind), terrain=(*state.terrain, one))
    return _shown(state, data, one.name, data["cell"])


def _shown(state: GameState, data: Data, what: str, cell: list[int]) -> GameState:
    """The piece that an event names stands for something on a point; one that does goes with it."""
    names = [one.piece for one in state.pieces if one.what == what]
    piece = data.get("piece", names[0] if names else None)
    if piece is None:
        return state
    others = tuple(one for one in state.pieces if one.piece != piece and one.what != what)
    return replace(state, pieces=(*others, StandIn(piece, what, (cell[0], cell[1]))))


@EVENTS.on("started")
def _started(state: GameState, data: Data) -> GameState:
    board = records.from_json(BoardJson, data["board"], "board")
    state = replace(state, kept=board, first=data["first"])
    for name, (cell, facing) in data["places"].items():
        state = state.with_vehicle(name, cell=tuple(cell), facing=facing)
    return state


@EVENTS.on("lies")
def _lies(state: GameState, data: Data) -> GameState:
    return replace(state, kept=records.from_json(BoardJson, data["board"], "board"))


@EVENTS.on("round", tone="turn")
def _round(state: GameState, data: Data) -> GameState:
    vehicles = tuple(replace(v, stunned=False, slid=False) for v in state.vehicles)
    return replace(
        state, round=data["number"], quiet=data["quiet"], calm=True, phase="speed", vehicles=vehicles
    )


@EVENTS.on("revealed")
def _revealed(state: GameState, data: Data) -> GameState:
    for name, speed in data["speeds"].items():
        state = state.with_vehicle(name, speed=speed)
    return replace(state, phase="turns", queue=tuple(data["queue"]))


@EVENTS.on("played", tone="turn")
def _played(state: GameState, data: Data) -> GameState:
    rest = state.queue[state.queue.index(data["person"]) + 1 :] if data["person"] in state.queue else ()
    return replace(state, queue=rest, turn=Turn(data["person"], data["player"]))


@EVENTS.on("ready")
def _ready(state: GameState, _data: Data) -> GameState:
    """The move is made."""
    return state if state.turn is None else replace(state, turn=replace(state.turn, stage="fire"))


@EVENTS.on("goes on")
def _goes_on(state: GameState, data: Data) -> GameState:
    """A skid was survived: the driver chooses the rest of the way."""
    return state if state.turn is None else replace(state, turn=replace(state.turn, left=data["left"]))


@EVENTS.on("ended")
def _ended(state: GameState, _data: Data) -> GameState:
    return replace(state, turn=None, reply=None)


# Moving


@EVENTS.on("drove", tone="move")
def _drove(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], cell=tuple(data["cells"][-1]), facing=data["facing"])


@EVENTS.on("turned", tone="move")
def _turned(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], facing=data["facing"])


@EVENTS.on("swung")
def _swung(state: GameState, data: Data) -> GameState:
    changes: dict[str, Any] = {"facing": data["facing"]}
    if data["stops"]:
        changes |= {"speed": 0, "slid": data["slid"]}
    return state.with_vehicle(data["vehicle"], **changes)


@EVENTS.on("crashed", "rammed", tone="bad")
def _stopped(state: GameState, data: Data) -> GameState:
    """A crash or a ram: whoever took part stands."""
    for name in (data["vehicle"], data.get("other")):
        if name is not None:
            v = state.vehicle(name)
            stunned = v.stunned or name in data["stunned"]
            state = state.with_vehicle(name, speed=0, slid=v.slid or v.bike, stunned=stunned)
    return state


@EVENTS.on("walked", tone="move")
def _walked(state: GameState, data: Data) -> GameState:
    state = state.with_person(data["person"], cell=tuple(data["cell"]))
    return _shown(state, data, data["person"], data["cell"])


@EVENTS.on("got out")
def _got_out(state: GameState, data: Data) -> GameState:
    person = state.person(data["person"])
    if person.vehicle is not None:
        state = state.with_vehicle(person.vehicle, driver=None)
    pieces = tuple(one for one in state.pieces if one.what != person.name)
    state = replace(state.with_person(person.name, vehicle=None, cell=tuple(data["cell"])), pieces=pieces)
    return _shown(state, data, person.name, data["cell"])


@EVENTS.on("boarded")
def _boarded(state: GameState, data: Data) -> GameState:
    state = state.with_vehicle(data["vehicle"], driver=data["person"])
    return state.with_person(data["person"], vehicle=data["vehicle"], cell=None)


# Counters and terrain


@EVENTS.on("laid")
def _laid(state: GameState, data: Data) -> GameState:
    one = Token(data["token"], data["sort"], tuple(data["cell"]))
    vehicle = state.vehicle(data["vehicle"])
    rounds = list(vehicle.component(data["mount"]).rounds)
    rounds.remove(data["sort"])
    state = state.with_component(vehicle.name, data["mount"], rounds=tuple(rounds)).counted(data["sort"])
    if state.turn is not None:
        dropped = (*state.turn.dropped, data["mount"])
        state = replace(state, turn=replace(state.turn, dropped=dropped))
    return _shown(replace(state, tokens=(*state.tokens, one)), data, one.name, data["cell"])


@EVENTS.on("removed")
def _removed(state: GameState, data: Data) -> GameState:
    return replace(state, tokens=tuple(t for t in state.tokens if t.name != data["token"]))


@EVENTS.on("marked", tone="bad")
def _marked(state: GameState, data: Data) -> GameState:
    markers, name = data["markers"], data["target"]
    if any(t.name == name for t in state.terrain):
        marked = (replace(t, markers=t.markers + markers) if t.name == name else t for t in state.terrain)
        return replace(state, terrain=tuple(marked), calm=False)
    return replace(state.with_vehicle(name, markers=state.vehicle(name).markers + markers), calm=False)


@EVENTS.on("razed")
def _razed(state: GameState, data: Data) -> GameState:
    return replace(state, terrain=tuple(t for t in state.terrain if t.name != data["terrain"]))


# Fire and damage


@EVENTS.on("fired", tone="attack")
def _fired(state: GameState, data: Data) -> GameState:
    if data["vehicle"] is None:
        person = state.person(data["person"])
        state = state.with_person(person.name, rounds=person.rounds - 1)
    else:
        rounds = list(state.vehicle(data["vehicle"]).component(data["mount"]).rounds)
        rounds.remove(data["weapon"])
        state = state.with_component(data["vehicle"], data["mount"], rounds=tuple(rounds))
    turn = state.turn
    if turn is not None and data["reply"]:
        state = replace(state, turn=replace(turn, answered=(*turn.answered, data["vehicle"])), reply=None)
    elif turn is not None:
        state = replace(state, turn=replace(turn, targets=(*turn.targets, data["target"])))
    return state


@EVENTS.on("reply")
def _reply(state: GameState, data: Data) -> GameState:
    return replace(state, reply=Reply(data["vehicle"], data["at"]))


@EVENTS.on("held")
def _held(state: GameState, _data: Data) -> GameState:
    return replace(state, reply=None)


@EVENTS.on("armour", tone="bad")
def _armour(state: GameState, data: Data) -> GameState:
    there = state.vehicle(data["vehicle"]).armour
    armour = tuple(replace(b, hits=b.hits + data["points"]) if b.name == data["block"] else b for b in there)
    return replace(state.with_vehicle(data["vehicle"], armour=armour), calm=False)


@EVENTS.on("inside", tone="bad")
def _inside(state: GameState, data: Data) -> GameState:
    one = state.vehicle(data["vehicle"]).component(data["component"])
    left = one.rounds[: len(one.rounds) - len(data["lost"])]
    state = state.with_component(data["vehicle"], one.name, hits=one.hits + data["points"], rounds=left)
    return replace(state, calm=False)


@EVENTS.on("hurt", tone="bad")
def _hurt(state: GameState, data: Data) -> GameState:
    person = state.person(data["person"])
    return replace(state.with_person(person.name, hits=person.hits + data["points"]), calm=False)


@EVENTS.on("killed", tone="bad")
def _killed(state: GameState, data: Data) -> GameState:
    """The dead stay where they were: whose seat is empty, and whose turn is over."""
    person = state.person(data["person"])
    cell = state.place_of(person)
    if person.vehicle is not None:
        state = state.with_vehicle(person.vehicle, driver=None)
    state = state.with_person(person.name, dead=True, vehicle=None, cell=cell)
    if state.reply is not None and not _may_reply(state, state.reply):
        state = replace(state, reply=None)
    return replace(state, calm=False)


def _may_reply(state: GameState, reply: Reply) -> bool:
    return state.vehicle(reply.vehicle).driver is not None


@EVENTS.on("wrecked", tone="loss")
def _wrecked(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], wreck=True, speed=0)


@EVENTS.on("exploded", tone="loss")
def _exploded(state: GameState, data: Data) -> GameState:
    """Nothing is left of it."""
    vehicle = state.vehicle(data["vehicle"])
    return state.with_vehicle(vehicle.name, wreck=True, speed=0, slid=False, **_ruined(vehicle))


def _ruined(vehicle: Vehicle) -> dict[str, Any]:
    return {
        "armour": tuple(replace(b, hits=b.points) for b in vehicle.armour),
        "components": tuple(replace(c, hits=c.spaces, rounds=()) for c in vehicle.components),
    }


@EVENTS.on("reloaded")
def _reloaded(state: GameState, data: Data) -> GameState:
    other, person = state.person(data["from"]), state.person(data["person"])
    state = state.with_person(other.name, rounds=other.rounds - data["rounds"])
    return state.with_person(person.name, rounds=person.rounds + data["rounds"])


@EVENTS.on("withdrew")
def _withdrew(state: GameState, data: Data) -> GameState:
    """Whose vehicles are taken off the board, with their drivers."""
    for person in state.people:
        if person.owner == data["player"] and not person.dead:
            if person.vehicle is not None:
                state = state.with_vehicle(person.vehicle, gone=True, driver=None, speed=0)
            state = state.with_person(person.name, dead=True, vehicle=None, cell=None)
    gone = {p.name for p in state.people if p.dead}
    if state.turn is not None and state.turn.person in gone:
        state = replace(state, turn=None, reply=None)
    if state.reply is not None and not _may_reply(state, state.reply):
        state = replace(state, reply=None)
    return state


@EVENTS.on("over", tone="end")
def _over(state: GameState, data: Data) -> GameState:
    return replace(state, over=True, winner=data["winner"], turn=None, reply=None, queue=())


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    @property
    def turn(self) -> Turn:
        """The turn, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def d8(
        self, why: str, citation: str, by: str, pieces: tuple[str, ...] = (), count: int = 1
    ) -> tuple[int, ...]:
        """So many D8 of a player, rolled together."""
        if not count:
            return ()
        wants = [Want(SIDES, why, by=by) for _ in range(count)]
        return tuple(roll.value for roll in self.rolls(wants, citation, pieces))

    def amount(self, formula: Formula, why: str, citation: str, by: str, piece: str) -> int:
        """What a formula comes to with dice of a player; never below 0."""
        return max(formula.of(self.d8(f"{why} ({formula})", citation, by, (piece,), formula.dice)), 0)

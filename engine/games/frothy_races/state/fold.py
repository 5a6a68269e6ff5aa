"""What each event changes: one small change for each kind, nothing decided here; and how it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.game import records
from engine.game.dice import Roll, icons
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play as AnyPlay
from engine.game.records import to_json
from engine.games.frothy_races.book.data import ICONS, NUMBERS, cite
from engine.games.frothy_races.book.licences import Effect
from engine.games.frothy_races.book.speeds import Marker
from engine.games.frothy_races.state.game_state import (
    STATES,
    Attack,
    Card,
    GameState,
    Obstacle,
    Task,
    Track,
    Turn,
    Vehicle,
    Where,
)

EVENTS = Events[GameState]("Frothy Races", pieces=("vehicle", "target", "other", "obstacle"), states=STATES)
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("licensed", "roll", "rolls")


@EVENTS.on("started")
def _started(state: GameState, data: Data) -> GameState:
    state = replace(state, track=records.from_json(Track, data["track"], "track"), fox=data["fox"])
    for name, (cell, facing, travelled) in data["places"].items():
        state = state.with_vehicle(
            name, cell=tuple(cell), facing=facing, heading=facing, travelled=travelled, start=travelled
        )
    return state


@EVENTS.on("lies")
def _lies(state: GameState, data: Data) -> GameState:
    return replace(state, track=records.from_json(Track, data["track"], "track"))


@EVENTS.on("laid")
def _laid(state: GameState, data: Data) -> GameState:
    heading = data.get("heading")
    one = Obstacle(data["obstacle"], data["sort"], tuple(data["cell"]), 1, data["worth"], heading)
    if heading is not None:
        return replace(state, obstacles=(*state.obstacles, one), runners=state.runners + 1)
    return replace(state, obstacles=(*state.obstacles, one), debris=state.debris + 1)


@EVENTS.on("ran")
def _ran(state: GameState, data: Data) -> GameState:
    moved = tuple(
        replace(o, cell=tuple(data["cell"])) if o.name == data["obstacle"] else o for o in state.obstacles
    )
    return replace(state, obstacles=moved)


@EVENTS.on("jumps")
def _jumps(state: GameState, data: Data) -> GameState:
    return state.with_turn(jump=data["clears"])


@EVENTS.on("removed")
def _removed(state: GameState, data: Data) -> GameState:
    return replace(state, obstacles=tuple(o for o in state.obstacles if o.name != data["obstacle"]))


@EVENTS.on("scored", tone="good")
def _scored(state: GameState, data: Data) -> GameState:
    v = state.vehicle(data["vehicle"])
    return state.with_vehicle(v.name, points=v.points + data["points"])


@EVENTS.on("round", tone="turn")
def _round(state: GameState, data: Data) -> GameState:
    vehicles = tuple(replace(v, checked=False, moved=False, involved=False) for v in state.vehicles)
    return replace(
        state, round=data["number"], phase="check", step=0, rolled=False, turn=None, vehicles=vehicles
    )


@EVENTS.on("phase")
def _phase(state: GameState, data: Data) -> GameState:
    vehicles = tuple(replace(v, moved=False, involved=False) for v in state.vehicles)
    return replace(state, phase="move", step=data["number"], vehicles=vehicles)


@EVENTS.on("maintenance")
def _maintenance(state: GameState, _data: Data) -> GameState:
    return replace(state, phase="maintenance", step=0)


# Agenda


@EVENTS.on("owed", tone="quiet")
def _owed(state: GameState, data: Data) -> GameState:
    """These come before what is owed already."""
    return replace(state, agenda=(*agenda.owed(Task, *data["tasks"]), *state.agenda))


@EVENTS.on("resolved", tone="quiet")
def _resolved(state: GameState, _data: Data) -> GameState:
    return replace(state, agenda=state.agenda[1:])


@EVENTS.on("asked", tone="quiet")
def _asked(state: GameState, data: Data) -> GameState:
    """The first on the agenda was told more."""
    first = state.agenda[0]
    return replace(state, agenda=(replace(first, data={**first.data, **data["more"]}), *state.agenda[1:]))


# Cards, speed, tracks


def _put(cards: tuple[Card, ...], names: list[str], where: Where) -> tuple[Card, ...]:
    return tuple(replace(c, where=where) if c.name in names else c for c in cards)


@EVENTS.on("cards")
def _cards(state: GameState, data: Data) -> GameState:
    cards = state.vehicle(data["vehicle"]).cards
    cards = _put(_put(cards, data["spent"], "spent"), data["gone"], "gone")
    return state.with_vehicle(data["vehicle"], cards=cards)


@EVENTS.on("recovered")
def _recovered(state: GameState, data: Data) -> GameState:
    cards = state.vehicle(data["vehicle"]).cards
    cards = _put(_put(cards, data["hand"], "hand"), data["recovery"], "recovery")
    return state.with_vehicle(data["vehicle"], cards=cards)


@EVENTS.on("checked")
def _checked(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], checked=True)


@EVENTS.on("speed")
def _speed(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], speed=data["speed"], box=data["box"], brake=data["brake"])


@EVENTS.on("control loss")
def _control(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], control=data["control"])


@EVENTS.on("stamina")
def _stamina(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], stamina=data["stamina"])


@EVENTS.on("damaged", tone=lambda data: "bad" if data["points"] else "plain")
def _damaged(state: GameState, data: Data) -> GameState:
    """Its damage; a Control roll that waited for damage is owed now, or dropped where there was none."""
    name, hurt = data["vehicle"], data["points"] > 0
    tasks, found = [], False
    for task in state.agenda:
        waits = task.kind == "control" and task.vehicle == name and task.data.get("hurt") is True
        if waits and not found and data["settles"]:
            found = True
            if hurt:
                tasks.append(replace(task, data={**task.data, "hurt": False}))
        else:
            tasks.append(task)
    state = replace(state, agenda=tuple(tasks))
    return state.with_vehicle(name, damage=data["damage"], applied=tuple(data["applied"]))


@EVENTS.on("drew")
def _drew(state: GameState, data: Data) -> GameState:
    effect = records.from_json(Effect, data["effect"], "effect")
    v = state.vehicle(data["vehicle"])
    return state.with_vehicle(v.name, drawn=(*v.drawn, (data["level"], effect)))


@EVENTS.on("adapted")
def _swapped(state: GameState, data: Data) -> GameState:
    """Each card that is given has the place of the one that is taken for it."""
    v = state.vehicle(data["vehicle"])
    where = {c.name: c.where for c in v.cards}
    for give, take in data["pairs"]:
        where[give], where[take] = where[take], where[give]
    return state.with_vehicle(v.name, cards=tuple(replace(c, where=where[c.name]) for c in v.cards))


# Moving


@EVENTS.on("plays", tone="turn")
def _turn(state: GameState, data: Data) -> GameState:
    return replace(state, turn=Turn(data["vehicle"], data["left"]))


@EVENTS.on("waits")
def _waits(state: GameState, data: Data) -> GameState:
    for name in data["vehicles"]:
        state = state.with_vehicle(name, moved=True)
    return state


@EVENTS.on("paces")
def _changes_left(state: GameState, data: Data) -> GameState:
    return state.with_turn(left=data["left"], card=data["card"], ramming=data["ramming"])


@EVENTS.on("moved", tone="move")
def _moved(state: GameState, data: Data) -> GameState:
    state = state.with_vehicle(
        data["vehicle"], cell=tuple(data["cells"][-1]), travelled=data["travelled"], side=data["side"],
        heading=state.vehicle(data["vehicle"]).facing,
    )  # fmt: skip
    turn = state.turn
    if turn is None:
        return state
    return state.with_turn(
        left=data["left"], moved=turn.moved + len(data["cells"]), drifts=data["drifts"],
        straight=turn.straight and data["straight"], side=data["side"], doubled=data["doubled"],
        jump=-1 if data.get("jumped", False) else turn.jump,
    )  # fmt: skip


@EVENTS.on("slid", tone="bad")
def _slid(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(
        data["vehicle"], cell=tuple(data["cell"]), travelled=data["travelled"], heading=data["heading"],
        side=data["side"],
    )  # fmt: skip


@EVENTS.on("turned", tone="move")
def _turned(state: GameState, data: Data) -> GameState:
    state = state.with_vehicle(data["vehicle"], facing=data["facing"])
    if state.turn is None or state.turn.vehicle != data["vehicle"]:
        return state
    return state.with_turn(straight=False, side="", lost=state.turn.lost or data["ends"])


@EVENTS.on("ended")
def _ended(state: GameState, data: Data) -> GameState:
    return replace(state.with_vehicle(data["vehicle"], moved=True), turn=None)


@EVENTS.on("lost")
def _lost(state: GameState, data: Data) -> GameState:
    """A movement is over before its end."""
    if state.turn is None or state.turn.vehicle != data["vehicle"]:
        return state
    return state.with_turn(left=0, lost=True)


@EVENTS.on("collided", tone="bad")
def _collided(state: GameState, data: Data) -> GameState:
    for name in (data["vehicle"], data["other"]):
        if name is not None:
            state = state.with_vehicle(name, involved=True)
    return _lost(state, data)


@EVENTS.on("wiped out", tone="loss")
def _wiped_out(state: GameState, data: Data) -> GameState:
    """It is out of the race: what was owed by it falls away, its turn is over."""
    v = state.vehicle(data["vehicle"])
    tasks = tuple(t for t in state.agenda if t.vehicle != v.name)
    attack = state.attack
    if attack is not None and v.name in (attack.attacker, attack.target):
        attack = None
    turn = None if state.turn is not None and state.turn.vehicle == v.name else state.turn
    state = replace(state, agenda=tasks, attack=attack, turn=turn)
    return state.with_vehicle(
        v.name, wreck=True, rolling=True, moved=True, checked=True, heading=data["heading"]
    )


@EVENTS.on("rolled on")
def _rolled_on(state: GameState, data: Data) -> GameState:
    v = state.vehicle(data["vehicle"])
    return state.with_vehicle(
        v.name, cell=tuple(data["cell"]), speed=data["speed"], box=0, brake=0, side=data["side"]
    )


@EVENTS.on("rests")
def _rests(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], rolling=False, speed=0, box=0, brake=0)


@EVENTS.on("wrecks moved")
def _wrecks_moved(state: GameState, _data: Data) -> GameState:
    return replace(state, rolled=True)


# Attacks and the end


@EVENTS.on("attacked", tone="attack")
def _attacked(state: GameState, data: Data) -> GameState:
    for name in (data["vehicle"], data["target"]):
        state = state.with_vehicle(name, involved=True)
    return replace(state, attack=Attack(data["vehicle"], data["target"], data["sort"]))


@EVENTS.on("clashed", tone="attack")
def _clashed(state: GameState, _data: Data) -> GameState:
    return replace(state, attack=None)


@EVENTS.on("withdrew")
def _withdrew(state: GameState, data: Data) -> GameState:
    """Whose vehicle is taken off the track."""
    for v in state.vehicles:
        if v.owner == data["player"]:
            if v.races:
                state = _wiped_out(state, {"vehicle": v.name, "heading": v.heading})
            state = state.with_vehicle(v.name, gone=True, rolling=False)
    return state


@EVENTS.on("over", tone="end")
def _over(state: GameState, data: Data) -> GameState:
    return replace(state, over=True, winner=data["winner"], turn=None, attack=None, agenda=())


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    def vehicle(self, name: str) -> Vehicle:
        """A vehicle as it is now."""
        return self.state.vehicle(name)

    @property
    def turn(self) -> Turn:
        """The turn, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def numbers(self, v: Vehicle, count: int, why: str, citation: str) -> tuple[int, ...]:
        """What so many dice of a vehicle's player show as numbers."""
        rolls = self._dice(v, NUMBERS, count, why, citation)
        return tuple(int(roll.face) for roll in rolls)

    def icons(self, v: Vehicle, count: int, why: str, citation: str) -> tuple[str, ...]:
        """What so many dice show as icons."""
        return tuple(roll.face for roll in self._dice(v, ICONS, count, why, citation))

    def _dice(
        self, v: Vehicle, faces: Sequence[str], count: int, why: str, citation: str
    ) -> tuple[Roll, ...]:
        if count <= 0:
            return ()
        return self.rolls([icons(faces, why, v.owner)] * count, citation, (v.name,))

    # What is owed

    def owe(self, *tasks: Task) -> None:
        """These are to be resolved next, in this order."""
        if tasks:
            words = "to resolve: " + "; ".join(task.words for task in tasks)
            self.tell("owed", words, tasks[0].citation, tasks=[to_json(task) for task in tasks])

    def resolve(self) -> Task:
        """Takes the first task off the agenda."""
        task = self.state.agenda[0]
        self.tell("resolved", task.words, task.citation, vehicle=task.vehicle)
        return task

    def ask(self, more: Mapping[str, Any]) -> None:
        """The first task is told more before it goes on."""
        task = self.state.agenda[0]
        self.tell("asked", task.words, task.citation, vehicle=task.vehicle, more=dict(more))

    # Tracks of a licence

    def marker(self, name: str) -> Marker:
        """Where a vehicle's Speed marker stands."""
        v = self.vehicle(name)
        return Marker(v.speed, v.box, v.brake)

    def set_speed(self, name: str, marker: Marker, why: str, citation: str, *, always: bool = False) -> None:
        """The Speed marker is moved; at a Safe Speed all Control Loss points are removed."""
        v = self.vehicle(name)
        changed = marker.speed != v.speed
        if marker != (v.speed, v.box, v.brake):
            words = f"{name}: {why}, Speed {v.speed} to {marker.speed}" if changed else f"{name}: {why}"
            if not changed:
                words += f", still Speed {v.speed}"
            self.tell("speed", words, citation, vehicle=name, **marker._asdict())
        after = self.vehicle(name)
        if (changed or always) and after.safe and after.control > after.least_control:
            self.set_control(name, after.least_control, "a Safe Speed")

    def set_control(self, name: str, points: int, why: str) -> None:
        """The Control Loss points become so many, never fewer than the vehicle always has."""
        v = self.vehicle(name)
        points = max(points, v.least_control)
        if points != v.control:
            words = f"{name}: {v.control} Control Loss points become {points} ({why})"
            self.tell("control loss", words, cite("Control Loss Points"), vehicle=name, control=points)

    def add_control(self, name: str, points: int, why: str) -> None:
        """Control Loss points are gained, or removed where they are below 0."""
        if points:
            self.set_control(name, self.vehicle(name).control + points, why)

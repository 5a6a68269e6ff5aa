"""Where the game stands, what each event changes of it, and how that is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from engine.boards.board import Cell
from engine.boards.hexes import Hexes
from engine.boards.ring import track_of
from engine.errors import TableRefError
from engine.game import records
from engine.game.dice import Roll, icons
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events, Said
from engine.game.kit.play import Play as AnyPlay
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.game.records import to_json
from engine.games.frothy_races.book import data as book
from engine.games.frothy_races.book.data import Effect, Face, Licence, Marker, Rules
from engine.ruling import many
from engine.space.geometry import Pose

# Where a race stands: the track, vehicles with their cards and tracks, whose turn it is, what is owed.

Phase = Literal["setup", "check", "move", "maintenance"]
Where = Literal["hand", "spent", "recovery", "gone"]
Sort = Literal["hazard", "fragile", "solid"]


@dataclass(frozen=True, slots=True)
class Card:
    """A card by its name. `faces` are its sides; a special card has its own name as another."""

    name: str
    faces: tuple[Face, ...]
    special: str = ""
    where: Where = "hand"

    def shows(self, face: str) -> bool:
        """Whether it counts as Whip or Reins: by a side, or by that of its special one."""
        return face in self.faces


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A vehicle in the race.

    `box` and `brake` are the Acceleration and Deceleration box of its Speed rating, counted from 0.
    `travelled` is how far it came in laps since the finish line; `heading` and `side` are how it last moved.
    """

    name: str
    owner: str
    type: str
    cards: tuple[Card, ...] = ()
    traits: tuple[tuple[str, int], ...] = ()
    team: str = ""
    cell: Cell | None = None
    facing: int = 0
    speed: int = 0
    box: int = 0
    brake: int = 0
    control: int = 0
    damage: int = 0
    stamina: int = 10
    applied: tuple[int, ...] = ()
    """The levels of the damage track whose effects came into play."""
    drawn: tuple[tuple[int, Effect], ...] = ()
    """What each Random damage effect turned out to be, by its level."""
    built: Licence | None = None
    """The licence of a vehicle of one's own build."""
    rival: str = ""
    """The vehicle that spurs it on, by the trait Rival."""
    slower: int = book.TOP
    """The Speed that it begins at, at most, in a rolling start."""
    travelled: float = 0.0
    start: float = 0.0
    heading: int = 0
    side: str = ""
    points: int = 0
    checked: bool = False
    """It has made its Speed check this round."""
    moved: bool = False
    """It has had its turn this phase."""
    involved: bool = False
    """It took part in an attack or collision this phase."""
    wreck: bool = False
    rolling: bool = False
    """A wreck that has not come to rest."""
    wrecker: str = ""
    """Who wiped out a Fox, in an attack or a collision."""
    gone: bool = False

    @property
    def licence(self) -> Licence:
        """What it is built like."""
        return self.built or book.licence_called(self.type)

    @property
    def here(self) -> bool:
        """Whether it stands on the track, racing or as a wreck."""
        return self.cell is not None and not self.gone

    @property
    def races(self) -> bool:
        """Whether it is still in the race."""
        return not self.gone and not self.wreck

    @property
    def levels(self) -> tuple[tuple[int, Effect], ...]:
        """The damage effects by their levels, each Random one as it turned out once it was drawn."""
        drawn = dict(self.drawn)
        return tuple(
            (level, drawn.get(level, e) if e.sort == "random" else e) for level, e in self.licence.effects
        )

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The permanent damage effects that came into play."""
        return tuple(e for level, e in self.levels if level in self.applied)

    @property
    def tired(self) -> tuple[Effect, ...]:
        """The Stamina effects at its Stamina and above."""
        return tuple(e for level, e in self.licence.tiring if self.stamina <= level)

    def amount(self, sort: str) -> int:
        """The damage effects of a sort, added up."""
        return sum(e.amount for e in self.effects if e.sort == sort)

    def trait(self, name: str) -> int:
        """How much it has of a trait; 0 without it."""
        lost = any(e.sort == "lose trait" and e.names == name for e in self.effects)
        return 0 if lost else dict(self.traits).get(name, 0)

    @property
    def top(self) -> int:
        """Its maximum Speed rating."""
        return min([book.TOP, *(e.amount for e in self.effects if e.sort == "top")])

    @property
    def resilience(self) -> int | None:
        """The value that damage dice have to beat; None is blank."""
        value = self.licence.resilience
        if value is None:
            return None
        value -= self.amount("resilience")
        return value if value >= 0 else None

    @property
    def least_control(self) -> int:
        """The Control Loss points that it never gets rid of."""
        return self.licence.least_control

    def control_dice(self, speed: int) -> int:
        """The basic dice of a Control roll at a Speed; 0 where that is a Safe Speed."""
        dice = self.licence.control
        safe = max(s for s in range(book.TOP + 1) if dice[s] == 0)
        unsafe = sum(e.sort == "safe" for e in self.effects)
        return max(dice[speed], int(speed > safe - unsafe and speed > 0))

    @property
    def safe(self) -> bool:
        """Whether it goes at a Safe Speed."""
        return self.control_dice(self.speed) == 0

    def hand(self, face: str | None = None) -> tuple[Card, ...]:
        """The cards in its hand; with a face, those that count as it."""
        return tuple(c for c in self.cards if c.where == "hand" and (face is None or c.shows(face)))

    @property
    def whips(self) -> tuple[Card, ...]:
        """The cards in its hand that add a space: with Encouragement those of Reins too."""
        return self.hand() if self.trait("Encouragement") else self.hand("whip")

    def holds(self, special: str) -> bool:
        """Whether a special card is in its hand."""
        return any(c.special == special for c in self.hand())


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something on a hex; `count` markers. `worth` is what the first to enter it scores."""

    name: str
    sort: Sort
    cell: Cell
    count: int = 1
    worth: int = 0
    heading: int | None = None
    """Which way a runner goes, 0 to 10; None for what stays."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A vehicle's turn in a phase. `left` spaces of `moved` and more; `ended` once it may only turn."""

    vehicle: str
    left: int
    moved: int = 0
    drifts: int = 0
    doubled: bool = False
    straight: bool = True
    card: str = ""
    """The card that changed how far it moves."""
    ramming: bool = False
    jump: int = 0
    """The spaces that a jump may clear; below 0 once it has jumped."""
    lost: bool = False
    """Its movement is over: a collision, or control lost in an attack that it began."""
    side: str = ""
    """Which front side it entered last in this phase, facing a corner."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack whose cards are being chosen."""

    attacker: str
    target: str
    sort: Literal["personal", "vehicle"]


@dataclass(frozen=True)
class Task:
    """Something that has to be resolved: its kind, whose it is, and what it is told."""

    kind: str
    vehicle: str
    words: str
    citation: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Track:
    """The track that is raced on, as it lies on the table."""

    circuit: str
    lanes: tuple[tuple[Cell, ...], ...]
    start: tuple[tuple[Cell, int], ...]
    finish: int
    spacing: float
    frame: PoseJson
    tolerance: float
    line: tuple[Cell, ...] = ()
    """The middle line of a track of loose hexes."""

    @cached_property
    def board(self) -> Hexes:
        """As a board."""
        return track_of(self.lanes, self.line, self.spacing, Pose(*self.frame), self.tolerance)


@dataclass(frozen=True)
class GameState:
    """The whole race. `agenda` is what has to be resolved before anything else, the next first."""

    players: tuple[str, ...] = ()
    rules: Rules = field(default_factory=Rules)
    track: Track | None = None
    vehicles: tuple[Vehicle, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    debris: int = 0
    runners: int = 0
    """The runners that have started."""
    fox: str = ""
    """The vehicle that is hunted in Fox and Hounds."""
    round: int = 0
    phase: Phase = "setup"
    step: int = 0
    """The movement phase, counted from 1."""
    rolled: bool = False
    """The wrecks have rolled on this round."""
    turn: Turn | None = None
    attack: Attack | None = None
    agenda: tuple[Task, ...] = ()
    over: bool = False
    winner: str | None = None

    @property
    def board(self) -> Hexes:
        """The board that is raced on."""
        if self.track is None:
            raise TableRefError("the race has no track yet")
        return self.track.board

    def vehicle(self, name: str) -> Vehicle:
        """A vehicle by its name; a clear error names those there are."""
        return called(self.vehicles, name, "vehicle")

    @property
    def racing(self) -> tuple[Vehicle, ...]:
        """The vehicles that are still in the race."""
        return tuple(v for v in self.vehicles if v.races)

    def at(self, cell: Cell) -> Vehicle | None:
        """The vehicle or wreck on a hex."""
        return next((v for v in self.vehicles if v.here and v.cell == cell), None)

    def things(self, cell: Cell, sort: Sort) -> tuple[Obstacle, ...]:
        """The obstacles of a sort on a hex."""
        return tuple(o for o in self.obstacles if o.cell == cell and o.sort == sort)

    def with_vehicle(self, name: str, **changes: Any) -> GameState:
        """The same with another state of one vehicle."""
        return replace(self, vehicles=changed(self.vehicles, (name,), **changes))

    def with_turn(self, **changes: Any) -> GameState:
        """The same with another state of the turn; nothing where there is none."""
        return self if self.turn is None else replace(self, turn=replace(self.turn, **changes))

    def allied(self, one: Vehicle, other: Vehicle) -> bool:
        """Whether they are of one team."""
        return one.owner == other.owner or (one.team != "" and one.team == other.team)


def deck(licence: Licence) -> tuple[Card, ...]:
    """The cards that a vehicle starts with, each with a name of its own."""
    both: tuple[Face, ...] = ("whip", "reins")
    cards = [Card(f"Whip {k + 1}", ("whip",)) for k in range(licence.whip)]
    cards += [Card(f"Reins {k + 1}", ("reins",)) for k in range(licence.reins)]
    cards += [Card(f"Dual {k + 1}", both) for k in range(licence.dual)]
    cards += [Card(name, (book.SPECIALS[name].face,), name) for name in licence.specials]
    return tuple(cards)


def _agree(state: GameState) -> None:
    for v in state.vehicles:
        one_of(f"{v.name} · owner", v.owner, state.players)
        _within(v.name, v)
    if state.winner is not None:
        one_of("winner", state.winner, state.players)


def _within(key: str, v: Vehicle) -> None:
    """A vehicle's markers are on its licence."""
    lic = v.licence
    for name, value, most in (
        ("speed", v.speed, book.TOP), ("damage", v.damage, lic.damage), ("stamina", v.stamina, lic.endurance),
        ("control", v.control, 99), ("facing", v.facing, 11),
    ):  # fmt: skip
        between(f"{key} · {name}", value, 0, most)
    if not 0 <= v.box < lic.acceleration[v.speed]:
        raise TableRefError(f"{key} · box: Speed {v.speed} has no Acceleration box {v.box}")
    if not 0 <= v.brake < lic.deceleration[v.speed]:
        raise TableRefError(f"{key} · brake: Speed {v.speed} has no Deceleration box {v.brake}")


STATES = States(GameState, ("vehicles",), _agree)
"""The states of the game, as they are kept."""


# What each event changes: one small change for each kind, nothing decided here; and how it is told.

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


EVENTS.sets("ran", "cell", of="obstacle")
EVENTS.sets("jumps", within="turn", jump=Said("clears"))
EVENTS.removes("removed", "obstacle", "obstacles")


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


EVENTS.sets("maintenance", phase="maintenance", step=0)


# Agenda


@EVENTS.on("owed", tone="quiet")
def _owed(state: GameState, data: Data) -> GameState:
    """These come before what is owed already, or `behind` so many of it."""
    behind = data.get("behind", 0)
    tasks = agenda.owed(Task, *data["tasks"])
    return replace(state, agenda=(*state.agenda[:behind], *tasks, *state.agenda[behind:]))


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


EVENTS.sets("checked", of="vehicle", checked=True)
EVENTS.sets("speed", "speed", "box", "brake", of="vehicle")
EVENTS.sets("control loss", "control", of="vehicle")
EVENTS.sets("stamina", "stamina", of="vehicle")


@EVENTS.on("damaged", tone=lambda data: "bad" if data["points"] else "plain")
def _damaged(state: GameState, data: Data) -> GameState:
    """Its damage; a Control roll that waited for damage is owed now, or dropped where there was none.

    A Damage roll with such a Control roll is that of an attack or a collision, one with debris included.
    """
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
    involved = state.vehicle(name).involved or bool(data.get("settles"))
    return state.with_vehicle(name, damage=data["damage"], applied=tuple(data["applied"]), involved=involved)


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


EVENTS.sets("paces", "left", "card", "ramming", within="turn")


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


# Where it comes to lie is what a slide leads to, not the spaces on the way there.
EVENTS.sets(
    "slid", "cell", "travelled", "heading", "side", of="vehicle",
    tone=lambda data: "plain" if data.get("left") else "bad",
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
    """A movement is over before its end, or before it began."""
    if state.turn is None or state.turn.vehicle != data["vehicle"]:
        return state.with_vehicle(data["vehicle"], moved=True)
    return state.with_turn(left=0, lost=True)


@EVENTS.on("collided", tone="bad")
def _collided(state: GameState, data: Data) -> GameState:
    for name in (data["vehicle"], data["other"]):
        if name is not None:
            state = state.with_vehicle(name, involved=True)
    ends = state.turn is not None and state.turn.vehicle == data["vehicle"]
    return _lost(state, data) if ends else state


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
        v.name, wreck=True, rolling=True, moved=True, checked=True, heading=data["heading"],
        wrecker=data.get("by", ""),
    )  # fmt: skip


EVENTS.sets("rolled on", "cell", "speed", "side", of="vehicle", box=0, brake=0)
EVENTS.sets("rests", of="vehicle", rolling=False, speed=0, box=0, brake=0)
EVENTS.sets("wrecks moved", rolled=True)


# Attacks and the end


@EVENTS.on("attacked", tone="attack")
def _attacked(state: GameState, data: Data) -> GameState:
    for name in (data["vehicle"], data["target"]):
        state = state.with_vehicle(name, involved=True)
    return replace(state, attack=Attack(data["vehicle"], data["target"], data["sort"]))


EVENTS.sets("clashed", tone="attack", attack=None)


@EVENTS.on("withdrew")
def _withdrew(state: GameState, data: Data) -> GameState:
    """Whose vehicle is taken off the track."""
    for v in state.vehicles:
        if v.owner == data["player"]:
            if v.races:
                state = _wiped_out(state, {"vehicle": v.name, "heading": v.heading})
            state = state.with_vehicle(v.name, gone=True, rolling=False)
    return state


EVENTS.sets("over", "winner", tone="end", over=True, turn=None, attack=None, agenda=())


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
        rolls = self._dice(v, book.NUMBERS, count, why, citation)
        return tuple(int(roll.face) for roll in rolls)

    def counted(
        self, v: Vehicle, count: int, why: str, citation: str, counts: Sequence[str]
    ) -> tuple[str, ...]:
        """What so many dice show as numbers, or as what each side counts as where that alone was typed."""
        return tuple(roll.face for roll in self._dice(v, book.NUMBERS, count, why, citation, counts))

    def icons(self, v: Vehicle, count: int, why: str, citation: str) -> tuple[str, ...]:
        """What so many dice show as icons."""
        return tuple(roll.face for roll in self._dice(v, book.ICONS, count, why, citation))

    def _dice(
        self, v: Vehicle, faces: Sequence[str], count: int, why: str, citation: str,
        counts: Sequence[str] = (),
    ) -> tuple[Roll, ...]:  # fmt: skip
        if count <= 0:
            return ()
        return self.rolls([icons(faces, why, v.owner, counts)] * count, citation, (v.name,))

    # What is owed

    def owe(self, *tasks: Task, behind: int = 0) -> None:
        """These are to be resolved next, in this order, or `behind` so many of what is owed already."""
        if tasks:
            # Whether it can pass is known only once all before is resolved.
            told = [f"{t.words}, if it cannot pass" if t.kind == "reface" else t.words for t in tasks]
            self.tell(
                "owed",
                f"to resolve: {'; '.join(told)}",
                tasks[0].citation,
                tasks=[to_json(task) for task in tasks],
                **({"behind": behind} if behind else {}),
            )

    def resolve(self, words: str = "") -> Task:
        """Takes the first task off the agenda; the words say what it comes to, else what it is."""
        task = self.state.agenda[0]
        self.tell("resolved", words or task.words, task.citation, vehicle=task.vehicle)
        return task

    def ask(self, words: str, more: Mapping[str, Any]) -> None:
        """The first task is told more before it goes on; the words say what is known now."""
        task = self.state.agenda[0]
        self.tell("asked", words, task.citation, vehicle=task.vehicle, more=dict(more))

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
            become = "becomes" if v.control == 1 else "become"
            words = f"{name}: {many(v.control, 'Control Loss point')} {become} {points} ({why})"
            self.tell("control loss", words, book.cite("Control Loss Points"), vehicle=name, control=points)

    def add_control(self, name: str, points: int, why: str) -> None:
        """Control Loss points are gained, or removed where they are below 0."""
        if points:
            self.set_control(name, self.vehicle(name).control + points, why)

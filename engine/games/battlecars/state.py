"""Where the game stands, what each event changes of it, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from engine.boards.board import Cell
from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game import records
from engine.game.dice import Want
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play as AnyPlay
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.games.battlecars.book import data as book
from engine.games.battlecars.book.data import Formula, HouseRules, Section
from engine.games.battlecars.book.vehicles import Layout, Mount, layout_called
from engine.space.geometry import Pose

# Where a game of Battlecars stands: vehicles and their sheets, drivers, terrain, counters, turns.

Sort = Literal["tyre", "engine", "fuel tank", "special", "mount"]
Phase = Literal["setup", "speed", "turns"]


@dataclass(frozen=True, slots=True)
class Block:
    """An armour block and the damage counters on it."""

    name: str
    points: int
    hits: int = 0

    @property
    def left(self) -> int:
        """Points that it still takes."""
        return self.points - self.hits


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a section. A mount holds `rounds`; its empty spaces are hit first."""

    name: str
    sort: Sort
    section: Section
    spaces: int
    hits: int = 0
    rounds: tuple[str, ...] = ()

    @property
    def left(self) -> int:
        """Hits that it still takes."""
        return self.spaces - self.hits

    @property
    def works(self) -> bool:
        """Whether it is not destroyed."""
        return self.left > 0

    @property
    def missiles(self) -> tuple[str, ...]:
        """Its rounds of missile weapons."""
        return tuple(r for r in self.rounds if r in book.WEAPONS)


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A car or bike. `driver` sits in it; `markers` count once it is a wreck. `slid`: a bike that lies."""

    name: str
    owner: str
    type: str
    armour: tuple[Block, ...]
    components: tuple[Component, ...]
    driver: str | None = None
    cell: Cell | None = None
    facing: int = 0
    speed: int = 0
    stunned: bool = False
    slid: bool = False
    wreck: bool = False
    gone: bool = False
    markers: int = 0

    @property
    def layout(self) -> Layout:
        """Its type's data."""
        return layout_called(self.type)

    @property
    def bike(self) -> bool:
        """Whether it is a bike."""
        return self.layout.bike

    @property
    def here(self) -> bool:
        """Whether it stands on the board."""
        return self.cell is not None and not self.gone

    @property
    def mounts(self) -> tuple[Component, ...]:
        """Its Weapon Pods and Turrets."""
        return tuple(c for c in self.components if c.sort == "mount")

    @property
    def tyres(self) -> tuple[Component, ...]:
        """Its tyres."""
        return tuple(c for c in self.components if c.sort == "tyre")

    @property
    def flat(self) -> int:
        """Tyres that are destroyed."""
        return sum(not c.works for c in self.tyres)

    @property
    def movable(self) -> bool:
        """Whether it can move: an engine, and for a car two tyres, for a bike both (house default)."""
        return self.component("engine").works and len(self.tyres) - self.flat >= 2

    @property
    def intact(self) -> int:
        """Armour and component points that are left."""
        return sum(b.left for b in self.armour) + sum(c.left for c in self.components)

    def block(self, name: str) -> Block:
        """An armour block by its name."""
        return next(b for b in self.armour if b.name == name)

    def component(self, name: str) -> Component:
        """A component by its name."""
        found = self.find(name)
        if found is None:
            raise TableRefError(
                f"{self.name} has no {name!r}; expected one of {', '.join(c.name for c in self.components)}"
            )
        return found

    def find(self, name: str) -> Component | None:
        """A component by its name, None where the vehicle has none."""
        return next((c for c in self.components if c.name == name), None)

    def working(self, name: str) -> bool:
        """Whether it has a component of that name that is not destroyed."""
        found = self.find(name)
        return found is not None and found.works

    def mount(self, name: str) -> Mount:
        """Where a mount sits and points."""
        return self.layout.mounts[name]

    @property
    def computed(self) -> bool:
        """Whether a Gunnery Computer works."""
        return self.working(book.COMPUTER)

    def safe(self, eighths: int) -> int:
        """The maximum safe speed of a corner; each flat tyre takes one off (house default)."""
        return max(self.layout.safe[abs(eighths) - 1] - self.flat, 0)

    @property
    def speeds(self) -> tuple[int, int]:
        """The lowest and highest Speed that may be chosen; below 0 is reverse.

        Each flat tyre takes 2 off the highest (house default). From forward to reverse the way is through 0.
        """
        data, now = self.layout, self.speed
        top = max(data.top - 2 * self.flat, 1)
        if now > 0:
            low = max(now - data.braking, 0)
            return low, max(min(now + data.acceleration, top), low)
        if now < 0:
            return max(now - data.acceleration, -data.reverse), min(now + data.braking, 0)
        return -min(data.acceleration, data.reverse), min(data.acceleration, top)


@dataclass(frozen=True, slots=True)
class Person:
    """A driver: in a `vehicle`, or on foot at `cell`. `rounds` are those of the hand weapon.

    `lies_in` is the vehicle in which they died, until somebody else takes it over.
    """

    name: str
    owner: str
    vehicle: str | None
    rounds: int
    cell: Cell | None = None
    hits: int = 0
    dead: bool = False
    lies_in: str | None = None

    @property
    def left(self) -> int:
        """Points of damage that they still take."""
        return book.DRIVER_HITS - self.hits


@dataclass(frozen=True, slots=True)
class Terrain:
    """A building or trees over a rectangle of points, its lowest at `cell`; `markers` are damage."""

    name: str
    kind: Literal["building", "trees"]
    cell: Cell
    size: tuple[int, int]
    markers: int = 0

    @property
    def most(self) -> int:
        """Markers that cover it: 2, 4, 8 or 16 by its points (house default)."""
        points = self.size[0] * self.size[1]
        return next((n for n in book.SHIELDING if n >= 2 * points), book.SHIELDING[-1])

    def holds(self, cell: Cell) -> bool:
        """Whether it covers a point."""
        (x, y), (w, h) = self.cell, self.size
        return x <= cell[0] < x + w and y <= cell[1] < y + h

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The points that it covers."""
        (x, y), (w, h) = self.cell, self.size
        return tuple((x + i, y + j) for i in range(w) for j in range(h))


@dataclass(frozen=True, slots=True)
class Token:
    """A counter that lies on a point: smoke, oil, spikes or mines."""

    name: str
    kind: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class StandIn:
    """A tagged piece of the table that stands for terrain, a counter or a driver on foot, by name.

    `cell` is where that is, or was when it left the board.
    """

    piece: str
    what: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Turn:
    """A driver's turn. `targets` were fired at, `dropped` are mounts that did, `answered` returned fire.

    `left` are the points still to go where a skid interrupted the move; None before it begins. `by_hand`: one
    of the targets was fired at with the hand weapon.
    """

    person: str
    player: str
    stage: Literal["move", "fire"] = "move"
    targets: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    left: int | None = None
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """Fire that may be returned: by the driver of a vehicle at whoever fired."""

    vehicle: str
    at: str


@dataclass(frozen=True, slots=True)
class BoardJson:
    """The board that is played on."""

    columns: int
    rows: int
    spacing: float
    frame: PoseJson
    tolerance: float

    @property
    def points(self) -> Points:
        """As a board."""
        return _points_of(self)

    @classmethod
    def of(cls, board: Points) -> BoardJson:
        """A board as it is kept."""
        frame = (board.frame.x, board.frame.y, board.frame.heading)
        return cls(board.columns, board.rows, board.spacing, frame, board.tolerance)


@lru_cache(maxsize=64)
def _points_of(kept: BoardJson) -> Points:
    """The board of its JSON: the same one for every state of a game."""
    return Points(kept.columns, kept.rows, kept.spacing, Pose(*kept.frame), kept.tolerance)


@dataclass(frozen=True, slots=True)
class GameState:
    """The whole game. `players` sit in this order; `queue` are the drivers whose turns are still to come."""

    players: tuple[str, ...] = ()
    house: HouseRules = field(default_factory=HouseRules)
    vehicles: tuple[Vehicle, ...] = ()
    people: tuple[Person, ...] = ()
    terrain: tuple[Terrain, ...] = ()
    tokens: tuple[Token, ...] = ()
    pieces: tuple[StandIn, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    """How many counters and terrain of each kind there were so far, to name them."""
    kept: BoardJson | None = None
    """The board, once it is known which the table has."""
    first: str | None = None
    round: int = 0
    phase: Phase = "setup"
    queue: tuple[str, ...] = ()
    turn: Turn | None = None
    reply: Reply | None = None
    calm: bool = True
    """Whether nothing was damaged this game turn."""
    quiet: int = 0
    """Game turns on end without damage."""
    over: bool = False
    winner: str | None = None

    @property
    def unstarted(self) -> bool:
        """Whether the first move is still to be rolled for: the board is the table's, wherever that lies."""
        return self.phase == "setup" and self.first is None

    @property
    def board(self) -> Points:
        """The board that is played on."""
        return book.own_board(len(self.players)) if self.kept is None else self.kept.points

    def vehicle(self, name: str) -> Vehicle:
        """A vehicle by its name; a clear error names those there are."""
        return called(self.vehicles, name, "vehicle")

    def person(self, name: str) -> Person:
        """A driver by name."""
        return called(self.people, name, "driver")

    def place_of(self, person: Person) -> Cell | None:
        """Where a driver is: in the vehicle, also who lies dead in it, or on foot."""
        inside = person.vehicle or person.lies_in
        if inside is None:
            return person.cell
        vehicle = self.vehicle(inside)
        return vehicle.cell if vehicle.here else None

    def driven(self, person: Person) -> Vehicle | None:
        """The vehicle in which a driver sits."""
        return None if person.vehicle is None else self.vehicle(person.vehicle)

    def to_go(self, vehicle: Vehicle) -> int:
        """The points that a vehicle has still to move this turn: its Speed, or what a skid left of it."""
        turn = self.turn
        if turn is None or turn.left is None or turn.person != vehicle.driver:
            return abs(vehicle.speed)
        return turn.left

    @property
    def living(self) -> tuple[Person, ...]:
        """The drivers who are not dead."""
        return tuple(p for p in self.people if not p.dead)

    @property
    def alive(self) -> tuple[str, ...]:
        """The players who have a living driver, in order."""
        owners = {p.owner for p in self.living}
        return tuple(p for p in self.players if p in owners)

    @property
    def order(self) -> tuple[str, ...]:
        """The players from the first on."""
        seat = self.players.index(self.first) if self.first in self.players else 0
        return (*self.players[seat:], *self.players[:seat])

    def at(self, cell: Cell) -> Vehicle | None:
        """The vehicle or wreck on a point."""
        return next((v for v in self.vehicles if v.here and v.cell == cell), None)

    def terrain_at(self, cell: Cell) -> Terrain | None:
        """The building or trees over a point."""
        return next((t for t in self.terrain if t.holds(cell)), None)

    def tokens_at(self, cell: Cell) -> tuple[Token, ...]:
        """The counters on a point."""
        return tuple(t for t in self.tokens if t.cell == cell)

    def walkers(self, cell: Cell | None = None) -> tuple[Person, ...]:
        """The living drivers on foot, on a point or anywhere."""
        on_foot = (p for p in self.people if p.vehicle is None and not p.dead)
        return tuple(p for p in on_foot if cell is None or p.cell == cell)

    def choosing(self, player: str | None = None) -> tuple[Vehicle, ...]:
        """The vehicles for which a Speed Counter is placed now: of a player or of all."""
        if self.phase != "speed":
            return ()
        return tuple(
            v
            for v in self.vehicles
            if v.here
            and not v.wreck
            and v.driver is not None
            and player in (None, self.person(v.driver).owner)
        )

    def count(self, kind: str) -> int:
        """How many of a kind there were so far."""
        return dict(self.counts).get(kind, 0)

    def counted(self, kind: str) -> GameState:
        """The same with one more of a kind."""
        counts = dict(self.counts) | {kind: self.count(kind) + 1}
        return replace(self, counts=tuple(sorted(counts.items())))

    def with_vehicle(self, name: str, **changes: Any) -> GameState:
        """The same with another state of one vehicle."""
        return replace(self, vehicles=changed(self.vehicles, (name,), **changes))

    def with_person(self, name: str, **changes: Any) -> GameState:
        """The same with another state of one driver."""
        return replace(self, people=changed(self.people, (name,), **changes))

    def with_component(self, vehicle: str, name: str, **changes: Any) -> GameState:
        """The same with another state of one component."""
        there = self.vehicle(vehicle).components
        return self.with_vehicle(vehicle, components=changed(there, (name,), **changes))


def _agree(state: GameState) -> None:
    for vehicle in state.vehicles:
        _sheet_agrees(state, vehicle.name, vehicle)
    if state.winner is not None:
        one_of("winner", state.winner, state.players)


def _sheet_agrees(state: GameState, key: str, vehicle: Vehicle) -> None:
    """A vehicle's sheet is what its type has."""
    one_of(f"{key} · owner", vehicle.owner, state.players)
    layout_called(vehicle.type)
    parts = [(b.name, b.hits, b.points) for b in vehicle.armour]
    parts += [(c.name, c.hits, c.spaces) for c in vehicle.components]
    for name, hits, most in parts:
        between(f"{key} · {name} · hits", hits, 0, most)
    for one in vehicle.components:
        if one.section not in book.SECTIONS or len(one.rounds) > one.left:
            raise TableRefError(
                f"{key} · {one.name}: expected at most {one.left} rounds but got {len(one.rounds)}"
            )
    if vehicle.driver is not None and state.person(vehicle.driver).vehicle != vehicle.name:
        raise TableRefError(f"{key} · driver: {vehicle.driver} does not sit in it")


STATES = States(GameState, ("vehicles",), _agree)
"""The states of the game, as they are kept."""


# What each event changes: one small change for each kind, nothing decided here; and how it is told.

EVENTS = Events[GameState](
    "Battlecars", pieces=("shooter", "vehicle", "target", "other", "token", "terrain", "piece"), states=STATES
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
    if "board" in data:  # an older record does not say on which board it is drawn
        state = replace(state, kept=records.from_json(BoardJson, data["board"], "board"))
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


EVENTS.sets("ended", turn=None, reply=None)


# Moving


@EVENTS.on("drove", tone="move")
def _drove(state: GameState, data: Data) -> GameState:
    return state.with_vehicle(data["vehicle"], cell=tuple(data["cells"][-1]), facing=data["facing"])


EVENTS.sets("turned", "facing", of="vehicle", tone="move")


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
    for dead in state.people:
        if dead.lies_in == data["vehicle"]:
            state = state.with_person(dead.name, lies_in=None, cell=state.place_of(dead))
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


EVENTS.removes("removed", "token", "tokens")
EVENTS.removes("razed", "terrain", "terrain", tone="loss")


@EVENTS.on("marked", tone="bad")
def _marked(state: GameState, data: Data) -> GameState:
    markers, name = data["markers"], data["target"]
    if any(t.name == name for t in state.terrain):
        marked = (replace(t, markers=t.markers + markers) if t.name == name else t for t in state.terrain)
        return replace(state, terrain=tuple(marked), calm=False)
    return replace(state.with_vehicle(name, markers=state.vehicle(name).markers + markers), calm=False)


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
        by_hand = turn.by_hand or data["vehicle"] is None
        state = replace(state, turn=replace(turn, targets=(*turn.targets, data["target"]), by_hand=by_hand))
    return state


@EVENTS.on("reply")
def _reply(state: GameState, data: Data) -> GameState:
    return replace(state, reply=Reply(data["vehicle"], data["at"]))


EVENTS.sets("held", reply=None)


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


@EVENTS.on("killed", tone="loss")
def _killed(state: GameState, data: Data) -> GameState:
    """The dead stay where they were: whose seat is empty, and whose turn is over."""
    person = state.person(data["person"])
    cell = state.place_of(person)
    if person.vehicle is not None:
        state = state.with_vehicle(person.vehicle, driver=None)
    state = state.with_person(person.name, dead=True, vehicle=None, cell=cell, lies_in=person.vehicle)
    if state.reply is not None and not _may_reply(state, state.reply):
        state = replace(state, reply=None)
    return replace(state, calm=False)


def _may_reply(state: GameState, reply: Reply) -> bool:
    return state.vehicle(reply.vehicle).driver is not None


EVENTS.sets("wrecked", of="vehicle", tone="loss", wreck=True, speed=0)


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
    """Whose vehicles are taken off the board, with their drivers; an empty one, too, but no empty wreck."""
    for person in state.people:
        if person.owner == data["player"] and not person.dead:
            if person.vehicle is not None:
                state = state.with_vehicle(person.vehicle, gone=True, driver=None, speed=0)
            state = state.with_person(person.name, dead=True, vehicle=None, cell=None)
    for vehicle in state.vehicles:
        if vehicle.owner == data["player"] and vehicle.driver is None and not vehicle.wreck:
            state = state.with_vehicle(vehicle.name, gone=True, speed=0)
    gone = {p.name for p in state.people if p.dead}
    if state.turn is not None and state.turn.person in gone:
        state = replace(state, turn=None, reply=None)
    if state.reply is not None and not _may_reply(state, state.reply):
        state = replace(state, reply=None)
    return state


EVENTS.sets("over", "winner", tone="end", over=True, turn=None, reply=None, queue=())


def the(name: str) -> str:
    """What a vehicle, terrain or driver is called in a sentence.

    >>> the("driver of Blue 2"), the("Blue 2")
    ('the driver of Blue 2', 'Blue 2')
    """
    return f"the {name}" if name.startswith("driver of ") else name


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
        wants = [Want(book.SIDES, why, by=by) for _ in range(count)]
        return tuple(roll.value for roll in self.rolls(wants, citation, pieces))

    def amount(self, formula: Formula, why: str, citation: str, by: str, piece: str) -> int:
        """What a formula comes to with dice of a player; never below 0."""
        return max(formula.of(self.d8(f"{why} ({formula})", citation, by, (piece,), formula.dice)), 0)

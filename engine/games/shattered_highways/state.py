"""Where the game stands, what each event changes of it, and how that is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game import records
from engine.game.dice import Want
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events, Said
from engine.game.kit.play import Play as AnyPlay
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.game.records import to_json
from engine.games.shattered_highways.about import ABOUT
from engine.games.shattered_highways.book import data as book
from engine.games.shattered_highways.book.data import ClassName, HouseRules, Mount, Part, Side, VehicleClass
from engine.ruling import signed
from engine.space.table import TableState

# The state of a game: vehicles and warriors, whose turn it is, and what has to be done first.

VehicleStatus = Literal["waiting", "hidden", "driving", "behind", "destroyed", "gone"]
"""Not put down yet; in a Rig's trailer; in play; against the back edge, with one Move to come back;
destroyed; dropped too far back."""

DutyKind = Literal[
    "shrapnel", "seat", "leap", "wreck", "nudged", "struck", "veer", "fall back", "deployed", "lost",
    "shift", "control", "unmanned",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A vehicle and its card.

    `owner` fielded it and chooses its place in the order of play; `control` is whose it is now. `hits` are
    left, of a Rig those of its tractor; `trailer` are those of its trailer, None without one.
    """

    name: str
    owner: str
    control: str
    kind: ClassName
    hits: int
    trailer: int | None = None
    mounts: tuple[Mount, ...] = ()
    armour: tuple[Side, ...] = ()
    chains: bool = False
    hidden_in: str | None = None
    status: VehicleStatus = "waiting"

    @property
    def cls(self) -> VehicleClass:
        """Its class."""
        return book.CLASSES[self.kind]

    @property
    def in_play(self) -> bool:
        """Whether it is on the road."""
        return self.status in ("driving", "behind")

    @property
    def is_rig(self) -> bool:
        """Whether it is, or was, a tractor with a trailer."""
        return self.cls.trailer is not None

    @property
    def dragging(self) -> bool:
        """Whether it drags a destroyed trailer that has to be decoupled."""
        return self.trailer == 0 and self.hits > 0

    @property
    def seats(self) -> tuple[tuple[str, Part], ...]:
        """Its seats with the half of a Rig that they are on."""
        return book.seats(self.kind, self.mounts, self.trailer is not None)


@dataclass(frozen=True, slots=True)
class Warrior:
    """A warrior. `seat` None is Clinging; `part` is the half of a Rig that they are on.

    This round: `acted` may do nothing more, `changed` and `clung` cost 1 on what they do next. `home` is
    the Rig on which Reinforcements began. A hero's own weapon may be `jammed`.
    """

    name: str
    owner: str
    vehicle: str
    seat: str | None = None
    part: Part = ""
    hero: bool = False
    home: str | None = None
    out: bool = False
    acted: bool = False
    changed: bool = False
    clung: bool = False
    jammed: bool = False

    @property
    def die(self) -> int:
        """The sides of their skill die."""
        return book.HERO_DIE if self.hero else book.FODDER_DIE


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a body has to stand: x, y in inches and heading in radians."""

    piece: str
    at: PoseJson


@dataclass(frozen=True, slots=True)
class Duty:
    """What has to be done before the game goes on, by player `by` where it is one's.

    *shrapnel*: name the warrior in `vehicle` who is hit for `amount`, nobody of player `other`. *seat*:
    `warrior` may sit down. *leap*: `warrior` may leap off the wreck `vehicle` (a `part` of it). *wreck*: say
    who is on the line behind it. *nudged*, *struck*, *veer*, *fall back*, *deployed*, *lost*: put `vehicle`
    where it goes: within so many `sections` of the template, beside the wreck, a section back, behind its
    Rig, or into the `section` of that number. *shift*: everybody is moved back by `inches`. *control*: roll
    for the section. *unmanned*: roll whether it has Lost Control.

    What the table tells when it arises: `ways` in which it may be done, each with the places of all bodies
    that it moves; whom it `meets` on the way, with which `side`; and who comes to the `back` edge.
    """

    kind: DutyKind
    vehicle: str
    citation: str
    by: str | None = None
    warrior: str = ""
    part: Part = ""
    other: str = ""
    sections: int = 0
    section: int = 0
    amount: int = 0
    inches: float = 0.0
    ways: tuple[tuple[Placement, ...], ...] = ()
    meets: tuple[str, ...] = ()
    side: Side = "front"
    back: tuple[str, ...] = ()


def wreck_words(vehicle: str, part: Part = "") -> str:
    """What of a vehicle is the wreck: all of it, or of a Rig that drives on its trailer.

    >>> wreck_words("Red Rig", "trailer"), wreck_words("Red 1")
    ('the trailer of Red Rig', 'Red 1')
    """
    return f"the {part} of {vehicle}" if part else vehicle


@dataclass(frozen=True, slots=True)
class RoadPlace:
    """How the road lies on the table: its rear right corner and direction, its length and width, inches."""

    at: PoseJson
    length: float
    width: float


Stage = Literal["play", "moving", "over"]
"""Warriors act; a Move has succeeded and the vehicle may be put where it goes; the turn is at its end."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A vehicle's turn. `hands` is the player who acts, `later` those who act after.

    `late`: it began against the back edge. `driven`: its driver has driven it, or tried to decouple the
    trailer in vain. `nudged`: the Move that is under way has had its Nudge. `cleared` are
    weapons that are being un-jammed in it, by their number from 1.
    """

    vehicle: str
    hands: str
    later: tuple[str, ...] = ()
    stage: Stage = "play"
    late: bool = False
    driven: bool = False
    nudged: bool = False
    cleared: tuple[int, ...] = ()
    tried: bool = False
    fell: bool = False


@dataclass(frozen=True, slots=True)
class GameState:
    """The whole game. `players` sit in this order."""

    players: tuple[str, ...] = ()
    house: HouseRules = field(default_factory=HouseRules)
    deployment: str | None = None
    vehicles: tuple[Vehicle, ...] = ()
    warriors: tuple[Warrior, ...] = ()
    first: str | None = None
    """Who puts the first vehicle down; nobody until it was rolled for."""
    round: int = 0
    queue: tuple[str, ...] = ()
    """The vehicles whose turns are still to come in this round."""
    turn: Turn | None = None
    duties: tuple[Duty, ...] = ()
    locked: tuple[tuple[str, str], ...] = ()
    """Vehicles that stand against one another since a Ram."""
    road: RoadPlace | None = None
    """Where the camera first saw it played; None while everything is typed."""
    scroll: float = 0.0
    """How far the fleet was moved back in all, inches."""
    over: bool = False
    winner: str | None = None

    def vehicle(self, name: str) -> Vehicle:
        """A vehicle by its name; a clear error names those there are."""
        return called(self.vehicles, name, "vehicle")

    def warrior(self, name: str) -> Warrior:
        """A warrior by name."""
        return called(self.warriors, name, "warrior")

    def in_play(self, *but: str) -> tuple[Vehicle, ...]:
        """The vehicles on the road."""
        return tuple(v for v in self.vehicles if v.in_play and v.name not in but)

    def aboard(self, name: str, part: Part = "") -> tuple[Warrior, ...]:
        """The warriors on a vehicle who can fight, or on one half of a Rig."""
        return tuple(
            w for w in self.warriors if not w.out and w.vehicle == name and (not part or w.part == part)
        )

    def driver(self, name: str) -> Warrior | None:
        """Who drives it; nobody drives an unmanned one."""
        return next((w for w in self.aboard(name) if w.seat == book.DRIVER), None)

    def free_seats(self, name: str, part: Part = "") -> tuple[str, ...]:
        """The seats in which nobody sits."""
        taken = {w.seat for w in self.aboard(name)}
        return tuple(
            s for s, where in self.vehicle(name).seats if s not in taken and (not part or where == part)
        )

    def fleet(self, player: str) -> tuple[Vehicle, ...]:
        """The vehicles that a player fielded."""
        return tuple(v for v in self.vehicles if v.owner == player)

    @property
    def to_number(self) -> dict[str, tuple[str, ...]]:
        """By player, the vehicles in play that they number: those they fielded.

        Whoever has nobody left in the fight numbers none: whoever controls the vehicle does.
        """
        there = self.fighting
        found: dict[str, tuple[str, ...]] = dict.fromkeys(self.players, ())
        for v in self.in_play():
            found[v.owner if v.owner in there else v.control] += (v.name,)
        return {player: names for player, names in found.items() if names}

    @property
    def slots(self) -> int:
        """Numbers of the order of play: as many as the largest fleet has vehicles."""
        numbered = map(len, self.to_number.values())
        return max((*(len(self.fleet(p)) for p in self.players), *numbered), default=0)

    @property
    def alive(self) -> tuple[str, ...]:
        """The players who have a warrior on a vehicle in play."""
        here = {v.name for v in self.vehicles if v.status in ("waiting", "hidden", "driving", "behind")}
        left = {w.owner for w in self.warriors if not w.out and w.vehicle in here}
        return tuple(p for p in self.players if p in left)

    @property
    def fighting(self) -> tuple[str, ...]:
        """The players who have a warrior in the fight, on a wreck too."""
        left = {w.owner for w in self.warriors if not w.out}
        return tuple(p for p in self.players if p in left)

    def with_vehicle(self, name: str, **changes: Any) -> GameState:
        """The same with another state of one vehicle."""
        return replace(self, vehicles=changed(self.vehicles, (name,), **changes))

    def with_warriors(self, names: tuple[str, ...] | list[str], **changes: Any) -> GameState:
        """The same with another state of some warriors."""
        return replace(self, warriors=changed(self.warriors, names, **changes))


def _agree(state: GameState) -> None:
    """Names point at what is there, and numbers are what a card can hold."""
    for vehicle in state.vehicles:
        key = vehicle.name
        one_of(f"{key} · owner", vehicle.owner, state.players)
        one_of(f"{key} · control", vehicle.control, state.players)
        between(f"{key} · hits", vehicle.hits, 0, vehicle.cls.hits)
        if vehicle.trailer is not None:
            between(f"{key} · trailer", vehicle.trailer, 0, vehicle.cls.trailer or 0)
        if vehicle.in_play and vehicle.hits == 0:
            why = "a vehicle without hit points is destroyed; change 'It is' first"
            raise TableRefError(f"{key} · hits: {why}")
    taken: set[tuple[str, str]] = set()
    for warrior in state.warriors:
        key = warrior.name
        one_of(f"{key} · owner", warrior.owner, state.players)
        vehicle = state.vehicle(warrior.vehicle)
        if warrior.out or warrior.seat is None:
            continue
        one_of(f"{key} · seat", warrior.seat, tuple(s for s, _ in vehicle.seats))
        if (vehicle.name, warrior.seat) in taken:
            raise TableRefError(f"{key} · seat: somebody else sits in {warrior.seat} of {vehicle.name}")
        taken.add((vehicle.name, warrior.seat))
    if state.winner is not None:
        one_of("winner", state.winner, state.players)
    if state.turn is not None:
        state.vehicle(state.turn.vehicle)
        one_of("turn · hands", state.turn.hands, state.players)


STATES = States(GameState, ("vehicles", "warriors"), _agree, {"house": HouseRules.of})
"""The states of the game, as they are kept."""


# Duties

_ORDER: tuple[DutyKind, ...] = (
    "shrapnel", "seat", "leap", "wreck", "deployed", "nudged", "struck", "veer", "fall back", "lost",
    "shift", "control", "unmanned",
)  # fmt: skip
"""Wrecks before movement; the fleet's shift after it; Lost Control after what led to it has resolved."""

PLACED: tuple[DutyKind, ...] = ("deployed", "nudged", "struck", "veer", "fall back", "lost")
"""A vehicle must be put somewhere."""

ROLLED: tuple[DutyKind, ...] = ("control", "unmanned")
"""A die decides, and nobody is asked."""

MEETING: tuple[DutyKind, ...] = ("nudged", "struck", "fall back", "lost")
"""Placements on whose way another vehicle may be met."""


def due(state: GameState) -> Duty | None:
    """The duty that is done next; None when the game goes on. What has become pointless does not count."""
    owed = [duty for duty in state.duties if _counts(state, duty)]
    return min(owed, key=lambda duty: _ORDER.index(duty.kind), default=None)


def hit_by(state: GameState, duty: Duty) -> tuple[Warrior, ...]:
    """Whom shrapnel may hit: everybody inside but the shooter's own."""
    return tuple(w for w in state.aboard(duty.vehicle) if w.owner != duty.other)


def _counts(state: GameState, duty: Duty) -> bool:
    match duty.kind:
        case "shift" | "wreck":
            return True
        case "deployed":
            return state.vehicle(duty.vehicle).status == "hidden"
        case "shrapnel":
            return bool(hit_by(state, duty))
        case "seat":
            warrior = state.warrior(duty.warrior)
            return not warrior.out and bool(state.free_seats(warrior.vehicle, warrior.part))
        case "leap":
            return not state.warrior(duty.warrior).out
        case _:
            return state.vehicle(duty.vehicle).in_play


# The state after an event: one small change for each kind, nothing decided here; and how it is told.

EVENTS = Events[GameState](
    ABOUT.title, pieces=("vehicle", "target", "to", "other", "vehicles", "duty.vehicle"), states=STATES
)
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("fleet", "card", "crew", "modified")
EVENTS.only_told("roll", "rolls", tone="dice")
EVENTS.only_told("kept", tone="good")
EVENTS.only_told("shrugged", tone="miss")
EVENTS.only_told("trailer lost", tone="bad")


EVENTS.sets("deployment", "deployment")
EVENTS.sets("first", first=Said("player"))


@EVENTS.on("laid")
def _road(state: GameState, data: Data) -> GameState:
    return replace(state, road=records.from_json(RoadPlace, data["road"]))


EVENTS.sets("deployed", of="vehicle", status="driving")


# Rounds and turns


@EVENTS.on("round", tone="turn")
def _round(state: GameState, data: Data) -> GameState:
    rested = tuple(replace(w, acted=False, changed=False, clung=False) for w in state.warriors)
    return replace(state, warriors=rested, round=data["number"], queue=tuple(data["queue"]))


@EVENTS.on("played", tone="turn")
def _turn(state: GameState, data: Data) -> GameState:
    name = data["vehicle"]
    turn = Turn(name, data["hands"], tuple(data["later"]), stage=data["stage"], late=data["late"])
    return replace(state, turn=turn, queue=tuple(v for v in state.queue if v != name))


EVENTS.sets("hands", "later", within="turn", hands=Said("player"))
EVENTS.sets("finished", within="turn", tone="quiet", stage="over", later=())
EVENTS.sets("ended", tone="quiet", turn=None)


def _in_turn(state: GameState, **changes: Any) -> GameState:
    if state.turn is None:
        raise TableRefError("the log is out of order: it is no vehicle's turn")
    return replace(state, turn=replace(state.turn, **changes))


def _of_turn(state: GameState, name: str, **changes: Any) -> GameState:
    """Changes to the turn, if it is that vehicle's."""
    return _in_turn(state, **changes) if state.turn is not None and state.turn.vehicle == name else state


# Driving


@EVENTS.on("drove")
def _drove(state: GameState, data: Data) -> GameState:
    name = data["vehicle"]
    state = _acts(state, data)
    state = _in_turn(state, driven=True, stage="moving" if data["success"] else "play")
    if not data["success"]:
        return state
    state = _apart(state, name)
    return state.with_vehicle(name, status="driving")


EVENTS.sets("moved", within="turn", whose="vehicle", tone="move", stage="play")
EVENTS.sets("nudge", within="turn", whose="vehicle", tone="attack", nudged=True)


@EVENTS.on("ram", tone="attack")
def _ram(state: GameState, data: Data) -> GameState:
    state = _acts(state, data)
    name, other = data["vehicle"], data["target"]
    turn = state.turn
    # A vehicle out of control rams as well: that drives none, and begins no turn again that is over.
    if turn is not None and turn.vehicle == name and (turn.stage == "moving" or data.get("warrior")):
        state = _in_turn(state, stage="play", driven=True)
    pair = (min(name, other), max(name, other))
    return state if pair in state.locked else replace(state, locked=(*state.locked, pair))


def _apart(state: GameState, name: str) -> GameState:
    """A vehicle that was moved stands against none of those any more that it has rammed."""
    return replace(state, locked=tuple(pair for pair in state.locked if name not in pair))


EVENTS.sets("decouple", within="turn", whose="vehicle", tried=True)
EVENTS.sets("unmanned", within="turn", whose="vehicle", tone="bad", fell=True)
EVENTS.sets("captured", of="vehicle", tone="good", control=Said("player"))
EVENTS.sets("behind", of="vehicle", tone="bad", status="behind")


# Duties


@EVENTS.on("owed")
def _owed(state: GameState, data: Data) -> GameState:
    return replace(state, duties=(*state.duties, *agenda.owed(Duty, data["duty"])))


@EVENTS.on("veers", "checked", "wreck", "leap", "hurt")
def _settled(state: GameState, data: Data) -> GameState:
    """Without the first duty of that kind for that vehicle, and warrior if it names one."""

    def meant(duty: Duty) -> bool:
        same = duty.kind == data["duty"] and duty.vehicle == data["vehicle"]
        return same and (not duty.warrior or duty.warrior == data.get("warrior"))

    return replace(state, duties=agenda.without(state.duties, meant))


@EVENTS.on("placed", tone="move")
def _placed(state: GameState, data: Data) -> GameState:
    state = _apart(_settled(state, data), data["vehicle"])
    if data["duty"] == "deployed" or data.get("back"):
        return state.with_vehicle(data["vehicle"], status="driving")
    return state


@EVENTS.on("shifted", tone="move")
def _shifted(state: GameState, data: Data) -> GameState:
    return replace(_settled(state, data), scroll=state.scroll + data["inches"])


# Damage


EVENTS.sets("damaged", "hits", "trailer", of="vehicle", tone="bad")


@EVENTS.on("gone", tone="loss")
def _gone(state: GameState, data: Data) -> GameState:
    """A destroyed vehicle, or one that is left behind, owes nothing any more."""
    name = data["vehicle"]
    state = _apart(state.with_vehicle(name, status=data["status"], hits=data["hits"]), name)
    left = tuple(d for d in state.duties if d.vehicle != name)
    return replace(state, duties=left, queue=tuple(v for v in state.queue if v != name))


EVENTS.sets("launched", of="vehicle", hidden_in=None)


# Without its trailer, and the weapons and chains on it.
EVENTS.sets("uncoupled", of="vehicle", trailer=None, mounts=(), chains=False)


# Warriors


@EVENTS.on("launch", "board")
@EVENTS.on("shot", "attack", tone="attack")
def _acts(state: GameState, data: Data) -> GameState:
    """Who is named has acted this round."""
    who = data.get("warrior")
    return state if who is None else state.with_warriors([who], acted=True)


@EVENTS.on("cling")
def _cling(state: GameState, data: Data) -> GameState:
    how = {"holds": {"acted": True}, "stays": {"clung": True}}.get(data["result"], {})
    return state.with_warriors([data["warrior"]], **how)


EVENTS.sets("boarded", "part", of="warrior", tone="good", vehicle=Said("to"), seat=None, acted=True)


@EVENTS.on("seated")
def _seated(state: GameState, data: Data) -> GameState:
    changes: dict[str, Any] = {"changed": True} if data["changed"] else {}
    if data.get("swaps"):
        left = state.warrior(data["warrior"]).seat
        state = state.with_warriors([data["swaps"]], seat=left, changed=True)
    state = state.with_warriors([data["warrior"]], seat=data["seat"], part=data["part"], **changes)
    return _settled(state, data) if "duty" in data else state


@EVENTS.on("out", tone="bad")
def _out(state: GameState, data: Data) -> GameState:
    state = state.with_warriors([data["warrior"]], out=True, seat=None)
    left = tuple(d for d in state.duties if d.warrior != data["warrior"])
    return _handed_on(replace(state, duties=left))


def _handed_on(state: GameState) -> GameState:
    """Who has nobody left in the fight does nothing any more: whoever controls the vehicle does it."""
    there = state.fighting
    duties = agenda.handed_on(state.duties, there, lambda d: state.vehicle(d.vehicle).control)
    return replace(state, duties=duties)


@EVENTS.on("jammed", tone="bad")
def _jammed(state: GameState, data: Data) -> GameState:
    return _with_jam(state, data, jammed=True)


@EVENTS.on("cleared")
def _cleared(state: GameState, data: Data) -> GameState:
    state = _acts(_with_jam(state, data, jammed=False), data)
    if data.get("mount") is None or state.turn is None:
        return state
    return _of_turn(state, data["vehicle"], cleared=(*state.turn.cleared, data["mount"]))


def _with_jam(state: GameState, data: Data, *, jammed: bool) -> GameState:
    """A mounted weapon by its number, from 1; a hero's own where there is none."""
    number = data.get("mount")
    if number is None:
        return state.with_warriors([data["warrior"]], jammed=jammed)
    vehicle: Vehicle = state.vehicle(data["vehicle"])
    mounts = tuple(
        replace(m, jammed=jammed) if k == number else m for k, m in enumerate(vehicle.mounts, start=1)
    )
    return state.with_vehicle(vehicle.name, mounts=mounts)


EVENTS.sets("over", "winner", tone="end", over=True, turn=None, duties=(), queue=())


@dataclass(frozen=True, slots=True)
class Modifier:
    """What adds to a roll or to damage, by name and rule."""

    words: str
    by: int
    citation: str


@dataclass(frozen=True, slots=True)
class Roller:
    """Who rolls in a contest: with which die, whose it is, for which vehicle, and what modifies it."""

    who: str
    sides: int = book.FODDER_DIE
    player: str | None = None
    vehicle: str = ""
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Rolled:
    """What somebody rolled: the die itself (`natural`), and the total with every modifier."""

    natural: int
    total: int
    sides: int

    @property
    def highest(self) -> bool:
        """Whether the die shows its highest number."""
        return self.natural == self.sides


def _at(roller: Roller) -> str:
    """What modifies a die, for whoever rolls it.

    >>> _at(Roller("Ann", modifiers=(Modifier("behind Drag Chains", -1, ""),)))
    ', at −1 (behind Drag Chains)'
    """
    if not roller.modifiers:
        return ""
    extra = sum(m.by for m in roller.modifiers)
    return f", at {signed(extra)} ({', '.join(m.words for m in roller.modifiers)})"


Places = Callable[[GameState, Duty, TableState | None], Duty]
"""Works out on the table where a duty puts vehicles."""


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    places: Places = staticmethod(lambda _state, duty, _table: duty)

    @property
    def turn(self) -> Turn:
        """The turn, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def owe(self, duty: Duty, words: str) -> None:
        """Something that must be done before the game goes on."""
        duty = self.places(self.state, duty, self.seen.table)
        self.tell("owed", words, duty.citation, duty=to_json(duty))

    # Rolling

    def uncontested(self, roller: Roller, why: str, citation: str) -> Rolled:
        """One die against the numbers of the book; a total below 1 counts as 1 (house default)."""
        self._modified(roller, why)
        want = Want(roller.sides, f"{roller.who}: {why}{_at(roller)}", by=roller.player)
        (roll,) = self.rolls([want], citation, [roller.vehicle])
        total = max(1, roll.value + sum(m.by for m in roller.modifiers))
        return Rolled(roll.value, total, roller.sides)

    def contested(
        self, attacker: Roller, defenders: Sequence[Roller], why: str, citation: str
    ) -> tuple[Rolled, ...]:
        """The attacker's die and each defender's, rolled together and shown side by side."""
        rollers = (attacker, *defenders)
        for roller in rollers:
            self._modified(roller, why)
        wants = [Want(r.sides, f"{why}{_at(r)}", by=r.player) for r in rollers]
        rolls = self.rolls(wants, citation, [r.vehicle for r in rollers])
        return tuple(
            Rolled(roll.value, roll.value + sum(m.by for m in r.modifiers), r.sides)
            for roll, r in zip(rolls, rollers, strict=True)
        )

    def die(self, why: str, citation: str, vehicle: str, by: str | None) -> int:
        """A D6."""
        return self.rolls([Want(6, why, by=by)], citation, [vehicle])[0].value

    def _modified(self, roller: Roller, why: str) -> None:
        for m in roller.modifiers:
            self.modified(m, f"{roller.who}, {why}", roller.vehicle)

    def modified(self, modifier: Modifier, what: str, vehicle: str) -> None:
        """A modifier that counts, by its name."""
        self.tell(
            "modified", f"{what}: {signed(modifier.by)}, {modifier.words}", modifier.citation,
            vehicle=vehicle, by=modifier.by, why=modifier.words,
        )  # fmt: skip

"""The state of a game: vehicles and warriors, whose turn it is, and what has to be done first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.games.shattered_highways.book.building import DRIVER, Mount, seats
from engine.games.shattered_highways.book.data import (
    CLASSES,
    FODDER_DIE,
    HERO_DIE,
    ClassName,
    HouseRules,
    Part,
    Side,
    VehicleClass,
)

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
        return CLASSES[self.kind]

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
    def parts(self) -> tuple[Part, ...]:
        """Its bodies by name."""
        if not self.is_rig:
            return ("",)
        return ("tractor",) if self.trailer is None else ("tractor", "trailer")

    @property
    def seats(self) -> tuple[tuple[str, Part], ...]:
        """Its seats with the half of a Rig that they are on."""
        return seats(self.kind, self.mounts, self.trailer is not None)


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
        return HERO_DIE if self.hero else FODDER_DIE


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
            w for w in self.warriors
            if not w.out and w.vehicle == name and (not part or w.part == part)
        )  # fmt: skip

    def driver(self, name: str) -> Warrior | None:
        """Who drives it; nobody drives an unmanned one."""
        return next((w for w in self.aboard(name) if w.seat == DRIVER), None)

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
            raise TableRefError(f"{key} · hits: a vehicle without hit points is destroyed; set its status")
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

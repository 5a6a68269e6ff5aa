"""Where a race stands: the track, vehicles with their cards and tracks, whose turn it is, what is owed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from engine.boards.board import Cell
from engine.boards.hexes import Hexes
from engine.boards.loose import track_of
from engine.errors import TableRefError
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.games.frothy_races.book.data import SPECIALS, TOP, Face, Rules
from engine.games.frothy_races.book.licences import Effect, Licence, licence_called
from engine.space.geometry import Pose

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
    slower: int = TOP
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
    gone: bool = False

    @property
    def licence(self) -> Licence:
        """What it is built like."""
        return self.built or licence_called(self.type)

    @property
    def here(self) -> bool:
        """Whether it stands on the track, racing or as a wreck."""
        return self.cell is not None and not self.gone

    @property
    def races(self) -> bool:
        """Whether it is still in the race."""
        return not self.gone and not self.wreck

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The permanent damage effects that came into play."""
        drawn = dict(self.drawn)
        return tuple(
            drawn.get(level, e) if e.sort == "random" else e
            for level, e in self.licence.effects
            if level in self.applied
        )

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
        return min([TOP, *(e.amount for e in self.effects if e.sort == "top")])

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
        safe = max(s for s in range(TOP + 1) if dice[s] == 0)
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
    cards += [Card(name, (SPECIALS[name].face,), name) for name in licence.specials]
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
        ("speed", v.speed, TOP), ("damage", v.damage, lic.damage), ("stamina", v.stamina, lic.endurance),
        ("control", v.control, 99), ("facing", v.facing, 11),
    ):  # fmt: skip
        between(f"{key} · {name}", value, 0, most)
    if not 0 <= v.box < lic.acceleration[v.speed]:
        raise TableRefError(f"{key} · box: Speed {v.speed} has no Acceleration box {v.box}")
    if not 0 <= v.brake < lic.deceleration[v.speed]:
        raise TableRefError(f"{key} · brake: Speed {v.speed} has no Deceleration box {v.brake}")


STATES = States(GameState, ("vehicles",), _agree)
"""The states of the game, as they are kept."""

"""Where a game of Car Cult stands: cars with their components, tokens laid, the activation, what is owed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.games.car_cult.book import tracks
from engine.games.car_cult.book.data import (
    CARDS,
    DAMAGE,
    FIXER,
    GUNNER,
    SPEED,
    TURBO,
    TURBO_INCHES,
    Card,
    HouseRules,
)
from engine.games.car_cult.book.tracks import Zones
from engine.space.table import key_of

CarStatus = Literal["waiting", "driving", "exploded"]
"""Not put down yet; in play; removed as a casualty."""

Stage = Literal["shift", "allocate", "act"]
"""Of an activation: shift down; allocate Speed tokens; move and attack."""

DutyKind = Literal["damage", "rough", "brake", "mine", "touch", "blast"]


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a car: its card, its zones, and how many of its Speed tokens were used this time."""

    name: str
    card: str
    zones: Zones
    used: int = 0

    @property
    def rules(self) -> Card:
        """Its card."""
        return CARDS[self.card]

    @property
    def speed(self) -> int:
        """Speed tokens on it."""
        return tracks.count(self.zones, SPEED)

    @property
    def whole(self) -> bool:
        """Whether a zone is left without damage."""
        return any(token != DAMAGE for token in self.zones)

    @property
    def ready(self) -> int:
        """Speed tokens on it that were not used yet."""
        return max(self.speed - self.used, 0)


@dataclass(frozen=True, slots=True)
class Car:
    """A car and its components, the engine first. `rolls` are its D20s for the order of this round."""

    name: str
    owner: str
    components: tuple[Component, ...]
    status: CarStatus = "waiting"
    activated: bool = False
    rolls: tuple[int, ...] = ()

    @property
    def driving(self) -> bool:
        """Whether it is in play."""
        return self.status == "driving"

    @property
    def engine(self) -> Component:
        """Its engine."""
        return self.components[0]

    @property
    def limits(self) -> tuple[int, int]:
        """Its minimum and maximum, inches."""
        return tracks.limits(self.engine.zones, self.engine.rules.speeds)

    @property
    def turns(self) -> int:
        """How many turns it may make: one for each engine zone without a token."""
        return tracks.count(self.engine.zones, None)

    @property
    def symbols(self) -> int:
        """Speed tokens that it generates."""
        return sum(tracks.symbols(c.zones, c.rules.symbols) for c in self.components)

    @property
    def undamaged(self) -> int:
        """Zones without damage."""
        return sum(len(c.zones) - tracks.count(c.zones, DAMAGE) for c in self.components)

    @property
    def damage(self) -> int:
        """Its Damage tokens."""
        return sum(tracks.count(c.zones, DAMAGE) for c in self.components)

    def component(self, name: str) -> Component:
        """A component by its name; a clear error names those there are."""
        for one in self.components:
            if one.name == name:
                return one
        for one in self.components:
            if key_of(one.name) == key_of(name):
                return one
        known = ", ".join(c.name for c in self.components)
        raise TableRefError(f"{self.name} has no component {name!r}; expected one of {known}")

    def working(self, card: str) -> tuple[Component, ...]:
        """The components of that card that are not full of damage."""
        return tuple(c for c in self.components if c.card == card and c.whole)

    def ready(self, card: str) -> int:
        """Unused Speed tokens on components of that card."""
        return sum(c.ready for c in self.components if c.card == card)

    def takers(self) -> tuple[Component, ...]:
        """Where the next Damage token may go: on Armour first."""
        whole = tuple(c for c in self.components if c.whole)
        armour = tuple(c for c in whole if c.rules.sort == "armour")
        return armour or whole


@dataclass(frozen=True, slots=True)
class Laid:
    """A token that a car laid along its route: `card` is what laid it. `at` is where the table had it."""

    name: str
    card: str
    owner: str
    car: str
    at: PoseJson | None = None


@dataclass(frozen=True, slots=True)
class Duty:
    """What has to be done before the game goes on, the first of the list first.

    *damage*: player `by` places one Damage token on `car`. *rough*, *brake*, *mine*, *touch*: dice and what
    follows, for `inches`, of `other`. *blast*: say which cars are within `inches` of the exploded `car`;
    `sure` surely are, `doubtful` may be.
    """

    kind: DutyKind
    car: str
    citation: str
    by: str | None = None
    other: str = ""
    inches: float = 0.0
    cause: str = ""
    sure: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack that was declared; with `dice` it is rolled and may be rerolled."""

    car: str
    weapon: str
    target: str
    dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """Where a car went, as it was seen: from where, by which steps, how surely its length is known, inches.

    A step of two numbers is a run, ahead and to the left; one of three a turn, its angle and its pivot.
    """

    start: PoseJson
    steps: tuple[tuple[float, ...], ...] = ()
    sd: float = 0.0


@dataclass(frozen=True, slots=True)
class Passed:
    """What a move that was seen led past, by name, and where the car was when it did its worst."""

    name: str
    kind: Literal["rough", "mine"]
    at: PoseJson


@dataclass(frozen=True, slots=True)
class Turn:
    """The activation of a car. `pool` Speed tokens are to be allocated; `turbo` counts its boosts.

    `drove`: it has made its move, by `route` where that was seen; one that stands has `moved` only. What it
    has `passed` on its way stands in that order.
    """

    car: str
    player: str
    stage: Stage = "shift"
    pool: int = 0
    moved: bool = False
    turbo: int = 0
    drove: bool = False
    route: Route | None = None
    passed: tuple[Passed, ...] = ()


@dataclass(frozen=True, slots=True)
class GameState:
    """The whole game. `players` sit in this order."""

    players: tuple[str, ...] = ()
    house: HouseRules = field(default_factory=HouseRules)
    cars: tuple[Car, ...] = ()
    laid: tuple[Laid, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    """How many tokens of each card were laid so far, to name them."""
    struck: tuple[tuple[str, int], ...] = ()
    """Damage tokens on pieces of terrain."""
    destroyed: tuple[str, ...] = ()
    """Pieces of terrain that are off the table."""
    round: int = 0
    turn: Turn | None = None
    attack: Attack | None = None
    duties: tuple[Duty, ...] = ()
    calm: bool = True
    """Whether no Damage token was placed this round."""
    quiet: int = 0
    """Rounds on end without one."""
    over: bool = False
    winner: str | None = None

    def car(self, name: str) -> Car:
        """A car by its name; a clear error names those there are."""
        return called(self.cars, name, "car")

    def target(self, name: str) -> Car | None:
        """The car of that name; None for terrain."""
        return next((car for car in self.cars if key_of(car.name) == key_of(name)), None)

    def driving(self, player: str | None = None) -> tuple[Car, ...]:
        """The cars in play, of one player or of all."""
        return tuple(c for c in self.cars if c.driving and player in (None, c.owner))

    @property
    def alive(self) -> tuple[str, ...]:
        """The players who have a car in play, in order."""
        owners = {c.owner for c in self.cars if c.driving}
        return tuple(p for p in self.players if p in owners)

    def opponent(self, player: str) -> str:
        """The next opponent in the order of the players who has a car in play; else the player."""
        seat = self.players.index(player)
        order = [*self.players[seat + 1 :], *self.players[:seat]]
        return next((p for p in order if p in self.alive), player)

    def rerolls(self) -> int:
        """Rerolls that the attacker of the attack under way may spend."""
        if self.attack is None or not self.attack.dice:
            return 0
        return self.car(self.attack.car).ready(GUNNER)

    def swaps(self) -> int:
        """Swaps that the Fanatical Fixer of the activated car may still make."""
        return 0 if self.turn is None else self.car(self.turn.car).ready(FIXER)

    def range_of_move(self) -> tuple[int, int]:
        """The minimum and maximum of the activated car's move, inches, with its Turbo Booster."""
        assert self.turn is not None
        low, high = self.car(self.turn.car).limits
        return low, high + self.turn.turbo * TURBO_INCHES

    def boosts(self) -> tuple[Component, ...]:
        """The Turbo Boosters of the activated car that can take a Damage token."""
        return () if self.turn is None else self.car(self.turn.car).working(TURBO)

    def with_car(self, name: str, **changes: Any) -> GameState:
        """The same with another state of one car."""
        return replace(self, cars=changed(self.cars, (name,), **changes))

    def with_component(self, car: str, name: str, **changes: Any) -> GameState:
        """The same with another state of one component."""
        there = self.car(car).components
        return self.with_car(car, components=changed(there, (name,), **changes))


def _agree(state: GameState) -> None:
    for car in state.cars:
        _cards_agree(state, car.name, car)
    if state.winner is not None:
        one_of("winner", state.winner, state.players)


def _cards_agree(state: GameState, key: str, car: Car) -> None:
    """A car's names and zones are what its cards have."""
    one_of(f"{key} · owner", car.owner, state.players)
    if not car.components or car.engine.card not in CARDS or car.engine.rules.sort != "engine":
        raise TableRefError(f"{key} · components: expected the engine first")
    for one in car.components:
        if one.card not in CARDS or len(one.zones) != CARDS[one.card].zones:
            raise TableRefError(f"{key} · {one.name}: its zones are not those of {one.card}")
        between(f"{key} · {one.name} · used", one.used, 0, len(one.zones))
    if car.driving and not car.undamaged:
        raise TableRefError(f"{key}: a car with damage in every zone explodes; set its status too")


STATES = States(GameState, ("cars",), _agree)
"""The states of the game, as they are kept."""

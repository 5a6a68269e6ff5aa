"""Where the game stands, what each event changes of it, and how that is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.dice import Want
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events, Said
from engine.game.kit.play import Play as AnyPlay
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.game.records import to_json
from engine.games.car_cult.book import data as book
from engine.games.car_cult.book.data import Card, HouseRules, Zones, count, limits, symbols
from engine.space.table import key_of

# Where a game of Car Cult stands: cars with their components, tokens laid, the activation, what is owed.

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
        return book.CARDS[self.card]

    @property
    def speed(self) -> int:
        """Speed tokens on it."""
        return count(self.zones, book.SPEED)

    @property
    def whole(self) -> bool:
        """Whether a zone is left without damage."""
        return any(token != book.DAMAGE for token in self.zones)

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
        return limits(self.engine.zones, self.engine.rules.speeds)

    @property
    def turns(self) -> int:
        """How many turns it may make: one for each engine zone without a token."""
        return count(self.engine.zones, None)

    @property
    def symbols(self) -> int:
        """Speed tokens that it generates."""
        return sum(symbols(c.zones, c.rules.symbols) for c in self.components)

    @property
    def undamaged(self) -> int:
        """Zones without damage."""
        return sum(len(c.zones) - count(c.zones, book.DAMAGE) for c in self.components)

    @property
    def damage(self) -> int:
        """Its Damage tokens."""
        return sum(count(c.zones, book.DAMAGE) for c in self.components)

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

    `drove`: it has made its move, by `route` where that was seen; one that `stands`, without a Speed token on
    its engine, has `moved` only. What it has `passed` on its way stands in that order.
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
    stands: bool = False


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

    def attacker(self, player: str, car: str) -> str:
        """Who rolls and places for what that player does to a car: its owner, once they have none left."""
        left = any(c.owner == player and c.status != "exploded" for c in self.cars)
        return player if left else self.car(car).owner

    def opponent(self, player: str) -> str:
        """The next opponent in the order of the players who has a car in play; else the player."""
        seat = self.players.index(player)
        order = [*self.players[seat + 1 :], *self.players[:seat]]
        return next((p for p in order if p in self.alive), player)

    def rerolls(self) -> int:
        """Rerolls that the attacker of the attack under way may spend."""
        if self.attack is None or not self.attack.dice:
            return 0
        return self.car(self.attack.car).ready(book.GUNNER)

    def swaps(self) -> int:
        """Swaps that the Fanatical Fixer of the activated car may still make."""
        return 0 if self.turn is None else self.car(self.turn.car).ready(book.FIXER)

    def range_of_move(self) -> tuple[int, int]:
        """The minimum and maximum of the activated car's move, inches, with its Turbo Booster.

        None takes a car any way that stands, without a Speed token on its engine.
        """
        assert self.turn is not None
        low, high = self.car(self.turn.car).limits
        return low, high + self.turn.turbo * book.TURBO_INCHES if high else 0

    def boosts(self) -> tuple[Component, ...]:
        """The Turbo Boosters of the activated car that can take a Damage token, where it moves at all."""
        car = None if self.turn is None else self.car(self.turn.car)
        return () if car is None or not car.limits[1] else car.working(book.TURBO)

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
    if not car.components or car.engine.card not in book.CARDS or car.engine.rules.sort != "engine":
        raise TableRefError(f"{key} · components: expected the engine first")
    for one in car.components:
        if one.card not in book.CARDS or len(one.zones) != book.CARDS[one.card].zones:
            raise TableRefError(f"{key} · {one.name}: its zones are not those of {one.card}")
        between(f"{key} · {one.name} · used", one.used, 0, len(one.zones))
    if car.driving and not car.undamaged:
        raise TableRefError(f"{key}: a car with damage in every zone explodes; change 'It is' first")


STATES = States(GameState, ("cars",), _agree)
"""The states of the game, as they are kept."""


# The state after an event: one small change for each kind, nothing decided here; and how it is told.

EVENTS = Events[GameState]("Car Cult", pieces=("car", "target", "other", "token", "cars"), states=STATES)
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("card", "roll", "rolls", "applied", "modified", "checked", "kept")
EVENTS.only_told("missed", tone="miss")
EVENTS.only_told("hit", tone="good")
EVENTS.only_told("rammed", tone="attack")
EVENTS.only_told("blast", tone="bad")


# A range is measured once its target is declared: it may be read from then on; players may say otherwise.
EVENTS.only_told(
    "ranged", tone=lambda data: "plain" if data.get("reached") else "miss",
    measured=lambda data: None if data.get("distance") is None else not data.get("said"),
)  # fmt: skip


def _zones(state: GameState, car: str, name: str, change: Callable[[Zones], Zones]) -> GameState:
    return state.with_component(car, name, zones=change(state.car(car).component(name).zones))


@EVENTS.on("deployed")
def _deployed(state: GameState, data: Data) -> GameState:
    state = state.with_car(data["car"], status="driving")
    engine = state.car(data["car"]).engine
    zones = engine.zones
    for _ in range(data["tokens"]):
        zones = book.with_speed(zones)
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
    cleared = [replace(c, used=0, zones=book.without_speed(c.zones, len(c.zones))) for c in rest]
    engine = replace(first, used=0, zones=book.without_speed(first.zones, data["tokens"]))
    return state.with_car(car.name, components=(engine, *cleared))


EVENTS.sets("generated", within="turn", stage="allocate", pool=Said("tokens"))


@EVENTS.on("allocated")
def _allocated(state: GameState, data: Data) -> GameState:
    for name, many in data["tokens"].items():
        for _ in range(many):
            state = _zones(state, data["car"], name, book.with_speed)
    return _in_turn(state, pool=0)


EVENTS.sets("ready", within="turn", stage="act", moved=Said("stands"), stands=Said("stands"))


@EVENTS.on("boosted")
def _boosted(state: GameState, _data: Data) -> GameState:
    assert state.turn is not None
    return _in_turn(state, turbo=state.turn.turbo + 1)


@EVENTS.on("moved", tone="move")
def _moved(state: GameState, data: Data) -> GameState:
    passed = tuple(Passed(one["name"], one["kind"], tuple(one["at"])) for one in data.get("passed", ()))
    return _in_turn(state, moved=True, drove=not data.get("stays"), route=_route(data), passed=passed)


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
    state = _zones(state, data["car"], data["component"], book.speed_into_damage)
    return replace(state, laid=(*state.laid, one), counts=tuple(sorted(counts.items())), calm=False)


EVENTS.removes("removed", "token", "laid")


@EVENTS.on("stopped", tone="bad")
def _stopped(state: GameState, data: Data) -> GameState:
    engine = state.car(data["car"]).engine
    return _zones(state, data["car"], engine.name, lambda z: book.without_speed(z, len(z)))


def _used(state: GameState, car: str, name: str) -> GameState:
    return state.with_component(car, name, used=state.car(car).component(name).used + 1)


# A Ram that may be rerolled is told as an attack once its die stays.
@EVENTS.on("declared", tone=lambda data: "plain" if data["weapon"].startswith(book.RAM) else "attack")
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


EVENTS.sets("attack over", tone="quiet", attack=None)


@EVENTS.on("swapped", tone="good")
def _swapped(state: GameState, data: Data) -> GameState:
    state = _used(state, data["car"], data["component"])
    (one, k), (other, m) = data["places"]
    tokens = [state.car(data["car"]).component(n).zones[i] for n, i in data["places"]]
    for name, place, token in ((one, k, tokens[1]), (other, m, tokens[0])):
        zones = state.car(data["car"]).component(name).zones
        state = state.with_component(data["car"], name, zones=(*zones[:place], token, *zones[place + 1 :]))
    turn = state.turn
    if turn is not None and turn.stands and state.car(turn.car).limits[1]:
        # A car that stood has a Speed token on its engine now: it may move.
        return _in_turn(state, moved=False, stands=False)
    return state


@EVENTS.on("damaged", tone="bad")
def _damaged(state: GameState, data: Data) -> GameState:
    state = _zones(state, data["car"], data["component"], book.with_damage)
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


EVENTS.sets("ended", turn=None, attack=None)
EVENTS.sets("over", "winner", tone="end", over=True, turn=None, attack=None, duties=())


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    @property
    def turn(self) -> Turn:
        """The activation, where there must be one."""
        assert self.state.turn is not None
        return self.state.turn

    def d20(self, why: str, citation: str, car: str, by: str, count: int = 1) -> tuple[int, ...]:
        """So many D20 of a player, rolled together."""
        wants = [Want(book.SIDES, why, by=by) for _ in range(count)]
        return tuple(roll.value for roll in self.rolls(wants, citation, (car,)))

    def owe(self, duties: Sequence[Duty], words: str, *, first: bool = False) -> None:
        """What has to be done before the game goes on; `first` of all that is owed already."""
        if duties:
            self.tell("owed", words, duties[0].citation, duties=[to_json(d) for d in duties], first=first)

    def settled(self, words: str) -> None:
        """The first thing that was owed is done."""
        duty = self.state.duties[0]
        self.tell("settled", words, duty.citation, car=duty.car, duty=duty.kind)

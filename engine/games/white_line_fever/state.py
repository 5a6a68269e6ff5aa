"""Where the game stands, what each event changes of it, and how that is told."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.dice import Dice, Roll, Want
from engine.game.kit import agenda
from engine.game.kit.events import Data, Events, Said
from engine.game.kit.play import Play as AnyPlay
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.game.kit.table import seen, sorted_out, standing_of
from engine.game.records import to_json
from engine.games.white_line_fever.about import ABOUT
from engine.games.white_line_fever.book import data as book
from engine.games.white_line_fever.book.data import Deployment, HouseRules
from engine.measure.nearby import within
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState, key_of

# Where a game of White Line Fever stands: cars with their record sheets, tokens, the round, what is owed.

CarStatus = Literal["waiting", "driving", "wreck", "removed"]
"""Not deployed yet; in play; destroyed and an obstacle; destroyed and off the table."""

Stage = Literal["car", "move", "free", "speed", "done"]
"""Of a round: choose a car; perform a manoeuvre; act, floor it, change speed or end; only change speed;
nothing more."""

DutyKind = Literal["spin", "turn", "push", "pull", "blast"]


@dataclass(frozen=True, slots=True)
class Car:
    """A car and its record sheet. `marked` armour boxes are marked off; `tokens` are left to drop."""

    name: str
    owner: str
    brand: str
    primary: str
    secondary: str
    speed: int
    marked: int = 0
    tokens: int = 0
    spent: tuple[str, ...] = ()
    """Weapons that may be used once per game and were."""
    status: CarStatus = "waiting"

    @property
    def driving(self) -> bool:
        """Whether it is in play."""
        return self.status == "driving"

    @property
    def still_in(self) -> bool:
        """Whether it is in play, or will be."""
        return self.status in ("driving", "waiting")


@dataclass(frozen=True, slots=True)
class Token:
    """A droppable that lies on the table. `at` is its pose when the table told it."""

    name: str
    weapon: str
    dropped_by: str
    at: PoseJson | None = None


@dataclass(frozen=True, slots=True)
class Duty:
    """What a rule demands before the game goes on.

    *spin*, *turn*, *push*, *pull*: put the car there; by `inches`, or turned by up to `angle` radians as
    player `by` chooses. `target` is the pose where it must stand, when the table told where it stood; of a
    *turn* the pose from which it is turned.
    `meets`, `crosses` and `leaves` are what a shifted car stops at, the tokens that it passes over, and
    whether it goes over the edge, as the table has it, `ends` a token that ends its way; what of that is too
    close to call is in `doubtful`, and `way` has the sure and the doubtful in the order in which they come.
    *blast*: say which cars are within the explosion of `car`; `sure` surely are, `doubtful` may be.
    """

    kind: DutyKind
    car: str
    citation: str
    inches: float = 0.0
    angle: float = 0.0
    by: str | None = None
    target: PoseJson | None = None
    sure: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    meets: tuple[str, ...] = ()
    crosses: tuple[str, ...] = ()
    leaves: bool = False
    way: tuple[str, ...] = ()
    ends: str = ""

    @property
    def done(self) -> str:
        """What has become of the car once it is placed, for people."""
        return {"spin": "turned round", "turn": "turned", "pull": "pulled"}.get(self.kind, "pushed")


@dataclass(frozen=True, slots=True)
class Round:
    """The current round. `hands` is the player who moves the car: the driver, until control is lost.

    `manoeuvre` counts those begun. `collided`: the car was in a collision, so the round is over.
    `burning` names cars that may not Floor It this round. Of a manoeuvre that a token has broken off and that
    goes on: `driven` inches of it are done, `bent` says that its turn or drift is, `part` counts such breaks.
    """

    number: int
    driver: str
    hands: str
    car: str | None = None
    stage: Stage = "car"
    reverse: bool = False
    manoeuvre: int = 1
    acted: bool = False
    collided: bool = False
    lost: bool = False
    burning: tuple[str, ...] = ()
    driven: float = 0.0
    bent: bool = False
    part: int = 0


@dataclass(frozen=True, slots=True)
class GameState:
    """The whole game. `players` sit in this order, each to the right of the one before."""

    players: tuple[str, ...] = ()
    first: str = ""
    house: HouseRules = field(default_factory=HouseRules)
    deployment: Deployment | None = None
    cars: tuple[Car, ...] = ()
    tokens: tuple[Token, ...] = ()
    duties: tuple[Duty, ...] = ()
    round: Round | None = None
    over: bool = False
    winner: str | None = None
    dropped: int = 0
    """Tokens dropped so far, to name them."""

    def car(self, name: str) -> Car:
        """A car by its name; a clear error names those there are."""
        return called(self.cars, name, "car")

    def is_car(self, name: str) -> bool:
        """Whether that is the name of a car in play: everything else is an obstacle."""
        return any(c.driving and key_of(c.name) == key_of(name) for c in self.cars)

    def driving(self, player: str | None = None) -> tuple[Car, ...]:
        """The cars in play, of one player or of all."""
        return tuple(c for c in self.cars if c.driving and (player is None or c.owner == player))

    def to_drive(self, name: str) -> float:
        """Inches that a car has to go in its manoeuvre: its Speed, less what is driven of one under way."""
        car, turn = self.car(name), self.round
        driven = turn.driven if turn is not None and turn.car == car.name else 0.0
        return max(car.speed - driven, 0.0)

    @property
    def alive(self) -> tuple[str, ...]:
        """The players who have a car in play, in order."""
        owners = {c.owner for c in self.cars if c.driving}
        return tuple(p for p in self.players if p in owners)

    def right_of(self, player: str) -> str:
        """The next player to the right who has a car in play; the player, if there is no other."""
        seat = self.players.index(player)
        for other in (*self.players[seat + 1 :], *self.players[:seat]):
            if any(c.driving and c.owner == other for c in self.cars):
                return other
        return player

    def boxes(self, car: Car) -> int:
        """The length of a car's armour track."""
        return sum(self.house.armour_groups) + (book.MULE_ARMOUR if car.brand == "Mule" else 0)

    def armour(self, car: Car) -> int:
        """Armour boxes that are left."""
        return self.boxes(car) - car.marked

    def big_boxes(self, car: Car) -> tuple[int, ...]:
        """The big boxes of a car's track, counted from 1."""
        extra = book.MULE_ARMOUR if car.brand == "Mule" else 0
        return tuple(box + extra for box in self.house.big_boxes)

    def top_speed(self, car: Car, marked: int | None = None) -> int:
        """A car's maximum Speed, now or with so many boxes marked off."""
        if car.brand == "Essence":
            return book.TOP_SPEED
        marks = car.marked if marked is None else marked
        reached = sum(1 for box in self.big_boxes(car) if box <= marks)
        return max(1, book.TOP_SPEED - self.house.big_box_penalty * reached)

    def with_car(self, name: str, **changes: Any) -> GameState:
        """The same with another state of one car."""
        return replace(self, cars=changed(self.cars, (name,), **changes))


def _agree(state: GameState) -> None:
    """Names point at what is there, and numbers are what a record sheet can hold."""
    one_of("first", state.first, state.players)
    if state.winner is not None:
        one_of("winner", state.winner, state.players)
    for car in state.cars:
        key = car.name
        one_of(f"{key} · owner", car.owner, state.players)
        if book.brand_called(car.brand) != car.brand:
            raise TableRefError(
                f"{key} · brand: expected {book.brand_called(car.brand)!r} but got {car.brand!r}"
            )
        for slot in ("primary", "secondary"):
            if book.weapon_called(getattr(car, slot)).hardpoint != slot:
                raise TableRefError(f"{key} · {slot}: {getattr(car, slot)} is no {slot} weapon")
        between(f"{key} · speed", car.speed, 1, book.TOP_SPEED)
        between(f"{key} · marked", car.marked, 0, state.boxes(car))
        between(f"{key} · tokens", car.tokens, 0, 99)
        if car.driving and car.marked == state.boxes(car):
            raise TableRefError(f"{key} · marked: a car without armour is destroyed; change 'It is' first")
    if state.round is not None:
        one_of("round · driver", state.round.driver, state.players)
        one_of("round · hands", state.round.hands, state.players)
        between("round · manoeuvre", state.round.manoeuvre, 1, 7)
        if state.round.car is not None:
            state.car(state.round.car)
    for duty in state.duties:
        state.car(duty.car)


STATES = States(GameState, ("cars", "tokens"), _agree, {"house": HouseRules.of})
"""The states of the game, as they are kept."""


# What the table surely knows of the cars in play: where they stand, what counts, who is near.

TURNED_OVER = (0.3, math.radians(10.0))
"""Inches and radians by which a wreck lies beside where it was last seen, one deviation (house default)."""


def in_play(state: GameState, table: TableState) -> TableState:
    """The table without cars that are out of the game, wrecks as obstacles, owners as in the game.

    A wreck that was turned over hides its tag: it lies about where it was last seen.
    """
    cars = {key_of(car.name): car for car in state.cars}
    kept = []
    for standing in table.standings:
        car = cars.get(key_of(standing.name))
        if car is None:
            kept.append(standing)
        elif car.status == "wreck":
            kept.append(_as_obstacle(standing))
        elif car.driving:
            kept.append(replace(standing, piece=replace(standing.piece, owner=car.owner)))
    return replace(table, standings=tuple(kept))


def _as_obstacle(wreck: Standing) -> Standing:
    obstacle = replace(wreck, piece=replace(wreck.piece, kind="terrain"))
    if wreck.status is not Status.LOST:
        return obstacle
    known = wreck.uncertainty
    about = PoseUncertainty(known.own + PoseUncertainty.isotropic(*TURNED_OVER).own, known.shared)
    return replace(obstacle, status=Status.STILL, uncertainty=about)


def near(
    state: GameState, table: TableState | None, name: str, inches: float, centre: Standing | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cars in play within so many inches of a car, edge to edge: surely, and perhaps.

    `centre` is where the car is, which a token may have stopped before the hand did. Perhaps too: all of
    them without it, and those that the table does not surely know.
    """
    others = [c.name for c in state.driving() if c.name != name]
    stands = {other: seen(table, other) for other in others}
    if centre is None:
        return (), tuple(others)
    found = {n.name: n.distance.verdict() for n in within(centre, inches, [s for s in stands.values() if s])}
    return sorted_out(
        {o: Verdict.TOO_CLOSE if s is None else found.get(s.name, Verdict.NO) for o, s in stands.items()}
    )


# The state after an event: one small change for each kind, nothing decided here; and how it is told.

EVENTS = Events[GameState](
    ABOUT.title,
    pieces=(
        "duty.car", "car", "target", "token", "cars", "obstacles", "reached", "triggered", "contacts.other",
    ),
    states=STATES,
)  # fmt: skip
"""Every kind of event of the game: what it changes, its tone, its pieces."""

EVENTS.only_told("roll", tone="dice")
EVENTS.only_told("sheet", "target", "modified", "special")
EVENTS.only_told("missed", tone="miss")
EVENTS.only_told("hit", tone="good")
EVENTS.only_told("penalty", tone="bad")


EVENTS.sets("deployment", "deployment")
EVENTS.sets("deployed", of="car", status="driving")


@EVENTS.on("round", tone="turn")
def _round(state: GameState, data: Data) -> GameState:
    return replace(state, round=Round(data["number"], data["driver"], data["driver"]))


def _in_round(state: GameState, **changes: Any) -> GameState:
    if state.round is None:
        raise TableRefError("the log is out of order: no round has begun")
    return replace(state, round=replace(state.round, **changes))


# A direction was determined for the car that was chosen before.
EVENTS.sets("chosen", "car", within="round", tone="quiet", stage="move", reverse=False)
EVENTS.sets("reversed", within="round", reverse=True)


@EVENTS.on("moved", tone="move")
def _moved(state: GameState, _data: Data) -> GameState:
    lost = state.round is not None and state.round.lost
    return _in_round(state, stage="done" if lost else "free")


@EVENTS.on("shot", tone="attack")
def _shot(state: GameState, data: Data) -> GameState:
    state = _in_round(state, acted=True)
    return state.with_car(data["car"], spent=tuple(data["spent"]))


@EVENTS.on("dropped")
def _dropped(state: GameState, data: Data) -> GameState:
    at = data["at"]
    token = Token(data["token"], data["weapon"], data["car"], None if at is None else tuple(at))
    state = _in_round(state, acted=True).with_car(data["car"], tokens=data["left"])
    return replace(state, tokens=(*state.tokens, token), dropped=state.dropped + 1)


EVENTS.removes("triggered", "token", "tokens", tone="bad")
EVENTS.sets("damaged", "marked", of="car", tone="bad")
EVENTS.sets("speed", "speed", of="car")


@EVENTS.on("collision", tone="bad")
def _collision(state: GameState, data: Data) -> GameState:
    if state.round is not None and state.round.car in data["cars"]:
        return _in_round(state, collided=True)
    return state


@EVENTS.on("burning", tone="bad")
def _burning(state: GameState, data: Data) -> GameState:
    if state.round is None:
        return state
    return _in_round(state, burning=(*state.round.burning, data["car"]))


@EVENTS.on("owed")
def _owed(state: GameState, data: Data) -> GameState:
    return replace(state, duties=(*state.duties, *agenda.owed(Duty, data["duty"])))


@EVENTS.on("placed")
def _placed(state: GameState, data: Data) -> GameState:
    return _without(state, lambda d: d.car == data["car"] and d.kind == data["duty"])


@EVENTS.on("blast", tone="bad")
def _blast(state: GameState, data: Data) -> GameState:
    return _without(state, lambda d: d.car == data["car"] and d.kind == "blast")


def _without(state: GameState, meant: Callable[[Duty], bool]) -> GameState:
    """Without the first duty that is meant."""
    return replace(state, duties=agenda.without(state.duties, meant))


@EVENTS.on("destroyed", "left", tone="loss")
def _gone(state: GameState, data: Data) -> GameState:
    """A destroyed car is placed no more; what others owe to its explosion stays."""
    state = state.with_car(data["car"], status=data["status"])
    left = tuple(d for d in state.duties if d.car != data["car"] or d.kind == "blast")
    return _handed_on(replace(state, duties=left))


def _handed_on(state: GameState) -> GameState:
    """Who has no car left places and drives nobody's: the owner does, or the next opponent to the right."""
    there = {car.owner for car in state.cars if car.still_in}
    duties = agenda.handed_on(state.duties, there, lambda d: state.car(d.car).owner)
    state, turn = replace(state, duties=duties), state.round
    if turn is None or turn.hands == turn.driver or turn.hands in there:
        return state
    return _in_round(state, hands=state.right_of(turn.driver))


_WHOLE: Data = {"driven": 0.0, "bent": False, "part": 0}
"""A manoeuvre of which nothing is driven yet."""


EVENTS.sets("floored", "manoeuvre", within="round", tone="good", stage="move", acted=False, **_WHOLE)


@EVENTS.on("goes on", tone="move")
def _goes_on(state: GameState, data: Data) -> GameState:
    """What is left is driven from where the token has put the car; nothing, once it is `over`."""
    part = 0 if state.round is None else state.round.part
    if data.get("over"):
        return _moved(state, data)
    return _in_round(state, stage="move", driven=data["driven"], bent=data["bent"], part=part + 1)


EVENTS.sets(
    "lost control", "manoeuvre", "hands", within="round", tone="bad",
    stage="move", acted=True, lost=True, **_WHOLE,
)  # fmt: skip


EVENTS.sets("may change speed", within="round", tone="quiet", stage="speed", acted=True, hands=Said("player"))
EVENTS.sets("ended", round=None)
EVENTS.sets("over", "winner", tone="end", over=True, round=None, duties=())


class Play(AnyPlay[GameState]):
    """The events of one action so far, the state that they lead to, and what may be asked."""

    def __init__(self, kinds: Events[GameState], state: GameState, seen: Seen, dice: Dice) -> None:
        super().__init__(kinds, state, seen, dice)
        self.table = seen.table
        self.stopped: dict[str, Pose] = {}
        self.rests: dict[str, Pose] = {}
        """Where the cars rest whose seen moves this action takes: a hand may lie over them by now."""

    @property
    def round(self) -> Round:
        """The current round, where there must be one."""
        assert self.state.round is not None
        return self.state.round

    def roll(self, sides: int, why: str, citation: str, piece: str) -> Roll:
        """A die for a piece, told before anything follows from it."""
        return self.together([(Want(sides, why), piece)], citation)[0]

    def together(self, wants: Sequence[tuple[Want, str]], citation: str) -> tuple[Roll, ...]:
        """Dice for pieces by name, all of them told before anything follows from any.

        A die that was rolled here, not typed, is a barrier: whoever missed cannot take it back.
        """
        rolls = self.dice.together([want for want, _ in wants])
        for roll, (_, piece) in zip(rolls, wants, strict=True):
            data = {"sides": roll.sides, "value": roll.value, "why": roll.why, "source": roll.source}
            data |= {"by": roll.by} if roll.by else {}
            words = f"{roll.why}: D{roll.sides} shows {roll.value}"
            event = EVENTS.told("roll", words, citation, data | {"car": piece})
            self._told(replace(event, barrier=roll.source != "typed"))
        return rolls

    def owe(self, duty: Duty, words: str) -> None:
        """Something that must be done before the game goes on."""
        # As older records tell it.
        told = {k: v for k, v in to_json(duty).items() if v or k not in ("way", "ends")}
        self.tell("owed", words, duty.citation, duty=told)

    def standing(self, name: str) -> Standing | None:
        """Where a car stands, if the table surely knows; of one that a token has stopped, where that was."""
        standing = seen(self.table, name)
        if standing is None and (rest := self.rests.get(name)) is not None:
            known = standing_of(self.table, name)
            standing = None if known is None else replace(known, pose=rest, status=Status.STILL)
        stopped = self.stopped.get(name)
        return standing if standing is None or stopped is None else replace(standing, pose=stopped)

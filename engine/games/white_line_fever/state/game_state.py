"""Where a game of White Line Fever stands: cars with their record sheets, tokens, the round, what is owed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.kit.reading import PoseJson
from engine.game.kit.states import States, between, called, changed, one_of
from engine.games.white_line_fever.book.data import (
    MULE_ARMOUR,
    TOP_SPEED,
    Deployment,
    HouseRules,
    brand_called,
)
from engine.games.white_line_fever.book.weapons import weapon_called
from engine.space.table import key_of

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
    whether it goes over the edge, as the table has it; what of that is too close to call is in `doubtful`,
    and `way` has the sure and the doubtful in the order in which they come.
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
        return sum(self.house.armour_groups) + (MULE_ARMOUR if car.brand == "Mule" else 0)

    def armour(self, car: Car) -> int:
        """Armour boxes that are left."""
        return self.boxes(car) - car.marked

    def big_boxes(self, car: Car) -> tuple[int, ...]:
        """The big boxes of a car's track, counted from 1."""
        extra = MULE_ARMOUR if car.brand == "Mule" else 0
        return tuple(box + extra for box in self.house.big_boxes)

    def top_speed(self, car: Car, marked: int | None = None) -> int:
        """A car's maximum Speed, now or with so many boxes marked off."""
        if car.brand == "Essence":
            return TOP_SPEED
        marks = car.marked if marked is None else marked
        reached = sum(1 for box in self.big_boxes(car) if box <= marks)
        return max(1, TOP_SPEED - self.house.big_box_penalty * reached)

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
        if brand_called(car.brand) != car.brand:
            raise TableRefError(f"{key} · brand: expected {brand_called(car.brand)!r} but got {car.brand!r}")
        for slot in ("primary", "secondary"):
            if weapon_called(getattr(car, slot)).hardpoint != slot:
                raise TableRefError(f"{key} · {slot}: {getattr(car, slot)} is no {slot} weapon")
        between(f"{key} · speed", car.speed, 1, TOP_SPEED)
        between(f"{key} · marked", car.marked, 0, state.boxes(car))
        between(f"{key} · tokens", car.tokens, 0, 99)
        if car.driving and car.marked == state.boxes(car):
            raise TableRefError(f"{key} · marked: a car without armour is destroyed; set its status too")
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

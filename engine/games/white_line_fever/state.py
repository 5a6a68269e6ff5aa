"""Where a game of White Line Fever stands: cars with their record sheets, tokens, the round, what is owed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

from engine.errors import TableRefError
from engine.games.white_line_fever.data import (
    MULE_ARMOUR,
    TOP_SPEED,
    Deployment,
    HouseRules,
    brand_called,
    deployment_called,
)
from engine.games.white_line_fever.weapons import weapon_called
from engine.space.table import key_of

CarStatus = Literal["waiting", "driving", "wreck", "removed"]
"""Not deployed yet; in play; destroyed and an obstacle; destroyed and off the table."""

Stage = Literal["car", "move", "free", "speed", "done"]
"""Of a round: choose a car; perform a manoeuvre; act, floor it, change speed or end; only change speed;
nothing more."""

DutyKind = Literal["spin", "turn", "push", "pull", "blast"]

PoseJson = tuple[float, float, float]
"""x and y in inches, heading in radians."""


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
    whether it goes over the edge, as the table has it.
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


@dataclass(frozen=True, slots=True)
class Round:
    """The current round. `hands` is the player who moves the car: the driver, until control is lost.

    `manoeuvre` counts those begun. `collided`: the car was in a collision, so the round is over.
    `burning` names cars that may not Floor It this round.
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
        for car in self.cars:
            if car.name == name:
                return car
        key = key_of(name)
        for car in self.cars:
            if key_of(car.name) == key:
                return car
        raise TableRefError(
            f"no car called {name!r} is in the game; expected one of {', '.join(c.name for c in self.cars)}"
        )

    def is_car(self, name: str) -> bool:
        """Whether that is the name of a car in play: everything else is an obstacle."""
        return any(c.driving and key_of(c.name) == key_of(name) for c in self.cars)

    def driving(self, player: str | None = None) -> tuple[Car, ...]:
        """The cars in play, of one player or of all."""
        return tuple(c for c in self.cars if c.driving and (player is None or c.owner == player))

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
        return replace(self, cars=tuple(replace(c, **changes) if c.name == name else c for c in self.cars))


def as_json(state: GameState) -> dict[str, Any]:
    """The state as a JSON object, cars and tokens by name; `from_json` gives the same state again."""
    return {
        "players": list(state.players),
        "first": state.first,
        "house": state.house.as_json(),
        "deployment": state.deployment,
        "cars": {c.name: _plain(c) for c in state.cars},
        "tokens": {t.name: _plain(t) for t in state.tokens},
        "duties": [_plain(d) for d in state.duties],
        "round": None if state.round is None else _plain(state.round),
        "over": state.over,
        "winner": state.winner,
        "dropped": state.dropped,
    }


def duty_as_json(duty: Duty) -> dict[str, Any]:
    """A duty as a JSON object."""
    return _plain(duty)


def _plain(record: Car | Token | Duty | Round) -> dict[str, Any]:
    """A record as a JSON object, tuples as lists."""
    values = {name: getattr(record, name) for name in _FIELDS[type(record)]}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def duty_from_json(data: Mapping[str, Any]) -> Duty:
    """A duty of its JSON object."""
    duty: Duty = _record(Duty, data)
    return duty


def from_json(data: Mapping[str, Any]) -> GameState:
    """The state of a JSON object; a clear error names the field that is wrong."""
    players = _typed("players", data["players"], tuple)
    state = GameState(
        players=players,
        first=_one_of("first", data["first"], players),
        house=HouseRules.from_json(data["house"]),
        deployment=None if data["deployment"] is None else deployment_called(data["deployment"]),
        cars=tuple(_record(Car, c) for c in data["cars"].values()),
        tokens=tuple(_record(Token, t) for t in data["tokens"].values()),
        duties=tuple(duty_from_json(d) for d in data["duties"]),
        round=None if data["round"] is None else _record(Round, data["round"]),
        over=_typed("over", data["over"], bool),
        winner=None if data["winner"] is None else _one_of("winner", data["winner"], players),
        dropped=_typed("dropped", data["dropped"], int),
    )
    _names_agree(state, data)
    return state


def _names_agree(state: GameState, data: Mapping[str, Any]) -> None:
    """Names point at what is there, and numbers are what a record sheet can hold."""
    for key, car in zip(data["cars"], state.cars, strict=True):
        if key != car.name:
            raise TableRefError(f"cars · {key}: a car's name stays, got {car.name!r}")
        _one_of(f"{key} · owner", car.owner, state.players)
        if brand_called(car.brand) != car.brand:
            raise TableRefError(f"{key} · brand: expected {brand_called(car.brand)!r} but got {car.brand!r}")
        for slot in ("primary", "secondary"):
            if weapon_called(getattr(car, slot)).hardpoint != slot:
                raise TableRefError(f"{key} · {slot}: {getattr(car, slot)} is no {slot} weapon")
        _between(f"{key} · speed", car.speed, 1, TOP_SPEED)
        _between(f"{key} · marked", car.marked, 0, state.boxes(car))
        _between(f"{key} · tokens", car.tokens, 0, 99)
        if car.driving and car.marked == state.boxes(car):
            raise TableRefError(f"{key} · marked: a car without armour is destroyed; set its status too")
    if state.round is not None:
        _one_of("round · driver", state.round.driver, state.players)
        _one_of("round · hands", state.round.hands, state.players)
        _between("round · manoeuvre", state.round.manoeuvre, 1, 7)
        if state.round.car is not None:
            state.car(state.round.car)
    for duty in state.duties:
        state.car(duty.car)


def _between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise TableRefError(f"{name}: expected {low} to {high} but got {value}")


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise TableRefError(f"{name}: expected one of {', '.join(known)} but got {value!r}")
    return str(value)


def _typed(name: str, value: Any, kind: type) -> Any:
    if kind is tuple and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        wanted = {tuple: "a list of names", str: "a text", int: "a whole number", bool: "true or false"}
        raise TableRefError(f"{name}: expected {wanted.get(kind, 'a number')} but got {value!r}")
    return value


_LITERALS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"CarStatus": get_args(CarStatus), "Stage": get_args(Stage), "DutyKind": get_args(DutyKind)}
)
_PLAIN: Mapping[str, type] = MappingProxyType(
    {"str": str, "int": int, "bool": bool, "float": float, "tuple[str, ...]": tuple}
)


_FIELDS: Mapping[type[Any], Mapping[str, str]] = MappingProxyType(
    {kind: {f.name: str(f.type) for f in fields(kind)} for kind in (Car, Token, Duty, Round)}
)
"""The fields of the records with their annotations."""


def _record(kind: type[Any], data: Any) -> Any:
    """A car, token, duty or round of its JSON object, every field checked against its type."""
    known = _FIELDS[kind]
    if not isinstance(data, Mapping) or set(data) != set(known):
        raise TableRefError(f"expected a {kind.__name__.lower()} with {', '.join(known)} but got {data!r}")
    return kind(**{name: _field(name, annotation, data[name]) for name, annotation in known.items()})


def _field(name: str, annotation: str, value: Any) -> Any:
    optional = annotation.removesuffix(" | None")
    if optional != annotation and value is None:
        return None
    if optional in _LITERALS:
        return _one_of(name, value, _LITERALS[optional])
    if optional == "PoseJson":
        if not isinstance(value, list | tuple) or len(value) != 3:
            raise TableRefError(f"{name}: expected x, y and heading but got {value!r}")
        return tuple(_typed(name, v, float) for v in value)
    return _typed(name, value, _PLAIN[optional])

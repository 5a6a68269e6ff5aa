"""Who plays with which cars: the setup of a game, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import TableRefError
from engine.game.events import Event
from engine.game.kit import reading
from engine.game.kit.actions import a_or_an
from engine.games.white_line_fever.book.data import BRANDS, HouseRules, brand_called, cite, deployment_called
from engine.games.white_line_fever.book.weapons import WEAPONS, weapon_called
from engine.games.white_line_fever.state.fold import EVENTS
from engine.games.white_line_fever.state.game_state import STATES, Car, GameState
from engine.ruling import many

UNDECIDED = "decide at the table"


_FIELDS = ("players", "cars", "pieces", "first", "deployment", "house", *HouseRules.declared())
_CAR_FIELDS = ("name", "owner", "brand", "primary", "secondary", "speed", "tokens")


def begin(setup: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events that begin a game.

    `players`: names in the order of their seats, each to the right of the one before. `cars`: objects with
    `name`, `owner`, `brand`, `primary`, `secondary`, and optionally `speed` and `tokens`; as `pieces`, what
    they leave out is dealt as their forms have it. `first`: who drives first, else the first player.
    `deployment`: "arena" or "highway", or none to decide it at the table. House rules that differ from the
    defaults stand in `house` or by their own names.
    """
    reading.only(setup, _FIELDS, "the setup")
    house = HouseRules.said(setup)
    players = reading.names(setup, "players")
    reading.different(players, "players")
    if len(players) < 2:
        raise TableRefError(f"players: expected two or more but got {len(players)}")
    given = [*reading.objects(setup, "cars"), *_dealt(setup)]
    cars = tuple(_car(data, players, house) for data in given)
    reading.different([c.name for c in cars], "cars")
    without = [p for p in players if not any(c.owner == p for c in cars)]
    if without:
        raise TableRefError(f"cars: expected at least one for every player, {', '.join(without)} has none")
    deployment = reading.maybe_text(setup, "deployment")
    deployment = None if deployment == UNDECIDED else deployment
    state = GameState(
        players=players,
        first=reading.one_of(setup, "first", players, players[0]),
        house=house,
        deployment=None if deployment is None else deployment_called(deployment),
        cars=cars,
    )
    words = f"{', '.join(players)} play with {many(len(cars), 'car')}; {state.first} drives first"
    sheets = tuple(_sheet(state, car) for car in cars)
    return (Event("begin", {"state": STATES.as_json(state)}, words, cite("Setup")), *sheets)


def dealt(number: int) -> dict[str, str]:
    """Brand and weapons of the car with that number, in the book's order.

    >>> dealt(0)
    {'brand': 'Hammer', 'primary': 'Shock Gun', 'secondary': 'Harpoon'}
    """
    steps = {"brand": 1, "primary": 5, "secondary": 4}
    names = {"brand": list(BRANDS)} | {slot: weapons_of(slot) for slot in ("primary", "secondary")}
    return {slot: names[slot][(number + 1) * step % len(names[slot])] for slot, step in steps.items()}


def weapons_of(slot: str) -> list[str]:
    """The weapons that may be mounted there, in the book's order."""
    return [w.name for w in WEAPONS.values() if w.hardpoint == slot]


def _dealt(setup: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The cars as the set-up's forms have them: what was left as it is, is as it was dealt."""
    return [
        {**dealt(number), **{name: value for name, value in piece.items() if value is not None}}
        for number, piece in enumerate(reading.objects(setup, "pieces"))
    ]


def _sheet(state: GameState, car: Car) -> Event:
    """A car's record sheet as it begins, by its brand."""
    words = f"{car.name}, {a_or_an(car.brand)} ({BRANDS[car.brand]}), with {car.primary} and {car.secondary}"
    data = {"car": car.name, "boxes": state.boxes(car), "big_boxes": list(state.big_boxes(car))}
    return EVENTS.told("sheet", words, cite("Brands", car.brand), data)


def _car(data: Mapping[str, Any], players: tuple[str, ...], house: HouseRules) -> Car:
    name = reading.text(data, "name")
    reading.only(data, _CAR_FIELDS, name)
    weapons = {}
    for slot in ("primary", "secondary"):
        weapon = weapon_called(reading.text(data, slot))
        if weapon.hardpoint != slot:
            raise TableRefError(f"{name}: {weapon.name} is no {slot} weapon; mount it as {weapon.hardpoint}")
        weapons[slot] = weapon
    droppable = weapons["secondary"].droppable
    tokens = reading.whole(data, "tokens") if data.get("tokens") is not None else house.tokens
    speed = reading.whole(data, "speed") if data.get("speed") is not None else house.starting_speed
    if not 1 <= speed <= 6 or not 0 <= tokens <= 99:
        raise TableRefError(
            f"{name}: expected a speed of 1 to 6 and 0 to 99 tokens, got {speed} and {tokens}"
        )
    return Car(
        name=name,
        owner=reading.one_of(data, "owner", players),
        brand=brand_called(reading.text(data, "brand")),
        primary=weapons["primary"].name,
        secondary=weapons["secondary"].name,
        speed=speed,
        tokens=tokens if droppable else 0,
    )

"""Who plays with which cars, and how they are deployed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.errors import TableRefError
from engine.game.about import house
from engine.game.events import Action, Event, Reason
from engine.game.kit import reading
from engine.game.kit.actions import a_or_an
from engine.game.kit.table import seen
from engine.games.white_line_fever.acts import rounds
from engine.games.white_line_fever.acts.rounds import to_deploy, whose
from engine.games.white_line_fever.book import data as book
from engine.games.white_line_fever.book.data import HouseRules
from engine.games.white_line_fever.state import EVENTS, STATES, Car, GameState, Play
from engine.measure.distances import contact, surely_apart
from engine.measure.sweep import edge_margin, surely_within
from engine.ruling import Measurement, Verdict, many
from engine.space.geometry import Region
from engine.space.table import Standing, TableState
from engine.words import listed

# Before the first round: how the cars are deployed, and where each may stand.

DEPLOYMENT = book.cite("Setup", "Deployment")
WHERE = house("Deployment")

EDGES = ("near", "far", "left", "right")
"""The table's edges in the order in which players get them."""

_HAIR = 1e-6


def check_deployment(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """The type of deployment, if it is open."""
    if state.deployment is not None:
        return [Reason(f"the deployment is decided: {state.deployment}", DEPLOYMENT)]
    reading.one_of(action.data, "deployment", ("arena", "highway", "roll"))
    return []


def do_deployment(play: Play, action: Action) -> None:
    """The players agree, or a D6 decides: 1 to 3 arena, 4 to 6 highway."""
    chosen = action.data["deployment"]
    if chosen == "roll":
        roll = play.roll(6, "deployment, 1 to 3 arena, 4 to 6 highway", DEPLOYMENT, "")
        chosen = "arena" if roll.value <= 3 else "highway"
    play.tell("deployment", f"deployment {chosen}: {book.DEPLOYMENTS[chosen]}", WHERE, deployment=chosen)


def check_deploy(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """A waiting car of whose turn it is; where the table sees it, in its strip and touching nothing."""
    if state.deployment is None:
        return [Reason("the deployment has to be decided first", DEPLOYMENT)]
    car = state.car(reading.text(action.data, "car"))
    if car.status != "waiting":
        return [Reason(f"{car.name} is deployed already", DEPLOYMENT)]
    reasons = whose(action, car.owner, DEPLOYMENT)
    if car.owner not in to_deploy(state):
        reasons.append(Reason(f"{to_deploy(state)[0]} places the next car", WHERE))
    standing = seen(table, car.name)
    if table is not None and standing is not None:
        reasons += _place(state, table, standing, state.players.index(car.owner))
    return reasons


def _place(state: GameState, table: TableState, standing: Standing, seat: int) -> list[Reason]:
    """What is surely wrong with a car's place: where the table is in doubt, whoever deploys is right."""
    name, depth = standing.name, state.house.deployment_depth
    wrong = []
    if _surely_outside(standing, table.surface):
        wrong.append((f"{name} does not stand wholly on the surface", DEPLOYMENT))
    for other in table.others(name):
        if other.piece.solid and not surely_apart(standing, other) and _no(contact(standing, other)):
            wrong.append((f"{name} touches {other.name}", DEPLOYMENT))
    if state.deployment == "arena":
        edge = EDGES[seat % len(EDGES)]
        if _surely_outside(standing, _strip(table, edge, depth)):
            wrong.append((f"{name} is not within {depth:g} in of the {edge} edge", WHERE))
    return [Reason(words, rule, open=True) for words, rule in wrong]


def _surely_outside(standing: Standing, region: Region) -> bool:
    within = surely_within(standing, region)
    return _no(edge_margin(standing, region)) if within is None else not within


def _no(room: Measurement) -> bool:
    """Whether there is surely none: with a hair of it, for a car that is put exactly against something."""
    return room.at_least(-_HAIR).verdict() is Verdict.NO


def _strip(table: TableState, edge: str, depth: float) -> Region:
    left, near, right, far = map(float, table.surface.polygon.bounds)
    width, height = right - left, far - near
    depth = max(depth, _HAIR)  # a strip of no depth is one, too
    return {
        "near": Region.rectangle(left, near, width, depth),
        "far": Region.rectangle(left, far - depth, width, depth),
        "left": Region.rectangle(left, near, depth, height),
        "right": Region.rectangle(right - depth, near, depth, height),
    }[edge]


def do_deploy(play: Play, action: Action) -> None:
    """The car stands; after the last one the first round begins."""
    car = play.state.car(reading.text(action.data, "car"))
    at = reading.pose(action.data, "at")
    standing = play.standing(car.name)
    if at is None and standing is not None:
        at = (standing.pose.x, standing.pose.y, math.remainder(standing.pose.heading, math.tau))
    play.tell(
        "deployed", f"{car.owner} deploys {car.name}", DEPLOYMENT,
        car=car.name, at=None if at is None else list(at),
    )  # fmt: skip
    if not to_deploy(play.state):
        rounds.begin(play)


# Who plays with which cars: the setup of a game, read and checked.

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
        players=players, first=reading.one_of(setup, "first", players, players[0]), house=house,
        deployment=None if deployment is None else book.deployment_called(deployment), cars=cars,
    )  # fmt: skip
    words = f"{listed(players)} play with {many(len(cars), 'car')}; {state.first} drives first"
    sheets = tuple(_sheet(state, car) for car in cars)
    return (Event("begin", {"state": STATES.as_json(state)}, words, book.cite("Setup")), *sheets)


def dealt(number: int) -> dict[str, str]:
    """Brand and weapons of the car with that number, in the book's order.

    >>> dealt(0)
    {'brand': 'Hammer', 'primary': 'Shock Gun', 'secondary': 'Harpoon'}
    """
    steps = {"brand": 1, "primary": 5, "secondary": 4}
    names = {"brand": list(book.BRANDS)} | {slot: weapons_of(slot) for slot in ("primary", "secondary")}
    return {slot: names[slot][(number + 1) * step % len(names[slot])] for slot, step in steps.items()}


def weapons_of(slot: str) -> list[str]:
    """The weapons that may be mounted there, in the book's order."""
    return [w.name for w in book.WEAPONS.values() if w.hardpoint == slot]


def _dealt(setup: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The cars as the set-up's forms have them: what was left as it is, is as it was dealt."""
    return [
        {**dealt(number), **{name: value for name, value in piece.items() if value is not None}}
        for number, piece in enumerate(reading.objects(setup, "pieces"))
    ]


def _sheet(state: GameState, car: Car) -> Event:
    """A car's record sheet as it begins, by its brand."""
    words = (
        f"{car.name}, {a_or_an(car.brand)} ({book.BRANDS[car.brand]}), with {car.primary} and {car.secondary}"
    )
    data = {"car": car.name, "boxes": state.boxes(car), "big_boxes": list(state.big_boxes(car))}
    return EVENTS.told("sheet", words, book.cite("Brands", car.brand), data)


def _car(data: Mapping[str, Any], players: tuple[str, ...], house: HouseRules) -> Car:
    name = reading.text(data, "name")
    reading.only(data, _CAR_FIELDS, name)
    weapons = {}
    for slot in ("primary", "secondary"):
        weapon = book.weapon_called(reading.text(data, slot))
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
        name=name, owner=reading.one_of(data, "owner", players),
        brand=book.brand_called(reading.text(data, "brand")), primary=weapons["primary"].name,
        secondary=weapons["secondary"].name, speed=speed, tokens=tokens if droppable else 0,
    )  # fmt: skip

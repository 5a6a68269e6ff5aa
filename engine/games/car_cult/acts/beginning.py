"""Who plays with which cars: the set-up of a game, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import TableRefError
from engine.game.events import Event
from engine.game.kit import reading
from engine.games.car_cult.book import data as book
from engine.games.car_cult.book.data import Build, HouseRules
from engine.games.car_cult.state import EVENTS, STATES, Car, Component, GameState
from engine.ruling import many
from engine.space.table import key_of
from engine.words import listed

BUILDING = book.cite("Building a Car Cult")


PARTS: Mapping[str, str] = {
    key_of(name).replace(" ", "_"): name
    for name, card in book.CARDS.items()
    if card.sort in ("weapon", "gear", "crew")
}
"""The field of the builder's form for each component, and its card."""

_FIELDS = ("players", "pieces", "house", *HouseRules.declared())
_CAR_FIELDS = ("name", "owner", "engine", "parts", "armour", "damage", *PARTS)

_DEALT = (
    {"engine": "Straight Five", "armour": 2, "parts": ("Gutsy Gunner", "Machine Gun", "Rifle")},
    {"engine": "Quick Four", "armour": 1, "parts": ("Dangerous Driver", "Cannon")},
    {"engine": "Quick Four", "armour": 0, "parts": ("Flamethrower",)},
)
"""The cars that are dealt to begin with; three of them are 30 zones or less."""


def dealt(number: int) -> dict[str, Any]:
    """The engine, Armour and components of a player's car with that number, counted from 0.

    >>> dealt(1)["engine"]
    'Quick Four'
    """
    return dict(_DEALT[min(number, len(_DEALT) - 1)])


def most_of(name: str) -> int:
    """How often a component may be on one car (house default: weapons twice, all else once)."""
    return 2 if book.CARDS[name].sort == "weapon" else 1


def begin(setup: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events that begin a game.

    `players`: names in the order of their seats. `pieces`: objects with `name`, `owner`, `engine`, `armour`
    (zones), how often each component is there by its field, or `parts` by name; `damage` from the game
    before. House rules that differ from the defaults stand in `house` or by their own names.
    """
    reading.only(setup, _FIELDS, "the setup")
    house = HouseRules.said(setup)
    players = reading.names(setup, "players")
    builds = builds_of(setup)
    if wrong := not_yet(players, builds, house):
        raise TableRefError("; ".join(wrong))
    cars = tuple(_car(build) for build in builds)
    state = GameState(players=players, house=house, cars=cars)
    words = f"{listed(players)} play with {many(len(cars), 'car')}, {house.limit} zones each at most"
    cards = tuple(
        EVENTS.told("card", f"{car.name}: {', '.join(c.name for c in car.components)}", BUILDING,
             {"car": car.name, "zones": build.zones, "components": [c.card for c in car.components]})
        for car, build in zip(cars, builds, strict=True)
    )  # fmt: skip
    return (Event("begin", {"state": STATES.as_json(state)}, words, BUILDING), *cards)


def builds_of(setup: Mapping[str, Any]) -> tuple[Build, ...]:
    """The cars as the forms have them; what was left out is as it was dealt."""
    counts: dict[str, int] = {}
    found = []
    for piece in reading.objects(setup, "pieces"):
        owner = reading.text(piece, "owner")
        found.append(_build(piece, owner, counts.get(owner, 0)))
        counts[owner] = counts.get(owner, 0) + 1
    return tuple(found)


def _build(piece: Mapping[str, Any], owner: str, number: int) -> Build:
    name, usual = reading.text(piece, "name"), dealt(number)
    reading.only(piece, _CAR_FIELDS, name)
    engine = book.card_called(str(piece.get("engine") or usual["engine"])).name
    if engine not in book.ENGINES:
        raise TableRefError(f"{name} · engine: expected one of {', '.join(book.ENGINES)} but got {engine}")
    given = piece.get("parts")
    parts = [book.card_called(str(p)).name for p in (usual["parts"] if given is None else given)]
    for field, card in PARTS.items():
        if piece.get(field) is not None:
            parts = [p for p in parts if p != card] + [card] * _times(piece, field, card)
    zones = usual["armour"] if given is None and piece.get("armour") is None else piece.get("armour") or 0
    if zones not in range(5):
        raise TableRefError(f"{name} · armour: expected 0 to 4 zones but got {zones!r}")
    parts += [f"Armour {zones}"] if zones else []
    parts.sort(key=list(book.CARDS).index)
    damage = reading.whole(piece, "damage") if piece.get("damage") is not None else 0
    return Build(name, owner, engine, tuple(parts), damage)


def _times(piece: Mapping[str, Any], field: str, card: str) -> int:
    times = reading.whole(piece, field)
    if not 0 <= times <= most_of(card):
        raise TableRefError(f"{field}: expected 0 to {most_of(card)} but got {times}")
    return times


def not_yet(players: tuple[str, ...], builds: tuple[Build, ...], house: HouseRules) -> list[str]:
    """Why a game cannot begin so."""
    found = reading.not_seated(players, [(b.name, b.owner) for b in builds], 6, "car")
    for build in builds:
        found += book.amiss(build, wishes=house.wishes)
    return found + book.over_limit(builds, players, house.limit)


def _car(build: Build) -> Car:
    cards = (build.engine, *build.parts)
    names = book.numbered(cards)
    components = tuple(
        Component(n, c, (None,) * book.CARDS[c].zones) for n, c in zip(names, cards, strict=True)
    )
    car = Car(build.name, build.owner, components)
    for _ in range(build.damage):
        # What is left of the game before: on Armour first, then component by component (house default).
        taker = car.takers()[-1]
        hurt = Component(taker.name, taker.card, book.with_damage(taker.zones))
        car = Car(car.name, car.owner, tuple(hurt if c is taker else c for c in car.components))
    return car


def start_tokens(car: Car) -> int:
    """The most Speed tokens that its engine may start with: as many as the car generates."""
    return min(car.symbols, book.count(car.engine.zones, None))

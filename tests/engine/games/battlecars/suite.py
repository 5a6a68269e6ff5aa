"""What the tests of every game are told of Battlecars, and what its random players hold."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.games import Held, Players
from engine.games.battlecars.book.data import HouseRules
from engine.games.battlecars.book.vehicles import layouts
from engine.games.battlecars.state import GameState
from tests.engine.games.battlecars.playing import GAME, standing
from tests.engine.games.suite import Suite


def hold(state: GameState) -> None:
    """What is true of every state between two actions."""
    for vehicle in state.vehicles:
        name, layout = vehicle.name, vehicle.layout
        for part in (*vehicle.armour, *vehicle.components):
            assert part.hits >= 0 <= part.left, f"{name}: {part.hits} hits on its {part.name}"
        assert -layout.reverse <= vehicle.speed <= layout.top, f"{name}: Speed {vehicle.speed}"
        assert not vehicle.here or vehicle.cell in state.board.cells, f"{name} is off the board"
    drivers = [v.driver for v in state.vehicles if v.driver is not None]
    assert len(set(drivers)) == len(drivers), "one driver sits in two vehicles"
    tokens = [t.name for t in state.tokens]
    assert len(set(tokens)) == len(tokens), "two counters of one name"


def sound() -> GameState:
    """A game in which two face one another."""
    return standing(("Red 1", "Saloon", (2, 6), 0, 3), ("Blue 1", "Van", (8, 6), 4, 2))


def wrong() -> Iterator[tuple[Held, GameState, str]]:
    """The same with one thing wrong."""
    state = sound()
    yield hold, state.with_vehicle("Red 1", speed=99), "Speed 99"
    yield hold, state.with_vehicle("Red 1", cell=(99, 6)), "off the board"
    yield hold, state.with_vehicle("Red 1", driver="driver of Blue 1"), "in two vehicles"


def on_its_page() -> Iterator[str]:
    """Every vehicle with its figures."""
    for name, layout in layouts().items():
        corners, armour = ", ".join(map(str, layout.safe)), sum(layout.blocks.values())
        figures = f"{layout.acceleration} / {layout.braking} | {layout.top} / {layout.reverse}"
        yield f"| {name} | {figures} | {corners} | {armour} |"


PLAYERS = Players(GAME, hold=hold, json_every=10)

SUITE = Suite(
    players=PLAYERS,
    seeds=(28, 42, 119),
    whims=(1,),
    rare=frozenset({"reloaded", "ruled", "exploded", "lies", "withdrew"}),
    house=HouseRules,
    golden_games=13,
    lost=("duel", "armour"),
    at_tables=frozenset({"ruled", "lies"}),
    of_the_match=frozenset({"action", "overrule", "sealed", "conceded"}),
    sound=lambda: ((hold, sound()),),
    wrong=wrong,
    words={"True": "on", "False": "off"},
    on_its_page=on_its_page,
    uncited=frozenset({"Game Turn · Nominate Target", "Game Turn · Calculate Range"}),
    over_others=frozenset({"Damage", "Weapons"}),
    whole_book=True,
)

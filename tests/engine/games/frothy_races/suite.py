"""What the tests of every game are told of Frothy Races; its random players race in every race type."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.games import Held
from engine.game.match import Match
from engine.games.frothy_races.book.data import LICENCES, RACES, Rules
from engine.games.frothy_races.state import GameState
from tests.engine.games.frothy_races.playing import cell, standing
from tests.engine.games.frothy_races.races import hold, racing
from tests.engine.games.suite import Suite
from tests.volume import volume


def sound() -> GameState:
    """A race of two."""
    return standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(2, 2), 0, 1)).state


def wrong() -> Iterator[tuple[Held, GameState, str]]:
    """The same with one thing wrong."""
    yield hold, sound().with_vehicle("Red 1", cell=cell(2, 2)), "two vehicles share a hex"
    yield hold, sound().with_vehicle("Red 1", cell=(999, 999)), "off the track"


def played(races: list[Match[GameState]]) -> None:
    """Races of every type."""
    assert {match.state.rules.race for match in races} == set(RACES)


def on_its_page() -> Iterator[str]:
    """Every vehicle with its figures."""
    for name, one in LICENCES.items():
        resilience = "blank" if one.resilience is None else one.resilience
        totals = ", ".join(map(str, one.totals))
        yield f"| {name} | {totals} | {resilience} | {one.damage} |"
        yield from (f"{trait} {n}" for trait, n in one.traits)


PLAYERS = racing(volume(4, 12))

SUITE = Suite(
    players=PLAYERS,
    seeds=(0, 1, 2, 3, 4, 5, 11, 28),
    whims=(8,),
    rare=frozenset({"drew", "jumps", "ruled", "lies", "adapted", "withdrew", "ran"}),
    house=Rules,
    golden_games=20,
    lost=("given_up", "moved"),
    at_tables=frozenset({"ruled", "lies"}),
    of_the_match=frozenset({"action", "position", "sealed", "conceded"}),
    sound=lambda: ((hold, sound()),),
    played=played,
    wrong=wrong,
    words={"True": "on", "False": "off", "": "the first"},
    on_its_page=on_its_page,
    uncited=frozenset({"Summary of Basic Features", "Vehicle Creation Guide"}),
    over_others=frozenset({"Control Loss", "Damage", "Collisions", "Optional Rules", "Alternative Rules"}),
    deeper=True,
)

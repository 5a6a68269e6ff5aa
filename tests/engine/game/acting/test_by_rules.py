"""Options are worked out once for a state and sight, anew for any other; what was sealed has no player."""

from __future__ import annotations

import random

from engine.boards.road import Road
from engine.game.contract import NOTHING_SEEN, Option, Seen
from engine.game.dice import SeededDice
from engine.game.events import Action
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.games.shattered_highways.game import ShatteredHighways
from engine.games.shattered_highways.state.game_state import GameState
from engine.space.geometry import Region
from engine.space.table import TableState


class Counting(ShatteredHighways):
    """Counts how often its options are worked out."""

    def __init__(self) -> None:
        self.count = 0

    def offers(self, state: GameState, seen: Seen) -> tuple[Option, ...]:
        """As the game has them."""
        self.count += 1
        return super().offers(state, seen)


def empty_table() -> TableState:
    return TableState.of(Region.rectangle(0, 0, 48, 24), ())


def test_options_are_worked_out_once_for_a_state_and_a_sight() -> None:
    game = Counting()
    chance, dice = random.Random(1), SeededDice(1)
    match = Match.begin(game, random_setup(game, chance))
    table = empty_table()
    sights = (
        NOTHING_SEEN,
        Seen(table),
        Seen(empty_table()),
        Seen(table, {"1": object()}),  # type: ignore[dict-item]
        Seen(table, {"1": object()}),  # type: ignore[dict-item]
        Seen(table, board=Road(48.0, 24.0)),
    )
    for number, sight in enumerate(sights, start=1):
        game.count = 0
        first = game.options(match.state, sight)
        assert game.options(match.state, sight) is first
        assert game.count == 1, f"sight {number} was taken for the one before"
    game.count, before = 0, match.state
    step(match, chance, dice)
    assert match.state is not before
    fresh = ShatteredHighways().options(match.state, NOTHING_SEEN)
    assert game.options(match.state, NOTHING_SEEN) == fresh
    assert game.count >= 1


def test_what_was_sealed_is_announced_without_a_player() -> None:
    game = ShatteredHighways()
    revealed = Action("order", None, {"choices": {}})
    assert game.announce(revealed)[0] == "the play orders are revealed"
    assert game.announce(Action("first", "Ann", {}))[0] == "Ann: who goes first"

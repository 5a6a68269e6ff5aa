"""A few hundred games by random legal players, all checked; `random_games` beside it plays more."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks import table_games
from engine.games.white_line_fever.state.fold import KINDS
from tests.engine.games.white_line_fever import random_games as games
from tests.engine.games.white_line_fever.playing import begun


def test_random_games_come_to_their_end_with_every_invariant():
    seen: Counter[str] = Counter()
    for number in range(200):
        match = games.play(number)
        games.told_again(match, number)
        seen.update(e.kind for e in match.log)
    assert set(KINDS) <= set(seen)
    assert {"undo", "redo", "overrule"} <= set(seen)
    assert min(seen[kind] for kind in KINDS) > 10


def broken(**changes):
    """A state with one thing wrong."""
    state = begun().state
    if "round" in changes:
        return replace(state, round=replace(state.round, **changes["round"]))
    return state.with_car("Red 1", **changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"marked": 21}, "armour out of bounds"),
        ({"speed": 0}, "Speed 0"),
        ({"speed": 7}, "Speed 7"),
        ({"tokens": -1}, "-1 tokens"),
        ({"spent": ("Mark 9 Javelin",) * 2}, "spent twice"),
        ({"round": {"driver": "Green"}}, "no driver"),
        ({"round": {"car": "Blue 1"}}, "another's car"),
        ({"round": {"hands": "Blue"}}, "another's hands"),
        ({"round": {"manoeuvre": 7}}, "manoeuvre 7"),
    ],
)
def test_the_invariants_see_what_is_wrong(changes, words):
    with pytest.raises(AssertionError, match=words):
        games.hold(broken(**changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"marked": 20}, "no armour but drives"),
        ({"marked": 15, "speed": 5}, "above its maximum"),
        ({"status": "wreck"}, "one player is left"),
        ({"round": {"stage": "done"}}, "goes on"),
    ],
)
def test_the_invariants_between_actions_see_what_is_wrong(changes, words):
    games.hold_settled(begun().state)
    with pytest.raises(AssertionError, match=words):
        games.hold_settled(broken(**changes))


def test_a_random_game_on_a_drawn_table_comes_to_its_end():
    seen = {event.kind for number in (1, 41) for event in table_games.play(number).log}
    assert {"target", "placed", "collision", "left", "triggered", "blast", "ruled"} <= seen

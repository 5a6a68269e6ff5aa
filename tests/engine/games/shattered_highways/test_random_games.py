"""Some games of random fleets, all checked; `random_games` beside it plays more."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.engine.games.shattered_highways import random_games as games
from tests.engine.games.shattered_highways.playing import begun


def test_random_fleets_come_to_their_end_with_every_invariant():
    seen: Counter[str] = Counter()
    for number in range(60):
        seen.update(e.kind for e in games.play(number).log)
    for kind in ("ram", "nudge", "veers", "unmanned", "captured", "shifted", "behind", "wreck", "leap"):
        assert seen[kind], kind


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"hits": 26}, "26 hit points"), ({"hits": 0}, "no hit points"), ({"status": "gone"}, "is on a wreck")],
)
def test_the_invariants_see_what_is_wrong_with_a_vehicle(changes, words):
    state = begun().state
    games.hold(state)
    with pytest.raises(AssertionError, match=words):
        games.hold(state.with_vehicle("Red 1", **changes))


def test_the_invariants_see_two_in_a_seat_and_a_turn_of_nobody():
    state = begun().state
    with pytest.raises(AssertionError, match="two sit in one seat"):
        games.hold(state.with_warriors(["Red's fodder 1"], seat="D"))
    with pytest.raises(AssertionError, match="has nobody on"):
        games.hold(replace(state, turn=replace(state.turn, hands="Blue")))

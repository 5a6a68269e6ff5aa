"""Some games of random cults, all checked; `random_games` beside it plays more."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.engine.games.car_cult import random_games as games
from tests.engine.games.car_cult.playing import begun


def test_random_cults_come_to_their_end_with_every_invariant():
    seen: Counter[str] = Counter()
    for number in range(8):
        seen.update(e.kind for e in games.play(number).log)
    for kind in ("ranged", "hit", "checked", "stopped", "damaged", "order", "over"):
        assert seen[kind], kind


def test_the_invariants_see_what_is_wrong():
    state = begun(tokens={"Red 1": 1}).state
    games.hold(state)
    with pytest.raises(AssertionError, match="Red 1"):
        games.hold(state.with_car("Red 1", status="exploded"))
    engine = state.car("Red 1").engine.name
    with pytest.raises(AssertionError):
        games.hold(state.with_component("Red 1", engine, zones=("Speed",)))

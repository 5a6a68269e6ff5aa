"""Stat cards: what may be set by hand on them."""

from __future__ import annotations

import random

from engine.game.dice import SeededDice
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.game.showing import Counter, Viewer
from tests.engine.games.shattered_highways.playing import GAME


def test_every_number_that_a_card_offers_may_be_set() -> None:
    chance, dice = random.Random(3), SeededDice(3)
    match = Match.begin(GAME, random_setup(GAME, chance))
    lowest: set[int] = set()
    while not match.state.over:
        step(match, chance, dice)
        if len(match.log) % 8:
            continue
        for sheet in GAME.sheets(match.state, Viewer()):
            for one in sheet.widgets:
                if isinstance(one, Counter) and one.path and not sheet.out:
                    lowest.add(one.low)
                    for value in (one.low, one.high):
                        assert match.overruling(one.path, value, "by hand")
    assert 1 in lowest, "vehicles on the road have at least one hit point"

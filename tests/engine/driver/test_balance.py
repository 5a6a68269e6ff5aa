"""What is varied is dealt evenly, and what is planted is found, and nothing else."""

from __future__ import annotations

import random

import pytest

from engine.driver.balance import Ended, counted, deals, settled, what_to_vary
from engine.errors import TableRefError
from engine.game.registry import game_called

PLAYERS = ["Red", "Blue"]
PIECES = [{"name": f"{owner} 1", "owner": owner} for owner in PLAYERS]
GAME = game_called("white_line_fever")


def ended(varied, games, strong=None, seed=0):
    """Games won by toss of a coin; by 6 in 10 by whoever has what is planted where the other has not."""
    chance = random.Random(seed)
    found = []
    for deal in deals(GAME, PLAYERS, PIECES, varied, games):
        holds = [p for p in PLAYERS if any(mine[p] == strong for mine in deal.held.values())]
        odds = 0.5 if len(holds) != 1 else 0.6 if holds == ["Red"] else 0.4
        found.append(Ended(deal, "Red" if chance.random() < odds else "Blue"))
    return found


def test_every_value_is_dealt_as_often_and_from_each_seat():
    varied = what_to_vary(GAME, PLAYERS, PIECES, ["primary", "seat", "tokens=2|3"])
    dealt = deals(GAME, PLAYERS, PIECES, varied, 80)
    weapons = varied[0].values
    red, blue = ([d.held["primary"][p] for d in dealt] for p in PLAYERS)
    assert sorted(red) == sorted(blue)
    often = [(red + blue).count(weapon) for weapon in weapons]
    assert max(often) - min(often) <= 4
    assert {d.setup["tokens"] for d in dealt} == {2, 3}
    assert all(p["primary"] == d.held["primary"][p["owner"]] for d in dealt for p in d.setup["pieces"])
    one = {k: v for k, v in dealt[0].setup.items() if k not in ("pieces", "tokens")}
    assert all({k: v for k, v in d.setup.items() if k not in ("pieces", "tokens")} == one for d in dealt)


def test_a_planted_imbalance_is_found_and_nothing_that_is_none():
    varied = what_to_vary(GAME, PLAYERS, PIECES, ["primary=Autocannon|Shock Gun|Tank Cannon", "seat"])
    rows = counted(varied, ended(varied, 1600, "Shock Gun"), PLAYERS)
    assert [(r.field, r.value) for r in rows if r.verdict == "too strong"] == [
        ("Primary weapon", "Shock Gun")
    ]
    assert rows[0].low < 0.6 < rows[0].high
    assert rows[0].needed < rows[0].games
    false = 0
    for seed in range(20):
        even = counted(varied, ended(varied, 120, seed=seed), PLAYERS)
        false += any(r.verdict != "nothing sure" for r in even)
    assert false <= 3  # of 20 looks one in twenty at the most should be wrong


def test_what_cannot_be_varied_is_said_with_what_can():
    for said, why in (
        ("wings", "expected one of seat, brand"),
        ("primary=Spoon|Autocannon", "expected one of"),
        ("primary=Autocannon", "two values at least"),
        ("tokens", "two values at least"),
        ("tokens=few|many", "is a number"),
    ):
        with pytest.raises(TableRefError, match=why):
            what_to_vary(GAME, PLAYERS, PIECES, [said])


NAMES = ("battlecars", "car_cult", "frothy_races", "shattered_highways", "white_line_fever")


@pytest.mark.parametrize("name", NAMES)
def test_every_game_can_be_set_up_as_usual(name):
    game = game_called(name)
    so_far = {"players": list(PLAYERS), "pieces": [dict(p) for p in PIECES]}
    assert game.begin(settled(game, so_far))

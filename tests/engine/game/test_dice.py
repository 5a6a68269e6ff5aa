from __future__ import annotations

from collections import Counter

import pytest

from engine.errors import TableRefError
from engine.game.dice import NeedDice, SeededDice, TypedDice, Want


def test_a_seed_gives_the_same_dice_for_ever():
    # Kept values: a game that was recorded years ago has to replay.
    assert [SeededDice(7, rolled=n).roll(8, "").value for n in range(8)] == [
        r.value for r in SeededDice(7).together([Want(8, "")] * 8)
    ]
    dice = SeededDice("table")
    assert [dice.roll(6, "hazard").value for _ in range(10)] == [4, 4, 6, 4, 2, 6, 5, 2, 1, 4]
    assert dice.roll(8, "").source == "seed table, roll 11"


@pytest.mark.parametrize("sides", [6, 8])
def test_no_side_is_favoured(sides):
    dice = SeededDice(1)
    n = 24_000
    counts = Counter(dice.roll(sides, "").value for _ in range(n))
    assert set(counts) == set(range(1, sides + 1))
    chi2 = sum((c - n / sides) ** 2 / (n / sides) for c in counts.values())
    assert chi2 < 24.3  # 99.9 % of fair D8 stay below


def test_typed_dice_are_used_in_order_and_say_which_are_missing():
    dice = TypedDice([3, 8])
    assert dice.roll(6, "hazard check").value == 3
    with pytest.raises(NeedDice, match=r"roll a D8 \(Blue 1\), a D8 \(the wall\)") as need:
        TypedDice([3]).together([Want(6, "hazard"), Want(8, "Blue 1"), Want(8, "the wall")])
    assert (need.value.given, [w.why for w in need.value.wanted]) == ((3,), ["Blue 1", "the wall"])


@pytest.mark.parametrize("value", [0, 9, True, 2.0, "3"])
def test_a_die_shows_one_of_its_sides(value):
    with pytest.raises(TableRefError, match=r"D8 .* shows 1 to 8"):
        TypedDice([value]).roll(8, "to hit")

from __future__ import annotations

from collections import Counter

import pytest

from engine.errors import TableRefError
from engine.game.dice import (
    FallenDice,
    LoggedDice,
    NeedDice,
    Roll,
    SeededDice,
    TypedDice,
    Want,
    icons,
    roll_event,
    rolls_of,
)


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


RAM = icons(("miss", "miss", "hit"), "ram", by="Ann")


def test_dice_show_icons_rolled_or_typed_by_their_faces():
    faces = Counter(SeededDice(1, n).together([RAM])[0].face for n in range(3000))
    assert faces["hit"] / 3000 == pytest.approx(1 / 3, abs=0.03)
    assert TypedDice(["HIT"]).together([RAM])[0] == Roll(3, 3, "ram", "typed", "hit", "Ann")
    assert TypedDice([1]).together([RAM])[0].face == "miss"
    for wrong in ("crash", 4):
        with pytest.raises(TableRefError, match=r"one of miss, hit .ram. shows miss, miss, hit"):
            TypedDice([wrong]).together([RAM])


def test_contested_dice_are_one_event_side_by_side_and_come_back_from_the_log():
    wants = [Want(6, "struggle", by="Ann"), Want(6, "struggle", by="Bob")]
    rolls = TypedDice([2, 5]).together(wants)
    event = roll_event(rolls, "Book", contest=True)
    assert event.words == "struggle: Ann 2, Bob 5"
    assert rolls_of([event]) == rolls
    assert not event.barrier
    here = SeededDice(1).together(wants)
    assert roll_event(here, "Book").barrier
    assert LoggedDice(rolls_of([roll_event(here, "Book")])).together(wants) == here


def test_fallen_dice_lie_as_they_fell_and_only_the_others_are_rolled():
    fell = SeededDice(9).together([Want(6, "a"), Want(8, "b")])
    dice = FallenDice(fell, TypedDice([4]))
    assert dice.together([Want(8, "b"), Want(6, "c"), Want(6, "a")]) == (
        fell[1], Roll(6, 4, "c", "typed"), fell[0],
    )  # fmt: skip
    with pytest.raises(NeedDice, match=r"a D6 .a."):
        dice.roll(6, "a")

"""The Vehicle Creation Guide refuses in words what it does not know, and the set-up tells it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import TableRefError
from engine.games.frothy_races.book.building import OWN, build
from engine.games.frothy_races.contract.set_up import set_up

UNKNOWN: tuple[tuple[dict[str, Any], str], ...] = (
    ({"base": "Tricycle"}, "base: expected one of Chariot, .* but got 'Tricycle'; choose one"),
    ({"effects": ["Hiccups"]}, r"effects: expected one of \+1 Control .* but got 'Hiccups'; choose one"),
    ({"effects": "Haste"}, "effects: expected a list of names but got 'Haste'"),
    ({"traits": ["Blades", "Wings"]}, "traits: expected one of Stamina, .* but got 'Wings'; choose one"),
    ({"traits": [["Blades"]]}, "traits: expected one of"),
    ({"specials": ["Ace"]}, "specials: expected one of Berserker, .* but got 'Ace'; choose one"),
    ({"resilience": "high"}, "resilience: expected one of as the base, blank, 0, 1, 2 but got 'high'"),
    ({"effects": ["Haste", "Slow"], "levels": [1]}, "levels: expected one for each of 2 .* but got 1; give"),
    ({"effects": ["Haste"], "levels": [1, 2]}, "levels: expected one for each of 1 .* but got 2"),
    ({"damage": "lots"}, "damage: expected a whole number but got 'lots'; give"),
    ({"whip": True}, "whip: expected a whole number but got True"),
    ({"move_1": [0, 1, "two", 0, 0, 0, 0]}, "move_1: expected a whole number but got 'two'"),
    ({"move_1": 7}, "move_1: expected a row of whole numbers but got 7"),
    ({"stamina": "3210"}, "stamina: expected a row of whole numbers but got '3210'"),
)  # fmt: skip


@pytest.mark.parametrize(("said", "words"), UNKNOWN)
def test_what_the_guide_does_not_know_is_refused_in_words(said: dict[str, Any], words: str) -> None:
    with pytest.raises(TableRefError, match=words):
        build(said)


@pytest.mark.parametrize(("said", "words"), UNKNOWN)
def test_the_set_up_tells_it_of_the_vehicle_and_goes_on_asking(said: dict[str, Any], words: str) -> None:
    pieces = [
        {"name": "Red 1", "owner": "Red", "type": OWN, **said},
        {"name": "Black 1", "owner": "Black", "type": OWN, "whip": 0, "reins": 1},
    ]
    form = set_up({"players": ["Red", "Black"], "pieces": pieces})
    assert {"base", "levels", "traits"} <= set(form.pieces["Red 1"].fields)
    first, second = (reason.words for reason in form.not_yet)
    assert first.startswith(f"Red 1: {next(iter(set(said) & {'levels'}), next(iter(said)))}: expected")
    assert second == "Black 1: 1 card: expected 4 to 12"


def test_levels_go_with_their_effects() -> None:
    one = build({"effects": ["Haste", "Slow"], "levels": [2, 4]})[0]
    assert [(level, effect.words) for level, effect in one.effects] == [(2, "Haste"), (4, "Slow")]
    assert [level for level, _ in build({"effects": ["Haste", "Slow"]})[0].effects] == [2, 4]


def test_a_row_of_another_length_is_refused() -> None:
    assert build({"stamina": [1, 2]})[1] == ("stamina: expected 7 figures",)


@pytest.mark.parametrize(("slower", "words"), [("slow", "expected a whole number"), (9, "Speed of 0 to 6")])
def test_a_start_at_no_speed_is_refused(slower: object, words: str) -> None:
    pieces = [
        {"name": "Red 1", "owner": "Red", "slower": slower},
        {"name": "Black 1", "owner": "Black"},
    ]
    form = set_up({"players": ["Red", "Black"], "pieces": pieces})
    assert [words in reason.words for reason in form.not_yet] == [True]

from __future__ import annotations

import pytest

from engine.game.registry import cutouts_of
from engine.games.car_cult.book.data import CARDS
from engine.games.car_cult.maps import TOKEN, cutouts

CARDS_TO_CUT = {one.lines[0]: one for one in cutouts() if one.boxes}


def test_the_game_brings_its_cards():
    assert cutouts_of("car cult") is cutouts


@pytest.mark.parametrize("card", CARDS.values(), ids=lambda card: card.name)
def test_every_component_has_a_card_with_its_zones(card):
    made = CARDS_TO_CUT[card.name]
    size = (70, 120) if card.sort == "engine" else (41, 63)
    assert (made.across * 25.4, made.deep * 25.4) == pytest.approx(size)
    assert len(made.boxes) == card.zones
    assert [place for place, (_, inside) in enumerate(made.boxes, start=1) if inside] == list(card.symbols)
    assert [above for above, _ in made.boxes if above] == [f"{inches} in" for inches in card.speeds]
    assert ("from the comments" in made.lines) is card.wish
    if card.reach:
        assert f"Range {card.reach:g} in · Blast {card.blast}" in made.lines


def test_a_token_fits_in_a_zone():
    longest = max(CARDS_TO_CUT.values(), key=lambda one: len(one.boxes))
    assert 0.9 * longest.across / len(longest.boxes) > TOKEN


def test_every_letter_can_be_printed():
    for one in cutouts():
        for words in (*one.lines, *(word for box in one.boxes for word in box)):
            words.encode("cp1252")

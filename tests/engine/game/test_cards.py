from __future__ import annotations

from collections import Counter

import pytest

from engine.errors import TableRefError
from engine.game.cards import Deck, drawn_event
from engine.game.dice import NeedDice, SeededDice, TypedDice
from engine.game.records import from_json, to_json
from engine.game.showing import Viewer
from engine.game.viewing import told_to

DECK = Deck(("bolt", "bolt", "nut", "oil"))


def test_no_card_is_lost_or_doubled_however_long_it_is_played():
    deck, dice = DECK, SeededDice("cards")
    for _ in range(40):
        deck, drawn = deck.draw("Ann", dice, 2)
        for card in drawn:
            deck = deck.discard("Ann", card)
        assert Counter(deck.pile + deck.discarded + deck.hand("Ann")) == Counter(DECK.pile)
    assert from_json(Deck, to_json(deck)) == deck


def test_every_card_is_drawn_as_often_as_it_is_there():
    dice = SeededDice(3)
    counts = Counter(DECK.draw("Ann", dice)[1][0] for _ in range(4000))
    assert counts["bolt"] / 4000 == pytest.approx(0.5, abs=0.03)
    assert counts["oil"] / 4000 == pytest.approx(0.25, abs=0.03)


def test_a_real_deck_is_typed_by_the_names_of_its_cards():
    with pytest.raises(NeedDice, match="one of bolt, nut, oil"):
        DECK.draw("Ann", TypedDice())
    deck, drawn = DECK.draw("Ann", TypedDice(["Oil", "bolt"]), 2)
    assert (drawn, deck.pile) == (("oil", "bolt"), ("bolt", "nut"))


def test_what_cannot_be_drawn_or_discarded_is_said():
    deck, _ = DECK.draw("Ann", SeededDice(1), 4)
    with pytest.raises(TableRefError, match="Bob cannot draw"):
        deck.draw("Bob", SeededDice(1))
    with pytest.raises(TableRefError, match="Bob does not hold 'oil'; expected one of nothing"):
        deck.discard("Bob", "oil")


def test_a_hand_is_shown_to_its_player_alone():
    deck, drawn = DECK.draw("Ann", SeededDice(1), 2)
    assert deck.shown("Ann", Viewer("Ann")).cards == drawn
    for viewer in (Viewer(), Viewer("Bob")):
        assert (deck.shown("Ann", viewer).cards, deck.shown("Ann", viewer).hidden) == ((), 2)
    event = drawn_event("Ann", drawn, "Book")
    told = told_to(event, Viewer("Bob"))
    assert told is not None
    assert told.words == "Ann draws 2 cards"
    assert told.data == {}
    assert event.barrier

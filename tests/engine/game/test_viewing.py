from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.contract import About, Question, RuleBook
from engine.game.events import Event
from engine.game.showing import Status, Viewer
from engine.game.viewing import distances_in, log_for, permitted, told_to, without_distances

SECRET = Event(
    "drawn",
    {"card": "Ace"},
    "Ann draws the Ace",
    "Book",
    ("Ann 1",),
    audience=("Ann",),
    public="Ann draws a card",
)


def test_an_event_for_one_player_is_told_to_others_in_its_public_words_alone():
    assert told_to(SECRET, Viewer("Ann")) is SECRET
    for viewer in (Viewer(), Viewer("Bob")):
        told = told_to(SECRET, viewer)
        assert told is not None
        assert "Ace" not in str(told)
        assert (told.words, told.data, told.pieces) == ("Ann draws a card", {}, ())
    quiet = replace(SECRET, public="")
    assert log_for([quiet, SECRET], Viewer("Bob")) == (told_to(SECRET, Viewer("Bob")),)


class Hiding(RuleBook[dict]):
    about = About("hiding", "Hiding", "Hiding 1", "1", measuring="after declaring")

    def status(self, state, viewer):
        return Status("Round 1", "Somebody drives", over=state.get("over", False))


class Open(RuleBook[dict]):
    about = About("open", "Open", "Open 1", "1")


@pytest.mark.parametrize("question", [None, Question("shot", "Can it hit?", ("A", "B"))])
def test_where_distances_are_hidden_nothing_is_measured_while_a_match_is_on(question):
    assert "before a target is declared" in permitted(Hiding(), {}, question).words
    assert permitted(Hiding(), None, question) is None
    if question is None:
        assert permitted(Hiding(), {"over": True}, None) is None
    assert permitted(Open(), {}, question) is None


def test_measured_distances_are_found_and_taken_out_of_sentences():
    words = 'out of reach: 8.42 in of 10 in, 20.1 cm, 3,5 mm, 1.0" and 45.0°'
    assert distances_in({"a": [words]}) == ["8.42 in", "20.1 cm", "3,5 mm", '1.0"']
    assert without_distances(words) == "out of reach: … of 10 in, …, …, … and 45.0°"

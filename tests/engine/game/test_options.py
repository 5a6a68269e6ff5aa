"""Which of several options of a kind an action means."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game.contract import Option, reasons_against
from engine.game.events import Action
from engine.game.forms import Form, Number

FAR = Number(words="Inches", low=0, high=9, optional=True)
GO = Option("go", None, "Go", data={"car": "A"}, form=Form({"far": FAR, "left": FAR}))
STAYS = Option("go", None, "Stay", data={"car": "A", "stays": True})
AT_ONCE = Option("go", None, "Go 3", data={"car": "A", "far": 3})


@pytest.mark.parametrize(
    ("said", "lawful"),
    [
        ({"car": "A", "far": 2}, True),
        ({"car": "A", "stays": True}, True),
        ({"car": "A", "stays": True, "far": 2}, False),
        ({"car": "A", "far": 3}, True),
        ({"car": "A", "far": 3, "left": 1}, True),
        ({"car": "B"}, False),
    ],
)
def test_an_action_means_the_option_that_says_most_of_those_that_ask_for_all_of_it(
    said: dict[str, Any], lawful: bool
) -> None:
    against = reasons_against((GO, STAYS, AT_ONCE), Action("go", None, said), "the book")
    assert (not against) is lawful

"""The page about Frothy Races names every vehicle, rule, action and event, and its example runs."""

from __future__ import annotations

import doctest
from dataclasses import fields

from engine.games.frothy_races.book.data import Rules
from engine.games.frothy_races.book.licences import LICENCES
from engine.games.frothy_races.game import RULES
from engine.games.frothy_races.state.fold import KINDS
from tests.engine.games.checks import Page

PAGE = Page("frothy-races.md")


def test_the_example_runs():
    result = doctest.testfile(str(PAGE.path), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


def test_every_rule_stands_there_with_its_default():
    listed = PAGE.rows("House defaults")
    assert list(listed) == [f.name for f in fields(Rules)]
    for name, rest in listed.items():
        value = getattr(Rules(), name)
        told = (
            {True: "on", False: "off", "": "the first"}.get(value, value)
            if value in (True, False, "")
            else value
        )
        told = value if isinstance(value, int) and not isinstance(value, bool) else told
        assert rest.startswith(f"{told} | "), name


def test_every_vehicle_stands_there_with_its_figures():
    for name, one in LICENCES.items():
        resilience = "blank" if one.resilience is None else one.resilience
        totals = ", ".join(map(str, one.totals))
        assert f"| {name} | {totals} | {resilience} | {one.damage} |" in PAGE.text
        assert all(f"{trait} {n}" in PAGE.text for trait, n in one.traits)


def test_every_action_and_every_event_stands_there():
    assert set(PAGE.rows("Actions")) == set(RULES)
    assert set(PAGE.rows("Events")) == set(KINDS)

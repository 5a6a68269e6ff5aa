"""The page about Shattered Highways names every house rule, action and event, and its example runs."""

from __future__ import annotations

import doctest
import re
from dataclasses import fields

from engine.games.shattered_highways.book.data import DEPLOYMENTS, WEAPONS, HouseRules
from engine.games.shattered_highways.game import RULES
from engine.games.shattered_highways.state.fold import KINDS
from tests.engine.games.checks import Page
from tests.engine.games.shattered_highways.test_golden import EVENTS

PAGE = Page("shattered-highways.md")


def test_the_example_runs():
    result = doctest.testfile(str(PAGE.path), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


def test_every_house_rule_stands_there_with_its_default():
    listed = PAGE.rows("House defaults")
    usual = HouseRules()
    assert list(listed) == [f.name for f in fields(HouseRules)]
    for name, rest in listed.items():
        numbers = re.findall(r"\d+(?:\.\d+)?", rest.split(" | ")[0])
        assert abs(float(numbers[-1]) - getattr(usual, name)) < 0.0005, name
    for name in (*DEPLOYMENTS, *WEAPONS):
        assert name in PAGE.text


def test_every_action_stands_there_with_all_that_it_says():
    listed = PAGE.rows("Actions")
    assert set(listed) == set(RULES)
    for event in EVENTS:
        if event.kind == "action" and event.data["kind"] != "order":
            said = event.data["data"]
            missing = {name for name in said if f"`{name}`" not in PAGE.text}
            assert not missing, f"{event.data['kind']}: {missing}"


def test_every_event_stands_there_with_its_data():
    listed = PAGE.rows("Events")
    assert set(listed) == set(KINDS)
    for event in EVENTS:
        if event.kind in KINDS and event.kind not in ("roll", "rolls"):
            missing = {name for name in event.data if f"`{name}`" not in listed[event.kind]}
            assert not missing, f"{event.kind}: {missing}"

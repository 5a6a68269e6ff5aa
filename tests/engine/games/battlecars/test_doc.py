"""The page about Battlecars names every vehicle, house rule, action and event, and its example runs."""

from __future__ import annotations

import doctest
import re
from dataclasses import fields

from engine.games.battlecars.book.data import HouseRules
from engine.games.battlecars.book.vehicles import layouts
from engine.games.battlecars.game import RULES
from engine.games.battlecars.state.fold import KINDS
from tests.engine.games.battlecars.test_golden import GOLDEN
from tests.engine.games.checks import Page

PAGE = Page("battlecars.md")


def test_the_example_runs():
    result = doctest.testfile(str(PAGE.path), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


def test_every_house_rule_stands_there_with_its_default():
    listed = PAGE.rows("House defaults")
    assert list(listed) == [f.name for f in fields(HouseRules)]
    for name, rest in listed.items():
        assert int(re.findall(r"\d+", rest)[0]) == getattr(HouseRules(), name)


def test_every_vehicle_stands_there_with_its_figures():
    for name, layout in layouts().items():
        corners, armour = ", ".join(map(str, layout.safe)), sum(layout.blocks.values())
        figures = f"{layout.acceleration} / {layout.braking} | {layout.top} / {layout.reverse}"
        assert f"| {name} | {figures} | {corners} | {armour} |" in PAGE.text


def test_every_action_stands_there_with_all_that_it_says():
    assert set(PAGE.rows("Actions")) == set(RULES)
    for event in GOLDEN.events:
        if event.kind == "action" and event.data["kind"] != "speed":
            missing = {name for name in event.data["data"] if f"`{name}`" not in PAGE.text}
            assert not missing, f"{event.data['kind']}: {missing}"


def test_every_event_stands_there_with_its_data():
    listed = PAGE.rows("Events")
    assert set(listed) == set(KINDS)
    for event in GOLDEN.events:
        if event.kind in KINDS and event.kind not in ("roll", "rolls"):
            missing = {name for name in event.data if f"`{name}`" not in listed[event.kind]}
            assert not missing, f"{event.kind}: {missing}"

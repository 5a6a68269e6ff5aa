"""The page about Car Cult names every house rule, engine, action and event, and its example runs."""

from __future__ import annotations

import doctest
import re
from dataclasses import fields
from pathlib import Path

from engine.games.car_cult.book.data import CARDS, HouseRules
from engine.games.car_cult.game import RULES
from engine.games.car_cult.state.fold import KINDS
from tests.engine.games.car_cult.test_golden import EVENTS

PAGE = Path(__file__).resolve().parents[4] / "docs" / "car-cult.md"
TEXT = PAGE.read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """The rows of a table under a heading, by the words in the first column's code marks."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = {}
    for line in (line for line in section.splitlines() if line.startswith("| `")):
        names, _, rest = line.removeprefix("| ").partition(" | ")
        for name in re.findall(r"`([^`]+)`", names):
            found[name] = rest
    return found


def test_the_example_runs():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


def test_every_house_rule_stands_there_with_its_default():
    listed = rows("House defaults")
    usual = HouseRules()
    assert list(listed) == [f.name for f in fields(HouseRules)]
    for name, rest in listed.items():
        told = rest.split(" | ")[0]
        value = getattr(usual, name)
        if isinstance(value, bool):
            assert told == str(value).lower()
        else:
            assert abs(float(re.findall(r"\d+(?:\.\d+)?", told)[-1]) - value) < 0.0005, name


def test_every_engine_stands_there_with_its_numbers():
    for card in (c for c in CARDS.values() if c.sort == "engine"):
        speeds, symbols = (", ".join(map(str, numbers)) for numbers in (card.speeds, card.symbols))
        assert f"| {card.name} | {card.zones} | {card.acceleration} | {speeds} | {symbols} |" in TEXT
    for card in (c for c in CARDS.values() if c.wish):
        assert f"*{card.name}*" in TEXT


def test_every_action_and_event_stands_there_with_its_data():
    assert set(rows("Actions")) == set(RULES)
    listed = rows("Events")
    assert set(listed) == set(KINDS)
    for event in EVENTS:
        if event.kind in KINDS and event.kind not in ("roll", "rolls"):
            missing = {name for name in event.data if f"`{name}`" not in listed[event.kind]}
            assert not missing - {"target"}, f"{event.kind}: {missing}"
        if event.kind == "action":
            said = {
                name for name in event.data["data"] if f"`{name}`" not in rows("Actions")[event.data["kind"]]
            }
            assert not said, f"{event.data['kind']}: {said}"

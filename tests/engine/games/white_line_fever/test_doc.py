"""The page about White Line Fever names every house rule, action and event, and its example runs."""

from __future__ import annotations

import doctest
import inspect
import re
from dataclasses import fields

from engine.games.white_line_fever.acts import (
    deploying,
    dropping,
    exploding,
    manoeuvring,
    placing,
    rounds,
    shooting,
)
from engine.games.white_line_fever.book.data import HouseRules
from engine.games.white_line_fever.game import RULES
from engine.games.white_line_fever.rules import shot_facts
from engine.games.white_line_fever.state.fold import KINDS
from tests.engine.games.checks import Page
from tests.engine.games.white_line_fever.test_golden import EVENTS

PAGE = Page("white-line-fever.md")


def test_the_example_runs():
    result = doctest.testfile(str(PAGE.path), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


def test_every_house_rule_stands_there_with_its_default():
    listed = PAGE.rows("House defaults")
    usual = HouseRules()
    assert list(listed) == [f.name for f in fields(HouseRules)]
    for name, rest in listed.items():
        value = getattr(usual, name)
        said = rest.split(" | ")[0]
        numbers = re.findall(r"\d+(?:\.\d+)?", said)
        if isinstance(value, str):
            assert said == value
        elif isinstance(value, tuple):
            assert tuple(map(int, numbers)) == value
        else:
            assert abs(float(numbers[-1]) - value) < 0.0005, name


def test_every_action_stands_there_with_all_that_it_may_say():
    listed = PAGE.rows("Actions")
    assert list(listed) == list(RULES)
    # Fields that the rules read, by the action's name in the code.
    source = {
        "shoot": inspect.getsource(shot_facts) + inspect.getsource(shooting),
        "move": inspect.getsource(manoeuvring),
        "drop": inspect.getsource(dropping),
        "placed": inspect.getsource(placing),
        "deploy": inspect.getsource(deploying.check_deploy) + inspect.getsource(deploying.do_deploy),
        "blast": inspect.getsource(exploding.check_blast),
        "speed": inspect.getsource(rounds.check_speed),
        "reverse": inspect.getsource(rounds.check_reverse),
    }
    for kind, code in source.items():
        read = set(re.findall(r'(?:action\.data|[^.]data|said), "(\w+)"', code))
        assert read, kind
        assert {name for name in read if f"`{name}`" not in PAGE.text} == set(), kind


def test_every_event_stands_there_with_its_data():
    listed = PAGE.rows("Events")
    assert set(listed) == set(KINDS)
    for event in EVENTS:
        if event.kind in KINDS:
            missing = {name for name in event.data if f"`{name}`" not in listed[event.kind]}
            assert not missing, f"{event.kind}: {missing}"

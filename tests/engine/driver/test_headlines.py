"""What a machine wants to do, in words: whatever it chose is in them, and nothing that is secret."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.drivers import begun
from engine.driver.deciding import Driver, Position, at_random
from engine.driver.headlines import headline
from engine.driver.pushing import drawn, legs, through
from engine.game.contract import Option, Proposal
from engine.game.dice import SeededDice
from engine.game.events import Action
from engine.game.filling import Stuck, complete
from engine.game.forms import Candidate, Flag, Form, Number, Pick, PickPieces, picked
from engine.game.kit.table import standing_of
from engine.game.match import Match
from engine.game.pushing import along, pushed
from engine.game.registry import game_called
from engine.measure.sweep import Straight, Turn
from engine.space.geometry import Footprint, Pose, wrap_angle

SAYS = {
    "battlecars": {"build", "drop", "pivot"},
    "car_cult": {"allocate", "declare"},
    "frothy_races": {"check", "keep", "steer", "pace"},
    "shattered_highways": {"attack", "change"},
    "white_line_fever": {"choose", "shoot", "speed"},
}
"""Of each game kinds of deeds that are met within a few turns."""


def played(name: str, turns: int) -> Iterator[tuple[Match[Any], Position[Any]]]:
    """Every position of a game that is played at random."""
    match, table, _ = begun(game_called(name), 1, 1)
    chance, dice = Random(3), SeededDice("1")
    for turn in range(turns):
        if (group := match.revealing(table.seen)) is not None and not match.options(table.seen):
            match.reveal(group, table.seen, dice)
            continue
        player = next((o.player for o in match.options(table.seen) if o.player), "Red")
        position = Position.of(match, table.seen, player)
        yield match, position
        one = at_random(position, chance)
        assert one is not None
        seen = table.seen if one.goal is None else pushed(table.seen, str(one.piece), one.way)
        if one.goal is not None:
            table.put(str(one.piece), one.goal)
        if one.action.kind in match.game.about.sealed:
            match.seal(one.action, f"a salt {turn}", seen, dice)
        else:
            match.do(one.action, seen, dice)
        table.after(match)


@pytest.mark.parametrize("name", SAYS)
def test_whatever_is_picked_is_said(name: str) -> None:
    """A headline was the button's words alone: which weapon, and not at whom."""
    met, chance = set(), Random(1)
    for match, position in played(name, 60):
        if SAYS[name] <= met:
            break
        measured = {(kind, fact.field) for kind, facts in match.game.facts.items() for fact in facts}
        driver = Driver(position)
        for option in position.options:
            try:
                data = {**option.data, **complete(option.form, chance)}
            except Stuck:
                continue
            action = Action(option.kind, option.player, data)
            said = driver._words(Proposal(option.kind, option.piece), option, action)
            if option.kind in match.game.about.sealed:
                assert said == f"{position.player} chooses in secret"
                continue
            met.add(option.kind)
            assert said == said.strip()
            assert not any(wrong in said for wrong in ("None", "[", "{", "?:", "::"))
            for field, one in option.form.fields.items():
                chosen = data.get(field)
                if not isinstance(one, Pick | PickPieces) or chosen is None:
                    continue
                if one.folded or (option.kind, field) in measured:
                    continue
                for candidate in one.candidates:
                    if candidate.value in picked(one, chosen):
                        assert candidate.words.casefold() in said.casefold()
    assert SAYS[name] <= met


@pytest.mark.parametrize("name", SAYS)
def test_what_is_told_to_be_turned_is_not_driven_meanwhile(name: str) -> None:
    """A part of a way is a run or a turn: inches that lay in a turn would be told to nobody."""
    turned = 0
    for _, position in played(name, 40):
        table = position.seen.table
        carried = {a.piece for a in position.game.awaits(position.state) if a.anywhere}
        for one in islice(Driver(position).proposals(), 40):
            here = standing_of(table, str(one.piece))
            if not one.way or here is None or one.piece in carried:
                continue
            at, reach = here.pose, float(np.hypot(*here.piece.body.footprint.outline.T).max())
            for leg in legs(here.pose, one.way):
                end = Pose(*leg.pose)
                if leg.words.startswith("turn"):
                    turned += 1
                    by = abs(wrap_angle(end.heading - at.heading))
                    assert math.dist(at.xy, end.xy) <= 2 * reach * math.sin(by / 2) + 0.01, one.words
                at = end
        if turned > 20:
            break
    assert turned > 20 or name == "shattered_highways"  # where nobody turns


def option(heading: str, words: str, **fields: Any) -> Option:
    return Option("deed", "Red", words, heading=heading, form=Form(fields))


def of(words: str, *values: str, kind: type[Any] = Pick, **more: Any) -> Any:
    return kind(words=words, candidates=tuple(Candidate(v, v.replace(" ·", "")) for v in values), **more)


TARGET = of("Target", "Blue 1", "Blue 2")
ZONES = of("Zones", "Cannon · 1", "Rifle · 1", "Engine · 2", most=3)
CASES = [
    ("attack {target} with the {weapon}", option("Red 1 attacks", "Rifle (1 left)", target=TARGET),
     {"target": "Blue 2", "weapon": "Rifle"}, "Red 1 attacks Blue 2 with the Rifle"),
    ("fire a {weapon} at {target}", option("Red 1 fires", "Flame", target=TARGET, aim=of("Aim at", "rear")),
     {"target": "Blue 1", "weapon": "Flame", "aim": "rear"},
     "Red 1 fires a Flame at Blue 1, aim at rear"),
    ("tokens are allocated", option("Allocate 2 Speed tokens", "The tokens are allocated", zones=ZONES),
     {"zones": ["Cannon · 1", "Rifle · 1"]}, "Allocate 2 Speed tokens: zones Cannon 1 and Rifle 1"),
    ("{warrior} changes seats", option("Ann", "Change seat", seat=of("To the seat of", "driver")),
     {"warrior": "Ann", "seat": "driver"}, "Ann: Change seat to the seat of driver"),
    ("Nudge[ {targets}] with {vehicle}",
     option("In the way", "Nudge", targets=of("Whom", "Blue 1", "Blue 2", kind=PickPieces)),
     {"vehicle": "Red 1", "targets": ["Blue 1", "Blue 2"]}, "In the way: Nudge Blue 1 and Blue 2 with Red 1"),
    ("shoot", option("Ann", "Shoot at a warrior", at=of("Which one", "Bob"), both=Flag(words="Twice")),
     {"at": "Bob", "both": True}, "Ann: Shoot at a warrior, Bob, Twice"),
    ("{warrior} attacks {at}", option("Ann · gunner", "Attack", at=of("Whom", "Bob")),
     {"warrior": "Ann", "at": "Bob"}, "Ann attacks Bob"),
    ("do not return fire", option("Red 2 returns fire", "Do not return fire"), {}, "Red: Do not return fire"),
    ("drive {car}", option("Which car?", "Red 1"), {"car": "Red 1"}, "Which car? Red 1"),
    ("put down", option("Put it down", "Red 1", tokens=Number(words="Tokens", low=0, high=9)),
     {"tokens": 4}, "Put it down: Red 1, Tokens: 4"),
    ("move", option("", "Move", far=Number(words="Inches", low=0, high=9, unit="in"), fact=of("Range", "6")),
     {"far": 4, "fact": "6"}, "Move"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "option", "data", "said"), CASES)
def test_a_headline_says_the_choice(rule: str, option: Option, data: dict[str, Any], said: str) -> None:
    """In the words of the log where they go on from the heading; nothing measured, and no inches."""
    deed = rule.replace("[", "").replace("]", "")
    told = {k: " and ".join(v) if isinstance(v, list) else v for k, v in data.items()}
    game: Any = SimpleNamespace(
        announce=lambda action: (f"Red: {deed.format_map(told)}", ""),
        facts={"deed": (SimpleNamespace(field="fact"),)},
    )
    assert headline(game, option, Action("deed", "Red", data)) == said


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (
            (Straight(3.0), Turn(-0.8, (-1.0, 0.0)), Straight(2.5)),
            ["drive 3 in", "turn right by 46°", "drive 2.5 in"],
        ),
        ((Straight(-2.0),), ["drive 2 in back"]),
        ((Straight(0.0, 1.5), Straight(2.0)), ["slide 1.5 in to its left", "drive 2 in"]),
        ((Straight(3.0, -1.0),), ["slide 3 in ahead and 1 in to its right"]),
        ((Turn(0.5, (0.0, 0.0)), Turn(-0.5, (0.0, 0.0))), ["turn left by 29°", "turn right by 29°"]),
    ],
)  # fmt: skip
def test_a_way_is_told_in_its_runs_and_turns(steps: tuple[Any, ...], told: list[str]) -> None:
    """From wherever it begins; each part ends where the next one begins, the last one at the goal."""
    for start in (Pose(0.0, 0.0, 0.0), Pose(5.0, -2.0, 2.5)):
        way = along(start, steps)
        found = legs(start, way)
        assert [leg.words for leg in found] == told
        at = start
        for step, leg in zip(steps, found, strict=True):
            at = along(at, (step,))[-1]
            assert leg.pose == pytest.approx((at.x, at.y, at.heading))
        (line, *corners) = drawn(start, way, found, Footprint.box(3.0, 1.2), "Red 1")
        assert line.points[-1] == pytest.approx(tuple(way[-1].to_table((1.5, 0.0))), abs=0.01)
        assert len(corners) == len(told) - 1


@pytest.mark.parametrize("askew", [0.0, 2.0, -5.0, 10.0])
def test_a_car_that_stands_askew_in_its_cell_is_told_to_go_and_not_to_turn(askew: float) -> None:
    """No hand puts a car down to a degree: it comes right on its way, and the way is what is told."""
    start, turned = Pose(0.05, -0.05, math.radians(askew)), Pose(4.2, 1.1, math.radians(30.0))
    way = through(start, [Pose(2.25, 0.0), Pose(4.2, 1.1), turned])
    assert [leg.words for leg in legs(start, way)] == [
        "drive 2.2 in",
        "slide 1.95 in ahead and 1.1 in to its left",
        "turn left by 30°",
    ]


@pytest.mark.parametrize(("askew", "first"), [(20.0, "turn right by 20°"), (-35.0, "turn left by 35°")])
def test_a_car_that_stands_far_askew_is_told_to_turn_and_then_to_go(askew: float, first: str) -> None:
    start = Pose(0.05, -0.05, math.radians(askew))
    way = through(start, [Pose(2.25, 0.0), Pose(2.25, 0.0, math.radians(30.0))])
    assert [leg.words for leg in legs(start, way)] == [first, "drive 2.2 in", "turn left by 30°"]

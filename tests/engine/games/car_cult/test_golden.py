"""Whole games, kept as logs: they replay to the same end, and together they cover the notes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.game.events import Event, event_from_json
from engine.game.match import Match
from engine.games.car_cult.book.data import CARDS
from engine.games.car_cult.game import RULES
from engine.games.car_cult.state.fold import KINDS
from tests.engine.games.car_cult.playing import GAME

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "car_cult"
LOGS = sorted(GOLDEN.glob("*.jsonl"))


def events_of(path: Path) -> list[Event]:
    return [event_from_json(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


ALL = {path.stem: events_of(path) for path in LOGS}
EVENTS = [event for log in ALL.values() for event in log]


def of(kind: str) -> list[Event]:
    return [e for e in EVENTS if e.kind == kind]


def test_there_are_four_games_played_to_their_end():
    assert len(LOGS) >= 4
    assert all(any(e.kind == "over" for e in log) for log in ALL.values())


@pytest.mark.parametrize("path", LOGS, ids=lambda p: p.stem)
def test_a_log_replays_to_the_end_that_was_kept(path):
    match = Match.replay(GAME, ALL[path.stem])
    end = json.loads(path.with_suffix(".end.json").read_text(encoding="utf-8"))
    assert GAME.as_json(match.state) == end
    assert GAME.from_json(end) == match.state


@pytest.mark.parametrize("name", ALL)
def test_the_same_actions_with_the_same_dice_are_the_same_events(name):
    again = Match.again(GAME, ALL[name])
    for was, now in zip(ALL[name], again.log, strict=True):
        assert was == now


def test_every_kind_of_event_and_action():
    seen = {"ruled", "roll"}  # rulings are told where a camera looks; single dice as `rolls` of one
    assert {e.kind for e in EVENTS} | seen >= set(KINDS)
    done = {e.data["kind"] for e in of("action")}
    assert done == set(RULES) - {"go on"}, "go on is for overrulings that leave something to roll"


def test_every_component_is_built_and_makes_a_difference():
    states = [log[0].data["state"]["cars"].values() for log in ALL.values()]
    built = {c["card"] for cars in states for car in cars for c in car["components"]}
    assert built == set(CARDS)
    attacked = {e.data["weapon"] for e in (*of("hit"), *of("missed"))}
    assert attacked >= {c.name for c in CARDS.values() if c.sort == "weapon" and not c.wish}
    assert attacked >= {"Mines", "Reinforced Ram", "Harpoon", "Missile Launcher", "Hand Grenade"}
    assert {e.data["card"] for e in of("laid")} == {"Mines", "Oil Slick", "Caltrops"}


def test_every_stage_of_an_attack_and_both_special_rolls():
    for kind in ("declared", "applied", "ranged", "attacked", "rerolled", "modified", "hit", "missed"):
        assert of(kind), kind
    assert {e.data["reached"] for e in of("ranged")} == {True, False}
    assert {e.data["value"] for e in (*of("hit"), *of("missed"))} >= {1, 20}


def test_every_terrain_and_braking_in_either_way():
    duties = [d for e in of("owed") for d in e.data["duties"]]
    assert {d["kind"] for d in duties} == {"damage", "rough", "brake", "mine", "touch", "blast"}
    assert {e.data["safe"] for e in of("checked")} == {True, False}
    assert of("stopped")
    assert {e.data["into"] for e in of("moved")} >= {None, "Blocking terrain"}


def test_every_kind_is_named_in_what_the_game_says_of_itself():
    core = {"begin", "roll", "rolls", "ruled"}
    assert set(GAME.about.events) | core == set(KINDS) | set(RULES)

from __future__ import annotations

import json

import pytest

from engine.errors import TableRefError
from engine.game.dice import NeedDice
from engine.game.events import Action, Illegal, event_from_json, event_to_json
from engine.game.match import Match
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive


def played():
    match = begun()
    drive(match, "Red 1")
    do(match, "shoot", (5,), weapon="Machine Gun", target="Blue 1", band="short")
    do(match, "speed", to=5)
    drive(match, "Blue 1")
    return match


def test_a_log_gives_the_same_match_again_through_json():
    match = played()
    match.undo("Blue")
    match.overrule(["cars", "Blue 1", "marked"], 4, "a box was forgotten", "Red")
    lines = [json.dumps(event_to_json(e)) for e in match.log]
    again = Match.replay(GAME, [event_from_json(json.loads(line)) for line in lines])
    assert (again.state, again.log) == (match.state, match.log)
    assert (again.undoable, again.redoable) == (match.undoable, match.redoable)
    assert GAME.from_json(json.loads(json.dumps(GAME.as_json(match.state)))) == match.state


def test_undo_takes_back_and_redo_brings_again_one_action_after_the_other():
    match = begun()
    states = [match.state]
    for step in (
        lambda: drive(match, "Red 1"),
        lambda: do(match, "floor_it", (6,)),
        lambda: drive(match, "Red 1"),
        lambda: do(match, "end"),
    ):
        step()
        states.append(match.state)
    for k in (3, 2, 1, 0):
        match.undo()
        assert match.state == states[k]
    for k in (1, 2, 3, 4):
        match.redo()
        assert match.state == states[k]
    assert match.redoable is None
    assert [e.kind for e in match.log].count("undo") == 4


def test_what_is_done_after_an_undo_cannot_be_brought_back():
    match = played()
    match.undo()
    drive(match, "Blue 1", left_surface=True)
    with pytest.raises(TableRefError, match="nothing to redo"):
        match.redo()


def test_the_beginning_cannot_be_undone():
    match = Match.begin(GAME, GAME_SETUP)
    with pytest.raises(TableRefError, match="nothing to undo"):
        match.undo()


GAME_SETUP = {
    "players": ["Red", "Blue"],
    "cars": [
        {"name": f"{o} 1", "owner": o, "brand": "mule", "primary": "plinker", "secondary": "oil"}
        for o in ("Red", "Blue")
    ],
}


def test_a_refused_action_leaves_everything_as_it_was():
    match = begun()
    before = (match.log, match.state)
    with pytest.raises(Illegal, match="the driver chooses a car first") as refused:
        do(match, "floor_it")
    assert refused.value.reasons[0].citation.startswith("White Line Fever 0.9 · ")
    drive(match, "Red 1")
    log = match.log
    with pytest.raises(NeedDice, match="D8 "):
        do(match, "shoot", weapon="Machine Gun", target="Blue 1", band="short")
    with pytest.raises(TableRefError, match="no action 'fly'"):
        do(match, "fly")
    assert before[0] == match.log[: len(before[0])]
    assert match.log == log


def test_what_is_proposed_happens_only_when_it_is_committed():
    match = begun()
    before = match.state
    events = match.propose(Action("choose", "Red", {"car": "Red 1"}))
    assert match.state == before
    match.commit(events)
    assert match.state.round.car == "Red 1"


def test_any_field_can_be_overruled_and_nonsense_is_refused():
    match = begun()
    match.overrule(["cars", "Red 1", "speed"], 6, "the sheet says 6", "Red")
    match.overrule(["round", "driver"], "Blue", "Blue begins")
    match.overrule(["house", "tokens"], 5, "more tokens")
    state = match.state
    assert (state.car("Red 1").speed, state.round.driver, state.house.tokens) == (6, "Blue", 5)
    event = match.log[-3]
    assert (event.kind, event.data["was"], event.data["by"]) == ("overrule", 3, "Red")
    assert event.words == "cars · Red 1 · speed: 3 → 6, the sheet says 6 (overruled by Red)"
    for path, value, message in (
        (["cars", "Red 9", "speed"], 2, "cars has no 'Red 9'; expected one of Red 1, Blue 1"),
        (["cars", "Red 1", "wheels"], 3, "cars · Red 1 has no 'wheels'"),
        (["cars", "Red 1", "speed"], 7, "speed: expected 1 to 6 but got 7"),
        (["cars", "Red 1", "speed"], "fast", "speed: expected a whole number but got 'fast'"),
        (["cars", "Red 1", "primary"], "Oil", "Oil is no primary weapon"),
        (["winner"], "Green", "winner: expected one of Red, Blue but got 'Green'"),
        ([], 3, "expected a path"),
    ):
        with pytest.raises(TableRefError, match=message):
            match.overrule(path, value, "")
    assert match.state == state


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "expected an event with kind, data, words, citation"),
        ({"kind": "x"}, "expected an event with kind"),
        ("event", "expected an event with kind"),
        ({"kind": 1, "data": {}, "words": "", "citation": ""}, "kind: expected a text but got 1"),
        ({"kind": "", "data": [], "words": "", "citation": ""}, "data: expected an object but got"),
    ],
)
def test_what_is_no_event_is_refused(data, message):
    with pytest.raises(TableRefError, match=message):
        event_from_json(data)


def test_a_log_of_another_order_is_refused():
    match = played()
    match.undo()
    with pytest.raises(TableRefError, match="out of order"):
        Match.replay(GAME, [*match.log, match.log[-1]])

"""A player gives up; that any game survives it is tried in `engine.game.conformance`."""

from __future__ import annotations

import pytest

from engine.game.events import Illegal
from engine.game.match import Match
from engine.games.white_line_fever.state.game_state import GameState
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, kinds, reasons, sheet


def three() -> Match[GameState]:
    """Red, Blue and Gold with a car each; Red drives first."""
    return begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), sheet("Gold 1", "Gold"))


def test_the_last_one_left_has_won_and_undo_brings_the_game_back():
    match = begun()
    before = match.state
    told = match.concede("Red")
    assert kinds(list(told)) == ["conceded", "left", "over"]
    assert told[0].words == "Red gives up"
    assert (match.state.winner, match.may_concede, match.options()) == ("Blue", (), ())
    match.undo("Red")
    assert match.state == before
    assert match.may_concede == ("Red", "Blue")


def test_the_others_play_on_and_nobody_gives_up_twice():
    match = three()
    told = match.concede("Red", "the owner of the table")
    assert told[0].words == "Red gives up, as the owner of the table says"
    assert match.state.round is not None
    assert match.state.round.driver == "Blue"
    with pytest.raises(Illegal, match="Red cannot give up now"):
        match.concede("Red")
    with pytest.raises(Illegal, match="Mallory cannot give up now"):
        match.concede("Mallory")


def test_before_the_cars_are_down():
    setup = {
        "players": ["Red", "Blue", "Gold"],
        "cars": [sheet(f"{p} 1", p) for p in ("Red", "Blue", "Gold")],
        "deployment": "highway",
    }
    match = Match.begin(GAME, setup)
    for car in ("Red 1", "Blue 1"):
        do(match, "deploy", car=car)
    match.concede("Gold")
    assert match.state.round is not None
    assert match.state.round.driver == "Red"


def test_what_they_had_in_hand_is_handed_on():
    match = three()
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    assert match.state.round is not None
    assert match.state.round.hands == "Blue"
    match.concede("Blue")
    assert match.state.round.hands == "Gold"
    assert reasons(match, "move", player="Gold", car="Red 1") == ""

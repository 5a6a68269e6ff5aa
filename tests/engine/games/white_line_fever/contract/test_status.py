"""Where the match stands in a few words."""

from __future__ import annotations

from engine.game.match import Match
from engine.game.showing import Viewer
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet

ANYBODY = Viewer()


def test_the_status_of_a_round():
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue"))
    status = GAME.status(match.state, ANYBODY)
    assert (status.what, status.who, status.more) == ("Round 1", "Red drives", "chooses a car")
    assert [(p.player, p.current, p.out, p.count_words) for p in status.order] == [
        ("Red", True, False, "1 car"), ("Blue", False, False, "2 cars"),
    ]  # fmt: skip
    drive(match, "Red 1")
    do(match, "floor_it")
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    status = GAME.status(match.state, ANYBODY)
    assert status.who == "Blue drives Red's car"
    assert status.more == "Red 1 · Maneuver 3 · out of control: Blue drives"
    assert (status.player, status.piece) == ("Blue", "Red 1")


def test_the_status_before_and_after_the_rounds():
    cars = [sheet("Red 1", "Red", "Mark 9 Javelin"), sheet("Blue 1", "Blue")]
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "cars": cars, "house": {"armour_groups": [2, 2]}})
    assert GAME.status(match.state, ANYBODY).who == "Which one?"
    do(match, "deployment", deployment="arena")
    assert GAME.status(match.state, ANYBODY).who == "2 cars to put down"
    do(match, "deploy", car="Red 1")
    assert GAME.status(match.state, ANYBODY).who == "1 car to put down"
    do(match, "deploy", car="Blue 1")
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Mark 9 Javelin", target="Blue 1", band="short")
    status = GAME.status(match.state, ANYBODY)
    assert (status.what, status.who) == ("First of all", "Blue 1 explodes")
    do(match, "blast", cars=[])
    status = GAME.status(match.state, ANYBODY)
    assert (status.over, status.winner, status.who) == (True, "Red", "Red wins")
    assert [p.out for p in status.order] == [False, True]

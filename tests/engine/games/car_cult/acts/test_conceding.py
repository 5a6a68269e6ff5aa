"""A player gives up: their cars leave the table, and nothing says that they exploded."""

from __future__ import annotations

from engine.game.showing import Viewer
from tests.engine.games.car_cult.playing import GAME, begun, car


def test_a_car_that_is_taken_off_the_table_is_not_told_as_exploded():
    match = begun(car("Red 1"), car("Blue 1"), car("Gold 1"))
    match.concede("Red")
    notes = {s.title: s.note for s in GAME.sheets(match.state, Viewer())}
    assert notes == {"Red 1": "taken off the table", "Blue 1": "", "Gold 1": ""}
    assert match.may_concede == ("Blue", "Gold")
    match.concede("Gold")
    assert match.state.winner == "Blue"

"""A player gives up: vehicles that others have boarded are theirs, and so is their place in the order."""

from __future__ import annotations

from engine.game.events import Event
from tests.engine.games.shattered_highways.playing import begun, do, piece, told


def test_a_boarded_vehicle_is_taken_and_numbered_by_its_new_player():
    match = begun(piece("Red 1", "Truck"), piece("Blue 1"), piece("Gold 1"), rounds=3)
    gunner = next(w.name for w in match.state.aboard("Red 1") if w.seat == "W1")
    do(match, "board", (4,), warrior=gunner, to=["Blue 1"])
    before = match.state
    events: list[Event] = list(match.concede("Blue"))
    assert told(events, "captured") == [{"vehicle": "Blue 1", "player": "Red", "was": "Blue"}]
    assert match.may_concede == ("Red", "Gold")
    assert match.state.to_number == {"Red": ("Red 1", "Blue 1"), "Gold": ("Gold 1",)}
    match.undo()
    assert match.state == before


def test_without_anybody_on_it_a_vehicle_leaves_the_road():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Gold 1"), rounds=3)
    match.concede("Red")
    assert match.state.vehicle("Red 1").status == "gone"
    assert match.state.turn is not None
    assert match.state.turn.vehicle == "Blue 1"
    match.concede("Gold")
    assert match.state.winner == "Blue"

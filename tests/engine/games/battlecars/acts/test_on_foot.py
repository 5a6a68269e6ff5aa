"""Drivers who get out, walk, take vehicles over, fire and reload a hand weapon."""

from __future__ import annotations

from engine.game.showing import Viewer
from engine.games.battlecars.state.game_state import GameState
from tests.engine.games.battlecars.playing import GAME, act, here, one, reasons, standing


def at(state: GameState, cell: tuple[int, int]) -> int:
    """The number of a point."""
    return state.board.cells.index(cell)


def walking(cell: tuple[int, int] = (5, 5), stage: str = "move", **more) -> GameState:
    """Red's driver on foot, and a Van of Blue's at (7, 5)."""
    state = standing(("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (7, 5), 4, 0), stage=stage, **more)
    return state.with_vehicle("Red 1", driver=None).with_person("driver of Red 1", vehicle=None, cell=cell)


def test_a_driver_gets_out_of_a_vehicle_that_stands_and_walks_two_points():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (9, 9), 4, 0))
    state, _ = act(state, "leave")
    assert here(state, "Red 1").driver is None
    assert state.person("driver of Red 1").cell == (2, 5)
    assert reasons(state, "walk", point=at(state, (5, 5))), "three points"
    state, _ = act(state, "walk", point=at(state, (4, 6)))
    assert state.person("driver of Red 1").cell == (4, 6)
    assert state.turn is not None
    assert state.turn.stage == "fire"


def test_nobody_gets_out_of_a_vehicle_in_motion():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 2), ("Blue 1", "Saloon", (9, 9), 4, 0))
    assert "not to be done now" in reasons(state, "leave")


def test_a_vehicle_without_a_driver_is_taken_over_where_it_stands_and_can_move():
    near = walking((6, 5))
    assert reasons(near, "board", vehicle="Blue 1"), "Blue's driver sits in it"
    empty = near.with_vehicle("Blue 1", driver=None).with_person("driver of Blue 1", dead=True, vehicle=None)
    assert reasons(empty.with_vehicle("Blue 1", wreck=True), "board", vehicle="Blue 1")
    assert reasons(empty.with_vehicle("Blue 1", speed=1), "board", vehicle="Blue 1")
    assert reasons(walking((5, 5)), "board", vehicle="Blue 1")
    # Blue has another driver somewhere, so that the game is not over.
    state = empty.with_person("driver of Blue 1", dead=False, cell=(12, 12))
    state, _ = act(state, "board", vehicle="Blue 1")
    assert here(state, "Blue 1").driver == "driver of Red 1"
    assert state.person("driver of Red 1").vehicle == "Blue 1"


def test_a_hand_weapon_fires_any_way_and_has_few_rounds():
    state = walking((5, 5), "fire")
    shot = {"mount": "hand weapon", "weapon": "Machine-gun", "line": 0, "target": "Blue 1"}
    after, events = act(state, "fire", (1, 1), **shot, aim="front")
    assert one(events, "fired")["vehicle"] is None
    assert after.person("driver of Red 1").rounds == 2
    empty = state.with_person("driver of Red 1", rounds=0)
    assert "not to be done now" in reasons(empty, "fire", **shot)


def test_rounds_are_taken_from_a_dead_driver_on_the_same_point_instead_of_firing():
    state = standing(
        ("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (7, 5), 4, 0), ("Gold 1", "Van", (9, 9), 4, 0),
        stage="fire",
    )  # fmt: skip
    state = state.with_vehicle("Red 1", driver=None)
    state = state.with_person("driver of Red 1", vehicle=None, cell=(5, 5), rounds=0)
    state = state.with_vehicle("Gold 1", driver=None)
    state = state.with_person("driver of Gold 1", vehicle=None, cell=(5, 5), dead=True)
    after, events = act(state, "reload")
    assert one(events, "reloaded")["rounds"] == 3
    assert after.person("driver of Red 1").rounds == 3
    assert after.turn is None or after.turn.person != "driver of Red 1"
    apart = state.with_person("driver of Gold 1", cell=(5, 6))
    assert "not to be done now" in reasons(apart, "reload")


def test_any_occupant_of_a_wreck_fires_its_weapons():
    """A Van with a loaded Turret, wrecked where Red's driver stands; its own driver is dead."""
    state = standing(
        ("Red 1", "Saloon", (2, 2), 0, 0), ("Blue 1", "Van", (5, 5), 4, 0), ("Gold 1", "Van", (8, 5), 4, 0),
        stage="fire", **{"Blue 1": {"turret": "Machine-gun"}},
    )  # fmt: skip
    state = state.with_vehicle("Red 1", driver=None)
    state = state.with_person("driver of Red 1", vehicle=None, cell=(5, 5))
    shot = {"mount": "turret", "weapon": "Machine-gun", "line": 0, "target": "Gold 1"}
    assert reasons(state, "fire", **shot), "it is no wreck"
    wreck = state.with_vehicle("Blue 1", wreck=True, driver=None).with_person(
        "driver of Blue 1", dead=True, vehicle=None
    )
    beside = wreck.with_person("driver of Red 1", cell=(5, 6))
    assert reasons(beside, "fire", **shot), "its occupant stands on its point"
    after, events = act(wreck, "fire", (8, 3), **shot, aim="front")
    fired = one(events, "fired")
    assert (fired["person"], fired["vehicle"]) == ("driver of Red 1", "Blue 1")
    assert len(here(after, "Blue 1").component("turret").rounds) == 3
    assert after.person("driver of Red 1").rounds == 3, "the hand weapon's are left"
    assert reasons(after, "fire", **shot), "once at one target"
    assert [m for m in GAME.marks(wreck, None, Viewer()) if m.role == "sight"]

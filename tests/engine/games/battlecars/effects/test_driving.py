"""Moves point by point, with dice typed in: corners, skids, counters, crashes and rams."""

from __future__ import annotations

import pytest

from engine.games.battlecars.effects.driving import drive, ram_kind, runs_on, velocity_of
from engine.games.battlecars.state.game_state import GameState, Terrain, Token
from tests.engine.games.battlecars.playing import act, here, kinds, one, played, standing

FAR = ("Blue 1", "Saloon", (12, 12), 4, 0)


def driven(state: GameState, corners: list[int], dice: tuple[int, ...] = ()):
    """The state and events after a drive of Red 1, every die used."""
    play = played(state, dice)
    drive(play, "Red 1", corners)
    assert play.dice.used == len(play.dice.values)
    return play.state, play.events


def test_a_vehicle_goes_straight_and_corners_after_points():
    state, events = driven(standing(("Red 1", "Saloon", (2, 5), 0, 3), FAR), [0, 1, 0])
    assert (here(state, "Red 1").cell, here(state, "Red 1").facing) == ((5, 6), 1)
    assert one(events, "drove")["cells"] == [[3, 5], [4, 5], [5, 6]]


def test_in_reverse_it_goes_backward():
    state, _ = driven(standing(("Red 1", "Saloon", (5, 5), 0, -2), FAR), [0, 0])
    assert (here(state, "Red 1").cell, here(state, "Red 1").facing) == ((3, 5), 0)


def test_a_corner_above_the_safe_speed_skids_and_its_move_goes_on_with_1_to_4():
    # Speed 5 at a 90° corner of safe speed 3: Speed Difference 2, drift d8-7, modifier +2.
    state, events = driven(standing(("Red 1", "Saloon", (1, 5), 0, 5), FAR), [0, 2, 0, 0, 0], (8, 2))
    skid = one(events, "skidded")
    assert (skid["difference"], skid["drifted"], skid["tyres"]) == (2, 1, 0)
    assert one(events, "swung") == {"vehicle": "Red 1", "facing": 0, "stops": False, "slid": False}
    assert here(state, "Red 1").cell == (6, 5), "the drifted point counts, the corner is lost"
    assert here(state, "Red 1").speed == 5


def test_a_final_facing_of_5_or_more_ends_the_turn():
    state, events = driven(standing(("Red 1", "Saloon", (1, 5), 0, 5), FAR), [0, 2, 0, 0, 0], (1, 4))
    assert one(events, "swung") == {"vehicle": "Red 1", "facing": 6, "stops": True, "slid": False}
    assert (here(state, "Red 1").cell, here(state, "Red 1").speed) == ((3, 5), 0)


@pytest.mark.parametrize(("kind", "speed", "difference"), [("Oil", 2, 5), ("Oil", 6, 6), ("Smoke", 2, 3)])
def test_counters_make_it_skid_by_their_difference_or_its_speed(kind, speed, difference):
    state = standing(("Red 1", "Saloon", (1, 5), 0, speed), FAR, tokens=[Token(f"{kind} 1", kind, (2, 5))])
    _, events = driven(state, [0] * speed, (1, 8))
    assert one(events, "skidded")["difference"] == difference
    assert one(events, "skidded")["cause"] == kind


def test_spikes_hurt_each_tyre_and_skid():
    state = standing(("Red 1", "Saloon", (1, 5), 0, 1), FAR, tokens=[Token("Spikes 1", "Spikes", (2, 5))])
    state, events = driven(state, [0], (8, 3, 4, 5, 1, 1))
    assert [t.hits for t in here(state, "Red 1").tyres] == [3, 0, 1, 2], "d8−3, the excess is lost"
    assert one(events, "skidded")["difference"] == 2


def test_a_mine_hurts_tyres_and_inside_and_is_used_up():
    state = standing(("Red 1", "Saloon", (1, 5), 0, 1), FAR, tokens=[Token("Mines 1", "Mines", (2, 5))])
    # Tyres 1 each; section 3 is the centre, d8-2 is 2; hit location 2 is the driver.
    state, _ = driven(state, [0], (1, 1, 1, 1, 3, 4, 2))
    assert state.person("driver of Red 1").hits == 2
    assert state.tokens == ()


def test_a_bike_avoids_mines_above_its_speed():
    state = standing(("Red 1", "Bike", (1, 5), 0, 3), FAR, tokens=[Token("Mines 1", "Mines", (2, 5))])
    after, events = driven(state, [0, 0, 0], (4,))
    assert one(events, "avoided")["past"] is True
    assert after.tokens == state.tokens
    _, events = driven(state, [0, 0, 0], (3, 1, 1, 1, 1))
    assert kinds(events)["ran onto"] == 1


def test_a_bike_goes_through_trees_or_crashes():
    trees = Terrain("Trees 1", "trees", (3, 5), (1, 1))
    state = standing(("Red 1", "Bike", (1, 5), 0, 4), FAR, terrain=[trees])
    after, _ = driven(state, [0, 0, 0, 0], (5,))
    assert here(after, "Red 1").cell == (5, 5)
    # 4 is not above 4: it crashes at 4 into the tree, which takes a point; d8+1 on the front.
    after, events = driven(state, [0, 0, 0, 0], (4, 1))
    assert (here(after, "Red 1").cell, here(after, "Red 1").speed) == ((2, 5), 0)
    assert here(after, "Red 1").slid
    assert one(events, "marked") == {"target": "Trees 1", "markers": 1}


def test_a_car_crashes_into_a_building_before_it_and_at_its_corner():
    building = Terrain("Building 1", "building", (4, 5), (2, 2))
    state = standing(("Red 1", "Saloon", (2, 5), 0, 3), FAR, terrain=[building])
    after, events = driven(state, [0, 0, 0], (4,))
    assert one(events, "crashed")["velocity"] == 3
    assert (here(after, "Red 1").cell, here(after, "Red 1").speed) == ((3, 5), 0)
    assert here(after, "Red 1").block("front").hits == 4
    corner = standing(("Red 1", "Saloon", (2, 3), 1, 3), FAR, terrain=[building])
    after, _ = driven(corner, [0, 0, 0], (4,))
    assert here(after, "Red 1").cell == (3, 4), "the diagonal to (4, 5) is blocked by the building itself"
    beside = standing(
        ("Red 1", "Saloon", (2, 5), 7, 3), FAR, terrain=[Terrain("Building 1", "building", (4, 5), (1, 1))]
    )
    after, _ = driven(beside, [0, 0, 0])
    assert here(after, "Red 1").cell == (5, 2)


def test_the_edge_of_the_board_is_crashed_into():
    after, events = driven(standing(("Red 1", "Saloon", (11, 5), 0, 4), FAR), [0] * 4, (1,))
    assert one(events, "crashed")["into"] == "the edge of the board"
    assert here(after, "Red 1").cell == (12, 5)


@pytest.mark.parametrize(
    ("facing", "kind", "velocity", "mine", "theirs", "dice"),
    [
        (4, "Head-On Ram", 6, 4, 4, (1,)),
        (0, "Shunt Ram", 2, 2, 4, (5,)),
        (2, "Side Ram", 4, 1, 3, (2, 4)),
    ],
)
def test_rams_by_direction(facing, kind, velocity, mine, theirs, dice):
    state = standing(("Red 1", "Saloon", (2, 5), 0, 4), ("Blue 1", "Saloon", (4, 5), facing, 2))
    after, events = driven(state, [0] * 4, dice)
    told = one(events, "rammed")
    assert (told["ram"], told["velocity"]) == (kind, velocity)
    assert here(after, "Red 1").speed == here(after, "Blue 1").speed == 0
    absorbed = {e.data["vehicle"]: e.data["points"] for e in events if e.kind == "armour"}
    assert (absorbed["Red 1"], absorbed["Blue 1"]) == (mine, theirs)


def test_relative_velocities():
    assert velocity_of("Head-On Ram", 3, 4) == 7
    assert velocity_of("Side Ram", 3, 4) == 3
    assert velocity_of("Shunt Ram", 7, 4) == 3
    target = standing(("Red 1", "Saloon", (2, 5), 0, 4), ("Blue 1", "Saloon", (4, 5), 0, -2)).vehicle(
        "Blue 1"
    )
    assert ram_kind(target, 0) == "Head-On Ram", "it comes backward"


def test_drivers_are_stunned_from_a_relative_velocity_of_14():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 8), ("Blue 1", "Saloon", (4, 5), 4, 6))
    play = played(state, [1] * 40)
    drive(play, "Red 1", [0] * 8)
    assert one(play.events, "rammed")["stunned"] == ["Red 1", "Blue 1"]
    assert here(play.state, "Blue 1").stunned


def test_whoever_is_on_foot_is_run_over():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 2), ("Blue 1", "Saloon", (9, 9), 0, 0))
    state = state.with_vehicle("Blue 1", driver=None).with_person(
        "driver of Blue 1", vehicle=None, cell=(3, 5)
    )
    after, events = driven(state, [0, 0])
    assert after.person("driver of Blue 1").dead
    assert here(after, "Red 1").cell == (4, 5)
    assert kinds(events)["killed"] == 1


def test_a_vehicle_whose_driver_is_dead_skids_by_its_speed_and_stands():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 2), FAR)
    state = state.with_vehicle("Red 1", driver=None).with_person("driver of Red 1", dead=True, vehicle=None)
    play = played(state, (8, 1))
    runs_on(play, "Red 1")
    assert one(play.events, "skidded")["difference"] == 2
    assert (here(play.state, "Red 1").cell, here(play.state, "Red 1").speed) == ((3, 5), 0)


def test_the_move_is_an_action_and_then_one_may_fire():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 2), FAR)
    after, _ = act(state, "move", corners=[0, 0])
    assert after.turn is not None
    assert after.turn.stage == "fire"

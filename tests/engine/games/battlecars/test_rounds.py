"""Rounds with dice typed in: order and Speed, moves point by point, crashes, rams, shots and their damage."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from engine.game.contract import Option, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Event, Illegal
from engine.game.showing import Viewer
from engine.games.battlecars.book.data import FLAME, MG, ROCKET, SHELL, WEAPONS, cite
from engine.games.battlecars.book.vehicles import layouts
from engine.games.battlecars.rules.damage import kill, mark
from engine.games.battlecars.rules.moves import drive, ram_kind, runs_on, velocity_of
from engine.games.battlecars.rules.shots import Shot, fire
from engine.games.battlecars.state import EVENTS, Block, BoardJson, GameState, Reply, Terrain, Token
from tests.engine.games.battlecars.playing import (
    GAME,
    act,
    begun,
    do,
    here,
    kinds,
    one,
    played,
    reasons,
    speeds,
    standing,
    vehicle,
)
from tests.volume import volume


@pytest.mark.parametrize(
    ("type", "now", "limits"),
    [
        ("Saloon", 0, (-2, 2)), ("Saloon", 4, (1, 6)), ("Saloon", 2, (0, 4)), ("Saloon", 7, (4, 8)),
        ("Saloon", -2, (-2, 0)), ("Bike", 0, (0, 4)), ("Muscle Car", 0, (-2, 3)), ("Van", 6, (4, 6)),
    ],
)  # fmt: skip
def test_acceleration_and_braking_and_reverse_through_0(type, now, limits):
    state = standing(("Red 1", type, (2, 5), 0, now), ("Blue 1", "Saloon", (9, 9), 4, 0))
    assert here(state, "Red 1").speeds == limits


def test_flat_tyres_take_off_top_and_safe_speeds():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 6), ("Blue 1", "Saloon", (9, 9), 4, 0))
    state = state.with_component("Red 1", "left front tyre", hits=3)
    assert here(state, "Red 1").speeds == (3, 6)
    assert [here(state, "Red 1").safe(k) for k in (1, 2, 3)] == [4, 2, 1]


def test_speeds_are_sealed_and_revealed_together_and_the_first_player_moves_first():
    match = begun()
    do(match, "start", (3, 8))
    counter = match.options()[0].form.fields["speed_1"]
    assert len(counter.leads) == counter.high - counter.low + 1
    stays, slow = counter.leads[-counter.low], counter.leads[1 - counter.low]
    assert stays == "stays, and may turn on the point"
    sharp = max(k for k in (1, 2, 3) if here(match.state, "Red 1").safe(k) >= 1)
    assert slow == f"1 point, corners up to {45 * sharp}° are safe"
    with pytest.raises(Illegal, match=r"from \S2 to 2"):
        speeds(match, Red=3)
    events = speeds(match, Red=2)
    assert kinds(events)["revealed"] == 0
    assert here(match.state, "Red 1").speed == 0
    events = speeds(match, Blue=1)
    assert one(events, "revealed")["speeds"] == {"Blue 1": 1, "Red 1": 2}
    assert match.state.turn is not None
    assert match.state.turn.player == "Blue"
    assert match.state.queue == ("driver of Red 1",)


def test_smoke_is_rolled_for_at_the_end_and_removed_on_5():
    state = standing(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (9, 9), 4, 0), stage="fire",
        tokens=[Token("Smoke 1", "Smoke", (6, 6)), Token("Smoke 2", "Smoke", (7, 6))],
    )  # fmt: skip
    state = replace(state, queue=())
    after, events = act(state, "done", (5, 4))
    assert [t.name for t in after.tokens] == ["Smoke 2"]
    assert one(events, "round")["number"] == 2


def test_a_stunned_driver_has_no_turn_until_the_next_game_turn():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (9, 9), 4, 0), stage="fire")
    state = state.with_vehicle("Blue 1", stunned=True)
    after, events = act(state, "done")
    assert [e.words for e in events if e.kind == "ended"][-1] == "the driver of Blue 1 is stunned"
    assert after.phase == "speed"
    assert not here(after, "Blue 1").stunned


def test_the_last_player_with_a_living_driver_wins():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 1), ("Blue 1", "Saloon", (9, 9), 0, 0))
    state = afoot(state, (3, 5))
    after, events = act(state, "move", corners=[0])
    assert one(events, "over") == {"winner": "Red"}
    assert after.over


def test_whoever_gives_up_leaves_the_others_to_play_on():
    match = begun(vehicle("Red 1"), vehicle("Blue 1"), vehicle("Gold 1"))
    do(match, "start", (3, 8, 2))
    match.concede("Blue")
    assert here(match.state, "Blue 1").gone
    assert [v.name for v in match.state.choosing()] == ["Red 1", "Gold 1"]
    match.concede("Gold")
    assert match.state.winner == "Red"


def test_terrain_keeps_the_starts_free_and_lies_on_no_other():
    match = begun()
    build = {"kind": "trees", "column": 6, "row": 6}
    do(match, "build", **build)
    for wrong in ({**build}, {**build, "column": 1, "row": 7}, {**build, "column": 13, "columns": 2}):
        with pytest.raises(Illegal) as refused:
            match.do(Action("build", None, wrong), None, TypedDice())
        # "Vehicles start on the centre points of the board sides": to keep those free is a house rule.
        (reason,) = refused.value.reasons
        assert reason.citation.startswith("house default" if wrong.get("column") == 1 else "Battlecars")
    assert GAME.status(match.state, None).who == "The board is laid out"  # type: ignore[arg-type]


FAR = ("Blue 1", "Saloon", (12, 12), 4, 0)


def driven(state: GameState, corners: list[int], dice: tuple[int, ...] = ()):
    """The state and events after a drive of Red 1, every die used."""
    play = played(state, dice)
    drive(play, "Red 1", corners)
    assert play.dice.used == len(play.dice.values)
    return play.state, play.events


def afoot(state: GameState, cell: tuple[int, int], name: str = "Blue 1") -> GameState:
    """The driver of a vehicle stands on a point beside it."""
    return state.with_vehicle(name, driver=None).with_person(f"driver of {name}", vehicle=None, cell=cell)


def test_a_vehicle_goes_straight_and_corners_after_points_and_in_reverse_goes_backward():
    state, events = driven(standing(("Red 1", "Saloon", (2, 5), 0, 3), FAR), [0, 1, 0])
    assert (here(state, "Red 1").cell, here(state, "Red 1").facing) == ((5, 6), 1)
    assert one(events, "drove")["cells"] == [[3, 5], [4, 5], [5, 6]]
    state, _ = driven(standing(("Red 1", "Saloon", (5, 5), 0, -2), FAR), [0, 0])
    assert (here(state, "Red 1").cell, here(state, "Red 1").facing) == ((3, 5), 0)


def test_a_corner_above_the_safe_speed_skids_and_its_move_goes_on_with_1_to_4():
    # Speed 5 at a 90° corner of safe speed 3: Speed Difference 2, drift d8-7, modifier +2.
    begun_ = standing(("Red 1", "Saloon", (1, 5), 0, 5), FAR)
    state, events = driven(begun_, [0, 2, 0, 0, 0], (8, 2))
    skid = one(events, "skidded")
    assert (skid["difference"], skid["drifted"], skid["tyres"]) == (2, 1, 0)
    assert one(events, "swung") == {"vehicle": "Red 1", "facing": 0, "stops": False, "slid": False}
    assert here(state, "Red 1").cell == (4, 5), "the drifted point counts, the corner is lost"
    assert here(state, "Red 1").speed == 5
    # "1-4 Continue move": the driver chooses the rest of the way anew, from where the skid left the car.
    state, events = act(begun_, "move", (8, 2), corners=[0, 2, 0, 0, 0])
    assert one(events, "goes on")["left"] == 2
    assert (state.turn.stage, state.to_go(here(state, "Red 1"))) == ("move", 2)
    (option,) = (o for o in GAME.options(state, Seen()) if o.kind == "move")
    assert option.form.fields["corners"].most == 2
    state, _ = act(state, "move", corners=[1, 0])
    assert (here(state, "Red 1").cell, state.turn.stage) == ((6, 6), "fire")
    # A Final Facing of 5 or more ends the turn.
    state, events = driven(begun_, [0, 2, 0, 0, 0], (1, 4))
    assert one(events, "swung") == {"vehicle": "Red 1", "facing": 6, "stops": True, "slid": False}
    assert (here(state, "Red 1").cell, here(state, "Red 1").speed) == ((3, 5), 0)


def test_a_move_may_halt_to_fire_where_the_players_play_so_and_goes_on_by_what_is_left():
    """ "Cannot fire while drifting": else one may, on the way."""
    begun_ = standing(("Red 1", "Saloon", (1, 5), 0, 4), ("Blue 1", "Saloon", (11, 5), 4, 0))
    (move,) = (o for o in GAME.options(begun_, Seen()) if o.kind == "move")
    assert "halt" not in move.form.fields
    state = replace(begun_, house=replace(begun_.house, on_the_way=True))
    (move,) = GAME.options(state, Seen())
    assert (move.form.fields["halt"].low, move.form.fields["halt"].high) == (1, 3)
    state, events = act(state, "move", corners=[0, 0, 0, 0], halt=2)
    assert one(events, "goes on") == {"vehicle": "Red 1", "left": 2}
    assert (here(state, "Red 1").cell, state.turn.stage) == ((3, 5), "move")
    fire = next(o for o in GAME.options(state, Seen()) if o.kind == "fire")
    state, events = act(state, "fire", (1,), **fire.data)
    assert one(events, "fired")["target"] == "Blue 1"
    while state.reply is not None:
        state, _ = act(state, "hold")
    assert "fire" not in {o.kind for o in GAME.options(state, Seen())}, "one round at one target"
    state, _ = act(state, "move", corners=[1, 0])
    assert (here(state, "Red 1").cell, here(state, "Red 1").facing, state.turn.stage) == ((5, 6), 1, "fire")


def test_a_skid_that_leaves_it_on_its_way_interrupts_nothing():
    # Smoke at Speed 2: Speed Difference 3, no point drifted, 1 to 4: the corners pushed before still fit.
    state = standing(("Red 1", "Saloon", (1, 5), 0, 2), FAR, tokens=[Token("Smoke 1", "Smoke", (2, 5))])
    state, events = act(state, "move", (1, 1), corners=[0, 1])
    assert kinds(events)["goes on"] == 0
    assert (here(state, "Red 1").cell, here(state, "Red 1").facing, state.turn.stage) == ((3, 5), 1, "fire")


def test_who_rams_or_whose_skid_stops_it_does_not_fire():
    """ "The Rammer ends its turn"; "Reduce speed to 0, turn ends"."""
    target = ("Blue 1", "Saloon", (3, 5), 4, 1)
    state, events = act(standing(("Red 1", "Saloon", (2, 5), 0, 1), target), "move", (1,), corners=[0])
    assert (one(events, "rammed")["ram"], kinds(events)["ready"]) == ("Head-On Ram", 0)
    ended = next(e for e in events if e.kind == "ended")
    assert (ended.data["person"], ended.citation) == ("driver of Red 1", cite("Crashing and Ramming"))
    assert state.turn is None or state.turn.person == "driver of Blue 1"
    begun_ = standing(("Red 1", "Saloon", (1, 5), 0, 5), FAR)
    state, events = act(begun_, "move", (1, 4), corners=[0, 2, 0, 0, 0])
    ended = next(e for e in events if e.kind == "ended")
    assert (kinds(events)["ready"], ended.citation) == (0, cite("Skidding", "Final Facing"))
    # "A Crash … reduces its speed to 0": of its turn the book says nothing.
    wall = Terrain("Building 1", "building", (3, 5), (1, 1))
    crashing = standing(("Red 1", "Saloon", (2, 5), 0, 1), FAR, terrain=[wall])
    assert kinds(act(crashing, "move", (1,), corners=[0])[1])["ready"] == 1


def test_a_bike_that_is_wrecked_has_slid_over_all_the_same():
    """ "If a bike, it has slid over and cannot fire until next turn"."""
    state = standing(("Red 1", "Bike", (2, 5), 0, 1), FAR).with_vehicle("Red 1", slid=True)
    state = EVENTS.apply(state, Event("wrecked", {"vehicle": "Red 1"}, "", ""))
    assert (here(state, "Red 1").wreck, here(state, "Red 1").slid) == (True, True)
    # In the same game turn its driver neither fires nor drops; of the next one a wreck's occupant may fire.
    state = replace(state, turn=replace(state.turn, stage="fire"))
    assert {o.kind for o in GAME.options(state, Seen())} == {"done"}
    state = state.with_vehicle("Red 1", slid=False)
    assert "drop" in {o.kind for o in GAME.options(state, Seen())}


@pytest.mark.parametrize("type_", ["Saloon", "Bike"])
def test_a_drift_that_ends_in_a_crash_damages_the_tyres_all_the_same(type_):
    """ "Damage / Tyre" of the Drift Table: by the Speed Difference, wherever the drift ends."""
    wall = Terrain("Building 1", "building", (3, 5), (1, 1))
    oil = Token("Oil 1", "Oil", (2, 5))
    state = standing(("Red 1", type_, (1, 5), 0, 1), FAR, terrain=[wall], tokens=[oil])
    # Speed Difference 5: 1 point drifted, into the building at relative velocity 1, which does no damage.
    play = played(state, (5, 2))
    drive(play, "Red 1", [0])
    assert one(play.events, "crashed")["into"] == "Building 1"
    assert {t.hits for t in here(play.state, "Red 1").tyres} == {1}


def test_a_bike_that_slides_in_trees_crashes_into_a_tree():
    """ "5+ Reduce speed to 0, turn ends. A bike in trees crashes into a tree."."""
    trees = Terrain("Trees 1", "trees", (2, 5), (3, 1))
    oil = Token("Oil 1", "Oil", (2, 5))
    state = standing(("Red 1", "Bike", (1, 5), 0, 1), FAR, terrain=[trees], tokens=[oil])
    # Past the trees, no point drifted, Final Facing 6, its side hit, the crash at relative velocity 1.
    play = played(state, (8, 1, 6, 1))
    drive(play, "Red 1", [0])
    assert one(play.events, "crashed") == {
        "vehicle": "Red 1", "into": "Trees 1", "velocity": 1, "stunned": [], "terrain": "Trees 1",
    }  # fmt: skip
    assert one(play.events, "marked")["target"] == "Trees 1"
    assert here(play.state, "Red 1").speed == 0


def test_a_bike_rolls_for_each_point_and_each_corner_of_trees():
    """ "For each point or corner driven through roll a d8"."""
    trees = [Terrain("Trees 1", "trees", (2, 5), (1, 1)), Terrain("Trees 2", "trees", (2, 6), (1, 1))]
    # From (1, 5) to (2, 6) a corner of Trees 1 and the point of Trees 2.
    state = standing(("Red 1", "Bike", (1, 5), 1, 1), FAR, terrain=trees)
    play = played(state, (8, 8))
    drive(play, "Red 1", [0])
    past = [e.data["what"] for e in play.events if e.kind == "avoided"]
    assert (past, here(play.state, "Red 1").cell) == (["Trees 1", "Trees 2"], (2, 6))


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
    [(4, "Head-On Ram", 6, 4, 4, (1,)), (0, "Shunt Ram", 2, 2, 4, (5,)), (2, "Side Ram", 4, 1, 3, (2, 4))],
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
    told = "relative velocity 14; the driver of Red 1 and the driver of Blue 1 are stunned"
    assert play.events[1].words.endswith(told)
    # Nobody is stunned in a vehicle whose driver is dead: whoever takes it over in that game turn is not.
    empty = state.with_vehicle("Blue 1", driver=None).with_person(
        "driver of Blue 1", dead=True, vehicle=None, cell=(4, 5)
    )
    play = played(empty, [1] * 40)
    drive(play, "Red 1", [0] * 8)
    assert one(play.events, "rammed")["stunned"] == ["Red 1"]
    assert not here(play.state, "Blue 1").stunned


def test_whoever_is_on_foot_is_run_over():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 2), ("Blue 1", "Saloon", (9, 9), 0, 0))
    state = afoot(state, (3, 5))
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


def test_a_vehicle_whose_driver_had_taken_it_over_and_is_dead_skids_on_their_next_move():
    """ "The Driver is killed … On next move roll immediately for Skidding", whosever vehicle it was."""
    state = standing(
        ("Gold 1", "Saloon", (2, 5), 0, 0), ("Red 1", "Saloon", (5, 9), 0, 0),
        ("Blue 1", "Saloon", (9, 5), 0, 4), stage="fire",
    )  # fmt: skip
    state = afoot(state, (1, 1)).with_vehicle("Red 1", driver=None)
    state = state.with_vehicle("Blue 1", driver="driver of Red 1")
    play = played(state.with_person("driver of Red 1", vehicle="Blue 1"))
    kill(play, play.state.person("driver of Red 1"), "")
    after, events = act(play.state, "done", (1, 1))
    told = [e for e in events if e.kind in ("played", "skidded")]
    assert [e.kind for e in told] == ["played", "skidded", "played"]
    assert [e.data["person"] for e in told[::2]] == ["driver of Red 1", "driver of Blue 1"]
    assert (here(after, "Blue 1").speed, after.turn.stage) == (0, "move")


def test_of_two_who_lie_dead_in_a_vehicle_it_skids_on_the_move_of_whoever_drove_it_last():
    """ "Or whose Driver is dead": who takes it over may die in it, too."""
    state = standing(
        ("Gold 1", "Saloon", (2, 5), 0, 0), ("Red 1", "Saloon", (5, 9), 0, 0),
        ("Grey 1", "Saloon", (1, 1), 0, 0), ("Blue 1", "Saloon", (9, 5), 0, 0), stage="fire",
    )  # fmt: skip
    play = played(afoot(state, (9, 6), "Red 1"))
    kill(play, play.state.person("driver of Blue 1"), "")
    play.tell("boarded", "", "", person="driver of Red 1", vehicle="Blue 1")
    play = played(play.state.with_vehicle("Blue 1", speed=4))
    kill(play, play.state.person("driver of Red 1"), "")
    _, events = act(play.state, "done", (1, 1))
    told = [e.data["person"] for e in events if e.kind == "played"]
    assert (told[0], kinds(events)["skidded"]) == ("driver of Red 1", 1)


def test_the_move_is_an_action_and_then_one_may_fire():
    state = standing(("Red 1", "Saloon", (2, 5), 0, 2), FAR)
    after, _ = act(state, "move", corners=[0, 0])
    assert after.turn is not None
    assert after.turn.stage == "fire"


def duel(cell=(6, 5), facing=4, type="Saloon", **more) -> GameState:
    """Red 1 at (2, 5) may fire; Blue 1 stands ahead of it."""
    return standing(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", type, cell, facing, 0), stage="fire", **more
    )


def test_a_skid_tells_which_way_it_faces_and_a_mine_that_it_went_off():
    _, events = driven(standing(("Red 1", "Saloon", (1, 5), 0, 5), FAR), [0, 2, 0, 0, 0], (1, 4))
    assert "Red 1 turns to face down (6) and stands" in [e.words for e in events]
    mined = standing(("Red 1", "Saloon", (1, 5), 0, 1), FAR, tokens=[Token("Mines 1", "Mines", (2, 5))])
    _, events = driven(mined, [0], (1, 1, 1, 1, 3, 4, 2))
    assert "Mines 1 has gone off and is removed" in [e.words for e in events]


def test_a_target_says_that_nobody_sits_in_it_or_that_it_is_a_wreck():
    def more(state: GameState) -> str:
        return next(o.more for o in GAME.options(state, Seen()) if o.kind == "fire")

    state = duel()
    assert more(state) == "range 3"
    left = afoot(state, (9, 9))
    assert more(left) == "range 3, nobody in it"
    assert more(left.with_vehicle("Blue 1", wreck=True)) == "range 3, a wreck"


def test_a_speed_leads_to_its_corners():
    state = begun(vehicle("Red 1", "Van"), vehicle("Blue 1"))
    do(state, "start", (8, 3))
    (option,) = (o for o in state.options() if o.player == "Red")
    assert option.form.fields["speed_1"].leads[-1] == "2 points, corners up to 90° are safe"
    fast = state.state.with_vehicle("Red 1", speed=6)
    (option,) = (o for o in GAME.options(fast, Seen()) if o.player == "Red")
    assert option.form.fields["speed_1"].leads[-1] == "6 points, every corner skids"


def test_the_line_above_says_what_is_left_to_do():
    def told(state: GameState) -> tuple[str, str]:
        now = GAME.status(state, Viewer())
        return now.who, now.more

    ready = duel()
    assert told(ready) == ("Red fires", "Red 1: at the nearest target on a line")
    away = duel(cell=(3, 11))
    who, more = told(away)
    assert (who, more) == ("Red may drop Oil or Mines", "Red 1: nothing to fire at")
    parts = here(away, "Red 1").components
    empty = away.with_vehicle("Red 1", components=tuple(replace(c, rounds=()) for c in parts))
    assert told(empty) == ("Red is done", "Red 1: it has no round left to fire")
    slid = away.with_vehicle("Red 1", slid=True)
    assert told(slid) == ("Red is done", "Red 1: it has slid over until the next turn")
    fired = replace(ready, turn=replace(ready.turn, targets=("A", "B", "C"), dropped=("rear pod",)))
    assert told(fired) == ("Red is done", "Red 1: it has fired at 3 targets, the most")
    afoot_ = afoot(away, (2, 5), "Red 1").with_person("driver of Red 1", rounds=0)
    assert told(afoot_)[1] == "The driver of Red 1: no round of the hand weapon is left"
    barred = (
        (ready, "may fire"),
        (away, "may drop"),
        (empty, "cannot fire: it has no round left to fire"),
        (slid, "cannot fire: it has slid over until the next turn"),
    )
    for state, word in barred:
        moving = replace(state, turn=replace(state.turn, stage="move"))
        assert act(moving, "pivot")[1][-1].words == f"the driver of Red 1 {word}"


@pytest.mark.parametrize(("column", "vain"), [(7, False), (8, False), (9, True)])
def test_a_shot_that_cannot_hurt_is_put_before_nobody(column, vain):
    state = duel(cell=(column, 5))

    def shot(round_: str) -> Option:
        parts = here(state, "Red 1").components
        armed = tuple(replace(c, rounds=(round_,) if c.name == "front pod" else ()) for c in parts)
        now = state.with_vehicle("Red 1", components=armed)
        return next(o for o in GAME.options(now, Seen()) if o.kind == "fire")

    assert (shot(MG).vain, shot(MG).facts[1].words == "cannot hurt") == (vain, vain)
    # What cannot hit at all is as vain: Flame reaches 3, with a Gunnery Computer 4.
    assert shot(FLAME).vain is (column > 7)


def test_who_places_a_speed_counter_is_named_where_not_everybody_has_one():
    def told(state: GameState) -> tuple[str, str]:
        now = GAME.status(replace(state, phase="speed", turn=None), Viewer())
        return now.who, now.more

    state = standing(
        ("Red 1", "Van", (5, 8), 0, 0), ("Blue 1", "Van", (8, 5), 0, 0), ("Gold 1", "Van", (5, 2), 4, 0)
    )
    assert told(state) == ("Everybody places a Speed Counter", "in secret; revealed together")
    two = afoot(state, (8, 6))
    assert told(two) == ("Red and Gold place a Speed Counter", "in secret; revealed together")
    one_ = afoot(two, (5, 3), "Gold 1")
    assert told(one_) == ("Red places a Speed Counter", "nobody else has one to place")
    four = standing(
        ("Red 1", "Van", (5, 8), 0, 0), ("Blue 1", "Van", (8, 5), 0, 0), ("Gold 1", "Van", (5, 2), 4, 0),
        ("Grey 1", "Van", (2, 5), 0, 0),
    )  # fmt: skip
    assert told(afoot(four, (8, 6)))[0] == "Red, Gold and Grey place a Speed Counter"
    reply = GAME.status(replace(two, reply=Reply("Red 1", "driver of Blue 1")), Viewer())
    assert (reply.who, reply.more) == ("Red may return fire", "Red 1 at the driver of Blue 1")


def bare(state: GameState) -> GameState:
    """Blue 1 without any armour left."""
    blocks = (Block(b.name, b.points, b.points) for b in here(state, "Blue 1").armour)
    return state.with_vehicle("Blue 1", armour=tuple(blocks))


def shot(state: GameState, weapon: str, dice, aim=None, computed=False):
    """A round along facing 0 from (2, 5), every die used."""
    play = played(state, dice)
    fire(play, Shot("Red", "Red 1", (2, 5), WEAPONS[weapon], 0, aim, computed))
    assert play.dice.used == len(play.dice.values)
    return play.state, play.events


def test_the_range_dice_have_to_come_to_the_points_between():
    after, events = shot(duel(), MG, (3, 8), "front")
    assert (one(events, "hit")["roll"], one(events, "hit")["needed"]) == (3, 3)
    assert here(after, "Blue 1").block("front").hits == 3, "d8−2 less a range of 3"
    _, events = shot(duel(), MG, (2,), "front")
    assert kinds(events)["missed"] == 1


@pytest.mark.parametrize(
    ("weapon", "dice", "points"), [(FLAME, (2,), 2), (SHELL, (1, 7), 4), (ROCKET, (1, 2, 3, 4), 4)]
)
def test_damage_loses_the_range_and_flame_reaches_3_points(weapon, dice, points):
    after, _ = shot(duel(), weapon, dice, "front")
    assert here(after, "Blue 1").block("front").hits == points
    _, events = shot(duel(cell=(7, 5)), FLAME, (), "front")
    assert kinds(events)["missed"] == 1


def test_flame_that_rolls_for_no_range_says_how_far_it_reaches():
    _, events = shot(duel(cell=(4, 5)), FLAME, (1,), "front")
    assert next(e.words for e in events if e.kind == "hit") == (
        "the Flame hits Blue 1: it reaches 3 points, at range 1"
    )
    _, events = shot(duel(cell=(7, 5)), FLAME, (), "front")
    assert next(e.words for e in events if e.kind == "missed").endswith("it reaches 3 points, at range 4")
    _, events = shot(duel(cell=(6, 5)), FLAME, (1,), "front", computed=True)
    assert next(e.words for e in events if e.kind == "hit").endswith("it reaches 4 points, at range 3")


def test_nothing_is_said_to_be_taken_off_for_a_range_of_0():
    _, events = shot(duel(cell=(3, 5)), MG, (8, 1), "front")
    told = [e.words for e in events]
    assert any("damage of the Machine-gun (d8−2): D8 shows 1" in words for words in told)
    assert any(words.endswith("; no damage: d8−2 came to −1") for words in told)


def test_a_hit_that_the_range_takes_all_of_says_so():
    after, events = shot(duel(), MG, (3, 5), "front")
    assert here(after, "Blue 1").block("front").hits == 0
    why = "no damage: d8−2 came to 3, less 3 for the range"
    (hit,) = (event.words for event in events if event.kind == "hit")
    assert hit == f"the Machine-gun hits Blue 1: 3, 3 or more needed at range 3; {why}"


def test_smoke_takes_4_off_and_a_computer_adds_1():
    smoke = [Token("Smoke 1", "Smoke", (4, 5))]
    _, events = shot(duel(tokens=smoke), MG, (5,), "front", computed=True)
    assert one(events, "missed")["needed"] == 6, "range 3, +4 for smoke, −1 for the computer"
    assert sorted(e.data["by"] for e in events if e.kind == "modified") == [-4, 1]


def test_a_round_that_misses_may_hit_what_is_beyond():
    state = standing(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Saloon", (6, 5), 4, 0),
        ("Gold 1", "Saloon", (9, 5), 4, 0),
        stage="fire",
    )  # fmt: skip
    _, events = shot(state, MG, (1, 8, 8), "front")
    assert one(events, "missed")["target"] == "Blue 1"
    told = one(events, "hit")
    assert (told["target"], told["range"], told["beyond"]) == ("Gold 1", 6, True)


def test_what_the_armour_does_not_hold_goes_inside_by_the_hit_location_table():
    # A Rocket: 5+3 reaches 3; 8+5-3 = 10: 4 on the front armour, 6 inside: first the engine, then a tyre.
    after, events = shot(duel(), ROCKET, (5, 3, 8, 5, 4, 1), "front")
    blue = here(after, "Blue 1")
    assert blue.block("front").left == 0
    assert not blue.component("engine").works
    assert blue.component("left front tyre").hits == 2
    assert blue.wreck, "without an engine it cannot move"
    assert [e.kind for e in events][-1] == "wrecked"


def test_empty_spaces_are_hit_first_and_what_is_destroyed_is_rolled_for_again():
    state = duel()
    state = state.with_component("Blue 1", "front pod", rounds=("Shell",))
    state = bare(state)
    # 2 points inside, both on the front pod (2): two empty spaces go, the Shell stays.
    after, _ = shot(state, MG, (3, 7, 2), "front")
    pod = here(after, "Blue 1").component("front pod")
    assert (pod.hits, pod.rounds) == (2, ("Shell",))
    # Again 2 points: the last space and the Shell in it, then hit location 2 is destroyed: 5 is the engine.
    after, events = shot(after, MG, (3, 7, 2, 2, 5), "front")
    assert not here(after, "Blue 1").component("front pod").works
    assert [e.data["lost"] for e in events if e.kind == "inside"] == [["Shell"], []]
    assert here(after, "Blue 1").component("engine").hits == 1
    whys = [e.data["why"] for e in events if e.kind == "roll" and "hit location" in e.data["why"]]
    where = "hit location, front of Blue 1"
    reasons = ("1 point left", "at 2 no front pod is left")
    assert whys == [where, *(f"{where}, again: {reason}" for reason in reasons)]


def test_ammunition_that_a_shell_hits_detonates_and_flies_off_without_a_computer():
    state = standing(
        ("Red 1", "Saloon", (2, 5), 0, 0), ("Blue 1", "Bike", (6, 5), 0, 0),
        ("Gold 1", "Saloon", (9, 5), 4, 0),
        stage="fire", **{"Blue 1": {"front_pod": "Machine-gun", "special": "Fire Extinguisher"}},
    )  # fmt: skip
    state = state.with_vehicle("Blue 1", facing=2)
    state = bare(state)
    # The line comes from its left; 1 point inside the front: hit location 3 is the front pod, full.
    after, events = shot(state, SHELL, (1, 4, 3, 7), "left front")
    told = one(events, "detonated")
    assert (told["weapon"], told["mount"], told["line"]) == ("Machine-gun", "front pod", 2)
    assert here(after, "Blue 1").component("front pod").hits == 1


def test_rounds_that_were_hit_while_a_computer_worked_do_not_go_off_as_the_tank_explodes():
    """ "Hits a Missile Weapon Counter … of a vehicle with no working Gunnery Computer"."""
    state = bare(duel(facing=0, type="Muscle Car", **{"Blue 1": {"rear_pod": "Shell"}}))
    # 8 points: the rear pod with its four Shells, the tank, a tyre; the tank explodes: 6 + 3 - 2.
    after, events = shot(state, ROCKET, (8, 8, 8, 3, 2, 4, 8, 6), "rear")
    assert [e.data["lost"] for e in events if e.kind == "inside"] == [["Shell"] * 4, [], []]
    assert (kinds(events)["exploded"], here(after, "Blue 1").computed) == (1, False)
    # Without a computer each is rolled for.
    without = state.with_component("Blue 1", "Gunnery Computer", hits=2)
    _, events = shot(without, ROCKET, (8, 8, 8, 3, 2, 4, 8, 1, 1, 1, 1, 1), "rear")
    assert kinds(events)["exploded"] == 0


@pytest.mark.parametrize(("die", "explodes"), [(6, True), (5, False)])
def test_a_tank_that_flame_hits_explodes_on_7_with_its_damage(die, explodes):
    state = duel(facing=0, cell=(4, 5))
    state = bare(state)
    # d8+3 less 1 with a 1 is 3, all of it on a tank that takes 9.
    state = state.with_component("Blue 1", "fuel tank", spaces=9)
    after, events = shot(state, FLAME, (1, 4, die - 2), "rear")
    assert here(after, "Blue 1").component("fuel tank").hits == (9 if explodes else 3)
    assert bool(kinds(events)["exploded"]) == explodes
    assert after.person("driver of Blue 1").dead == explodes
    told = next(e.words for e in events if "fuel tank of Blue 1 (d8+3, 7+ explodes)" in e.words)
    assert told.endswith("; it does not explode: 6") != explodes


def test_flame_that_goes_through_to_the_section_of_a_damaged_tank_may_blow_it_up():
    """ "If flame hits any part of the relevant section of a vehicle … with a damaged Fuel Tank"."""
    state = bare(duel(cell=(4, 5), type="Muscle Car")).with_component("Blue 1", "fuel tank", hits=1)
    state = state.with_vehicle("Blue 1", driver=None).with_person("driver of Blue 1", dead=True, vehicle=None)
    for part in here(state, "Blue 1").components:
        if part.section != "rear":
            state = state.with_component("Blue 1", part.name, hits=part.spaces, rounds=())
    # It comes from the front, and all 3 points are taken by a tyre of the rear.
    _, events = shot(state, FLAME, (1, 1, 6), "front")
    assert kinds(events)["exploded"] == 1
    assert one(events, "inside")["component"] == "left rear tyre"
    # What the armour of the front holds reaches no tank in the rear.
    held = state.with_vehicle(
        "Blue 1", armour=tuple(replace(b, hits=0) for b in here(state, "Blue 1").armour)
    )
    _, events = shot(held, FLAME, (1,), "front")
    assert kinds(events)["exploded"] == 0


def test_what_it_led_to_is_told_as_a_loss_and_leads_the_result():
    """A driver who is dead and cover that is gone stand above the ram and the markers that did it."""
    state = duel()
    play = played(state)
    kill(play, state.person("driver of Blue 1"), "")
    mark_ = played(duel(terrain=[Terrain("Trees 1", "trees", (5, 8), (1, 1))]))
    mark(mark_, "Trees 1", 2, (5, 8))
    assert [e.tone for e in (*play.events, *mark_.events)] == ["loss", "bad", "loss"]


def test_an_extinguisher_saves_a_tank_from_shells():
    state = duel(facing=0)
    state = bare(state)
    shot(state, SHELL, (1, 5, 4), "rear")  # 2 on the tank, and no die for it
    without = state.with_component("Blue 1", "Fire Extinguisher", hits=2)
    after, events = shot(without, SHELL, (1, 5, 4, 7), "rear")  # 7 - 2 + 2 = 7
    assert kinds(events)["exploded"] == 1
    assert here(after, "Blue 1").wreck


def test_cover_takes_markers_before_whoever_is_in_it():
    trees = Terrain("Trees 1", "trees", (5, 5), (1, 1))
    state = duel(terrain=[trees])
    state = afoot(state, (5, 5))
    # A Rocket at range 2: 6+4-2 = 8 points: 2 markers cover trees of one point, 3 of the rest kill.
    after, events = shot(state, ROCKET, (1, 2, 6, 4))
    assert one(events, "razed") == {"terrain": "Trees 1"}
    assert after.person("driver of Blue 1").dead
    assert after.terrain == ()


def test_a_driver_on_foot_is_harder_to_hit():
    state = duel(cell=(9, 9))
    state = afoot(state, (5, 5))
    after, events = shot(state, MG, (4, 5))
    assert one(events, "hit")["needed"] == 4, "range 2, +2"
    assert after.person("driver of Blue 1").hits == 1


def test_return_fire_once_and_one_round_at_a_target():
    state = duel()
    # 1: a shell is short of nothing at range 3 (d8+3); 1 - 3 does nothing. Blue may return fire.
    fired = {"mount": "front pod", "weapon": "Shell", "line": 0, "target": "Blue 1"}
    state, events = act(state, "fire", (1, 1), **fired, aim="front")
    assert one(events, "reply") == {"vehicle": "Blue 1", "at": "Red 1"}
    assert "not to be done now" in reasons(state, "done")
    back = {"mount": "front pod", "weapon": "Shell", "line": 4, "target": "Red 1"}
    state, _ = act(state, "return", (1, 1), **back, aim="front")
    assert state.reply is None
    assert reasons(state, "fire", **fired)
    assert [len(here(state, n).component("front pod").rounds) for n in ("Red 1", "Blue 1")] == [2, 2]


def test_passive_weapons_are_dropped_onto_a_free_point_first_along_a_line():
    state = duel()
    cells = state.board.cells
    assert not reasons(state, "drop", mount="rear pod", kind="Oil", point=cells.index((1, 5)))
    state, events = act(state, "drop", mount="rear pod", kind="Oil", point=cells.index((1, 5)))
    assert one(events, "laid")["token"] == "Oil 1"
    assert reasons(state, "drop", mount="rear pod", kind="Mines", point=cells.index((1, 6))), (
        "one round a Pod"
    )
    assert reasons(duel(), "drop", mount="rear pod", kind="Oil", point=cells.index((0, 5)))


STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


LEAST = {"Oil": 5, "Smoke": 3, "Spikes": 2}

TYRES = {5: 1, 6: 1, 7: 2, 8: 2}


class Skidder:
    """A drive by the book alone: its place, its facing, the points that are left, how it ended."""

    def __init__(self, at, facing, speed, safe, size, *, bike):
        self.at, self.facing, self.speed, self.safe, self.size, self.bike = (
            at,
            facing,
            speed,
            safe,
            size,
            bike,
        )
        self.left, self.how, self.gone, self.hurt, self.used = 0, "", 0, 0, []

    def on(self):
        """A point further; False where the board ends."""
        dx, dy = STEPS[(self.facing + 4 * (self.speed < 0)) % 8]
        there = (self.at[0] + dx, self.at[1] + dy)
        if not all(0 <= n < most for n, most in zip(there, self.size, strict=True)):
            self.how = "crashed"
            return False
        self.at = there
        return True

    def drive(self, corners, counters, chance):
        """All of its way, with dice as chance has them."""
        points = abs(self.speed)
        while self.gone < points and not self.how:
            if not self.on():
                return
            self.gone += 1
            corner, kind = corners[self.gone - 1], counters.get(self.at)
            over = points - self.safe[abs(corner) - 1] if corner else 0
            if kind is not None:
                over = max(over, LEAST[kind], points)
                # Of Spikes a die for each tyre, which a 1 does not hurt.
                self.used += [1] * 4 * (kind == "Spikes")
            if over <= 0:
                self.facing = (self.facing + corner) % 8
                continue
            self.skid(over, chance)
            drifted = self.drifted
            if not self.how and (drifted or corner):
                self.left = max(points - self.gone, 0)
                return

    def skid(self, over, chance):
        """Drift, Final Facing, tyres."""
        self.drifted = 0
        if over > 1:
            # Nothing at 1, d8-7 at 2 and one more for each further, d8 from 9 on.
            self.used.append(chance.randint(1, 8))
            for _ in range(max(self.used[-1] - max(9 - over, 0), 0)):
                if not self.on():
                    return
                self.drifted += 1
        self.gone += self.drifted
        self.used.append(chance.randint(1, 8))
        fast = abs(self.speed)
        total = self.used[-1] + (0 if fast < 4 else 1 if fast == 4 else 2 if fast < 7 else 3)
        # The ring of the Final Facing runs clockwise from 5.
        turned = (0 if total <= 4 else 4 - total) % 8
        self.facing = (self.facing + turned) % 8
        if not (self.bike and turned):
            self.hurt += TYRES.get(over, 3 if over > 8 else 0)
        self.how = "stopped" if turned else "wrecked" if self.hurt >= 3 else ""


def test_skids_end_where_an_oracle_written_from_the_book_alone_says():
    """ "Move car to the skid point … Consult the Drift Table; determine Final Facing": on any board."""
    chance, found = random.Random("skids"), Counter()
    types = {name: here(standing(("Red 1", name, (3, 3), 0, 0), FAR), "Red 1") for name in layouts()}
    for number in range(volume(150, 20_000)):
        name = chance.choice(list(types))
        red = types[name]
        columns, rows = chance.choice(((13, 13), (26, 13), (61, 61)))
        start = (columns // 2, rows // 2)
        low = -red.layout.reverse
        speed = chance.choice([n for n in range(low, red.layout.top + 1) if n])
        flat = 0 if red.bike else chance.choice((0, 0, 1, 2))
        facing, sharpest = chance.randrange(8), red.layout.sharpest
        corners = [chance.choice((0, 0, 0, chance.randint(-sharpest, sharpest))) for _ in range(abs(speed))]
        safe = [max(n - flat, 0) for n in red.layout.safe]
        kinds_there = ("Oil", "Smoke") if red.bike or flat else ("Oil", "Smoke", "Spikes")
        counters = {
            (start[0] + chance.randint(-3, 3), start[1] + chance.randint(-3, 3)): chance.choice(kinds_there)
            for _ in range(chance.choice((0, 0, 2, 6)))
        }
        counters.pop(start, None)
        book = Skidder(start, facing, speed, safe, (columns, rows), bike=red.bike)
        book.drive(corners, counters, chance)
        tokens = [Token(f"{kind} {k}", kind, at) for k, (at, kind) in enumerate(counters.items())]
        state = standing(("Red 1", name, start, facing, speed), ("Blue 1", "Saloon", (0, 0), 4, 0))
        state = state.with_vehicle("Blue 1", cell=None)
        state = replace(state, tokens=tuple(tokens), kept=BoardJson(columns, rows, 2.0, (0.0, 0.0, 0.0), 0.3))
        for tyre in ("left front tyre", "right rear tyre")[:flat]:
            state = state.with_component("Red 1", tyre, hits=3)
        # What a crash or a slide damages takes further dice.
        play = played(state, [*book.used, 1, 1, *[*range(1, 9)] * 6])
        drove = drive(play, "Red 1", corners)
        now, told = here(play.state, "Red 1"), kinds(play.events)
        scene = (number, name, speed, facing, corners, counters, book.used)
        assert (now.cell, now.facing, drove.left) == (book.at, book.facing, book.left), scene
        assert bool(told["crashed"]) == (book.how == "crashed"), scene
        assert bool(drove.over) == (book.how == "stopped"), scene
        found[book.how or ("goes on" if book.left else "skidded" if book.used else "drove")] += 1
    assert min(found[how] for how in ("crashed", "stopped", "wrecked", "goes on", "skidded")) > 0, found

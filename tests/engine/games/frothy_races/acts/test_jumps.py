"""Jumps with Leap and Whitey, runners of a Scoring race, points by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.events import Illegal
from engine.games.frothy_races.acts.runners import RUNNERS
from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.rules.ways import jumps
from engine.games.frothy_races.state.game_state import Obstacle
from tests.engine.games.frothy_races.playing import begun, cell, do, match_at, standing, vehicle

HAZARD = Obstacle("Hazard 1", "hazard", cell(1, 3))


def jumping(*obstacles, speed=3, turn=3, traits=(), **rules):
    """Red 1 before obstacles, with `turn` spaces straight on."""
    there = (("Red 1", cell(1, 2), 0, speed), ("Black 1", cell(3, 9), 0, 1))
    match = standing(*there, turn=turn, obstacles=obstacles, **{"jumps": True} | rules)
    return match_at(match.state.with_vehicle("Red 1", traits=tuple((t, 1) for t in traits)))


def kinds(match):
    return {o.kind for o in match.options()}


def words(events):
    return "\n".join(e.words for e in events)


def test_a_jump_clears_a_hazard_for_a_card_then_rolls_for_control_and_damage():
    match = jumping(HAZARD)
    events = do(match, "jump", vehicle="Red 1", cards="Reins 1")
    assert events[-1].citation == cite("Movement", "Jumps")
    assert {w.sides for w in jumps(match.state, match.state.vehicle("Red 1"), 1, 3)} == {"JFF"}
    events = do(match, "move", vehicle="Red 1", way="JFF")
    assert "a jump" in match.state.agenda[0].words
    assert match.state.vehicle("Red 1").cell == cell(1, 4), "it stops where it lands"
    assert match.state.vehicle("Red 1").control == 0, "the hazard costs nothing"
    # Speed 3: one die for control; half of it, rounded up, for damage.
    events = do(match, "control", ["Slow", "0", "3"], vehicle="Red 1")
    assert "2 dice (a jump)" in words(events)
    assert match.state.vehicle("Red 1").damage == 1
    assert match.state.turn.left == 1
    assert "jump" not in kinds(match), "once in a turn"


def test_damage_icons_and_the_jump_are_one_damage_roll():
    match = jumping(HAZARD)
    do(match, "jump", vehicle="Red 1", cards="Reins 1")
    do(match, "move", vehicle="Red 1", way="JFF")
    events = do(match, "control", ["Damage", "0", "0", "0"], vehicle="Red 1")
    assert "3 dice (Control roll and jump)" in words(events)


def test_at_a_safe_speed_without_points_only_damage_is_rolled():
    match = jumping(HAZARD, speed=2, turn=2)
    do(match, "jump", vehicle="Red 1", cards="Whip 1")
    events = do(match, "move", ["0"], vehicle="Red 1", way="JF")
    assert "1 die (a jump)" in words(events)


def test_only_what_is_low_and_not_the_last_space_is_jumped():
    wall = Obstacle("Solid Obstacle 1", "solid", cell(1, 3))
    debris = Obstacle("Debris 1", "fragile", cell(1, 5))
    assert "jump" not in kinds(jumping(wall))
    assert "jump" not in kinds(jumping(debris, turn=3)), "the last space is not jumped"
    assert "jump" in kinds(jumping(debris, turn=4))
    assert "jump" not in kinds(jumping(HAZARD, jumps=False))
    assert "jump" not in kinds(jumping())
    wreck = jumping().state.with_vehicle("Black 1", cell=cell(1, 3), wreck=True)
    assert "jump" in kinds(match_at(wreck))
    assert "jump" not in kinds(match_at(wreck.with_vehicle("Black 1", wreck=False)))


def test_leap_clears_two_spaces_and_whitey_none():
    two = (HAZARD, Obstacle("Hazard 2", "hazard", cell(1, 4)))
    match = jumping(*two, traits=("Leap",))
    do(match, "jump", vehicle="Red 1", cards="Reins 1")
    ways = {w.sides for w in jumps(match.state, match.state.vehicle("Red 1"), 2, 3)}
    assert ways == {"JFF", "FJF", "JJF"}
    match = jumping(*two, traits=("Whitey",))
    assert "jump" not in kinds(match)
    with pytest.raises(Illegal):
        do(match, "jump", vehicle="Red 1", cards="Reins 1")


def test_a_runner_starts_at_the_side_crosses_and_scores():
    match = begun(
        vehicle("Red 1"), vehicle("Black 1"), race="Scoring", circuit="oval", runners=1, for_runner=4
    )
    events = do(match, "start", (5, 2, 4, 1))
    (one,) = [o for o in match.state.obstacles if o.heading is not None]
    assert next(e for e in events if e.kind == "laid").citation == RUNNERS
    board = match.state.board
    assert board.lane_of(one.cell) == 0
    assert one.worth == 4
    for name in ("Red 1", "Black 1"):
        do(match, "check", "00", vehicle=name)
    lanes = [e.data["cell"] for e in match.log if e.kind == "ran"]
    assert [board.lane_of(tuple(c)) for c in lanes] == [1], "a space a movement phase"


def test_a_runner_waits_for_a_vehicle_and_is_run_over_for_points():
    runner = Obstacle("Runner 1", "fragile", cell(1, 3), 1, 4, 2)
    match = jumping(runner, turn=1, race="Scoring", jumps=False)
    events = do(match, "move", ["0", "0"], vehicle="Red 1", way="F")
    assert "scores 4 for Runner 1" in words(events)
    assert match.state.obstacles == ()


def test_points_by_hand():
    state = begun(race="Scoring", circuit="oval", worths=[4]).state
    assert [o.worth for o in state.obstacles if o.sort == "fragile"] == [4, 2]
    assert replace(state.rules, worths=()).for_obstacle == 2

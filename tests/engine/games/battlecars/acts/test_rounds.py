"""Game turns: speeds within acceleration, revealed together; the order, smoke, stunned drivers, the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.dice import TypedDice
from engine.game.events import Action, Illegal
from engine.games.battlecars.state.game_state import Token
from tests.engine.games.battlecars.playing import (
    GAME,
    act,
    begun,
    do,
    here,
    kinds,
    one,
    speeds,
    standing,
    vehicle,
)


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
    events = speeds(match, Red=2)
    assert kinds(events)["revealed"] == 0
    assert here(match.state, "Red 1").speed == 0
    events = speeds(match, Blue=1)
    assert one(events, "revealed")["speeds"] == {"Blue 1": 1, "Red 1": 2}
    assert match.state.turn is not None
    assert match.state.turn.player == "Blue"
    assert match.state.queue == ("driver of Red 1",)


def test_a_speed_beyond_the_acceleration_is_refused():
    match = begun()
    do(match, "start", (3, 8))
    with pytest.raises(Illegal, match="from -2 to 2"):
        speeds(match, Red=3)


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
    state = state.with_vehicle("Blue 1", driver=None).with_person(
        "driver of Blue 1", vehicle=None, cell=(3, 5)
    )
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
        with pytest.raises(Illegal):
            match.do(Action("build", None, wrong), None, TypedDice())
    assert GAME.status(match.state, None).who == "The board is laid out"  # type: ignore[arg-type]

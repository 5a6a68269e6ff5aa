from __future__ import annotations

import pytest

from tests.engine.games.car_cult.playing import (
    activated,
    begun,
    car,
    do,
    here,
    offered,
    reasons,
    tokens,
    told,
)


def moving(*parts, speed=3, engine="Straight Five", **more):
    """Red 1 about to move with so many Speed tokens: 9 to 12 in with three."""
    match = begun(car("Red 1", engine, *parts), car("Blue 1", "Straight Five", "Rifle"),
                  tokens={"Red 1": speed} | more)  # fmt: skip
    activated(match)
    return match


def test_a_move_between_minimum_and_maximum():
    match = moving()
    assert match.state.range_of_move() == (9, 12)
    do(match, "move", car="Red 1", inches=10.5)
    assert match.state.turn.moved


def test_less_than_the_minimum_takes_a_braking_roll():
    match = moving("Rifle")
    # 3.5 in not moved count as 3: a 12 comes to 9.
    events = do(match, "move", (12,), car="Red 1", inches=5.5)
    assert told(events, "checked") == [{"car": "Red 1", "value": 12, "total": 9, "safe": False}]
    assert {o.player for o in offered(match, "damage")} == {"Blue"}


@pytest.mark.parametrize(("value", "safe"), [(13, True), (12, False)])
def test_rough_terrain_by_the_inches_inside_it(value, safe):
    match = moving("Rifle")
    events = do(match, "move", (value,), car="Red 1", inches=10.0, rough=3.9)
    assert told(events, "checked")[0]["safe"] == safe


def test_the_notes_example_blocking_terrain_after_9_and_a_half_of_12():
    match = moving("Dangerous Driver", "Rifle", speed=4)
    assert match.state.range_of_move() == (12, 14)
    events = do(match, "move", car="Red 1", inches=9.5, into="Blocking terrain")
    assert tokens(match, "Red 1", "Straight Five") == "....."
    assert len(match.state.duties) == 2
    assert {o.player for o in offered(match, "damage")} == {"Red"}
    assert told(events, "stopped")[0]["tokens"] == 4


def test_another_model_is_blocking_terrain_and_both_are_damaged():
    match = moving("Dangerous Driver", "Rifle", speed=4)
    do(match, "move", car="Red 1", inches=10.0, into="Blue 1")
    assert [(d.car, d.by) for d in match.state.duties] == [("Red 1", "Red")] * 2 + [("Blue 1", "Blue")] * 2


def test_a_reinforced_ram_attacks_with_the_tokens_on_the_engine():
    match = moving("Reinforced Ram", speed=3)
    do(match, "move", (9,), car="Red 1", inches=5.0, into="Blue 1")
    # Blast 10 against a minimum of 0; three tokens on the engine.
    assert [(d.car, d.by) for d in match.state.duties] == [
        ("Blue 1", "Blue"),
        ("Blue 1", "Red"),
        ("Blue 1", "Red"),
    ]
    assert tokens(match, "Red 1", "Straight Five") == "SSS.."


def test_a_reinforced_ram_does_not_help_against_terrain():
    match = moving("Reinforced Ram", speed=3)
    do(match, "move", car="Red 1", inches=5.0, into="Blocking terrain")
    assert len(match.state.duties) == 4


def test_mines_are_laid_along_the_route_and_become_damage():
    match = begun(car("Red 1", "Straight Five", "Mines"), car("Blue 1", "Straight Five", "Rifle", "Cannon"),
                  tokens={"Red 1": 3, "Blue 1": 2})  # fmt: skip
    activated(match, "Mines · 1", "Mines · 2")
    events = do(match, "move", car="Red 1", inches=9.0, mines=2)
    assert [d["token"] for d in told(events, "laid")] == ["Mine 1", "Mine 2"]
    assert tokens(match, "Red 1", "Mines") == "DD.."
    do(match, "done")
    activated(match)
    # Blast 10 at a minimum of 5: 5 or more. Each Mine attacks once the damage of the one before is placed.
    events = do(match, "move", (5,), car="Blue 1", inches=5.0, triggered=["Mine 2", "Mine 1"])
    assert [d["token"] for d in told(events, "removed")] == ["Mine 2"]
    assert [e.words for e in events if e.kind == "hit"] == ["5 of 5 needed: Mine 2 hits Blue 1"]
    assert {d.cause for d in match.state.duties[:2]} == {"Mine 2"}
    assert [d.by for d in match.state.duties[:2]] == ["Blue", "Red"]
    do(match, "damage", component="Rifle")
    events = do(match, "damage", (4,), component="Rifle")
    assert told(events, "missed")[0]["needed"] == 5
    assert not match.state.laid


def test_an_engine_full_of_damage_stops_the_car():
    match = begun(car("Red 1", "Quick Four", "Rifle"), car("Blue 1"), tokens={"Red 1": 2})
    match.overrule(("cars", "Red 1", "components", 0, "zones"), ["Damage"] * 4, "", "Blue")
    activated(match)
    assert here(match, "Red 1").limits == (0, 0)
    assert not offered(match, "move")
    assert offered(match, "done")


def test_too_far_is_refused_and_may_be_accepted():
    match = moving("Rifle")
    option = offered(match, "move")[0]
    assert option.form.fields["inches"].high == 12.0
    assert "12" in reasons(match, "move", car="Red 1", inches=12.5)


def test_too_much_drift():
    match = moving("Rifle")
    # A quarter of 9, rounded down.
    assert match.state.range_of_move()[0] // 4 == 2
    assert reasons(match, "move", car="Red 1", inches=10.0, drift=2.5)
    assert not reasons(match, "move", car="Red 1", inches=10.0, drift=2.0)

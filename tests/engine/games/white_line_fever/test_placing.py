from __future__ import annotations

import math

import pytest

from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import car, table


def shot_at(weapon, at=(20, 10, 0), primary=None, brand="Venus"):
    """Red 1 at (10, 10) has hit Blue 1 with a weapon that moves somebody, seen by the table."""
    match = begun(
        sheet("Red 1", "Red", primary or "Machine Gun", "Oil" if primary else weapon, brand),
        sheet("Blue 1", "Blue"),
    )
    drive(match, "Red 1")
    stood = table(car("Red 1", 10, 10), car("Blue 1", *at))
    do(match, "shoot", (8,), table=stood, weapon=weapon, target="Blue 1")
    return match


@pytest.mark.parametrize(
    ("weapon", "at", "target"),
    [
        ("Long Horn", (20, 10, 30), (20, 10, -150)),
        ("Slammer", (20, 10, 90), (23, 10, 90)),
        ("Slammer", (16, 18, 0), (16 + 1.8, 18 + 2.4, 0)),
        ("Harpoon", (20, 10, 90), (17, 10, 90)),
    ],
)
def test_the_ghost_of_a_displaced_target(weapon, at, target):
    match = shot_at(weapon, at)
    x, y, heading = match.state.duties[0].target
    assert (x, y, math.degrees(heading)) == pytest.approx(target)


def test_a_tank_cannon_turns_and_a_field_cannon_rolls_its_own_car_back():
    for weapon, target in (("Tank Cannon", (10, 10, math.pi)), ("Field Cannon", (8, 10, 0))):
        match = shot_at(weapon, (14.5, 10, 0), primary=weapon)
        assert match.state.duties[0].target == pytest.approx(target)


def test_without_a_table_there_is_no_ghost_and_the_players_vouch():
    match = begun(sheet("Red 1", "Red", secondary="Slammer"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Slammer", target="Blue 1", band="short")
    assert match.state.duties[0].target is None
    assert kinds(do(match, "placed", car="blue 1")) == ["placed"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((23, 10, 0), ""),
        ((23.3, 10.3, 8), ""),
        ((23.6, 10, 0), "Blue 1 stands 0.60 in and 0° from where it must"),
        ((23, 10, 15), "Blue 1 stands 0.00 in and 15° from where it must"),
    ],
)
def test_the_table_confirms_the_place(place, words):
    match = shot_at("Slammer")
    stood = table(car("Red 1", 10, 10), car("Blue 1", *place))
    assert reasons(match, "placed", stood, car="Blue 1") == words
    if words:
        assert kinds(do(match, "placed", table=stood, car="Blue 1", ruled="yes")) == ["ruled", "placed"]
    else:
        assert told(do(match, "placed", table=stood, car="Blue 1"), "placed")[0]["at"][0] == place[0]


def test_what_stopped_the_car_excuses_its_place():
    match = shot_at("Slammer")
    stood = table(car("Red 1", 10, 10), car("Blue 1", 21, 10))
    assert reasons(match, "placed", stood, car="Blue 1")
    events = do(match, "placed", (4,), table=stood, car="Blue 1", contacts=["Rock"])
    assert told(events, "collision")


@pytest.mark.parametrize(
    ("degrees", "lawful"), [(0, True), (90, True), (-90, True), (110, False), (180, False)]
)
def test_a_disruptor_turns_by_up_to_ninety_degrees_on_the_spot(degrees, lawful):
    match = shot_at("Disruptor")
    assert reasons(match, "placed", car="Blue 1", player="Blue") == "it is Red's to do, not Blue's"
    stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10, degrees))
    assert (reasons(match, "placed", stood, car="Blue 1", player="Red") == "") is lawful
    away = table(car("Red 1", 10, 10), car("Blue 1", 22, 10, degrees))
    assert reasons(match, "placed", away, car="Blue 1") != ""


def test_nothing_else_happens_before_the_car_is_placed():
    match = shot_at("Slammer")
    for kind in ("floor_it", "end", "drop"):
        assert reasons(match, kind) == "first Blue 1 has to be settled (push): place it"
    assert {o.kind for o in match.options()} == {"placed"}
    assert reasons(match, "placed", car="Red 1") == "Red 1 does not have to be placed"


def test_a_pushed_car_may_leave_the_surface():
    match = shot_at("Slammer")
    events = do(match, "placed", car="Blue 1", left_surface=True)
    assert kinds(events) == ["placed", "left", "over"]
    assert match.state.winner == "Red"


def test_a_car_pulled_into_the_driver_ends_the_round():
    match = shot_at("Harpoon")
    do(match, "placed", (2, 2), car="Blue 1", contacts=["Red 1"])
    for name in ("Blue 1", "Red 1"):
        events = do(match, "placed", car=name)
    assert kinds(events) == ["placed", "ended", "round"]


def test_several_placements_of_one_car_come_in_their_order():
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue", secondary="Springboard"))
    drive(match, "Red 1")
    do(match, "end")
    drive(match, "Blue 1")
    do(match, "drop")
    do(match, "end")
    drive(match, "Red 1", triggered=["Springboard 1"], contacts=["Rock"], dice=(1,))
    assert [d.kind for d in match.state.duties] == ["push", "spin"]
    assert told(do(match, "placed", car="Red 1"), "placed")[0]["duty"] == "push"
    assert told(do(match, "placed", car="Red 1"), "placed")[0]["duty"] == "spin"

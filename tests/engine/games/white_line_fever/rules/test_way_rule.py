"""Ways that are typed while the table is looked at."""

from __future__ import annotations

import math

import pytest

from tests.engine.games.white_line_fever.playing import begun, do, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table

RUN = [{"kind": "straight", "ahead": 6.0}]
TURNED = [
    {"kind": "straight", "ahead": 3.0},
    {"kind": "turn", "angle": 0.5},
    {"kind": "straight", "ahead": 3.0},
]


def why(stood, **data):
    match = begun(sheet("Red 1", "Red", speed=6), sheet("Blue 1", "Blue"))
    return reasons(match, "move", stood, car="Red 1", **data)


@pytest.mark.parametrize("said", [{"from": [10, 20, 0]}, {"to": [16, 20, 0]}, {}])
def test_steps_through_a_rock_are_refused(said):
    stood = table(car("Red 1", 16, 20, sd=0.01), block("Rock", 13, 20, 1, 1))
    assert why(stood, steps=RUN, **said) == "these steps go through Rock"
    assert why(stood, steps=RUN, contacts=["Rock"], **said) == ""
    assert why(stood, steps=RUN, ruled="yes", **said) == ""


def test_a_car_that_stands_where_it_began_may_be_meant():
    stood = table(car("Red 1", 16, 20), block("Rock", 19, 20, 1, 1))
    assert "go through Rock from where Red 1 stands" in why(stood, steps=RUN)
    assert why(stood, steps=RUN, **{"from": [10, 20, 0]}) == ""


def test_steps_over_the_edge_have_left_the_surface():
    stood = table(car("Red 1", 47, 20))
    assert why(stood, steps=RUN, to=[47, 20, 0]) == "these steps leave the surface"
    assert why(stood, steps=RUN, to=[47, 20, 0], left_surface=True) == ""


def test_steps_have_to_lead_where_the_car_went():
    stood = table(car("Red 1", 20, 20))
    wrong = why(stood, steps=RUN, **{"from": [10, 20, 0], "to": [20, 20, 0]})
    assert wrong == "these steps lead 4.00 in and 0° from where Red 1 went"
    assert "these steps lead 4.00 in" in why(stood, steps=RUN, **{"from": [10, 20, 0]})
    assert why(stood, steps=RUN, **{"from": [14, 20, 0], "to": [20, 20, 0]}) == ""


def test_a_car_has_to_stand_where_it_is_said_to_have_gone():
    stood = table(car("Red 1", 20, 20))
    assert why(stood, to=[25, 20, 0]) == "Red 1 stands 5.00 in from where it is said to have gone"
    assert why(stood, to=[20.2, 20, 0]) == ""
    assert why(None, to=[25, 20, 0], steps=RUN, **{"from": [0, 0, 0]}) == ""


@pytest.mark.parametrize("pivot", [-0.89, -1.475])
def test_a_turn_may_be_on_the_rear_axle_or_the_rear_edge(pivot):
    c, s = math.cos(0.5), math.sin(0.5)
    x, y = 13 + pivot - pivot * c + 3 * c, 20 - pivot * s + 3 * s
    assert why(table(car("Red 1", x, y, math.degrees(0.5))), steps=TURNED, **{"from": [10, 20, 0]}) == ""


def test_an_obstacle_without_a_tag_can_be_named_and_a_misspelt_one_is_refused():
    stood = table(car("Red 1", 16, 20), block("Rock", 30, 20, 1, 1))
    assert "nothing is called 'Rok'" in why(stood, contacts=["Rok"])
    assert "did you mean 'Rock'?" in why(stood, contacts=["Rok"])
    match = begun(sheet("Red 1", "Red", speed=6), sheet("Blue 1", "Blue"))
    do(match, "choose", car="Red 1")
    (move,) = [o for o in match.options(stood) if o.kind == "move"]
    assert "obstacle" in move.form.fields
    events = do(match, "move", (3,), table=stood, car="Red 1", obstacle="the blue mug")
    assert kinds(events)[:3] == ["moved", "collision", "roll"]
    assert told(events, "collision")[0]["obstacles"] == ["the blue mug"]

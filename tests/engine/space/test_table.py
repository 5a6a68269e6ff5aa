from __future__ import annotations

import numpy as np
import pytest

from engine.errors import ShapeError, TableRefError
from engine.space.catalogue import CARS, box
from engine.space.pieces import car_body
from engine.space.table import PoseUncertainty, key_of
from tests.engine.tables import block, car, table


@pytest.mark.parametrize("typed", ["Red 1", "red-1", "RED_1", "red1"])
def test_a_piece_is_found_as_people_type_it(typed):
    assert table(car("Red 1", 1, 1), car("Red 2", 5, 5)).find(typed).name == "Red 1"
    assert key_of(typed) == "red1"


def test_an_unknown_piece_is_refused_with_what_there_is():
    with pytest.raises(TableRefError, match="no piece called 'Blue 9' is on the table; seen: Red 1, Crate"):
        table(car("Red 1", 1, 1), block("Crate", 5, 5, 1, 1)).find("Blue 9")
    with pytest.raises(TableRefError, match="seen: nothing"):
        table().find("Blue 9")


def test_the_others_are_everything_else():
    state = table(car("Red 1", 1, 1), car("Red 2", 5, 5), block("Crate", 9, 9, 1, 1))
    assert [s.name for s in state.others("red 2")] == ["Red 1", "Crate"]


def test_an_uncertainty_adds_what_is_shared():
    known = PoseUncertainty(np.diag([1.0, 1.0, 0.0]), np.array([[2.0], [0.0], [0.0]]))
    assert known.total == pytest.approx(np.diag([5.0, 1.0, 0.0]))
    assert PoseUncertainty.exact().total.any() == np.False_


@pytest.mark.parametrize(("own", "shared"), [(np.eye(2), np.zeros((3, 0))), (np.eye(3), np.zeros((2, 1)))])
def test_an_uncertainty_of_another_shape_is_refused(own, shared):
    with pytest.raises(ShapeError, match=r"expected a \(3, 3\) covariance"):
        PoseUncertainty(own, shared)


def test_a_car_knows_its_axles_and_terrain_has_none():
    sedan = CARS["sedan"]
    assert sedan.front_axle == pytest.approx((0.89, 0))
    assert sedan.rear_axle == pytest.approx((-0.89, 0))
    for axle in ("front_axle", "rear_axle"):
        with pytest.raises(ShapeError, match="has no tyres"):
            getattr(box(1, 1, 1), axle)


def test_axles_the_wrong_way_round_are_refused():
    with pytest.raises(ShapeError, match="must lie ahead of the rear axle"):
        car_body("odd", length=3, width=1.2, axles=(-0.9, 0.9), track=1, height=1)


def test_every_piece_is_its_players_and_others_keep_their_owner():
    before = table(car("Red 1", 1, 1), car("Red 2", 5, 5), block("Crate", 9, 9, 1, 1))
    state = before.owned({"red-1": "Ann", "Red 2": "Ann"}).owned({"RED1": "Ben", "nobody": "Ann"})
    assert [s.piece.owner for s in state.standings] == ["Ben", "Ann", None]
    assert (state.time, state.find("Red 1").pose) == (before.time, before.find("Red 1").pose)

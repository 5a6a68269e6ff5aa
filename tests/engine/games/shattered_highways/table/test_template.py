"""The template: both positions, its six numbered sections, Lost Control's edges."""

from __future__ import annotations

import math

import pytest

from engine.errors import TableRefError
from engine.games.shattered_highways.table.template import (
    Template,
    bumper,
    centred_over,
    laid_at_bumper,
    template_rows,
)
from engine.space.geometry import Pose
from tests.engine.games.shattered_highways.table.highway import car, rig

RED = car("Red", 20.0, 10.0)
NOSE = 20.0 + 2.95 / 2


def test_the_bumper_is_at_the_rear_edge_or_at_the_front_edge() -> None:
    ahead = laid_at_bumper([RED], 0.0, "rear").outline.polygon.bounds
    behind = laid_at_bumper([RED], 0.0, "front").outline.polygon.bounds
    assert ahead == pytest.approx((NOSE, 8.0, NOSE + 9.0, 12.0))
    assert behind == pytest.approx((NOSE - 9.0, 8.0, NOSE, 12.0))


def test_a_vehicle_with_a_trailer_has_a_box_of_two_by_two_sections() -> None:
    vehicle = rig("Hauler", 20.0, 10.0)
    assert (template_rows([RED]), template_rows(vehicle)) == (3, 2)
    template = laid_at_bumper(vehicle, 0.0, "rear")
    assert template.outline.polygon.bounds == pytest.approx((21.7, 8.0, 27.7, 12.0))
    assert template.numbers == ()


def test_sections_are_numbered_clockwise_from_the_upper_right() -> None:
    # Seen in the direction of travel (to the right on the table) the upper right is ahead and to the right.
    template = Template(Pose(0.0, 0.0))
    middles = {n: template.section(n).polygon.centroid.coords[0] for n in template.numbers}
    assert middles == {
        1: pytest.approx((7.5, -1.0)), 2: pytest.approx((4.5, -1.0)), 3: pytest.approx((1.5, -1.0)),
        4: pytest.approx((1.5, 1.0)), 5: pytest.approx((4.5, 1.0)), 6: pytest.approx((7.5, 1.0)),
    }  # fmt: skip
    assert all(template.section(n).area == pytest.approx(6.0) for n in template.numbers)


def test_the_farthest_edge_is_the_end_or_the_outer_side() -> None:
    template = Template(Pose(0.0, 0.0))
    edges = {n: template.farthest_edge(n).tolist() for n in template.numbers}
    assert edges == {
        1: [9.0, -1.0], 2: [4.5, -2.0], 3: [0.0, -1.0], 4: [0.0, 1.0], 5: [4.5, 2.0], 6: [9.0, 1.0],
    }  # fmt: skip
    with pytest.raises(TableRefError, match="from 1 to 6"):
        template.farthest_edge(7)


def test_it_is_centred_over_the_whole_vehicle() -> None:
    assert centred_over([RED], 0.0).rear == Pose(15.5, 10.0)
    vehicle = rig("Hauler", 20.0, 10.0)
    low, high = vehicle[1].region.outline[:, 0].min(), vehicle[0].region.outline[:, 0].max()
    assert centred_over(vehicle, 0.0).rear.x + 4.5 == pytest.approx((low + high) / 2)


def test_it_lies_along_the_road_whichever_way_that_runs() -> None:
    up = car("Red", 10.0, 20.0, 90.0)
    template = laid_at_bumper([up], math.pi / 2, "rear")
    assert template.section(1).polygon.bounds == pytest.approx((10.0, NOSE + 6.0, 12.0, NOSE + 9.0))
    assert bumper(up)[0].tolist() == pytest.approx([10.6, NOSE])

"""Lines of fire past corners and targets, against an oracle that knows no corners."""

from __future__ import annotations

import random

import pytest

from benchmarks.lines_of_fire import disagreements, joined, random_board
from engine.games.battlecars.rules.lines import AREAS, along, incoming, ways
from engine.games.battlecars.state.game_state import Terrain, Token
from tests.engine.games.battlecars.playing import standing


@pytest.mark.parametrize("seed", range(4))
def test_lines_past_corners_are_those_of_the_oracle(seed):
    asked, found = disagreements(random_board(random.Random(seed)))
    assert asked > 500
    assert found == []


def test_the_oracle_is_one_that_can_disagree():
    state = standing(
        ("Red 1", "Saloon", (0, 0), 1, 0), ("Blue 1", "Saloon", (12, 12), 4, 0),
        terrain=[Terrain("Building 1", "building", (3, 4), (1, 1))],
    )  # fmt: skip
    # The diagonal from (0, 0) goes over (3, 3) and (4, 4): the corner (3.5, 3.5) lies between.
    assert along(state, (0, 0), 1).cells == ((1, 1), (2, 2), (3, 3))
    assert along(state, (0, 0), 1).ends == "the corner of Building 1"
    assert not joined(state, (0, 0), (4, 4))
    assert joined(state, (0, 0), (3, 3))


def test_only_the_nearest_may_be_fired_at_and_range_is_the_points_between():
    state = standing(
        ("Red 1", "Saloon", (1, 5), 0, 0), ("Blue 1", "Saloon", (4, 5), 4, 0),
        ("Gold 1", "Van", (9, 5), 4, 0),
        tokens=[Token("Smoke 1", "Smoke", (6, 5))],
    )  # fmt: skip
    line = along(state, (1, 5), 0)
    assert [(t.name, t.range, t.smoked) for t in line.targets] == [("Blue 1", 2, False), ("Gold 1", 7, True)]
    assert line.nearest is not None
    assert line.nearest.name == "Blue 1"


def test_pods_fire_along_their_barrel_and_45_degrees_and_turrets_along_any_line():
    state = standing(("Red 1", "Van", (6, 6), 2, 0), ("Blue 1", "Saloon", (0, 0), 4, 0))
    van = state.vehicle("Red 1")
    found = {mount: set(ways(van, mount)) for mount in van.layout.mounts}
    assert found == {
        "front pod": {1, 2, 3}, "rear pod": {5, 6, 7}, "left pod": {3, 4, 5}, "right pod": {7, 0, 1},
        "turret": set(range(8)),
    }  # fmt: skip


def test_a_bike_fires_from_trees_but_not_through_them():
    trees = Terrain("Trees 1", "trees", (3, 5), (3, 1))
    state = standing(("Red 1", "Bike", (3, 5), 0, 0), ("Blue 1", "Saloon", (8, 5), 4, 0), terrain=[trees])
    assert along(state, (3, 5), 0, bike=True).nearest is None
    assert along(state, (5, 5), 0, bike=True).nearest is not None
    outside = along(state, (1, 5), 0).nearest
    assert outside is not None
    assert outside.sort == "terrain"


@pytest.mark.parametrize(
    ("line", "facing", "come", "aims"),
    [
        (4, 0, 0, ("front",)), (0, 0, 4, ("rear",)),
        (6, 0, 2, ("left front", "left centre", "left rear")),
        (2, 0, 6, ("right front", "right centre", "right rear")),
        (5, 0, 1, ("front", "left front", "left centre")),
        (7, 0, 3, ("rear", "left rear", "left centre")),
        (0, 3, 1, ("front", "left front", "left centre")),
    ],
)  # fmt: skip
def test_what_may_be_aimed_at(line, facing, come, aims):
    state = standing(("Red 1", "Saloon", (6, 6), facing, 0), ("Blue 1", "Saloon", (0, 0), 4, 0))
    assert incoming(state.vehicle("Red 1"), line) == come
    assert AREAS[come] == aims

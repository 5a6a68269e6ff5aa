"""The book's tables and vehicles; lines of fire against an oracle that knows no corners."""

from __future__ import annotations

import random

import pytest

from engine.errors import TableRefError
from engine.games.battlecars.book.data import (
    CRASHES,
    DRIFTS,
    LEAST_DIFFERENCE,
    MG,
    PASSIVES,
    ROCKET,
    SECTIONS,
    SHELL,
    SIDE_PARTS,
    STUNNED,
    WEAPONS,
    Formula,
    HouseRules,
    crash_of,
    drift_of,
    facing_modifier,
    final_facing,
)
from engine.games.battlecars.book.vehicles import counters, hits, layouts, loads
from engine.games.battlecars.rules.lines import AREAS, along, incoming, ways
from engine.games.battlecars.state import GameState, Terrain, Token
from server.disputes.evidence import labels_of
from server.disputes.pictures import detail_svg, plan_svg
from tests.engine.games.battlecars.hands import table
from tests.engine.games.battlecars.lines_of_fire import disagreements, joined, random_board
from tests.engine.games.battlecars.playing import GAME, standing


def dice(text: str) -> Formula:
    """A formula as the book prints it: "2d8+4", "d8-2", "3"."""
    head, d, tail = text.partition("d8")
    return Formula(int(head or 1), int(tail or 0)) if d else Formula(0, int(head))


@pytest.mark.parametrize(
    ("name", "reach", "damage"),
    [
        ("Machine-gun", "d8", "d8-2"),
        ("Flame", "3", "d8+3"),
        ("Shell", "d8+3", "d8"),
        ("Rocket", "2d8", "2d8"),
    ],
)
def test_weapons(name, reach, damage):
    assert (WEAPONS[name].reach, WEAPONS[name].damage) == (dice(reach), dice(damage))
    assert len(WEAPONS) == 4


@pytest.mark.parametrize(
    ("difference", "drifted", "tyres"),
    [
        (1, "0", 0), (2, "d8-7", 0), (3, "d8-6", 0), (4, "d8-5", 0), (5, "d8-4", 1), (6, "d8-3", 1),
        (7, "d8-2", 2), (8, "d8-1", 2), (9, "d8", 3), (10, "d8", 3), (14, "d8", 3),
    ],
)  # fmt: skip
def test_the_drift_table(difference, drifted, tyres):
    row = drift_of(difference)
    assert (row.distance, row.tyres) == (dice(drifted), tyres)
    assert sorted(DRIFTS) == list(range(1, 10))


@pytest.mark.parametrize(
    ("velocity", "damage"),
    [
        (1, "d8-2"), (2, "d8-1"), (3, "d8"), (4, "d8+1"), (5, "d8+2"), (6, "d8+3"), (7, "d8+4"), (8, "2d8"),
        (9, "2d8+1"), (10, "2d8+2"), (11, "2d8+3"), (12, "2d8+4"), (13, "3d8"), (14, "3d8+1"),
        (15, "3d8+2"), (16, "3d8+3"), (17, "3d8+4"), (18, "4d8"), (25, "4d8"),
    ],
)  # fmt: skip
def test_the_crash_and_ram_damage_table(velocity, damage):
    assert crash_of(velocity) == dice(damage)
    assert (crash_of(0), len(CRASHES), STUNNED) == (None, 18, 14)


def test_the_small_tables():
    told = {speed: facing_modifier(speed) for speed in range(1, 11)}
    assert told == {1: 0, 2: 0, 3: 0, 4: 1, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 3}
    # Final facings run round the ring.
    degrees = {total: -45 * final_facing(total) % 360 for total in range(1, 12)}
    ring = {5: 45, 6: 90, 7: 135, 8: 180, 9: 225, 10: 270, 11: 315}
    assert degrees == {1: 0, 2: 0, 3: 0, 4: 0} | ring
    assert SIDE_PARTS == ("front",) * 2 + ("centre",) * 4 + ("rear",) * 2
    assert LEAST_DIFFERENCE == {"Oil": 5, "Smoke": 3, "Spikes": 2}
    with pytest.raises(TableRefError, match="rounds: expected 1 to 200 but got 0"):
        HouseRules.said({"rounds": 0})


@pytest.mark.parametrize(
    ("formula", "least", "share"),
    [
        ("d8", 1, 1.0), ("d8", 8, 1 / 8), ("d8+3", 4, 1.0), ("d8+3", 11, 1 / 8),
        ("2d8", 2, 1.0), ("2d8", 9, 36 / 64), ("3", 3, 1.0), ("3", 4, 0.0),
    ],
)  # fmt: skip
def test_the_chance_of_so_much_or_more(formula, least, share):
    assert dice(formula).at_least(least) == pytest.approx(share)


ALL = layouts()


def test_three_types_of_car_and_a_bike_which_corners_by_180_degrees_and_has_no_turret():
    assert [layout.kind for layout in ALL.values()].count("car") == 3
    assert [layout.kind for layout in ALL.values()].count("bike") == 1
    assert len(ALL["Bike"].safe) == 4
    assert all(mount.barrel != "any" for mount in ALL["Bike"].mounts.values())
    assert all(len(layout.safe) == 3 for layout in ALL.values() if not layout.bike)
    # A mix is dealt out in turn.
    assert counters("Oil, Mines", 4) == ("Oil", "Oil", "Mines", "Mines")
    assert counters("Rocket", 3) == ("Rocket",) * 3


@pytest.mark.parametrize("name", ALL)
def test_every_row_of_the_hit_location_tables_names_what_a_vehicle_may_have(name):
    layout = ALL[name]
    known = {*layout.tyres, "engine", "fuel tank", "driver", "Gunnery Computer", "Fire Extinguisher"}
    known |= {m for other in ALL.values() if other.kind == layout.kind for m in other.mounts}
    table = hits(layout.kind)
    assert set(table) == set(SECTIONS)
    named = {part for section in SECTIONS for row in table[section] for part in row}
    assert named <= known
    assert set(layout.tyres) | {"engine", "fuel tank", "driver"} | set(layout.mounts) <= named


@pytest.mark.parametrize("name", ALL)
def test_arming_by_the_book(name):
    layout = ALL[name]
    for mount in layout.mounts.values():
        allowed = loads(layout, mount)
        if mount.barrel == "any":
            assert allowed == (MG,)
        if mount.barrel in ("left", "right"):
            assert not {SHELL, ROCKET} & set(allowed)
        passive = [load for load in allowed if load.split(", ")[0] in PASSIVES]
        assert bool(passive) == (mount.barrel not in ("front", "any"))
        assert all(set(load.split(", ")) <= set(PASSIVES) for load in passive)
        assert (ROCKET in allowed) == (mount.barrel in ("front", "rear") and not layout.bike)


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


def test_what_stands_first_on_a_line_is_drawn_from_point_to_point_in_a_dispute():
    red, blue = ("Red 1", "Saloon", (1, 5), 0, 0), ("Blue 1", "Saloon", (8, 5), 4, 0)

    def drawn(state: GameState) -> tuple[str, tuple[str, ...], str]:
        (question,) = GAME.questions(state, ("Red 1", "Blue 1"))
        ruling = GAME.rule(state, question, table(state))
        (check,) = ruling.checks
        assert check.witness.line is not None
        assert check.witness.line.tolist() == [list(state.board.pose_of(c).xy) for c in ((1, 5), (8, 5))]
        labels = labels_of(ruling)
        ((_, said),) = labels
        near = detail_svg(table(state), question, ruling, state.board)
        assert near is not None
        for picture in (plan_svg(table(state), ruling, labels, state.board), near):
            assert f">{said}</text>" in picture
        return ruling.verdict.value, check.witness.blockers, said

    verdict, bars, said = drawn(standing(red, blue))
    assert (verdict, bars, said[-7:]) == ("yes", (), "range 6")
    between = standing(red, blue, ("Blue 2", "Saloon", (4, 5), 4, 0))
    assert drawn(between) == ("no", ("Blue 2",), "on that line stands first: Blue 2")
    walled = standing(red, blue, terrain=[Terrain("Building 1", "building", (4, 5), (1, 1))])
    assert drawn(walled) == ("no", (), "on that line stands first: Building 1")


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

"""The data file of vehicles, and what may be loaded where."""

from __future__ import annotations

import pytest

from engine.games.battlecars.book.data import MG, PASSIVES, ROCKET, SECTIONS, SHELL
from engine.games.battlecars.book.vehicles import counters, hits, layouts, loads

ALL = layouts()


def test_three_types_of_car_and_a_bike():
    assert [layout.kind for layout in ALL.values()].count("car") == 3
    assert [layout.kind for layout in ALL.values()].count("bike") == 1


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


def test_a_bike_corners_by_180_degrees_and_has_no_turret():
    assert len(ALL["Bike"].safe) == 4
    assert all(mount.barrel != "any" for mount in ALL["Bike"].mounts.values())
    assert all(len(layout.safe) == 3 for layout in ALL.values() if not layout.bike)


def test_a_mix_is_dealt_out_in_turn():
    assert counters("Oil, Mines", 4) == ("Oil", "Oil", "Mines", "Mines")
    assert counters("Rocket", 3) == ("Rocket",) * 3

"""Every table of the book, cell by cell."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.games.battlecars.book.data import (
    CRASHES,
    DRIFTS,
    LEAST_DIFFERENCE,
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


def test_speed_modifiers_of_the_final_facing():
    told = {speed: facing_modifier(speed) for speed in range(1, 11)}
    assert told == {1: 0, 2: 0, 3: 0, 4: 1, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 3}


def test_final_facings_run_round_the_ring():
    degrees = {total: -45 * final_facing(total) % 360 for total in range(1, 12)}
    ring = {5: 45, 6: 90, 7: 135, 8: 180, 9: 225, 10: 270, 11: 315}
    assert degrees == {1: 0, 2: 0, 3: 0, 4: 0} | ring


def test_side_damage_and_the_sections_of_a_mine():
    assert SIDE_PARTS == ("front",) * 2 + ("centre",) * 4 + ("rear",) * 2


def test_least_speed_differences_of_counters():
    assert LEAST_DIFFERENCE == {"Oil": 5, "Smoke": 3, "Spikes": 2}


@pytest.mark.parametrize(
    ("formula", "least", "share"),
    [
        ("d8", 1, 1.0),
        ("d8", 8, 1 / 8),
        ("d8+3", 4, 1.0),
        ("d8+3", 11, 1 / 8),
        ("2d8", 2, 1.0),
        ("2d8", 9, 36 / 64),
        ("3", 3, 1.0),
        ("3", 4, 0.0),
    ],
)
def test_the_chance_of_so_much_or_more(formula, least, share):
    assert dice(formula).at_least(least) == pytest.approx(share)


def test_a_house_rule_out_of_range_is_named():
    with pytest.raises(TableRefError, match="rounds: expected 1 to 200 but got 0"):
        HouseRules(rounds=0)

"""Boarding, heroes' and mounted weapons, Drag Chains: who, how far, by what margin."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.games.shattered_highways.table.ranges import (
    HERO_RANGE,
    Mount,
    boardable,
    in_chains,
    near,
    rule_distance,
    rule_shot,
)
from engine.ruling import Verdict
from tests.engine.games.shattered_highways.table.highway import car, highway, rig


def test_boarding_within_an_inch_edge_to_edge() -> None:
    table = highway(
        car("Red", 20.0, 12.0, sd=0.02), car("Blue", 20.0, 14.0, sd=0.02), car("Green", 23.95, 12.0, sd=0.02),
        car("Grey", 20.0, 9.0, sd=0.02),
    )  # fmt: skip
    found = {n.other: n for n in boardable(table, "Red")}
    assert list(found) == ["Blue", "Green"]
    assert found["Blue"].verdict is Verdict.YES
    assert found["Blue"].distance.margin == pytest.approx(0.2)
    assert found["Green"].verdict is Verdict.TOO_CLOSE


def test_from_a_rig_each_of_its_bodies_is_told_apart() -> None:
    table = highway(rig("Hauler", 24.0, 12.0), car("Blue", 18.0, 13.5))
    assert [(n.body, n.other) for n in boardable(table, "Hauler trailer")] == [
        ("Hauler trailer", "Hauler"), ("Hauler trailer", "Blue"),
    ]  # fmt: skip
    assert [n.other for n in boardable(table, "Hauler")] == ["Hauler trailer"]
    from_blue = boardable(table, "Blue")
    assert [(n.other, n.vehicle) for n in from_blue] == [("Hauler trailer", "Hauler")]


def test_a_heros_weapon_reaches_three_inches_from_any_edge_of_the_vehicle() -> None:
    table = highway(rig("Hauler", 24.0, 12.0), car("Blue", 13.0, 12.0), car("Green", 24.0, 16.0))
    found = near(table, ["Hauler", "Hauler trailer"], HERO_RANGE)
    assert {(n.body, n.other) for n in found} == {("Hauler", "Green"), ("Hauler trailer", "Blue")}
    ruling = rule_distance(table, "Hauler", "Green", 3.0, "Range", citation="x")
    assert ruling.verdict is Verdict.YES


@pytest.mark.parametrize(
    ("mount", "x", "y", "verdict"),
    [
        ("front", 28.0, 12.0, Verdict.YES), ("front", 12.0, 12.0, Verdict.NO),
        ("rear", 12.0, 12.0, Verdict.YES),
        ("front", 32.0, 12.0, Verdict.NO), ("rear", 28.0, 12.0, Verdict.NO),
        ("front", 22.0, 15.0, Verdict.YES),  # partly ahead of the nose
        ("front", 19.0, 15.0, Verdict.NO),  # beside
    ],
)  # fmt: skip
def test_a_mounted_weapon_reaches_six_inches_to_its_side(
    mount: Mount, x: float, y: float, verdict: Verdict
) -> None:
    table = highway(car("Red", 20.0, 12.0, sd=0.02), car("Blue", x, y, sd=0.02))
    assert rule_shot(table, "Red", "Blue", mount).verdict is verdict


def test_a_rigs_side_weapon_and_one_body_of_a_rig_alone() -> None:
    table = highway(rig("Hauler", 24.0, 12.0), car("Blue", 18.0, 15.0))
    assert rule_shot(table, "Hauler", "Blue", "left").verdict is Verdict.YES
    assert rule_shot(table, "Hauler", "Blue", "right").verdict is Verdict.NO
    # Blue's gun looks ahead at the tractor; its trailer lies partly beside and partly ahead.
    assert rule_shot(table, "Blue", "Hauler", "front").target == "Hauler"
    assert rule_shot(table, "Blue", "Hauler trailer", "front").verdict is Verdict.YES
    assert rule_shot(table, "Blue", "Hauler", "rear").verdict is Verdict.NO
    with pytest.raises(TableRefError, match="cannot shoot at itself"):
        rule_shot(table, "Hauler", "Hauler trailer", "rear")


def test_who_drives_in_the_dust_of_drag_chains() -> None:
    # The section begins at the tail, 18.525, and ends at 15.525; it is 4 wide.
    table = highway(
        car("Red", 20.0, 12.0, sd=0.02), car("Blue", 15.0, 12.0, sd=0.02), car("Green", 14.05, 9.0, sd=0.02),
        car("Edge", 15.0, 14.6, sd=0.03), car("Beside", 21.0, 13.5, sd=0.02),
    )  # fmt: skip
    found = {n.other: n.verdict for n in in_chains(table, "Red", 0.0)}
    assert found == {"Blue": Verdict.YES, "Edge": Verdict.TOO_CLOSE}

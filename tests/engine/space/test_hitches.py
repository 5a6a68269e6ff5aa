"""Tractor and trailer: where a trailer without a tag stands, and which bodies are one vehicle."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.space.catalogue import car
from engine.space.geometry import Pose, Region
from engine.space.hitches import following, with_followers
from engine.space.pieces import HITCH_SD, Hitch, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, Status, TableState

TRACTOR = Piece("Rig 1", "truck", car("rig-tractor"), TagMount("tag36h11", 10, 0.9, 1.6))
HITCH = Hitch("Rig 1", at=(2.5, 0.0), on=(-1.2, 0.0))
BARE = Piece("Trailer 1", "trailer", car("rig-trailer"), hitch=HITCH)
TAGGED = replace(BARE, mount=TagMount("tag36h11", 11, 0.9, 1.7))
CAR = Piece("Red 1", "car", car("sedan"), TagMount("tag36h11", 12, 0.9, 1.0))
SURFACE = Region.rectangle(0.0, 0.0, 48.0, 36.0)

SHARED = np.array([[0.01, 0.0], [0.0, 0.02], [0.001, 0.0]])
KNOWN = PoseUncertainty(np.array([[4e-4, 1e-4, 0.0], [1e-4, 9e-4, 1e-5], [0.0, 1e-5, 4e-4]]), SHARED)


def rig(pose: Pose, how: PoseUncertainty = KNOWN, status: Status = Status.STILL) -> Standing:
    return Standing(TRACTOR, pose, how, status, 3.0, 5.0)


@pytest.mark.parametrize("pose", [Pose(10.0, 10.0), Pose(20.0, 8.0, 2.1), Pose(3.0, 30.0, -1.4)])
def test_a_trailer_without_a_tag_hangs_straight_behind(pose: Pose) -> None:
    _, trailer = with_followers([rig(pose)], [TRACTOR, BARE])
    assert trailer.pose.heading == pytest.approx(pose.heading)
    assert trailer.pose.to_table(HITCH.at) == pytest.approx(pose.to_table(HITCH.on))
    assert pose.to_body(trailer.pose.xy) == pytest.approx((-3.7, 0.0))


def test_it_is_seen_moves_and_is_lost_with_what_pulls_it() -> None:
    trailer = following(BARE, HITCH, rig(Pose(9.0, 9.0), status=Status.LOST))
    assert (trailer.status, trailer.since, trailer.seen_at) == (Status.LOST, 3.0, 5.0)


def test_its_deviation_is_the_tractors_carried_back_and_the_angle_at_the_pin() -> None:
    pose = Pose(20.0, 15.0, 0.7)
    trailer = following(BARE, replace(HITCH, sd_turn=0.05), rig(pose))
    rng = np.random.default_rng(2)
    n = 40_000
    draws = rng.multivariate_normal([pose.x, pose.y, pose.heading], KNOWN.total, n)
    angle = rng.normal(0.0, 0.05, n)
    pin = draws[:, :2] + turned(np.array(HITCH.on), draws[:, 2])
    heading = draws[:, 2] + angle
    middle = pin - turned(np.array(HITCH.at), heading)
    drawn = np.cov(np.column_stack([middle, heading]).T)
    scale = np.sqrt(np.outer(np.diag(drawn), np.diag(drawn)))
    assert np.abs((trailer.uncertainty.total - drawn) / scale).max() < 0.03


def turned(point: np.ndarray, headings: np.ndarray) -> np.ndarray:
    cos, sin = np.cos(headings), np.sin(headings)
    return np.stack([cos * point[0] - sin * point[1], sin * point[0] + cos * point[1]], axis=1)


def test_what_is_assumed_is_never_surer_than_what_was_seen() -> None:
    exact = rig(Pose(20.0, 15.0, 0.7), PoseUncertainty.exact())
    trailer = following(BARE, HITCH, exact)
    assert math.sqrt(trailer.uncertainty.total[2, 2]) == pytest.approx(HITCH_SD)
    across = trailer.pose.rotation[:, 1]
    sideways = math.sqrt(across @ trailer.uncertainty.total[:2, :2] @ across)
    assert sideways == pytest.approx(2.5 * HITCH_SD)


def test_a_trailer_with_a_tag_stands_where_it_was_seen() -> None:
    seen = Standing(TAGGED, Pose(12.0, 5.0, 1.0), KNOWN)
    assert with_followers([rig(Pose(12.0, 9.0, 1.5)), seen], [TRACTOR, TAGGED])[1] is seen
    assert with_followers([rig(Pose(12.0, 9.0, 1.5))], [TRACTOR, TAGGED])[1:] == ()


def test_a_second_trailer_hangs_on_the_first_in_any_order() -> None:
    second = replace(BARE, name="Trailer 2", hitch=Hitch("Trailer 1", at=(2.5, 0.0), on=(-3.0, 0.0)))
    found = with_followers([rig(Pose(20.0, 10.0))], [second, BARE, TRACTOR])
    assert [s.name for s in found] == ["Trailer 2", "Trailer 1", "Rig 1"]
    assert [s.pose.x for s in found] == pytest.approx([10.8, 16.3, 20.0])
    assert found[0].uncertainty.total[1, 1] > found[1].uncertainty.total[1, 1]


def test_nothing_follows_what_was_never_seen() -> None:
    assert with_followers([], [TRACTOR, BARE]) == ()


@pytest.mark.parametrize("trailer", [BARE, TAGGED])
def test_the_bodies_of_a_vehicle_together(trailer: Piece) -> None:
    stand = (
        Standing(trailer, Pose(16.3, 10.0), KNOWN),
        Standing(CAR, Pose(30.0, 30.0), KNOWN),
        rig(Pose(20.0, 10.0)),
    )
    table = TableState.of(SURFACE, stand)
    for name in ("Rig 1", "trailer-1"):
        assert [s.name for s in table.vehicle(name)] == ["Rig 1", "Trailer 1"]
    assert [s.name for s in table.vehicle("red 1")] == ["Red 1"]
    alone = TableState.of(SURFACE, stand[:2])
    assert [s.name for s in alone.vehicle("Trailer 1")] == ["Trailer 1"]

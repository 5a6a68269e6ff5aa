from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from calibration.bundle.common import Common
from calibration.bundle.doubts import judge
from calibration.gains import RULED_SHARE, gains, sure_of_span
from calibration.lens.model import guess_lens, usual_covariance
from calibration.surface import Surface
from calibration.watching.keeper import SurfaceKeeper
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.calibration.bundle.test_solve import FRAME, look, loose
from tests.calibration.test_surface import LENS, camera
from tests.engine.tables import SURFACE
from tests.server.fakes import wait_until
from vision.frame import Detection
from vision.locate import locate_all

UNMEASURED = Common(scale=0.01)
MIDDLE = np.array([22.0, 20.0])
AT = Pose(30.0, 12.0, 0.8)
CAR = Piece("Red 1", "car", Body("box", Footprint.box(2.8, 1.2), 1.5), TagMount("tag36h11", 41, 0.9, 1.5))


def located(surface: Surface) -> PoseUncertainty:
    """How surely a car is placed whose tag is seen under this surface."""
    assert CAR.mount is not None
    raised = look(camera(), 41, 0.9, AT, np.random.default_rng(4), height=1.5)
    seen = Detection("tag36h11", 41, raised.corners, raised.covariance)
    (sighting,) = locate_all([seen], [CAR], surface, 0.0)
    return sighting.uncertainty


def test_each_way_is_told_and_makes_the_table_surer() -> None:
    tags = loose(camera(), 1)
    guess = guess_lens(LENS.size)
    now = judge(guess, [], tags, FRAME, UNMEASURED).surface
    ways = gains(guess, [], tags, FRAME, UNMEASURED)
    assert [way.words for way in ways] == [
        "with a known length", "with the lens calibrated", "with a known length and the lens calibrated"
    ]  # fmt: skip
    spans = [sure_of_span(way.surface, MIDDLE) for way in ways]
    assert spans[2] < min(spans[:2])
    assert max(spans) < sure_of_span(now, MIDDLE)


def test_what_is_known_already_is_no_gain() -> None:
    tags = loose(camera(), 1)
    known = replace(LENS, origin="file", covariance=usual_covariance(LENS))
    assert gains(known, [], tags, FRAME, Common(scale=RULED_SHARE)) == []
    assert [g.words for g in gains(known, [], tags, FRAME, UNMEASURED)] == ["with a known length"]


def test_a_place_is_as_sure_as_one_that_is_located_under_the_surer_table() -> None:
    tags = loose(camera(), 1)
    guess = guess_lens(LENS.size)
    now = located(judge(guess, [], tags, FRAME, UNMEASURED).surface)
    table = TableState(0.0, SURFACE, (Standing(CAR, AT, now),))
    for way in gains(guess, [], tags, FRAME, UNMEASURED):
        then, true = way.applied(table).find("Red 1"), located(way.surface)
        for part in (slice(0, 2), slice(2, 3)):
            shared, expected = (u.shared[part] @ u.shared[part].T for u in (then.uncertainty, true))
            assert np.sqrt(np.diag(shared)) == pytest.approx(np.sqrt(np.diag(expected)), rel=0.02), way.words
        assert then.pose == AT
        assert np.array_equal(then.uncertainty.own, now.own)


def test_they_are_worked_out_beside_the_frames() -> None:
    keeper = SurfaceKeeper(guess_lens(LENS.size), FRAME, UNMEASURED, beside=True)
    see = partial(keeper.update, corners=[], loose=loose(camera(), 1))
    try:
        wait_until("what would make it surer", lambda: bool(see(0.0) or keeper.gains))
        assert len(keeper.gains) == 3
    finally:
        keeper.close()

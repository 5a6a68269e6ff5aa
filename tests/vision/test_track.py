from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
import pytest

from engine.space.geometry import Pose
from engine.space.pieces import Hitch, Piece
from engine.space.table import PoseUncertainty, Status
from tests.calibration.test_surface import camera
from tests.vision.test_locate import car, detect
from vision.frame import Frame, Image, Sighting
from vision.locate import locate
from vision.track import AVERAGED, TrackChange, Tracker, agrees

SURFACE = camera()
RED = car(Pose(0, 0, 0))
HERE = Pose(20.0, 20.0, 0.4)
CLOTH = np.full((1080, 1920, 3), (60, 110, 50), dtype=np.uint8)


def picture(*covers: tuple[Pose, tuple[int, int, int]]) -> Image:
    """Green cloth, with the car's outline painted in a colour at each pose."""
    image = CLOTH.copy()
    for pose, colour in covers:
        outline = SURFACE.image_from_table(pose.to_table(RED.body.footprint.outline), 0.5)
        cv2.fillPoly(image, [np.round(outline).astype(np.int32)], colour)
    return image


CAR, SKIN = (30, 30, 200), (140, 170, 210)


class Play:
    """Feeds a tracker ten frames a second, or another number."""

    def __init__(self, fps: float = 10.0) -> None:
        self.tracker = Tracker()
        self.fps = fps
        self.k = 0
        self.changes: list[TrackChange] = []

    def see(self, pose: Pose | None, image: Image | None = None, noise: float = 0.05) -> None:
        time = self.k / self.fps
        sightings: list[Sighting] = []
        if pose is not None:
            sightings = [locate(detect(RED, pose, SURFACE, noise, self.k), RED, SURFACE, time)]
        if image is None:
            image = picture((pose, CAR)) if pose is not None else CLOTH
        self.changes += self.tracker.update(Frame(image, time, self.k), SURFACE, sightings)
        self.k += 1

    def rest(self, pose: Pose = HERE, frames: int = 10) -> None:
        for _ in range(frames):
            self.see(pose)

    @property
    def status(self) -> Status:
        return self.tracker.tracks["Red 1"].status

    @property
    def pose(self) -> Pose:
        return self.tracker.tracks["Red 1"].pose

    def story(self) -> list[Status]:
        return [c.after for c in self.changes]


def test_a_still_car_settles_and_its_deviation_shrinks() -> None:
    play = Play()
    play.see(HERE)
    first = np.trace(play.tracker.tracks["Red 1"].uncertainty.own[:2, :2])
    play.rest(frames=30)
    assert play.story() == [Status.MOVING, Status.STILL]
    assert math.dist((play.pose.x, play.pose.y), (20, 20)) < 0.003
    settled = np.trace(play.tracker.tracks["Red 1"].uncertainty.own[:2, :2])
    # It shrinks, but not without end: what is wrong in every frame does not average out.
    assert 0.3 * first < settled < 0.6 * first


def told_anew(play: Play, pose: Pose, frames: int, noise: float = 0.05) -> list[int]:
    """The frames in which the place of the car is told anew."""
    found = []
    image = picture((pose, CAR))
    for _ in range(frames):
        before = play.pose
        play.see(pose, image, noise)
        if play.pose is not before:
            found.append(play.k - 1)
    return found


def test_a_still_cars_place_is_told_anew_at_common_times_until_it_is_as_sure_as_reads_make_it() -> None:
    play, other = Play(fps=60.0), Play(fps=60.0)
    play.rest(frames=30)
    other.k = 7
    other.rest(frames=23)  # set down later
    assert play.status is other.status is Status.STILL
    anew, anew_too = told_anew(play, HERE, 40), told_anew(other, HERE, 40)
    assert anew == anew_too
    assert [b - a for a, b in pairwise(anew)] == pytest.approx([12] * (len(anew) - 1), abs=1)
    assert len(anew) >= 3
    told_anew(play, HERE, 80, noise=0.01)
    sure = play.tracker.tracks["Red 1"].uncertainty
    assert told_anew(play, HERE, 90, noise=0.01) == []
    assert play.tracker.tracks["Red 1"].uncertainty is sure
    assert math.dist((play.pose.x, play.pose.y), (20, 20)) < 0.003


def test_a_still_car_that_is_nudged_by_less_than_noise_can_tell_is_followed() -> None:
    play = Play(fps=60.0)
    play.rest(frames=20)
    told_anew(play, HERE, 60)
    nudged = Pose(20.007, 20.0, 0.4)
    assert told_anew(play, nudged, 90)
    assert play.status is Status.STILL
    assert math.dist((play.pose.x, play.pose.y), (nudged.x, nudged.y)) < 0.003


def test_a_place_is_told_anew_where_the_deviation_or_what_all_share_has_changed() -> None:
    told, surely = HERE, PoseUncertainty(np.diag([1e-4, 1e-4, 1e-4]), np.full((3, 2), 0.01))
    assert agrees(told, surely, Pose(20.002, 20.0, 0.4), surely)
    for pose, own, shared in (
        (Pose(20.003, 20.0, 0.4), 1.0, 1.0),
        (Pose(20.0, 19.997, 0.4), 1.0, 1.0),
        (Pose(20.0, 20.0, 0.4 + math.tau + 0.003), 1.0, 1.0),
        (told, 1.3, 1.0),
        (told, 0.7, 1.0),
        (told, 1.0, -1.0),
    ):
        other = PoseUncertainty(surely.own * own, surely.shared * shared)
        assert not agrees(told, surely, pose, other), (pose, own, shared)
    assert not agrees(told, surely, told, PoseUncertainty(surely.own))


def test_a_pushed_car_is_reported_where_it_is_without_lag() -> None:
    play = Play()
    play.rest()
    for k in range(1, 20):
        pose = Pose(20.0 + 0.25 * k, 20.0, 0.4)
        play.see(pose)
        assert play.status is Status.MOVING
        assert math.dist((play.pose.x, play.pose.y), (pose.x, pose.y)) < 0.02
    play.rest(Pose(24.75, 20.0, 0.4))
    assert play.changes[-1].moved == pytest.approx(4.75, abs=0.02)
    assert play.status is Status.STILL


def test_a_slow_creep_is_noticed() -> None:
    play = Play()
    play.rest()
    for k in range(60):
        play.see(Pose(20.0 + 0.004 * k, 20.0, 0.4))
    assert Status.MOVING in play.story()[2:]
    assert play.pose.x == pytest.approx(20.236, abs=0.03)


@pytest.mark.parametrize("cover", [SKIN, (90, 60, 40), (20, 20, 20), (200, 200, 200)])
def test_a_hand_or_sleeve_over_a_car_holds_it(cover: tuple[int, int, int]) -> None:
    play = Play()
    play.rest()
    for _ in range(30):
        play.see(None, picture((HERE, cover)))
        assert play.status is Status.HELD
        assert math.dist((play.pose.x, play.pose.y), (20, 20)) < 0.005
    play.see(HERE)
    assert play.story()[-2:] == [Status.HELD, Status.STILL]


def test_a_lifted_car_is_lost_and_found_again_elsewhere() -> None:
    play = Play()
    play.rest()
    play.see(None, picture((HERE, SKIN)))
    for _ in range(4):
        play.see(None, CLOTH)
    assert play.status is Status.LOST
    play.rest(Pose(22.0, 20.0, 1.0))
    assert play.story()[-4:] == [Status.HELD, Status.LOST, Status.MOVING, Status.STILL]
    assert play.pose.x == pytest.approx(22.0, abs=0.01)


def test_a_shadow_on_the_cloth_is_still_cloth() -> None:
    play = Play()
    play.rest()
    shaded = (CLOTH * 0.7).astype(np.uint8)
    for _ in range(4):
        play.see(None, shaded)
    assert play.status is Status.LOST


def test_one_stray_read_far_away_is_not_believed() -> None:
    play = Play()
    play.rest()
    play.see(Pose(40.0, 40.0, 0.0), picture((HERE, CAR)))
    assert math.dist((play.pose.x, play.pose.y), (20, 20)) < 0.005
    play.rest(frames=2)
    assert play.status is Status.STILL
    # Two that agree are.
    play.rest(Pose(40.0, 40.0, 0.0), frames=6)
    assert play.pose.x == pytest.approx(40.0, abs=0.01)


def test_another_tag_of_its_id_does_not_carry_a_covered_car_away() -> None:
    play = Play()
    play.rest()
    spare = Pose(40.0, 40.0, 0.0)
    for _ in range(20):
        play.see(spare, picture((HERE, SKIN)))
    assert play.status is Status.HELD
    assert math.dist((play.pose.x, play.pose.y), (20, 20)) < 0.005
    play.rest(frames=2)
    assert play.status is Status.STILL
    # What is read elsewhere for longer, with something else standing at the old place, has been put there.
    for _ in range(40):
        play.see(spare, picture((HERE, SKIN)))
    assert play.pose.x == pytest.approx(40.0, abs=0.01)


def test_where_a_car_is_read_and_not_believed_to_be_is_told_once_it_is_read_there_again() -> None:
    play = Play()
    play.rest()
    spare = Pose(40.0, 40.0, 0.0)
    told = []
    for _ in range(3):
        play.see(spare, picture((HERE, SKIN)))
        told.append([round(s.pose.x) for s in play.tracker.elsewhere])
    assert told == [[], [40], [40]]
    play.rest(frames=2)
    assert not play.tracker.elsewhere
    # Two tags with its id that are read in turn: the other one has not come from here.
    for _ in range(20):
        play.see(spare, picture((HERE, CAR)))
        assert not play.tracker.elsewhere
        play.rest(frames=1)


def test_what_stays_covered_too_long_is_lost() -> None:
    play = Play()
    play.rest()
    for _ in range(105):
        play.see(None, picture((HERE, SKIN)))
    assert play.status is Status.LOST


def test_standings_keep_the_tables_order_and_leave_out_the_unseen() -> None:
    play = Play()
    play.rest()
    blue = Piece("Blue 1", "car", RED.body, None)
    order: Sequence[Piece] = [blue, RED]
    assert [s.name for s in play.tracker.standings(order)] == ["Red 1"]


def test_a_trailer_without_a_tag_stands_behind_what_pulls_it() -> None:
    play = Play()
    play.rest()
    trailer = Piece("Trailer", "trailer", RED.body, hitch=Hitch(RED.name, at=(1.5, 0.0), on=(-1.5, 0.0)))
    assert play.tracker.standings([trailer]) == ()
    red, behind = play.tracker.standings([RED, trailer])
    assert red.pose.to_body(behind.pose.xy) == pytest.approx((-3.0, 0.0))
    assert behind.status is red.status


def test_nothing_grows_however_long_a_car_is_pushed_about() -> None:
    play = Play()
    play.rest()
    for k in range(800):
        play.see(Pose(20.0 + 0.3 * (k % 9), 20.0, 0.4))
    track = play.tracker.tracks["Red 1"]
    assert len(track.reads) <= AVERAGED + 1

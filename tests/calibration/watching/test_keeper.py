"""The table's surface kept from frame to frame, and what bears witness of the camera."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.bundle.parts import SeenTag
from calibration.lens.model import guess_lens, usual_covariance
from calibration.surface import CornerTag, SeenCorner, Surface
from calibration.watching.keeper import SurfaceKeeper
from calibration.watching.witnesses import CELL_PX, Witnesses
from engine.space.geometry import Pose
from tests.calibration.bundle.test_solve import FRAME, NOISE_PX, look, loose, table_error
from tests.calibration.test_surface import LENS, camera, seen_by, tags
from tests.volume import volume


def feed(keeper: SurfaceKeeper, frames: int, *, roll: float = 1.0, start: int = 0) -> list[bool]:
    truth = camera(roll=roll)
    return [keeper.update(k / 10, seen_by(truth, tags(), 0.1, seed=k)) for k in range(start, start + frames)]


def test_averaging_makes_the_surface_surer() -> None:
    keeper = SurfaceKeeper(LENS)
    feed(keeper, 1)
    assert keeper.surface is not None
    first = np.trace(keeper.surface.covariance[3:6, 3:6])
    feed(keeper, 40, start=1)
    assert np.trace(keeper.surface.covariance[3:6, 3:6]) < 0.6 * first
    assert np.abs(keeper.surface.camera_position - camera().camera_position).max() < 0.1


def test_a_bumped_camera_is_noticed_within_a_few_frames_and_solved_again() -> None:
    keeper = SurfaceKeeper(LENS)
    assert not any(feed(keeper, 20))
    moved = feed(keeper, 5, roll=1.6, start=20)
    assert moved.index(True) <= 3
    assert keeper.surface is not None
    place = np.array([[40.0, 40.0]])
    off = keeper.surface.table_from_image(camera(roll=1.6).image_from_table(place)) - place
    assert np.abs(off).max() < 0.02


def test_a_hand_on_one_corner_tag_is_no_bump() -> None:
    keeper = SurfaceKeeper(LENS)
    feed(keeper, 20)
    truth = camera()
    for k in range(20, 40):
        seen = seen_by(truth, tags(), 0.05, seed=k)
        shifted = SeenCorner(seen[0].corner, seen[0].corners + 4.0, seen[0].covariance)
        assert not keeper.update(k / 10, [shifted, *seen[1:]])
    assert keeper.surface is not None
    assert keeper.surface.residual < 0.02


def test_too_few_corners_is_a_problem_told_not_raised() -> None:
    keeper = SurfaceKeeper(LENS)
    keeper.update(0.0, seen_by(camera(), tags(None))[:2])
    assert keeper.surface is None
    assert keeper.problem is not None
    assert "at least three" in keeper.problem


def test_without_a_ruler_any_tag_may_be_covered_for_a_while() -> None:
    keeper = SurfaceKeeper(LENS, FRAME)
    truth = camera()
    keeper.update(0.0, [], loose(truth, 0, extra=False))
    assert keeper.surface is not None
    for k in range(1, 20):
        # The origin's own tag lies under a hand from here on.
        keeper.update(k / 10, [], loose(truth, k, extra=False)[1:])
    assert np.percentile(np.linalg.norm(table_error(keeper.surface, truth), axis=1), 95) < 0.04


def test_a_car_moved_about_settles_a_guessed_lens() -> None:
    truth, rng = camera(tilt=0.5), np.random.default_rng(2)
    keeper, flat_only = SurfaceKeeper(guess_lens(LENS.size)), SurfaceKeeper(guess_lens(LENS.size))
    for k in range(30):
        corners = seen_by(truth, tags(), 0.05, seed=k)
        pose = Pose(5.0 + 1.2 * k, 40.0 - k, 0.1 * k)
        keeper.update(k / 10, corners, raised=[look(truth, 10, 1.6, pose, rng, height=2.0)])
        flat_only.update(k / 10, corners)

    def height_sd(surface: Surface) -> float:
        J = surface.rotation.T
        return float(np.sqrt((J @ surface.covariance[3:6, 3:6] @ J.T)[2, 2]))

    assert keeper.surface is not None
    assert flat_only.surface is not None
    assert height_sd(keeper.surface) < 0.5 * height_sd(flat_only.surface)


def test_a_corner_that_was_nudged_is_named() -> None:
    keeper = SurfaceKeeper(LENS)
    truth = camera()
    corners = [CornerTag(c.family, c.tag, c.size, c.at, c.turn, 0.02) for c in tags()]
    nudged = [*corners[:3], CornerTag("tag36h11", 3, 2.4, (0.4, 46.0), corners[3].turn, 0.02)]
    seen = [
        SeenCorner(stated, s.corners, s.covariance)
        for stated, s in zip(nudged, seen_by(truth, corners, 0.05), strict=True)
    ]
    keeper.update(0.0, seen)
    assert keeper.notices[0].startswith("corner tag 3 lies 0.")


def test_a_contradiction_is_gone_on_with_as_unsurely_as_it_is_off() -> None:
    """Three corners measured wrong, each its way: no one mistake explains that."""
    truth, keeper = camera(), SurfaceKeeper(LENS)
    wrong = {0: (0.9, 0.0), 1: (0.0, -1.1), 3: (-0.8, 0.6)}
    stated = [
        replace(c, at=(c.at[0] + dx, c.at[1] + dy), sd=0.02)
        for c in tags()
        for dx, dy in [wrong.get(c.tag, (0.0, 0.0))]
    ]
    for k in range(3):
        seen = seen_by(truth, tags(), 0.05, seed=k)
        keeper.update(
            5.0 + k, [SeenCorner(c, s.corners, s.covariance) for c, s in zip(stated, seen, strict=True)]
        )
    found = keeper.contradiction
    assert found is not None
    assert (keeper.withheld, found.since, found.gone_on) == (True, 5.0, False)
    assert found.times > 3
    assert found.off > 0.1
    keeper.go_on()
    gone_on = keeper.contradiction
    assert gone_on is not None
    assert (keeper.withheld, gone_on.gone_on) == (False, True)
    keeper.update(9.0, [SeenCorner(c, s.corners, s.covariance) for c, s in zip(stated, seen, strict=True)])
    assert keeper.notices[0].startswith("gone on although")
    surface = keeper.surface
    assert surface is not None
    places = surface.table_from_image(truth.image_from_table(PLACES_BETWEEN))
    J = surface.jacobians(places, 0.0)[1]
    sds = np.sqrt(np.trace(J @ surface.covariance @ J.transpose(0, 2, 1), axis1=1, axis2=2) / 2)
    assert (np.linalg.norm(places - PLACES_BETWEEN, axis=1) < 2.45 * sds).all()


def test_what_was_read_wrong_at_first_is_let_go_of() -> None:
    """Tags that lie elsewhere while the table is found, and one after another where they belong."""
    truth, keeper = camera(), SurfaceKeeper(LENS)
    astray = {0: (0.9, 0.0), 1: (0.0, -1.1), 3: (-0.8, 0.6)}
    laid = [
        replace(c, at=(c.at[0] + dx, c.at[1] + dy))
        for c in tags()
        for dx, dy in [astray.get(c.tag, (0.0, 0.0))]
    ]

    def look_on(frames: range, lie: list[CornerTag]) -> None:
        for k in frames:
            there = zip(tags(), seen_by(truth, lie, 0.05, seed=k), strict=True)
            keeper.update(k / 10, [SeenCorner(c, s.corners, s.covariance) for c, s in there])

    look_on(range(8), laid)
    assert keeper.withheld
    keeper.go_on()
    look_on(range(8, 30), [*laid[:2], *tags()[2:]])
    look_on(range(30, 50), [laid[0], *tags()[1:]])
    look_on(range(50, 400), tags())
    assert keeper.contradiction is None
    assert not keeper.notices
    assert keeper.times == 1.0


PLACES_BETWEEN = np.array([[4.0, 4.0], [42.0, 4.0], [42.0, 42.0], [4.0, 42.0], [23.0, 23.0]])


def worst_of_a_pan(keeper: SurfaceKeeper, pan_px: float, seed: int, covered: frozenset[int]) -> float:
    """The largest error between the corners, pixels, of a pan in 300 frames; one tag is covered in some."""
    truth, stated = camera(), [replace(c, sd=0.005) for c in tags()]
    worst = 0.0
    for k in range(300):
        shift = np.array([pan_px / 300 * k, 0.0])
        seen = [
            SeenCorner(s.corner, s.corners + shift, s.covariance)
            for s in seen_by(truth, stated, 0.08, seed=1000 * seed + k)
        ]
        keeper.update(k / 30, seen[1:] if k in covered else seen)
        assert keeper.surface is not None
        if k > 30 and not keeper.unsteady:
            apart = keeper.surface.image_from_table(PLACES_BETWEEN) - truth.image_from_table(PLACES_BETWEEN)
            worst = max(worst, float(np.linalg.norm(apart - shift, axis=1).max()))
    return worst


def panned(shift_px: float, seed: int) -> list[SeenCorner]:
    """The corner tags as a camera sees them that has panned by so many pixels."""
    seen = seen_by(camera(), tags(), 0.05, seed=seed)
    return [SeenCorner(s.corner, s.corners + np.array([shift_px, 0.0]), s.covariance) for s in seen]


def pan_error(keeper: SurfaceKeeper, shift_px: float) -> float:
    """How far a place under the panned camera is put from where it is, in pixels of it."""
    assert keeper.surface is not None
    pixel = camera().image_from_table(np.array([[24.0, 24.0]])) + np.array([shift_px, 0.0])
    off = keeper.surface.table_from_image(pixel) - np.array([24.0, 24.0])
    return float(np.hypot(*off[0]) * 20.0)


def test_a_camera_that_sags_is_followed() -> None:
    keeper = SurfaceKeeper(LENS)
    worst = 0.0
    for k in range(300):
        shift = 7.0 / 900 * k
        keeper.update(k / 30, panned(shift, k))
        if k > 30 and not keeper.unsteady:
            worst = max(worst, pan_error(keeper, shift))
    assert worst < 0.25


@pytest.mark.parametrize("seed", range(volume(1, 3)))
def test_no_tag_is_left_behind_by_a_pan_of_seven_pixels_in_ten_seconds(seed: int) -> None:
    """One that noise puts past the limit first was taken for nudged and kept its place of then for good."""
    assert worst_of_a_pan(SurfaceKeeper(LENS), 7.0, seed, frozenset()) < 0.25


@pytest.mark.parametrize("seed", range(volume(1, 3)))
def test_a_tag_that_is_covered_while_the_camera_pans_does_not_hold_the_table_back(seed: int) -> None:
    keeper = SurfaceKeeper(LENS)
    assert worst_of_a_pan(keeper, 2.0, seed, frozenset(range(60, 240))) < 0.25
    assert keeper.notices == ()


def test_tags_that_are_covered_while_the_camera_hangs_still_are_kept() -> None:
    keeper = SurfaceKeeper(LENS)
    assert worst_of_a_pan(keeper, 0.0, 0, frozenset(range(60, 300))) < 0.15
    assert keeper.surface is not None
    assert len(keeper.surface.misfits) == 4


def test_a_bump_of_half_a_pixel_is_found_within_a_few_frames() -> None:
    keeper = SurfaceKeeper(LENS)
    for k in range(80):
        keeper.update(k / 30, panned(0.0, k))
    for k in range(80, 92):
        keeper.update(k / 30, panned(0.5, k))
    assert keeper.moved_at is not None
    assert pan_error(keeper, 0.5) < 0.12


def test_a_camera_that_hangs_still_is_not_said_to_move() -> None:
    keeper = SurfaceKeeper(LENS)
    assert not any(keeper.update(k / 30, panned(0.0, k)) for k in range(300))


@pytest.mark.parametrize("share", [0.1, -0.03])
def test_a_camera_that_was_zoomed_is_as_unsure_as_a_nearer_one_would_be_off(share: float) -> None:
    """Flat tags look alike from nearer and through a longer lens; what stands higher is put elsewhere."""
    K = LENS.K.copy()
    K[0, 0], K[1, 1] = K[0, 0] * (1 + share), K[1, 1] * (1 + share)
    before, after = camera(), camera(replace(LENS, K=K))
    stated = [replace(c, sd=0.005) for c in tags()]
    keeper = SurfaceKeeper(replace(LENS, covariance=usual_covariance(LENS)), corners=stated)
    for k in range(30):
        keeper.update(k / 30, seen_by(before, stated, 0.05, seed=k))
    for k in range(30, 60):
        keeper.update(k / 30, seen_by(after, stated, 0.05, seed=k))
    surface = keeper.surface
    assert surface is not None
    assert keeper.moved_at == pytest.approx(32 / 30)
    place, height = np.array([[42.0, 42.0]]), 1.2
    found = surface.table_from_image(after.image_from_table(place, height), height)
    J = surface.jacobians(found, height)[1][0]
    off = (found - place)[0]
    assert np.hypot(*off) > 0.007
    assert off @ np.linalg.solve(J @ surface.covariance @ J.T, off) <= 5.991


def read(x: float, seed: int, tag: int = 10, turn: float = 0.3) -> SeenTag:
    return look(camera(), tag, 0.9, Pose(x, 20.0, turn), np.random.default_rng(seed), height=1.0)


def middle(tag: SeenTag) -> float:
    return float(tag.corners[:, 0].mean())


def test_reads_of_a_piece_that_stands_are_averaged() -> None:
    seen = Witnesses()
    for seed in range(40):
        seen.add([read(20.0, seed)], 16)
    (mean,) = seen.tags
    assert middle(mean) == pytest.approx(np.mean([middle(read(20.0, s)) for s in range(40)]))
    # What is off in one read of so small a tag is mostly off in all of them.
    assert mean.covariance == pytest.approx(read(20.0, 0).covariance)


def test_a_piece_that_moved_on_within_a_part_of_the_picture_is_no_mean_of_two_places() -> None:
    seen = Witnesses()
    for seed in range(3):
        seen.add([read(20.0, seed)], 16)
    before = middle(seen.tags[0])
    seen.add([read(20.3, 9)], 16)
    assert [middle(t) for t in seen.tags] == [before]


@pytest.mark.parametrize("turn", [0.33, 1.0, 0.3 + math.pi / 2, 0.3 + math.pi])
def test_a_piece_that_came_back_turned_is_no_mean_of_two_headings(turn: float) -> None:
    """The mean of a square and one that is turned about the same middle is a smaller square: a higher tag."""
    seen, keeper = Witnesses(), SurfaceKeeper(LENS)
    for seed in range(6):
        seen.add([read(20.0, seed)], 16)
        flat = look(camera(), 40, 2.0, Pose(20.0, 30.0, 0.3), np.random.default_rng(seed))
        keeper.update(seed / 10, seen_by(camera(), tags(), 0.05, seed), [flat], [read(20.0, seed)])
    (before,) = seen.tags
    solved = keeper.surface
    for seed in range(6, 30):
        seen.add([read(20.0, seed, turn=turn)], 16)
        flat = look(camera(), 40, 2.0, Pose(20.0, 30.0, turn), np.random.default_rng(seed))
        again = read(20.0, seed, turn=turn)
        assert not keeper.update(seed / 10, seen_by(camera(), tags(), 0.05, seed), [flat], [again])
    assert [t.corners.tolist() for t in seen.tags] == [before.corners.tolist()]
    assert keeper.surface is not solved
    assert not keeper.notices
    assert keeper.judged is not None
    assert keeper.judged.chi_square < 3 * keeper.judged.freedom


def test_a_piece_on_its_way_leaves_only_where_it_was_last() -> None:
    seen = Witnesses()
    for step in range(3):
        seen.add([read(20.0 + 0.2 * step, step)], 16)
    assert [middle(t) for t in seen.tags] == [middle(read(20.4, 2))]


def test_no_more_places_than_asked_and_each_tag_has_its_own() -> None:
    seen = Witnesses()
    seen.add([read(4.0, 1), read(4.0, 2, tag=11), read(30.0, 3)], 2)
    assert [t.tag for t in seen.tags] == [10, 11]
    assert math.dist(*[t.corners.mean(axis=0) for t in seen.tags]) < CELL_PX
    worth = seen.worth
    seen.add([read(4.0, 4), read(4.0, 5, tag=11)], 2)
    assert seen.worth == worth
    seen.add([read(30.0, 6), read(30.0, 7, tag=11)], 4)
    assert seen.worth > worth


def test_a_camera_that_moved_takes_them_along() -> None:
    seen = Witnesses()
    seen.add([read(20.0, 1)], 16)
    seen.move(lambda tag: tag.corners + 3.0)
    assert middle(seen.tags[0]) == pytest.approx(middle(read(20.0, 1)) + 3.0, abs=4 * NOISE_PX)
    seen.clear()
    assert seen.tags == []

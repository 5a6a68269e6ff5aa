"""A camera that moves: how it moved, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.bundle.parts import SeenTag
from calibration.surface import SeenCorner, Surface, rotation_vector
from calibration.watching.keeper import MOVED_FRAMES, SurfaceKeeper
from calibration.watching.motion import (
    NO_MOTION,
    Shift,
    _by_step,
    apart,
    find_motion,
    in_camera,
    moved_surface,
    refined,
)
from engine.space.geometry import FloatArray
from tests.calibration.test_surface import LENS, camera, seen_by, tags
from tests.volume import volume

NOISE = 0.06
# What a drift makes of a place before it can be told from noise, by two tags, inches: a twentieth of a pixel.
UNSEEN_IN = 0.0025
SQUARE = 0.45 * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])

Way = Callable[[int], Surface]


def roofs(truth: Surface, places: FloatArray, seed: int) -> list[SeenTag]:
    rng = np.random.default_rng([seed, 7])
    return [
        SeenTag(
            "tag36h11",
            10 + k,
            0.9,
            ROOF,
            truth.image_from_table(place + SQUARE, ROOF) + rng.normal(0, NOISE, (4, 2)),
            np.eye(8) * NOISE**2,
        )
        for k, place in enumerate(places)
    ]


def corners(truth: Surface, covered: Iterable[int], seed: int) -> list[SeenCorner]:
    seen = seen_by(truth, tags(), NOISE, seed)
    return [s for s in seen if s.corner.tag not in set(covered)]


class Table:
    """A keeper, what it sees, and what it said."""

    def __init__(self, pieces: int) -> None:
        self.keeper = SurfaceKeeper(LENS, corners=tags())
        self.places = STANDING[:pieces].copy()
        self.frame = 0
        self.told: list[int] = []
        self.held: list[int] = []

    def see(self, frames: int, way: Way, covered: Iterable[int] = ()) -> None:
        for _ in range(frames):
            truth, k = way(self.frame), self.frame
            seen, raised = corners(truth, covered, k), roofs(truth, self.places, k)
            if self.keeper.update(k / 30, seen, (), raised):
                self.told.append(k)
            if self.keeper.unsteady:
                self.held.append(k)
            self.frame += 1

    def off(self, truth: Surface) -> tuple[float, float]:
        """The largest error of a place, inches, and the largest chi-square of one, but for `UNSEEN_IN`."""
        found = self.keeper.surface
        assert found is not None
        off = found.table_from_image(truth.image_from_table(BETWEEN, ROOF), ROOF) - BETWEEN
        J = found.jacobians(BETWEEN, ROOF)[1]
        covariances = J @ found.covariance @ J.transpose(0, 2, 1) + UNSEEN_IN**2 * np.eye(2)
        return float(np.hypot(*off.T).max()), float(
            np.einsum("ki,kij,kj->k", off, np.linalg.inv(covariances), off).max()
        )


def still(_: int) -> Surface:
    return camera()


def panning(k: int) -> Surface:
    return turned(camera(), 0.01 * max(k - 60, 0))


def bumped(k: int) -> Surface:
    return turned(lower(camera(), 0.05), 4.0, 3.0) if k >= 60 else camera()


@pytest.mark.parametrize(("pieces", "covered"), [(0, (0, 1)), (0, (0, 2)), (3, (1, 2, 3)), (5, (0, 1, 2, 3))])
def test_a_pan_is_followed_by_what_is_not_covered(pieces: int, covered: tuple[int, ...]) -> None:
    table = Table(pieces)
    table.see(60, still)
    for _ in range(20):
        table.see(10, panning, covered)
        assert table.off(panning(table.frame - 1))[1] < 13.8
    assert table.held == []
    assert table.told
    assert table.told[0] < 60 + 30
    which = "corner tags " + " and ".join(", ".join(map(str, covered)).rsplit(", ", 1)) + " are"
    assert f"while {which} covered" in table.keeper.movement
    clear = table.frame
    table.see(40, panning)
    assert table.off(panning(table.frame - 1))[0] < 0.01
    assert table.keeper.movement == ""
    assert [k for k in table.told if k >= clear] != []
    assert table.keeper.judged is not None
    assert table.keeper.judged.unseen == ()


@pytest.mark.parametrize(("pieces", "covered"), [(0, (0, 1)), (4, (1, 2, 3)), (5, (0, 1, 2, 3))])
def test_a_bump_is_held_and_taken_up_by_what_is_not_covered(pieces: int, covered: tuple[int, ...]) -> None:
    table = Table(pieces)
    table.see(60, still)
    table.see(60, bumped, covered)
    assert table.told == [60 + MOVED_FRAMES - 1]
    assert table.held == [60, 61]
    assert table.off(bumped(60))[1] < 13.8
    assert "are less sure" in table.keeper.movement
    table.see(200, bumped, covered)
    assert len(table.told) == 1
    table.see(40, bumped)
    assert len(table.told) == 2
    assert table.keeper.movement == ""


@pytest.mark.parametrize(("pieces", "covered"), [(0, (1, 2, 3)), (2, (0, 1, 2, 3)), (1, (1, 2, 3))])
def test_a_bump_that_too_little_tells_is_held_until_corner_tags_are_clear(
    pieces: int, covered: tuple[int, ...]
) -> None:
    table = Table(pieces)
    table.see(60, still, ())
    if pieces == 1:
        # The one piece was pushed at the same time.
        table.places = table.places + 3.0
    table.see(30, bumped, covered)
    assert table.held == list(range(60, 90))
    assert "nothing is ruled until they are clear" in table.keeper.movement
    table.see(10, bumped)
    assert not table.keeper.unsteady
    assert table.told
    assert table.off(bumped(60))[0] < 0.01


def test_all_tags_covered_after_a_bump_that_nobody_could_follow_stays_held() -> None:
    table = Table(0)
    table.see(60, still)
    table.see(10, bumped, (1, 2, 3))
    table.see(10, bumped, (0, 1, 2, 3))
    assert table.held == list(range(60, 80))


def test_pieces_that_are_pushed_one_after_another_are_no_camera_that_moves() -> None:
    table = Table(9)
    table.see(60, still)
    for which in range(9):
        for _ in range(10):
            table.places[which] += (0.3, 0.1)
            table.see(1, still, (0, 1, 2, 3))
    assert (table.told, table.held) == ([], [])
    assert table.off(camera())[0] < 0.01


def test_pieces_that_are_all_pushed_are_no_camera_that_moves() -> None:
    table, rng = Table(6), np.random.default_rng(3)
    table.see(60, still)
    ways = rng.normal(0, 0.2, (6, 2))
    for _ in range(20):
        table.places = table.places + ways
        table.see(1, still, (0, 1))
    assert (table.told, table.held) == ([], [])


def test_a_lens_that_breathes_is_followed_frame_by_frame() -> None:
    """A motor's step every few frames: no read of before counts as one of now."""
    table = Table(9)

    def breathing(k: int) -> Surface:
        return lower(camera(), 0.28 * np.sin(2 * np.pi * max(k - 60, 0) / 300))

    table.see(60, breathing)
    for _ in range(300):
        table.see(1, breathing)
        assert table.off(breathing(table.frame - 1))[0] < 0.012
    assert table.held == []


def test_a_camera_that_hangs_still_keeps_its_surface() -> None:
    table = Table(9)
    table.see(120, still)
    kept = table.keeper.surface
    table.see(60, still, (0, 1))
    assert table.keeper.surface is kept
    assert (table.told, table.keeper.movement) == ([], "")


def test_a_surface_that_is_solved_beside_is_the_new_one_from_the_first_frame_on() -> None:
    table = Table(3)
    table.keeper = SurfaceKeeper(LENS, corners=tags(), beside=True)
    while table.keeper.surface is None:
        table.see(1, still)
    frame = table.frame
    table.see(30, still)

    def bumped_then(k: int) -> Surface:
        return bumped(60) if k >= frame + 30 else camera()

    for _ in range(30):
        table.see(1, bumped_then)
        if not table.keeper.unsteady:
            assert table.off(bumped(60))[0] < 0.02
    table.keeper.close()


ROOF = 1.1
BETWEEN = np.array([[x, y] for x in (4.0, 23.0, 42.0) for y in (4.0, 23.0, 42.0)])
STANDING = np.array([[x, y] for x in (10.0, 22.0, 36.0) for y in (10.0, 24.0, 36.0)])


def turned(truth: Surface, across_px: float, down_px: float = 0.0) -> Surface:
    vector = np.array([-down_px, across_px, 0.0]) / truth.lens.K[0, 0]
    step = np.asarray(cv2.Rodrigues(vector)[0], np.float64)
    return replace(truth, rotation=step @ truth.rotation, translation=step @ truth.translation)


def lower(truth: Surface, inches: float) -> Surface:
    position = truth.camera_position - np.array([0.0, 0.0, inches])
    return replace(truth, translation=-truth.rotation @ position)


def shifts(
    before: Surface, now: Surface, flat: tuple[int, ...], roofs: int, seed: int = 0, pushed: int = 0
) -> list[Shift]:
    """Corner tags and roof tags before and now; the first `pushed` pieces were moved, each its way."""
    rng = np.random.default_rng(seed)
    found = []

    def add(here: FloatArray, there: FloatArray, height: float) -> None:
        old = before.image_from_table(here, height)
        new = now.image_from_table(there, height) + rng.normal(0, NOISE, (4, 2))
        found.append(Shift(in_camera(before, old, height), old, new, np.eye(8) * NOISE**2, height == 0.0))

    for k in flat:
        add(tags()[k].corners_at(), tags()[k].corners_at(), 0.0)
    for k, place in enumerate(STANDING[:roofs]):
        square = place + 0.45 * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
        add(square, square + (rng.normal(0, 1, 2) if k < pushed else 0.0), ROOF)
    return found


def misplaced(found: Surface, truth: Surface) -> tuple[float, float]:
    """The largest error of a place, inches, and the mean chi-square of one, of two degrees of freedom."""
    off = found.table_from_image(truth.image_from_table(BETWEEN, ROOF), ROOF) - BETWEEN
    J = found.jacobians(BETWEEN, ROOF)[1]
    covariances = J @ found.covariance @ J.transpose(0, 2, 1)
    squares = np.einsum("ki,kij,kj->k", off, np.linalg.inv(covariances), off)
    return float(np.hypot(*off.T).max()), float(squares.mean())


MOVED: dict[str, Callable[[Surface], Surface]] = {
    "pans": lambda truth: turned(truth, 2.0, 0.5),
    "pans far": lambda truth: turned(truth, 20.0),
    "sinks": lambda truth: lower(truth, 0.1),
    "both": lambda truth: turned(lower(truth, 0.2), 1.0, 3.0),
}


@pytest.mark.parametrize("moved", MOVED)
@pytest.mark.parametrize(
    ("flat", "roofs", "within"),
    [
        ((0, 1, 2, 3), 9, 0.003),
        ((0, 1, 2, 3), 0, 0.005),
        ((), 9, 0.006),
        ((0, 1), 0, 0.08),
        ((0, 2), 0, 0.08),
    ],
    ids=["all", "corner tags", "roofs alone", "two corner tags", "two across"],
)
def test_a_motion_is_found_as_surely_as_is_said(
    moved: str, flat: tuple[int, ...], roofs: int, within: float
) -> None:
    before = camera()
    now = MOVED[moved](before)
    errors, squares = [], []
    for seed in range(volume(8, 20)):
        found = find_motion(LENS, shifts(before, now, flat, roofs, seed), NO_MOTION)
        assert found is not None
        assert all(found.along)
        error, square = misplaced(moved_surface(before, found.motion), now)
        errors.append(error)
        squares.append(square)
    assert np.median(errors) < within
    # The nine places go together, so that a few tables scatter a good deal about 2.
    assert 0.6 < np.mean(squares) < 3.5


def test_what_was_pushed_does_not_go_along() -> None:
    before = camera()
    now = turned(before, 3.0)
    found = find_motion(LENS, shifts(before, now, (), 9, pushed=3), NO_MOTION)
    assert found is not None
    assert found.along == (False,) * 3 + (True,) * 6
    assert misplaced(moved_surface(before, found.motion), now)[0] < 0.01


def test_a_tag_that_was_turned_about_its_middle_does_not_go_along() -> None:
    before = camera()
    now = turned(before, 3.0)
    seen = shifts(before, now, (0, 1, 2, 3), 3)
    spun = [replace(s, now=np.roll(s.now, 1, axis=0)) if k in (3, 4) else s for k, s in enumerate(seen)]
    found = find_motion(LENS, spun, NO_MOTION)
    assert found is not None
    assert found.along == (True,) * 3 + (False,) * 2 + (True,) * 2
    assert misplaced(moved_surface(before, found.motion), now)[0] < 0.01


def test_pieces_that_are_all_pushed_tell_no_motion() -> None:
    before = camera()
    assert find_motion(LENS, shifts(before, before, (), 6, pushed=6), NO_MOTION) is None


def test_two_corner_tags_outvote_any_number_of_pieces() -> None:
    before = camera()
    found = find_motion(LENS, shifts(before, before, (1, 2), 6, pushed=6), NO_MOTION)
    assert found is not None
    assert not found.sudden
    assert found.along == (True, True, *(False,) * 6)


def test_a_camera_that_hangs_still_gains_nothing_by_a_motion() -> None:
    before = camera()
    gains = []
    for seed in range(volume(10, 40)):
        found = refined(LENS, shifts(before, before, (0, 1, 2, 3), 9, seed), NO_MOTION)
        assert found is not None
        gains.append(found.gain)
    # Chi-square of six numbers.
    assert max(gains) < 25.0


def test_one_piece_alone_tells_nothing_of_the_camera() -> None:
    before = camera()
    alone = shifts(before, turned(before, 0.1), (), 1)
    assert refined(LENS, alone, NO_MOTION) is None
    assert find_motion(LENS, alone, NO_MOTION) is None


def test_what_came_since_is_the_rest_of_the_way() -> None:
    before = camera()
    seen = [shifts(before, turned(before, px), (0, 1, 2, 3), 9) for px in (2.0, 5.0)]
    first, whole = (refined(LENS, s, NO_MOTION) for s in seen)
    assert first is not None
    assert whole is not None
    there = moved_surface(moved_surface(before, first), whole.since(first))
    at_once = moved_surface(before, whole)
    assert np.abs(there.rotation - at_once.rotation).max() < 1e-12
    assert np.abs(there.translation - at_once.translation).max() < 1e-10
    assert apart(LENS, seen[0], first, whole)[1] == pytest.approx(3.0, abs=0.3)


@pytest.mark.parametrize("tilt", [0.0, 0.01, 3.0, 20.0])
def test_how_a_rotation_vector_goes_with_a_small_turn(tilt: float) -> None:
    surface = camera(tilt=tilt)
    by = _by_step(surface.rotation, surface.translation)
    for k in range(6):
        step = np.zeros(6)
        step[k] = -1e-7
        turn = np.asarray(cv2.Rodrigues(step[:3])[0], np.float64)
        vector = rotation_vector(turn @ surface.rotation)
        if np.abs(vector - rotation_vector(surface.rotation)).max() > 1.0:
            # Over half a turn the same rotation has the other name.
            continue
        moved = turn @ surface.translation + step[3:]
        change = [vector - rotation_vector(surface.rotation), moved - surface.translation]
        assert np.concatenate(change) / step[k] == pytest.approx(by[:, k], abs=1e-5)


def test_a_camera_that_came_nearer_may_have_been_zoomed() -> None:
    """Flat tags alone do not tell which, and what stands higher is put elsewhere by a hair."""
    before, K = camera(), LENS.K.copy()
    K[0, 0], K[1, 1] = 1.02 * K[0, 0], 1.02 * K[1, 1]
    now = replace(before, lens=replace(LENS, K=K))
    found = find_motion(LENS, shifts(before, now, (0, 1, 2, 3), 0), NO_MOTION)
    assert found is not None
    moved = moved_surface(before, found.motion)
    assert np.sqrt(moved.covariance[6, 6]) == pytest.approx(0.02 * K[0, 0], rel=0.1)
    assert misplaced(moved, now)[1] < 6.0

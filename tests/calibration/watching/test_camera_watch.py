"""Whether the camera has moved, or what it sees: pieces are pushed, tags lie under hands."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from calibration.bundle.seen import SeenTag
from calibration.surface import SeenCorner, Surface
from calibration.watching.keeper import MOVED_FRAMES, SurfaceKeeper
from engine.space.geometry import FloatArray
from tests.calibration.test_surface import LENS, camera, seen_by, tags
from tests.calibration.watching.test_motion import BETWEEN, ROOF, STANDING, lower, turned

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

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import Accuracy
from calibration.bundle.common import INK, Common
from calibration.bundle.doubts import judge
from calibration.bundle.parts import SeenTag
from calibration.bundle.solve import solve
from calibration.gains import SPAN_IN, sure_of_span
from calibration.lens.model import Lens, guess_lens, usual_covariance
from calibration.surface import CornerTag, SeenCorner, Surface, SurfaceError
from engine.space.geometry import FloatArray, Pose
from tests.calibration.test_surface import LENS, PLACES, camera, seen_by, tags
from tests.volume import DEEP, Figure, volume

FRAME = (("tag36h11", 0), ("tag36h11", 1))
ANYWHERE = [(12.0, 9.0), (35.0, 14.0), (30.0, 36.0), (9.0, 31.0)]
NOISE_PX = 0.05


def look(
    truth: Surface,
    tag: int,
    size: float,
    pose: Pose,
    rng: np.random.Generator,
    *,
    height: float = 0.0,
    stated: float | None = None,
) -> SeenTag:
    """A tag as the camera sees it, with corner noise; `stated` is the size that is believed."""
    square = CornerTag("tag36h11", tag, size, (pose.x, pose.y), pose.heading, 0.0).corners_at()
    corners = truth.image_from_table(square, height) + rng.normal(0, NOISE_PX, (4, 2))
    return SeenTag("tag36h11", tag, stated or size, height, corners, np.eye(8) * NOISE_PX**2)


def loose(truth: Surface, seed: int, extra: bool = True) -> list[SeenTag]:
    """Corner tags of 3 inches and, if `extra`, four more of 2 inches, places unknown."""
    rng = np.random.default_rng(seed)
    seen = [look(truth, i, 3.0, Pose(*at, math.pi / 2), rng) for i, at in enumerate(PLACES)]
    if extra:
        seen += [
            look(truth, 40 + i, 2.0, Pose(*at, rng.uniform(-3, 3)), rng) for i, at in enumerate(ANYWHERE)
        ]
    return seen


def table_error(found: Surface, truth: Surface, height: float = 1.1) -> FloatArray:
    grid = np.stack(np.meshgrid(np.linspace(2, 44, 7), np.linspace(2, 44, 7)), -1).reshape(-1, 2)
    return found.table_from_image(truth.image_from_table(grid, height), height) - grid


@pytest.mark.parametrize("tilt", [0.0, 4.0, 9.0])
def test_without_a_ruler_the_scale_is_right_to_a_thousandth(tilt: float) -> None:
    truth = camera(tilt=tilt)
    scales = []
    for seed in range(volume(3, 12)):
        found = solve(LENS, (), loose(truth, seed), FRAME).surface
        off = table_error(found, truth)
        assert np.percentile(np.linalg.norm(off, axis=1), 95) < 0.04
        grid = np.array([[2.0, 2.0], [44.0, 44.0]])
        ends = found.table_from_image(truth.image_from_table(grid))
        scales.append(np.linalg.norm(ends[1] - ends[0]) / np.linalg.norm(grid[1] - grid[0]) - 1)
    assert np.abs(scales).max() < 0.001


def test_the_frame_is_that_of_the_two_tags() -> None:
    truth = camera()
    solved = solve(LENS, (), loose(truth, 1), FRAME)
    origin, ahead = (solved.places[k][0] for k in FRAME)
    assert (origin.x, origin.y, ahead.y) == (0.0, 0.0, 0.0)
    assert ahead.x == pytest.approx(46.0, abs=0.05)
    assert solved.places["tag36h11", 42][0].y == pytest.approx(36.0, abs=0.05)


def test_more_tags_make_it_surer() -> None:
    truth, middle = camera(), np.array([[44.0, 44.0]])

    def sd(seen: list[SeenTag]) -> float:
        surface = solve(LENS, (), seen, FRAME).surface
        J = surface.jacobians(middle, 0.0)[1][0]
        return float(np.sqrt(np.trace(J @ surface.covariance @ J.T)))

    assert sd(loose(truth, 2)) < 0.85 * sd(loose(truth, 2, extra=False))


def test_stated_deviations_come_true_without_a_ruler(figure: Figure) -> None:
    inside, rounds = 0, volume(40, 150)
    rng = np.random.default_rng(3)
    for seed in range(rounds):
        truth = camera(tilt=rng.uniform(-8, 8))
        surface = solve(LENS, (), loose(truth, seed), FRAME).surface
        place = np.array([rng.uniform(4, 42, 2)])
        found = surface.table_from_image(truth.image_from_table(place, 1.1), 1.1)
        J = surface.jacobians(found, 1.1)[1][0]
        off = (found - place)[0]
        inside += bool(off @ np.linalg.solve(J @ surface.covariance @ J.T, off) <= 5.991)
    figure("share of places within the stated 95 %, no place measured", inside / rounds)
    # Sizes are drawn exact here and granted a doubt, so a little more than 95 %.
    # Of 40 draws at 95 %, fewer than 36 would be a chance of 5 %.
    assert inside / rounds >= (0.93 if DEEP else 0.9)


def test_one_tag_half_covered_does_not_spoil_the_rest() -> None:
    truth = camera()
    seen = loose(truth, 4)
    bent = seen[5].corners + np.array([[3, 0], [0, 0], [0, 0], [3, 2]])
    spoiled = SeenTag("tag36h11", 41, 2.0, 0.0, bent, seen[5].covariance)
    off = table_error(solve(LENS, (), [*seen[:5], spoiled, *seen[6:]], FRAME).surface, truth)
    assert np.linalg.norm(off, axis=1).max() < 0.06


@pytest.mark.parametrize("fov", [None, 78.0])
def test_roof_tags_of_known_height_settle_an_unknown_lens(fov: float | None) -> None:
    """From straight above, one plane does not reveal the camera's height; a raised tag does."""
    truth = camera(tilt=0.5)
    rng = np.random.default_rng(5)
    raised = [
        look(truth, 10 + k, 1.6, Pose(*rng.uniform(5, 41, 2), rng.uniform(-3, 3)), rng, height=height)
        for k, height in enumerate((1.0, 1.2, 3.7, 4.4, 2.0, 1.1))
    ]
    guess = guess_lens(LENS.size, fov)
    flat_only = solve(guess, seen_by(truth, tags(), NOISE_PX)).surface
    with_raised = solve(guess, seen_by(truth, tags(), NOISE_PX), raised).surface

    def sd(surface: Surface) -> float:
        J = surface.jacobians(np.array([[42.0, 42.0]]), 1.1)[1][0]
        return float(np.sqrt(np.trace(J @ surface.covariance @ J.T)))

    # A maker's field of view tells of it too: beside that a raised tag makes less of a difference.
    assert sd(with_raised) < min(0.025, sd(flat_only) * (0.5 if fov is None else 1.0))
    height = with_raised.camera_position[2]
    assert height == pytest.approx(57.0, abs=2.0)
    assert np.linalg.norm(table_error(with_raised, truth), axis=1).max() < 0.12


def test_without_ruler_or_lens_a_wide_bent_lens_is_not_taken_for_a_long_one() -> None:
    """Begun at the usual field of view alone, the search ends where every car lies an inch off."""
    K = np.array([[1101.0, 0.0, 948.0], [0.0, 1100.0, 548.0], [0.0, 0.0, 1.0]])
    wide = Lens(LENS.size, K, np.array([-0.19, 0.062, -0.0011, 0.0009, -0.006]))
    truth, rng = camera(wide, height=56.0), np.random.default_rng(5)
    raised = [
        look(truth, 10 + k, 0.9, Pose(*rng.uniform(5, 41, 2), rng.uniform(-3, 3)), rng, height=height)
        for k, height in enumerate((1.0, 1.2, 3.7, 4.4, 2.0, 1.1))
    ]
    found = solve(guess_lens(LENS.size), (), [*loose(truth, 1, extra=False), *raised], FRAME)
    assert found.cost < 1.5 * found.freedom
    assert np.linalg.norm(table_error(found.surface, truth), axis=1).max() < 0.1


def test_stated_places_and_sizes_may_disagree_and_it_is_told() -> None:
    """The table file puts corner 3 a third of an inch from where its picture says it lies."""
    truth = camera()
    seen = seen_by(truth, tags(), NOISE_PX)
    wrong = CornerTag("tag36h11", 3, 2.4, (0.3, 46.0), math.pi / 2, 0.02)
    corners = [
        SeenCorner(
            wrong if s.corner.tag == 3 else CornerTag(*_fields(s.corner), 0.02), s.corners, s.covariance
        )
        for s in seen
    ]
    judged = judge(LENS, corners)
    assert judged.consistent
    found = judged.doubts[0]
    assert (found.kind, found.tags) == ("corner", (3,))
    assert found.value == pytest.approx(0.3, abs=3 * found.sd)
    assert "corner tag 3 lies 0." in found.words
    right = [SeenCorner(CornerTag(*_fields(s.corner), 0.02), s.corners, s.covariance) for s in seen]
    assert judge(LENS, right).doubts == ()


def _fields(corner: CornerTag) -> tuple[str, int, float, tuple[float, float], float | None]:
    return corner.family, corner.tag, corner.size, corner.at, corner.turn


@pytest.mark.parametrize(
    ("keep", "says"),
    [
        ([1, 2, 3], "corner tags seen: tags 1, 2 and 3; at least three are needed, tags 0 and 1 among them"),
        ([0, 1], "corner tags seen: tags 0 and 1;.*Clear them, light them, or move the camera up"),
        ([0], "seen: tag 0;"),
        ([], "seen: none;"),
    ],
)
def test_too_little_without_a_ruler_says_what_is_missing(keep: list[int], says: str) -> None:
    seen = [t for t in loose(camera(), 0, extra=False) if t.tag in keep]
    with pytest.raises(SurfaceError, match=says):
        solve(LENS, (), seen, FRAME)


def test_a_known_lens_is_not_touched_and_an_open_one_is() -> None:
    truth = camera()
    known = solve(LENS, seen_by(truth, tags(), NOISE_PX)).surface
    assert np.array_equal(known.lens.parameters, LENS.parameters)
    assert np.abs(known.covariance[6:, 6:]).max() == 0.0
    off = Lens(
        LENS.size,
        LENS.K * [[1.02, 1, 1], [1, 1.02, 1], [1, 1, 1]],
        LENS.dist,
        "board",
        np.diag([900.0, 900.0, 0, 0, 0, 0, 0, 0, 0]),
    )
    found = solve(off, seen_by(camera(tilt=9.0), tags(), NOISE_PX)).surface
    assert abs(found.lens.K[0, 0] - 1181.0) < abs(off.K[0, 0] - 1181.0)


def test_an_unknown_print_scale_makes_nothing_less_sure_than_itself() -> None:
    """What a reader's errors do to a guessed lens is reckoned larger than solved; a print's is stated."""
    truth = camera(tilt=6.0)
    tags_in_view = loose(truth, 3)

    def sd(scale: float) -> float:
        surface = solve(guess_lens(LENS.size), (), tags_in_view, FRAME, Common(scale=scale)).surface
        return sure_of_span(surface, np.array([24.0, 24.0])) / 1.96

    by_lens, both = sd(0.0), sd(0.01)
    assert by_lens < 0.1
    assert both == pytest.approx(math.hypot(by_lens, 0.01 * SPAN_IN), rel=0.05)


def test_the_search_goes_on_to_its_end_where_nobody_measured_anything() -> None:
    """Height against focal length is a long bent valley: begun from its end, the search goes nowhere."""
    truth = camera(Lens(LENS.size, LENS.K * [[1.2, 1, 1], [1, 1.2, 1], [1, 1, 1]], LENS.dist), tilt=7.0)
    rng = np.random.default_rng(6)
    raised = [
        look(truth, 10 + k, 0.9, Pose(*rng.uniform(5, 41, 2), rng.uniform(-3, 3)), rng, height=height)
        for k, height in enumerate((1.0, 1.2, 1.1, 1.3, 2.2))
    ]
    guess = replace(guess_lens(LENS.size), origin="file")
    seen = [*loose(truth, 2, extra=False), *raised]
    first = solve(guess, (), seen, FRAME, Common(scale=0.01, lift=0.02))
    again = solve(guess, (), seen, FRAME, Common(scale=0.01, lift=0.02), near=first.estimate)
    sd = np.sqrt(first.surface.covariance[6, 6])
    assert abs(again.surface.lens.K[0, 0] - first.surface.lens.K[0, 0]) < 0.01 * sd
    assert again.cost == pytest.approx(first.cost, abs=1e-4)
    # Nothing but the prior says anything of the print's scale.
    assert abs(first.common[0]) < 0.1 * 0.01


HANDS = Accuracy()


def roofs(truth: Surface, places: int, *, size: float = 0.9) -> list[SeenTag]:
    """One roof tag of an inch up at so many places, as large as `size`, stated to be 0.9 inch."""
    rng = np.random.default_rng(5)
    out = []
    for _ in range(places):
        pose = Pose(*rng.uniform(4, 42, 2).tolist(), float(rng.uniform(-3, 3)))
        seen = look(truth, 10, size, pose, rng, height=1.0, stated=0.9)
        out.append(replace(seen, sd_height=0.045, paper=HANDS.glued(math.radians(4.0))))
    return out


def flat(truth: Surface) -> list[SeenTag]:
    return [replace(t, paper=HANDS.laid) for t in loose(truth, 3, extra=False)]


def test_one_tag_at_many_places_has_one_size_and_one_height() -> None:
    """Twenty times as many reads of it do not make known how large and how high it is."""
    truth, common = camera(tilt=5.0), HANDS.common
    few, many = (solve(LENS, (), [*flat(truth), *roofs(truth, n)], FRAME, common) for n in (2, 40))
    assert many.estimate.own.shape == (1, 2)
    assert solve(LENS, (), [*flat(truth), *roofs(truth, 1)], FRAME, common).estimate.own.shape == (0, 2)
    # What all heights have in common is not known better by one tag than its own height is.
    assert many.surface.lift[1] > 0.9 * few.surface.lift[1]
    # Larger or nearer look alike: what is off of it is put down to its own size and height.
    large = solve(LENS, (), [*flat(truth), *roofs(truth, 40, size=0.9 * 1.003)], FRAME, common)
    share, higher = large.estimate.own[0]
    assert 0.001 < share + higher / 56.0 < 0.0035
    assert abs(large.surface.lift[0]) < 0.5 * abs(higher)


def test_where_a_lens_is_calibrated_and_no_place_stated_roof_tags_bear_witness_alone() -> None:
    truth, known = camera(tilt=5.0), replace(LENS, covariance=usual_covariance(LENS), origin="file")
    tags = [*flat(truth), *roofs(truth, 12)]
    alone = judge(known, (), flat(truth), FRAME, HANDS.common).surface
    beside = judge(known, (), tags, FRAME, HANDS.common)
    assert beside.surface.camera_position == pytest.approx(alone.camera_position, abs=1e-6)
    assert beside.freedom > judge(known, (), flat(truth), FRAME, HANDS.common).freedom
    guessed = judge(guess_lens(LENS.size), (), tags, FRAME, HANDS.common).surface
    by_flat = judge(guess_lens(LENS.size), (), flat(truth), FRAME, HANDS.common).surface
    assert np.trace(guessed.covariance[3:6, 3:6]) < np.trace(by_flat.covariance[3:6, 3:6])


def test_ink_makes_a_small_square_larger_by_more_than_a_large_one() -> None:
    """With ink open the sizes of small tags against large ones say little of heights."""
    truth = camera(tilt=5.0)
    wet = [replace(t, sd_height=0.3) for t in roofs(truth, 20, size=0.9 + 0.004)]
    dry, open_ = (
        solve(LENS, (), [*flat(truth), *wet], FRAME, replace(HANDS.common, ink=ink)) for ink in (0.0, 0.004)
    )
    assert dry.common[INK] == 0.0
    assert open_.common[INK] > 0.001
    assert abs(open_.estimate.own[0][1]) < abs(dry.estimate.own[0][1])

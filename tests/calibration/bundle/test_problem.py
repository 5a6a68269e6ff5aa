"""The least squares: the equations, how likely what is seen is, lengths, lenses that nobody measured."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.drift import SIDE, UP
from calibration.accuracy import CORNER_IN, RULED_IN, Accuracy
from calibration.bundle.common import SAME_IN, Common, Length
from calibration.bundle.doubts import judge
from calibration.bundle.guessed import straightened
from calibration.bundle.parts import SeenTag, corner_part, tag_part
from calibration.bundle.problem import FLATTER, Problem, _inverted, unlikelihood
from calibration.bundle.solve import solve
from calibration.bundle.starts import start_from_corners
from calibration.lens.model import Lens, guess_lens, usual_covariance
from calibration.surface import POSE_PARAMETERS, CornerTag, SeenCorner, Surface, SurfaceError
from engine.space.geometry import FloatArray, Pose
from tests.calibration.bundle.test_solve import FRAME, NOISE_PX, look, loose, table_error
from tests.calibration.test_surface import LENS, PLACES, camera, seen_by, tags
from tests.pictures.budget import CHART, OFF_IN, ROOF, SOURCES, grid, placed
from tests.volume import volume


@pytest.mark.parametrize("seed", range(8))
def test_no_variance_is_negative_whatever_the_units(seed: int) -> None:
    """Camera height against focal length: all but one and the same, in inches and in pixels."""
    rng = np.random.default_rng(seed)
    tied = np.eye(6)
    tied[0, 1] = tied[1, 0] = 1.0 - 1e-12
    units = 10.0 ** rng.uniform(-7, 7, 6)
    covariance, logdet = _inverted(tied * np.outer(units, units))
    assert (np.diag(covariance) > 0.0).all()
    assert np.abs(covariance * np.outer(units, units))[2:, 2:] == pytest.approx(np.eye(4))
    assert covariance[0, 0] * units[0] ** 2 == pytest.approx(0.5e12, rel=1e-3)
    assert logdet == pytest.approx(2.0 * np.log(units).sum() + np.log(2e-12), rel=1e-3)


@pytest.mark.parametrize("open_", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]])
def test_what_leaves_an_unknown_open_is_said(open_: list[list[float]]) -> None:
    with pytest.raises(SurfaceError, match="leaves the camera open: clear more of them"):
        _inverted(np.array(open_))


def test_numbers_of_all_sizes_are_inverted_without_a_warning() -> None:
    covariance, _ = _inverted(np.diag([1e-300, 1.0, 1e300]))
    assert np.diag(covariance) == pytest.approx([1e300, 1.0, 1e-300])


@pytest.mark.parametrize("unknown", [2, 5])
@pytest.mark.parametrize("information", [1e-12, 1e-320])
def test_a_camera_that_nothing_holds_is_none(unknown: int, information: float) -> None:
    """Its evidence would be that of all that it may be: it would count as the likeliest of all."""
    seen = loose(camera(), 1)
    problem = Problem(LENS, [tag_part(s) for s in seen], Common(), FRAME)
    estimate = solve(LENS, (), seen, FRAME).estimate
    equations = problem._equations(estimate, problem._projected(estimate))
    assert problem._solution(estimate, equations).freedom > 0
    equations.information[unknown, :] = equations.information[:, unknown] = 0.0
    equations.information[unknown, unknown] = information
    with pytest.raises(SurfaceError, match="leaves the camera open"):
        problem._solution(estimate, equations)


def test_what_pixels_make_of_a_solution_is_what_it_scatters_by_where_they_alone_are_drawn_anew() -> None:
    rng = np.random.default_rng(2)
    truth, guess, common = camera(tilt=9.0), guess_lens(LENS.size), Common(scale=0.01)
    seen = [replace(tag, paper=Accuracy().laid) for tag in loose(truth, 1)]
    first = Problem(guess, [tag_part(tag) for tag in seen], common, FRAME).run(
        solve(LENS, (), seen, FRAME).estimate
    )
    poses = []
    for _ in range(volume(24, 60)):
        again = [
            tag_part(replace(tag, corners=tag.corners + rng.normal(0, NOISE_PX, (4, 2)))) for tag in seen
        ]
        problem = Problem(guess, again, common, FRAME)
        poses.append(problem.unknowns(problem.run(first.estimate).estimate)[:POSE_PARAMETERS])
    told = np.sqrt(np.diag(first.by_reads)[:POSE_PARAMETERS])
    assert np.std(poses, axis=0, ddof=1) / told == pytest.approx(1.0, abs=0.35)
    # What is granted to tags that lie there as before is in the covariance besides.
    assert (told < 0.8 * np.sqrt(np.diag(first.covariance)[:POSE_PARAMETERS])).all()


KNOWN = replace(LENS, covariance=usual_covariance(LENS))


@pytest.mark.parametrize("lens", [KNOWN, guess_lens(LENS.size)], ids=["calibrated", "guessed"])
@pytest.mark.parametrize("off", [0.0, 0.5], ids=["as stated", "a corner tag half an inch off"])
def test_flatter_tags_are_weighed_as_if_they_were_searched_for(lens: Lens, off: float) -> None:
    """The estimate under tags that lean as much as granted is not the best one under flatter tags."""
    granted, rng, truth = Accuracy(), np.random.default_rng(2), camera(tilt=6.0)
    corners = [
        replace(s, corner=replace(s.corner, sd=CORNER_IN, paper=granted.laid))
        for s in seen_by(truth, tags(turn=None), 0.05)
    ]
    x, y = corners[2].corner.at
    corners[2] = replace(corners[2], corner=replace(corners[2].corner, at=(x + off, y)))
    places = [Pose(*rng.uniform(5, 41, 2), rng.uniform(-3, 3)) for _ in range(6)]
    roofs = [look(truth, 10 + k, 0.9, place, rng, height=1.2) for k, place in enumerate(places)]
    glued = [replace(t, paper=granted.glued(0.07), sd_height=0.06) for t in roofs]
    parts = [*map(corner_part, corners), *map(tag_part, glued)]
    problem = Problem(lens, parts, granted.common, None)
    solution = problem.run(start_from_corners(lens, corners))

    flatter = [problem.flatter(share).run(solution.estimate) for share in FLATTER]
    scores = np.array([found.evidence + found.logdet for found in (solution, *flatter)])
    searched = -2.0 * np.logaddexp.reduce(-0.5 * scores)
    # By 0.5 odds change by 28 %.
    assert unlikelihood(problem, solution) == pytest.approx(searched, abs=0.5)
    assert searched < scores[0] - 1.0


POSES = {("tag36h11", i): Pose(*at, math.pi / 2) for i, at in enumerate(PLACES)}
APART = math.dist(PLACES[0], PLACES[1])
BETWEEN = (("tag36h11", 0), ("tag36h11", 1))
MEASURED = Length(BETWEEN, APART, RULED_IN, tuple(POSES.items()))
HANDS = Accuracy()


def laid(print_scale: float, seed: int = 1, aside: float = 0.0) -> list[SeenTag]:
    """The corner tags, printed so much too large; the last one lies so many inches aside."""
    rng, out = np.random.default_rng(seed), []
    for i, at in enumerate(PLACES):
        pose = Pose(at[0] + aside * (i == 3), at[1], math.pi / 2)
        tag = look(camera(tilt=4.0), i, 3.0 * (1 + print_scale), pose, rng, stated=3.0)
        out.append(replace(tag, paper=HANDS.laid))
    return out


def common(*lengths: Length) -> Common:
    return replace(HANDS.common, lengths=lengths)


def apart(tags: list[SeenTag], given: Common) -> tuple[float, float]:
    """How far tags 0 and 1 are apart by the estimate, and the mean error over the table."""
    judged = judge(LENS, (), tags, FRAME, given)
    one, other = (judged.solved.places[key][0] for key in BETWEEN)
    off = table_error(judged.surface, camera(tilt=4.0))
    return math.dist(one.xy, other.xy), float(np.hypot(*(off - off.mean(axis=0)).T).mean())


@pytest.mark.parametrize("print_scale", [-0.02, 0.0, 0.015])
def test_a_measured_length_sets_the_scale_whatever_the_printer_did(print_scale: float) -> None:
    tags = laid(print_scale)
    by_print, wrong = apart(tags, common())
    by_length, right = apart(tags, common(MEASURED))
    assert by_print == pytest.approx(APART / (1 + print_scale), abs=0.1)
    # Print and ruler are weighed: 1.5 % of a print are 0.7 inch, a ruler is 0.04 off.
    assert by_length == pytest.approx(APART, abs=0.02)
    assert right < 0.02
    assert print_scale == 0.0 or wrong > 10 * right


def test_tags_that_were_laid_anew_have_no_measured_length() -> None:
    tags = laid(0.01, aside=0.6)
    judged = judge(LENS, (), tags, FRAME, common(MEASURED))
    assert judged.unheld == (MEASURED,)
    assert apart(tags, common(MEASURED)) == pytest.approx(apart(tags, common()))
    assert "0 and 1 were measured 46 in apart" in MEASURED.words_of_old
    assert judge(LENS, (), laid(0.01), FRAME, common(MEASURED)).unheld == ()


def test_as_they_lay_is_whatever_the_scale_and_however_the_table_is_turned() -> None:
    about, grown = Pose(3.0, -2.0, 0.7), 1.012
    elsewhere = {
        key: about.compose(Pose(grown * pose.x, grown * pose.y, pose.heading)) for key, pose in POSES.items()
    }
    now = MEASURED.now(elsewhere)
    assert now is not None
    assert now.sd == pytest.approx(RULED_IN, abs=1e-6)
    assert now.inches == MEASURED.inches


@pytest.mark.parametrize(
    ("x", "turn_deg", "holds"), [(0.05, 0.5, True), (0.3, 0.0, False), (0.0, 3.0, False)]
)
def test_a_tag_pushed_or_turned_ends_it_and_a_little_makes_it_less_sure(
    x: float, turn_deg: float, holds: bool
) -> None:
    key = ("tag36h11", 2)
    pushed = replace(POSES[key], x=POSES[key].x + x, heading=POSES[key].heading + math.radians(turn_deg))
    now = MEASURED.now(POSES | {key: pushed})
    assert (now is not None) == holds
    if now is not None:
        assert RULED_IN < now.sd < math.hypot(RULED_IN, SAME_IN)


def test_a_scale_that_a_length_told_counts_only_where_the_length_does_not() -> None:
    given = replace(common(MEASURED), scale=0.0009, scale_beside=0.01)
    assert given.by_lengths((MEASURED,)).scale == 0.01
    assert given.by_lengths(()).scale == 0.0009
    # The sizes were taken for 2 % too small by a ruler read on other tags: here the length speaks alone.
    assert apart(laid(-0.02), given)[0] == pytest.approx(APART, abs=0.02)


def test_tags_that_are_said_to_have_lain_on_one_another_hold_no_length() -> None:
    heap = Length(BETWEEN, APART, RULED_IN, tuple((key, Pose(1.0, 1.0, math.pi / 2)) for key in POSES))
    assert heap.now(POSES) is None


STRAIGHT = replace(LENS, dist=np.zeros(5))
BENT = replace(LENS, dist=np.array([-0.15, 0.04, 0.0, 0.0, 0.0]))
ROUND = [*PLACES, (23.0, 0.0), (46.0, 23.0), (23.0, 46.0), (0.0, 23.0)]
SD_IN = 1 / 16
READ_PX = 0.3


def laid_beside(truth: Surface, seed: int, count: int = 8) -> list[SeenCorner]:
    """Corner tags of 2.4 inches, each a sixteenth of an inch beside its stated place along each axis."""
    rng = np.random.default_rng(seed)
    stated = [CornerTag("tag36h11", i, 2.4, at, None, SD_IN) for i, at in enumerate(ROUND[:count])]
    there = [
        replace(c, at=tuple(np.add(c.at, rng.normal(0, SD_IN, 2))), turn=rng.uniform(-3, 3)) for c in stated
    ]
    seen = seen_by(truth, there, READ_PX, seed)
    return [SeenCorner(c, s.corners, s.covariance) for c, s in zip(stated, seen, strict=True)]


def bend(lens: Lens) -> float:
    """By how much the lens shifts what lies half-way to the picture's corner, a share of its distance."""
    r2 = (0.5 * lens.size[0] / lens.K[0, 0]) ** 2 / 2
    return float(lens.dist[0] * r2 + lens.dist[1] * r2**2)


def test_eight_tags_tell_a_straight_lens_from_one_that_bends() -> None:
    guess, seeds = guess_lens(LENS.size), range(volume(2, 6))
    straight = [solve(guess, laid_beside(camera(STRAIGHT, tilt=8.0), seed)).surface.lens for seed in seeds]
    bent = [solve(guess, laid_beside(camera(BENT, tilt=8.0), seed)).surface.lens for seed in seeds]
    assert np.median([abs(bend(lens)) for lens in straight]) < 0.15 * abs(bend(BENT))
    assert all(bend(lens) == pytest.approx(bend(BENT), rel=0.4) for lens in bent)


def test_a_lens_that_surely_bends_is_solved_as_if_no_lens_were_straight() -> None:
    truth = camera(BENT, tilt=8.0)
    seen, guess = laid_beside(truth, 4), guess_lens(LENS.size)
    found = solve(guess, seen).surface
    # Not guessed, so that nothing is weighed.
    alone = solve(replace(guess, origin="file"), seen).surface
    assert np.abs(table_error(found, truth) - table_error(alone, truth)).max() < 0.002


def test_what_cannot_be_told_apart_is_in_the_deviation() -> None:
    """A straight lens is no more than likely: what is known of the bend if it is one would be too sure."""
    seen, guess = laid_beside(camera(STRAIGHT, tilt=8.0), 5, count=4), guess_lens(LENS.size)
    found = solve(guess, seen).surface
    straight = solve(replace(straightened(guess), origin="file"), seen).surface
    bent = solve(replace(guess, origin="file"), seen).surface

    def sd(surface: Surface) -> float:
        return float(np.sqrt(surface.covariance[10, 10]))

    assert 1.5 * sd(straight) < sd(found) < 1.3 * sd(bent)
    assert abs(bend(straight.lens)) < abs(bend(found.lens)) < abs(bend(bent.lens))


@pytest.mark.parametrize("lens", [STRAIGHT, BENT], ids=["straight", "bent"])
def test_stated_deviations_come_true_under_both_kinds_of_lens(lens: Lens) -> None:
    inside, off = [], []
    rng = np.random.default_rng(4)
    for seed in range(volume(15, 60)):
        truth = camera(lens, tilt=rng.uniform(-15, 15), roll=rng.uniform(-90, 90))
        surface = solve(
            guess_lens(LENS.size), laid_beside(truth, seed, count=int(rng.choice([4, 6, 8])))
        ).surface
        place = np.array([rng.uniform(4, 42, 2)])
        found = surface.table_from_image(truth.image_from_table(place))
        J: FloatArray = surface.jacobians(found, 0.0)[1][0]
        d = (found - place)[0]
        inside.append(bool(d @ np.linalg.solve(J @ surface.covariance @ J.T, d) <= 5.991))
        off.append(np.linalg.norm(table_error(surface, truth, 0.0), axis=1).mean())
    assert np.mean(inside) >= 0.93
    assert np.median(off) < 0.1


def test_tags_that_lie_flatter_than_granted_speak_for_no_other_camera() -> None:
    """A picture cut out of a larger one, seen of tags that lie flat.

    A camera above the middle explains it too if they all lean alike, as far as they are granted to, and they
    would scatter less under it than they might under the true one.
    """
    aside = np.array([[0, 0, 430.0], [0, 0, 450.0], [0, 0, 0]])
    granted, chi_squares = Accuracy(print_scale=0.001), list[float]()
    for seed in range(volume(3, 6)):
        truth = over_the_middle(replace(STRAIGHT, K=STRAIGHT.K + aside))
        rng = np.random.default_rng(seed)
        roofs = [
            look(truth, 10 + k, 0.9, Pose(*rng.uniform(5, 41, 2), rng.uniform(-3, 3)), rng, height=1.2)
            for k in range(6)
        ]
        leaning = granted.glued(math.radians(4.0))
        seen = [
            *(replace(tag, paper=granted.laid) for tag in loose(truth, seed, extra=False)),
            *(replace(tag, paper=leaning, sd_height=0.1) for tag in roofs),
        ]
        surface = solve(guess_lens(LENS.size), (), seen, FRAME, granted.common).surface
        places = np.array([[8.0, 38.0], [23.0, 22.0], [40.0, 40.0]])
        found = surface.table_from_image(truth.image_from_table(places))
        for J, off in zip(surface.jacobians(found, 0.0)[1], found - places, strict=True):
            chi_squares.append(float(off @ np.linalg.solve(J @ surface.covariance @ J.T, off)))
    # Two are expected.
    assert np.mean(chi_squares) < 2.5


def over_the_middle(lens: Lens) -> Surface:
    """A camera that shows the middle of the table in the middle of its picture."""
    down = camera(lens, tilt=2.0, height=66.0)
    shown = down.table_from_image(np.array([lens.size]) / 2.0)[0]
    position = down.camera_position + np.array([23.0 - shown[0], 22.0 - shown[1], 0.0])
    return replace(down, translation=-down.rotation @ position)


DOC = Path(__file__).resolve().parents[3] / "docs" / "accuracy.md"


@pytest.fixture(scope="module")
def found() -> dict[str, FloatArray]:
    return {source: errors() for source, errors in SOURCES.items()}


def test_where_nothing_is_off_no_car_is() -> None:
    assert np.abs(placed({})).max() < 0.002


def test_a_height_moves_a_car_along_its_ray() -> None:
    """By the share of the camera's height, from under it: similar triangles."""
    under = np.array([SIDE / 2, SIDE / 2 - 1])
    expected = -OFF_IN * (grid() - under) / (UP - ROOF)
    assert placed({}, height=OFF_IN) == pytest.approx(expected, abs=0.003)


def test_a_width_moves_cars_along_it_and_a_tag_those_near_it_most(found: dict[str, FloatArray]) -> None:
    wide, tag = found["the table stated too wide"], found["one corner tag stated beside its place"]
    left, right = grid()[:, 0] < 10.0, grid()[:, 0] > SIDE - 10.0
    assert wide[right, 0].min() > wide[left, 0].max() > 0.0
    nearest = int(np.argmin(np.hypot(*(grid() - (SIDE, SIDE)).T)))
    assert np.hypot(*tag[nearest]) > 0.8 * np.hypot(*tag.T).max()


def test_docs_and_chart_tell_what_is_printed(found: dict[str, FloatArray]) -> None:
    text, chart = DOC.read_text(encoding="utf-8"), CHART.read_text(encoding="utf-8")
    for source, errors in found.items():
        sizes = np.hypot(*errors.T)
        middle, mean, worst = sizes[len(sizes) // 2], sizes.mean(), sizes.max()
        row = re.search(rf"^\| {source} \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
        assert row is not None, source
        assert [float(told) for told in row.groups()] == pytest.approx([middle, mean, worst], abs=0.0006)
        drawn = re.search(rf">{source}</text>\n.*>middle ([\d.]+) in, worst ([\d.]+) in<", chart)
        assert drawn is not None, source
        assert [float(told) for told in drawn.groups()] == pytest.approx([middle, worst], abs=0.0006)

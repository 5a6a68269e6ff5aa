"""Swept outlines, uncertainty and the page about measuring."""

from __future__ import annotations

import doctest
import json
import math
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measure import distances
from engine.measure.sweep import (
    Side,
    Straight,
    Turn,
    edge_margin,
    edge_margins,
    first_touch,
    leaves,
    poses_after,
    poses_along,
    surely_within,
    touches,
)
from engine.measure.uncertainty import believe, draw_poses, exact, factor, gradient, loadings, poses_of, sd_of
from engine.ruling import Belief
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing
from tests.engine.tables import OPENING, SURFACE, block, car, opening_scene, true_piece
from tests.pictures.figures import FIGURES, main

REAR = (-0.89, 0.0)

NOSE = 1.475

INCHES, ANGLES = st.floats(-9.0, 9.0), st.floats(-math.pi, math.pi)

STEPS = st.one_of(st.builds(Straight, INCHES, INCHES), st.builds(Turn, ANGLES, st.tuples(INCHES, INCHES)))


@given(st.builds(Pose, INCHES, INCHES, ANGLES), STEPS)
def test_many_poses_of_a_step_are_those_of_each_part(pose, step):
    shares = np.array([0.0, 0.2, 0.75, 1.0])
    each = [step.part(float(share)).after(pose) for share in shares]
    rows = poses_after(step, pose, shares)
    assert rows[:, :2] == pytest.approx(np.array([(p.x, p.y) for p in each]), abs=1e-9)
    turned = [math.remainder(row - p.heading, math.tau) for row, p in zip(rows[:, 2], each, strict=True)]
    assert turned == pytest.approx([0.0] * len(shares), abs=1e-9)


@pytest.mark.parametrize(
    ("steps", "other", "travelled", "sides", "kind"),
    [
        ([Straight(5)], car("Blue", 15, 10, 180), 5 - 2 * NOSE, (Side.FRONT, Side.FRONT), "head-on"),
        ([Straight(5)], car("Blue", 15, 10, 0), 5 - 2 * NOSE, (Side.FRONT, Side.REAR), "shunt"),
        ([Straight(5)], car("Blue", 15, 10, 90), 5 - NOSE - 0.6, (Side.FRONT, Side.LEFT), "T-bone"),
        ([Straight(5)], car("Blue", 15, 10, -90), 5 - NOSE - 0.6, (Side.FRONT, Side.RIGHT), "T-bone"),
        ([Straight(-5)], car("Blue", 5, 10, 0), 5 - 2 * NOSE, (Side.REAR, Side.FRONT), "shunt"),
        ([Straight(1, 2)], car("Blue", 10, 11.7), 0.25 * 5**0.5, (Side.LEFT, Side.RIGHT), "sideswipe"),
        ([Straight(1), Straight(3)], car("Blue", 15, 10, 0), 5 - 2 * NOSE, (Side.FRONT, Side.REAR), "shunt"),
    ],
)
def test_first_contact(steps, other, travelled, sides, kind):
    touch = first_touch(car("Red", 10, 10), steps, [other])
    assert touch is not None
    assert touch.travelled == pytest.approx(travelled)
    assert (touch.side, touch.other_side, touch.kind) == (*sides, kind)


@pytest.mark.parametrize(
    ("steps", "other"),
    [
        ([Straight(2)], car("Blue", 15, 10)),
        ([Straight(5)], car("Blue", 12, 11.2)),  # slides along, side against side
        ([Straight(-1)], car("Blue", 12.95, 10)),  # touches and leaves
        ([Turn(math.radians(90), REAR)], car("Blue", 10, 6)),
        ([], car("Blue", 10, 10.5)),
    ],
)
def test_no_contact(steps, other):
    assert first_touch(car("Red", 10, 10), steps, [other]) is None


def test_the_opening_rounds_collision_happens_where_it_did():
    scene = opening_scene()
    action = scene["actions"][3]
    entry = next(c for c in scene["cars"] if c["tag_id"] == 14)
    other = next(c for c in scene["cars"] if c["tag_id"] == 12)
    touch = first_touch(true_piece(entry, "car"), [Straight(5)], [true_piece(other, "car")])
    assert touch is not None
    # The truth stops the car 0.0022 inch short of the other.
    assert touch.travelled == pytest.approx(action["segments"][0]["actual_in"], abs=0.005)
    assert touch.point == pytest.approx(action["contact"]["point_in"], abs=0.01)
    assert (touch.kind, touch.other_side) == ("T-bone", Side.RIGHT)


step = st.one_of(
    st.builds(Straight, st.floats(-6, 6), st.floats(-1, 1)),
    st.builds(Turn, st.floats(-1.5, 1.5), st.just(REAR)),
)


@given(st.lists(step, min_size=1, max_size=3), st.floats(4, 20), st.floats(4, 20), st.floats(0, 360))
def test_contact_is_where_a_fine_walk_finds_it(steps, x, y, degrees):
    mover, other = car("Red", 12, 12), car("Blue", x, y, degrees)
    if distances.contact(mover, other).value < 0.01:
        return
    poses = poses_along(mover.pose, steps)
    touch = first_touch(mover, steps, [other])
    shares = np.linspace(0, 1, 21)
    closest = math.inf
    for k, one in enumerate(steps):
        for share in shares:
            if touch is not None and (k, share) >= (touch.step, touch.share):
                break
            there = Standing(mover.piece, one.part(float(share)).after(poses[k]), mover.uncertainty)
            closest = min(closest, distances.contact(there, other).value)
        if touch is not None and k == touch.step:
            break
    assert closest > -1e-6
    if touch is not None:
        there = Standing(mover.piece, touch.pose, mover.uncertainty)
        assert distances.contact(there, other).value == pytest.approx(0.0, abs=1e-6)
        assert min(np.hypot(*(p - touch.point)) for p in (there.pose.xy, other.pose.xy)) < 1.7


def test_tokens_are_passed_over_in_order():
    tokens = [block("far", 18, 10, 1, 1), block("near", 14, 10, 1, 1), block("aside", 14, 13, 1, 1)]
    passed = touches(car("Red", 10, 10), [Straight(8)], tokens)
    assert [t.other for t in passed] == ["near", "far"]
    assert passed[0].travelled == pytest.approx(13.5 - 10 - NOSE)


@pytest.mark.parametrize(
    ("steps", "travelled"),
    [
        ([Straight(10)], 48 - 40 - NOSE),
        ([Straight(6)], None),
        ([Straight(1, 1), Straight(9)], math.sqrt(2) + 48 - 41 - NOSE),
    ],
)
def test_leaving_the_surface(steps, travelled):
    out = leaves(car("Red", 40, 10), steps, SURFACE)
    assert (out is None) == (travelled is None)
    if out is not None:
        assert (out.other, out.side) == ("the edge", Side.FRONT)
        assert out.travelled == pytest.approx(travelled)
    # A turn can swing the nose over the edge.
    out = leaves(car("Red", 47, 10, 90), [Turn(math.radians(-60), REAR)], SURFACE)
    assert out is not None
    assert out.point[0] == pytest.approx(48)
    assert 0 < -out.turned < math.radians(60)


def test_a_turn_keeps_its_pivot_in_place():
    pose = Pose(3, 4, 0.3)
    after = Turn(1.0, REAR).after(pose)
    assert after.to_table(np.array(REAR)) == pytest.approx(pose.to_table(np.array(REAR)))
    assert after.heading == pytest.approx(1.3)
    assert Region.rectangle(0, 0, 1, 1).area == 1


def test_how_far_a_car_stays_from_the_edge():
    found = edge_margin(car("Red", 46.5, 10, sd=0.02), SURFACE)
    assert found.value == pytest.approx(48 - 46.5 - NOSE)
    assert found.sd == pytest.approx(0.02, rel=0.1)
    assert found.at_least(0.0).verdict() == "too close to call"
    assert edge_margin(car("Red", 47, 10), SURFACE).value < 0


def test_a_piece_is_surely_within_or_not_as_its_margin_says():
    rng = np.random.default_rng(6)
    told = set()
    for _ in range(300):
        one = car("Red", *rng.uniform((-4, -4, -180), (52, 52, 180)), sd=rng.choice([0.0, 0.02, 0.5]))
        within, margin = surely_within(one, SURFACE), edge_margin(one, SURFACE).at_least(0.0)
        told.add(within)
        assert within is None or margin.verdict() == ("yes" if within else "no")
        assert within is None or abs(margin.p_yes - within) < 1e-9
    assert told == {True, False, None}
    # One that lies on the edge is surely nothing.
    assert surely_within(car("Red", 48 - NOSE, 10), SURFACE) is None


def test_many_poses_stay_as_far_from_the_edge_as_each_of_them_alone():
    rng = np.random.default_rng(4)
    surface = Region(np.array([(0, 0), (40, -3), (48, 20), (45, 30), (5, 33)], dtype=float))
    for _ in range(40):
        at = rng.uniform((-5, -8, -math.pi), (50, 36, math.pi))
        mover = car("Red", at[0], at[1])
        spread = rng.choice([0.001, 0.05, 3.0])
        rows = at + rng.normal(size=(300, 3)) * (spread, spread, spread / 2)
        alone = np.concatenate([edge_margins(mover, row[None], surface) for row in rows])
        assert edge_margins(mover, rows, surface) == pytest.approx(alone, abs=1e-9)


def steps_through(track):
    """The steps that lead from each pose of a track to the next: about the one point that both share."""
    for here, there in pairwise(track):
        move = here.inverse().compose(there)
        if abs(move.heading) < 1e-6:
            yield Straight(move.x, move.y)
        else:
            fixed = np.linalg.solve(np.eye(2) - move.rotation, move.xy)
            yield Turn(move.heading, tuple(fixed.tolist()))


def test_the_opening_rounds_collision_happens_when_it_did():
    scene = opening_scene()
    action = scene["actions"][3]
    rows = [
        json.loads(line) for line in (OPENING.parent / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = [r for r in rows if action["start_time_s"] - 0.3 <= r["time_s"] <= action["end_time_s"] + 0.3]
    seen = [r["cars"]["14"] for r in rows]
    track = [Pose(c["x"], c["y"], math.radians(c["heading_deg"])) for c in seen]
    entry = next(c for c in scene["cars"] if c["tag_id"] == 14)
    mover = true_piece(entry, "car")
    mover = Standing(mover.piece, track[0], mover.uncertainty)
    other = true_piece(next(c for c in scene["cars"] if c["tag_id"] == 12), "car")
    # The truth stops 0.0022 inch short: a hair's breadth on, in the same direction, they touch.
    way = [*steps_through(track), Straight(0.01)]
    touch = first_touch(mover, way, [other])
    assert touch is not None
    times = [r["time_s"] for r in rows]
    times.append(times[-1])
    when = times[touch.step] + touch.share * (times[touch.step + 1] - times[touch.step])
    assert when == pytest.approx(action["contact"]["time_s"], abs=0.35)


OWN = np.array([[4e-4, 1e-4, 0.0], [1e-4, 9e-4, 2e-5], [0.0, 2e-5, 1e-4]])


def seen(name: str, x: float, shared: np.ndarray) -> Standing:
    s = car(name, x, 5.0)
    return Standing(s.piece, s.pose, PoseUncertainty(OWN, shared))


def joint_truth(a: Standing, b: Standing) -> np.ndarray:
    cross = a.uncertainty.shared @ b.uncertainty.shared.T
    return np.block([[a.uncertainty.total, cross], [cross.T, b.uncertainty.total]])


@pytest.fixture
def pair():
    rng = np.random.default_rng(1)
    return seen("A", 3.0, rng.normal(size=(3, 2)) * 0.02), seen("B", 9.0, rng.normal(size=(3, 2)) * 0.02)


def test_pieces_covary_through_what_they_share_and_so_do_draws(pair):
    load = loadings(pair).reshape(6, -1)
    assert load @ load.T == pytest.approx(joint_truth(*pair))
    alone = loadings([pair[0], car("C", 20, 20, sd=0.1)])
    assert (alone[1, :, :2] == 0).all(), "one that shares nothing may stand beside those that do"
    drawn = draw_poses(pair, 20_000, seed=3)
    assert drawn.mean(axis=0) == pytest.approx(poses_of(pair), abs=1e-12)
    found = np.cov(drawn.reshape(len(drawn), 6).T)
    assert np.abs(found - joint_truth(*pair)).max() < 5e-5
    assert (draw_poses(pair, 50, seed=7) == draw_poses(pair, 50, seed=7)).all()
    assert (draw_poses(pair, 50, seed=7) != draw_poses(pair, 50, seed=8)).any()


@pytest.mark.parametrize("covariance", [np.zeros((3, 3)), np.diag([1.0, 0.0, 4.0]), OWN])
def test_a_covariance_has_a_root_also_when_singular(covariance):
    root = factor(covariance)
    assert root @ root.T == pytest.approx(covariance)


def test_first_order_is_exact_for_a_linear_number(pair):
    slope = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 0.0]])

    def number(poses: np.ndarray) -> np.ndarray:
        return np.einsum("kc,nkc->n", slope, poses)

    flat = slope.ravel()
    assert gradient(number, poses_of(pair)) == pytest.approx(slope, abs=1e-6)
    truth = math.sqrt(flat @ joint_truth(*pair) @ flat)
    assert sd_of(slope, pair) == pytest.approx(truth)
    assert believe(number, pair, smooth=True).sd == pytest.approx(truth, rel=1e-6)
    assert believe(number, pair).sd == pytest.approx(truth, rel=0.05)


def test_exact_poses_have_no_deviation():
    known = [car("A", 1, 1)]
    assert exact(known)
    assert not exact([car("A", 1, 1, sd=0.01)])
    assert believe(lambda poses: poses[:, 0, 0], known).sd == 0.0


@pytest.mark.parametrize(
    ("belief", "at_least_2"),
    [
        (Belief(2.0, 0.0), 1.0),
        (Belief(1.9, 0.0), 0.0),
        (Belief(2.0, 1.0), 0.5),
        (Belief(3.645, 1.0), 0.95),
        (Belief(2.0, 1.0, np.array([1.0, 3.0, 3.0, 3.0])), 0.75),
    ],
)
def test_a_belief_gives_probabilities(belief, at_least_2):
    assert belief.at_least(2.0) == pytest.approx(at_least_2, abs=1e-3)
    if belief.sd > 0.0:
        assert belief.at_most(2.0) == pytest.approx(1.0 - at_least_2, abs=1e-3)


ROOT = Path(__file__).resolve().parents[3]

PAGE = ROOT / "docs" / "measuring.md"

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_examples_run_and_every_question_has_one_and_a_figure():
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 50
    assert found.failed == 0
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]:
        assert "](figures/" in section, section.splitlines()[0]
        assert ">>> " in section, section.splitlines()[0]
    for name in re.findall(r"\]\(figures/([^)]+)\)", TEXT):
        assert (PAGE.parent / "figures" / name).exists()


@pytest.mark.parametrize("name", FIGURES)
def test_the_figure_is_what_the_engine_draws(name):
    stored = (PAGE.parent / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    assert f"figures/{name}.svg" in TEXT
    assert stored == FIGURES[name]().text()


def test_figures_are_written_where_asked(tmp_path, capsys):
    assert main([str(tmp_path)]) == 0
    assert sorted(p.stem for p in tmp_path.iterdir()) == sorted(FIGURES)
    assert "drew" in capsys.readouterr().out

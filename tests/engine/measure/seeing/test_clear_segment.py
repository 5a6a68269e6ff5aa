from __future__ import annotations

import math

import numpy as np
import pytest

from engine.measure.seeing import clear_segment
from engine.measure.seeing.clear_segment import Placements, Segments, clear, shortest_hinged
from engine.measure.sight import ray_distances
from tests.engine.tables import block

UNIT = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


def placements(*heights: float) -> Placements:
    """Two squares eight inches apart, and a wall between them that reaches from y = -9 up to each height."""
    walls = np.array([[[(4.0, -9.0), (5.0, -9.0), (5.0, h), (4.0, h)]] for h in heights])
    ends = (np.broadcast_to(np.add(UNIT, (x, 0.0)), (len(heights), 4, 2)) for x in (0.0, 8.0))
    return Placements(*ends, walls, walls[:, 0])


def test_each_placement_has_a_segment_of_its_own():
    found = shortest_hinged(placements(0.5, 0.75, 2.0))
    # Over a wall of two inches no line falls steeply enough to meet both squares.
    assert found.length.tolist() == pytest.approx([7.0, 7.0, math.inf])
    assert found.line[:2, :, 1] == pytest.approx(np.array([[0.5, 0.5], [0.75, 0.75]]))
    assert found.hinge[:2, 1] == pytest.approx([0.5, 0.75])


def test_the_shorter_of_two_is_kept_for_each():
    one, other = shortest_hinged(placements(0.5, 2.0)), shortest_hinged(placements(2.0, 0.25))
    both = one.or_shorter(other)
    assert both.length == pytest.approx([7.0, 7.0])
    assert both.line[:, :, 1] == pytest.approx(np.array([[0.5, 0.5], [0.25, 0.25]]))
    assert np.isinf(Segments.none(2).or_shorter(Segments.none(2)).length).all()


def test_touching_is_clear_and_nothing_blocks_nothing():
    lines = np.array([[(0.0, 1.0), (9.0, 1.0)], [(0.0, 0.9), (9.0, 0.9)]])
    walls = np.broadcast_to(np.add(UNIT, (4.0, 0.0)), (2, 1, 4, 2))
    assert clear(lines, walls).tolist() == [True, False]
    assert clear(lines, np.zeros((2, 0, 1, 2))).all()


def test_the_directions_about_a_corner_hold_every_line_that_meets_both_outlines():
    rng = np.random.default_rng(7)
    turn = np.linspace(0.0, math.tau, 720, endpoint=False)
    met = 0
    for _ in range(100):
        # Long walls near each other, and corners between them: each is seen over almost half a turn.
        a, b = (block(n, *rng.uniform(19, 21, 2), 6, 0.3, rng.uniform(0, 360)) for n in "AB")
        outlines = [s.pose.to_table(s.piece.body.footprint.outline) for s in (a, b)]
        points = rng.uniform(19, 21, (12, 2))
        low, width = (x[0] for x in clear_segment._both_ways(points[None], *(o[None] for o in outlines)))
        for point, first, wide in zip(points, low, width, strict=True):
            behind, ahead = (
                ray_distances(t, o - point).min(axis=1)
                for t, o in zip((turn + math.pi, turn), outlines, strict=True)
            )
            both = turn[np.isfinite(behind) & np.isfinite(ahead)]
            met += len(both)
            beyond = np.mod(both - first + 1e-9, math.tau)
            assert (beyond <= wide + 2e-9).all()
    assert met > 1000

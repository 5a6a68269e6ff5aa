from __future__ import annotations

import math

import numpy as np
import pytest

from tests.vision.tags.test_polish import draw, square
from vision.tags.reading import TURNS
from vision.tags.seek import seek


@pytest.mark.parametrize("side", [15.0, 20.0, 34.0])
@pytest.mark.parametrize("move", [(0.0, 0.0), (4.6, -3.3), (-6.2, 5.1)])
def test_a_moved_tag_is_met_within_a_pixel(side: float, move: tuple[float, float]) -> None:
    truth = square(side, 25.0)
    found = seek(draw(truth, noise=3.0), "tag36h11", 7, truth - move, 8.0)
    assert found is not None
    score, corners = found
    assert score > 0.7
    assert np.abs(corners - truth).max() < 1.0


@pytest.mark.parametrize("turn", [12.0, -21.0])
def test_a_turned_one_with_some_turns_tried(turn: float) -> None:
    truth = square(20.0, 25.0)
    grey, before = draw(truth, noise=3.0), square(20.0, 25.0 - turn)
    found = seek(grey, "tag36h11", 7, before, 5.0, TURNS)
    assert found is not None
    edge = found[1][1] - found[1][0]
    assert math.degrees(math.atan2(edge[1], edge[0])) == pytest.approx(25.0, abs=5.0)


def test_nothing_beyond_the_edge_of_the_picture() -> None:
    grey = draw(square(20.0, 0.0))
    assert seek(grey, "tag36h11", 7, square(20.0, 0.0, (-40.0, 40.0)), 5.0) is None

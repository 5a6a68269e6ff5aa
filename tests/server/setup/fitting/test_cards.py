"""Tags that nobody has named: a card for each on the table, a sentence for those beside it."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.surface import CornerTag
from server.setup.fitting.cards import USUAL_HEIGHT_IN, beside_words, nameless
from tests.calibration.test_surface import camera
from vision.frame import Detection

SURFACE = camera(height=78.0)
OUTLINE = np.array([(-1.0, -1.0), (47.0, -1.0), (47.0, 47.0), (-1.0, 47.0)])


def seen(tag: int, x: float, y: float, family: str = "tag36h11") -> Detection:
    square = CornerTag(family, tag, 0.9, (x, y), 0.3, 0.0).corners_at()
    return Detection(family, tag, SURFACE.image_from_table(square, USUAL_HEIGHT_IN), np.eye(8) * 0.01)


def test_tags_on_the_table_and_a_little_outside_get_cards() -> None:
    tags = [seen(44, 51.0, 20.0), seen(41, 10.0, 20.0), seen(7, 20.0, 20.0), seen(3, 30.0, 9.0, "tag25h9")]
    cards, beside = nameless(tags, {("tag36h11", 7)}, (SURFACE, OUTLINE), 1.0, kept=True)
    assert [c.tag for c in cards] == [41, 44]
    assert [c.side_in for c in cards] == pytest.approx([0.9, 0.9], abs=0.01)
    assert [c.printed_in for c in cards] == [0.9, 0.9]
    assert beside == []


def test_those_of_the_table_beside_are_told_and_get_none() -> None:
    tags = [seen(41, 10.0, 20.0), seen(62, 56.0, 20.0), seen(61, 58.0, 50.0)]
    cards, beside = nameless(tags, (), (SURFACE, OUTLINE), 1.0, kept=True)
    assert [c.tag for c in cards] == [41]
    assert beside == [61, 62]
    assert beside_words(beside) == [
        "Tags 61 and 62 lie beside the table, maybe on another one: put them on the table to name them."
    ]


def test_before_a_table_is_kept_nothing_is_beside_it() -> None:
    tags = [seen(41, 10.0, 20.0), seen(62, 58.0, 20.0)]
    assert [c.tag for c in nameless(tags, (), (SURFACE, OUTLINE), 1.0, kept=False)[0]] == [41, 62]
    cards, beside = nameless(tags, (), None, 1.0, kept=True)
    assert [(c.tag, c.side_in, c.printed_in) for c in cards] == [(41, None, 0.9), (62, None, 0.9)]
    assert beside == []

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.vision.tags.test_polish import draw, square
from tests.vision.tags.test_reading import TAGS, scene
from vision.tags.codebook import Codebook, TagLike, tag_like
from vision.tags.polish import polish
from vision.tags.reading import INNER_UNDECODED, LEAD, UNIQUE

BOOK = Codebook("tag36h11", tuple(range(7, 31)))


@pytest.mark.parametrize("side", [12.0, 15.0, 20.0, 36.0])
@pytest.mark.parametrize("turn", [3.0, 40.0, 130.0, 200.0, -75.0])
def test_a_tag_is_guessed_whichever_way_round_and_somewhat_aside(side: float, turn: float) -> None:
    truth = square(side, turn)
    grey = draw(truth, 9, blur=1.0, noise=3.0)
    place = TagLike(
        *(truth.mean(axis=0) + np.array((0.2 * side, -0.15 * side))), math.radians(turn % 90 + 2.0), 1.0
    )
    best = BOOK.guesses(grey, place, side * 1.04, 1.0)[0]
    assert best.tag == 9
    assert best.score > 0.7
    # Near enough for the fit to go on from.
    assert np.abs(best.corners - truth).max() < 0.15 * side
    fit = polish(grey, "tag36h11", 9, best.corners, 1.0)
    assert fit is not None
    assert np.abs(fit.corners - truth).max() < 0.5


def test_the_tag_itself_leads_by_far_and_a_foreign_one_by_nothing() -> None:
    truth = square(13.0, 25.0)
    grey = draw(truth, 9, blur=1.1, noise=3.0)
    inner, lead, unique = BOOK.agreement(grey, 9, truth, 1.1)
    assert inner > 0.95
    assert lead >= unique > 0.15
    assert BOOK.agreement(grey, 10, truth, 1.1).lead < 0.0
    foreign = draw(truth, 400, blur=1.1, noise=3.0)
    spoken = [BOOK.agreement(foreign, t, truth, 1.1) for t in BOOK.tags]
    assert max(s.lead for s in spoken) < 0.12
    # A foreign tag shares the border with those in play, and nothing else.
    assert max(s.inner for s in spoken) < 0.9
    # It is most like itself, which nobody in play can be.
    assert max(s.unique for s in spoken) < -0.1


def test_a_foreign_tag_that_leads_all_in_play_is_still_most_like_itself() -> None:
    # Under a wide blur 188 held upside down looks so much like 24 that none in play comes near.
    truth = square(12.9, 25.0)
    foreign = draw(np.roll(truth, 2, axis=0), 188, blur=1.46)
    agreed = BOOK.agreement(foreign, 24, truth, 1.46)
    assert agreed.inner > INNER_UNDECODED
    assert agreed.lead > LEAD
    assert agreed.unique < 0.0
    itself = BOOK.agreement(draw(truth, 24, blur=1.46), 24, truth, 1.46)
    assert itself.unique > UNIQUE


def test_tag_like_places_are_where_the_tags_are_and_turned_as_they_are() -> None:
    frame = scene(TAGS)
    places = tag_like(frame.grey, 26.0, 12)
    for corners in TAGS.values():
        near = min(places, key=lambda p: math.dist((p.x, p.y), corners.mean(axis=0)))
        assert math.dist((near.x, near.y), corners.mean(axis=0)) < 16.0
        edge = corners[1] - corners[0]
        turned = (math.atan2(edge[1], edge[0]) - near.angle) % (math.pi / 2)
        assert min(turned, math.pi / 2 - turned) < math.radians(9.0)


def test_bare_cloth_has_no_strong_places() -> None:
    tags = tag_like(scene(TAGS).grey, 26.0, 1)[0].strength
    assert all(p.strength < 0.02 * tags for p in tag_like(scene({}).grey, 26.0, 20))

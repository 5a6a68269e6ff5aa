from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.tags.test_reading import KEYS, TAGS, scene
from vision.frame import Frame
from vision.tags.watch import COASTS_S, Last, Watch


def at(time: float, index: int, tags: dict[int, np.ndarray], noise: float = 3.0) -> Frame:
    return replace(scene(tags, noise=noise), time=time, index=index)


def test_everything_is_found_at_once_and_then_read_at_its_place() -> None:
    watch = Watch(KEYS)
    assert {d.how for d in watch.read(at(0.0, 0, TAGS))} == {"full"}
    watch.read(at(0.1, 1, TAGS, 2.8))
    again = watch.read(at(0.2, 2, TAGS, 3.3))
    assert {d.how for d in again} == {"place"}
    assert {d.tag for d in again} == set(TAGS)
    assert not watch.unseen
    for d in again:
        assert np.abs(d.corners - TAGS[d.tag]).max() < 0.2


def test_a_read_at_its_place_is_a_measurement_of_its_own() -> None:
    """Different noise gives different corners: nothing is repeated from the frame before."""
    watch = Watch(KEYS)
    for k in range(3):
        watch.read(at(k / 10, k, TAGS))
    one = {d.tag: d.corners for d in watch.read(at(0.3, 3, TAGS, 3.0))}
    two = {d.tag: d.corners for d in watch.read(at(0.4, 4, TAGS, 3.6))}
    for tag in TAGS:
        assert 0.0 < np.abs(one[tag] - two[tag]).max() < 0.2


@pytest.mark.parametrize("speed", [1.0, 4.0, 9.0])
def test_a_pushed_tag_is_followed(speed: float) -> None:
    watch = Watch(KEYS)
    start = TAGS[10]
    for k in range(3):
        watch.read(at(k / 30, k, TAGS))
    for k in range(8):
        gone = speed * min(k, 3) / 3 * k
        moved = {**TAGS, 10: start + np.array((gone, 0.4 * gone))}
        read = {d.tag: d for d in watch.read(at((3 + k) / 30, 3 + k, moved))}
        assert np.abs(read[10].corners - moved[10]).max() < 0.25, k


def test_two_that_changed_places_under_a_hand_are_told_apart() -> None:
    watch = Watch(KEYS)
    for k in range(3):
        watch.read(at(k / 10, k, TAGS))
    for k in range(3, 6):
        assert {d.tag for d in watch.read(at(k / 10, k, {30: TAGS[30]}))} == {30}
    swapped = {30: TAGS[30], 10: TAGS[11], 11: TAGS[10]}
    for k in range(6, 9):
        read = {d.tag: d for d in watch.read(at(k / 10, k, swapped))}
    assert set(read) == set(TAGS)
    for tag, d in read.items():
        assert np.abs(d.corners - swapped[tag]).max() < 0.2


def test_a_hand_over_a_tag_means_no_read_and_nothing_else() -> None:
    watch = Watch(KEYS)
    for k in range(3):
        watch.read(at(k / 10, k, TAGS))
    frame = at(0.3, 3, TAGS)
    picture = frame.image.copy()
    centre = TAGS[10].mean(axis=0).astype(int)
    picture[centre[1] - 20 : centre[1] + 20, centre[0] - 25 : centre[0] + 3] = 170
    assert {d.tag for d in watch.read(Frame(picture, 0.3, 3))} == {11, 30}
    back = {d.tag: d.how for d in watch.read(at(0.4, 4, TAGS))}
    assert back[10] == "place"


def test_beside_a_missing_tag_is_found_without_holding_up_a_frame() -> None:
    watch = Watch(KEYS, beside=True)
    seen: set[int] = set()
    for k in range(2000):
        frame = at(k / 100, k, TAGS)
        seen |= {d.tag for d in watch.read(frame)}
        if seen == set(TAGS):
            break
    assert seen == set(TAGS)
    assert not watch.unseen


def test_the_same_frames_give_the_same_reads() -> None:
    def run() -> list[np.ndarray]:
        watch = Watch(KEYS)
        out = []
        for k in range(6):
            shifted = {t: c + 0.7 * k * (t == 11) for t, c in TAGS.items()}
            out += [d.corners for d in watch.read(at(k / 10, k, shifted))]
        return out

    for a, b in zip(run(), run(), strict=True):
        assert np.array_equal(a, b)


def test_what_is_expected_moves_and_turns_on_and_coasts_not_for_ever() -> None:
    watch = Watch(KEYS)
    detection = next(d for d in watch.read(at(0.0, 0, TAGS)) if d.tag == 10)
    moved = replace(detection, corners=detection.corners + np.array((3.0, -1.0)))
    last = Last(detection, 0.0).then(moved, 0.1)
    assert last.velocity == pytest.approx((30.0, -10.0))
    soon = last.expect(0.2)
    assert soon.corners.mean(axis=0) == pytest.approx(moved.corners.mean(axis=0) + np.array((3.0, -1.0)))
    assert not soon.still
    late = last.expect(0.1 + COASTS_S)
    assert late.still
    assert np.array_equal(late.corners, moved.corners)

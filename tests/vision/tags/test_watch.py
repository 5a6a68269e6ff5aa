"""Tags watched from frame to frame: followed, doubled, unnamed, mirrored."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.server.fakes import wait_until
from tests.vision.tags.test_reading import KEYS, TAGS, draw, scene, square
from tests.volume import volume
from vision.frame import Detection, Frame, Image
from vision.simulate.drawing.render import Renderer
from vision.simulate.scenes import named_scene
from vision.sources.files import decode_picture
from vision.tags.mirrored import LOOKS_EVERY_S, MirrorWatch, is_mirrored
from vision.tags.unnamed import UnnamedWatch, reader_of_all, unnamed_words
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
    searches = watch.searches
    for k in (3, 4, 5):
        assert {d.tag for d in watch.read(Frame(picture, k / 10, k))} == {11, 30}
    assert watch.searches == searches, "it is looked for at its place alone"
    back = {d.tag: d.how for d in watch.read(at(0.6, 6, TAGS))}
    assert back[10] == "place"
    for k in (7, 8, 9, 10):
        watch.read(Frame(picture, k / 10, k))
    assert watch.searches == searches + 1, "by then it may lie elsewhere"


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
    bend, middle = np.array([(0.8, 0.6), (-0.6, 0.8)]), detection.corners.mean(axis=0)
    turned = replace(detection, corners=(detection.corners - middle) @ bend + middle)
    assert Last(detection, 0.0).then(turned, 0.1).turning == pytest.approx(10.0 * math.atan2(0.6, 0.8))
    late = last.expect(0.1 + COASTS_S)
    assert late.still
    assert np.array_equal(late.corners, moved.corners)


TEN = ("tag36h11", 10)
PLACES = {
    "here": TAGS[10],
    "aside": square(24.0, -60.0, (120.4, 210.2)),
    "below": square(24.0, 20.0, (210.3, 250.6)),
}


@cache
def picture(*names: str) -> Image:
    """The table with tag 10 at each of the places."""
    image = scene({t: c for t, c in TAGS.items() if t != 10}).image.copy()
    for name in names:
        corners = PLACES[name]
        x, y = np.floor(corners.mean(axis=0)).astype(int) - 18
        image[y : y + 36, x : x + 36] = draw(corners - (x, y) + 22, 10)[22:58, 22:58]
    return image


class Look:
    """Four frames a second of a table on which tag 10 may lie twice."""

    def __init__(self) -> None:
        self.watch = Watch(KEYS)
        self.k = 0

    def see(self, *places: str, frames: int) -> Detection | None:
        """The read of tag 10 in the last of so many frames."""
        read: list[Detection] = []
        for _ in range(frames):
            read = self.watch.read(Frame(picture(*places), self.k / 4, self.k))
            self.k += 1
        return next((d for d in read if d.tag == 10), None)

    def at(self, where: str, *places: str, frames: int) -> bool:
        """Whether tag 10 is read there."""
        read = self.see(*places, frames=frames)
        return read is not None and bool(np.abs(read.corners - PLACES[where]).max() < 1.0)


def test_the_tag_that_was_followed_is_believed_again_once_it_is_uncovered() -> None:
    look = Look()
    assert look.at("here", "here", frames=2)
    look.see("aside", frames=5)
    assert look.at("here", "here", "aside", frames=3)
    assert look.watch.doubled == {TEN}
    # What is known for a spare is never taken, however long the other one is covered.
    assert look.see("aside", frames=6) is None
    assert look.at("here", "here", frames=5)
    assert not look.watch.doubled


def test_of_two_from_the_beginning_neither_is_believed_until_one_is_gone() -> None:
    look = Look()
    assert look.see("here", "aside", frames=3) is None
    assert look.watch.doubled == {TEN}
    assert look.see("here", frames=8) is None
    assert look.at("here", "here", frames=8)
    assert not look.watch.doubled


def test_where_each_of_them_is_seen_is_known_however_many_there_are() -> None:
    look = Look()
    look.see("here", "aside", "below", frames=3)
    seen = sorted(d.centre.round().tolist() for d in look.watch.copies[TEN])
    assert seen == sorted(PLACES[n].mean(axis=0).round().tolist() for n in ("here", "aside", "below"))
    assert Look().watch.copies == {}


def test_a_tag_that_was_put_elsewhere_is_followed_there() -> None:
    look = Look()
    assert look.at("here", "here", frames=2)
    look.see(frames=2)
    assert look.at("aside", "aside", frames=4)
    assert not look.watch.doubled


def test_a_tag_that_stays_is_told_after_two_looks_and_forgotten_once_it_is_gone() -> None:
    known = [key for key in KEYS if key[1] != 11]
    watch = UnnamedWatch(known)
    without = {tag: corners for tag, corners in TAGS.items() if tag != 11}

    def looked(seconds: float, tags: dict[int, np.ndarray]) -> frozenset[tuple[str, int]]:
        frame, before = at(seconds, 0, tags), watch.looks
        watch.update(frame)
        wait_until("a look", lambda: bool(watch.update(frame) or True) and watch.looks > before)
        return watch.seen

    try:
        assert looked(0.0, TAGS) == frozenset(), "one look is not enough"
        assert looked(11.0, TAGS) == {("tag36h11", 11)}
        assert looked(22.0, without) == frozenset()
    finally:
        watch.close()
    assert "say so under Set up, or take them away" in unnamed_words([("tag36h11", 3), ("tag25h9", 4)])


STILLS = (
    "renders/opening-round/still_*.jpg",
    "renders/stills-1080p/*.jpg",
    "renders/reality/**/*.jpg",
    "photos/overhead-table-1/*.jpg",
    "photos/outdoor-three/*.jpg",
    "photos/field/*.jpg",
)


@pytest.fixture(scope="module")
def drawn() -> Image:
    """A table with five tags that nobody has set up."""
    scene = named_scene("first", (1280, 720))
    return Renderer(scene).picture([scene.snapshot], 0)


def turned(image: Image) -> Image:
    return np.ascontiguousarray(image[:, ::-1])


def seen(image: Image) -> bool:
    frame, reader = Frame(image, 0.0, 0), reader_of_all(())
    return is_mirrored(frame, reader, len(reader.read_all(frame, thorough=False)))


def test_which_pictures_are_mirrored(drawn: Image) -> None:
    upside_down = np.ascontiguousarray(drawn[::-1, ::-1])
    flipped_and_turned = np.ascontiguousarray(drawn[::-1])
    nothing = np.full_like(drawn, 128)
    assert [seen(i) for i in (drawn, upside_down, nothing)] == [False, False, False]
    assert [seen(i) for i in (turned(drawn), flipped_and_turned)] == [True, True]


def test_tags_that_the_caller_does_not_know_of_speak_against_it(drawn: Image) -> None:
    """Beside a plain table stands a screen that shows two tags the wrong way round."""
    scene = drawn.copy()
    scene[200:460, 500:780] = cv2.resize(turned(drawn[40:300, 180:460]), (280, 260))
    frame = Frame(scene, 0.0, 0)
    assert not is_mirrored(frame, reader_of_all(()), read=0)


@pytest.mark.parametrize("where", STILLS)
def test_no_plain_picture_is_called_mirrored(where: str, shared: Path) -> None:
    """Also where the caller reads nothing in it at all; the mirror image of what has tags is."""
    reader = reader_of_all(())
    files = sorted(shared.glob(where))
    assert files
    # Neighbours in a row of pictures hardly differ.
    for file in files[:: max(1, len(files) // 4)][: volume(1, len(files))]:
        image = decode_picture(file.read_bytes())
        assert image is not None
        assert not is_mirrored(Frame(image, 0.0, 0), reader, read=0), file
        tags = len(reader.read_all(Frame(image, 0.0, 0), thorough=False))
        assert is_mirrored(Frame(turned(image), 0.0, 0), reader, read=0) == (tags >= 2), file


def test_the_mirror_image_is_looked_at_now_and_then_and_only_without_tags(drawn: Image) -> None:
    plain, mirrored = Frame(drawn, 0.0, 0), Frame(turned(drawn), 0.0, 0)

    def looks(*seconds: float, read: int = 0, frame: Frame = mirrored) -> tuple[bool, int]:
        for at in seconds:
            watch.update(frame.restamped(0, at), read)
        return watch.mirrored, watch.looks

    watch = MirrorWatch((), beside=False)
    assert looks(0.0, 0.5) == (False, 0), "the tags are searched for in the picture itself first"
    assert looks(1.0) == (True, 1)
    assert looks(1.1, 2.0, LOOKS_EVERY_S) == (True, 1)
    assert looks(1.0 + LOOKS_EVERY_S) == (True, 2)
    assert looks(12.0, read=2, frame=plain) == (False, 2)
    assert looks(*range(13, 60), read=6, frame=plain) == (False, 2)
    watch.close()


def test_in_play_no_frame_waits_for_the_look(drawn: Image) -> None:
    watch = MirrorWatch((), beside=True)
    frame = Frame(turned(drawn), 0.0, 0)
    try:
        watch.update(frame, 0)
        assert not watch.update(frame.restamped(1, 1.0), 0)
        wait_until("the look", lambda: watch.update(frame.restamped(2, 1.1), 0))
    finally:
        watch.close()
    assert watch.update(frame.restamped(3, 99.0), 0), "closed: nothing new is begun"

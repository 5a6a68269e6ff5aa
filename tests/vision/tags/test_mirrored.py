"""Mirrored pictures are told by the tags in their mirror images, and no others are."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.server.fakes import wait_until
from vision.frame import Frame, Image
from vision.simulate.drawing.render import Renderer
from vision.simulate.scenes import named_scene
from vision.sources.files import decode_picture
from vision.tags.mirrored import LOOKS_EVERY_S, MirrorWatch, is_mirrored
from vision.tags.unnamed import reader_of_all

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
    for file in files[:: max(1, len(files) // 4)]:
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

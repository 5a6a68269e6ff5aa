from __future__ import annotations

from functools import cache

import numpy as np

from tests.vision.tags.test_polish import draw, square
from tests.vision.tags.test_reading import KEYS, TAGS, scene
from vision.frame import Detection, Frame, Image
from vision.tags.watch import Watch

TEN = ("tag36h11", 10)
PLACES = {"here": TAGS[10], "aside": square(24.0, -60.0, (120.4, 210.2))}


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


def test_a_tag_that_was_put_elsewhere_is_followed_there() -> None:
    look = Look()
    assert look.at("here", "here", frames=2)
    look.see(frames=2)
    assert look.at("aside", "aside", frames=4)
    assert not look.watch.doubled

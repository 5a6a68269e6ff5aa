"""Tags in view that the table file does not name."""

from __future__ import annotations

import numpy as np

from tests.server.fakes import wait_until
from tests.vision.tags.test_watch import KEYS, TAGS, at
from vision.tags.unnamed import UnnamedWatch, unnamed_words


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
    assert "say what they are, there or under Set up, or take them away" in unnamed_words(
        [("tag36h11", 3), ("tag25h9", 4)]
    )

"""Tags in view that the table file does not name: pieces that were forgotten in it, or foreign prints."""

from __future__ import annotations

import math
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from calibration.fiducials import TagKey
from vision.frame import Detection, Frame
from vision.tags.reading import TagReader

USUAL_FAMILY = "tag36h11"
"""The family of the tags that are printed here."""

USUAL_TAGS: tuple[TagKey, ...] = tuple((USUAL_FAMILY, number) for number in range(587))
"""Tags that may lie on a table although its file does not name them: the whole family."""

LOOKS_EVERY_S = 10.0


def reader_of_all(known: Iterable[TagKey]) -> TagReader:
    """A reader for the tags of a table file and for the usual ones besides."""
    return TagReader.of({*known, *USUAL_TAGS})


def told_apart(
    every: Iterable[Detection], known: Iterable[TagKey]
) -> tuple[list[Detection], frozenset[TagKey]]:
    """The detections of tags that a table file names, and the keys of the others."""
    named, found, others = frozenset(known), [], set()
    for d in every:
        if (d.family, d.tag) in named:
            found.append(d)
        else:
            others.add((d.family, d.tag))
    return found, frozenset(others)


def unnamed_words(unnamed: Iterable[TagKey]) -> str:
    """Tags in view that the table file does not name, with what to do.

    >>> unnamed_words([("tag36h11", 12)])
    'Tag 12 is in view, and nobody said what carries it: say so under Set up, or take it away.'
    """
    found = [str(tag) if family == USUAL_FAMILY else f"{family} {tag}" for family, tag in sorted(unnamed)]
    one = len(found) == 1
    what = f"Tag{'' if one else 's'} {', '.join(found)} {'is' if one else 'are'}"
    them = "it" if one else "them"
    return f"{what} in view, and nobody said what carries {them}: say so under Set up, or take {them} away."


class UnnamedWatch:
    """Looks for them every few seconds in live pictures, in a thread of its own.

    A tag counts once it was read in two looks one after the other: a reader may err once. `looks` counts
    them.
    """

    def __init__(self, known: Iterable[TagKey]) -> None:
        self._known = frozenset(known)
        self._reader: TagReader | None = None
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="tableref-unnamed")
        self._running: Future[frozenset[TagKey]] | None = None
        self._looked_at = -math.inf
        self._last: frozenset[TagKey] = frozenset()
        self.seen: frozenset[TagKey] = frozenset()
        self.looks = 0

    def update(self, frame: Frame) -> frozenset[TagKey]:
        """The tags that nobody named, as of the last looks; begins the next one when it is due."""
        if self._running is not None:
            if not self._running.done():
                return self.seen
            found, self._running = self._running.result(), None
            self.seen, self._last = found & self._last, found
            self.looks += 1
        if frame.time - self._looked_at >= LOOKS_EVERY_S:
            try:
                self._running = self._pool.submit(self._look, frame)
            except RuntimeError:
                # Closed, or the interpreter is shutting down.
                return self.seen
            self._looked_at = frame.time
        return self.seen

    def _look(self, frame: Frame) -> frozenset[TagKey]:
        if self._reader is None:
            self._reader = reader_of_all(self._known)
        return told_apart(self._reader.read_all(frame, thorough=False), self._known)[1]

    def close(self) -> None:
        """Waits for the look under way and begins no other."""
        self._pool.shutdown(wait=True, cancel_futures=True)

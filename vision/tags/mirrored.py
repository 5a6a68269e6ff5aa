"""Pictures that a program mirrors before they come here: no tag in them can be read, and why is told.

A preview is often mirrored like a looking-glass, and many a program passes it on so. The tags' codes read
backwards are no codes of any tag, so that a mirrored table looks like one without tags.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from calibration.fiducials import TagKey
from vision.frame import Frame
from vision.tags.reading import TagReader
from vision.tags.unnamed import reader_of_all

MIRRORED_WORDS = (
    "The picture is mirrored, so no tag can be read: turn mirroring (mirror, flip) off in the camera's "
    "software, or choose the camera itself instead of the program that mirrors it."
)

FEW = 2
"""Where so many tags are read the picture is not mirrored; so many in its mirror image alone, it is."""

LOOKS_EVERY_S, LOOKS_AFTER_S = 5.0, 1.0
"""Seconds between two looks, and before the first: the tags are searched for in the picture itself first."""


def is_mirrored(frame: Frame, reader: TagReader, read: int) -> bool:
    """Whether tags are read in the picture's mirror image alone; `read` are as many as in the picture."""
    if read >= FEW:
        return False
    turned = Frame(np.ascontiguousarray(frame.grey[:, ::-1]), frame.time, frame.index, frame.source)
    found = len(reader.read_all(turned, thorough=False))
    # The caller may know of fewer tags than this reader.
    return found >= FEW and found > len(reader.read_all(frame, thorough=False))


class MirrorWatch:
    """Looks into the mirror image now and then while hardly a tag is read.

    With `beside` in a thread of its own on the newest picture (live play), else at once. `looks` counts the
    looks that are over.
    """

    def __init__(self, known: Iterable[TagKey], *, beside: bool = False) -> None:
        self._known = frozenset(known)
        self._reader: TagReader | None = None
        self._pool = ThreadPoolExecutor(1, "tableref-mirror") if beside else None
        self._running: Future[bool] | None = None
        self._looked_at: float | None = None
        self.mirrored = False
        self.looks = 0

    def update(self, frame: Frame, read: int) -> bool:
        """Whether the picture is mirrored, as of the last look; `read` tags were read in this frame."""
        if self._running is not None and self._running.done():
            done, self._running = self._running, None
            self._seen(done.result())
        if self._looked_at is None:
            self._looked_at = frame.time - LOOKS_EVERY_S + LOOKS_AFTER_S
        if read >= FEW:
            self.mirrored = False
        elif self._running is None and not 0.0 <= frame.time - self._looked_at < LOOKS_EVERY_S:
            self._looked_at = frame.time
            self._look(frame, read)
        return self.mirrored

    def _look(self, frame: Frame, read: int) -> None:
        if self._pool is None:
            self._seen(self._is_mirrored(frame, read))
            return
        try:
            self._running = self._pool.submit(self._is_mirrored, frame, read)
        except RuntimeError:
            # Closed, or the interpreter is shutting down.
            return

    def _is_mirrored(self, frame: Frame, read: int) -> bool:
        if self._reader is None:
            self._reader = reader_of_all(self._known)
        return is_mirrored(frame, self._reader, read)

    def _seen(self, mirrored: bool) -> None:
        self.mirrored = mirrored
        self.looks += 1

    def close(self) -> None:
        """Waits for the look under way and begins no other."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

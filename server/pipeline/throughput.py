"""Throughput: how many frames came, how many were seen, and whether the machine keeps up."""

from __future__ import annotations

# Seconds over which both are counted; a notice stands for as long, so that its numbers can be read.
SPAN = 3.0
# A share of pictures seen below which people are told. One now and then is let fall on any machine.
KEEPS_UP = 0.85


class Throughput:
    """Counts from two threads: one calls `came`, the other one `seen`. Times are seconds of one clock.

    >>> pace = Throughput()
    >>> for n in range(91):
    ...     pace.came()
    ...     if n % 2 == 0:
    ...         pace.seen(n / 30)
    >>> pace.words
    'This machine sees 15 of 30 pictures a second. Choose a smaller picture or close other programs.'
    """

    def __init__(self) -> None:
        self.words: str | None = None
        self._came = self._seen = 0
        self._began: float | None = None
        self._came_before = 0

    def came(self) -> None:
        """A picture has come from the source."""
        self._came += 1

    def seen(self, now: float) -> None:
        """A picture has been seen, whichever of those that came; the others were let fall."""
        if self._began is None or now < self._began:
            self._begin(now)
            return
        self._seen += 1
        span = now - self._began
        if span >= SPAN:
            came, seen = self._came - self._came_before, self._seen
            self.words = None if seen >= KEEPS_UP * came else _words(seen / span, came / span)
            self._begin(now)

    def restart(self) -> None:
        """Another source: what was counted says nothing of it."""
        self.words, self._began = None, None

    def _begin(self, now: float) -> None:
        self._began, self._seen, self._came_before = now, 0, self._came


def _words(seen: float, came: float) -> str:
    return (
        f"This machine sees {seen:.0f} of {came:.0f} pictures a second. "
        "Choose a smaller picture or close other programs."
    )

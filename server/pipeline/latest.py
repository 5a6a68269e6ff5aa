"""A latest-value slot between two threads: it holds only the newest, never a queue."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

T = TypeVar("T")


class LatestValue(Generic[T]):
    """Holds the newest item; putting another forgets the one that nobody took.

    >>> slot: LatestValue[str] = LatestValue()
    >>> slot.put("old"); slot.put("new")
    >>> slot.take(timeout=0.0), slot.take(timeout=0.0), slot.dropped
    ('new', None, 1)
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._item: T | None = None
        self._closed = False
        self.dropped = 0

    @property
    def closed(self) -> bool:
        """Whether nothing will come any more."""
        return self._closed

    def put(self, item: T) -> None:
        """Makes this the newest item."""
        with self._condition:
            if self._item is not None:
                self.dropped += 1
            self._item = item
            self._condition.notify_all()

    def take(self, timeout: float | None = None) -> T | None:
        """Waits for an item and takes it out; None after `timeout` seconds or when closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._item is not None or self._closed, timeout)
            item, self._item = self._item, None
            return item

    def close(self) -> None:
        """Wakes everybody who waits; what was put last can still be taken."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

"""One writer a file: a lock that the system itself lets go when its process ends, however it ends."""

from __future__ import annotations

from pathlib import Path

import filelock


class FileLock:
    """Held from `take` until `free`, or until the process ends; any thread may do either."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Without the fallback: a marker file, unlike a lock of the system, outlives a process that is killed.
        self._lock = filelock.FileLock(path, thread_local=False, fallback_to_soft=False)

    def take(self) -> bool:
        """Whether the lock is ours now; False if somebody else holds it. Raises `OSError`."""
        if not self._lock.is_locked:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(blocking=False)
            except filelock.Timeout:
                return False
        return True

    renew = take
    """Nobody takes it away."""

    def free(self) -> None:
        """Lets go. May be called twice."""
        self._lock.release()

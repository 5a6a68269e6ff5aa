"""One writer a file: a lock that the system itself lets go when its process ends, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Held from `take` until `free`, or until the process ends. The file itself stays."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    def take(self) -> bool:
        """Whether the lock is ours now; False if somebody else holds it. Raises `OSError`."""
        if self._file is not None:
            return True
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("ab", buffering=0)
        try:
            _lock(file)
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def renew(self) -> bool:
        """Whether it is ours: nobody takes it away."""
        return self.take()

    def free(self) -> None:
        """Lets go. May be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._file is not None


def sync_folder(path: Path) -> None:
    """Makes a new or renamed file's name as durable as its contents, where the system can."""
    if sys.platform != "win32":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

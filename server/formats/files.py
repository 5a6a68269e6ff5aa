"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import TableRefError


class FileError(TableRefError):
    """A file that cannot be read or written."""


def write_whole(path: Path, content: bytes) -> None:
    """Writes beside and moves into place: whoever looks finds the old file or the new one."""
    draft = path.with_name(path.name + ".part")
    try:
        with draft.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error

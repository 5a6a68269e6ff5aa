"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import TableRefError


class FileError(TableRefError):
    """A file that cannot be read or written."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A draft beside the file, moved into its place at the end: whoever looks finds the old one or the new.

    After an error the draft is gone; `FileError` if it cannot be written.
    """
    draft = path.with_name(path.name + ".part")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Writes all of it, safe from a power cut, or nothing."""
    with whole_file(path) as draft, draft.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())

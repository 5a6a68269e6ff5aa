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

    After an error the draft is gone; `FileError` if it cannot be written. What is there and no file, a folder
    or a device, stays: a device would be replaced by the draft.
    """
    if not path.name or not _ordinary(path):
        raise FileError(f"cannot write {path}: expected a file's name but that is {_what_is(path)}")
    draft = path.with_name(path.name + ".part")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def _ordinary(path: Path) -> bool:
    """Whether a file may take the place of what is there; where nobody can look, the writing tells."""
    try:
        return path.is_file() or not path.exists()
    except OSError:
        return True


def _what_is(path: Path) -> str:
    if path.is_dir():
        return "a folder: put the file's own name behind it"
    return "no ordinary file: choose another name"


def write_whole(path: Path, content: bytes) -> None:
    """Writes all of it, safe from a power cut, or nothing."""
    with whole_file(path) as draft, draft.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def write_private(file: Path, data: bytes) -> None:
    """Written beside and moved into place, readable by nobody else from its first byte."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.part")
    draft.unlink(missing_ok=True)
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "wb") as stream:
        stream.write(data)
    draft.replace(file)

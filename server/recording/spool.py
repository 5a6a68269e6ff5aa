"""An emergency file elsewhere: entries that the library cannot take now survive the end of the process."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from platformdirs import user_cache_path, user_state_path

from engine.errors import TableRefError
from server.recording.journal import Recorded, as_json, entry_from, record_of
from server.recording.library.games import Library
from server.recording.library.locks import FileLock
from server.recording.library.records import GameRecord

log = logging.getLogger("tableref.recording")

ENDING = ".spool.jsonl"


def spool_folders() -> tuple[Path, ...]:
    """Where such files may lie, the best place first; two disks if there are two."""
    return (
        user_state_path("tableref", appauthor=False) / "spool",
        user_cache_path("tableref", appauthor=False) / "spool",
        Path(tempfile.gettempdir()) / "tableref-spool",
    )


class Spool:
    """The emergency file of one game: made when it is needed, in the first folder that takes it."""

    def __init__(
        self,
        library: str,
        game: GameRecord,
        folders: Sequence[Path] | None = None,
    ) -> None:
        self._header = {"library": library, "game": game.as_json()}
        self._name = game.id
        self._folders = folders
        self._file: BinaryIO | None = None
        self._lock: FileLock | None = None
        self._one = threading.RLock()
        self._last = 0
        self.path: Path | None = None

    def add(self, entries: Sequence[Recorded]) -> None:
        """Keeps them as well as it can; `path` is None if no folder takes them."""
        lines = "".join(as_json(record_of(e)) + "\n" for e in entries).encode()
        with self._one, suppress(OSError):
            self._last = max([self._last, *(e.number for e in entries)])
            if self._file is not None or self._opened():
                self._write(lines)
                return
        log.warning("no folder takes the emergency file: %d entries are in memory alone", len(entries))

    def _opened(self) -> bool:
        for folder in spool_folders() if self._folders is None else self._folders:
            try:
                lock = FileLock(folder / f"{self._name}.lock")
                if not lock.take():
                    continue
                path = folder / f"{self._name}{ENDING}"
                self._file, self._lock, self.path = path.open("ab"), lock, path
                self._write((as_json(self._header) + "\n").encode())
            except OSError as error:
                log.info("no emergency file in %s: %s", folder, error)
                self.leave()
            else:
                return True
        return False

    def _write(self, lines: bytes) -> None:
        assert self._file is not None
        self._file.write(lines)
        self._file.flush()
        os.fsync(self._file.fileno())

    def leave(self) -> None:
        """Lets the file lie for the next start, which brings it back."""
        with self._one:
            if self._file is not None:
                self._file.close()
            if self._lock is not None:
                self._lock.free()
            self._file = self._lock = self.path = None

    def clear(self, through: int) -> None:
        """All up to this number is in the library now: the file goes, unless it holds more."""
        with self._one:
            if self._last > through:
                return
            path, lock = self.path, self._lock
            self.leave()
        if path is not None and lock is not None:
            for left in (path, lock.path):
                with suppress(OSError):
                    left.unlink()


def recover(library: Library, folders: Iterable[Path] | None = None) -> list[str]:
    """Brings into the library what emergency files hold for it; says what, in sentences."""
    said = []
    for folder in spool_folders() if folders is None else folders:
        if not folder.is_dir():
            continue
        for path in sorted(folder.glob(f"*{ENDING}")):
            lock = FileLock(path.with_name(path.name.removesuffix(ENDING) + ".lock"))
            try:
                if lock.take() and (words := _bring(library, path)):
                    said.append(words)
            except (OSError, TableRefError) as error:
                log.warning("the emergency file %s stays where it is: %s", path, error)
            finally:
                lock.free()
                if not path.exists():
                    lock.path.unlink(missing_ok=True)
    return said


def _bring(library: Library, path: Path) -> str | None:
    lines = list(_lines(path))
    if not lines or lines[0].get("library") != library.words:
        return None
    game = GameRecord.from_json(lines[0]["game"])
    if not library.has(game.id):
        library.add(game)
    writer = library.writer(game.id)
    try:
        begins = last = writer.newest.entry
        found = {e.number: e for e in map(entry_from, (r for r in lines[1:] if "number" in r))}
        new = []
        while last + 1 in found:
            last += 1
            new.append(found[last])
        writer.write(new)
    finally:
        writer.close()
    path.unlink()
    return f"Game {game.id}: {last - begins} entries were brought back from {path}."


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that are whole; one that was cut off in the middle is none."""
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            return
        if isinstance(record, dict):
            yield record

"""Entries beside the library: a second journal of each game in its folder, and an emergency file elsewhere.

Both are lines of JSON, appended and synced before an entry is acknowledged. The journal can rebuild what a
damaged, deleted or replaced database lacks; the emergency file takes what neither of them takes now. Only who
runs tableref may read or write them, and only files of theirs are read.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path, user_state_path

from engine.errors import TableRefError
from server.recording.journal import Recorded, as_json, entry_from, record_of
from server.recording.library.database import FileLock
from server.recording.library.games import JOURNAL_ENDING, Library, LibraryPlace
from server.recording.library.records import GameRecord

log = logging.getLogger("tableref.recording")

ENDING = ".spool.jsonl"
TAIL = 1 << 20
"""Bytes at the end of a journal in which its last number stands."""


_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
_APPEND |= getattr(os, "O_BINARY", 0)


def spool_folders() -> tuple[Path, ...]:
    """Where emergency files may lie, the best place first; two disks if there are two."""
    return (
        user_state_path("tableref", appauthor=False) / "spool",
        user_cache_path("tableref", appauthor=False) / "spool",
    )


def private_folder(folder: Path) -> None:
    """Makes a folder that nobody else may enter; `OSError` if it is somebody else's."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.name == "nt":
        return
    if not _ours(folder.lstat()) or not folder.is_dir():
        raise PermissionError(f"{folder} belongs to somebody else")
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _ours(found: os.stat_result) -> bool:
    """Whether a file or folder is this person's own, and no link."""
    return not stat.S_ISLNK(found.st_mode) and (os.name == "nt" or found.st_uid == os.geteuid())


class EntryFile:
    """A file that is appended to, whole lines or nothing, and made again where it was deleted."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        self._header = (as_json(header) + "\n").encode()
        self._fd: int | None = None

    def append(self, lines: bytes) -> None:
        """Adds lines, on the disk when it returns. `OSError` if that cannot be: then nothing was added."""
        fd = self._opened()
        size = os.fstat(fd).st_size
        try:
            _write(fd, lines)
            os.fsync(fd)
        except OSError:
            with suppress(OSError):
                os.ftruncate(fd, size)
            raise

    def _opened(self) -> int:
        if self._fd is not None and self._in_place(self._fd):
            return self._fd
        private_folder(self.path.parent)
        fd = os.open(self.path, _APPEND, 0o600)
        try:
            if not _ours(os.fstat(fd)):
                raise PermissionError(f"{self.path} belongs to somebody else")
            self._take_over(fd)
        except OSError:
            os.close(fd)
            raise
        self.close()
        self._fd = fd
        return fd

    def _in_place(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), self.path.stat())
        except OSError:
            return False

    def _take_over(self, fd: int) -> None:
        """Begins the file, or goes on after its last whole line with what the one that is gone held.

        That there is such a file is on the disk then, and what is in it with what is added next.
        """
        held = _read(fd)
        if not held:
            _write(fd, self._header)
        elif not held.endswith(b"\n"):
            _write(fd, b"\n")
        if self._fd is not None:
            known = {r.get("number") for r in lines_of(held)}
            lost = [r for r in lines_of(_read(self._fd)) if "number" in r and r["number"] not in known]
            _write(fd, "".join(as_json(r) + "\n" for r in lost).encode())
            os.fsync(fd)
            log.warning("%s was deleted or replaced: %d entries were written again", self.path, len(lost))
        if os.name != "nt":
            folder = os.open(self.path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def close(self) -> None:
        """Lets the file lie."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _read(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    parts = []
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)


class JournalFile:
    """The second journal of a game, in its library's folder. What it cannot take it takes with the next."""

    def __init__(self, place: LibraryPlace, game: GameRecord) -> None:
        self._file = EntryFile(place.journal_of(game.id), {"library": place.words, "game": game.as_json()})
        self._missed: list[Recorded] = []
        self._one = threading.Lock()
        self.path = self._file.path
        self.last = last_number(self.path)

    def add(self, entries: Sequence[Recorded]) -> bool:
        """Keeps them, on the disk; False if that cannot be now."""
        with self._one:
            self._missed += [e for e in entries if e.number > self.last]
            if not self._missed:
                return True
            try:
                self._file.append("".join(as_json(record_of(e)) + "\n" for e in self._missed).encode())
            except OSError as error:
                log.warning("the journal %s cannot be written: %s", self._file.path, error)
                return False
            self.last, self._missed = self._missed[-1].number, []
            return True

    def close(self) -> None:
        """Nothing more comes."""
        with self._one:
            self._file.close()


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
        self._file: EntryFile | None = None
        self._lock: FileLock | None = None
        self._one = threading.RLock()
        self._last = 0

    @property
    def path(self) -> Path | None:
        """Where it is; None while nothing is in it."""
        return None if self._file is None else self._file.path

    def add(self, entries: Sequence[Recorded]) -> bool:
        """Keeps them in the first folder that takes them; False if none does."""
        lines = "".join(as_json(record_of(e)) + "\n" for e in entries).encode()
        with self._one:
            if self._file is not None:
                with suppress(OSError):
                    self._file.append(lines)
                    return self._kept(entries)
            for folder in spool_folders() if self._folders is None else self._folders:
                if self._opened(folder, lines):
                    return self._kept(entries)
        log.warning("no folder takes the emergency file: %d entries are in memory alone", len(entries))
        return False

    def _kept(self, entries: Sequence[Recorded]) -> bool:
        self._last = max([self._last, *(e.number for e in entries)])
        return True

    def _opened(self, folder: Path, lines: bytes) -> bool:
        """Whether this folder has taken the lines; a file that is full already stays for the next start."""
        lock: FileLock | None = None
        try:
            private_folder(folder)
            lock = FileLock(folder / f"{self._name}.lock")
            if not lock.take():
                return False
            file = EntryFile(folder / f"{self._name}{ENDING}", self._header)
            file.append(lines)
        except OSError as error:
            log.info("no emergency file in %s: %s", folder, error)
            if lock is not None:
                lock.free()
            return False
        self.leave()
        self._file, self._lock = file, lock
        return True

    def leave(self) -> None:
        """Lets the file lie for the next start, which brings it back."""
        with self._one:
            if self._file is not None:
                self._file.close()
            if self._lock is not None:
                self._lock.free()
            self._file = self._lock = None

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


# Brought back


def kept_after(
    place: LibraryPlace, id: str, after: int, folders: Iterable[Path] | None = None
) -> list[Recorded]:
    """The entries of a game that follow number `after` without a gap, from journal and emergency files."""
    elsewhere = spool_folders() if folders is None else folders
    found: dict[int, Recorded] = {}
    for path in (place.journal_of(id), *(folder / f"{id}{ENDING}" for folder in elsewhere)):
        for line in _lines(path):
            if line.get("number", 0) > after:
                found.setdefault(line["number"], entry_from(line))
    kept = []
    while after + 1 in found:
        after += 1
        kept.append(found[after])
    return kept


def last_number(path: Path) -> int:
    """The last number in a journal, from its end alone; 0 if there is none."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL))
            tail = stream.read()
    except OSError:
        return 0
    return max((line.get("number", 0) for line in lines_of(tail)), default=0)


def recover(library: Library, folders: Iterable[Path] | None = None) -> list[str]:
    """Brings into the library what journals and emergency files hold for it; says what, in sentences."""
    elsewhere = tuple(spool_folders() if folders is None else folders)
    said = []
    for path in [p for folder in elsewhere for p in sorted(folder.glob(f"*{ENDING}"))]:
        lock = FileLock(path.with_name(path.name.removesuffix(ENDING) + ".lock"))
        try:
            if lock.take() and (words := _bring(library, path, elsewhere)):
                said.append(words)
        except (OSError, TableRefError) as error:
            log.warning("the emergency file %s stays where it is: %s", path, error)
        finally:
            lock.free()
            if not path.exists():
                lock.path.unlink(missing_ok=True)
    have = library.lengths()
    for path in sorted(library.place.journals.glob(f"*{JOURNAL_ENDING}")):
        try:
            if last_number(path) > have.get(path.name.removesuffix(JOURNAL_ENDING), 0) and (
                words := _bring(library, path, elsewhere)
            ):
                said.append(words)
        except (OSError, TableRefError) as error:
            log.warning("the journal %s was not brought back: %s", path, error)
    return said


def _bring(library: Library, path: Path, folders: Iterable[Path]) -> str | None:
    head = next(iter(_lines(path)), {})
    if head.get("library") != library.words:
        return None
    game = GameRecord.from_json(head["game"])
    if not library.has(game.id):
        library.add(game)
    writer = library.writer(game.id)
    try:
        new = kept_after(library.place, game.id, writer.newest.entry, folders)
        writer.write(new)
    finally:
        writer.close()
    if path.name.endswith(ENDING):
        path.unlink()
    return f"Game {game.id}: {len(new)} entries were brought back from {path}." if new else None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a file of ours; none of somebody else's."""
    try:
        if not _ours(path.lstat()):
            log.warning("%s belongs to somebody else and is not read", path)
            return iter(())
        return lines_of(path.read_bytes())
    except OSError:
        return iter(())


def lines_of(data: bytes) -> Iterator[dict[str, Any]]:
    """The lines that are whole; one that was cut off in the middle is none."""
    for line in data.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record

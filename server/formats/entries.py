"""Entries: what is to be kept of a game, and a log of them in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class Entry:
    """Something to be kept.

    `kind` says who speaks: "camera.settled", "match.shot", "ruling", "dispute.opened", … `time_s`
    is the source's clock (`Moment.time`), None for now. `words` is one sentence for people, `data`
    plain JSON values in inches, radians and seconds, `actor` the player or viewer who did it.
    """

    kind: str
    time_s: float | None
    words: str
    data: Mapping[str, Any] = field(default_factory=dict)
    actor: str | None = None


class EntryLog(Protocol):
    """What keeps entries: `server.recording.journal.Journal`, or `MemoryLog`."""

    def append(self, batch: Sequence[Entry]) -> Sequence[int]:
        """Keeps a batch, all of it or none, safe on return; the entries' numbers."""
        ...


@runtime_checkable
class GroupLog(EntryLog, Protocol):
    """One that goes on taking batches while the disk is at work: `server.recording.recorder.Recorder`."""

    def begin(self, batch: Sequence[Entry]) -> Callable[[], Sequence[int]]:
        """Takes a batch in its order, at once; what it returns waits until that is safe."""
        ...


class MemoryLog:
    """Keeps entries as long as the process lives, for a table that is not recorded."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, batch: Sequence[Entry]) -> Sequence[int]:
        """Keeps a batch; the entries' numbers."""
        first = len(self.entries) + 1
        self.entries += batch
        return range(first, first + len(batch))

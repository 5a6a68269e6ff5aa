"""Takes over live what somebody changes in the table file with an editor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from engine.errors import TableRefError
from server.pipeline.opening import Choice, Player
from server.pipeline.referee import TableEvent
from server.pipeline.runner import Runner
from vision.source import ask

EVERY_S = 1.0


class FileWatch:
    """Looks at the running table's file every second; as a context manager, in a thread of its own.

    A changed file is refereed by from the next picture on. One with a mistake is not: what is wrong is told
    with every moment until it is mended, and the table goes on as it was.
    """

    def __init__(self, live: Runner, player: Player, choice: Callable[[], Choice]) -> None:
        self._live = live
        self._player = player
        self._choice = choice
        self._lock = threading.Lock()
        self._seen: tuple[Path, bytes] | None = self._content()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tableref-table-file", daemon=True)

    @property
    def file(self) -> Path | None:
        """The file of the table that is watched; None where it describes itself."""
        return self._player.file_for(ask(self._choice().spec))

    def check(self, words: str = "The set-up was changed outside this page and is read anew.") -> None:
        """Takes over what is new in the file, if anything is; `words` tell of it."""
        with self._lock:
            content = self._content()
            if content == self._seen:
                return
            same = self._seen is not None and content is not None and self._seen[0] == content[0]
            self._seen = content
            self._take_over(words if same else "")

    def take_over(self) -> None:
        """Referees by what is in the file now, or by another kept table's. Raises what is wrong with it."""
        with self._lock:
            referee = self._player.refers(ask(self._choice().spec))
            self._seen = self._content()
            self._live.remark = ""
            self._live.refer(referee)

    def _take_over(self, words: str) -> None:
        try:
            referee = self._player.refers(ask(self._choice().spec))
        except TableRefError as error:
            self._live.remark = f"What was changed in the set-up is not used, as it has a mistake: {error}"
            self._live.announce()
            return
        self._live.remark = ""
        self._live.refer(referee)
        moment = self._live.moment
        if words and moment is not None:
            self._live.announce(TableEvent(moment.time, "source", None, words))

    def _content(self) -> tuple[Path, bytes] | None:
        file = self.file
        try:
            return None if file is None else (file, file.read_bytes())
        except OSError:
            return None

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            self.check()

    def __enter__(self) -> FileWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=5.0)

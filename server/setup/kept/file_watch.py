"""Takes over live what somebody changes in the table file with an editor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from calibration.whole_files import write_whole
from engine.errors import TableRefError
from server.pipeline.opening import Choice, Opener
from server.pipeline.referee import TableEvent
from server.pipeline.runner import Runner
from vision.source import parse_source

EVERY_S = 1.0


class FileWatch:
    """Looks at the running table's file every second; as a context manager, in a thread of its own.

    A changed file is refereed by from the next picture on. One with a mistake is not: what is wrong is told
    with every moment until it is mended, and the table goes on as it was.
    """

    def __init__(self, live: Runner, player: Opener, choice: Callable[[], Choice]) -> None:
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
        return self._player.file_for(parse_source(self._choice().spec))

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
            content = self._content()
            self._refer()
            self._seen = content
            self._live.remark = ""

    def _take_over(self, words: str) -> None:
        try:
            self._refer()
        except TableRefError as error:
            self._live.remark = f"What was changed in the set-up is not used, as it has a mistake: {error}"
            self._live.announce()
            return
        self._live.remark = ""
        moment = self._live.moment
        if words and moment is not None:
            self._live.announce(TableEvent(moment.time, "source", None, words))

    def write(self, text: str) -> None:
        """Writes a text that whoever asks is about to referee by: it is not read anew."""
        with self._lock:
            file = self.file
            if file is not None:
                write_whole(file, text.encode())
                self._seen = file, text.encode()

    def _refer(self) -> None:
        """Referees by what the file says; without a new beginning where only pieces without tags differ."""
        asked = parse_source(self._choice().spec)
        table, now = self._player.known_table(asked), self._live.table
        if table is None or now is None or table.text == now.text or not self._live.adopt(table):
            ended = self._live.snapshot.state == "ended"
            self._live.refer(self._player.refers(asked, ended=ended))

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

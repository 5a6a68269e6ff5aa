"""Writes the table file of the set-up page, and referees by it."""

from __future__ import annotations

from pathlib import Path

from calibration.tablefile import TableFile, parse_table
from calibration.whole_files import write_whole
from engine.errors import TableRefError
from server.pipeline.opening import Opener
from server.pipeline.runner import Runner
from server.setup.kept.file_watch import FileWatch
from server.setup.kept.tables import KeptTable, KeptTables
from server.setup.setup_messages import ChooseTable
from server.setup.table_changes import SetupError


class TableWriter:
    """Writes what people say of a table; `file` is None of a drawn one, which describes itself."""

    def __init__(self, live: Runner, player: Opener, watch: FileWatch, tables: KeptTables) -> None:
        self._live, self._player, self._watch, self._tables = live, player, watch, tables

    @property
    def file(self) -> Path | None:
        """Where the table is kept."""
        return self._watch.file

    @property
    def name(self) -> str:
        """How the table is called."""
        table = self._live.table
        return self._tables.current().name if table is None else table.name

    def running(self) -> TableFile:
        """The table that is refereed by. Raises `SetupError` where none is kept."""
        table = self._live.table
        if table is None or self.file is None:
            raise SetupError("keep the table first: its corner tags say where things stand")
        return table

    def none_yet(self) -> None:
        """Raises `SetupError` where a table is kept already."""
        if self._live.table is not None:
            raise SetupError("this table is set up already: begin another one under Tables")

    def write(self, text: str) -> None:
        """Checks the text, keeps it and referees by it; nothing is kept of one with a mistake."""
        file = self.file
        if file is None:
            raise SetupError("this table describes itself: there is nothing to set up")
        parse_table(text, str(file), file.parent)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
        if file == self._player.kept:
            self._tables.use(KeptTable(file.parent.name, file))
        self._watch.take_over()

    def choose(self, asked: ChooseTable) -> None:
        """Goes on with another kept table, which is refereed by at once."""
        if self.file != self._player.kept:
            running = self.file or "a table that describes itself"
            raise SetupError(
                f"tableref was started with {running}: start it in another folder, without --table, to "
                "choose among the kept tables"
            )
        if asked.how == "use":
            kept = self._tables.find(asked.name)
        elif asked.how == "new":
            kept = self._tables.new(asked.name)
        else:
            kept = self._tables.copy(self._tables.current(), asked.name)
        before, self._player.kept = self._player.kept, kept.file
        try:
            self._watch.take_over()
        except TableRefError:
            self._player.kept = before
            raise
        self._tables.use(kept)

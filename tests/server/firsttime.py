"""A table that nobody has set up, served as `tableref` alone serves it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from server.pipeline.first_look import FirstLook
from server.pipeline.opening import Choice, Player
from server.pipeline.referee import Referee
from server.pipeline.runner import Runner
from server.serving.assembly import assemble
from server.serving.run import PageServer, listen
from server.setup.cameras.sourcing import Chooser
from server.setup.kept.file_watch import FileWatch
from server.setup.kept.tables import KeptTables
from server.setup.setup_routes import setup_router
from server.setup.table_setup import TableSetup
from server.web.certificates import HOST
from vision.source import Source


@dataclass
class FirstTime:
    """The server and its parts; `file` is where the table will be written."""

    server: PageServer
    live: Runner
    chooser: Chooser
    setup: TableSetup
    watch: FileWatch
    tables: KeptTables

    @property
    def file(self) -> Path:
        return self.tables.current().file


class _Slow(Player):
    """Draws few pictures a second, also where the page asks for none in particular."""

    def __init__(self, kept: Path, fps: float) -> None:
        super().__init__(kept=kept)
        self._fps = fps

    def begin(self, choice: Choice) -> tuple[Source, Referee | FirstLook]:
        return super().begin(replace(choice, fps=self._fps))


@contextmanager
def first_time(folder: Path, spec: str = "none", fps: float = 2.0, host: str = HOST) -> Iterator[FirstTime]:
    """With an empty folder of tables; no thread looks at the file, tests ask for that."""
    tables = KeptTables(folder)
    player, choice = _Slow(tables.current().file, fps), Choice(spec)
    source, referee = player.begin(choice)
    live = Runner(source, referee)
    chooser = Chooser(live, player, choice, webcams=tuple, chosen=tables.watched)
    watch = FileWatch(live, player, lambda: chooser.choice)
    setup = TableSetup(chooser, player, watch, tables)
    served = assemble(chooser, listen(host, 0), None, None, None, more=(setup_router(setup),))
    with served.server as server:
        yield FirstTime(server, live, chooser, setup, watch, tables)

"""A table that nobody has set up, served as `tableref` alone serves it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from calibration.lens.model import lens_to_dict
from calibration.table_text import with_lens_inside
from calibration.tablefile import TableFile
from engine.space.table import Status
from server.pipeline.opening import Choice, Opener
from server.pipeline.referee import FirstLook, Referee
from server.pipeline.runner import Runner
from server.play.moving.seeing import in_play
from server.serving.assembly import assemble
from server.serving.run import PageServer, listen
from server.setup.cameras.sourcing import Chooser
from server.setup.kept_tables import FileWatch, KeptTables
from server.setup.setup_routes import setup_router
from server.setup.table_setup import TableSetup
from server.table.gate import hidden_from_pages
from server.web.certificates import HOST
from tests.made import made
from tests.server.fakes import PATIENCE, wait_until
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import named_scene
from vision.source import Source, parse_source

LIVELY_S = 3.0
"""Seconds of the table's own time that pass at once when something is moved: what moves comes to rest."""

IDLE_S = 1.0
"""Seconds between the pictures of a table on which nothing happens: somebody may be looking at it."""


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


class TableTime:
    """The time of a drawn table, which comes with its pictures, as fast as they are seen.

    Whoever moves something asks for it from another thread than the one that draws: then pictures follow
    one another until that rests. Otherwise nobody draws what nobody has changed.
    """

    def __init__(self) -> None:
        self.live: Runner | None = None
        self._now = time.monotonic()
        self._lively_until = self._now + LIVELY_S
        self._table: TableFile | None = None
        self._drawer: int | None = None
        self._news = threading.Condition()

    def watch(self, live: Runner) -> None:
        """Draws for this runner: no picture before it has seen the last one."""
        self.live = live
        live.watch(self._tell)

    def clock(self) -> float:
        """Seconds; a hand at the table asks when it moves something, and that is seen from now on."""
        with self._news:
            if self._drawer not in (None, threading.get_ident()):
                self._lively_until = self._now + LIVELY_S
                self._news.notify_all()
            return self._now

    def sleep(self, seconds: float) -> None:
        """Lets the time to the next picture pass, once the last one is seen and another is of use."""
        with self._news:
            self._drawer = threading.get_ident()
            self._news.wait_for(self._seen, IDLE_S)
            lively = self._news.wait_for(self._lively, IDLE_S)
            self._now += seconds if lively else max(seconds, IDLE_S)

    def _ends(self) -> bool:
        return self.live is not None and self.live.stopping

    def _lively(self) -> bool:
        """Whether something was moved lately or does not rest yet, or another referee has yet to find its
        table; or all ends.
        """
        table = None if self.live is None else self.live.table
        if table is not self._table:
            self._table, self._lively_until = table, self._now + LIVELY_S
        return self._now < self._lively_until or self._moves() or self._ends()

    def _moves(self) -> bool:
        """Whether the last picture shows a piece that has not come to rest."""
        moment = None if self.live is None else self.live.moment
        return moment is not None and any(s.status is Status.MOVING for s in moment.table.standings)

    def _seen(self) -> bool:
        moment = None if self.live is None else self.live.moment
        return (moment is not None and moment.time > self._now - 0.1) or self._ends()

    def _tell(self) -> None:
        with self._news:
            self._news.notify_all()


class DrawnTable(Opener):
    """Begins drawn tables whose time comes with their pictures, `fps` a second of it, each of a `size`."""

    def __init__(
        self,
        table: TableFile | None = None,
        *,
        fps: float,
        drawn: bool = False,
        kept: Path | None = None,
        things: bool = False,
        size: tuple[int, int] = (1920, 1080),
    ) -> None:
        super().__init__(table, drawn=drawn, kept=kept, things=things)
        self.time, self._fps, self._size = TableTime(), fps, size

    def begin(self, choice: Choice) -> tuple[Source, Referee | FirstLook]:
        """Source and referee, both new."""
        asked = parse_source(choice.spec)
        if asked.kind != "simulated":
            return super().begin(choice)
        scene, passes = named_scene(asked.what, self._size), self.time
        source = SimulatedTable(scene, fps=self._fps, clock=passes.clock, sleep=passes.sleep)
        return source, self.refers(asked)


@contextmanager
def first_time(
    folder: Path,
    spec: str = "none",
    fps: float = 2.0,
    host: str = HOST,
    kept: str = "",
    things: bool = False,
) -> Iterator[FirstTime]:
    """With an empty folder of tables, or one of this text; no thread looks at the file: tests ask."""
    tables = KeptTables(folder)
    if kept:
        table = tables.current()
        table.file.parent.mkdir(parents=True)
        table.file.write_text(kept, encoding="utf-8")
        tables.use(table)
    player, choice = DrawnTable(kept=tables.current().file, fps=fps, things=things), Choice(spec)
    source, referee = player.begin(choice)
    live = Runner(source, referee)
    player.time.watch(live)
    chooser = Chooser(live, player, choice, webcams=tuple, chosen=tables.watched)
    watch = FileWatch(live, player, lambda: chooser.choice)
    setup = TableSetup(
        chooser, player, watch, tables, lambda: hidden_from_pages(served.match.match),
        lambda: in_play(served.match.match, served.match.owners),
    )  # fmt: skip
    served = assemble(
        chooser, listen(host, 0), None, None, None, more=(setup_router(setup),), write=watch.write
    )
    with served.server as server:
        if kept:
            # A page that is opened before the table is found answers a tap by that alone.
            wait_until("the table to be found", lambda: live.moment is not None and live.moment.surface)
        yield FirstTime(server, live, chooser, setup, watch, tables)


RED_1 = {"tag": 41, "name": "Red 1", "kind": "car", "owner": "Red", "model": "sedan"}
BLUE_1 = {"tag": 43, "name": "Blue 1", "kind": "car", "owner": "Blue", "model": "van"}


@contextmanager
def asking(first: FirstTime) -> Iterator[httpx.Client]:
    """Asks what the page asks, once there is a picture."""
    with httpx.Client(base_url=first.server.address, timeout=PATIENCE) as client:
        wait_until("the first picture", lambda: first.live.moment is not None)
        client.get("/api/setup").raise_for_status()
        yield client


def keep_first(client: httpx.Client, *pieces: Mapping[str, object]) -> None:
    """Keeps the table as it is seen, with these pieces."""
    client.post("/api/setup/surface", json={}).raise_for_status()
    for piece in pieces:
        client.post("/api/setup/piece", json=piece).raise_for_status()


def kept_first(*pieces: Mapping[str, object], lens: bool = True) -> str:
    """The text of the table that nobody has set up, kept with these pieces; made once.

    Its `lens` is as if it had been calibrated: without, no height can be known better than the catalogue's.
    """

    def make(folder: Path) -> None:
        with first_time(folder / "tables", "sim:first") as first, asking(first) as client:
            keep_first(client, *pieces)
            text = first.file.read_text(encoding="utf-8")
        if lens:
            text = with_lens_inside(f"{text}[camera]\n", lens_to_dict(named_scene("first").lens))
        (folder / "table.toml").write_text(text, encoding="utf-8")

    called = "-".join(f"{piece['tag']}-{piece.get('model', piece['kind'])}" for piece in pieces)
    by = ("engine", "calibration", "vision", "server")
    folder = made(f"first-{called}-{'lens' if lens else 'guessed'}", make, by=by, of=pieces)
    return (folder / "table.toml").read_text(encoding="utf-8")

"""A club's library in PostgreSQL: the same games, one writer each, and a server that goes away."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.formats.entries import Entry
from server.recording.errors import GameTaken, StorageTrouble
from server.recording.library.games import Library
from server.recording.library.records import GameRecord
from tests.server.recording.made import record_drawn
from tests.server.recording.test_library import entries

pytest.importorskip("psycopg", reason="needs the extra tableref[postgres]")


class Server:
    """A PostgreSQL of its own, for these tests alone."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        # PostgreSQL refuses to run as root: then it runs as nobody.
        self._as: dict[str, Any] = {}
        if sys.platform != "win32" and os.getuid() == 0:
            self._as = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            folder.chmod(0o755)
            self.data.mkdir()
            shutil.chown(self.data, "nobody")
        self._run("initdb", "-D", str(self.data), "-A", "trust", "-U", "club")

    @property
    def url(self) -> str:
        return f"postgresql://club@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.data}"
        self._run("pg_ctl", "-D", str(self.data), "-o", options, "-w", "-l", str(self.data / "log"), "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")

    def _run(self, *command: str) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **self._as)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if not shutil.which("initdb") or not shutil.which("pg_ctl"):
        pytest.skip("needs PostgreSQL's initdb and pg_ctl")
    with tempfile.TemporaryDirectory(prefix="club") as folder:
        one = Server(Path(folder))
        one.start()
        yield one
        one.stop()


@pytest.fixture
def library(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setattr("server.recording.library.games.library_folder", lambda: tmp_path / "pictures")
    with Library.open(server.url) as one:
        yield one


def test_games_are_kept_listed_read_and_deleted(library: Library, table_text: str) -> None:
    game = library.add(GameRecord.new(table_text))
    journal = library.journal(game.id)
    journal.append(entries(3))
    with Library.open(library.place) as other:
        assert other.recorded_now(game.id)
        with pytest.raises(GameTaken, match="recorded by another tableref"):
            other.journal(game.id)
        with pytest.raises(GameTaken, match="being recorded now"):
            other.delete(game.id)
        assert [e.number for e in other.reader(game.id).entries()] == [1, 2, 3]
        journal.close()
        again = other.journal(game.id)
        assert again.append(entries(1)) == (4,)
        again.close()
    library.delete(game.id)
    assert all(g.id != game.id for g in library.games())


def test_a_server_that_goes_away_and_comes_back_costs_nothing(
    server: Server, library: Library, table_text: str
) -> None:
    game = library.add(GameRecord.new(table_text))
    journal = library.journal(game.id)
    journal.append(entries(5))
    server.stop()
    try:
        assert journal.append([Entry("match.shot", None, "Bang.")]) == (6,)
        assert journal.trouble is not None
        assert journal.waiting == 1
        with pytest.raises(StorageTrouble):
            library.games()
    finally:
        server.start()
    assert journal.retry()
    assert journal.append(entries(1)) == (7,)
    with Library.open(library.place) as other, pytest.raises(GameTaken):
        other.journal(game.id)
    journal.close()
    assert [e.number for e in library.reader(game.id).entries()] == list(range(1, 8))


def test_a_whole_game_with_tracks_and_stills(server: Server, library: Library, samples: Path) -> None:
    game = record_drawn(server.url, samples, seconds=6)  # type: ignore[arg-type]
    reader = library.reader(game.id)
    assert len(list(reader.times())) == 90
    assert len(reader.table_at(3.0).standings) == len(reader.table.pieces)
    assert reader.still_at(1) is not None

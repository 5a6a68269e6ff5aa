"""What players chose in secret leaves by no way before it is revealed."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from server.exports.forms import ExportName, export
from server.formats.entries import Entry
from server.pipeline.runner import Runner
from server.recording.library.games import Library
from server.recording.reader import SECRET
from server.replay.rerule import rule_again
from server.replay.routes import replay_router
from server.replay.timeline import Timeline
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.playback import record_game

CHOSEN = "swerve-to-the-left"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, str]]:
    with Library.open(tmp_path_factory.mktemp("games")) as library:
        id = record_game(library)
        journal = library.journal(id)
        journal.append([Entry(SECRET, None, "A choice.", {"sealed": {"choice": CHOSEN}}, "Anna")])
        journal.close()
        yield library, id


def test_whoever_goes_on_with_the_game_reads_it(kept: tuple[Library, str]) -> None:
    library, id = kept
    (entry,) = library.reader(id).entries((SECRET,))
    assert entry.data["sealed"]["choice"] == CHOSEN


@pytest.mark.parametrize("form", [f for f in ExportName if f is not ExportName.VIDEO])
def test_no_export_holds_it(kept: tuple[Library, str], tmp_path: Path, form: ExportName) -> None:
    library, id = kept
    path = tmp_path / "file"
    export(library, id, form, path, pictures=False)
    data = path.read_bytes()
    if form is ExportName.CSV:
        with zipfile.ZipFile(path) as together:
            data = b"".join(together.read(name) for name in together.namelist())
    if form is ExportName.MCAP:
        from mcap.reader import make_reader  # noqa: PLC0415 - this form alone is read with it

        with path.open("rb") as stream:
            data = b"".join(message.data for *_, message in make_reader(stream).iter_messages())
    assert data
    assert CHOSEN.encode() not in data
    assert SECRET.encode() not in data


def test_neither_replay_nor_what_is_asked_over_http(kept: tuple[Library, str]) -> None:
    library, id = kept
    reader = library.reader(id)
    assert "A choice." not in [tick.words for tick in Timeline(reader).after(0)]
    assert "A choice." not in [again.words for again in rule_again(reader)]
    source, rulings = HandMoved(), Rulings.by_book(None)
    routers = [replay_router(library, rulings, lambda: 0.0)]
    with PageServer(Runner(source, KnowsAll(source)), rulings, listen(port=0), routers=routers) as server:
        for path in ("", "/entries", "/disputes"):
            answer = httpx.get(f"{server.address}api/games/{id}{path}")
            assert answer.status_code == 200
            assert "A choice." not in answer.text
            assert CHOSEN not in answer.text

"""`tableref games …`, and how `serve` and `demo` record."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.library import fill
from server.commands.cli import app
from server.commands.recording import RecordingOptions
from server.recording.library.games import Library
from server.recording.pictures.video import VideoError
from tests.server.fakes import PATIENCE, wait_until
from tests.server.recording import made

runner = CliRunner()


@pytest.fixture(scope="module")
def game(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> made.MadeGame:
    return made.record_round(tmp_path_factory.mktemp("games"), samples, seconds=3.0)


def said(*arguments: str, columns: int = 160) -> str:
    env = {"COLUMNS": str(columns)}
    result = runner.invoke(app, ["games", *arguments], env=env, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_list_and_show_say_what_was_recorded(game: made.MadeGame) -> None:
    lines = said("list", "--library", str(game.folder), "--json").splitlines()
    (record,) = map(json.loads, lines)
    assert (record["game"], record["state"], record["name"]) == (game.id, "over", "Opening round")
    assert record["entries"] > 10
    assert record["pictures_bytes"] > 100_000
    assert game.id in said("list", "--library", str(game.folder), columns=60)
    shown = json.loads(said("show", game.id[-4:], "--library", str(game.folder), "--json"))
    assert sum(shown["kinds"].values()) == record["entries"]
    assert shown["kinds"]["camera.appeared"] == len(shown["pieces"])
    assert shown["video_s"] == pytest.approx(record["duration_s"], abs=1.0)
    assert shown["stills"] >= 1
    assert "Red 1" in said("show", game.id, "--library", str(game.folder))


def test_list_searches_and_shows_a_part(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        fill(library, 60)
    where = ("--library", str(tmp_path))
    assert "1 to 50 of 60 games; --first 50 shows the next." in said("list", *where)
    assert "51 to 60 of 60 games." in said("list", "--first", "50", *where)
    found = [
        json.loads(line) for line in said("list", "chloé", "--place", "attic", "--json", *where).splitlines()
    ]
    assert 0 < len(found) < 20
    assert all("Chloé" in game["players"] and game["table"] == "Attic" for game in found)
    days = ("--since", "2020-01-01", "--until", "2020-12-31")
    found = [json.loads(line) for line in said("list", *days, "--json", *where).splitlines()]
    assert {game["began"][:4] for game in found} == {"2020"}
    assert "No such game is in" in said("list", "nobody", *where)


def test_delete_asks_first_and_takes_all(samples: Path, tmp_path: Path) -> None:
    game = made.record_drawn(tmp_path, samples, seconds=2)
    asked = runner.invoke(app, ["games", "delete", game.id, "--library", str(tmp_path)], input="n\n")
    assert "for good?" in asked.output
    with Library.open(tmp_path) as library:
        assert len(library.games()) == 1
    assert "Deleted" in said("delete", game.id, "--library", str(tmp_path), "--yes")
    assert "No game has been recorded yet" in said("list", "--library", str(tmp_path))
    assert not (tmp_path / "pictures" / game.id).exists()


def test_what_cannot_be_recorded_is_refused_at_once() -> None:
    assert RecordingOptions.typed(None, True, "off").video is None
    with pytest.raises(VideoError, match="720p"):
        RecordingOptions.typed(None, True, "large")


@contextmanager
def demo(library: Path) -> Iterator[subprocess.Popen[str]]:
    """The command as a person runs it, until it is told to end."""
    command = [sys.executable, "-m", "server.commands.cli", "demo", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        [*command, "--library", str(library)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"CI": "1"},
    ) as ran:  # fmt: skip
        try:
            yield ran
        finally:
            ran.kill()


def recorded(library: Library) -> tuple[int, float]:
    """How many entries the only game of a library has, and how many seconds it lasted."""
    return max(((game.entries, game.duration_s) for game in library.games()), default=(0, 0.0))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
def test_a_demo_that_is_told_to_end_ends_in_order(tmp_path: Path) -> None:
    """As a machine that shuts down tells everybody."""
    with Library.open(tmp_path) as library, demo(tmp_path) as ran:
        wait_until("a second of a game", lambda: recorded(library)[1] > 1.0)
        ran.send_signal(signal.SIGTERM)
        said, complaints = ran.communicate(timeout=PATIENCE)
    assert (ran.returncode, complaints) == (0, "")
    assert "The game is kept in" in said
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        assert library.state(game) == "over"
        assert game.ended is not None
        reader = library.reader(game.id)
        assert len(list(reader.entries(["camera.appeared"]))) > 5
        assert all(s.whole for s in reader.segments())
        assert reader.table_at(0.5).standings


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is not a signal there")
def test_a_demo_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Until Ctrl-C ends it."""
    with Library.open(tmp_path) as library, demo(tmp_path) as first:
        wait_until("two seconds of a game", lambda: recorded(library)[1] > 2.0)
        first.kill()
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        assert library.state(game) == "cut off"
        entries = list(library.reader(game.id).entries())
        assert [e.number for e in entries] == list(range(1, len(entries) + 1))
    with Library.open(tmp_path) as library, demo(tmp_path) as again:
        # Its first entry says that it goes on.
        wait_until("more to happen", lambda: recorded(library)[0] > len(entries) + 1)
        again.send_signal(signal.SIGINT)
        said, complaints = again.communicate(timeout=PATIENCE)
    assert (again.returncode, complaints) == (0, "")
    assert f"Game {game.id} goes on where it was cut off." in said
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        assert library.state(game) == "over"
        reader = library.reader(game.id)
        after = list(reader.entries())
        assert after[: len(entries)] == entries
        assert [e.number for e in after] == list(range(1, len(after) + 1))
        assert len(after) > len(entries)
        assert all(s.whole for s in reader.segments()), "the video that was cut off is mended"

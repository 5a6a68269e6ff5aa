"""A library in a folder of its own, and a game in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.recording.library.games import Library
from server.recording.library.records import GameRecord


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "games") as one:
        yield one


@pytest.fixture
def table_text(samples: Path) -> str:
    return (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")


@pytest.fixture
def game(library: Library, table_text: str) -> GameRecord:
    return library.add(GameRecord.new(table_text))

"""Which source and table are begun for what a person chose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calibration.tablefile import load_table
from engine.errors import TableRefError
from server.playing import Choice, Player
from vision.source import CameraWish, ask


@pytest.fixture
def clip(samples: Path) -> Path:
    return samples / "opening-round" / "opening-round.mp4"


def test_a_clip_begins_with_the_table_given(clip: Path) -> None:
    table = load_table(clip.with_name("table.toml"))
    source, referee = Player(table).begin(Choice(str(clip)))
    assert source.read().size == (1920, 1080)
    assert referee.table is table
    source.close()


def test_a_simulated_table_describes_itself() -> None:
    names = {piece.name for piece in Player().table_for(ask("sim")).pieces}
    assert len(names) > 1


def test_without_a_table_file_it_is_said(clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableRefError, match=r"table\.toml"):
        Player().begin(Choice(str(clip)))


def test_a_webcam_is_asked_as_wished(clip: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr("server.playing.play_source", lambda spec, **more: asked.update(more, spec=spec))
    wish = CameraWish((1280, 720), 60.0, "lock", 120.0)
    Player(load_table(clip.with_name("table.toml"))).begin(Choice("0", wish=wish))
    assert asked == {"spec": "0", "camera": wish, "fps": None}

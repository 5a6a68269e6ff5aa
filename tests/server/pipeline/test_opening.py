"""Which source and table are begun for what a person chose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.tablefile import load_table, parse_table
from engine.errors import TableRefError
from server.pipeline.opening import Choice, Opener
from server.pipeline.referee import Referee
from vision.simulate.live import ScriptedTable
from vision.simulate.scenes import default_scene
from vision.source import CameraWish, SourceRequest, parse_source


@pytest.fixture
def clip(samples: Path) -> Path:
    return samples / "opening-round" / "opening-round.mp4"


def test_a_clip_begins_with_the_table_given(clip: Path) -> None:
    table = load_table(clip.with_name("table.toml"))
    source, referee = Opener(table).begin(Choice(str(clip)))
    assert source.read().size == (1920, 1080)
    assert referee.table is table
    source.close()


def pieces(player: Opener, source: str) -> set[str]:
    table = player.known_table(parse_source(source))
    assert table is not None
    return {piece.name for piece in table.pieces}


def test_a_simulated_table_describes_itself_unless_told(clip: Path) -> None:
    table = load_table(clip.with_name("table.toml"))
    own = pieces(Opener(), "sim")
    assert own
    assert pieces(Opener(table), "sim") == own
    assert Opener(table, drawn=True).known_table(parse_source("sim")) is table


def test_without_a_table_given_it_lies_beside_the_pictures(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = pieces(Opener(load_table(clip.with_name("table.toml"))), str(clip))
    for player in (Opener(), Opener(drawn=True)):
        assert pieces(player, str(clip)) == given
        assert pieces(player, str(clip.parent)) == given
    alone = tmp_path / "clip.mp4"
    alone.write_bytes(clip.read_bytes())
    for spec in (str(alone), "0", "phone"):
        with pytest.raises(TableRefError, match=r"table\.toml"):
            Opener().begin(Choice(spec))


def test_a_webcam_is_asked_as_wished(clip: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(
        "server.pipeline.opening.play_source", lambda spec, **more: asked.update(more, spec=spec)
    )
    wish = CameraWish((1280, 720), 60.0, "lock", 120.0)
    Opener(load_table(clip.with_name("table.toml"))).begin(Choice("0", wish=wish))
    assert asked == {"spec": "0", "camera": wish, "fps": None}


@pytest.mark.parametrize("ended", [False, True])
def test_pictures_and_the_last_one_of_a_clip_tell_what_nobody_named_at_once(ended: bool) -> None:
    """No later picture may come, as after a change of the table file when a clip has ended."""
    table = parse_table(default_scene().to_toml(), "simulated")
    untold = replace(table, pieces=tuple(p for p in table.pieces if p.name != "Mug"))
    frame = ScriptedTable(default_scene(), fps=5.0, seconds=1.0).read()
    asked = SourceRequest("video" if ended else "pictures", "clip")
    for things, told in ((True, ["Thing 1"]), (False, [])):
        referee = Opener(untold, things=things).refers(asked, ended=ended)
        assert isinstance(referee, Referee)
        assert [t.name for t in referee.step(frame).table.things] == told
        referee.close()

"""What `tableref simulate` writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from calibration.tablefile import load_table
from engine.errors import TableRefError
from server.commands.cli import app
from server.pipeline.opening import Player
from vision.source import ask, open_source

RUN = CliRunner()
SMALL = ("--size", "320x240", "--scene", "bare", "--play", "still", "--seconds", "0.2")


@pytest.mark.parametrize(
    ("form", "pictures", "truths"),
    [("png", ["frame_0000.png", "frame_0001.png"], 2), ("mp4", ["clip.mp4"], 0)],
)
def test_writes_pictures_truth_and_table(tmp_path: Path, form: str, pictures: list[str], truths: int) -> None:
    done = RUN.invoke(app, ["simulate", "--out", str(tmp_path), "--format", form, *SMALL])
    assert done.exit_code == 0, done.output
    assert "2 pictures" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix in (".png", ".mp4")) == pictures
    assert len(list(tmp_path.glob("frame_*.json"))) == truths
    # What is written can be refereed as it lies there.
    spec = str(tmp_path / pictures[0])
    assert Player().table_for(ask(spec)).name == load_table(tmp_path / "table.toml").name
    source = open_source(spec)
    assert source.read().size == (320, 240)
    source.close()


def test_the_truth_names_the_cars(tmp_path: Path) -> None:
    RUN.invoke(app, ["simulate", "--out", str(tmp_path), *SMALL])
    truth = json.loads((tmp_path / "frame_0000.json").read_text(encoding="utf-8"))
    names = {piece.name for piece in load_table(tmp_path / "table.toml").pieces}
    assert names
    assert all(name in json.dumps(truth) for name in names)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--size", "own"], "at least 160x120"),
        (["--size", "100x100"], "at least 160x120"),
        (["--scene", "moon"], "moon"),
    ],
)
def test_what_cannot_be_drawn_is_said(tmp_path: Path, arguments: list[str], says: str) -> None:
    done = RUN.invoke(app, ["simulate", "--out", str(tmp_path / "new"), *SMALL, *arguments])
    assert isinstance(done.exception, TableRefError)
    assert says in str(done.exception)
    assert not (tmp_path / "new").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    done = RUN.invoke(app, ["simulate", "--out", str(file), *SMALL])
    assert isinstance(done.exception, TableRefError)
    assert "cannot write into" in str(done.exception)

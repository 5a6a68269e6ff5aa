"""What `tableref rule` says of clips in which there is nothing to rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from server.commands.cli import app
from vision.frame import Image
from vision.source import open_source


@pytest.fixture
def still(samples: Path) -> Image:
    source = open_source(str(samples / "opening-round" / "opening-round.mp4"))
    image = source.read().image
    source.close()
    return image


def one_owner(text: str) -> str:
    return text.replace('owner = "Blue"', 'owner = "Red"')


@pytest.mark.parametrize(
    ("change", "table", "says"),
    [
        (np.zeros_like, str, "The table was never found"),
        (lambda image: image[:, ::-1], str, "The picture is mirrored"),
        (lambda image: image, one_owner, "Two cars of different owners must be seen"),
    ],
)
def test_a_clip_in_which_nothing_could_be_ruled_says_why(
    change: Callable[[Image], Image],
    table: Callable[[str], str],
    says: str,
    still: Image,
    samples: Path,
    tmp_path: Path,
) -> None:
    for k in range(6):
        cv2.imwrite(str(tmp_path / f"{k}.png"), change(still))
    file, out = tmp_path / "table.toml", tmp_path / "out.jsonl"
    file.write_text(table((samples / "opening-round" / "table.toml").read_text()))
    done = CliRunner().invoke(app, ["rule", str(tmp_path), "--table", str(file), "--out", str(out)])
    assert (done.exit_code, "nothing was ruled" in done.output, says in done.output) == (1, True, True)
    assert json.loads(out.read_text().splitlines()[-1])["kind"] == "unruled"

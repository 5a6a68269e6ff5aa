"""What `tableref cameras` prints."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from server.commands.cli import app
from vision.source import Device

RUN = CliRunner()
FOUND = (Device(0, "HD Webcam [C920]"), Device(2, "Bench camera"))
SIZES = {0: ((640, 480), (1920, 1080)), 2: ()}


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Two cameras, the second one taken by another program; lists which were switched on."""
    asked: list[int] = []

    def offered(index: int) -> tuple[tuple[int, int], ...]:
        asked.append(index)
        return SIZES[index]

    monkeypatch.setattr("server.commands.camera.cameras.list_webcams", lambda: FOUND)
    monkeypatch.setattr("server.commands.camera.cameras.offered_sizes", offered)
    return asked


@pytest.mark.parametrize(
    ("arguments", "lines", "switched_on"),
    [
        (
            [],
            ["0  HD Webcam [C920]  (640x480, 1920x1080)", "2  Bench camera  (in use, or no picture)"],
            [0, 2],
        ),
        (["--no-sizes"], ["0  HD Webcam [C920]", "2  Bench camera"], []),
    ],
)
def test_for_people(two: list[int], arguments: list[str], lines: list[str], switched_on: list[int]) -> None:
    assert RUN.invoke(app, ["cameras", *arguments]).stdout.splitlines() == lines
    assert two == switched_on


def test_for_programs(two: list[int]) -> None:
    records = [json.loads(line) for line in RUN.invoke(app, ["cameras", "--json"]).stdout.splitlines()]
    assert records == [
        {"index": 0, "name": "HD Webcam [C920]", "sizes_px": [[640, 480], [1920, 1080]]},
        {"index": 2, "name": "Bench camera", "sizes_px": None},
    ]


def test_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.commands.camera.cameras.list_webcams", tuple)
    assert "--source phone" in RUN.invoke(app, ["cameras"]).stdout
    assert RUN.invoke(app, ["cameras", "--json"]).stdout == ""

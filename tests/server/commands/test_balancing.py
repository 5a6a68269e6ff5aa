"""`tableref balance`: what it says, writes and draws."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from engine.driver.balance import Row
from engine.errors import TableRefError
from server.commands.balancing import chart_of, csv_of, lines_of
from server.commands.cli import app

ROWS = [
    Row("Weapon", "Saw & <Hammer>", 200, 130, 0.65, 0.58, 0.71, 0.5, "too strong", 44),
    Row("Weapon", "Spoon", 20, 9, 0.45, 0.26, 0.66, 0.5, "nothing sure", 380),
]


def test_games_are_played_counted_and_written(tmp_path):
    rows, chart = tmp_path / "new" / "rows.csv", tmp_path / "other" / "chart.svg"
    said = ["balance", "--game", "frothy_races", "--vary", "seat", "--games", "2", "--level", "learner"]
    found = CliRunner().invoke(app, [*said, "--csv", str(rows), "--chart", str(chart)])
    assert found.exit_code == 0, found.output
    assert "2 games, 2 of them won by somebody" in found.output
    written = list(csv.DictReader(rows.read_text().splitlines()))
    assert sum(int(row["won"]) for row in written) == 2
    assert ElementTree.parse(chart).getroot().tag.endswith("svg")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_game_of_ones_own_is_found_in_its_folder(samples: Path, jobs: str) -> None:
    said = ["balance", "--game", "far edge", "--vary", "seat", "--games", "2", "--jobs", jobs]
    there = {"TABLEREF_GAMES": str(samples / "own-game")}
    for found in (
        CliRunner().invoke(app, [*said, "--folder", str(samples / "own-game")]),
        CliRunner().invoke(app, said, env=there),
    ):
        assert found.exit_code == 0, found.output
        assert "Far Edge: 2 games" in found.output
    with pytest.raises(TableRefError, match="name its folder with --folder"):
        CliRunner().invoke(app, said, catch_exceptions=False)


def test_rows_are_told_in_words_in_a_table_and_in_a_picture():
    lines = list(lines_of(ROWS))
    assert lines[1] == "  Saw & <Hammer>: won 130 of 200, 65% (58% to 71%): too strong"
    assert lines[2].endswith("nothing sure; sure after some 380 games")
    assert next(csv.DictReader(csv_of(ROWS).splitlines()))["value"] == "Saw & <Hammer>"
    texts = [
        t.text for t in ElementTree.fromstring(chart_of("Won", ROWS)).iter() if t.text and t.text.strip()
    ]
    assert texts == ["Won", "Saw & <Hammer>", "130 of 200", "Spoon", "9 of 20"]

"""Tags that this table does not name and another kept one does."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from server.commands.cli import app
from server.setup.kept.other_tables import OtherTables
from server.setup.kept.tables import KeptTables


@pytest.fixture
def tables(tmp_path: Path, samples: Path) -> KeptTables:
    kept = KeptTables(tmp_path / "kept")
    kept.bring_in(samples / "opening-round" / "table.toml", "Attic")
    return kept


def test_a_tag_is_told_as_what_it_is_on_another_table(tables: KeptTables) -> None:
    others, garage = OtherTables(tables), tables.new("Garage")
    (words,) = others.words([("tag36h11", 11), ("tag36h11", 10), ("tag36h11", 99)], garage.file)
    assert words.startswith("On the table Attic, kept on this computer, tag 10 is Red 1, tag 11 is Red 2: ")
    assert others.words([("tag36h11", 99)], garage.file) == []
    attic = tables.find("Attic")
    assert others.words([("tag36h11", 10)], attic.file) == [], "its own pieces are no other table's"


def test_a_changed_file_is_read_again_and_a_broken_one_says_nothing(tables: KeptTables) -> None:
    others, file = OtherTables(tables), tables.find("Attic").file
    assert "Red 1" in others.words([("tag36h11", 10)], None)[0]
    file.write_text(file.read_text().replace('"Red 1"', '"Ruby"'))
    assert "Ruby" in others.words([("tag36h11", 10)], None)[0]
    file.write_text("format = ")
    assert others.words([("tag36h11", 10)], None) == []


def test_doctor_tells_it(
    tables: KeptTables, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLEREF_TABLES", str(tables.folder))
    text = (samples / "opening-round" / "table.toml").read_text()
    bare = tmp_path / "table.toml"
    bare.write_text(text[: text.index("# sedan")])
    clip = samples / "opening-round" / "opening-round.mp4"
    asked = ["doctor", "--source", str(clip), "--table", str(bare), "--pictures", "1"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1
    assert "On the table Attic, kept on this computer, tag 10 is Red 1" in done.output

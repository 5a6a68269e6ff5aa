"""`tableref tables`, and what `tableref` alone begins with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calibration.tablefile import load_table
from server.commands import serving
from server.pipeline.opening import Choice
from server.pipeline.referee import FirstLook
from server.setup.kept_tables import KeptTables
from tests.server.commands.test_cli import still, tableref
from vision.source import parse_source

__all__ = ["still"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeptTables:
    monkeypatch.setenv("TABLEREF_TABLES", str(tmp_path / "kept"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return KeptTables()


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What would be served, instead of serving it."""
    calls: list[dict[str, Any]] = []
    monkeypatch.setattr(
        serving, "_run", lambda choice, player, **more: calls.append({"choice": choice, "player": player})
    )
    return calls


@pytest.mark.parametrize("words", [(), ("serve",)])
def test_it_begins_with_nothing_at_all(words: tuple[str, ...], begun: list[dict[str, Any]]) -> None:
    tableref(*words)
    choice, player = begun[0]["choice"], begun[0]["player"]
    assert choice.spec == "none"
    source, referee = player.begin(choice)
    assert isinstance(referee, FirstLook)
    source.close()


def test_it_goes_on_with_what_was_used_last(
    home: KeptTables, samples: Path, begun: list[dict[str, Any]]
) -> None:
    tableref("tables", "import", samples / "opening-round" / "table.toml", "--name", "Kitchen")
    home.watched(Choice("sim:first"))
    tableref()
    choice, player = begun[0]["choice"], begun[0]["player"]
    assert choice.spec == "sim:first"
    assert player.known_table(parse_source(choice.spec)).name == "Kitchen"
    # A source that is not there any more is said and does not keep the page from opening.
    home.watched(Choice("clips/gone.mp4"))
    assert "cannot be had now" in tableref().stderr
    assert begun[1]["choice"].spec == "none"


def test_a_table_file_here_is_taken_first(samples: Path, begun: list[dict[str, Any]]) -> None:
    text = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    Path("table.toml").write_text(text, encoding="utf-8")
    tableref()
    assert begun[0]["choice"].spec == "0"
    assert begun[0]["player"].known_table(parse_source("0")).name == "Opening round"


def test_a_kept_table_with_a_mistake_is_told_on_the_page(home: KeptTables) -> None:
    kept = home.new("Kitchen")
    kept.file.write_text("format = 1\n", encoding="utf-8")
    player = serving.Opener(kept=kept.file)
    source, referee, mistake = serving._begun(player, Choice("none"))
    source.close()
    assert isinstance(referee, FirstLook)
    assert "surface" in mistake


def test_tables_are_listed_copied_exported_and_deleted(home: KeptTables, samples: Path) -> None:
    assert "No table is kept" in tableref("tables", "list").stdout
    tableref("tables", "import", samples / "opening-round" / "table.toml")
    tableref("tables", "copy", "opening round", "Attic")
    home.new("Begun")
    (home.new("Broken").file).write_text("format = 2", encoding="utf-8")
    # Pages and records call a table as its file does.
    assert load_table(home.find("attic").file).name == "Attic"
    assert load_table(home.find("opening round").file).name == "Opening round"
    listed = tableref("tables", "list").stdout.splitlines()
    assert listed[0].startswith("  Attic: 4 corner tags, ")
    assert listed[1] == "  Begun: not set up yet"
    assert listed[2].startswith("  Broken: its file has a mistake")
    assert any(line.startswith("* Opening round: ") for line in listed)
    tableref("tables", "use", "Attic")
    assert home.current().name == "Attic"
    tableref("tables", "export", "Attic")
    assert load_table(Path("Attic.toml")).name == "Attic"
    assert "is there already" in tableref("tables", "export", "Attic", code=2).stderr
    tableref("tables", "export", "Attic", "--out", "new/folder/other.toml", "--force")
    assert Path("new/folder/other.toml").exists()
    tableref("tables", "delete", "Attic", "--force")
    tableref("tables", "import", "new/folder/other.toml")
    tableref("tables", "delete", "Attic", "--yes")
    assert "there are:" in tableref("tables", "use", "Attic", code=2).stderr


def test_the_doctor_looks_at_the_table_and_the_source_used_last(
    home: KeptTables, samples: Path, still: Path
) -> None:
    tableref("tables", "import", samples / "opening-round" / "table.toml", "--name", "Kitchen")
    home.watched(Choice(str(still)))
    said = tableref("doctor", "--pictures", "1").stdout
    assert "The table used last: Kitchen." in said
    assert "All is well." in said
    # Another source is not that table's.
    other = still.with_name("other.png")
    other.write_bytes(still.read_bytes())
    said = tableref("doctor", "--source", other, "--pictures", "1").stdout
    assert "Kitchen" not in said
    assert "Nobody has said yet what carries tags 10, " in said

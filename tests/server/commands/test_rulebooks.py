"""`tableref rulebooks`, and `--games` of every command that rules or plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.game.registry import games
from tests.server.commands.test_cli import tableref

OWN = Path(__file__).parents[3] / "samples" / "own-game"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    (tmp_path / "broken.py").write_text("import a_book_that_is_lost")
    return tmp_path


def test_games_are_listed_with_where_they_come_from_and_broken_ones_with_the_reason(broken: Path) -> None:
    said = tableref("rulebooks", "--games", OWN, "--games", broken, "--json").stdout
    found = {one["game"]: one for one in map(json.loads, said.splitlines())}
    assert found["far_edge"] == {
        "game": "far_edge", "title": "Far Edge", "book": "Far Edge 1", "version": "1", "players": [2, 2],
        "from": str(OWN), "reason": None,
    }  # fmt: skip
    assert found["broken"]["reason"] == "ModuleNotFoundError: No module named 'a_book_that_is_lost'"
    shown = tableref("rulebooks", "--games", OWN, "--games", broken).stdout
    assert "White Line Fever 0.9" in shown
    assert f"broken, from {broken}, cannot be played: ModuleNotFoundError" in shown


def test_the_environment_names_folders_too_and_a_command_forgets_them(
    broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLEREF_GAMES", f"{OWN}:{broken}")
    assert "Far Edge" in tableref("rulebooks").stdout
    assert "far_edge" not in {g.id for g in games()}


def test_a_folder_that_is_not_there_is_refused() -> None:
    assert (
        "expected a folder with games but nowhere is none"
        in tableref("rulebooks", "--games", "nowhere", code=2).stderr
    )


def test_record_sheets_of_a_game_in_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "sheets.pdf"
    ask = ("print", "sheets", "--game", "far edge", "--cars", 2, "--out", out)
    assert "no game called 'far edge'" in tableref(*ask, code=2).stderr
    assert "2 record sheets" in tableref(*ask, "--games", OWN).stdout
    assert out.read_bytes().startswith(b"%PDF")

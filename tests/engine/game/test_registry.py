"""Games are found in folders, entry points and named folders; a broken one stops nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import TableRefError
from engine.game.events import Event, Illegal
from engine.game.match import Match
from engine.game.registry import game_called, game_of_table, game_or_unknown, games, games_from
from engine.game.showing import Viewer

ROOT = Path(__file__).resolve().parents[3]
OWN = str(ROOT / "samples" / "own-game")


@pytest.fixture(autouse=True)
def modules(monkeypatch):
    """What a test imports is forgotten after it."""
    before = dict(sys.modules)
    yield
    for name in set(sys.modules) - set(before):
        if name in ("far_edge", "broken", "empty", "no_rules") or name.startswith("packed"):
            del sys.modules[name]


def test_games_are_called_by_folder_or_title_in_any_spelling():
    assert game_called("White Line Fever").about.id == "white_line_fever"
    assert game_called("far-EDGE", [OWN]).about.title == "Far Edge"
    with pytest.raises(TableRefError, match=r"no game called 'Chess'; expected one of .*far_edge"):
        game_called("Chess", [OWN])


def test_a_table_that_names_no_game_means_the_usual_one():
    usual = [found.id for found in games() if found.about is not None and found.about.usual]
    assert usual == [game_of_table(None).about.id]
    assert game_of_table("shattered highways").about.id == "shattered_highways"


def test_a_broken_game_is_listed_with_its_reason_and_stops_nothing(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "no_rules.py").write_text(
        "from engine.game.about import About\n"
        "class G:\n  about = About('no_rules', 'No', 'No', '1')\nGAME = G()"
    )
    (tmp_path / "json.py").write_text("GAME = 1")
    found = {g.id: g for g in games([str(tmp_path), OWN, "/no/such/folder"])}
    assert found["broken"].reason == "ZeroDivisionError: division by zero"
    assert "expected a game called GAME" in str(found["empty"].reason)
    assert "does not answer setup, begin" in str(found["no_rules"].reason)
    assert "another module is called json" in str(found["json"].reason)
    assert "no game lies in /no/such/folder" in str(found["/no/such/folder"].reason)
    assert found["far_edge"].where == OWN
    assert {"white_line_fever", "far_edge"} <= {g.id for g in games([str(tmp_path), OWN]) if g.about}
    with pytest.raises(TableRefError, match=r"does not answer .*options"):
        game_called("no_rules", [str(tmp_path)])


def test_folders_that_are_named_once_hold_for_everybody(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    with games_from(OWN, str(tmp_path)):
        assert {"far_edge", "broken"} <= {g.id for g in games([OWN])}
        assert game_called("far edge").about.title == "Far Edge"
        with pytest.raises(TableRefError, match=r"broken from .* cannot be played: ZeroDivisionError"):
            game_called("broken")
    assert "far_edge" not in {g.id for g in games()}


def test_two_games_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "second.py").write_text((ROOT / "samples" / "own-game" / "far_edge.py").read_text())
    found = games([OWN, str(tmp_path)])
    assert [g.reason for g in found if g.id.startswith("far_edge (")] == [
        f"a game called far_edge comes from {OWN} already"
    ]


def test_an_installed_package_offers_a_game_by_its_entry_point(tmp_path, monkeypatch):
    package = tmp_path / "packed_game"
    package.mkdir()
    source = (ROOT / "samples" / "own-game" / "far_edge.py").read_text()
    (package / "__init__.py").write_text("")
    (package / "game.py").write_text(source.replace('"far_edge"', '"packed"'))
    info = tmp_path / "packed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[tableref.games]\npacked = packed_game.game:GAME\nlost = lost_game:GAME\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    found = {g.id: g for g in games()}
    assert found["packed"].where == "packed"
    assert found["packed"].about is not None
    assert "No module named 'lost_game'" in str(found["lost"].reason)
    assert game_called("packed").about.title == "Far Edge"


def test_the_about_of_a_package_is_read_without_its_rules(tmp_path):
    package = tmp_path / "packed_quick"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "game.py").write_text("raise RuntimeError('rules were loaded')")
    (package / "about.py").write_text(
        "from engine.game.about import About\nABOUT = About('packed_quick', 'Quick', 'Quick 1', '1')"
    )
    assert {g.id: g.about for g in games([str(tmp_path)])}["packed_quick"].title == "Quick"


def test_a_record_of_a_game_that_is_not_installed_opens_to_be_looked_at():
    game = game_or_unknown("gone", "3")
    log = [
        Event("begin", {"x": 1}, "It began", "Gone 3"),
        Event("action", {"kind": "go", "player": None, "data": {}}, "go", "Gone 3"),
        Event("overrule", {"path": ["x"], "value": 2}, "x: 1 → 2", "Gone 3"),
    ]
    match = Match.replay(game, log)
    assert [e.words for e in match.log] == ["It began", "go", "x: 1 → 2"]
    assert (match.options(), game.about.version) == ((), "3")
    assert "no game called 'gone'" in game.status(match.state, Viewer()).who
    with pytest.raises(Illegal, match="rules of gone are not at hand"):
        Match.begin(game, {})


def test_the_sample_passes_the_tests_that_it_inherits():
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", OWN],
        cwd=OWN, capture_output=True, text=True, check=False, env={"PYTHONPATH": f"{ROOT}:{OWN}"},
    )  # fmt: skip
    assert found.returncode == 0, found.stdout
    assert " passed" in found.stdout

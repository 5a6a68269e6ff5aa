"""Games taken along, brought in and ruled again from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.errors import TableRefError
from server.commands.cli import app
from server.recording.library.games import Library
from tests.server.playback import record_game


@pytest.fixture
def game(tmp_path: Path) -> Iterator[str]:
    with Library.open(tmp_path / "games") as library:
        yield record_game(library)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_out_in_and_the_same_again(tmp_path: Path, game: str) -> None:
    here, there, file = tmp_path / "games", tmp_path / "other", tmp_path / "out.jsonl"
    assert run("export", game, "--library", here, "--out", file).exit_code == 0
    said = run("games", "import", file, "--library", there)
    assert f"Game {game} is in" in said.output
    assert game in run("games", "list", "--library", there).output
    told = run("replay", game, "--library", there)
    assert (told.exit_code, told.output.strip()) == (0, "16 ruled again; none comes out differently.")


@pytest.mark.parametrize(("form", "ending"), [("mcap", ".mcap"), ("csv", "-csv.zip")])
def test_the_file_is_named_by_the_game(
    tmp_path: Path, game: str, form: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export", game[:12], "--to", form, "--library", tmp_path / "games").exit_code == 0
    assert (tmp_path / f"{game}{ending}").stat().st_size > 1000


def test_the_battle_report_is_a_page_and_a_pdf(tmp_path: Path, game: str) -> None:
    told = run("report", game, "--library", tmp_path / "games", "--out", tmp_path)
    assert told.exit_code == 0
    assert (tmp_path / f"{game}-report.html").read_bytes().startswith(b"<!doctype html>")
    assert (tmp_path / f"{game}-report.pdf").read_bytes().startswith(b"%PDF")


def test_what_comes_out_differently_is_listed(tmp_path: Path, game: str) -> None:
    file, spoilt = tmp_path / "out.jsonl", tmp_path / "spoilt.jsonl"
    run("export", game, "--library", tmp_path / "games", "--out", file)
    text = file.read_text(encoding="utf-8")
    spoilt.write_text(text.replace('"verdict":"no"', '"verdict":"yes"', 1), encoding="utf-8")
    run("games", "import", spoilt, "--library", tmp_path / "other")
    told = run("replay", game, "--library", tmp_path / "other")
    assert told.exit_code == 1
    assert "1 decided differently, 0 with other figures." in told.output
    assert "The answer was yes, and is no today." in told.output
    lines = [
        json.loads(x)
        for x in run("replay", game, "--library", tmp_path / "other", "--json").output.splitlines()
    ]
    assert [line["same"] for line in lines].count(False) == 1


def test_answers_come_before_figures_and_what_moved_within_its_deviation_is_counted(
    tmp_path: Path, game: str
) -> None:
    """Of three rulings: another figure, one that moved within its deviation, another answer."""
    file, spoilt = tmp_path / "out.jsonl", tmp_path / "spoilt.jsonl"
    run("export", game, "--library", tmp_path / "games", "--out", file)
    lines, ruled = [json.loads(x) for x in file.read_text(encoding="utf-8").splitlines()], 0
    for one in lines:
        if one.get("entry", {}).get("kind") != "ruling":
            continue
        ruled += 1
        data = one["entry"]["data"]
        check = data["checks"][0]
        if ruled == 1:
            check["number"] += 1.0
        elif ruled == 2:
            check |= {"number": check["number"] + 0.04, "sd": 0.05}
        elif ruled == 3:
            data["verdict"] = "too close to call"
    spoilt.write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    run("games", "import", spoilt, "--library", tmp_path / "other")
    told = run("replay", game, "--library", tmp_path / "other").output
    assert (
        "1 decided differently, 1 with other figures. In 1 a number moved by less than its deviation." in told
    )
    assert told.index("The answer was too close to call") < told.index(" → ")
    assert told.count(" → ") == 1, "what moved within its deviation is only counted"


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "nothing"),
        ("report", "nothing"),
        ("replay", "nothing"),
        ("games", "import", "nothing.jsonl"),
    ],
)
def test_what_is_not_there(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(TableRefError, match="nothing"):
        run(*arguments, "--library", tmp_path / "games")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "picture.jpg"
    file.write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(TableRefError, match="no game that tableref exported"):
        run("games", "import", file, "--library", tmp_path / "games")

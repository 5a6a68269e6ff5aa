from __future__ import annotations

import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import cv2
import pytest

from benchmarks.library import fill
from server.commands.cli import COMMANDS, LateCommand, main
from server.recording.library.games import Library

ROOT = Path(__file__).resolve().parents[3]


def tableref(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """What the command says and ends with, without the wait for a process."""
    words = ["tableref", *map(str, arguments)]
    out, err, ended = StringIO(), StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", words):
        try:
            main()
        except SystemExit as end:
            ended = int(end.code or 0)
    assert ended == code, err.getvalue()
    return subprocess.CompletedProcess(words, ended, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def still(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample clip's first picture."""
    capture = cv2.VideoCapture(str(samples / "opening-round" / "opening-round.mp4"))
    good, image = capture.read()
    assert good
    path = tmp_path_factory.mktemp("still") / "first [1].png"
    cv2.imwrite(str(path), image)
    return path


def test_locate_prints_one_object_per_image(still: Path, samples: Path) -> None:
    table = samples / "opening-round" / "table.toml"
    lines = tableref("locate", still, still, "--table", table, "--json").stdout.splitlines()
    assert len(lines) == 2
    record = json.loads(lines[0])
    assert record["image"] == str(still)
    assert {p["piece"] for p in record["pieces"]} >= {"Red 1", "Blue 3", "Mug"}
    fields = {"piece", "tag", "x_in", "y_in", "heading_deg", "tag_x_in", "tag_y_in", "sd_xy_in"}
    assert all(fields | {"sd_heading_deg", "status"} <= set(p) for p in record["pieces"])


def test_locate_reads_the_good_pictures_and_names_the_bad(still: Path, samples: Path) -> None:
    table = samples / "opening-round" / "table.toml"
    done = tableref("locate", "gone.jpg", still, "--table", table, code=2)
    assert "gone.jpg" in done.stderr
    assert "Red 1" in done.stdout
    assert str(still) in done.stdout.replace("\n", "")


def test_measure_answers_the_shooting_question(still: Path, samples: Path) -> None:
    table = samples / "opening-round" / "table.toml"
    ask = ("measure", still, "--table", table, "--from", "RED1", "--to", "blue-3")
    record = json.loads(tableref(*ask, "--json").stdout)
    assert [c["name"] for c in record["checks"]] == [
        "Maximum Range", "Line of Sight", "Forward Arc", "Short Range", "Tailgate",
    ]  # fmt: skip
    first = record["checks"][0]
    # 21.30 in is the truth's shortest front tyre to tyre distance at frame 0.
    assert first["number"] == pytest.approx(21.30, abs=0.03)
    assert first["limit"] == 20.0
    assert first["verdict"] == record["verdict"] == "no"
    assert all("White Line Fever 0.9" in c["citation"] and c["sd"] >= 0 for c in record["checks"])
    assert json.loads(tableref(*ask, "--question", "plinker", "--json").stdout)["verdict"] == "yes"
    shown = tableref(*ask).stdout
    assert "21.3" in shown
    assert "Shoot Weapon · Target" in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from", "Red 1", "--to", "Green 9"], "no piece called 'Green 9' is on the table; seen: Red 1"),
        (["--from", "Red 1", "--to", "Red 1"], "cannot shoot at itself"),
        (["--from", "Red 1", "--to", "Mug"], "Mug is no car"),
        (["--from", "Red 1", "--to", "Blue 1", "--question", "Oil"], "no question called 'Oil'"),
    ],
)
def test_measure_says_what_cannot_be_asked(
    still: Path, samples: Path, arguments: list[str], says: str
) -> None:
    table = samples / "opening-round" / "table.toml"
    assert says in tableref("measure", still, "--table", table, *arguments, code=2).stderr


def test_rule_writes_lines_and_no_half_file(samples: Path, tmp_path: Path) -> None:
    clip = tmp_path / "clip"
    clip.mkdir()
    capture = cv2.VideoCapture(str(samples / "opening-round" / "opening-round.mp4"))
    for k in range(6):
        cv2.imwrite(str(clip / f"{k:03}.png"), capture.read()[1])
    table, out = samples / "opening-round" / "table.toml", tmp_path / "rulings.jsonl"
    assert "18 rulings" in tableref("rule", clip, "--table", table, "--out", out).stdout
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert records[0]["kind"] == "table"
    assert sum(r["kind"] == "ruling" for r in records) == 18
    assert {p.name for p in tmp_path.iterdir()} == {"clip", "rulings.jsonl"}
    done = tableref("rule", clip, "--table", table, "--out", tmp_path / "no" / "such.jsonl", code=2)
    assert "cannot write" in done.stderr


def test_mistakes_end_with_a_sentence_and_code_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, says in [
        (("locate", "a.jpg"), "cannot read the table file table.toml"),
        (("serve", "--source", "nothing.xyz", "--port", "0"), "neither a camera nor a file"),
        (("serve", "--source", "0", "--table", "gone.toml", "--port", "0"), "gone.toml"),
        (("rule", "nothing.mp4", "--out", "x"), "table.toml"),
    ]:
        done = tableref(*arguments, code=2)
        assert says in done.stderr
        assert "Traceback" not in done.stderr


def test_demo_plays_and_stops_by_itself_and_records_only_if_it_may(tmp_path: Path) -> None:
    ask = ("demo", "--seconds", "0.2", "--port", "0", "--no-browser", "--library", tmp_path)
    done = tableref(*ask, "--no-record")
    assert "http://127.0.0.1:" in done.stdout
    assert "Opening round" in done.stdout
    assert "The game is kept in" not in done.stdout
    with Library.open(tmp_path) as library:
        assert library.games() == ()


def test_measure_draws_what_the_gunner_sees(still: Path, samples: Path, tmp_path: Path) -> None:
    table = samples / "opening-round" / "table.toml"
    ask = ("measure", still, "--table", table, "--from", "Red 1", "--to", "Blue 1", "--view")
    done = tableref(*ask, tmp_path / "view.svg", "--json")
    assert json.loads(done.stdout)["checks"][1]["blockers"] == ["Mug"]
    assert "Nothing of Blue 1 is seen: it is hidden by Mug." in done.stderr
    assert "front right tyre" in (tmp_path / "view.svg").read_text(encoding="utf-8")
    tableref(*ask, tmp_path / "view.svg", "--seat", "turret")
    assert "turret" in (tmp_path / "view.svg").read_text(encoding="utf-8")
    refused = tableref(*ask, tmp_path / "no" / "view.svg", code=2)
    assert "cannot write" in refused.stderr


@pytest.mark.parametrize(
    ("asked", "unneeded"),
    [
        (["--help"], {"numpy", "cv2", "fastapi", "sqlalchemy", "av", "shapely", "pydantic", "vision"}),
        (
            ["games", "list", "--library", "LIBRARY"],
            {"numpy", "fastapi", "av", "alembic", "vision", "server.serving.app"},
        ),
    ],
)
def test_a_command_imports_no_more_than_it_needs(
    tmp_path: Path, asked: list[str], unneeded: set[str]
) -> None:
    with Library.open(str(tmp_path)) as library:
        fill(library, 1)
    arguments = [str(tmp_path) if a == "LIBRARY" else a for a in asked]
    script = (
        "import sys\n"
        "from server.commands.cli import app\n"
        f"app({arguments!r}, standalone_mode=False)\n"
        "print('IMPORTED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = done.stdout.split("IMPORTED")[1].split()
    assert "typer" in imported
    assert unneeded & set(imported) == set()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_help_says_of_each_command_what_it_says_itself(name: str) -> None:
    command = LateCommand(name, *COMMANDS[name])
    assert command.loaded.help.splitlines()[0] == command.help

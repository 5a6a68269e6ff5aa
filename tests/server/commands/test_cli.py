"""The command line: what each command says, refuses and imports, and how it ends."""

from __future__ import annotations

import json
import os
import pickle
import shlex
import socket
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.tablefile import TableFile, load_table
from engine.errors import TableRefError
from engine.game.registry import games
from server.commands.cli import COMMANDS, LateCommand, app, main
from server.commands.recording import kept_words
from server.pipeline.opening import Opener
from server.pipeline.photo import PhotoReading, look_at
from server.recording.library.games import Library, LibraryPlace
from server.serving.run import PortTaken, listen
from tests.server.filled_library import fill
from vision.frame import Image
from vision.source import open_source, parse_source

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


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("print sheet --spacing 0,5", "expected a number as 1.5, with a point"),
        ("print sheet --cars six", "expected a whole number as 10"),
        ("print sheet --cars 99", "expected a number less than or equal to 60"),
        ("print tags --paper legal", "expected one of 'a4', 'letter' but got 'legal'"),
        ("games list --since 1.5.2026", "expected a day as 2026-05-01 but got '1.5.2026'"),
        ("--port x", "expected a whole number as 10"),
    ],
)
def test_a_wrong_value_of_an_option_is_told_in_plain_words(
    monkeypatch: pytest.MonkeyPatch, said: str, plain: str
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    told = tableref(*said.split(), code=2).stderr
    assert plain in told
    assert "Input should" not in told
    assert "Value error" not in told


def test_paper_is_named_in_capitals_too(tmp_path: Path) -> None:
    tableref("print", "tags", "--paper", "A4", "--out", tmp_path / "tags.pdf")
    assert (tmp_path / "tags.pdf").exists()


looks: dict[bytes, PhotoReading] = {}


def once(image: Path, table: TableFile, *, things: bool | None = None) -> PhotoReading:
    """What a photograph shows of a table, looked at once however often commands are asked about it."""
    seen = pickle.dumps((image, image.is_file() and image.read_bytes(), table, things))
    if seen not in looks:
        looks[seen] = look_at(image, table, things=things)
    return looks[seen]


@pytest.fixture(autouse=True)
def _looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.commands.measuring.look_at", once)


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


def painted(still: Path, table: Path, there: Path, cover: str, *, again: str = "") -> Path:
    """The picture with the tag of one piece painted over, or with another's tag in its place."""
    look, image = once(still, load_table(table)), cv2.imread(str(still))
    found = {s.piece.name: s.detection.corners for s in look.sightings}
    middle = found[cover].mean(axis=0)
    cv2.fillConvexPoly(image, np.rint(middle + 1.6 * (found[cover] - middle)).astype(np.int32), (90, 90, 90))
    if again:
        size = (int(image.shape[1]), int(image.shape[0]))
        source = found[again].mean(axis=0) + 1.3 * (found[again] - found[again].mean(axis=0))
        goal = (middle + 1.3 * (found[cover] - middle)).astype(np.float32)
        warp = cv2.getPerspectiveTransform(source.astype(np.float32), goal)
        mask = cv2.fillConvexPoly(np.zeros(image.shape[:2], np.uint8), np.rint(goal).astype(np.int32), 255)
        image = np.where(mask[..., None] > 0, cv2.warpPerspective(cv2.imread(str(still)), warp, size), image)
    cv2.imwrite(str(there), image)
    return there


def test_measure_leaves_open_what_a_piece_that_is_not_read_could_change(
    still: Path, samples: Path, tmp_path: Path
) -> None:
    table = samples / "opening-round" / "table.toml"
    picture = painted(still, table, tmp_path / "covered.png", "Mug")
    ask = ("measure", picture, "--table", table, "--from", "Red 1", "--to", "Blue 3")
    known = json.loads(tableref(*ask[:1], still, *ask[2:], "--json").stdout)
    record = json.loads(tableref(*ask, "--json").stdout)
    before, now = ({c["name"]: c["verdict"] for c in r["checks"]} for r in (known, record))
    assert known["missing"] == []
    assert before["Line of Sight"] == "yes"
    assert record["missing"] == ["Mug"]
    assert now == before | {"Line of Sight": "too close to call"}
    assert "Mug is not seen and may be in the way" in record["checks"][1]["words"]
    assert "Not seen: Mug." in tableref(*ask).stdout
    drawn = tableref(*ask, "--view", tmp_path / "view.svg").stderr
    assert "But Mug is not seen and may be in the way." in drawn


def test_measure_prints_every_warning_that_locate_prints(still: Path, samples: Path, tmp_path: Path) -> None:
    table = samples / "opening-round" / "table.toml"
    picture = painted(still, table, tmp_path / "twice.png", "Blue 2", again="Red 1")
    found = json.loads(tableref("locate", picture, "--table", table, "--json").stdout)
    assert any("Two tags" in words for words in found["warnings"])
    ask = ("measure", picture, "--table", table, "--from", "Red 2", "--to", "Blue 3")
    record = json.loads(tableref(*ask, "--json").stdout)
    assert (record["warnings"], record["missing"]) == (found["warnings"], found["missing"])
    shown = " ".join(tableref(*ask).stdout.split())
    assert all(words in shown for words in found["warnings"])
    refused = tableref(*ask[:4], "--from", "Red 1", "--to", "Blue 3", code=2).stderr
    assert "Red 1 cannot be placed: its tag was not read" in refused
    assert "Two tags" in refused


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from", "Red 1", "--to", "Green 9"], "no piece called 'Green 9' is on the table; seen: Red 1"),
        (["--from", "Red 1", "--to", "Red 1"], "cannot shoot at itself"),
        (["--from", "Red 1", "--to", "Mug"], "Mug is no car"),
        (["--from", "Red 1", "--to", "Blue 1", "--question", "Oil"], "no question called 'Oil'"),
        (
            ["--from", "Red 1", "--to", "blue-1", "--to", "Blue 2"],
            "about Red 1 and Blue 1 alone: ask about Blue 2",
        ),
        (["--from", "Red 1"], "Still to be named with --to: the car that Red 1 shoots at"),
        (["--from", "Red 1", "--to", "Blue 1", "--seat", "left"], "name a file with --view FILE"),
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
    tableref("rule", clip, "--table", table, "--out", tmp_path / "new" / "rulings.jsonl")
    assert (tmp_path / "new" / "rulings.jsonl").read_bytes() == out.read_bytes()
    done = tableref("rule", clip, "--table", table, "--out", out / "no" / "folder.jsonl", code=2)
    assert "cannot write" in done.stderr


def test_mistakes_end_with_a_sentence_and_code_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, says in [
        (("locate", "a.jpg"), "no table file table.toml: name one with --table; `tableref tables list`"),
        (("serve", "--source", "nothing.xyz", "--port", "0"), "neither a camera nor a file"),
        (("serve", "--source", "0", "--table", "gone.toml", "--port", "0"), "gone.toml"),
        (("rule", "nothing.mp4", "--out", "x"), "table.toml"),
    ]:
        done = tableref(*arguments, code=2)
        assert says in done.stderr
        assert "Traceback" not in done.stderr


def test_options_without_a_command_are_those_of_what_runs_without_one(tmp_path: Path) -> None:
    assert "neither a camera nor a file" in tableref("--source", "nothing.xyz", "--port", "0", code=2).stderr
    assert "Commands" in CliRunner().invoke(app, ["--help"]).output
    assert CliRunner().invoke(app, ["--version"]).output == f"tableref {version('tableref')}\n"
    assert "nowhere else" in kept_words(LibraryPlace.of(tmp_path))
    club = kept_words(LibraryPlace.of("postgresql://club:secret@host/games"))
    assert "nowhere else" not in club
    assert "host/games" in club
    assert "secret" not in club


def test_a_taken_port_names_the_page_that_may_run_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for command in ((), ("serve",), ("demo",)):
            asked = () if command == ("demo",) else ("--source", "sim")
            said = tableref(*command, *asked, "--port", port, "--library", tmp_path, code=2).stderr
            assert f"port {port} of 127.0.0.1: it is taken" in said
            assert f"its page is http://127.0.0.1:{port}/" in said


@pytest.mark.parametrize("host", ["192.0.2.1", "nobody.invalid"])
def test_another_machines_address_is_not_answered_with_another_port(host: str) -> None:
    with pytest.raises(PortTaken, match=f"an address of this machine for --host but got {host}") as told:
        listen(host, 0)
    assert "--port" not in str(told.value)


def test_a_database_that_is_not_there_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(TableRefError) as refused:
        Library.open(f"postgresql://club:secret@127.0.0.1:{port}/games")
    assert str(refused.value).endswith(
        "does not answer: no database listens there: start it, or name another one with --library"
    )
    assert "secret" not in str(refused.value)


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
    tableref(*ask, tmp_path / "new" / "view.svg")
    assert (tmp_path / "new" / "view.svg").exists()
    refused = tableref(*ask, tmp_path / "view.svg" / "view.svg", code=2)
    assert "cannot write" in refused.stderr


@pytest.mark.parametrize(
    ("asked", "unneeded"),
    [
        (["--help"], {"numpy", "cv2", "fastapi", "sqlalchemy", "av", "shapely", "pydantic", "vision"}),
        (
            ["games", "list", "--library", "LIBRARY"],
            {"numpy", "fastapi", "av", "vision", "server.serving.app"},
        ),
        # What writes MCAP, signs and makes certificates is for few evenings.
        (
            ["serve", "--help"],
            {"mcap", "foxglove_schemas_protobuf", "google.protobuf", "cryptography"},
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


# Clips in which there is nothing to rule


@pytest.fixture
def first_picture(samples: Path) -> Image:
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
    first_picture: Image,
    samples: Path,
    tmp_path: Path,
) -> None:
    for k in range(6):
        cv2.imwrite(str(tmp_path / f"{k}.png"), change(first_picture))
    file, out = tmp_path / "table.toml", tmp_path / "out.jsonl"
    file.write_text(table((samples / "opening-round" / "table.toml").read_text()))
    done = CliRunner().invoke(app, ["rule", str(tmp_path), "--table", str(file), "--out", str(out)])
    assert (done.exit_code, "nothing was ruled" in done.output, says in done.output) == (1, True, True)
    assert json.loads(out.read_text().splitlines()[-1])["kind"] == "unruled"


# Games from other folders


OWN = Path(__file__).parents[3] / "samples" / "own-game"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    (tmp_path / "broken.py").write_text("import a_book_that_is_lost")
    return tmp_path


def test_what_a_game_prints_is_no_record_and_its_exit_no_end(tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text('import sys\nprint(\'{"game": "mine"}\')\nsys.exit(0)')
    done = tableref("rulebooks", "--games", tmp_path, "--json")
    found = {one["game"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert found["chatty"]["reason"] == "SystemExit: 0 (chatty.py, line 3)"
    assert "white_line_fever" in found
    assert "mine" not in found
    assert '{"game": "mine"}' in done.stderr


def test_games_are_listed_with_where_they_come_from_and_broken_ones_with_the_reason(broken: Path) -> None:
    said = tableref("rulebooks", "--games", OWN, "--games", broken, "--json").stdout
    found = {one["game"]: one for one in map(json.loads, said.splitlines())}
    assert found["far_edge"] == {
        "game": "far_edge", "title": "Far Edge", "book": "Far Edge 1", "version": "1", "players": [2, 2],
        "from": str(OWN), "reason": None,
    }  # fmt: skip
    assert (
        found["broken"]["reason"]
        == "ModuleNotFoundError: No module named 'a_book_that_is_lost' (broken.py, line 1)"
    )
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


# Clips that are drawn


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
    known = Opener().known_table(parse_source(spec))
    assert known is not None
    assert known.name == load_table(tmp_path / "table.toml").name
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


def test_a_clip_is_not_mixed_with_another_and_takes_no_table_of_anybodys(tmp_path: Path) -> None:
    """Frames of an earlier, longer clip stayed behind the new ones, and any `table.toml` was overwritten."""
    for number in range(3):
        (tmp_path / f"frame_{number:04}.jpg").write_bytes(b"old")
    (tmp_path / "table.toml").write_text("mine", encoding="utf-8")
    (tmp_path / "notes.txt").touch()
    ask = ["simulate", "--out", str(tmp_path), *SMALL]
    done = RUN.invoke(app, ask)
    assert "holds table.toml already" in str(done.exception)
    assert (tmp_path / "table.toml").read_text(encoding="utf-8") == "mine"
    assert RUN.invoke(app, [*ask, "--force"]).exit_code == 0
    assert sorted(p.name for p in tmp_path.glob("*.*g")) == ["frame_0000.jpg", "frame_0001.jpg"]
    assert (tmp_path / "notes.txt").exists()


def test_what_is_drawn_can_be_refereed_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--source sim` is the simulated table, and 0 the first webcam, whatever folders lie here."""
    monkeypatch.chdir(tmp_path)
    for name in ("sim", "0", "my clips"):
        said = RUN.invoke(app, ["simulate", "--out", name, *SMALL]).stdout
        spec = shlex.split(said.split("--source ")[1])[0]
        assert (parse_source(spec).kind, Path(spec)) == ("pictures", Path(name))


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    done = RUN.invoke(app, ["simulate", "--out", str(file), *SMALL])
    assert isinstance(done.exception, TableRefError)
    assert "cannot write into" in str(done.exception)


# The end of the process


ENDS_IN_A_SEARCH = """
import sys, threading
from calibration.tablefile import parse_table
from server.pipeline.runner import Runner
from server.pipeline.referee import Referee
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import evening_scene

scene = evening_scene((1280, 720))
referee = Referee(parse_table(scene.to_toml()), beside=True)
live = Runner(SimulatedTable(scene, fps=30.0), referee)
searching = threading.Event()
live.watch(lambda: referee._watch.searches >= {searches} and searching.set())
live.start()
assert searching.wait(600)
{how}
"""


@pytest.mark.parametrize("how", ["", "sys.exit(3)", "raise KeyError('a mistake')", "live.stop()"])
def test_a_process_ends_with_its_own_exit_code_whatever_runs_beside(how: str) -> None:
    code = ENDS_IN_A_SEARCH.format(how=how, searches=1)
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == {"": 0, "sys.exit(3)": 3, "live.stop()": 0}.get(how, 1), done.stderr
    assert "Fatal Python error" not in done.stderr
    assert "could not be judged" not in done.stderr
    if how.startswith("raise"):
        assert "KeyError: 'a mistake'" in done.stderr
    else:
        assert done.stderr == ""


@pytest.mark.parametrize("command", ["locate", "measure", "rulebooks"])
def test_a_command_that_nobody_reads_on_ends_silently(command: str, still: Path, samples: Path) -> None:
    """As `tableref measure … | head -1` does."""
    table = ["--table", str(samples / "opening-round" / "table.toml")]
    asked = ["--from", "Red 1", "--to", "Blue 1"] if command == "measure" else []
    arguments = [] if command == "rulebooks" else [str(still), *table, *asked]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "server.commands.cli", command, *arguments],
            cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=120,
        )  # fmt: skip
    finally:
        os.close(writer)
    assert (done.stderr, done.returncode) == ("", 1)


LOOKS = """
import resource, sys
from pathlib import Path
import server.commands.cli
from calibration.lens.target import TargetError, read_grey
from calibration.jpeg import decode_jpeg
from vision.sources.files import decode_picture
bomb = Path(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(read_grey(bomb))
except TargetError as error:
    print(decode_jpeg(bomb.read_bytes(), "BGR"), decode_picture(bomb.read_bytes()))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_picture_that_claims_to_be_vast_takes_no_room(tmp_path: Path) -> None:
    """A PNG of 2.7 GB, packed; OpenCV reads its own bound when it is loaded, so in a process of its own."""
    side = 30_000

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head, rows = (
        struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0),
        zlib.compress(bytes(100 * (3 * side + 1)), 9),
    )
    bomb = tmp_path / "bomb.png"
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    done = subprocess.run([sys.executable, "-c", LOOKS, bomb], capture_output=True, text=True, check=True)
    told, kilobytes = done.stdout.splitlines()
    assert told == "None None"
    assert int(kilobytes) < 300_000

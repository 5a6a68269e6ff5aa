"""`tableref cameras` and `tableref calibrate …` as a person types them."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

import server.pipeline.opening
from calibration.lens.files import read_lens, write_lens
from calibration.lens.intrinsics import ROWS, LensCalibration, calibrate_folder
from calibration.lens.model import guess_lens
from calibration.lens.target import Target
from server.commands.cli import app
from server.pipeline.opening import camera_of, keep_lens, kept_lens, lens_finder
from tests.server.commands.test_printing import refused, tableref
from vision.source import Device, parse_source

RENDERED = ("--squares", "7x5", "--square-mm", "38.1", "--marker-mm", "26.67")


@cache
def calibrated_once(folder: Path, board: Target) -> LensCalibration:
    """What a folder of pictures gives, worked out once for all that commands are asked about it."""
    return calibrate_folder(folder, board)


@pytest.fixture(autouse=True)
def _calibrated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.commands.camera.calibrating.calibrate_folder", calibrated_once)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of lenses of our own."""
    folder = tmp_path / "lenses"
    monkeypatch.setattr(server.pipeline.opening, "lenses_folder", lambda: folder)
    return folder


@pytest.mark.parametrize("name", ["charuco_lens_A", "charuco_lens_B"])
def test_the_lens_of_the_rendered_boards_comes_back(name: str, shared: Path, tmp_path: Path) -> None:
    folder, out = shared / "renders" / "boards" / name, tmp_path / "lens.json"
    said = tableref("calibrate", "lens", folder, *RENDERED, "--out", out)
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    lens = read_lens(out)
    assert lens.origin == "board"
    assert lens.size == (1920, 1080)
    assert lens.K[0, 0] == pytest.approx(truth["K"][0][0], rel=0.001)
    assert (lens.sd[:2] > 0).all()
    assert said.count("used") >= 12
    assert "px rms" in said
    assert "known to" in said
    for row in ROWS:
        assert re.search(rf"^{row}( +\d+){{3}}", said, re.MULTILINE), "how often each part has seen a corner"


def test_the_report_as_json_names_every_picture(shared: Path, tmp_path: Path) -> None:
    folder = shared / "renders" / "boards" / "charuco_lens_A"
    out = tmp_path / "lens.json"
    report = json.loads(tableref("calibrate", "lens", folder, *RENDERED, "--out", out, "--json"))
    assert report["focal_px"] == pytest.approx([1181.2, 1182.3], abs=1.0)
    assert report["rms_px"] < 0.1
    assert [v["name"] for v in report["views"]] == [f"charuco_{k:02}.jpg" for k in range(12)]
    assert sum(v["corners"] for v in report["views"]) == sum(map(sum, report["corners_seen"]))


def test_a_bad_picture_is_dropped_by_name(shared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "views"
    folder.mkdir()
    for path in sorted((shared / "renders" / "boards" / "charuco_lens_A").glob("*.jpg")):
        (folder / path.name).write_bytes(path.read_bytes())
    bent = cv2.imread(str(folder / "charuco_04.jpg"))
    y, x = np.mgrid[0:1080, 0:1920].astype(np.float32)
    moved = cv2.remap(bent, x + 3 * np.sin(y / 40), y, cv2.INTER_LINEAR)
    cv2.imwrite(str(folder / "charuco_04.jpg"), moved)
    cv2.imwrite(str(folder / "empty.jpg"), np.full((1080, 1920), 90, np.uint8))
    said = tableref("calibrate", "lens", folder, *RENDERED, "--out", tmp_path / "lens.json")
    lines = {line.split()[0]: line for line in said.splitlines() if line.strip()}
    assert [lines[n].split()[-1] for n in ("charuco_04.jpg", "empty.jpg", "charuco_05.jpg")] == [
        "dropped", "dropped", "used",
    ]  # fmt: skip
    assert "Dropped empty.jpg: the board is not seen." in said
    why = next(line for line in said.splitlines() if line.startswith("Dropped charuco_04.jpg: "))
    assert "moved, blurred or misread" in why


def test_too_few_pictures_and_wrong_boards_are_refused(shared: Path, tmp_path: Path) -> None:
    source = shared / "renders" / "boards" / "charuco_lens_A"
    few = tmp_path / "few"
    few.mkdir()
    for k in range(3):
        (few / f"{k}.jpg").write_bytes((source / f"charuco_{k:02}.jpg").read_bytes())
    out = tmp_path / "lens.json"
    assert "at least 6 are needed" in refused("calibrate", "lens", few, *RENDERED, "--out", out)
    for k in range(3, 6):
        (few / f"{k}.jpg").write_bytes((source / f"charuco_{k:02}.jpg").read_bytes())
    assert "7x5 squares" in refused("calibrate", "lens", few, "--squares", "9x6", "--out", out)
    other = refused("calibrate", "lens", few, "--dictionary", "DICT_4X4_50", "--out", out)
    assert "DICT_5X5" in other
    assert "expected a folder" in refused("calibrate", "lens", tmp_path / "gone", "--out", out)
    assert not out.exists()


def test_a_lens_is_kept_for_its_camera_and_resolution(
    shared: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared / "renders" / "boards" / "charuco_lens_A"
    said = tableref("calibrate", "lens", folder, *RENDERED, "--camera", "HD Webcam C920")
    assert "HD Webcam C920 at 1920x1080" in said
    assert [p.name for p in kept.iterdir()] == ["hd-webcam-c920-1920x1080.json"]
    found = kept_lens("HD Webcam C920", (1920, 1080))
    assert found is not None
    assert found.K[0, 0] == pytest.approx(1181.2, abs=1.0)
    assert kept_lens("HD Webcam C920", (1280, 720)) is None
    monkeypatch.setattr(server.pipeline.opening, "name_webcams", lambda: (Device(0, "HD Webcam C920"),))
    assert lens_finder("0")((1920, 1080)) is not None
    assert lens_finder("1")((1920, 1080)) is None
    assert kept_lens("Other", (1920, 1080)) is None


def test_a_webcam_goes_by_its_name_or_else_its_number(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.pipeline.opening, "name_webcams", lambda: (Device(2, "HD Webcam C920"),))
    assert camera_of(parse_source("2")) == "HD Webcam C920"
    assert camera_of(parse_source("3")) == "Camera 3"
    monkeypatch.setattr(server.pipeline.opening, "name_webcams", lambda: None)
    assert camera_of(parse_source("2")) == "Camera 2"
    assert camera_of(parse_source("rtsp://phone/1")) == "rtsp://phone/1"
    assert keep_lens(guess_lens((640, 480)), camera_of(parse_source("3"))).name == "camera-3-640x480.json"


@pytest.mark.parametrize(("form", "ending"), [("opencv", "yml"), ("ros", "yaml"), ("kalibr", "yaml")])
def test_lens_files_go_to_other_forms_and_back(form: str, ending: str, tmp_path: Path) -> None:
    start, there, back = tmp_path / "a.json", tmp_path / f"b.{ending}", tmp_path / "c.json"
    lens = guess_lens((1280, 720)).adjusted(np.array([3.0, 1, 2, -4, -0.1, 0.02, 0.001, 0, 0]))
    write_lens(lens, start)
    assert form in tableref("calibrate", "convert", start, there, "--form", form)
    tableref("calibrate", "convert", there, back)
    assert read_lens(back).size == (1280, 720)
    assert np.allclose(read_lens(back).parameters, lens.parameters, rtol=1e-9)
    assert math.isclose(read_lens(there).K[1, 1], lens.K[1, 1])


def test_converting_a_lens_that_is_hard_to_believe_says_so(tmp_path: Path) -> None:
    start, there = tmp_path / "a.json", tmp_path / "b.json"
    write_lens(guess_lens((1280, 720)), start)
    start.write_text(json.dumps(json.loads(start.read_text()) | {"avg_reprojection_error": 2.6}))
    assert "states an error of 2.6 px" in tableref("calibrate", "convert", start, there)
    assert "✗" not in tableref("calibrate", "convert", there, tmp_path / "c.json")


def test_files_that_are_there_stay_unless_forced(shared: Path, tmp_path: Path) -> None:
    start, there = tmp_path / "a.json", tmp_path / "b.json"
    write_lens(guess_lens((1280, 720)), start)
    there.write_text("precious")
    assert "--force" in refused("calibrate", "convert", start, there)
    boards = shared / "renders" / "boards" / "charuco_lens_A"
    assert "--force" in refused("calibrate", "lens", boards, *RENDERED, "--out", there)
    assert there.read_text() == "precious"
    tableref("calibrate", "convert", start, there, "--force")
    assert read_lens(there).size == (1280, 720)


def test_the_page_calibrates_without_a_table_file(shared: Path) -> None:
    boards = shared / "renders" / "boards" / "charuco_lens_A"
    said = tableref(
        "calibrate", "live", "--source", boards, "--port", "0", "--no-browser", "--seconds", "0.2"
    )
    assert "Calibrate charuco_lens_A: http://127.0.0.1:" in said
    assert "/calibrate" in said


# Which cameras there are


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

"""Files that are whole or not there, pictures packed as JPEG, lengths in words."""

from __future__ import annotations

import io
import json
import logging
import math
import os
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.table import Table

from calibration.whole_files import FileError, whole_file, write_whole
from engine.words import listed
from server.formats import units
from server.formats.jpeg import jpeg, whole_jpeg
from server.formats.terminal import Terminal, VisibleFormatter, line, styled, visible
from vision.frame import Frame, JpegFrame

# Files


def test_whoever_looks_finds_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "game.csv"
    path.write_text("old")
    with whole_file(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "game.csv"
    path.write_text("old")
    with pytest.raises(TypeError), whole_file(path) as draft:
        draft.write_text("half") + b""  # type: ignore[operator]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "game.csv"
    with pytest.raises(FileError, match=r"cannot write .*game\.csv: No such file"):
        write_whole(path, b"")


@pytest.mark.parametrize("named", [".", "", "/"])
def test_a_folder_is_no_file_to_write(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match=r"cannot write .*: expected a file's name but that is a folder"):
        write_whole(Path(named), b"new")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_there_and_no_file_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="that is no ordinary file: choose another name"):
        write_whole(pipe, b"new")
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


# Pictures


NOISE = np.repeat(np.random.default_rng(1).integers(0, 255, (90, 160, 1), dtype=np.uint8), 3, axis=2)


def opened(data: bytes) -> np.ndarray:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return image


@pytest.mark.parametrize(("width", "shape"), [(None, (90, 160)), (80, (45, 80)), (1000, (90, 160))])
def test_made_smaller_but_never_larger(width: int | None, shape: tuple[int, int]) -> None:
    assert opened(jpeg(NOISE, 80, width)).shape[:2] == shape


@pytest.mark.parametrize("width", [150, 110, 70, 31])
def test_smaller_ones_show_the_same_in_the_same_places(width: int) -> None:
    # A slope: its brightness tells the place.
    row = np.round(np.linspace(20, 230, 160)).astype(np.uint8)
    slope = np.ascontiguousarray(np.broadcast_to(row[None, :, None], (90, 160, 3)))
    small = opened(jpeg(slope, 98, width))
    middles = (np.arange(width) + 0.5) * 160 / width - 0.5
    # One pixel to the side would be 1.3 brighter or darker.
    off = (small[:, :, 1] - (20 + 210 * middles / 159)).mean()
    assert abs(off) < 0.65


def test_a_better_one_is_nearer_to_the_picture() -> None:
    off = [np.abs(opened(jpeg(NOISE, q)).astype(int) - NOISE).mean() for q in (40, 80, 98)]
    assert off == sorted(off, reverse=True)
    assert off[0] > 1.5 * off[2]


def test_what_came_as_jpeg_is_kept_as_it_came() -> None:
    data = jpeg(NOISE, 60)
    assert whole_jpeg(JpegFrame(data, 0.0, 0), 98) == data
    assert whole_jpeg(Frame(NOISE, 0.0, 0, "drawn"), 60) == data


# Units


@pytest.mark.parametrize(
    ("inches", "unit", "said"),
    [
        (0.0, "in", "0.00″"),
        (-0.004, "in", "0.00″"),
        (12.345678, "in", "12.35″"),
        (-2.5, "in", "-2.50″"),
        (10.0, "cm", "25.4 cm"),
        (-0.01, "cm", "0.0 cm"),
    ],
)
def test_lengths(inches: float, unit: units.LengthUnit, said: str) -> None:
    assert units.length(inches, unit) == said


@pytest.mark.parametrize(
    ("turn", "said"), [(0, "0°"), (-math.pi / 2, "270°"), (-0.001, "0°"), (math.tau, "0°")]
)
def test_headings(turn: float, said: str) -> None:
    assert units.heading(turn) == said


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (1.0, "over 99.9 %"),
        (0.0, "under 0.1 %"),
        (0.5, "50 %"),
        (0.97, "97.0 %"),
        (0.012, "1.2 %"),
        (0.33, "33 %"),
    ],
)
def test_chances_are_never_certain(probability: float, said: str) -> None:
    assert units.chance(probability) == said


@pytest.mark.parametrize(
    ("text", "inches", "centimetres"),
    [
        ("22.34 in of 20 in, 2.34 in too far, ±0.02", "22.34″ of 20″, 2.34″ too far, ±0.02",
         "56.7 cm of 50.8 cm, 5.9 cm too far, ±0.05"),
        ("blocked by Red 2, 0.99 in deep, ±0.01", "blocked by Red 2, 0.99″ deep, ±0.01",
         "blocked by Red 2, 2.5 cm deep, ±0.03"),
        ("53.9° of 90°, ±1.1°", "53.9° of 90°, ±1.1°", "53.9° of 90°, ±1.1°"),
        ("360°: every direction", "360°: every direction", "360°: every direction"),
        ("Red 2 is in the way", "Red 2 is in the way", "Red 2 is in the way"),
        ("Red 1 rams Blue 3 in vain", "Red 1 rams Blue 3 in vain", "Red 1 rams Blue 3 in vain"),
        ("Is Red 3 in front of Blue 2?", "Is Red 3 in front of Blue 2?", "Is Red 3 in front of Blue 2?"),
        ("Red 1 in gear 2, Blue 1 in gear 3", *["Red 1 in gear 2, Blue 1 in gear 3"] * 2),
        ("RED1 in gear 2", *["RED1 in gear 2"] * 2),
        ("Range 3 in of 4 in", "Range 3″ of 4″", "Range 7.6 cm of 10.2 cm"),
        ("Red 1 4 in, Blue 1 8 in", "Red 1 4″, Blue 1 8″", "Red 1 10.2 cm, Blue 1 20.3 cm"),
        ("Range 12 in", "Range 12″", "Range 30.5 cm"),
    ],
)  # fmt: skip
def test_sentences_of_the_engine(text: str, inches: str, centimetres: str) -> None:
    assert units.retold(text, "in") == inches
    assert units.retold(text, "cm") == centimetres


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C")]
)
def test_names_in_a_row(names: list[str], said: str) -> None:
    assert listed(names) == said


# What goes to a terminal

ORDERS = "\x1b[2J\x1b]0;t\x07\x9b1A\r\b\u202e\u2066\u2028\u200f\ufeff\ud800"


@pytest.mark.parametrize("character", [*ORDERS, "\n", "\t", "\x7f", "\x85"])
def test_a_character_that_a_terminal_obeys_is_shown(character: str) -> None:
    if not character.isprintable():
        told = visible(f"a{character}b")
        assert told.isprintable()
        assert told == f"a{repr(character)[1:-1]}b"
    assert json.loads(line({"a": character})) == {"a": character}
    assert line({"a": character}).isprintable()


@pytest.mark.parametrize(
    "name", ["Zoë", "שרה", "مهدی\u200cکار", "👩\u200d👧", "[bold]x", ":CD:", "[/x]", "a\\b"]
)
def test_names_are_shown_as_they_are_written(name: str) -> None:
    assert visible(name) == name
    printed = io.StringIO()
    terminal = Terminal(file=printed, force_terminal=False, width=80)
    grid = Table(box=None)
    grid.add_column(name)
    grid.add_row(name)
    terminal.print(name, styled(name, "bold"))
    terminal.print(grid)
    assert [row.split() for row in printed.getvalue().splitlines()] == [[name, name], [name], [name]]


def test_nothing_that_is_printed_is_obeyed() -> None:
    printed = io.StringIO()
    terminal = Terminal(file=printed, force_terminal=False, width=200)
    grid = Table(ORDERS, box=None)
    grid.add_row(ORDERS)
    terminal.print(f"a\n{ORDERS}", styled(ORDERS, "bold"))
    terminal.print(grid)
    terminal.print_lines(f"tableref: {ORDERS}\n✓ Unchanged")
    lines = printed.getvalue().split("\n")
    assert len(lines) == 6
    assert all(one.isprintable() for one in lines)
    assert lines[4] == "  ✓ Unchanged"


def test_lines_of_the_log_pass_the_same_hands() -> None:
    printed = io.StringIO()
    handler = logging.StreamHandler(printed)
    handler.setFormatter(VisibleFormatter("%(levelname)s: %(message)s"))
    logger = logging.Logger("one that is nobody else's")
    logger.addHandler(handler)
    try:
        int(ORDERS)
    except ValueError:
        logger.exception("no ruling on %s", f"{ORDERS}\nall is well")
    lines = printed.getvalue().split("\n")
    assert all(one.isprintable() for one in lines)
    assert lines[0] == f"ERROR: no ruling on {visible(ORDERS)}\\nall is well"
    assert lines[1].startswith("Traceback")


def test_commands_and_the_log_print_by_that_way_alone() -> None:
    for file in (Path(__file__).parents[3] / "server").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if file.name == "terminal.py":
            continue
        assert not re.search(r"rich\.(console|markup)|typer\.(secho|echo)\(|markup=True", text), file
        for call in re.findall(r"(?<!>>> )(?<![\w.])print\((.*)", text):
            assert call.startswith("line(record), file="), (file, call)
        for call in re.findall(r"typer\.confirm\((.*)", text):
            assert "visible(" in call, (file, call)

"""The PDF files that `tableref print` writes, drawn and read back."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from typer.testing import CliRunner

from calibration.fiducials import dictionary_of
from engine.errors import TableRefError
from server.commands.cli import app

DPI = 200


def tableref(*arguments: object) -> str:
    """What the command says; its own errors come out as they are."""
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False).output


def refused(*arguments: object) -> str:
    with pytest.raises(TableRefError) as caught:
        tableref(*arguments)
    return str(caught.value)


def sizes_on(pdf: Path, family: str = "tag36h11") -> dict[int, float]:
    """The side of every tag on the sheets in inches, by id."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.minMarkerPerimeterRate = 0.01
    detector = cv2.aruco.ArucoDetector(dictionary_of(family), parameters)
    found = {}
    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        image = np.array(page.render(scale=DPI / 72, grayscale=True).to_numpy())
        corners, ids, _ = detector.detectMarkers(image)
        for i, square in zip(np.ravel(ids) if ids is not None else [], corners, strict=True):
            found[int(i)] = float(cv2.arcLength(square, True)) / 4 / DPI
    document.close()
    return found


def words_on(pdf: Path) -> str:
    document = pypdfium2.PdfDocument(pdf)
    words = "\n".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return words


def paper_of(pdf: Path) -> tuple[float, float]:
    document = pypdfium2.PdfDocument(pdf)
    width, height = document[0].get_size()
    document.close()
    return width / 72, height / 72


A4 = (210 / 25.4, 297 / 25.4)
LETTER = (8.5, 11.0)
CORNERS = dict.fromkeys(range(4), 2.4)


@pytest.mark.parametrize(
    ("arguments", "family", "sizes"),
    [
        (["tags"], "tag36h11", dict.fromkeys(range(10, 16), 0.9)),
        (["tags", "--ids", "4,30-31", "--size", "0.75"], "tag36h11", dict.fromkeys([4, 30, 31], 0.75)),
        (["tags", "--ids", "200-203"], "tag36h11", dict.fromkeys(range(200, 204), 0.9)),
        (["tags", "--ids", "7", "--family", "DICT_4X4_50"], "DICT_4X4_50", {7: 0.9}),
        (["corners"], "tag36h11", CORNERS),
        (["corners", "--ids", "5,9", "--size", "3"], "tag36h11", {5: 3.0, 9: 3.0}),
        (["target"], "DICT_5X5_100", dict.fromkeys(range(17), 24 / 25.4)),
        (["sheet", "--cars", "2"], "tag36h11", CORNERS | {10: 0.9, 11: 0.9}),
        (["sheet", "--cars", "0", "--tokens", "1", "--discs", "2"], "tag36h11",
         CORNERS | {40: 1.92, 41: 0.65, 42: 0.65}),
        (["sheet", "--cars", "2", "--terrain", "1", "--spares", "1", "--holders", "1", "--size", "0.75"],
         "tag36h11", CORNERS | {10: 0.75, 11: 0.75, 30: 1.6, 31: 0.75}),
        (["sheet", "--cars", "1", "--no-corners"], "tag36h11", {10: 0.9}),
    ],
)  # fmt: skip
def test_sheets_hold_the_tags_asked_for_in_their_size(
    arguments: list[str], family: str, sizes: dict[int, float], tmp_path: Path
) -> None:
    out = tmp_path / "out.pdf"
    said = tableref("print", *arguments, "--out", out)
    assert "out.pdf" in said
    assert "100 %" in said
    assert sizes_on(out, family) == pytest.approx(sizes, abs=0.015)


def test_a_table_file_says_what_to_print(samples: Path, tmp_path: Path) -> None:
    table = samples / "opening-round" / "table.toml"
    cars, terrain = dict.fromkeys(range(10, 16), 0.9), dict.fromkeys(range(30, 35), 1.6)
    for what, expected in [
        ("tags", cars | terrain),
        ("corners", CORNERS),
        ("sheet", CORNERS | cars | terrain),
    ]:
        out = tmp_path / f"{what}.pdf"
        tableref("print", what, "--table", table, "--out", out)
        assert sizes_on(out) == pytest.approx(expected, abs=0.015), what
    assert "Red 1" in words_on(tmp_path / "sheet.pdf")
    assert "far right" in words_on(tmp_path / "sheet.pdf")


def test_more_tags_for_a_table_have_ids_that_follow_its_own(samples: Path, tmp_path: Path) -> None:
    table, out = samples / "opening-round" / "table.toml", tmp_path / "more.pdf"
    tableref("print", "sheet", "--after", table, "--no-corners", "--cars", 2, "--terrain", 1, "--out", out)
    assert sizes_on(out) == pytest.approx({35: 0.9, 36: 0.9, 37: 1.6}, abs=0.015)
    assert "not both" in refused("print", "sheet", "--after", table, "--table", table)
    assert "more holders than cars" in refused("print", "sheet", "--cars", 1, "--holders", 2)


def test_a_sheet_holds_the_map_of_a_game_and_its_counters(samples: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.pdf"
    told = tableref(
        "print",
        "sheet",
        "--cars",
        1,
        "--game",
        "frothy races",
        "--map",
        "oval",
        "--paper",
        "letter",
        "--out",
        out,
    )
    assert "5 tags on 17 sheets of paper" in told
    words = words_on(out)
    assert "Oval, a circuit · 2 inch · page 1 of 16" in words
    assert "Tags for 1 car" in words
    assert "expected one of oval" in refused("print", "sheet", "--game", "frothy races", "--map", "nowhere")
    both = ["--game", "battlecars", "--map", "one-board", "--spacing", 1, "--counters"]
    told = tableref("print", "sheet", "--cars", 1, "--no-corners", *both, "--out", out, "--force")
    assert "Battlecars · counters" in words_on(out)
    table = tmp_path / "table.toml"
    text = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    board = '[board]\nkind = "points"\nsize = [5, 5]\nspacing_in = 2.0\norigin_in = [4.0, 4.0]\n\n[[piece]]'
    table.write_text(text.replace("[[piece]]", board, 1), encoding="utf-8")
    tableref("print", "sheet", "--table", table, "--map", "this table", "--out", out, "--force")
    assert "· points" in words_on(out)


def test_corner_tags_are_printed_before_anybody_has_measured_their_places(
    samples: Path, tmp_path: Path
) -> None:
    """A table file that is only begun: which tags, and nothing of where they will lie."""
    text = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    bare = tmp_path / "table.toml"
    where, number = re.subn(r"(?m)^(at_in|turn_deg|sd_in) = .*\n", "", text.split("[[piece]]")[0])
    assert number == 12
    bare.write_text(where, encoding="utf-8")
    tableref("print", "corners", "--table", bare, "--out", tmp_path / "corners.pdf")
    assert sizes_on(tmp_path / "corners.pdf") == pytest.approx(CORNERS, abs=0.015)


def test_names_stand_beside_their_tags(tmp_path: Path) -> None:
    out = tmp_path / "named.pdf"
    tableref("print", "tags", "--ids", "10,11", "--names", "Rat Rod, Hearse", "--out", out)
    assert "Rat Rod · 10" in words_on(out)
    assert "Hearse · 11" in words_on(out)


@pytest.mark.parametrize(("paper", "size"), [("a4", A4), ("letter", LETTER)])
def test_the_paper_and_a_printer_that_shrinks(paper: str, size: tuple[float, float], tmp_path: Path) -> None:
    plain, corrected = tmp_path / "plain.pdf", tmp_path / "corrected.pdf"
    tableref("print", "corners", "--ids", "0", "--paper", paper, "--out", plain)
    tableref("print", "corners", "--ids", "0", "--paper", paper, "--bar-mm", 96, "--out", corrected)
    assert paper_of(plain) == pytest.approx(size, abs=0.01)
    assert paper_of(corrected) == pytest.approx(size, abs=0.01)
    assert sizes_on(corrected)[0] * 0.96 == pytest.approx(2.4, abs=0.015)


def test_a_file_that_is_there_stays_unless_forced(tmp_path: Path) -> None:
    out = tmp_path / "mine.pdf"
    out.write_text("precious")
    assert "--force" in refused("print", "corners", "--out", out)
    assert out.read_text() == "precious"
    tableref("print", "corners", "--out", out, "--force")
    assert out.read_bytes().startswith(b"%PDF")


def test_without_a_name_the_file_is_called_after_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for what in ("tags", "corners", "target", "sheet"):
        tableref("print", what)
    assert {p.name for p in tmp_path.iterdir()} == {"tags.pdf", "corners.pdf", "target.pdf", "sheet.pdf"}


@pytest.mark.parametrize("board", ["points:12x9:2in", "hexes:5x4", "oval:6x2x3:1.5in", "road:36x8:3x2in"])
def test_a_board_is_printed_without_a_table_file(board: str, tmp_path: Path) -> None:
    out = tmp_path / "map.pdf"
    tableref("print", "map", "--board", board, "--out", out)
    assert f"Board · {board}" in words_on(out)
    assert "The thick bar measures" in words_on(out)


def test_the_board_of_a_table_file_with_its_corner_tags(samples: Path, tmp_path: Path) -> None:
    text = (samples / "overhead-table-1" / "table.toml").read_text(encoding="utf-8")
    table = tmp_path / "table.toml"
    table.write_text(text.replace("[[corner]]", '[board]\nkind = "points"\nsize = [5, 4]\n\n[[corner]]', 1))
    plain, tagged = tmp_path / "plain.pdf", tmp_path / "tagged.pdf"
    tableref("print", "map", "--table", table, "--out", plain)
    tableref("print", "map", "--table", table, "--corners", "--paper", "letter", "--out", tagged)
    assert not sizes_on(plain)
    assert paper_of(tagged) == pytest.approx(LETTER, abs=0.01)
    assert words_on(tagged).count("glue sheet") > words_on(plain).count("glue sheet")


def test_maps_of_a_game(tmp_path):
    assert "--map oval: Oval, a circuit" in tableref("print", "map", "--game", "frothy races")
    out = tmp_path / "bend.pdf"
    tableref(
        "print", "map", "--game", "frothy races", "--map", "left-bend-piece", "--spacing", "1.5", "--out", out
    )
    assert "left bend, a piece" in words_on(out)


def test_counters_of_a_game(tmp_path):
    own, small = tmp_path / "own.pdf", tmp_path / "small.pdf"
    tableref("print", "counters", "--game", "battlecars", "--out", own)
    tableref("print", "counters", "--game", "battlecars", "--spacing", "1.5", "--out", small)
    for words in ("Rocket", "Mines", "Speed", "building, 2 by 2 points", "trees, 4 by 2 points"):
        assert words in words_on(own)
    assert "part 2 of 2" in words_on(own)
    assert "part 2 of 2" not in words_on(small)
    tableref("print", "counters", "--game", "battlecars", "--spacing", "6", "--out", tmp_path / "large.pdf")
    assert "part 8 of 8" in words_on(tmp_path / "large.pdf")


def test_cards_of_a_game_are_cut_out_in_their_size(tmp_path):
    out = tmp_path / "cards.pdf"
    tableref("print", "counters", "--game", "car cult", "--out", out)
    for words in ("Straight Five", "Gutsy Gunner", "Armour 4", "from the comments", "Speed", "Mine"):
        assert words in words_on(out)
    document = pypdfium2.PdfDocument(out)
    page = np.array(document[0].render(scale=DPI / 72, grayscale=True).to_numpy())
    document.close()
    # Cut lines: columns and rows that are grey along most of two cards.
    dark = page.squeeze() < 235
    across = np.flatnonzero(dark.mean(axis=0) > 0.6)
    down = np.flatnonzero(dark.mean(axis=1) > 0.5)
    apart = [lines[lines > lines[0] + DPI][0] - lines[0] for lines in (across, down)]
    assert [n / DPI * 25.4 for n in apart] == pytest.approx([70.0, 120.0], abs=0.4)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["map", "--game", "frothy races", "--map", "figure 8"],
            "has no map 'figure 8'; expected one of oval",
        ),
        (["map"], "expected one of --table, --board and --game"),
        (["map", "--game", "White Line Fever"], "brings no maps"),
        (["counters", "--game", "White Line Fever"], "brings no counters"),
        (["map", "--board", "points:3x3", "--corners"], "--corners needs --table"),
        (["map", "--board", "squares:3x3"], "expected a board such as points:12x9:2in"),
        (["map", "--board", "points:3"], "but got 'points:3'"),
        (["map", "--board", "points:3x900"], "less than or equal to 200"),
        (["map", "--board", "oval:3x3"], "but got 'oval:3x3'"),
        (["map", "--board", "road:36x8:50x2in"], "sections of at most 36 x 8"),
        (["tags", "--ids", "ten"], "expected tag ids as 10-15"),
        (["tags", "--ids", ""], "expected tag ids as 10-15"),
        (["tags", "--ids", "12-10"], "from a lower to a higher"),
        (["tags", "--ids", "3,1-4"], "names 3 twice"),
        (["tags", "--ids", "1-3", "--names", "a,b"], "a name for each of 3 tags but got 2"),
        (["tags", "--ids", "9000"], "has the ids 0 to 586"),
        (["tags", "--family", "tag99"], "expected a tag family"),
        (["tags", "--size", "40"], "0.2 to 10 inches"),
        (["tags", "--bar-mm", "3.9"], "measure in mm"),
        (["tags", "--ids", "1", "--table", "t.toml"], "either --table or --ids"),
        (["corners", "--table", "gone.toml"], "cannot read the table file gone.toml"),
        (["corners", "--size", "9"], "does not fit on the page"),
        (["target", "--squares", "big"], "columns and rows of squares"),
        (["target", "--squares", "15x15"], "112 markers and the dictionary only 100"),
        (["target", "--squares", "99x3"], "3x3 to 40x40 squares"),
        (["target", "--square-mm", "60", "--marker-mm", "40"], "choose smaller squares"),
        (["target", "--marker-mm", "50"], "smaller than its square"),
        (["target", "--dictionary", "DICT_9X9"], "expected a tag family"),
    ],
)
def test_what_cannot_be_printed_is_refused_with_the_reason(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in refused("print", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_made_where_it_can_be(tmp_path: Path) -> None:
    pdf = tmp_path / "new" / "folder" / "sheet.pdf"
    tableref("print", "sheet", "--out", pdf)
    assert pdf.exists()
    assert "cannot write" in refused("print", "sheet", "--out", pdf / "sheet.pdf")


def test_record_sheets_for_the_cars_of_a_table(samples: Path, tmp_path: Path) -> None:
    pdf = tmp_path / "record.pdf"
    table = samples / "opening-round" / "table.toml"
    assert "6 record sheets" in tableref("print", "sheets", "--table", table, "--out", pdf)
    text = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()
    assert all(name in text for name in ("Red 1", "Blue 3", "Primary", "Secondary", "Armour"))
    assert "is there already" in refused("print", "sheets", "--out", pdf)
    tableref("print", "sheets", "--cars", 7, "--out", pdf, "--force")
    assert len(pypdfium2.PdfDocument(pdf)) == 2


def test_a_game_that_is_played_from_cards_prints_them(tmp_path: Path) -> None:
    pdf = tmp_path / "cards.pdf"
    ask = ("print", "sheets", "--game", "frothy races", "--cars", 3, "--out", pdf)
    assert "3 cards to play from" in tableref(*ask)
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)]
    assert [f"Vehicle {k}" in text for k, text in enumerate(pages, start=1)] == [True] * 3
    assert "is there already" in refused(*ask)


def test_a_strip_has_two_tags_and_no_other_number(tmp_path: Path) -> None:
    out = tmp_path / "strip.pdf"
    assert "check strip written" in tableref("print", "strip", "--ids", "60-61", "--out", out)
    assert sizes_on(out) == pytest.approx({60: 1.4, 61: 1.4}, abs=0.02)
    said = tableref("print", "strip", "--ids", "60-61", "--size", "1.2", "--out", out, "--force")
    assert "tableref calibrate check --tags 60,61 --size-in 1.2 --length-in INCHES" in " ".join(said.split())
    assert sizes_on(out) == pytest.approx({60: 1.2, 61: 1.2}, abs=0.02)
    assert "a strip has two tags" in refused("print", "strip", "--ids", "60-62", "--out", out, "--force")

"""What is printed: sheets of tags, cards, strips, maps, the table's own sheet."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.fiducials import FiducialError, dictionary_of
from calibration.lens.target import Grey, Target, look
from calibration.prints.cards import BOTTOM, BOXES, HEIGHT, LABEL, STEP, play_cards_pdf
from calibration.prints.holders import HolderPrint
from calibration.prints.maps import OVERLAP, Layout, laid_out, map_sheets
from calibration.prints.paper import FOOTER, MARGIN, PrintError, Sheet
from calibration.prints.sheets import (
    CORNER_PLACES,
    CornerPrint,
    Print,
    RoofPrint,
    TokenPrint,
    prints_for,
    tag_sheets,
    target_sheet,
    true_size,
)
from calibration.prints.strip import StripPrint, strip_sheet
from calibration.prints.table_sheet import (
    FAMILY,
    LAST_ID,
    Wanted,
    ids_for,
    numbered,
    sheet_title,
    table_prints,
)
from calibration.surface import CornerTag
from calibration.tablefile import LooseTag, load_table
from engine.boards.free import Free
from engine.boards.hexes import Hexes, oval
from engine.boards.points import Points
from engine.boards.road import Road
from engine.game.showing import Edge, PlayCard, Row, Table, Words
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece, TagMount, car_body
from vision.tags.reader import read_tags
from vision.tags.unnamed import USUAL_FAMILY, USUAL_TAGS

DPI = 300
MM_PX = DPI / 25.4
TENTH_MM = 0.1 * MM_PX

ROOFS: list[Print] = [RoofPrint("Red 1", 10, 0.75), RoofPrint("Red 2", 11, 0.9), RoofPrint("Blue 1", 13, 1.1)]
CORNERS: list[Print] = [CornerPrint(i, where) for i, where in enumerate(CORNER_PLACES)]
TOKENS: list[Print] = [TokenPrint("Oil", 40), TokenPrint("Mine", 41, "disc", 30 / 25.4)]


def pages(pdf: bytes) -> list[Grey]:
    """Every page in grey at `DPI`."""
    document = pypdfium2.PdfDocument(pdf)
    drawn = [np.array(page.render(scale=DPI / 72, grayscale=True).to_numpy()) for page in document]
    document.close()
    return drawn


def text(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    words = "\n".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return words


def tags(image: Grey, family: str = "tag36h11") -> dict[int, FloatArray]:
    """Corners (4, 2) by id from OpenCV's reader, pixel edges counted from the page's own edge."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.minMarkerPerimeterRate = 0.01
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(family), parameters).detectMarkers(image)
    return {
        int(i): np.asarray(c, dtype=np.float64).reshape(4, 2) + 0.5
        for i, c in zip(np.ravel(ids), corners, strict=True)
    }


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize(
    ("prints", "sizes"),
    [
        (ROOFS, {10: 0.75, 11: 0.9, 13: 1.1}),
        (CORNERS, dict.fromkeys(range(4), 2.4)),
        (TOKENS, {40: 1.92, 41: 0.65}),
        ([RoofPrint("Crate", 30, 1.6, "tag25h9")], {30: 1.6}),
        ([CornerPrint(3, size=3.0, family="DICT_4X4_50")], {3: 3.0}),
    ],
    ids=["roofs", "corners", "tokens", "25h9", "aruco"],
)
def test_tags_are_read_back_upright_and_in_size(
    prints: list[Print], sizes: dict[int, float], paper: str
) -> None:
    family = getattr(prints[0], "family", "")
    (image,) = pages(tag_sheets(prints, "Tags", Sheet(paper)))
    found = tags(image, family)
    assert set(found) == set(sizes)
    for tag, corners in found.items():
        side = sizes[tag] * DPI
        upright = corners[0] + np.array([[0, 0], [side, 0], [side, side], [0, side]])
        assert np.abs(corners - upright).max() < TENTH_MM


@pytest.mark.parametrize("prints", [ROOFS, CORNERS, TOKENS], ids=["roofs", "corners", "tokens"])
def test_the_referees_own_reader_agrees(prints: list[Print]) -> None:
    (image,) = pages(tag_sheets(prints, "Tags"))
    ours = tags(image)
    read = {r.tag: r.corners + 0.5 for r in read_tags(np.ascontiguousarray(image), ["tag36h11"])}
    assert set(read) == set(ours)
    assert all(np.abs(read[tag] - ours[tag]).max() < 2 for tag in ours)


@pytest.mark.parametrize("bar_mm", [94.0, 97.0, 103.5])
def test_a_printer_that_scales_is_made_good(bar_mm: float) -> None:
    (plain,) = pages(tag_sheets(CORNERS, "Tags"))
    (drawn,) = pages(tag_sheets(CORNERS, "Tags", Sheet(bar_mm=bar_mm)))
    assert drawn.shape == plain.shape
    on_paper = {tag: corners * bar_mm / 100 for tag, corners in tags(drawn).items()}
    assert set(on_paper) == {0, 1, 2, 3}
    for corners in on_paper.values():
        assert (
            np.abs(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) - 2.4 * DPI).max() < TENTH_MM
        )


@pytest.mark.parametrize("bar_mm", [100.0, 97.0])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_every_sheet_has_the_bar_and_its_line(paper: str, bar_mm: float) -> None:
    many: list[Print] = [RoofPrint(f"Car {i}", i, 1.1) for i in range(60)]
    pdf = tag_sheets(many, "Roof tags", Sheet(paper, bar_mm))
    drawn = pages(pdf)
    assert len(drawn) == 3
    assert text(pdf).count("The thick bar measures ____________ mm.") == len(drawn)
    assert set().union(*(tags(image) for image in drawn)) == set(range(60))
    for image in drawn:
        foot = image[-round(1.3 * DPI) :]
        longest = max(run_of_black(row) for row in foot)
        assert longest == pytest.approx(100 * MM_PX * 100 / bar_mm, abs=TENTH_MM)


def run_of_black(row: Grey) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row < 128, [0]]).astype(int)))
    return int((edges[1::2] - edges[::2]).max(initial=0))


@pytest.mark.parametrize(
    "board",
    [
        Target(),
        Target(squares=(8, 6), square=1.05, marker=0.75, dictionary="DICT_4X4_50"),
        Target(squares=(6, 8), square=1.0, marker=0.7, legacy=True),
        Target("chessboard", (10, 7), square=0.9),
    ],
    ids=lambda b: b.words,
)
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_boards_are_read_back_in_size(board: Target, paper: str) -> None:
    (image,) = pages(target_sheet(board, Sheet(paper)))
    view = look(image, board)
    assert view is not None
    assert len(view.in_image) == (board.squares[0] - 1) * (board.squares[1] - 1)
    on_paper = view.in_image / DPI
    if on_paper[-1, 1] < on_paper[0, 1]:
        on_paper = on_paper[::-1]  # a chessboard's two ends look alike
    off = on_paper - view.on_board
    assert np.abs(off - off.mean(axis=0)).max() < 0.1 / 25.4


def test_the_board_is_the_one_that_opencv_draws() -> None:
    board = Target()
    (image,) = pages(target_sheet(board))
    theirs = board.charuco().generateImage((5 * 66, 7 * 66))
    view = look(image, board)
    assert view is not None
    corner = view.in_image[0] + 0.5 - board.square * DPI
    side = board.square * DPI / 66
    y, x = np.mgrid[: 7 * 66, : 5 * 66]
    ours = image[
        np.round(corner[1] + (y + 0.5) * side).astype(int), np.round(corner[0] + (x + 0.5) * side).astype(int)
    ]
    assert ((ours > 128) == (np.asarray(theirs) > 128)).mean() > 0.98


def test_names_are_on_the_sheet_whatever_their_letters() -> None:
    words = text(tag_sheets([RoofPrint("Żółw", 1), RoofPrint("Überholer", 2), RoofPrint("龍", 3)], "Tags"))
    for part in ("Zólw · 1", "Überholer · 2", "? · 3"):
        assert part in words


def test_the_same_sheet_is_the_same_file() -> None:
    assert tag_sheets(ROOFS, "Tags") == tag_sheets(ROOFS, "Tags")


def test_a_table_file_says_what_to_print() -> None:
    corners = [CornerTag("tag36h11", 0, 2.4, (0.0, 0.0)), CornerTag("tag36h11", 2, 2.0, (46.0, 46.0))]
    body = car_body("sedan", length=3.0, width=1.2, axles=(0.9, -0.9), track=1.0, height=1.0)
    pieces = [Piece("Red 1", "car", body, TagMount("tag36h11", 10, 0.9, 1.0)), Piece("Bare", "car", body)]
    assert prints_for(corners, pieces) == [
        CornerPrint(0, "near left", 2.4),
        CornerPrint(2, "far right", 2.0),
        RoofPrint("Red 1", 10, 0.9),
    ]


def test_corner_tags_without_a_place_are_printed_too() -> None:
    assert prints_for((), (), [LooseTag("tag36h11", 5, 2.0)]) == [CornerPrint(5, "", 2.0)]


def test_a_shrunken_print_has_its_true_size() -> None:
    assert true_size(2.4, 100.0) == 2.4
    assert true_size(2.0, 97.0) == pytest.approx(1.94)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: tag_sheets([], "Tags"), "nothing to print"),
        (lambda: tag_sheets(ROOFS, "Tags", Sheet("a3")), "a4 or letter but got 'a3'"),
        (lambda: tag_sheets(ROOFS, "Tags", Sheet(bar_mm=3.9)), "should measure about 100 mm but 3.9"),
        (lambda: tag_sheets([CornerPrint(0, size=9.0)], "Tags"), "does not fit on the page"),
        (lambda: tag_sheets([RoofPrint("Red 1", 10, 0.0)], "Tags"), "0.2 to 10 inches but got 0"),
        (lambda: tag_sheets([TokenPrint("Mine", 4, "disc", 1.0, 0.9)], "Tags"), "does not fit on Mine"),
        (lambda: target_sheet(replace(Target(), squares=(9, 12))), "choose smaller squares"),
    ],
)
def test_what_cannot_be_printed_is_explained(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(PrintError, match=says):
        make()


def test_an_id_beyond_the_family_is_refused() -> None:
    with pytest.raises(FiducialError, match="ids 0 to 34 but got 35"):
        tag_sheets([RoofPrint("Red 1", 35, family="tag25h9")], "Tags")


CARD_DPI = 100
GREY = 199
"""The shade of what is marked, of 255."""

TABLE = Table("Speed", ("0", "1", "2"), (Row("Up", boxes=(1, 2, 4)), Row("Move", ("7", "8", "9"))), 2.3)
EDGES = (
    Edge("Harm", "left", ("0", "1", "2", "3"), 1, ("", "slower by −2", "", "out")),
    Edge("Breath", "right", ("5", "4"), 0),
    Edge("Skids", "bottom", ("0", "1", "2", "3", "4"), 3),
)
CARD = PlayCard(
    "Red 1",
    "Anna",
    table=TABLE,
    edges=EDGES,
    lines=(Words(words="Gear", text="rope"),),
    places=("Used", "Back"),
)


def drawn(card: PlayCard, paper: str) -> tuple[FloatArray, str, Sheet]:
    """The page in grey, row 0 on top, its text, and the sheet."""
    sheet = Sheet(paper)
    (page,) = pypdfium2.PdfDocument(play_cards_pdf([card], "Cards", sheet))
    grey = np.asarray(page.render(scale=CARD_DPI / 72, grayscale=True).to_numpy(), dtype=float)
    return grey.reshape(grey.shape[:2]), page.get_textpage().get_text_range(), sheet


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_what_is_marked_lies_on_the_edge_of_the_card(paper: str) -> None:
    grey, text, sheet = drawn(CARD, paper)
    width, height = sheet.room
    top, low = MARGIN + FOOTER + height, MARGIN + FOOTER + height - HEIGHT
    column = (width - LABEL) / 3

    def at(x: float, y: float) -> int:
        """The most frequent grey about a place on the paper, inches."""
        row, col = round((sheet.size[1] - y) * CARD_DPI), round(x * CARD_DPI)
        values, counts = np.unique(grey[row - 3 : row + 4, col - 3 : col + 4].round(), return_counts=True)
        return int(values[counts.argmax()])

    right = MARGIN + width
    assert at(MARGIN + LABEL + 2.375 * column, top - 0.1) == pytest.approx(GREY, abs=1)
    assert at(MARGIN + LABEL + 2.625 * column, top - 0.1) == 255
    assert at(MARGIN + 3.5 * width / 5, low + 0.08) == pytest.approx(GREY, abs=1)
    assert at(MARGIN + 2.5 * width / 5, low + 0.08) == 255
    below, floor = top - BOXES - 2 * 0.24 - 0.3, low + BOTTOM
    harm, breath = (below - floor) / 4, (below - floor) / 2
    assert at(MARGIN + 0.06, below - 1.5 * harm) == pytest.approx(GREY, abs=1)
    assert at(MARGIN + 0.06, below - 0.5 * harm) == 255
    assert at(right - 0.06, below - 0.4 * breath) == pytest.approx(GREY, abs=1)
    assert at(right - 0.06, below - 1.4 * breath) == 255
    assert at(MARGIN + STEP + 0.5, below - 1.9 * harm) == 255
    for words in ("Red 1", "Anna", "Gear: rope", "Speed", "Harm", "slower by –2", "Skids", "Used", "Back"):
        assert words in text, words


def test_one_card_a_page_and_none_is_refused() -> None:
    pdf = play_cards_pdf([CARD, CARD], "Cards", Sheet())
    assert len(pypdfium2.PdfDocument(pdf)) == 2
    assert pdf == play_cards_pdf([CARD, CARD], "Cards", Sheet())
    with pytest.raises(PrintError, match="no card"):
        play_cards_pdf([], "Cards", Sheet())


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("bar_mm", [100.0, 98.0])
def test_its_tags_are_as_far_apart_as_it_says(paper: str, bar_mm: float) -> None:
    pdf = strip_sheet(StripPrint(), paper, bar_mm)
    (page,) = pages(pdf)
    assert page.shape[1] > page.shape[0], "the sheet lies across"
    found = {tag: corners.mean(axis=0) for tag, corners in tags(page).items()}
    assert found.keys() == {50, 51}
    # What is drawn larger for a printer that shrinks comes out right.
    drawn = 8.0 * 100.0 / bar_mm
    assert math.dist(found[50], found[51]) / DPI == pytest.approx(drawn, abs=0.005)
    assert "only a ruler says what the printer made of it" in text(pdf)


def test_one_that_is_too_long_for_the_paper_is_refused() -> None:
    with pytest.raises(PrintError, match="does not fit on the page"):
        strip_sheet(StripPrint(length=9.0), "letter")
    with pytest.raises(
        PrintError, match=r"a strip of 30 inches is .* choose a shorter one, or print the tags alone"
    ):
        strip_sheet(StripPrint(length=30.0))
    with pytest.raises(PrintError, match="choose a smaller tag"):
        strip_sheet(StripPrint(size=9.0))


def glued(pdf: bytes, layout: Layout, dpi: float = DPI) -> Grey:
    """The whole map at `dpi`: every sheet cut along its dashed lines and laid where its neighbours end."""
    across, up = (round(s * dpi) for s in layout.step)
    whole = np.full((up * layout.rows, across * layout.columns), 255, np.uint8)
    for image, tile in zip(pages(pdf), layout.tiles, strict=True):
        left, bottom = round(MARGIN * dpi), len(image) - round((MARGIN + FOOTER) * dpi)
        y = (layout.rows - 1 - tile.row) * up
        whole[y : y + up, tile.column * across : (tile.column + 1) * across] = image[
            bottom - up : bottom, left : left + across
        ]
    return whole


def dots(image: Grey) -> FloatArray:
    """The middles of discs, thinner lines worn away, in inches from the lower left, row by row."""
    worn = cv2.erode((image < 128).astype(np.uint8), np.ones((13, 13), np.uint8))
    _, _, _, middles = cv2.connectedComponentsWithStats(worn)
    found = np.column_stack([middles[1:, 0], len(image) - middles[1:, 1]]) / DPI
    return found[np.lexsort([found[:, 0], np.round(found[:, 1])])]


BOARDS = {
    "points": Points(9, 7, 2.0),
    "turned": Points(9, 7, 2.0, Pose(20.0, 5.0, 0.8)),
    "hexes": Hexes.field(8, 6),
    "track": Hexes.track(oval(6, 2, 3)),
    "road": Road(36.0, 8.0),
}


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("bar_mm", [100.0, 97.0])
@pytest.mark.parametrize("name", ["points", "turned"])
def test_glued_sheets_are_the_board_to_scale(name: str, paper: str, bar_mm: float) -> None:
    board, sheet = BOARDS[name], Sheet(paper, bar_mm)
    layout = laid_out(board, (), sheet)
    assert len(layout.tiles) > 4
    whole = glued(map_sheets(board, "Map", (), sheet), layout, DPI * 100 / bar_mm)
    found = dots(whole) * bar_mm / 100
    assert len(found) == 63
    expected = np.array([(2.0 * c, 2.0 * r) for r in range(7) for c in range(9)])
    # A seam may be a pixel off, no more.
    assert np.abs((found - found[0]) - expected).max() < 2.5 / DPI


@pytest.mark.parametrize("name", list(BOARDS))
def test_sheets_show_the_same_on_the_strip_that_they_share(name: str) -> None:
    board = BOARDS[name]
    layout = laid_out(board, (), Sheet())
    drawn = pages(map_sheets(board, "Map"))
    one, other = (layout.tiles.index(t) for t in layout.tiles if t.row == layout.rows - 1 and t.column < 2)
    left, bottom = round(MARGIN * DPI), -round((MARGIN + FOOTER) * DPI)
    across, up = (round(s * DPI) for s in layout.step)
    strip = drawn[one][bottom - up : bottom, left + across + 60 : left + across + round(OVERLAP * DPI) - 6]
    same = drawn[other][bottom - up : bottom, left + 60 : left + round(OVERLAP * DPI) - 6]
    words = np.ones(len(strip), bool)
    words[len(strip) // 2 - 500 : len(strip) // 2 + 500] = False  # where the strip says what to glue on it
    worn = [cv2.erode(s, np.ones((7, 7), np.uint8)) for s in (strip, same)]  # lines made thick
    assert (strip[words] < 128).any()
    assert not ((strip < 128) & (worn[1] >= 128))[words].any()
    assert not ((same < 128) & (worn[0] >= 128))[words].any()


@pytest.mark.parametrize("bar_mm", [100.0, 104.0])
def test_every_sheet_has_the_bar_and_says_what_to_glue_on_it(bar_mm: float) -> None:
    board, sheet = BOARDS["points"], Sheet("a4", bar_mm)
    layout = laid_out(board, (), sheet)
    words = text(map_sheets(board, "Map", (), sheet))
    assert words.count("The thick bar measures ____________ mm.") == len(layout.tiles)
    count = layout.columns * layout.rows
    assert f"page {count} of {count}" in words
    seams = layout.rows * (layout.columns - 1) + layout.columns * (layout.rows - 1)
    assert words.count("glue sheet") == seams
    assert all(f"glue sheet {n} here" in words for n in range(1, count + 1) if n != layout.number(0, 0))


def test_corner_tags_lie_where_they_belong() -> None:
    board = Points(6, 5, 2.0, Pose(9.0, 3.0, 0.3))
    corners = [
        CornerTag("tag36h11", 0, 2.4, (8.0, 0.5), math.pi / 2),
        CornerTag("tag36h11", 1, 2.0, (22.0, 2.0), 2.0),
        CornerTag("tag36h11", 2, 2.4, (19.0, 15.0)),
        CornerTag("tag36h11", 3, 2.4, (4.0, 12.0), math.pi),
    ]
    layout = laid_out(board, corners, Sheet("letter"))
    whole = glued(map_sheets(board, "Map", corners, Sheet("letter")), layout)
    low = min(t.x for t in layout.tiles), min(t.y for t in layout.tiles)
    read = tags(whole)
    assert set(read) == {0, 1, 2, 3}
    for corner in corners:
        in_frame = np.column_stack([read[corner.tag][:, 0], len(whole) - read[corner.tag][:, 1]]) / DPI + low
        assert np.abs(board.frame.to_table(in_frame) - corner.corners_at()).max() < 0.02


def test_one_sheet_where_one_is_enough() -> None:
    layout = laid_out(Points(3, 4, 2.0), (), Sheet())
    assert len(layout.tiles) == 1
    assert "glue" not in text(map_sheets(Points(3, 4, 2.0), "Map"))
    assert laid_out(Points(5, 3, 2.0), (), Sheet()).sheet.across


def test_no_sheet_shows_more_than_its_paper_has_room_for() -> None:
    for board in BOARDS.values():
        for paper in ("a4", "letter"):
            layout = laid_out(board, (), Sheet(paper))
            for tile in layout.tiles:
                assert all(np.array(layout.shown(tile)) <= np.array(layout.sheet.room) + 1e-9)


def test_a_free_table_is_refused() -> None:
    with pytest.raises(PrintError, match="no board to print"):
        map_sheets(Free(), "Map")


@pytest.mark.parametrize(
    ("wanted", "taken", "words"),
    [
        (Wanted(cars=6), (), "cars 10–15"),
        (Wanted(cars=6, terrain=5, spares=2), (), "cars 10–15, terrain 30–34, spares 35–36"),
        (Wanted(cars=2, spares=1), range(4), "cars 10–11, spares 12"),
        (Wanted(cars=25, terrain=2), (), "cars 10–34, terrain 35–36"),
        (Wanted(cars=2, terrain=1), [0, 1, 2, 3, 10, 11, 12, 30, 34], "cars 35–36, terrain 37"),
        # Beyond the highest there are too few: what is free below is used.
        (Wanted(cars=3), [11, 97], "cars 10, 12–13"),
        # Ids that nobody looks for until they are named do not count.
        (Wanted(cars=1), [10, 300], "cars 11"),
        (Wanted(cars=0), (), ""),
    ],
)
def test_ids_follow_those_that_are_taken(wanted: Wanted, taken: range, words: str) -> None:
    ids = numbered(wanted, taken)
    assert ids.words == words
    every = [*ids.cars, *ids.terrain, *ids.spares]
    assert len(set(every)) == wanted.cars + wanted.terrain + wanted.spares
    assert not set(every) & set(taken)


def test_ids_are_such_as_the_page_looks_for() -> None:
    assert {tag for _, tag in USUAL_TAGS} >= set(range(LAST_ID + 1))
    assert FAMILY == USUAL_FAMILY


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Wanted(cars=61), "0 to 60 cars but got 61"),
        (lambda: Wanted(spares=-1), "0 to 60 spares but got -1"),
        (lambda: Wanted(cars=2, holders=3), "more holders than cars"),
        (lambda: Wanted(roof_size=0.2), "roof size of 0.4 to 6 inches but got 0.2"),
        (lambda: numbered(Wanted(cars=60, terrain=40), ()), "100 tags are asked for.* only 90 are free"),
    ],
)
def test_what_no_table_sheet_can_show_is_explained(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(PrintError, match=says):
        make()


def test_the_sheet_after_a_table_has_other_ids_and_its_corners(samples: Path) -> None:
    table = load_table(samples / "opening-round" / "table.toml")
    wanted = Wanted(cars=2, terrain=1, spares=1, holders=1)
    prints = table_prints(wanted, table, seen=[60])
    assert [p.tag for p in prints if isinstance(p, CornerPrint)] == [0, 1, 2, 3]
    assert [(p.name, p.tag) for p in prints if isinstance(p, RoofPrint)] == [
        ("Car", 61), ("Terrain", 63), ("Spare", 64),
    ]  # fmt: skip
    assert [p.tag for p in prints if isinstance(p, HolderPrint)] == [62]
    assert ids_for(wanted, table).cars == (35, 36)
    without = table_prints(Wanted(cars=1, corners=False), table)
    assert [type(p) for p in without] == [RoofPrint]
    assert sheet_title(wanted) == "Tags for 2 cars, 1 piece of terrain, 1 spare · printed top toward the nose"


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_every_tag_of_the_sheet_is_read_back_in_its_size(paper: str) -> None:
    wanted = Wanted(cars=5, terrain=3, spares=2, holders=3, roof_size=0.75)
    pdf = tag_sheets(table_prints(wanted), sheet_title(wanted), Sheet(paper))
    found = {}
    for image in pages(pdf):
        for tag, corners in tags(image).items():
            assert tag not in found, "each tag is printed once"
            found[tag] = float(((corners[1] - corners[0]) ** 2).sum() ** 0.5) / DPI
    sizes = dict.fromkeys(range(4), 2.4) | dict.fromkeys(range(30, 33), 1.6)
    sizes |= dict.fromkeys([*range(10, 15), 33, 34], 0.75)
    assert found == pytest.approx(sizes, abs=0.01)
    assert text(pdf).count("fold down") == 6
    assert "Car · 14" in text(pdf)


def test_a_holder_has_marks_for_legs_of_other_heights() -> None:
    """The fold lines are where the tag ends, and its legs are long enough to stand above a cockpit."""
    holder = HolderPrint("Car", 12, 0.8)
    assert (holder.width, holder.height) == pytest.approx((1.0, 3.2))
    (image,) = pages(tag_sheets([holder], "Holder"))
    corners = tags(image)[12]
    left = int(corners[0][0] - 0.1 * DPI)
    ticks = image[int(corners[2][1]) :, left + 3]
    edges = (ticks[1:] < 128) & (ticks[:-1] >= 128)
    rows = [row for row in edges.nonzero()[0] if row < 1.2 * DPI]
    steps = {round((b - a) / DPI, 2) for a, b in pairwise(rows)}
    assert len(rows) >= 6
    assert steps <= {0.09, 0.1, 0.11}

"""Each sheet is drawn by a PDF renderer and read back."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace

import cv2
import numpy as np
import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from calibration.fiducials import FiducialError, dictionary_of
from calibration.lens.target import Grey, Target, look
from calibration.prints.holders import HolderPrint
from calibration.prints.paper import FONT, POINT, Page, PrintError, Sheet
from calibration.prints.sheets import (
    CornerPrint,
    CutoutPrint,
    Print,
    RoofPrint,
    TokenPrint,
    bordered_side,
    prints_for,
    tag_sheets,
    target_sheet,
)
from calibration.surface import CornerTag
from calibration.tablefile import LooseTag
from engine.game.registry import cutouts_of, games
from engine.space.geometry import FloatArray
from engine.space.pieces import Piece, TagMount, car_body
from tests.volume import deep
from vision.tags.reader import read_tags

DPI = 300
MM_PX = DPI / 25.4
TENTH_MM = 0.1 * MM_PX

Box = tuple[float, float, float, float]

ROOFS: list[Print] = [RoofPrint("Red 1", 10, 0.75), RoofPrint("Red 2", 11, 0.9), RoofPrint("Blue 1", 13, 1.1)]
CORNERS: list[Print] = [CornerPrint(i) for i in range(4)]
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
        for i, c in zip(np.ravel([] if ids is None else ids), corners, strict=True)
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
@pytest.mark.parametrize("paper", ["a4", pytest.param("letter", marks=deep)])
def test_boards_are_read_back_in_size(board: Target, paper: str) -> None:
    """On paper of another size in `make deep`: in the gate every sheet's bar and line are, on both."""
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
    for part in ("Zólw · 1", "Überholer · 2", "Long · 3"):
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


class Laid(Page):
    """A pen that keeps what is drawn where: (left, low, right, high), inches."""

    def __init__(self) -> None:
        super().__init__(Canvas(io.BytesIO()))
        self.words: dict[tuple[str, float], Box] = {}
        self.tags: list[Box] = []
        self.cut: list[Box] = []
        self.ticks: list[Box] = []

    def text(
        self, words: str, x: float, y: float, room: float, size: float = 0.12, centred: bool = True
    ) -> None:
        if not words:
            return
        wide = min(self._canvas.stringWidth(words, FONT, size / POINT) * POINT, room)
        size *= wide / (self._canvas.stringWidth(words, FONT, size / POINT) * POINT)
        left = x - wide / 2 if centred else x
        self.words[words, y] = (left, y, left + wide, y + 0.7 * size)

    def tag(self, family: str, tag: int, x: float, y: float, size: float) -> None:
        side = bordered_side(family, tag, size)
        self.tags.append((x, y, x + side, y + side))

    def outline(self, x: float, y: float, width: float, height: float, dashed: bool = False) -> None:
        self.cut.append((x, y, x + width, y + height))

    def circle(self, x: float, y: float, radius: float) -> None:
        self.cut.append((x - radius, y - radius, x + radius, y + radius))

    def line(self, x0: float, y0: float, x1: float, y1: float, points: float = 0.5) -> None:
        self.ticks.append((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))


LAID: list[Print] = [
    *ROOFS, CORNERS[0], CornerPrint(2, "far right", turned=True), *TOKENS, HolderPrint("Blue 2", 14),
    *(CutoutPrint(one) for game in games() if (made := cutouts_of(game.id)) for one in made()),
]  # fmt: skip


@pytest.mark.parametrize("piece", LAID, ids=lambda piece: type(piece).__name__)
def test_what_is_printed_on_a_piece_lies_on_it_and_nothing_over_anything_else(piece: Print) -> None:
    page, near = Laid(), 1e-6
    piece.draw(page, 3.0, 4.0)
    whole = (3.0, 4.0, 3.0 + piece.width, 4.0 + piece.height)
    assert page.cut[0] == pytest.approx(whole)
    for left, low, right, high in (*page.words.values(), *page.tags, *page.cut[1:]):
        assert left >= whole[0] - near, page.words
        assert low >= whole[1] - near, page.words
        assert right <= whole[2] + near, page.words
        assert high <= whole[3] + near, page.words
    for left, low, right, high in page.ticks:
        # What it is cut by may begin a little beside it.
        assert min(left, low) >= 0.0
        assert left >= whole[0] - 0.2
        assert right <= whole[2] + 0.2
        assert low >= whole[1] - 0.2
        assert high <= whole[3] + 0.2
    for one, other in itertools.combinations((*page.words.values(), *page.tags), 2):
        over = [min(one[k + 2], other[k + 2]) - max(one[k], other[k]) for k in (0, 1)]
        assert min(over) <= 0.01, page.words

"""Maps are drawn by a PDF renderer, their sheets cut and laid side by side as glued, and measured."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from calibration.lens.target import Grey
from calibration.prints.maps import OVERLAP, Layout, laid_out, map_sheets
from calibration.prints.paper import FOOTER, MARGIN, PrintError, Sheet
from calibration.surface import CornerTag
from engine.boards.board import Free
from engine.boards.hexes import Hexes, oval
from engine.boards.points import Points
from engine.boards.road import Road
from engine.space.geometry import FloatArray, Pose
from tests.calibration.prints.test_sheets import DPI, pages, tags, text


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

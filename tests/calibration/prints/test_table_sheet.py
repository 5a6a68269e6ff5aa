"""One PDF for exactly what somebody has: which ids it holds, and that each is there once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from shapely import LineString

from calibration.prints.holders import HolderPrint
from calibration.prints.how_to import how_part
from calibration.prints.paper import Page, PrintError, Sheet, document
from calibration.prints.sheets import CornerPrint, RoofPrint, prints_for, tag_sheets
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
from calibration.tablefile import load_table
from tests.calibration.prints.test_sheets import DPI, pages, tags, text
from vision.tags.unnamed import USUAL_FAMILY, USUAL_TAGS


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
def test_what_cannot_be_printed_is_explained(make: object, says: str) -> None:
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


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_a_first_page_says_what_to_do_in_three_steps(paper: str) -> None:
    """Its picture is no tag: one that lies about would be taken for the car's own."""
    pdf = document([how_part(Sheet(paper), 2.2)])
    (image,) = pages(pdf)
    assert tags(image) == {}
    words = " ".join(text(pdf).split())
    for step in ("1. Print at 100 %", "2. Cut, and glue.", "3. Lay the four corner tags", "anywhere near"):
        assert step in words
    assert "1.12 in wide" in words
    assert "1.9 pixels" in words
    assert "below 2.2 a new tag" in words
    assert "--bar-mm" not in words


def test_corner_tags_say_where_they_lie_by_the_same_words() -> None:
    """Anywhere, where nobody has stated a place; by their edge, where a table file states place and turn."""
    new = text(tag_sheets(table_prints(Wanted(cars=0)), "New"))
    assert new.count("flat, anywhere near a corner of the table") == 4
    assert "near side" not in new
    stated = text(tag_sheets(prints_for([CornerTag("tag36h11", 0, 2.4, (0, 0), turn=1.57)], ()), "Stated"))
    assert "this edge toward the near side of the table" in stated


def test_no_line_of_the_first_page_crosses_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A car, a bridge and a hand that are drawn so are none."""
    lines: list[Sequence[tuple[float, float]]] = []
    draw = Page.polyline

    def noting(page: Page, points: Sequence[tuple[float, float]], width: float = 0.5) -> None:
        lines.append(points)
        draw(page, points, width)

    monkeypatch.setattr(Page, "polyline", noting)
    document([how_part(Sheet("a4"), 2.2)])
    assert max(map(len, lines)) > 8
    assert [line for line in lines if not LineString(line).is_simple] == []

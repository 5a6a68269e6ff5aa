"""A check strip, drawn by a PDF renderer and read back: its tags' centres lie where its marks say."""

from __future__ import annotations

import math

import pytest

from calibration.prints.paper import PrintError
from calibration.prints.strip import StripPrint, strip_sheet
from tests.calibration.prints.test_sheets import DPI, pages, tags, text


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

"""Record sheets on paper: how many to a page, and what stands on them."""

from __future__ import annotations

import pypdfium2
import pytest

from engine.game.showing import Counter, Sheet, Words
from server.play.paper import sheets_pdf

SHEETS = [
    Sheet(f"Red {k}", "Anna", (Counter(words="Hit points", value=20 + k), Words(words="Armor", text="front")))
    for k in range(1, 8)
]


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page."""
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)]


@pytest.mark.parametrize(("per_page", "pages"), [(6, 2), (3, 3), (1, 7)])
def test_so_many_to_a_page(per_page: int, pages: int) -> None:
    told = pages_of(sheets_pdf(SHEETS, per_page=per_page))
    assert len(told) == pages
    assert [sum(f"Red {k}" in text for k in range(1, 8)) for text in told][:-1] == [per_page] * (pages - 1)
    assert "27" in told[-1]
    assert told[-1].count("front") == told[-1].count("Armor")


def test_empty_sheets_have_no_figures() -> None:
    (page,) = pages_of(sheets_pdf(SHEETS[:3], per_page=3, blank=True))
    assert "21" not in page
    assert "played by" in page

"""Record sheets on paper: how many to a page, and what stands on them."""

from __future__ import annotations

import pypdfium2
import pytest

from engine.game.registry import game_called
from engine.game.showing import Box, Sheet, Track, Words
from engine.game.showing import Counter as CounterWidget
from server.play.paper import blank_sheets, sheets_pdf

SHEETS = [
    Sheet(
        f"Red {k}",
        "Anna",
        (CounterWidget(words="Hit points", value=20 + k), Words(words="Armor", text="front")),
    )
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


def test_what_is_too_tall_flows_into_the_next_column() -> None:
    tracks = tuple(Track(words=f"Part {k}", boxes=(Box(False),) * 4) for k in range(25))
    sheet = Sheet("Red 1", "Anna", (*tracks, Words(words="Driver", text="here")))
    page = pypdfium2.PdfDocument(sheets_pdf([sheet], per_page=1))[0]
    text = page.get_textpage()
    _, bottom, _, _ = text.get_charbox(text.search("Part 24").get_next()[0])
    assert 30 < bottom < page.get_height()
    left = [text.get_charbox(text.search(f"Part {k}").get_next()[0])[0] for k in (10, 24)]
    assert left[1] > left[0] + 100


def test_a_game_of_few_pieces_has_as_many_empty_sheets_as_are_asked_for() -> None:
    names = [f"Vehicle {k}" for k in range(1, 7)]
    game = game_called("battlecars")
    assert game.about.players[1] < len(names)
    assert {sheet.title for sheet in blank_sheets(game, names)} == set(names)

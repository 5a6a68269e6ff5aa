"""Cards to play from: what is marked is grey on the paper's edge of the card, and all words are there."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest

from calibration.prints.cards import BOTTOM, BOXES, HEIGHT, LABEL, STEP, play_cards_pdf
from calibration.prints.paper import FOOTER, MARGIN, PrintError, Sheet
from engine.game.showing import Edge, PlayCard, Row, Table, Words
from engine.space.geometry import FloatArray

DPI = 100
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
    grey = np.asarray(page.render(scale=DPI / 72, grayscale=True).to_numpy(), dtype=float)
    return grey.reshape(grey.shape[:2]), page.get_textpage().get_text_range(), sheet


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_what_is_marked_lies_on_the_edge_of_the_card(paper: str) -> None:
    grey, text, sheet = drawn(CARD, paper)
    width, height = sheet.room
    top, low = MARGIN + FOOTER + height, MARGIN + FOOTER + height - HEIGHT
    column = (width - LABEL) / 3

    def at(x: float, y: float) -> int:
        """The most frequent grey about a place on the paper, inches."""
        row, col = round((sheet.size[1] - y) * DPI), round(x * DPI)
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

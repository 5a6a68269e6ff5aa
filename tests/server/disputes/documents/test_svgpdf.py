"""Drawings on a PDF page, looked at as a reader draws them."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from engine.errors import TableRefError
from server.disputes.documents.svgpdf import draw_svg, size_of

BOX = '<rect x="0" y="0" width="100" height="60" fill="#222222"/>'
NAME = (
    '<text x="50" y="40" font-size="30" text-anchor="middle" fill="#111111" stroke="#ffffff" '
    'stroke-width="8" paint-order="stroke">Red</text>'
)
DASHED = (
    '<polyline points="0,55 100,55" fill="none" stroke="#ff0000" stroke-width="2" stroke-dasharray="1 4"/>'
)


def drawn(*shapes: str, width: float = 200.0) -> npt.NDArray[np.uint8]:
    """A page of 300 x 200 points with the drawing at its lower left corner, a pixel a point."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(300, 200))
    draw_svg(canvas, svg(*shapes), width, "Helvetica")
    canvas.save()
    page = pypdfium2.PdfDocument(out.getvalue())[0]
    return np.asarray(page.render(scale=1).to_pil().convert("RGB"))


def svg(*shapes: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="60">{"".join(shapes)}</svg>'.encode()


def test_it_is_as_wide_as_wanted_and_cut_off_at_its_edge() -> None:
    assert size_of(svg()) == (100.0, 60.0)
    page = drawn('<circle cx="95" cy="30" r="20" fill="#0000ff"/>')
    blue = (page == (0, 0, 255)).all(axis=2)
    assert blue[140, 190]
    assert not blue[:, 202:].any()


def test_a_name_on_a_dark_piece_has_a_whole_rim() -> None:
    page = drawn(BOX, NAME)
    assert (page[80:200, :200] > 250).all(axis=2).sum() > 1000
    after_a_dashed_line = drawn(BOX, DASHED, NAME)
    assert (after_a_dashed_line[80:180] == page[80:180]).all()


def test_what_it_cannot_draw_is_refused() -> None:
    with pytest.raises(TableRefError, match="which cannot be put on a PDF page"):
        drawn('<ellipse cx="1" cy="1" rx="1" ry="2"/>')

"""A battle report as a PDF of A4 pages."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from server.disputes.documents.pdf import BODY, BOLD, FONT, LINE, SMALL, SOFT, WIDTH, Figure, plain, said
from server.formats import units
from server.reports.account import Chapter, Report, ReportLine, Tone
from server.reports.drawings import chart_of, colours, left_of, map_of, signs

MARGIN = 18 * mm

COLOURS: Mapping[Tone, str] = {
    "good": "#14703d",
    "bad": "#ab2a22",
    "loss": "#ab2a22",
    "dispute": "#ab2a22",
    "dice": "#1d5f8a",
    "plain": "#566067",
}

STRONG = {"turn", "attack", "good", "bad", "loss", "end"}

CITED = {"attack", "bad", "loss", "dispute", "ruling"}
"""Lines that carry their rule."""


def pdf_of(report: Report) -> bytes:
    """The file. The same report gives the same file."""
    # Asked for its letters, the font is there.
    plain("")
    out = io.BytesIO()
    document = SimpleDocTemplate(
        out, pagesize=A4, leftMargin=MARGIN, rightMargin=MARGIN, topMargin=16 * mm, bottomMargin=18 * mm,
        title=plain(f"{report.title}: battle report"), author="tableref", invariant=1, pageCompression=1,
    )  # fmt: skip

    def foot(canvas: Canvas, doc: Any) -> None:
        canvas.saveState()
        canvas.setFont(FONT, 7)
        canvas.setFillColor(SOFT)
        canvas.drawString(MARGIN, 10 * mm, plain(f"{report.title} · battle report by tableref"))
        canvas.drawRightString(A4[0] - MARGIN, 10 * mm, f"page {doc.page}")
        canvas.restoreState()

    document.build(_story(report), onFirstPage=foot, onLaterPages=foot)
    return out.getvalue()


_TITLE = ParagraphStyle("title", parent=BODY, fontName=BOLD, fontSize=22, leading=27)
_HEAD = ParagraphStyle(
    "head",
    parent=BODY,
    fontName=BOLD,
    fontSize=12.5,
    leading=16,
    spaceBefore=12,
    spaceAfter=5,
    keepWithNext=1,
)


def _story(report: Report) -> list[Flowable]:
    paint = colours(report)
    story: list[Flowable] = [
        said("tableref · battle report", SMALL),
        said(report.title, _TITLE),
        said(report.subtitle),
        Spacer(1, 6),
        _ruled(
            [[said(name, SMALL), said(value)] for name, value in report.facts], [26 * mm, WIDTH - 26 * mm]
        ),
        Spacer(1, 8),
        _tallies(report, paint),
        said("Timeline", _HEAD),
        _drawn(chart_of(report, paint), WIDTH),
    ]
    legend = " Triangles: it attacked. Crosses: it was harmed. Dashed: the turns." if report.played else ""
    story.append(said(f"Bars: the {report.vehicle} moved.{legend}", SMALL))
    left = left_of(report, paint)
    if left is not None:
        words = f"{report.left_words} left."
        story.append(KeepTogether([Spacer(1, 6), _drawn(left, WIDTH), said(words, SMALL)]))
    if report.turning:
        story.append(said("Turning points", _HEAD))
    for point in report.turning:
        story += [*_chapter(point.chapter, paint, signs(report)), said(f"See it again: {point.link}", SMALL)]
    for chapter in report.chapters:
        story += _chapter(chapter, paint, signs(report))
    return story


def _tallies(report: Report, paint: Mapping[str, str]) -> Table:
    heads = [report.vehicle.capitalize(), "Player", "Driven"]
    heads += ["Attacks", "Hits", f"{report.left_words} lost", "Left", "At the end"] if report.played else []
    rows: list[list[Any]] = [[said(h, SMALL) for h in heads]]
    for t in report.tallies:
        row = [
            said(t.name, BODY, paint[t.name], True),
            said(t.owner),
            said("–" if t.distance_in is None else units.length(t.distance_in, digits=1)),
        ]
        if report.played:
            lost, left = ("–" if n is None else str(n) for n in (t.lost, t.left))
            row += [said(str(n)) for n in (t.attacks, t.hits, lost, left, t.fate)]
        rows.append(row)
    return _ruled(rows, [WIDTH / len(heads)] * len(heads))


def _chapter(chapter: Chapter, paint: Mapping[str, str], letters: Mapping[str, str]) -> list[Flowable]:
    room = WIDTH / 2
    pictures: list[Any] = [_drawn(map_of(chapter, paint, letters), room - 6)]
    if chapter.photo is not None:
        pictures.append(Figure(({"media": "image/jpeg"}, chapter.photo), room - 6))
    row = Table([[*pictures, *[""] * (2 - len(pictures))]], colWidths=[room, room], hAlign="LEFT")
    row.setStyle(TableStyle([("LEFTPADDING", (0, 0), (-1, -1), 0), ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    head = KeepTogether([said(f"{chapter.title}   ({chapter.when})", _HEAD), row])
    if not chapter.lines:
        return [head]
    lines = [[said(line.time_words, SMALL), _told(line)] for line in chapter.lines]
    return [head, Spacer(1, 3), _ruled(lines, [14 * mm, WIDTH - 14 * mm], lined=False)]


def _told(line: ReportLine) -> list[Paragraph]:
    words = f"{line.words} [not measured]" if line.measured is False else line.words
    told = [said(words, BODY, COLOURS.get(line.tone), line.tone in STRONG)]
    if line.citation and line.tone in CITED:
        told.append(said(line.citation, SMALL))
    return told


def _drawn(svg: str, width: float) -> Figure:
    return Figure(({"media": "image/svg+xml"}, svg.encode()), width)


def _ruled(rows: Sequence[Sequence[Any]], widths: Sequence[float], lined: bool = True) -> Table:
    table = Table([list(row) for row in rows], colWidths=list(widths), hAlign="LEFT")
    style: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
    ]
    if lined:
        style.append(("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE))
    table.setStyle(TableStyle(style))
    return table

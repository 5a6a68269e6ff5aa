"""A battle report as a PDF of A4 pages."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer, Table, TableStyle

from server.disputes.documents.pdf import (
    BODY,
    BOLD,
    SMALL,
    WIDTH,
    Figure,
    foot_of,
    pages_in,
    plain,
    ruled,
    said,
)
from server.formats import units
from server.reports.account import Chapter, Report, ReportLine, Tone
from server.reports.drawings import chart_of, colours, left_of, map_of, signs

COLOURS: Mapping[Tone, str] = {
    "good": "#14703d",
    "bad": "#ab2a22",
    "loss": "#ab2a22",
    "dispute": "#ab2a22",
    "dice": "#1d5f8a",
    "plain": "#566067",
}

ROOM = 1.5
"""Points above and below a row of a table."""

STRONG = {"turn", "attack", "good", "bad", "loss", "end"}

ESTIMATED = "Where what a player could expect changed most: an estimate, as good as tableref plays."

CITED = {"attack", "bad", "loss", "dispute", "ruling"}
"""Lines that carry their rule."""


def pdf_of(report: Report) -> bytes:
    """The file. The same report gives the same file."""
    out = io.BytesIO()
    document = pages_in(out, f"{report.title}: battle report")
    foot = foot_of(plain(f"{report.title} · battle report by tableref"), 7)
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
        ruled(
            [[said(name, SMALL), said(value)] for name, value in report.facts],
            [26 * mm, WIDTH - 26 * mm],
            room=ROOM,
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
    for k, point in enumerate(report.turning):
        above = [] if k else [said("Turning points", _HEAD), said(ESTIMATED, SMALL)]
        told = _chapter(point.chapter, paint, signs(report), above)
        story += [*told, said(f"See it again: {point.link}", SMALL)]
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
    return ruled(rows, [WIDTH / len(heads)] * len(heads), room=ROOM)


def _chapter(
    chapter: Chapter, paint: Mapping[str, str], letters: Mapping[str, str], above: Sequence[Flowable] = ()
) -> list[Flowable]:
    """A chapter, and what stands above it on the same page."""
    room = WIDTH / 2
    pictures: list[Any] = [_drawn(map_of(chapter, paint, letters), room - 6)]
    if chapter.photo is not None:
        pictures.append(Figure(({"media": "image/jpeg"}, chapter.photo), room - 6))
    row = Table([[*pictures, *[""] * (2 - len(pictures))]], colWidths=[room, room], hAlign="LEFT")
    row.setStyle(TableStyle([("LEFTPADDING", (0, 0), (-1, -1), 0), ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    head = KeepTogether([*above, said(f"{chapter.title}   ({chapter.when})", _HEAD), row])
    if not chapter.lines:
        return [head]
    lines = [[said(line.time_words, SMALL), _told(line)] for line in chapter.lines]
    return [head, Spacer(1, 3), ruled(lines, [14 * mm, WIDTH - 14 * mm], room=ROOM, lined=False)]


def _told(line: ReportLine) -> list[Paragraph]:
    words = f"{line.words} [not measured]" if line.measured is False else line.words
    told = [said(words, BODY, COLOURS.get(line.tone), line.tone in STRONG)]
    if line.citation and line.tone in CITED:
        told.append(said(line.citation, SMALL))
    return told


def _drawn(svg: str, width: float) -> Figure:
    return Figure(({"media": "image/svg+xml"}, svg.encode()), width)

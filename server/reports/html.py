"""A battle report as one HTML file that needs nothing else: drawings and photos inside, no script."""

from __future__ import annotations

import re
from pathlib import Path

from markupsafe import Markup

from server.disputes.documents.html import data_address, templates
from server.formats import units
from server.reports.account import Report
from server.reports.drawings import chart_of, colours, left_of, map_of, signs

TEMPLATES = Path(__file__).with_name("templates")

_LEFTWARD = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_LEFTWARD_WORDS = re.compile(f"{_LEFTWARD}+(?:[ '\u2019\u200c\u200d-]*{_LEFTWARD}+)*")


def in_order(value: object) -> object:
    """A text in which a name that is written from right to left does not turn the figures beside it round.

    As `inOrder` of the pages; whatever is no text stays as it is.
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _LEFTWARD_WORDS.sub("\u2068\\g<0>\u2069", value)


def html_of(report: Report) -> bytes:
    """The file."""
    paint = colours(report)
    letters = signs(report)
    left = left_of(report, paint)
    text = (
        templates(TEMPLATES)
        .overlay(finalize=in_order)
        .get_template("report.html.jinja")
        .render(
            report=report,
            paint=paint,
            length=lambda inches: "–" if inches is None else units.length(inches, digits=1),
            chart=Markup(chart_of(report, paint)),
            left=None if left is None else Markup(left),
            turning=[
                {
                    "point": t,
                    "map": Markup(map_of(t.chapter, paint, letters)),
                    "photo": t.chapter.photo and data_address("image/jpeg", t.chapter.photo),
                }
                for t in report.turning
            ],
            chapters=[
                {
                    "chapter": c,
                    "map": Markup(map_of(c, paint, letters)),
                    "photo": c.photo and data_address("image/jpeg", c.photo),
                }
                for c in report.chapters
            ],
        )
    )
    return text.encode()

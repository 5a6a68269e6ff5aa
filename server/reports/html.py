"""A battle report as one HTML file that needs nothing else: drawings and photos inside, no script."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from server.disputes.documents.html import data_address, templates
from server.formats import units
from server.reports.account import Report
from server.reports.drawings import chart_of, colours, left_of, map_of, signs

TEMPLATES = Path(__file__).with_name("templates")


def html_of(report: Report) -> bytes:
    """The file."""
    paint = colours(report)
    letters = signs(report)
    left = left_of(report, paint)
    text = (
        templates(TEMPLATES)
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

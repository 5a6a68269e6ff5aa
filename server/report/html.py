"""A battle report as one HTML file that needs nothing else: drawings and photos inside, no script."""

from __future__ import annotations

import base64
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from server import words
from server.report.account import Report
from server.report.drawings import armour_of, chart_of, colours, map_of


@lru_cache(maxsize=1)
def _environment() -> Environment:
    folder = Path(__file__).with_name("templates")
    return Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, newline_sequence="\n"
    )


def html_of(report: Report) -> bytes:
    """The file."""
    paint = colours(report)
    armour = armour_of(report, paint)
    text = (
        _environment()
        .get_template("report.html.jinja")
        .render(
            report=report,
            paint=paint,
            length=lambda inches: words.length(inches, digits=1),
            chart=Markup(chart_of(report, paint)),
            armour=None if armour is None else Markup(armour),
            chapters=[
                {"chapter": c, "map": Markup(map_of(c, paint)), "photo": address_of(c.photo)}
                for c in report.chapters
            ],
        )
    )
    return text.encode()


def address_of(photo: bytes | None) -> str | None:
    """A photo as an address that holds it."""
    return None if photo is None else f"data:image/jpeg;base64,{base64.b64encode(photo).decode('ascii')}"

"""The gunner's view as people ask for it: of a ruling, from a seat, in their unit."""

from __future__ import annotations

import re
from functools import partial
from typing import Literal

from engine.gunner import GunnerView, Seat, gunner_view, seat_of
from engine.gunner_svg import gunner_drawing
from engine.ruling import Check, Ruling
from engine.table import Standing, TableState
from server import words
from server.drawing import TERRAIN_COLOUR, colour_of, owners_of
from server.words import LengthUnit

SeatName = Literal["left", "right", "turret"]
SEAT_NAMES: dict[SeatName, Seat] = {"left": "left tyre", "right": "right tyre", "turret": "turret"}


def sight_check(ruling: Ruling) -> Check | None:
    """The check that asks for the line of sight; None if the book asks for none."""
    return next((c for c in ruling.checks if "sight" in c.name.casefold()), None)


def look_from(table: TableState, ruling: Ruling, seat: Seat | None = None) -> GunnerView:
    """From a seat of the shooter at the target; unless said, from the tyre where the line begins."""
    check = sight_check(ruling)
    line = None if check is None else check.witness.line
    chosen = seat or seat_of(table.find(ruling.subject), line)
    return gunner_view(table, ruling.subject, ruling.target, chosen)


def view_svg(table: TableState, ruling: Ruling, view: GunnerView, unit: LengthUnit = "in") -> str:
    """The view with the ruling's sight line and blockers, as SVG."""
    check = sight_check(ruling)
    owners = owners_of(table)

    def paint(standing: Standing) -> str:
        own = colour_of(standing, owners)
        return own if re.fullmatch(r"#[0-9a-fA-F]{6}", own) else TERRAIN_COLOUR

    drawing = gunner_drawing(
        table,
        view,
        paint=paint,
        line=None if check is None else check.witness.line,
        blocking=() if check is None else check.witness.blockers,
        say=partial(words.retold, unit=unit),
    )
    return drawing.text()

"""The gunner's view as people ask for it: of a ruling, from a seat, in their unit."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from engine.drawing.gunner import GunnerView, Seat, gunner_view, seat_of
from engine.drawing.gunner_svg import SIZE, gunner_drawing
from engine.errors import NotYet
from engine.ruling import Check, Ruling
from engine.space.table import Standing, TableState
from server.formats import units
from server.formats.units import LengthUnit
from server.pipeline.runner import Runner
from server.table.messages import MOST_PICKED, QuestionKey
from server.table.projection import TERRAIN_COLOUR, colour_of, owners_of
from server.table.questions.rulings import Rulings
from server.web.messages import Name, answers, refusals
from server.web.workers import costly

Picked = Annotated[list[Name], Query(min_length=1, max_length=MOST_PICKED)]
"""The pieces of a question in an address: `piece` so many times, the asking one first."""

SeatName = Literal["left", "right", "turret"]
SEAT_NAMES: dict[SeatName, Seat] = {"left": "left tyre", "right": "right tyre", "turret": "turret"}


def sight_check(ruling: Ruling) -> Check | None:
    """The check that asks for the line of sight; None if the book asks for none."""
    return next((c for c in ruling.checks if c.witness.shows == "sight"), None)


def look_from(table: TableState, ruling: Ruling, seat: Seat | None = None) -> GunnerView:
    """From a seat of the one piece at the other; unless said, from the tyre where the line begins."""
    check = sight_check(ruling)
    line = None if check is None else check.witness.line
    chosen = seat or seat_of(table.find(ruling.subject), line)
    return gunner_view(table, ruling.subject, ruling.target, chosen)


def view_svg(
    table: TableState,
    ruling: Ruling,
    view: GunnerView,
    unit: LengthUnit = "in",
    size: tuple[float, float] = SIZE,
) -> str:
    """The view with the ruling's sight line and blockers, as SVG of a size in pixels."""
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
        say=partial(units.retold, unit=unit),
        size=size,
    )
    return drawing.text()


def gunner_answer(
    table: TableState,
    rulings: Rulings,
    pieces: list[str],
    question: str | None,
    seat: SeatName | None,
    unit: LengthUnit,
    width: int,
) -> Response:
    """What the gunner of a table sees, so many pixels wide; 404 for a name that nobody knows."""
    asked = rulings.find([table.find(name).name for name in pieces], question)
    ruling = rulings.ask(asked, table)
    view = look_from(table, ruling, None if seat is None else SEAT_NAMES[seat])
    size = (float(width), max(width * SIZE[1] / SIZE[0], 0.8 * min(width, 480)))
    return Response(view_svg(table, ruling, view, unit, size), media_type="image/svg+xml")


def gunner_router(live: Runner, rulings: Rulings) -> APIRouter:
    """The gunner's view of the newest moment, for the page."""
    router = APIRouter(route_class=costly(lambda: live.snapshot.number))
    told = answers("The view", "image/svg+xml") | refusals({404: "No such name", 503: "Nothing seen yet"})

    @router.get("/api/gunner.svg", response_class=Response, responses=told)
    def gunner(
        piece: Picked,
        question: QuestionKey | None = None,
        seat: SeatName | None = None,
        unit: LengthUnit = "in",
        width: Annotated[int, Query(ge=240, le=1920)] = int(SIZE[0]),
    ) -> Response:
        """What the gunner sees of the target from a front tyre or the turret."""
        moment = live.moment
        if moment is None:
            raise NotYet(f"nothing has been seen yet: {live.snapshot.words}")
        return gunner_answer(moment.table, rulings, piece, question, seat, unit, width)

    return router

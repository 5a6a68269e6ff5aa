"""The page's step *Print*: what will be read from here, and one PDF for exactly what a player has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from calibration.prints.paper import Sheet
from calibration.prints.sheets import tag_sheets
from calibration.prints.strip import StripPrint, strip_sheet
from calibration.prints.table_sheet import FAMILY, Wanted, ids_for, sheet_title, table_prints
from server.setup.printing.advice import (
    measured_view,
    offered,
    proposed,
    reckoned_view,
    size_words,
    view_words,
)
from server.setup.printing.last_look import LastLook
from server.web.messages import ErrorBody, Model

Paper = Literal["letter", "a4"]
Count = Annotated[int, Field(ge=0, le=60)]
Feet = Annotated[float, Field(ge=0.5, le=30.0)]


class Have(Model):
    """What somebody says that they have. Feet, and a roof tag's black square in inches."""

    cars: Count = 6
    terrain: Count = 0
    spares: Count = 0
    holders: Count = 0
    corners: bool = True
    size_in: Annotated[float, Field(ge=0.4, le=6.0)] = 0.9
    paper: Paper = "letter"
    width_ft: Feet = 4.0
    depth_ft: Feet = 4.0

    @property
    def wanted(self) -> Wanted:
        """What the sheet holds. Raises `PrintError`."""
        return Wanted(
            self.cars, self.terrain, self.spares, self.holders, self.corners, roof_size=self.size_in
        )


class SizeView(Model):
    """A size of roof tag: pixels a module at the table's middle and far corner, and what comes of them."""

    size_in: float
    middle_px: float
    corner_px: float
    read: Literal["everywhere", "once named", "middle", "nowhere"]
    words: str


class PrintAdvice(Model):
    """What to print. Without a picture there are no `sizes` to compare, and nothing is proposed."""

    ids: str
    sizes: list[SizeView]
    proposed_in: float | None
    words: str


def print_router(look: Callable[[], LastLook]) -> APIRouter:
    """What the step asks for; `look` is what was seen last."""
    router = APIRouter()
    refused: dict[int | str, dict[str, Any]] = {422: {"model": ErrorBody, "description": "Cannot be printed"}}
    pdf: dict[int | str, dict[str, Any]] = {200: {"content": {"application/pdf": {}}, "description": "A PDF"}}

    @router.get("/api/setup/print", response_model=PrintAdvice, responses=refused)
    def advice(have: Annotated[Have, Query()]) -> PrintAdvice:
        """Which ids will be printed, and which sizes of roof tag will be read from this camera."""
        return advised(have, look())

    @router.get("/api/setup/print.pdf", response_class=Response, responses=refused | pdf)
    def sheet(have: Annotated[Have, Query()]) -> Response:
        """Corner tags, roof tags with ids that follow those on the table, spares and holders."""
        last = look()
        prints = table_prints(have.wanted, last.table, _seen(last))
        made = tag_sheets(prints, sheet_title(have.wanted), Sheet(have.paper))
        named = {"content-disposition": 'inline; filename="tableref-tags.pdf"', "cache-control": "no-store"}
        return Response(made, media_type="application/pdf", headers=named)

    @router.get("/api/setup/strip.pdf", response_class=Response, responses=pdf)
    def strip(paper: Paper = "letter") -> Response:
        """A check strip: two tags, and marks to measure between."""
        named = {"content-disposition": 'inline; filename="tableref-strip.pdf"', "cache-control": "no-store"}
        return Response(strip_sheet(StripPrint(), paper), media_type="application/pdf", headers=named)

    return router


def advised(have: Have, last: LastLook) -> PrintAdvice:
    """What the page says of a sheet before it is printed."""
    ids = ids_for(have.wanted, last.table, _seen(last)).words
    if last.frame is None:
        return PrintAdvice(ids=ids, sizes=[], proposed_in=None, words="Once there is a picture.")
    if last.found is None:
        view = reckoned_view(last.frame.size, (12 * have.width_ft, 12 * have.depth_ft))
    else:
        view = measured_view(*last.found)
    found = offered(view)
    best = proposed(found)
    sizes = [
        SizeView(
            size_in=one.size,
            middle_px=round(one.middle, 2),
            corner_px=round(one.corner, 2),
            read=one.verdict,
            words=size_words(one),
        )
        for one in found
    ]
    return PrintAdvice(ids=ids, sizes=sizes, proposed_in=best.size, words=view_words(view, best))


def _seen(last: LastLook) -> list[int]:
    """Tags in view that nobody has named are printed already, too."""
    return [d.tag for d in last.detections if d.family == FAMILY]

"""What the set-up page asks for while an outline is fitted over the picture, tapped in it, or found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from calibration.tablefile import TableFile
from engine.errors import NotThere
from server.setup.cameras.sourcing import only_here
from server.setup.fitting import fit_messages as messages
from server.setup.fitting.mat import MatOutline
from server.setup.fitting.outline import OutlineFits
from server.setup.fitting.seen_size import FirstSights
from server.setup.fitting.tapped import TappedOutlines
from server.setup.printing.last_look import LastLook
from server.web.messages import answers, refusals

T = TypeVar("T")


def fit_router(
    look: Callable[[], LastLook], change: Callable[[Callable[[TableFile], str]], None]
) -> APIRouter:
    """Fitting outlines. `look` is what was seen last, `change` writes the table file's new text."""
    router, fits, taps, mat, sights = (
        APIRouter(),
        OutlineFits(),
        TappedOutlines(),
        MatOutline(),
        FirstSights(),
    )
    refused = refusals({403: "Not from here", 409: "Cannot be fitted so"})
    nothing = refusals({404: "No picture"}) | answers("A picture", "image/jpeg")

    def answered(request: Request, do: Callable[[], T]) -> T:
        only_here(request)
        return do()

    @router.post("/api/setup/outline", response_model=messages.OutlineView, responses=refused)
    def begin(request: Request, asked: messages.FitOutline) -> messages.OutlineView:
        """A piece's outline over the picture that was looked at last."""
        return answered(request, lambda: fits.begin(asked.name, look()))

    @router.get("/api/setup/outline.jpg", response_class=Response, responses=nothing)
    def picture(number: Annotated[int, Query(alias="look", ge=0)]) -> Response:
        """The picture under an outline."""
        return jpeg_or(fits.picture(number), "this outline is not being fitted any more")

    @router.post("/api/setup/outline/find", response_model=messages.EdgesView, responses=refused)
    def find(request: Request, asked: messages.FitOutline) -> messages.EdgesView:
        """Where the camera sees the piece end, to begin with; nothing is written."""
        return answered(request, lambda: fits.find(asked.name))

    @router.post("/api/setup/outline/keep", response_model=messages.FitOutline, responses=refused)
    def keep(request: Request, asked: messages.KeepOutline) -> messages.FitOutline:
        """Writes the outline as it was fitted; answers whose it is."""
        answered(request, lambda: change(lambda table: fits.text(asked, table)))
        return messages.FitOutline(name=asked.name)

    @router.post("/api/setup/tapped", response_model=messages.TapView, responses=refused)
    def begin_tapping(request: Request, asked: messages.FitOutline) -> messages.TapView:
        """The picture in which the outline of a piece that is no car is tapped, corner by corner."""
        return answered(request, lambda: taps.begin(asked.name, look()))

    @router.get("/api/setup/tapped.jpg", response_class=Response, responses=nothing)
    def tapped_picture(number: Annotated[int, Query(alias="look", ge=0)]) -> Response:
        """The picture under the corners."""
        return jpeg_or(taps.picture(number), "this outline is not being tapped any more")

    @router.post("/api/setup/tapped/check", response_model=messages.TappedView, responses=refused)
    def check(request: Request, asked: messages.TapOutline) -> messages.TappedView:
        """What the tapped corners make; nothing is written."""
        return answered(request, lambda: taps.check(asked))

    @router.post("/api/setup/tapped/keep", response_model=messages.FitOutline, responses=refused)
    def keep_tapped(request: Request, asked: messages.TapOutline) -> messages.FitOutline:
        """Writes the outline as it was tapped; answers whose it is."""
        answered(request, lambda: change(lambda table: taps.text(asked, table)))
        return messages.FitOutline(name=asked.name)

    @router.post("/api/setup/seen", response_model=messages.SightView, responses=refused)
    def see(request: Request, asked: messages.LookAtTag) -> messages.SightView:
        """How large a piece is that nobody has named, and which models that fits; nothing is written."""
        return answered(request, lambda: sights.look(asked, look()))

    @router.get("/api/setup/seen.jpg", response_class=Response, responses=nothing)
    def seen_picture(number: Annotated[int, Query(alias="look", ge=0)]) -> Response:
        """The picture in which a piece was seen."""
        return jpeg_or(sights.picture(number), "this tag has been looked at anew")

    @router.post("/api/setup/seen/model", response_model=messages.ModelTried, responses=refused)
    def try_model(request: Request, asked: messages.TryModel) -> messages.ModelTried:
        """A model over the picture in which the piece was seen; nothing is written."""
        return answered(request, lambda: sights.tried(asked))

    @router.post("/api/setup/mat", response_model=messages.MatView, responses=refused)
    def find_mat(request: Request) -> messages.MatView:
        """Where the mat ends, to be taken as the table's outline; nothing is written."""
        return answered(request, lambda: mat.find(look()))

    @router.post("/api/setup/mat/keep", response_model=messages.MatView, responses=refused)
    def keep_mat(request: Request) -> messages.MatView:
        """Writes the edge that was found last as the table's outline."""
        answered(request, lambda: change(mat.text))
        return messages.MatView(outline=[], words="", may_take=False)

    return router


def jpeg_or(data: bytes | None, gone: str) -> Response:
    """A picture; where it is not kept any more, why."""
    if data is None:
        raise NotThere(gone)
    return Response(data, media_type="image/jpeg", headers={"cache-control": "no-store"})

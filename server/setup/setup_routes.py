"""The set-up page, and what it asks for; only the machine itself may change anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Request
from fastapi import Path as PathPart
from fastapi.responses import Response

from calibration.bundle.doubts import Judged
from calibration.kept_check import with_check
from calibration.tablefile import TableFile
from calibration.watching.keeper import contradiction_words
from server.setup import setup_messages as messages
from server.setup.board_place import board_router
from server.setup.cameras.sourcing import only_here
from server.setup.fitting.fit_messages import MeasurePiece
from server.setup.fitting.fit_routes import fit_router, jpeg_or
from server.setup.printing.last_look import LastLook
from server.setup.printing.print_routes import print_router
from server.setup.proving.check_messages import DoCheck, ProofView
from server.setup.proving.check_watch import CheckWatch
from server.setup.settling.settling_routes import settling_router
from server.setup.table_setup import TableSetup
from server.web.authentication import owner_is_here
from server.web.messages import answers, refusals
from server.web.pages import add_pages


def check_step_router(
    look: Callable[[], LastLook],
    change: Callable[[Callable[[TableFile], str]], None],
    judged: Callable[[], Judged | None],
) -> APIRouter:
    """The step Check. `look` is what was seen last, `change` writes the table file's new text.

    `judged` says how well what is stated fits what is seen.
    """
    router, watch = APIRouter(), CheckWatch()
    refused = refusals({403: "Not from here", 409: "Cannot be checked now"})

    @router.get("/api/setup/check", response_model=ProofView)
    def state(request: Request) -> ProofView:
        """The check that is being made, or the one that is kept with the table."""
        return watch.view(look(), owner_is_here(request))

    @router.post("/api/setup/check", response_model=ProofView, responses=refused)
    def do(request: Request, asked: DoCheck) -> ProofView:
        """Begins a check, looks at the newest picture, takes the strip's length, or stops."""
        only_here(request)
        if asked.how == "begin":
            watch.begin(look())
        elif asked.how == "stop":
            watch.stop()
        elif asked.how == "length":
            watch.strip_is(asked.length_in)
        else:
            fits = judged()
            done = watch.look(look(), () if fits is None else contradiction_words(fits))
            if done is not None:
                change(lambda table: with_check(table.text, done))
        return watch.view(look(), True)

    return router


# The page

T = TypeVar("T")

UNSEEN = "nothing has been looked at yet, or the tag is not seen"


def setup_router(setup: TableSetup) -> APIRouter:
    """`/setup` and what it asks for."""
    router = APIRouter()
    router.include_router(print_router(setup.last))
    router.include_router(settling_router(setup))
    router.include_router(fit_router(setup.last, setup.change))
    router.include_router(board_router(setup.last, setup.change))
    router.include_router(check_step_router(setup.last, setup.change, lambda: setup.judged))
    refused = refusals({403: "Not from here", 409: "Cannot be set up so"})
    nothing = refusals({404: "No picture"}) | answers("A picture", "image/jpeg")

    def done(request: Request, do: Callable[[T], None], asked: T) -> messages.SetupView:
        only_here(request)
        do(asked)
        return setup.look(True)

    add_pages(router, "setup")

    @router.get("/api/setup", response_model=messages.SetupView)
    def look(request: Request) -> messages.SetupView:
        """Looks at the newest picture: which tags there are, the table's outline, what to do next."""
        return setup.look(owner_is_here(request))

    @router.get("/api/setup/picture.jpg", response_class=Response, responses=nothing)
    def picture() -> Response:
        """The picture that was looked at last."""
        return jpeg_or(setup.picture(), UNSEEN)

    @router.get("/api/setup/tag/{tag}.jpg", response_class=Response, responses=nothing)
    def crop(tag: Annotated[int, PathPart(ge=0, le=100_000)]) -> Response:
        """The picture round one tag."""
        return jpeg_or(setup.crop(tag), UNSEEN)

    @router.post("/api/setup/surface", response_model=messages.SetupView, responses=refused)
    def surface(request: Request, asked: messages.KeepSurface) -> messages.SetupView:
        """Keeps the table as it is outlined."""
        return done(request, setup.keep_surface, asked)

    @router.post("/api/setup/corners", response_model=messages.SetupView, responses=refused)
    def corners(request: Request, asked: messages.ChooseCorners) -> messages.SetupView:
        """Says which tags are the corners, where they are not 0 to 3."""
        return done(request, setup.choose_corners, asked)

    @router.post("/api/setup/rectangle", response_model=messages.SetupView, responses=refused)
    def rectangle(request: Request, asked: messages.MoveCorner) -> messages.SetupView:
        """Moves a corner of the table's rectangle."""
        return done(request, setup.move_corner, asked)

    @router.post("/api/setup/sheet", response_model=messages.SetupView, responses=refused)
    def sheet(request: Request, asked: messages.TakeSheet) -> messages.SetupView:
        """Takes the printer's scale from a sheet of paper in view."""
        return done(request, setup.take_sheet, asked)

    @router.post("/api/setup/length", response_model=messages.SetupView, responses=refused)
    def length(request: Request, asked: messages.KnownLength) -> messages.SetupView:
        """Takes a length that somebody measured."""
        return done(request, setup.known_length, asked)

    @router.post("/api/setup/piece", response_model=messages.SetupView, responses=refused)
    def piece(request: Request, asked: messages.NamePiece) -> messages.SetupView:
        """Says what carries a tag."""
        return done(request, setup.name_piece, asked)

    @router.post("/api/setup/drop", response_model=messages.SetupView, responses=refused)
    def drop(request: Request, asked: messages.DropPiece) -> messages.SetupView:
        """Takes a piece out of the table file."""
        return done(request, setup.drop_piece, asked.name)

    @router.post("/api/setup/measure", response_model=messages.SetupView, responses=refused)
    def measure(request: Request, asked: MeasurePiece) -> messages.SetupView:
        """Measures how a piece's tag sits on it, while people put it on the corner tags."""
        return done(request, setup.measure_piece, asked)

    @router.post("/api/setup/table", response_model=messages.SetupView, responses=refused)
    def table(request: Request, asked: messages.ChooseTable) -> messages.SetupView:
        """Goes on with another kept table, a new one or a copy."""
        return done(request, setup.choose_table, asked)

    return router

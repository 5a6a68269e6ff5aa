"""The page's server: what is served, asked and told over HTTP and WebSocket."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Any, cast

from fastapi import APIRouter, FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Scope

from engine.errors import NotYet, TableRefError
from engine.words import listed
from server.disputes.desk import Desk
from server.disputes.frame_buffer import FrameBuffer
from server.disputes.routes import disputes_router
from server.disputes.views import Teller
from server.formats.units import LengthUnit
from server.pipeline.json_records import fit_record
from server.pipeline.runner import Runner
from server.setup.calibrating import LensSession, calibrating
from server.setup.cameras.phone import PhoneCameras
from server.table.connection import MAX_VIEWERS, Audience, TableConnection
from server.table.messages import (
    MOST_PICKED,
    Health,
    QuestionKey,
    QuestionView,
    State,
    View,
)
from server.table.projection import space_for
from server.table.questions.gunner_view import Picked, gunner_router
from server.table.questions.question_log import QuestionLog
from server.table.questions.ruling_messages import RulingView
from server.table.questions.ruling_view import question_view, ruling_view, surer_words
from server.table.questions.rulings import Rulings
from server.table.state import Wish, whole_state
from server.table.tour import TOUR, tour_router
from server.table.viewer import Subscriber, jpeg_of
from server.web.authentication import ROLES, Authenticator, may, open_to_all, who_asks
from server.web.joining import joining
from server.web.messages import ErrorBody, Name, refusals
from server.web.middleware import Guard, TurnedAway
from server.web.pages import add_pages, mount_statics, page
from server.web.websockets import Places
from server.web.workers import BUSY_ANSWER, Workers, costly

log = logging.getLogger("tableref.app")

AnyPicked = Annotated[Sequence[Name], Query(max_length=MOST_PICKED)]
"""The pieces that questions are about, or none."""


def create_app(
    live: Runner,
    rulings: Rulings,
    routers: Sequence[APIRouter] = (),
    authenticator: Authenticator | None = None,
    desk: Desk | None = None,
) -> FastAPI:
    """The server of one table, with further pages. Whoever makes it also starts and stops `live`.

    Without `authenticator` it has links that nobody knows: only this machine gets in. `desk` is where its
    disputes are settled.
    """
    authenticator = authenticator or Authenticator()
    desk = desk or Desk(live, rulings, FrameBuffer())
    app = FastAPI(
        title="tableref",
        summary="A referee for tabletop car combat",
        version="1",
        openapi_url=None,
        responses={code: {"model": ErrorBody} for code in (400, 409, 422)},
    )
    app.state.workers = Workers()
    app.add_middleware(cast(Any, Guard), turn_away=_turn_away, authenticator=authenticator)
    _answer_errors(app)
    add_pages(app.router, "index", "camera", "overlay", "calibrate")
    mount_statics(app)
    _add_description(app)
    _add_questions(app, live, rulings)
    connections = TableConnections(live, rulings, desk)
    app.add_api_websocket_route("/ws", connections.serve)
    app.add_api_websocket_route("/ws/camera", PhoneCameras(live).serve)
    for router in (
        joining(authenticator),
        calibrating(LensSession(live)),
        gunner_router(live, rulings),
        disputes_router(desk),
        *routers,
    ):
        app.include_router(router)
    if not any(isinstance(r, APIRoute) and r.path == TOUR for router in routers for r in router.routes):
        app.include_router(tour_router())
    return app


# Errors, in one place


def _error(status: int, words: str) -> JSONResponse:
    return JSONResponse(ErrorBody(error=words).model_dump(), status_code=status)


def _turn_away(scope: Scope, turned: TurnedAway) -> ASGIApp:
    """Whoever opens a page is shown how to come in; whoever asks for data is told in JSON."""
    accepts = Headers(scope=scope).get("accept", "")
    if turned.status_code == 401 and "text/html" in accepts:
        return page("join", 401)
    return _error(turned.status_code, turned.detail)


def _answer_errors(app: FastAPI) -> None:
    @app.exception_handler(TableRefError)
    async def _refused(_: Request, error: TableRefError) -> JSONResponse:
        return _error(error.status, str(error))

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        said = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        return _error(422, said)

    @app.exception_handler(HTTPException)
    async def _http(_: Request, error: HTTPException) -> JSONResponse:
        answer = _error(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def _broken(_: Request, error: Exception) -> JSONResponse:
        log.error("a request failed", exc_info=error)
        return _error(500, "the server failed at this; see its log")


# What may be asked


def _add_description(app: FastAPI) -> None:
    """What may be asked, as OpenAPI: worked out once, and written once for all who ask."""

    @cache
    def written() -> bytes:
        described = app.openapi()
        _add_who_may(described["paths"])
        return json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()

    @app.get("/openapi.json", include_in_schema=False)
    def described() -> Response:
        return Response(written(), media_type="application/json")


def _add_who_may(paths: Mapping[str, Mapping[str, Any]]) -> None:
    """Add to what each path answers what the guard before all of them refuses, by `authentication.may`."""
    schema = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorBody.__name__}"}}}
    for path, methods in paths.items():
        if open_to_all(path):
            continue
        for method, operation in methods.items():
            theirs = [role for role in ROLES if may(role, method.upper(), path)]
            refused = {"401": "No secret of this table"}
            if len(theirs) < len(ROLES):
                refused["403"] = f"For {listed(theirs)} only"
            for status, words in refused.items():
                operation["responses"].setdefault(status, {"description": words, "content": schema})


# Questions over HTTP


def _add_questions(app: FastAPI, live: Runner, rulings: Rulings) -> None:
    not_yet = refusals({503: "Nothing seen yet"})
    unknown = refusals({404: "No such name"})
    made = APIRouter(route_class=costly(lambda: live.snapshot.number), responses=BUSY_ANSWER)

    @app.get("/healthz", response_model=Health)
    async def health() -> Health:
        """Whether the referee runs, and whether the stated table fits what is seen."""
        # On the loop itself: it is answered also where every thread waits for something.
        snapshot = live.snapshot
        good = snapshot.state in ("starting", "running", "ended")
        judged = None if snapshot.moment is None else snapshot.moment.judged
        fit = {} if judged is None else fit_record(judged)
        other = snapshot.moment is not None and snapshot.moment.another
        return Health(
            ok=good,
            state=snapshot.state,
            words=snapshot.words,
            fps=round(snapshot.fps, 1),
            another_camera=other,
            **fit,
        )

    @made.get("/api/state", response_model=State)
    def state(view: View = "table", unit: LengthUnit = "in") -> State:
        """Everything that a page would be told."""
        return whole_state(live, rulings, live.snapshot, Wish(view=view, unit=unit))

    @made.get("/api/questions", response_model=list[QuestionView])
    def questions(piece: AnyPicked = (), unit: LengthUnit = "in") -> list[QuestionView]:
        """What may be asked of these pieces, the usual question first."""
        return [question_view(q, unit) for q in rulings.questions(piece)]

    @made.get("/api/ruling", response_model=RulingView, responses=not_yet | unknown)
    def ruling(
        piece: Picked,
        question: QuestionKey | None = None,
        unit: LengthUnit = "in",
        view: View = "table",
    ) -> RulingView:
        """The answer to a question, from the newest moment."""
        snapshot = live.snapshot
        if snapshot.moment is None:
            raise NotYet(f"nothing has been seen yet: {snapshot.words}")
        table = snapshot.moment.table
        asked = rulings.find([table.find(name).name for name in piece], question)
        answer = rulings.ask(asked, table)
        surer = surer_words(rulings, asked, answer, table, snapshot.moment.gains, unit)
        return ruling_view(table, answer, asked, space_for(snapshot.moment, view), unit, surer)

    @made.get(
        "/api/picture.jpg",
        response_class=Response,
        responses={200: {"content": {"image/jpeg": {}}, "description": "The newest frame"}, **not_yet},
    )
    def picture() -> Response:
        """The newest frame of the camera."""
        snapshot = live.snapshot
        if snapshot.moment is None:
            raise NotYet(f"nothing has been seen yet: {snapshot.words}")
        return Response(jpeg_of(snapshot.moment.frame), media_type="image/jpeg")

    app.include_router(made)


# The live connection


class TableConnections:
    """All pages that look at one table."""

    def __init__(self, live: Runner, rulings: Rulings, desk: Desk) -> None:
        self._live = live
        self._rulings = rulings
        self._desk = desk
        self._disputes = Teller(desk)
        self._audience = Audience(live, rulings)
        self._places = Places(MAX_VIEWERS)
        self._asked = QuestionLog(rulings, live)

    async def serve(self, socket: WebSocket) -> None:
        """One page, from its opening to its closing."""
        if not self._places.take(who_asks(socket).role):
            await socket.close(1013, "as many pages look at this table as may at once")
            return
        try:
            await socket.accept()
            who = who_asks(socket)
            viewer = Subscriber(
                self._live,
                self._rulings,
                partial(self._disputes.view, who),
                self._audience.broadcast,
                lambda: self._desk.open is not None,
            )
            await TableConnection(socket, viewer, self._asked, who, self._audience).run()
        finally:
            self._places.free()

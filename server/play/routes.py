"""The pages of the game, and the connections of those who look at it."""

from __future__ import annotations

import asyncio
import logging

from fastapi import APIRouter, WebSocket
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from calibration.prints.cards import play_cards_pdf
from calibration.prints.paper import Sheet, document
from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.registry import STUMBLES
from engine.game.showing import Viewer
from server.play.drafts import previews
from server.play.host import MatchHost
from server.play.messages import Act, Answer, GuideNews, GuideView, PlayState, Request, from_player
from server.play.paper import blank_cards, blank_sheets, cards_title, counters_part, sheets_pdf, unowned
from server.play.view import Scene
from server.table.gate import asked_about, sheets_told, told
from server.web.authentication import Identity, who_asks
from server.web.messages import ErrorBody
from server.web.middleware import Bucket
from server.web.pages import page
from server.web.websockets import News, Places, heard, misunderstood, until_gone
from server.web.workers import BUSY_ANSWER, costly

log = logging.getLogger("tableref.play")

MAX_VIEWERS = 32
MAX_TEXT = 32 * 1024
"""Characters of one message: a set-up of sixty cars has a third of that."""

MESSAGES_A_SECOND = 15
TICK = 1.0
"""Seconds after which a connection looks for news even if nobody woke it."""

PAUSE = 0.1
"""Seconds between two tellings: ten a second are enough for a growing path."""


def play_router(scene: Scene) -> APIRouter:
    """The page of the game, the shared screen, the record sheets on paper, and `/ws/play`."""
    router = APIRouter()
    connections = PlayConnections(scene)

    @router.get("/play", include_in_schema=False)
    async def play_page() -> HTMLResponse:
        return page("play")

    @router.get("/screen", include_in_schema=False)
    async def screen_page() -> HTMLResponse:
        return page("screen")

    printing = APIRouter(route_class=costly(lambda: scene.host.number), responses=BUSY_ANSWER)

    @printing.get(
        "/api/play/sheets.pdf",
        response_class=Response,
        responses={200: {"content": {"application/pdf": {}}, "description": "Record sheets to print"}},
    )
    def printed() -> Response:
        """The record sheets as they stand, or empty ones while the game is set up."""
        return Response(sheets_of(scene.host), media_type="application/pdf")

    @printing.get(
        "/api/play/counters.pdf",
        response_class=Response,
        responses={
            200: {"content": {"application/pdf": {}}, "description": "Counters to cut out"},
            422: {"model": ErrorBody, "description": "The game brings none"},
        },
    )
    def cut_out() -> Response:
        """The counters that the game brings, to the scale of the board that is played on."""
        return Response(counters_of(scene.host), media_type="application/pdf")

    router.include_router(printing)
    router.add_api_websocket_route("/ws/play", connections.serve)
    return router


def counters_of(host: MatchHost) -> bytes:
    """The counters of the game that is played, as a PDF. Raises `PrintError` where it brings none."""
    match, board = host.match, host.seeing.board()
    if match is not None:
        board = match.game.board(match.state, board)
    return document([counters_part(host.game.about, board, Sheet())[0]])


def sheets_of(host: MatchHost) -> bytes:
    """What the game that is played is played from on paper, as a PDF: its cards, else its record sheets.

    Before it begins the cards are those of the pieces as they are set up, and the sheets are empty.
    """
    match = host.match
    if match is None:
        cards = previews(host.game, host.draft) or blank_cards(host.game, unowned(host.game.about, 6))
    else:
        cards = sheets_told(match, match.game.cards(match.state))
    if cards:
        return play_cards_pdf(cards, cards_title(host.game), Sheet())
    if match is not None:
        told = sheets_told(match, match.game.sheets(match.state, Viewer()))
        return sheets_pdf(told, per_page=match.game.about.sheets_per_page)
    about = host.game.about
    names = [p.name for p in host.draft.pieces] or unowned(about, 6)
    return sheets_pdf(blank_sheets(host.game, names), per_page=about.sheets_per_page, blank=True)


class PlayConnections:
    """All pages that look at one game."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._places = Places(MAX_VIEWERS)

    async def serve(self, socket: WebSocket) -> None:
        """One page, from its opening to its closing."""
        if not self._places.take(who_asks(socket).role):
            await socket.close(1013, "as many pages look at this game as may at once")
            return
        try:
            await socket.accept()
            await PlayConnection(socket, self._scene, who_asks(socket)).run()
        finally:
            self._places.free()


class PlayConnection:
    """One page: listens to it and tells it the news, each in its own task."""

    def __init__(self, socket: WebSocket, scene: Scene, who: Identity) -> None:
        self._socket = socket
        self._scene = scene
        self._who = who
        self._news = News()
        self._sending = asyncio.Lock()
        self._bucket = Bucket(MESSAGES_A_SECOND, 4 * MESSAGES_A_SECOND, scene.live.clock)

    async def run(self) -> None:
        """Until the page goes away."""
        unwatch = [self._scene.host.watch(self._news.wake), self._scene.live.watch(self._news.wake)]
        try:
            await until_gone(self._tell(), self._listen())
        finally:
            for stop in unwatch:
                stop()

    async def _tell(self) -> None:
        known: tuple[int, int, str | None] | None = None
        guided: GuideView | None = None
        while True:
            await self._news.wait(TICK)
            version = await asyncio.to_thread(self._scene.version)
            guide = await asyncio.to_thread(self._scene.guide)
            if version != known:
                known = version
                state = await asyncio.to_thread(self._scene.state, self._who)
                guided = state.guide
                await self._send(state)
            elif guide != guided:
                guided = guide
                await self._send(GuideNews(guide=guide))
            await asyncio.sleep(PAUSE)

    async def _listen(self) -> None:
        async for text in heard(self._socket, self._bucket, MAX_TEXT):
            await self._send(*await asyncio.to_thread(self._answer, text))

    def _answer(self, text: str) -> tuple[Answer, Question | None]:
        """The answer to a request, and what it is about: what may be measured now may be read in it."""
        try:
            request = from_player.validate_json(text)
        except ValidationError as error:
            return Answer(key="", accepted=False, error=misunderstood(error)[1]), None
        try:
            return self._scene.host.ask(self._who, request), self._about(request)
        except TableRefError as error:
            return Answer(key=request.key, accepted=False, error=str(error)), None
        except STUMBLES:
            # One request that breaks the engine must not end the evening.
            log.exception("a request failed: %s", text[:400])
            failed = "The server failed at this; see its log."
            return Answer(key=request.key, accepted=False, error=failed), None

    def _about(self, request: Request) -> Question | None:
        """What an act of somebody rests on, where it is theirs to read."""
        if not isinstance(request, Act) or not self._scene.host.may_do(self._who, request.player):
            return None
        pieces = [said for said in request.data.values() if isinstance(said, str)]
        return asked_about(self._scene.host.match, request.kind, pieces)

    async def _send(self, message: PlayState | GuideNews | Answer, about: Question | None = None) -> None:
        guide = None if isinstance(message, Answer) else message.guide
        mover = guide is not None and self._scene.host.may_do(self._who, guide.player)
        text = told(message, self._scene.host.match, about, mover=mover)
        async with self._sending:
            await self._socket.send_text(text)

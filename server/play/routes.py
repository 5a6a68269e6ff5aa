"""The pages of the game, and the connections of those who look at it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from fastapi import APIRouter, Request, WebSocket
from fastapi.responses import Response
from pydantic import ValidationError

from calibration.prints.cards import play_cards_pdf
from calibration.prints.paper import Sheet, document, usual_paper
from engine.errors import TableRefError
from engine.game.answering import stumbled
from engine.game.contract import Question
from engine.game.registry import STUMBLES
from engine.game.showing import Viewer
from server.formats.units import LengthUnit
from server.play.coaching import Coach, CoachView, What
from server.play.drafts import previews
from server.play.host import MatchHost
from server.play.messages import Act, Answer, GuideNews, GuideView, from_player
from server.play.messages import Request as Asked
from server.play.paper import (
    blank_cards,
    blank_sheets,
    cards_title,
    counters_part,
    set_up_sheets,
    sheets_pdf,
    unowned,
)
from server.play.thinking import Thinker
from server.play.view import SharedView
from server.table.gate import as_sent, asked_about, sheets_told
from server.web.authentication import Identity, who_asks
from server.web.messages import answers, refusals
from server.web.middleware import Bucket, Buckets
from server.web.pages import add_pages
from server.web.websockets import News, Places, Shared, heard, misunderstood, until_gone
from server.web.workers import BUSY_ANSWER, Workers, costly

log = logging.getLogger("tableref.play")

MAX_VIEWERS = 32
MAX_TEXT = 32 * 1024
"""Characters of one message: a set-up of sixty cars has a third of that."""

MESSAGES_A_SECOND = 15
TICK = 1.0
"""Seconds after which a connection looks for news even if nobody woke it."""

ASKED_AT_ONCE, TOLD_AT_ONCE = 9, 3
"""Threads that ask the match, and that work out what is told of it.

The match does one thing at a time, but what waits for the disk waits together.
"""

T = TypeVar("T")

PAUSE = 0.1
"""Seconds between two tellings: ten a second are enough for a growing path."""


def play_router(scene: SharedView, thinker: Thinker | None = None) -> APIRouter:
    """The page of the game, the shared screen, record sheets on paper, the coach, and `/ws/play`."""
    router = APIRouter()
    connections = PlayConnections(scene)

    add_pages(router, "play", "screen")
    printing = APIRouter(route_class=costly(lambda: scene.host.number), responses=BUSY_ANSWER)

    @printing.get(
        "/api/play/sheets.pdf",
        response_class=Response,
        responses=answers("Record sheets to print", "application/pdf"),
    )
    def printed() -> Response:
        """The record sheets as they stand, or empty ones while the game is set up."""
        return Response(sheets_of(scene.host), media_type="application/pdf")

    @printing.get(
        "/api/play/counters.pdf",
        response_class=Response,
        responses=answers("Counters to cut out", "application/pdf") | refusals({422: "The game brings none"}),
    )
    def cut_out() -> Response:
        """The counters that the game brings, to the scale of the board that is played on."""
        return Response(counters_of(scene.host), media_type="application/pdf")

    router.include_router(printing)
    _add_coach(router, scene, Coach(scene.host, thinker or Thinker()))
    router.add_api_websocket_route("/ws/play", connections.serve)
    return router


def _add_coach(router: APIRouter, scene: SharedView, coach: Coach) -> None:
    # What one is told is nobody else's.
    asking = APIRouter(
        route_class=costly(lambda: scene.live.snapshot.number, own=True), responses=BUSY_ANSWER
    )
    refused = refusals(
        {
            403: "The coach is off, or whoever asks only looks on",
            409: "The book hides distances, or no game is on",
        }
    )

    @asking.get("/api/play/coach", response_model=CoachView, responses=refused)
    def coached(request: Request, what: What = "can", unit: LengthUnit = "in", number: int = 0) -> CoachView:
        """What whoever's turn it is can do, or what somebody could have done instead of their last deed.

        Where the players allow it. `number` is the game's, so that no older answer is taken for this one.
        """
        del number
        return coach.answer(who_asks(request), what, unit)

    router.include_router(asking)


def counters_of(host: MatchHost) -> bytes:
    """The counters of the game that is played, as a PDF. Raises `PrintError` where it brings none."""
    match, board = host.match, host.seeing.board()
    if match is not None:
        board = match.game.board(match.state, board)
    return document([counters_part(host.game.about, board, Sheet(usual_paper()))[0]])


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
        return play_cards_pdf(cards, cards_title(host.game), Sheet(usual_paper()))
    if match is not None:
        told = sheets_told(match, match.game.sheets(match.state, Viewer()))
        return sheets_pdf(told, usual_paper(), per_page=match.game.about.sheets_per_page)
    about = host.game.about
    sheets = set_up_sheets(host.game, host.draft) if host.draft.pieces else None
    if sheets is None:
        sheets = blank_sheets(host.game, [p.name for p in host.draft.pieces] or unowned(about, 6))
    return sheets_pdf(sheets, usual_paper(), per_page=about.sheets_per_page, blank=True)


class Audience:
    """What the pages of one game share: threads to ask and be told by, and how often each may ask."""

    def __init__(self, scene: SharedView) -> None:
        self.scene = scene
        # Threads of their own: whatever a game or a disk holds up here, the table's pages are told.
        self._asking = ThreadPoolExecutor(ASKED_AT_ONCE, thread_name_prefix="tableref-asks")
        self._telling = ThreadPoolExecutor(TOLD_AT_ONCE, thread_name_prefix="tableref-tells")
        self._turns = Workers(ASKED_AT_ONCE, waiting=2 * MAX_VIEWERS, each=MAX_VIEWERS, owners=1)
        self._shared = Shared(self._telling)
        self._buckets = Buckets(MESSAGES_A_SECOND, 4 * MESSAGES_A_SECOND, scene.live.clock)

    def bucket(self, who: Identity) -> Bucket:
        """How often a device may say something, by all its pages together; on this machine each by itself."""
        return self._buckets.of(who if who.device else object())

    async def asked(self, who: Identity, work: Callable[[], T]) -> T:
        """What comes of a request: the owner's first, then those of each device in turn."""
        loop = asyncio.get_running_loop()
        return await self._turns.make(object(), lambda: loop.run_in_executor(self._asking, work), who)

    async def told(self, key: Hashable, work: Callable[[], T]) -> T:
        """What is to be told, worked out once for all that want the same."""
        return await self._shared.do(key, work)

    async def written(self, work: Callable[[], T]) -> T:
        """A message as it leaves."""
        return await asyncio.get_running_loop().run_in_executor(self._telling, work)


class PlayConnections:
    """All pages that look at one game."""

    def __init__(self, scene: SharedView) -> None:
        self._audience = Audience(scene)
        self._places = Places(MAX_VIEWERS)

    async def serve(self, socket: WebSocket) -> None:
        """One page, from its opening to its closing."""
        if not self._places.take(who_asks(socket).role):
            await socket.close(1013, "as many pages look at this game as may at once")
            return
        try:
            await socket.accept()
            await PlayConnection(socket, self._audience, who_asks(socket)).run()
        finally:
            self._places.free()


class PlayConnection:
    """One page: listens to it and tells it the news, each in its own task."""

    def __init__(self, socket: WebSocket, audience: Audience, who: Identity) -> None:
        self._socket = socket
        self._audience = audience
        self._scene = audience.scene
        self._who = who
        self._news = News()
        self._sending = asyncio.Lock()
        self._bucket = audience.bucket(who)

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
            version, guide = await self._audience.told("news", self._looked)
            if version != known:
                known = version
                viewer = (self._who.role, self._scene.host.player_of(self._who), version)
                text, guided = await self._audience.told(viewer, partial(self._scene.sent, self._who))
                await self._send_text(text)
            elif guide != guided:
                guided = guide
                await self._send(GuideNews(guide=guide))
            await asyncio.sleep(PAUSE)

    async def _listen(self) -> None:
        async for text in heard(self._socket, self._bucket, MAX_TEXT):
            await self._send(*await self._audience.asked(self._who, partial(self._answer, text)))

    def _looked(self) -> tuple[tuple[int, int, str | None], GuideView | None]:
        return self._scene.version(), self._scene.guide()

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
        except STUMBLES as error:
            # One request that breaks the engine must not end the evening.
            log.exception("a request failed: %s", text[:400])
            theirs = stumbled(self._scene.host.game, error)
            failed = theirs or "The server failed at this; see its log."
            return Answer(key=request.key, accepted=False, error=failed), None

    def _about(self, request: Asked) -> Question | None:
        """What an act of somebody rests on, where it is theirs to read."""
        if not isinstance(request, Act) or not self._scene.host.may_do(self._who, request.player):
            return None
        pieces = [said for said in request.data.values() if isinstance(said, str)]
        return asked_about(self._scene.host.match, request.kind, pieces)

    async def _send(self, message: GuideNews | Answer, about: Question | None = None) -> None:
        guide = None if isinstance(message, Answer) else message.guide
        mover = guide is not None and self._scene.host.may_do(self._who, guide.player)
        match = self._scene.host.match
        # What is hidden is the game's to say: not on the loop.
        await self._send_text(
            await self._audience.written(partial(as_sent, message, match, about, mover=mover))
        )

    async def _send_text(self, text: str) -> None:
        async with self._sending:
            await self._socket.send_text(text)

"""The library of games on the page: what there is, each game played again, any question asked of it."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request, Response, WebSocket
from fastapi.responses import FileResponse
from pydantic import TypeAdapter
from starlette.background import BackgroundTask

from engine.errors import NotThere, ShapeError, TableRefError
from engine.game.contract import Question
from engine.game.records import to_json
from engine.game.showing import Viewer
from engine.ruling import Ruling
from engine.space.table import Standing, TableState
from server.disputes.recorded.archive_routes import kept_router
from server.exports.forms import ExportName, export, file_name
from server.formats import units
from server.formats.units import LengthUnit
from server.play.moving.ghosts import written
from server.recording.library.games import Library, UnknownGame
from server.recording.library.search import AT_ONCE, Wanted
from server.recording.reader import Reader
from server.replay.coaching import CoachMoment, coach_view
from server.replay.playback import FRAMES_A_SECOND, Playback, RecordedFrame
from server.replay.shelf import OpenGame, Shelf, ShelfView
from server.replay.timeline import MarkKind, Tick
from server.table import gate, messages
from server.table.connection import MAX_VIEWERS, TableConnection
from server.table.questions.gunner_view import Picked, SeatName, gunner_answer
from server.table.questions.question_log import QuestionLog
from server.table.questions.ruling_messages import VerdictWord
from server.table.questions.ruling_view import HEADLINES, reasons
from server.table.questions.rulings import Rulings
from server.table.viewer import Subscriber
from server.web.authentication import who_asks
from server.web.messages import Model, Name, answers, refusals
from server.web.pages import add_pages
from server.web.websockets import Places
from server.web.workers import BUSY_ANSWER, Workers, costly
from vision.frame import Frame, JpegFrame

MOST_GAMES = 200
"""Games that are told at once."""

UNKNOWN = refusals({404: "No such game"})
TAKEN = refusals({409: "Being recorded"})

Searched = Annotated[str, Query(max_length=200)]


class Games(Model):
    """A part of the library, newest first."""

    games: list[ShelfView]
    total: int
    """How many there are of those that were asked for."""
    first: int
    """The number of the first of these among them, from 0 on."""
    library: str | None
    """Where it lies; for the owner alone."""
    may_change: bool
    """Whether whoever asks may export and delete."""


def library_router(shelf: Shelf) -> APIRouter:
    """The list of games."""
    router = APIRouter()
    # Each is told as who asks may know it.
    made = APIRouter(route_class=costly(own=True), responses=BUSY_ANSWER)
    library = shelf.library

    add_pages(router, "replay")

    @made.get("/api/games", response_model=Games)
    def games(
        request: Request,
        words: Searched = "",
        player: Searched = "",
        game: Searched = "",
        place: Searched = "",
        since: datetime | None = None,
        until: datetime | None = None,
        first: Annotated[int, Query(ge=0, le=10**9)] = 0,
        count: Annotated[int, Query(ge=1, le=MOST_GAMES)] = AT_ONCE,
    ) -> Games:
        """A page of the library, the newest first; of those games that are wanted (`search.Wanted`)."""
        mine = who_asks(request).role == "owner"
        found = library.search(Wanted(words, player, game, place, since, until), first, count)
        return Games(
            games=[shelf.view(g) for g in found.games],
            total=found.total,
            first=found.first,
            library=library.words if mine else None,
            may_change=mine,
        )

    @router.delete("/api/games/{id}", response_model=Games, responses=UNKNOWN | TAKEN)
    def delete(request: Request, id: Name) -> Games:
        """Deletes a game with its pictures and video, and tells what is left; the owner alone may."""
        if not library.has(id):
            raise UnknownGame(f"no game {id!r} is in the library; its whole id is wanted here")
        library.delete(id)
        shelf.forget(id)
        return games(request)

    router.include_router(made)
    return router


# One game

log = logging.getLogger("tableref.replay")

T = TypeVar("T")

MOST_MARKS = 5000
MOST_ENTRIES = 500

LYING = ("token", "cell", "current")
"""The roles of marks that say what lies or stands on the table."""

EXPORTS_READY = 4
"""Exported games that wait to be fetched; the oldest goes when another one is wanted."""


class TimelineMarkView(Model):
    """A place on the timeline that people look for."""

    number: int
    at_s: float
    kind: MarkKind
    words: str
    verdict: str | None


class GameLine(Model):
    """A game with its timeline."""

    game: ShelfView
    marks: list[TimelineMarkView]


class MatchThen(Model):
    """A match as it stood from `since_s` to `until_s`; without `status` none was on."""

    since_s: float
    until_s: float | None
    """Null: to the end of what is recorded."""
    status: dict[str, Any] | None
    sheets: list[dict[str, Any]]
    colours: dict[str, str]
    """Of the players."""
    owners: dict[str, str]
    """Whose each piece is, by its name in small letters without spaces."""
    marks: list[dict[str, Any]]
    """What the game has on the table besides the pieces: counters, terrain, drivers on foot."""


class EntryView(Model):
    """One entry of the record, in words."""

    number: int
    at_s: float
    time_words: str
    kind: str
    mark: MarkKind | None
    words: str
    actor: str | None


class Exported(Model):
    """A file that waits to be fetched, once."""

    address: str
    name: str


class ReplaySightView(Model):
    """An answer about two pieces, in a line."""

    pieces: list[str]
    verdict: VerdictWord
    headline: str
    words: str
    blockers: list[str]


class Sights(Model):
    """What a piece could do to its opponents at one time, and they to it."""

    piece: str
    label: str
    at_s: float
    sees: list[ReplaySightView]
    seen_by: list[ReplaySightView]


def mark_view(tick: Tick) -> TimelineMarkView:
    """A mark for the page."""
    assert tick.mark is not None
    return TimelineMarkView(
        number=tick.number,
        at_s=units.moment(tick.at_s),
        kind=tick.mark,
        words=tick.words,
        verdict=tick.verdict,
    )


def entry_view(tick: Tick) -> EntryView:
    """An entry for the page."""
    return EntryView(
        number=tick.number,
        at_s=units.moment(tick.at_s),
        time_words=units.clock(tick.at_s),
        kind=tick.kind,
        mark=tick.mark,
        words=tick.told,
        actor=tick.actor,
    )


def match_then(one: OpenGame, at_s: float) -> MatchThen:
    """The match at a time; where the book hides distances and it is still on, without them."""
    found, until = one.history.at(at_s)
    status, sheets, marks = None, [], []
    if found.game is not None:
        status = written(to_json(found.game.status(found.state, Viewer())))
        sheets = written(to_json(found.game.sheets(found.state, Viewer())))
        # What is measured on the table, as a line of fire, is asked of a moment and no part of the match.
        laid = [mark for mark in found.game.marks(found.state, None, Viewer()) if mark.role in LYING]
        marks = written(to_json(laid))
        if one.timeline.hides:
            status, sheets, marks = map(gate.measured_out, (status, sheets, marks))
    return MatchThen(
        since_s=found.at_s, until_s=until, status=status, sheets=sheets, colours=dict(found.colours),
        owners=dict(found.owners), marks=marks,
    )  # fmt: skip


# Who could see whom


def sights(table: TableState, rulings: Rulings, piece: str, which: str | None, unit: LengthUnit) -> Sights:
    """The answer about this piece and each opponent, and about each opponent and it."""
    one = table.find(piece)
    pairs = list(rulings.opponents(table))

    def told(pair: tuple[Standing, Standing]) -> ReplaySightView:
        question, ruling = rulings.answer(table, [s.name for s in pair], which)
        return sight_view(ruling, question, unit)

    return Sights(
        piece=one.name,
        label=rulings.find([one.name], which).label,
        at_s=table.time,
        sees=[told(pair) for pair in pairs if pair[0].name == one.name],
        seen_by=[told(pair) for pair in pairs if pair[1].name == one.name],
    )


def sight_view(ruling: Ruling, question: Question, unit: LengthUnit) -> ReplaySightView:
    """A ruling in one line: its range if it is a yes, else what stands against it."""
    blockers = list(dict.fromkeys(name for c in ruling.checks for name in c.witness.blockers))
    reach = (units.retold(c.words, unit) for c in ruling.checks if c.witness.shows == "range")
    return ReplaySightView(
        pieces=list(question.pieces),
        verdict=ruling.verdict.value,
        headline=HEADLINES[ruling.verdict],
        words=reasons(ruling, unit) or next(reach, ""),
        blockers=blockers,
    )


def pictures_of(reader: Reader) -> Callable[[float], Frame | None]:
    """The camera's picture at any time: of the video, else the still that was taken nearby."""

    def frame_at(at_s: float) -> Frame | None:
        image = reader.frame_at(at_s)
        if image is not None:
            return Frame(image, at_s, 0)
        jpeg = reader.still_near(at_s)
        try:
            return None if jpeg is None else JpegFrame(jpeg, at_s, 0)
        except ShapeError:
            # A power cut has torn it.
            return None

    return frame_at


# The connection


class Replay(TableConnection):
    """One page that plays a recorded game."""

    hears: TypeAdapter[Any] = messages.from_replay

    def __init__(self, socket: WebSocket, viewer: Subscriber, playback: Playback, workers: Workers) -> None:
        super().__init__(socket, viewer, QuestionLog(), who_asks(socket))
        self._playback, self._workers = playback, workers

    async def _made(self, work: Callable[[], T]) -> T:
        """What is read from the record: beside the loop, in the turn of whoever looks."""
        return await self._workers.make(object(), lambda: asyncio.to_thread(work), self._who)

    async def _newest(self) -> messages.State | messages.StateChange | None:
        return await self._made(self._viewer.news)

    async def _pictured(self, frame: Frame) -> bytes:
        assert isinstance(frame, RecordedFrame)
        return await self._made(frame.packed)

    def _keep_what_stood(self) -> None:
        """What is asked of a record is not kept."""

    def _todo(self) -> list[Coroutine[Any, Any, None]]:
        return [*super()._todo(), self._beat()]

    async def _beat(self) -> None:
        """While the game plays there is news with every picture."""
        was = False
        while True:
            await asyncio.sleep(1 / FRAMES_A_SECOND)
            playing = self._playback.playing
            if playing or was:
                self._news.wake()
            was = playing

    def _do(self, message: Model) -> messages.Refused | None:
        match message:
            case messages.SeekPlayback(at_s=at_s):
                self._playback.seek(at_s)
            case messages.PlayBack(rate=rate):
                self._playback.play(rate)
            case messages.StepPlayback(by=by, forward=forward):
                self._playback.step(by, forward)
            case _:
                return super()._do(message)
        return None


def replay_router(library: Library, live: Rulings, clock: Callable[[], float]) -> APIRouter:
    """The library of games and their replay."""
    router = APIRouter()
    shelf = Shelf(library, live)
    router.include_router(library_router(shelf))
    _add_exports(router, library)
    made = APIRouter(route_class=costly(), responses=BUSY_ANSWER)
    _add_questions(made, shelf)
    _add_coach(made, shelf)
    _add_gunner(made, shelf)
    router.include_router(made)
    _add_tape(router, shelf, clock)
    router.include_router(kept_router(library, shelf.hides))
    return router


class Exports:
    """Files that wait to be fetched, each once; what nobody fetches goes with the program."""

    def __init__(self) -> None:
        self._ready: dict[str, Path] = {}
        weakref.finalize(self, _discard, self._ready)

    def write(self, library: Library, id: str, to: ExportName) -> Exported:
        """Write a game to a file in a folder of its own; raises `TableRefError`, and nothing is left."""
        folder = Path(tempfile.mkdtemp(prefix="tableref-export-"))
        try:
            name = file_name(library, id, to)
            export(library, id, to, folder / name)
        except TableRefError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        while len(self._ready) >= EXPORTS_READY:
            shutil.rmtree(self._ready.pop(next(iter(self._ready))).parent, ignore_errors=True)
        token = secrets.token_urlsafe(12)
        self._ready[token] = folder / name
        return Exported(address=f"/api/exports/{token}/{name}", name=name)

    def take(self, token: str) -> Path | None:
        """Give a file away, with its folder; None where it was taken or never written."""
        return self._ready.pop(token, None)


def _discard(ready: dict[str, Path]) -> None:
    for path in ready.values():
        shutil.rmtree(path.parent, ignore_errors=True)


def _add_exports(router: APIRouter, library: Library) -> None:
    nothing = refusals({409: "Not kept"})
    exports = Exports()

    @router.post("/api/exports/{id}", response_model=Exported, responses=UNKNOWN | nothing)
    def make(id: Name, to: ExportName) -> Exported:
        """Writes a game to a file, to be fetched once; the owner alone may."""
        return exports.write(library, id, to)

    @router.get("/api/exports/{token}/{name}", response_class=FileResponse, responses=UNKNOWN)
    def fetch(token: Name, name: Name) -> FileResponse:
        """The file that was written."""
        path = exports.take(token)
        if path is None:
            raise NotThere(f"{name} has been fetched already, or was never written: export it again")
        gone = BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True)
        return FileResponse(path, filename=path.name, background=gone)


def _add_questions(router: APIRouter, shelf: Shelf) -> None:
    @router.get("/api/games/{id}", response_model=GameLine, responses=UNKNOWN)
    def game(id: Name) -> GameLine:
        """A game with the turns, rulings, disputes and gaps on its timeline."""
        marks = shelf.opened(id).timeline.marks[-MOST_MARKS:]
        return GameLine(game=shelf.view(shelf.library.game(id)), marks=[mark_view(t) for t in marks])

    @router.get("/api/games/{id}/entries", response_model=list[EntryView], responses=UNKNOWN)
    def entries(
        id: Name,
        after: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = MOST_ENTRIES,
    ) -> list[EntryView]:
        """The entries after a number, in order."""
        return [entry_view(tick) for tick in shelf.opened(id).timeline.after(after)[:limit]]

    @router.get("/api/games/{id}/match", response_model=MatchThen, responses=UNKNOWN)
    def match(id: Name, t: Annotated[float, Query(ge=0, le=1e7)]) -> MatchThen:
        """Where the match stood at a time of the game, as anybody at the table could know it."""
        return match_then(shelf.opened(id), t)

    @router.get("/api/games/{id}/sights", response_model=Sights, responses=UNKNOWN)
    def who_sees(
        id: Name,
        t: Annotated[float, Query(ge=0, le=1e7)],
        piece: Name,
        question: messages.QuestionKey | None = None,
        unit: LengthUnit = "in",
    ) -> Sights:
        """What a piece could do to its opponents, and they to it, at any time of a game."""
        one = shelf.opened(id)
        table = one.table_at(t)
        return sights(table, one.rulings(lambda: t), piece, question, unit)


def _add_coach(router: APIRouter, shelf: Shelf) -> None:
    not_now = refusals({409: "Not told now"})

    @router.get("/api/games/{id}/coach", response_model=CoachMoment, responses=UNKNOWN | not_now)
    def coach(id: Name, t: Annotated[float, Query(ge=0, le=1e7)], unit: LengthUnit = "in") -> CoachMoment:
        """What whoever had to act at a time of a game could have done, beside what they did."""
        return coach_view(shelf.opened(id), t, unit)


def _add_gunner(router: APIRouter, shelf: Shelf) -> None:
    svg = answers("The view", "image/svg+xml")

    @router.get("/api/games/{id}/gunner.svg", response_class=Response, responses=svg | UNKNOWN)
    def gunner(
        id: Name,
        t: Annotated[float, Query(ge=0, le=1e7)],
        piece: Picked,
        question: messages.QuestionKey | None = None,
        seat: SeatName | None = None,
        unit: LengthUnit = "in",
        width: Annotated[int, Query(ge=240, le=1920)] = 960,
    ) -> Response:
        """What the gunner saw of the target from a front tyre or the turret, at any time of a game."""
        one = shelf.opened(id)
        rulings = one.rulings(lambda: t)
        return gunner_answer(one.table_at(t), rulings, piece, question, seat, unit, width)


def _add_tape(router: APIRouter, shelf: Shelf, clock: Callable[[], float]) -> None:
    places = Places(MAX_VIEWERS)
    workers = Workers(waiting=2 * MAX_VIEWERS, each=MAX_VIEWERS, resting=("player", "spectator"))

    @router.websocket("/ws/replay")
    async def replay(socket: WebSocket, game: str) -> None:
        if not places.take(who_asks(socket).role):
            await socket.close(1013, "as many pages look at recorded games as may at once")
            return
        await socket.accept()
        try:
            one = await asyncio.to_thread(shelf.game, game)
            name = f"the record of {one.reader.game.name}"
            pictures = pictures_of(one.reader)
            playback = Playback(name, one, one.timeline, pictures, clock, one.refresh)
            viewer = Subscriber(playback, one.rulings(lambda: playback.at_s))
            await Replay(socket, viewer, playback, workers).run()
        except TableRefError as error:
            with suppress(RuntimeError):
                # What went wrong may name folders of this computer.
                log.info("a recorded game cannot be shown: %s", error)
                await socket.close(1008, "no game of that id can be shown")
        finally:
            places.free()

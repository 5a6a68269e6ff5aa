"""The connection of one page that looks at a table: what it says, and what it is told."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import WebSocket
from pydantic import TypeAdapter, ValidationError

from engine.errors import TableRefError
from engine.space.geometry import Pose
from server.table import messages
from server.table.questions.question_log import QuestionLog
from server.table.questions.rulings import Rulings
from server.table.state import Broadcast, Watched
from server.table.viewer import Subscriber, Unprepared, as_json, jpeg_of, numbered
from server.web.authentication import Identity, Role
from server.web.messages import Model
from server.web.middleware import Bucket, Buckets
from server.web.websockets import Bell, News, Shared, heard, misunderstood, until_gone
from server.web.workers import Busy, Workers
from vision.frame import Frame

MAX_VIEWERS = 80
"""Pages that may look at one table."""

MAX_TEXT = 4096
"""Characters of one message from a page; none needs more than a few hundred."""

MESSAGES_A_SECOND = 120
WISHES_A_SECOND: dict[Role, float] = {"owner": 30.0, "player": 6.0, "spectator": 2.0}
"""How often a device may pick something else to be told, with all its pages together; the newest counts."""

WATCHED_A_SECOND = 10.0
"""The same of all spectators together."""

TICK = 1.0
"""Seconds after which a connection looks for news even if nobody woke it."""

TOLD_A_SECOND = 200.0
"""Messages a second for each core to all spectators together: more would hold up the reading of the tags."""

PICTURE = 3.0
"""Messages that one with the camera's picture counts as."""

FEW_PAGES, TOLD_A_DEVICE = 2, 15.0
"""Pages of one device that are told of every frame; with more of them, messages a second to all together."""

FEW = 8.0
"""Messages at once that are no matter."""


class Audience:
    """What the connections of one table share: what is told, who is woken, what is worked out."""

    def __init__(self, live: Watched, rulings: Rulings) -> None:
        self.broadcast = Broadcast(live, rulings)
        self.bell = Bell(live.watch, self.pause)
        self.shared = Shared()
        self._pictured: tuple[Frame, bytes] | None = None
        self._spectators: set[Subscriber] = set()
        self._all = Bucket(WATCHED_A_SECOND, 4 * WATCHED_A_SECOND, live.clock)
        self._each = {role: Buckets(rate, 4 * rate, live.clock) for role, rate in WISHES_A_SECOND.items()}
        self._pages: Counter[Identity] = Counter()
        self._keeping = Workers()
        self._kept: set[asyncio.Task[None]] = set()

    @contextmanager
    def here(self, who: Identity) -> Iterator[None]:
        """Counts the pages of a device."""
        self._pages[who] += 1
        try:
            yield
        finally:
            self._pages -= Counter([who])

    def rests(self, who: Identity) -> float:
        """Seconds that a page waits after each message: those of one device share what few would be told."""
        pages = self._pages[who] if who.device else 0
        return pages / TOLD_A_DEVICE if pages > FEW_PAGES else 0.0

    def bucket(self, who: Identity) -> Bucket:
        """How often a device may wish something else."""
        return self._each.get(who.role, self._each["spectator"]).of(who)

    def may_wish(self, who: Identity, bucket: Bucket) -> bool:
        """Whether a device may wish something else now."""
        return bucket.pass_one() and (who.role != "spectator" or self._all.pass_one())

    def keep(self, who: Identity, work: Callable[[], None]) -> None:
        """Keeps something beside the telling, which does not wait for it; left out where too much waits."""

        async def kept() -> None:
            with suppress(Busy):
                await self._keeping.make(object(), lambda: asyncio.to_thread(work), who)

        task = asyncio.create_task(kept())
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)

    @contextmanager
    def woken(self, viewer: Subscriber, news: News, role: Role) -> Iterator[None]:
        """Wakes a connection when there is news, as long as it lasts; many who only look on more seldom."""
        looks_on = role == "spectator"
        if looks_on:
            self._spectators.add(viewer)
        try:
            with self.bell.wakes(news, seldom=looks_on):
                yield
        finally:
            self._spectators.discard(viewer)

    def pause(self) -> float:
        """Seconds between two messages to each spectator; none where they are few."""
        cost = sum(PICTURE if v.wish.view == "picture" else 1.0 for v in self._spectators)
        return cost / (TOLD_A_SECOND * (os.cpu_count() or 1)) if cost > FEW else 0.0

    async def picture(self, frame: Frame) -> bytes:
        """A frame as JPEG, packed once."""
        known = self._pictured
        if known is None or known[0] is not frame:
            known = self._pictured = frame, await self.shared.do(frame, partial(jpeg_of, frame))
        return known[1]


class TableConnection:
    """One page: listens to it and tells it the news, each in its own task."""

    hears: TypeAdapter[Any] = messages.from_page

    def __init__(
        self,
        socket: WebSocket,
        viewer: Subscriber,
        asked: QuestionLog,
        who: Identity | None = None,
        audience: Audience | None = None,
    ) -> None:
        self._socket = socket
        self._who = who or Identity("owner")
        self._role = self._who.role
        self._viewer = viewer
        self._asked = asked
        self._audience = audience or Audience(viewer.live, viewer.rulings)
        self._follows = False
        self._news = News()
        self._bucket = Bucket(MESSAGES_A_SECOND, 2 * MESSAGES_A_SECOND, viewer.live.clock)
        self._wishes = self._audience.bucket(self._who)
        self._wished: dict[type[Model], Model] = {}

    async def run(self) -> None:
        """Until the page goes away."""
        with (
            self._audience.woken(self._viewer, self._news, self._role),
            self._audience.here(self._who),
        ):
            await until_gone(*self._todo())

    def _todo(self) -> list[Coroutine[Any, Any, None]]:
        return [self._tell(), self._listen()]

    async def _tell(self) -> None:
        while True:
            await self._news.wait(TICK)
            while self._wished and self._audience.may_wish(self._who, self._wishes):
                await asyncio.to_thread(self._do, self._wished.pop(next(iter(self._wished))))
            self._keep_what_stood()
            if not self._viewer.ready:
                continue
            if self._follows:
                self._look_along()
            message = await self._newest()
            if message is None:
                continue
            await self._socket.send_text(self._viewer.text_for(message))
            frame = self._viewer.picture_of(message)
            if frame is not None:
                await self._socket.send_bytes(numbered(message, await self._pictured(frame)))
            if rests := self._audience.rests(self._who):
                await asyncio.sleep(rests)

    def _keep_what_stood(self) -> None:
        live = self._viewer.live
        stood = self._asked.stood(self._who, live.clock())
        moment = live.snapshot.moment
        if stood is not None and moment is not None:
            self._audience.keep(self._who, partial(self._asked.ask, stood, moment.table, self._role))

    async def _newest(self) -> messages.State | messages.StateChange | None:
        """The news, worked out beside the loop by the first connection that has this wish."""
        viewer = self._viewer
        snapshot = viewer.live.snapshot
        if not viewer.prepared(snapshot):
            await self._audience.shared.do((snapshot, viewer.wish), partial(viewer.prepare, snapshot))
        try:
            return viewer.news(snapshot, made=True)
        except Unprepared:
            # A dispute is told to each on their own, and a turn or a match may have gone on just now.
            return await asyncio.to_thread(viewer.news, snapshot)

    async def _pictured(self, frame: Frame) -> bytes:
        """A frame as JPEG."""
        return await self._audience.picture(frame)

    def _look_along(self) -> None:
        """Asks what was asked last on any page."""
        last, viewer = self._asked.newest, self._viewer
        viewer.wish = replace(viewer.wish, pieces=tuple(last.pieces), question=last.question)

    async def _listen(self) -> None:
        async for text in heard(self._socket, self._bucket, MAX_TEXT):
            try:
                message = self.hears.validate_json(text)
            except ValidationError as error:
                message, (where, said) = None, misunderstood(error)
                refused: messages.Refused | None = messages.Refused(about=where, error=said)
            else:
                # What waits to be taken up is looked at with the next frame.
                waits = bool(self._wished)
                refused = await self._heed(message)
                if (
                    isinstance(message, messages.Drawn)
                    and self._role == "spectator"
                    and self._audience.pause()
                ):
                    # All who only look on are told together, and of the same change: that is worked out once.
                    continue
            if refused is not None:
                await self._socket.send_text(as_json(refused))
            if not (isinstance(message, messages.Show | messages.Select) and waits):
                self._news.come()

    async def _heed(self, message: Model) -> messages.Refused | None:
        if isinstance(message, messages.Drawn):
            # Sixty pages say so thirty times a second: no thread is asked.
            self._viewer.drew(message.number)
            return None
        if isinstance(message, messages.Show | messages.Select):
            # Taken up by the telling, the newest of each, as often as this device may.
            self._wished[type(message)] = message
            return None
        if isinstance(message, messages.Follow):
            self._wished.pop(messages.Select, None)
        return await asyncio.to_thread(self._do, message)

    def _handle(
        self, message: messages.PutPiece | messages.LiftPiece | messages.LayHand
    ) -> messages.Refused | None:
        """What a hand does at a simulated table."""
        if self._role not in ("owner", "player"):
            return messages.Refused(about="move", error="Spectators cannot move pieces.")
        live = self._viewer.live
        try:
            match message:
                case messages.PutPiece(piece=piece, x=x, y=y, heading=heading):
                    live.move(piece, Pose(x, y, heading))
                case messages.LiftPiece(piece=piece):
                    live.lift(piece)
                case messages.LayHand(at=at):
                    live.lay_hand(at)
        except TableRefError as error:
            return messages.Refused(about="move", error=str(error))
        return None

    def _do(self, message: Model) -> messages.Refused | None:
        """Does one thing that the page asked for."""
        viewer = self._viewer
        match message:
            case messages.Show(view=view, unit=unit):
                viewer.wish = replace(viewer.wish, view=view, unit=unit)
            case messages.Select(pieces=pieces, question=question):
                viewer.wish = replace(viewer.wish, pieces=tuple(pieces), question=question)
                self._follows = False
                if self._role in ("owner", "player"):
                    moment, now = viewer.live.snapshot.moment, viewer.live.clock()
                    self._asked.pick(message, None if moment is None else moment.table, self._who, now)
            case messages.Follow():
                self._follows = True
            case messages.PutPiece() | messages.LiftPiece() | messages.LayHand():
                return self._handle(message)
        return None

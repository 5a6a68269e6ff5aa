"""The connection of one page that looks at a table: what it says, and what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from fastapi import WebSocket
from pydantic import TypeAdapter, ValidationError

from engine.errors import TableRefError
from engine.space.geometry import Pose
from server.table.messages import Drawn, Follow, PutPiece, Refused, Select, Show, from_page
from server.table.question_log import QuestionLog
from server.table.viewer import Viewer, as_json
from server.web.authentication import Role
from server.web.messages import Model
from server.web.middleware import Bucket
from server.web.websockets import News, heard, misunderstood, until_gone

MAX_VIEWERS = 32
"""Pages that may look at one table."""

MAX_TEXT = 4096
"""Characters of one message from a page; none needs more than a few hundred."""

MESSAGES_A_SECOND = 120
TICK = 1.0
"""Seconds after which a connection looks for news even if nobody woke it."""


class TableConnection:
    """One page: listens to it and tells it the news, each in its own task."""

    hears: TypeAdapter[Any] = from_page

    def __init__(self, socket: WebSocket, viewer: Viewer, asked: QuestionLog, role: Role = "owner") -> None:
        self._socket = socket
        self._role = role
        self._viewer = viewer
        self._asked = asked
        self._follows = False
        self._news = News()
        self._bucket = Bucket(MESSAGES_A_SECOND, 2 * MESSAGES_A_SECOND, viewer.live.clock)

    async def run(self) -> None:
        """Until the page goes away."""
        unwatch = self._viewer.live.watch(self._news.wake)
        try:
            await until_gone(*self._todo())
        finally:
            unwatch()

    def _todo(self) -> list[Coroutine[Any, Any, None]]:
        return [self._tell(), self._listen()]

    async def _tell(self) -> None:
        while True:
            await self._news.wait(TICK)
            if not self._viewer.ready:
                continue
            if self._follows:
                self._look_along()
            message = await asyncio.to_thread(self._viewer.news)
            if message is None:
                continue
            picture = await asyncio.to_thread(self._viewer.picture_for, message)
            await self._socket.send_text(as_json(message))
            if picture is not None:
                await self._socket.send_bytes(picture)

    def _look_along(self) -> None:
        """Asks what was asked last on any page."""
        last, viewer = self._asked.newest, self._viewer
        viewer.wish = replace(viewer.wish, pieces=tuple(last.pieces), question=last.question)

    async def _listen(self) -> None:
        async for text in heard(self._socket, self._bucket, MAX_TEXT):
            refused = await asyncio.to_thread(self._act, text)
            if refused is not None:
                await self._socket.send_text(as_json(refused))
            self._news.wake()

    def _act(self, text: str) -> Refused | None:
        """Does what a message asks; what cannot be done is answered with the reason."""
        try:
            message = self.hears.validate_json(text)
        except ValidationError as error:
            where, said = misunderstood(error)
            return Refused(about=where, error=said)
        return self._do(message)

    def _do(self, message: Model) -> Refused | None:
        """Does one thing that the page asked for."""
        viewer = self._viewer
        match message:
            case Drawn(number=number):
                viewer.drew(number)
            case Show(view=view, unit=unit):
                viewer.wish = replace(viewer.wish, view=view, unit=unit)
            case Select(pieces=pieces, question=question):
                viewer.wish = replace(viewer.wish, pieces=tuple(pieces), question=question)
                self._follows = False
                if self._role in ("owner", "player"):
                    moment = viewer.live.snapshot.moment
                    self._asked.ask(message, None if moment is None else moment.table, self._role)
            case Follow():
                self._follows = True
            case PutPiece() if self._role not in ("owner", "player"):
                return Refused(about="move", error="Spectators cannot move pieces.")
            case PutPiece(piece=piece, x=x, y=y, heading=heading):
                try:
                    viewer.live.move(piece, Pose(x, y, heading))
                except TableRefError as error:
                    return Refused(about="move", error=str(error))
        return None

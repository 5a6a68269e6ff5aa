"""A phone's browser as the camera: takes its pictures and answers with what the referee sees in them."""

from __future__ import annotations

import asyncio
import logging
import struct

import simplejpeg
from fastapi import WebSocket, WebSocketDisconnect

from server.pipeline.runner import Runner, Snapshot
from server.table.messages import Taken
from server.web.middleware import Bucket

log = logging.getLogger("tableref.phone")

MAX_PICTURE = 4 * 1024 * 1024
"""Bytes of one picture; a good 1080p JPEG has a tenth of that."""

MAX_PIXELS = 16_000_000
PICTURES_A_SECOND = 60

HEADER = struct.Struct(">II")
"""A picture's number, and its age in milliseconds when it was sent."""

LONGEST_MESSAGE = 2 * MAX_PICTURE
"""Bytes at which a message is cut off unread. A little above what is taken: whoever sends only
somewhat too much is told why by an orderly close, which a cut-off connection does not arrive at."""


def jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height that a JPEG claims, without decoding it; None if it is none.

    A few bytes can claim a picture that fills the memory, so this is asked first.
    """
    try:
        # By the decoder itself: what another reader takes for the size may not be what is decoded.
        height, width, *_ = simplejpeg.decode_jpeg_header(data)
    except ValueError:
        return None
    return int(width), int(height)


class PhoneCameras:
    """Lets one phone at a time be the camera."""

    def __init__(self, live: Runner) -> None:
        self._live = live
        self._taken = False

    async def serve(self, socket: WebSocket) -> None:
        """One phone, from its first picture to its last."""
        await socket.accept()
        if self._live.source.fed is None:
            said = f"This table is watched by {self._live.source.name}. Start tableref with --source phone."
            await self._turn_away(socket, said)
        elif self._taken:
            await self._turn_away(socket, "Another phone is the camera already. Close its camera page first.")
        else:
            self._taken = True
            try:
                await self._take_pictures(socket)
            except (WebSocketDisconnect, RuntimeError, OSError):
                log.debug("the phone went away", exc_info=True)
            finally:
                self._taken = False

    async def _turn_away(self, socket: WebSocket, why: str) -> None:
        await socket.send_text(_answer(0, False, why))
        await socket.close(1013)

    async def _take_pictures(self, socket: WebSocket) -> None:
        bucket = Bucket(PICTURES_A_SECOND, 2 * PICTURES_A_SECOND, self._live.clock)
        while True:
            received = await socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            data = received.get("bytes")
            if data is None or len(data) <= HEADER.size:
                await socket.close(1003, "expected pictures as binary messages")
                return
            if len(data) > HEADER.size + MAX_PICTURE:
                await socket.close(1009, f"expected pictures of at most {MAX_PICTURE} bytes")
                return
            if not bucket.pass_one():
                await socket.close(1008, "too many pictures at once")
                return
            number, age = HEADER.unpack_from(data)
            good = await asyncio.to_thread(self._push, data[HEADER.size :], age / 1000)
            await socket.send_text(_answer(number, good, self.words(good)))

    def _push(self, picture: bytes, delay: float) -> bool:
        size = jpeg_size(picture)
        fed = self._live.source.fed
        if fed is None or size is None or not 0 < size[0] * size[1] <= MAX_PIXELS:
            return False
        return fed.push(picture, min(delay, 10.0))

    def words(self, good: bool = True) -> str:
        """What whoever aims the phone should know."""
        if not good:
            return "That picture was damaged or too large; send JPEGs of at most 16 megapixels."
        return aim_words(self._live.snapshot)


def aim_words(snapshot: Snapshot) -> str:
    """Whether the table is in sight and what stands on it."""
    moment = snapshot.moment
    if moment is None:
        return snapshot.words
    if moment.surface is None:
        return (
            "The table is not found yet: get all its corner tags into the picture, sharp and without glare."
        )
    cars = [s for s in moment.table.standings if s.piece.driven]
    return " ".join([f"The table is found, with {len(cars)} cars on it.", *snapshot.notices])


def _answer(number: int, good: bool, words: str) -> str:
    return Taken(number=number, good=good, words=words).model_dump_json()

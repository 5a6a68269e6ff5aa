"""WebSocket connections: parsing messages, rate limits, and tasks that end with the connection."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from server.web.authentication import Role
from server.web.middleware import Bucket

log = logging.getLogger("tableref.attending")


class Places:
    """Places for pages, some of which are kept for players, and some for the owner.

    >>> places = Places(4, players=1, owner=1)
    >>> [places.take("spectator") for _ in range(3)], places.take("player"), places.take("player")
    ([True, True, False], True, False)
    >>> places.take("owner"), places.take("owner")
    (True, False)
    """

    def __init__(self, most: int, *, players: int = 8, owner: int = 4) -> None:
        self.most = most
        self._for: dict[Role, int] = {"owner": most, "player": most - owner, "camera": most - owner}
        self._others = most - owner - players
        self._taken = 0

    def take(self, role: Role) -> bool:
        """Whether there is a place for this role; it is taken then."""
        if self._taken >= self._for.get(role, self._others):
            return False
        self._taken += 1
        return True

    def free(self) -> None:
        """Gives a place back."""
        self._taken -= 1


class News:
    """What a connection waits for; there is some at first. Made in the loop that waits."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._event.set()
        self._loop = asyncio.get_running_loop()

    def wake(self) -> None:
        """There is news; from any thread."""
        # The loop may be closing while another thread still has something to say.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float) -> None:
        """Until there is news, or so many seconds have passed."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)
        self._event.clear()


async def until_gone(*parts: Coroutine[Any, Any, None]) -> None:
    """Runs the parts until one of them ends, then ends the others.

    A page that went away is no error, and neither is a server that stops: nobody is left to tell.
    """
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    except (WebSocketDisconnect, RuntimeError, OSError, asyncio.CancelledError):
        log.debug("a page went away", exc_info=True)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def heard(socket: WebSocket, bucket: Bucket, longest: int) -> AsyncIterator[str]:
    """What a page says, message by message, until it goes away.

    One that says too much at once, or anything but texts of at most `longest` characters, is closed.
    """
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return
        text = received.get("text")
        if not bucket.pass_one():
            await socket.close(1008, "too many messages at once")
            return
        if text is None or len(text) > longest:
            await socket.close(1009, f"expected a text message of at most {longest} characters")
            return
        yield text


def misunderstood(error: ValidationError) -> tuple[str, str]:
    """Where in a message the first mistake is, and a sentence about it for whoever sent it."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(p) for p in first["loc"]) or "message"
    return where[:80], f"a message was not understood: {where}: {first['msg']}"[:400]

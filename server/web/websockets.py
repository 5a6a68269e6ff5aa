"""WebSocket connections: parsing messages, rate limits, and tasks that end with the connection."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from server.web.authentication import Role
from server.web.middleware import Bucket

log = logging.getLogger("tableref.attending")


PLAIN = 4096
"""Characters of a message that counts as one; a longer one, which may be kept as it is, counts as several."""

T = TypeVar("T")


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

    def come(self) -> None:
        """There is news; from the loop that waits."""
        self._event.set()

    def wake(self) -> None:
        """There is news; from any thread."""
        # The loop may be closing while another thread still has something to say.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float) -> None:
        """Until there is news, or so many seconds have passed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        self._event.clear()


Watch = Callable[[Callable[[], None]], Callable[[], None]]
"""Has something called whenever there is news, from any thread; gives how to stop that."""


class Bell:
    """Wakes all connections at once: whoever has news calls into their loop once, not once for each.

    Those that wait for it `seldom` are woken together, too, but only once in `pause` seconds, by the first
    news after that; if none comes, `late` seconds later by what came before.
    """

    def __init__(self, watch: Watch, pause: Callable[[], float] = lambda: 0.0, late: float = 0.05) -> None:
        self._watch = watch
        self._pause, self._late = pause, late
        self._waiting: set[News] = set()
        self._seldom: set[News] = set()
        self._woken_at = float("-inf")
        self._overdue: asyncio.TimerHandle | None = None
        self._unwatch: Callable[[], None] | None = None
        self._rung = False

    @contextmanager
    def wakes(self, news: News, *, seldom: bool = False) -> Iterator[None]:
        """Wakes this one, too, as long as its connection lasts; in the loop that waits."""
        among = self._seldom if seldom else self._waiting
        among.add(news)
        if self._unwatch is None:
            self._loop = asyncio.get_running_loop()
            self._rung = False
            self._unwatch = self._watch(self._ring)
        try:
            yield
        finally:
            among.discard(news)
            if not self._waiting and not self._seldom:
                self._unwatch()
                self._unwatch = None
                self._cancel_overdue()

    def _ring(self) -> None:
        # Once is enough until they have been woken, also where two threads ring at a time.
        if not self._rung and not self._loop.is_closed():
            self._rung = True
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._rung = False
        for news in self._waiting:
            news.come()
        left = self._woken_at + self._pause() - self._loop.time()
        if left <= 0.0:
            self._wake_seldom()
        elif self._overdue is None and self._seldom:
            self._overdue = self._loop.call_later(left + self._late, self._wake_seldom)

    def _wake_seldom(self) -> None:
        self._cancel_overdue()
        self._woken_at = self._loop.time()
        for news in self._seldom:
            news.come()

    def _cancel_overdue(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None


class Shared:
    """Work that many connections of one loop wait for: each kind is done once at a time, in a thread.

    By the threads of an executor, or those that the loop has for anything.
    """

    def __init__(self, threads: Executor | None = None) -> None:
        self._threads = threads
        self._doing: dict[Hashable, asyncio.Task[Any]] = {}

    async def do(self, key: Hashable, work: Callable[[], T]) -> T:
        """What the work of this key gives, done for whoever asked for it first."""
        task = self._doing.get(key)
        if task is None:
            task = self._doing[key] = asyncio.create_task(self._done(work))
            task.add_done_callback(lambda _: self._doing.pop(key, None))
        # Whoever goes away leaves it to the others.
        found: T = await asyncio.shield(task)
        return found

    async def _done(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


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

    One that says too much at once, or anything but texts of at most `longest` characters, is closed; a text
    of several times `PLAIN` characters counts as so many.
    """
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return
        text = received.get("text")
        if not bucket.pass_one(max(1.0, min(len(text or ""), longest) / PLAIN)):
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

"""Answers that take long: made once for all who ask the same, by few workers beside the event loop."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from server.web.authentication import Identity, who_asks
from server.web.messages import ErrorBody

AT_ONCE = 2
"""Answers that are made at the same time."""

WAITING, WAITING_EACH = 24, 8
"""Answers that may wait for their turn, of all (spectators take at most half of them), and of one device: a
browser asks for six things at a time."""

BUSY = "busy: others asked for as much as can be answered; try again in a moment"
AGAIN_S = 1

BUSY_ANSWER: dict[int | str, dict[str, Any]] = {503: {"model": ErrorBody, "description": "Busy, or not yet"}}

T = TypeVar("T")
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Busy(HTTPException):
    """More is asked for than can be answered."""

    def __init__(self) -> None:
        super().__init__(503, BUSY, headers={"Retry-After": str(AGAIN_S)})


class Workers:
    """Makes few answers at a time; players' and the owner's come before those of spectators."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING, each: int = WAITING_EACH) -> None:
        self._free, self._most, self._each = at_once, waiting, each
        self._queue: list[tuple[int, int, asyncio.Future[None], Hashable]] = []
        self._numbers = itertools.count()
        self._making: dict[Hashable, asyncio.Task[Any]] = {}
        self._asked: Counter[Identity] = Counter()

    async def make(self, key: Hashable, work: Callable[[], Awaitable[T]], who: Identity) -> T:
        """What `work` gives, made once for all who ask for the same `key` meanwhile.

        `Busy` where too many wait already.
        """
        task = self._making.get(key)
        if task is None:
            # Counted here and not in the task, which begins after others have asked.
            turn = self._turn(key, who)
            task = self._making[key] = asyncio.create_task(self._done(key, turn, work, who))
        elif who.role != "spectator":
            self._forward(key)
        # Whoever goes away leaves it to the others.
        found: T = await asyncio.shield(task)
        return found

    def _forward(self, key: Hashable) -> None:
        """What a player asks for, too, no longer waits among what spectators asked for."""
        self._queue = [(0 if of == key else watches, n, turn, of) for watches, n, turn, of in self._queue]
        heapq.heapify(self._queue)

    def _turn(self, key: Hashable, who: Identity) -> asyncio.Future[None]:
        """Done when it may begin."""
        watches = who.role == "spectator"
        turn = asyncio.get_running_loop().create_future()
        if self._free:
            self._free -= 1
            turn.set_result(None)
        # The owner at this machine is no device among others.
        elif len(self._queue) >= (self._most // 2 if watches else self._most) or (
            who.device and self._asked[who] >= self._each
        ):
            raise Busy
        else:
            heapq.heappush(self._queue, (int(watches), next(self._numbers), turn, key))
        self._asked[who] += 1
        return turn

    async def _done(
        self, key: Hashable, turn: asyncio.Future[None], work: Callable[[], Awaitable[T]], who: Identity
    ) -> T:
        try:
            await turn
            try:
                return await work()
            finally:
                self._next()
        finally:
            self._asked -= Counter([who])
            del self._making[key]

    def _next(self) -> None:
        while self._queue:
            turn = heapq.heappop(self._queue)[2]
            if not turn.cancelled():
                turn.set_result(None)
                return
        self._free += 1


def costly(moment: Callable[[], Hashable] = lambda: None) -> type[APIRoute]:
    """The class of routes whose answers may take more than 20 ms: `APIRouter(route_class=costly())`.

    Two who ask the same share an answer as long as `moment`, of which it depends, is the same.
    """

    class Costly(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def made(request: Request) -> Response:
                workers: Workers = request.app.state.workers
                key = (request.method, request.url.path, request.url.query, moment())
                return await workers.make(key, lambda: handle(request), who_asks(request))

            return made

    return Costly

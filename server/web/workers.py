"""Answers that take long: made once for all who ask the same, by few workers beside the event loop."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from engine.errors import TooMuch
from server.web.authentication import Identity, Role, who_asks
from server.web.messages import refusals

AT_ONCE = 2
"""Answers that are made at the same time."""

WAITING, WAITING_EACH = 24, 8
"""Answers that may wait for their turn, of all (spectators take at most half of them), and of one device: a
browser asks for six things at a time."""

RANKS: dict[Role, int] = {"owner": 0, "spectator": 2}
"""Who comes before whom; whoever is not named stands between."""

RESTING: tuple[Role, ...] = ("spectator",)
RESTS, LONGEST_REST_S = 1.0, 3.0
"""For whom nothing is made after an answer for how long: parts of what it took, and seconds at most."""

REFUSED_RESTS_S = 0.25
"""Seconds after which one who asks for too much is told so."""

BUSY = "busy: others asked for as much as can be answered; try again in a moment"
AGAIN_S = 1

BUSY_ANSWER = refusals({503: "Busy, or not yet"})

T = TypeVar("T")
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Busy(HTTPException):
    """More is asked for than can be answered."""

    def __init__(self) -> None:
        super().__init__(503, BUSY, headers={"Retry-After": str(AGAIN_S)})


@dataclass(eq=False)
class _Turn:
    """One answer that waits to be made, or is: for whom it counts, and what comes before it."""

    key: Hashable
    who: Identity
    before: int
    """How much of the same share waited or was made when it was asked for."""
    number: int
    may_begin: asyncio.Future[None]

    @property
    def share(self) -> Hashable:
        """Who is counted together: all spectators, or one device; None for the owner at this machine."""
        who = self.who
        return who.role if who.role == "spectator" else who if who.device else None

    @property
    def order(self) -> tuple[int, int, int]:
        """The owner first, then players, each as often as the others; then spectators."""
        return (RANKS.get(self.who.role, 1), self.before, self.number)


class Workers:
    """Makes few answers at a time, one of each device: shares go by who asks.

    The owner comes first, then players, each in turn; spectators have one place together. A share of a role
    that is `resting` rests after each answer for as long as that took. `owners` are the places that nobody
    but the owner takes. `later` calls something after so many seconds of the loop's clock.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE,
        waiting: int = WAITING,
        each: int = WAITING_EACH,
        owners: int = 0,
        resting: Collection[Role] = RESTING,
        later: Callable[[float, Callable[[], None]], object] | None = None,
    ) -> None:
        self._free, self._most, self._each = at_once, waiting, each
        self._owners, self._resting, self._later = owners, resting, later
        self._queue: list[_Turn] = []
        self._numbers = itertools.count()
        self._making: dict[Hashable, tuple[asyncio.Task[Any], _Turn]] = {}
        self._asked: Counter[Identity] = Counter()
        self._shares: Counter[Hashable] = Counter()
        self._at_work: set[Hashable] = set()

    async def make(self, key: Hashable, work: Callable[[], Awaitable[T]], who: Identity) -> T:
        """What `work` gives, made once for all who ask for the same `key` meanwhile.

        `Busy` where too many wait already.
        """
        known = self._making.get(key)
        if known is None:
            # Counted here and not in the task, which begins after others have asked.
            turn = self._turn(key, who)
            task = asyncio.create_task(self._done(turn, work, who))
            self._making[key] = task, turn
        else:
            task, turn = known
            if who.role != "spectator":
                self._forward(turn, who)
        # Whoever goes away leaves it to the others.
        found: T = await asyncio.shield(task)
        return found

    def _forward(self, turn: _Turn, who: Identity) -> None:
        """What a player asks for, too, no longer waits among what spectators asked for."""
        if turn.who.role == "spectator" and turn in self._queue:
            self._shares -= Counter([turn.share])
            turn.who, turn.before = who, 0
            self._shares[turn.share] += 1
            self._begin()

    def _turn(self, key: Hashable, who: Identity) -> _Turn:
        """A place in the queue, or at work at once."""
        watches = who.role == "spectator"
        if not self._free or self._queue:
            # The owner at this machine is no device among others.
            most = self._most // 2 if watches else self._most
            if len(self._queue) >= most or (who.device and self._asked[who] >= self._each):
                raise Busy
        turn = _Turn(key, who, 0, next(self._numbers), asyncio.get_running_loop().create_future())
        turn.before = self._shares[turn.share]
        self._asked[who] += 1
        self._shares[turn.share] += 1
        self._queue.append(turn)
        self._begin()
        return turn

    def _begin(self) -> None:
        """Lets begin what comes first, as long as somebody is free to make it."""
        while self._free:
            ready = [t for t in self._queue if t.share is None or t.share not in self._at_work]
            turn = min(ready, key=lambda one: one.order, default=None)
            if turn is None or (turn.who.role != "owner" and self._free <= self._owners):
                return
            self._queue.remove(turn)
            self._free -= 1
            self._at_work.add(turn.share)
            if turn.may_begin.cancelled():
                self._over(turn)
            else:
                turn.may_begin.set_result(None)

    async def _done(self, turn: _Turn, work: Callable[[], Awaitable[T]], who: Identity) -> T:
        try:
            await turn.may_begin
            began = asyncio.get_running_loop().time()
            try:
                return await work()
            finally:
                self._over(turn, asyncio.get_running_loop().time() - began)
        finally:
            self._asked -= Counter([who])
            self._shares -= Counter([turn.share])
            del self._making[turn.key]

    def _over(self, turn: _Turn, took: float = 0.0) -> None:
        """Somebody is free for the next."""
        self._free += 1
        if turn.share is not None and turn.who.role in self._resting:
            later = self._later or asyncio.get_running_loop().call_later
            later(min(RESTS * took, LONGEST_REST_S), partial(self._rested, turn.share))
        else:
            self._at_work.discard(turn.share)
        self._begin()

    def _rested(self, share: Hashable) -> None:
        self._at_work.discard(share)
        self._begin()


def costly(
    moment: Callable[[], Hashable] = lambda: None,
    *,
    own: bool = False,
    admit: Callable[[Request], None] = lambda _request: None,
) -> type[APIRoute]:
    """The class of routes whose answers may take more than 20 ms, or keep something.

    `APIRouter(route_class=costly())`.

    Two who ask the same share an answer as long as `moment`, of which it depends, is the same; where it is
    each one's `own`, only the pages of one device do. `admit` raises `TooMuch` for what is not even to
    wait; whoever is refused for asking too much is told so a little later.
    """

    class Costly(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def made(request: Request) -> Response:
                workers: Workers = request.app.state.workers
                who = who_asks(request)
                asked = (request.method, request.url.path, request.url.query)
                key: Hashable = (*asked, moment(), who if own else None)
                if request.method not in ("GET", "HEAD"):
                    key = object()  # what does something is shared with nobody
                try:
                    admit(request)
                    return await workers.make(key, lambda: handle(request), who)
                except (Busy, TooMuch):
                    if who.role != "owner":
                        await asyncio.sleep(REFUSED_RESTS_S)
                    raise

            return made

    return Costly

"""Connections and costly answers: parts end together, what takes long is made once."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI, Request, WebSocketDisconnect
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from engine.errors import TooMuch
from server.web.authentication import SCOPE_KEY, Identity, Role
from server.web.middleware import Bucket
from server.web.websockets import PLAIN, Bell, News, Shared, heard, until_gone
from server.web.workers import LONGEST_REST_S, REFUSED_RESTS_S, Busy, Workers, costly
from tests.server.conftest import Served
from tests.server.fakes import PATIENCE, hurried


class TestUntilGone:
    def test_the_first_part_to_end_ends_the_others(self) -> None:
        ended: list[str] = []

        async def waits() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("waiting")

        async def goes() -> None:
            await asyncio.sleep(0)
            ended.append("gone")

        asyncio.run(until_gone(waits(), goes()))
        assert ended == ["gone", "waiting"]

    @pytest.mark.parametrize("error", [WebSocketDisconnect(1001), RuntimeError("closed"), OSError("reset")])
    def test_a_page_that_goes_away_is_no_error(self, error: Exception) -> None:
        async def breaks() -> None:
            raise error

        asyncio.run(until_gone(breaks()))

    def test_a_mistake_of_ours_is_one(self) -> None:
        async def breaks() -> None:
            raise KeyError("ours")

        with pytest.raises(KeyError):
            asyncio.run(until_gone(breaks()))

    def test_a_server_that_stops_leaves_no_trace(self, caplog: pytest.LogCaptureFixture) -> None:
        ended: list[str] = []

        async def waits(begun: asyncio.Event) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("waiting")

        async def stop() -> None:
            begun = asyncio.Event()
            connection = asyncio.create_task(until_gone(waits(begun)))
            await begun.wait()
            connection.cancel()
            await connection

        with caplog.at_level(logging.INFO):
            asyncio.run(stop())
        assert ended == ["waiting"]
        assert not caplog.records


def test_a_long_message_counts_as_several() -> None:
    """What a player says of the set-up is kept as it is: nobody fills a disk with it."""

    class Page:
        def __init__(self, text: str) -> None:
            self._text, self.code = text, 0

        async def receive(self) -> dict[str, str]:
            return {"type": "websocket.receive", "text": self._text}

        async def close(self, code: int, reason: str) -> None:
            self.code = code

    async def said(text: str) -> tuple[int, int]:
        page, bucket = Page(text), Bucket(15.0, 60.0, lambda: 0.0)
        return len([one async for one in heard(page, bucket, 8 * PLAIN)]), page.code  # type: ignore[arg-type]

    assert asyncio.run(said("{}")) == (60, 1008)
    assert asyncio.run(said(PLAIN * "x")) == (60, 1008)
    assert asyncio.run(said(8 * PLAIN * "x")) == (7, 1008)
    assert asyncio.run(said((8 * PLAIN + 1) * "x")) == (0, 1009)


class TestNews:
    def test_there_is_some_at_first_then_when_woken_from_any_thread(self) -> None:
        async def waited(news: News, seconds: float) -> float:
            clock = asyncio.get_running_loop().time
            began = clock()
            await news.wait(seconds)
            return clock() - began

        async def three() -> tuple[float, float, float]:
            news = News()
            at_first = await waited(news, 30.0)
            without = await waited(news, 0.05)
            other = threading.Thread(target=news.wake)
            other.start()
            other.join()
            return at_first, without, await waited(news, 30.0)

        assert hurried(three()) == (0.0, 0.05, 0.0)

    def test_waking_a_loop_that_has_ended_does_nothing(self) -> None:
        async def made() -> News:
            return News()

        asyncio.run(made()).wake()


class TestBell:
    def test_one_call_into_the_loop_wakes_everybody(self) -> None:
        rings: list[Callable[[], None]] = []
        gone: list[bool] = []

        def watch(ring: Callable[[], None]) -> Callable[[], None]:
            rings.append(ring)
            return lambda: gone.append(True)

        async def ring() -> int:
            bell, woken = Bell(watch), 0
            called = asyncio.get_running_loop().call_soon_threadsafe

            def counted(*args: Any) -> Any:
                nonlocal calls
                calls += 1
                return called(*args)

            calls = 0
            with ExitStack() as stack:
                waiting = [News() for _ in range(60)]
                for news in waiting:
                    await news.wait(0)
                    stack.enter_context(bell.wakes(news))
                asyncio.get_running_loop().call_soon_threadsafe = counted  # type: ignore[method-assign]
                rings[0]()
                rings[0]()
                await asyncio.gather(*(news.wait(PATIENCE) for news in waiting))
                woken = len(waiting)
            assert (len(rings), gone, woken) == (1, [True], 60)
            return calls

        assert asyncio.run(ring()) == 1

    def test_those_that_are_woken_seldom_are_woken_together_and_miss_nothing(self) -> None:
        rings: list[Callable[[], None]] = []

        def watch(ring: Callable[[], None]) -> Callable[[], None]:
            rings.append(ring)
            return lambda: None

        async def woken(news: News, seconds: float) -> bool:
            clock = asyncio.get_running_loop().time
            began = clock()
            await news.wait(seconds)
            return clock() - began < seconds

        async def ring() -> list[tuple[bool, bool, bool]]:
            pauses: list[float] = [0.0]
            bell, often, one, other = Bell(watch, lambda: pauses[-1]), News(), News(), News()
            found = []
            with bell.wakes(often), bell.wakes(one, seldom=True), bell.wakes(other, seldom=True):
                for news in (often, one, other):
                    await news.wait(0)
                # At once; later, though nothing else comes; not yet.
                for pause, seconds in ((0.0, 30.0), (0.3, 30.0), (1e6, 0.2)):
                    pauses.append(pause)
                    rings[0]()
                    waited = [woken(often, 30.0), woken(one, seconds), woken(other, seconds)]
                    found.append(tuple(await asyncio.gather(*waited)))
            return found

        assert hurried(ring()) == [(True, True, True), (True, True, True), (True, False, False)]


class TestShared:
    def test_what_many_wait_for_is_done_once(self) -> None:
        done: list[int] = []
        go = threading.Event()

        def work() -> int:
            go.wait(PATIENCE)
            done.append(1)
            return 7

        async def ask() -> list[int]:
            shared = Shared()
            asked = [asyncio.create_task(shared.do("same", work)) for _ in range(60)]
            await asyncio.sleep(0)
            asked[0].cancel()  # whoever asked first may go away
            await asyncio.sleep(0)
            go.set()
            return [await one for one in asked[1:]]

        assert asyncio.run(ask()) == [7] * 59
        assert done == [1]


# Answers that take long


OWNER = Identity("owner")
PLAYER = Identity("player", "phone")
SPECTATORS = [Identity("spectator", f"s{k}") for k in range(30)]


class Work:
    """Answers that take until they are let go."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.go = asyncio.Event()
        self.begun: list[str] = []

    def ask(self, key: str, who: Identity = OWNER) -> asyncio.Task[str]:
        async def work() -> str:
            self.begun.append(key)
            await self.go.wait()
            return key

        return asyncio.create_task(self.workers.make(key, work, who))


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def run(what: Coroutine[Any, Any, None]) -> None:
    asyncio.run(what)


def test_forty_who_ask_the_same_are_given_one_answer() -> None:
    async def play() -> None:
        work = Work(Workers())
        asked = [work.ask("dispute.pdf", who) for who in SPECTATORS]
        await settled()
        asked[0].cancel()  # whoever asked first may go away
        work.go.set()
        assert await asyncio.gather(*asked[1:]) == ["dispute.pdf"] * (len(asked) - 1)
        assert work.begun == ["dispute.pdf"]
        assert await work.ask("dispute.pdf") == "dispute.pdf"
        assert len(work.begun) == 2, "what was made is not kept for later"

    run(play())


def test_few_are_made_at_a_time_and_the_others_wait_for_their_turn() -> None:
    async def play() -> None:
        work = Work(Workers(at_once=2))
        asked = [work.ask(str(k)) for k in range(6)]
        await settled()
        assert work.begun == ["0", "1"]
        work.go.set()
        assert await asyncio.gather(*asked) == [str(k) for k in range(6)]
        assert work.begun == [str(k) for k in range(6)]

    run(play())


def test_what_a_player_asks_for_too_no_longer_waits_among_spectators() -> None:
    async def play() -> None:
        work = Work(Workers(at_once=1))
        asked = [work.ask(key, who) for key, who in zip("abcd", SPECTATORS, strict=False)]
        await settled()
        asked.append(work.ask("d", PLAYER))
        await settled()
        work.go.set()
        await asyncio.gather(*asked)
        assert work.begun == ["a", "d", "b", "c"]

    run(play())


def test_more_than_may_wait_are_told_at_once() -> None:
    async def play() -> None:
        work = Work(Workers(at_once=1, waiting=4))
        asked = [work.ask(f"s{k}", who) for k, who in enumerate(SPECTATORS)]
        await settled()
        busy = [one for one in asked if one.done()]
        assert len(busy) == len(asked) - 3, "one is made, and spectators take half of the places"
        for one in busy:
            with pytest.raises(Busy) as told:
                await one
        assert (told.value.status_code, told.value.headers) == (503, {"Retry-After": "1"})
        theirs = work.ask("a player's", PLAYER)
        await settled()
        assert not theirs.done(), "places are left for players"
        work.go.set()
        await asyncio.gather(theirs, *(one for one in asked if one not in busy))
        assert work.begun.index("a player's") == 1, "players come first"

    run(play())


def test_one_device_does_not_take_every_place() -> None:
    async def play() -> None:
        work = Work(Workers(at_once=1, waiting=24, each=3))
        asked = [work.ask(str(k), PLAYER) for k in range(10)]
        await settled()
        assert [one.done() for one in asked] == [False] * 3 + [True] * 7
        assert not work.ask("another's", Identity("player", "other")).done()
        work.go.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert found[:3] == ["0", "1", "2"]
        assert not work.workers._asked

    run(play())


def test_no_device_has_more_than_one_made_at_a_time_and_each_as_many_as_the_others() -> None:
    async def play() -> None:
        work = Work(Workers(at_once=2))
        loud, quiet = Identity("player", "loud"), Identity("player", "quiet")
        asked = [work.ask(f"loud {k}", loud) for k in range(4)]
        await settled()
        assert work.begun == ["loud 0"], "the other place is left for others"
        asked += [work.ask(f"quiet {k}", quiet) for k in range(2)]
        asked += [work.ask(f"owner {k}") for k in range(2)]
        await settled()
        assert work.begun == ["loud 0", "quiet 0"]
        work.go.set()
        await asyncio.gather(*asked)
        assert work.begun[2:4] == ["owner 0", "owner 1"]
        assert work.begun.index("quiet 1") < work.begun.index("loud 2")

    run(play())


def test_spectators_have_one_place_together_which_rests_as_long_as_it_worked() -> None:
    async def play() -> None:
        rests: list[tuple[float, Any]] = []
        work = Work(Workers(at_once=2, later=lambda seconds, done: rests.append((seconds, done))))
        asked = [work.ask(str(k), who) for k, who in enumerate(SPECTATORS[:3])]
        await settled()
        assert work.begun == ["0"]
        work.go.set()
        await asked[0]
        await settled()
        assert work.begun == ["0"], "it rests"
        assert await work.ask("a player's", PLAYER) == "a player's"
        ((seconds, rested),) = rests
        assert 0.0 <= seconds <= LONGEST_REST_S
        rested()
        await asked[1]
        assert work.begun == ["0", "a player's", "1"]
        rests[1][1]()
        await asked[2]

    run(play())


def test_a_place_that_is_kept_for_the_owner_is_taken_by_nobody_else() -> None:
    async def play() -> None:
        work = Work(Workers(at_once=3, owners=1))
        asked = [work.ask(who.device, who) for who in (Identity("player", f"device {k}") for k in range(4))]
        await settled()
        assert work.begun == ["device 0", "device 1"], "what they ask may take long"
        asked.append(work.ask("the owner's"))
        await settled()
        assert work.begun[2:] == ["the owner's"]
        work.go.set()
        await asyncio.gather(*asked)

    run(play())


def test_an_answer_that_fails_gives_its_place_back() -> None:
    async def play() -> None:
        workers = Workers(at_once=1)

        async def breaks() -> str:
            raise ZeroDivisionError

        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await workers.make("x", breaks, OWNER)

    run(play())


def test_two_who_ask_at_another_moment_share_nothing() -> None:
    async def play() -> None:
        moment, made, go = [0], [], asyncio.Event()
        router = APIRouter(route_class=costly(lambda: moment[0]))

        @router.get("/slow")
        async def slow() -> int:
            made.append(moment[0])
            await go.wait()
            return moment[0]

        app = FastAPI()
        app.state.workers = Workers()
        app.include_router(router)

        async def owners(scope: Scope, receive: Receive, send: Send) -> None:
            scope[SCOPE_KEY] = OWNER
            await app(scope, receive, send)

        transport = httpx.ASGITransport(owners)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            asked = [asyncio.create_task(client.get("/slow")) for _ in range(3)]
            while not made:
                await asyncio.sleep(0)
            await settled()
            moment[0] = 1
            asked.append(asyncio.create_task(client.get("/slow")))
            while len(made) < 2:
                await asyncio.sleep(0)
            go.set()
            assert {(await one).status_code for one in asked} == {200}
        assert made == [0, 1]

    run(play())


@pytest.mark.parametrize(("role", "rests"), [("owner", []), ("player", [REFUSED_RESTS_S])])
def test_who_asks_for_too_much_is_told_a_little_later(
    role: Role, rests: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    rested: list[float] = []

    async def rest(seconds: float) -> None:
        rested.append(seconds)

    def full(_request: Request) -> None:
        raise TooMuch("too many steps at once")

    router = APIRouter(route_class=costly(admit=full))

    @router.post("/step")
    async def step() -> int:
        raise AssertionError("it was not to be admitted")

    (route,) = router.routes
    assert isinstance(route, APIRoute)
    app = FastAPI()
    app.state.workers = Workers()
    scope = {
        "type": "http", "method": "POST", "path": "/step", "query_string": b"", "headers": [], "app": app,
        SCOPE_KEY: Identity(role, "1" * 16),
    }  # fmt: skip
    monkeypatch.setattr(asyncio, "sleep", rest)
    with pytest.raises(TooMuch):
        run(route.get_route_handler()(Request(scope)))
    assert rested == rests


COSTLY = (
    "/api/state", "/api/ruling?piece=RED1&piece=BLUE1", "/api/gunner.svg?piece=RED1&piece=BLUE1",
    "/api/picture.jpg", "/api/disputes/1/dispute.pdf", "/api/disputes/1/dispute.html",
    "/api/disputes/1/gunner.svg", "/api/disputes/1/plan.svg", "/api/questions", "/api/disputes/offer",
)  # fmt: skip


def test_a_table_that_is_busy_says_so_and_still_answers_what_is_quick(served: Served) -> None:
    served.server.app.state.workers = Workers(at_once=0, waiting=0)
    with httpx.Client(base_url=served.url, timeout=120) as client:
        for path in COSTLY:
            answer = client.get(path)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1"), path
            assert "busy" in answer.json()["error"]
        assert client.get("/healthz").status_code == 200
        assert client.get("/api/disputes/1/pictures/plan").status_code == 404

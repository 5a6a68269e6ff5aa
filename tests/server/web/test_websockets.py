"""Connections: their parts end together, and quietly when nobody is left to tell."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from fastapi import WebSocketDisconnect

from server.web.websockets import Bell, News, Shared, until_gone
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

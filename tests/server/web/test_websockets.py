"""Connections: their parts end together, and quietly when nobody is left to tell."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest
from fastapi import WebSocketDisconnect

from server.web.websockets import News, until_gone


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

        async def waits() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("waiting")

        async def stop() -> None:
            connection = asyncio.create_task(until_gone(waits()))
            await asyncio.sleep(0.01)
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
            threading.Thread(target=news.wake).start()
            return at_first, without, await waited(news, 30.0)

        at_first, without, woken = asyncio.run(three())
        assert at_first < 20.0
        assert without >= 0.04
        assert woken < 20.0

    def test_waking_a_loop_that_has_ended_does_nothing(self) -> None:
        async def made() -> News:
            return News()

        asyncio.run(made()).wake()

"""A connection's parts run together until the page goes away or the server stops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from fastapi import WebSocketDisconnect

log = logging.getLogger("tableref.attending")


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

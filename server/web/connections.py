"""Bounds on connections: how many, how long they take to ask, how large a head is, how much is logged.

uvicorn's own protocol on h11, whose parser bounds the head of a request (that of httptools does not), with a
deadline for each request and a number of connections that leaves descriptors for the camera and the record.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import sys
import time
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_BYTES = 16 * 1024
"""Of the request line and all headers together."""

REQUEST_S = 15.0
"""Seconds in which a request has to be here as a whole, from its connection or its first byte on."""

MOST, MOST_EACH, KEPT_HERE = 400, 40, 16
"""Connections in all, of one address in the network, and how many are kept for this machine itself."""

LINES_A_SECOND = 5


def most_connections() -> int:
    """Connections that leave half of this process's descriptors for everything else."""
    if sys.platform == "win32":
        return MOST
    import resource  # noqa: PLC0415 - not on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(2 * KEPT_HERE, min(MOST, soft // 2))


class BoundedProtocol(H11Protocol):
    """One connection: ends where there are too many, or its request or taking its answer stands still."""

    _late: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a connection, unless there are too many."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        here = _loopback(address)
        each = sum(1 for c in self.connections if (getattr(c, "client", None) or ("",))[0] == address)
        most = most_connections()
        if len(self.connections) > (most if here else most - KEPT_HERE) or (not here and each > MOST_EACH):
            transport.abort()
            return
        self._late = self.loop.call_later(REQUEST_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Reads on; a request that has begun has to end in time."""
        super().data_received(data)
        waits = self in self.connections and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if not waits:
            self._in_time()
        elif self._late is None:
            self._late = self.loop.call_later(REQUEST_S, self.transport.abort)

    def pause_writing(self) -> None:
        """More has been written than is taken."""
        super().pause_writing()
        self._mind_taking()

    def timeout_keep_alive_handler(self) -> None:
        """Closes an idle connection; one that leaves the last answer lying does not keep it open."""
        super().timeout_keep_alive_handler()
        self._mind_taking()

    def _mind_taking(self, before: int | None = None) -> None:
        """Begins to watch what is not taken, or (`before`: bytes that lay there then) looks at it again."""
        if before is None and self._stuck is not None:
            return
        self._stuck = None
        left = self.transport.get_write_buffer_size()
        if before is not None and left >= before:
            self.transport.abort()
        elif left:
            self._stuck = self.loop.call_later(REQUEST_S, self._mind_taking, left)

    def connection_lost(self, exc: Exception | None) -> None:
        """The end."""
        self._in_time()
        if self._stuck is not None:
            self._stuck.cancel()
        super().connection_lost(exc)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def _loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class FewLines(logging.Filter):
    """Lets so many lines a second into a log, and says how many were left out.

    >>> now = 0.0
    >>> few = FewLines(2, lambda: now)
    >>> line = logging.LogRecord("x", logging.WARNING, "", 0, "refused", None, None)
    >>> [few.filter(line) for _ in range(4)]
    [True, True, False, False]
    >>> now = 1.0
    >>> few.filter(line), line.getMessage()
    (True, 'refused (2 more lines were left out)')
    """

    def __init__(self, a_second: int = LINES_A_SECOND, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most, self._clock = a_second, clock
        self._since, self._let, self._left_out = clock(), 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this line is written."""
        now = self._clock()
        if now - self._since >= 1.0:
            self._since, self._let = now, 0
        if self._let >= self._most:
            self._left_out += 1
            return False
        self._let += 1
        if self._left_out:
            record.msg, record.args = (
                f"{record.getMessage()} ({self._left_out} more lines were left out)",
                None,
            )
            self._left_out = 0
        return True


def bounded() -> dict[str, Any]:
    """What uvicorn is told to keep these bounds."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        if not any(isinstance(f, FewLines) for f in logger.filters):
            logger.addFilter(FewLines())
    # Its lines go where all of the log goes, and through the same hands (`server.formats.terminal`).
    return {
        "http": BoundedProtocol, "h11_max_incomplete_event_size": HEAD_BYTES, "timeout_keep_alive": 5,
        "log_config": None,
    }  # fmt: skip

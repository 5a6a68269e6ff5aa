"""Bounds on connections: how many, how long they take to ask, how large a head is, what is sent and logged.

uvicorn's own protocol on h11, whose parser bounds the head of a request (that of httptools does not), with a
deadline for each request and a number of connections that leaves descriptors for the camera and the record;
its own WebSocket with a number of frames.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from server.web.middleware import Bucket

HEAD_BYTES = 16 * 1024
"""Of the request line and all headers together."""

REQUEST_S = 15.0
"""Seconds in which a request has to be here as a whole, from its connection or its first byte on."""

MOST, MOST_EACH, KEPT_HERE = 400, 40, 16
"""Connections in all, of one address in the network, and how many are kept for this machine itself."""

LINES_A_SECOND = 5

LONGEST_TEXT = 128 * 1024
"""Bytes of a message, but for those of a phone that is the camera: there may be a hundred pages."""

CLOSED_S = 2.0
"""Seconds in which somebody who is cut off may read why."""

FRAMES_A_SECOND, FRAMES_AT_ONCE = 100, 200
"""Frames of one WebSocket: a page says that it has drawn each of 30 pictures a second."""

PINGS_A_SECOND, PINGS_AT_ONCE = 5, 20
"""Those among them that say nothing: pings, and answers to the server's, which asks every 20 seconds."""

PING, PART, PART_BYTES = 8, 0, 4096
"""From which opcode on a frame says nothing to a program; the one of a message's later parts, and the bytes
from which on such a part does not count."""


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


class Heads:
    """Finds the heads of frames in the bytes of a WebSocket, as they come, without looking at what they hold.

    >>> heads = Heads()
    >>> list(heads.found(bytes([0x89, 0x80, 0, 0, 0, 0, 0x81, 0xFE, 0x10]))), heads.pending
    ([(9, 0)], 3)
    >>> list(heads.found(bytes([0x00]) + bytes(4 + 0x1000) + bytes([0x8A, 0])))
    [(1, 4096), (10, 0)]
    """

    def __init__(self) -> None:
        self._head = bytearray()
        self._left = 0

    @property
    def pending(self) -> int:
        """Bytes of a head that has not come as a whole."""
        return len(self._head)

    def found(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The opcode of each frame that begins in these bytes, and how many bytes it holds."""
        at = 0
        while at < len(data):
            if self._left:
                taken = min(self._left, len(data) - at)
                self._left, at = self._left - taken, at + taken
                continue
            self._head.append(data[at])
            at += 1
            frame = self._whole()
            if frame is not None:
                self._head.clear()
                self._left = frame[1] + frame[2]
                yield frame[:2]

    def _whole(self) -> tuple[int, int, int] | None:
        """Opcode, length and the mask's length, once all of the head that says so is here."""
        head = self._head
        if len(head) < 2:
            return None
        short, masked = head[1] & 0x7F, 4 if head[1] & 0x80 else 0
        more = {126: 2, 127: 8}.get(short, 0)
        if len(head) < 2 + more:
            return None
        return head[0] & 0x0F, int.from_bytes(head[2:]) if more else short, masked


class BoundedSocket(WebSocketsSansIOProtocol):
    """One WebSocket: ends where more frames come than a page sends.

    Each takes the loop some time, also a ping of six bytes, of which a network carries a million a second.
    """

    def __init__(self, *said: Any, **more: Any) -> None:
        super().__init__(*said, **more)
        clock = self.loop.time
        self._most = 0
        self._message = 0
        self._heads = Heads()
        self._frames = Bucket(FRAMES_A_SECOND, FRAMES_AT_ONCE, clock)
        self._pings = Bucket(PINGS_A_SECOND, PINGS_AT_ONCE, clock)

    def data_received(self, data: bytes) -> None:
        """Reads on, unless too much comes at once; first the head of the request itself."""
        if not self._most:
            camera = data.startswith(b"GET /ws/camera")
            self._most = self.config.ws_max_size if camera else LONGEST_TEXT
        elif not all(self._passes(*frame) for frame in self._heads.found(data)):
            self._cut_off()
            return
        super().data_received(data)

    def _cut_off(self) -> None:
        """Says why and ends, whether that is taken or not."""
        code, why = 1008, "too many messages at once"
        if self._message > self._most:
            code, why = 1009, f"expected messages of at most {self._most} bytes"
        self.conn.fail(code, why)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        # To close with something unread would throw away what has just been said.
        self.transport.pause_reading()
        self.loop.call_later(CLOSED_S, self.transport.abort)

    def _passes(self, opcode: int, length: int) -> bool:
        if opcode >= PING:
            return self._pings.pass_one()
        self._message = length + (self._message if opcode == PART else 0)
        if self._message > self._most:
            return False
        # A large picture comes in parts, which its bytes bound.
        return (opcode == PART and length >= PART_BYTES) or self._frames.pass_one()


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
        "http": BoundedProtocol, "ws": BoundedSocket, "h11_max_incomplete_event_size": HEAD_BYTES,
        "timeout_keep_alive": 5, "log_config": None,
    }  # fmt: skip

"""Where every piece stands, live, as TUIO 1.1 objects: for programs that draw round what lies on a table.

TUIO's table runs from (0, 0), far left, to (1, 1), near right, each axis by its own length; angles grow
clockwise, from 0 for a nose that points to the table's right.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fastapi import APIRouter, WebSocket
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message import OscMessage
from pythonosc.osc_message_builder import build_msg

from engine.errors import TableRefError
from engine.space.geometry import wrap_angle
from engine.space.table import Standing, Status, TableState
from server.pipeline.runner import Runner
from server.web.websockets import News, until_gone

log = logging.getLogger("tableref.tuio")

Told = Callable[[TableState], TableState]
"""What of a table may leave."""

HOST, PORT = "127.0.0.1", 3333
"""Where TUIO's programs listen unless told otherwise."""

PROFILE = "/tuio/2Dobj"
SOURCE = "tableref"

FULL_EVERY = 1.0
"""Seconds after which everything is said again: a datagram may have been lost, a listener come later."""

OBJECTS_A_BUNDLE = 12
"""So that a bundle with its list of who is alive stays below a datagram's usual 1500 bytes."""

MAX_LISTENERS = 8
NO_TAG = -1


class BadAddress(TableRefError):
    """What was typed is no address to send to."""


def address_of(text: str) -> tuple[str, int]:
    """Where to send, from what a person typed; host or port alone leave the other as usual.

    >>> address_of("10.0.0.5:3334"), address_of("3334"), address_of("table.local"), address_of("[::1]:3333")
    (('10.0.0.5', 3334), ('127.0.0.1', 3334), ('table.local', 3333), ('::1', 3333))
    """
    host, port = HOST, str(PORT)
    if text.isdecimal():
        port = text
    elif found := re.fullmatch(r"(\[[0-9a-fA-F:]+\]|[^:\s\[\]]+)(?::(\d+))?", text):
        host, port = found[1].strip("[]"), found[2] or port
    else:
        raise BadAddress(f"expected HOST:PORT to send TUIO to, like {HOST}:{PORT}, but got {text!r}")
    if not 0 < int(port) < 65536:
        raise BadAddress(f"expected a port from 1 to 65535 to send TUIO to, but got {port}")
    return host, int(port)


@dataclass(frozen=True)
class _Object:
    """One piece as TUIO tells it: place 0 to 1, angle in radians; speeds a second, turns as shares of one."""

    session: int
    symbol: int
    time: float
    x: float
    y: float
    angle: float
    velocity: tuple[float, float] = (0.0, 0.0)
    spin: float = 0.0
    acceleration: float = 0.0
    spin_up: float = 0.0

    def same_place(self, other: _Object) -> bool:
        """Whether nothing is to be told anew."""
        return (self.x, self.y, self.angle, self.velocity, self.spin) == (
            other.x, other.y, other.angle, other.velocity, other.spin,
        )  # fmt: skip

    def message(self) -> OscMessage:
        """The `set` message."""
        return _message(
            "set", self.session, self.symbol, self.x, self.y, self.angle,
            *self.velocity, self.spin, self.acceleration, self.spin_up,
        )  # fmt: skip


def _message(*values: str | int | float) -> OscMessage:
    return build_msg(PROFILE, values)


class TuioObjects:
    """One listener's frames. A piece keeps its session id from when it appears until it is lost.

    A covered piece stays where it was seen last; one that is found again begins a new session.
    """

    def __init__(self) -> None:
        self._objects: dict[str, _Object] = {}
        self._told: set[int] = set()
        self._sessions = 0
        self._frame = 0
        self._full_at = -math.inf

    def bundles(self, table: TableState, now: float) -> list[bytes]:
        """The bundles that tell of this table; what has not changed is said again every second.

        `now` is seconds of any clock that does not jump; the speeds come from the table's own times.
        """
        full = now - self._full_at >= FULL_EVERY
        if full:
            self._full_at = now
        before, self._objects = self._objects, {}
        told: list[_Object] = []
        for standing in table.standings:
            if standing.status is Status.LOST:
                continue
            last = before.get(standing.name)
            new = self._moved(last, self._object(standing, table, last))
            self._objects[standing.name] = new
            if full or last is None or not new.same_place(last):
                told.append(new)
        alive = {o.session for o in self._objects.values()}
        if not told and not full and alive == self._told:
            return []
        self._told = alive
        self._frame += 1
        return list(self._in_bundles(told))

    def _in_bundles(self, told: list[_Object]) -> Iterator[bytes]:
        head = [_message("source", SOURCE), _message("alive", *sorted(self._told))]
        tail = _message("fseq", self._frame)
        for start in range(0, max(len(told), 1), OBJECTS_A_BUNDLE):
            bundle = OscBundleBuilder(IMMEDIATELY)
            for message in (*head, *(o.message() for o in told[start : start + OBJECTS_A_BUNDLE]), tail):
                bundle.add_content(message)
            yield bundle.build().dgram

    def _object(self, standing: Standing, table: TableState, last: _Object | None) -> _Object:
        if last is None:
            self._sessions += 1
        x0, y0, x1, y1 = table.surface.polygon.bounds
        mount = standing.piece.mount
        return _Object(
            session=self._sessions if last is None else last.session,
            symbol=NO_TAG if mount is None else mount.tag,
            time=table.time,
            x=(standing.pose.x - x0) / (x1 - x0),
            y=(y1 - standing.pose.y) / (y1 - y0),
            angle=-standing.pose.heading % math.tau,
        )

    @staticmethod
    def _moved(last: _Object | None, new: _Object) -> _Object:
        """The same with its speeds, from where it was at the frame before."""
        if last is None or new.time < last.time:
            return new
        if new.time == last.time:
            return last
        passed = new.time - last.time
        velocity = ((new.x - last.x) / passed, (new.y - last.y) / passed)
        spin = wrap_angle(new.angle - last.angle) / math.tau / passed
        return replace(
            new,
            velocity=velocity,
            spin=spin,
            acceleration=(math.hypot(*velocity) - math.hypot(*last.velocity)) / passed,
            spin_up=(spin - last.spin) / passed,
        )


class TuioSender:
    """Sends a live table's objects by UDP, from entering its context to leaving it.

    Nobody answers a datagram: whether somebody listens makes no difference. An address that cannot
    be reached is logged once and tried again with the next frame.
    """

    def __init__(
        self, live: Runner, host: str = HOST, port: int = PORT, told: Told = lambda table: table
    ) -> None:
        try:
            family, _, _, _, to = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        except OSError as error:
            raise BadAddress(f"cannot send TUIO to {host!r}: nobody is called that ({error})") from error
        self._live = live
        self._told_of = told
        self._to: tuple[object, ...] = to
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._news = threading.Event()
        self._stopping = False
        self._told_failure = False
        self._thread = threading.Thread(target=self._run, name="tableref-tuio", daemon=True)

    def __enter__(self) -> TuioSender:
        self._unwatch: Callable[[], None] = self._live.watch(self._news.set)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._unwatch()
        self._stopping = True
        self._news.set()
        self._thread.join(timeout=2.0)
        self._socket.close()

    def _run(self) -> None:
        objects = TuioObjects()
        while not self._stopping:
            self._news.wait(FULL_EVERY)
            self._news.clear()
            moment = self._live.moment
            if moment is None:
                continue
            for data in objects.bundles(self._told_of(moment.table), self._live.clock()):
                self._send(data)

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendto(data, self._to)
        except OSError as error:
            if not self._told_failure:
                log.warning("cannot send TUIO to %s: %s", self._to[0], error)
            self._told_failure = True


def tuio_router(live: Runner, told: Told = lambda table: table) -> APIRouter:
    """TUIO over WebSocket: each binary message is one bundle; `told` is what of a table may leave."""
    router = APIRouter()
    listening: set[WebSocket] = set()

    @router.websocket("/ws/tuio")
    async def serve(web: WebSocket) -> None:
        if len(listening) >= MAX_LISTENERS:
            await web.close(1013, f"more than {MAX_LISTENERS} programs listen to this table already")
            return
        await web.accept()
        listening.add(web)
        try:
            await _serve(web, live, told)
        finally:
            listening.discard(web)

    return router


async def _serve(web: WebSocket, live: Runner, told: Told) -> None:
    news = News()
    unwatch = live.watch(news.wake)
    try:
        await until_gone(_tell(web, live, news, told), _until_gone_away(web))
    finally:
        unwatch()


async def _until_gone_away(web: WebSocket) -> None:
    # Nothing that a listener says is wanted.
    while (await web.receive())["type"] != "websocket.disconnect":
        pass


async def _tell(web: WebSocket, live: Runner, news: News, told: Told) -> None:
    objects = TuioObjects()
    while True:
        await news.wait(FULL_EVERY)
        if (moment := live.moment) is not None:
            # Whether distances are hidden is the game's to say, which may take its time.
            table = await asyncio.to_thread(told, moment.table)
            for data in objects.bundles(table, live.clock()):
                await web.send_bytes(data)

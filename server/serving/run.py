"""Runs the page's server: opens the port, says the address, stops cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import faulthandler
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType, TracebackType

import uvicorn
from fastapi import APIRouter

from engine.errors import TableRefError
from engine.game import answering
from server.disputes.desk import Desk
from server.disputes.frame_buffer import FrameBuffer, FrameCollector
from server.pipeline.runner import Runner
from server.serving.app import create_app
from server.serving.memory import give_back
from server.setup.cameras.phone import LONGEST_MESSAGE
from server.table.questions.rulings import Rulings
from server.web.authentication import authenticator_at
from server.web.certificates import HOST, Certificate, network_address
from server.web.connections import bounded

EVERYWHERE = "0.0.0.0"
PORT = 8014

FIRST_PICTURE_S = 15.0
"""Seconds that a first picture may take before the time that a page is served for begins without one."""

answering.usual = answering.Patience(clock=time.monotonic)

TURNS_S = 1e-4
"""Seconds after which a thread that computes hands the interpreter to one that waits for it.

The thread that sees gives it away with every call into OpenCV and gets it back that much later: with
Python's own 5 ms, a manoeuvre that is recognised beside it makes a frame of 8 ms one of 100.
"""


ENDS_WITHIN_S = 30.0
"""Seconds after which a server that was told to end is ended."""

HELD_UP_S = 60.0
"""Seconds for which a game of another's may hold up the interpreter."""


class PortTaken(TableRefError):
    """The address cannot be opened."""


def listen(host: str = HOST, port: int = PORT) -> socket.socket:
    """An open port; 0 takes any free one. `PortTaken` says what to do otherwise."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # On Windows an address in use could be opened a second time, so it is not asked to be reused.
        opened = socket.create_server((host, port), family=family, backlog=64)
    except OSError as error:
        # Python tells the address a second time, in its own words.
        if error.errno in (errno.EADDRNOTAVAIL, socket.EAI_NONAME, socket.EAI_AGAIN):
            raise PortTaken(
                f"expected an address of this machine for --host but got {host}: --lan takes all it has"
            ) from error
        taken = error.errno == errno.EADDRINUSE
        why = "it is taken" if taken else error.strerror or error
        here = "localhost" if host in (EVERYWHERE, "::") else f"[{host}]" if ":" in host else host
        page = f"If tableref runs already, its page is http://{here}:{port}/ and nothing else is needed. "
        raise PortTaken(
            f"cannot open port {port} of {host}: {why}. {page if taken else ''}"
            f"Another port: --port {port + 1 if port < 65535 else 8014}"
        ) from error
    # Every connection takes this over. Without it an answer waits 40 ms for the other side's acknowledgement.
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def address_of(opened: socket.socket, secure: bool = False) -> str:
    """Where the page is, for people: http://127.0.0.1:8014/, or this machine's address in the network."""
    host, port = opened.getsockname()[:2]
    if host in (EVERYWHERE, "::"):
        host = network_address()
    return f"http{'s' if secure else ''}://{f'[{host}]' if ':' in host else host}:{port}/"


@contextlib.contextmanager
def _told_to_end(stop: Callable[[], None]) -> Iterator[None]:
    """A machine that shuts down ends the table in order, as Ctrl-C does, and the record with it.

    uvicorn takes SIGTERM while it serves, and passes it on to here, where it would end the process at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _watchdog(seconds: float) -> bool:
    """Ends the process in so many seconds, whatever still runs in it, and tells where every thread was.

    It needs no interpreter, which a game may hold up. False where there is nowhere to tell it.
    """
    try:
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__ or sys.stderr)
    except (AttributeError, OSError, RuntimeError, ValueError):
        return False
    return True


class _Server(uvicorn.Server):
    """uvicorn's, which ends in any case once a signal has told it to."""

    told = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """What a signal asks for."""
        self.told = True
        if not _watchdog(ENDS_WITHIN_S):
            late = threading.Timer(ENDS_WITHIN_S, os._exit, (1,))
            late.daemon = True
            late.start()
        super().handle_exit(sig, frame)


class PageServer:
    """Serves one table's page until it is stopped. `live` is started and stopped with it.

    `run` serves in this thread until Ctrl-C, SIGTERM, `stop` or for `seconds` from the first picture; as a
    context manager it serves in a thread of its own. `key` is what the links for others are made from;
    without one they are good for this run alone. `desk` is where disputes are settled, else it is made here.
    `app` is what is served.
    """

    def __init__(
        self,
        live: Runner,
        rulings: Rulings,
        opened: socket.socket,
        certificate: Certificate | None = None,
        routers: Sequence[APIRouter] = (),
        key: bytes | None = None,
        desk: Desk | None = None,
    ) -> None:
        self.live = live
        self.desk = desk or Desk(live, rulings, FrameBuffer())
        self.address = address_of(opened, secure=certificate is not None)
        self.authenticator = authenticator_at(self.address, key)
        self.app = create_app(live, rulings, routers, self.authenticator, self.desk)
        self._socket = opened
        self._thread: threading.Thread | None = None
        self._server = _Server(
            uvicorn.Config(
                self.app,
                log_level="warning",
                server_header=False,
                date_header=False,
                ws_max_size=LONGEST_MESSAGE,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=3,
                lifespan="off",
                **bounded(),
                ssl_certfile=None if certificate is None else certificate.chain,
                ssl_keyfile=None if certificate is None else certificate.key,
            )
        )

    def run(self, seconds: float | None = None, ready: Callable[[str], None] | None = None) -> None:
        """Serves until stopped; `ready` is called with the address once the page answers."""
        with _told_to_end(self.stop):
            self._run(seconds, ready)

    def _run(self, seconds: float | None, ready: Callable[[str], None] | None) -> None:
        sys.setswitchinterval(TURNS_S)
        self.live.start()
        keeper = FrameCollector(self.live, self.desk.ring)
        try:
            # Ctrl-C ends the serving; uvicorn passes it on once it has closed the connections.
            with contextlib.suppress(KeyboardInterrupt):
                asyncio.run(self._serve(seconds, ready))
        finally:
            keeper.close()
            self.live.stop()
            self._socket.close()

    async def _serve(self, seconds: float | None, ready: Callable[[str], None] | None) -> None:
        serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        minding = [asyncio.create_task(self._mind_the_interpreter()), asyncio.create_task(give_back())]
        while not self._server.started and not serving.done():
            await asyncio.sleep(0.01)
        if ready is not None and not serving.done():
            ready(self.address)
        if seconds is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._first_picture(serving), FIRST_PICTURE_S)
            await asyncio.wait([serving], timeout=seconds)
            self.stop()
        await serving
        for task in minding:
            task.cancel()
        await self._let_go()

    async def _mind_the_interpreter(self) -> None:
        """A game of another's that holds up the interpreter itself can be ended by nothing else in it.

        What was acknowledged is on the disk: the process ends, says where it was, and may be started again.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        minded = False
        try:
            while not self._server.should_exit:
                if answering.met():
                    minded = _watchdog(HELD_UP_S)
                await asyncio.sleep(HELD_UP_S / 12)
        finally:
            if minded and not self._server.told:
                faulthandler.cancel_dump_traceback_later()

    async def _let_go(self) -> None:
        """Closes what uvicorn gave up waiting for: connections that came too late to be told that it ends."""
        for connection in list(self._server.server_state.connections):
            connection.transport.abort()
        # Closed in the next turn of the loop, which would end before.
        await asyncio.sleep(0)

    async def _first_picture(self, serving: asyncio.Task[None]) -> None:
        """Until the table has been seen once: a slow start does not count as watching."""
        while self.live.moment is None and not serving.done():
            await asyncio.sleep(0.02)

    def stop(self) -> None:
        """Ends the serving soon; may be called from any thread."""
        self._server.should_exit = True

    def __enter__(self) -> PageServer:
        self._thread = threading.Thread(target=self.run, name="tableref-serves", daemon=True)
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join(timeout=10.0)

"""Bounds on connections, and who may talk to the server."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import APIRouter
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Scope
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from server.web import connections
from server.web.authentication import is_here
from server.web.connections import BoundedProtocol, BoundedSocket
from server.web.middleware import CONTENT_POLICY, Bucket, host_allowed, origin_allowed
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll, hurried, wait_until

STATIC = Path(connections.__file__).parents[1] / "static"


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    source = HandMoved()
    with (
        pytest.MonkeyPatch.context() as patched,
        PageServer(Runner(source, KnowsAll(source)), Rulings.by_book(None), listen(port=0)) as served,
    ):
        patched.setattr(connections, "REQUEST_S", 0.2)
        patched.setattr(connections, "MOST", 40)
        yield served


def dialled(server: PageServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", httpx.URL(server.address).port or 0), timeout=PATIENCE)


@pytest.mark.parametrize(
    "head",
    [b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 20_000, b"GET /" + b"a" * 200_000],
    ids=["headers", "address"],
)
def test_an_endless_head_is_cut_off(server: PageServer, head: bytes) -> None:
    with dialled(server) as one:
        sent = 0
        one.settimeout(PATIENCE)
        with suppress(OSError):
            for _ in range(500):
                sent += one.send(head)
        assert sent < 400 * len(head), "it is read on and on"
    assert httpx.get(f"{server.address}healthz").status_code == 200


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HT", b"POST /api/join HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90\r\n\r\n{"]
)
def test_a_request_that_does_not_come_is_hung_up_on(server: PageServer, begun: bytes) -> None:
    with dialled(server) as one:
        one.sendall(begun)
        try:
            while one.recv(4096):
                pass
        except ConnectionError:
            pass
    assert httpx.get(f"{server.address}healthz").status_code == 200


def asking_for_much(server: PageServer) -> tuple[socket.socket, int]:
    """A connection that has asked for a large file many times, and how many bytes it gets at least."""
    large = max(STATIC.rglob("*.js"), key=lambda file: file.stat().st_size)
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.settimeout(PATIENCE)
    one.connect(("127.0.0.1", httpx.URL(server.address).port or 0))
    head = f"GET /static/{large.relative_to(STATIC).as_posix()} HTTP/1.1\r\nhost: localhost\r\n"
    one.sendall(f"{head}\r\n".encode() * 400 + f"{head}connection: close\r\n\r\n".encode())
    return one, 401 * large.stat().st_size


def test_an_answer_that_nobody_takes_is_not_kept_for_ever(server: PageServer) -> None:
    one, _ = asking_for_much(server)

    def cut_off() -> bool:
        try:
            one.send(b" ")
        except ConnectionError:
            return True
        return False

    with one:
        wait_until("an answer that is not taken is given up", cut_off)
    assert httpx.get(f"{server.address}healthz").status_code == 200


def test_who_takes_all_answers_gets_all_of_them(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", PATIENCE)
    one, least = asking_for_much(server)
    with one:
        got = 0
        while part := one.recv(65536):
            got += len(part)
    assert got > least


class Wire(asyncio.Transport):
    """Holds so many bytes that nobody has taken yet, at one look after another."""

    def __init__(self, *lie: int) -> None:
        super().__init__({"peername": ("127.0.0.1", 5), "sockname": ("127.0.0.1", 8014)})
        self.lie, self.aborted = list(lie), False

    def get_write_buffer_size(self) -> int:
        return self.lie.pop(0)

    def abort(self) -> None:
        self.aborted = True


@pytest.mark.parametrize(
    ("lie", "given_up"),
    [((900, 600, 300, 0), False), ((900, 600, 600), True), ((900, 900), True), ((0,), False)],
    ids=["taken slowly", "taken and then not", "never taken", "taken at once"],
)
def test_only_what_nobody_takes_is_given_up(lie: tuple[int, ...], given_up: bool) -> None:
    async def looked() -> float:
        loop, wire = asyncio.get_running_loop(), Wire(*lie)
        one = BoundedProtocol(uvicorn.Config(None), ServerState(), {}, loop)  # type: ignore[arg-type]
        one.connection_made(wire)
        one._in_time()
        began = loop.time()
        one.pause_writing()
        while one._stuck is not None:
            await asyncio.sleep(connections.REQUEST_S)
        assert (wire.aborted, wire.lie) == (given_up, [])
        return loop.time() - began

    assert hurried(looked()) == pytest.approx(connections.REQUEST_S * (len(lie) - 1))


def test_idle_connections_shut_nobody_out(server: PageServer) -> None:
    def answered() -> bool:
        try:
            return httpx.get(f"{server.address}healthz").status_code == 200
        except httpx.TransportError:
            return False

    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(dialled(server))
        wait_until("the idle to be let go", answered)


MASK, EMPTY = bytes(4), b"\x80"
FLOODS = {
    "pings": b"\x89" + EMPTY + MASK,
    "answers to no ping": b"\x8a" + EMPTY + MASK,
    "parts of a message": b"\x00" + EMPTY + MASK,
    "texts": b"\x81\x81" + MASK + b"x",
    "a message of eight megabytes": b"\x82\xff" + (8 << 20).to_bytes(8) + MASK,
    "one in parts": b"\x00\xfe\xff\xff" + MASK + bytes(0xFFFF),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_page_that_sends_without_end_is_cut_off(server: PageServer, flood: str) -> None:
    """Each frame takes the loop some time, and tens of thousands come with one read of it."""
    with connect(server.address.replace("http", "ws") + "ws", open_timeout=PATIENCE) as page:
        page.recv(timeout=PATIENCE)
        first = b"\x01" + EMPTY + MASK if "parts" in flood else b""
        with suppress(OSError):
            page.socket.sendall(first + (10 if len(FLOODS[flood]) > 99 else 30_000) * FLOODS[flood])
        with pytest.raises(ConnectionClosed):
            deque(iter(lambda: page.recv(timeout=PATIENCE), None), maxlen=0)
    assert httpx.get(f"{server.address}healthz").status_code == 200


def test_what_a_page_sends_passes() -> None:
    """A camera's picture in parts, thirty times a second, and what is said of each picture that is drawn."""
    now = 0.0

    class Frames(BoundedSocket):
        def __init__(self) -> None:
            self._message, self._most = 0, 8 << 20
            self._frames = Bucket(connections.FRAMES_A_SECOND, connections.FRAMES_AT_ONCE, lambda: now)
            self._pings = Bucket(connections.PINGS_A_SECOND, connections.PINGS_AT_ONCE, lambda: now)

    page = Frames()
    for picture in range(300):
        now = picture / 30
        frames = [(2, 16_384), *((0, 16_384) for _ in range(40)), (0, 100), (1, 60)]
        assert all(page._passes(*frame) for frame in frames)
        assert picture % 30 or page._passes(10, 4)


def scope(host: str, client: str = "127.0.0.1", **headers: str) -> Scope:
    raw = [
        (b"host", host.encode()),
        *((k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()),
    ]
    return {"type": "http", "client": (client, 5), "server": ("127.0.0.1", 8014), "headers": raw}


@pytest.mark.parametrize(
    "asked",
    [
        scope("evil.local"), scope("evil.lan"), scope("table"), scope("evil.localhost"), scope(""),
        scope("192.168.1.7"), scope("localhost", "192.168.1.9"),
        scope("localhost", via="1.1 proxy"), scope("localhost", x_real_ip="192.168.1.9"),
        scope("localhost", x_forwarded_host="a"), scope("localhost", forwarded="for=1.2.3.4"),
    ],
)  # fmt: skip
def test_nobody_else_is_this_machine(asked: Scope) -> None:
    assert not is_here(asked)


@pytest.mark.parametrize("host", ["localhost:8014", "127.0.0.1", "[::1]:8014", socket.gethostname()])
def test_this_machine_is_known_by_its_own_names(host: str) -> None:
    assert is_here(scope(host))


def test_a_page_of_another_site_asks_nothing(server: PageServer) -> None:
    asked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert httpx.get(f"{server.address}api/state", headers=asked).status_code == 403
    led = asked | {"sec-fetch-mode": "navigate"}
    assert httpx.get(server.address, headers=led).status_code == 200
    # A link or a new window is no way round: looking through a camera switches it on.
    for path in ("api/sources/0/picture.jpg", "api/state", "api/picture.jpg"):
        assert httpx.get(f"{server.address}{path}", headers=led).status_code == 403
        assert httpx.get(f"{server.address}{path}").status_code != 403


# Guards


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", True),
        ("localhost:8014", True),
        ("127.0.0.1:8014", True),
        ("192.168.178.20:8014", True),
        ("[::1]:8014", True),
        ("raspberrypi:8014", True),
        ("raspberrypi.local", True),
        ("table.fritz.box", False),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("[::1", False),
        ("", False),
    ],
)
def test_hosts(host: str, allowed: bool) -> None:
    assert host_allowed(host) is allowed


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("http://127.0.0.1:8014", True),
        ("https://127.0.0.1:8014", True),
        ("http://127.0.0.1:9999", False),
        ("http://evil.example", False),
        ("http://127.0.0.1:8014.evil.example", False),
        ("http://[", False),
        ("null", False),
        ("", False),
    ],
)
def test_origins(origin: str | None, allowed: bool) -> None:
    assert origin_allowed(origin, "127.0.0.1:8014") is allowed


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_header_breaks_the_guard(origin: str, host: str) -> None:
    assert host_allowed(host) in (True, False)
    assert origin_allowed(origin, host) in (True, False)


def test_the_policy_allows_nothing_from_elsewhere() -> None:
    sources = {s for rule in CONTENT_POLICY.split("; ") for s in rule.split()[1:]}
    assert sources <= {"'none'", "'self'", "blob:", "data:"}


def test_a_bucket_lets_a_burst_pass_and_then_a_rate() -> None:
    now = 0.0
    bucket = Bucket(rate=10, burst=5, clock=lambda: now)
    assert [bucket.pass_one() for _ in range(6)] == [True] * 5 + [False]
    now = 0.25
    assert [bucket.pass_one() for _ in range(3)] == [True, True, False]
    now = 100.0
    assert sum(bucket.pass_one() for _ in range(20)) == 5


def test_a_game_that_exits_ends_no_server() -> None:
    """A plug-in is called from many a route; asyncio ends its loop by a `SystemExit`."""
    source, router = HandMoved(), APIRouter()

    @router.get("/api/leaves")
    def leaves() -> None:
        sys.exit("bye")

    with PageServer(
        Runner(source, KnowsAll(source)), Rulings.by_book(None), listen(port=0), routers=[router]
    ) as served:
        assert httpx.get(f"{served.address}api/leaves").status_code == 500
        assert httpx.get(f"{served.address}healthz").status_code == 200

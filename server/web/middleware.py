"""What is let through to the server: hosts, origins, roles, sizes, rates; and the page's content policy."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.web import authentication
from server.web.authentication import Authenticator, Identity

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(self), geolocation=()",
    "cache-control": "no-cache",
}


def host_allowed(host: str) -> bool:
    """Whether a Host header names this machine rather than a stranger's domain.

    A page of another site can make its own name point here (DNS rebinding), but not an address
    or a name that only means something on this network.

    >>> [host_allowed(h) for h in ("localhost:8000", "192.168.1.7:8000", "[::1]", "table.local")]
    [True, True, True, True]
    >>> [host_allowed(h) for h in ("evil.example", "evil.example:8000", "")]
    [False, False, False]
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name.endswith((".localhost", ".local", ".lan", ".home.arpa")):
        return True
    if name and "." not in name and ":" not in name:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def origin_allowed(origin: str | None, host: str) -> bool:
    """Whether a WebSocket may be opened: by this server's own page, or by a program (no Origin).

    >>> origin_allowed("http://localhost:8000", "localhost:8000"), origin_allowed(None, "localhost:8000")
    (True, True)
    >>> origin_allowed("http://evil.example", "localhost:8000"), origin_allowed("null", "localhost:8000")
    (False, False)
    """
    if origin is None:
        return True
    try:
        return bool(host) and urlsplit(origin).netloc.casefold() == host.casefold()
    except ValueError:
        return False


log = logging.getLogger("tableref.web")


class TurnedAway(HTTPException):
    """A request that is turned away, with its status and a sentence."""


MAX_BODY = 64 * 1024
"""Bytes of one request; what a page sends has a few hundred."""

PICTURES = {"/api/things/look": 4 * 1024 * 1024}
"""Paths at which the owner sends a photograph, with the bytes that one may have."""

REQUESTS_A_SECOND = 40
REQUESTS_AT_ONCE = 300
"""A page begins with some forty files, and a phone may be set down on it again and again."""

FLOOD_RESTS_S = 0.5
"""Seconds after which one who asks too often is told so."""

SOCKETS_EACH = 12
"""WebSockets that one address in the network may hold."""

ADDRESSES_KNOWN = 1024

NO_SECRET = (
    "this table is open to those who were invited: scan the square on its owner's page, or open the link "
    "that was printed at the start"
)


class Guard:
    """Refuses foreign hosts and origins, strangers, what a role may not do, floods, and what is too big.

    `turn_away` makes the answer to a request that is refused. The page's policy is put on every
    answer. This machine itself is not counted: nobody floods their own table by accident.
    """

    def __init__(
        self,
        app: ASGIApp,
        turn_away: Callable[[Scope, TurnedAway], ASGIApp],
        authenticator: Authenticator,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.app = app
        self._rest = rest
        self._turn_away = turn_away
        self._authenticator = authenticator
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or connection."""
        if scope["type"] == "websocket":
            await self._connection(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _connection(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        host, address = headers.get("host", ""), _address(scope)
        who = self._authenticator.who(scope)
        if not (host_allowed(host) and origin_allowed(headers.get("origin"), host)):
            why = "foreign origin"
        elif who is None:
            why = "not invited"
        elif not authentication.may_connect(who.role, scope["path"]):
            why = f"not for a {who.role}"
        elif address and (self._sockets[address] >= SOCKETS_EACH or not self._bucket(address).pass_one()):
            await self._rest(FLOOD_RESTS_S)
            why = "too many connections"
        else:
            scope[authentication.SCOPE_KEY] = who
            self._sockets[address] += 1
            try:
                await self.app(scope, *self._while_good(who, receive, send))
            finally:
                self._sockets[address] -= 1
                if not self._sockets[address]:
                    del self._sockets[address]
            return
        await send({"type": "websocket.close", "code": 1008, "reason": why})

    def _while_good(self, who: Identity, receive: Receive, send: Send) -> tuple[Receive, Send]:
        """Hears and sends until the pass is taken back, and ends the connection then."""
        passes, closed = self._authenticator.passes, False

        async def heard() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or passes.good(who.device):
                return message
            await told(message)
            return {"type": "websocket.disconnect", "code": 1008}

        async def told(message: Message) -> None:
            nonlocal closed
            if closed:
                return
            if not passes.good(who.device):
                closed = True
                message = {"type": "websocket.close", "code": 1008, "reason": "your pass was taken back"}
            await send(message)

        return heard, told

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                outgoing = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    outgoing.setdefault(name, value)
            await send(message)

        try:
            self._let_in(scope)
            await self.app(scope, self._short(scope, receive), with_headers)
        except TurnedAway as turned:
            if turned.status_code == 429:
                # Whoever asks again as soon as they are answered is answered seldom.
                await self._rest(FLOOD_RESTS_S)
            if not begun:
                await self._turn_away(scope, turned)(scope, receive, with_headers)
        except SystemExit:
            # A plug-in's: asyncio would end the server by it.
            log.exception("a request asked tableref to end")
            if not begun and scope["type"] == "http":
                stopped = TurnedAway(500, "the server failed at this; see its log")
                await self._turn_away(scope, stopped)(scope, receive, with_headers)

    def _let_in(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host, method, path = headers.get("host", ""), scope["method"], scope["path"]
        if not host_allowed(host):
            raise TurnedAway(
                400,
                f"this server answers to this machine's own names and addresses, not to {host!r}; "
                "open it by the address that was printed at the start",
            )
        address = _address(scope)
        if address and not self._bucket(address).pass_one():
            raise TurnedAway(429, "too many requests at once from this address; wait a moment")
        # A link elsewhere may lead to a page; what a page asks for does something, or shows what is there.
        led = headers.get("sec-fetch-mode") == "navigate" and not path.startswith("/api/")
        if headers.get("sec-fetch-site") == "cross-site" and not led:
            raise TurnedAway(403, "a page of another site may not ask this; use the table's own page")
        if method not in ("GET", "HEAD", "OPTIONS") and not origin_allowed(headers.get("origin"), host):
            raise TurnedAway(403, "a page of another site may not ask this; use the table's own page")
        if not headers.get("content-length", "0").isdecimal():
            raise TurnedAway(400, "expected a length in bytes as content-length")
        if int(headers.get("content-length", "0")) > _most(path):
            raise TurnedAway(413, f"expected at most {_most(path)} bytes")
        who = self._authenticator.who(scope)
        if who is not None:
            scope[authentication.SCOPE_KEY] = who
        if authentication.open_to_all(path):
            return
        if who is None:
            raise TurnedAway(401, NO_SECRET)
        if not authentication.may(who.role, method, path):
            raise TurnedAway(403, f"a {who.role} may not do this; ask the owner of the table")

    def _bucket(self, address: str) -> Bucket:
        bucket = self._buckets.get(address) or Bucket(REQUESTS_A_SECOND, REQUESTS_AT_ONCE, self._clock)
        self._buckets[address] = bucket
        self._buckets.move_to_end(address)
        while len(self._buckets) > ADDRESSES_KNOWN:
            self._buckets.popitem(last=False)
        return bucket

    @staticmethod
    def _short(scope: Scope, receive: Receive) -> Receive:
        """Reads no more than is allowed of a body whose length was not said."""
        if "content-length" in Headers(scope=scope):
            return receive
        heard, most = 0, _most(scope["path"])

        async def counted() -> Message:
            nonlocal heard
            message = await receive()
            heard += len(message.get("body", b""))
            if heard > most:
                raise TurnedAway(413, f"expected at most {most} bytes")
            return message

        return counted


def _most(path: str) -> int:
    """Bytes that a request for this may have; whoever may not ask is turned away before any is read."""
    return PICTURES.get(path, MAX_BODY)


def _address(scope: Scope) -> str:
    """From where in the network; "" for this machine itself."""
    client = scope.get("client")
    return "" if client is None or authentication.is_here(scope) else str(client[0])


class Bucket:
    """Lets `rate` things a second pass, and `burst` at once.

    >>> now = 0.0
    >>> bucket = Bucket(rate=1.0, burst=2, clock=lambda: now)
    >>> [bucket.pass_one() for _ in range(3)]
    [True, True, False]
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._level, self._at = burst, clock()

    def pass_one(self, weight: float = 1.0) -> bool:
        """Whether one more may pass now, which counts as so many."""
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        if self._level < weight:
            return False
        self._level -= weight
        return True


class Buckets:
    """A bucket for each device, with all its pages together; those that came last are remembered.

    >>> now = 0.0
    >>> each = Buckets(rate=1.0, burst=2, clock=lambda: now)
    >>> [each.of(who).pass_one() for who in ("a", "a", "a", "b")]
    [True, True, False, True]
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._made = partial(Bucket, rate, burst, clock)
        self._known: OrderedDict[Hashable, Bucket] = OrderedDict()

    def of(self, who: Hashable) -> Bucket:
        """The bucket of a device."""
        found = self._known.get(who) or self._made()
        self._known[who] = found
        self._known.move_to_end(who)
        while len(self._known) > ADDRESSES_KNOWN:
            self._known.popitem(last=False)
        return found

"""Who may talk to the server: hosts, origins, the page's own content policy, floods."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
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
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
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


class Guard:
    """Refuses foreign hosts and origins, and puts the page's policy on every answer."""

    def __init__(self, app: ASGIApp, refuse: Callable[[str], ASGIApp]) -> None:
        self.app = app
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or connection."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if scope["type"] == "websocket":
            if not (host_allowed(host) and origin_allowed(headers.get("origin"), host)):
                await send({"type": "websocket.close", "code": 1008, "reason": "foreign origin"})
                return
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                outgoing = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    outgoing.setdefault(name, value)
            await send(message)

        if host_allowed(host):
            await self.app(scope, receive, with_headers)
        else:
            await self._refuse(host)(scope, receive, with_headers)


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

    def pass_one(self) -> bool:
        """Whether one more may pass now."""
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        if self._level < 1.0:
            return False
        self._level -= 1.0
        return True

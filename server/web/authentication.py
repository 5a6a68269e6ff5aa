"""Authentication and roles: this machine, or a link with a secret and the pass it is exchanged for."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from itsdangerous import BadData, Signer, URLSafeTimedSerializer
from platformdirs import user_data_path
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from calibration.whole_files import write_private
from engine.errors import TableRefError
from server.web.passes import LASTS_S, Passes

Role = Literal["owner", "player", "camera", "spectator"]
ROLES: tuple[Role, ...] = get_args(Role)

COOKIE = "tableref"
COOKIE_LASTS = LASTS_S

SCOPE_KEY = "tableref.who"
"""Where the guard leaves who is asking, for whoever answers."""

_KEY_BYTES = 32

PLAYERS_POST = ("/api/disputes",)
"""What players may change over HTTP; everything else that is changed there is the owner's."""

OWNERS_READ = ("/api/links", "/api/passes", "/api/exports")
"""What only the owner may even see."""

OPEN_TO_ALL = ("/join", "/api/join", "/api/leave", "/static/")
"""What is answered before the secret is known: it shows nothing of the table."""

SOCKETS: dict[str, tuple[Role, ...]] = {"/ws/camera": ("owner", "camera")}
"""Connections that are not for every role."""


class NoKey(TableRefError):
    """The key of the links cannot be kept on this computer."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody at a page. `device` tells two phones of the same role apart; "" on this machine."""

    role: Role
    device: str = ""


@dataclass(frozen=True)
class Authenticator:
    """The links to this table, one a role, and the passes that they are exchanged for.

    Everything is derived from one key, so nothing has to be remembered but which passes were taken back, and
    a restart turns nobody away. A new key makes every older link and pass worthless. `address` is
    where the page is for others in the network, None while this machine answers itself alone.
    """

    key: bytes = field(default_factory=lambda: secrets.token_bytes(_KEY_BYTES), repr=False)
    address: str | None = None
    passes: Passes = field(default_factory=Passes, repr=False, compare=False)

    def secret(self, role: Role) -> str:
        """What the link of a role carries: 256 bits.

        >>> links = Authenticator(bytes(32))
        >>> len(links.secret("player")), links.secret("player") == links.secret("spectator")
        (43, False)
        """
        return self._links.get_signature(role).decode()

    def link(self, role: Role, to: str = "") -> str | None:
        """The link of a role, to the page at the path `to` or to the one that it is for.

        The secret stands behind the #: browsers send that to nobody, so it comes into no log.
        """
        if self.address is None:
            return None
        return f"{self.address}join{f'?to={to}' if to else ''}#{self.secret(role)}"

    def role_of(self, secret: str) -> Role | None:
        """Whose secret this is. Every comparison is made, each in constant time."""
        given = secret.encode("utf-8", "replace")
        matches = [role for role in ROLES if self._links.verify_signature(role, given)]
        return matches[0] if matches else None

    def issue(self, role: Role, before: Identity | None = None) -> str:
        """A pass for a device that showed the role's secret.

        One that had a pass `before` is the same device: scanning again gives nobody a second seat. One that
        only looks on from now on has none.
        """
        if before is not None and before.role == "player" and role in ("camera", "spectator"):
            self.passes.changed(before.device)
        return self.pass_for(Identity(role, before.device if before else secrets.token_hex(8)))

    def pass_for(self, who: Identity) -> str:
        """The pass of a device, for its cookie."""
        return self._passes.dumps([who.role, who.device])

    def bearer(self, token: str) -> Identity | None:
        """Who shows this pass; None for one that was not issued here, or longer ago than its cookie lasts.

        >>> authenticator = Authenticator(bytes(32))
        >>> authenticator.bearer(authenticator.pass_for(Identity("player", "0123456789abcdef")))
        Identity(role='player', device='0123456789abcdef')
        >>> authenticator.bearer("owner.0123456789abcdef.forged") is None
        True
        """
        try:
            (role, device), issued = self._passes.loads(token, return_timestamp=True)
        except BadData:
            return None
        # Not by the library's own limit, which also refuses passes of the future: a machine without a
        # battery for its clock wakes up in the past, and a restart turns nobody away.
        if (datetime.now(UTC) - issued).total_seconds() > COOKIE_LASTS:
            return None
        return Identity(role, device) if self.passes.good(device) else None

    def by_cookie(self, headers: Headers) -> Identity | None:
        """Whose pass is in a cookie."""
        found = (self.bearer(token) for cookie in headers.getlist("cookie") if (token := _cookie(cookie)))
        return next(filter(None, found), None)

    def who(self, scope: Scope) -> Identity | None:
        """Who asks. A pass counts first, so that the owner can look as a player does.

        Without one, whoever sits at this machine owns the table.
        """
        headers = Headers(scope=scope)
        if (known := self.by_cookie(headers)) is not None:
            self.passes.showed(known.role, known.device, headers.get("user-agent", ""))
            return known
        if is_here(scope):
            return Identity("owner")
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        role = self.role_of(secret.strip()) if scheme.casefold() == "bearer" else None
        return None if role is None else Identity(role, hashlib.sha256(secret.encode()).hexdigest()[:16])

    @property
    def _links(self) -> Signer:
        return Signer(self.key, salt="tableref link", digest_method=hashlib.sha256)

    @property
    def _passes(self) -> URLSafeTimedSerializer:
        how = {"digest_method": hashlib.sha256}
        return URLSafeTimedSerializer(self.key, salt="tableref pass", signer_kwargs=how)


def authenticator_at(address: str, key: bytes | None = None) -> Authenticator:
    """The authenticator of a server at this address; it has links only if others can reach it."""
    alone = urlsplit(address).hostname in ("127.0.0.1", "::1", "localhost")
    shown = None if alone else address
    return Authenticator(address=shown) if key is None else Authenticator(key, shown)


def _cookie(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def may(role: Role, method: str, path: str) -> bool:
    """Whether a role may ask this over HTTP: all look, the owner changes.

    >>> may("spectator", "GET", "/api/state"), may("player", "POST", "/api/calibrate/solve")
    (True, False)
    """
    if role == "owner":
        return True
    if any(_under(path, owners) for owners in OWNERS_READ):
        return False
    if method in ("GET", "HEAD", "OPTIONS"):
        return True
    return role == "player" and any(_under(path, theirs) for theirs in PLAYERS_POST)


def may_connect(role: Role, path: str) -> bool:
    """Whether a role may hold this WebSocket.

    >>> may_connect("spectator", "/ws"), may_connect("spectator", "/ws/camera")
    (True, False)
    """
    return role in SOCKETS.get(path, ROLES)


def open_to_all(path: str) -> bool:
    """Whether this is answered to everybody in the network.

    >>> open_to_all("/static/common/app.css"), open_to_all("/join"), open_to_all("/joined"), open_to_all("/")
    (True, True, False, False)
    """
    return any(_under(path, known) for known in OPEN_TO_ALL)


def _under(path: str, known: str) -> bool:
    return path == known or path.startswith(known if known.endswith("/") else known + "/")


def who_asks(connection: HTTPConnection) -> Identity:
    """Who is asking, as the guard has found out."""
    who = connection.scope.get(SCOPE_KEY)
    return who if isinstance(who, Identity) else Identity("spectator")


def owner_is_here(connection: HTTPConnection) -> bool:
    """Whether it is the owner who asks, at this machine itself: paths on its disk are for nobody else."""
    return is_here(connection.scope) and who_asks(connection).role == "owner"


PROXIED = ("forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip")
"""Headers by which a proxy says that it speaks for others; besides those that begin with x-forwarded."""


def is_here(scope: Scope) -> bool:
    """Whether a connection comes from this machine itself, to one of its own names or addresses.

    A proxy on it speaks for others, and so does a page of another site whose name was made to point here.
    """
    headers = Headers(scope=scope)
    if any(name in PROXIED or name.startswith("x-forwarded") for name in headers):
        return False
    client, server = scope.get("client"), scope.get("server")
    own = server[0] if server else None
    return own_host(headers.get("host", ""), own) and asked_here(client[0] if client else None, own)


def own_host(host: str, own: str | None) -> bool:
    """Whether a Host header is this machine's own name, or the address `own` that was asked.

    >>> own_host("localhost:8014", None), own_host("127.0.0.1", None), own_host("[::1]:8014", None)
    (True, True, True)
    >>> own_host("192.168.1.7:8014", "192.168.1.7"), own_host("192.168.1.8", "192.168.1.7")
    (True, False)
    >>> [own_host(name, "127.0.0.1") for name in ("evil.local", "evil.lan", "evil", "x.localhost", "")]
    [False, False, False, False, False]
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        called = socket.gethostname().casefold()
        if name in {"localhost", called, called.split(".")[0], f"{called.split('.')[0]}.local"}:
            return bool(name)
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or name == own


def asked_here(client: str | None, own: str | None) -> bool:
    """Whether a connection from the address `client` to this machine's address `own` is its own.

    >>> asked_here("127.0.0.1", "127.0.0.1"), asked_here("192.168.1.7", "192.168.1.7")
    (True, True)
    >>> asked_here("192.168.1.9", "192.168.1.7"), asked_here(None, None)
    (False, False)
    """
    try:
        address = ipaddress.ip_address(client or "")
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback or client == own


def key_file() -> Path:
    """Where the key of the links is kept on this computer."""
    return user_data_path("tableref", appauthor=False) / "links.key"


def passes_file() -> Path:
    """Where it is kept on this computer which passes were taken back."""
    return key_file().with_name("passes.json")


def kept_key(file: Path, *, anew: bool = False) -> bytes:
    """The key of the links, made the first time and whenever it is wanted anew.

    Only the file's owner may read it. `NoKey` if it cannot be written.
    """
    if not anew:
        try:
            key = bytes.fromhex(file.read_text(encoding="ascii"))
            if len(key) == _KEY_BYTES:
                return key
        except (OSError, ValueError):
            # None yet, or not one of ours: a new one takes its place.
            pass
    key = secrets.token_bytes(_KEY_BYTES)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, key.hex().encode())
    except OSError as error:
        raise NoKey(
            f"cannot keep the key of the links in {file}: {error.strerror or error}; make its folder writable"
        ) from error
    return key

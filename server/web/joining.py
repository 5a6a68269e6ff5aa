"""Joining a table: the links to hand out, on the page and in the terminal, and the pass for each."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Annotated

import segno
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from engine.errors import NotAllowed, NotThere, TooMuch
from server.formats import units
from server.formats.terminal import Terminal
from server.web.authentication import COOKIE, COOKIE_LASTS, ROLES, Authenticator, Role, who_asks
from server.web.certificates import Certificate, fingerprint
from server.web.messages import Model, Name, answers, refusals
from server.web.middleware import Bucket
from server.web.pages import add_pages

LANDING: dict[Role, str] = {"owner": "/play", "player": "/play", "camera": "/camera", "spectator": "/screen"}
"""The page that a role's link leads to."""

ALONE = "This machine answers itself alone. Start tableref with --lan, and phones in the network may join."


class Secret(Model):
    """What a link carried."""

    secret: Annotated[str, Field(min_length=1, max_length=200)]


class Joined(Model):
    """Who somebody is, and the page to open."""

    role: Role
    page: str


class LinkView(Model):
    """A link to hand out; `square` is where its picture to scan is."""

    role: Role
    link: str
    square: str


class Links(Model):
    """The links to this table. `why` says why there are none."""

    links: list[LinkView]
    why: str | None


class PassView(Model):
    """A device that came in by a link, and when it was seen last."""

    device: str
    role: str
    words: str
    seen_words: str


LEAVE_A_SECOND, LEAVE_AT_ONCE = 0.2, 30
"""Passes that are given back: each is remembered for as long as it would be good."""


def joining(authenticator: Authenticator, clock: Callable[[], float] = time.monotonic) -> APIRouter:
    """What joining the table asks for."""
    router = APIRouter()
    leaving = Bucket(LEAVE_A_SECOND, LEAVE_AT_ONCE, clock)
    refused = refusals({403: "Not invited"})
    nothing = refusals({404: "No links"})
    unknown = refusals({403: "Not by the owner", 404: "No such device"})

    add_pages(router, "join")

    @router.post("/api/join", response_model=Joined, responses=refused)
    def join(request: Request, response: Response, asked: Secret) -> Joined:
        """Exchanges the secret of a link for a pass, kept in a cookie that no script can read."""
        role = authenticator.role_of(asked.secret)
        if role is None:
            raise NotAllowed("this link is not or no longer good; ask for the one of today")
        response.set_cookie(
            COOKIE,
            authenticator.issue(role, authenticator.by_cookie(request.headers)),
            max_age=COOKIE_LASTS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return Joined(role=role, page=LANDING[role])

    @router.post("/api/leave", status_code=204)
    def leave(request: Request, response: Response) -> None:
        """Gives the pass back: it is good for nobody any more. On this machine one is the owner again."""
        who = authenticator.by_cookie(request.headers)
        if who is not None:
            if not leaving.pass_one():
                raise TooMuch("too many devices leave at once; wait a moment")
            authenticator.passes.take_back(who.device)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=request.url.scheme == "https")

    @router.get("/api/me", response_model=Joined)
    def me(request: Request) -> Joined:
        """Who asks."""
        role = who_asks(request).role
        return Joined(role=role, page=LANDING[role])

    @router.get("/api/passes", response_model=list[PassView])
    def passes(request: Request) -> list[PassView]:
        """The other devices that have come in, for the owner."""
        return [
            PassView(
                device=one.device, role=one.role, words=one.words, seen_words=f"seen {units.seconds(ago)} ago"
            )
            for one, ago in authenticator.passes.shown()
            if one.device != who_asks(request).device
        ]

    @router.delete("/api/passes/{device}", status_code=204, responses=unknown)
    def take_back(device: Name) -> None:
        """Takes the pass of a device back: what it has open is closed with the next message."""
        if all(one.device != device for one, _ in authenticator.passes.shown()):
            raise NotThere(f"no device {device!r} has come in since the start")
        authenticator.passes.take_back(device)

    @router.get("/api/links", response_model=Links)
    def links() -> Links:
        """The links to hand out, for the owner."""
        views = [
            LinkView(role=role, link=link, square=f"/api/links/square.svg?role={role}")
            for role in ROLES
            if (link := authenticator.link(role))
        ]
        return Links(links=views, why=None if views else ALONE)

    @router.get(
        "/api/links/square.svg",
        response_class=Response,
        responses=nothing | answers("A QR code", "image/svg+xml"),
    )
    def link_square(role: Annotated[Role, Query()] = "player") -> Response:
        """A link as a square to scan."""
        link = authenticator.link(role)
        if link is None:
            raise NotThere(ALONE)
        return Response(square_svg(link), media_type="image/svg+xml")

    return router


def square_svg(text: str) -> bytes:
    """A QR code as a drawing, black on white in any theme."""
    drawn = io.BytesIO()
    code = segno.make(text, error="M", micro=False)
    code.save(drawn, kind="svg", border=3, dark="#000", light="#fff", omitsize=True, nl=False)
    return drawn.getvalue()


def invite(
    console: Terminal, authenticator: Authenticator, as_camera: bool, certificate: Certificate | None
) -> None:
    """Prints the links by which others come in: players, spectators, and a phone as the camera."""
    if authenticator.address is None:
        if certificate is not None or as_camera:
            console.print("Only this machine reaches that page; --lan lets phones in.")
        return
    camera = authenticator.link("camera")
    first = camera if as_camera else authenticator.link("player")
    if as_camera:
        console.print(f"The phone that is the camera: {camera}")
    console.print(f"Players join: {authenticator.link('player')}")
    console.print(f"Spectators: {authenticator.link('spectator')}")
    if certificate is not None:
        console.print(
            "A phone warns once, for nobody else vouches for this machine. The certificate that it shows "
            f"should have the SHA-256 fingerprint {fingerprint(certificate)}",
            emoji=False,  # ":CD:" is two digits here and no disc
        )
    # A log or a pipe has no use for it, and not every one can take its blocks.
    if console.is_terminal and console.encoding.startswith("utf") and first:
        console.file.write(square(first))


def square(text: str) -> str:
    """A QR code of half-height blocks, for a terminal.

    >>> len(square("https://192.168.1.20:8014/join#0123456789abcdefghijkl").splitlines()) < 25
    True
    """
    drawn = io.StringIO()
    segno.make(text, error="L", micro=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue()

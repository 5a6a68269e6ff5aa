"""Tells others how to come to the table: the links, and the first as a square to scan."""

from __future__ import annotations

import io

import segno
from rich.console import Console

from server.serving.run import Certificate
from server.web.authentication import Authenticator
from server.web.certificates import fingerprint


def invite(
    console: Console, authenticator: Authenticator, as_camera: bool, certificate: Certificate | None
) -> None:
    """Prints the links by which others come in: players, those who look on, and a phone as the camera."""
    if authenticator.address is None:
        if certificate is not None or as_camera:
            console.print("Only this machine reaches that page; --lan lets phones in.", markup=False)
        return
    camera = authenticator.link("camera")
    first = camera if as_camera else authenticator.link("player")
    if as_camera:
        console.print(f"The phone that is the camera: {camera}", markup=False)
    console.print(f"Players join: {authenticator.link('player')}", markup=False)
    console.print(f"To look on: {authenticator.link('spectator')}", markup=False)
    if certificate is not None:
        console.print(
            "A phone warns once, for nobody else vouches for this machine. The certificate that it shows "
            f"should have the SHA-256 fingerprint {fingerprint(certificate)}",
            markup=False,
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

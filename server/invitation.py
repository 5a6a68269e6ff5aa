"""Tells a phone where the page is: its address, and the same as a square to scan."""

from __future__ import annotations

import io
from urllib.parse import urlsplit

import segno
from rich.console import Console

from server.certificates import fingerprint
from server.serving import Certificate

_HERE_ONLY = ("127.0.0.1", "::1", "localhost")


def invite_phone(console: Console, address: str, as_camera: bool, certificate: Certificate | None) -> None:
    """Prints what a phone needs to open the page at `address`, or its camera page."""
    if urlsplit(address).hostname in _HERE_ONLY:
        if certificate is not None or as_camera:
            console.print("Only this machine reaches that page; --host 0.0.0.0 lets phones in.", markup=False)
        return
    target = f"{address}camera" if as_camera else address
    if as_camera or certificate is not None:
        console.print(f"On a phone: {target}", markup=False)
    if certificate is not None:
        console.print(
            "The phone warns once, for nobody else vouches for this machine. The certificate that it shows "
            f"should have the SHA-256 fingerprint {fingerprint(certificate)}",
            markup=False,
        )
    # A log or a pipe has no use for it, and not every one can take its blocks.
    if console.is_terminal and console.encoding.startswith("utf") and (as_camera or certificate is not None):
        console.file.write(square(target))


def square(text: str) -> str:
    """A QR code of half-height blocks, for a terminal.

    >>> len(square("https://192.168.1.20:8014/camera").splitlines()) < 25
    True
    """
    drawn = io.StringIO()
    segno.make(text, error="L", micro=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue()

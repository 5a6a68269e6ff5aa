"""What is printed for a phone."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from server.certificates import fingerprint, kept_certificate
from server.invitation import invite_phone, square

NETWORK, HERE = "192.168.1.20:8014/", "127.0.0.1:8014/"


@pytest.mark.parametrize(
    ("address", "as_camera", "secure", "said"),
    [
        (f"http://{HERE}", False, False, ""),
        (f"http://{NETWORK}", False, False, ""),
        (f"http://{HERE}", True, False, "--host 0.0.0.0"),
        (f"https://{HERE}", False, True, "--host 0.0.0.0"),
        (f"http://{NETWORK}", True, False, f"On a phone: http://{NETWORK}camera"),
        (f"https://{NETWORK}", False, True, f"On a phone: https://{NETWORK}\n"),
    ],
)
def test_says_what_a_phone_needs(
    tmp_path: Path, address: str, as_camera: bool, secure: bool, said: str
) -> None:
    printed = io.StringIO()
    certificate = kept_certificate(tmp_path, ["192.168.1.20"], datetime.now(UTC)) if secure else None
    console = Console(file=printed, force_terminal=False, soft_wrap=True)
    invite_phone(console, address, as_camera, certificate)
    text = printed.getvalue()
    assert said in text
    assert bool(text) == bool(said)
    assert (certificate is not None and fingerprint(certificate) in text) == ("fingerprint" in text)


def test_a_terminal_gets_the_square() -> None:
    printed = io.StringIO()
    invite_phone(Console(file=printed, force_terminal=True), f"http://{NETWORK}", True, None)
    assert printed.getvalue().endswith(square(f"http://{NETWORK}camera"))

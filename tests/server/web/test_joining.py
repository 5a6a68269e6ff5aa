"""What is printed for a phone."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from server.web.authentication import Role, authenticator_at
from server.web.certificates import fingerprint, kept_certificate
from server.web.joining import invite, square

KEY = bytes(32)
NETWORK, HERE = "192.168.1.20:8014/", "127.0.0.1:8014/"


@pytest.mark.parametrize(
    ("address", "as_camera", "secure", "said"),
    [
        (f"http://{HERE}", False, False, ""),
        (f"http://{HERE}", True, False, "--lan"),
        (f"https://{HERE}", False, True, "--lan"),
        (f"http://{NETWORK}", False, False, f"Players join: http://{NETWORK}join#"),
        (f"http://{NETWORK}", False, False, f"Spectators: http://{NETWORK}join#"),
        (f"http://{NETWORK}", True, False, f"camera: http://{NETWORK}join#"),
        (f"https://{NETWORK}", False, True, f"Players join: https://{NETWORK}join#"),
    ],
)
def test_says_how_others_come_in(
    tmp_path: Path, address: str, as_camera: bool, secure: bool, said: str
) -> None:
    printed = io.StringIO()
    certificate = kept_certificate(tmp_path, ["192.168.1.20"], datetime.now(UTC)) if secure else None
    console = Console(file=printed, force_terminal=False, soft_wrap=True)
    invite(console, authenticator_at(address, KEY), as_camera, certificate)
    text = printed.getvalue()
    assert said in text
    assert bool(text) == bool(said)
    assert (certificate is not None and fingerprint(certificate) in text) == ("fingerprint" in text)


def test_the_owners_link_is_not_printed() -> None:
    authenticator, printed = authenticator_at(f"http://{NETWORK}", KEY), io.StringIO()
    invite(Console(file=printed, force_terminal=True), authenticator, True, None)
    assert authenticator.secret("owner") not in printed.getvalue()


@pytest.mark.parametrize(("as_camera", "role"), [(True, "camera"), (False, "player")])
def test_a_terminal_gets_the_square(as_camera: bool, role: Role) -> None:
    authenticator, printed = authenticator_at(f"http://{NETWORK}", KEY), io.StringIO()
    invite(Console(file=printed, force_terminal=True), authenticator, as_camera, None)
    link = authenticator.link(role)
    assert link is not None
    assert printed.getvalue().endswith(square(link))


def test_a_fingerprint_is_printed_digit_by_digit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.web.joining.fingerprint", lambda _: "B1:CD:C5:AB:A0")
    printed = io.StringIO()
    certificate = kept_certificate(tmp_path, ["192.168.1.20"], datetime.now(UTC))
    invite(
        Console(file=printed, soft_wrap=True), authenticator_at(f"https://{NETWORK}", KEY), False, certificate
    )
    assert "B1:CD:C5:AB:A0" in printed.getvalue()

"""How phones come in: the machine's own certificate, and what is printed for them."""

from __future__ import annotations

import io
import os
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509

from server.formats.terminal import Terminal
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from server.web.authentication import Role, authenticator_at
from server.web.certificates import CertificateError, fingerprint, network_address
from server.web.joining import invite, square
from server.web.own_certificate import RENEWED_BEFORE, VALID, kept_certificate, own_names
from tests.server.fakes import HandMoved, KnowsAll

NOW = datetime.now(UTC)
NAMES = ("localhost", "127.0.0.1", "192.168.1.20", "table.local")


def loaded(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_it_stands_for_the_names_and_vouches_for_nothing_else(tmp_path: Path) -> None:
    certificate = loaded(kept_certificate(tmp_path, NAMES, NOW).chain)
    held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert set(held.get_values_for_type(x509.DNSName)) == {"localhost", "table.local"}
    assert {str(a) for a in held.get_values_for_type(x509.IPAddress)} == {"127.0.0.1", "192.168.1.20"}
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


@pytest.mark.parametrize(
    ("names", "later", "same"),
    [
        (NAMES, timedelta(0), True),
        (NAMES[:2], timedelta(days=30), True),
        (NAMES, VALID - RENEWED_BEFORE, False),
        (NAMES, 2 * VALID, False),
        ((*NAMES, "10.0.0.7"), timedelta(0), False),
    ],
    ids=["at once", "fewer names", "runs out soon", "has run out", "another address"],
)
def test_it_is_kept_while_it_serves(
    tmp_path: Path, names: tuple[str, ...], later: timedelta, same: bool
) -> None:
    first = fingerprint(kept_certificate(tmp_path, NAMES, NOW))
    assert (fingerprint(kept_certificate(tmp_path, names, NOW + later)) == first) is same


def test_a_damaged_one_is_made_anew(tmp_path: Path) -> None:
    file = kept_certificate(tmp_path, NAMES, NOW).chain
    file.write_bytes(file.read_bytes()[:300])
    kept_certificate(tmp_path, NAMES, NOW)
    assert loaded(file).not_valid_after_utc > NOW


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_nobody_else_may_read_the_key(tmp_path: Path) -> None:
    file = kept_certificate(tmp_path / "new", NAMES, NOW).key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(CertificateError, match="--certificate and --key"):
        kept_certificate(tmp_path / "file", NAMES, NOW)


def test_own_names_are_what_is_typed_into_a_browser() -> None:
    names = own_names("0.0.0.0")
    assert {"localhost", "127.0.0.1", network_address()} <= set(names)
    assert "0.0.0.0" not in names
    assert "10.1.2.3" in own_names("10.1.2.3")


def test_a_browser_that_trusts_it_opens_the_page(tmp_path: Path) -> None:
    certificate = kept_certificate(tmp_path, own_names(), NOW)
    source = HandMoved()
    live = Runner(source, KnowsAll(source))
    with PageServer(live, Rulings.by_book(None), listen(port=0), certificate) as server:
        trusting = ssl.create_default_context(cafile=str(certificate.chain))
        assert httpx.get(server.address, verify=trusting).status_code == 200
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            httpx.get(server.address)


# What is printed


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
    console = Terminal(file=printed, force_terminal=False)
    invite(console, authenticator_at(address, KEY), as_camera, certificate)
    text = printed.getvalue()
    assert said in text
    assert bool(text) == bool(said)
    assert (certificate is not None and fingerprint(certificate) in text) == ("fingerprint" in text)


def test_the_owners_link_is_not_printed() -> None:
    authenticator, printed = authenticator_at(f"http://{NETWORK}", KEY), io.StringIO()
    invite(Terminal(file=printed, force_terminal=True), authenticator, True, None)
    assert authenticator.secret("owner") not in printed.getvalue()


@pytest.mark.parametrize(("as_camera", "role"), [(True, "camera"), (False, "player")])
def test_a_terminal_gets_the_square(as_camera: bool, role: Role) -> None:
    authenticator, printed = authenticator_at(f"http://{NETWORK}", KEY), io.StringIO()
    invite(Terminal(file=printed, force_terminal=True), authenticator, as_camera, None)
    link = authenticator.link(role)
    assert link is not None
    assert printed.getvalue().endswith(square(link))


def test_a_fingerprint_is_printed_digit_by_digit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.web.joining.fingerprint", lambda _: "B1:CD:C5:AB:A0")
    printed = io.StringIO()
    certificate = kept_certificate(tmp_path, ["192.168.1.20"], datetime.now(UTC))
    invite(Terminal(file=printed), authenticator_at(f"https://{NETWORK}", KEY), False, certificate)
    assert "B1:CD:C5:AB:A0" in printed.getvalue()

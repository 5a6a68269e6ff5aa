"""A certificate of this machine's own, so that a phone's browser lets the page use its camera.

Imported where one is asked for: what makes it takes ten megabytes.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from platformdirs import user_data_path

from calibration.whole_files import write_private
from server.web.certificates import HOST, Certificate, CertificateError, network_address

VALID = timedelta(days=365)
"""Phones refuse certificates that live longer than about two years."""

RENEWED_BEFORE = timedelta(days=14)
_CLOCKS_DIFFER = timedelta(days=1)


def certificates_folder() -> Path:
    """Where the certificate is kept on this computer."""
    return user_data_path("tableref", appauthor=False) / "certificates"


def own_names(host: str = HOST) -> tuple[str, ...]:
    """By what a browser may call this machine: names and addresses, `host` among them."""
    called = socket.gethostname()
    names = {"localhost", "127.0.0.1", "::1", network_address(), host}
    if called:
        names |= {called, f"{called.split('.')[0]}.local"}
        with contextlib.suppress(OSError):
            names |= {str(found[4][0]).split("%")[0] for found in socket.getaddrinfo(called, None)}
    return tuple(sorted(name for name in names if _name(name) is not None))


def kept_certificate(folder: Path, names: Iterable[str], now: datetime) -> Certificate:
    """The certificate in `folder`; made anew if it is missing, runs out soon or lacks one of `names`.

    Certificate and key are one file that only its owner may read. `now` has a time zone.
    `CertificateError` if the folder cannot be written.
    """
    file = folder / "tableref.pem"
    wanted = tuple(sorted(set(names)))
    if not _still_good(file, wanted, now):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_private(file, _made(wanted, now))
        except OSError as error:
            raise CertificateError(
                f"cannot keep a certificate in {folder}: {error.strerror or error}; "
                "make the folder writable, or give your own with --certificate and --key"
            ) from error
    return Certificate(file, file)


def _name(text: str) -> x509.GeneralName | None:
    """A name or address as certificates hold it; None for what cannot be in one."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return x509.DNSName(text) if text.isascii() and text else None
    return None if address.is_unspecified else x509.IPAddress(address)


def _still_good(file: Path, wanted: tuple[str, ...], now: datetime) -> bool:
    try:
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
        held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        Certificate(file, file)
    except (OSError, ValueError, x509.ExtensionNotFound, CertificateError):
        return False
    in_time = certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc - RENEWED_BEFORE
    return in_time and all(_name(name) in held for name in wanted)


def _made(names: tuple[str, ...], now: datetime) -> bytes:
    """Key and self-signed certificate, PEM. It can vouch for this machine and for nothing else."""
    key = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tableref on this machine")])
    begins = now.astimezone(UTC) - _CLOCKS_DIFFER
    alternatives = [name for text in names if (name := _name(text)) is not None]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + VALID)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + certificate.public_bytes(Encoding.PEM)

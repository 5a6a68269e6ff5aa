"""The certificate of a server that is asked over https, and by which address others find it."""

from __future__ import annotations

import hashlib
import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

from engine.errors import TableRefError

HOST = "127.0.0.1"

_FIRST = re.compile(rf"{ssl.PEM_HEADER}.*?{ssl.PEM_FOOTER}", re.DOTALL)


@dataclass(frozen=True)
class Certificate:
    """The files that let a phone talk to the server over https: certificate and private key, PEM."""

    chain: Path
    key: Path

    def __post_init__(self) -> None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.chain, self.key)
        except (OSError, ssl.SSLError) as error:
            raise CertificateError(
                f"cannot use the certificate {self.chain} with the key {self.key}: {error}; "
                "both must be PEM files that belong together"
            ) from error


class CertificateError(TableRefError):
    """A certificate or key that cannot be used."""


def network_address() -> str:
    """This machine's address for others in its network; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: this only asks by which of its addresses the machine would speak.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return HOST
        return str(probe.getsockname()[0])


def fingerprint(certificate: Certificate) -> str:
    """What a browser shows of it (SHA-256), so that whoever is asked to go on can compare."""
    found = _FIRST.search(certificate.chain.read_text("ascii"))
    assert found is not None  # it was loaded before
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(found[0])).digest().hex(":").upper()

"""The signing key of an installation: what it seals can be told from what others seal (Ed25519).

What signs is imported with the first signature: it takes ten megabytes.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_path

from calibration.whole_files import FileError, write_private

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_BYTES = 32

_ABOUT = b"tableref seal 1\n"
"""What is signed begins so: a signature is for seals and for nothing else."""


class SigningKey:
    """The private key of this installation: `KEY_BYTES` bytes, else `ValueError`."""

    def __init__(self, private: bytes) -> None:
        if len(private) != KEY_BYTES:
            raise ValueError(f"expected {KEY_BYTES} bytes but got {len(private)}")
        self._private = private

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

        return Ed25519PrivateKey.from_private_bytes(self._private)

    @cached_property
    def public(self) -> str:
        """Its other half, 64 hexadecimal digits."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, seal: str) -> str:
        """The signature of a seal, 128 hexadecimal digits; always the same for the same."""
        return self._key.sign(_ABOUT + seal.encode()).hex()


def is_signed(seal: str, signature: str, public: str) -> bool:
    """Whether the holder of the key with this public half has signed the seal.

    >>> key = SigningKey(bytes(KEY_BYTES))
    >>> is_signed("ab12", key.sign("ab12"), key.public), is_signed("ab13", key.sign("ab12"), key.public)
    (True, False)
    >>> is_signed("ab12", "", key.public), is_signed("ab12", key.sign("ab12"), "no key")
    (False, False)
    """
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), _ABOUT + seal.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def signing_key_file() -> Path:
    """Where the key is kept on this computer."""
    return user_data_path("tableref", appauthor=False) / "signing.key"


def kept_signing_key(file: Path, *, make: bool = True) -> SigningKey | None:
    """The key of this installation, made the first time unless told otherwise, readable by its owner alone.

    `FileError` if it cannot be kept, or is none: it is never replaced, for seals of before name it.
    """
    try:
        return SigningKey(bytes.fromhex(file.read_text("ascii")))
    except FileNotFoundError:
        if not make:
            return None
    except (OSError, ValueError) as error:
        raise FileError(
            f"cannot read the signing key in {file}: {error}; put its copy in its place"
        ) from error
    private = secrets.token_bytes(KEY_BYTES)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, private.hex().encode())
    except OSError as error:
        raise FileError(f"cannot keep the signing key in {file}: {error.strerror or error}") from error
    return SigningKey(private)

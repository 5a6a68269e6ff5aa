"""The signing key of an installation: what it seals can be told from what others seal (Ed25519)."""

from __future__ import annotations

from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from platformdirs import user_data_path

from server.formats.files import FileError, write_private

_ABOUT = b"tableref seal 1\n"
"""What is signed begins so: a signature is for seals and for nothing else."""


class SigningKey:
    """The private key of this installation. `public` is its other half, 64 hexadecimal digits."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw().hex()

    def sign(self, seal: str) -> str:
        """The signature of a seal, 128 hexadecimal digits; always the same for the same."""
        return self._key.sign(_ABOUT + seal.encode()).hex()


def is_signed(seal: str, signature: str, public: str) -> bool:
    """Whether the holder of the key with this public half has signed the seal.

    >>> key = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    >>> is_signed("ab12", key.sign("ab12"), key.public), is_signed("ab13", key.sign("ab12"), key.public)
    (True, False)
    >>> is_signed("ab12", "", key.public), is_signed("ab12", key.sign("ab12"), "no key")
    (False, False)
    """
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
        return SigningKey(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(file.read_text("ascii"))))
    except FileNotFoundError:
        if not make:
            return None
    except (OSError, ValueError) as error:
        raise FileError(
            f"cannot read the signing key in {file}: {error}; put its copy in its place"
        ) from error
    key = Ed25519PrivateKey.generate()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, key.private_bytes_raw().hex().encode())
    except OSError as error:
        raise FileError(f"cannot keep the signing key in {file}: {error.strerror or error}") from error
    return SigningKey(key)

"""Open Sound Control 1.0, as much of it as TUIO needs: messages of text and numbers, in bundles."""

from __future__ import annotations

import struct
from collections.abc import Sequence

BUNDLE = b"#bundle\0"

AT_ONCE = struct.pack(">Q", 1)
"""The time tag that means: act on it as soon as it arrives."""


def message(address: str, *arguments: str | int | float) -> bytes:
    r"""One message: its address, its arguments' types, the arguments; each padded to four bytes.

    >>> message("/a", 1, 2.0, "b")
    b'/a\x00\x00,ifs\x00\x00\x00\x00\x00\x00\x00\x01@\x00\x00\x00b\x00\x00\x00'
    """
    types, data = ",", b""
    for argument in arguments:
        match argument:
            case str():
                types, data = types + "s", data + _text(argument)
            case int():
                types, data = types + "i", data + struct.pack(">i", argument)
            case float():
                types, data = types + "f", data + struct.pack(">f", argument)
    return _text(address) + _text(types) + data


def bundle(messages: Sequence[bytes]) -> bytes:
    """Messages that belong together, to be acted on at once."""
    return BUNDLE + AT_ONCE + b"".join(struct.pack(">I", len(m)) + m for m in messages)


def _text(text: str) -> bytes:
    """Ends with at least one zero byte, at a multiple of four. Others than ASCII become '?'."""
    data = text.encode("ascii", "replace")
    return data + b"\0" * (4 - len(data) % 4)

"""The text of a file that people may have written with any editor, on any system."""

from __future__ import annotations

import codecs
from pathlib import Path

MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""What editors of Windows put before a text, and how its letters then lie in the file."""

_MOST_BYTES = 4
"""Bytes of a letter, at most."""


def text_of(path: Path, letters: int) -> str:
    """The text, of which no more than one letter beyond so many is read; every line ends alike.

    Raises `ValueError` with what is wrong, in words.
    """
    limit = _MOST_BYTES * (letters + 1)
    try:
        with path.open("rb") as stream:
            data = stream.read(limit)
    except FileNotFoundError as error:
        raise ValueError("there is no such file") from error
    except IsADirectoryError as error:
        raise ValueError("that is a folder: name the file in it") from error
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error
    mark = next((m for m in MARKS if data.startswith(m)), b"")
    decoder = codecs.getincrementaldecoder(MARKS.get(mark, "utf-8"))()
    try:
        text = decoder.decode(data[len(mark) :], final=len(data) < limit)
    except UnicodeDecodeError as error:
        come = "no text at all" if b"\0" in data else "in another one: save it anew as UTF-8"
        raise ValueError(f"expected a text in UTF-8 but it is {come}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")[: letters + 1]

"""Reads, writes and changes the text of a table file; what people wrote in it beside stays as it is.

Whoever changes a text reads it back with `calibration.tablefile.parse_table` before it is kept.
"""

from __future__ import annotations

import codecs
import json
import pathlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

_HEADER = re.compile(r"^\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?")
_KEY = re.compile(r"^\s*([\w\-]+)\s*=")

LONGEST_FILE = 500_000
"""Letters of a table file; one with a hundred pieces and a lens in it has 40,000."""

MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""What editors of Windows put before a text, and how its letters then lie in the file."""

_MOST_BYTES = 4
"""Bytes of a letter, at most."""

MOST_LEVELS = 20
MOST_DOTS = 8
"""Lists in lists, and names in a dotted name: ours has three of each."""

# What hides brackets and dots (texts, comments) is one piece; so is each sign that counts.
_SIGN = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|"(?:[^"\\\n]|\\.)*"|'{3}.*?'{3,5}|'[^'\n]*'|\#[^\n]*|[]\[{}.=,\n]''',
    re.DOTALL,
)

Path = tuple[str | int, ...]
"""Where in the file: ("surface",), or ("piece", 2) for the third of the pieces."""


def text_of(path: pathlib.Path, letters: int) -> str:
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


def toml_of(text: str) -> dict[str, Any]:
    """A text in TOML, read; raises `ValueError` for what is none, or is no table file by its size."""
    return deepcopy(toml_to_look_at(text))


@lru_cache(maxsize=8)
def toml_to_look_at(text: str) -> dict[str, Any]:
    """As `toml_of`, for who changes nothing of it: the same texts are asked for over and over.

    It is counted before it is read: what nests, or names within names, costs more than its length.
    """
    if len(text) > LONGEST_FILE:
        raise ValueError(f"expected at most {LONGEST_FILE:,} letters but got {len(text):,}")
    level = dots = 0
    for found in _SIGN.finditer(text):
        sign = found[0]
        level += (sign in "[{") - (sign in "]}")
        dots = dots + 1 if sign == "." else dots if sign[0] in "\"'" else 0
        if level > MOST_LEVELS or dots > MOST_DOTS:
            line = text.count("\n", 0, found.start()) + 1
            wanted = f"at most {MOST_LEVELS} lists in one another and {MOST_DOTS} dots in a name"
            raise ValueError(f"line {line}: expected {wanted}")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(f"expected at most {MOST_LEVELS} lists in one another") from error


def in_short(text: str, letters: int = 400) -> str:
    r"""A text that quotes a file, or what a library says of one: in one line no longer than it can be read.

    >>> in_short("expected 3 but got 1234", 18)
    'expected 3 but got…'
    >>> in_short("the cell\n  'May Red 1 shoot' is too large")
    "the cell 'May Red 1 shoot' is too large"
    """
    text = " ".join(line.strip() for line in text.splitlines())
    return text if len(text) <= letters else f"{text[:letters]}…"


def lines_of(text: str) -> dict[Path, int]:
    """Line numbers (from 1) of tables and keys by their path, e.g. ("piece", 2, "tag")."""
    found: dict[Path, int] = {}
    counts: dict[str, int] = {}
    path: Path = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            brackets, name = header.groups()
            if brackets == "[[":
                counts[name] = counts.get(name, -1) + 1
                path = (name, counts[name])
            else:
                path = tuple(name.split("."))
            found[path] = number
        elif key := _KEY.match(line):
            found.setdefault((*path, key.group(1)), number)
    return found


def block(header: str, fields: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """A table of the file: its header, a line for each field that is not None, and why it is so.

    >>> print(block("[[piece]]", {"name": "Red 1", "tag": 41, "owner": None}, {"tag": "on its roof"}))
    [[piece]]
    name = "Red 1"
    tag = 41  # on its roof
    """
    lines = [header]
    for name, value in fields.items():
        if value is not None:
            note = (notes or {}).get(name)
            lines.append(f"{name} = {as_toml(value)}" + (f"  # {note}" if note else ""))
    return "\n".join(lines)


def as_toml(value: Any) -> str:
    r"""A value on one line of TOML.

    >>> as_toml({"size_px": [1920, 1080], "f": 1.50}), as_toml('Red "1"')
    ('{size_px = [1920, 1080], f = 1.5}', '"Red \\"1\\""')
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {as_toml(v)}" for key, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def with_block(text: str, added: str) -> str:
    """The text with a further table at its end."""
    return f"{text.rstrip()}\n\n{added.strip()}\n"


def without_block(text: str, path: Path) -> str:
    """The text without the table at `path`, with the comment lines right above its header."""
    lines = text.splitlines()
    start, end = _span(text, path)
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return "\n".join([*lines[:start], *lines[end:]]).rstrip() + "\n"


@lru_cache(maxsize=64)
def without_outlined(text: str) -> str:
    r"""The text without the pieces that are known by their outline and carry no tag.

    >>> without_outlined('format = 1\n\n[[piece]]\nname = "Rock"\nat_in = [1, 2]\n')
    'format = 1\n'
    """
    for n, piece in reversed(list(enumerate(toml_of(text).get("piece", ())))):
        if isinstance(piece, Mapping) and "at_in" in piece:
            text = without_block(text, ("piece", n))
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def same_but_outlined(one: str, other: str) -> bool:
    """Whether two table files differ in nothing but pieces without tags, which may come and go in play."""
    return one == other or bool(one and other and without_outlined(one) == without_outlined(other))


def with_field(text: str, path: Path, name: str, value: Any, note: str = "") -> str:
    """The text with another value of a field, in its own line or a new one; the table is made if need be."""
    line = f"{name} = {as_toml(value)}" + (f"  # {note}" if note else "")
    found = lines_of(text)
    if path not in found:
        return with_block(text, f"[{'.'.join(map(str, path))}]\n{line}")
    lines = text.splitlines()
    at = found.get((*path, name))
    if at is not None:
        lines[at - 1 : _value_end(lines, at - 1)] = [line]
    else:
        lines.insert(found[path], line)
    return "\n".join(lines) + "\n"


def without_field(text: str, path: Path, name: str) -> str:
    """The text without a field and its remark; as it is where the field is not there."""
    at = lines_of(text).get((*path, name))
    if at is None:
        return text
    lines = text.splitlines()
    del lines[at - 1 : _value_end(lines, at - 1)]
    return "\n".join(lines) + "\n"


def with_lens_inside(text: str, lens: Mapping[str, Any]) -> str:
    """The text with the lens itself in place of the name of its file."""
    return with_field(text, ("camera",), "lens", lens)


def _value_end(lines: list[str], at: int) -> int:
    """One past the last line of the value that begins on a line: a list may go over several."""
    for end in range(at + 1, len(lines) + 1):
        try:
            toml_of("\n".join(lines[at:end]))
        except ValueError:
            continue
        return end
    return at + 1


def _span(text: str, path: Path) -> tuple[int, int]:
    """The lines of the table at `path`, first and one past the last, without what stands above the next."""
    lines = text.splitlines()
    start = lines_of(text)[path] - 1
    end = start + 1
    while end < len(lines) and not _HEADER.match(lines[end]):
        end += 1
    if end < len(lines):
        # Comments and blank lines right above the next table are that one's.
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1
    return start, end

"""What `tableref doctor --bundle` hands on: a picture, the table file and what was found, without names."""

from __future__ import annotations

import io
import json
import platform
import re
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2

from calibration.lens.files import write_lens
from calibration.lens.model import Lens
from vision.frame import Frame

PICTURE, TABLE, LENS, FINDINGS, ABOUT = "picture.png", "table.toml", "lens.json", "findings.txt", "about.json"

README = """What `tableref doctor --bundle` wrote, without names of tables, players and pieces, or folders.
picture.png shows all that the camera saw: look at it before you hand it on.
"""


def bundle(frame: Frame, table: str | None, lens: Lens | None, found: Sequence[str], kind: str) -> bytes:
    """The files as one zip archive.

    `table` is the text of the table file, None where there is none; `found` the sentences of the doctor, and
    `kind` what the pictures came from (`webcam`, `photo` …). Comments of the file are left out.
    """
    data = {} if table is None else tomllib.loads(table)
    names = new_names(data)
    files: dict[str, bytes] = {"README.txt": README.encode()}
    _, picture = cv2.imencode(".png", frame.image)
    files[PICTURE] = picture.tobytes()
    if table is not None:
        plain = _plain(data, names)
        if lens is not None and isinstance(plain.get("camera"), dict) and "lens" in plain["camera"]:
            plain["camera"]["lens"] = LENS
        files[TABLE] = to_toml(plain).encode()
    if lens is not None:
        files[LENS] = _lens(lens)
    files[FINDINGS] = "".join(f"{_unnamed(line, names)}\n" for line in found).encode()
    about = {
        "tableref": version("tableref"),
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "opencv": cv2.__version__,
        "source": kind,
        "picture": list(frame.size),
    }
    files[ABOUT] = json.dumps(about, indent=1).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # Without the time at which it was written, so that the same is the same file.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def new_names(data: Mapping[str, Any]) -> dict[str, str]:
    """A name that says nothing for each name of a table file, the longest first.

    >>> car = {"name": "Bobmobile", "owner": "Bob", "kind": "car"}
    >>> new_names({"table": {"name": "Bob's"}, "piece": [car]})
    {'Bobmobile': 'Car 1', "Bob's": 'Table', 'Bob': 'Player 1'}
    """
    names: dict[str, str] = {}
    for piece in data.get("piece", []):
        kind = str(piece.get("kind", "piece")).capitalize()
        names.setdefault(str(piece.get("name", "")), f"{kind} {1 + _count(names, kind)}")
        if piece.get("owner"):
            names.setdefault(str(piece["owner"]), f"Player {1 + _count(names, 'Player')}")
    names.setdefault(str(data.get("table", {}).get("name", "")), "Table")
    names.pop("", None)
    return dict(sorted(names.items(), key=lambda pair: -len(pair[0])))


def _count(names: Mapping[str, str], kind: str) -> int:
    return sum(new.rpartition(" ")[0] == kind for new in names.values())


def _plain(data: Any, names: Mapping[str, str]) -> Any:
    """The same data with other names and without folders."""
    if isinstance(data, dict):
        return {key: _plain(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [_plain(value, names) for value in data]
    if isinstance(data, str):
        return names.get(data) or _unnamed(data, names)
    return data


def _unnamed(text: str, names: Mapping[str, str]) -> str:
    """A sentence with other names, and with the last part alone of every path."""
    text = re.sub(r"(?:[A-Za-z]:)?(?:[\\/][^\\/\s:'\"]+)+[\\/]([^\\/\s:'\"]+)", r"\1", text)
    if not names:
        return text
    known = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), re.IGNORECASE)
    small = {name.casefold(): new for name, new in names.items()}
    return known.sub(lambda hit: small.get(hit[0].casefold(), "…"), text)


def _lens(lens: Lens) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / LENS
        write_lens(lens, file)
        return file.read_bytes()


def to_toml(data: Mapping[str, Any]) -> str:
    """What a table file holds as TOML: tables, rows of tables, lists, texts and numbers.

    >>> print(to_toml({"format": 1, "table": {"name": "A"}, "corner": [{"at_in": [0.0, 1.5]}]}))
    format = 1
    <BLANKLINE>
    [table]
    name = "A"
    <BLANKLINE>
    [[corner]]
    at_in = [0.0, 1.5]
    <BLANKLINE>
    """
    plain = {key: value for key, value in data.items() if not _is_table(value)}
    blocks = ["".join(_rows(plain))]
    for key, value in data.items():
        if isinstance(value, dict):
            blocks.append("".join([f"[{key}]\n", *_rows(value)]))
        elif _is_table(value):
            blocks += ["".join([f"[[{key}]]\n", *_rows(one)]) for one in value]
    return "\n".join(block for block in blocks if block)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
    )


def _rows(table: Mapping[str, Any]) -> Iterable[str]:
    return (f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | int) else repr(value)

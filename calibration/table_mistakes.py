"""What is wrong in a table file, in words: the line, the field, what was expected and what came."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from calibration.boards import KINDS as BOARD_KINDS
from calibration.table_text import in_short, lines_of

MOST_TOLD = 20
"""So many mistakes are told at once."""

WANTED = {
    "float_type": "expected a number as 1.5, without quotes",
    "int_type": "expected a whole number as 10, without quotes",
    "string_type": 'expected a text in quotes, as "Red"',
    "tuple_type": "expected values in brackets, as [48.0, 48.0]",
    "list_type": "expected values in brackets, as [48.0, 48.0]",
    "string_pattern_mismatch": 'expected a colour as "#d02f2f"',
}
"""What was expected, where pydantic's own words say it to programmers, by its name of the mistake."""

SLIPS = (
    (re.compile(r"=\s*[-+]?\d+,\d"), "write decimals with a point, as 1.5"),
    (re.compile("[\u201c\u201d\u201e\u2018\u2019]"), 'write straight quotes, as "Red"'),
    (re.compile(r"^\[(piece|corner|length)\]"), "write two brackets, as [[piece]]"),
    (re.compile(r"^[\w-]+\s*:"), "write = between a field and its value"),
)
"""What people type that is no TOML, of which the reader says where it is and not what."""


def not_toml(error: ValueError, text: str) -> str:
    """What is wrong in a text that is no TOML: as its reader says it, the line, and what to write instead."""
    at = re.search(r"at line (\d+)", str(error))
    line = "" if at is None else text.split("\n")[int(at[1]) - 1].strip()
    instead = [words for slip, words in SLIPS if slip.search(line)]
    return f"{error}" + "".join(f"; {words}, where it reads {in_short(line, 80)}" for words in instead[:1])


def explained(
    error: ValidationError,
    data: dict[str, Any],
    text: str,
    where: str,
    tables: Mapping[str, type[BaseModel]],
) -> str:
    """One line a mistake, the first of them: file, line, table, field, what was expected, what came.

    `tables` are the models of the file's tables by name; "" is that of the whole file.
    """
    lines = lines_of(text)
    out = []
    for problem in error.errors()[:MOST_TOLD]:
        path = _path(problem)
        place = path
        while place and place not in lines:
            place = place[:-1]
        number = lines.get(place)
        at = f"{where}, line {number}" if number else where
        out.append(in_short(f"{at}: {_title(path, data)}{_say(problem, path, data, tables)}"))
    if error.error_count() > MOST_TOLD:
        out.append(f"and {error.error_count() - MOST_TOLD} more")
    return "\n".join(out)


def _path(problem: Any) -> tuple[str | int, ...]:
    """Where in the file the mistake is: the field's path without pydantic's own steps."""
    path = tuple(p for p in problem["loc"] if not (isinstance(p, str) and p.startswith("function-")))
    if path[:1] == ("board",):
        # The second step names the kind of board, which is no level of the file.
        return ("board", "kind") if problem["type"].startswith("union_tag") else (*path[:1], *path[2:])
    return path


def _title(path: tuple[str | int, ...], data: dict[str, Any]) -> str:
    """Which table and field, as a player would call it."""
    if len(path) >= 2 and isinstance(path[1], int):
        entry = data.get(str(path[0]), [])[path[1]]
        name = entry.get("name", entry.get("tag", path[1] + 1)) if isinstance(entry, dict) else path[1] + 1
        rest = ".".join(str(p) for p in path[2:])
        return f"{path[0]} {name!r}" + (f", {rest}: " if rest else ": ")
    return f"{'.'.join(str(p) for p in path)}: " if path else ""


def _say(
    problem: Any, path: tuple[str | int, ...], data: dict[str, Any], tables: Mapping[str, type[BaseModel]]
) -> str:
    kind, came = problem["type"], problem.get("input")
    if kind == "extra_forbidden":
        kind_of_board = BOARD_KINDS.get(str((data.get("board") or {}).get("kind")), tables[""])
        fields = {**tables, "board": kind_of_board}
        model = fields.get(str(path[0]), tables[""]) if len(path) > 1 else tables[""]
        near = difflib.get_close_matches(in_short(str(path[-1]), 80), model.model_fields, n=1)
        return f"no such field; did you mean {near[0]!r}?" if near else "no such field; remove it"
    if kind.startswith("union_tag"):
        came = came.get("kind") if isinstance(came, dict) else came
        return f"expected {', '.join(BOARD_KINDS)}, but got {came!r}"
    if kind == "missing":
        return "this field is needed and missing"
    if kind == "value_error":
        return str(problem["ctx"]["error"])
    if kind == "too_short" and path == ("corner",):
        count = len(data.get("corner", []))
        return (
            f"expected at least four [[corner]] tables but got {count}: the table cannot be found with fewer"
        )
    if isinstance(came, dict | list) and len(path) == 1 and path[0] in tables:
        many, one = f"[[{path[0]}]]", f"[{path[0]}]"
        wanted = f"expected {many}, not {one}" if kind == "list_type" else f"expected one {one}, not {many}"
    else:
        message = str(problem["msg"])
        wanted = f"{_wanted(problem, path) or f'{message[0].lower()}{message[1:]}'}, but got {came!r}"
    return wanted


def _wanted(problem: Any, path: tuple[str | int, ...]) -> str:
    """What was expected, where pydantic's own words say it to programmers; else empty."""
    if path == ("format",):
        return "expected 1, as this version of tableref writes it"
    if problem["type"] == "too_long":
        return f"expected {problem['ctx']['max_length']} values, decimals with a point as in 1.5"
    if problem["type"] == "too_short" and problem["input"] == "":
        return "expected at least one letter"
    return WANTED.get(problem["type"], "")

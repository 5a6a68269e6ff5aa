"""The command line that all benchmarks share."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from benchmarks.command import command
from engine.errors import TableRefError

ROOT = Path(__file__).parents[1]
BENCHMARKS = [p.stem for p in (ROOT / "benchmarks").glob("*.py") if "command(" in p.read_text("utf-8")]


def counted(
    folder: Annotated[Path | None, "where"] = None,
    *,
    games: Annotated[int, "how many"] = 3,
    quick: bool = False,
    only: list[str] | None = None,
    by: Literal["hand", "eye"] = "eye",
    size: tuple[float, float] | None = None,
) -> dict[str, Any]:
    if games < 0:
        raise TableRefError("expected 0 games or more")
    told = {"folder": str(folder), "games": games, "quick": quick, "only": only, "by": by, "size": size}
    return {**told, "wrong": ["a"] * (games > 9)}


def rows(*, count: int = 2) -> Iterator[dict[str, Any]]:
    yield from ({"row": k} for k in range(count))


PLAIN = {"folder": "None", "games": 3, "quick": False, "only": None, "by": "eye", "size": None, "wrong": []}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", {}),
        ("here --games 4 --quick", {"folder": "here", "games": 4, "quick": True}),
        ("--only a --only b --by hand", {"only": ["a", "b"], "by": "hand"}),
        ("--size 1 2.5", {"size": [1.0, 2.5]}),
    ],
)
def test_what_is_typed_is_what_is_measured(
    capsys: pytest.CaptureFixture[str], typed: str, found: dict[str, Any]
) -> None:
    assert command(counted, [*typed.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == PLAIN | found


def test_the_status_tells_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(counted, ["--games", "10"]) == 1
    assert "games   10" in capsys.readouterr().out
    assert command(counted, ["--games", "-1", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "expected 0 games or more\n")
    with pytest.raises(SystemExit):
        command(counted, ["--by", "nose"])


def test_rows_are_told_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[dict[str, Any]] = []
    assert command(rows, ["--count", "3"], told.append) == 0
    assert told == [{"row": 0}, {"row": 1}, {"row": 2}]
    assert command(rows, ["--json"], told.append) == 0
    assert json.loads(capsys.readouterr().out) == told[:2]


@pytest.mark.parametrize("name", sorted(set(BENCHMARKS) - {"command"}))
def test_every_benchmark_says_what_may_be_asked(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its `--help`, as it prints it; and each option that the docs name is one of it."""
    module = importlib.import_module(f"benchmarks.{name}")
    (measure,) = re.findall(r"command\((\w+)", inspect.getsource(module))
    with pytest.raises(SystemExit):
        command(getattr(module, measure), ["--help"])
    said = capsys.readouterr().out
    assert f"python -m benchmarks.{name}" in said
    pages = [ROOT / "README.md", ROOT / "Makefile", *(ROOT / "docs").glob("*.md")]
    named = {
        option
        for page in pages
        for call in re.findall(rf"-m benchmarks\.{name}\b([^`\n]*)", page.read_text("utf-8"))
        for option in re.findall(r"--[a-z-]+", call)
    }
    assert [option for option in named if option not in said] == []

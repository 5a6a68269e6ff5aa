"""The shape of the code: which room builds on which, and how large rooms and files are."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("server", "vision", "calibration", "engine")
"""From the top to the bottom: each may import those after it."""

MOST_LINES = 900
MOST_MODULES = 20


def _rooms() -> list[str]:
    return sorted(str(p.parent.relative_to(ROOT)) for k in PACKAGES for p in (ROOT / k).rglob("__init__.py"))


@cache
def _imports() -> dict[str, set[str]]:
    """By module, what it imports of the four packages."""
    graph = grimp.build_graph(*PACKAGES)
    return {m: graph.find_modules_directly_imported_by(m) for m in graph.modules}


def _room(module: str) -> str:
    """The room that a module stands in: `server.table.viewer` stands in `server.table`."""
    return ".".join(module.split(".")[:2])


def test_packages_import_one_way() -> None:
    upward = [
        (importer, imported)
        for importer, found in _imports().items()
        for imported in found
        if PACKAGES.index(imported.split(".")[0]) < PACKAGES.index(importer.split(".")[0])
    ]
    assert upward == []


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_import_one_another_without_cycles(package: str) -> None:
    order: TopologicalSorter[str] = TopologicalSorter()
    for importer, found in _imports().items():
        if importer.startswith(f"{package}."):
            # The registry looks through the folder of games and imports none of them by name.
            mine = {_room(i) for i in found - {"engine.games"} if i.startswith(f"{package}.")}
            mine -= {_room(importer)}
            order.add(_room(importer), *mine)
    assert list(order.static_order())


def test_rooms_are_small_enough_to_be_read_in_one_sitting() -> None:
    files = (p for k in PACKAGES for p in (ROOT / k).rglob("*.py") if p.name != "__init__.py")
    modules = Counter(str(p.parent.relative_to(ROOT)) for p in files)
    assert modules["server/pipeline"] > 5, "the count sees modules"
    assert {room for room, count in modules.items() if count > MOST_MODULES} == set(), "split it"


def test_no_file_is_too_long() -> None:
    files = [p for k in (*PACKAGES, "tests", "benchmarks") for p in (ROOT / k).rglob("*.py")]
    files += [p for p in (ROOT / "server/static").rglob("*") if p.suffix in {".js", ".css", ".html"}]
    assert len(files) > 200
    longer = {
        str(p.relative_to(ROOT)): n
        for p in files
        if (n := len(p.read_text("utf-8").splitlines())) > MOST_LINES
    }
    assert longer == {}


def test_architecture_names_every_room_and_no_other() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    there = [r for r in _rooms() if r.count("/") <= 1]
    assert sorted(named) == there


WALKED = re.findall(
    r"`([a-z_]+(?:\.[a-z_]+)+):([A-Za-z_.]+)`", (ROOT / "docs" / "architecture.md").read_text("utf-8")
)


@pytest.mark.parametrize(("module", "name"), WALKED)
def test_every_step_of_the_walk_is_there(module: str, name: str) -> None:
    found: object = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)

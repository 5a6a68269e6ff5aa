"""The engine stands alone: no camera, page, file or clock comes along."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS_FOR_GAMES = ROOT / "engine" / "game" / "conformance"
"""Tests that games inherit: pytest runs them, nothing that plays or rules imports them."""
MODULES = sorted(
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for p in (ROOT / "engine").rglob("*.py")
    if TESTS_FOR_GAMES not in p.parents
)

FOREIGN = {
    "cv2", "pydantic", "fastapi", "starlette", "uvicorn", "typer", "rich", "yaml", "platformdirs",
    "pupil_apriltags", "pyapriltags", "websockets", "server", "vision", "calibration",
}  # fmt: skip
CLOCK_OR_FILE = {
    "time", "datetime", "zoneinfo", "sched", "pathlib", "os", "io", "shutil", "tempfile", "glob", "fileinput",
    "socket", "subprocess", "asyncio", "http", "urllib", "signal",
}  # fmt: skip

SHOW = (
    "import sys, json, importlib; [importlib.import_module(m) for m in {!r}]; "
    "print(json.dumps(sorted(sys.modules)))"
)


def loaded(*modules: str) -> set[str]:
    """The top-level modules in a fresh process after importing these."""
    out = subprocess.run(
        [sys.executable, "-c", SHOW.format(list(modules))],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {name.split(".")[0] for name in json.loads(out.stdout)}


def test_there_are_modules_to_look_at():
    assert {"engine.measure.distances", "engine.games.white_line_fever.rules.shots"} <= set(MODULES)


def test_importing_all_of_the_engine_brings_nothing_foreign_along():
    engine = loaded(*MODULES)
    assert "numpy" in engine
    assert not engine & FOREIGN
    assert not (engine & CLOCK_OR_FILE) - loaded("numpy", "shapely", "shapely.geometry", "json")


def test_no_module_of_the_engine_asks_a_clock_or_opens_a_file():
    for path in (ROOT / "engine").rglob("*.py"):
        if TESTS_FOR_GAMES in path.parents:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"open", "input", "print"}, f"{path}: {node.func.id}()"
                assert node.func.id != "Random" or node.args, f"{path}: chance comes with a seed"
            tops = {name.split(".")[0] for name in names}
            if names == ["random"] and isinstance(node, ast.ImportFrom):
                assert [a.name for a in node.names] == ["Random"], f"{path}: chance comes with a seed"
                continue
            assert not tops & (FOREIGN | CLOCK_OR_FILE | {"random"}), f"{path} imports {tops}"

"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("engine", "calibration", "vision", "server", "tests")
# Read here, and imported by the one worker that runs them.
WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
    if re.search(r"^ *>>> ", path.read_text("utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module_do_what_they_show(module: str) -> None:
    done = doctest.testmod(import_module(module.removesuffix(".__init__")))
    assert done.attempted > 0
    assert done.failed == 0

"""The pages about games are true: examples run, the sample is shown as it is, no type is left out."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from engine.game import contract, events, forms, showing

ROOT = Path(__file__).resolve().parents[3]
DOCS, OWN = ROOT / "docs", ROOT / "samples" / "own-game"


def test_the_examples_of_the_engine_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(DOCS / "engine.md"), module_relative=False)
    assert found.attempted > 25
    assert found.failed == 0


@pytest.mark.parametrize("name", ["far_edge.py", "test_far_edge.py", "pyproject.toml"])
def test_the_page_shows_the_sample_as_it_is(name):
    blocks = re.findall(
        r"```(?:python|toml)\n(.*?)```", (DOCS / "your-own-game.md").read_text("utf-8"), re.DOTALL
    )
    assert (OWN / name).read_text("utf-8") in blocks


def test_every_type_and_question_of_the_contract_is_described():
    text = (DOCS / "contract.md").read_text("utf-8")
    told = set(re.findall(r"`(\w+)", text))
    types = {
        name
        for module in (contract, events, forms, showing)
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    asked = {name for name, value in vars(contract.Game).items() if callable(value) and name[0] != "_"}
    assert (types | asked) - told == set()

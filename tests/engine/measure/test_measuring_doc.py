"""`docs/measuring.md` is true: its examples run and its figures are what the engine draws."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from benchmarks.figures import FIGURES, main

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "measuring.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_examples_run():
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 50
    assert found.failed == 0


def test_every_question_has_an_example_and_a_figure():
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]:
        assert "](figures/" in section, section.splitlines()[0]
        assert ">>> " in section, section.splitlines()[0]


@pytest.mark.parametrize("name", FIGURES)
def test_the_figure_is_what_the_engine_draws(name):
    stored = (PAGE.parent / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    assert f"figures/{name}.svg" in TEXT
    assert stored == FIGURES[name]().text()


def test_every_shown_figure_is_there():
    for name in re.findall(r"\]\(figures/([^)]+)\)", TEXT):
        assert (PAGE.parent / "figures" / name).exists()


def test_figures_are_written_where_asked(tmp_path, capsys):
    assert main([str(tmp_path)]) == 0
    assert sorted(p.stem for p in tmp_path.iterdir()) == sorted(FIGURES)
    assert "drew" in capsys.readouterr().out

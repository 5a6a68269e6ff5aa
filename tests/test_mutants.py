"""What the tool that makes small lies in the sources says of the tests is so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutants import Mutant, durations, in_turn, located, mutated, reached, sites

SOURCE = '''
def first(a, b=3):
    """Ünder a ü stand bytes."""
    told(f"ü {a}")
    return a + 1 if a < b and not b else b


class One:
    most: int = 4

    def first(self):
        return self.most == 4
'''

LIES = {
    ("first", 'told(f"ü {a}")', "pass"),
    ("first", "a + 1 if a < b and not b else b", "(a + 1 if not (a < b and (not b)) else b)"),
    ("first", "a < b and not b", "(a < b or not b)"),
    ("first", "a < b", "(a <= b)"),
    ("first", "a + 1", "(a - 1)"),
    ("first", "1", "2"),
    ("One", "4", "5"),
    ("One.first", "self.most == 4", "(self.most != 4)"),
    ("One.first", "4", "5"),
}

CASES = """<testsuites><testsuite>
<testcase classname="tests.engine.test_a" file="tests/engine/test_a.py" name="test_one[a.b::c]" time="0.5"/>
<testcase classname="tests.engine.test_a.TestIn.TestIt" name="test_two" time="2"/>
<testcase classname="tests.test_every.TestOwn" file="engine/conformance.py" name="test_inherited" time="1"/>
<testcase classname="tests.test_every" name="test_fails" time="1"><failure/></testcase>
</testsuite></testsuites>"""

ONE, TWO = "tests/engine/test_a.py::test_one[a.b::c]", "tests/engine/test_a.py::TestIn::TestIt::test_two"
INHERITED = "tests/test_every.py::TestOwn::test_inherited"


def test_every_lie_is_made_where_it_stands_and_found_again_where_it_went(tmp_path: Path) -> None:
    found = sites("engine/one.py", SOURCE)
    assert {(s.mutant.where, s.mutant.before, s.mutant.after) for s in found} == LIES
    moved = tmp_path / "engine" / "other" / "two.py"
    moved.parent.mkdir(parents=True)
    moved.write_text("\n# Something new.\n" + SOURCE, "utf-8")
    for site in found:
        text = mutated(SOURCE, site)
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(SOURCE))
        assert text.replace(site.mutant.after, site.mutant.before, 1).count("\n") == SOURCE.count("\n")
        there = located(tmp_path, site.mutant)
        assert there is not None
        assert (there.mutant.path, there.node.lineno) == ("engine/other/two.py", site.node.lineno + 2)  # type: ignore[attr-defined]


def test_tests_have_the_names_by_which_they_are_asked(tmp_path: Path) -> None:
    (tmp_path / "log.xml").write_text(CASES, "utf-8")
    took = durations(tmp_path / "log.xml")
    assert took == {ONE: 0.5, TWO: 2.0, INHERITED: 1.0}
    lines = (
        f"0\t{INHERITED} (call)",
        f"0\t{ONE} (setup)",
        "1\ttests/test_every.py::test_fails (call)",
        "2\t",
    )
    (tmp_path / "log").write_text("\n".join(lines) + "\n", "utf-8")
    # A fixture is for every test of its file, a module for all.
    told = {number: set(tests) for number, tests in reached(tmp_path / "log", took).items()}
    assert told == {0: {INHERITED, ONE, TWO}, 1: set(), 2: {INHERITED, ONE, TWO}}


@pytest.mark.parametrize(
    ("path", "seconds", "asked"),
    [
        ("engine/one.py", 9.0, [ONE, TWO, INHERITED]),
        ("engine/one.py", 1.6, [ONE, INHERITED]),
        ("server/every.py", 9.0, [INHERITED, ONE, TWO]),
        ("server/every.py", 0.1, [INHERITED]),
    ],
)
def test_those_of_its_module_and_its_room_are_asked_first(
    path: str, seconds: float, asked: list[str]
) -> None:
    mutant = Mutant(path, "first", 0, "1", "2", "constant")
    assert in_turn(mutant, [INHERITED, TWO, ONE], {ONE: 0.5, TWO: 2.0, INHERITED: 1.0}, seconds) == asked

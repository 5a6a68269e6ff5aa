"""What people read, over the whole source: one spelling of one thing."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from engine.game.events import JsonObject
from engine.game.registry import game_called

ROOT = Path(__file__).parents[1]
ROOMS = ("engine", "calibration", "vision", "server")

AVOIDED = {
    "Maneuver, as the book spells it": re.compile("(?<!· )manoeuv", re.IGNORECASE),
    "inches as `in`, which the page turns into ″": re.compile(r"""[0-9}]"(?=$|[ ,;.)])"""),
    "legal, as in `Not legal`": re.compile(r"\b(un)?lawful (target|maneuver)", re.IGNORECASE),
}
"""What is to be written instead, and what is not to be read."""


@cache
def strings(path: Path) -> tuple[tuple[int, str], ...]:
    """The sentences of a module: every string with a space in it that is no docstring, and its line."""
    return tuple(_strings(path))


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            told = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            text = "".join(map(str, told))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts | bare:
            text = node.value
        else:
            continue
        if " " in text.strip() and "<" not in text and '="' not in text:
            yield node.lineno, text


def test_sentences_are_found() -> None:
    told = [text for path in (ROOT / "engine").rglob("*.py") for _, text in strings(path)]
    assert "the driver chooses a car first" in told
    assert "{} is within {} in of {}" in told


@pytest.mark.parametrize("instead", AVOIDED)
def test_one_spelling_of_one_thing(instead: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for line, text in strings(path)
        if AVOIDED[instead].search(text)
    ]
    assert found == [], instead


RIDDLES = {
    "what is not said": re.compile(r"(?<!\w)\?|\bNone\b|\bTrue\b|\bFalse\b"),
    "one of several": re.compile(r"(?<!by )(?<![\d.])1 ((Speed|Damage) )?(tokens|points|spaces|cards)\b"),
    "a number of nothing": re.compile(r"\b\d+ of \d+ needed\b"),
}
"""What no line of a log says to whoever reads it: places that nobody filled, wrong numbers, bare figures."""


def test_no_line_of_a_golden_game_is_a_riddle() -> None:
    told = [
        event["words"]
        for path in sorted((ROOT / "tests" / "golden").glob("*/*.jsonl"))
        for event in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if event["kind"] not in ("overrule", "undo", "redo")
    ]
    assert len(told) > 10_000
    found = {why: {words for words in told if rule.search(words)} for why, rule in RIDDLES.items()}
    assert found == {why: set() for why in RIDDLES}


COMMENTS = re.compile(r"/\*.*?\*/|(?<=\s)//[^\n]*", re.DOTALL)
SENTENCES = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')

ON_PAGES = {
    **{words: found for words, found in AVOIDED.items() if "inches" not in words},
    "what the button does, not `Do it`": re.compile(r"\bDo it\b"),
    "illegal, as in `2 illegal targets`": re.compile(r"\b(un|not )lawful\b", re.IGNORECASE),
    "by hand, not `say it`": re.compile(r"\bsay it yourself\b", re.IGNORECASE),
}


FILES = re.compile(r"\btable file\b|\btag_height_in\b|_sd_in\b|\.toml\b", re.IGNORECASE)


def test_who_plays_hears_of_no_files() -> None:
    """What the server says, but for its commands, speaks of the table and its set-up."""
    room = ROOT / "server"
    told = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted(room.rglob("*.py"))
        if "commands" not in path.parts
        for line, text in strings(path)
        if FILES.search(text)
    ]
    assert told == []


@pytest.mark.parametrize("instead", ON_PAGES)
def test_one_spelling_on_the_pages(instead: str) -> None:
    """Page scripts as people read them: their strings, without comments."""
    scripts = sorted((ROOT / "server" / "static").rglob("*.js"))
    assert len(scripts) > 30
    found = []
    for path in scripts:
        told = SENTENCES.findall(COMMENTS.sub("", path.read_text(encoding="utf-8")))
        assert told or "export" in path.read_text(encoding="utf-8"), f"no string is found in {path.name}"
        found += [f"{path.name}: {text}" for text in told if ON_PAGES[instead].search(text)]
    assert found == [], instead


SET_UPS: list[JsonObject] = [
    {},
    {"players": ["Ann"]},
    {"players": ["Ann", "Ann"]},
    {"players": [*"abcdefghijklm"]},
    {"players": ["Ann", "Bob"], "pieces": [{"name": f"Car {n}", "owner": "Ann"} for n in range(3)]},
]


@pytest.mark.parametrize("game", sorted(p.parent.name for p in (ROOT / "engine/games").glob("*/game.py")))
def test_what_a_set_up_lacks_is_said_as_people_say_it(game: str) -> None:
    told = [reason.words for one in SET_UPS for reason in game_called(game).setup(one).not_yet]
    assert len(told) > len(SET_UPS)
    assert [words for words in told if "expected" in words or "but got" in words] == []


def test_no_page_says_that_something_has_not() -> None:
    """Nobody at a table says that *this table has not*, for that it does not have something."""
    scripts = sorted((ROOT / "server/static").rglob("*.js"))
    assert len(scripts) > 50
    assert [p.name for p in scripts if re.search(r"\b(has|have) not[.;\"`]", p.read_text("utf-8"))] == []

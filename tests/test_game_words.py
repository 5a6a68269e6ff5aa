"""No game's own words stand outside the folders of games, tests, samples and docs; nor its kinds."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.game.registry import game_called, games

ROOT = Path(__file__).resolve().parents[1]

SOURCES = ("engine", "calibration", "vision", "server")
"""Where a game's words may stand only in the folder of a game."""

ENDINGS = {".py", ".js", ".html", ".css", ".jinja"}

COMPARED = re.compile(
    r"""\bkind\b["')\]]*\s*(?:===?|!==?|\bnot in\b|\bin\b)\s*[({\[]?\s*((?:["'][\w. ]+["'],?\s*)+)"""
)
"""A kind that is compared with one literal or several."""

CORE = {"begin", "action", "undo", "redo", "overrule", "sealed", "withdrawn", "roll", "ruled"}
"""Kinds of events that the core itself makes."""


GAMES = "engine/games/"
"""Every folder in it is a game's own: two books may use the same word, or name a kind alike."""


def sources() -> Iterator[Path]:
    """Every source file that is in no game's folder."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *SOURCES],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in ENDINGS and path.exists() and not name.startswith(GAMES):
            yield path


@pytest.mark.parametrize("name", [game.id for game in games()])
def test_a_games_own_words_stand_in_its_folder_alone(name: str) -> None:
    about = game_called(name).about
    assert len(about.words) > 10, "a game lists its own words"
    found = []
    for word in (about.title, about.id, *about.words):
        pattern = re.compile(rf"(?<![\w]){re.escape(word)}(?![\w])", re.IGNORECASE)
        found += [f"{p.relative_to(ROOT)}: {word}" for p in sources() if pattern.search(p.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize("name", [game.id for game in games()])
def test_nobody_compares_a_kind_with_a_games_literal(name: str) -> None:
    kinds = set(game_called(name).about.events) - CORE
    assert len(kinds) > 3, "a game lists the kinds of its actions and events"
    found = []
    for path in sources():
        for match in COMPARED.finditer(path.read_text("utf-8")):
            literals = {
                m.removeprefix("match.") for m in re.findall(r"""["']([\w. ]+)["']""", match.group(1))
            }
            found += [f"{path.relative_to(ROOT)}: {kind}" for kind in sorted(literals & kinds)]
    assert found == []

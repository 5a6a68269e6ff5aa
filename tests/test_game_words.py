"""No game's own words stand outside the folders of games, tests, samples and docs; nor its kinds."""

from __future__ import annotations

import re
import subprocess
from functools import cache
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

CORE = {"begin", "action", "undo", "redo", "overrule", "sealed", "withdrawn", "roll", "rolls", "ruled"}
"""Kinds of events that the core itself makes."""


GAMES = "engine/games/"
"""Every folder in it is a game's own: two books may use the same word, or name a kind alike."""


@cache
def sources() -> dict[str, str]:
    """The text of every source file that is in no game's folder."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *SOURCES],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    paths = {name: ROOT / name for name in listed.stdout.splitlines() if not name.startswith(GAMES)}
    return {n: p.read_text("utf-8") for n, p in paths.items() if p.suffix in ENDINGS and p.exists()}


@pytest.mark.parametrize("name", [game.id for game in games()])
def test_a_games_own_words_stand_in_its_folder_alone(name: str) -> None:
    about = game_called(name).about
    assert len(about.words) > 10, "a game lists its own words"
    words = "|".join(map(re.escape, (about.title, about.id, *about.words)))
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
    found = [f"{path}: {m.group()}" for path, text in sources().items() for m in pattern.finditer(text)]
    assert found == []


@pytest.mark.parametrize("name", [game.id for game in games()])
def test_nobody_compares_a_kind_with_a_games_literal(name: str) -> None:
    kinds = set(game_called(name).kinds) - CORE
    assert len(kinds) > 3, "a game lists the kinds of its actions and events"
    found = []
    for path, text in sources().items():
        for match in COMPARED.finditer(text):
            literals = {
                m.removeprefix("match.") for m in re.findall(r"""["']([\w. ]+)["']""", match.group(1))
            }
            found += [f"{path}: {kind}" for kind in sorted(literals & kinds)]
    assert found == []

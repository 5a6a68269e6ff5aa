"""The rooms of the game build on one another one way."""

from __future__ import annotations

from tests.engine.games.checks import upward_imports

HERE = "engine.games.white_line_fever"
ROOMS = ("book", "about", "state", "rules", "effects", "acts", "contract", "game")
"""From the ground up: each may import those before it."""


def test_rooms_build_on_those_before_them():
    assert upward_imports(HERE, ROOMS) == set()

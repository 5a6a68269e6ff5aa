"""The rooms of the game build on one another one way."""

from __future__ import annotations

from tests.engine.games.checks import upward_imports

ROOMS = ("book", "maps", "about", "state", "rules", "effects", "acts", "table", "contract", "game")
"""From the ground up: each may import those before it."""


def test_rooms_build_on_those_before_them():
    assert upward_imports("engine.games.battlecars", ROOMS) == set()

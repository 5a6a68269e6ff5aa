from __future__ import annotations

from engine.game.conformance import GameConformance
from engine.game.registry import game_called


class TestBattlecars(GameConformance):
    game = game_called("battlecars")
    limit = 60

from __future__ import annotations

from engine.game.conformance import GameConformance
from engine.game.registry import game_called


class TestFrothyRaces(GameConformance):
    game = game_called("frothy_races")
    limit = 60

from __future__ import annotations

from engine.game.conformance import GameConformance
from engine.game.registry import game_called


class TestCarCult(GameConformance):
    game = game_called("car_cult")
    limit = 100

from __future__ import annotations

from engine.game.conformance import GameConformance
from engine.game.registry import game_called


class TestShatteredHighways(GameConformance):
    game = game_called("shattered_highways")

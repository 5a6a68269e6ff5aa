from __future__ import annotations

import pytest

from engine.game.conformance import GameConformance
from engine.game.registry import game_called


@pytest.mark.slow
class TestBattlecars(GameConformance):
    game = game_called("battlecars")
    limit = 60

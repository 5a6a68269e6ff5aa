from __future__ import annotations

import pytest

from engine.game.conformance import GameConformance
from engine.game.registry import game_called


@pytest.mark.slow
class TestCarCult(GameConformance):
    game = game_called("car_cult")
    limit = 100

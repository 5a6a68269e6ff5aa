from __future__ import annotations

import pytest

from engine.game.conformance import GameConformance
from engine.game.registry import game_called


@pytest.mark.slow
class TestFrothyRaces(GameConformance):
    game = game_called("frothy_races")
    limit = 60

from __future__ import annotations

import pytest

from engine.game.conformance import GameConformance
from tests.engine.games.white_line_fever.playing import GAME


@pytest.mark.slow
class TestWhiteLineFever(GameConformance):
    game = GAME

from __future__ import annotations

from engine.game.conformance import GameConformance
from tests.engine.games.white_line_fever.playing import GAME


class TestWhiteLineFever(GameConformance):
    game = GAME

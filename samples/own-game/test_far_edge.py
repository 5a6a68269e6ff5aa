from far_edge import GAME

from engine.game.conformance import GameConformance


class TestFarEdge(GameConformance):
    game = GAME

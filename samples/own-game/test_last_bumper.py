from last_bumper import GAME

from engine.game.conformance import GameConformance


class TestLastBumper(GameConformance):
    game = GAME
    playthroughs = "playthroughs/last_bumper"

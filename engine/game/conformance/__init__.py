"""Tests that every game passes for nothing: `class TestMine(GameConformance): game = GAME`.

Random players fill the game's forms; what must be true of any game is held after every batch. The golden
playthroughs lie in the folder `playthroughs` beside the test, one text a viewer: `python -m
engine.game.conformance NAME FOLDER [--games DIR]` writes them, and a difference is for you to judge.
"""

from __future__ import annotations

from engine.game.conformance.rules import RulesConformance
from engine.game.conformance.table import BOARDS, TableConformance

__all__ = ["BOARDS", "GameConformance"]


class GameConformance(RulesConformance, TableConformance):
    """What must be true of any game. A subclass names its `game`, and nothing else."""

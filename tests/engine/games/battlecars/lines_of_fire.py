"""Lines of fire of Battlecars past corners, held against an oracle.

On random boards the game joins each pair of points outside terrain or not, and so does an oracle that knows
no corners: the segment against each rectangle of terrain, by separating axes in whole numbers. One core.
"""

from __future__ import annotations

import random
from dataclasses import replace

from engine.boards.board import Cell
from engine.boards.points import STEPS
from engine.games.battlecars.rules.lines import along
from engine.games.battlecars.state import BoardJson, GameState, Terrain

Disagreement = tuple[Cell, Cell]


def crosses(terrain: Terrain, one: Cell, other: Cell) -> bool:
    """Whether a segment meets the closed rectangle of terrain; in half steps all is whole."""
    (x1, y1), (x2, y2) = ((2 * a, 2 * b) for a, b in (one, other))
    (x, y), (w, h) = terrain.cell, terrain.size
    left, low, right, high = 2 * x - 1, 2 * y - 1, 2 * (x + w) - 1, 2 * (y + h) - 1
    if max(x1, x2) < left or min(x1, x2) > right or max(y1, y2) < low or min(y1, y2) > high:
        return False
    sides = [(x2 - x1) * (b - y1) - (y2 - y1) * (a - x1) for a in (left, right) for b in (low, high)]
    return min(sides) <= 0 <= max(sides)


def joined(state: GameState, one: Cell, other: Cell) -> bool:
    """Whether a line joins two points and no terrain meets it."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    if dx and dy and abs(dx) != abs(dy):
        return False
    return not any(crosses(t, one, other) for t in state.terrain)


def random_board(chance: random.Random) -> GameState:
    """A board of its own size with terrain here and there, none on another."""
    columns, rows = chance.randint(5, 26), chance.randint(5, 13)
    terrain: list[Terrain] = []
    for number in range(chance.randint(1, 9)):
        size = (chance.randint(1, 4), chance.randint(1, 4))
        cell = (chance.randint(0, columns - size[0]), chance.randint(0, rows - size[1]))
        one = Terrain(f"Building {number}", "building", cell, size)
        if not any(set(one.cells) & set(t.cells) for t in terrain):
            terrain.append(one)
    board = BoardJson(columns, rows, 3.0, (0.0, 0.0, 0.0), 0.5)
    return replace(GameState(kept=board), terrain=tuple(terrain))


def disagreements(state: GameState) -> tuple[int, list[Disagreement]]:
    """How many pairs of points were asked, and which the game and the oracle join differently."""
    free = [c for c in state.board.cells if state.terrain_at(c) is None]
    found, asked = [], 0
    for one in free:
        there = {cell for way in range(len(STEPS)) for cell in along(state, one, way).cells}
        asked += len(free) - 1
        found += [(one, c) for c in free if c != one and (c in there) != joined(state, one, c)]
    return asked, found

"""What is printed to race on: every map to scale, with facings, numbered starting places and obstacles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.prints.maps import laid_out
from calibration.prints.paper import Sheet
from engine.games.frothy_races.book.circuits import CIRCUITS, GRID, PIECES
from engine.games.frothy_races.maps import MAPS, OF_EACH

BY_ID = {one.id: one for one in MAPS}


def test_every_map_has_a_name_of_its_own():
    assert len(BY_ID) == len(MAPS) == len(CIRCUITS) + len(PIECES) + 1


@pytest.mark.parametrize("spacing", [1.5, 2.0])
@pytest.mark.parametrize("name", BY_ID)
def test_maps_are_to_scale_and_have_twelve_facings_a_hex(name, spacing):
    shapes = BY_ID[name].drawn(spacing).drawing()
    hexes = [np.array(s.points) for s in shapes if s.shape == "polygon" and len(s.points) == 6]
    middles = np.array([h.mean(axis=0) for h in hexes])
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2) + np.eye(len(hexes)) * 99
    assert apart.min(axis=1) == pytest.approx(spacing)
    sides = np.array([np.linalg.norm(h - np.roll(h, 1, axis=0), axis=1) for h in hexes])
    assert sides == pytest.approx(spacing / math.sqrt(3))
    ticks = [s for s in shapes if s.shape == "line" and len(s.points) == 2 and not s.bold]
    assert len(ticks) == (0 if name == "obstacles" else 12 * len(hexes))


@pytest.mark.parametrize("circuit", CIRCUITS, ids=lambda c: c.id)
def test_a_circuit_shows_its_numbered_starting_places_and_its_obstacles(circuit):
    board = circuit.board(2.0)
    labels = [s for s in BY_ID[circuit.id].drawn(2.0).drawing() if s.shape == "label"]
    words = [s.words for s in labels]
    for n, (cell, _) in enumerate(circuit.start, start=1):
        (place,) = (s for s in labels if s.words == str(n))
        assert math.dist(place.points[0], board.pose_of(cell).xy) < 0.5
    for told, cells in (("hazard", circuit.hazards), ("fragile", circuit.fragile), ("solid", circuit.solid)):
        assert words.count(told) == len(cells)
    assert all(board.name_of(cell) in words for cell in board.cells)


def test_pieces_fit_on_few_sheets():
    for name in PIECES:
        piece = BY_ID[f"{name.replace(' ', '-')}-piece"].drawn(1.5)
        assert len(laid_out(piece, (), Sheet()).tiles) <= (4 if name == "chicane" else 2)
    grid = [s.words for s in BY_ID["start-grid-piece"].drawn(2.0).drawing() if s.shape == "label"]
    assert {str(n) for n in range(1, len(GRID) + 1)} <= set(grid)
    loose = BY_ID["obstacles"].drawn(2.0)
    assert sorted(s.words for s in loose.drawing() if s.shape == "label") == sorted(
        ["hazard", "fragile", "solid"] * OF_EACH
    )
    assert len(laid_out(loose, (), Sheet()).tiles) == 1

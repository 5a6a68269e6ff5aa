"""The rooms of the game build on one another one way."""

from __future__ import annotations

import grimp

HERE = "engine.games.car_cult"
ROOMS = ("book", "about", "maps", "state", "rules", "effects", "acts", "contract", "table", "game")
"""From the ground up: each may import those before it."""


def test_rooms_build_on_those_before_them():
    graph = grimp.build_graph("engine")
    mine = [m for m in graph.modules if m.startswith(f"{HERE}.")]
    room = {m: ROOMS.index(m.removeprefix(f"{HERE}.").split(".")[0]) for m in mine}
    assert len(mine) > 20
    upward = {
        (m, found)
        for m in mine
        for found in graph.find_modules_directly_imported_by(m)
        if found in room and room[found] > room[m]
    }
    assert upward == set()

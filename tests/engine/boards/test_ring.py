"""Rings of loose hexes: what they enclose, and a current that says the way and how far along they lie."""

from __future__ import annotations

import numpy as np
import pytest

from engine.boards.board import BoardError, Cell
from engine.boards.hexes import oval
from engine.boards.ring import beside, firsts_after, holes, laps_of, middle_of, parts, ring_of, way_of

OVAL = frozenset(c for lane in oval(8, 2, 4) for c in lane)


def turned(cell: Cell) -> Cell:
    """A hex turned by 60 degrees about (0, 0)."""
    return -cell[1], cell[0] + cell[1]


def mirrored(cell: Cell) -> Cell:
    return cell[0] + cell[1], -cell[1]


def ragged(seed: int) -> frozenset[Cell]:
    """A ring with hexes laid at its edges and taken away anywhere, that still hangs together."""
    rng = np.random.default_rng(seed)
    cells = set(OVAL)
    for _ in range(60):
        near = sorted({o for c in cells for o in beside(c)} - cells)
        cells.add(near[rng.integers(len(near))])
        gone = sorted(cells)[rng.integers(len(cells))]
        if len(parts(cells - {gone})) == 1 and len(holes(cells - {gone})[0]) > 8:
            cells.remove(gone)
    return frozenset(cells)


def test_what_hangs_together_and_what_is_enclosed() -> None:
    assert [len(p) for p in parts([(0, 0), (0, 1), (7, 7)])] == [2, 1]
    assert holes([(0, 0), (1, 0)]) == ()
    (hole,) = holes(OVAL)
    assert len(hole) == len(oval(8, 1, 1)[0]) + 8
    small = OVAL - {oval(8, 3, 1)[0][0]}
    assert [len(h) for h in holes(small)] == [len(hole), 1]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (frozenset({(0, 0), (1, 0)}), "expected 6 to"),
        (frozenset((q, 0) for q in range(9)), "enclose nothing"),
        (OVAL | {(50, 50)}, "lie in 2 parts"),
        (frozenset((q, r) for q in range(50) for r in range(50)), "expected 6 to 1200 hexes"),
    ],
)
def test_what_makes_no_ring_is_refused(cells: frozenset[Cell], words: str) -> None:
    with pytest.raises(BoardError, match=words):
        ring_of(cells)


@pytest.mark.parametrize("seed", range(12))
def test_as_much_flows_into_every_hex_as_out_of_it_and_one_lap_goes_round(seed: int) -> None:
    cells = ragged(seed)
    assert cells != OVAL
    ring = ring_of(cells)
    for cell, flows in ring.flow.items():
        assert sum(flows.values()) == pytest.approx(0.0, abs=1e-9)
        ahead = max(flows.values())
        # Of a hex on which the way is clear one neighbour lies ahead and one behind.
        assert cell in ring.aside or (ahead > 1e-4 and min(flows.values()) < -1e-4)
        for other, amount in flows.items():
            gone = (ring.along[other] - ring.along[cell] + 0.5) % 1.0 - 0.5
            assert amount == pytest.approx(gone, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("way", [1, -1])
def test_the_middle_line_leads_once_round_and_on_with_every_hex(seed: int, way: int) -> None:
    ring = ring_of(ragged(seed))
    last = min(ring.cells - ring.aside)
    line = middle_of(ring, firsts_after(ring, last, way)[0], way)
    assert way_of(ring, line) == way
    laps = laps_of(ring, line)
    assert set(laps) == ring.cells
    assert all(0.0 <= lap < 1.0 for lap in laps.values())
    assert [laps[c] for c in line] == pytest.approx([k / len(line) for k in range(len(line))], abs=0.06 / 20)
    for cell in ring.cells:
        for other, amount in ring.flow[cell].items():
            on = (laps[other] - laps[cell] + 0.5) % 1.0 - 0.5
            # What the current says is further on lies no further back; as good as level hexes are level.
            assert on * way * amount >= -1e-9


def test_turned_and_mirrored_it_is_the_same_track() -> None:
    ring = ring_of(ragged(3))
    last = min(ring.cells - ring.aside)
    first = firsts_after(ring, last, 1)[0]
    laps = laps_of(ring, middle_of(ring, first, 1))
    for change, way in ((turned, 1), (mirrored, -1)):
        other = ring_of(frozenset(map(change, ring.cells)))
        again = laps_of(other, middle_of(other, change(first), way))
        apart = [(again[change(c)] - lap + 0.5) % 1.0 - 0.5 for c, lap in laps.items()]
        # Of middle lines that are as good either may be taken, which shifts it by a fraction of a space.
        assert max(map(abs, apart)) * len(ring.cells) ** 0.5 < 0.5
        assert {change(c) for c in ring.aside} == other.aside


def test_a_blind_alley_is_aside_and_an_island_is_passed_on_both_sides() -> None:
    outer = oval(8, 2, 4)[3]
    edge = next(c for c in outer if any(o not in OVAL for o in beside(c)))
    q, r = next((o[0] - edge[0], o[1] - edge[1]) for o in beside(edge) if o not in OVAL)
    alley = [(edge[0] + n * q, edge[1] + n * r) for n in range(1, 5)]
    ring = ring_of(OVAL | set(alley))
    assert set(alley[1:]) <= ring.aside
    assert ring_of(OVAL).aside == frozenset()
    assert set(ring.facing) == ring.cells
    gap = oval(8, 3, 1)[0][4]
    with_island = ring_of(OVAL - {gap})
    assert with_island.islands == (frozenset({gap}),)
    assert with_island.aside == frozenset()
    assert with_island.narrowest[0] == 4


def test_the_narrowest_place_is_told() -> None:
    assert ring_of(OVAL).narrowest[0] == 4
    inner = oval(8, 2, 1)[0]
    assert ring_of(OVAL - set(inner[3:6])).narrowest[0] == 3


def test_a_line_that_is_none_is_refused() -> None:
    ring = ring_of(OVAL)
    lane = oval(8, 2, 4)[1]
    for line, words in (
        (lane[:5], "not side by side"),
        (oval(1, 1, 1)[0], "not side by side"),
        ((lane[0], lane[1]), "go round its hole once"),
        ((*lane[:4], lane[2], *lane[3:]), "lead on with every hex"),
    ):
        with pytest.raises(BoardError, match=words):
            laps_of(ring, tuple(line))

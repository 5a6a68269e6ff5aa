"""Order of movement, ways and collisions of random jams against an oracle written from the book alone."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from benchmarks import frothy_oracle as oracle
from benchmarks.frothy_jams import disagreements, jam

ROW = {(q, 0): float(q) for q in range(9)}


def test_game_and_oracle_agree_on_random_jams():
    met = Counter()
    for seed in range(400):
        one = jam(seed)
        met[oracle.legal(one.course, one.racers, one.mover, one.spaces)[0]] += 1
        assert list(disagreements(one)) == []
    assert all(met[kind] > 20 for kind in ("free", "reins", "forced"))


def test_who_is_lapped_but_in_the_way_moves_first():
    for seed in range(100):
        one = jam(seed)
        laps = {v.name: int(v.travelled) for v in one.state.vehicles}
        order = oracle.order(one.course, one.racers)
        speeds = {r.name: r.speed for r in one.racers}
        if any(speeds[a] == speeds[b] and laps[a] < laps[b] for a, b in pairwise(order)):
            assert list(disagreements(one)) == []
            return
    pytest.fail("no jam has one that is lapped in front")


@pytest.mark.parametrize(
    ("degrees", "at", "speeds", "kind", "dice", "after"),
    [
        (180, (1, 0), (5, 3), "Head-On", (8, 8), (2, 1)),
        (60, (1, 0), (5, 1), "T-collision", (5, 5), (2, 1)),
        (0, (1, 0), (6, 1), "Rear-End", (5, 5), (3, 4)),
        (0, (1, 0), (2, 4), "Rear-End", (1, 1), (1, 4)),
    ],
)
def test_the_oracle_knows_the_examples_of_the_book(degrees, at, speeds, kind, dice, after):
    moving = oracle.Racer("White", (0, 0), 0, speeds[0])
    assert oracle.collision(moving, oracle.Racer("Red", at, degrees, speeds[1])) == (kind, dice, after)
    assert oracle.collision(moving, None)[0] == "Solid Obstacle"


def test_the_oracle_knows_where_a_vehicle_may_go():
    course = oracle.Course(ROW | {(q, 1): q + 0.5 for q in range(9)}, dict.fromkeys(ROW, 1))
    yellow = oracle.Racer("Yellow", (0, 0), 0, 3)
    black = oracle.Racer("Black", (3, 0), 0, 3)
    how, paths = oracle.legal(course, [yellow, black], "Yellow", 3)
    assert how == "free"
    assert {cells for cells, _ in paths} == {
        ((0, 1), (1, 1), (2, 1)), ((1, 0), (1, 1), (2, 1)), ((1, 0), (2, 0), (2, 1)),
    }  # fmt: skip
    corner = oracle.Racer("Red", (0, 0), 30, 3)
    (path,) = (
        cells
        for cells, into in oracle.paths(course, set(), corner, 2)
        if into is None and len(cells) == 2 and cells[0] == (1, 0)
    )
    assert path == ((1, 0), (1, 1))
    assert oracle.facings_after(0, 1) == {0, 30, 330}
    assert oracle.facings_after(0, 0) == {0}

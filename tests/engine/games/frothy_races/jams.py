"""Random jams, ruled by the game and by the book.

Two to eight vehicles stand close together on a circuit, some of them a lap ahead, with solid obstacles among
them. Order of movement, every way of the one whose turn it is, and what its collisions do are compared with
`tests.engine.games.frothy_races.oracle`. One core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from engine.boards.board import Cell
from engine.games.frothy_races.book.circuits import CIRCUITS, PIECES, Circuit
from engine.games.frothy_races.rules.control import KINDS, Kind, shares, speed_changes
from engine.games.frothy_races.rules.moves import arc_of, choice, initiative
from engine.games.frothy_races.state import Card, GameState, Obstacle, Track, Turn, Vehicle
from tests.engine.games.frothy_races import oracle

AROUND = 0.16
"""Laps within which all of a jam stand."""


@dataclass(frozen=True)
class Jam:
    """A jam as the game knows it and as the oracle does; whose turn it is, and how many spaces it has."""

    state: GameState
    course: oracle.Course
    racers: tuple[oracle.Racer, ...]
    mover: str
    spaces: int


@cache
def along(circuit: Circuit) -> dict[Cell, tuple[float, int]]:
    """How many laid rows each hex lies from the start, and its lane: counted from the pieces alone."""
    found: dict[Cell, tuple[float, int]] = {}
    parts = [part for name in circuit.pieces for part in PIECES[name]]
    # The hexes of a bend in each lane; the last row of a wide one lies straight already.
    bends = {"left": ((2, 3, 4, 5),), "right": ((5, 4, 3, 2), (1, 1, 1, 1))}
    sections = [s for part in parts for s in bends.get(part) or ((1, 1, 1, 1),) * int(part.split()[-1])]
    for lane, cells in enumerate(circuit.lanes):
        left, rows = list(cells), 0.0
        for counts in sections:
            for n in range(counts[lane]):
                found[left.pop(0)] = (rows + counts[2] * (n / counts[lane]), lane)
            rows += counts[2]
    return found


@cache
def _track(circuit: Circuit) -> Track:
    return Track(circuit.id, circuit.lanes, circuit.start, circuit.finish, 2.0, (0.0, 0.0, 0.0), 0.5)


def jam(seed: int) -> Jam:
    """A random jam."""
    rng = np.random.default_rng(seed)
    circuit = CIRCUITS[int(rng.integers(len(CIRCUITS)))]
    track, rows = _track(circuit), along(circuit)
    board, whole = track.board, max(row for row, _ in rows.values()) + 1
    begin = float(rng.uniform(0.0, whole))
    near = {
        c: (row - begin) % whole for c, (row, _) in rows.items() if (row - begin) % whole < AROUND * whole
    }
    cells = [list(near)[int(k)] for k in rng.permutation(len(near))]
    count = int(rng.integers(2, 9))
    solid = cells[count : count + int(rng.integers(0, 7))]
    vehicles, racers = [], []
    for n, cell in enumerate(cells[:count]):
        facing = (board.travel(cell) + int(rng.choice((-2, -1, 0, 0, 0, 1, 2, 6)))) % 12
        speed, reins, name = int(rng.integers(1, 7)), bool(rng.integers(2)), f"V{n}"
        cards = (Card("Reins 1", ("reins",)),) if reins else ()
        travelled = board.progress(cell) + int(rng.integers(3))
        vehicles.append(
            Vehicle(name, "Ann", "chariot", cards, cell=cell, facing=facing, speed=speed, travelled=travelled)
        )
        racers.append(oracle.Racer(name, cell, facing * 30, speed, reins))
    obstacles = tuple(Obstacle(f"Rock {n}", "solid", cell) for n, cell in enumerate(solid))
    state = GameState(("Ann",), track=track, vehicles=tuple(vehicles), obstacles=obstacles, phase="move")
    course = oracle.Course(
        # The jam may stand across the line: what is in front of it there counts from where the jam begins.
        {c: (row - begin) % whole for c, (row, _) in rows.items()},
        {c: lane for c, (_, lane) in rows.items()},
        frozenset(solid),
    )
    return Jam(state, course, tuple(racers), f"V{int(rng.integers(count))}", int(rng.integers(1, 5)))


def disagreements(one: Jam) -> Iterator[str]:
    """What game and oracle say differently of a jam."""
    ours = [v.name for v in initiative(one.state)]
    theirs = oracle.order(one.course, one.racers)
    if ours != theirs:
        yield f"order: {ours} and {theirs}"
    v = one.state.vehicle(one.mover)
    found = choice(one.state, v, Turn(v.name, one.spaces))
    how = "reins" if found.reins else "forced" if found.forced else "free"
    assert v.cell is not None
    paths = {_path(v.cell, way.cells, way.steps, way.into) for way in found.ways}
    want = oracle.legal(one.course, one.racers, one.mover, one.spaces)
    if (how, paths) != want:
        yield f"ways of {v.name}: {how} {sorted(paths, key=str)} and {want[0]} {sorted(want[1], key=str)}"
    (mover,) = (r for r in one.racers if r.name == one.mover)
    for hit in (*(r for r in one.racers if r.place in oracle.around(mover.place)), None):
        yield from _collision(mover, hit)


def _path(start: Cell, cells: tuple[Cell, ...], steps: tuple[int, ...], into: str) -> oracle.Path:
    if not into:
        return cells, None
    here = cells[-1] if cells else start
    (there,) = (c for c in oracle.around(here) if oracle.bearing(here, c) == steps[-1] * 30)
    return cells, there


def _collision(mover: oracle.Racer, hit: oracle.Racer | None) -> Iterator[str]:
    kind: Kind = "Solid Obstacle"
    speeds = (mover.speed, 0)
    if hit is not None:
        towards = oracle.bearing(hit.place, mover.place) // 30
        kind, speeds = KINDS[arc_of(hit.degrees // 30, towards)], (mover.speed, hit.speed)
    changes = speed_changes(kind, *speeds)
    after = tuple(s // 2 if by is None else max(s + by, 0) for s, by in zip(speeds, changes, strict=True))
    told = (kind, shares(kind, *speeds), after)
    want = oracle.collision(mover, hit)
    if told != want:
        yield f"collision of {mover} with {hit}: {told} and {want}"

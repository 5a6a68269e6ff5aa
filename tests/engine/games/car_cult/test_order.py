"""In which order a move comes to Rough terrain and Mines, against an oracle written from the notes alone."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from engine.games.car_cult.book.data import MINES
from engine.games.car_cult.rules.on_the_way import ground, mines
from engine.measure.sweep import Straight, Turn
from engine.space.catalogue import CARS
from tests.engine.games.car_cult.hands import mine, mud, put, table
from tests.volume import volume

Point = tuple[float, float]

FINE = 0.02
"""Inches from one place of the oracle's way to the next."""

NEAR = 0.25
"""Inches on the way, or of distance, within which the two may part: the game looks every tenth of an inch."""


def way(x: float, y: float, heading: float, parts: list[tuple[float, float]], rear: float) -> list[Any]:
    """Places (x, y, heading) of a car that runs so far and then turns about its rear axle, by each part."""
    rows = [(x, y, heading)]
    for run, turn in parts:
        for _ in range(round(run / FINE)):
            x, y = x + FINE * math.cos(heading), y + FINE * math.sin(heading)
            rows.append((x, y, heading))
        ax, ay = x + rear * math.cos(heading), y + rear * math.sin(heading)
        steps = max(round(abs(turn) / 0.01), 1) if turn else 0
        for _ in range(steps):
            heading += turn / steps
            x, y = ax - rear * math.cos(heading), ay - rear * math.sin(heading)
            rows.append((x, y, heading))
    return rows


def to_segment(p: Point, a: Point, b: Point) -> float:
    """From a point to a segment."""
    ux, uy = b[0] - a[0], b[1] - a[1]
    long = ux * ux + uy * uy
    t = min(max(((p[0] - a[0]) * ux + (p[1] - a[1]) * uy) / long, 0.0), 1.0) if long else 0.0
    return math.hypot(p[0] - a[0] - t * ux, p[1] - a[1] - t * uy)


def apart(one: list[Point], other: list[Point]) -> float:
    """Between two outlines that stand beside each other."""
    pairs = [(one, other), (other, one)]
    return min(
        to_segment(p, b[k - 1], b[k]) for a, b in pairs for p in a for k in range(len(b))
    )  # fmt: skip


def outline(row: Any, body: list[Point]) -> list[Point]:
    x, y, h = row
    c, s = math.cos(h), math.sin(h)
    return [(x + c * u - s * v, y + s * u + c * v) for u, v in body]


def square(x: float, y: float, half: float) -> list[Point]:
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def test_rough_terrain_and_mines_come_in_the_order_of_the_way():
    """ "Mines automatically trigger when any model moves within Range"; "moves through ... Rough terrain"."""
    chance, told = random.Random("order"), 0
    body = [(float(u), float(v)) for u, v in CARS["sedan"].footprint.outline]
    front = max(u for u, _ in body)
    rear = -1.4
    for _ in range(volume(40, 20_000)):
        parts = [
            (round(chance.uniform(1.0, 5.0), 2), math.radians(chance.choice((0, 0, 20, 40, -40, -85))))
            for _ in range(chance.randint(1, 3))
        ]
        heading = chance.uniform(-math.pi, math.pi)
        rows = way(24.0, 24.0, heading, parts, rear)
        # What lies ahead, or beside: about one of the places that it comes to.
        spots = [
            (r[0] + chance.uniform(-5.5, 5.5), r[1] + chance.uniform(-5.5, 5.5))
            for r in (chance.choice(rows) for _ in range(3))
        ]
        rough, laid = spots[0], spots[1:]
        first: dict[str, float] = {}
        close: set[str] = set()
        gone, last = 0.0, rows[0]
        depth = 1.0
        least = {f"Mine {k}": 99.0 for k in (1, 2)}
        for k, row in enumerate(rows):
            gone += max(math.hypot(row[0] - last[0], row[1] - last[1]), abs(row[2] - last[2]))
            last = row
            fx, fy = row[0] + front * math.cos(row[2]), row[1] + front * math.sin(row[2])
            inside = 1.0 - max(abs(fx - rough[0]), abs(fy - rough[1]))
            depth = min(depth, abs(inside))
            if inside >= 0.0:
                first.setdefault("Mud", gone)
            if k % 5 == 0 or k == len(rows) - 1:
                shape = outline(row, body)
                for n, (x, y) in enumerate(laid, start=1):
                    away = apart(shape, square(x, y, 0.5))
                    least[f"Mine {n}"] = min(least[f"Mine {n}"], away)
                    if away <= 4.0:
                        first.setdefault(f"Mine {n}", gone)
        close = {name for name, away in least.items() if abs(away - 4.0) < NEAR}
        if "Mud" in first or depth < NEAR:
            # It is measured along the straight runs: what it turns through, or touches, is none.
            crossed = sum(
                r[2] == before[2]
                and max(
                    abs(r[0] + front * math.cos(r[2]) - rough[0]),
                    abs(r[1] + front * math.sin(r[2]) - rough[1]),
                )
                < 1.0
                for before, r in pairwise(rows)
            )
            close |= {"Mud"} if crossed * FINE < 2 * NEAR else set()
        steps = [
            SimpleNamespace(step=step)
            for run, turn in parts
            for step in (Straight(round(run / FINE) * FINE), *([Turn(turn, (rear, 0.0))] if turn else []))
        ]
        car = put("Red 1", 24.0, 24.0, math.degrees(heading))
        seen: Any = SimpleNamespace(
            start=car.pose, steps=steps, elsewhere=(), doubts=(), length=SimpleNamespace(sd=0.01)
        )
        on = table(car, *(mine(f"Mine {n}", x, y) for n, (x, y) in enumerate(laid, start=1)))
        state: Any = SimpleNamespace(laid=[SimpleNamespace(name=f"Mine {n}", card=MINES) for n in (1, 2)])
        met = [(one.order, one.mine) for one in mines(state, on, car, seen)]
        met += [(one.order, one.terrain) for one in ground(car, seen, [mud("Mud", *rough, 2.0, 2.0)])]
        order = [name for _, name in sorted(met) if name not in close]
        wanted = [name for name in sorted(first, key=first.__getitem__) if name not in close]
        assert set(order) == set(wanted), (parts, heading, rough, laid)
        for one, other in pairwise(wanted):
            if first[other] - first[one] > NEAR:
                assert order.index(one) < order.index(other), (parts, heading, rough, laid)
                told += 1
    assert told > 5

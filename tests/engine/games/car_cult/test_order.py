"""In which order a move comes to Rough terrain and Mines, against an oracle written from the notes alone."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from engine.games.car_cult.book.data import MINES
from engine.games.car_cult.rules.moves import ground, mines
from engine.measure.sweep import Straight, Turn
from engine.space.catalogue import CARS
from engine.space.geometry import Pose
from engine.space.table import Standing
from tests.engine.games.car_cult.hands import mine, mud, put, table
from tests.volume import volume

Point = tuple[float, float]

FINE = 0.02
"""Inches from one place of the oracle's way to the next."""

NEAR = 0.25
"""Inches on the way, or of distance, within which the two may part: the game looks every tenth of an inch."""


Part = tuple[float, float, float]
"""A run so far ahead and so far aside, and the turn after it."""


def way(x: float, y: float, heading: float, parts: list[Part], rear: float) -> list[Any]:
    """Places (x, y, heading) of a car that runs so far and then turns about its rear axle, by each part."""
    rows = [(x, y, heading)]
    for run, aside, turn in parts:
        count = round(run / FINE)
        c, s = FINE * math.cos(heading), FINE * math.sin(heading)
        drift = aside / (count * FINE)
        for _ in range(count):
            x, y = x + c - drift * s, y + s + drift * c
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


def laid(at: Point, angle: float, half: Point) -> list[Point]:
    """The corners of a rectangle that lies there, turned."""
    a, b = half
    return outline((*at, angle), [(-a, -b), (a, -b), (a, b), (-a, b)])


def beyond(p: Point, at: Point, angle: float, half: Point) -> float:
    """How far a place lies beside a rectangle; inside it less than nothing."""
    c, s, x, y = math.cos(angle), math.sin(angle), p[0] - at[0], p[1] - at[1]
    return max(abs(c * x + s * y) - half[0], abs(c * y - s * x) - half[1])


def test_rough_terrain_and_mines_come_in_the_order_of_the_way():
    """ "Mines automatically trigger when any model moves within Range"; "moves through ... Rough terrain"."""
    chance, told = random.Random("order"), 0
    models = [name for name in CARS if not name.startswith("rig")]
    for _ in range(volume(24, 20_000)):
        model = chance.choice(models)
        body = [(float(u), float(v)) for u, v in CARS[model].footprint.outline]
        front, radius = max(u for u, _ in body), max(math.hypot(*p) for p in body)
        rear = chance.uniform(-1.4, -0.7)
        parts = [
            (
                round(chance.uniform(1.0, 5.0), 2), chance.choice((0, 0, 0, chance.uniform(-1.5, 1.5))),
                math.radians(chance.choice((0, 0, 20, 40, -40, -85))),
            )
            for _ in range(chance.randint(1, 3))
        ]  # fmt: skip
        heading = chance.uniform(-math.pi, math.pi)
        rows = way(24.0, 24.0, heading, parts, rear)
        # What lies ahead, or beside: about some of the places that it comes to.
        spots = [
            (r[0] + chance.uniform(-5.5, 5.5), r[1] + chance.uniform(-5.5, 5.5), chance.uniform(0.0, 3.0))
            for r in (chance.choice(rows) for _ in range(5))
        ]
        muds = {
            f"Mud {k}": ((x, y), angle, (chance.uniform(0.6, 2.0), chance.uniform(0.6, 2.0)))
            for k, (x, y, angle) in enumerate(spots[:2], start=1)
        }
        mined = {
            f"Mine {k}": ((x, y), angle, (0.5, 0.5)) for k, (x, y, angle) in enumerate(spots[2:], start=1)
        }
        first: dict[str, float] = {}
        gone, last = 0.0, rows[0]
        depth, least = dict.fromkeys(muds, 99.0), dict.fromkeys(mined, 99.0)
        for k, row in enumerate(rows):
            gone += max(math.hypot(row[0] - last[0], row[1] - last[1]), abs(row[2] - last[2]))
            last = row
            nose = row[0] + front * math.cos(row[2]), row[1] + front * math.sin(row[2])
            for name, lies in muds.items():
                out = beyond(nose, *lies)
                depth[name] = min(depth[name], abs(out))
                if out <= 0.0:
                    first.setdefault(name, gone)
            if k % 5 == 0 or k == len(rows) - 1:
                for name, lies in mined.items():
                    if math.dist(row[:2], lies[0]) > radius + 4.0 + 0.75 + NEAR:
                        continue
                    away = apart(outline(row, body), laid(*lies))
                    least[name] = min(least[name], away)
                    if away <= 4.0:
                        first.setdefault(name, gone)
        close = {name for name, away in least.items() if abs(away - 4.0) < NEAR}
        for name, lies in muds.items():
            # It is measured along the straight runs: what it turns through, or touches, is none.
            crossed = sum(
                r[2] == before[2]
                and beyond((r[0] + front * math.cos(r[2]), r[1] + front * math.sin(r[2])), *lies) < 0.0
                for before, r in pairwise(rows)
            )
            if (name in first or depth[name] < NEAR) and crossed * FINE < 2 * NEAR:
                close.add(name)
        steps = [
            SimpleNamespace(step=step)
            for run, aside, turn in parts
            for step in (
                Straight(round(run / FINE) * FINE, aside), *([Turn(turn, (rear, 0.0))] if turn else [])
            )
        ]  # fmt: skip
        car = put("Red 1", 24.0, 24.0, math.degrees(heading), model=model)
        seen: Any = SimpleNamespace(
            start=car.pose, steps=steps, elsewhere=(), doubts=(), length=SimpleNamespace(sd=0.01)
        )
        on = table(car, *(turned(mine(name, *at), angle) for name, (at, angle, _) in mined.items()))
        state: Any = SimpleNamespace(laid=[SimpleNamespace(name=name, card=MINES) for name in mined])
        met = [(one.order, one.mine) for one in mines(state, on, car, seen)]
        rough = [turned(mud(name, *at, 2 * a, 2 * b), angle) for name, (at, angle, (a, b)) in muds.items()]
        met += [(one.order, one.terrain) for one in ground(car, seen, rough)]
        order = [name for _, name in sorted(met) if name not in close]
        wanted = [name for name in sorted(first, key=first.__getitem__) if name not in close]
        assert set(order) == set(wanted), (parts, heading, muds, mined)
        for one, other in pairwise(wanted):
            if first[other] - first[one] > NEAR:
                assert order.index(one) < order.index(other), (parts, heading, muds, mined)
                told += 1
    assert told > 5


def turned(standing: Standing, angle: float) -> Standing:
    """A piece turned where it lies, radians."""
    return replace(standing, pose=Pose(standing.pose.x, standing.pose.y, angle))

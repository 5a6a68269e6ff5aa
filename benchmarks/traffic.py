"""`python -m benchmarks.traffic [--jams N] [--json]`: how exact and fast are move areas.

Random traffic jams: twelve vehicles, some with trailers, some bumper to bumper or side by side. For one of
them the area of Shattered Highways' Move is held against brute force that shares no code with it: every
position of a fine grid is tried for overlap by separating axes (and a sample of them by shapely), positions
are joined with their neighbours, and what hangs together with the start is the area. The grid is so fine that
a position that both sides see alike may be no farther than `APART` from where they part.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray

from benchmarks.command import command
from engine.games.shattered_highways.rules.moves import MoveArea, Position, move_area
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import Hitch, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, TableState

APART = 0.02
"""Inches beyond which the two must not disagree."""

PITCH = 0.028
"""Inches between positions: any place is within `APART` of one."""

SURFACE = Region.rectangle(0.0, 0.0, 60.0, 24.0)
JAM = (20.0, 8.0, 40.0, 16.0)
VEHICLES = 12
SAMPLED = 8
_BLOCK = 8
_SETTLED = _BLOCK * PITCH * 1.5 + APART
MODELS = ("compact", "sedan", "muscle", "suv", "pickup", "van", "truck", "buggy")


# Traffic jams


def vehicle_at(name: str, model: str, pose: Pose) -> tuple[Standing, ...]:
    """A vehicle, known exactly; a tractor comes with its trailer."""
    first = Standing(Piece(name, "car", CARS[model]), pose, PoseUncertainty.exact())
    if model != "rig-tractor":
        return (first,)
    mount = TagMount("tag36h11", 1, 0.5, 1.7)
    hitch = Hitch(name, (2.6, 0.0), (-2.2, 0.0))
    trailer = Piece(f"{name} trailer", "trailer", CARS["rig-trailer"], mount, hitch=hitch)
    return first, Standing(trailer, pose.compose(Pose(-4.8, 0.0)), PoseUncertainty.exact())


def jam(seed: int) -> TableState:
    """A traffic jam with the vehicle "V0" in its middle."""
    rng = np.random.default_rng(seed)
    long = {k for k in (0, 5) if rng.random() < 0.5}
    models = ["rig-tractor" if k in long else str(rng.choice(MODELS)) for k in range(VEHICLES)]
    bodies: list[Standing] = []
    taken: list[shapely.Polygon] = []
    for k, model in enumerate(models):
        for _ in range(60):
            new = vehicle_at(f"V{k}", model, _somewhere(rng, bodies, middle=k == 0))
            outlines = [shapely.Polygon(_outline(s)) for s in new]
            if not any(_overlap(a, b) for a in outlines for b in taken):
                bodies += new
                taken += outlines
                break
    return TableState.of(SURFACE, bodies)


def _outline(standing: Standing) -> FloatArray:
    return standing.pose.to_table(standing.piece.body.footprint.outline)


def _somewhere(rng: np.random.Generator, bodies: Sequence[Standing], *, middle: bool) -> Pose:
    heading = float(rng.normal(0.0, math.radians(2.0)))
    if middle:
        return Pose(30.0, 12.0, heading)
    x, y = rng.uniform(JAM[:2], JAM[2:])
    if rng.random() < 0.4:
        # Behind or beside another one, with hardly any room or none.
        other = bodies[int(rng.integers(len(bodies)))].pose
        room = float(rng.choice([0.0, 0.005, 0.03, 0.1]))
        x, y = (other.x + 3.0 + room, other.y) if rng.random() < 0.5 else (other.x, other.y + 1.25 + room)
        heading = other.heading
    return Pose(float(x), float(y), heading)


def _overlap(one: shapely.Polygon, other: shapely.Polygon) -> bool:
    return bool(one.intersects(other) and one.intersection(other).area > 0.0)


# Brute force


def _axes(outline: FloatArray) -> FloatArray:
    edge = np.roll(outline, -1, axis=0) - outline
    return np.asarray(np.stack([edge[:, 1], -edge[:, 0]], axis=1) / np.hypot(*edge.T)[:, None])


@dataclass(frozen=True, eq=False)
class Pair:
    """Two outlines and how far the other begins beyond the first's farthest corner in some directions."""

    normals: FloatArray
    gaps: FloatArray

    @classmethod
    def of(cls, mine: FloatArray, theirs: FloatArray) -> Pair:
        """From outlines (n, 2) in the table frame."""
        normals = np.concatenate([_axes(mine), -_axes(theirs)])
        return cls(normals, (theirs @ normals.T).min(axis=0) - (mine @ normals.T).max(axis=0))

    def apart(self, shifts: FloatArray) -> FloatArray:
        """At shifts (n, 2): no more than their distance, or minus the depth of their overlap; inches (n,)."""
        return np.asarray((self.gaps - shifts @ self.normals.T).max(axis=1))


def separations(pairs: Sequence[Pair], grid: FloatArray) -> FloatArray:
    """The least separation at each position of a grid (r, c, 2), inches (r, c).

    A separation changes by no more than the way, so that a block of positions far from where it is 0 is
    settled by its middle: with what is wide apart left out, and what is deep in one another as `-inf`.
    """
    least = np.full(grid.shape[:2], np.inf)
    rows, columns = (np.arange(0, n, _BLOCK) for n in grid.shape[:2])
    middle = grid[np.minimum(rows + _BLOCK // 2, grid.shape[0] - 1)][
        :, np.minimum(columns + _BLOCK // 2, grid.shape[1] - 1)
    ]
    for pair in pairs:
        rough = pair.apart(middle.reshape(-1, 2)).reshape(middle.shape[:2])
        for i, j in np.argwhere(rough < -_SETTLED):
            least[rows[i] : rows[i] + _BLOCK, columns[j] : columns[j] + _BLOCK] = -np.inf
        open_ = np.repeat(np.repeat(np.abs(rough) <= _SETTLED, _BLOCK, 0), _BLOCK, 1)
        at = open_[: grid.shape[0], : grid.shape[1]]
        least[at] = np.minimum(least[at], pair.apart(grid[at]))
    return least


@dataclass(frozen=True, eq=False)
class Found:
    """One template of one jam: by how much the two disagree at most, inches, and how much was compared."""

    beyond: float
    short: float
    sampled_wrong: int
    positions: int
    seeded: bool


def compare(table: TableState, area: MoveArea, position: Position, rng: np.random.Generator) -> Found:
    """The area in one position of the template against brute force."""
    vehicle = area.vehicle
    ahead = position is area.ahead
    length = position.template.length
    side = 2.0 - vehicle[0].piece.body.width / 2 * math.cos(vehicle[0].pose.heading)
    along = np.arange(0, math.floor(length / PITCH) + 1) * (PITCH if ahead else -PITCH)
    left = np.arange(-math.floor(side / PITCH), math.floor(side / PITCH) + 1) * PITCH
    grid = np.stack(np.meshgrid(along, left, indexing="ij"), axis=-1)
    shifts = grid.reshape(-1, 2)
    own = {s.name for s in vehicle}
    others = [_outline(s) for s in table.standings if s.name not in own]
    mine = [_outline(s) for s in vehicle]
    pairs = [Pair.of(a, b) for a in mine for b in others]
    apart = separations(pairs, grid)
    wrong = _sampled(mine, others, shifts, apart.ravel(), rng)
    start = (0, len(left) // 2)
    loose = _joined(apart >= -APART, [start], 8)
    near = np.argwhere((apart >= APART) & (np.hypot(grid[..., 0], grid[..., 1]) < 0.2))
    ways = np.linspace(0.0, 1.0, 9)[:, None, None] * grid[near[:, 0], near[:, 1]]
    close = [p for p in pairs if float(p.apart(np.zeros((1, 2)))[0]) < 0.3]
    free = np.min([p.apart(ways.reshape(-1, 2)) for p in close] or [np.ones(ways.size // 2)], axis=0)
    good = free.reshape(ways.shape[:2]).min(axis=0) >= -1e-9
    seeds = [tuple(at) for at in near[good]]
    strict = _joined(apart >= APART, seeds, 4)
    reach = position.reach
    shapely.prepare(reach)
    inside = shapely.contains_xy(reach, shifts[:, 0], shifts[:, 1]).reshape(grid.shape[:2])
    missed, extra = strict & ~inside, inside & ~loose
    short = beyond = 0.0
    if missed.any():
        short = float(shapely.distance(reach, shapely.points(grid[missed])).max())
    if extra.any():
        known = shapely.multipoints(grid[loose]) if loose.any() else shapely.points([0.0, 0.0])
        beyond = float(shapely.distance(known, shapely.points(grid[extra])).max())
    return Found(beyond, short, wrong, len(shifts), bool(seeds))


def _joined(free: NDArray[np.bool_], seeds: Sequence[tuple[Any, ...]], ways: int) -> NDArray[np.bool_]:
    """The free positions that hang together with one of the seeds."""
    _, labels = cv2.connectedComponents(free.astype(np.uint8), connectivity=ways)
    wanted = {int(labels[seed]) for seed in seeds} - {0}
    return np.isin(labels, list(wanted))


def _sampled(
    mine: Sequence[FloatArray], others: Sequence[FloatArray], shifts: FloatArray, apart: FloatArray,
    rng: np.random.Generator,
) -> int:  # fmt: skip
    """How many of some positions near a contact shapely sees otherwise than the axes."""
    wrong = 0
    wall = shapely.union_all([shapely.Polygon(o) for o in others])
    close = np.flatnonzero(np.abs(apart) < 0.3)
    for k in rng.choice(close, min(SAMPLED, len(close)), replace=False) if len(close) else ():
        there = shapely.union_all([shapely.Polygon(o + shifts[k]) for o in mine])
        overlap = float(there.intersection(wall).area) > 1e-9
        wrong += bool((apart[k] < -1e-3 and not overlap) or (apart[k] > 1e-9 and overlap))
    return wrong


# All of it


def one_jam(seed: int) -> tuple[list[Found], float]:
    """Both positions of the template in one jam, and the milliseconds of computing until it is drawn."""
    table = jam(seed)
    began = time.process_time()
    area = move_area(table, "V0", 0.0)
    drawn = area.covered
    taken = (time.process_time() - began) * 1e3
    assert drawn is not None
    rng = np.random.default_rng(seed)
    return [compare(table, area, position, rng) for position in area.positions], taken


def measure(
    *, jams: int = 20_000, jobs: int = 1, first: Annotated[int, "the seed of the first jam"] = 0
) -> dict[str, Any]:
    """The figures."""
    seeds = range(first, first + jams)
    one_jam(first)  # what is loaded once is not timed
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            rows = list(pool.map(one_jam, seeds, chunksize=50))
    else:
        rows = [one_jam(seed) for seed in seeds]
    every = [found for both, _ in rows for found in both]
    taken = np.array([ms for _, ms in rows])
    return {
        "jams": jams,
        "positions_tried": sum(f.positions for f in every),
        "worst_too_large_in": round(max(f.beyond for f in every), 4),
        "worst_too_small_in": round(max(f.short for f in every), 4),
        "disagree": sum(max(f.beyond, f.short) > APART for f in every),
        "axes_against_shapely_wrong": sum(f.sampled_wrong for f in every),
        "boxed_in": sum(not f.seeded for f in every),
        "drawn_ms_median": round(float(np.median(taken)), 1),
        "drawn_ms_p99": round(float(np.quantile(taken, 0.99)), 1),
    }


if __name__ == "__main__":
    sys.exit(command(measure))

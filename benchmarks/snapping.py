"""`python -m benchmarks.snapping [--board B] [--frames N] [--cars N]`: cars on a printed board, snapped.

Each frame of the simulated table has cars laid by hand on points three inches apart (`--board points`) or on
hexes (`hexes-2`, `hexes-1.5`): off by up to half the pitch and turned by up to 22° (hexes 15°), their tags 15
to 24 px wide with the margin. What one frame shows is snapped and held against the truth: those nearer than
0.35 pitch and turned by no more than 20° (10°) are to be named right, and those half-way between two cells,
on hexes also between two facings, told as between. Cars, places and the tags' width are new in every frame;
twenty frames have the cloth and the camera's speckle in common, which take longest to draw. One core.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.exactness import drawn_frames, exact_surface
from calibration.boards import HexesFields, PointsFields
from engine.boards.board import CONFIDENCE, Rival
from engine.boards.hexes import Hexes
from engine.boards.points import Points
from engine.space.geometry import Pose
from engine.space.table import Standing
from vision.locate import locate_all
from vision.simulate.scene import Scene
from vision.simulate.variations import crowded_scene
from vision.tags.reading import Expected, TagReader

NEAR = 0.35
"""Spacings within which a car is to be named right."""


@dataclass(frozen=True)
class Laying:
    """A printed board, every which of its cells is used, and how far cars are turned on it, radians."""

    fields: PointsFields | HexesFields
    every: int
    near: float
    most: float


BOARDS = {
    "points": Laying(
        PointsFields(kind="points", size=(13, 13), spacing_in=3.0), 2, math.radians(20), math.radians(22)
    ),
    "hexes-2": Laying(
        HexesFields(kind="hexes", size=(18, 20), spacing_in=2.0), 3, math.radians(10), math.radians(15)
    ),
    "hexes-1.5": Laying(
        HexesFields(kind="hexes", size=(24, 26), spacing_in=1.5), 4, math.radians(10), math.radians(15)
    ),
}

ONE_CLOTH = 20
"""So many frames are drawn on the same cloth."""

HALF_WAY = 10
"""Every so many cars one stands half-way between two points, where neither is right."""


Truth = dict[str, tuple[tuple[int, int], int, float, float]]
"""Of each car its cell and facing, how many spacings it is off, and how far it is turned, radians."""


def laid(number: int, cars: int, on: Laying) -> tuple[Scene, Truth]:
    """A table with cars near cells of a board."""
    rng = np.random.default_rng(number)
    scene = crowded_scene(cars=cars, printed_px=float(rng.uniform(15.0, 24.0)), seed=number)
    scene = replace(scene, board_fields=on.fields, road=False, cloth="#c9c3b2", seed=number // ONE_CLOTH)
    board, pitch = scene.board, on.fields.spacing_in
    assert isinstance(board, Points | Hexes)
    # Only some cells, so that no car covers its neighbour's tag.
    free = [c for c in board.cells if c[0] % on.every == 0 and c[1] % on.every == 0]
    picked = rng.permutation(len(free))[:cars]
    start, truth = {}, Truth()
    ways = 4 if isinstance(board, Points) else 6
    for n, (piece, k) in enumerate(zip(scene.pieces, picked, strict=True)):
        cell, facing = free[int(k)], int(rng.integers(board.facings))
        off, way = float(rng.uniform(0.0, 0.5)), float(rng.uniform(0.0, math.tau))
        turn = float(rng.uniform(-1.0, 1.0)) * on.most
        if n % HALF_WAY == 0:
            # Towards a neighbour, in the board's frame and not the car's.
            off, way = 0.5, board.frame.heading + float(rng.integers(ways)) * math.tau / ways
        elif ways == 6 and n % HALF_WAY == HALF_WAY // 2:
            turn = math.pi / board.facings
        there = board.pose_of(cell, facing)
        x, y = there.x + off * pitch * math.cos(way), there.y + off * pitch * math.sin(way)
        start[piece.name] = Pose(x, y, there.heading + turn)
        truth[piece.name] = (cell, facing, off, abs(turn))
    return replace(scene, start=start), truth


def snapped(number: int, cars: int, on: Laying) -> Counter[str]:
    """What becomes of the cars of one frame, counted."""
    scene, truth = laid(number, cars, on)
    surface, board = exact_surface(scene.camera), scene.board
    reader = TagReader.of({(p.mount.family, p.mount.tag) for p in scene.pieces if p.mount is not None})
    expected = []
    for piece in scene.pieces:
        mount = piece.mount
        assert mount is not None
        half = mount.size / 2
        square = np.array([(half, half), (half, -half), (-half, -half), (-half, half)])
        pose = scene.start[piece.name].compose(mount.body_from_tag)
        corners = surface.image_from_table(pose.to_table(square), mount.height)
        expected.append(Expected(mount.family, mount.tag, corners))
    (frame,) = drawn_frames(scene, 1)
    found: Counter[str] = Counter(laid=len(truth))
    for s in locate_all(reader.read_near(frame, expected), scene.pieces, surface, frame.time):
        cell, facing, off, turn = truth[s.piece.name]
        snap = board.snap(Standing(s.piece, s.pose, s.uncertainty))
        half_way = off >= 0.5 or turn >= math.pi / board.facings
        where = "half-way" if half_way else "near" if off <= NEAR and turn <= on.near else "astray"
        right = (snap.cell, snap.facing) == (cell, facing)
        told = "between" if snap.where != "cell" else "right" if right else "wrong"
        if turn <= on.near and off < 0.5:
            # The facing alone, whatever the cell.
            odds = {r.facing: 0.0 for r in (*snap.rivals, Rival(snap.cell, snap.facing, 0.0))}
            for r in (Rival(snap.cell, snap.facing, snap.probability), *snap.rivals):
                odds[r.facing] += r.probability
            best = max(odds, key=lambda f: odds[f])
            sure = "between" if odds[best] < CONFIDENCE else "right" if best == facing else "wrong"
            found[f"facing, {sure}"] += 1
        found[f"{where}, {told}"] += 1
        found["read"] += 1
    return found


def main() -> None:
    """Lays, reads and snaps, and says how often it was right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--board", choices=BOARDS, default="points")
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--cars", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0, help="number of the first frame")
    said = parser.parse_args()
    start, total = time.process_time(), Counter[str]()
    for number in range(said.seed, said.seed + said.frames):
        total += snapped(number, said.cars, BOARDS[said.board])
    took = time.process_time() - start
    print(f"{said.frames} frames, {total['laid']} cars laid, {total['read']} read, {took:.0f} s of computing")
    for where in ("near", "astray", "half-way", "facing"):
        told = ", ".join(f"{total[f'{where}, {told}']} {told}" for told in ("right", "between", "wrong"))
        print(f"{where}: {told}")


if __name__ == "__main__":
    main()

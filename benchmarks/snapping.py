"""`python -m benchmarks.snapping [--frames N] [--cars N]`: cars on printed points, seen and snapped.

Each frame of the simulated table has cars laid by hand on points three inches apart: off by up to half the
pitch and turned by up to 22°, their tags 15 to 24 px wide with the margin. What one frame shows is snapped
and held against the truth: those nearer than 0.35 pitch and turned by no more than 20° are to be named right,
and those half-way between two points told as between. One core.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from dataclasses import replace

import numpy as np

from benchmarks.exactness import drawn_frames, exact_surface
from calibration.boards import PointsFields
from engine.boards.points import Points
from engine.space.geometry import Pose
from engine.space.table import Standing
from vision.locate import locate_all
from vision.simulate.scene import Scene
from vision.simulate.variations import crowded_scene
from vision.tags.reading import Expected, TagReader

PITCH = 3.0
NEAR, TURNED = 0.35, math.radians(20.0)
"""Spacings and radians within which a car is to be named right."""

HALF_WAY = 10
"""Every so many cars one stands half-way between two points, where neither is right."""


def laid(number: int, cars: int) -> tuple[Scene, dict[str, tuple[tuple[int, int], int, float, float]]]:
    """A table with cars near points, and of each its point, facing, and how far off and turned it is."""
    rng = np.random.default_rng(number)
    scene = crowded_scene(cars=cars, printed_px=float(rng.uniform(15.0, 24.0)), seed=number)
    fields = PointsFields(kind="points", size=(13, 13), spacing_in=PITCH)
    scene = replace(scene, board_fields=fields, road=False, cloth="#c9c3b2")
    board = scene.board
    assert isinstance(board, Points)
    # Every other point, so that no car covers its neighbour's tag.
    free = [c for c in board.cells if c[0] % 2 == 0 and c[1] % 2 == 0]
    picked = rng.permutation(len(free))[:cars]
    start, truth = {}, {}
    for n, (piece, k) in enumerate(zip(scene.pieces, picked, strict=True)):
        cell, facing = free[int(k)], int(rng.integers(8))
        off, way = float(rng.uniform(0.0, 0.5)), float(rng.uniform(0.0, math.tau))
        turn = float(rng.uniform(-1.0, 1.0)) * math.radians(22.0)
        if n % HALF_WAY == 0:
            off, way = 0.5, float(rng.integers(4)) * math.pi / 2
        there = board.pose_of(cell, facing)
        x, y = there.x + off * PITCH * math.cos(way), there.y + off * PITCH * math.sin(way)
        start[piece.name] = Pose(x, y, there.heading + turn)
        truth[piece.name] = (cell, facing, off, abs(turn))
    return replace(scene, start=start), truth


def snapped(number: int, cars: int) -> Counter[str]:
    """What becomes of the cars of one frame, counted."""
    scene, truth = laid(number, cars)
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
        where = "half-way" if off >= 0.5 else "near" if off <= NEAR and turn <= TURNED else "astray"
        right = (snap.cell, snap.facing) == (cell, facing)
        told = "between" if snap.where != "cell" else "right" if right else "wrong"
        found[f"{where}, {told}"] += 1
        found["read"] += 1
    return found


def main() -> None:
    """Lays, reads and snaps, and says how often it was right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--cars", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0, help="number of the first frame")
    said = parser.parse_args()
    start, total = time.process_time(), Counter[str]()
    for number in range(said.seed, said.seed + said.frames):
        total += snapped(number, said.cars)
    took = time.process_time() - start
    print(f"{said.frames} frames, {total['laid']} cars laid, {total['read']} read, {took:.0f} s of computing")
    for where in ("near", "astray", "half-way"):
        told = ", ".join(f"{total[f'{where}, {told}']} {told}" for told in ("right", "between", "wrong"))
        print(f"{where}: {told}")


if __name__ == "__main__":
    main()

"""Pushes as a simulated camera sees them: drawn frame by frame, read and followed by the whole referee."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.tablefile import parse_table
from engine.measure.sweep import Step
from engine.motion.moves import Move
from engine.space.geometry import Pose
from server.pipeline.referee import Referee
from tests.hand import Habits, Push, legal, pivot_of, push, unlawful
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Act, Touch
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene
from vision.sources.base import SourceEnded

FPS = 10.0
CAR = "Red 1"
BEGINS = 1.0
"""Seconds of rest before the push: the referee finds the table in them."""

RESTS = 3.5
"""Seconds of rest after it, in which its end is told."""


@dataclass(frozen=True, eq=False)
class Filmed:
    """One push, what was told of it, and how long drawing and seeing took (seconds)."""

    push: Push
    speed: int
    moves: tuple[Move, ...]
    took: float


def filmed(seed: int) -> Filmed:
    """The push of that seed, alone on the table, under a hand that comes from the side or covers it."""
    began = time.perf_counter()
    rng = np.random.default_rng(seed)
    scene = default_scene()
    body = scene.piece(CAR).body
    speed = int(rng.integers(2, 7))
    steps: list[Step] = (legal if rng.random() < 0.7 else unlawful)(speed, pivot_of(body, rng), rng)
    habits = replace(Habits.drawn(rng), lifts=False, covered=(0.0, 0.0), missed=0.0)
    start = Pose(*map(float, rng.uniform((18, 18, -3.1), (30, 30, 3.1))))
    pushed = push(steps, rng, model=body.model, start=start, habits=habits, fps=4 * FPS)
    touch: Touch = "push" if rng.random() < 0.8 else "over"
    table = replace(scene, pieces=(scene.piece(CAR),), start={CAR: start}, seed=seed)
    return Filmed(pushed, speed, tuple(_seen(table, pushed, touch)), time.perf_counter() - began)


def _seen(scene: Scene, pushed: Push, touch: Touch) -> Iterator[Move]:
    """What the referee tells of the push."""
    way = _thinned(pushed.true_way)
    length = len(pushed.true_way) / (4 * FPS)
    act = Act(BEGINS, BEGINS + max(length, 0.5), CAR, (*way, pushed.end), touch=touch)
    source = ScriptedTable(scene, [act], fps=FPS, seconds=BEGINS + length + RESTS)
    referee = Referee(parse_table(scene.to_toml(), scene.name))
    while True:
        try:
            yield from referee.step(source.read()).moves
        except SourceEnded:
            return


def _thinned(way: tuple[Pose, ...]) -> tuple[Pose, ...]:
    """Poses that differ: an act goes along its path evenly and knows no pauses."""
    out = list(way[:1])
    for pose in way[1:]:
        last = out[-1]
        if abs(pose.x - last.x) + abs(pose.y - last.y) + abs(pose.heading - last.heading) > 0.02:
            out.append(pose)
    return tuple(out)

"""`python -m tests.soak [--hours 3] [--json]`: hours of play, watched without a pause.

Three scripted minutes of play (cars pushed, turned, lifted, two that change places out of sight, a hand
that lies over another, foreign tags) are drawn once, 1280x720 at 5 frames a second, with what is true of
every frame, and played to one referee over and over with a clock that runs on, each time under other
noise. Counted are identities that were swapped, jumps of cars that stand still, and the memory that the
process holds.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np

from benchmarks.command import command
from calibration.jpeg import decode_jpeg
from calibration.tablefile import parse_table
from engine.space.geometry import Pose
from engine.space.table import Standing, Status
from server.pipeline.referee import Moment, Referee
from vision.frame import Frame
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Act
from vision.simulate.scene import Scene, ScenePlacement
from vision.simulate.scenes import evening_scene

SIZE = (1280, 720)
FPS = 5.0
SLOT_S = 20.0
"""Seconds from one act to the next: more happens than in a real game."""

GRAIN = 3.0
"""Deviation of the noise that is new in every frame, counts."""

# A read this far from its own car and nearer to another one is a swap, inches.
SWAP_IN = 1.0
# A still car that is placed this much otherwise from one frame to the next has jumped, inches.
JUMP_IN = 0.02
# So long a car must really have stood before it counts as still, seconds.
STOOD_S = 1.0
# The first part of a run, in which caches fill.
WARM_SHARE = 0.1
SAMPLES = 200
TOLD_EVERY = 1500

Truth = Mapping[str, ScenePlacement]


def play(slot: float = SLOT_S) -> tuple[Scene, list[Act], float]:
    """The table, one loop of play with an act every `slot` seconds, and how long it lasts.

    It ends as it began.
    """
    scene = evening_scene(SIZE)
    at = scene.start
    forward = at["Red 1"].compose(Pose(5.0, 0.6, 0.3))
    aside = Pose(at["Red 2"].x + 5.0, at["Red 2"].y - 8.0, at["Red 2"].heading + 1.8)
    turned = Pose(at["Red 3"].x, at["Red 3"].y, at["Red 3"].heading + 2.4)
    halfway = Pose(at["Red 3"].x, at["Red 3"].y, at["Red 3"].heading + 1.2)
    two, three = at["Blue 2"], at["Blue 3"]
    slots: list[list[Act]] = [
        [Act(1.0, 2.2, "Red 1", (forward,))],
        [Act(1.0, 2.2, None, (at["Blue 1"],), touch="over")],
        [Act(1.0, 2.4, "Red 2", (aside,), lift=2.5)],
        [Act(1.0, 2.4, "Blue 2", (three,), away=True), Act(1.0, 2.8, "Blue 3", (two,), away=True)],
        [Act(1.0, 2.0, "Red 3", (halfway, turned))],
        [Act(1.0, 2.2, "Red 1", (at["Red 1"],))],
        [Act(1.0, 2.2, "Red 2", (at["Red 2"],), lift=1.5)],
        [Act(1.0, 2.4, "Blue 2", (two,), away=True), Act(1.0, 2.8, "Blue 3", (three,), away=True)],
        [Act(1.0, 2.0, "Red 3", (halfway, at["Red 3"]))],
    ]
    later = [
        replace(act, start=act.start + n * slot, end=act.end + n * slot)
        for n, acts in enumerate(slots)
        for act in acts
    ]
    return scene, later, len(slots) * slot


@dataclass(frozen=True, eq=False)
class Drawn:
    """One frame of the loop: its JPEG, where the pieces are, and those that have stood a while."""

    file: Path
    truth: Truth
    stood: frozenset[str]


def paint(folder: Path, scene: Scene, acts: list[Act], seconds: float) -> None:
    """Draws the loop's frames into a folder: held in memory they would hide what the referee holds."""
    table = ScriptedTable(scene, acts, fps=FPS, seconds=seconds)
    for k in range(table.frames):
        cv2.imwrite(str(_file(folder, k)), table.read().image, [cv2.IMWRITE_JPEG_QUALITY, 85])


def _file(folder: Path, k: int) -> Path:
    return folder / f"{k:05d}.jpg"


def drawn_in(folder: Path, scene: Scene, acts: list[Act], seconds: float) -> list[Drawn]:
    """The frames that were drawn into a folder, with what is true of each."""
    table = ScriptedTable(scene, acts, fps=FPS, seconds=seconds)
    drawn = []
    for k in range(table.frames):
        now = k / FPS
        truth = table.play.at(now).placements
        before = [table.play.at(max(now - ago, 0.0)).placements for ago in np.arange(0.1, STOOD_S + 0.1, 0.1)]
        stood = frozenset(n for n, p in truth.items() if all(b.get(n) == p for b in before))
        drawn.append(Drawn(_file(folder, k), truth, stood))
    return drawn


def frames_of(drawn: list[Drawn], count: int) -> Iterator[tuple[Frame, Drawn]]:
    """`count` frames, the loop over and over, each under noise of its own."""
    rng = np.random.default_rng(5)
    height, width = SIZE[1], SIZE[0]
    grey = np.round(rng.normal(0.0, GRAIN, (2 * height, 2 * width, 1))).astype(np.int16)
    grain = np.repeat(grey, 3, axis=2)
    for k in range(count):
        one = drawn[k % len(drawn)]
        picture = decode_jpeg(one.file.read_bytes(), "BGR")
        assert picture is not None
        y, x = rng.integers(0, (height, width))
        noise = grain[y : y + height, x : x + width]
        grained = cv2.add(picture, noise, dtype=cv2.CV_8U)
        yield Frame(np.asarray(grained, dtype=np.uint8), k / FPS, k), one


@dataclass
class Watched:
    """What a run adds up.

    `swaps` are frames in which a car is told to be where another one is, `jumps` steps beyond JUMP_IN of
    a standing car that is called still, `restless` how often a car that stands was said to set out.
    """

    frames: int = 0
    reads: int = 0
    swaps: int = 0
    jumps: int = 0
    restless: int = 0
    largest_jump: float = 0.0
    errors: list[float] = field(default_factory=list)
    _before: dict[str, Standing] = field(default_factory=dict)

    def see(self, moment: Moment, drawn: Drawn) -> None:
        """One moment against what is true of its frame."""
        self.frames += 1
        now = {s.name: s for s in moment.table.standings}
        for name, standing in now.items():
            # A car that is held or lost is told where it was, and told to be so.
            if standing.status in (Status.STILL, Status.MOVING):
                self.reads += name in moment.read
                self.swaps += is_swapped(name, standing.pose, drawn.truth)
            if name in drawn.stood and name in self._before:
                self._still(name, standing, drawn)
        self._before = now

    def _still(self, name: str, standing: Standing, drawn: Drawn) -> None:
        before = self._before[name]
        self.restless += standing.status is Status.MOVING and before.status is Status.STILL
        if not standing.status is before.status is Status.STILL:
            return
        step = math.dist((standing.pose.x, standing.pose.y), (before.pose.x, before.pose.y))
        self.largest_jump = max(self.largest_jump, step)
        self.jumps += step > JUMP_IN
        if self.frames % 30 == 0:
            true = drawn.truth[name].pose
            self.errors.append(math.dist((standing.pose.x, standing.pose.y), (true.x, true.y)))


def is_swapped(name: str, pose: Pose, truth: Truth) -> bool:
    """Whether a car is seen where it is not and another one is."""
    far = {n: math.dist((p.pose.x, p.pose.y), (pose.x, pose.y)) for n, p in truth.items()}
    own = far.pop(name, math.inf)
    return own > SWAP_IN and min(far.values(), default=math.inf) < SWAP_IN


def resident_mb() -> float:
    """What the process holds in memory now, megabytes; its peak where only that is told."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * 4096 / 1e6
    except OSError:
        try:
            import resource  # noqa: PLC0415 - not there on Windows
        except ImportError:
            return math.nan
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def soak(
    hours: float,
    tell: Callable[[str], None] = lambda _: None,
    *,
    slot: float = SLOT_S,
    painted: Path | None = None,
) -> dict[str, Any]:
    """Plays for so many hours of the table's own time; something happens every `slot` seconds.

    `painted` is a folder into which the loop was drawn already.
    """
    scene, acts, seconds = play(slot)
    referee = Referee(parse_table(scene.to_toml()))
    watched = Watched()
    memory: list[float] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if painted is None:
            paint(Path(folder), scene, acts, seconds)
        drawn = drawn_in(painted or Path(folder), scene, acts, seconds)
        count = max(round(hours * 3600 * FPS), len(drawn))
        every = max(count // SAMPLES, 1)
        began = time.process_time()
        for k, (frame, one) in enumerate(frames_of(drawn, count)):
            watched.see(referee.step(frame), one)
            if k % every == every - 1:
                memory.append(resident_mb())
            if k % TOLD_EVERY == TOLD_EVERY - 1:
                tell(
                    f"{(k + 1) / FPS / 60:6.1f} min: {watched.swaps} swaps, {watched.jumps} jumps, "
                    f"{watched.restless} restless, {memory[-1]:.0f} MB, {time.process_time() - began:.0f} s"
                )
        spent = time.process_time() - began
    warm = memory[max(int(WARM_SHARE * len(memory)) - 1, 0)]
    return {
        "hours": round(count / FPS / 3600, 3),
        "frames": watched.frames,
        "acts": len(acts) * count // len(drawn),
        "reads": watched.reads,
        "swaps": watched.swaps,
        "jumps": watched.jumps,
        "largest_jump_in": round(watched.largest_jump, 4),
        "restless": watched.restless,
        "still_error_p95_in": round(float(np.quantile(watched.errors or [math.nan], 0.95)), 4),
        "memory_mb": round(memory[-1], 1),
        "memory_growth": round(max(memory) / warm - 1.0, 4),
        "times_real": round(count / FPS / spent, 1),
    }


def played(*, hours: Annotated[float, "of play, by the table's clock"] = 3.0) -> dict[str, Any]:
    """The figures of so many hours; how far it is is told meanwhile."""
    cv2.setNumThreads(1)
    return soak(hours, lambda words: print(words, file=sys.stderr, flush=True))


if __name__ == "__main__":
    sys.exit(command(played))

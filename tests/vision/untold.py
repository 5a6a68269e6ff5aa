"""A simulated table, whose file leaves some of its pieces out, under a referee that looks for things."""

from __future__ import annotations

from dataclasses import replace

from calibration.tablefile import parse_table
from server.pipeline.referee import Moment, Referee
from vision.simulate.live import SimulatedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene

FPS = 2.0
UNTOLD = ("Mug", "Crate")


class UntoldTable:
    """The table, seen by a clock of its own; `off` are pieces that do not stand on it."""

    def __init__(
        self, untold: tuple[str, ...] = UNTOLD, off: tuple[str, ...] = (), scene: Scene | None = None,
        fps: float = FPS,
    ) -> None:  # fmt: skip
        self.now = 0.0
        self.scene = default_scene() if scene is None else scene
        start = {name: pose for name, pose in self.scene.start.items() if name not in off}
        self.source = SimulatedTable(
            replace(self.scene, start=start), fps=fps, clock=lambda: self.now, sleep=self.sleep
        )
        table = parse_table(self.scene.to_toml(), "simulated")
        told = tuple(p for p in table.pieces if p.name not in untold)
        self.referee = Referee(replace(table, pieces=told), things=True)
        self.words: dict[str | None, list[str]] = {}
        """What was told of each piece."""

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def watch(self, seconds: float) -> Moment:
        until = self.now + seconds
        while self.now < until:
            moment = self.referee.step(self.source.read())
            for event in moment.events:
                self.words.setdefault(event.piece, []).append(event.words)
            self.now += 1e-3
        return moment

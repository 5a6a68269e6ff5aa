"""`python -m benchmarks.alarms`: evenings in which all is right, and the alarms that are told although it is.

Pieces of a simulated table are pushed from the first frame on: from place to place, back to where they stood,
turned on the spot, quick and slow, with a hand and without. Every stated number is exact, so whatever is told
of a contradiction, of a height or of a camera that has moved is false, and so is every frame in which nothing
is ruled. The judgement beside is late on purpose, by seconds of the table's own clock: as on a busy machine.

Where `drawn`, every frame is drawn and read, and looked at for things that nobody named, of which there are
none; else the tags are projected exactly and read with noise, of which a part stays the same from frame to
frame, so that an hour takes minutes.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, Any

import numpy as np

from benchmarks.command import command
from calibration.tablefile import parse_table
from engine.space.geometry import Pose, wrap_angle
from engine.space.pieces import Piece
from server.pipeline.referee import Moment, Referee
from vision.frame import Detection, Frame
from vision.simulate.drawing.background import flat_tags
from vision.simulate.drawing.render import tag_of
from vision.simulate.drawing.tags import PlacedTag
from vision.simulate.live import SimulatedTable
from vision.simulate.play import between
from vision.simulate.scenes import named_scene

SCENES = ("default", "points", "hexes", "road", "ground")
RATES, LATE_S = (5.0, 15.0, 30.0), (0.0, 1.0, 5.0, 20.0)
READ_PX, LASTING = 0.08, 0.4
# How near to each other pieces come, and how far from the edge they stay, inches.
APART_IN, EDGE_IN = 3.2, 2.5
SPEEDS_IN = (4.0, 8.0, 15.0)
# What may well be told of such a table.
TRUE_WORDS = ("Not seen yet", "The lens is not calibrated")


class Late(Executor):
    """Works at once, and has the answer `late` seconds later by a clock that is handed in."""

    def __init__(self, clock: Callable[[], float], late: float) -> None:
        self._clock, self._late = clock, late

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The work, done when it is due."""
        clock, due = self._clock, self._clock() + self._late
        working: Future[Any] = Future()

        class Waiting(Future[Any]):
            def done(self) -> bool:
                return working.done() and clock() >= due

        answer = Waiting()
        try:
            answer.set_result(fn(*args, **kwargs))
        except Exception as error:
            answer.set_exception(error)
        working.set_result(None)
        return answer


class Reads:
    """Reads the tags of a simulated table without a picture: projected exactly, with noise."""

    def __init__(self, table: SimulatedTable, seed: int) -> None:
        self._table, self._rng = table, np.random.default_rng(seed)
        self._biased: dict[tuple[str, int], Any] = {}
        self._known: dict[tuple[str, int], tuple[PlacedTag, Any]] = {}
        self.unseen: frozenset[tuple[str, int]] = frozenset()
        self.doubled: frozenset[tuple[str, int]] = frozenset()

    def read(self, frame: Frame, _: object = None) -> list[Detection]:
        """What a frame of this time would show."""
        scene = self._table.scene
        tags = list(flat_tags(scene))
        for piece in scene.pieces:
            at = self._table._tracks[piece.name].at(frame.time)
            tag = None if at is None else tag_of(piece, at)
            tags += [] if tag is None else [tag]
        return [self._detection(tag) for tag in tags]

    def _detection(self, tag: PlacedTag) -> Detection:
        key, rng = (tag.family, tag.tag), self._rng
        known = self._known.get(key)
        if known is None or known[0].pose != tag.pose:
            # The lasting part of a read's error is another one wherever the tag is.
            biased = rng.normal(0, math.sqrt(LASTING) * READ_PX, (4, 2))
            corners = self._table.scene.camera.project(tag.corners) + biased
            known = self._known[key] = tag, corners
        noise = rng.normal(0, math.sqrt(1 - LASTING) * READ_PX, (4, 2))
        return Detection(tag.family, tag.tag, known[1] + noise, np.eye(8) * READ_PX**2)

    def restart(self) -> None:
        """Nothing is remembered."""

    def close(self) -> None:
        """Nothing runs."""


@dataclass
class Told:
    """What was told and held in one case, with how often; `pushes` and `frames` of how many."""

    pushes: int = 0
    frames: int = 0
    held: int = 0
    words: Counter[str] = field(default_factory=Counter)

    @property
    def false(self) -> int:
        """How many things were told that are not so."""
        return sum(self.words.values())


class Evening:
    """Pieces pushed about on one simulated table, a referee that watches them, and the clock of both."""

    def __init__(self, scene: str, fps: float, late: float, seed: int, *, drawn: bool) -> None:
        self.now, self.fps = 0.0, fps
        self.told = Told()
        self._rng = random.Random(f"{scene} {fps} {late} {seed}")
        made = named_scene(scene, seed=seed)
        self._source = SimulatedTable(made, fps=fps, clock=lambda: self.now, sleep=self._sleep)
        self._referee = Referee(
            parse_table(made.to_toml(), "simulated"),
            judging=lambda: Late(lambda: self.now, late),
            things=drawn,
        )
        self._drawn, self._index = drawn, 0
        if not drawn:
            self._referee._watch = Reads(self._source, seed)  # type: ignore[assignment]
        self._blank = np.broadcast_to(np.uint8(0), (made.camera.size[1], made.camera.size[0]))
        self._pieces = [p for p in made.pieces if p.name in made.start and not p.follows and p.moves]
        self._edges = made.near_left, made.size
        self._visited = {p.name: [made.start[p.name]] for p in self._pieces}
        self._said: frozenset[str] = frozenset()

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def play(self, seconds: float) -> Told:
        """Pushes from the first frame on."""
        while self.now < seconds:
            self._push()
            self._watch(self._rng.choice((0.2, 0.6, 1.0, 2.5)))
        self._referee.close()
        return self.told

    def _push(self) -> None:
        rng, piece = self._rng, self._rng.choice(self._pieces)
        start = self._source.poses()[piece.name]
        to, speed = self._goal(piece, start), rng.choice(SPEEDS_IN)
        way = math.hypot(to.x - start.x, to.y - start.y) + abs(wrap_angle(to.heading - start.heading))
        steps = max(1, round(way / speed * self.fps))
        touch = "push" if rng.random() < 0.2 else "none"
        for k in range(1, steps + 1):
            self._source.move(piece.name, between(start, to, k / steps), touch)  # type: ignore[arg-type]
            self._watch(1.0 / self.fps)
        self._visited[piece.name].append(to)
        self.told.pushes += 1

    def _goal(self, piece: Piece, start: Pose) -> Pose:
        """On the spot and turned, where something stood before but turned, or anywhere free."""
        rng = self._rng
        (x0, y0), (width, depth) = self._edges
        others = [p for name, p in self._source.poses().items() if name != piece.name]
        for _ in range(50):
            how = rng.random()
            turned = rng.choice((rng.uniform(-math.pi, math.pi), math.pi / 2, math.pi))
            if how < 0.25:
                at = _about_its_tag(piece, start, turned)
            elif how < 0.6:
                at = _about_its_tag(piece, rng.choice(self._visited[piece.name]), turned)
            else:
                at = Pose(
                    rng.uniform(x0 + EDGE_IN, x0 + width - EDGE_IN),
                    rng.uniform(y0 + EDGE_IN, y0 + depth - EDGE_IN),
                    turned,
                )
            if all(math.hypot(o.x - at.x, o.y - at.y) >= APART_IN for o in others):
                return at
        return start

    def _watch(self, seconds: float) -> None:
        until = self.now + seconds - 1e-9
        while self.now < until:
            self._note(self._referee.step(self._frame()))

    def _frame(self) -> Frame:
        if self._drawn:
            frame = self._source.read()
            self.now = max(self.now, frame.time) + 1e-3
            return frame
        self.now += 1.0 / self.fps
        self._index += 1
        return Frame(self._blank, self.now, self._index, "reads")

    def _note(self, moment: Moment) -> None:
        told = self.told
        told.frames += 1
        keeper = self._referee._keeper
        notices = moment.notices
        if not self._drawn:
            # A blank picture is dark and shows no tags: only what comes of the tags is looked at.
            notices = (*(() if keeper is None else keeper.notices), *self._referee._height_notices)
        said = frozenset(n for n in notices if not n.startswith(TRUE_WORDS))
        told.words.update(_kind(n) for n in said - self._said)
        told.words.update(_kind(e.words) for e in moment.events if e.kind == "camera")
        self._said = said
        unsteady = keeper is not None and keeper.unsteady
        told.held += moment.surface is not None and (unsteady or bool(moment.blind))


def _about_its_tag(piece: Piece, pose: Pose, turn: float) -> Pose:
    """A pose of a piece turned so that its tag's middle stays where it is."""
    if piece.mount is None:
        return Pose(pose.x, pose.y, pose.heading + turn)
    tag = pose.compose(piece.mount.body_from_tag)
    return Pose(tag.x, tag.y, tag.heading + turn).compose(piece.mount.body_from_tag.inverse())


def _kind(words: str) -> str:
    """A sentence without its numbers, so that it counts as the same."""
    return "".join("#" if c.isdigit() else c for c in words)[:160]


def alarms(
    *,
    scene: Annotated[list[str] | None, "one of the scenes; all unless given"] = None,
    fps: Annotated[list[float] | None, "frames a second; 5, 15 and 30 unless given"] = None,
    late: Annotated[list[float] | None, "seconds by which the judgement is late; four unless given"] = None,
    seeds: Annotated[int, "how many evenings of each"] = 20,
    minutes: Annotated[float, "of each evening, of the table's own clock"] = 60.0,
    drawn: Annotated[bool, "draw and read every frame"] = False,
) -> Iterator[dict[str, Any]]:
    """What is told of each evening; whatever it is, it is wrong."""
    cases = product(scene or SCENES, fps or RATES, late or LATE_S, range(seeds))
    for name, rate, behind, seed in cases:
        told = Evening(name, rate, behind, seed, drawn=drawn).play(60.0 * minutes)
        yield {
            "scene": name, "fps": rate, "late_s": behind, "seed": seed, "pushes": told.pushes,
            "frames": told.frames, "held_frames": told.held, "wrong": told.false, "told": dict(told.words),
        }  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(command(alarms))

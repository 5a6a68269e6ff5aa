"""A small table to try the page on: a source that is moved by hand, a referee that knows everything."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from selectors import DefaultSelector, SelectorKey
from typing import Any, TypeVar

import cv2
import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Footprint, Pose, Region
from engine.space.pieces import Body, Piece, car_body
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.formats.jpeg import jpeg
from server.moves.segmentation import MoveWatch
from server.pipeline.referee import Moment, Refereeing, TableEvent
from vision.frame import Frame, JpegFrame
from vision.source import Source, SourceEnded

SIZE = (1280, 720)
SCALE = 14.0
SURFACE = Region.rectangle(0, 0, 48, 48)
SEDAN = car_body("sedan", length=2.98, width=1.26, axles=(0.9, -0.9), track=1.06, height=1.03)
VAN = car_body("van", length=3.1, width=1.4, axles=(1.0, -0.9), track=1.2, height=1.5)


def car(name: str, owner: str, body: Body = SEDAN) -> Piece:
    return Piece(name, "car", body, owner=owner)


STANDINGS: dict[str, tuple[Piece, Pose]] = {
    "RED1": (car("RED1", "Anna"), Pose(9.6, 8.5, math.radians(86))),
    "RED2": (car("RED2", "Anna", VAN), Pose(7.4, 21.6, math.radians(4))),
    "RED3": (car("RED3", "Anna"), Pose(32, 8, math.radians(120))),
    "BLUE1": (car("BLUE1", "Ben"), Pose(22, 37.5, math.radians(-84))),
    "BLUE2": (car("BLUE2", "Ben", VAN), Pose(30, 22, math.radians(190))),
    "BLUE3": (car("BLUE3", "Ben"), Pose(10.5, 31, math.radians(-70))),
    "book": (Piece("book", "terrain", Body("book", Footprint.box(9, 6), 1.2)), Pose(39.5, 30.5, 1.3)),
    "mug": (Piece("mug", "terrain", Body("mug", Footprint.disc(3.2), 3.7)), Pose(16.6, 26.8, 0.7)),
}


class HandMoved(Source):
    """A source whose pieces are put where a test wants them; paints a plain picture, and sends it packed.

    As a camera does: it is packed once for all frames in which nothing moves.
    """

    name = "the simulated table"
    live = True
    notice: str | None = None

    def __init__(self, fps: float = 20.0, end_after: int | None = None, begins: float = 0.0) -> None:
        self.poses = {name: pose for name, (_, pose) in STANDINGS.items()}
        self.statuses: dict[str, Status] = {}
        self.events: list[TableEvent] = []
        self.lifted: list[str] = []
        self.hands: list[tuple[float, float] | None] = []
        """Where hands were laid over it, None where they went away."""
        self.closed = False
        self.paused = False
        self._fps = fps
        self._index = 0
        self._painted: tuple[dict[str, Pose], JpegFrame] = {}, BARE
        self._end_after = end_after
        self._begins = begins
        self._lock = threading.Lock()
        self._go = threading.Event()

    @property
    def movable(self) -> HandMoved:
        return self

    def move(self, name: str, pose: Pose) -> None:
        if name not in self.poses:
            raise TableRefError(
                f"no piece called {name!r} is on the table; there are: {', '.join(self.poses)}"
            )
        with self._lock:
            self.poses[name] = pose

    def lift(self, name: str) -> None:
        self.lifted.append(name)

    def put(self, name: str) -> None:
        self.lifted.remove(name)

    def lay(self, outlines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """What a game lays is not drawn."""

    def cover(self, at: tuple[float, float] | None) -> None:
        self.hands.append(at)

    def set_status(self, name: str, status: Status, words: str) -> None:
        with self._lock:
            self.statuses[name] = status
            self.events.append(TableEvent(self._begins + self._index / self._fps, status.value, name, words))

    def read(self) -> Frame:
        if self.closed or (self._end_after is not None and self._index >= self._end_after):
            raise SourceEnded
        self._go.wait(1 / self._fps)
        while self.paused and not self.closed:
            self._go.wait(0.01)
        with self._lock:
            if self.poses != self._painted[0]:
                self._painted = dict(self.poses), painted(self.poses)
        self._index += 1
        return self._painted[1].restamped(self._index, self._begins + self._index / self._fps)

    def close(self) -> None:
        self.closed = True
        self._go.set()


class EveryOther(Source):
    """Every other picture of a recording as it plays: a referee that sees fewer says the same."""

    def __init__(self, whole: Source) -> None:
        self.name, self._whole = whole.name, whole

    def read(self) -> Frame:
        self._whole.read()
        return self._whole.read()

    def close(self) -> None:
        self._whole.close()


@dataclass(frozen=True)
class PlainCamera:
    """A camera straight above that makes high things larger."""

    residual: float = 0.0042
    note: str = "The lens is calibrated. The table was found by its four corner tags."

    def image_from_table(self, points: FloatArray, height: float = 0.0) -> FloatArray:
        grown = (np.asarray(points) - 24.0) * (57.0 / (57.0 - height)) * SCALE
        return np.asarray(grown * (1, -1) + (SIZE[0] / 2, SIZE[1] / 2))


CAMERA = PlainCamera()
CLOTH = np.full((SIZE[1], SIZE[0], 3), (60, 110, 60), np.uint8)
"""The table without any piece; painted once, since every picture begins with it."""
cv2.fillPoly(CLOTH, [CAMERA.image_from_table(SURFACE.outline).astype(np.int32)], (80, 140, 80))


def painted(poses: Mapping[str, Pose]) -> JpegFrame:
    """A picture of what stands there; seen again until something moves."""
    image = CLOTH.copy()
    for name, pose in poses.items():
        body = STANDINGS[name][0].body
        points = CAMERA.image_from_table(pose.to_table(body.footprint.outline), body.height)
        cv2.fillPoly(image, [points.astype(np.int32)], (40, 40, 160))
    return JpegFrame(jpeg(image, 92), 0.0, 0, HandMoved.name)


BARE = painted({})


class KnowsAll(Refereeing):
    """A referee that asks the source where everything stands."""

    def __init__(self, source: HandMoved, sd: float = 0.012) -> None:
        self._source = source
        # One object, as of a piece that stands still: what is drawn of it is kept by that.
        self._sure = PoseUncertainty.isotropic(sd, 0.01)
        self.hidden: set[str] = set()
        self._moves = MoveWatch()

    def step(self, frame: Frame) -> Moment:
        standings = []
        with self._source._lock:
            for name, pose in self._source.poses.items():
                if name in self.hidden:
                    continue
                status = self._source.statuses.get(name, Status.STILL)
                seen = frame.time - (2.0 if status in (Status.HELD, Status.LOST) else 0.0)
                standings.append(Standing(STANDINGS[name][0], pose, self._sure, status, 0.0, seen))
            events, self._source.events = tuple(self._source.events), []
        table = TableState.of(SURFACE, standings, frame.time)
        read = frozenset(s.name for s in standings if s.status in (Status.STILL, Status.MOVING))
        moves = self._moves.update(table, read)
        under_way = self._moves.under_way()
        return Moment(frame.index, frame.time, frame, table, CAMERA, events, (), read, moves, under_way)


T = TypeVar("T")


class _Skipping(DefaultSelector):
    """Where nothing is to be done before the next appointment, the clock is put on to it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        ready = super().select(None if timeout is None else 0.0)
        if not ready and timeout:
            self.now += timeout
        return ready


class _Hurried(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Skipping()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def hurried(what: Coroutine[Any, Any, T]) -> T:
    """Runs as `asyncio.run` does, on a clock that begins at 0 and waits for no timer."""
    with asyncio.Runner(loop_factory=_Hurried) as runner:
        return runner.run(what)


PATIENCE = 180.0
"""Seconds that anything may take on a machine whose cores are all busy; no test measures time by it."""


def wait_until(what: str, question: object) -> None:
    """Waits for a question (a callable) to be answered yes; fails with `what` otherwise."""
    assert callable(question)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if question():
            return
        time.sleep(0.01)
    raise AssertionError(f"waited {PATIENCE} s in vain for: {what}")

"""Simulated tables as sources: one that people drag pieces on, one that plays a script."""

from __future__ import annotations

import math
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.space.geometry import Footprint, Pose, as_points
from engine.space.pieces import Body, Piece
from engine.space.table import key_of
from vision.frame import Frame
from vision.simulate.drawing.camera import Camera
from vision.simulate.drawing.render import Renderer, exposures, smear
from vision.simulate.drawing.solids import PAPER_MODEL, Hand
from vision.simulate.play import Act, Script, Touch, between, hand_at
from vision.simulate.scene import Scene, ScenePlacement, SceneSnapshot
from vision.simulate.truth import truth_of
from vision.sources.base import Source, SourceEnded

# Two positions further apart in time than this are a jump, not a movement.
_JUMP = 0.25
_REMEMBERED = 16
_HAND_STAYS = 0.6
_TOKEN_HEIGHT = 0.05
_PAPER, _PAPER_THICK = "\0paper", 0.004
_MIDDLE = Pose(0.0, 0.0, 0.0)


def _expose(at: Callable[[float], SceneSnapshot], scene: Scene, middle: float) -> list[SceneSnapshot]:
    """The snapshots that one exposure averages, spread evenly about its middle."""
    half = scene.sensor.exposure / 2
    count = exposures(smear(scene.camera, at(middle - half), at(middle + half))) if half > 0.0 else 1
    return [at(middle + ((n + 0.5) / count * 2 - 1) * half) for n in range(count)]


def _moving(at: Callable[[float], SceneSnapshot], middle: float) -> frozenset[str]:
    """The pieces that are under way at a time."""
    before, after = at(middle - 0.01).placements, at(middle + 0.01).placements
    return frozenset(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))


class ScriptedTable(Source):
    """A finite source: a scene and what happens in it, drawn frame by frame at `fps`.

    `bumps` are times (seconds) and what the camera has become from then on.
    """

    live = False
    notice: str | None = None

    def __init__(
        self,
        scene: Scene,
        acts: Sequence[Act] = (),
        *,
        fps: float = 10.0,
        seconds: float | None = None,
        bumps: Sequence[tuple[float, Camera]] = (),
    ) -> None:
        self.name = scene.name
        self.scene = scene
        self.play = Script(scene, acts)
        self.fps = fps
        self.frames = max(1, round((self.play.duration if seconds is None else seconds) * fps))
        self._renderer = Renderer(scene)
        self._bumps = sorted(bumps, key=lambda bump: bump[0])
        self._index = 0

    def read(self) -> Frame:
        """The next frame; its time is mid-exposure."""
        if self._index >= self.frames:
            raise SourceEnded
        index = self._index
        now = index / self.fps
        while self._bumps and self._bumps[0][0] <= now:
            self._renderer = Renderer(replace(self.scene, camera=self._bumps.pop(0)[1]))
        image = self._renderer.picture(_expose(self.play.at, self.scene, now), index)
        self._index += 1
        return Frame(image, now, index, self.name)

    def truth(self, file: str = "") -> dict[str, Any]:
        """The truth of the frame read last; `frame` and `time_s` say which that is."""
        index = max(0, self._index - 1)
        now = index / self.fps
        record = truth_of(self._renderer, self.play.at(now), file=file, moving=_moving(self.play.at, now))
        return {**record, "frame": index, "time_s": round(now, 6)}

    def close(self) -> None:
        """Ends the source."""
        self._index = self.frames


class _Track:
    """Where one piece has lately been; None while it is off the table."""

    def __init__(self, placement: ScenePlacement | None) -> None:
        self._times = [-math.inf]
        self._places = [placement]

    def put(self, now: float, placement: ScenePlacement | None) -> None:
        self._times.append(now)
        self._places.append(placement)
        if len(self._times) > _REMEMBERED:
            # The oldest place then counts as where it has always been.
            del self._times[1], self._places[0]

    @property
    def last(self) -> ScenePlacement | None:
        return self._places[-1]

    def at(self, moment: float) -> ScenePlacement | None:
        n = bisect_right(self._times, moment) - 1
        here = self._places[max(n, 0)]
        if n < 0 or n + 1 >= len(self._times) or here is None:
            return here
        following = self._places[n + 1]
        gap = self._times[n + 1] - self._times[n]
        if following is None or gap > _JUMP:
            return here
        share = (moment - self._times[n]) / gap
        lift = here.lift + share * (following.lift - here.lift)
        return ScenePlacement(between(here.pose, following.pose, share), lift)


class SimulatedTable(Source):
    """A live table without a camera: what stands on it is moved by calls, from any thread.

    Frames come at `fps` by the clock handed in; each is stamped with the middle of its exposure.
    """

    live = True
    notice: str | None = None

    def __init__(
        self,
        scene: Scene,
        *,
        fps: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = "the simulated table"
        self.scene = scene
        self._period = 1.0 / fps
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._tracks = {p.name: _Track(None) for p in scene.pieces}
        for name, placement in scene.snapshot.placements.items():
            self._tracks[name] = _Track(placement)
        self._last_pose = dict(scene.start)
        self._laid: dict[str, Piece] = {}
        self._hand: tuple[Hand, float] | None = None
        self._renderer: Renderer | None = None
        self._index = 0
        self._due = -math.inf
        self._shown: tuple[float, SceneSnapshot] = (0.0, scene.snapshot)
        self._closed = False

    # What people do at the table; every call is safe from any thread.

    @property
    def movable(self) -> SimulatedTable:
        """Itself."""
        return self

    def move(self, name: str, pose: Pose, touch: Touch = "none") -> None:
        """Puts a piece at a pose on the table; called often, it glides. `touch` shows a hand at it."""
        piece = self.scene.piece(name)
        with self._lock:
            now = self._clock()
            placement = ScenePlacement(pose)
            self._tracks[piece.name].put(now, placement)
            self._last_pose[piece.name] = pose
            if touch != "none":
                hand = hand_at(placement, self._reach(pose.y), touch, piece.body.length / 2)
                self._hand = (hand, now + _HAND_STAYS)

    def lift(self, name: str) -> None:
        """Takes a piece off the table, out of the camera's sight."""
        piece = self.scene.piece(name)
        with self._lock:
            self._tracks[piece.name].put(self._clock(), None)

    def put(self, name: str, pose: Pose | None = None) -> None:
        """Puts a piece back on the table: at a pose, or where it stood last."""
        piece = self.scene.piece(name)
        with self._lock:
            pose = self._last_pose.get(piece.name) if pose is None else pose
            if pose is None:
                raise TableRefError(f"{piece.name} has not been on the table yet: say where to put it")
            self._tracks[piece.name].put(self._clock(), ScenePlacement(pose))
            self._last_pose[piece.name] = pose

    def lay(self, outlines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """Lays flat tokens without a tag on the table, by name; those that are not named any more go.

        Outlines are corners on the table, inches. What the scene has by that name is left as it is.
        """
        known = {key_of(piece.name) for piece in self.scene.pieces}
        new = {n: as_points(points) for n, points in outlines.items() if key_of(n) not in known}
        with self._lock:
            change: dict[str, ScenePlacement | None] = dict.fromkeys(
                self._laid.keys() - new.keys() - {_PAPER}
            )
            for name, points in new.items():
                middle = points.mean(axis=0)
                body = Body("token", Footprint(points - middle), _TOKEN_HEIGHT)
                self._laid[name] = Piece(name, "token", body)
                change[name] = ScenePlacement(Pose(float(middle[0]), float(middle[1]), 0.0))
            tracks = {name: self._tracks.setdefault(name, _Track(None)) for name in change}
            # A game says after every deed what lies there: the same again is no move.
            moved = {name: place for name, place in change.items() if tracks[name].last != place}
            if moved:
                now = self._clock()
                for name, place in moved.items():
                    tracks[name].put(now, place)

    def lay_paper(self, size: tuple[float, float] | None, pose: Pose = _MIDDLE) -> None:
        """Lays a blank sheet of paper of so many inches with its middle at a pose; None takes it away."""
        with self._lock:
            track = self._tracks.setdefault(_PAPER, _Track(None))
            if size is not None:
                body = Body(PAPER_MODEL, Footprint.box(*size), _PAPER_THICK)
                self._laid[_PAPER] = Piece(_PAPER, "token", body, colour="#f4f4f2")
            track.put(self._clock(), None if size is None else ScenePlacement(pose))

    def show_hand(self, tips: Pose | None, height: float = 1.6) -> None:
        """Lays a hand over the table, fingertips at a pose and pointing along it; None takes it away."""
        with self._lock:
            self._hand = None if tips is None else (Hand(tips, height), math.inf)

    def cover(self, at: tuple[float, float] | None) -> None:
        """Lays a hand over a place on the table, inches, from the nearer side; None takes it away."""
        with self._lock:
            if at is None:
                self._hand = None
                return
            hand = hand_at(ScenePlacement(Pose(*at, 0.0)), self._reach(at[1]), "over", 0.0)
            self._hand = (hand, math.inf)

    def reset(self) -> None:
        """Everything back to where the scene began."""
        with self._lock:
            now = self._clock()
            self._hand = None
            for name, track in self._tracks.items():
                pose = self.scene.start.get(name)
                track.put(now, None if pose is None else ScenePlacement(pose))
            self._last_pose = dict(self.scene.start)

    def poses(self) -> Mapping[str, Pose]:
        """Where each piece on the table is right now, by name."""
        with self._lock:
            return {n: t.last.pose for n, t in self._tracks.items() if t.last is not None}

    def truth(self) -> dict[str, Any]:
        """The truth of the frame read last, with its `time_s`."""
        with self._lock:
            moment, snapshot = self._shown
            renderer = self._renderer
        if renderer is None:
            raise TableRefError("no frame has been read from the simulated table yet")
        return {**truth_of(renderer, snapshot), "time_s": moment}

    def _reach(self, y: float) -> float:
        """Which way a hand points that reaches there: from the nearer of the near and the far side."""
        return math.radians(75.0 if y < self.scene.near_left[1] + self.scene.size[1] / 2 else -105.0)

    # What the camera does.

    def read(self) -> Frame:
        """The next frame, when it is due; a late reader gets the table as it is now."""
        if self._closed:
            raise SourceEnded
        if self._renderer is None:
            self._renderer = Renderer(self.scene)
        now = self._clock()
        if now < self._due:
            self._sleep(self._due - now)
            now = self._clock()
        on_time = now - self._due < self._period
        self._due = (self._due if on_time else now) + self._period
        middle = now - self.scene.sensor.exposure / 2
        with self._lock:
            snapshots = _expose(self._at, self.scene, middle)
            shown = self._at(middle)
            self._renderer.laid = tuple(self._laid.values())
        image = self._renderer.picture(snapshots, self._index)
        with self._lock:
            self._shown = (middle, shown)
        frame = Frame(image, middle, self._index, self.name)
        self._index += 1
        return frame

    def _at(self, moment: float) -> SceneSnapshot:
        places = {n: t.at(moment) for n, t in self._tracks.items()}
        hand = self._hand[0] if self._hand is not None and moment <= self._hand[1] else None
        return SceneSnapshot({n: p for n, p in places.items() if p is not None}, hand)

    def close(self) -> None:
        """Ends the source."""
        self._closed = True

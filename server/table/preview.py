"""What the table's page draws of a car on its way, without a game: its path, and what it was so far."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engine.game.registry import STUMBLES
from engine.motion.moves import Move
from engine.space.geometry import FloatArray
from server.formats import units
from server.formats.units import LengthUnit
from server.moves.recognising import Recognised, RecogniserProcess
from server.pipeline.referee import Moment
from server.table import gate
from server.table.messages import WayView
from server.table.projection import Space, line_in

log = logging.getLogger("tableref.underway")

EVERY = 3
"""Reads after which a way is recognised anew."""

EVERY_S = 0.5
"""Seconds after which it is, too: while a car is held still nothing new is read of it."""

_Key = tuple[float, int, float, bool]


class Recogniser:
    """Has others work out what ways were so far: a page never waits for it.

    After each piece of work it rests `rest` times as long, so that seeing the table comes first; a way
    that is asked for meanwhile is answered with what was known of it last.
    """

    def __init__(
        self,
        recognise: Callable[[Move], Recognised] | None = None,
        rest: float = 1.0,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._recognise, self._rest = recognise or RecogniserProcess(), rest
        self._clock, self._sleep = clock, sleep
        self._lock = threading.Lock()
        self._known: dict[str, tuple[_Key, Recognised]] = {}
        self._wanted: dict[str, tuple[_Key, Move]] = {}
        self._busy = False
        self._thread = ThreadPoolExecutor(1, "tableref-recognises")

    def so_far(self, way: Move) -> Recognised | None:
        """The newest that is known of a way; None until something is."""
        key = (way.since, len(way.reads) // EVERY, way.until // EVERY_S, way.after.status.value == "still")
        with self._lock:
            known = self._known.get(way.piece)
            if known is None or known[0] != key:
                self._wanted[way.piece] = (key, way)
                if not self._busy:
                    self._busy = True
                    self._thread.submit(self._work)
            return known[1] if known is not None and known[0][0] == way.since else None

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._busy = False
                    return
                key, way = self._wanted.pop(next(iter(self._wanted)))
            began = self._clock()
            told = self._recognised(way)
            with self._lock:
                self._known[way.piece] = (key, told)
            self._sleep(self._rest * (self._clock() - began))

    def _recognised(self, way: Move) -> Recognised:
        try:
            return self._recognise(way)
        except STUMBLES:
            # Whatever is odd about one way, the next one wants to be recognised too.
            log.exception("the way of %s was not recognised", way.piece)
            return _length(_path(way)), []


_shared = Recogniser()


def way_views(
    moment: Moment,
    space: Space | None,
    unit: LengthUnit,
    recogniser: Recogniser = _shared,
    *,
    hidden: bool = False,
) -> list[WayView]:
    """Every car that has left its rest and was read since; no length where distances are `hidden`."""
    if space is None:
        return []
    found = []
    for car, way in moment.under_way.items():
        if not way.reads:
            continue
        path = _path(way)
        if hidden:
            found.append(_hidden_way(car, way, path, space))
            continue
        length, steps = recogniser.so_far(way) or (_length(path), [])
        found.append(
            WayView(
                car=car,
                path=line_in(space, path),
                start=line_in(space, way.start.region.outline, closed=True),
                length_words=units.length(length, unit),
                steps=[units.retold(step, unit) for step in steps],
            )
        )
    return found


def _hidden_way(car: str, way: Move, path: FloatArray, space: Space) -> WayView:
    outline = way.start.piece.body.footprint.at(gate.pose_of(way.start.pose)).outline
    return WayView(
        car=car,
        path=line_in(space, np.array(gate.points_of(path.tolist()))),
        start=line_in(space, outline, closed=True),
        length_words="",
        steps=[],
    )


def _path(way: Move) -> FloatArray:
    """Where the middle of the nose was, (n, 2) inches on the table."""
    outline = way.start.piece.body.footprint.outline
    nose = np.array([float(outline[:, 0].max()), float(outline[:, 1].min() + outline[:, 1].max()) / 2])
    poses = np.array([(pose.x, pose.y, pose.heading) for pose in (way.start.pose, *way.poses)])
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.stack(
        [poses[:, 0] + cos * nose[0] - sin * nose[1], poses[:, 1] + sin * nose[0] + cos * nose[1]], 1
    )


def _length(path: FloatArray) -> float:
    return float(np.hypot(*np.diff(path, axis=0).T).sum())

"""The last seconds in memory, so that a dispute can reach back: frames as JPEG with what was known then."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass

from calibration.jpeg import decode_jpeg
from engine.boards.board import Board, Free
from engine.errors import TableRefError
from engine.space.table import TableState
from server.formats.jpeg import whole_jpeg
from server.pipeline.referee import Moment, SurfaceView
from server.pipeline.runner import LatestValue, Runner
from vision.frame import Image

SECONDS = 20.0
"""How far back a dispute can reach."""

MOST_BYTES = 96 * 1024 * 1024
"""Bytes of pictures that are kept at most: twenty seconds of a 4K camera do not fit, the newest do."""

SPACING_S = 0.08
"""Seconds between two kept frames; more than a dozen a second only cost time."""

THINNED = ((8.0, 0.5), (3.0, 0.25))
"""Frames older than the first number of seconds are thinned out to one in as many as the second."""

QUALITY = 92

PINNED = 20
"""Instants of which a few frames are kept however long ago they were: of what was done last, and of the last
move of each piece, which may rest on the table for as long as its player likes."""

PINNED_S = (2.0, 0.0, -1.0, -3.0)
"""Seconds from such an instant to its frames; a piece is known to rest only a while after it does."""

PINNED_WITHIN_S = 0.25
"""Seconds within which an instant is one that was pinned."""

AHEAD_S = 5.0
"""Seconds by which an instant may be ahead of the newest frame: a busy machine packs them late."""

FREE = Free()


@dataclass(frozen=True, eq=False)
class KeptFrame:
    """One kept frame: its picture as JPEG and what the referee knew after it.

    Times are the source's own clock, `size` is in pixels, `read` names the pieces whose tags were read
    in this very frame.
    """

    index: int
    time: float
    jpeg: bytes
    size: tuple[int, int]
    table: TableState
    surface: SurfaceView | None
    read: frozenset[str] = frozenset()
    board: Board = FREE

    def decoded(self) -> Image:
        """The picture as BGR."""
        image = decode_jpeg(self.jpeg, "BGR")
        if image is None:
            raise TableRefError(f"the kept picture of frame {self.index} cannot be read")
        return image


def buffered(moment: Moment) -> KeptFrame:
    """A moment as it is kept. A camera's own JPEG is kept as it came."""
    return KeptFrame(
        moment.index,
        moment.time,
        whole_jpeg(moment.frame, QUALITY),
        moment.frame.size,
        moment.table,
        moment.surface,
        moment.read,
        moment.board,
    )


@dataclass(frozen=True)
class Pinned:
    """The frames about an instant; `whole`: those after it had come, too."""

    time: float
    frames: tuple[KeptFrame, ...]
    whole: bool


class FrameBuffer:
    """The newest shots, as many as `most_bytes` and `seconds` allow, the older ones thinned out.

    `add` may be called from one thread and `shots` from any.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, seconds: float = SECONDS) -> None:
        self.most_bytes = most_bytes
        self.seconds = seconds
        self._lock = threading.Lock()
        self._shots: deque[KeptFrame] = deque()
        self._bytes = 0
        self._pinned: OrderedDict[str, Pinned] = OrderedDict()

    @property
    def shots(self) -> tuple[KeptFrame, ...]:
        """All that are kept, the oldest first."""
        with self._lock:
            return tuple(self._shots)

    @property
    def bytes(self) -> int:
        """How much the pictures take."""
        return self._bytes

    def pin(self, name: str, time: float) -> None:
        """Keeps the frames about an instant that was just seen, in the place of those of the same name.

        They go when as many others have been pinned since. What was pinned once with all that came after it
        is kept as it is, however often it is told.
        """
        with self._lock:
            if not self._shots or self._shots[0].time > time + max(PINNED_S):
                return
            known = self._pinned.get(name)
            if known is not None and known.time == time and known.whole:
                self._pinned.move_to_end(name)
                return
            near = {
                id(s): s
                for s in (min(self._shots, key=lambda s: abs(s.time - time - off)) for off in PINNED_S)
            }
            frames = tuple(sorted(near.values(), key=lambda s: s.time))
            self._pinned[name] = Pinned(time, frames, self._shots[-1].time >= time + max(PINNED_S))
            self._pinned.move_to_end(name)
            while len(self._pinned) > PINNED:
                self._pinned.popitem(last=False)

    def around(self, time: float) -> tuple[KeptFrame, ...]:
        """The frames to look at an instant with: all that are kept, or those pinned; else none."""
        with self._lock:
            shots = tuple(self._shots)
            covers = bool(shots) and shots[0].time <= time <= shots[-1].time + AHEAD_S
            near = [p.frames for p in self._pinned.values() if abs(p.time - time) <= PINNED_WITHIN_S]
            # What was pinned may have been thinned out of the row.
            found = {s.time: s for kept in (*near, *([shots] if covers else [])) for s in kept}
            return tuple(found[t] for t in sorted(found))

    def wants(self, time: float) -> bool:
        """Whether a moment of this time is worth keeping: not too soon after the last one."""
        last = self._shots[-1].time if self._shots else None
        return last is None or not 0.0 <= time - last < SPACING_S

    def add(self, shot: KeptFrame) -> None:
        """Keeps a shot. A source whose clock begins anew begins the ring anew."""
        with self._lock:
            if self._shots and shot.time < self._shots[-1].time:
                self._clear()
            self._shots.append(shot)
            self._bytes += len(shot.jpeg)
            self._thin(shot.time)
            while len(self._shots) > 1 and (
                self._bytes > self.most_bytes or self._shots[0].time < shot.time - self.seconds
            ):
                self._bytes -= len(self._shots.popleft().jpeg)

    def _thin(self, now: float) -> None:
        """Lets go of the one frame that has just grown old, unless it is the first for a while."""
        kept = list(self._shots)
        for k in range(1, len(kept)):
            age = now - kept[k].time
            apart = next((apart for older, apart in THINNED if age >= older), 0.0)
            if not apart:
                return
            if kept[k].time - kept[k - 1].time < apart:
                self._bytes -= len(kept[k].jpeg)
                del self._shots[k]
                return

    def _clear(self) -> None:
        self._shots.clear()
        self._pinned.clear()
        self._bytes = 0


class FrameCollector:
    """Fills a ring from a running table, in a thread of its own: packing a picture takes time."""

    def __init__(self, live: Runner, ring: FrameBuffer) -> None:
        self.ring = ring
        self._live = live
        self._slot: LatestValue[Moment] = LatestValue()
        self._unwatch = live.watch(self._note)
        self._thread = threading.Thread(target=self._run, name="tableref-keeps", daemon=True)
        self._thread.start()

    def _note(self) -> None:
        moment = self._live.moment
        if moment is not None and self.ring.wants(moment.time):
            self._slot.put(moment)

    def _run(self) -> None:
        while not self._slot.closed:
            moment = self._slot.take(timeout=1.0)
            if moment is not None and self.ring.wants(moment.time):
                self.ring.add(buffered(moment))

    def close(self) -> None:
        """Stops keeping."""
        self._unwatch()
        self._slot.close()
        self._thread.join(timeout=2.0)

"""Where every piece stood at every moment, small: quantised, and only what changed, in blocks.

A block holds about two seconds of all pieces and needs no other block to be read. It begins with
where everything stands; then follow, piece by piece, the moments at which something changed, each
as the difference to the one before. Numbers are whole quanta, so that a block says exactly the same
on every machine. How surely a pose is known (`PoseUncertainty`) is kept beside, once each time that
it has changed noticeably, and named by number.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Status
from server.pipeline.as_recorded import PER_INCH, PER_RADIAN
from server.recording.blocks import Block, Deviation
from server.recording.outlined import Numbered

BLOCK_S = 2.0
"""How long a block is; what is lost of the tracks if the machine stops at once."""

PER_SECOND = 1000
"""Quanta of time: 1 millisecond; of places those of `server.pipeline.as_recorded`."""

FARTHEST = 1 << 50
"""Quanta that a number exactly is, whatever it is of."""

MOST_NUMBERS = 1_000_000
"""Numbers in a block: two hundred pieces that all move, at 240 frames a second, have 900,000."""

STATUSES = (Status.STILL, Status.MOVING, Status.HELD, Status.LOST)
SEEN = (Status.STILL, Status.MOVING)
AWAY = len(STATUSES)
"""A piece of which nothing is known any more, as where another referee has not seen it yet."""

FORMAT, READ = 2, (1, 2)
"""The form that is written, and those that are read: in the first nothing was away."""
_HEAD = struct.Struct("<BIII")
_WIDTHS = ("<i1", "<i2", "<i4", "<i8")

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Fix:
    """One piece at one moment, in quanta; times in milliseconds of the game's own time."""

    status: int
    x: int
    y: int
    heading: int
    since: int
    seen: int
    deviation: int


class TrackEncoder:
    """Packs the moments of one game. Blocks and deviations are numbered on from those given.

    `add` takes moments in order; `close` ends the block under way and gives what is to be kept.
    """

    def __init__(self, pieces: Sequence[Piece], last_block: int = 0, last_deviation: int = 0) -> None:
        self.numbered = Numbered(pieces)
        self._last_block = last_block
        self._last_deviation = last_deviation
        self._now: dict[int, Fix] = {}
        self._known: dict[int, tuple[int, PoseUncertainty]] = {}
        self._news: list[Deviation] = []
        self._begin()

    def _begin(self) -> None:
        self._times: list[int] = []
        self._keys: dict[int, tuple[int, Fix]] = {}
        self._changes: dict[int, list[tuple[int, Fix]]] = {}

    @property
    def seconds(self) -> float:
        """How long the block under way is."""
        return (self._times[-1] - self._times[0]) / PER_SECOND if self._times else 0.0

    def add(self, at_s: float, time_s: float, standings: Sequence[Standing]) -> None:
        """One moment: at `at_s` of the game's own time, `time_s` of the source's clock."""
        now = quanta(at_s, PER_SECOND)
        if self._times and now <= self._times[-1]:
            # Two moments within a millisecond: the later one would be lost between the quanta.
            now = self._times[-1] + 1
        if not self._times:
            self._keys = {k: (0, fix) for k, fix in self._now.items()}
        frame = len(self._times)
        self._times.append(now)
        told = self.numbered.numbered(standings, time_s)
        fixes = {piece: self._fix(piece, standing, now, time_s) for piece, standing in told}
        for piece, fix in (self._gone(fixes, now) | fixes).items():
            if fix == self._now.get(piece):
                continue
            self._now[piece] = fix
            if frame == 0 or piece not in self._keys:
                self._keys[piece] = (frame, fix)
            else:
                self._changes.setdefault(piece, []).append((frame, fix))

    def _gone(self, fixes: Mapping[int, Fix], now: int) -> dict[int, Fix]:
        """What stood somewhere and is told no more, from now on."""
        left = {k: fix for k, fix in self._now.items() if k not in fixes and fix.status != AWAY}
        return {
            k: replace(fix, status=AWAY, since=now, seen=now if STATUSES[fix.status] in SEEN else fix.seen)
            for k, fix in left.items()
        }

    def _fix(self, piece: int, s: Standing, now: int, time_s: float) -> Fix:
        before = self._now.get(piece)
        status = STATUSES.index(s.status)
        seen = 0 if s.status in SEEN else now - quanta(time_s - s.seen_at, PER_SECOND)
        return Fix(
            status=status,
            x=quanta(s.pose.x, PER_INCH),
            y=quanta(s.pose.y, PER_INCH),
            heading=quanta(s.pose.heading, PER_RADIAN),
            since=now - quanta(time_s - s.since, PER_SECOND)
            if before is None or before.status != status
            else before.since,
            seen=seen if before is None or before.status != status else before.seen,
            deviation=self._deviation(piece, s.uncertainty),
        )

    def _deviation(self, piece: int, uncertainty: PoseUncertainty) -> int:
        number, known = self._known.get(piece, (0, None))
        if known is not None and (known is uncertainty or known.facts == uncertainty.facts):
            return number
        self._last_deviation += 1
        self._known[piece] = self._last_deviation, uncertainty
        self._news.append(Deviation(self._last_deviation, pack_uncertainty(uncertainty)))
        return self._last_deviation

    def close(self) -> tuple[Block | None, tuple[Deviation, ...]]:
        """The block under way and the deviations that it names; the next moment begins another."""
        news, self._news = tuple(self._news), []
        if not self._times:
            return None, news
        self._last_block += 1
        begins, ends = self._times[0] / PER_SECOND, self._times[-1] / PER_SECOND
        block = Block(self._last_block, begins, ends, self._packed())
        self._begin()
        return block, news

    def _packed(self) -> bytes:
        keys = [(k, frame, *_row(fix)) for k, (frame, fix) in sorted(self._keys.items())]
        changes: list[tuple[int, ...]] = []
        for piece, rows in sorted(self._changes.items()):
            frame, fix = self._keys[piece]
            before = np.array((frame, *_row(fix)))
            for at, now in rows:
                row = np.array((at, *_row(now)))
                changes.append((piece, *(row - before).tolist()))
                before = row
        parts = [_HEAD.pack(FORMAT, len(self._times), len(keys), len(changes))]
        times = np.array(self._times, dtype=np.int64)
        parts += [_column(times[:1]), _column(times[1:] - times[:-1])]
        for table in (keys, changes):
            columns = np.array(table, dtype=np.int64).reshape(len(table), 9).T
            parts += [_column(column) for column in columns]
        return zlib.compress(b"".join(parts), 9)


def quanta(value: float, per_unit: int) -> int:
    """A value in whole quanta, the nearest.

    >>> quanta(12.3456, PER_INCH)
    12346
    """
    return round(value * per_unit)


def _row(fix: Fix) -> tuple[int, ...]:
    return fix.status, fix.x, fix.y, fix.heading, fix.since, fix.seen, fix.deviation


def _column(values: Ints) -> bytes:
    """Whole numbers in as few bytes each as the largest needs."""
    most = int(np.abs(values).max(initial=0))
    code = next(c for c in range(4) if most < 1 << (8 * (1 << c) - 1))
    return bytes([code]) + values.astype(_WIDTHS[code]).tobytes()


class _Columns:
    """Reads columns one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def next(self, count: int) -> Ints:
        width = _WIDTHS[self._data[self._at]]
        values = np.frombuffer(self._data, width, count, self._at + 1).astype(np.int64)
        self._at += 1 + values.size * np.dtype(width).itemsize
        return values


@dataclass(frozen=True, eq=False)
class Tracks:
    """A block unpacked: `times` (n,) milliseconds; for each piece the frames at which it changed, and how.

    `rows` are (m, 7) in quanta, in the order of the fields of `Fix`.
    """

    times: Ints
    frames: Mapping[int, Ints]
    rows: Mapping[int, Ints]

    @property
    def size(self) -> int:
        """How many numbers it is."""
        return self.times.size + sum(8 * frames.size for frames in self.frames.values())

    def frame_at(self, at_s: float) -> int:
        """The last frame that is not later, -1 before the first."""
        return int(np.searchsorted(self.times, quanta(at_s, PER_SECOND), side="right")) - 1

    def at(self, frame: int) -> dict[int, Fix]:
        """Every piece known at a frame, by its place in the table file."""
        found = {}
        for piece, frames in self.frames.items():
            last = int(np.searchsorted(frames, frame, side="right")) - 1
            if last >= 0 and self.rows[piece][last][0] != AWAY:
                found[piece] = Fix(*(int(v) for v in self.rows[piece][last]))
        return found


def unpack(data: bytes) -> Tracks:
    """The tracks in a block; a clear error for what is none."""
    try:
        (frames, keys, changes), plain = _plain(data)
        columns = _Columns(plain, _HEAD.size)
        times = np.cumsum(np.concatenate([columns.next(1), columns.next(frames - 1)]))
        first = np.stack([columns.next(keys) for _ in range(9)], axis=1)
        later = np.stack([columns.next(changes) for _ in range(9)], axis=1)
        at, rows = _piece_by_piece(first, later)
        _check(times, at, rows)
    except (zlib.error, struct.error, ValueError, IndexError) as error:
        raise TableRefError(
            f"expected packed tracks but got {len(data)} bytes of something: {error}"
        ) from error
    return Tracks(times, at, rows)


def _plain(data: bytes) -> tuple[tuple[int, int, int], bytes]:
    """How many frames, keys and changes a block has, and its bytes: no more than these take."""
    packed = zlib.decompressobj()
    head = packed.decompress(data, _HEAD.size)
    form, frames, keys, changes = _HEAD.unpack(head)
    if form not in READ:
        raise TableRefError(f"expected tracks of form {FORMAT} or before but got {form}: update tableref")
    numbers = frames + 9 * (keys + changes)
    if not frames or numbers > MOST_NUMBERS:
        raise ValueError(f"{frames} frames with {changes} changes in one block")
    # A byte before each of 20 columns, and at most 8 for a number.
    most = 20 + 8 * numbers
    rest = packed.decompress(packed.unconsumed_tail, most + 1)
    if len(rest) > most or not packed.eof:
        raise ValueError("it does not end where its head says")
    return (frames, keys, changes), head + rest


def _piece_by_piece(first: Ints, later: Ints) -> tuple[dict[int, Ints], dict[int, Ints]]:
    """For each piece the frames at which it changed, and how it was then: the sums of its changes."""
    at: dict[int, Ints] = {}
    rows: dict[int, Ints] = {}
    # Each change is looked at once, however many pieces there are.
    later = later[np.argsort(later[:, 0], kind="stable")]
    begins = np.searchsorted(later[:, 0], first[:, 0], side="left").tolist()
    ends = np.searchsorted(later[:, 0], first[:, 0], side="right").tolist()
    for key, begin, end in zip(first, begins, ends, strict=True):
        piece = int(key[0])
        if piece in at:
            raise ValueError(f"piece {piece} is there twice")
        all_of = np.cumsum(np.vstack([key[1:], later[begin:end, 1:]]), axis=0)
        at[piece], rows[piece] = all_of[:, 0], all_of[:, 1:]
    return at, rows


def _check(times: Ints, at: Mapping[int, Ints], rows: Mapping[int, Ints]) -> None:
    """Refuses, by `ValueError`, what no table ever was: times, frames, states and places out of order."""
    if (times < 0).any() or (times[1:] <= times[:-1]).any():
        raise ValueError("times that do not go on")
    for frames, changed in zip(at.values(), rows.values(), strict=True):
        if frames[0] < 0 or frames[-1] >= times.size or (frames[1:] < frames[:-1]).any():
            raise ValueError("changes at frames that are not there")
        status, rest = changed[:, 0], changed[:, 1:]
        if (status < 0).any() or (status > AWAY).any() or (rest > FARTHEST).any() or (rest < -FARTHEST).any():
            raise ValueError("a piece that is nowhere")


def standing_of(fix: Fix, piece: Piece, uncertainty: PoseUncertainty, now_ms: int) -> Standing:
    """A piece as the referee saw it, to the quantum; one that is away is lost. Times are the game's own."""
    status = Status.LOST if fix.status == AWAY else STATUSES[fix.status]
    return Standing(
        piece=piece,
        pose=Pose(fix.x / PER_INCH, fix.y / PER_INCH, fix.heading / PER_RADIAN),
        uncertainty=uncertainty,
        status=status,
        since=fix.since / PER_SECOND,
        seen_at=(now_ms if status in SEEN else fix.seen) / PER_SECOND,
    )


MOST_LOADINGS = 10_000
"""Numbers of one uncertainty; a surface of a hundred tags has 2,000."""

_UPPER = np.triu_indices(3)


def pack_uncertainty(uncertainty: PoseUncertainty) -> bytes:
    """Six numbers of its own covariance and the shared loadings, 32 bits each."""
    own = np.asarray(uncertainty.own)[_UPPER]
    return np.concatenate([own, uncertainty.shared.ravel()]).astype("<f4").tobytes()


def unpack_uncertainty(data: bytes) -> PoseUncertainty:
    """What `pack_uncertainty` packed; a clear error for what is none."""
    sizes = range(4 * 6, 4 * MOST_LOADINGS, 4 * 3)
    values = np.frombuffer(data, "<f4").astype(np.float64) if len(data) in sizes else np.array([np.nan])
    if not np.isfinite(values).all():
        raise TableRefError(f"expected how surely a pose is known but got {len(data)} bytes of something")
    own = np.zeros((3, 3))
    own[_UPPER] = values[:6]
    own = own + np.triu(own, 1).T
    return PoseUncertainty(own, values[6:].reshape(3, -1))

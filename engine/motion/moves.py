"""How one piece got from rest to rest: where it was read meanwhile, as evidence. No verdict is in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.motion.recognition import SLIP, SLIP_TURN, Manoeuvre, pivots_of, recognise
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, TableState

_SAME, _SAME_TURN = 0.04, math.radians(1.5)

KEPT = 600
"""Reads that one way keeps; a longer one is thinned out."""


@dataclass(frozen=True, slots=True)
class Read:
    """Where a piece was read on its way: seconds, inches and radians, with their deviations."""

    time: float
    pose: Pose
    sd: float
    sd_heading: float


@dataclass(frozen=True, eq=False)
class Move:
    """What one piece did between two rests, in one go or in several on end.

    `before` is the table as the piece left it, `after` the piece where it rests, or is now. `since` is
    when it left and `until` when it was first seen where it then rested: the range of its track, in
    seconds of the source's clock. `lifted`: its place was seen bare meanwhile. `id` is how a page names it.
    `earlier` is the same move up to where the piece rested before it went on: whoever puts it right is
    known to have done so. `last` is what it did since, by itself: others may have gone elsewhere meanwhile.
    """

    id: str
    piece: str
    before: TableState
    after: Standing
    since: float
    until: float
    reads: tuple[Read, ...] = ()
    lifted: bool = False
    earlier: Move | None = None
    last: Move | None = None

    @property
    def start(self) -> Standing:
        """The piece as it stood before."""
        return self.before.find(self.piece)

    @property
    def poses(self) -> tuple[Pose, ...]:
        """Where it was read, in order."""
        return tuple(read.pose for read in self.reads)

    @property
    def gone(self) -> float:
        """Inches between the two rests, as the crow flies."""
        return math.dist(self.start.pose.xy, self.after.pose.xy)

    @property
    def turned(self) -> float:
        """Radians between the two headings, counter-clockwise."""
        return wrap_angle(self.after.pose.heading - self.start.pose.heading)

    def on_a_clock(self, ahead: float) -> Move:
        """The same move by a clock that is so many seconds ahead of the one by which it is told."""
        return replace(
            self,
            before=replace(self.before, time=self.before.time + ahead),
            after=replace(self.after, seen_at=self.after.seen_at + ahead),
            since=self.since + ahead,
            until=self.until + ahead,
            reads=tuple(replace(read, time=read.time + ahead) for read in self.reads),
            earlier=None if self.earlier is None else self.earlier.on_a_clock(ahead),
            last=None if self.last is None else self.last.on_a_clock(ahead),
        )

    def recognised(self) -> Manoeuvre:
        """The straight runs, drifts and turns that explain it best; worked out once."""
        return self._recognised

    @cached_property
    def _recognised(self) -> Manoeuvre:
        sds = np.array([(r.sd, r.sd_heading) for r in self.reads] or [(0.01, 0.01)])
        return recognise(
            [self.start.pose, *self.poses, self.after.pose],
            pivot=pivots_of(self.after.piece.body),
            sd=float(np.median(sds[:, 0])),
            sd_heading=float(np.median(sds[:, 1])),
            rests=(self.start.uncertainty.own, self.after.uncertainty.own),
            slip=(SLIP, SLIP_TURN),
        )

    def beginning(self, right: Callable[[Standing], bool], since: float = -math.inf) -> Move | None:
        """The part of it that begins where it may: from the last rest at such a place on.

        None where it did not begin at such a place nor rested at one on its way, or ends there: then it has
        gone nowhere. What ended before `since` is no part of it.
        """
        if right(self.after):
            return None
        rests: list[Move] = []
        rest = self.earlier
        while rest is not None and not right(rest.after):
            if rest.until <= since:
                return None
            rests.append(rest)
            rest = rest.earlier
        if rest is None:
            return self if right(self.start) else None
        whole = (*reversed(rests), self)
        # The others stand where they stood when it left that rest, however long it rested.
        left, part = whole[0].last or whole[0], None
        for one in whole:
            later = one.reads[len(rest.reads) :]
            last = None if part is None else one.last
            part = replace(one, before=left.before, since=left.since, reads=later, earlier=part, last=last)
        return part

    def and_then(self, later: Move) -> Move:
        """This move and, from where it ended, another of the same piece, with all rests on the way."""
        return replace(
            later,
            before=self.before,
            since=self.since,
            reads=(*self.reads, *later.reads),
            lifted=later.lifted,
            earlier=self if later.earlier is None else self.and_then(later.earlier),
            last=later.last or later,
        )


def add_read(reads: list[Read], time: float, standing: Standing) -> None:
    """Adds where a piece was read on its way; what says nothing new is left out, and too many are thinned."""
    own = np.sqrt(np.diag(standing.uncertainty.own))
    read = Read(time, standing.pose, float(own[:2].max()), float(own[2]))
    if reads and replace(read, time=reads[-1].time) == reads[-1]:
        return
    if len(reads) >= KEPT:
        del reads[1::2]
    reads.append(read)


def first_seen_there(reads: Sequence[Read], now: Standing, time: float) -> float:
    """When a piece was first read where it then stayed, seconds; `time` if it was never read there."""
    for read in reversed(reads):
        askew = abs(wrap_angle(read.pose.heading - now.pose.heading))
        if math.dist(read.pose.xy, now.pose.xy) > _SAME or askew > _SAME_TURN:
            break
        time = read.time
    return time

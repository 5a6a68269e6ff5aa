"""Which piece went which way: follows the table, piece by piece from rest to rest, and says what it was."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from engine.measure.sweep import Straight, edge_margins, gaps_along
from engine.motion.moves import Move, Read, add_read, first_seen_there
from engine.space.geometry import wrap_angle
from engine.space.table import Standing, Status, TableState

SPUN = math.radians(150.0)
"""Radians from which a piece that was turned on the spot was spun round."""

ON_THE_SPOT = 0.75
"""Inches that its middle may move meanwhile."""

WORTH_TELLING = 0.1
"""Inches, or tenths of a radian, below which a piece has only been nudged."""

AGAINST = 0.06
"""Inches within which a piece that rests stands against another (house default)."""

JOIN_S = 2.0
"""Seconds that a piece may rest on its way (house default)."""

HIDDEN = 0.75
"""Inches of a way that were not seen and are worth telling."""

MoveKind = Literal["pushed", "spun", "lifted", "moved", "none"]


@dataclass(eq=False)
class _Way:
    """A piece that has left its rest: where it stood, on which table, and where it was read since."""

    piece: str
    before: TableState
    since: float
    reads: list[Read] = field(default_factory=list)
    lifted: bool = False

    def move(self, now: Standing, time: float) -> Move:
        """What it comes to, with the piece where it is now; a copy, for the way grows on."""
        until = first_seen_there(self.reads, now, time) if now.status is Status.STILL else time
        name = f"{self.piece} {until:.3f}"
        return Move(name, self.piece, self.before, now, self.since, until, tuple(self.reads), self.lifted)


class MoveWatch:
    """Follows every piece of a table. `update` takes the table after each frame, in order of time.

    People push, look, lay the ruler on and push on: what one piece does with rests of less than
    `JOIN_S` is one move, unless another moves, it was spun or lifted, or it ran into something.
    """

    def __init__(self) -> None:
        self._rested: dict[str, Standing] = {}
        self._seen_still: dict[str, float] = {}
        self._ways: dict[str, _Way] = {}
        self._resting: dict[str, tuple[Move, float]] = {}
        self._under_way: dict[str, Move] = {}

    def under_way(self) -> dict[str, Move]:
        """The pieces that are being moved, by name, also those that only rest on their way."""
        return dict(self._under_way)

    def forget(self) -> tuple[Move, ...]:
        """The camera has moved or another table is seen: no way leads from there to here.

        What rested before that was measured, and has ended.
        """
        ended = self.finish()
        for known in (self._rested, self._seen_still, self._ways, self._under_way):
            known.clear()
        return ended

    def update(self, table: TableState, read: Iterable[str]) -> tuple[Move, ...]:
        """What has ended with this frame."""
        seen = frozenset(read)
        done: list[Move] = []
        for piece in table.standings:
            if piece.piece.moves and not piece.piece.follows:
                done += self._follow(piece, table, seen)
        moving = {name for name, way in self._ways.items() if way.reads}
        for name, (_, rested) in list(self._resting.items()):
            others = moving - {name}
            if name not in self._ways and (others or table.time - rested > JOIN_S):
                done += self._flush(name)
        self._under_way = {name: move for name, (move, _) in self._resting.items()}
        for now in table.standings:
            name = now.name
            if name not in self._ways:
                continue
            move = self._ways[name].move(now, table.time)
            before = self._under_way.get(name)
            self._under_way[name] = move if before is None else before.and_then(move)
        return tuple(done)

    def _follow(self, piece: Standing, table: TableState, seen: frozenset[str]) -> list[Move]:
        way = self._ways.get(piece.name)
        if piece.status is Status.STILL:
            self._rested[piece.name], self._seen_still[piece.name] = piece, table.time
            if way is None:
                return self._rests_on(piece)
            del self._ways[piece.name]
            return self._ended(way.move(piece, table.time), table.time)
        stood = self._rested.get(piece.name)
        if stood is None:
            return []
        if way is None:
            way = _Way(piece.name, self._as_it_was(table), self._seen_still[piece.name])
            self._ways[piece.name] = way
        elif piece.status is Status.HELD and not way.reads and not way.lifted:
            # Under a hand it stands there still, for all that is seen: others may be moved meanwhile.
            way.before = self._as_it_was(table)
        if piece.status is Status.LOST:
            way.lifted = True
        elif piece.name in seen and piece.status is Status.MOVING:
            add_read(way.reads, table.time, piece)
        return []

    def _ended(self, move: Move, time: float) -> list[Move]:
        kind = kind_of(move)
        if kind == "none":
            return self._rests_on(move.after)
        if kind in ("spun", "lifted"):
            return [*self._flush(move.piece), move]
        if move.piece in self._resting:
            move = self._resting[move.piece][0].and_then(move)
        self._resting[move.piece] = (move, time)
        return self._flush(move.piece) if ran_into(move) else []

    def _rests_on(self, piece: Standing) -> list[Move]:
        """The longer it rests, the better its place is known; nothing ends with that."""
        if piece.name in self._resting:
            move, rested = self._resting[piece.name]
            self._resting[piece.name] = (replace(move, after=piece), rested)
        return []

    def _flush(self, name: str) -> list[Move]:
        """Ends the move of a piece that rests."""
        return [self._resting.pop(name)[0]] if name in self._resting else []

    def finish(self) -> tuple[Move, ...]:
        """What rests when nothing more will come, as at the end of a clip."""
        return tuple(move for name in list(self._resting) for move in self._flush(name))

    def _as_it_was(self, table: TableState) -> TableState:
        """The table with every piece where it rested last."""
        standings = (self._rested.get(s.name, s) for s in table.standings)
        return replace(table, standings=tuple(standings))


def only_touched(stood: Standing, stands: Standing) -> bool:
    """Whether a piece lies so near to where it lay that nobody has moved it."""
    turned = wrap_angle(stands.pose.heading - stood.pose.heading)
    return math.dist(stood.pose.xy, stands.pose.xy) < WORTH_TELLING and abs(turned) < WORTH_TELLING


def kind_of(move: Move) -> MoveKind:
    """What has been done to a piece that rests again; none if it was only touched or uncovered."""
    gone, turned = move.gone, abs(move.turned)
    if only_touched(move.start, move.after):
        return "none"
    if move.lifted and not passes_for_pushed(move):
        return "lifted"
    if turned >= SPUN and gone <= ON_THE_SPOT:
        return "spun"
    return "pushed" if move.recognised().steps else "moved"


def passes_for_pushed(move: Move) -> bool:
    """Whether a piece whose place was seen bare may have been pushed away from it under the hand.

    It may if it stands where it could have rolled to ahead, with one turn or drift on the way at the
    most; anywhere else it was carried to.
    """
    runs = move.recognised().runs
    ahead = all(run.step.ahead > 0.0 for run in runs if isinstance(run.step, Straight))
    return bool(runs) and ahead and sum(run.kind != "straight" for run in runs) <= 1


def ran_into(move: Move) -> bool:
    """Whether it touched a piece or left the surface on its way, or stands against one now."""
    piece = move.after
    rows = np.array([(p.x, p.y, p.heading) for p in (move.start.pose, *move.poses, piece.pose)])
    began, *_, ended = edge_margins(piece, rows, move.before.surface)
    if ended < 0.0 <= began:
        return True
    own = (s.name for s in move.before.vehicle(move.piece))
    for other in move.before.others(*own):
        if other.status is Status.LOST or not other.piece.solid:
            continue
        gaps = gaps_along(piece, rows, other)
        if gaps[0] > AGAINST and (gaps[-1] <= AGAINST or gaps.min() < -AGAINST):
            return True
    return False


def move_words(move: Move) -> str:
    """A move in words, as it was seen: what it means is the game's to say."""
    kind, name = kind_of(move), move.piece
    turned = f"{math.degrees(abs(move.turned)):.1f}°"
    side = "left" if move.turned > 0 else "right"
    if kind == "lifted":
        return f"{name} was lifted and put down {move.gone:.2f} in away, turned {turned} {side}."
    if kind == "spun":
        return f"{name} was spun round on the spot by {turned}."
    if kind != "pushed":
        return f"{name} stands {move.gone:.2f} in from where it stood, turned {turned} {side}."
    seen = move.recognised()
    hidden = f", hidden over {seen.unseen:.1f} in" if seen.unseen > HIDDEN else ""
    return f"{name}: {seen.open_words} ({seen.length.value:.2f} in{hidden})."

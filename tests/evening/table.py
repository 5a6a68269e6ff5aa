"""The table of an evening: where everything truly stands, and a referee as sure of it as it says."""

from __future__ import annotations

import math
import queue
import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from calibration.lens.model import guess_lens
from calibration.surface import Surface
from calibration.tablefile import TableFile
from calibration.watching.going_on import Contradiction
from engine.boards.board import Board
from engine.motion.moves import Move
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import Piece
from engine.space.table import (
    PoseUncertainty,
    Standing,
    Status,
    TableState,
    Thing,
    ThingName,
    never_placed,
    without_gone,
)
from server.moves.segmentation import MoveWatch
from server.pipeline.as_recorded import AsRecorded
from server.pipeline.referee import Moment, Refereeing
from vision.frame import Frame
from vision.simulate.scene import Scene
from vision.source import Source, SourceEnded
from vision.things import STAYS_S

SD, SD_TURN = 0.012, 0.01
"""Inches by which a place is read wrong, and radians by which a heading is said to be."""

STEP_S = 0.6
"""Seconds between two pictures: three of them and a piece that was pushed has rested."""

HIGH = 60.0
"""Inches above the table at which the camera hangs."""

BETWEEN = 8
"""Places between two pictures at which a way is looked at."""

_PICTURE = np.zeros((48, 64, 3), np.uint8)


@dataclass(frozen=True)
class Truth:
    """Where every piece truly stood when a picture was taken, seconds of the source, and what was covered."""

    time: float
    poses: Mapping[str, Pose]
    hidden: frozenset[str]
    """Covered by a hand, or being moved."""


@dataclass
class Past:
    """The truth of every picture, in order."""

    truths: list[Truth] = field(default_factory=list)
    runs: list[tuple[float, float]] = field(default_factory=list)
    """Of each run: since when, and how far its source is ahead of the record, seconds."""

    def at(self, time: float) -> Truth:
        """Give the truth of the picture that was the newest at a time, seconds."""
        return self.truths[max(0, self._until(time) - 1)]

    def between(self, since: float, until: float) -> Sequence[Truth]:
        """Give the truths from the picture at `since` to that at `until`, seconds."""
        return self.truths[max(0, self._until(since) - 1) : self._until(until)]

    def _until(self, time: float) -> int:
        return bisect_right(self.truths, self.then(time) + 1e-6, key=lambda t: t.time)

    def then(self, time: float) -> float:
        """Give what the clock of an earlier run said at a time that is told by the clock of today.

        A move that is recalled from the record is told so; a restart takes longer than the record has it.
        """
        for (since, ahead), (_, earlier) in pairwise(reversed(self.runs)):
            if time >= since - 1e-6:
                break
            time += earlier - ahead
        return time


_laid: dict[str, Board] = {}


def board_of(scene: Scene) -> Board:
    """Give the board of a scene, which lays it out anew whenever it is asked."""
    where = repr((scene.board_fields, scene.size, scene.near_left))
    return _laid[where] if where in _laid else _laid.setdefault(where, scene.board)


class Hands(Source):
    """The truth: where every piece stands, what is covered; gives a picture when one is asked for."""

    name = "the table of the evening"
    live = True
    notice: str | None = None

    def __init__(
        self, scene: Scene, noise: str, before: Hands | None = None, *, simulated: bool = False
    ) -> None:
        self.scene, self.board = scene, board_of(scene)
        self.simulated: bool = simulated if before is None else before.simulated
        """Whether calls push its pieces, too: who was pushed moves for one picture."""
        self._pushed: dict[str, int] = {}
        self.poses: dict[str, Pose] = dict(scene.start) if before is None else before.poses
        self.covered: set[str] = set() if before is None else before.covered
        self.moving: set[str] = set()
        self.unnamed: dict[ThingName, tuple[FloatArray, float]] = {} if before is None else before.unnamed
        """What stands there that carries no tag: its outline, inches, and since when, seconds."""
        self.named: set[ThingName] = set() if before is None else before.named
        """What of it was said to be in nobody's way."""
        self.kept: dict[str, ThingName] = {} if before is None else before.kept
        """What of it was kept as terrain: which thing stood in the place of each piece."""
        self.found = False
        """Whether it is told where the table lies in the picture: asked only of what carries no tag."""
        self.contradicted: Contradiction | None = None if before is None else before.contradicted
        """What is stated and cannot be true: nothing is ruled until the owner goes on, or it is settled."""
        self.text: str = scene.to_toml() if before is None else before.text
        """The table's file, which the application writes."""
        self.past: Past = Past() if before is None else before.past
        self.noise = noise
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._off: dict[str, tuple[Pose, float, float]] = {} if before is None else before._off
        # A restart takes a moment.
        self.time: float = 0.0 if before is None else before.time + 5.0
        self.index, self._asked = 0, 0

    def read(self) -> Frame:
        """Give a picture once one is wanted."""
        if not self._wanted.get():
            raise SourceEnded
        for name in [name for name, index in self._pushed.items() if index < self.index]:
            self.moving.discard(name)
            del self._pushed[name]
        self.index += 1
        self.time += STEP_S
        hidden = frozenset(self.poses if self.withheld else self.covered | self.moving)
        self.past.truths.append(Truth(self.time, dict(self.poses), hidden))
        return Frame(_PICTURE, self.time, self.index, self.name)

    @property
    def withheld(self) -> bool:
        """Whether nothing is ruled because of what is stated."""
        return self.contradicted is not None and not self.contradicted.gone_on

    @property
    def movable(self) -> Hands | None:
        """Itself, where calls push its pieces."""
        return self if self.simulated else None

    def move(self, name: str, pose: Pose) -> None:
        """Push a piece there."""
        name = self.scene.piece(name).name
        self.poses[name] = pose
        self.covered.discard(name)
        self.moving.add(name)
        self._pushed[name] = self.index

    def passes(self, name: str, pose: Pose) -> None:
        """Bring a piece past a place of which no picture is taken."""
        poses = self.poses | {name: pose}
        self.past.truths.append(Truth(self.time + STEP_S / 100, poses, frozenset(poses)))

    def lift(self, name: str) -> None:
        """Take a piece into the hand."""
        self.covered.add(self.scene.piece(name).name)

    def put(self, name: str) -> None:
        """Lay a piece back where it was taken from."""
        self.covered.discard(self.scene.piece(name).name)

    def cover(self, at: tuple[float, float] | None) -> None:
        """Hold no hand over anything: here pieces are covered one by one."""

    def lay(self, outlines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """Show nothing of what a game lays."""

    def want(self) -> int:
        """Have the next picture taken; gives its number."""
        self._asked += 1
        self._wanted.put(True)
        return self._asked

    def close(self) -> None:
        """End."""
        self._wanted.put(False)

    def seen_at(self, name: str) -> Pose:
        """Give where a piece is read: where it stands, wrong by a little that stays while it stands there."""
        pose = self.poses[name]
        if name not in self._off or self._off[name][0] != pose:
            # From the place alone: a program that looks more often than another sees the same.
            chance = random.Random(f"{self.noise} {name} {pose.x:.6f} {pose.y:.6f} {pose.heading:.6f}")
            x, y = (max(-2.5, min(2.5, chance.gauss(0, 1))) * SD for _ in range(2))
            self._off[name] = (pose, x, y)
        _, x, y = self._off[name]
        return Pose(pose.x + x, pose.y + y, pose.heading)

    def ahead(self, name: str, inches: float, turn: float) -> Pose:
        """Give where a piece comes to stand that goes straight ahead and is turned about its rear axle."""
        pose = self.poses[name].compose(Pose(inches, 0.0))
        axle = self.axle(name)
        return pose.compose(Pose(axle, 0.0, turn)).compose(Pose(-axle, 0.0))

    def axle(self, name: str) -> float:
        """Give how far ahead of its reference point a piece turns, inches (mostly behind it, below 0)."""
        body = self.scene.piece(name).body
        return 0.0 if body.tyres is None else float(body.rear_axle[0])

    def outline(self, name: str, pose: Pose) -> FloatArray:
        """Give the outline of a piece that stands there, inches, (n, 2)."""
        return np.asarray(pose.to_table(self.scene.piece(name).body.footprint.outline))


def on_the_way(truths: Sequence[Truth], name: str) -> list[tuple[Pose, Truth]]:
    """Give where a piece was from picture to picture and between them, each with the truth before it."""
    found: list[tuple[Pose, Truth]] = []
    for one, other in pairwise(truths):
        if name not in one.poses or name not in other.poses:
            continue
        a, b = one.poses[name], other.poses[name]
        turn = math.remainder(b.heading - a.heading, math.tau)
        steps = 1 if a == b else BETWEEN
        for k in range(steps):
            t = k / steps
            found.append((Pose(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.heading + t * turn), one))
    if truths and name in truths[-1].poses:
        found.append((truths[-1].poses[name], truths[-1]))
    return found


def _above(table: TableFile) -> Surface:
    """The table as a camera sees it that hangs above its middle."""
    turned = np.diag([1.0, -1.0, -1.0])
    camera = np.array([*table.surface.outline.mean(axis=0), HIGH])
    lens = guess_lens((_PICTURE.shape[1], _PICTURE.shape[0]), table.fov_deg)
    return Surface(lens, turned, -turned @ camera, np.eye(15) * 1e-10, 0.0)


class Eyes(Refereeing):
    """A referee that reads every piece that is not covered, as surely as it says."""

    def __init__(self, hands: Hands, table: TableFile) -> None:
        self._hands = hands
        self.table: TableFile = table
        self._board = hands.board
        self._moves, self._as_recorded = MoveWatch(), AsRecorded()
        self._ended: tuple[Move, ...] = ()
        self._last: dict[str, Standing] = {}
        self._pieces = {piece.name: piece for piece in table.pieces if piece.spot is None}
        self._surface = _above(table)

    def name_thing(self, name: str) -> bool:
        """Take that a thing is in nobody's way."""
        hands = self._hands
        hands.named |= {thing for thing in hands.unnamed if thing == name}
        return name in hands.named

    def adopt(self, table: TableFile, *, outlined: str = "", thing: str = "", time: float = 0.0) -> bool:
        """Go by a table that differs in pieces without tags; what was outlined just now stands there."""
        del time
        if outlined:
            self._hands.kept[outlined] = ThingName(thing)
        self.table = table
        return True

    def go_on(self) -> bool:
        """Rule on with a contradiction, as unsurely as it is off."""
        said = self._hands.contradicted
        self._hands.contradicted = None if said is None else replace(said, gone_on=True)
        return said is not None

    def looks_anew(self, *, elsewhere: bool) -> None:
        """Read every place anew, a little otherwise; with the camera hung `elsewhere`, no way leads there."""
        hands = self._hands
        read = {name: hands.seen_at(name) for name in hands.poses}
        hands.noise, hands._off = f"{hands.noise}+", {}
        for name, was in self._last.items():
            if was.pose == read.get(name):
                self._last[name] = replace(was, pose=hands.seen_at(name))
        if elsewhere:
            self._ended += self._moves.forget()

    @property
    def away(self) -> tuple[str, ...]:
        """What does not stand any more where it was outlined."""
        return tuple(
            p.name for p in self._outlined if self._hands.kept.get(p.name) not in self._hands.unnamed
        )

    @property
    def _outlined(self) -> tuple[Piece, ...]:
        return tuple(p for p in self.table.pieces if p.spot is not None)

    def _without_tags(self, time: float) -> tuple[list[Standing], tuple[Thing, ...]]:
        """What carries no tag and stands where it was outlined, and all else that stays there."""
        away, hands = self.away, self._hands
        standings = [
            Standing(p, p.spot.pose, PoseUncertainty.isotropic(p.spot.sd), Status.STILL, 0.0, time)
            for p in self._outlined
            if p.spot is not None and p.name not in away
        ]
        known = hands.named | {hands.kept[s.name] for s in standings}
        things = tuple(
            Thing(name, Region(outline), SD)
            for name, (outline, since) in list(hands.unnamed.items())
            if time - since >= STAYS_S and name not in known
        )
        return standings, things

    def step(self, frame: Frame) -> Moment:
        """Look."""
        hands, said, withheld = self._hands, self._hands.contradicted, self._hands.withheld
        times = said.times if said is not None and said.gone_on else 1.0
        sure = PoseUncertainty.isotropic(SD * times, SD_TURN * times)
        standings, read = [], set()
        for drawn in hands.scene.pieces:
            piece = self._pieces.get(drawn.name)
            if piece is None:
                continue
            if piece.name in hands.poses and piece.name not in hands.covered:
                pose, was = hands.seen_at(piece.name), self._last.get(piece.name)
                # As a tracker has it: what is seen to be elsewhere than in the picture before does not rest.
                gone = was is not None and was.status is Status.STILL and was.pose != pose
                status = Status.MOVING if gone or piece.name in hands.moving else Status.STILL
                standing = Standing(piece, pose, sure, status, 0.0, frame.time)
                self._last[piece.name] = standing
                read.add(piece.name)
                standings.append(standing)
            elif piece.name in self._last:
                was = self._last[piece.name]
                status = Status.HELD if piece.name in hands.poses else Status.LOST
                standings.append(Standing(piece, was.pose, sure, status, 0.0, was.seen_at))
        outlined, things = self._without_tags(frame.time)
        standings += outlined
        if withheld:
            standings = [replace(s, status=Status.HELD) for s in standings]
        surface = self._surface if hands.found else None
        told = without_gone(self._as_recorded.told(standings))
        # What left its place may stand anywhere, and so may terrain that was never seen.
        away = tuple(p for p in self._outlined if p.name in self.away)
        unplaced = never_placed((*self._pieces.values(), *away), told)
        table = replace(
            TableState.of(hands.scene.surface, told, frame.time), things=things, unplaced=unplaced
        )
        moves, self._ended = (*self._ended, *self._moves.update(table, read)), ()
        return Moment(
            frame.index, frame.time, frame, table, surface, (), (), frozenset(read), moves,
            self._moves.under_way(), self._board, contradiction=said,
            blind="" if said is None or said.gone_on else said.words,
        )  # fmt: skip

"""The driver's screen: the growing path, what is still to go, where the car would lawfully end, the ruling.

A manoeuvre belongs to a car from the moment it leaves its place until the game has taken it: whoever is
told that something is off may push on, pull back, or put the car where the ghost stands.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.errors import TableRefError
from engine.games.white_line_fever.effects.tokens import stopper
from engine.games.white_line_fever.rules.lawful_ends import MOST_TURN, placed_as_told, reach_of, underway
from engine.games.white_line_fever.rules.manoeuvre_rule import (
    Driven,
    Tolerance,
    pose_json,
    rule_manoeuvre,
    step_json,
)
from engine.games.white_line_fever.state.game_state import GameState
from engine.motion.moves import Move
from engine.ruling import Verdict
from engine.space.geometry import FloatArray, Footprint, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState, key_of
from server.formats import units
from server.pipeline.referee import Moment
from server.pipeline.runner import Runner
from server.pipeline.snapshot import Snapshot
from server.play.host import MatchHost

LOOK_EVERY = 0.15
"""Seconds of the source between two recognitions of a car that is pushed."""

TOKEN_HEIGHT = 0.1

HEADLINES = {Verdict.YES: "Legal", Verdict.NO: "Not legal", Verdict.TOO_CLOSE: "Too close to call"}


@dataclass(frozen=True)
class AwaitedMove:
    """Which car is to be driven, at which Speed; `token` tells one manoeuvre of the game from the next."""

    car: str | None
    speeds: dict[str, float]
    reverse: bool = False
    token: int = 0
    tokens: tuple[Standing, ...] = ()
    tolerance: Tolerance | None = None
    stops: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By car, the tokens at which its way ends."""


def asked_of(state: GameState, number: int) -> AwaitedMove | None:
    """What a game waits for; None while no car is to be driven."""
    turn = state.round
    if state.over or state.duties or turn is None or turn.stage not in ("car", "move"):
        return None
    mine = [c for c in state.driving() if turn.car in (None, c.name) and (turn.car or c.owner == turn.driver)]
    rules = state.house
    length = rules.length_tolerance
    body = Body("token", Footprint.box(rules.token_size, rules.token_size), TOKEN_HEIGHT)
    laid = tuple(
        Standing(Piece(t.name, "token", body), Pose(*t.at), PoseUncertainty.isotropic(0.05, 0.02))
        for t in state.tokens
        if t.at is not None
    )
    return AwaitedMove(
        turn.car, {c.name: float(c.speed) for c in mine}, turn.reverse, number, laid,
        Tolerance(length=length, run=length, drift=length, past=rules.turn_tolerance),
        {c.name: [t.name for t in state.tokens if stopper(state, c.name, [t.name])] for c in mine},
    )  # fmt: skip


def driver_of(host: MatchHost, live: Runner) -> DriverScreen:
    """The screen of the game that a host plays; dark while the players say themselves what was driven."""

    def asked() -> AwaitedMove | None:
        match = host.match
        if match is None or host.modes.moves == "ask":
            return None
        return asked_of(match.state, len(match.log))

    return DriverScreen(live, asked)


@dataclass
class _Pending:
    """What has been driven and not yet taken by the game."""

    way: Move
    driven: Driven
    righted: bool = False


class DriverScreen:
    """Follows the car that is to be driven. `view` is what its screen shows; safe from any thread.

    `asked` tells what the game waits for: None while it waits for nothing of the kind.
    """

    def __init__(self, live: Runner, asked: Callable[[], AwaitedMove | None]) -> None:
        self._asked = asked
        self._lock = threading.Lock()
        self._token = -1
        self._pending: dict[str, _Pending] = {}
        self._seen = (-1, -math.inf)
        self._rests_until = -math.inf
        self._last: tuple[float, dict[str, Any] | None] = (-math.inf, None)
        self._reach: tuple[Any, list[list[list[float]]]] = (None, [])
        self._live = live
        live.watch(self._look)

    def _look(self) -> None:
        """Remembers every drive that ends, also while no page looks."""
        moment = self._live.snapshot.moment
        # Asked for every moment by the thread that sees: it does not wait for a page that is being told.
        if moment is None or not moment.moves:
            return
        with self._lock:
            if (moment.index, moment.time) == self._seen:
                return
            self._seen = (moment.index, moment.time)
            if (asked := self._now_asked()) is not None:
                for move in moment.moves:
                    self._ended(move, asked)

    def _now_asked(self) -> AwaitedMove | None:
        asked = self._asked()
        token = -1 if asked is None else asked.token
        if token != self._token:
            self._token = token
            self._pending.clear()
            self._last = (-math.inf, None)
        return asked

    def _ended(self, move: Move, asked: AwaitedMove) -> None:
        name = _named(move.piece, asked.speeds)
        if name is None:
            return
        pending = self._pending.get(name)
        way = move if pending is None else pending.way.and_then(move)
        self._last = (-math.inf, None)
        if pending is not None and pending.driven.verdict is not Verdict.YES:
            told = placed_as_told(move.after, pending.driven.should, citation="")
            if told.verdict is Verdict.YES:
                self._pending[name] = replace(pending, way=way, righted=True)
                return
        self._pending[name] = _Pending(way, self._ruled(name, way, asked))

    @staticmethod
    def _ruled(name: str, way: Move, asked: AwaitedMove) -> Driven:
        table = _with(way.before, asked.tokens)
        return rule_manoeuvre(
            table, way.piece, way.recognised(), asked.speeds[name],
            way=way.poses, reverse=asked.reverse, tolerance=asked.tolerance, stops=asked.stops.get(name, ()),
        )  # fmt: skip

    def view(self, snapshot: Snapshot) -> dict[str, Any] | None:
        """What the driver's screen shows at that moment; lengths in inches, angles in radians."""
        moment = snapshot.moment
        if moment is None:
            return None
        with self._lock:
            asked = self._now_asked()
            if asked is None:
                return None
            since, last = self._last
            soon = 0.0 <= moment.time - since < LOOK_EVERY or self._live.clock() < self._rests_until
            if last is not None and soon:
                return last
            began = self._live.clock()
            try:
                found = self._view(moment, asked)
            except TableRefError as error:
                found = {"phase": "unseen", "car": asked.car, "words": str(error)}
            self._last = (moment.time, found)
            # Two thirds of a processor are left for seeing the table, however long the way has grown.
            self._rests_until = 3.0 * self._live.clock() - 2.0 * began
            return found

    def _view(self, moment: Moment, asked: AwaitedMove) -> dict[str, Any] | None:
        for car, way in moment.under_way.items():
            name = _named(car, asked.speeds)
            if name is not None and way.reads:
                return self._under_way(name, way, moment, asked)
        for name, pending in self._pending.items():
            return rested(name, pending, asked.speeds[name])
        return None if asked.car is None else self._ready(asked.car, moment.table, asked)

    def _under_way(self, name: str, way: Move, moment: Moment, asked: AwaitedMove) -> dict[str, Any]:
        pending = self._pending.get(name)
        whole = way if pending is None else pending.way.and_then(way)
        now = whole.after
        if now.status is Status.STILL:
            return rested(name, _Pending(whole, self._ruled(name, whole, asked)), asked.speeds[name])
        speed = asked.speeds[name]
        seen = whole.recognised()
        going = underway(moment.table, now, seen, speed, reverse=asked.reverse)
        return {
            "phase": "pushing",
            "car": name,
            "speed": speed,
            "used": round(going.used, 2),
            "left": round(going.left, 2),
            "used_words": f"{going.used:.1f}″ of {speed:g}″",
            "steps": [units.retold(d.words) for d in seen.runs],
            "words": units.retold(going.words),
            "path": _path(now, whole.poses),
            "from": _outline(now, whole.start.pose),
            "ghost": _outline(now, going.ghost),
            "touch": None if going.touch is None else going.touch.other,
            "touch_at": None if going.touch is None else _outline(now, going.touch.pose),
        }

    def _ready(self, name: str, table: TableState, asked: AwaitedMove) -> dict[str, Any]:
        car = table.find(name)
        speed = asked.speeds[name]
        about = (name, speed, asked.reverse, *(tuple(np.round(_row(s.pose), 1)) for s in table.standings))
        if self._reach[0] != about:
            reach = reach_of(_with(table, asked.tokens), car, speed, reverse=asked.reverse)
            self._reach = (about, [_rounded(ring) for ring in reach.outlines])
        way = "backwards" if asked.reverse else "ahead"
        return {
            "phase": "ready",
            "car": name,
            "speed": speed,
            "reach": self._reach[1],
            "words": f"{name} has {speed:g}″ to go {way}, with one turn of up to "
            f"{math.degrees(MOST_TURN):.0f}° or one drift of 1″.",
        }


def rested(name: str, pending: _Pending, speed: float) -> dict[str, Any]:
    """What the screen shows of a car that rests: the ruling, and where it should stand if elsewhere."""
    driven, righted = pending.driven, pending.righted
    legal = righted or driven.verdict is Verdict.YES
    action = driven.as_action() | {"car": name}
    headline = "Legal" if legal else HEADLINES[driven.verdict]
    if righted:
        action |= {"steps": [step_json(s) for s in driven.lawful], "to": pose_json(pending.way.after.pose)}
        headline = "Put right"
    off = f"{driven.away:.1f}″ away"
    if abs(driven.askew) > math.radians(2):
        off += f", turned {math.degrees(abs(driven.askew)):.0f}° {'left' if driven.askew > 0 else 'right'}"
    return {
        "phase": "rested",
        "car": name,
        "speed": speed,
        "used": round(driven.seen.length.value, 2),
        "used_words": f"{driven.seen.length.value:.1f}″ of {speed:g}″",
        "steps": [units.retold(d.words) for d in driven.seen.runs],
        "verdict": "yes" if legal else driven.verdict.value,
        "headline": headline,
        "met": [m.words for m in driven.met],
        "reasons": []
        if legal
        else [
            {
                "name": c.name,
                "words": units.retold(c.words),
                "citation": c.citation,
                "verdict": c.verdict.value,
            }
            for c in driven.ruling.checks
            if c.verdict is not Verdict.YES
        ],
        "path": _path(pending.way.after, pending.way.poses),
        "from": _outline(pending.way.after, pending.way.start.pose),
        "ghost": None if legal else _outline(pending.way.after, driven.should),
        "off_words": "" if legal else f"It should stand {off}: the dashed shape shows where.",
        "action": action,
        "words": f"{name}: {headline.lower()}",
    }


def _named(car: str, names: Iterable[str]) -> str | None:
    """A car as the game spells it."""
    return next((n for n in names if key_of(n) == key_of(car)), None)


def _with(table: TableState, tokens: tuple[Standing, ...]) -> TableState:
    known = {key_of(s.name) for s in table.standings}
    more = tuple(t for t in tokens if key_of(t.name) not in known)
    return TableState(table.time, table.surface, (*table.standings, *more))


def _row(pose: Pose) -> FloatArray:
    return np.array([pose.x, pose.y, pose.heading])


def _rounded(points: FloatArray) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def _outline(car: Standing, pose: Pose) -> list[list[float]]:
    return _rounded(pose.to_table(car.piece.body.footprint.outline))


def _path(car: Standing, poses: Iterable[Pose]) -> list[list[float]]:
    """The way of the front, where the ruler is held."""
    outline = car.piece.body.footprint.outline
    front = np.array([float(outline[:, 0].max()), float((outline[:, 1].min() + outline[:, 1].max()) / 2)])
    return _rounded(np.array([pose.to_table(front) for pose in poses]).reshape(-1, 2))

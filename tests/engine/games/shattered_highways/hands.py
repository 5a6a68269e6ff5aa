"""A match on a drawn road: what the camera sees when a hand moves a vehicle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from engine.boards.road import Road
from engine.game.contract import Option, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.showing import Guide
from engine.games.shattered_highways.game import GAME
from engine.games.shattered_highways.state import GameState
from engine.motion.moves import Move, Read
from engine.space.geometry import Pose
from engine.space.table import Standing, Status, TableState
from tests.engine.games.shattered_highways.highway import ROAD, SURFACE, car, rig
from tests.engine.games.shattered_highways.playing import begun, do, piece

SD = 0.02


class Hands:
    """The table of a match, and the moves that the camera has seen and nobody has taken."""

    def __init__(self, match: Match[GameState], *standings: Standing | tuple[Standing, ...]) -> None:
        self.match = match
        every = [s for one in standings for s in (one if isinstance(one, tuple) else (one,))]
        self.table = TableState.of(SURFACE, every)
        self.board: Road = ROAD
        self.moves: dict[str, Move] = {}

    @property
    def seen(self) -> Seen:
        """What the camera knows."""
        return Seen(self.table, dict(self.moves), self.board)

    def push(self, name: str, along: float, left: float, degrees: float = 0.0) -> str:
        """A vehicle pushed by so many inches along the road and to the left; the move's id."""
        before = self.table
        new = {
            s.name: replace(
                s, pose=Pose(s.pose.x + along, s.pose.y + left, s.pose.heading + math.radians(degrees))
            )
            for s in before.vehicle(name)
        }
        return self._moved(name, new)

    def put(self, name: str, pose: tuple[float, float, float]) -> str:
        """A piece put at a pose; the move's id."""
        return self._moved(name, {name: replace(self.table.find(name), pose=Pose(*pose))})

    def cover(self, name: str, status: Status = Status.HELD) -> None:
        """A hand lies over a piece, or no more."""
        changed = (replace(s, status=status) if s.name == name else s for s in self.table.standings)
        self.table = TableState.of(SURFACE, changed, self.table.time)

    def _moved(self, name: str, new: dict[str, Standing]) -> str:
        before = self.table
        self.table = TableState.of(SURFACE, (new.get(s.name, s) for s in before.standings), before.time + 5.0)
        time = self.table.time
        head = new[name]
        start = before.find(name).pose
        reads = tuple(
            Read(time - 2 + 0.1 * k, Pose(start.x + (head.pose.x - start.x) * k / 10,
                                          start.y + (head.pose.y - start.y) * k / 10, head.pose.heading),
                 SD, 0.01)
            for k in range(1, 10)
        )  # fmt: skip
        move = Move(f"{name} {time}", name, before, head, time - 2.0, time, reads)
        pending = self.moves.get(name)
        self.moves = {move.id: move if pending is None else pending.and_then(move)}
        return move.id

    def do(self, kind: str, dice: tuple[int, ...] = (), **data: Any) -> list[Event]:
        """An action on the table; its moves are taken."""
        typed = TypedDice(dice)
        events = self.match.do(Action(kind, None, data), self.seen, typed)
        assert typed.used == len(dice), f"{len(dice) - typed.used} dice were not asked for"
        self.moves = {}
        return list(events[1:])

    def against(self, kind: str, **data: Any) -> list[str]:
        """The words of all reasons against an action."""
        return [r.words for r in self.match.check(Action(kind, None, data), self.seen)]

    def option(self, kind: str, **data: Any) -> Option:
        """The option of a kind with that data."""
        found = [
            o for o in self.match.options(self.seen)
            if o.kind == kind and all(o.data.get(n) == v for n, v in data.items())
        ]  # fmt: skip
        return found[0]


def road_match(**places: tuple[float, float]) -> Hands:
    """Red 1 and Red 2 against Blue 1 and Blue 2 on the road, Red 1's turn; `Red_1=(x, y)` moves one."""
    where = {"Red 1": (20.0, 12.0), "Red 2": (10.0, 6.0), "Blue 1": (26.0, 12.2), "Blue 2": (20.0, 18.0)}
    where |= {name.replace("_", " "): at for name, at in places.items()}
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Red 2"), piece("Blue 2"))
    return Hands(match, *(car(name, x, y, sd=SD) for name, (x, y) in where.items()))


def rig_match() -> Hands:
    """Red's Rig against two of Blue's vehicles, the Rig's turn."""
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2"))
    return Hands(
        match,
        rig("Red 1", 24.0, 12.0, sd=SD),
        car("Blue 1", 17.0, 14.0, sd=SD),
        car("Blue 2", 25.0, 14.05, sd=SD),
    )


def guide(hands: Hands) -> Guide:
    """What the screen shows of the one vehicle that is awaited."""
    awaited = GAME.awaits(hands.match.state)[0]
    moves = [m for m in hands.moves.values() if m.piece == awaited.piece]
    return GAME.guide(hands.match.state, awaited, moves[-1] if moves else None, hands.table)


__all__ = ["Hands", "do", "guide", "rig_match", "road_match"]

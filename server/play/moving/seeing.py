"""What the camera knows when something is done at the table, and how the record names it."""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.boards.board import Board, Free
from engine.game.contract import NOTHING_SEEN, Option, Seen
from engine.game.events import LYING, Event
from engine.game.match import Match
from engine.game.registry import STUMBLES
from engine.game.showing import Mark, Viewer
from engine.motion.moves import Move
from engine.space.table import TableState, key_of
from server.play.messages import Modes

log = logging.getLogger("tableref.play")

TAKEN_KEPT = 12
"""Moves that are remembered after the game has taken them."""

ROUND = 16
"""The corners of the outline that a round token is laid with."""

Owners = Mapping[str, str]
"""Whose each piece is, by `key_of` its name."""


class Seeing:
    """The table with its board, and the moves of the camera. Looked at once for each request (`look`)."""

    def __init__(
        self,
        table: Callable[[], TableState | None],
        moves: Callable[[], Mapping[str, Move]] = dict,
        board: Callable[[], Board] = Free,
        recall: Callable[[Event], Mapping[str, Move]] = lambda _: {},
    ) -> None:
        self._table = table
        self.moves = moves
        self.board = board
        self.put_back: Callable[[], Sequence[tuple[str, float]]] = tuple
        """The pieces that were moved and put back since it was asked last, with the inches that were read."""
        self.recall = recall
        """The moves that an action of the record has taken, by their ids, on the source's clock of today."""
        self.looked: TableState | None = None
        self._owned: tuple[TableState | None, Owners, TableState | None] = (None, {}, None)
        self.taken: OrderedDict[str, Move] = OrderedDict()

    @property
    def measures(self) -> bool:
        """Whether anything recognises moves here."""
        return self.moves is not dict

    def look(self) -> None:
        """What is ruled on from now is what the record says that it was ruled on."""
        self.looked = self._table()

    @property
    def time(self) -> float | None:
        """When it was looked at, by the source's clock."""
        return None if self.looked is None else self.looked.time

    def seen(self, owners: Owners) -> Seen:
        """What was seen when it was looked at."""
        return Seen(self._theirs(self.looked, owners), self.moves(), self.board())

    def take(self, first: Event, moves: Mapping[str, Move]) -> None:
        """Remembers the moves that an action has taken, the last few, by their ids: they may be disputed."""
        for named in ranges_in(first).values():
            self.taken[named["id"]] = moves[named["id"]]
        while len(self.taken) > TAKEN_KEPT:
            self.taken.popitem(last=False)

    def took(self, first: Event) -> dict[str, Move]:
        """The moves that an action has taken, by their ids: as remembered, else from the record."""
        ids = [str(named["id"]) for named in ranges_in(first).values()]
        found = {id: self.taken[id] for id in ids if id in self.taken}
        return found if len(found) == len(ids) else {**self.recall(first), **found}

    def now(self, owners: Owners) -> Seen:
        """What is seen now."""
        return Seen(self._theirs(self._table(), owners), self.moves(), self.board())

    def _theirs(self, table: TableState | None, owners: Owners) -> TableState | None:
        """The very same one as long as nothing new is seen: what was worked out from it holds."""
        known, whose, found = self._owned
        if known is not table or whose != owners:
            found = owned(table, owners)
            self._owned = (table, dict(owners), found)
        return found


def owned(table: TableState | None, owners: Owners) -> TableState | None:
    """That table, every piece its player's: whose it is was said in the set-up, not in a file."""
    return None if table is None else table.owned(owners)


def said_kinds(match: Match[Any], modes: Modes) -> frozenset[str]:
    """The kinds of action of which the players say themselves what they rest on, instead of the camera."""
    found: set[str] = set()
    if modes.moves == "ask":
        found |= {awaited.kind for awaited in match.game.awaits(match.state)}
    if modes.questions == "ask":
        found |= {option.kind for option in match.options() if option.question is not None}
    return frozenset(found)


def options_of(match: Match[Any], modes: Modes, seen: Seen) -> tuple[Option, ...]:
    """What may be done now: measured, or as it is said where the players want to say it."""
    kinds = said_kinds(match, modes)
    said = [option for option in match.options(NOTHING_SEEN) if option.kind in kinds] if kinds else []
    measured = [option for option in match.options(seen) if option.kind not in kinds]
    return (*said, *measured)


def in_play(match: Match[Any] | None, owners: Owners) -> frozenset[str]:
    """The pieces that players play with, by `key_of` their names, without those that the book has taken off.

    One that is on the table and is not seen may stand wherever nobody sees; one in the box does not matter.
    """
    if match is None:
        return frozenset()
    try:
        off = set(map(key_of, match.game.removed(match.state)))
    except STUMBLES:
        # It is as if all were there.
        log.exception("%s does not say what is off the table", match.game.about.title)
        off = set()
    return frozenset(name for name, owner in owners.items() if owner and name not in off)


def lying(match: Match[Any] | None) -> dict[str, tuple[tuple[float, float], ...]]:
    """The corners of the tokens that lie on the table as the game has it, by name, inches."""
    if match is None:
        return {}
    try:
        marks = match.game.marks(match.state, None, Viewer())
    except STUMBLES:
        # Tokens that are not drawn stop no table.
        log.exception("%s does not say what lies on the table", match.game.about.title)
        return {}
    return {mark.words: _corners(mark) for mark in marks if mark.role == "token"}


def _corners(mark: Mark) -> tuple[tuple[float, float], ...]:
    """The corners of a mark; of a disc as many as its rim needs to look round."""
    if mark.shape != "disc":
        return mark.points
    ((x, y),) = mark.points
    angles = (2.0 * math.pi * k / ROUND for k in range(ROUND))
    return tuple((x + mark.radius * math.cos(a), y + mark.radius * math.sin(a)) for a in angles)


# Moves in an action's event


def with_ranges(events: Sequence[Event], moves: Mapping[str, Move]) -> tuple[Event, ...]:
    """A batch whose action names moves by id, with the range of the track of each: where it was recorded.

    `LYING` are those of the moves that it does not name: what it was ruled by they may say as well.
    """
    first, *rest = events
    if first.kind != "action" or not moves:
        return tuple(events)
    said = first.data.get("data") or {}
    named = {k: moves[v] for k, v in said.items() if isinstance(v, str) and v in moves}
    data = {**first.data, "data": {**said, **{key: range_of(move) for key, move in named.items()}}}
    ids = {move.id for move in named.values()}
    lying = [range_of(move) for move in moves.values() if move.id not in ids]
    return (replace(first, data=data | ({LYING: lying} if lying else {})), *rest)


HIDDEN_S = 1.0
"""Seconds after which a piece that has left its rest and was not seen since lay under a hand."""


def range_of(move: Move) -> dict[str, Any]:
    """Where the track of a move was recorded, seconds of the source's clock; `rests_s` are on its way.

    `others_s`: all others stood as they are held against it so much later, as it lay under a hand till then.
    """
    rests: list[float] = []
    earlier = move.earlier
    while earlier is not None:
        rests.insert(0, earlier.until)
        earlier = earlier.earlier
    named = {"id": move.id, "piece": move.piece, "since_s": move.since, "until_s": move.until}
    named |= {"rests_s": rests} if rests else {}
    return named | ({"others_s": move.before.time} if move.before.time > move.since + HIDDEN_S else {})


def ranges_in(first: Event) -> dict[str, Mapping[str, Any]]:
    """The ranges that an action's event names, by the field that each stands in."""
    said = first.data.get("data") or {}
    return {k: v for k, v in said.items() if isinstance(v, Mapping) and {"id", "since_s"} <= v.keys()}


def by_ids(first: Event) -> Event:
    """The event with the moves' ids instead of their ranges, as the game was told it."""
    ids = {key: str(named["id"]) for key, named in ranges_in(first).items()}
    return replace(first, data={**first.data, "data": {**first.data["data"], **ids}}) if ids else first

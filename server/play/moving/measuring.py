"""Moves have to be measured: which options that is about, and who may accept one without a measurement.

Where the players say their moves themselves (`Modes.moves`), or nothing recognises moves, there is nothing to
measure with; what is done is told as not measured all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN, Option, Seen
from engine.game.dice import rolls_of
from engine.game.events import (
    CONCEDED,
    OWNER,
    PLAYERS,
    RULED,
    RULED_BY,
    SAID,
    Action,
    Event,
    Illegal,
    Reason,
    SaidFact,
    batches,
)
from engine.game.forms import PathOnTable
from engine.game.kit.table import standing_of
from engine.game.log.places import in_place, standing_still
from engine.game.match import Match
from engine.measure.sweep import surface_margin
from engine.space.table import Standing, Status, TableState, key_of
from engine.words import listed
from server.play.messages import Modes
from server.play.moving.seeing import Seeing
from server.play.seats import NotYours
from server.web.authentication import Role

OTHERS = f"another player, or {OWNER},"
"""Who may accept a move that was not measured."""

NOT_YOURS = {
    "undo": "you may take back only what you did yourself, while nothing else has happened and nothing has "
    "come to light by it; the owner may",
    "redo": "you may do again only what you took back yourself, while nothing else has happened; "
    "the owner may",
}
"""Why a player may not go back, or forth."""

AGAINST_IN = 0.15
"""Inches from something within which a piece may be unable to go any farther (house default)."""


class Measuring:
    """Holds what is done at a host against what the camera could have measured."""

    def __init__(self, match: Match[Any], modes: Modes, seeing: Seeing) -> None:
        self._match = match
        self._on = modes.moves == "see" and seeing.measures
        self._kinds = {one.kind for one in match.game.awaits(match.state)} if self._on else set()

    def check(self, action: Action, seen: Seen | None) -> None:
        """Refuses a move that is not measured and of which nobody says why, and a needless ruling."""
        owed = action.kind in self._kinds and self._lacks(action, seen)
        if owed and action.unmeasured is None:
            raise Illegal([Reason(self._owed(action, seen or NOTHING_SEEN), PLAYERS)])
        if action.unmeasured is not None and not owed:
            raise NotYours("nothing is to be accepted here: the move is taken as it was measured")

    def _lacks(self, action: Action, seen: Seen | None) -> bool:
        """Whether a lawful action is a move that was not measured; what is not lawful is refused for that."""
        try:
            return self._match.game.measured(self._match.state, action, seen or NOTHING_SEEN) is False
        except TableRefError:
            return False

    def _owed(self, action: Action, seen: Seen) -> str:
        """What a move lacks that was not measured: to be made, where no piece that may make it has moved."""
        match = self._match
        pieces = dict.fromkeys(a.piece for a in match.game.awaits(match.state) if a.kind == action.kind)
        if pieces and not any(happened(piece, match, seen) for piece in pieces):
            return f"this was not measured: {listed(pieces, 'or')} stands where it stood, so move it first"
        return f"this was not measured: {OTHERS} may accept it without measuring, with the reason"

    def owes(self, option: Option, seen: Seen) -> bool:
        """Whether an option may be accepted without measuring: what counts where it stands lacks nothing."""
        return self._lacks(Action(option.kind, option.player, option.data), seen)

    def now(self, option: Option, seen: Seen) -> bool | None:
        """Whether an option would be taken as measured, as the camera has it; None if it takes no move."""
        if option.kind not in self._kinds:
            return None
        paths = {n: f.usual for n, f in option.form.fields.items() if isinstance(f, PathOnTable)}
        said = {name: id for name, id in paths.items() if id is not None}
        action = Action(option.kind, option.player, {**option.data, **said})
        return self._match.game.measured(self._match.state, action, seen)


def happened(piece: str | None, match: Match[Any], seen: Seen) -> bool:
    """Whether a piece that is to be moved has been touched: it was moved, is held, or is out of sight.

    One that rests where it has to stand, and of which no move was seen, has not been touched; one that may
    end where it stands, or stands against something that may hold it, does not have to be.
    """
    if piece is None or seen.table is None:
        return True
    if any(a.stays and key_of(a.piece) == key_of(piece) for a in match.game.awaits(match.state)):
        return True
    here = standing_still(piece, seen.table)
    return here is None or stands_against(here, seen.table) or _moved(here, match, seen)


def _moved(here: Standing, match: Match[Any], seen: Seen) -> bool:
    """Whether a piece that rests is not where it was left, or was seen to be moved."""
    places = {key_of(name): place for name, place in match.places.items()}
    place = places.get(key_of(here.name))
    moved = any(key_of(move.piece) == key_of(here.name) for move in seen.moves.values())
    return moved or place is None or not in_place(place, here)


def lacks(option: Option, match: Match[Any], seen: Seen) -> str:
    """Why nothing is measured of the move that an option takes, for people."""
    name, here = option.piece or option.words, standing_of(seen.table, option.piece or "")
    if option.piece and seen.table is not None and (here is None or here.status is Status.LOST):
        return f"{name} is not seen."
    if here is not None and here.status is Status.STILL and not _moved(here, match, seen):
        return f"{name} has not moved yet."
    return f"The camera has not measured {name} yet."


def stands_against(here: Standing, table: TableState) -> bool:
    """Whether a piece stands against a solid one or over the edge: no push of it may be to be seen."""
    body = here.region
    others = table.others(*(one.name for one in table.vehicle(here.name)))
    near = (one.region.polygon.distance(body.polygon) < AGAINST_IN for one in others if one.piece.solid)
    return any(near) or surface_margin(body.outline, table.surface) < AGAINST_IN


def may_type(role: Role, modes: Modes, typed: Sequence[int | str] | None) -> None:
    """Refuses dice that a player types at a table where they are rolled here."""
    if typed is not None and role != "owner" and modes.dice == "roll":
        raise NotYours(
            "dice are rolled here at this table: its owner may type some, or let the players type them"
        )


def rolled_here(seed: str, log: Iterable[Event]) -> int:
    """Dice rolled here from a seed so far, the undone included: none is rolled twice."""
    return sum(source.startswith(f"seed {seed},") for source in {roll.source for roll in rolls_of(log)})


def did_last(match: Match[Any], player: str, *, alone: bool = False) -> bool:
    """Whether the newest is what this player did, and nothing came to light by it.

    `alone` against machines, it may be what one of them did since: it hurts nobody to take that back, too.
    """
    return _is_theirs(match, player, alone=alone) and match.undo_barred is None


def typed_last(match: Match[Any], player: str, *, alone: bool = False) -> bool:
    """Whether the newest is what this player did, and only typed dice came to light by it."""
    return _is_theirs(match, player, alone=alone) and match.retype_barred is None


def undid_last(match: Match[Any], player: str, *, alone: bool = False) -> bool:
    """Whether there is something to do again, and the newest is that this player went back or forth.

    `alone` against machines, it may have been the owner of the table: it hurts nobody.
    """
    newest = batches(match.log)[-1][0]
    theirs = newest.kind in ("undo", "redo") and (alone or newest.data["by"] == player)
    return theirs and match.redoable is not None


def _is_theirs(match: Match[Any], player: str, *, alone: bool) -> bool:
    last, newest = match.counted[-1].events[0], batches(match.log)[-1][0]
    again = newest.kind == "redo" and newest.data["by"] == player
    first = last if alone or again else newest
    return (alone or again or first.data.get("player") == player) and first.kind in ("action", CONCEDED)


def saying_who(
    events: Sequence[Event], modes: Modes, action: Action | None = None, rolled_by: str = ""
) -> tuple[Event, ...]:
    """What happened, saying so where the owner typed dice that are rolled here, and who ruled on what.

    `rolled_by` says who typed the dice of a machine.
    """
    notes = []
    typist = OWNER if modes.dice == "roll" else rolled_by
    if typist and any(roll.source == "typed" for roll in rolls_of(events)):
        notes.append(f"dice typed by {typist}")
    data = {} if action is None else action.data
    told = any(event.kind == SAID for event in events)
    if (ruled := data.get(RULED)) is not None and not told:
        said = ", ".join(f"{k}: {v}" for k, v in ruled.items()) if isinstance(ruled, Mapping) else str(ruled)
        notes.append(f"{data.get(RULED_BY)} rules: {said}")
    if not notes:
        return tuple(events)
    first = replace(events[0], words=f"{events[0].words} ({'; '.join(notes)})")
    return (first, *events[1:])


def as_seen(events: Sequence[Event]) -> tuple[Event, ...]:
    """What happened, told as seen on the table: nobody did it, so it is told in nobody's name.

    >>> told = as_seen([Event("action", {}, f"{OWNER}: Blue 1 has been placed", "")])
    >>> [event.words for event in told]
    ['seen: Blue 1 has been placed']
    """
    first = replace(events[0], words=f"seen: {events[0].words.removeprefix(f'{OWNER}: ')}")
    return (first, *events[1:])


def leaves_measured(role: Role, facts: Sequence[SaidFact]) -> None:
    """Refuses what a player says in a secret choice instead of the table: nobody could agree to it."""
    if role != "owner" and facts:
        said = ", ".join(fact.name for fact in facts)
        raise NotYours(f"{said}: the table answers that. Only its owner overrules it; players may dispute it")

"""Moves have to be measured: which options that is about, and who may accept one without a measurement.

Where the players say their moves themselves (`Modes.moves`), or nothing recognises moves, there is nothing to
measure with; what is done is told as not measured all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.game.contract import Option, Seen
from engine.game.dice import rolls_of
from engine.game.events import (
    CONCEDED,
    PLAYERS,
    RULED,
    RULED_BY,
    Action,
    Event,
    Illegal,
    Reason,
    Unmeasured,
    batches,
)
from engine.game.forms import PathOnTable
from engine.game.match import Match
from server.play.messages import Act, Modes
from server.play.moving.seeing import Seeing
from server.play.seats import OWNER, NotYours
from server.web.authentication import Role

OTHERS = f"another player, or {OWNER},"
"""Who may accept a move that was not measured."""


class Measuring:
    """Holds what is done at a host against what the camera could have measured."""

    def __init__(self, match: Match[Any], modes: Modes, seeing: Seeing) -> None:
        self._match = match
        self._on = modes.moves == "see" and seeing.measures
        self._kinds = {one.kind for one in match.game.awaits(match.state)} if self._on else set()

    def check(self, action: Action, events: Sequence[Event]) -> None:
        """Refuses a move that is not measured and that nobody accepts, and a needless ruling."""
        owed = action.kind in self._kinds and events[0].measured is False
        if owed and action.unmeasured is None:
            words = f"this was not measured: {OTHERS} may accept it without measuring, with the reason"
            raise Illegal([Reason(words, PLAYERS)])
        if action.unmeasured is not None and not owed:
            raise NotYours("nothing is to be accepted here: the move is taken as it was measured")

    def now(self, option: Option, seen: Seen) -> bool | None:
        """Whether an option would be taken as measured, as the camera has it; None if it takes no move."""
        if option.kind not in self._kinds:
            return None
        paths = {n: f.usual for n, f in option.form.fields.items() if isinstance(f, PathOnTable)}
        said = {name: id for name, id in paths.items() if id is not None}
        action = Action(option.kind, option.player, {**option.data, **said})
        return self._match.game.measured(self._match.state, action, seen)

    def accepts(self, action: Action, seen: Seen | None) -> bool:
        """Whether an action has the players accept a move that does not count as it was measured.

        What is asked of them alone, such as whether two pieces touched, is not that.
        """
        if action.kind not in self._kinds or RULED not in action.data:
            return False
        plain = replace(action, data={name: said for name, said in action.data.items() if name != RULED})
        return any(reason.open and not reason.question for reason in self._match.check(plain, seen))


def ruling_of(request: Act, role: Role, seat: str | None) -> Unmeasured | None:
    """The players' ruling that a move counts without a measurement: the owner's, or another player's."""
    if request.unmeasured is None:
        return None
    return Unmeasured(request.unmeasured.strip(), accepted_by(role, seat, request.player))


def accepted_by(role: Role, seat: str | None, player: str | None) -> str:
    """Who accepts a move of that player that nothing measured, or that does not count as measured."""
    if not may_accept(role, seat, player):
        raise NotYours(
            f"nobody accepts their own move: {OTHERS} may"
            if seat is not None
            else "say first whose phone this is: take a seat"
        )
    return seat or OWNER


def may_type(role: Role, modes: Modes, typed: Sequence[int | str] | None) -> None:
    """Refuses dice that a player types at a table where they are rolled here."""
    if typed is not None and role != "owner" and modes.dice == "roll":
        raise NotYours(
            "dice are rolled here at this table: its owner may type some, or let the players type them"
        )


def rolled_here(seed: str, log: Iterable[Event]) -> int:
    """Dice rolled here from a seed so far, the undone included: none is rolled twice."""
    return sum(source.startswith(f"seed {seed},") for source in {roll.source for roll in rolls_of(log)})


def did_last(match: Match[Any], player: str) -> bool:
    """Whether the newest is what this player did, and nothing came to light by it."""
    first = batches(match.log)[-1][0]
    mine = first.kind in ("action", CONCEDED) and first.data.get("player") == player
    return mine and match.undo_barred is None


def saying_who(events: Sequence[Event], modes: Modes, action: Action | None = None) -> tuple[Event, ...]:
    """What happened, saying so where the owner typed dice that are rolled here, and who ruled on what."""
    notes = []
    if modes.dice == "roll" and any(roll.source == "typed" for roll in rolls_of(events)):
        notes.append(f"dice typed by {OWNER}")
    data = {} if action is None else action.data
    if (ruled := data.get(RULED)) is not None:
        said = ", ".join(f"{k}: {v}" for k, v in ruled.items()) if isinstance(ruled, Mapping) else str(ruled)
        notes.append(f"{data.get(RULED_BY)} rules: {said}")
    if not notes:
        return tuple(events)
    first = replace(events[0], words=f"{events[0].words} ({'; '.join(notes)})")
    return (first, *events[1:])


def leaves_measured(role: Role, match: Match[Any], action: Action, seen: Seen | None) -> None:
    """Refuses a player's ruling on a question that the table answers: players rule on what is open.

    One ruling may open the next question, so they are let in one after another.
    """
    rulings = action.data.get(RULED) if isinstance(action.data, Mapping) else None
    if role == "owner" or seen is None or not isinstance(rulings, Mapping):
        return
    let: dict[str, Any] = {}
    while len(let) < len(rulings):
        reasons = match.game.check(match.state, replace(action, data={**action.data, RULED: dict(let)}), seen)
        asked = {name for reason in reasons if reason.open for name in (reason.question, reason.words)}
        new = {name: said for name, said in rulings.items() if name in asked and name not in let}
        if not new:
            needless = ", ".join(name for name in rulings if name not in let)
            raise NotYours(
                f"{needless}: the table answers that. Only its owner overrules it; players may dispute it"
            )
        let |= new


def may_accept(role: Role, seat: str | None, player: str | None) -> bool:
    """Whether whoever looks may accept a move of that player without a measurement: nobody their own.

    >>> may_accept("player", "Ben", "Anna"), may_accept("player", "Anna", "Anna")
    (True, False)
    """
    return role == "owner" or (role == "player" and seat is not None and player not in (None, seat))

"""Moves have to be measured: which options that is about, and who may accept one without a measurement.

Where the players say their moves themselves (`Modes.moves`), or nothing recognises moves, there is nothing to
measure with; what is done is told as not measured all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.game.contract import Option, Seen
from engine.game.events import PLAYERS, Action, Event, Illegal, Reason
from engine.game.forms import PathOnTable
from engine.game.match import Match
from server.play.messages import Modes
from server.play.seats import NotYours
from server.play.seeing import Seeing
from server.web.authentication import Role

OTHERS = "another player, or the owner of the table,"
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


def may_accept(role: Role, seat: str | None, player: str | None) -> bool:
    """Whether whoever looks may accept a move of that player without a measurement: nobody their own.

    >>> may_accept("player", "Ben", "Anna"), may_accept("player", "Anna", "Anna")
    (True, False)
    """
    return role == "owner" or (role == "player" and seat is not None and player not in (None, seat))

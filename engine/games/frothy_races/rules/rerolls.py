"""Re-rolls: which dice of a roll may be rolled again, by a trait or by the special card Lucky."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.games.frothy_races.book.cards import SPECIALS
from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.state.game_state import Task, Vehicle

REROLLS = cite("Dice Re-rolls")
LUCKY = "Lucky"


def by_card(v: Vehicle) -> int:
    """How many dice the card Lucky rolls again; 0 without it in the hand."""
    return SPECIALS[LUCKY].amount if v.holds(LUCKY) else 0


def reroll_task(
    v: Vehicle, dice: Sequence[str | int], trait: str, then: str, what: str, **data: Any
) -> Task | None:
    """Whether dice are rolled again before they count, `then` names what goes on; None where none may be.

    Each die only once, and all of them together.
    """
    free = v.trait(trait) if trait else 0
    if not dice or free + by_card(v) == 0:
        return None
    words = f"{v.name} may roll dice again ({what})"
    more = {"dice": [str(d) for d in dice], "free": free, "then": then, "what": what}
    return Task("reroll", v.name, words, REROLLS, {**more, **data})

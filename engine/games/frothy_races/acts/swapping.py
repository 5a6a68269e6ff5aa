"""Adaptive: cards of the hand are swapped for spent ones of the other type at the start of a round."""

from __future__ import annotations

from engine.errors import TableRefError
from engine.game.events import Action, JsonObject
from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.state.game_state import Vehicle
from engine.games.frothy_races.state.play import Play

TRAITS = cite("Traits", "Card Recovery")
FOR = " for "


def swaps(v: Vehicle) -> tuple[tuple[str, str], ...]:
    """Each card of the hand with each card of the other type in the Spent and Recovery boxes."""
    away = [c for c in v.cards if c.where in ("spent", "recovery")]
    return tuple((h.name, a.name) for h in v.hand() for a in away if not set(h.faces) & set(a.faces))


def swapped(v: Vehicle, said: JsonObject) -> list[tuple[str, str]]:
    """The cards that are swapped, each pair; an error where those may not be."""
    known = {FOR.join(pair): pair for pair in swaps(v)}
    pairs = [known[str(one)] for one in said.get("swap") or () if str(one) in known]
    names = [name for pair in pairs for name in pair]
    if len(pairs) > v.trait("Adaptive") or len(set(names)) < len(names):
        raise TableRefError(f"expected up to {v.trait('Adaptive')} swaps, and each card once")
    return pairs


def do_swap(play: Play, action: Action) -> None:
    """The cards change places, each of them once."""
    task = play.resolve()
    v = play.vehicle(task.vehicle)
    pairs = swapped(v, action.data)
    if pairs:
        words = f"{v.name} swaps {', '.join(FOR.join(pair) for pair in pairs)}"
        play.tell("adapted", words, TRAITS, vehicle=v.name, pairs=[list(pair) for pair in pairs])

"""What a moved or displaced car met: tokens passed over, the edge, contact with cars and obstacles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import TableRefError
from engine.game.events import Reason
from engine.game.kit import reading
from engine.games.white_line_fever.rules.collisions import COLLISION, collide, leave
from engine.games.white_line_fever.rules.tokens import TRIGGER, stopper, trigger
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import GameState
from engine.space.table import TableState, key_of


def contacts_of(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of what a car touched: objects with `other`, or plain names; an `obstacle` without a tag."""
    raw = data.get("contacts") or []
    if not isinstance(raw, list | tuple):
        raise TableRefError(f"contacts: expected a list but got {raw!r}")
    names = [
        c if isinstance(c, str) else reading.text(c, "other") for c in raw if isinstance(c, str | Mapping)
    ]
    if len(names) < len(raw):
        raise TableRefError(f"contacts: expected names or objects with `other` but got {raw!r}")
    untagged = reading.maybe_text(data, "obstacle")
    return tuple(dict.fromkeys([*names, *([untagged] if untagged else [])]))


def called(state: GameState, name: str) -> str:
    """A name as the game spells it, if it is a car's."""
    return next((c.name for c in state.cars if key_of(c.name) == key_of(name)), name)


def kinds_of(data: Mapping[str, Any]) -> dict[str, str]:
    """By name, how a contact was (head-on, T-bone, shunt, sideswipe), where that was said."""
    raw = [c for c in data.get("contacts") or [] if isinstance(c, Mapping)]
    return {reading.text(c, "other"): reading.text(c, "kind") for c in raw if c.get("kind")}


def contacts_json(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The contacts as an event keeps them."""
    kinds = kinds_of(data)
    return [{"other": name, "kind": kinds.get(name)} for name in contacts_of(data)]


def check_met(
    state: GameState, name: str, data: Mapping[str, Any], table: TableState | None = None
) -> list[Reason]:
    """Whether what a car is said to have met can be."""
    reasons = []
    contacts = [called(state, other) for other in contacts_of(data)]
    if name in contacts:
        reasons.append(Reason(f"{name} cannot touch itself", COLLISION))
    for other in contacts:
        car = next((c for c in state.cars if c.name == other), None)
        if car is not None and car.status in ("removed", "waiting"):
            reasons.append(Reason(f"{other} is not on the table", COLLISION))
    for contact in data.get("contacts") or []:
        if isinstance(contact, Mapping):
            reading.only(contact, ("other", "kind"), "a contact")
    reasons += _unknown(state, data, table)
    if contacts and reading.flag(data, "left_surface"):
        words = f"{name} stops at what it touches and cannot leave the surface too"
        reasons.append(Reason(words, COLLISION, open=True))
    on_table = {t.name for t in state.tokens}
    for token in reading.names(data, "triggered"):
        if token not in on_table:
            there = ", ".join(sorted(on_table)) or "none"
            words = f"no token called {token} lies on the table; there: {there}"
            reasons.append(Reason(words, TRIGGER, open=True))
    return reasons


def _unknown(state: GameState, data: Mapping[str, Any], table: TableState | None) -> list[Reason]:
    """Names of contacts that nothing on the table has: misspelt, or an obstacle without a tag."""
    if table is None:
        return []
    known = list(dict.fromkeys([*(c.name for c in state.cars), *(s.name for s in table.standings)]))
    reasons = []
    for name in contacts_of({"contacts": data.get("contacts")}):
        try:
            reading.known_name(name, known, "contacts")
        except TableRefError as error:
            words = f"{error}; an obstacle without a tag is named as `obstacle`"
            reasons.append(Reason(words, COLLISION, open=True))
    return reasons


def meet(play: Play, name: str, data: Mapping[str, Any], *, driven: bool = False) -> None:
    """Carry out what a car met on its way: tokens, then the edge or the contact at which it stopped.

    A destroyed car goes no farther, nor does a `driven` one whose round a token has ended.
    """
    triggered = reading.names(data, "triggered")
    last = stopper(play.state, name, triggered) if driven else None
    for token in triggered:
        # A token that nobody laid is one that the players have let pass.
        if any(t.name == token for t in play.state.tokens):
            trigger(play, token, name)
        if token == last or not play.state.car(name).driving:
            return
    if reading.flag(data, "left_surface"):
        leave(play, name)
    elif contacts := dict.fromkeys(called(play.state, other) for other in contacts_of(data)):
        cars = [n for n in contacts if play.state.is_car(n)]
        obstacles = [n for n in contacts if not play.state.is_car(n)]
        kinds = {called(play.state, other): kind for other, kind in kinds_of(data).items()}
        collide(play, [name, *cars], obstacles, kinds)

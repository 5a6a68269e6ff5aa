"""Games to play on, with dice typed in."""

from __future__ import annotations

from typing import Any

from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.registry import game_called
from engine.games.car_cult.state import Car, GameState

GAME = game_called("car_cult")

SIMPLE = ("Machine Gun", "Rifle")


def car(name: str, engine: str = "Straight Five", *parts: str, **more: Any) -> dict[str, Any]:
    """A car as the set-up has it; "Red 1" is Red's."""
    owner = name.split(maxsplit=1)[0]
    return {"name": name, "owner": owner, "engine": engine, "parts": list(parts), **more}


def begun(*cars: dict[str, Any], tokens: dict[str, int] | None = None, **setup: Any) -> Match[GameState]:
    """A match whose cars are put down: those named with so many Speed tokens, the others with none."""
    given = list(cars) or [car("Red 1", "Straight Five", *SIMPLE), car("Blue 1", "Quick Four", "Cannon")]
    players = list(dict.fromkeys(p["owner"] for p in given))
    match = Match.begin(GAME, {"players": players, "pieces": given} | setup)
    left = len(given)
    while left:
        name = match.options()[0].data["car"]
        left -= 1
        # Ties are rolled for once the last car is down: highest first in the set-up's order.
        dice = _ties(match, name, tokens or {}) if not left else ()
        do(match, "deploy", dice, car=name, tokens=(tokens or {}).get(name, 0))
    return match


def _ties(match: Match[GameState], last: str, tokens: dict[str, int]) -> tuple[int, ...]:
    counts = [tokens.get(c.name, 0) for c in match.state.cars]
    tied = counts.count(max(counts))
    return tuple(range(20, 20 - tied, -1)) if tied > 1 else ()


def do(match: Match[GameState], kind: str, dice: tuple[int, ...] = (), **data: Any) -> list[Event]:
    """An action with its dice, every one of which has to be used; the events without the action's own."""
    typed = TypedDice(dice)
    events = match.do(Action(kind, None, data), None, typed)
    assert typed.used == len(dice), f"{len(dice) - typed.used} dice were not asked for"
    return list(events[1:])


def activated(match: Match[GameState], *zones: str, shift: int = 0, dice: tuple[int, ...] = ()) -> None:
    """The car whose turn it is shifts down, and its Speed tokens go onto these zones."""
    do(match, "shift", dice, tokens=shift)
    if match.state.turn is not None and match.state.turn.stage == "allocate":
        one = match.state.turn.pool == 1 or len(match.options()[0].form.fields["zones"].candidates) == 1  # type: ignore[union-attr]
        do(match, "allocate", zones=(zones[0] if zones else None) if one else list(zones))


def rest(match: Match[GameState], dice: tuple[int, ...] = ()) -> None:
    """The car whose turn it is moves its minimum, if it must, and is done; `dice` are for the next order."""
    turn = match.state.turn
    assert turn is not None
    if turn.stage != "act":
        activated(match)
    if not match.state.turn.moved:  # type: ignore[union-attr]
        do(match, "move", car=turn.car, inches=float(match.state.range_of_move()[0]))
    do(match, "done", dice)


def here(match: Match[GameState], name: str) -> Car:
    """A car as it is now."""
    return match.state.car(name)


def tokens(match: Match[GameState], name: str, component: str) -> str:
    """The zones of a component: S, D or a dot for each."""
    return "".join((t or ".")[0] for t in here(match, name).component(component).zones)


def told(events: list[Event], kind: str) -> list[Any]:
    """The data of the events of a kind."""
    return [e.data for e in events if e.kind == kind]


def reasons(match: Match[GameState], kind: str, **data: Any) -> str:
    """Why an action may not be done, all in one text; empty when it may."""
    return "; ".join(r.words for r in match.check(Action(kind, None, data)))


def offered(match: Match[GameState], kind: str) -> list[Any]:
    """The options of a kind."""
    return [o for o in match.options() if o.kind == kind]

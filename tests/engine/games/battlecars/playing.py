"""Games to play on, with dice typed in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.registry import game_called
from engine.games.battlecars.acts.beginning import begin
from engine.games.battlecars.book.data import WEAPONS
from engine.games.battlecars.state import EVENTS, BoardJson, GameState, Play, Terrain, Token, Turn, Vehicle

GAME = game_called("battlecars")


def vehicle(name: str, type: str = "Saloon", **more: Any) -> dict[str, Any]:
    """A vehicle as the set-up has it; "Red 1" is Red's."""
    return {"name": name, "owner": name.split(maxsplit=1)[0], "type": type, **more}


def begun(*pieces: dict[str, Any], **setup: Any) -> Match[GameState]:
    """A match that begins: without pieces two Saloons."""
    given = list(pieces) or [vehicle("Red 1"), vehicle("Blue 1")]
    players = list(dict.fromkeys(p["owner"] for p in given))
    return Match.begin(GAME, {"players": players, "pieces": given} | setup)


def do(match: Match[GameState], kind: str, dice: Iterable[int] = (), /, **data: Any) -> list[Event]:
    """An action with its dice, every one of which has to be used; the events without the action's own."""
    typed = TypedDice(tuple(dice))
    events = match.do(Action(kind, None, data), None, typed)
    assert typed.used == len(typed.values), f"{len(typed.values) - typed.used} dice were not asked for"
    return list(events[1:])


def speeds(match: Match[GameState], **chosen: int) -> list[Event]:
    """The Speed Counters of the players, one vehicle each, sealed one after the other and revealed."""
    told: list[Event] = []
    for player, speed in chosen.items():
        events, _ = match.seal(Action("speed", player, {"speed_1": speed}), f"salt {player}")
        told += events
    return told


def standing(
    *places: tuple[str, str, tuple[int, int], int, int],
    terrain: Iterable[Terrain] = (),
    tokens: Iterable[Token] = (),
    stage: Any = "move",
    **setup: Any,
) -> GameState:
    """A state in the first vehicle's turn: each with name, type, point, facing and Speed."""
    pieces = [vehicle(name, type, **setup.get(name, {})) for name, type, *_ in places]
    players = list(dict.fromkeys(p["owner"] for p in pieces))
    state = GAME.first()
    for event in begin({"players": players, "pieces": pieces}):
        state = EVENTS.apply(state, event)
    for name, _, cell, facing, speed in places:
        state = state.with_vehicle(name, cell=cell, facing=facing, speed=speed)
    first = f"driver of {places[0][0]}"
    return replace(
        state,
        kept=BoardJson.of(state.board),
        first=players[0],
        round=1,
        phase="turns",
        turn=Turn(first, players[0], stage),
        queue=tuple(f"driver of {name}" for name, *_ in places[1:]),
        terrain=tuple(terrain),
        tokens=tuple(tokens),
    )


def act(
    state: GameState, kind: str, dice: Iterable[int] = (), /, **data: Any
) -> tuple[GameState, list[Event]]:
    """An action on a state, with dice that are all used: the state after it, and what happened."""
    typed = TypedDice(tuple(dice))
    events = GAME.act(state, Action(kind, None, data), Seen(), typed)
    assert typed.used == len(typed.values), f"{len(typed.values) - typed.used} dice were not asked for"
    for event in events:
        state = EVENTS.apply(state, event)
    return state, list(events)


def played(state: GameState, dice: Iterable[int] = ()) -> Play:
    """Something under way on a state, with dice."""
    return Play(GAME.events, state, Seen(), TypedDice(tuple(dice)))


def kinds(events: Iterable[Event]) -> Counter[str]:
    """How often each kind happened."""
    return Counter(e.kind for e in events)


def one(events: Iterable[Event], kind: str) -> Any:
    """The data of the only event of a kind."""
    (found,) = [e.data for e in events if e.kind == kind]
    return found


def reasons(state: GameState, kind: str, /, **data: Any) -> str:
    """Why an action may not be done, all in one text; empty when it may."""
    return "; ".join(r.words for r in GAME.check(state, Action(kind, None, data), Seen()))


def here(state: GameState, name: str) -> Vehicle:
    """A vehicle as it is now."""
    return state.vehicle(name)


def weapon(name: str) -> Any:
    """A missile weapon."""
    return WEAPONS[name]

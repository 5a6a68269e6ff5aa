"""Games to play on, with dice typed in."""

from __future__ import annotations

from typing import Any

from engine.game.dice import TypedDice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.registry import game_called
from engine.games.white_line_fever.state import GameState
from engine.space.table import TableState

GAME = game_called("white-line-fever")


def sheet(
    name: str, owner: str, primary: str = "Machine Gun", secondary: str = "Oil", brand: str = "Venus",
    **more: Any,
) -> dict[str, Any]:  # fmt: skip
    return {"name": name, "owner": owner, "brand": brand, "primary": primary, "secondary": secondary, **more}


def begun(*cars: dict[str, Any], house: dict[str, Any] | None = None, **setup: Any) -> Match[GameState]:
    """A match whose cars are deployed; Red drives first."""
    cars = cars or (sheet("Red 1", "Red"), sheet("Blue 1", "Blue"))
    players = list(dict.fromkeys(c["owner"] for c in cars))
    match = Match.begin(
        GAME,
        {"players": players, "cars": list(cars), "deployment": "arena", "house": house or {}} | setup,
    )
    for car in cars:
        do(match, "deploy", car=car["name"])
    return match


def do(
    match: Match[GameState], kind: str, dice: tuple[int, ...] = (), *, player: str | None = None,
    table: TableState | None = None, **data: Any,
) -> list[Event]:  # fmt: skip
    """An action with its dice, every one of which has to be used; the events without the action's own."""
    typed = TypedDice(dice)
    events = match.do(Action(kind, player, data), table, typed)
    assert typed.used == len(dice), f"{len(dice) - typed.used} dice were not asked for"
    return list(events[1:])


def drive(match: Match[GameState], car: str, **data: Any) -> list[Event]:
    """A manoeuvre of a car that the players vouch for."""
    return do(match, "move", data.pop("dice", ()), car=car, **data)


def told(events: list[Event], kind: str) -> list[Any]:
    """The data of the events of a kind."""
    return [e.data for e in events if e.kind == kind]


def kinds(events: list[Event]) -> list[str]:
    return [e.kind for e in events]


def reasons(match: Match[GameState], kind: str, table: TableState | None = None, **data: Any) -> str:
    """Why an action may not be done, all in one text; empty when it may."""
    player = data.pop("player", None)
    return "; ".join(r.words for r in match.check(Action(kind, player, data), table))

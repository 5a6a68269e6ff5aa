"""Races to play on, with dice typed in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.boards.board import Cell
from engine.game.dice import SeededDice, TypedDice
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.registry import game_called
from engine.games.frothy_races.acts.beginning import begin, track_now
from engine.games.frothy_races.state import EVENTS, GameState, Obstacle, Turn

CIRCUIT = "chicane"

GAME = game_called("frothy_races")


def vehicle(name: str, type: str = "Chariot", **more: Any) -> dict[str, Any]:
    """A vehicle as the set-up has it; "Red 1" is Red's."""
    return {"name": name, "owner": name.split(maxsplit=1)[0], "type": type, **more}


def begun(*pieces: dict[str, Any], **setup: Any) -> Match[GameState]:
    """A race that begins: without pieces two Chariots."""
    given = list(pieces) or [vehicle("Red 1"), vehicle("Black 1")]
    players = [p["owner"] for p in given]
    return Match.begin(GAME, {"players": players, "pieces": given} | setup)


def do(match: Match[GameState], kind: str, dice: Iterable[int | str] = (), /, **data: Any) -> list[Event]:
    """An action with its dice, every one of which has to be used; the events without the action's own."""
    typed = TypedDice(tuple(dice))
    events = match.do(Action(kind, None, data), None, typed)
    assert typed.used == len(typed.values), f"{len(typed.values) - typed.used} dice were not asked for"
    return list(events[1:])


def cell(lane: int, place: int) -> Cell:
    """A hex of a track that begins with a straight of 12: its lane from the inside and its place, from 0."""
    state = begun(circuit=CIRCUIT).state
    lanes = track_now(state, None).lanes
    return lanes[lane][place % len(lanes[lane])]


def standing(
    *places: tuple[str, Cell, int, int],
    turn: int | None = None,
    step: int = 2,
    obstacles: Iterable[Obstacle] = (),
    types: dict[str, str] | None = None,
    **setup: Any,
) -> Match[GameState]:
    """A race in round 2: each vehicle with name, hex, facing and Speed, the first with `turn` spaces to move.

    There are no obstacles but those that are named.
    """
    pieces = [vehicle(name, (types or {}).get(name, "Chariot")) for name, *_ in places]
    state = GAME.first()
    for event in begin(
        {"players": [p["owner"] for p in pieces], "pieces": pieces, "circuit": CIRCUIT} | setup
    ):
        state = EVENTS.apply(state, event)
    state = replace(state, track=track_now(state, None), round=2, phase="move", step=step, rolled=True)
    state = replace(state, obstacles=tuple(obstacles))
    for name, at, facing, speed in places:
        box = {"box": 0, "brake": 0}
        state = state.with_vehicle(
            name, cell=at, facing=facing, heading=facing, speed=speed, checked=True, **box
        )
    if turn is not None:
        state = replace(state, turn=Turn(places[0][0], turn))
    return match_at(state)


def match_at(state: GameState) -> Match[GameState]:
    """A match that begins in a state."""
    return Match.at(GAME, state)


def random_end(match: Match[GameState], seed: str) -> None:
    """Random players go on until it is over."""
    import random  # noqa: PLC0415

    from engine.game.players import step  # noqa: PLC0415

    chance, dice = random.Random(seed), SeededDice(seed)
    while not match.state.over:
        step(match, chance, dice)

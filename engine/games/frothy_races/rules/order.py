"""Who is in front, who is on the inside, and who moves next; how far each came and who leads."""

from __future__ import annotations

from engine.boards.board import Cell
from engine.boards.hexes import front_first
from engine.games.frothy_races.book.data import APART
from engine.games.frothy_races.state.game_state import GameState, Vehicle


def behind_line(state: GameState, cell: Cell) -> float:
    """How far along the track a hex lies from the finish line, in laps, from -0.5 to 0.5."""
    assert state.track is not None
    lane = state.board.middle
    line = state.board.progress(lane[state.track.finish % len(lane)])
    return wrapped(state.board.progress(cell) - line)


def wrapped(laps: float) -> float:
    """A difference along a circuit, from -0.5 to 0.5."""
    return (laps + 0.5) % 1.0 - 0.5


def gained(state: GameState, before: Cell, after: Cell) -> float:
    """How far a step leads along the track, in laps."""
    return wrapped(state.board.progress(after) - state.board.progress(before))


def spaces(state: GameState, laps: float) -> float:
    """A distance along the track in spaces of its middle lane."""
    return laps * len(state.board.middle)


def standing_key(state: GameState, v: Vehicle) -> tuple[float, int]:
    """What orders vehicles along the track: further on first, then nearer to the inside."""
    lane = 0 if v.cell is None else state.board.lane_of(v.cell)
    return (-round(v.travelled, 6), lane)


def initiative(state: GameState) -> tuple[Vehicle, ...]:
    """Those that have still to move this phase, in order: the highest Speed, in front, on the inside.

    In front is who stands so on the track, however many laps they have behind them: whoever is in the way
    moves first.
    """
    front = front_first(state.board, {v.name: v.cell for v in state.racing if v.cell is not None})
    waiting = [v for v in state.racing if not v.moved and v.cell is not None]
    return tuple(sorted(waiting, key=lambda v: (-v.speed, front.index(v.name))))


def placings(state: GameState) -> tuple[Vehicle, ...]:
    """The vehicles by how far they came, those in the race before wrecks."""
    there = [v for v in state.vehicles if not v.gone]
    return tuple(sorted(there, key=lambda v: (v.wreck, *standing_key(state, v))))


def ahead_by(state: GameState, v: Vehicle) -> float | None:
    """By how many spaces a leader is in front of the closest other; None for one who does not lead."""
    here, others = _led(state, v), [_led(state, o) for o in state.racing if o.name != v.name]
    if not others or max(others) > here:
        return None
    return spaces(state, here - max(others))


def behind_by(state: GameState, v: Vehicle) -> float | None:
    """By how many spaces the last one is behind the closest other; None for one who is not last."""
    here, others = _led(state, v), [_led(state, o) for o in state.racing if o.name != v.name]
    if not others or min(others) < here:
        return None
    return spaces(state, min(others) - here)


def _led(state: GameState, v: Vehicle) -> float:
    """How far it came, in laps; where vehicles start apart, what they were apart is no lead."""
    return v.travelled - (v.start if state.rules.race in APART else 0.0)

"""Inputs that several actions ask for."""

from __future__ import annotations

from engine.game.contract import Seen
from engine.game.forms import Candidate, Input, Number, Pick, PickPieces
from engine.game.kit.table import path
from engine.games.car_cult.acts.moving import FIELDS, into_candidates
from engine.games.car_cult.book.data import LAYERS, MINES
from engine.games.car_cult.book.tracks import most_drift
from engine.games.car_cult.state.game_state import GameState, Turn


def move_form(state: GameState, turn: Turn, seen: Seen) -> dict[str, Input]:
    """The move that was seen, or how far it went and what it met as typed."""
    low, high = state.range_of_move()
    way = path(seen, turn.car)
    typed = way.usual is not None
    found: dict[str, Input] = {
        "move": way,
        "inches": Number(
            words="Inches moved", more=f"{low} to {high}; less takes a braking roll", low=0, high=float(high),
            whole=False, unit="in", usual=None if typed else float(high), optional=True, folded=typed,
        ),
        "drift": Number(
            words="Inches drifted", low=0, high=float(most_drift(low)), whole=False, unit="in", optional=True,
            folded=True,
        ),
        "rough": Number(
            words="Inches through Rough terrain", low=0, high=float(high), whole=False, unit="in",
            optional=True, folded=typed,
        ),
        "into": Pick(
            words="It ran into", candidates=tuple(Candidate(n, n) for n in into_candidates(state, turn.car)),
            optional=True, folded=typed,
        ),
    }  # fmt: skip
    mines = [one.name for one in state.laid if one.card == MINES]
    if mines:
        found["triggered"] = PickPieces(
            words="It triggered",
            candidates=tuple(Candidate(n, n) for n in mines),
            optional=True,
            folded=typed,
        )
    return found | laying(state, turn)


def laying(state: GameState, turn: Turn) -> dict[str, Input]:
    """How many tokens of each kind are laid along the route: as many as there are Speed tokens for it."""
    car = state.car(turn.car)
    counts = {card: sum(c.speed for c in car.components if c.card == card) for card in LAYERS}
    return {
        FIELDS[card]: Number(words=f"{card} laid along the route", low=0, high=count, usual=0, optional=True)
        for card, count in counts.items()
        if count
    }

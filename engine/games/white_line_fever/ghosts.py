"""Where a shifted car comes to stand, and what it meets on its way there, as far as the table knows."""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.white_line_fever.play import in_play, seen
from engine.games.white_line_fever.state import GameState
from engine.geometry import Footprint, Pose
from engine.pieces import Body, Piece
from engine.sweep import Straight, leaves, touches
from engine.table import PoseUncertainty, Standing, TableState

_TOGETHER = 1e-6


@dataclass(frozen=True)
class Ghost:
    """Where a car ends.

    `meets` is what it stops at, `crosses` the tokens in the order of the way, `leaves` whether it
    goes over the edge.
    """

    pose: Pose
    meets: tuple[str, ...] = ()
    crosses: tuple[str, ...] = ()
    leaves: bool = False


def shifted(state: GameState, table: TableState, car: Standing, step: Straight) -> Ghost:
    """A car that is shifted straight, forward and to its left: to the end, a contact or the edge."""
    others = [s for s in in_play(state, table).others(car.name) if s.piece.kind != "token"]
    met = touches(car, [step], others)
    edge = leaves(car, [step], table.surface)
    first = min((t for t in (*met[:1], edge) if t is not None), key=lambda t: t.share, default=None)
    share = 1.0 if first is None else first.share
    crosses = [t.other for t in touches(car, [step.part(share)], tokens(state))]
    end = step.part(share).after(car.pose)
    if first is not None and first is edge:
        return Ghost(end, crosses=tuple(crosses), leaves=True)
    return Ghost(end, tuple(t.other for t in met if t.share - share < _TOGETHER), tuple(crosses))


def tokens(state: GameState) -> list[Standing]:
    """The tokens whose place is known, as pieces to pass over."""
    size = state.house.token_size
    return [
        Standing(_token(token.name, size), Pose(*token.at), PoseUncertainty.exact())
        for token in state.tokens
        if token.at is not None and size > 0.0
    ]


def under(state: GameState, table: TableState, at: Pose) -> tuple[str, ...]:
    """The cars in play that stand where a token is laid."""
    if state.house.token_size <= 0.0:
        return ()
    laid = Footprint.box(state.house.token_size, state.house.token_size).at(at).polygon
    standing = [(c.name, seen(table, c.name)) for c in state.driving()]
    return tuple(
        n for n, s in standing if s is not None and laid.intersection(s.region.polygon).area > _TOGETHER
    )


def _token(name: str, size: float) -> Piece:
    return Piece(name, "token", Body("token", Footprint.box(size, size), 0.0))

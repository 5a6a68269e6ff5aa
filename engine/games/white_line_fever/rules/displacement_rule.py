"""Where a shifted car comes to stand, and what it meets on its way there, as far as the table knows."""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.white_line_fever.state.game_state import GameState
from engine.games.white_line_fever.state.table_facts import in_play, seen, standing_of
from engine.measure.distances import contact
from engine.measure.sweep import Straight, leaves, touches
from engine.ruling import Verdict
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, TableState

_TOGETHER = 1e-6


@dataclass(frozen=True)
class Displaced:
    """Where a car ends.

    `meets` is what it stops at, `crosses` the tokens in the order of the way, `leaves` whether it
    goes over the edge.
    """

    pose: Pose
    meets: tuple[str, ...] = ()
    crosses: tuple[str, ...] = ()
    leaves: bool = False


def shifted(state: GameState, table: TableState, car: Standing, step: Straight) -> Displaced:
    """A car that is shifted straight, forward and to its left: to the end, a contact or the edge."""
    others = [s for s in in_play(state, table).others(car.name) if s.piece.solid]
    met = touches(car, [step], others)
    edge = leaves(car, [step], table.surface)
    first = min((t for t in (*met[:1], edge) if t is not None), key=lambda t: t.share, default=None)
    share = 1.0 if first is None else first.share
    crosses = [t.other for t in touches(car, [step.part(share)], tokens(state))]
    end = step.part(share).after(car.pose)
    if first is not None and first is edge:
        return Displaced(end, crosses=tuple(crosses), leaves=True)
    return Displaced(end, tuple(t.other for t in met if t.share - share < _TOGETHER), tuple(crosses))


def tokens(state: GameState) -> list[Standing]:
    """The tokens whose place is known, as pieces to pass over."""
    size = state.house.token_size
    return [
        Standing(_token(token.name, size), Pose(*token.at), PoseUncertainty.exact())
        for token in state.tokens
        if token.at is not None and size > 0.0
    ]


def under(
    state: GameState, table: TableState, name: str, at: Pose
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cars in play that stand where that car lays a token: surely, and perhaps.

    The token lies as surely as the car behind which it is laid.
    """
    if state.house.token_size <= 0.0:
        return (), ()
    dropper = standing_of(table, name)
    how_sure = PoseUncertainty.exact() if dropper is None else dropper.uncertainty
    laid = Standing(_token("token", state.house.token_size), at, how_sure)
    sure, doubtful = [], []
    for car in state.driving():
        standing = standing_of(table, car.name)
        if standing is None or car.name == name:
            continue
        # A side that only touches the token covers nothing of it.
        verdict = contact(laid, standing).at_most(-_TOGETHER).verdict()
        if verdict is Verdict.YES and seen(table, car.name) is not None:
            sure.append(car.name)
        elif verdict is not Verdict.NO:
            doubtful.append(car.name)
    return tuple(sure), tuple(doubtful)


def _token(name: str, size: float) -> Piece:
    return Piece(name, "token", Body("token", Footprint.box(size, size), 0.0))

"""Where a shifted car comes to stand, and what it meets on its way there, as far as the table knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.game.kit.table import seen, standing_of
from engine.games.white_line_fever.state.game_state import GameState
from engine.games.white_line_fever.state.table_facts import in_play
from engine.measure.contacts import at_rest, contacts
from engine.measure.distances import contact
from engine.measure.sweep import THE_EDGE, Step, Straight, Turn
from engine.ruling import Verdict
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState, key_of

_TOGETHER = 1e-6

LAID = (0.05, 0.02)
"""Inches and radians by which a token lies beside where it was told to lie, one deviation (house default)."""

TOKEN_HEIGHT = 0.1


@dataclass(frozen=True)
class Displaced:
    """Where a car ends.

    `meets` is what it stops at, `crosses` the tokens in the order of the way, `leaves` whether it
    goes over the edge. What of all that is too close to call is in `doubtful`; `way` has the sure and the
    doubtful, in the order in which they come.
    """

    pose: Pose
    meets: tuple[str, ...] = ()
    crosses: tuple[str, ...] = ()
    leaves: bool = False
    doubtful: tuple[str, ...] = ()
    way: tuple[str, ...] = ()


def shifted(state: GameState, table: TableState, car: Standing, step: Straight) -> Displaced:
    """A car that is shifted straight, forward and to its left: to the end, a contact or the edge."""
    return _displaced(state, table, car, [step])


def turned(state: GameState, table: TableState, car: Standing, angle: float) -> Displaced:
    """A car that is turned where it stands by an angle in radians: to the end, a contact or the edge."""
    return _displaced(state, table, car, [Turn(angle)])


def set_down(state: GameState, table: TableState, car: Standing, before: Pose) -> Displaced:
    """A car that is set down where it stands, which is not where it stood: what it touches there anew."""
    solid, unknown = _solid(state, table, car)
    stood = {c.other for c in at_rest(replace(car, pose=before), solid, table.surface)}
    met = [c for c in at_rest(car, solid, table.surface) if c.other not in stood]
    sure = tuple(c.other for c in met if c.verdict is Verdict.YES and c.other not in unknown)
    doubtful = tuple(c.other for c in met if c.other not in sure)
    out = THE_EDGE in sure
    laid = tokens(state, table)
    under = {c.other for c in at_rest(replace(car, pose=before), laid)}
    covered = [c for c in at_rest(car, laid) if c.other not in under]
    crosses = tuple(c.other for c in covered if c.verdict is Verdict.YES)
    doubtful = (*(c.other for c in covered if c.verdict is not Verdict.YES), *doubtful)
    way = (*crosses, *doubtful, *sure)
    return Displaced(car.pose, () if out else sure, crosses, out, doubtful, way)


def _displaced(state: GameState, table: TableState, car: Standing, steps: Sequence[Step]) -> Displaced:
    solid, unknown = _solid(state, table, car)
    met = contacts(car, steps, solid, table.surface)
    sure = [c for c in met if c.verdict is Verdict.YES and c.other not in unknown]
    # One step alone: its share says how far.
    share = sure[0].share if sure else 1.0
    cut = [steps[0].part(share)]
    stops = [c for c in sure if c.share - share < _TOGETHER]
    names = {c.other for c in stops}
    # Up to there: what it only perhaps touches, or perhaps touches first.
    perhaps = [c for c in contacts(car, cut, solid, table.surface) if c.other not in names]
    passed = contacts(car, cut, tokens(state, table))
    crosses = [c for c in passed if c.verdict is Verdict.YES]
    doubts = [*perhaps, *(c for c in passed if c.verdict is not Verdict.YES)]
    before_the_stop = sorted([*crosses, *doubts], key=lambda c: c.share)
    out = THE_EDGE in names
    return Displaced(
        cut[0].after(car.pose),
        () if out else tuple(c.other for c in stops),
        tuple(c.other for c in crosses),
        out,
        tuple(c.other for c in doubts),
        tuple(dict.fromkeys(c.other for c in [*before_the_stop, *stops])),
    )


def _solid(state: GameState, table: TableState, car: Standing) -> tuple[list[Standing], set[str]]:
    """What a car may collide with, and the names of what may stand elsewhere by now."""
    solid = [s for s in in_play(state, table).others(car.name) if s.piece.solid]
    return solid, {s.name for s in solid if s.status in (Status.HELD, Status.LOST)}


def tokens(state: GameState, table: TableState | None = None) -> list[Standing]:
    """The tokens whose place is known, as pieces to pass over: as seen, else as they were laid."""
    size = state.house.token_size
    found = []
    for token in state.tokens:
        here = seen(table, token.name)
        if here is not None:
            found.append(here)
        elif token.at is not None and size > 0.0:
            laid = PoseUncertainty.isotropic(*LAID)
            found.append(Standing(_token(token.name, size), Pose(*token.at), laid))
    return found


def with_tokens(state: GameState, table: TableState) -> TableState:
    """The table with the tokens of the game that have no tag of their own."""
    known = {key_of(s.name) for s in table.standings}
    laid = [s for s in tokens(state) if key_of(s.name) not in known]
    return replace(table, standings=(*table.standings, *laid))


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
    return Piece(name, "token", Body("token", Footprint.box(size, size), TOKEN_HEIGHT))

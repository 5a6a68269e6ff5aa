"""Inputs that several actions ask for."""

from __future__ import annotations

from collections.abc import Sequence

from engine.boards.spots import Spot, name_of, places
from engine.game.contract import Seen
from engine.game.forms import Candidate, Input, PathOnTable, Pick
from engine.games.frothy_races.acts.cards import AS, values
from engine.games.frothy_races.acts.recognised import open_ways
from engine.games.frothy_races.book.cards import FACES, Use
from engine.games.frothy_races.rules.ways import LISTED, offered
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle
from engine.space.table import key_of


def cards(
    v: Vehicle, faces: Sequence[str] = FACES, use: Sequence[Use] = (), *, least: int = 0, most: int = 99,
    only: str = "",
) -> dict[str, Input]:  # fmt: skip
    """Which cards of the hand are played, each with the side that counts; nothing where there are none.

    `only` one special card, for what it does.
    """
    offered = tuple(one for one in values(v, faces, use) if not only or one[0].endswith(f"{AS}{only}"))
    if not offered:
        return {}
    many = min(most, max(2, len([c for c in v.hand() if any(c.shows(f) for f in faces)])))
    candidates = tuple(Candidate(*one) for one in offered)
    return {"cards": Pick(words="Cards", candidates=candidates, least=least, most=many, optional=least == 0)}


def ends(state: GameState, v: Vehicle, turn: Turn, seen: Seen) -> dict[str, Input]:
    """Which of several ways a vehicle went, or on which of several hexes and facings it rests, with odds.

    Asked where the camera cannot tell; a way says where it ends, too. A hex that is named once may be tapped
    on the drawing.
    """
    moves = [move for move in seen.moves.values() if key_of(move.piece) == key_of(v.name)]
    ways = open_ways(state, v, turn, moves[-1])[:LISTED] if moves else ()
    if ways:
        gone = tuple(offered(state, v, turn, one) for one in ways)
        return {"over": Pick(words="It went over", candidates=gone, optional=True)}
    found = places(state.board.snap(moves[-1].after)) if moves else ()
    if len(found) < 2:
        return {}
    cells = [one.cell for one in found]
    candidates = tuple(
        Candidate(
            one.key, name_of(state.board, one), f"{100 * one.probability:.0f} %",
            at=_middle(state, one) if cells.count(one.cell) == 1 else None,
        )
        for one in found
    )  # fmt: skip
    return {"ends": Pick(words="It rests on", candidates=candidates, optional=True)}


def _middle(state: GameState, one: Spot) -> tuple[float, float]:
    assert one.cell is not None
    pose = state.board.pose_of(one.cell)
    return (round(pose.x, 3), round(pose.y, 3))


def path(seen: Seen, name: str) -> PathOnTable:
    """How a piece was moved, where the camera saw it."""
    ids = [move.id for move in seen.moves.values() if key_of(move.piece) == key_of(name)]
    usual = ids[-1] if ids else None
    return PathOnTable(words="As the camera saw it", piece=name, usual=usual, optional=True)

"""Inputs that several actions ask for."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game.contract import Seen
from engine.game.forms import Candidate, Input, Pick
from engine.game.kit.cells import which_of
from engine.games.frothy_races.acts.cards import AS, values
from engine.games.frothy_races.acts.recognised import judge
from engine.games.frothy_races.book.cards import FACES, Use
from engine.games.frothy_races.rules.ways import LISTED, offered
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle


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
    move = seen.newest(v.name)
    if move is None:
        return {}
    one = judge(state, move)
    if one.ways:
        gone = tuple(offered(state, v, turn, way) for way in one.ways[:LISTED])
        return {"over": Pick(words="It went over", candidates=gone, optional=True)}
    if len(one.spots) < 2:
        return {}
    return {"ends": which_of("It rests on", state.board, one.spots, tapped=True)}

"""The players say whom an explosion reaches, where the table does not know."""

from __future__ import annotations

from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.games.white_line_fever.book.data import BLAST
from engine.games.white_line_fever.rules.damage import EXPLODING, blast, blast_due, doubts
from engine.games.white_line_fever.state.game_state import GameState
from engine.games.white_line_fever.state.play import Play
from engine.space.table import TableState


def check_blast(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """Those surely reached must be among the named, those surely not reached must not."""
    duty = blast_due(state)
    if duty is None:
        return [Reason("no explosion is to be settled", EXPLODING)]
    named = {state.car(n).name for n in reading.names(action.data, "cars")}
    sure = {n for n in duty.sure if state.car(n).driving}
    maybe = sure | set(doubts(state, duty))
    reasons = [
        Reason(f"{n} is within {BLAST:g} in of {duty.car}", EXPLODING, open=True)
        for n in sorted(sure - named)
    ]
    for name in sorted(named - maybe):
        in_play = state.car(name).driving
        words = f"{name} is not within {BLAST:g} in of {duty.car}" if in_play else f"{name} is not in play"
        reasons.append(Reason(words, EXPLODING, open=in_play and name != duty.car))
    return reasons


def do_blast(play: Play, action: Action) -> None:
    """The players say whom the explosion reaches."""
    duty = blast_due(play.state)
    assert duty is not None
    blast(play, duty, [play.state.car(n).name for n in reading.names(action.data, "cars")])

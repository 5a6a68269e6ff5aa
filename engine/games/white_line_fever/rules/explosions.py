"""Explosions: whom they reach, their dice and damage, in chains."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game.dice import Want
from engine.games.white_line_fever.rules.damage import EXPLODING, harm
from engine.games.white_line_fever.state.game_state import Duty, GameState
from engine.games.white_line_fever.state.play import Play


def blast(play: Play, duty: Duty, names: Sequence[str]) -> None:
    """An explosion reaches these cars: its dice first, then all their damage."""
    reached = [n for n in names if play.state.car(n).driving]
    each = play.state.house.blast_dice == "one each"
    wants = [(Want(8, f"explosion of {duty.car}" + (f" against {n}" if each else "")), n) for n in reached]
    rolls = play.together(wants if each else wants[:1], EXPLODING)
    whom = f"reaches {', '.join(reached)}" if reached else "reaches nobody"
    play.tell("blast", f"the explosion of {duty.car} {whom}", EXPLODING, car=duty.car, cars=reached)
    for k, name in enumerate(reached):
        harm(play, name, rolls[k if each else 0].value, f"the explosion of {duty.car}", EXPLODING)


def known_blasts(play: Play) -> None:
    """Explosions of which it is known whom they reach, and those that they set off."""
    while True:
        duty = next((d for d in play.state.duties if d.kind == "blast" and not doubts(play.state, d)), None)
        if duty is None:
            return
        blast(play, duty, duty.sure)


def doubts(state: GameState, duty: Duty) -> tuple[str, ...]:
    """The cars of which only the players can say whether the explosion reaches them."""
    return tuple(n for n in duty.doubtful if state.car(n).driving)


def blast_due(state: GameState) -> Duty | None:
    """The explosion whose reach the players have to tell."""
    return next((d for d in state.duties if d.kind == "blast"), None)

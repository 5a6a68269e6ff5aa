"""A player gives up: their vehicles are taken off the board, and whoever is left plays on or has won."""

from __future__ import annotations

from engine.game.about import house
from engine.game.events import Illegal, Reason
from engine.games.battlecars.acts.rounds import settle
from engine.games.battlecars.state.play import Play

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's vehicles off the board; `Illegal` for one who has no living driver."""
    if play.state.over or player not in play.state.alive:
        raise Illegal([Reason(f"{player} has no driver in the game", GIVES_UP)])
    play.tell("withdrew", f"{player}'s vehicles are taken off the board", GIVES_UP, player=player)
    left = play.state.alive
    if len(left) == 1:
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    settle(play, rolling=False)

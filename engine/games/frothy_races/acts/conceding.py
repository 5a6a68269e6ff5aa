"""A player gives up: the vehicle is taken off the track, and whoever is left races on or has won."""

from __future__ import annotations

from engine.game.about import house
from engine.game.events import Illegal, Reason
from engine.games.frothy_races.acts.rounds import settle
from engine.games.frothy_races.state.play import Play

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's vehicle off the track; `Illegal` for one who is not racing."""
    mine = [v for v in play.state.racing if v.owner == player]
    if play.state.over or not mine:
        raise Illegal([Reason(f"{player} has no vehicle in the race", GIVES_UP)])
    words = f"{player}'s vehicle is taken off the track"
    play.tell("withdrew", words, GIVES_UP, player=player)
    left = {v.owner for v in play.state.racing}
    if len(left) <= 1:
        winner = next(iter(left), None)
        play.tell("over", f"{winner} wins" if winner else "Nobody wins", GIVES_UP, winner=winner)
        return
    settle(play, rolling=False)

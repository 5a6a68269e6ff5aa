"""A player gives up: their cars leave the table, and whoever is left plays on or has won."""

from __future__ import annotations

from engine.game.about import house
from engine.game.events import Illegal, Reason
from engine.games.white_line_fever.acts.deploying import to_deploy
from engine.games.white_line_fever.acts.rounds import begin_round, settle
from engine.games.white_line_fever.state.game_state import GameState
from engine.games.white_line_fever.state.play import Play

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's cars off the table; `Illegal` for one who has none left."""
    mine = [car.name for car in play.state.cars if car.owner == player and car.still_in]
    if play.state.over or not mine:
        raise Illegal([Reason(f"{player} has no car in the game", GIVES_UP)])
    for name in mine:
        play.tell("left", f"{name} is taken off the table", GIVES_UP, car=name, status="removed")
    left = _left(play.state)
    if len(left) == 1:
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    if play.state.deployment is not None and play.state.round is None and not to_deploy(play.state):
        begin_round(play, play.state.first, 1)
    settle(play)


def _left(state: GameState) -> list[str]:
    """The players who have a car in the game."""
    owners = {car.owner for car in state.cars if car.still_in}
    return [player for player in state.players if player in owners]

"""A player gives up: their cars are taken off the table, and whoever is left plays on or has won."""

from __future__ import annotations

from engine.game.about import house
from engine.game.events import Illegal, Reason
from engine.games.car_cult.acts.rounds import keep_damage, settle
from engine.games.car_cult.state.play import Play

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's cars off the table; `Illegal` for one who has none left."""
    mine = [car.name for car in play.state.cars if car.owner == player and car.status != "exploded"]
    if play.state.over or not mine:
        raise Illegal([Reason(f"{player} has no car in the game", GIVES_UP)])
    for name in mine:
        play.tell("exploded", f"{name} is taken off the table", GIVES_UP, car=name, inches=0.0)
    there = {car.owner for car in play.state.cars if car.status != "exploded"}
    left = [one for one in play.state.players if one in there]
    if len(left) == 1:
        keep_damage(play)
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    settle(play, rolling=False)

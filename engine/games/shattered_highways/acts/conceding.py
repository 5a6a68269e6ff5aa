"""A player gives up: their warriors are out of the fight, and their vehicles leave the road or are taken."""

from __future__ import annotations

from engine.game.about import house
from engine.game.events import Illegal, Reason
from engine.games.shattered_highways.acts.rounds import settle
from engine.games.shattered_highways.rules.damage import drop
from engine.games.shattered_highways.rules.wounds import leave
from engine.games.shattered_highways.state.play import Play

GIVES_UP = house("Giving up")


def concede(play: Play, player: str) -> None:
    """Takes a player's side out of the fight; `Illegal` for one who has nobody left."""
    if play.state.over or player not in play.state.fighting:
        raise Illegal([Reason(f"{player} has no warrior in the fight", GIVES_UP)])
    for name in [v.name for v in play.state.vehicles]:
        _give_up(play, name, player)
    for warrior in play.state.warriors:
        if warrior.owner == player and not play.state.warrior(warrior.name).out:
            leave(play, warrior.name, f"{warrior.name} is out of the fight", GIVES_UP)
    left = play.state.fighting
    if len(left) == 1:
        play.tell("over", f"{left[0]} wins", GIVES_UP, winner=left[0])
        return
    _hand_on(play, player)
    settle(play, rolling=False)


def _give_up(play: Play, name: str, player: str) -> None:
    """A vehicle of the player leaves the road, unless others are on it: then it is theirs."""
    vehicle = play.state.vehicle(name)
    if vehicle.control != player or vehicle.status in ("destroyed", "gone"):
        return
    others = [w.owner for w in play.state.aboard(name) if w.owner != player]
    if not others:
        drop(play, name, f"{name} leaves the road", GIVES_UP)
        return
    taker = max(play.state.players, key=others.count)
    play.tell("captured", f"{taker} takes {name}", GIVES_UP, vehicle=name, player=taker, was=player)


def _hand_on(play: Play, player: str) -> None:
    """A move that is under way is brought to its end by whoever has the vehicle now."""
    turn = play.state.turn
    if turn is None or turn.hands != player or turn.stage != "moving":
        return
    vehicle = play.state.vehicle(turn.vehicle)
    if vehicle.in_play:
        first, *later = [p for p in turn.later if p != player] or [vehicle.control]
        words = f"{first} moves {vehicle.name} on"
        play.tell("hands", words, GIVES_UP, player=first, later=later)

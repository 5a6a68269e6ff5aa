"""Where the match stands in a few words, and the order of play."""

from __future__ import annotations

from engine.game.showing import Place, Status
from engine.games.battlecars.state.game_state import GameState, Turn
from engine.ruling import signed


def status(state: GameState) -> Status:
    """Whose turn it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    what = f"Game turn {state.round}"
    if state.over:
        return Status.at_the_end(state.winner, order)
    if state.phase == "setup":
        more = "place terrain, then roll for the first move"
        return Status("Before the first game turn", "The board is laid out", more, order=order)
    if state.reply is not None:
        vehicle = state.vehicle(state.reply.vehicle)
        owner = vehicle.owner if vehicle.driver is None else state.person(vehicle.driver).owner
        who = f"{owner} may return fire"
        return Status(what, who, f"{vehicle.name} at {state.reply.at}", owner, vehicle.name, order)
    if state.phase == "speed":
        return Status(what, "Everybody places a Speed Counter", "in secret; revealed together", order=order)
    if state.turn is None:
        return Status(what, "The dice are rolled", order=order)
    return _in_turn(state, state.turn, order, what)


def _in_turn(state: GameState, turn: Turn, order: tuple[Place, ...], what: str) -> Status:
    person = state.person(turn.person)
    vehicle = state.driven(person)
    name = f"the {person.name}" if vehicle is None else vehicle.name
    if turn.stage == "move":
        who = f"{turn.player} moves {name}"
        more = "on foot, up to 2 points" if vehicle is None else f"Speed {signed(vehicle.speed, 'd')}"
    else:
        who, more = f"{turn.player} fires", f"{name[:1].upper()}{name[1:]}: at the nearest target on a line"
    return Status(what, who, more, turn.player, None if vehicle is None else vehicle.name, order)


def _place(state: GameState, player: str) -> Place:
    left = sum(p.owner == player for p in state.living)
    current = state.turn is not None and state.turn.player == player
    return Place.having(player, left, "driver", current=current)

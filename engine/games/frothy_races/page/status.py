"""Where the race stands in a few words, and the order of the race."""

from __future__ import annotations

from engine.game.showing import Place, Status
from engine.games.frothy_races.rules.order import placings
from engine.games.frothy_races.state.game_state import GameState, Vehicle
from engine.ruling import many


def status(state: GameState) -> Status:
    """Whose turn it is, what has to be done first, or who has won."""
    order = _order(state)
    what = f"Round {state.round}" + (f", phase {state.step}" if state.step else "")
    if state.over:
        return Status.at_the_end(state.winner, order, "The race is over")
    if state.phase == "setup":
        return Status("Before the race", "Draw lots for the places", state.rules.race, order=order)
    if state.agenda:
        task = state.agenda[0]
        owner = state.vehicle(task.vehicle).owner
        return Status(what, f"{owner} decides", task.words, owner, task.vehicle, order)
    if state.attack is not None:
        one = state.attack
        more = f"{one.attacker} attacks {one.target}: cards are chosen in secret"
        return Status(what, f"A {one.sort} attack", more, None, one.attacker, order)
    if state.turn is not None:
        v = state.vehicle(state.turn.vehicle)
        left = state.turn.left
        more = f"Speed {v.speed}, {many(left, 'space')} left"
        return Status(what, f"{v.owner} moves {v.name}", more, v.owner, v.name, order)
    waiting = [v.owner for v in state.racing if not v.checked]
    return Status(what, "Speed checks", f"still to make: {', '.join(waiting)}", order=order)


def _order(state: GameState) -> tuple[Place, ...]:
    """The players by their places in the race; before the start by their seats."""
    there = placings(state) if state.track is not None else state.vehicles
    rest = [v for v in state.vehicles if v not in there]
    return tuple(_place(state, v) for v in (*there, *rest))


def _place(state: GameState, v: Vehicle) -> Place:
    current = state.turn is not None and state.turn.vehicle == v.name
    lap = max(int(v.travelled // 1) + 1, 1)
    if state.rules.race == "Scoring":
        return Place(v.owner, current, not v.races, v.points, f"lap {lap}, {many(v.points, 'point')}")
    return Place(v.owner, current, not v.races, lap, f"lap {lap}, Speed {v.speed}")

"""Where the match stands in a few words, and the order of play."""

from __future__ import annotations

from engine.game.showing import Place, Status
from engine.games.white_line_fever.state.game_state import DutyKind, GameState, Round
from engine.ruling import many

_OWED: dict[DutyKind, str] = {
    "spin": "spins out",
    "turn": "is turned",
    "push": "is pushed",
    "pull": "is pulled",
    "blast": "explodes",
}


def status(state: GameState) -> Status:
    """Whose round it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    if state.over:
        return Status.at_the_end(state.winner, order)
    if state.duties:
        duty = state.duties[0]
        player = duty.by or state.car(duty.car).owner
        who = f"{duty.car} {_OWED[duty.kind]}"
        return Status("Before play goes on", who, duty.citation, player, duty.car, order)
    if state.round is None:
        waiting = sum(c.status == "waiting" for c in state.cars)
        who = "Which one?" if state.deployment is None else f"{many(waiting, 'car')} to put down"
        return Status("Deployment", who, order=order)
    return _in_round(state.round, order)


def _in_round(turn: Round, order: tuple[Place, ...]) -> Status:
    lost = turn.hands != turn.driver
    more = [
        "chooses a car" if turn.car is None else turn.car + (", in reverse" if turn.reverse else ""),
        "" if turn.car is None else f"Maneuver {turn.manoeuvre}",
        f"out of control: {turn.hands} drives" if lost else "",
    ]
    who = f"{turn.hands} drives {turn.driver}'s car" if lost else f"{turn.driver} drives"
    return Status(f"Round {turn.number}", who, " · ".join(filter(None, more)), turn.hands, turn.car, order)


def _place(state: GameState, player: str) -> Place:
    left = sum(c.owner == player and c.status in ("driving", "waiting") for c in state.cars)
    current = state.round is not None and state.round.driver == player
    return Place.having(player, left, "car", current=current)

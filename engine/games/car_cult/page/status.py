"""Where the match stands in a few words, and the order of play."""

from __future__ import annotations

from engine.game.showing import Place, Status
from engine.games.car_cult.acts.rounds import to_deploy
from engine.games.car_cult.state.game_state import GameState, Turn
from engine.ruling import many


def status(state: GameState) -> Status:
    """Whose activation it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    if state.over:
        return Status.at_the_end(state.winner, order)
    if state.duties:
        return _owed(state, order)
    player = to_deploy(state)
    if player is not None:
        return Status("Deployment", f"{player} puts a car down", player=player, order=order)
    if state.turn is None:
        return Status(f"Round {state.round}", "The order is rolled for", order=order)
    return _in_turn(state, state.turn, order)


def _owed(state: GameState, order: tuple[Place, ...]) -> Status:
    duty = state.duties[0]
    owner = state.car(duty.car).owner
    if duty.kind == "blast":
        return Status("Before play goes on", f"{duty.car} explodes", duty.citation, None, duty.car, order)
    if duty.kind == "damage":
        by = duty.by or owner
        words = f"{by} places a Damage token on {duty.car}"
        return Status("Before play goes on", words, duty.cause, by, duty.car, order)
    return Status(
        "Before play goes on", f"{duty.car}: a die has to be rolled", duty.citation, owner, duty.car, order
    )


_STAGES = {"shift": "shift down or not", "allocate": "allocate Speed tokens", "act": "move and attack"}


def _in_turn(state: GameState, turn: Turn, order: tuple[Place, ...]) -> Status:
    low, high = state.range_of_move()
    more = _STAGES[turn.stage]
    if state.attack is not None:
        more = f"attacks {state.attack.target} with its {state.attack.weapon}"
    elif turn.stage == "act":
        more = "attack, or end the activation" if turn.moved else f"move {low} to {high} in, attack"
    elif turn.stage == "allocate":
        more = f"{many(turn.pool, 'Speed token')} to allocate"
    return Status(
        f"Round {state.round}", f"{turn.player} activates {turn.car}", more, turn.player, turn.car, order
    )


def _place(state: GameState, player: str) -> Place:
    left = sum(c.owner == player and c.status != "exploded" for c in state.cars)
    current = state.turn is not None and state.turn.player == player
    return Place.having(player, left, "car", current=current)

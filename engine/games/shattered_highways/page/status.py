"""Where the match stands in a few words, and the order of play."""

from __future__ import annotations

from engine.game.showing import Place, Status
from engine.games.shattered_highways.acts.rounds import to_deploy
from engine.games.shattered_highways.page.owed import how_words
from engine.games.shattered_highways.state.game_state import Duty, GameState, Turn, due

_OWED = {
    "shrapnel": "{vehicle}: who is hit?",
    "seat": "{warrior} is on {vehicle}",
    "leap": "{warrior} may leap",
    "wreck": "{vehicle} is destroyed",
    "deployed": "{vehicle} comes out",
    "nudged": "{vehicle} is nudged",
    "struck": "{vehicle} is struck",
    "veer": "{vehicle} veers",
    "fall back": "{vehicle} falls back",
    "lost": "{vehicle} has Lost Control",
    "shift": "The front edge is reached",
    "control": "{vehicle} has Lost Control",
    "unmanned": "{vehicle} is unmanned",
}


def status(state: GameState) -> Status:
    """Whose turn it is, what has to be done first, or who has won."""
    order = tuple(_place(state, player) for player in state.players)
    if state.over:
        return Status.at_the_end(state.winner, order)
    duty = due(state)
    if duty is not None:
        return _owed(duty, order)
    if state.first is None:
        who = "How do the vehicles start?" if state.deployment is None else "Who goes first?"
        return Status("Play Setup", who, order=order)
    player = to_deploy(state)
    if player is not None:
        return Status("Play Setup", f"{player} puts a vehicle down", player=player, order=order)
    if state.turn is not None:
        return _in_turn(state, state.turn, order)
    waiting = " and ".join(state.to_number)
    return Status(f"Round {state.round + 1}", "Write the play order", f"in secret: {waiting}", order=order)


def _owed(duty: Duty, order: tuple[Place, ...]) -> Status:
    who = _OWED[duty.kind].format(vehicle=duty.vehicle, warrior=duty.warrior)
    return Status("Before play goes on", who, how_words(duty), duty.by, duty.vehicle, order)


def _in_turn(state: GameState, turn: Turn, order: tuple[Place, ...]) -> Status:
    more = {"play": "its warriors act", "moving": "a Move is under way", "over": "its turn ends"}[turn.stage]
    if turn.late:
        more = "against the back edge: one Move to get back"
    following = f" · then {', '.join(state.queue)}" if state.queue else ""
    who = f"{turn.hands} plays {turn.vehicle}"
    return Status(f"Round {state.round}", who, more + following, turn.hands, turn.vehicle, order)


def _place(state: GameState, player: str) -> Place:
    mine = [v for v in state.vehicles if v.control == player and v.status in ("waiting", "driving", "behind")]
    count = len(mine)
    current = state.turn is not None and state.turn.hands == player
    return Place.having(player, count, "vehicle", current=current, out=player not in state.alive)

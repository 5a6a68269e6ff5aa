"""What every action is asked first: is it the time for it, and is it this player's."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.game.kit.play import SETTLED, Rulings
from engine.games.white_line_fever.book.data import cite
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import GameState, Round, Stage

_WORDS: dict[Stage, str] = {
    "car": "the driver chooses a car first",
    "move": "a Maneuver has to be performed first",
    "free": "the Maneuver has been performed",
    "speed": "only the Speed may still be changed",
    "done": "the round is over",
}


def in_round(
    state: GameState, action: Action, stages: Sequence[Stage], citation: str
) -> tuple[Round | None, list[Reason]]:
    """The round if an action belongs to one of these stages, else the reasons why not."""
    if state.over:
        return None, [Reason("the game is over", cite("Overview"))]
    if state.duties:
        duty = state.duties[0]
        todo = "say which cars it reaches" if duty.kind == "blast" else "place it"
        return None, [Reason(f"first {duty.car} has to be settled ({duty.kind}): {todo}", duty.citation)]
    if state.round is None:
        return None, [Reason("the cars are not deployed yet", cite("Setup", "Deployment"))]
    if state.round.stage not in stages:
        return None, [Reason(_WORDS[state.round.stage], citation)]
    return state.round, whose(action, state.round.hands, citation)


def whose(action: Action, player: str | None, citation: str) -> list[Reason]:
    """No reason if the action is that player's; the referee (no player) may act for everybody."""
    if player is None or action.player is None or action.player == player:
        return []
    return [Reason(f"it is {player}'s to do, not {action.player}'s", citation)]


class ByWords(Rulings):
    """Rulings by which an open reason is let pass; what is a question of its own is answered by its rule."""

    def falls(self, action: Action, reason: Reason) -> bool:
        """Whether it is let pass; what is a question of its own by its words alone."""
        if reason.question:
            return reading.ruled(action.data, reason.words) == "yes"
        return reading.let_pass(action.data, reason.words)

    def answer(self, action: Action, reason: Reason) -> tuple[str, str, str]:  # noqa: ARG002
        """That it is accepted."""
        return reason.words, "yes", f"players' ruling: accepted, {reason.words}"


def tell_answer(play: Play, action: Action, question: str, answer: str, rule: str) -> None:
    """The players' answer to a question that the table left open, or answered otherwise."""
    play.tell(
        "ruled", f"players' ruling on {question}: {answer}", SETTLED,
        question=question, verdict=answer, rule=rule, by=reading.ruler(action),
    )  # fmt: skip

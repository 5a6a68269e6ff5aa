"""What options and forms cannot say alone, and what the players rule on themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game.acting import reading
from engine.game.events import RULED, RULED_BY, Action, Reason
from engine.games.shattered_highways.book.data import cite, house
from engine.games.shattered_highways.state.game_state import GameState
from engine.games.shattered_highways.state.play import Play

SETTLED = house("The players decide what is too close to call")
SEVERAL = cite("Nudge")


def together(state: GameState, action: Action) -> tuple[Reason, ...]:
    """What is wrong with answers that are right one by one: only a Rig's side strikes several."""
    said: Mapping[str, Any] = action.data
    if action.kind not in ("nudge", "ram") or len(said.get("targets") or ()) < 2:
        return ()
    if state.vehicle(str(said["vehicle"])).is_rig and said.get("side", "front") in ("left", "right"):
        return ()
    return (Reason("several vehicles at once are struck with the left or right side of a Rig only", SEVERAL),)


def without_rulings(action: Action) -> Action:
    """The action without what the players rule on it."""
    if not isinstance(action.data, Mapping) or RULED not in action.data:
        return action
    data = {name: value for name, value in action.data.items() if name not in (RULED, RULED_BY)}
    return Action(action.kind, action.player, data)


def settled(reasons: Sequence[Reason], action: Action) -> tuple[Reason, ...]:
    """The reasons that stand: open ones fall when the players have ruled *yes*."""
    return tuple(r for r in reasons if not (r.open and _accepted(action, r)))


def _accepted(action: Action, reason: Reason) -> bool:
    return reading.ruled(action.data, reason.question or reason.words) == "yes"


def tell_rulings(play: Play, reasons: Sequence[Reason], action: Action) -> None:
    """What the players decided instead of the table, each as an event of its own."""
    for reason in reasons:
        if reason.open and _accepted(action, reason):
            play.tell(
                "ruled", f"the players accept: {reason.words}", SETTLED,
                question=reason.words, verdict="yes", rule=reason.citation, by=reading.ruler(action),
            )  # fmt: skip

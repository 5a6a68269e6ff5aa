"""What options and forms cannot say alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.events import Action, Reason
from engine.games.shattered_highways.book.data import cite
from engine.games.shattered_highways.state.game_state import GameState

SEVERAL = cite("Nudge")


def together(state: GameState, action: Action) -> tuple[Reason, ...]:
    """What is wrong with answers that are right one by one: only a Rig's side strikes several."""
    said: Mapping[str, Any] = action.data
    if action.kind not in ("nudge", "ram") or len(said.get("targets") or ()) < 2:
        return ()
    if state.vehicle(str(said["vehicle"])).is_rig and said.get("side", "front") in ("left", "right"):
        return ()
    return (Reason("several vehicles at once are struck with the left or right side of a Rig only", SEVERAL),)

"""What has to be done first of all that is owed."""

from __future__ import annotations

from engine.games.shattered_highways.state.game_state import Duty, DutyKind, GameState

_ORDER: tuple[DutyKind, ...] = (
    "shrapnel", "seat", "leap", "wreck", "deployed", "nudged", "struck", "veer", "fall back", "lost",
    "shift", "control", "unmanned",
)  # fmt: skip
"""Wrecks before movement; the fleet's shift after it; Lost Control after what led to it has resolved."""

PLACED: tuple[DutyKind, ...] = ("deployed", "nudged", "struck", "veer", "fall back", "lost")
"""A vehicle must be put somewhere."""

ROLLED: tuple[DutyKind, ...] = ("control", "unmanned")
"""A die decides, and nobody is asked."""

MEETING: tuple[DutyKind, ...] = ("nudged", "struck", "fall back", "lost")
"""Placements on whose way another vehicle may be met."""


def due(state: GameState) -> Duty | None:
    """The duty that is done next; None when the game goes on. What has become pointless does not count."""
    owed = [duty for duty in state.duties if _counts(state, duty)]
    return min(owed, key=lambda duty: _ORDER.index(duty.kind), default=None)


def _counts(state: GameState, duty: Duty) -> bool:
    match duty.kind:
        case "shift" | "wreck":
            return True
        case "deployed":
            return state.vehicle(duty.vehicle).status == "hidden"
        case "shrapnel":
            return bool(state.aboard(duty.vehicle))
        case "seat":
            warrior = state.warrior(duty.warrior)
            return not warrior.out and bool(state.free_seats(warrior.vehicle, warrior.part))
        case "leap":
            return not state.warrior(duty.warrior).out
        case _:
            return state.vehicle(duty.vehicle).in_play

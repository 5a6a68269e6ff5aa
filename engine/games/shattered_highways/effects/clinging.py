"""Warriors without a seat hold on while their vehicle swerves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.dice import Want
from engine.games.shattered_highways.book.data import HELD_ON, STAYS, cite
from engine.games.shattered_highways.effects.wounds import leave
from engine.games.shattered_highways.rules.modifiers import CHAINS
from engine.games.shattered_highways.state.game_state import GameState, Warrior
from engine.games.shattered_highways.state.play import Play

CLING = cite("Cling")
WITHIN = cite("Within a Round")
REINFORCEMENTS = cite("Rig-only Add-ons", "Reinforcements")


def clinging(state: GameState, name: str) -> tuple[Warrior, ...]:
    """Those who roll to stay on a vehicle; Reinforcements do not on the Rig on which they began."""
    return tuple(w for w in state.aboard(name) if w.seat is None and w.home != name)


def cling(play: Play, name: str, data: Mapping[str, Any] | None = None) -> None:
    """Everybody without a seat rolls: 4+ stays on, 2 to 3 only holds on, 1 falls off.

    To cling is an action as any other: −1 where `data` says that the vehicle is in dust.
    """
    safe = [w for w in play.state.aboard(name) if w.seat is None and w.home == name]
    who = clinging(play.state, name)
    if safe and not who:
        words = f"the Reinforcements on {name} need no Cling rolls"
        play.tell("kept", words, REINFORCEMENTS, vehicle=name)
    if not who:
        return
    dust = CHAINS.by if data is not None and data.get("dust") else 0
    if dust:
        play.modified(CHAINS, f"to cling to {name}", name)
    wants = [Want(w.die, f"{w.name} clings to {name}", by=w.owner) for w in who]
    rolls = play.rolls(wants, WITHIN, [name])
    for warrior, roll in zip(who, rolls, strict=True):
        value = max(1, roll.value + dust)
        result = "stays" if value >= HELD_ON else "holds" if value >= STAYS else "falls"
        words = {
            "stays": "stays on, and acts at −1",
            "holds": "stays on, and can do nothing else this round",
            "falls": "falls off",
        }[result]
        play.tell(
            "cling", f"{warrior.name} {words}", CLING,
            warrior=warrior.name, vehicle=name, value=value, result=result,
        )  # fmt: skip
        if result == "falls":
            leave(play, warrior.name, f"{warrior.name} is run over or left behind", CLING)

"""What weapons do beyond their damage: to the target on a hit, to their own car hit or miss."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.white_line_fever.book.data import PLASMA_SELF, RAILGUN_NEXT, cite
from engine.games.white_line_fever.book.weapons import Weapon
from engine.games.white_line_fever.rules import displacing
from engine.games.white_line_fever.rules.damage import harm, set_speed
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import Car

SPECIAL = cite("Shoot Weapon", "Special")
SLAM, PULL, RECOIL = 3.0, 3.0, 2.0
"""Inches that a Slammer pushes, a Harpoon pulls, and a Field Cannon rolls back."""


ON_HIT = (
    "Nail Blaster", "Long Horn", "Disruptor", "Slammer", "Harpoon", "Railgun", "Grenade Launcher",
)  # fmt: skip
"""The weapons whose special happens on a hit."""

ON_SELF = ("Tank Cannon", "Field Cannon")
"""Those whose special happens to their own car, on a miss as well; of the others their line says when."""


def special_words(weapon: Weapon) -> str:
    """What a weapon does besides its damage, and when.

    >>> from engine.games.white_line_fever.book.weapons import weapon_called
    >>> special_words(weapon_called("Tank Cannon")), special_words(weapon_called("Harpoon"))
    ('hit or miss, the shooter spins out afterwards', 'on a hit, target is pulled 3 in')
    """
    when = "on a hit, " if weapon.name in ON_HIT else "hit or miss, " if weapon.name in ON_SELF else ""
    return f"{when}{weapon.special}"


def on_hit(play: Play, car: Car, target: str, weapon: Weapon, damage: int, reached: Sequence[str]) -> None:
    """A Railgun and a Grenade reach other cars; five weapons do something to a target that still drives."""
    for name in reached:
        amount = RAILGUN_NEXT if weapon.pierces else damage
        harm(play, name, amount, weapon.the, weapon.citation)
    if not play.state.car(target).driving:
        return
    if weapon.name in ("Nail Blaster", "Long Horn", "Disruptor", "Slammer", "Harpoon"):
        tell_special(play, target, weapon)
    match weapon.name:
        case "Nail Blaster":
            speed = play.state.car(target).speed
            set_speed(play, target, max(speed - 1, min(speed, 2)), weapon.citation)
        case "Long Horn":
            displacing.owe_spin(play, target, weapon.citation)
        case "Disruptor":
            displacing.owe_turn(play, target, car.owner, weapon.citation)
        case "Slammer":
            displacing.owe_push(play, target, SLAM, weapon.citation, car.name)
        case "Harpoon":
            displacing.owe_pull(play, target, PULL, weapon.citation, car.name)


def on_self(play: Play, name: str, weapon: Weapon, natural: int) -> None:
    """Three primary weapons do something to their own car."""
    if not play.state.car(name).driving:
        return
    if weapon.name in ("Tank Cannon", "Field Cannon") or (weapon.name == "Plasma Gun" and natural == 1):
        tell_special(play, name, weapon)
    match weapon.name:
        case "Tank Cannon":
            displacing.owe_spin(play, name, weapon.citation)
        case "Field Cannon":
            displacing.owe_shove(play, name, -RECOIL, weapon.citation)
        case "Plasma Gun" if natural == 1:
            harm(play, name, PLASMA_SELF, "its own Plasma Gun", weapon.citation)


def tell_special(play: Play, name: str, weapon: Weapon) -> None:
    """What the weapon's line says, before it happens."""
    play.tell("special", f"{weapon.name}: {weapon.special}", SPECIAL, car=name, weapon=weapon.name)

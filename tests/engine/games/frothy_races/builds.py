"""Vehicles of the Vehicle Creation Guide that have, together, every trait, special card and damage effect."""

from __future__ import annotations

from typing import Any

from engine.games.frothy_races.book.building import DAMAGE_EFFECTS, OWN, TRAITS
from engine.games.frothy_races.book.data import SPECIALS

EACH = 4
"""Traits of a vehicle."""


def builds() -> list[dict[str, Any]]:
    """The answers of each vehicle, without its name."""
    traits = [TRAITS[k : k + EACH] for k in range(0, len(TRAITS), EACH)]
    cards, effects = list(SPECIALS), list(DAMAGE_EFFECTS)
    return [
        {
            "type": OWN, "traits": list(some), "strength": 1 + k % 2, "whip": 2, "reins": 2, "dual": 1,
            "specials": [cards[(2 * k + n) % len(cards)] for n in range(2)], "damage": 8,
            "resilience": ("0", "1", "as the base")[k % 3],
            "effects": [effects[(3 * k + n) % len(effects)] for n in range(3)], "levels": [1, 2, 4],
        }
        for k, some in enumerate(traits)
    ]  # fmt: skip

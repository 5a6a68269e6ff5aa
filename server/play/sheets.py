"""Record sheets and what a game offers to choose from, for the page and for paper."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from engine.games.white_line_fever.book.data import BRANDS, DEPLOYMENTS, MULE_ARMOUR, HouseRules
from engine.games.white_line_fever.book.weapons import WEAPONS, Weapon, weapon_called
from engine.games.white_line_fever.state.game_state import Car, GameState

HOUSE_WORDS: dict[str, tuple[str, str]] = {
    "armour_groups": ("Armour track", "boxes in each group; the last of each but the last group is big"),
    "big_box_penalty": ("A big box costs", "maximum Speed"),
    "starting_speed": ("Starting Speed", ""),
    "tokens": ("Tokens of a droppable weapon", "each car"),
    "token_size": ("Side of a token", "inches"),
    "deployment_depth": ("Depth of the deployment strip", "inches"),
    "outnumbered": ("A last car is outnumbered", ""),
    "blast_dice": ("Dice of an explosion", ""),
    "length_tolerance": ("A run or drift may miss by", "inches"),
    "turn_tolerance": ("A turn may go past 90° by", "radians"),
    "place_tolerance": ("A placed car may miss its ghost by", "inches"),
    "place_turn_tolerance": ("and its heading by", "radians"),
}
"""Each house rule for people: what it is, and in what."""

HOUSE_CHOICES = {
    "outnumbered": ["by one opponent", "by all opponents"],
    "blast_dice": ["one for all", "one each"],
}


def sheet(state: GameState, car: Car) -> dict[str, Any]:
    """The record sheet of a car: who, what it carries, its Speed, and its armour track box by box."""
    big, boxes = set(state.big_boxes(car)), state.boxes(car)
    extra = MULE_ARMOUR if car.brand == "Mule" else 0
    ends, at = set(), extra
    for group in state.house.armour_groups:
        at += group
        ends.add(at)
    return {
        "name": car.name,
        "owner": car.owner,
        "brand": car.brand,
        "brand_words": BRANDS[car.brand],
        "weapons": [weapon_card(weapon_called(n)) for n in (car.primary, car.secondary)],
        "speed": car.speed,
        "top_speed": state.top_speed(car),
        "armour": state.armour(car),
        "marked": car.marked,
        "tokens": car.tokens,
        "spent": list(car.spent),
        "status": car.status,
        "penalty": 0 if car.brand == "Essence" else state.house.big_box_penalty,
        "track": [
            {
                "number": n,
                "marked": n <= car.marked,
                "big": n in big,
                "extra": n <= extra,
                "ends": n in ends or n == extra,
            }
            for n in range(1, boxes + 1)
        ],
    }


def sheets(state: GameState) -> list[dict[str, Any]]:
    """All record sheets, the players in their order."""
    return [sheet(state, c) for p in state.players for c in state.cars if c.owner == p]


def weapon_card(weapon: Weapon) -> dict[str, Any]:
    """A weapon as it is printed on a sheet. Inches."""
    return {
        "name": weapon.name,
        "hardpoint": weapon.hardpoint,
        "damage": weapon.damage,
        "short": weapon.short,
        "maximum": weapon.maximum,
        "special": weapon.special,
        "droppable": weapon.droppable,
        "words": weapon_words(weapon),
    }


def weapon_words(weapon: Weapon) -> str:
    """A weapon's line in a few words.

    >>> weapon_words(weapon_called("Harpoon"))
    '1 damage, 6/16″, target is pulled 3"'
    """
    reach = "dropped" if weapon.maximum is None else f"{weapon.short:g}/{weapon.maximum:g}″"
    return ", ".join(part for part in (f"{weapon.damage} damage", reach, weapon.special) if part)


def catalogue() -> dict[str, Any]:
    """What a game of White Line Fever offers when it is set up."""
    default = HouseRules().as_json()
    return {
        "brands": [{"name": n, "words": w} for n, w in BRANDS.items()],
        "weapons": [weapon_card(w) for w in WEAPONS.values()],
        "deployments": [{"name": n, "words": w} for n, w in DEPLOYMENTS.items()],
        "house": [
            {
                "name": f.name,
                "title": HOUSE_WORDS[f.name][0],
                "words": HOUSE_WORDS[f.name][1],
                "default": default[f.name],
                "choices": HOUSE_CHOICES.get(f.name, []),
            }
            for f in fields(HouseRules)
        ],
    }

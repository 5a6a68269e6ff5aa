"""House defaults: the vehicles of Battlecars, whose sheets the transcript of the book has lost. Edit them.

*acceleration*, *braking*: by how much the Speed may rise or fall from one turn to the next. *top*,
*reverse*: the most that it may be forward and backward. *safe*: the highest safe Speed of a corner of 45,
90, 135 and (bikes) 180 degrees. *armour*: points of each armour block; a car's sides have three. *tyre*,
*engine*, *tank*, *special*: hits that such a component takes; a driver takes three (the book). *mounts*:
section, spaces and barrel (*front*, *rear*, *left*, *right* or *any*) of each Weapon Pod and Turret.
`HITS`: the Hit Location Table of each section, a row for each face of a D8; of two in a row the first is
hit first. What a vehicle has not counts as destroyed: roll again.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.game.events import JsonObject

VEHICLES: Mapping[str, JsonObject] = {
    "Muscle Car": {
        "kind": "car", "acceleration": 3, "braking": 3, "top": 9, "reverse": 2,
        "safe": [5, 4, 2], "tyre": 3, "engine": 4, "tank": 3, "special": 2,
        "specials": ["Gunnery Computer"],
        "armour": {"front": 4, "rear": 3, "left": [2, 3, 2], "right": [2, 3, 2]},
        "mounts": {
            "front pod": {"section": "front", "spaces": 4, "barrel": "front"},
            "rear pod": {"section": "rear", "spaces": 4, "barrel": "rear"},
        },
    },
    "Saloon": {
        "kind": "car", "acceleration": 2, "braking": 3, "top": 8, "reverse": 2,
        "safe": [5, 3, 2], "tyre": 3, "engine": 4, "tank": 3, "special": 2,
        "specials": ["Gunnery Computer", "Fire Extinguisher"],
        "armour": {"front": 4, "rear": 4, "left": [3, 4, 3], "right": [3, 4, 3]},
        "mounts": {
            "front pod": {"section": "front", "spaces": 3, "barrel": "front"},
            "rear pod": {"section": "rear", "spaces": 3, "barrel": "rear"},
            "left pod": {"section": "centre", "spaces": 2, "barrel": "left"},
            "right pod": {"section": "centre", "spaces": 2, "barrel": "right"},
        },
    },
    "Van": {
        "kind": "car", "acceleration": 2, "braking": 2, "top": 6, "reverse": 2,
        "safe": [4, 2, 1], "tyre": 3, "engine": 5, "tank": 4, "special": 2,
        "specials": ["Fire Extinguisher"],
        "armour": {"front": 5, "rear": 5, "left": [4, 5, 4], "right": [4, 5, 4]},
        "mounts": {
            "front pod": {"section": "front", "spaces": 3, "barrel": "front"},
            "rear pod": {"section": "rear", "spaces": 4, "barrel": "rear"},
            "left pod": {"section": "centre", "spaces": 3, "barrel": "left"},
            "right pod": {"section": "centre", "spaces": 3, "barrel": "right"},
            "turret": {"section": "centre", "spaces": 4, "barrel": "any"},
        },
    },
    "Bike": {
        "kind": "bike", "acceleration": 4, "braking": 4, "top": 10, "reverse": 0,
        "safe": [6, 5, 4, 3], "tyre": 3, "engine": 3, "tank": 2, "special": 2,
        "specials": [],
        "armour": {"front": 2, "rear": 2, "left": 3, "right": 3},
        "mounts": {
            "front pod": {"section": "front", "spaces": 2, "barrel": "front"},
            "rear pod": {"section": "rear", "spaces": 2, "barrel": "rear"},
        },
    },
}  # fmt: skip

HITS: Mapping[str, JsonObject] = {
    "car": {
        "front": [
            ["left front tyre"], ["front pod"], ["front pod", "engine"], ["engine"],
            ["engine"], ["engine"], ["front pod"], ["right front tyre"],
        ],
        "centre": [
            ["left pod", "driver"], ["driver"], ["driver"], ["turret", "driver"],
            ["Gunnery Computer"], ["Fire Extinguisher"], ["turret"], ["right pod", "driver"],
        ],
        "rear": [
            ["left rear tyre"], ["rear pod"], ["rear pod", "fuel tank"], ["fuel tank"],
            ["fuel tank"], ["rear pod"], ["rear pod"], ["right rear tyre"],
        ],
    },
    "bike": {
        "front": [
            ["front tyre"], ["front tyre"], ["front pod"], ["front pod"],
            ["front pod", "engine"], ["driver"], ["engine"], ["engine"],
        ],
        "centre": [
            ["driver"], ["driver"], ["driver"], ["engine"],
            ["engine"], ["fuel tank"], ["fuel tank"], ["fuel tank"],
        ],
        "rear": [
            ["rear tyre"], ["rear tyre"], ["rear pod"], ["rear pod"],
            ["rear pod", "fuel tank"], ["fuel tank"], ["fuel tank"], ["driver"],
        ],
    },
}  # fmt: skip

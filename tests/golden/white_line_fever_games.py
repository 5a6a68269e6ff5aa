"""The golden games of White Line Fever.

Four are scripted with the dice typed in, so that their ends can be followed with the book; the others
are played by random legal players with cars chosen for what they carry.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from engine.game.dice import SeededDice, TypedDice
from engine.game.events import Action
from engine.game.match import Match
from engine.games.white_line_fever.book.data import BRANDS, WEAPONS
from engine.games.white_line_fever.state import GameState
from tests.engine.games.white_line_fever.suite import GAME, PLAYERS


def car(name: str, brand: str, primary: str, secondary: str) -> dict[str, Any]:
    """A car of the player whose name it begins with."""
    owner = name.split(maxsplit=1)[0]
    return {"name": name, "owner": owner, "brand": brand, "primary": primary, "secondary": secondary}


class Script:
    """A game told action by action; a round's driver need not be said."""

    def __init__(self, **setup: Any) -> None:
        self.match: Match[GameState] = Match.begin(GAME, setup)

    def __call__(self, kind: str, *dice: int, **data: Any) -> None:
        """An action and all the dice that it takes."""
        typed = TypedDice(dice)
        turn = self.match.state.round
        player = turn.hands if turn is not None and not self.match.state.duties else None
        self.match.do(Action(kind, player, data), None, typed)
        assert typed.used == len(dice), f"{kind}: {typed.used} dice were used"


def duel() -> Match[GameState]:
    """Two cars with tracks of 6 boxes: deployment by die, lost control, undo, a token, a wreck."""
    do = Script(
        players=["Red", "Blue"],
        cars=[
            car("Red 1", "Hammer", "Shock Gun", "Oil"),  # 6 boxes
            car("Blue 1", "Mule", "Tank Cannon", "Long Horn"),  # 10 boxes, a big one at 7
        ],
        house={"armour_groups": [3, 3]},
    )
    do("deployment", 5, deployment="roll")
    do("deploy", car="Red 1", at=[10.0, 10.0, 0.0])
    do("deploy", car="Blue 1", at=[30.0, 10.0, 3.0])
    do("choose", car="Red 1")
    do("move", car="Red 1", steps=[{"kind": "straight", "ahead": 3.0}])
    # 3 damage and 1 for Short Range: Blue 1 has 4 boxes marked.
    do("shoot", 4, weapon="Shock Gun", target="Blue 1", band="short", apply="damage")
    do("speed", to=5)
    do("move", car="Blue 1", steps=[{"kind": "drift", "ahead": 3.0, "left": 1.0}])
    do("shoot", 5, weapon="Long Horn", target="Red 1", band="maximum")
    do("placed", car="Red 1")
    # A 1 does not do for the second manoeuvre: Red drives Blue 1 into the rock, 3 damage for its Speed.
    do("floor_it", 1)
    rock = [{"other": "Rock", "kind": "head-on"}]
    do("move", 2, car="Blue 1", steps=[{"kind": "straight", "ahead": 2.1}], contacts=rock)
    do.match.undo("Blue")
    do.match.redo("Red")
    do("placed", car="Blue 1")
    do.match.overrule(["cars", "Blue 1", "speed"], 3, "the die of its Speed was knocked over", "Blue")
    do("move", car="Red 1", steps=[{"kind": "straight", "ahead": 5.4}], ruled="yes")
    do("drop")
    do("speed", to=6)
    do("move", car="Blue 1", triggered=["Oil 1"])
    do("placed", car="Blue 1")
    # 6 with Short Range is 7 against Speed 6; 6 damage for the 5 boxes left: a wreck, no explosion.
    do("shoot", 6, weapon="Tank Cannon", target="Red 1", band="short")
    return do.match


def chain() -> Match[GameState]:
    """One Javelin, four explosions, and nobody is left."""
    cars = [car("Red 1", "Pulsar", "Mark 9 Javelin", "Railgun")]
    cars += [
        car(f"{owner} {k}", "Venus", "Plinker", "Grenade Launcher")
        for owner in ("Blue", "Green")
        for k in (1, 2)
    ]
    do = Script(
        players=["Red", "Blue", "Green"], cars=cars, deployment="arena", house={"armour_groups": [2, 2]}
    )
    for each in cars:
        do("deploy", car=each["name"])
    do("move", car="Red 1")
    do("shoot", 8, weapon="Mark 9 Javelin", target="Blue 1", band="short")
    do("blast", 8, cars=["Blue 2", "Green 1"])
    do("blast", 6, cars=["Red 1"])
    do("blast", cars=[])
    # The last explosion finds nobody, so nobody is asked.
    do("blast", 7, cars=["Green 2"])
    return do.match


def burst() -> Match[GameState]:
    """A Railgun's second car explodes, and a grenade takes its own thrower along. Tracks of 3 boxes."""
    do = Script(
        players=["Red", "Blue"],
        cars=[
            car("Red 1", "Essence", "Dirtnap", "Railgun"),
            car("Blue 1", "Venus", "Machine Gun", "Grenade Launcher"),
            car("Blue 2", "Venus", "Machine Gun", "Grenade Launcher"),
        ],
        deployment="arena",
        house={"armour_groups": [1, 2]},
    )
    for name in ("Red 1", "Blue 1", "Blue 2"):
        do("deploy", car=name)
    do("move", car="Red 1")
    # 1, and 1 for the Dirtnap from behind: 1 box left; then the free second manoeuvre of an outnumbered car.
    do("shoot", 8, weapon="Dirtnap", target="Blue 2", band="maximum", tailgate=True)
    do("floor_it")
    do("move", car="Red 1")
    # 1 for Blue 1; 5 for Blue 2, that is 4 more than it has.
    do("shoot", 8, weapon="Railgun", target="Blue 1", band="maximum", reached=["Blue 2"])
    do("blast", 1, cars=["Blue 1"])
    do("end")
    do("move", car="Blue 1")
    # 2 with Short Range: Red 1, an Essence, keeps its maximum Speed; Blue 1 had 1 box left.
    near = {"band": "short", "apply": "damage", "reached": ["Blue 1"]}
    do("shoot", 4, weapon="Grenade Launcher", target="Red 1", **near)
    return do.match


def broken_off() -> Match[GameState]:
    """A manoeuvre that Oil breaks off and one that a Springboard does, each driven to its end."""
    do = Script(
        players=["Red", "Blue"],
        cars=[car("Red 1", "Hammer", "Tank Cannon", "Oil"), car("Blue 1", "Venus", "Plinker", "Springboard")],
        deployment="arena",
        house={"armour_groups": [2, 2]},
    )
    for name in ("Red 1", "Blue 1"):
        do("deploy", car=name)
    do("move", car="Red 1")
    do("drop")
    do("end")
    # 2 of 4 boxes; after 1 of 3 inches it stands the other way round, and goes on.
    do("move", car="Blue 1", steps=[{"kind": "straight", "ahead": 1.0}], triggered=["Oil 1"])
    do("placed", car="Blue 1")
    do("move", car="Blue 1", steps=[{"kind": "straight", "ahead": 1.0}, {"kind": "turn", "angle": 1.0},
                                    {"kind": "straight", "ahead": 1.0}])  # fmt: skip
    do("drop")
    do("end")
    do("move", car="Red 1", triggered=["Springboard 2"], left=2.0)
    do("placed", car="Red 1")
    do("move", car="Red 1", steps=[{"kind": "straight", "ahead": 2.0}])
    # 6 for the 2 boxes that are left: it explodes, near nobody.
    do("shoot", 5, weapon="Tank Cannon", target="Blue 1", band="maximum")
    do("blast", cars=[])
    return do.match


def armed(players: tuple[str, ...], weapons: list[tuple[str, str]], seed: int) -> list[dict[str, Any]]:
    """Cars with these weapons, dealt round the table, brands in turn."""
    brands = list(BRANDS)
    return [
        car(f"{players[k % len(players)]} {k // len(players) + 1}", brands[(k + seed) % len(brands)], *pair)
        for k, pair in enumerate(weapons)
    ]


def chanced(
    seed: int, players: tuple[str, ...], weapons: list[tuple[str, str]], **setup: Any
) -> Callable[[], Match[GameState]]:
    """A game by random legal players."""

    def played() -> Match[GameState]:
        cars = armed(players, weapons, seed)
        match = Match.begin(GAME, {"players": list(players), "cars": cars} | setup)
        return PLAYERS.finish(match, random.Random(seed), SeededDice(f"golden {seed}"))

    return played


PRIMARY = [w.name for w in WEAPONS.values() if w.hardpoint == "primary"]
AIMED = [w.name for w in WEAPONS.values() if w.hardpoint == "secondary" and not w.droppable]
DROPPED = [w.name for w in WEAPONS.values() if w.droppable]
SHORT_TRACK = {"armour_groups": [3, 3, 3]}

GAMES: dict[str, Callable[[], Match[GameState]]] = {
    "duel": duel,
    "chain": chain,
    "burst": burst,
    "broken-off": broken_off,
    "primaries": chanced(
        122, ("Red", "Blue"), [(p, "Oil") for p in PRIMARY[:6]], deployment="arena", house=SHORT_TRACK
    ),
    "more-primaries": chanced(
        54,
        ("Red", "Blue", "Green"),
        [(p, "Spikes") for p in PRIMARY[6:]],
        deployment="highway",
        house=SHORT_TRACK,
    ),
    "secondaries": chanced(3, ("Red", "Blue", "Green"), [("Plinker", s) for s in AIMED], house=SHORT_TRACK),
    "droppables": chanced(
        421,
        ("Red", "Blue"),
        [("Machine Gun", s) for s in DROPPED],
        deployment="arena",
        house=SHORT_TRACK | {"tokens": 6},
    ),
    "four-players": chanced(
        5,
        ("Red", "Blue", "Green", "Gold"),
        list(zip(PRIMARY[:8], AIMED[:8], strict=True)),
        house=SHORT_TRACK | {"blast_dice": "one each", "outnumbered": "by all opponents"},
    ),
}

"""The golden games of Battlecars: by random players, and staged scene by scene.

The staged ones roll tables row by row, and play every rule on foot. Before each game turn the owner puts
vehicles and counters where the scene needs them (overrulings, which the log tells like anything else); dice
fall as wished.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from engine.boards.board import Cell
from engine.game.contract import Option
from engine.game.dice import Roll, SeededDice, TypedDice, Want
from engine.game.events import Action
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.games.battlecars.book.data import CRASHES, OIL, PASSIVES, ROCKET, SMOKE, SPIKES
from engine.games.battlecars.state import GameState
from tests.engine.games.battlecars.playing import GAME, begun, do, vehicle

Spot = tuple[Cell, int, int]
"""Point, facing and Speed."""


class Wished:
    """Dice that fall as wished: by a word of what they are rolled for, one value after the other, else 1."""

    def __init__(self, **wishes: Sequence[int]) -> None:
        self.left = {word.replace("_", " "): list(values) for word, values in wishes.items()}

    def roll(self, sides: int, why: str) -> Roll:
        """One die."""
        return self.together([Want(sides, why)])[0]

    def together(self, wants: Sequence[Want]) -> tuple[Roll, ...]:
        """Dice at once."""
        return TypedDice([self._value(want.why) for want in wants]).together(wants)

    def _value(self, why: str) -> int:
        for word, values in self.left.items():
            if word in why and values:
                return values.pop(0)
        return 1


class Stage:
    """A match on one board, and the vehicles as they were armed."""

    def __init__(self, *pieces: dict[str, Any]) -> None:
        self.match = begun(*pieces, house={"rounds": 200, "quiet": 50})
        self.fresh = GAME.as_json(self.match.state)
        self.do("start", Wished(first_move=[8]))

    @property
    def state(self) -> GameState:
        """As it stands."""
        return self.match.state

    def do(self, kind: str, dice: Wished | None = None, /, **data: Any) -> None:
        """An action."""
        self.match.do(Action(kind, None, data), None, dice or Wished())

    def put(self, path: Sequence[str | int], value: Any) -> None:
        """The owner sets a field, where it is not so already."""
        now: Any = GAME.as_json(self.state)
        for part in path:
            now = now[part]
        if now != value:
            self.match.overrule(path, value, "for the next scene")

    def scene(self, places: dict[str, Spot], tokens: Sequence[tuple[str, Cell]] = (), **more: Any) -> None:
        """Everybody as armed, on those points with those Speeds, the others in the corners; speeds revealed.

        `more` are fields of vehicles by their names with _ for the space.
        """
        laid = [
            {"name": f"{kind} {k}", "kind": kind, "cell": list(at)}
            for k, (kind, at) in enumerate(tokens, start=1)
        ]
        self.put(("tokens",), laid)
        corners = iter(((0, 12), (12, 12), (2, 12), (10, 12)))
        free = {name: (next(corners), 2, 0) for name in self.fresh["vehicles"] if name not in places}
        for k, person in enumerate(self.fresh["people"]):
            self.put(("people", k), person)
        for name, (cell, facing, speed) in (places | free).items():
            as_armed = self.fresh["vehicles"][name] | more.get(name.replace(" ", "_"), {})
            here = as_armed | {"cell": list(cell), "facing": facing, "speed": speed}
            for part, value in here.items():
                self.put(("vehicles", name, part), value)
        for player in self.state.order:
            mine = self.state.choosing(player)
            said = {f"speed_{k}": v.speed for k, v in enumerate(mine, start=1)}
            if mine:
                self.match.seal(Action("speed", player, said), f"salt of {player}")

    def turn(self, name: str) -> None:
        """Everybody before that driver does nothing."""
        while self.state.turn is None or self.state.turn.person != name:
            self.idle()

    def idle(self) -> None:
        """Nothing is done: no fire returned, no move, the turn over."""
        kinds = {option.kind for option in self.match.options()}
        self.do(next(kind for kind in ("hold", "pivot", "walk", "move", "done") if kind in kinds))

    def bare(self, name: str) -> dict[str, Any]:
        """A vehicle without armour, as `scene` takes it."""
        armour = self.fresh["vehicles"][name]["armour"]
        return {name.replace(" ", "_"): {"armour": [b | {"hits": b["points"]} for b in armour]}}

    def state_of(self, name: str) -> dict[str, Any]:
        """A vehicle as JSON."""
        return dict(GAME.as_json(self.state)["vehicles"][name])

    def rest(self) -> None:
        """The game turn goes on to its end with nothing done."""
        while self.state.phase == "turns" and not self.state.over:
            self.idle()

    def option(self, kind: str, **data: Any) -> Option:
        """The option of that kind with at least those data."""
        return next(o for o in self.match.options() if o.kind == kind and data.items() <= o.data.items())

    def fire(self, dice: Wished, aim: str | None = None, /, **data: Any) -> None:
        """A round, at an area where one is named."""
        said = {} if aim is None else {"aim": aim}
        self.do("fire", dice, **self.option("fire", **data).data, **said)

    def point(self, cell: Cell) -> int:
        """A point's number on the board."""
        return self.state.board.cells.index(cell)


def ended(stage: Stage) -> Match[GameState]:
    """The second player gives up."""
    stage.match.concede(stage.state.players[1])
    return stage.match


CARS = (
    vehicle("Red 1", "Muscle Car"), vehicle("Red 2", "Bike"), vehicle("Blue 1", "Muscle Car"),
    vehicle("Blue 2", "Bike"),
)  # fmt: skip

SKIDS: tuple[tuple[int, int, str | None, int], ...] = (
    (6, 1, None, 3), (7, 1, None, 3), (8, 1, None, 4), (9, 1, None, 5), (9, 2, None, 6), (8, 3, None, 7),
    (9, 3, None, 8), (8, 0, OIL, 1), (9, 0, OIL, 2), (3, 0, SPIKES, 4), (4, 0, SMOKE, 3), (5, 0, OIL, 8),
    (6, 1, None, 1),
)  # fmt: skip
"""Speed of the Muscle Car, its corner after the first point, a counter there, the Final Facing's die."""


def skids() -> Match[GameState]:
    """Every row of the Drift Table, every Final Facing with every modifier; a bike slides."""
    stage = Stage(*CARS)
    for speed, corner, counter, face in SKIDS:
        lying = [] if counter is None else [(counter, (2, 6))]
        stage.scene({"Red 1": ((1, 6), 0, speed)}, lying)
        stage.do("move", Wished(drifted=[8], Final_Facing=[face]), corners=[corner, *[0] * (speed - 1)])
        stage.rest()
    for corner, face in ((4, 6), (-4, 8)):
        stage.scene({"Red 2": ((1, 6), 0, 10)})
        stage.turn("driver of Red 2")
        stage.do("move", Wished(drifted=[1], Final_Facing=[face]), corners=[corner, *[0] * 9])
        stage.rest()
    return ended(stage)


def crashes() -> Match[GameState]:
    """Every row of the Crash/Ram Damage Table; every ram; the edge, a building, a corner, trees, a wreck."""
    stage = Stage(*CARS)
    stage.put(("terrain",), [
        {"name": "Building 1", "kind": "building", "cell": [6, 8], "size": [1, 1], "markers": 0},
        {"name": "Trees 1", "kind": "trees", "cell": [6, 10], "size": [1, 1], "markers": 0},
    ])  # fmt: skip
    for velocity in range(1, 11):
        name = "Red 1" if velocity < 10 else "Red 2"
        stage.scene({name: ((12, 6), 0, velocity)})
        stage.turn(f"driver of {name}")
        stage.do("move", Wished(side_of=[3]), corners=[0] * velocity)
        stage.rest()
    for velocity in range(11, max(CRASHES) + 1):
        rammer, met = math.ceil(velocity / 2), velocity // 2
        stage.scene({"Red 1": ((5, 6), 0, rammer), "Blue 1": ((6, 6), 4, met)})
        stage.do("move", corners=[0] * rammer)
        stage.rest()
    for facing, met in ((2, 0), (6, 3), (0, 1), (1, 4), (3, 2), (2, 1)):
        stage.scene({"Red 1": ((5, 6), 0, 4), "Blue 1": ((6, 6), facing, met)})
        stage.do("move", Wished(side_of=[{(2, 0): 1, (6, 3): 4}.get((facing, met), 8)]), corners=[0] * 4)
        stage.rest()
    for start, facing in (((5, 8), 0), ((5, 7), 1), ((5, 10), 0)):
        stage.scene({"Red 1": (start, facing, 2)})
        stage.do("move", corners=[0, 0])
        stage.rest()
    stage.scene({"Red 1": ((5, 5), 0, 2), "Blue 2": ((6, 5), 0, 0)}, Blue_2={"wreck": True})
    stage.do("move", corners=[0, 0])
    stage.rest()
    return ended(stage)


HIT_ORDER: tuple[tuple[str, str, Sequence[int]], ...] = (
    ("Van", "front", (1, 2, 3, 4, 5, 6, 7, 8)), ("Van", "centre", (5, 6, 7, 4, 2, 3, 1, 8)),
    ("Van", "rear", (1, 2, 3, 4, 5, 6, 7, 8)), ("Bike", "front", (1, 2, 3, 4, 7, 8, 5, 6)),
    ("Bike", "centre", (1, 2, 3, 4, 5, 6)), ("Bike", "centre", (6, 7, 8, 1, 2, 3, 4)),
    ("Bike", "rear", (1, 2, 3, 4, 6, 7, 5, 8)),
)  # fmt: skip
"""Rows of the Hit Location Table of each section, in an order in which all are rolled before it is gone."""

FACED = {"front": (4, "front"), "centre": (2, "left centre"), "rear": (0, "rear")}
"""How the target faces for that section to be hit, and what is aimed at."""


def shots() -> Match[GameState]:
    """Every row of every Hit Location Table; areas at 45°; within trees; a tank, a Turret that goes off."""
    rocket = {"mount": "front pod", "weapon": ROCKET, "line": 0}
    stage = Stage(
        vehicle("Red 1", "Saloon", front_pod=ROCKET), vehicle("Red 2", "Bike", front_pod="Machine-gun"),
        vehicle("Blue 1", "Van", turret="Machine-gun"), vehicle("Blue 2", "Bike"),
    )  # fmt: skip
    hits = {"to_hit": [8] * 9, "damage_of": [8] * 9}
    for type_, section, faces in HIT_ORDER:
        target = "Blue 1" if type_ == "Van" else "Blue 2"
        facing, aim = FACED[section]
        stage.scene({"Red 1": ((4, 6), 0, 0), target: ((5, 6), facing, 0)}, **stage.bare(target))
        stage.do("pivot")
        stage.fire(Wished(**hits, hit_location=[*faces, *faces]), aim, target=target, **rocket)
        stage.rest()
    for facing in (1, 3, 5, 7):
        stage.scene({"Red 1": ((4, 6), 0, 0), "Blue 1": ((6, 6), facing, 0)})
        stage.do("pivot")
        parts = stage.option("fire", target="Blue 1", **rocket).form.fields["aim"].candidates
        stage.fire(Wished(to_hit=[8, 8], damage_of=[2, 3]), parts[-1].value, target="Blue 1", **rocket)
        stage.rest()
    # A Rocket into the loaded Turret: two of the rounds go off.
    stage.scene({"Red 1": ((4, 6), 0, 0), "Blue 1": ((5, 6), 2, 0)}, **stage.bare("Blue 1"))
    stage.do("pivot")
    dice = Wished(to_hit=[8, 8], damage_of=[2, 2], hit_location=[7], ammunition=[8, 7, 6], direction=[3, 5])
    stage.fire(dice, "left centre", target="Blue 1", **rocket)
    stage.rest()
    # Another misses and hits what is beyond; one goes into a loaded Pod, without a computer, out of which its
    # round goes off at whoever fired.
    stage.scene({"Red 1": ((1, 6), 0, 0), "Blue 2": ((8, 6), 4, 0), "Blue 1": ((10, 6), 4, 0)})
    stage.do("pivot")
    stage.fire(Wished(to_hit=[1, 1, 8, 8]), "front", target="Blue 2", **rocket)
    stage.rest()
    parts = stage.fresh["vehicles"]["Blue 2"]["components"]
    loaded = [
        p
        | {"rounds": ["Machine-gun"] * (p["name"] == "front pod")}
        | ({"hits": 2} if p["sort"] == "special" else {})
        for p in parts
    ]
    bike = stage.bare("Blue 2")["Blue_2"] | {"components": loaded}
    stage.scene({"Red 1": ((4, 6), 0, 0), "Blue 2": ((5, 6), 4, 0)}, Blue_2=bike)
    stage.do("pivot")
    dice = Wished(to_hit=[8, 8], damage_of=[1, 1], hit_location=[3], ammunition=[8])
    stage.fire(dice, "front", target="Blue 2", **rocket)
    stage.rest()
    # Its tank.
    stage.scene({"Red 1": ((4, 6), 0, 0), "Blue 2": ((5, 6), 0, 0)}, **stage.bare("Blue 2"))
    stage.do("pivot")
    dice = Wished(to_hit=[8, 8], damage_of=[1, 1], hit_location=[6], fuel_tank=[8])
    stage.fire(dice, "rear", target="Blue 2", **rocket)
    stage.rest()
    # Two bikes in one wood, and smoke between.
    stage.put(("terrain",), [
        {"name": "Trees 1", "kind": "trees", "cell": [4, 6], "size": [3, 1], "markers": 0},
    ])  # fmt: skip
    stage.scene({"Red 2": ((4, 6), 0, 0), "Blue 2": ((5, 6), 4, 0)}, [(SMOKE, (5, 6))])
    stage.turn("driver of Red 2")
    stage.do("pivot")
    stage.fire(Wished(to_hit=[8]), target="Blue 2")
    stage.rest()
    return ended(stage)


def on_foot() -> Match[GameState]:
    """Every rule of Pedestrians: out, through counters, into cover, fired at, over, into another vehicle."""
    stage = Stage(
        vehicle("Red 1", "Saloon", front_pod="Machine-gun"), vehicle("Red 2", "Van"),
        vehicle("Blue 1", "Van", turret="Machine-gun"), vehicle("Blue 2", "Saloon"),
    )  # fmt: skip
    # Hits already received stay; counters do nothing to who walks through them; 2 points a turn.
    stage.scene({"Red 1": ((2, 6), 0, 0)}, [(kind, (3 + k, 6)) for k, kind in enumerate(PASSIVES)])
    stage.put(("people", 0, "hits"), 1)
    stage.do("leave")
    for cell in ((4, 6), (6, 6)):
        stage.rest()
        afoot(stage)
        stage.do("walk", point=stage.point(cell))
    stage.do("done")
    stage.rest()
    # Into a building, and from it at a vehicle whichever way; the building takes what is fired back.
    stage.put(("terrain",), [
        {"name": "Building 1", "kind": "building", "cell": [7, 6], "size": [1, 1], "markers": 0},
        {"name": "Trees 1", "kind": "trees", "cell": [9, 3], "size": [2, 1], "markers": 0},
    ])  # fmt: skip
    stage.put(("vehicles", "Blue 1", "cell"), [7, 8])
    afoot(stage)
    stage.do("walk", point=stage.point((7, 6)))
    stage.fire(Wished(to_hit=[8], damage_of=[3]), target="Blue 1")
    stage.rest()
    # Out again, onto a wreck and into trees.
    for cell in ((8, 5), (9, 4), (9, 3), (7, 4), (7, 6)):
        stage.put(("vehicles", "Red 2"), stage.state_of("Red 2") | {"cell": [9, 4], "wreck": True})
        afoot(stage)
        stage.do("walk", point=stage.point(cell))
        stage.rest()
    # Covered by 2 markers; the surplus is the driver's.
    revealed(stage)
    stage.turn("driver of Blue 1")
    stage.do("pivot")
    stage.fire(Wished(to_hit=[8], damage_of=[6]), target="Building 1")
    stage.rest()
    return on_foot_later(stage)


def revealed(stage: Stage) -> None:
    """Speed Counters of 0."""
    if stage.state.phase == "speed":
        for player in stage.state.order:
            if mine := stage.state.choosing(player):
                said = {f"speed_{k}": v.speed for k, v in enumerate(mine, start=1)}
                stage.match.seal(Action("speed", player, said), f"salt of {player}")


def afoot(stage: Stage) -> None:
    """The turn of Red's driver on foot."""
    revealed(stage)
    stage.turn("driver of Red 1")


def on_foot_later(stage: Stage) -> Match[GameState]:
    """The second half: within one wood, reloading, a dead driver's vehicle, run over, a wreck's cover."""
    place = {p["name"]: k for k, p in enumerate(stage.fresh["people"])}
    red, blue, other = (place[f"driver of {name}"] for name in ("Red 1", "Blue 1", "Blue 2"))

    def out(who: int, cell: Cell, **more: Any) -> None:
        stage.put(("people", who), stage.fresh["people"][who] | {"vehicle": None, "cell": list(cell)} | more)

    # Two on foot in one wood: -2 for a Pedestrian, -2 within it.
    stage.put(("vehicles", "Blue 1"), stage.fresh["vehicles"]["Blue 1"] | {"cell": [12, 8], "driver": None})
    stage.put(("vehicles", "Red 1", "driver"), None)
    out(red, (9, 3))
    out(blue, (10, 3))
    afoot(stage)
    stage.do("walk")
    stage.fire(Wished(to_hit=[8], damage_of=[8]), target="driver of Blue 1")
    stage.rest()
    # The rounds of a dead driver on the same point, and nothing is fired that turn.
    out(red, (9, 3), rounds=0)
    out(blue, (10, 3), dead=True, hits=3)
    afoot(stage)
    stage.do("walk", point=stage.point((10, 3)))
    stage.do("reload")
    stage.rest()
    # Onto a wreck with a loaded Turret, whose driver is dead: any occupant fires it.
    stage.put(("vehicles", "Blue 1", "cell"), [11, 3])
    stage.put(("vehicles", "Blue 1", "wreck"), True)
    afoot(stage)
    stage.do("walk", point=stage.point((11, 3)))
    stage.fire(Wished(to_hit=[8], damage_of=[3]), mount="turret")
    stage.rest()
    stage.put(("vehicles", "Blue 1", "wreck"), False)
    # A vehicle whose driver is dead is taken over, and one that its driver has left.
    afoot(stage)
    stage.do("board", vehicle="Blue 1")
    stage.rest()
    revealed(stage)
    stage.turn("driver of Red 1")
    stage.do("leave")
    stage.rest()
    stage.put(("vehicles", "Red 1", "cell"), [11, 4])
    afoot(stage)
    stage.do("board", vehicle="Red 1")
    stage.rest()
    # Run over: the driver is dead, the vehicle unharmed.
    stage.put(("vehicles", "Blue 2", "driver"), None)
    stage.put(
        ("vehicles", "Red 2"), stage.fresh["vehicles"]["Red 2"] | {"cell": [1, 1], "facing": 0, "speed": 2}
    )
    out(other, (2, 1))
    revealed(stage)
    stage.turn("driver of Red 2")
    stage.do("move", corners=[0, 0])
    stage.rest()
    return stage.match if stage.state.over else ended(stage)


EVENINGS = {
    "duel": 75, "driver_killed": 305, "tank": 310, "flames": 304, "ammunition": 80, "reloading": 72,
    "rams": 112, "bikes": 215,
}  # fmt: skip
"""Games of random players that show, together, every weapon, counter, kind of ram and cause of a skid."""


def evening(number: int) -> Match[GameState]:
    """Random players with what they drew in the arming builder."""
    chance, dice = random.Random(f"golden {number}"), SeededDice(f"golden {number}")
    match = Match.begin(GAME, random_setup(GAME, chance))
    while not match.state.over:
        step(match, chance, dice)
    return match


def given_up() -> Match[GameState]:
    """Three players with a building between them, of whom two give up."""
    match = begun(vehicle("Red 1", "Van"), vehicle("Blue 1", "Saloon"), vehicle("Gold 1", "Bike"))
    do(match, "build", kind="building", column=6, row=6, columns=2, rows=2)
    do(match, "start", (8, 5, 2))
    chance, dice = random.Random("given up"), SeededDice("given up")
    for _ in range(60):
        step(match, chance, dice)
    match.concede("Gold")
    for _ in range(30):
        step(match, chance, dice)
    match.concede("Blue")
    return match


GAMES: dict[str, Callable[[], Match[GameState]]] = {
    **{name: partial(evening, number) for name, number in EVENINGS.items()},
    "given_up": given_up, "skids": skids, "crashes": crashes, "shots": shots, "on_foot": on_foot,
}  # fmt: skip

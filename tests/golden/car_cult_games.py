"""The golden games of Car Cult."""

from __future__ import annotations

from engine.game.match import Match
from engine.games.car_cult.state import GameState
from tests.engine.games.car_cult.playing import activated, begun, car, do, offered
from tests.golden import to_the_end


def duel() -> Match[GameState]:
    """Two cars: every stage of an attack, rerolls, the Fixer, down shift, undo; then to the end."""
    match = begun(
        car("Red 1", "Straight Five", "Gutsy Gunner", "Fanatical Fixer", "Rifle", "Cannon", armour=2),
        car("Blue 1", "Quick Four", "Dangerous Driver", "Machine Gun", "Flamethrower", armour=1),
        tokens={"Red 1": 2, "Blue 1": 3},
    )
    activated(match, "Dangerous Driver · 1", "Machine Gun · 1")
    do(match, "declare", weapon="Machine Gun", target="Red 1")
    do(match, "fire", (9, 2, 13), reach="yes")
    do(match, "move", car="Blue 1", inches=12.0)
    do(match, "done")
    do(match, "shift", (4,), tokens=2)
    zones = ["Gutsy Gunner · 1", "Gutsy Gunner · 2", "Fanatical Fixer · 1", "Rifle · 1", "Cannon · 1"]
    do(match, "allocate", zones=zones)
    do(match, "exchange", one="Straight Five · 5", other="Cannon · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    do(match, "fire", (3, 20), reach="yes")
    match.undo("Red")
    match.redo("Red")
    do(match, "reroll", (1,), die=0)
    do(match, "keep")
    while offered(match, "damage"):
        do(match, "damage", component=offered(match, "damage")[0].data["component"])
    return to_the_end(match, "golden duel 4")


def mines() -> Match[GameState]:
    """Mines and Rams, three players, Rough and Blocking terrain."""
    match = begun(
        car("Red 1", "Big Six", "Mines", "Rifle"),
        car("Blue 1", "Heavy Seven", "Reinforced Ram", "Cannon"),
        car("Gold 1", "Straight Five", "Reinforced Ram", "Flamethrower", armour=3),
        tokens={"Red 1": 3, "Blue 1": 2, "Gold 1": 1},
    )
    activated(match, "Mines · 1", "Mines · 2")
    do(match, "move", (9,), car="Red 1", inches=7.5, mines=2, rough=2.4)
    if offered(match, "damage"):
        do(match, "damage", component="Big Six")
    return to_the_end(match, "golden mines 10")


def cults() -> Match[GameState]:
    """Two cults of three cars, as they are dealt."""
    match = begun(
        car("Red 1", "Straight Five", "Gutsy Gunner", "Machine Gun", "Rifle", armour=2),
        car("Red 2", "Quick Four", "Dangerous Driver", "Cannon", armour=1),
        car("Blue 1", "Big Six", "Fanatical Fixer", "Flamethrower", "Mines"),
        car("Blue 2", "Heavy Seven", "Reinforced Ram", armour=4),
    )
    match.overrule(
        ("cars", "Red 2", "components", 0, "zones"), ["Speed", None, None, "Damage"], "hit", "Blue"
    )
    return to_the_end(match, "golden cults 2")


def wishes() -> Match[GameState]:
    """What the commenters wished for, with damage kept from the game before."""
    match = begun(
        car("Red 1", "Big Six", "Harpoon", "Turbo Booster", "Oil Slick", armour=1, damage=2),
        car("Blue 1", "Straight Five", "Missile Launcher", "Wheel Spikes", "Caltrops"),
        car("Red 2", "Quick Four", "Hand Grenade"),
        wishes=True, quiet=4, tokens={"Red 1": 3, "Blue 1": 2},
    )  # fmt: skip
    activated(match, "Oil Slick · 1", "Harpoon · 1")
    do(match, "boost", component="Turbo Booster")
    do(match, "move", car="Red 1", inches=15.0, oil=1)
    do(match, "declare", weapon="Harpoon", target="Blue 1")
    do(match, "fire", (2,), reach="yes")
    while offered(match, "damage"):
        do(match, "damage", component=offered(match, "damage")[0].data["component"])
    do(match, "done")
    activated(match, "Caltrops · 1", "Missile Launcher · 1")
    do(match, "move", car="Blue 1", inches=8.0, caltrops=1, into="Red 2")
    while offered(match, "damage"):
        do(match, "damage", component=offered(match, "damage")[0].data["component"])
    do(match, "declare", weapon="Missile Launcher", target="Red 1")
    do(match, "fire", (1,), reach="yes")
    do(match, "done")
    activated(match, "Hand Grenade · 1")
    do(match, "declare", weapon="Hand Grenade", target="Blue 1")
    do(match, "fire", (9,), reach="yes")
    return to_the_end(match, "golden wishes 3")


GAMES = {"duel": duel, "mines": mines, "cults": cults, "wishes": wishes}

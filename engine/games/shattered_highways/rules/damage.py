"""Hit points, and what becomes of a vehicle that has none left."""

from __future__ import annotations

from collections.abc import Iterable

from engine.game.dice import Want
from engine.games.shattered_highways.book.data import MOVED, TENACITY, Part, cite
from engine.games.shattered_highways.rules.modifiers import HIDDEN, rolls_for
from engine.games.shattered_highways.state.fold import Modifier, Play
from engine.games.shattered_highways.state.game_state import Duty, Vehicle, Warrior

DESTROYED = cite("Destroyed!")
HIDDEN_BUGGY = cite("Rig-only Add-ons", "Hidden Buggy")
EDGE = cite("Move")


def harm(
    play: Play, name: str, amount: int, cause: str, citation: str, *,
    part: Part = "", modifiers: Iterable[Modifier] = (),
) -> None:  # fmt: skip
    """Damage to a vehicle, with the modifiers that count for it, and what follows.

    Damage to a Rig is split between its halves unless it is to one `part`; the odd point is the trailer's.
    """
    vehicle = play.state.vehicle(name)
    if not vehicle.in_play:
        return
    for modifier in modifiers if amount > 0 else ():
        play.modified(modifier, f"damage to {name}", name)
        amount += modifier.by
    if amount <= 0:
        return
    hits, trailer = _left(vehicle, amount, part)
    left = f"{hits} left" if trailer is None else f"tractor {hits} and trailer {trailer} left"
    play.tell(
        "damaged", f"{name} takes {amount} damage from {cause}, {left}", citation,
        vehicle=name, amount=amount, part=part, hits=hits, trailer=trailer, cause=cause,
    )  # fmt: skip
    if hits == 0:
        destroy(play, name)
    elif trailer == 0 and vehicle.trailer:
        words = f"the trailer of {name} is destroyed: it has to be decoupled"
        play.tell("trailer lost", words, DESTROYED, vehicle=name)


def _left(vehicle: Vehicle, amount: int, part: Part) -> tuple[int, int | None]:
    """The hit points that are left; what one half of a Rig cannot take is lost (house default)."""
    if not vehicle.trailer or part == "tractor":
        return max(0, vehicle.hits - amount), vehicle.trailer
    if part == "trailer":
        return vehicle.hits, max(0, vehicle.trailer - amount)
    return max(0, vehicle.hits - amount // 2), max(0, vehicle.trailer - (amount + 1) // 2)


def destroy(play: Play, name: str) -> None:
    """It is destroyed: who is on it may leap, who drives behind it has to veer."""
    play.tell(
        "gone", f"{name} is destroyed", DESTROYED, vehicle=name, status="destroyed", hits=0,
    )  # fmt: skip
    _hidden_breaks_out(play, name)
    _abandon(play, name, "", DESTROYED)


def wreck_trailer(play: Play, name: str) -> None:
    """A decoupled trailer falls back as a wreck of its own."""
    on_it = [w.name for w in play.state.aboard(name, "trailer")]
    play.tell("uncoupled", f"the trailer of {name} falls back", DESTROYED, vehicle=name)
    _hidden_breaks_out(play, name)
    for who in on_it:
        play.tell(
            "seated", f"{who} clings to the wreck of the trailer", DESTROYED,
            warrior=who, vehicle=name, seat=None, part="trailer", changed=False,
        )  # fmt: skip
    _abandon(play, name, "trailer", DESTROYED)


def _abandon(play: Play, name: str, part: Part, citation: str) -> None:
    """Leaps off a wreck, or a part of it, and the drivers behind it."""
    others = play.state.in_play() if part else play.state.in_play(name)
    for warrior in play.state.aboard(name, part):
        if not others:
            leave(play, warrior.name, f"{warrior.name} is left with the wreck", citation)
            continue
        duty = Duty("leap", name, citation, by=warrior.owner, warrior=warrior.name, part=part)
        play.owe(duty, f"{warrior.name} may leap off {name}")
    if play.state.in_play(name):
        play.owe(Duty("wreck", name, citation, part=part), f"who is straight behind {name} has to veer")


def _hidden_breaks_out(play: Play, rig: str) -> None:
    """The Buggy in a destroyed Rig leaves it with a Drive roll at −1, or is destroyed with it."""
    for buggy in [v for v in play.state.vehicles if v.hidden_in == rig and v.status == "hidden"]:
        driver = play.state.driver(buggy.name)
        if driver is not None:
            rolled = play.uncontested(rolls_for(driver, HIDDEN), f"Drive, {MOVED}+", HIDDEN_BUGGY)
            if rolled.total >= MOVED:
                launched(play, buggy.name, rig)
                continue
        drop(play, buggy.name, f"{buggy.name} is destroyed with {rig}", HIDDEN_BUGGY, "destroyed")


def launched(play: Play, name: str, rig: str) -> None:
    """A Hidden Buggy drives out of its trailer."""
    play.tell("launched", f"{name} leaves the trailer of {rig}", HIDDEN_BUGGY, vehicle=name, other=rig)
    duty = Duty("deployed", name, HIDDEN_BUGGY, by=play.state.vehicle(name).control, other=rig)
    play.owe(duty, f"{name} is put down behind {rig}")


def drop(play: Play, name: str, words: str, citation: str, status: str = "gone") -> None:
    """A vehicle is out of the fight with everybody on it, and with a Buggy that is hidden in it."""
    hits = 0 if status == "destroyed" else play.state.vehicle(name).hits
    play.tell("gone", words, citation, vehicle=name, status=status, hits=hits)
    for warrior in play.state.aboard(name):
        leave(play, warrior.name, f"{warrior.name} is out of the fight with {name}", citation)
    for buggy in [v for v in play.state.vehicles if v.hidden_in == name and v.status == "hidden"]:
        drop(play, buggy.name, f"{buggy.name} is left behind in {name}", citation, status)


# Warriors

WARRIORS = cite("Warriors")
FODDER = cite("Cannon Fodder")
HEROES = cite("Heroes")


def wound(play: Play, name: str, amount: int, cause: str) -> None:
    """More damage than their Tenacity and they are out; a hero's is 2D6, rolled for each attack."""
    warrior = play.state.warrior(name)
    if warrior.out:
        return
    tenacity, rule = TENACITY, FODDER
    if warrior.hero:
        wants = [Want(6, f"Tenacity of {name}", by=warrior.owner)] * 2
        tenacity, rule = sum(roll.value for roll in play.rolls(wants, HEROES, [warrior.vehicle])), HEROES
    words = f"{amount} damage from {cause} against Tenacity {tenacity}"
    if amount > tenacity:
        leave(play, name, f"{name} is too injured to fight: {words}", rule)
        return
    play.tell(
        "shrugged", f"{name} shrugs it off: {words}", rule,
        warrior=name, amount=amount, tenacity=tenacity,
    )  # fmt: skip


def leave(play: Play, name: str, words: str, citation: str) -> None:
    """A warrior is out of the fight for good."""
    warrior: Warrior = play.state.warrior(name)
    play.tell("out", words, citation, warrior=name, vehicle=warrior.vehicle)

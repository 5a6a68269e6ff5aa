"""What a driver may do, as options: Move and what it becomes, Ram again, decouple, drive a Buggy out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from engine.game.contract import Option, Reckoned, Seen
from engine.game.forms import Fact, Form, Input
from engine.game.kit.table import path
from engine.games.shattered_highways.acts.moving import MOVE
from engine.games.shattered_highways.book.data import MOVED, STAYS, UNCOUPLED
from engine.games.shattered_highways.page.offers import Dust, dust, edge, halves, side, vehicles
from engine.games.shattered_highways.rules.damage import DESTROYED, HIDDEN_BUGGY, drives, rolls_for
from engine.games.shattered_highways.rules.striking import NUDGE, RAM
from engine.games.shattered_highways.state import GameState, Roller, Turn, Vehicle, Warrior
from engine.ruling import signed


def chance(roller: Roller, needed: int) -> Fact:
    """How likely a die with its modifiers shows so much, as a figure.

    >>> chance(Roller("Ann's fodder 1"), 4)
    Fact(words='50 %', more='4+ on a D6')
    """
    least = needed - sum(m.by for m in roller.modifiers)
    wins = min(roller.sides, max(0, roller.sides + 1 - least))
    more = f"{needed}+ on a D{roller.sides}"
    extra = sum(m.by for m in roller.modifiers)
    return Fact(f"{100 * wins / roller.sides:.0f} %", more + (f" {signed(extra)}" if extra else ""))


def odds(
    rolls: Callable[[Mapping[str, Any]], Roller],
    needed: int,
    dust: Dust,
    worst: Callable[[Roller], str] | None = None,
) -> tuple[Fact, ...]:
    """The chance as it is without another word, and where Drag Chains may change it the other one, too.

    `rolls` is who rolls, given what is said of the dust; `worst` says when it goes wrong.

    >>> one = lambda said: rolls_for(Warrior("Ann's fodder 1", "Ann", "Red 1"), data=said)
    >>> [(fact.words, fact.more) for fact in odds(one, 4, Dust(possible=True))]
    [('50 %', '4+ on a D6'), ('33 %', '4+ on a D6 −1 behind Drag Chains')]
    """
    usual, roller = chance(rolls(dust.data), needed), rolls(dust.otherwise.data)
    if not dust.possible or roller == rolls(dust.data):
        return (usual,)
    other = chance(roller, needed)
    where = "clear of Drag Chains" if dust.there else "behind Drag Chains"
    more = f"{other.more} {where}" + (f", {worst(roller)}" if worst is not None else "")
    return usual, Fact(other.words, more)


def at_the_worst(roller: Roller) -> str:
    """On which dice it goes wrong: a 1, and with what takes off as many more.

    >>> at_the_worst(Roller("Ann's fodder 1"))
    'a 1'
    """
    less = max(-sum(m.by for m in roller.modifiers), 0)
    return f"1 to {STAYS - 1 + less}" if less else "a 1"


def reckoned(roller: Roller, needed: int, citation: str, damage: str) -> tuple[Reckoned, ...]:
    """How the odds of a roll come about: what has to show, what modifies it, and what a success does."""
    odds = chance(roller, needed)
    return (
        Reckoned(f"{needed}+", f"on the D{roller.sides} of {roller.who}", citation),
        *(Reckoned(signed(m.by), m.words, m.citation) for m in roller.modifiers),
        Reckoned(odds.words, f"to hit: {odds.more}", citation),
        Reckoned(damage, "damage on a hit", citation),
    )


def _stays(roller: Roller) -> str:
    """On which dice a Move that fails stays where it is, and on which it is Lost Control.

    >>> _stays(Roller("Ann's fodder 1"))
    '2 stays, 1 is Lost Control'
    """
    less = -sum(m.by for m in roller.modifiers)
    return f"{STAYS + less} stays, {at_the_worst(roller).removeprefix('a ')} is Lost Control"


def ready(state: GameState, turn: Turn, known: Dust) -> list[Option]:
    """Before the vehicle is driven."""
    vehicle = state.vehicle(turn.vehicle)
    found = _launch(state, turn) if not turn.late else []
    if vehicle.dragging and not turn.tried:
        found.append(_decouple(state, turn, vehicle, known))
    driver = state.driver(vehicle.name)
    mine = driver is not None and driver.owner == turn.hands and not driver.acted
    if driver is None or not mine or turn.driven or vehicle.dragging:
        return found
    rolls = partial(_rolls, driver)
    stays = "its last chance to get back" if turn.late else _stays(rolls(known.data))
    found.append(
        Option(
            "move",
            turn.hands,
            "Move" if not turn.late else "Move back onto the road",
            stays,
            heading=f"{driver.name} drives {vehicle.name}",
            data={"vehicle": vehicle.name},
            form=Form(dust(known)),
            citation=MOVE,
            piece=vehicle.name,
            facts=odds(rolls, MOVED, known, None if turn.late else _stays),
            main=True,
        )
    )
    for other in _against(state, vehicle.name) if not turn.late else ():
        found.append(_ram_again(state, turn, driver.name, other, known))
    return found


def _rolls(warrior: Warrior, said: Mapping[str, Any]) -> Roller:
    return rolls_for(warrior, data=said)


def _against(state: GameState, name: str) -> list[str]:
    """Those against which a vehicle stands since a Ram."""
    there = [a if b == name else b for a, b in state.locked if name in (a, b)]
    return [other for other in there if state.vehicle(other).in_play]


def _ram_again(state: GameState, turn: Turn, driver: str, other: str, known: Dust) -> Option:
    vehicle = state.vehicle(turn.vehicle)
    fields: dict[str, Input] = {"side": side(), **_halves(state, vehicle, (other,))}
    return Option(
        "ram",
        turn.hands,
        f"Ram {other} again",
        "without a Move, as they stand",
        heading=f"{driver} drives {vehicle.name}",
        data={"vehicle": vehicle.name, "warrior": driver, "targets": [other]},
        form=Form(fields | dust(known)),
        citation=RAM,
        piece=other,
    )


def _decouple(state: GameState, turn: Turn, vehicle: Vehicle, known: Dust) -> Option:
    def rolls(said: Mapping[str, Any]) -> Roller:
        return drives(state, vehicle.name, data=said)

    return Option(
        "decouple",
        turn.hands,
        "Decouple the trailer",
        f"{UNCOUPLED}+, else {vehicle.name} counts as unmanned",
        data={"vehicle": vehicle.name},
        form=Form(dust(known)),
        citation=DESTROYED,
        piece=vehicle.name,
        facts=odds(rolls, UNCOUPLED, known),
        main=True,
    )


def _launch(state: GameState, turn: Turn) -> list[Option]:
    found = []
    for buggy in state.vehicles:
        driver = state.driver(buggy.name)
        inside = buggy.status == "hidden" and buggy.hidden_in == turn.vehicle
        if inside and driver is not None and not driver.acted and driver.owner == turn.hands:
            found.append(
                Option(
                    "launch",
                    turn.hands,
                    f"Drive {buggy.name} out",
                    heading="Hidden Buggy",
                    data={"vehicle": buggy.name, "rig": turn.vehicle},
                    citation=HIDDEN_BUGGY,
                    piece=buggy.name,
                    facts=(chance(rolls_for(driver), MOVED),),
                )
            )
    return found


# While a Move is under way


def moving(state: GameState, turn: Turn, seen: Seen, known: Dust) -> list[Option]:
    """A Move has succeeded: it is made, or becomes a Nudge or a Ram on the way."""
    vehicle = state.vehicle(turn.vehicle)
    box = "4 in × 6 in" if vehicle.is_rig else "4 in × 9 in"
    found = [
        Option(
            "moved",
            turn.hands,
            "The Move is made",
            heading=f"Move {vehicle.name}",
            heading_more=f"Its front bumper stays within the template ({box}), on a clear path.",
            data={"vehicle": vehicle.name},
            form=Form({"move": path(seen, vehicle.name), "edge": edge()}),
            citation=MOVE,
            piece=vehicle.name,
            main=True,
        )
    ]
    others = state.in_play(vehicle.name)
    if not others:
        return found
    if not turn.nudged:
        found.append(_strike(state, turn, seen, "nudge", known))
    found.append(_strike(state, turn, seen, "ram", known))
    return found


def _strike(state: GameState, turn: Turn, seen: Seen, kind: str, known: Dust) -> Option:
    """A Nudge or a Ram in the course of a Move."""
    vehicle = state.vehicle(turn.vehicle)
    others = state.in_play(vehicle.name)
    most = len(others) if vehicle.is_rig else 1
    fields: dict[str, Input] = {
        "targets": vehicles("Whom", others, most=most, harms=turn.hands),
        "side": side(),
        **_halves(state, vehicle, tuple(v.name for v in others)),
        **dust(known),
    }
    if kind == "ram":
        fields |= {"move": path(seen, vehicle.name), "edge": edge()}
    more = "before it is moved any further" if kind == "nudge" else "up against it; the Move ends there"
    return Option(
        kind,
        turn.hands,
        kind.capitalize(),
        more,
        heading=f"In the way of {vehicle.name}",
        heading_more="A Rig's side may strike several at once." if most > 1 else "",
        data={"vehicle": vehicle.name},
        form=Form(fields),
        citation=NUDGE if kind == "nudge" else RAM,
        piece=vehicle.name,
    )


def _halves(state: GameState, vehicle: Vehicle, others: tuple[str, ...]) -> dict[str, Input]:
    """Which halves of Rigs touch, where there are Rigs."""
    theirs = halves([state.vehicle(n) for n in others], "part", "Of their Rig")
    return theirs | halves([vehicle], "own_part", f"Of {vehicle.name}")

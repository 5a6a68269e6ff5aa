"""Missile weapons: the roll to hit, what is hit beyond a miss, the damage, and stray rounds."""

from __future__ import annotations

from dataclasses import dataclass

from engine.boards.board import Cell
from engine.games.battlecars.book import data as book
from engine.games.battlecars.book.data import Weapon
from engine.games.battlecars.rules.damage import Stray, any_area, hurt, mark, strike
from engine.games.battlecars.rules.lines import Target, along, incoming
from engine.games.battlecars.state import GameState, Play, the
from engine.ruling import many, signed

FIRING = book.cite("Firing")
NOMINATE = book.cite("Game Turn", "Nominate Target")
DISCARD = book.cite("Game Turn", "Fire Weapon")
TO_HIT = book.cite("Game Turn", "Check to Hit")
COMPUTING = book.cite("Game Turn", "Check to Hit")
SMOKY = book.cite("Weapons", book.SMOKE)
ON_FOOT = book.cite("Pedestrians")
DAMAGE = book.cite("Game Turn", "Calculate and Record Damage")
BEYOND = book.cite("Firing")

HARM = ("bad", "loss")
"""The tones in which harm is told."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One round: who rolls, what it is fired from and where, along which facing, at which area."""

    by: str
    source: str
    cell: Cell
    weapon: Weapon
    line: int
    aim: str | None = None
    computed: bool = False
    bike: bool = False


@dataclass(frozen=True, slots=True)
class Modifier:
    """What is added to the roll to hit."""

    words: str
    by: int
    citation: str


def modifiers(state: GameState, cell: Cell, target: Target, *, computed: bool) -> tuple[Modifier, ...]:
    """Gunnery Computer, smoke, a Pedestrian, and whoever fires from within the same building or trees."""
    found = []
    if computed:
        found.append(Modifier(book.COMPUTER, book.COMPUTED, COMPUTING))
    if target.smoked:
        found.append(Modifier("through smoke", book.SMOKED, SMOKY))
    if target.sort == "driver":
        found.append(Modifier("a Pedestrian", book.AT_PEDESTRIAN, ON_FOOT))
    inside, there = state.terrain_at(cell), state.terrain_at(target.cell)
    small = target.sort == "driver" or (target.sort == "vehicle" and state.vehicle(target.name).bike)
    if inside is not None and inside == there and small:
        found.append(Modifier(f"within {inside.name}", book.WITHIN, ON_FOOT))
    return tuple(found)


def needed(target: Target, found: tuple[Modifier, ...]) -> int:
    """What the range dice have to come to: the range less the modifiers."""
    return target.range - sum(m.by for m in found)


def fire(play: Play, shot: Shot) -> None:
    """A round goes along its line: at the nearest target, and past each that it misses at the next.

    What is hit beyond is rolled for anew (house default). Rounds that detonate go off after it.
    """
    line = along(play.state, shot.cell, shot.line, bike=shot.bike)
    for k, target in enumerate(line.targets):
        if k and not _there(play.state, target):
            continue
        if _hits(play, shot, target, beyond=k > 0):
            for stray in _struck(play, shot, target, aim=shot.aim if k == 0 else None):
                go_off(play, stray)
            return


def go_off(play: Play, stray: Stray) -> None:
    """A round that detonated flies along its line."""
    vehicle = play.state.vehicle(stray.vehicle)
    assert vehicle.cell is not None
    fire(play, Shot(vehicle.owner, vehicle.name, vehicle.cell, book.WEAPONS[stray.weapon], stray.line))


def _there(state: GameState, target: Target) -> bool:
    """Whether a target is still where it was."""
    if target.sort == "driver":
        person = state.person(target.name)
        return not person.dead and state.place_of(person) == target.cell
    return True


def _hits(play: Play, shot: Shot, target: Target, *, beyond: bool) -> bool:
    found = modifiers(play.state, shot.cell, target, computed=shot.computed)
    for m in found:
        words = f"{shot.weapon.name} at {the(target.name)}: {signed(m.by)}, {m.words}"
        play.tell("modified", words, m.citation, target=target.name, by=m.by, why=m.words)
    why = f"{shot.source}, {shot.weapon.name} at {target.name} ({shot.weapon.reach} to hit)"
    reach = shot.weapon.reach
    roll = reach.of(play.d8(why, TO_HIT, shot.by, (target.name,), reach.dice))
    least = needed(target, found)
    hit = roll >= least
    any_roll = least <= reach.dice + reach.more
    need = f"{roll}, {'any roll hits' if any_roll else f'{max(least, 0)} or more needed'}"
    if not reach.dice:
        need = f"it reaches {many(max(roll + target.range - least, 0), 'point')},"
    came = f"{'hits' if hit else 'misses'} {the(target.name)}: {need} at range {target.range}"
    play.tell(
        "hit" if hit else "missed", f"the {shot.weapon.name} {came}", BEYOND if beyond else TO_HIT,
        target=target.name, weapon=shot.weapon.name, roll=roll, needed=least, range=target.range,
        beyond=beyond,
    )  # fmt: skip
    return hit


def _struck(play: Play, shot: Shot, target: Target, aim: str | None) -> list[Stray]:
    """The damage, less the range, to what was hit."""
    formula, told = shot.weapon.damage, len(play.events)
    less = f", less {target.range}" if target.range else ""
    why = f"damage of the {shot.weapon.name} ({formula}{less})"
    dice = play.d8(why, DAMAGE, shot.by, (target.name,), formula.dice)
    points = max(formula.of(dice) - target.range, 0)
    strays = _harmed(play, shot, target, points, aim)
    if not any(event.tone in HARM for event in play.events[told:]):
        came = str(formula.of(dice)).replace("-", "−")
        why = f"{formula} came to {came}{less}{' for the range' * bool(less)}"
        play.add_words(told - 1, f"; no damage: {'nothing of it is left' if points else why}")
    return strays


def _harmed(play: Play, shot: Shot, target: Target, points: int, aim: str | None) -> list[Stray]:
    """What so many points do to what was hit."""
    if target.sort == "driver":
        if points:
            hurt(play, play.state.person(target.name), points, ON_FOOT)
        return []
    if target.sort in ("terrain", "wreck"):
        mark(play, target.name, points, target.cell)
        return []
    vehicle = play.state.vehicle(target.name)
    come = incoming(vehicle, shot.line)
    area = aim or any_area(play, vehicle, come, shot.by)
    return strike(play, vehicle.name, area, come, points, shot.weapon, shot.by, shot.weapon.citation)

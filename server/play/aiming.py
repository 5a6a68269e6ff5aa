"""Every target of the car whose turn it is: how it stands, what is needed, and what it would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.events import Action, Reason
from engine.games.white_line_fever.acts.shooting import added, modifiers, mounted
from engine.games.white_line_fever.book.data import RAILGUN_NEXT
from engine.games.white_line_fever.book.weapons import Weapon
from engine.games.white_line_fever.game import GAME
from engine.games.white_line_fever.rules.shot_facts import Facts, facts
from engine.games.white_line_fever.rules.shot_rule import rule_shot
from engine.games.white_line_fever.state.game_state import Car, GameState
from engine.games.white_line_fever.state.table_facts import in_play
from engine.ruling import Check
from engine.space.table import TableState, key_of

EIGHT = 8
"""Sides of the die that decides whether a shot hits."""


@dataclass(frozen=True)
class Odds:
    """What a shot promises: the number that the die has to show, and the chance of that.

    >>> odds_of(speed=4, accuracy=1, damage=2)
    Odds(needed=3, chance=0.75, damage=2, expected=1.5)
    """

    needed: int
    chance: float
    damage: int
    expected: float


def odds_of(speed: int, accuracy: int, damage: int, besides: int = 0) -> Odds:
    """The odds of a D8 with this modifier against a target's Speed. `besides` is harm to others.

    >>> odds_of(speed=6, accuracy=-1, damage=1).needed, odds_of(speed=1, accuracy=2, damage=1).chance
    (7, 1.0)
    """
    needed = speed - accuracy
    chance = min(max((EIGHT + 1 - needed) / EIGHT, 0.0), 1.0)
    return Odds(needed, chance, damage, chance * (damage + besides))


def shots(state: GameState, table: TableState | None) -> list[dict[str, Any]] | None:
    """Every shot of the round's car at every enemy in play, lawful or not, the best first.

    None while no car may shoot. Each holds `weapon`, `target`, `checks` (with verdicts, numbers in
    words, citations), `reasons` against it (`open`: for the players to settle), the modifiers and,
    by what they are applied to, the odds.
    """
    turn = state.round
    if state.over or state.duties or turn is None or turn.car is None or turn.stage != "free":
        return None
    car = state.car(turn.car)
    weapons = [mounted(car, name) for name in (car.primary, car.secondary)]
    found = [
        _shot(state, table, car, target, weapon)
        for weapon in weapons
        if weapon is not None and not weapon.droppable
        for target in state.driving()
        if target.owner != car.owner
    ]
    return sorted(found, key=lambda s: (bool(s["reasons"]), not s["open"], -s["best"]))


def _shot(
    state: GameState, table: TableState | None, car: Car, target: Car, weapon: Weapon
) -> dict[str, Any]:
    action = Action("shoot", None, {"weapon": weapon.name, "target": target.name})
    try:
        reasons = GAME.check(state, action, Seen(table))
        checks = _checks(None if table is None else in_play(state, table), car, target, weapon)
        known = facts(state, action, table, car, target, weapon)
    except TableRefError as error:
        # A piece that is no car by its file, say: the players can still type what they see.
        reasons, checks, known = (Reason(str(error), weapon.citation),), [], Facts(False, False)
    odds = {to: _odds(target, weapon, known, to) for to in ("accuracy", "damage")}
    return {
        "weapon": weapon.name,
        "hardpoint": weapon.hardpoint,
        "target": target.name,
        "owner": target.owner,
        "speed": target.speed,
        "lawful": not reasons,
        "open": bool(reasons) and all(r.open for r in reasons),
        "seen": bool(checks),
        "reasons": [{"words": r.words, "citation": r.citation, "open": r.open} for r in reasons],
        "checks": [_check_view(c) for c in checks],
        "band": _band(checks),
        "tailgate": known.tailgate,
        "reached": list(known.reached),
        "bursts": weapon.blast_radius is not None or weapon.pierces,
        "special": weapon.special,
        "odds": odds,
        "best": max(o["expected"] for o in odds.values()),
    }


def _checks(table: TableState | None, car: Car, target: Car, weapon: Weapon) -> list[Check]:
    names = {key_of(s.name) for s in table.standings} if table is not None else set()
    if table is None or not {key_of(car.name), key_of(target.name)} <= names:
        return []
    ruling = rule_shot(table, car.name, target.name, weapon.name, brand=car.brand)
    return [c for c in ruling.checks if c.name != "Enemy Car"]


def _check_view(check: Check) -> dict[str, Any]:
    return {
        "name": check.name,
        "role": check.role,
        "verdict": check.verdict.value,
        "number": round(check.number, 2),
        "words": check.words,
        "citation": check.citation,
    }


def _band(checks: list[Check]) -> str:
    """Short, maximum or out of range, as the table says it; a question mark where it is too close."""
    by_name = {c.name: c.verdict.value for c in checks}
    if by_name.get("Short Range") == "yes":
        return "short"
    if by_name.get("Maximum Range") == "no":
        return "out"
    sure = by_name.get("Short Range") == "no" and by_name.get("Maximum Range") == "yes"
    return "maximum" if sure else "?"


def _odds(target: Car, weapon: Weapon, known: Facts, apply_to: str) -> dict[str, Any]:
    mods = modifiers(weapon, known.short, known.tailgate, apply_to)
    damage = weapon.damage + added(mods, "damage")
    besides = (RAILGUN_NEXT if weapon.pierces else damage) * len(known.reached)
    odds = odds_of(target.speed, added(mods, "accuracy"), damage, besides)
    return {
        "needed": odds.needed,
        "chance": round(odds.chance, 4),
        "chance_words": f"{100 * odds.chance:.0f} %",
        "damage": odds.damage,
        "expected": round(odds.expected, 2),
        "modifiers": [m.words for m in mods],
    }

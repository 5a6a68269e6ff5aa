"""The Vehicle Creation Guide: a driving licence of one's own from the answers to its form.

The book has no points and no costs ("There is no 'points' system"). What it says of each factor is held: what
it calls usual is refused where it says so with a limit, the rest is left to the players.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from engine.errors import TableRefError
from engine.games.frothy_races.book import data as book
from engine.games.frothy_races.book.data import Effect, Licence, Row
from engine.ruling import many

OWN = "Own build"
"""The type of a vehicle that is built by the guide."""

RESILIENCE = ("as the base", "blank", "0", "1", "2")
"""The Resilience to choose from."""

MOST_TRAITS = 4
CARDS = (4, 12)
IN_A_ROUND, IN_A_PHASE = 12, 6

NUMBERED = (
    "Stamina", "Adaptive", "Rival", "Tireless", "Long Legs", "Lash", "Cautious", "Hyperactive", "Anchor",
    "Rubber Shoes", "Tight Leash", "Reckless", "Lazy", "Driver", "Handling", "Reactions", "Spinner",
    "Slippery", "Tank", "Persistent", "Blades", "Armoured", "Evasive", "Flimsy", "Cat O' Nine", "Frenzied",
    "Whiplash", "Shield", "Guarded", "Thin Skin", "B.S.H.", "Failsafes", "Spiked", "Jerry Rigged",
)  # fmt: skip
"""The traits with a '#'."""

PLAIN = (
    "Encouragement", "Beastmaster", "Champing at the Bit", "Flyer", "Leap", "Whitey", "Snapper", "Savage",
    "Fortune Smiles", "Unlucky Charm", "Sneaky", "Lady Luck", "Ill Fate",
)  # fmt: skip
"""The traits without one."""

TRAITS = (*NUMBERED, *PLAIN)
"""Every trait that the book suggests."""

DAMAGE_EFFECTS: Mapping[str, Effect] = {
    e.words: e
    for e in (
        Effect("control", 1), Effect("control a round", 1), Effect("resilience", 1), Effect("damage", 1),
        Effect("damage a round", 1), Effect("most acceleration", 3), Effect("most deceleration", 3),
        Effect("top", 4), Effect("random"), Effect("safe"), Effect("accelerating", -1),
        Effect("accelerating", 1), Effect("decelerating", -1), Effect("decelerating", 1), Effect("haste"),
        Effect("slow"), Effect("lose card", 1, "Whip"), Effect("lose card", 1, "Reins"),
        Effect("lose trait", 0, "its first Trait"),
    )
}  # fmt: skip
"""The permanent damage effects to choose from, by their words; "its first Trait" is named when built."""

ROWS = ("acceleration", "deceleration", "move_1", "move_2", "move_3", "move_4", "control", "stamina")
"""The rows of a licence that may be written anew, seven figures each."""

FIELDS = (
    "base", "resilience", "damage", "whip", "reins", "dual", "specials", "traits", "strength", "effects",
    "levels", "least_control", *ROWS,
)  # fmt: skip
"""The answers that the guide asks for."""


def build(said: Mapping[str, Any]) -> tuple[Licence, tuple[str, ...]]:
    """The licence of the answers, and why it may not be raced with; what is not answered is the base's.

    Raises `TableRefError` where an answer is none that the guide knows.

    >>> build({"base": "Chariot", "whip": 0, "reins": 2})[1]
    ('2 cards: expected 4 to 12',)
    """
    base = book.licence_called(_one(said.get("base") or "Chariot", tuple(book.LICENCES), "base"))
    given = {name: said[name] for name in FIELDS if said.get(name) is not None}
    rows = {name: _figures(given, name) for name in ROWS if name in given}
    short = tuple(
        f"{name.replace('_', ' ')}: expected {book.TOP + 1} figures"
        for name in rows
        if len(rows[name]) != book.TOP + 1
    )
    if short:
        return base, short
    strength = _figure(given, "strength", 1)
    traits = base.traits
    if "traits" in given:
        traits = tuple((t, strength if t in NUMBERED else 1) for t in _names(given, "traits", TRAITS))
    damage = _figure(given, "damage", base.damage)
    effects = base.effects
    if "effects" in given:
        levels = _figures(given, "levels") if given.get("levels") else ()
        effects = _levelled(_names(given, "effects", tuple(DAMAGE_EFFECTS)), levels, damage, traits)
    resilience = _one(given.get("resilience", RESILIENCE[0]), RESILIENCE, "resilience")
    kept = {RESILIENCE[0]: base.resilience, "blank": None}
    move = tuple(cast("Row", rows.get(f"move_{k + 1}", base.move[k])) for k in range(book.PHASES))
    one = replace(
        base,
        acceleration=cast("Row", rows.get("acceleration", base.acceleration)),
        deceleration=cast("Row", rows.get("deceleration", base.deceleration)),
        move=cast("tuple[Row, Row, Row, Row]", move),
        control=cast("Row", rows.get("control", base.control)),
        stamina=cast("Row", rows.get("stamina", base.stamina)),
        resilience=kept[resilience] if resilience in kept else int(resilience),
        damage=damage, effects=effects, whip=_figure(given, "whip", base.whip),
        reins=_figure(given, "reins", base.reins), dual=_figure(given, "dual", base.dual),
        specials=_names(given, "specials", tuple(book.SPECIALS)) if "specials" in given else base.specials,
        traits=traits, least_control=_figure(given, "least_control", base.least_control),
    )  # fmt: skip
    return one, refused(one)


def _levelled(
    words: Sequence[str], levels: Sequence[int], damage: int, traits: Sequence[tuple[str, int]]
) -> tuple[tuple[int, Effect], ...]:
    """The effects at their levels; without levels spread evenly over the track."""
    first = traits[0][0] if traits else ""
    found = [
        replace(e, names=first) if e.sort == "lose trait" else e for e in (DAMAGE_EFFECTS[w] for w in words)
    ]
    if levels and len(levels) != len(found):
        raise TableRefError(
            f"levels: expected one for each of {len(found)} damage effects but got {len(levels)}; "
            "give as many, or none to spread the effects evenly"
        )
    spread = [max(round((k + 1) * damage / (len(found) + 1)), 1) for k in range(len(found))]
    return tuple(zip(levels or spread, found, strict=True))


def _figure(given: Mapping[str, Any], name: str, usual: int) -> int:
    """A whole number; the usual one where none is given."""
    return _whole(given.get(name, usual), name)


def _figures(given: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """A row of whole numbers."""
    value = given[name]
    if not isinstance(value, list | tuple):
        raise TableRefError(f"{name}: expected a row of whole numbers but got {value!r}")
    return tuple(_whole(n, name) for n in value)


def _whole(value: object, name: str) -> int:
    """A whole number, also one in digits."""
    found = str(value).strip().replace("\N{MINUS SIGN}", "-")
    if isinstance(value, bool) or re.fullmatch(r"-?[0-9]{1,3}", found) is None:
        raise TableRefError(f"{name}: expected a whole number but got {value!r}; give one in digits")
    return int(found)


def _names(given: Mapping[str, Any], name: str, known: Sequence[str]) -> tuple[str, ...]:
    """A list of names that the book has."""
    value = given[name]
    if not isinstance(value, list | tuple):
        raise TableRefError(f"{name}: expected a list of names but got {value!r}")
    return tuple(_one(one, known, name) for one in value)


def _one(value: object, known: Sequence[str], name: str) -> str:
    """One of the names that the book has."""
    if value not in known:
        raise TableRefError(
            f"{name}: expected one of {', '.join(known)} but got {value!r}; choose one of them"
        )
    return str(value)


def refused(one: Licence) -> tuple[str, ...]:
    """What the guide has against a licence, all of it."""
    cards = one.whip + one.reins + one.dual + len(one.specials)
    totals, moving = one.totals, [sum(row[s] > 0 for row in one.move) for s in range(book.TOP + 1)]
    rows = (*one.move, one.control, one.acceleration, one.deceleration)
    held = (
        (CARDS[0] <= cards <= CARDS[1], f"{many(cards, 'card')}: expected {CARDS[0]} to {CARDS[1]}"),
        (len(one.traits) <= MOST_TRAITS, f"{len(one.traits)} traits: expected {MOST_TRAITS} at most"),
        (len(set(one.specials)) == len(one.specials), "a special card is named twice"),
        (all(name in book.SPECIALS for name in one.specials), "a special card that the book does not have"),
        (min(min(row) for row in rows) >= 0, "a figure below 0"),
        (min((*one.acceleration, *one.deceleration)) > 0, "every Speed needs a box in both rows"),
        (totals[0] == 0, f"{totals[0]} spaces at Speed 0: expected none"),
        (max(totals) <= IN_A_ROUND, f"{max(totals)} spaces in a round: expected {IN_A_ROUND} at most"),
        (
            max(max(row) for row in one.move) <= IN_A_PHASE,
            f"more than {IN_A_PHASE} spaces in a movement phase",
        ),
        (list(totals) == sorted(totals), f"spaces in a round fall with rising Speed: {list(totals)}"),
        (min(moving[1:]) > 0, "a Speed above 0 at which it does not move"),
        (one.control[0] == 0, "Speed 0 has to be a Safe Speed"),
        (list(one.control) == sorted(one.control), "Control dice fall with rising Speed"),
        (one.damage > 0, "the Damage value has to be above 0"),
        (
            all(1 <= level < one.damage for level, _ in one.effects),
            f"a damage effect beyond the levels 1 to {one.damage - 1}",
        ),
    )
    return tuple(words for right, words in held if not right)

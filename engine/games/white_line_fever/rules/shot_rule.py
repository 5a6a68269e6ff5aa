"""May this car shoot at that one, and with which modifiers (White Line Fever 0.9, Shoot Weapon)."""

from __future__ import annotations

import math
from dataclasses import replace

from shapely.geometry import LineString

from engine.errors import NotUsable, TableRefError
from engine.games.white_line_fever.book.weapons import BOOK, Weapon, weapon_called
from engine.measure import distances
from engine.measure.arcs import Arc
from engine.ruling import (
    Belief,
    Check,
    Measurement,
    Ruling,
    Verdict,
    Witness,
    left_open,
    make_check,
    plus_minus,
)
from engine.space.table import Standing, Status, TableState, key_of

TARGET = f"{BOOK} · Shoot Weapon · Target"
MODIFIERS = f"{BOOK} · Shoot Weapon · Modifiers"

HAND_REACH = 3.0
"""Inches round a held or lost piece's last place in which it may be by now (house default)."""

VENUS_RANGE = 2.0
"""Inches that the brand Venus adds to Short and Maximum Range."""


def rule_shot(
    table: TableState,
    shooter: str,
    target: str,
    weapon: str = "Machine Gun",
    confidence: float = 0.95,
    *,
    brand: str | None = None,
) -> Ruling:
    """Everything that the book asks of a shot, answered from one table.

    Conditions: *Maximum Range*, *Line of Sight*, *Forward Arc*; of the same player's cars also *Enemy
    Car*, which says no. Modifiers: *Short Range*, *Tailgate*.
    Range and sight run from a front tyre of the shooter to any tyre of the target. The forward arc
    lies ahead of the shooter's front axle and the target is in it with any tyre; the rear arc of
    the target lies behind its rear axle and the shooter is in it with a front tyre (house default:
    the book names the arcs and the tyres, not the axles).

    What the camera does not know is left open, per check and in words: all checks while shooter or
    target is held or lost; the line of sight while it rests on a held or lost piece, or such a
    piece was last seen within `HAND_REACH` of it, or an obstacle of the table was never seen. A moving
    piece is ruled where it is now, and the words say so.

    `brand` is the shooter's. Raises `TableRefError` for unknown names, for a car that shoots at
    itself, for something that is no car, and for weapons that are dropped and not aimed.
    """
    arm = weapon_called(weapon)
    if arm.short is None or arm.maximum is None:
        raise TableRefError(
            f"{arm.name} is dropped behind the car and cannot be aimed; choose a weapon with a range"
        )
    one, other = _cars(table, shooter, target)
    bonus = VENUS_RANGE if brand is not None and key_of(brand) == key_of("Venus") else 0.0
    reach = distances.tyre_range(one, other)
    checks = [
        make_check(
            "Maximum Range", reach.at_most(arm.maximum + bonus), citation=TARGET, confidence=confidence
        ),
        _sight(table, one, other, arm, confidence),
        _forward(one, other, arm, confidence),
        make_check(
            "Short Range",
            reach.at_most(arm.short + bonus),
            citation=f"{MODIFIERS} · Short Range",
            confidence=confidence,
            role="modifier",
        ),
        _tailgate(one, other, confidence),
    ]
    if one.piece.owner is not None and one.piece.owner == other.piece.owner:
        checks.insert(0, _friend(other))
    return Ruling(
        question=f"May {one.name} shoot at {other.name} with {arm.the}?",
        time=table.time,
        subject=one.name,
        target=other.name,
        checks=tuple(_as_known(check, one, other) for check in checks),
        deed=f"fire {arm.the} at {other.name}",
    )


def _cars(table: TableState, shooter: str, target: str) -> tuple[Standing, Standing]:
    one, other = table.find(shooter), table.find(target)
    if one is other:
        raise NotUsable(f"{one.name} cannot shoot at itself; name another car as the target")
    for standing in (one, other):
        if not standing.piece.driven or standing.piece.body.tyres is None:
            raise TableRefError(f"{standing.name} is no car; only cars shoot and are shot at")
    return one, other


def _friend(other: Standing) -> Check:
    """The book wants an enemy for a target; whose car it is needs no measuring."""
    return Check(
        name="Enemy Car",
        verdict=Verdict.NO,
        number=0.0,
        limit=1.0,
        margin=-1.0,
        sd=0.0,
        p_yes=0.0,
        unit="",
        words=f"{other.name} is {other.piece.owner}'s own car",
        citation=TARGET,
    )


def _known(standing: Standing) -> bool:
    return standing.status not in (Status.HELD, Status.LOST)


def _as_known(check: Check, *pair: Standing) -> Check:
    """The check, left open if a car of the shot is held or lost; said in words if it moves."""
    unknown = [s for s in pair if not _known(s)]
    if unknown:
        return left_open(check, " and ".join(_plight(s) for s in unknown))
    moving = [s.name for s in pair if s.status is Status.MOVING]
    if moving:
        verb = "is" if len(moving) == 1 else "are"
        words = f"{check.words} (for this moment: {' and '.join(moving)} {verb} moving)"
        return replace(check, words=words)
    return check


def _plight(standing: Standing) -> str:
    return f"{standing.name} is {'under a hand' if standing.status is Status.HELD else 'out of sight'}"


def _blockers(table: TableState, one: Standing, other: Standing) -> tuple[Standing, ...]:
    return tuple(s for s in table.others(one.name, other.name) if s.piece.blocks_sight)


def _sight(table: TableState, one: Standing, other: Standing, arm: Weapon, confidence: float) -> Check:
    obstacles, hiding = _blockers(table, one, other), table.hiding_between(one, other)
    if arm.ignores_obstacles:
        # The book sets obstacles beside other cars: a weapon that ignores the ones is stopped by the others.
        obstacles, hiding = tuple(s for s in obstacles if s.piece.driven), ()
    from_tyres, to_tyres = distances.front_tyres(one), distances.tyres(other)
    citation = arm.citation if arm.ignores_obstacles else TARGET

    def ruled(blockers: tuple[Standing, ...]) -> Check:
        seen = distances.sight(one, from_tyres, other, to_tyres, blockers).at_least(0.0)
        if hiding and distances.has_room(seen.witness.line, one, other):
            seen = seen.unless_in_the_way(hiding)
        return make_check(
            "Line of Sight",
            seen,
            citation=citation,
            confidence=confidence,
            words=_sight_words(seen) + (", obstacles do not count" if arm.ignores_obstacles else ""),
        )

    everything = ruled(obstacles)
    unknown = tuple(s for s in obstacles if not _known(s))
    if not unknown:
        return everything
    certain = ruled(tuple(s for s in obstacles if _known(s)))
    if certain.verdict is Verdict.NO:
        return certain
    # What is not known may be put into the very line that is clear of all the rest.
    line = LineString(certain.witness.line)
    close = [s for s in unknown if s.region.polygon.distance(line) < HAND_REACH]
    if not close:
        return certain
    return left_open(everything, " and ".join(_plight(s) for s in close) + " near the line")


def _sight_words(seen: Measurement) -> str:
    if seen.value >= distances.PLENTY:
        return "clear, nothing near the line"
    if seen.value >= 0.0:
        return f"clear, {abs(seen.value):.2f} in to spare beside the line{plus_minus(seen.sd)}"
    names = " and ".join(seen.witness.blockers)
    return f"blocked by {names}, {-seen.value:.2f} in deep{plus_minus(seen.sd)}"


def _forward(one: Standing, other: Standing, arm: Weapon, confidence: float) -> Check:
    if arm.all_round:
        always = Measurement(Belief(math.tau, 0.0), "rad", Witness()).at_least(0.0)
        return make_check(
            "Forward Arc", always, citation=arm.citation, confidence=confidence, words="360°: every direction"
        )
    ahead = distances.arc(one, Arc.at(one.piece.body, "front axle"), other, "tyres").at_least(0.0)
    where = "ahead of" if ahead.value >= 0.0 else "behind"
    words = f"{abs(ahead.value):.2f} in {where} the front axle{plus_minus(ahead.sd)}"
    return make_check("Forward Arc", ahead, citation=TARGET, confidence=confidence, words=words)


def _tailgate(one: Standing, other: Standing, confidence: float) -> Check:
    rear = Arc.at(other.piece.body, "rear axle", facing=math.pi)
    behind = distances.arc(other, rear, one, "front tyres").at_least(0.0)
    where = "behind" if behind.value >= 0.0 else "ahead of"
    return make_check(
        "Tailgate",
        behind,
        citation=f"{MODIFIERS} · Tailgate",
        confidence=confidence,
        words=f"{abs(behind.value):.2f} in {where} {other.name}'s rear axle{plus_minus(behind.sd)}",
        role="modifier",
    )

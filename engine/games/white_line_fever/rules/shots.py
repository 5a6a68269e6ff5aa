"""May this car shoot at that one, and with which modifiers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from shapely.geometry import LineString

from engine.errors import NotUsable, TableRefError
from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.game.kit.table import seen, standing_of
from engine.games.white_line_fever.book.data import BOOK, Weapon, weapon_called
from engine.games.white_line_fever.state import Car, GameState, in_play, near
from engine.measure import distances
from engine.measure.arcs import Arc
from engine.measure.distances import tyre_range
from engine.measure.nearby import next_in_line
from engine.measure.uncertainty import SEED, draw_poses, exact
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
from engine.space.geometry import Pose
from engine.space.table import Standing, Status, TableState, key_of
from engine.words import listed

# May this car shoot at that one, and with which modifiers (White Line Fever 0.9, Shoot Weapon).

TARGET = f"{BOOK} · Shoot Weapon · Target"
MODIFIERS = f"{BOOK} · Shoot Weapon · Modifiers"

HAND_REACH = 3.0
"""Inches round a held or lost piece's last place in which it may be by now (house default)."""

VENUS_RANGE = 2.0
"""Inches that the brand Venus adds to Short and Maximum Range."""


def rule_shot(
    table: TableState, shooter: str, target: str, weapon: str = "Machine Gun", *, brand: str | None = None,
) -> Ruling:  # fmt: skip
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
        make_check("Maximum Range", reach.at_most(arm.maximum + bonus), citation=TARGET),
        _sight(table, one, other, arm),
        _forward(one, other, arm),
        make_check(
            "Short Range", reach.at_most(arm.short + bonus), citation=f"{MODIFIERS} · Short Range",
            role="modifier",
        ),
        _tailgate(one, other),
    ]  # fmt: skip
    if one.piece.owner is not None and one.piece.owner == other.piece.owner:
        checks.insert(0, _friend(other))
    return Ruling(
        question=f"May {one.name} shoot at {other.name} with {arm.the}?", time=table.time, subject=one.name,
        target=other.name, checks=tuple(_as_known(check, one, other) for check in checks),
        deed=f"fire {arm.the} at {other.name}",
    )  # fmt: skip


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
        name="Enemy Car", verdict=Verdict.NO, number=0.0, limit=1.0, margin=-1.0, sd=0.0, p_yes=0.0, unit="",
        words=f"{other.name} is {other.piece.owner}'s own car", citation=TARGET,
    )  # fmt: skip


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
        words = f"{check.words} (for this moment: {listed(moving)} {verb} moving)"
        return replace(check, words=words)
    return check


def _plight(standing: Standing) -> str:
    return f"{standing.name} is {'under a hand' if standing.status is Status.HELD else 'out of sight'}"


def _sight(table: TableState, one: Standing, other: Standing, arm: Weapon) -> Check:
    obstacles = tuple(s for s in table.others(one.name, other.name) if s.piece.blocks_sight)
    hiding = table.hiding_between(one, other)
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
            "Line of Sight", seen, citation=citation,
            words=_sight_words(seen) + (", obstacles do not count" if arm.ignores_obstacles else ""),
        )  # fmt: skip

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
    names = listed(seen.witness.blockers)
    return f"blocked by {names}, {-seen.value:.2f} in deep{plus_minus(seen.sd)}"


def _forward(one: Standing, other: Standing, arm: Weapon) -> Check:
    if arm.all_round:
        always = Measurement(Belief(math.tau, 0.0), "rad", Witness()).at_least(0.0)
        return make_check("Forward Arc", always, citation=arm.citation, words="360°: every direction")
    ahead = distances.arc(one, Arc.at(one.piece.body, "front axle"), other, "tyres").at_least(0.0)
    where = "ahead of" if ahead.value >= 0.0 else "behind"
    words = f"{abs(ahead.value):.2f} in {where} the front axle{plus_minus(ahead.sd)}"
    return make_check("Forward Arc", ahead, citation=TARGET, words=words)


def _tailgate(one: Standing, other: Standing) -> Check:
    rear = Arc.at(other.piece.body, "rear axle", facing=math.pi)
    behind = distances.arc(other, rear, one, "front tyres").at_least(0.0)
    where = "behind" if behind.value >= 0.0 else "ahead of"
    return make_check(
        "Tailgate", behind, citation=f"{MODIFIERS} · Tailgate",
        words=f"{abs(behind.value):.2f} in {where} {other.name}'s rear axle{plus_minus(behind.sd)}",
        role="modifier",
    )  # fmt: skip


# What counts of where the cars stand for a shot: typed by the players, or ruled from the table.

CLOSE = Verdict.TOO_CLOSE.value

NEXT = "Next in Line"
"""The question who stands behind a Railgun's target."""

APPLY = ("accuracy", "damage")
"""What the modifiers may go to."""

RANGES = {"short": "Short Range", "maximum": "Maximum Range", "out": "out of range"}
"""The ranges that a hand may enter, and what people read for them."""

SURE, LINE_DRAWS = 0.95, 60
"""The share of drawn tables that must agree on it, and how many are drawn."""


@dataclass(frozen=True)
class Facts:
    """What counts of where the cars stand. `doubts` are questions that the players have to settle."""

    short: bool
    tailgate: bool
    reached: tuple[str, ...] = ()
    """Other cars within a Grenade's burst, or the next one in a Railgun's line."""
    doubts: tuple[Reason, ...] = ()
    rulings: tuple[tuple[str, str, str], ...] = ()
    """What the players decided instead of the table: question, answer, rule."""
    refused: bool = False
    """Whether they decided that the shot may not be taken."""
    checks: tuple[dict[str, Any], ...] = ()
    """What was asked of the table and what it answered; empty where nobody saw the shot."""
    typed: tuple[str, ...] = ()
    """The questions that the players answered by what they typed."""


def facts(
    state: GameState, action: Action, table: TableState | None, car: Car, target: Car, weapon: Weapon
) -> Facts:
    """Range band, Tailgate and who else is reached: typed, or from the table; with what is wrong or open."""
    banded = action.data.get("band") is not None
    if table is not None and standing_of(table, car.name) and standing_of(table, target.name):
        try:
            return _seen(state, action, table, car, target, weapon)
        except TableRefError:
            if not banded:  # what cannot be measured is as it was typed
                raise
    if not banded:
        words = "nobody saw the shot: say the range band (short, maximum or out), and whether it tailgates"
        return Facts(False, False, doubts=(Reason(words, TARGET),))
    said = typed_answers(action)
    found = Facts(said["Short Range"], said.get("Tailgate", False), typed=tuple(said))
    found = replace(found, doubts=tuple(_denied(name, target, weapon) for name in _noes(said, weapon)))
    return _told_reached(found, state, action, target, weapon)


def answered(
    state: GameState, action: Action, table: TableState | None, car: Car, target: Car, weapon: Weapon
) -> dict[str, Any]:
    """What the table surely answers, by the field in which it may be typed; nothing of what is open."""
    found = facts(state, action, table, car, target, weapon)
    sure = {check["name"]: check["verdict"] == "yes" for check in found.checks if check["verdict"] != CLOSE}
    asked = {"sight": "Line of Sight", "arc": "Forward Arc", "tailgate": "Tailgate"}
    said: dict[str, Any] = {one: sure[name] for one, name in asked.items() if name in sure}
    if sure.get("Maximum Range") is False:
        said["band"] = "out"
    elif sure.keys() >= {"Maximum Range", "Short Range"}:
        said["band"] = "short" if sure["Short Range"] else "maximum"
    if found.checks and not any(r.question == NEXT or state.is_car(r.question) for r in found.doubts):
        said["reached"] = list(found.reached)
    return said


def typed_answers(action: Action) -> dict[str, bool]:
    """What the players typed of how the cars stand, by the question that it answers."""
    said: dict[str, bool] = {}
    if action.data.get("band") is not None:
        band = reading.one_of(action.data, "band", tuple(RANGES), called="Range", read=tuple(RANGES.values()))
        said |= {"Maximum Range": band != "out", "Short Range": band == "short"}
    for asked, name in (("sight", "Line of Sight"), ("arc", "Forward Arc"), ("tailgate", "Tailgate")):
        if action.data.get(asked) is not None:
            said[name] = reading.flag(action.data, asked)
    return said


def _noes(said: Mapping[str, bool], weapon: Weapon) -> list[str]:
    """The conditions that the players say are not met."""
    asked = ("Maximum Range", "Line of Sight", *(() if weapon.all_round else ("Forward Arc",)))
    return [name for name in asked if not said.get(name, True)]


def _denied(name: str, target: Car, weapon: Weapon) -> Reason:
    words = {
        "Maximum Range": f"{target.name} is beyond the {weapon.name}'s Maximum Range",
        "Line of Sight": f"{target.name} cannot be seen",
        "Forward Arc": f"{target.name} is not in the forward arc",
    }
    return Reason(words[name], TARGET)


def _told_reached(found: Facts, state: GameState, action: Action, target: Car, weapon: Weapon) -> Facts:
    """The other cars that the players say a Grenade or a Railgun reaches."""
    reached = tuple(state.car(n).name for n in reading.names(action.data, "reached"))
    doubts = list(found.doubts)
    if reached and weapon.blast_radius is None and not weapon.pierces:
        doubts.append(Reason(f"{weapon.the} reaches nobody but its target", weapon.citation))
    if weapon.pierces and len(reached) > 1:
        doubts.append(Reason("a Railgun goes on to one car, the next in line", weapon.citation))
    for name in reached:
        if name == target.name or not state.car(name).driving:
            doubts.append(Reason(f"{name} is the target itself or not in play", weapon.citation))
    return replace(found, reached=reached, doubts=tuple(doubts))


@dataclass(frozen=True)
class _Asked:
    """A shot and all that its checks are read from; tables are compared by what is measured on them."""

    facts: Hashable
    car: str
    target: str
    weapon: str
    brand: str | None
    table: TableState = field(compare=False)


@lru_cache(maxsize=64)
def _checks(asked: _Asked) -> tuple[Check, ...]:
    """What the table answers of a shot; measured once for all that may follow from its dice."""
    return rule_shot(asked.table, asked.car, asked.target, asked.weapon, brand=asked.brand).checks


def _seen(
    state: GameState, action: Action, table: TableState, car: Car, target: Car, weapon: Weapon
) -> Facts:
    there = in_play(state, table)
    checks = _checks(_Asked(there.facts, car.name, target.name, weapon.name, car.brand, there))
    doubts: list[Reason] = []
    rulings: list[tuple[str, str, str]] = []
    answers: dict[str, bool] = {}
    refused = False
    typed = typed_answers(action)
    doubts += [_denied(name, target, weapon) for name in _noes(typed, weapon)]
    for check in checks:
        if check.name in typed and not (check.name == "Forward Arc" and weapon.all_round):
            answers[check.name] = typed[check.name]
            continue
        said = _answer(action, check)
        if said is not None and said != check.verdict.value:
            rulings.append((check.name, said, check.citation))
        verdict = Verdict(said) if said is not None else check.verdict
        answers[check.name] = verdict is Verdict.YES
        if verdict is Verdict.TOO_CLOSE:
            doubts.append(_doubt(check, open=True))
        elif verdict is Verdict.NO and check.role == "condition":
            refused = refused or check.verdict is not Verdict.NO
            if check.verdict is Verdict.NO:
                doubts.append(_doubt(check))
    found = Facts(answers["Short Range"], answers["Tailgate"], (), tuple(doubts), tuple(rulings), refused)
    kept = [_kept(check) | ({"typed": True} if check.name in typed else {}) for check in checks]
    found = replace(found, checks=tuple(kept), typed=tuple(typed))
    return _with_reached(found, state, action, table, car, target, weapon)


def _doubt(check: Check, *, open: bool = False) -> Reason:
    return Reason(f"{check.name}: {check.words}", check.citation, open, check.name)


def _kept(check: Check) -> dict[str, Any]:
    """A check as the log keeps it: what was measured against what, and how surely."""
    numbers = {"number": check.number, "limit": check.limit, "margin": check.margin, "sd": check.sd}
    kept = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
    said = {"name": check.name, "verdict": check.verdict.value, "words": check.words}
    return said | kept | {"unit": check.unit, "citation": check.citation}


def _answer(action: Action, check: Check) -> str | None:
    """What the players say on a check: to what is open, or by its name to anything."""
    if check.verdict is Verdict.TOO_CLOSE:
        return reading.ruled(action.data, check.name)
    return reading.ruled_by_name(action.data, check.name)


def _with_reached(
    found: Facts, state: GameState, action: Action, table: TableState, car: Car, target: Car, weapon: Weapon
) -> Facts:
    if "reached" in action.data:
        return _told_reached(found, state, action, target, weapon)
    if weapon.pierces:
        return _with_next(found, state, action, table, car, target, weapon)
    if weapon.blast_radius is None:
        return found
    sure, doubtful = near(state, table, target.name, weapon.blast_radius, seen(table, target.name))
    reached, doubts, rulings = list(sure), list(found.doubts), list(found.rulings)
    for name in doubtful:
        said = reading.ruled(action.data, name)
        if said is None:
            words = f"{name}: within {weapon.blast_radius:g} in of {target.name}, too close to call"
            doubts.append(Reason(words, weapon.citation, open=True, question=name))
        else:
            rulings.append((name, said, weapon.citation))
            reached += [name] if said == "yes" else []
    return replace(found, reached=tuple(reached), doubts=tuple(doubts), rulings=tuple(rulings))


def _with_next(
    found: Facts, state: GameState, action: Action, table: TableState, car: Car, target: Car, weapon: Weapon
) -> Facts:
    """Who stands behind the target in line; for the players where shaken places answer differently."""
    clear = in_play(state, table)
    here, there = clear.find(car.name), clear.find(target.name)
    others = [s for s in clear.others(car.name, target.name) if s.piece.blocks_sight]
    following = _next(state, here, there, others)
    shaken = _shaken([here, there, *others])
    same = sum(_next(state, a, b, rest) == following for a, b, *rest in shaken)
    # What a hand holds or nobody sees may be elsewhere by now.
    known = [s for s in others if seen(clear, s.name) is not None]
    sure = same >= SURE * len(shaken) and _next(state, here, there, known) == following
    # An obstacle that nobody has seen or named may stop the shot before.
    sure = sure and not (following is not None and (clear.hiding or clear.things))
    within = _in_range(clear, here, following, weapon, car)
    if within is Verdict.NO:
        following = None
    sure = sure and within is not Verdict.TOO_CLOSE
    said = (reading.ruled_by_name if sure else reading.ruled)(action.data, NEXT)
    if said is None and not sure:
        words = f"{NEXT}: {following or 'nobody'}, too close to call"
        return replace(
            found, doubts=(*found.doubts, Reason(words, weapon.citation, open=True, question=NEXT))
        )
    rulings = found.rulings if said is None else (*found.rulings, (NEXT, said, weapon.citation))
    reached = () if following is None or said == "no" else (following,)
    return replace(found, reached=reached, rulings=rulings)


def _next(state: GameState, here: Standing, there: Standing, others: Sequence[Standing]) -> str | None:
    """The car behind the target in line, unless an obstacle stops the shot before."""
    x, y = here.piece.body.front_axle
    names = next_in_line(here, (float(x), float(y)), there, others)
    return state.car(names[0]).name if names and state.is_car(names[0]) else None


def _in_range(
    table: TableState, here: Standing, following: str | None, weapon: Weapon, car: Car
) -> Verdict | None:
    """Whether the next car in line is within the weapon's Maximum Range (house default); None for nobody."""
    other = None if following is None else standing_of(table, following)
    if other is None or other.piece.body.tyres is None or weapon.maximum is None:
        return None
    bonus = VENUS_RANGE if car.brand == "Venus" else 0.0
    return tyre_range(here, other).at_most(weapon.maximum + bonus).verdict()


def _shaken(standings: Sequence[Standing]) -> list[list[Standing]]:
    """The same pieces at places drawn from what is known of them; as they stand, if all is exact."""
    if exact(standings):
        return [list(standings)]
    return [
        [replace(s, pose=Pose(*map(float, row))) for s, row in zip(standings, poses, strict=True)]
        for poses in draw_poses(standings, LINE_DRAWS, SEED)
    ]

"""Attacks: range and sight, rolls with their modifiers, and where damage goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.game.kit.table import seen, sorted_out
from engine.games.car_cult.book.data import ARMOUR, CRACK, CRAP, DRIVER, NEEDED, Card, cite
from engine.games.car_cult.state import Car, Duty, GameState, Play
from engine.measure.seeing.visible_range import VisibleRange, visible_range
from engine.ruling import (
    Check,
    Ruling,
    Verdict,
    limit_words,
    many,
    plus_minus,
    show_words,
    signed,
    unplaced_words,
    verdict_of,
)
from engine.space.geometry import Pose
from engine.space.table import TableState, key_of
from engine.words import listed

# Distances by the notes: between the closest visible parts, past everything that blocks sight.

MEASURE = cite("Attacking opponents", "Measure range and determine LoS")
CORE = cite("Core Mechanics")


def in_play(state: GameState | None, table: TableState) -> TableState:
    """The table without cars that are out of the game or not put down, owners as in the game."""
    if state is None:
        return table
    cars = {key_of(c.name): c for c in state.cars}
    gone = {key_of(name) for name in state.destroyed}
    kept = [
        s
        for s in table.standings
        if key_of(s.name) not in gone and ((c := cars.get(key_of(s.name))) is None or c.driving)
    ]
    owned = {c.name: c.owner for c in state.cars}
    unplaced = tuple(p for p in table.unplaced if key_of(p.name) not in gone)
    return replace(table, standings=tuple(kept), unplaced=unplaced).owned(owned)


def between(table: TableState, name: str, target: str) -> VisibleRange:
    """The distance between the closest visible parts of two pieces."""
    one, other = table.find(name), table.find(target)
    return visible_range(one, other, table.others(name, target), hiding=table.hiding_between(one, other))


def rule_range(table: TableState, name: str, target: str, inches: float, question: str) -> Ruling:
    """Range and line of sight of an attack: *Line of Sight* and *Range*."""
    found = between(table, name, target)
    checks = (_sight(found, target), _range(found, inches))
    return Ruling(question, table.time, name, target, checks, deed=f"attack {target}")


def _sight(found: VisibleRange, target: str) -> Check:
    """Whether an uninterrupted line can be drawn between any parts of the two."""
    p = found.p_seen
    verdict = verdict_of(p, 0.95)
    words = f"a part of {target} is in sight" if p >= 0.5 else f"no part of {target} is in sight"
    if found.blockers:
        words += f", past {listed(found.blockers)}"
    words += _unsure(verdict, found.hiding)
    measured = found.direct if found.distance is None else found.distance
    sign = 1.0 if found.distance is not None else -1.0
    return Check(
        "Line of Sight", verdict, measured.value, 0.0, sign * measured.value, measured.sd, p, "", words,
        CORE, witness=replace(measured.witness, shows="sight"),
    )  # fmt: skip


def _unsure(verdict: Verdict, hiding: Sequence[str]) -> str:
    """What is said of an answer that is open; nothing of one that is not."""
    if verdict is not Verdict.TOO_CLOSE:
        return ""
    if not hiding:
        return ": too close to call"
    return f", but {unplaced_words(hiding)}: too close to call{show_words(hiding)}"


def _range(found: VisibleRange, inches: float) -> Check:
    held = found.at_most(inches)
    assert held.margin is not None
    assert held.p_yes is not None
    verdict = held.verdict()
    words = limit_words(held)
    if found.distance is None:
        words = f"{held.value:.2f} in of {inches:g} in without what stands between{plus_minus(held.sd)}"
    if found.hiding and verdict is Verdict.NO:
        # What nobody has seen or named may hide parts of either: what is visible is farther then.
        words = f"at least {words}"
    words += _unsure(verdict, held.unplaced)
    return Check(
        "Range", verdict, held.value, inches, held.margin, held.sd, held.p_yes, "in", words, MEASURE,
        witness=held.witness,
    )  # fmt: skip


def near(
    state: GameState, table: TableState | None, name: str, inches: float, at: Pose | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cars in play within so many inches of a car, between visible parts: surely, and perhaps.

    `at` is where the car was, where it does not stand there any more. Perhaps too: all of them without a
    table, and those that it does not surely know.
    """
    others = [c.name for c in state.driving() if c.name != name]
    if table is None or seen(table, name) is None:
        return (), tuple(others)
    kept = {key_of(name)} | {key_of(o) for o in others}
    cars = {key_of(name) for name in (*(c.name for c in state.cars), *state.destroyed)}
    clear = replace(
        table,
        standings=tuple(
            s if at is None or key_of(s.name) != key_of(name) else replace(s, pose=at)
            for s in table.standings
            if key_of(s.name) in kept or key_of(s.name) not in cars
        ),
    )
    unseen = {other: Verdict.TOO_CLOSE for other in others if seen(table, other) is None}
    return sorted_out({o: unseen.get(o) or between(clear, name, o).at_most(inches).verdict() for o in others})


# Damage tokens: who places them, where they may go, and cars that explode.

APPLY = cite("Attacking opponents", "Apply Damage")
EXPLODING = cite("Exploding Cars")
ARMOURED = cite("Building a Car Cult", ARMOUR)


def hurt(play: Play, car: str, count: int, cause: str, citation: str, *, by: str | None = None) -> None:
    """Damage tokens for a car, ahead of all else that is owed: its owner places the first, `by` any others.

    Without `by`, or where they are out of the game, its owner places them all.
    """
    owner = play.state.car(car).owner
    if not play.state.car(car).driving:
        return
    rest = owner if by is None else play.state.attacker(by, car)
    duties = [Duty("damage", car, citation, by=owner if k == 0 else rest, cause=cause) for k in range(count)]
    tokens = many(count, "Damage token")
    play.owe(duties, f"{car} suffers {tokens} from {cause}", first=True)


def strike(play: Play, terrain: str, count: int, cause: str) -> None:
    """Damage tokens on a piece of terrain; as many as the scenario says destroy it."""
    most = play.state.house.terrain
    tokens = min(dict(play.state.struck).get(terrain, 0) + count, most)
    words = f"{terrain} suffers {many(count, 'Damage token')} from {cause}: {tokens} of {most}"
    gone = tokens >= most
    if gone:
        words += "; it is destroyed, take it off the table"
    play.tell("struck", words, APPLY, target=terrain, tokens=tokens, destroyed=gone)


def place(
    play: Play, car: str, component: str, by: str, cause: str, citation: str, *, due: bool = False
) -> None:
    """One Damage token on a component; a car with damage in every zone explodes.

    `due`: it is the first thing that is owed.
    """
    armoured = play.state.car(car).component(component).rules.sort == "armour"
    play.tell(
        "damaged", f"{by} places a Damage token on the {component} of {car}, from {cause}",
        ARMOURED if armoured else citation,
        car=car, component=component, by=by, cause=cause, due=due,
    )  # fmt: skip
    here = play.state.car(car)
    if here.component(component) is here.engine and not here.engine.whole:
        words = f"the engine of {car} is full of damage: it may no longer move"
        play.tell("modified", words, APPLY, car=car, why="engine full of damage", by=0)
    if not here.undamaged:
        explode(play, here, cause)


ROUGH = "Rough terrain"
"""What damage on rough ground is told as."""


def explode(play: Play, car: Car, cause: str) -> None:
    """It is removed; everybody within as many inches as its engine has zones suffers a Damage token.

    One that something on its way has blown up explodes there, wherever the hand left it.
    """
    inches = float(car.engine.rules.zones)
    at = _blown_up(play.state, car.name, cause)
    sure, doubtful = near(play.state, play.seen.table, car.name, inches, at)
    play.tell("exploded", f"{car.name} explodes and is removed", EXPLODING, car=car.name, inches=inches)
    if not play.state.driving():
        return
    duty = Duty("blast", car.name, EXPLODING, inches=inches, sure=sure, doubtful=doubtful)
    play.owe([duty], f"every car within {inches:g} in of {car.name} suffers a Damage token", first=True)


def _blown_up(state: GameState, name: str, cause: str) -> Pose | None:
    """Where on its way a car was that it was damaged at; None where it stands now."""
    turn = state.turn
    if turn is None or turn.car != name:
        return None
    still = {duty.other for duty in state.duties if duty.kind == "rough"}
    ground = [one for one in turn.passed if one.kind == "rough" and one.name not in still]
    mines = [one for one in turn.passed if one.kind == "mine" and one.name == cause]
    there = mines or (ground[-1:] if cause == ROUGH else [])
    return Pose(*there[0].at) if there else None


def blast(play: Play, cars: Sequence[str]) -> None:
    """These cars are within the explosion that is due."""
    duty = play.state.duties[0]
    words = f"{', '.join(cars) or 'nobody'} within {duty.inches:g} in of {duty.car}"
    play.tell("blast", words, EXPLODING, car=duty.car, cars=list(cars), inches=duty.inches)
    play.settled(f"the explosion of {duty.car} is over")
    for name in reversed(cars):
        hurt(play, name, 1, f"the explosion of {duty.car}", EXPLODING)


def automatic(state: GameState, duty: Duty) -> str | None:
    """The component on which a Damage token has to go, where there is only one."""
    takers = state.car(duty.car).takers()
    return takers[0].name if len(takers) == 1 else None


# Attack rolls: shots, rerolls, modifiers, hits; of weapons, Mines and a Reinforced Ram alike.

ROLL = cite("Attacking opponents", "Roll Attack dice")
MODIFY = cite("Attacking opponents", "Apply Speed and Blast modifiers")
DRIVING = cite("Building a Car Cult", DRIVER)

PER_TOKEN = 2
"""What each Speed token on a Dangerous Driver takes off an attack roll."""


@dataclass(frozen=True, slots=True)
class Modifier:
    """What adds to an attack roll, by name and rule."""

    words: str
    by: int
    citation: str


def modifiers(card: Card, target: Car | None, by: str) -> tuple[Modifier, ...]:
    """Blast, the target's minimum speed, and its Dangerous Driver; of terrain the Blast alone.

    A Dangerous Driver counts against enemies: not against what its own player's Mine or Ram does to it.
    """
    found = [Modifier(f"Blast of the {card.name}", card.blast, card.citation)]
    if target is None:
        return tuple(m for m in found if m.by)
    driver = sum(c.speed for c in target.components if c.card == DRIVER and target.owner != by)
    found.append(Modifier(f"minimum speed of {target.name}", -target.limits[0], MODIFY))
    found.append(Modifier(f"{DRIVER} of {target.name}", -PER_TOKEN * driver, DRIVING))
    return tuple(m for m in found if m.by)


def needed(card: Card, target: Car | None, by: str) -> int:
    """What the D20 has to show: 10 less the modifiers, but a 20 always hits and a 1 never does.

    Blast 3 at a minimum of 9 is −6: 16 or more.
    """
    return min(max(NEEDED - sum(m.by for m in modifiers(card, target, by)), CRAP + 1), CRACK)


def hits(value: int, card: Card, target: Car | None, by: str) -> bool:
    """Whether an attack die of that player hits."""
    return value >= needed(card, target, by)


def resolve(
    play: Play, card: Card, target: str, by: str, dice: tuple[int, ...], damage: int, what: str = ""
) -> int:
    """The dice as they lie are held against the modifiers; each hit does so much damage. How many hit.

    `what` attacks, in words, where that is not the component itself but what it has laid.
    """
    car, what = play.state.target(target), what or f"the {card.name}"
    least = needed(card, car, by)
    for m in modifiers(card, car, by):
        play.tell(
            "modified", f"attack on {target}: {signed(m.by)}, {m.words}", m.citation,
            car=target, by=m.by, why=m.words,
        )  # fmt: skip
    total = 0
    for value in dice:
        hit = value >= least
        special = {CRACK: " (Crack Shot)", CRAP: " (Crap Shot)"}.get(value, "")
        how = "hits" if hit else "misses"
        words = f"{what} {how} {target}: {value}{special}, {least} or more needed"
        play.tell(
            "hit" if hit else "missed", words, ROLL if special else MODIFY, target=target, weapon=card.name,
            value=value, needed=least,
        )  # fmt: skip
        total += hit
    if car is None and total:
        strike(play, target, total * damage, what)
    for _ in range(total if car is not None else 0):
        hurt(play, target, damage, what, APPLY, by=by)
    return total

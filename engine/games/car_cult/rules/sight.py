"""Distances by the notes: between the closest visible parts, past everything that blocks sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.game.kit.table import seen, sorted_out
from engine.games.car_cult.book.data import cite
from engine.games.car_cult.state.game_state import GameState
from engine.measure.seeing.visible_range import VisibleRange, visible_range
from engine.ruling import (
    Check,
    Ruling,
    Verdict,
    limit_words,
    plus_minus,
    show_words,
    unplaced_words,
    verdict_of,
)
from engine.space.geometry import Pose
from engine.space.table import TableState, key_of

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
    return replace(table, standings=tuple(kept)).owned(owned)


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
        words += f", past {' and '.join(found.blockers)}"
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

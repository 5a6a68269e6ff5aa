"""Was that a move by the notes: its length, turns, drift and way; where what it touched has ended it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.game.about import house
from engine.game.kit.free_moves import straight_line, turns_away
from engine.games.car_cult.book.data import CALTROPS, OIL, TURN, HouseRules, cite
from engine.games.car_cult.book.tracks import most_drift
from engine.games.car_cult.rules.sight import in_play
from engine.games.car_cult.state.game_state import GameState
from engine.measure.contacts import Contact, contacts
from engine.measure.sweep import (
    THE_EDGE,
    Step,
    Straight,
    Turn,
    edge_margins,
    gaps_along,
    poses_along,
    way_through,
)
from engine.measure.uncertainty import SEED, gap_sd
from engine.motion.fit import WOBBLE
from engine.motion.moves import Move
from engine.motion.recognition import Done, Manoeuvre, up_to
from engine.ruling import (
    Belief,
    Check,
    Measurement,
    Ruling,
    Verdict,
    make_check,
    many,
    plus_minus,
    unless,
)
from engine.space.geometry import FloatArray, Pose, wrap_angle
from engine.space.table import Standing, TableState, key_of

MOVE = cite("Car Movement/Engines")
BLOCKING = cite("Down Shift", "Blocking terrain")
STRAIGHT = house("Straight lines")

STRAY = 0.4
"""Inches that a car may be seen beside its straight way (house default)."""

PAST = 0.5
"""Inches that a car may stand beyond where it touched (house default): it is pushed back to the touch."""

AGAINST = 0.06
"""Inches within which a car stands against something (house default)."""

_DRAWS = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """What the activated car may do: inches, number of turns, and the house rules."""

    low: int
    high: int
    turns: int
    rules: HouseRules

    @property
    def drift(self) -> int:
        """The most drift, inches."""
        return most_drift(self.low)

    @property
    def words(self) -> str:
        """All of it in a sentence."""
        turns = f"{many(self.turns, 'turn')} of up to 45°"
        return f"Minimum {self.low} in, maximum {self.high} in, drift up to {self.drift} in, {turns}."

    @classmethod
    def of(cls, state: GameState, name: str) -> Limits:
        """Those of a car, the activated one with its Turbo Booster."""
        car = state.car(name)
        low, high = car.limits
        if state.turn is not None and state.turn.car == car.name:
            low, high = state.range_of_move()
        return cls(low, high, car.turns, state.house)


@dataclass(frozen=True, eq=False)
class Driven:
    """A move, ruled. `seen` ends where it surely `touched` something; `perhaps` is what it may have touched.

    `should` is the lawful end nearest to what was driven. `unknown` names what nobody has seen or named and
    may have stopped it short of its minimum.
    """

    ruling: Ruling
    seen: Manoeuvre
    limits: Limits
    touched: Contact | None
    perhaps: tuple[Contact, ...]
    should: Pose
    away: float
    askew: float
    unknown: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether it was a move by the notes."""
        return self.ruling.verdict


def blocking(state: GameState, table: TableState, name: str) -> tuple[Standing, ...]:
    """What ends a move: other cars, whatever is solid, and Caltrops."""
    laid = {key_of(one.name): one.card for one in state.laid}
    return tuple(
        s
        for s in table.others(name)
        if (s.piece.solid and key_of(s.name) not in laid) or laid.get(key_of(s.name)) == CALTROPS
    )


def rough(state: GameState, table: TableState, name: str) -> tuple[Standing, ...]:
    """Rough terrain: pieces of the kind *marker*, and oil (house default)."""
    laid = {key_of(one.name): one.card for one in state.laid}
    return tuple(s for s in table.others(name) if s.piece.kind == "marker" or laid.get(key_of(s.name)) == OIL)


def rule_move(state: GameState, move: Move) -> Driven:
    """Everything that the notes ask of a move: *Maximum*, *Turns*, *Drift*, *Forward*, *Straight Line*."""
    table = in_play(state, move.before)
    car, limits = table.find(move.piece), Limits.of(state, move.piece)
    whole = move.recognised()
    readings = [_met(state, table, car, one) for one in (whole, *whole.elsewhere)]
    met = _together(readings)
    touched = next((c for c in met if c.verdict is Verdict.YES), None)
    perhaps = tuple(c for c in met[: met.index(touched) if touched else None] if c is not touched)
    seen = whole if touched is None else _stopped(whole, readings, touched)
    checks = _checks(seen, limits)
    for doubt in whole.doubts if touched is None else ():
        checks = unless(checks, _checks(doubt, limits), f"it may have gone {doubt.words}")
    should = touched.pose if touched is not None else _lawful_end(seen, limits)
    end = move.after.pose
    away = math.dist(should.xy, end.xy)
    if touched is not None:
        checks.append(_stops(touched, away))
    ruling = Ruling(
        f"Was that a move of {car.name} by the notes?", table.time, car.name, car.name, tuple(checks)
    )
    turned = wrap_angle(should.heading - end.heading)
    unknown: tuple[str, ...] = ()
    if touched is None and seen.length.value < limits.low - limits.rules.length_tolerance:
        outline = car.piece.body.footprint
        unknown = table.unknown_on(
            *(outline.at(p) for p in poses_along(seen.start, [d.step for d in seen.steps]))
        )
    return Driven(ruling, seen, limits, touched, perhaps, should, away, turned, unknown)


def _met(state: GameState, table: TableState, car: Standing, one: Manoeuvre) -> tuple[Contact, ...]:
    """What the car touches or may touch on one reading of its way; one far from what was seen is unsure."""
    known, stray = car.uncertainty, one.stray.value
    if stray > STRAY:
        known = replace(known, own=known.own + np.diag([stray, stray, 0.0]) ** 2)
    steps = [d.step for d in one.steps]
    mover, others = replace(car, uncertainty=known), blocking(state, table, car.name)
    rows = way_through(car.pose, steps)
    from_edge = edge_margins(car, rows, table.surface)
    stood = {
        s.name
        for s in others
        if _turns_away(gaps_along(car, rows, s), gap_sd(car, s))
        or (s.piece.solid and turns_away(car, steps, s, AGAINST))
    }
    stood |= {THE_EDGE} if _turns_away(from_edge, gap_sd(car)) else set()
    return tuple(c for c in contacts(mover, steps, others, table.surface) if c.other not in stood)


def _turns_away(gaps: FloatArray, sd: float) -> bool:
    """Whether a car touches something as its move begins and goes no deeper into it than a hand strays.

    It had to halt at the touch; that a corner sweeps against what it turns away from is no contact.
    """
    return bool(gaps[0] < max(AGAINST, 3.0 * sd) and gaps.min() > gaps[0] - 2.0 * WOBBLE)


def _together(readings: Sequence[Sequence[Contact]]) -> tuple[Contact, ...]:
    """What all readings of a way touch or may touch, in order; what only some of them touch is left open."""
    found = {c.other: c for reading in reversed(readings) for c in reading}
    shares = {
        name: sum(c.gap.p_yes or 0.0 for reading in readings for c in reading if c.other == name)
        for name in found
    }
    kept = [
        replace(c, gap=replace(c.gap, p_yes=shares[c.other] / len(readings))) if len(readings) > 1 else c
        for c in found.values()
    ]
    return tuple(sorted(kept, key=lambda c: (c.step, c.share)))


def _stopped(whole: Manoeuvre, readings: Sequence[Sequence[Contact]], touched: Contact) -> Manoeuvre:
    """The way up to what ended it, and so every other reading of it that ends there."""
    others = [
        up_to(one, c.step, c.share)
        for one, reading in zip(whole.elsewhere, readings[1:], strict=True)
        for c in reading
        if c.other == touched.other
    ]
    return replace(up_to(whole, touched.step, touched.share), elsewhere=tuple(others))


def _checks(seen: Manoeuvre, limits: Limits) -> list[Check]:
    """Every check of a way."""
    return [
        _maximum(seen, limits),
        _turns(seen, limits),
        _drift(seen, limits),
        _forward(seen, limits),
        straight_line(seen, STRAY, STRAIGHT),
    ]


def _maximum(seen: Manoeuvre, limits: Limits) -> Check:
    held = seen.length.at_most(limits.high + limits.rules.length_tolerance)
    words = f"{seen.length.value:.2f} in of {limits.low} to {limits.high} in{plus_minus(seen.length.sd)}"
    return make_check("Maximum", held, citation=MOVE, words=words)


def used(angle: float, tolerance: float) -> int:
    """How many turns of up to 45° make up a turn of that many radians; one of next to nothing is none.

    >>> used(math.radians(40), 0.05), used(math.radians(90), 0.05), used(0.04, 0.05)
    (1, 2, 0)
    """
    return max(math.ceil((abs(angle) - tolerance) / TURN), 0)


def _turns(seen: Manoeuvre, limits: Limits) -> Check:
    """Each turn takes as many of those there are as it is long; they combine but do not split."""
    turns = [d for d in seen.runs if d.kind == "turn"]
    sizes = np.array([abs(d.angle) for d in turns])
    sds = np.array([d.sd_angle for d in turns])
    drawn = sizes + sds * np.random.default_rng(SEED).standard_normal((_DRAWS, len(sizes)))
    counts = np.maximum(np.ceil((drawn - limits.rules.turn_tolerance) / TURN), 0.0).sum(axis=1)
    count = sum(used(float(a), limits.rules.turn_tolerance) for a in sizes)
    told = " and ".join(f"{math.degrees(a):.1f}°" for a in sizes) or "none"
    words = f"turned {told}: {count} of {many(limits.turns, 'turn')}"
    p_yes = float(np.mean(counts <= limits.turns))
    margin = float(limits.turns - count)
    held = Measurement(Belief(float(count), 0.0), "", limit=float(limits.turns), margin=margin, p_yes=p_yes)
    return make_check("Turns", held, citation=MOVE, words=words)


def _drift(seen: Manoeuvre, limits: Limits) -> Check:
    """Drift to the left and to the right together (house default).

    A heading that is a little off changes every drift: their deviations add up.
    """
    runs = [d for d in seen.runs if isinstance(d.step, Straight)]
    total = sum(abs(d.left) for d in runs)
    sd = sum(d.sd_left for d in runs)
    held = Measurement(Belief(total, sd)).at_most(limits.drift + limits.rules.drift_tolerance)
    words = f"drifted {total:.2f} in; limit {limits.drift} in{plus_minus(sd)}"
    return make_check("Drift", held, citation=MOVE, words=words)


def _forward(seen: Manoeuvre, limits: Limits) -> Check:
    runs = [d for d in seen.runs if isinstance(d.step, Straight)]
    least = min(runs, key=lambda run: run.ahead, default=Done(Straight(0.0)))
    held = Measurement(Belief(least.ahead, least.sd_ahead)).at_least(-limits.rules.length_tolerance)
    words = "forward" if held.value >= 0.0 else f"{-held.value:.2f} in backwards{plus_minus(held.sd)}"
    return make_check("Forward", held, citation=MOVE, words=words)


def _stops(touched: Contact, away: float) -> Check:
    held = Measurement(Belief(away, touched.gap.sd)).at_most(PAST)
    words = f"it stands {away:.2f} in from where it touches {touched.other}"
    return make_check("Halts at the Touch", held, citation=BLOCKING, words=words)


def _lawful_end(seen: Manoeuvre, limits: Limits) -> Pose:
    """Where the same steps lead, each no longer than it may be."""
    inches, drift, turns = float(limits.high), float(limits.drift), limits.turns
    steps: list[Step] = []
    for done in seen.steps:
        step = done.step
        if isinstance(step, Turn):
            count = min(used(step.angle, limits.rules.turn_tolerance), turns)
            turns -= count
            angle = math.copysign(min(abs(step.angle), count * TURN), step.angle)
            steps.append(replace(step, angle=angle))
        else:
            ahead, left = min(max(step.ahead, 0.0), inches), min(abs(step.left), drift)
            inches, drift = inches - ahead, drift - left
            steps.append(Straight(ahead, math.copysign(left, step.left)))
    return poses_along(seen.start, steps)[-1]

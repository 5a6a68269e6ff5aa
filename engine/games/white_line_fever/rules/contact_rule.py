"""What a car met on its way: cars and obstacles touched, tokens passed over, the edge of the surface."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engine.game.kit.free_moves import turns_away
from engine.measure.contacts import touching
from engine.measure.sweep import THE_EDGE, edge_margins, gaps_along, way_through
from engine.measure.uncertainty import gap_sd
from engine.motion.fit import WOBBLE
from engine.motion.recognition import Manoeuvre
from engine.ruling import Belief, Measurement, Verdict, Witness
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, Status, TableState

AGAINST = 0.06
"""Inches within which a car stands against something: one that stopped short of its Speed, or that is about
to turn away from it (house default)."""

_NEAR_END = 0.3

Kind = Literal["car", "obstacle", "token", "edge"]


@dataclass(frozen=True, eq=False)
class Meeting:
    """Something that the car touched, or may have touched, on its way.

    `gap` is the smallest distance between the two in inches, negative for an overlap, held against 0:
    `verdict` says whether they touched. `pose` is where the car was when it first did, or nearest.
    """

    other: str
    kind: Kind
    gap: Measurement
    verdict: Verdict
    pose: Pose

    @property
    def words(self) -> str:
        """For people."""
        sure, maybe = {
            "edge": ("leaves the surface", "may have left the surface"),
            "token": (f"passes over {self.other}", f"may have passed over {self.other}"),
        }.get(self.kind, (f"touches {self.other}", f"may have touched {self.other}"))
        return sure if self.verdict is Verdict.YES else f"{maybe} (too close to call)"


_Met = dict[str, tuple[int, Meeting]]
"""What a car met on one way, by name, with the number of the place where it did."""


def what_it_met(
    table: TableState,
    car: Standing,
    seen: Manoeuvre,
    way: Sequence[Pose] = (),
    *,
    short: bool = False,
    confidence: float = 0.95,
) -> tuple[Meeting, ...]:
    """Everything that the car touched or may have touched, in the order of its way.

    `way` is where it was seen meanwhile: a hand that pushes too far and comes back has touched what
    lies there. `short` says that it stopped short of its Speed: then what it stands against has
    stopped it. What it touched before it set out counts only if it goes deeper into it, and not if it turns
    away from it. Where what was seen may have been another way of the same kind and size, as a turn about
    another point of its rear, what it met on only one of them is left open.
    """
    readings = [
        _on_one_way(table, car, one, way, short=short, confidence=confidence)
        for one in (seen, *seen.elsewhere)
    ]
    found = {name: one for reading in reversed(readings) for name, one in reading.items()}
    return tuple(
        one for _, one in sorted((_of_all(readings, name) for name in found), key=lambda one: one[0])
    )


def _of_all(readings: Sequence[_Met], name: str) -> tuple[int, Meeting]:
    """What is sure on every way is sure; of anything else how probable it is over all of them."""
    found = [reading[name] for reading in readings if name in reading]
    first, met = found[0]
    if len(found) == len(readings) and all(one.verdict is met.verdict for _, one in found):
        return first, met
    share = sum(1.0 if one.verdict is Verdict.YES else one.gap.p_yes or 0.0 for _, one in found)
    gap = replace(met.gap, p_yes=share / len(readings))
    return first, replace(met, gap=gap, verdict=Verdict.TOO_CLOSE)


def _on_one_way(
    table: TableState, car: Standing, seen: Manoeuvre, way: Sequence[Pose], *, short: bool, confidence: float
) -> _Met:
    steps = [d.step for d in seen.steps]
    rows = way_through(seen.start, steps)
    driven, begun = len(rows), replace(car, pose=seen.start)
    if way:
        rows = np.concatenate([rows, np.array([(p.x, p.y, p.heading) for p in way])])
    last = np.array([seen.end.x, seen.end.y, seen.end.heading])
    rows = np.concatenate([rows, last[None]])
    found: list[tuple[int, Meeting]] = []
    for other in table.others(car.name):
        if other.status is not Status.LOST:
            apart = gaps_along(car, rows, other)
            what = other.piece
            kind: Kind = "token" if not what.solid else "obstacle" if what.look == "terrain" else "car"
            seen_deeper = apart.min() <= apart[:driven].min() - 2.0 * WOBBLE
            if kind != "token" and not seen_deeper and turns_away(begun, steps, other, AGAINST):
                continue
            sd = gap_sd(car, other)
            found += _meeting(other.name, kind, rows, apart, sd, short, confidence)
    margins = edge_margins(car, rows, table.surface)
    found += _meeting(THE_EDGE, "edge", rows, margins, gap_sd(car), False, confidence)
    return {one.other: (at, one) for at, one in found}


def _meeting(
    name: str, kind: Kind, rows: FloatArray, apart: FloatArray, sd: float, short: bool, confidence: float
) -> list[tuple[int, Meeting]]:
    near_end = np.hypot(*(rows[:, :2] - rows[-1, :2]).T) < _NEAR_END
    errors = np.where(near_end, sd, math.hypot(sd, WOBBLE))
    if apart[0] < 3.0 * sd and apart.min() > apart[0] - 2.0 * WOBBLE:
        return []
    k = int((apart / np.maximum(errors, 1e-9)).argmin())
    gap = touching(Measurement(Belief(float(apart[k]), float(errors[k])), "in", Witness(None, (name,))))
    verdict = gap.verdict(confidence)
    stands_against = short and kind in ("car", "obstacle") and abs(apart[-1]) <= max(AGAINST, 2.0 * sd)
    if verdict is not Verdict.YES and stands_against:
        verdict, k = Verdict.YES, len(rows) - 1
    if verdict is Verdict.NO:
        return []
    first = int((apart <= apart[k] if verdict is not Verdict.YES else apart <= max(0.0, apart[k])).argmax())
    return [(first, Meeting(name, kind, gap, verdict, Pose(*map(float, rows[first]))))]

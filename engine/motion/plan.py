"""Was that the manoeuvre that was said: part by part, and where the car should stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.measure.sweep import Step, Straight, Turn, poses_along
from engine.motion.recognition import Done, Manoeuvre, step_words
from engine.ruling import Belief, Measurement, Verdict
from engine.space.geometry import Pose, wrap_angle

TOLERANCE = 0.25
"""Inches by which a straight run or a drift may differ from the plan (house default)."""

TOLERANCE_TURN = math.radians(5.0)
"""Radians by which a turn may differ from the plan (house default)."""


@dataclass(frozen=True, eq=False)
class PartCheck:
    """One part of a plan against what was done.

    `off` is what was done less what was planned (inches or radians) with deviation, held against the
    tolerance; `verdict` says whether the part is as planned.
    """

    words: str
    off: Measurement
    verdict: Verdict


@dataclass(frozen=True, eq=False)
class Comparison:
    """A manoeuvre against its plan: every part, and where the car should stand."""

    parts: tuple[PartCheck, ...]
    should_stand: Pose
    distance: float
    turn: float

    @property
    def verdict(self) -> Verdict:
        """*No* if any part surely is not as planned, *yes* if all surely are, else too close."""
        verdicts = {p.verdict for p in self.parts}
        if Verdict.NO in verdicts:
            return Verdict.NO
        return Verdict.TOO_CLOSE if Verdict.TOO_CLOSE in verdicts else Verdict.YES

    @property
    def words(self) -> str:
        """For people: what is off, and how the car has to be moved."""
        wrong = [p.words for p in self.parts if p.verdict is not Verdict.YES]
        if not wrong:
            return "as planned"
        return f"{'; '.join(wrong)}; the car should stand {self.distance:.2f} in away"


def compare(
    plan: Sequence[Step],
    seen: Manoeuvre,
    *,
    tolerance: float = TOLERANCE,
    tolerance_turn: float = TOLERANCE_TURN,
    confidence: float = 0.95,
) -> Comparison:
    """A recognised manoeuvre against a plan, part by part in order.

    Straight runs that follow each other are one run, with their drifts added. A part that is missing
    counts as one of size 0.
    """
    planned, done = _runs(plan), list(seen.runs)
    parts: list[PartCheck] = []
    for want, got in _aligned(planned, done):
        parts += _checks(want, got, (tolerance, tolerance_turn), confidence)
    should = poses_along(seen.start, plan)[-1]
    away = math.hypot(seen.end.x - should.x, seen.end.y - should.y)
    return Comparison(tuple(parts), should, away, wrap_angle(should.heading - seen.end.heading))


def _runs(steps: Sequence[Step]) -> list[Done]:
    out: list[Step] = []
    for step in steps:
        last = out[-1] if out else None
        if isinstance(last, Straight) and isinstance(step, Straight):
            out[-1] = Straight(last.ahead + step.ahead, last.left + step.left)
        else:
            out.append(step)
    return [Done(step) for step in out]


def _aligned(planned: list[Done], done: list[Done]) -> list[tuple[Done | None, Done | None]]:
    """The two rows side by side, so that as many parts as can be are of one kind."""
    n, m = len(planned), len(done)
    common = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            match = _alike(planned[i], done[j])
            both = 1 + common[i + 1][j + 1] if match else 0
            common[i][j] = max(common[i + 1][j], common[i][j + 1], both)
    rows: list[tuple[Done | None, Done | None]] = []
    i = j = 0
    while i < n or j < m:
        if i < n and j < m and _alike(planned[i], done[j]) and common[i][j] == 1 + common[i + 1][j + 1]:
            rows.append((planned[i], done[j]))
            i, j = i + 1, j + 1
        elif i < n and (j == m or common[i + 1][j] >= common[i][j + 1]):
            rows.append((planned[i], None))
            i += 1
        else:
            rows.append((None, done[j]))
            j += 1
    return rows


def _alike(a: Done, b: Done) -> bool:
    return isinstance(a.step, Turn) == isinstance(b.step, Turn)


def _checks(
    want: Done | None, got: Done | None, tolerances: tuple[float, float], confidence: float
) -> list[PartCheck]:
    one = want or got
    assert one is not None
    if isinstance(one.step, Turn):
        planned = want.step.angle if want and isinstance(want.step, Turn) else 0.0
        seen = got.step.angle if got and isinstance(got.step, Turn) else 0.0
        sd = got.sd_angle if got else 0.0
        name = step_words(Turn(planned)) if want else "no turn"
        return [_check(name, planned, seen, sd, tolerances[1], confidence, unit="rad")]
    a = want.step if want and isinstance(want.step, Straight) else Straight(0.0)
    b = got.step if got and isinstance(got.step, Straight) else Straight(0.0)
    name = f"straight {a.ahead:g} in" if want else "no straight run"
    rows = [_check(name, a.ahead, b.ahead, got.sd_ahead if got else 0.0, tolerances[0], confidence)]
    if a.left or b.left:
        side = "left" if a.left > 0 else "right"
        name = f"drift {abs(a.left):g} in {side}" if a.left else "no drift"
        rows.append(_check(name, a.left, b.left, got.sd_left if got else 0.0, tolerances[0], confidence))
    return rows


def _check(
    name: str, planned: float, seen: float, sd: float, tolerance: float, confidence: float, unit: str = "in"
) -> PartCheck:
    off = seen - planned
    kind = "rad" if unit == "rad" else "in"
    over, under = Belief(off, sd).at_most(tolerance), Belief(off, sd).at_most(-tolerance)
    p_yes = over - under if sd > 0.0 else float(abs(off) <= tolerance)
    measured = Measurement(
        Belief(off, sd),
        "rad" if kind == "rad" else "in",
        limit=tolerance,
        margin=tolerance - abs(off),
        p_yes=p_yes,
    )
    amount = f"{math.degrees(abs(off)):.1f}°" if kind == "rad" else f"{abs(off):.2f} in"
    more = "too much" if abs(seen) > abs(planned) or seen * planned < 0 else "too little"
    return PartCheck(f"{name}: {amount} {more}", measured, measured.verdict(confidence))

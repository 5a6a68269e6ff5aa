"""Where a car may end, and whether it stands where it must (White Line Fever 0.9)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.game.kit.table import off_goal
from engine.measure.sweep import Step, Straight, Touch, Turn, first_touch, leaves, poses_along
from engine.motion.reach import Reach, reachable
from engine.motion.recognition import Manoeuvre, pivots_of, step_words
from engine.ruling import Belief, Check, Measurement, Verdict, make_check, plus_minus
from engine.space.geometry import Pose, wrap_angle
from engine.space.pieces import Body
from engine.space.table import Standing, Status, TableState

LEAST_RUN = 1.0
"""Inches of the shortest straight run."""
MOST_TURN = math.pi / 2
"""Radians of the largest turn."""
DRIFT_IN = 1.0
"""Inches of a drift."""
LEAST_DRIFT = 0.25
"""Inches aside up to which a run is none with a drift, only a hand's trembling (house default)."""

PLACE, PLACE_TURN = 0.25, math.radians(5.0)
"""Inches and radians by which a car that a rule has put somewhere may stand beside it (house default)."""

_EVERY = 0.05


def lawful_steps(
    body: Body, seen: Manoeuvre, speed: float, *, reverse: bool = False, least_drift: float = LEAST_DRIFT,
    bent: bool = False,
) -> tuple[Step, ...]:  # fmt: skip
    """The lawful manoeuvre of that Speed whose end lies nearest to where the car stands.

    Of the kind that was driven where that was one kind: a run, a run with a turn, a run with a drift; a run
    where its turn or drift is done already (`bent`).
    """
    sign = -1.0 if reverse else 1.0
    if bent:
        return (Straight(sign * speed),)
    turns = [d.step for d in seen.steps if isinstance(d.step, Turn)]
    sideways = [d.left for d in seen.steps]
    drifts = [left for left in sideways if abs(left) > least_drift]
    rows: list[tuple[Step, ...]] = []
    mixed = len(turns) + len(drifts) > 1
    if mixed or (not turns and not drifts):
        rows.append((Straight(sign * speed),))
    if mixed or drifts:
        sides = (-1.0, 1.0) if mixed else (math.copysign(1.0, drifts[0]),)
        rows += [(Straight(sign * speed, side * DRIFT_IN),) for side in sides]
    if mixed or turns:
        angle = seen.turn.value if turns else wrap_angle(seen.end.heading - seen.start.heading)
        pivots = {t.pivot for t in turns} or set(pivots_of(body))
        rows += _turned(max(-MOST_TURN, min(MOST_TURN, angle)), speed, sign, pivots)

    def off(steps: tuple[Step, ...]) -> float:
        end = poses_along(seen.start, steps)[-1]
        askew = wrap_angle(end.heading - seen.end.heading)
        return math.hypot(end.x - seen.end.x, end.y - seen.end.y, askew)

    return min(rows, key=off)


def _turned(
    angle: float, speed: float, sign: float, pivots: set[tuple[float, float]]
) -> list[tuple[Step, ...]]:
    least = min(LEAST_RUN, speed)
    places = np.arange(least, speed - least + 1e-9, _EVERY)
    rows: list[tuple[Step, ...]] = []
    for pivot in sorted(pivots):
        turn = Turn(angle, pivot)
        rows += [(turn, Straight(sign * speed)), (Straight(sign * speed), turn)]
        rows += [(Straight(sign * float(a)), turn, Straight(sign * (speed - float(a)))) for a in places]
    return rows


@dataclass(frozen=True, eq=False)
class Underway:
    """A manoeuvre that a hand is still pushing.

    `used` inches of the Speed are used and `left` are still to go (below 0: too far; both along the
    runs). `ghost` is where the car would lawfully end if it went on as it goes; `touch` is what it
    would touch on the way there first, a piece or the edge.
    """

    seen: Manoeuvre
    used: float
    left: float
    ghost: Pose
    touch: Touch | None

    @property
    def words(self) -> str:
        """For people: what was done, what is still to go, what lies in the way."""
        done = ", ".join(step_words(d.step) for d in self.seen.steps) or "not under way yet"
        if self.left > 0.05:
            rest = f"{self.left:.2f} in to go"
        elif self.left < -0.05:
            rest = f"{-self.left:.2f} in too far"
        else:
            rest = "all of its Speed used"
        ahead = ""
        if self.touch is not None and self.touch.travelled > 0.0:
            ahead = f"; would meet {self.touch.other} after {self.touch.travelled:.2f} in"
        elif self.touch is not None:
            ahead = f"; touches {self.touch.other}"
        return f"{done}: {rest}{ahead}"


def underway(
    table: TableState, car: Standing, seen: Manoeuvre, speed: float, *, reverse: bool = False,
    bent: bool = False,
) -> Underway:  # fmt: skip
    """What is still to go, where it would lawfully end, and what it would touch on the way there."""
    used = seen.length.value
    left = speed - used
    sign = -1.0 if reverse else 1.0
    here = Standing(car.piece, seen.end, car.uncertainty, Status.MOVING)
    rest: tuple[Step, ...] = (Straight(sign * left),) if left > 0.0 else ()
    goal = poses_along(seen.end, rest)[-1]
    going_on = Manoeuvre(
        seen.start, goal, seen.steps, seen.runs, Measurement(Belief(max(used, speed), 0.0)), seen.turn
    )
    ghost = poses_along(
        seen.start, lawful_steps(car.piece.body, going_on, speed, reverse=reverse, bent=bent)
    )[-1]
    others = [s for s in table.others(car.name) if s.piece.solid and s.status is not Status.LOST]
    met = [t for t in (first_touch(here, rest, others), leaves(here, rest, table.surface)) if t is not None]
    return Underway(seen, used, left, ghost, min(met, key=lambda t: (t.step, t.share)) if met else None)


def reach_of(
    table: TableState, car: Standing, speed: float, *, reverse: bool = False, bent: bool = False
) -> Reach:
    """Where the car may lawfully end from where it stands."""
    body = car.piece.body
    others = [s for s in table.others(car.name) if s.piece.solid and s.status is not Status.LOST]
    return reachable(
        car, speed, pivot=pivots_of(body)[0], most_turn=0.0 if bent else MOST_TURN,
        least_run=min(LEAST_RUN, speed), surface=table.surface, blockers=others,
        drift=None if bent else DRIFT_IN, reverse=reverse,
    )  # fmt: skip


def placed_as_told(
    standing: Standing,
    ghost: Pose,
    *,
    citation: str,
    place: float = PLACE,
    turn: float | None = PLACE_TURN,
    confidence: float = 0.95,
) -> Check:
    """Whether a piece stands where a rule has put it; `turn` None lets it face anywhere.

    The number is the distance in inches, or, if that is right and the heading is not, the angle.
    """
    off = off_goal(standing, ghost, place, math.inf if turn is None else turn)
    words = f"{standing.name} stands {off.away.value:.2f} in from its place{plus_minus(off.away.sd)}"
    if turn is not None:
        side = "left" if off.askew > 0 else "right"
        words += f", {math.degrees(abs(off.askew)):.1f}° to turn {side}"
    sure = turn is not None and off.away.verdict(confidence) is Verdict.YES
    worst = off.angle if sure else off.away
    return make_check("Placed", worst, citation=citation, confidence=confidence, words=words)

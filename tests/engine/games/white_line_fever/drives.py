"""Cars driven through steps by a simulated hand, recognised and ruled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.games.white_line_fever.rules.moves import Driven, Tolerance, rule_manoeuvre
from engine.measure.sweep import Step
from engine.motion.recognition import SLIP, SLIP_TURN, Manoeuvre, pivots_of, recognise
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.tables import SURFACE, car
from tests.hand import Habits, push

AXLE, REAR = (-0.89, 0.0), (-1.475, 0.0)
START = Pose(20.0, 20.0, 0.0)
STEADY = Habits(wobble=0.01, wobble_turn=0.005, slip=0.003, slip_turn=0.001, missed=0.0)


def seen_of(steps: Sequence[Step], habits: Habits = STEADY, seed: int = 1, start: Pose = START) -> Manoeuvre:
    """What is recognised of a sedan that drives these steps."""
    one = push(steps, np.random.default_rng(seed), model="sedan", start=start, habits=habits)
    return recognise(
        one.track, pivot=pivots_of(one.body), sd=one.sd, sd_heading=one.sd_heading,
        rests=one.rests, slip=(SLIP, SLIP_TURN),
    )  # fmt: skip


def driven(
    steps: Sequence[Step],
    speed: float,
    *others: Standing,
    habits: Habits = STEADY,
    seed: int = 1,
    start: Pose = START,
    surface: Region = SURFACE,
    reverse: bool = False,
    stops: Sequence[str] = (),
    tolerance: Tolerance | None = None,
) -> Driven:
    """A sedan called Red 1 that drives these steps, ruled."""
    one = push(steps, np.random.default_rng(seed), model="sedan", start=start, habits=habits)
    seen = seen_of(steps, habits, seed, start)
    red = Standing(car("Red 1", 0, 0).piece, seen.start, PoseUncertainty(one.rests[0]))
    table = TableState.of(surface, [red, *others])
    return rule_manoeuvre(
        table, "Red 1", seen, speed, way=one.track, reverse=reverse, stops=stops, tolerance=tolerance
    )

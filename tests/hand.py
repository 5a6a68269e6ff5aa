"""A hand that pushes a car, as hands do, and what a tracker reads of it; with the truth beside it.

The hand wobbles, pushes too far and comes back, pauses, pushes in several goes, lifts the car and puts
it down again, turns it on the rear axle or on the rear edge, lets it slip, and covers its tag for a
while. Reads carry noise as large as their stated deviations; a rest is known as the tracker knows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.measure.sweep import Step, Straight, Turn
from engine.motion.recognition import rear_of
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body, Piece

LASTING = 0.4
"""The part of a read's variance that stays while a piece rests (see vision.track)."""

MODELS = ("compact", "sedan", "muscle", "suv", "pickup", "van", "truck", "buggy")


@dataclass(frozen=True)
class Habits:
    """What this hand does on its way: inches, radians, shares."""

    wobble: float = 0.03
    wobble_turn: float = math.radians(0.8)
    slip: float = 0.012
    slip_turn: float = math.radians(0.3)
    overshoot: float = 0.0
    overshoot_turn: float = 0.0
    goes: int = 1
    lifts: bool = False
    covered: tuple[float, float] = (0.0, 0.0)
    missed: float = 0.05
    speed: float = 4.0

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Habits:
        """A hand at random."""
        covers = rng.random() < 0.4
        begin = float(rng.uniform(0.0, 0.8))
        return cls(
            wobble=float(rng.uniform(0.01, 0.05)),
            wobble_turn=math.radians(float(rng.uniform(0.2, 1.2))),
            overshoot=float(rng.uniform(0.1, 0.8)) if rng.random() < 0.35 else 0.0,
            overshoot_turn=math.radians(float(rng.uniform(3.0, 15.0))) if rng.random() < 0.3 else 0.0,
            goes=int(rng.choice([1, 1, 2, 3])),
            lifts=rng.random() < 0.08,
            covered=(begin, begin + float(rng.uniform(0.1, 0.6))) if covers else (0.0, 0.0),
            missed=float(rng.choice([0.0, 0.05, 0.3])),
            speed=float(rng.uniform(2.0, 8.0)),
        )


@dataclass(frozen=True, eq=False)
class Push:
    """One push: what was done, and what was read of it.

    `steps` is the truth, `true_way` where the car really was, frame by frame; `track` what was read,
    the first and last pose at rest. `sd` and `sd_heading` are a read's deviations (inches, radians),
    `rests` the covariances of the first and last pose.
    """

    body: Body
    start: Pose
    end: Pose
    steps: tuple[Step, ...]
    habits: Habits
    times: tuple[float, ...]
    track: tuple[Pose, ...]
    sd: float
    sd_heading: float
    rests: tuple[FloatArray, FloatArray]
    true_way: tuple[Pose, ...]

    @property
    def piece(self) -> Piece:
        """The car that was pushed."""
        return Piece("Red 1", "car", self.body)


def pivot_of(body: Body, rng: np.random.Generator) -> tuple[float, float]:
    """On what a hand turns a car: its rear axle or its rear edge, hardly ever exactly."""
    x, y = (float(v) for v in body.rear_axle) if rng.random() < 0.5 else rear_of(body)
    return x + float(rng.normal(0, 0.03)), y + float(rng.normal(0, 0.03))


def push(
    steps: Sequence[Step],
    rng: np.random.Generator,
    *,
    model: str | None = None,
    start: Pose | None = None,
    habits: Habits | None = None,
    fps: float = 20.0,
) -> Push:
    """Pushes a car through the steps."""
    body = CARS[str(rng.choice(MODELS)) if model is None else model]
    start = start or Pose(*map(float, rng.uniform((15, 15, -math.pi), (33, 33, math.pi))))
    habits = Habits.drawn(rng) if habits is None else habits
    way, end = _way(steps, start, habits, rng, fps)
    sd, sd_heading = float(rng.uniform(0.004, 0.02)), math.radians(float(rng.uniform(0.15, 0.8)))
    noise = np.array([sd, sd, sd_heading])
    count = len(way)
    place = np.arange(count) / max(count - 1, 1)
    hidden = (place >= habits.covered[0]) & (place < habits.covered[1])
    hidden |= rng.random(count) < habits.missed
    hidden |= np.array([lifted for _, lifted in way], dtype=bool)
    rows = [start, *(pose for pose, _ in way), end]
    kept = [0, *(k + 1 for k in range(count) if not hidden[k]), count + 1]
    shares = np.ones((count + 2, 1))
    shares[[0, -1]] = math.sqrt(LASTING + (1 - LASTING) / 8)
    shaken = (
        np.array([(p.x, p.y, p.heading) for p in rows]) + rng.normal(size=(count + 2, 3)) * noise * shares
    )
    rest = np.diag(noise * float(shares[0, 0])) ** 2
    return Push(
        body, start, end, tuple(steps), habits,
        tuple(0.5 + k / fps for k in kept), tuple(Pose(*map(float, shaken[k])) for k in kept),
        sd, sd_heading, (rest, rest), tuple(pose for pose, _ in way),
    )  # fmt: skip


def _way(
    steps: Sequence[Step], start: Pose, habits: Habits, rng: np.random.Generator, fps: float
) -> tuple[list[tuple[Pose, bool]], Pose]:
    """Frame by frame where the car is under way, and whether it is up in the air; and where it ends."""
    out: list[tuple[Pose, bool]] = []
    at = start
    sway = [_sway(rng) for _ in range(2)]
    lifted_step = int(rng.integers(len(steps))) if habits.lifts and steps else -1
    for k, step in enumerate(steps):
        out += [(at, False)] * int(rng.integers(0, 8))
        shares = _shares(step, habits, rng, fps)
        for share in shares:
            t = len(out) / fps
            left = habits.wobble * sway[0](t)
            askew = habits.wobble_turn * sway[1](t)
            # Near its ends a stroke is steadier than in its middle.
            steady = min(1.0, 4.0 * min(abs(share), abs(1.0 - share)))
            pose = step.part(share).after(at).compose(Pose(0.0, steady * left, steady * askew))
            out.append((pose, k == lifted_step))
        slipped = rng.normal(size=3) * (habits.slip, habits.slip, habits.slip_turn)
        at = step.after(at).compose(Pose(*map(float, slipped)))
    out += [(at, False)] * 4
    return out, at


def _shares(step: Step, habits: Habits, rng: np.random.Generator, fps: float) -> list[float]:
    """How much of a step is done, frame by frame, with pauses, goes and an overshoot."""
    over = habits.overshoot_turn if isinstance(step, Turn) else habits.overshoot
    effort = step.size * (1.5 if isinstance(step, Turn) else 1.0)
    stops = [*np.sort(rng.uniform(0.2, 0.8, habits.goes - 1)), 1.0]
    if over and step.size:
        stops[-1:] = [1.0 + over / step.size, 1.0]
    shares: list[float] = []
    last = 0.0
    for stop in stops:
        frames = max(int(abs(stop - last) * effort / habits.speed * fps), 2)
        eased = [s * s * (3 - 2 * s) for s in np.arange(1, frames + 1) / frames]
        shares += [float(last + (stop - last) * s) for s in eased]
        shares += [float(stop)] * int(rng.integers(0, 5))
        last = float(stop)
    return shares


def _sway(rng: np.random.Generator) -> Callable[[float], float]:
    """A gentle unrest of about unit size over seconds."""
    rates, phases = rng.uniform(0.3, 2.5, 3), rng.uniform(0, math.tau, 3)
    return lambda t: float(np.sin(math.tau * rates * t + phases).sum() * math.sqrt(2 / 3))


# What is pushed


def legal(speed: int, pivot: tuple[float, float], rng: np.random.Generator) -> list[Step]:
    """A lawful manoeuvre at that Speed."""
    kind = rng.choice(["straight", "turn first", "turn last", "turn between", "drift"])
    angle = math.radians(float(rng.uniform(8, 84))) * float(rng.choice([-1, 1]))
    turn = Turn(angle, pivot)
    if kind == "straight":
        return [Straight(speed)]
    if kind == "turn first":
        return [turn, Straight(speed)]
    if kind == "turn last" or (kind == "turn between" and speed < 2):
        return [Straight(speed), turn]
    if kind == "turn between":
        first = float(rng.uniform(1.1, speed - 1.1)) if speed > 2 else 1.0
        return [Straight(first), turn, Straight(speed - first)]
    return drift(speed, float(rng.choice([-1, 1])), rng)


def drift(speed: float, left: float, rng: np.random.Generator) -> list[Step]:
    """A run with a drift somewhere in it, during at least an inch."""
    over = float(rng.uniform(1.0, speed)) if speed > 1 else 1.0
    before = float(rng.uniform(0.0, speed - over))
    steps = [Straight(before), Straight(over, left), Straight(speed - before - over)]
    return [s for s in steps if s.size > 1e-9]


def unlawful(speed: int, pivot: tuple[float, float], rng: np.random.Generator) -> list[Step]:
    """A manoeuvre with one thing wrong."""
    sign = float(rng.choice([-1, 1]))
    turn = Turn(sign * math.radians(float(rng.uniform(15, 75))), pivot)
    kind = rng.choice(["length", "turn", "two turns", "turn and drift", "drift", "back"])
    if kind == "length":
        wrong = speed + float(rng.choice([-1, 1])) * float(rng.uniform(0.32, 0.9 if speed < 2 else 1.6))
        steps: list[Step] = [Straight(max(wrong, 0.3))]
        return [steps[0], turn] if rng.random() < 0.3 else steps
    if kind == "turn":
        return [Straight(speed), Turn(sign * math.radians(float(rng.uniform(97, 150))), pivot)]
    if kind == "two turns":
        whole = max(speed, 4)
        second = Turn(-turn.angle * float(rng.uniform(0.4, 1.0)), pivot)
        return [turn, Straight(whole / 2), second, Straight(whole / 2)]
    if kind == "turn and drift":
        whole = max(speed, 4)
        return [Straight(whole / 2, sign), turn, Straight(whole / 2)]
    if kind == "drift":
        return drift(max(speed, 2), sign * float(rng.choice([0.5, 0.6, 1.5, 1.8])), rng)
    return [Straight(-speed)]

"""Pushes of Car Cult, ruled right or not.

A simulated hand (`tests.hand`) pushes a car straight, with turns or drift, through Rough terrain,
past Mines and into Blocking terrain. The camera's table is off the true one by as much as it states.
What is ruled of the camera's move is held against the same rule on the true poses and the steps that the hand
really made; how far its way truly is from Mines and walls is found by brute force. An answer *can be called*
when the truth lies beyond its limit by more than three stated deviations; it is right, wrong, or left open.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.games.car_cult.acts.beginning import begin
from engine.games.car_cult.acts.recognised import Judged, judged
from engine.games.car_cult.book.data import MINE_RANGE, MINES, SPEED, Zones
from engine.games.car_cult.state import EVENTS, GameState, Laid
from engine.games.car_cult.state import Turn as Activation
from engine.measure.sweep import Step, Straight, Turn, way_through
from engine.measure.uncertainty import gap_sd
from engine.motion.moves import Move, Read
from engine.motion.recognition import Done, Manoeuvre
from engine.ruling import Belief, Measurement, Verdict
from engine.space.catalogue import CARS, box
from engine.space.geometry import Footprint, Pose, Region
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.hand import Habits, Push, push

BEYOND = 3.0
"""Stated deviations by which a truth must lie beyond its limit to be called."""


def match_state() -> GameState:
    """Red 1 about to move 9 to 12 in with two turns and 2 in of drift; two Mines are laid."""
    cars: list[dict[str, Any]] = [
        {"name": n, "owner": n[:-2], "engine": "Straight Five", "parts": []} for n in ("Red 1", "Blue 1")
    ]
    state = GameState()
    for event in begin({"players": ["Red", "Blue"], "pieces": cars}):
        state = EVENTS.apply(state, event)
    zones: Zones = (SPEED, SPEED, SPEED, None, None)
    for name in ("Red 1", "Blue 1"):
        state = state.with_component(name, "Straight Five", zones=zones).with_car(name, status="driving")
    laid = tuple(Laid(f"Mine {k}", MINES, "Blue", "Blue 1") for k in (1, 2))
    return replace(state, round=1, laid=laid, turn=Activation("Red 1", "Red", "act"))


STATE = match_state()


def table(rng: np.random.Generator) -> TableState:
    """A car with ground, Mines, a wall and another car before it."""
    mud = Body("mud", Footprint.box(float(rng.uniform(1.5, 5.0)), float(rng.uniform(1.5, 5.0))), 0.0)
    mine = Body("mine", Footprint.box(1.0, 1.0), 0.0)
    wall = box(float(rng.uniform(0.5, 4.0)), float(rng.uniform(0.5, 4.0)), 2.0)

    def about(low: tuple[float, float], high: tuple[float, float]) -> Pose:
        x, y, heading = rng.uniform((*low, -3.0), (*high, 3.0))
        return Pose(float(x), float(y), float(heading))

    rows = [
        (Piece("Red 1", "car", CARS["sedan"]), Pose(8.0, 24.0)),
        (Piece("Blue 1", "car", CARS["muscle"]), about((16, 18), (26, 30))),
        (Piece("Mud", "marker", mud), about((11, 21), (17, 27))),
        (Piece("Mine 1", "token", mine), about((10, 14), (20, 34))),
        (Piece("Mine 2", "token", mine), about((10, 14), (20, 34))),
        (Piece("Wall", "terrain", wall), about((14, 18), (24, 30))),
    ]
    standings: list[Standing] = []
    for piece, pose in rows:
        one = Standing(piece, pose, PoseUncertainty.exact())
        if not piece.solid or all(
            not o.piece.solid or o.region.polygon.distance(one.region.polygon) > 0.3 for o in standings
        ):
            standings.append(one)
    return TableState.of(Region.rectangle(0, 0, 48, 48), standings)


def steps(rng: np.random.Generator) -> list[Step]:
    """A plan: straight, with turns, or with drift; now and then too far or too wide."""
    kind, rear = int(rng.integers(4)), (-1.4, 0.0)
    total = float(rng.uniform(6.0, 13.5))
    if kind == 0:
        return [Straight(total)]
    if kind == 1:
        return [Straight(total, float(rng.choice([-1, 1]) * rng.uniform(0.5, 3.0)))]
    first = total * float(rng.uniform(0.3, 0.7))
    angle = math.radians(float(rng.choice([-1, 1]) * rng.choice([25, 40, 60, 85, 110])))
    return [Straight(first), Turn(angle, rear), Straight(total - first)]


def moves(seed: int) -> tuple[Move, Move]:
    """The move as the camera has it, and the true one."""
    rng = np.random.default_rng(seed)
    true = table(rng)
    done = push(steps(rng), rng, model="sedan", start=true.find("Red 1").pose, habits=Habits.drawn(rng))
    sd, turn = float(rng.uniform(0.01, 0.04)), math.radians(float(rng.uniform(0.2, 1.0)))
    seen = TableState.of(true.surface, [_shaken(s, sd, turn, rng) for s in true.standings])
    start = seen.find("Red 1")
    off = _shaken(replace(start, pose=done.end), sd, turn, rng)
    truth = _move(done, true, replace(true.find("Red 1"), pose=done.end), sd=0.002)
    # What the hand did is known: nothing has to be recognised.
    truth.__dict__["_recognised"] = made(done)
    return _move(done, seen, off, sd=None), truth


def made(done: Push) -> Manoeuvre:
    """The steps that a hand has made, as if they had been recognised without any error."""
    steps = tuple(Done(step) for step in done.steps)
    inches = sum(abs(s.ahead) for s in done.steps if isinstance(s, Straight))
    angle = sum(s.angle for s in done.steps if isinstance(s, Turn))
    length, turn = Measurement(Belief(inches, 0.0)), Measurement(Belief(angle, 0.0), "rad")
    return Manoeuvre(done.start, done.end, steps, steps, length, turn)


def clearances(truth: Move, seen: Manoeuvre) -> dict[str, float]:
    """How near the car came to everything else on the way, inches, place by place."""
    body = truth.start.piece.body.footprint
    rows = way_through(seen.start, [d.step for d in seen.steps])
    shapes = [body.at(Pose(*map(float, row))).polygon for row in rows]
    return {
        other.name: min(shape.distance(other.region.polygon) for shape in shapes)
        for other in truth.before.others(truth.piece)
    }


def _shaken(standing: Standing, sd: float, turn: float, rng: np.random.Generator) -> Standing:
    x, y, heading = rng.normal(size=3) * (sd, sd, turn)
    pose = standing.pose
    moved = Pose(pose.x + float(x), pose.y + float(y), pose.heading + float(heading))
    return replace(standing, pose=moved, uncertainty=PoseUncertainty.isotropic(sd, turn))


def _move(done: Push, before: TableState, after: Standing, sd: float | None) -> Move:
    way = done.track[1:-1] if sd is None else done.true_way
    read = (done.sd, done.sd_heading) if sd is None else (sd, sd)
    reads = tuple(Read(float(k), pose, *read) for k, pose in enumerate(way))
    return Move("1", "Red 1", before, after, 0.0, float(len(way)), reads)


@dataclass
class Tally:
    """What a run adds up."""

    callable: Counter[str]
    right: Counter[str]
    open: Counter[str]
    wrong: list[str]
    left: list[str] = field(default_factory=list)

    def hold(self, seed: int, name: str, verdict: Verdict, margin: float, sd: float) -> None:
        """An answer held against how far the truth lies on the yes side."""
        if abs(margin) <= BEYOND * sd:
            return
        truth = Verdict.YES if margin >= 0.0 else Verdict.NO
        self.callable[name] += 1
        self.right[name] += verdict is truth
        if verdict is Verdict.TOO_CLOSE:
            self.open[name] += 1
            self.left.append(f"{seed}: {name} left open, but the truth is {margin:+.3f} (sd {sd:.3f})")
        if verdict not in (truth, Verdict.TOO_CLOSE):
            self.wrong.append(f"{seed}: {name} {verdict.value}, but the truth is {margin:+.3f} (sd {sd:.3f})")

    def add(self, seed: int) -> None:
        """Holds a push against its truth."""
        camera, truth = moves(seed)
        seen, true = judged(STATE, camera), judged(STATE, truth)
        told = {c.name: c for c in true.driven.ruling.checks}
        same = (seen.driven.touched is None) == (true.driven.touched is None)
        for check in seen.driven.ruling.checks if same else ():
            if check.name in ("Maximum", "Drift") and check.name in told:
                self.hold(seed, check.name, check.verdict, told[check.name].margin, max(check.sd, 0.02))
        self._touched(seed, seen, true, camera, truth)
        if same:
            self._ground(seed, seen, true)
            self._mines(seed, seen, true, camera, truth)

    def _touched(self, seed: int, seen: Judged, true: Judged, camera: Move, truth: Move) -> None:
        """Whether the way is free of cars and walls: by how much it truly is, or how deep it runs in."""
        touched, found = true.driven.touched, seen.driven.touched
        if touched is not None and found is not None and touched.other != found.other:
            return
        solid = [s.name for s in truth.before.others(truth.piece) if s.piece.solid]
        near = clearances(truth, truth.recognised())
        margin = min(near[n] for n in solid) if touched is None else touched.gap.value
        stated = [c.gap.sd for c in (*seen.driven.perhaps, *([found] if found else []))]
        verdict = Verdict.YES if found is None else Verdict.NO
        if found is None and seen.driven.perhaps:
            verdict = Verdict.TOO_CLOSE
        self.hold(seed, "Way is free", verdict, margin, max([*stated, 2 * gap_sd(camera.start)]))

    def _ground(self, seed: int, seen: Judged, true: Judged) -> None:
        """The inches inside Rough terrain are as true as their deviation says."""
        inside = {g.terrain: g.inches for g in true.ground}
        for one in seen.ground:
            if one.terrain in inside:
                off = abs(one.inches.value - inside[one.terrain].value)
                self.callable["Inches inside"] += 1
                good = off <= 4.0 * one.inches.sd + 0.05
                self.right["Inches inside"] += good
                if not good:
                    self.wrong.append(f"{seed}: {off:.2f} in off inside {one.terrain}, ±{one.inches.sd:.2f}")

    def _mines(self, seed: int, seen: Judged, true: Judged, camera: Move, truth: Move) -> None:
        """Whether a Mine is triggered, by how near the car truly came to it."""
        near = clearances(truth, true.driven.seen)
        found = {m.mine: m for m in seen.mines}
        for laid in STATE.laid:
            told = found.get(laid.name)
            sd = gap_sd(camera.start, camera.before.find(laid.name)) if told is None else told.distance.sd
            verdict = Verdict.NO if told is None else told.verdict
            self.hold(seed, "Mine", verdict, MINE_RANGE - near[laid.name], max(sd, 0.04))

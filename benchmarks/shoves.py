"""`python -m benchmarks.shoves [--count N] [--json]`: pushes, nudges and rams on a road, ruled right or not.

A simulated hand (`tests.hand`) moves vehicles of Shattered Highways about in random traffic jams: into
the template and out of it, past others and through them, askew, up against another one, and as far as a
nudge allows. The camera's table is a little off the true one, by as much as it states. Every check and every
contact is held against the same rule on the true table, whose areas `benchmarks.traffic` tries by brute
force. An answer *can be called* when the truth lies beyond its limit by more than three stated deviations; it
is right, wrong, or left open.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np

from benchmarks.command import command
from benchmarks.traffic import jam
from engine.games.shattered_highways.rules.contacts import AGAINST, Contact, contacts, sides_of, targets
from engine.games.shattered_highways.rules.moves import STANDS_ON, Moved, move_area, rule_move
from engine.measure.sweep import Straight
from engine.measure.uncertainty import gap_sd
from engine.motion.free_space import Wall, in_the_way, walls_of
from engine.motion.moves import Move, Read
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from tests.hand import Habits, Push, push

COUNT = 1000
BEYOND = 3.0
"""Stated deviations by which a truth must lie beyond its limit to be called."""

FREE = "Stands Free"

Kind = Literal["push", "nudge", "ram"]


@dataclass(frozen=True, eq=False)
class Shove:
    """What a hand did: the true tables before and after, and the move and table as the camera has them."""

    seed: int
    kind: Kind
    rows: int
    name: str
    before: TableState
    after: TableState
    move: Move
    now: TableState


def shove(seed: int) -> Shove:
    """The shove of that seed."""
    rng = np.random.default_rng(seed)
    true = jam(int(rng.integers(1 << 30)))
    kind: Kind = ("push", "nudge", "ram")[int(rng.choice(3, p=(0.5, 0.2, 0.3)))]
    heads = [s.name for s in true.standings if s.piece.driven]
    name = heads[0] if kind != "nudge" else str(rng.choice(heads))
    vehicle = true.vehicle(name)
    rows = int(rng.integers(1, 4)) if kind == "nudge" else 3
    rows = min(rows, 2 if len(vehicle) > 1 else 3)
    gone, turned = _aim(true, name, kind, rows, rng)
    first = vehicle[0]
    way = Pose(0.0, 0.0, first.pose.heading).to_body(gone)
    pushed = push([Straight(float(way[0]), float(way[1]))], rng, model=first.piece.body.model,
                  start=first.pose, habits=Habits.drawn(rng))  # fmt: skip
    end = Pose(pushed.end.x, pushed.end.y, pushed.end.heading + turned)
    after = _put(true, vehicle, end)
    sd, sd_turn = float(rng.uniform(0.01, 0.04)), math.radians(float(rng.uniform(0.2, 1.0)))
    before, now = _seen(true, sd, sd_turn, rng), _seen(after, sd, sd_turn, rng)
    now = TableState.of(now.surface, [
        s if s.name in {v.name for v in vehicle} else before.find(s.name) for s in now.standings
    ])  # fmt: skip
    return Shove(seed, kind, rows, name, true, after, _move(pushed, before, now.find(name)), now)


def _aim(
    true: TableState, name: str, kind: Kind, rows: int, rng: np.random.Generator
) -> tuple[np.ndarray[Any, Any], float]:
    """Where the hand wants to go, inches on the table, and by how much it turns the vehicle, radians."""
    turned = math.radians(float(rng.choice([0.0, 2.0, 4.0, 8.0, 15.0, 25.0]) * rng.choice([-1, 1])))
    if kind == "ram":
        found = [shift for t in targets(true, name, 0.0, rows) for _, shift in t.sides]
        if found:
            # Up against it, or not quite.
            x, y = found[int(rng.integers(len(found)))]
            return np.array([x, y]) * (1.0 - float(rng.choice([0.0, 0.0, 0.05, 0.3]))), 0.0
    area = move_area(true, name, 0.0, rows)
    length = 3.0 * rows
    for _ in range(50):
        far = 1.15 if rng.random() < 0.3 else 1.0
        goal = np.array([rng.uniform(-length, length) * far, rng.uniform(-1.4, 1.4) * far])
        if rng.random() < 0.5:
            shifts = min(
                (p.space.nearest(list(goal)) for p in area.positions), key=lambda s: math.dist(s, goal)
            )
            goal = np.array(shifts) * 0.98
        if not _stands_in_another(true, name, goal):
            return goal, turned if rng.random() < 0.4 else turned / 8
    return np.zeros(2), turned


def _stands_in_another(true: TableState, name: str, shift: np.ndarray[Any, Any]) -> bool:
    vehicle = true.vehicle(name)
    own = {s.name for s in vehicle}
    there = _put(true, vehicle, _moved(vehicle[0].pose, shift))
    return any(
        there.find(n).region.polygon.intersects(o.region.polygon)
        for n in own for o in true.standings if o.name not in own
    )  # fmt: skip


def _moved(pose: Pose, shift: np.ndarray[Any, Any]) -> Pose:
    return Pose(pose.x + float(shift[0]), pose.y + float(shift[1]), pose.heading)


def _put(table: TableState, vehicle: Sequence[Standing], end: Pose) -> TableState:
    """The table with the vehicle there, its trailer hanging on as before."""
    carried = vehicle[0].pose.inverse()
    new = {s.name: end.compose(carried.compose(s.pose)) for s in vehicle}
    return TableState.of(table.surface, (replace(s, pose=new.get(s.name, s.pose)) for s in table.standings))


def _seen(true: TableState, sd: float, sd_turn: float, rng: np.random.Generator) -> TableState:
    """As the camera has it: every pose off by as much as it states."""
    uncertainty = PoseUncertainty.isotropic(sd, sd_turn)
    standings = []
    for s in true.standings:
        x, y, heading = rng.normal(size=3) * (sd, sd, sd_turn)
        pose = Pose(s.pose.x + float(x), s.pose.y + float(y), s.pose.heading + float(heading))
        standings.append(replace(s, pose=pose, uncertainty=uncertainty, status=Status.STILL))
    return TableState.of(true.surface, standings)


def _move(pushed: Push, before: TableState, now: Standing) -> Move:
    reads = tuple(
        Read(t, pose, pushed.sd, pushed.sd_heading)
        for t, pose in zip(pushed.times[1:-1], pushed.track[1:-1], strict=True)
    )
    return Move("1", now.name, before, now, pushed.times[0], pushed.times[-1], reads)


# Held against the truth


def ruled(one: Shove) -> tuple[Moved, Moved]:
    """What the rule makes of the camera's table, and of the true one."""
    seen = rule_move(one.move.before, one.name, one.now.vehicle(one.name), 0.0, one.rows)
    true = rule_move(one.before, one.name, one.after.vehicle(one.name), 0.0, one.rows)
    return seen, true


@dataclass
class Tally:
    """What a run adds up."""

    shoves: Counter[str] = field(default_factory=Counter)
    callable: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    whole: int = 0
    whole_right: int = 0
    legal: int = 0

    def add(self, one: Shove) -> None:
        """Holds one against its truth."""
        self.shoves[one.kind] += 1
        seen, true = ruled(one)
        clear, good = True, True
        truths = {c.name: c.margin for c in true.ruling.checks}
        answers = {c.name: (c.verdict, c.sd) for c in seen.ruling.checks}
        if FREE in truths or FREE in answers:
            # The check is left out where nothing overlaps: that is an answer, too.
            truths[FREE], sd = _free(one)
            answers.setdefault(FREE, (Verdict.YES, sd))
        for name, (verdict, sd) in answers.items():
            clear_here, right = self._hold(one, name, verdict, truths[name], sd)
            clear, good = clear and clear_here, good and (right or not clear_here)
        lawful = true.verdict is Verdict.YES
        self.legal += lawful
        if clear:
            self.whole += 1
            self.whole_right += good and seen.verdict is true.verdict
        self._contacts(one)

    def _hold(self, one: Shove, name: str, verdict: Verdict, margin: float, sd: float) -> tuple[bool, bool]:
        """Whether an answer can be called, and whether it is right."""
        if abs(margin) <= BEYOND * sd:
            return False, False
        truth = Verdict.YES if margin >= 0.0 else Verdict.NO
        self.callable[name] += 1
        self.right[name] += verdict is truth
        self.open[name] += verdict is Verdict.TOO_CLOSE
        if verdict not in (truth, Verdict.TOO_CLOSE):
            self.wrong.append(
                f"{one.seed}: {one.kind}: {name} {verdict.value}, but the truth is {margin:+.3f}"
            )
        return True, verdict is truth

    def _contacts(self, one: Shove) -> None:
        """Who touches it, and with which sides: as seen, and truly."""
        seen = {(c.body, c.other_body): c for c in contacts(one.now, one.name)}
        true = {(c.body, c.other_body): c for c in contacts(one.after, one.name, 3.0)}
        for pair, truth in true.items():
            found = seen.get(pair)
            sd = _gap_sd(one, pair) if found is None else found.gap.sd
            verdict = Verdict.NO if found is None else found.verdict
            called, _ = self._hold(one, "Contact", verdict, _margin(truth), sd)
            if called and found is not None and found.verdict is Verdict.YES and _plain(one, truth):
                same = (found.side, found.other_side) == (truth.side, truth.other_side)
                self.callable["Sides"] += 1
                self.right["Sides"] += same and found.sides_sure is Verdict.YES
                self.open["Sides"] += found.sides_sure is Verdict.TOO_CLOSE
                if not same and found.sides_sure is Verdict.YES:
                    self.wrong.append(
                        f"{one.seed}: {pair}: {found.side.value} against {found.other_side.value}, but it is "
                        f"{truth.side.value} against {truth.other_side.value}"
                    )

    def record(self) -> dict[str, Any]:
        """The figures."""
        called = sum(self.callable.values())
        return {
            "shoves": dict(self.shoves),
            "truly_legal": self.legal,
            "answers_beyond_deviation": called,
            "right_of_those": round(sum(self.right.values()) / max(called, 1), 4),
            "moves_beyond_deviation": self.whole,
            "ruled_right_of_those": round(self.whole_right / max(self.whole, 1), 4),
            "confidently_wrong": len(self.wrong),
            "by_check": {
                n: {"callable": self.callable[n], "right": self.right[n], "left_open": self.open[n]}
                for n in self.callable
            },
        }


def _margin(contact: Contact) -> float:
    return AGAINST - contact.gap.value


def _plain(one: Shove, truth: Contact) -> bool:
    """Whether the sides that truly meet are farther from a corner than what is known of the two places."""
    known = [
        replace(one.after.find(n), uncertainty=one.now.find(n).uncertainty)
        for n in (truth.body, truth.other_body)
    ]
    return sides_of(*known) == (truth.side, truth.other_side, 1.0) and truth.gap.value > -0.05


def _free(one: Shove) -> tuple[float, float]:
    """By how much it truly stands free of all others, inches, and the deviation of that as seen."""

    def deepest(table: TableState) -> Wall:
        vehicle = table.vehicle(one.name)
        walls = walls_of(vehicle, in_the_way(table.others(*(s.name for s in vehicle))))
        return min(walls, key=lambda wall: wall.gap())

    return deepest(one.after).gap() + STANDS_ON, deepest(one.now).sd


def _gap_sd(one: Shove, pair: tuple[str, str]) -> float:
    return gap_sd(one.now.find(pair[0]), one.now.find(pair[1]))


def pushed(*, count: int = COUNT, first: Annotated[int, "the first seed"] = 0) -> dict[str, Any]:
    """The figures of so many pushes, with what was ruled wrong."""
    tally = Tally()
    for seed in range(first, first + count):
        tally.add(shove(seed))
    return {**tally.record(), "wrong": tally.wrong}


if __name__ == "__main__":
    sys.exit(command(pushed))

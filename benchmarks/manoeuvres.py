"""`python -m benchmarks.manoeuvres [--count N | --camera N] [--json]`: are manoeuvres recognised as driven.

A simulated hand (`tests.hand`) pushes cars through lawful and unlawful manoeuvres of White Line
Fever; what a tracker would have read is recognised and ruled, and every check's answer is held against
the truth. A check *can be called* when the truth lies beyond its limit by more than the stated
deviation leaves open (three of them); it is right, wrong, or left open. `--camera` draws so many of
them as a simulated camera sees them and lets the whole referee follow.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from benchmarks.command import command
from engine.game.kit.free_moves import HIDDEN
from engine.games.white_line_fever.rules.moves import Driven, Tolerance, rule_manoeuvre
from engine.measure.sweep import Step, Straight, Turn
from engine.motion.recognition import LEAST_DRIFT, SLIP, SLIP_TURN, pivots_of, recognise
from engine.motion.segmentation import joined
from engine.ruling import Verdict
from engine.space.catalogue import CARS
from engine.space.geometry import Region
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.hand import MODELS, Habits, Push, legal, pivot_of, push, unlawful

COUNT = 2400
BEYOND = 3.0
"""Stated deviations by which a truth must lie beyond its limit to be called."""

PIVOT_PLAY = 0.15
"""Inches by which hands miss the rear edge or the rear axle, both ends together."""

SURFACE = Region.rectangle(0, 0, 48, 48)


@dataclass(frozen=True, eq=False)
class Case:
    """One push and how it was ruled; `margins` are the truth's, by check, positive on the yes side."""

    seed: int
    speed: int
    push: Push
    driven: Driven
    margins: dict[str, float]


def case(seed: int, habits: Habits | None = None) -> Case:
    """The push of that seed, recognised and ruled."""
    rng = np.random.default_rng(seed)
    speed = int(rng.integers(1, 7))
    model = str(rng.choice(MODELS))
    pivot = pivot_of(CARS[model], rng)
    steps = (legal if rng.random() < 0.6 else unlawful)(speed, pivot, rng)
    pushed = push(steps, rng, model=model, habits=habits)
    return Case(seed, speed, pushed, ruled(pushed, speed), true_margins(steps, speed))


def ruled(pushed: Push, speed: float) -> Driven:
    """What the engine makes of a push."""
    seen = recognise(
        pushed.track, pivot=pivots_of(pushed.body), sd=pushed.sd, sd_heading=pushed.sd_heading,
        rests=pushed.rests, slip=(SLIP, SLIP_TURN),
    )  # fmt: skip
    car = Standing(pushed.piece, pushed.track[0], PoseUncertainty(pushed.rests[0]))
    table = TableState.of(SURFACE, [car])
    return rule_manoeuvre(table, car.name, seen, speed, way=pushed.track)


def true_margins(steps: Sequence[Step], speed: float) -> dict[str, float]:
    """How far the truth lies from each limit, inches or radians, positive where the answer is yes.

    What cannot be told from a lawful manoeuvre is none: a turn on the rear edge is one on the axle
    after a short run.
    """
    allowed = Tolerance()
    runs = runs_of(steps)
    length = sum(abs(s.ahead) for s in runs if isinstance(s, Straight))
    turns = [s for s in runs if isinstance(s, Turn)]
    drifts = [s.left for s in runs if isinstance(s, Straight) and s.left]
    margins = {"Speed": allowed.length - abs(length - speed)}
    extras = sorted([abs(t.angle) / allowed.turn for t in turns] + [abs(d) / allowed.drift for d in drifts])[
        :-1
    ]
    # In tolerances: what is more than one is one turn or drift too many.
    margins["One Turn or Drift"] = 1.0 - max(extras, default=0.0)
    margins["Turn"] = math.pi / 2 + allowed.past - abs(sum(t.angle for t in turns))
    for drift in drifts:
        margins["Drift"] = allowed.drift - abs(abs(drift) - 1.0)
    margins["Straight Runs"] = (
        min((abs(s.ahead) for s in runs if isinstance(s, Straight)), default=1.0) - 1.0 + allowed.run
    )
    margins["Direction"] = min((s.ahead for s in runs if isinstance(s, Straight)), default=1.0)
    return margins


def runs_of(steps: Sequence[Step]) -> list[Step]:
    """The steps with straight ones put together, their drifts added."""
    out: list[Step] = []
    for step in steps:
        last = out[-1] if out else None
        if isinstance(step, Straight) and isinstance(last, Straight):
            out[-1] = Straight(last.ahead + step.ahead, last.left + step.left)
        else:
            out.append(step)
    return out


def kinds_of(steps: Sequence[Step]) -> str:
    """The runs in letters: S for a straight run, D for one with a drift, T for a turn."""
    return "".join(
        "T" if isinstance(s, Turn) else "D" if abs(s.left) > LEAST_DRIFT else "S"
        for s in runs_of(joined(steps))
    )


def same_manoeuvre(one: Case) -> bool:
    """Whether the steps are of the true kinds in the true order.

    A turn on the rear edge is one on the axle between a run that is longer before it and shorter after
    it: of a single turn the place may be off by what lies between the two.
    """
    seen, true = [d.step for d in one.driven.seen.steps], one.push.steps
    kinds, wanted = kinds_of(seen), kinds_of(true)
    if kinds == wanted:
        return True
    if wanted.count("T") != 1 or kinds.count("T") != 1 or "D" in wanted + kinds:
        return False
    xs = [x for x, _ in pivots_of(one.push.body)]
    return abs(_before(seen) - _before(true)) < max(xs) - min(xs) + PIVOT_PLAY


def _before(steps: Sequence[Step]) -> float:
    """The inches run before the first turn."""
    runs = itertools.takewhile(lambda s: not isinstance(s, Turn), steps)
    return sum(s.ahead for s in runs if isinstance(s, Straight))


def only_hidden(one: Case) -> bool:
    """Whether it is unlawful only in what nobody saw: it ends where a lawful manoeuvre ends.

    Such a push is ruled by where the car stood and stands, and that is right.
    """
    lawful = min(one.margins.values()) >= 0.0
    near = one.driven.away < Tolerance().length and abs(one.driven.askew) < Tolerance().turn
    return not lawful and near and one.driven.seen.unseen > HIDDEN


@dataclass
class Tally:
    """What a run adds up."""

    cases: int = 0
    kinds_right: int = 0
    doubted: int = 0
    callable: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    of_one_reading: list[str] = field(default_factory=list)
    """Wrong answers where *One Turn or Drift* was left open: told apart, not counted as confidently wrong."""
    missed: list[str] = field(default_factory=list)
    hidden: int = 0
    whole_callable: int = 0
    whole_right: int = 0
    verdict_right: int = 0
    lengths: list[float] = field(default_factory=list)
    angles: list[float] = field(default_factory=list)
    called_near: int = 0
    right_near: int = 0

    def add(self, one: Case) -> None:
        """Holds one case against its truth."""
        self.cases += 1
        seen, steps = one.driven.seen, one.push.steps
        same = same_manoeuvre(one)
        self.kinds_right += same
        self.doubted += bool(seen.doubts)
        if same:
            true = runs_of(steps)
            self.lengths.append(
                abs(seen.length.value - sum(abs(s.ahead) for s in true if isinstance(s, Straight)))
            )
            turned = sum(s.angle for s in true if isinstance(s, Turn))
            self.angles.append(math.degrees(abs(seen.turn.value - turned)))
        if only_hidden(one):
            self.hidden += 1
            return
        checks = {c.name: c for c in one.driven.ruling.checks}
        # Where it is left open what it was, the other answers are those of one reading of it.
        known = checks["One Turn or Drift"].verdict is not Verdict.TOO_CLOSE
        clear = True
        for name, margin in one.margins.items():
            check = checks.get(name)
            if check is None:
                # Nothing of the kind was seen: fine where the truth asks nothing.
                verdict, sd = Verdict.YES, 0.0
            else:
                verdict, sd = check.verdict, deviation_of(name, one)
            beyond = abs(margin) > BEYOND * sd
            truth = Verdict.YES if margin >= 0 else Verdict.NO
            if not beyond:
                clear = False
                self.called_near += verdict is not Verdict.TOO_CLOSE
                self.right_near += verdict is truth
                continue
            self.callable[name] += 1
            if verdict is truth:
                self.right[name] += 1
            elif verdict is Verdict.TOO_CLOSE:
                self.open[name] += 1
            else:
                (self.wrong if known else self.of_one_reading).append(
                    f"{one.seed}: {name} {verdict.value} but the truth is {margin:+.2f} ({one.driven.words})"
                )
        if clear:
            lawful = Verdict.YES if min(one.margins.values()) >= 0.0 else Verdict.NO
            good = same and one.driven.verdict is lawful
            self.whole_callable += 1
            self.whole_right += good
            self.verdict_right += one.driven.verdict is lawful
            if not good:
                self.missed.append(f"{one.seed}: {kinds_of(steps)}, {lawful.value}: {one.driven.words}")
            if one.driven.verdict not in (lawful, Verdict.TOO_CLOSE):
                self.wrong.append(f"{one.seed}: ruled {one.driven.verdict.value} ({one.driven.words})")

    def record(self) -> dict[str, Any]:
        """The figures."""
        return {
            "manoeuvres": self.cases,
            "kinds_right": self.kinds_right / max(self.cases, 1),
            "doubted": self.doubted / max(self.cases, 1),
            "unlawful_only_where_hidden": self.hidden,
            "beyond_deviation": self.whole_callable,
            "right_of_those": self.whole_right / max(self.whole_callable, 1),
            "ruled_right_of_those": self.verdict_right / max(self.whole_callable, 1),
            "confidently_wrong": len(self.wrong),
            "wrong_where_it_is_open_what_it_was": len(self.of_one_reading),
            "called_near_limits": self.called_near,
            "right_of_those_near": self.right_near / max(self.called_near, 1),
            "length_error_in": _spread(self.lengths),
            "angle_error_deg": _spread(self.angles),
            "by_check": {
                n: {"callable": self.callable[n], "right": self.right[n], "left_open": self.open[n]}
                for n in self.callable
            },
        }


def _spread(errors: Sequence[float]) -> dict[str, float]:
    return {f"{q:.0%}": float(np.quantile(errors, q)) for q in (0.5, 0.95, 0.99)} if errors else {}


def deviation_of(name: str, one: Case) -> float:
    """The stated deviation of a check in the unit of its true margin."""
    seen, allowed = one.driven.seen, Tolerance()
    match name:
        case "Speed":
            return seen.length.sd
        case "Turn":
            return seen.turn.sd
        case "One Turn or Drift":
            amounts = [d.sd_angle / allowed.turn + d.sd_left / allowed.drift for d in seen.steps]
            return max(amounts, default=0.0)
        case "Drift":
            return max((d.sd_left for d in seen.runs), default=0.0)
        case _:
            return max((d.sd_ahead for d in seen.runs), default=0.0)


def cases(count: int, first: int = 0) -> Iterator[Case]:
    """So many pushes, seeded."""
    for seed in range(first, first + count):
        yield case(seed)


def film(count: int, first: int, tally: Tally) -> list[str]:
    """Adds pushes that a simulated camera saw; returns what was not told as one manoeuvre."""
    from benchmarks.filmed import filmed  # noqa: PLC0415 - the engine's own run needs no pictures
    from server.moves.segmentation import kind_of, move_words  # noqa: PLC0415

    odd = []
    for seed in range(first, first + count):
        one = filmed(seed)
        if [kind_of(move) for move in one.moves] != ["pushed"]:
            told = "; ".join(map(move_words, one.moves))
            odd.append(f"{seed}: {kinds_of(one.push.steps)}: {told or 'nothing'}")
            continue
        (move,) = one.moves
        tally.add(
            Case(
                seed,
                one.speed,
                one.push,
                rule_manoeuvre(move.before, move.piece, move.recognised(), one.speed, way=move.poses),
                true_margins(one.push.steps, one.speed),
            )
        )
    return odd


def pushes(
    *,
    count: int = COUNT,
    first: Annotated[int, "the first seed"] = 0,
    verbose: Annotated[bool, "name also what was missed or left open"] = False,
    camera: Annotated[int | None, "so many, as a simulated camera sees them"] = None,
) -> dict[str, Any]:
    """The figures of so many pushes, with what was ruled wrong."""
    tally, odd = Tally(), []
    if camera:
        odd = film(camera, first, tally)
    else:
        for one in cases(count, first):
            tally.add(one)
    more = {"of_one_reading": tally.of_one_reading, "missed": tally.missed} if verbose else {}
    return {**tally.record(), "odd": odd, "wrong": tally.wrong, **more}


if __name__ == "__main__":
    sys.exit(command(pushes))

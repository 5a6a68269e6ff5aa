"""What does a body touch on its way, how surely, and in which order: gaps with deviation, held against 0.

`engine.measure.sweep` finds where bodies touch as they are drawn; here the places are known only so well.
What the mover touches before it sets out is touched anew only where it goes deeper into it: bodies do not
stand in one another, so an overlap at the start is an error of the places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from engine.measure import sweep
from engine.measure.distances import contact
from engine.measure.sight import Parts, gaps, to_table
from engine.measure.sweep import Step, Touch
from engine.measure.uncertainty import SEED, draw_poses, exact, poses_of
from engine.ruling import Belief, Measurement, Verdict, Witness
from engine.space.geometry import FloatArray, Pose, Region, wrap_angle
from engine.space.table import Standing

_HAIR = 1e-6
"""Inches: rounding, not measuring."""

_DRAWS, _ROWS, _FINER, _SPREAD = 500, 16, 20, 8.0


@dataclass(frozen=True, eq=False)
class Contact:
    """Something that a body touches, or may touch, on its way.

    `gap` is the smallest distance between the two in inches, negative for an overlap, counted from how deep
    they overlapped at the start, and held against 0. `step` and `share` say when they touch first, or are
    nearest; `pose` is where the mover is then.
    """

    other: str
    gap: Measurement
    step: int
    share: float
    pose: Pose

    @property
    def verdict(self) -> Verdict:
        """Whether they touch: yes, or too close to call."""
        return self.gap.verdict()


def touching(gap: Measurement) -> Measurement:
    """A gap in inches held against 0, where less is a contact; one of exactly 0 is open.

    >>> touching(Measurement(Belief(0.0, 0.0))).verdict().value
    'too close to call'
    >>> touching(Measurement(Belief(-0.01, 0.0))).verdict().value
    'yes'
    """
    held = gap.at_most(0.0)
    on_the_limit = gap.sd <= 0.0 and abs(gap.value) <= _HAIR
    return replace(held, p_yes=0.5) if on_the_limit else held


def contacts(
    mover: Standing,
    steps: Sequence[Step],
    others: Sequence[Standing],
    surface: Region | None = None,
) -> tuple[Contact, ...]:
    """Everything that the mover touches or may touch on its way, in that order; the edge of a surface too.

    Nothing stops the mover: what lies beyond the first contact is met too. What surely stays apart is left
    out.
    """
    way = _Way.of(mover, steps)
    found = []
    for other in others:
        if other.name != mover.name and not way.passes(mover, other):
            touch = partial(sweep.first_touch, mover, steps, [other])
            found.append(way.contact(other.name, (mover, other), _between(mover, other), touch))
    if surface is not None:
        out = partial(sweep.leaves, mover, steps, surface)
        found.append(way.contact(sweep.THE_EDGE, (mover,), _from_edge(mover, surface), out))
    kept = [c for c in found if c is not None and c.gap.verdict() is not Verdict.NO]
    return tuple(sorted(kept, key=lambda c: (c.step, c.share)))


def at_rest(
    piece: Standing, others: Sequence[Standing], surface: Region | None = None
) -> tuple[Contact, ...]:
    """Everything that a piece touches or may touch where it stands; over the edge of a surface too."""
    near = [other for other in others if other.name != piece.name and not _far_apart(piece, other)]
    gaps_by_name = [(other.name, contact(piece, other)) for other in near]
    if surface is not None:
        gaps_by_name.append((sweep.THE_EDGE, sweep.edge_margin(piece, surface)))
    found = [Contact(name, touching(gap), 0, 0.0, piece.pose) for name, gap in gaps_by_name]
    return tuple(c for c in found if c.gap.verdict() is not Verdict.NO)


_FAR = 8.0
"""Standard deviations beyond which nothing is measured: no confidence asks for so much."""


def _far_apart(one: Standing, other: Standing) -> bool:
    """Whether two pieces cannot touch, however they are turned: their circles are apart beyond all doubt."""
    between = math.dist(one.pose.xy, other.pose.xy)
    for piece in (one, other):
        between -= _radius(piece)
        between -= _FAR * math.sqrt(float(np.trace(piece.uncertainty.total[:2, :2])))
    return between > 0.0


def _radius(piece: Standing) -> float:
    """How far the body reaches from its reference point, inches."""
    return float(np.hypot(*piece.piece.body.footprint.outline.T).max())


_Gap = Callable[[FloatArray, FloatArray], FloatArray]
"""The gap (n, m) of a mover at poses (n, m, 3) from the others at poses (n, k, 3), inches."""


def _between(mover: Standing, other: Standing) -> _Gap:
    mine, theirs = Parts.of([mover.piece.body]), Parts.of([other.piece.body])

    def gap(rows: FloatArray, others: FloatArray) -> FloatArray:
        here = mine.at(rows[..., None, :])[..., :, None, :, :]
        there = theirs.at(others)[:, None, None, :, :, :]
        return np.asarray(gaps(here, there).min(axis=(-1, -2)))

    return gap


def _from_edge(mover: Standing, surface: Region) -> _Gap:
    return lambda rows, _: sweep.edge_margins(mover, rows, surface)


@dataclass(frozen=True, eq=False)
class _Way:
    """A way as poses (m, 3) in the mover's frame at its start, each with its step and share."""

    start: Pose
    steps: tuple[Step, ...]
    step: tuple[int, ...]
    share: tuple[float, ...]

    @classmethod
    def of(cls, mover: Standing, steps: Sequence[Step]) -> _Way:
        at = [(0, 0.0)]
        at += [(k, float(share)) for k, one in enumerate(steps) for share in sweep.way_of(one)[1:]]
        return cls(mover.pose, tuple(steps), tuple(k for k, _ in at), tuple(s for _, s in at))

    def contact(
        self, name: str, pieces: tuple[Standing, ...], gap: _Gap, touches: Callable[[], Touch | None]
    ) -> Contact | None:
        """The contact with one other piece or the edge; None where they stay far apart.

        Where it `touches` is asked for of what comes near.
        """
        nominal = poses_of(pieces)[None]
        each = self._gaps(nominal, gap)[0]
        spread = _spread(pieces)
        if each.min() > self._gap_that_counts(pieces):
            return None
        way = self._finer(int(each.argmin()))
        each = way._gaps(nominal, gap)[0]
        value = _deeper(each[None])[0]
        belief = Belief(float(value), 0.0)
        if abs(value) > spread > 0.0:
            belief = Belief(float(value), spread / _SPREAD)
        elif not exact(pieces):
            way = way._nearest(each, spread)
            drawn = _deeper(way._gaps(draw_poses(pieces, _DRAWS, SEED), gap))
            belief = Belief.drawn(belief.value, drawn)
        touch = touches()
        if touch is not None:
            k, share, pose = touch.step, touch.share, touch.pose
        else:
            nearest = int(way._gaps(nominal, gap)[0].argmin())
            k, share, pose = way.step[nearest], way.share[nearest], way._pose(nearest)
        witness = Witness(None if touch is None else np.stack([touch.point] * 2), (name,))
        held = touching(Measurement(belief, "in", witness))
        if belief.sd <= 0.0 and each[0] <= _HAIR and touch is None:
            held = replace(held, p_yes=0.0)  # what it stood against and does not go into
        return Contact(name, held, k, share, pose)

    def _pose(self, k: int) -> Pose:
        if not self.steps:
            return self.start
        return self.steps[self.step[k]].part(self.share[k]).after(self._starts[self.step[k]])

    @cached_property
    def _starts(self) -> tuple[Pose, ...]:
        """Where the mover stands before each step."""
        return sweep.poses_along(self.start, self.steps)

    @cached_property
    def _relative(self) -> FloatArray:
        """The poses (m, 3) in the mover's frame at its start."""
        if not self.steps:
            return np.zeros((len(self.step), 3))
        rows, at, shares = np.empty((len(self.step), 3)), np.array(self.step), np.array(self.share)
        for k, step in enumerate(self.steps):
            rows[at == k] = sweep.poses_after(step, self._starts[k], shares[at == k])
        turned = [wrap_angle(h - self.start.heading) for h in rows[:, 2].tolist()]
        return np.column_stack([self.start.to_body(rows[:, :2]), turned])

    def passes(self, mover: Standing, other: Standing) -> bool:
        """Whether the other stays so far off, however both are turned, that nothing has to be measured."""
        near = self._gap_that_counts((mover, other)) + _radius(mover) + _radius(other)
        x, y = self.start.to_body(other.pose.xy)
        apart = np.hypot(self._relative[:, 0] - x, self._relative[:, 1] - y)
        return bool(apart.min() > near)

    @staticmethod
    def _gap_that_counts(pieces: tuple[Standing, ...]) -> float:
        return max(_spread(pieces), 0.5)

    def _gaps(self, poses: FloatArray, gap: _Gap) -> FloatArray:
        """The gaps (n, m) along the way for drawn poses (n, k, 3) of the mover and the others."""
        relative = self._relative
        mover = poses[:, 0, None, :]
        rows = np.concatenate(
            [
                to_table(poses[:, 0], relative[:, :2]),
                np.broadcast_to(mover[..., 2:] + relative[:, 2:], (len(poses), len(relative), 1)),
            ],
            axis=-1,
        )
        return gap(rows, poses[:, 1:])

    def _finer(self, nearest: int) -> _Way:
        """The same with more poses about the one at which the two are nearest."""
        at = list(zip(self.step, self.share, strict=True))
        more = []
        for one, two in ((nearest - 1, nearest), (nearest, nearest + 1)):
            if one < 0 or two >= len(at):
                continue
            k, high = at[two]
            low = at[one][1] if at[one][0] == k else 0.0
            more += [(k, float(share)) for share in np.linspace(low, high, _FINER + 1)[1:-1]]
        at = [at[0], *sorted([*at[1:], *more])]
        return replace(self, step=tuple(k for k, _ in at), share=tuple(s for _, s in at))

    def _nearest(self, each: FloatArray, spread: float) -> _Way:
        """The start and those poses that may be nearest once places are drawn: a few of them."""
        near = np.flatnonzero(each <= each.min() + spread)
        few = near[np.linspace(0, len(near) - 1, min(len(near), _ROWS)).astype(int)]
        kept = np.unique([0, int(each.argmin()), *few])
        return replace(self, step=tuple(self.step[k] for k in kept), share=tuple(self.share[k] for k in kept))


def _deeper(each: FloatArray) -> FloatArray:
    """The smallest of gaps (n, m) along a way, less the overlap with which it began, shape (n,)."""
    first, least = each[:, 0], each.min(axis=1)
    anew = least - first
    return np.asarray(np.where(first > 0.0, least, np.where(anew < -_HAIR, anew, _HAIR)))


def _spread(pieces: Sequence[Standing]) -> float:
    """A change in inches that no gap between these will exceed: eight deviations of all of them."""
    most = 0.0
    for s in pieces:
        total, radius = s.uncertainty.total, s.piece.body.footprint.radius
        most += float(np.sqrt(total[0, 0] + total[1, 1]) + radius * np.sqrt(total[2, 2]))
    return _SPREAD * most

"""What could have been done in a position: the best of what was open to a player, beside what was done.

The same thoughts as a machine's that plays well, told instead of done. They are held to the same bounds: the
options of that player, the table as it was seen, nothing that others chose in secret.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from engine.driver.characters import Level
from engine.driver.deciding import Choice, Driver, Position
from engine.game.contract import Proposal, Seen, State, Worth
from engine.game.events import Action
from engine.space.geometry import Pose, wrap_angle

COACH = Level("tries more than a machine does", 32, 24, 0.0)
"""How far it looks."""

BEST = 3
"""Options that are told."""

ALIKE_IN, ALIKE_TURN = 1.0, math.radians(20.0)
"""Inches and radians within which two places for a piece are told as one."""

SAME_IN, SAME_TURN = 0.3, math.radians(8.0)
"""Inches and radians within which a piece was pushed where it could have been."""

LITTLE = 0.02
"""What of a worth is not told, of the 1 that a whole vehicle counts for."""


@dataclass(frozen=True)
class Deed(Generic[State]):
    """What somebody did: the position in which they did it, and with what was seen by then."""

    position: Position[State]
    action: Action
    seen: Seen
    words: str


@dataclass(frozen=True)
class Prospect:
    """Something that could be done: what it is, where it puts a piece, and what it leads to.

    `worth` is what may be expected of it, in the units of `Worth`; `better` by how much that is more than of
    what was done, or than how things stand where nothing was done. `done` says that it is what was done.
    """

    words: str
    worth: float
    leads_to: str
    better: float = 0.0
    piece: str | None = None
    pose: Pose | None = None
    done: bool = False


@dataclass(frozen=True)
class Coached:
    """The best of what a player could have done, the best first, and what they did.

    `did` is None where nothing was done, or what was done cannot be judged; `tried` is how many things were
    tried out.
    """

    player: str
    best: tuple[Prospect, ...]
    did: Prospect | None
    tried: int


class _Coach(Driver[State]):
    """A machine that remembers what it expects of each deed, in parts."""

    last: Worth | None = None
    _known: tuple[Proposal, ...] | None = None

    def think(self) -> Iterator[tuple[Choice, Worth]]:
        """Every choice that can be judged, with what it leads to."""
        for choice in self.tried():
            if choice.worth is not None and self.last is not None:
                yield choice, self.last

    def proposals(self) -> Iterator[Proposal]:
        """The same, drawn once."""
        if self._known is None:
            self._known = tuple(super().proposals())
        return iter(self._known)

    def kinds(self) -> frozenset[str]:
        """The kinds of deed that it can judge here."""
        return frozenset(p.kind for p in self.proposals() if self._judges(p))

    def try_out(self, proposal: Proposal, *, judged: bool = True) -> Choice | None:
        """The same for what can be judged; nothing of what is only guessed or chosen in secret."""
        self.last = None
        return super().try_out(proposal, judged=judged) if self._judges(proposal) else None

    def leads_to(self, action: Action, seen: Seen) -> Worth | None:
        """The mean of what follows, in its parts."""
        outcomes = self._outcomes(action, seen, self._judged_by(seen))
        weight = sum(share for share, _ in outcomes)
        if not weight:
            return None
        return Worth(*(
            sum(share * getattr(worth, name) for share, worth in outcomes) / weight for name in PARTS
        ))  # fmt: skip

    def stands_now(self) -> Worth | None:
        """How things stand before anything is done."""
        at = self._at
        return at.game.worth(at.state, self._eye.table, at.player) if at.plain else None

    def total(self, worth: Worth) -> float:
        """One number of a worth."""
        return self._total(worth)

    def _judges(self, proposal: Proposal) -> bool:
        return proposal.guess is None and proposal.kind not in self._at.game.about.sealed

    def _expected(self, action: Action, seen: Seen) -> float | None:
        self.last = self.leads_to(action, seen)
        return None if self.last is None else self._total(self.last)


PARTS = ("own", "others", "chance", "danger", "progress", "won")


def coached(
    position: Position[State],
    deeds: Sequence[Deed[State]] = (),
    *,
    seed: str = "",
) -> Coached:
    """The best that the position's player could have done, and what they did.

    `deeds` are what the player did from there, in order; the first of a kind that can be judged counts, as to
    name a car is no alternative to driving it. It is bounded by how much is tried, not by time: the same
    position and seed give the same answer, however busy the machine is.
    """
    coach = _Coach(position, level=COACH, seed=seed)
    now = coach.stands_now()
    if now is None:
        return Coached(position.player, (), None, 0)
    kinds = coach.kinds()
    deed = next((one for one in deeds if one.action.kind in kinds), None)
    did = None if deed is None else _did(deed, now, seed)
    base = coach.total(now) if did is None else did.worth
    found = []
    for choice, worth in coach.think():
        told = _prospect(
            choice.words, coach.total(worth), now, worth, position.player, choice.piece, choice.goal
        )
        done = deed is not None and did is not None and _same(choice, told, did, deed)
        found.append((choice, replace(told, better=told.worth - base, done=done)))
    best = _best(coach, sorted(found, key=lambda one: -one[1].worth))
    return Coached(position.player, best, did, len(found))


def _best(coach: _Coach[State], found: Sequence[tuple[Choice, Prospect]]) -> tuple[Prospect, ...]:
    """The best that differ and that the camera would take; of no kind all, where there are others."""
    best: list[tuple[Choice, Prospect]] = []
    kinds = {choice.action.kind for choice, _ in found}
    for choice, told in found:
        same = sum(other.action.kind == choice.action.kind for other, _ in best)
        if len(best) == BEST or (same == BEST - 1 and len(kinds) > 1):
            continue
        if not any(_alike(told, other) for _, other in best) and coach.stands(choice):
            best.append((choice, told))
    return tuple(told for _, told in best)


def _did(deed: Deed[State], now: Worth, seed: str) -> Prospect | None:
    """What was done, judged like what could have been done."""
    coach = _Coach(deed.position, level=COACH, seed=seed)
    worth = coach.leads_to(deed.action, deed.seen)
    if worth is None:
        return None
    moved = [m for m in deed.seen.moves.values() if m.id in map(str, deed.action.data.values())]
    piece, pose = (moved[0].piece, moved[0].after.pose) if moved else (None, None)
    player = deed.position.player
    return replace(_prospect(deed.words, coach.total(worth), now, worth, player, piece, pose), done=True)


def _prospect(
    words: str, total: float, now: Worth, then: Worth, player: str, piece: str | None, pose: Pose | None
) -> Prospect:
    return Prospect(words, total, leads_to(now, then, player), piece=piece, pose=pose)


def _alike(one: Prospect, other: Prospect) -> bool:
    """Whether two are told as one: a piece at about the same place, or the same words."""
    if one.pose is None or other.pose is None:
        return one.words == other.words
    return _within(one, other, ALIKE_IN, ALIKE_TURN)


def _within(one: Prospect, other: Prospect, inches: float, turn: float) -> bool:
    """Whether two put the same piece at the same place, within so much."""
    if one.pose is None or other.pose is None or one.piece != other.piece:
        return False
    near = math.dist(one.pose.xy, other.pose.xy) <= inches
    return near and abs(wrap_angle(one.pose.heading - other.pose.heading)) <= turn


def _same(choice: Choice, told: Prospect, did: Prospect, deed: Deed[State]) -> bool:
    """Whether something that could be done is what was done, and no other deed of the same turn."""
    if told.pose is not None or did.pose is not None:
        return _within(told, did, SAME_IN, SAME_TURN)
    done, could = deed.action, choice.action
    return (done.kind, dict(done.data)) == (could.kind, dict(could.data))


def leads_to(now: Worth, then: Worth, player: str) -> str:
    """What changes between two worths, for people; 1 is about a whole vehicle.

    >>> leads_to(Worth(own=2.0, others=2.0), Worth(own=2.0, others=1.6, danger=0.1), "Ann")
    'costs the others 0.40 of a vehicle; more exposed to their fire'
    >>> leads_to(Worth(own=2.0), Worth(own=2.0), "Ann")
    'changes little at once'
    >>> leads_to(Worth(own=2.0, others=1.0), Worth(won=1.0), "Ann")
    'wins the game'
    """
    parts: list[str] = []
    ends = min(abs(then.won), 1.0)
    if ends > LITTLE:
        how = "wins the game" if then.won > 0 else "loses the game"
        parts.append(how if ends > 1.0 - LITTLE else f"{how} {100 * ends:.0f} times in 100")
    left = 1.0 - ends
    if left <= LITTLE:
        return parts[0]
    # Where the game is over nothing else counts: what is told of the rest is of when it goes on.
    other, own = now.others - then.others / left, now.own - then.own / left
    if abs(other) > LITTLE:
        parts.append(
            f"costs the others {other:.2f} of a vehicle" if other > 0 else "leaves the others better off"
        )
    if abs(own) > LITTLE:
        parts.append(f"costs {player} {own:.2f} of a vehicle" if own > 0 else f"leaves {player} better off")
    for name, more, less in CHANGES:
        change = getattr(then, name) / left - getattr(now, name)
        if abs(change) > LITTLE:
            parts.append(more if change > 0 else less)
    return "; ".join(parts) or "changes little at once"


CHANGES = (
    ("progress", "gets ahead", "falls back"),
    ("chance", "a better shot next", "a poorer shot next"),
    ("danger", "more exposed to their fire", "less exposed to their fire"),
)
"""What is said of a part of a worth that has grown, and that has become less."""

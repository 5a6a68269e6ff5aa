"""Judges a move on a free table: lawful, put right since, or where the piece has to stand instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from engine.game.events import Reason
from engine.game.kit.table import ACCEPT, HEADLINES, off_goal
from engine.game.showing import Guide
from engine.measure.contacts import Contact
from engine.measure.sweep import Step, Turn, gaps_along, way_through
from engine.measure.uncertainty import gap_sd
from engine.motion.fit import WOBBLE
from engine.motion.moves import Move
from engine.motion.recognition import Manoeuvre, pivots_of, rear_of
from engine.ruling import Belief, Check, Measurement, Ruling, Verdict, left_open, make_check
from engine.space.geometry import Pose
from engine.space.table import Standing


class Driven(Protocol):
    """A move as a game's own rules have it: every check, and the lawful end nearest to where it led."""

    @property
    def ruling(self) -> Ruling:
        """Every check."""

    @property
    def should(self) -> Pose:
        """Where the piece should stand."""


DrivenT = TypeVar("DrivenT", bound=Driven)


@dataclass(frozen=True, eq=False)
class Judged(Generic[DrivenT]):
    """A move, ruled. `righted`: what was wrong with it has been put right, and it stands where it should."""

    driven: DrivenT
    righted: bool = field(default=False, kw_only=True)

    @property
    def legal(self) -> bool:
        """Whether nothing stands against it."""
        return self.righted or self.driven.ruling.verdict is Verdict.YES

    @property
    def verdict(self) -> Verdict:
        """Whether it was lawful, or is by now."""
        return Verdict.YES if self.righted else self.driven.ruling.verdict

    def reasons(self) -> list[Reason]:
        """What the ruling has against it; the players may accept it.

        Whoever accepts what rests on a way that nobody saw, or is too close to call, says how it went.
        """
        if self.legal:
            return []
        checks = [c for c in self.driven.ruling.checks if c.verdict is not Verdict.YES]
        return [
            Reason(
                f"{c.name}: {c.words}", c.citation, open=True, fact=c.unknown,
                close=c.verdict is Verdict.TOO_CLOSE,
            )
            for c in checks
        ]  # fmt: skip

    def rested(self, piece: str, words: str, take: str, *, accept: str = ACCEPT, **more: Any) -> Guide:
        """The verdict for the screen of whoever moved it.

        `words` say what to do about one that is against the book; `take` and `accept` are on the button, of a
        lawful move and of another.
        """
        legal, should = self.legal, self.driven.should
        return Guide(
            piece, "rested", "Corrected" if self.righted else HEADLINES[self.verdict],
            "" if legal else words,
            verdict=self.verdict,
            ruling=None if self.righted else self.driven.ruling,
            goal=None if legal else (should.x, should.y, should.heading),
            take=take if legal else accept,
            # What the players accept is theirs to accept: the rule's own objections need not be asked again.
            said=() if legal else (("ruled", "yes"),),
            **more,
        )  # fmt: skip


SOME_OPEN = "Legal; the rest is too close to call"
"""Over a lawful move of which something is still to be asked."""

JudgedT = TypeVar("JudgedT", bound=Judged[Any])


def short_of(away: float, too_far: float, tolerance: float) -> float:
    """Inches beside its place at which a piece has gone too far by the tolerance of a length.

    The place of a way with a turn may be less far `away` than the move went `too_far`.

    >>> round(short_of(0.28, too_far=0.4, tolerance=0.25), 3)
    0.175
    """
    return math.inf if too_far <= 0.0 else tolerance * away / too_far


HALTS = "Halts at the Touch"
"""The check of a move that surely touches something which ends its way."""


def put_right(
    move: Move, whole: JudgedT, judged: Callable[[Move], JudgedT], inches: float, radians: float, *,
    most: Callable[[JudgedT], float] | None = None,
) -> JudgedT | None:  # fmt: skip
    """What the move was up to where the piece rested before, if it has been put right since; else None.

    It stands right within so many inches and radians of where it should, and within the inches that `most`
    makes of what it was before (`short_of`): touched or not, a move may be too long by as much. `whole` is
    the move as it is: what rested too soon and was pushed on is one, and nothing had to be put right, also
    where it was pushed on against something: what it touched is never left out.
    """
    if move.earlier is None:
        return None
    before = judged(move.earlier)
    touches = [any(c.name == HALTS for c in one.driven.ruling.checks) for one in (before, whole)]
    longer = move.recognised().length.value > move.earlier.recognised().length.value
    pushed_on = longer and (whole.legal or touches == [False, True])
    if pushed_on or before.driven.ruling.verdict is Verdict.YES:
        return None
    inches = inches if most is None else min(inches, most(before))
    off = off_goal(move.after, before.driven.should, inches, radians)
    return before if off.verdict is Verdict.YES else None


HIDDEN = 0.75
"""Inches over which a piece must have been hidden before its way is doubted (house default)."""


def hidden_words(name: str, seen: Manoeuvre) -> str:
    """Over how much of its way a piece was hidden, for people."""
    return f"{name} was hidden over {seen.unseen:.1f} in of its way"


def straight_line(name: str, seen: Manoeuvre, stray: float, citation: str) -> Check:
    """Whether a piece was seen no further beside the way that it is taken to have gone, inches.

    Where it was, and a part of its way was hidden, it went another one, and nobody saw which.
    """
    # A drift may be made anywhere in its run: half of it is no straying.
    aside = max((abs(done.left) for done in seen.steps), default=0.0)
    held = seen.stray.at_most(stray + aside / 2)
    doubted = held.verdict() is Verdict.NO and seen.unseen > HIDDEN
    # By a way that only fits the little that was seen of it the last digits are chance.
    words = f"{held.value:.{1 if doubted else 2}f} in off the straight way at most"
    check = make_check("Straight Line", held, citation=citation, words=words)
    return left_open(check, hidden_words(name, seen)) if doubted else check


def turns_away(car: Standing, steps: Sequence[Step], other: Standing, against: float) -> bool:
    """Whether a car turns at once from what it stands `against`, within so many inches, and keeps off it.

    No book says about which point of its rear a car turns, and a solid body lets a hand turn it only about
    one that swings no corner into that body. So the points of the rear are tried, the corner on the inner
    side among them: one that goes no deeper than a hand strays is enough.
    """
    first = steps[0] if steps else None
    if not isinstance(first, Turn):
        return False
    way = way_through(car.pose, steps)
    stood = float(gaps_along(car, way[:1], other)[0])
    if stood >= max(against, 3.0 * gap_sd(car, other)):
        return False
    after = gaps_along(car, way[len(way_through(car.pose, [first])) - 1 :], other)
    if after.min() <= min(stood, float(after[0])) - 2.0 * WOBBLE:
        return False
    body = car.piece.body
    sides = body.footprint.outline[:, 1]
    inner = float(sides.max() if first.angle > 0.0 else sides.min())
    points = (*pivots_of(body), (rear_of(body)[0], inner))
    turns = (way_through(car.pose, [replace(first, pivot=point)]) for point in points)
    return any(gaps_along(car, rows, other).min() > stood - 2.0 * WOBBLE for rows in turns)


PAST = 0.5
"""Inches that a piece may stand beyond where it touched (house default): it is pushed back to the touch."""


def halts(other: str, away: float, sd: float, citation: str) -> Check:
    """Whether a piece stands where it touched what ended its way, so many inches from there."""
    held = Measurement(Belief(away, sd)).at_most(PAST)
    words = f"it stands {away:.2f} in from where it touches {other}"
    return make_check(HALTS, held, citation=citation, words=words)


def inches_to(seen: Manoeuvre, contact: Contact) -> float:
    """How far a piece has gone at a contact, measured as a ruler does."""
    runs = [abs(done.ahead) for done in seen.steps]
    return sum(runs[: contact.step]) + contact.share * sum(runs[contact.step : contact.step + 1])


def off_words(away: float, askew: float) -> str:
    """Where a piece should stand instead, inches away and turned by radians, left above 0."""
    off = f"{away:.1f} in away"
    if abs(askew) > math.radians(2):
        off += f", turned {math.degrees(abs(askew)):.0f}° {'left' if askew > 0 else 'right'}"
    return f"Its place is {off}: the dashed outline."


def put_down(
    piece: str, how: str, against: Sequence[Reason], right: str, take: str, *,
    goal: tuple[float, float, float] | None = None, **more: Any,
) -> Guide:  # fmt: skip
    """The verdict for the screen of whoever put a piece where a rule says.

    `right` heads one in place, `take` is on its button. What is asked of them is answered, not accepted.
    """
    asked = any(reason.question for reason in against)
    accepted = bool(against) and not asked and all(reason.open for reason in against)
    return Guide(
        piece, "rested",
        right if not against else HEADLINES[Verdict.TOO_CLOSE] if asked else "Not there yet",
        how if not against else "; ".join(reason.words for reason in against),
        verdict=Verdict.YES if not against else Verdict.TOO_CLOSE if asked else Verdict.NO,
        goal=goal if against else None,
        take=take if not against else ACCEPT if accepted else "",
        said=(("ruled", "yes"),) if accepted else (),
        **more,
    )  # fmt: skip


def not_measured(piece: str, unseen: str, how: str, facts: tuple[str, ...]) -> Guide:
    """The same where nobody saw from where it had to be put: `unseen` says so."""
    words = f"{unseen} {how} Whether it stands right is not measured."
    return Guide(piece, "rested", "Not measured", words, verdict=Verdict.TOO_CLOSE, facts=facts)

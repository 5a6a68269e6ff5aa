"""A `Ruling`: checks with verdict *yes / no / too close*, number, limit, margin, citation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import NormalDist
from typing import Literal

import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import FloatArray
from engine.space.table import OutlinedName, ThingName, TwiceName, UnwatchedName
from engine.words import listed

ROUNDING = 1e-10
"""Inches or radians by which computing, not measuring, may miss a limit."""


class Verdict(StrEnum):
    """The three answers a referee may give."""

    YES = "yes"
    NO = "no"
    TOO_CLOSE = "too close to call"


def normal_cdf(z: float) -> float:
    """The share of a unit normal below z."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def chi_square_above(cost: float, freedom: float) -> float:
    """The probability that chi-square of so many degrees of freedom is larger than `cost`.

    By the cube root's normal approximation (Wilson and Hilferty, 1931), which serves far tails as well.

    >>> round(chi_square_above(11.07, 5), 3)
    0.05
    """
    spread = 2.0 / (9.0 * freedom)
    return normal_cdf(((1.0 - spread) - (cost / freedom) ** (1 / 3)) / math.sqrt(spread))


def verdict_of(p_yes: float, confidence: float) -> Verdict:
    """*Yes* or *no* where that is at least so probable, else too close to call.

    >>> verdict_of(0.96, 0.95).value, verdict_of(0.5, 0.95).value
    ('yes', 'too close to call')
    """
    if p_yes >= confidence:
        return Verdict.YES
    return Verdict.NO if 1.0 - p_yes >= confidence else Verdict.TOO_CLOSE


def _rounded(margin: float) -> float:
    return 0.0 if abs(margin) <= ROUNDING else margin


@dataclass(frozen=True, eq=False)
class Belief:
    """What is known of one number: its value, its deviation, and draws where it is not normal."""

    value: float
    sd: float
    draws: FloatArray | None = None

    def at_least(self, limit: float) -> float:
        """The probability that the number is `limit` or more; one without error on the limit is.

        >>> Belief(20.0 - 1e-13, 0.0).at_least(20.0)
        1.0
        """
        if self.draws is not None:
            return float(np.mean(self.draws >= limit - ROUNDING))
        if self.sd <= 0.0:
            return 1.0 if self.value >= limit - ROUNDING else 0.0
        return normal_cdf((self.value - limit) / self.sd)

    def at_most(self, limit: float) -> float:
        """The probability that the number is `limit` or less; one without error on the limit is."""
        if self.draws is not None:
            return float(np.mean(self.draws <= limit + ROUNDING))
        if self.sd <= 0.0:
            return 1.0 if self.value <= limit + ROUNDING else 0.0
        return normal_cdf((limit - self.value) / self.sd)

    @classmethod
    def drawn(cls, value: float, draws: FloatArray) -> Belief:
        """From draws; the deviation is theirs about the value."""
        return cls(value, float(np.sqrt(np.mean((draws - value) ** 2))), draws)


Shows = Literal["", "sight", "range"]


@dataclass(frozen=True, eq=False)
class Witness:
    """What shows why, in the table frame.

    `line` is the segment that decided, shape (2, 2): the two closest points, the sight line, the
    line to a tyre. `blockers` are the names of the pieces in the way, nearest first. `shows` is what
    the line is, for whoever draws it: lines that show nothing in particular are not drawn. `edges` are what
    it is held against, each (2, 2): the sides of an arc.
    """

    line: FloatArray | None = None
    blockers: tuple[str, ...] = ()
    shows: Shows = ""
    edges: tuple[FloatArray, ...] = ()


Unit = Literal["in", "rad", ""]


@dataclass(frozen=True, eq=False)
class Measurement:
    """One measured number with how surely it is known and what shows it.

    Held against a limit (`at_most`, `at_least`) it also has a `margin`, positive on the *yes*
    side and in the same unit, and `p_yes`, the probability that the answer is yes; `prior` is how
    probable a yes was before anything was measured. `unplaced` are names of pieces that nobody has seen and
    that could make a *no* of it wherever they stand (`unless_in_the_way`).
    """

    belief: Belief
    unit: Unit = "in"
    witness: Witness = Witness()
    limit: float | None = None
    margin: float | None = None
    p_yes: float | None = None
    prior: float = 0.5
    unplaced: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """The number as measured, inches or radians."""
        return self.belief.value

    @property
    def sd(self) -> float:
        """Its standard deviation, in the same unit."""
        return self.belief.sd

    def at_most(self, limit: float) -> Measurement:
        """The same, held against an upper limit."""
        margin = _rounded(limit - self.value)
        return replace(self, limit=limit, margin=margin, p_yes=self.belief.at_most(limit))

    def at_least(self, limit: float) -> Measurement:
        """The same, held against a lower limit."""
        margin = _rounded(self.value - limit)
        return replace(self, limit=limit, margin=margin, p_yes=self.belief.at_least(limit))

    def expecting(self, prior: float) -> Measurement:
        """The same, where a yes was so probable before anything was measured (Bayes' rule); held already.

        >>> f"{Measurement(Belief(10.01, 0.05)).at_most(10.0).expecting(0.95).p_yes:.2f}"
        '0.93'
        """
        if self.p_yes is None:
            raise TableRefError("what is expected needs a limit: use at_most(...) or at_least(...) first")
        yes, no = prior * self.p_yes, (1.0 - prior) * (1.0 - self.p_yes)
        return replace(self, p_yes=yes / (yes + no), prior=prior)

    def unless_in_the_way(self, names: Sequence[str]) -> Measurement:
        """The same where pieces of these names may stand anywhere: no sure yes, a no as sure as before.

        >>> clear = Measurement(Belief(7.5, 0.01)).at_least(0.0)
        >>> clear.verdict().value, clear.unless_in_the_way(["Mug"]).verdict().value
        ('yes', 'too close to call')
        """
        if not names:
            return self
        if self.p_yes is None:
            raise TableRefError("what may be in the way needs a limit: use at_most(...) or at_least(...)")
        return replace(self, p_yes=min(self.p_yes, 0.5), unplaced=tuple(names))

    def verdict(self, confidence: float = 0.95) -> Verdict:
        """*Yes*, *no* or *too close* against its limit."""
        if self.p_yes is None:
            raise TableRefError("a verdict needs a limit: use at_most(...) or at_least(...) first")
        return verdict_of(self.p_yes, confidence)


@dataclass(frozen=True, eq=False)
class Check:
    """One question of a ruling.

    `number` is what was measured and `limit` what it is held against; `margin` is positive on
    the *yes* side and in the same unit; `sd` is the margin's standard deviation; `p_yes` the
    probability that the answer is yes. A `modifier` (a bonus at close range) does not decide
    whether the deed is lawful. `unknown`: it is without an answer because what it rests on was not seen.
    """

    name: str
    verdict: Verdict
    number: float
    limit: float
    margin: float
    sd: float
    p_yes: float
    unit: Unit
    words: str
    citation: str
    role: Literal["condition", "modifier"] = "condition"
    witness: Witness = Witness()
    unknown: bool = False


@dataclass(frozen=True, eq=False)
class Ruling:
    """Everything the book asks of one deed, answered from one table.

    `deed` completes the sentence "`subject` may …"; empty where the question is not about what may be done.
    """

    question: str
    time: float
    subject: str
    target: str
    checks: tuple[Check, ...]
    deed: str = ""

    @property
    def verdict(self) -> Verdict:
        """*No* if any condition is a sure no, *yes* if all are a sure yes, else too close."""
        verdicts = {c.verdict for c in self.checks if c.role == "condition"}
        if Verdict.NO in verdicts:
            return Verdict.NO
        return Verdict.TOO_CLOSE if Verdict.TOO_CLOSE in verdicts else Verdict.YES

    def check(self, name: str) -> Check:
        """The check of that name."""
        return next(c for c in self.checks if c.name == name)


def in_words(value: float, unit: Unit) -> str:
    """A number as people read it: hundredths of an inch, tenths of a degree."""
    if unit == "rad":
        return f"{math.degrees(value):.1f}°"
    number = round(value, 2) + 0.0  # no minus before a zero
    return f"{number:.2f} in" if unit == "in" else f"{number:.2f}"


def signed(number: float, form: str = "+d") -> str:
    """A number with its sign, in digits as `form` has them, its minus one that people read.

    >>> signed(-2), signed(1), signed(-1, "d")
    ('−2', '+1', '−1')
    """
    return f"{number:{form}}".replace("-", "−")


def many(count: int, one: str, more: str = "") -> str:
    """So many of something, `one` of which is called so, and several as `more` says, else with an s.

    >>> many(1, "space"), many(0, "space"), many(2, "box", "boxes")
    ('1 space', '0 spaces', '2 boxes')
    """
    return f"{count} {one if count == 1 else more or one + 's'}"


def plus_minus(sd: float, unit: Unit = "in") -> str:
    """One standard deviation in words, rounded up, with its comma; nothing when the number is exact.

    >>> plus_minus(0.0181), plus_minus(0.0004), plus_minus(0.0)
    (', ±0.02', ', ±0.01', '')
    """
    if sd <= 0.0:
        return ""
    if unit == "rad":
        return f", ±{math.ceil(math.degrees(sd) * 10 - 1e-9) / 10:.1f}"
    return f", ±{math.ceil(sd * 100 - 1e-9) / 100:.2f}"


def limit_words(measured: Measurement) -> str:
    """A measurement against its limit, for people.

    >>> limit_words(Measurement(Belief(8.42, 0.02)).at_most(10.0))
    '8.42 in of 10 in, 1.58 in to spare, ±0.02'
    """
    limit, margin = measured.limit, measured.margin
    if limit is None or margin is None:
        return f"{in_words(measured.value, measured.unit)}{plus_minus(measured.sd, measured.unit)}"
    bound = f"{math.degrees(limit):g}°" if measured.unit == "rad" else f"{limit:g} in"
    rest = "to spare" if margin >= 0.0 else "too far" if measured.value > limit else "too little"
    # Of nothing there is nothing to say, as of what lies within an arc or beside a line.
    of = f"{in_words(measured.value, measured.unit)} of {bound}, " if limit else ""
    return f"{of}{in_words(abs(margin), measured.unit)} {rest}{plus_minus(measured.sd, measured.unit)}"


def show_words(names: Sequence[str]) -> str:
    """What would settle an answer that pieces may change which nobody has seen, for people.

    >>> show_words(["Mug"]).partition(", or ")[0]
    '; show Mug to the camera with its tag uncovered'
    >>> show_words([TwiceName("Mug")])
    '; take one of the two tags of Mug away'
    """
    unseen, twice, unnamed = _sorted_out(names)
    tagged = [n for n in unseen if not isinstance(n, OutlinedName)]
    outlined = [n for n in unseen if isinstance(n, OutlinedName)]
    one = len(tagged) == 1
    tag, it, it_is = ("its tag", "it", "it is") if one else ("their tags", "them", "they are")
    words = ""
    if outlined:
        words += f"; say where {listed(outlined)} {'stands' if len(outlined) == 1 else 'stand'} now"
    if tagged:
        words += (
            f"; show {listed(tagged)} to the camera with {tag} uncovered, "
            f"or take {it} out of the set-up if {it_is} not on the table"
        )
    words += "".join(f"; take one of the two tags of {name} away" for name in twice)
    if any(isinstance(n, UnwatchedName) for n in names):
        words += "; wait a moment"
    if unnamed:
        is_it, them = ("is", "it") if len(unnamed) == 1 else ("are", "them")
        words += f"; say what {listed(unnamed)} {is_it}, or take {them} away"
    return words


def _sorted_out(names: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Pieces that nobody has seen, those whose tags are in view twice, and things that nobody has named."""
    twice: list[str] = [n for n in names if isinstance(n, TwiceName)]
    unseen = [n for n in names if not isinstance(n, ThingName | TwiceName)]
    return unseen, twice, [n for n in names if isinstance(n, ThingName) and not isinstance(n, UnwatchedName)]


def settled_by(measured: Measurement, confidence: float) -> str:
    """What would settle a close call, in words: what may be too much, by so much less of it.

    Of what has to be there it is so much more on the side where the number lies.

    >>> settled_by(Measurement(Belief(9.97, 0.05)).at_most(10.0), 0.95)
    '; 0.06 in less would settle it'
    >>> settled_by(Measurement(Belief(10.01, 0.05)).at_most(10.0), 0.95)
    '; 0.10 in less would settle it'
    >>> settled_by(Measurement(Belief(9.99, 0.05)).at_least(10.0), 0.95)
    '; 0.08 in more would settle it'
    """
    if measured.unplaced:
        return show_words(measured.unplaced)
    limit, margin = measured.limit, measured.margin
    if limit is None or margin is None or measured.sd <= 0.0 or not measured.unit:
        return ""
    spare = limit - measured.value
    at_least, at_most = (math.isclose(margin, one, abs_tol=1e-9) for one in (-spare, spare))
    less = not at_least and (at_most or spare < 0.0)
    towards_no = at_least and margin < 0.0
    odds = measured.prior / (1.0 - measured.prior)
    needed = confidence / (1.0 - confidence) * (odds if towards_no else 1.0 / odds)
    sure = NormalDist().inv_cdf(needed / (1.0 + needed)) * measured.sd
    missing = max(sure - (abs(margin) if towards_no else margin), 0.0)
    step = 0.01 if measured.unit == "in" else math.radians(0.1)
    # Rounded up, and never nothing: what is said must be enough.
    amount = in_words(math.ceil(missing / step - 1e-9) * step or step, measured.unit)
    return f"; {amount} {'less' if less else 'more'} would settle it"


def unplaced_words(names: Sequence[str]) -> str:
    """That pieces may be in the way which nobody has seen, for people.

    >>> unplaced_words(["Mug", "Book"])
    'Mug and Book are not seen and may be in the way'
    >>> unplaced_words([ThingName("Thing 1")])
    'Thing 1 is there, and nobody has said what it is'
    >>> unplaced_words([OutlinedName("Rock 4")])
    'Rock 4 is not seen where it was outlined and may be in the way'
    >>> unplaced_words([TwiceName("Red 2")])
    'two tags of Red 2 are in view, and nobody knows which is the true one'
    >>> unplaced_words([UnwatchedName("something")])[:54]
    'part of the table has not been watched for long enough'
    """
    unseen, twice, unnamed = _sorted_out(names)
    outlined = [n for n in unseen if isinstance(n, OutlinedName)]
    unseen = [n for n in unseen if n not in outlined]
    one = "is" if len(unseen) == 1 else "are"
    are = (
        "is there, and nobody has said what it is"
        if len(unnamed) == 1
        else ("are there, and nobody has said what they are")
    )
    said = [f"{listed(unseen)} {one} not seen and may be in the way"] if unseen else []
    if outlined:
        # It was seen where it stood.
        where = "is not seen where it was" if len(outlined) == 1 else "are not seen where they were"
        said.append(f"{listed(outlined)} {where} outlined and may be in the way")
    said += [f"two tags of {name} are in view, and nobody knows which is the true one" for name in twice]
    said += [f"{listed(unnamed)} {are}"] if unnamed else []
    if any(isinstance(n, UnwatchedName) for n in names):
        watched = "part of the table has not been watched for long enough"
        said.append(f"{watched}, and something that nobody named may be in the way")
    return ", and ".join(said)


def make_check(
    name: str,
    measured: Measurement,
    *,
    citation: str,
    confidence: float = 0.95,
    words: str | None = None,
    role: Literal["condition", "modifier"] = "condition",
) -> Check:
    """A measurement that was held against a limit, as one question of a ruling."""
    verdict = measured.verdict(confidence)
    if measured.limit is None or measured.margin is None or measured.p_yes is None:
        raise TableRefError(f"check {name}: expected a measurement held against a limit")
    words = limit_words(measured) if words is None else words
    if verdict is Verdict.TOO_CLOSE:
        if measured.unplaced:
            words += f", but {unplaced_words(measured.unplaced)}"
        words += f": too close to call{settled_by(measured, confidence)}"
    return Check(
        name=name,
        verdict=verdict,
        number=measured.value,
        limit=measured.limit,
        margin=measured.margin,
        sd=measured.sd,
        p_yes=measured.p_yes,
        unit=measured.unit,
        words=words,
        citation=citation,
        role=role,
        witness=measured.witness,
    )


def left_open(check: Check, reason: str) -> Check:
    """The same check without an answer, because something it rests on is not known; says what."""
    words = f"{reason} (last seen: {check.words})"
    return replace(check, verdict=Verdict.TOO_CLOSE, p_yes=0.5, words=words, unknown=True)


def unseen(checks: Sequence[Check]) -> list[Check]:
    """The checks of what was hidden: one without an answer has none because that was not seen."""
    return [replace(c, unknown=True) if c.verdict is Verdict.TOO_CLOSE else c for c in checks]


def unless(checks: Sequence[Check], others: Sequence[Check], reason: str) -> list[Check]:
    """The checks, left open where another reading of what was seen would answer them otherwise."""
    answers = {c.name: c.verdict for c in others}
    return [
        left_open(c, reason)
        if c.verdict is not Verdict.TOO_CLOSE and answers.get(c.name, c.verdict) is not c.verdict
        else c
        for c in checks
    ]

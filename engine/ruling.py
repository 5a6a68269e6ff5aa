"""A `Ruling`: checks with verdict *yes / no / too close*, number, limit, margin, citation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from engine.geometry import FloatArray


class Verdict(StrEnum):
    """The three answers a referee may give."""

    YES = "yes"
    NO = "no"
    TOO_CLOSE = "too close to call"


@dataclass(frozen=True, eq=False)
class Witness:
    """What shows why, in the table frame.

    `line` is the segment that decided, shape (2, 2): the two closest points, the sight line, the
    line to a tyre. `blockers` are the names of the pieces in the way, nearest first.
    """

    line: FloatArray | None = None
    blockers: tuple[str, ...] = ()


Unit = Literal["in", "rad", ""]


@dataclass(frozen=True, eq=False)
class Check:
    """One question of a ruling.

    `number` is what was measured and `limit` what it is held against; `margin` is positive on
    the *yes* side and in the same unit; `sd` is the margin's standard deviation; `p_yes` the
    probability that the answer is yes. A `modifier` (Short Range, Tailgate) does not decide
    whether the deed is lawful.
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


@dataclass(frozen=True, eq=False)
class Ruling:
    """Everything the book asks of one deed, answered from one table."""

    question: str
    time: float
    subject: str
    target: str
    checks: tuple[Check, ...]

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

"""The parts of a page's messages that tell of rulings, and of the dispute about one."""

from __future__ import annotations

from typing import Literal

from server.web.messages import Model

Point = tuple[float, float]
Outline = list[Point]
VerdictWord = Literal["yes", "no", "too close to call"]


class LineView(Model):
    """A line that decided a check, with the uncertainty of its ends at its true width."""

    check: str
    role: Literal["sight", "range"]
    verdict: VerdictWord
    line: Outline
    band: Outline
    label: str
    deviation: str
    label_at: Point


class CheckView(Model):
    """One question of a ruling. Numbers in `unit`: inches, radians or bare."""

    name: str
    role: Literal["condition", "modifier"]
    verdict: VerdictWord
    verdict_words: str
    unit: Literal["in", "rad", ""]
    number: float | None
    limit: float | None
    margin: float | None
    sd: float | None
    p_yes: float
    number_words: str
    limit_words: str
    margin_words: str
    deviation_words: str
    chance_words: str
    words: str
    citation: str
    blockers: list[str]


class RulingView(Model):
    """The answer to one question, with everything that shows why."""

    question: str
    key: str
    label: str
    pieces: list[str]
    """What it is about, the asking one first."""
    time: float
    verdict: VerdictWord
    headline: str
    sentence: str
    checks: list[CheckView]
    blockers: list[str]
    lines: list[LineView]
    stale: str | None
    """Why the ruling is about an earlier moment (a piece held or lost), or None."""
    surer: str = ""
    """What would probably settle a ruling that is too close to call; empty where nothing is known to."""
    looks: bool
    """Whether it has a line of sight, along which the table can be looked at."""


# The dispute


class AskedView(Model):
    """Another question that was asked of the frozen table."""

    by: str
    ruling: RulingView


class ShownPicture(Model):
    """A picture of the evidence, at `/api/disputes/{id}/pictures/{name}`."""

    name: str
    about: Literal["frame", "marks", "detail", "plan", "view", "before", "after", "tag"]
    media: str
    words: str


class DecisionView(Model):
    """How the players settled it."""

    way: Literal["agreed", "overruled", "rolled"]
    outcome: Literal["yes", "no"]
    words: str


class SubjectView(Model):
    """Something of the match that may be disputed: its key, what it is, when it was and what came of it."""

    key: str
    words: str
    more: str


class RemedyView(Model):
    """What follows if that answer counts; `goes` is what else is taken back with it."""

    outcome: Literal["yes", "no"]
    words: str
    goes: list[str]


class ConcernedView(Model):
    """A player whose consent a decision needs, and whether a device of theirs is here."""

    player: str
    here: bool


class RulingProposalView(Model):
    """What is proposed: `outcome` null is to roll for it. `missing` have not consented; `mine`: I may."""

    number: int
    by: str
    outcome: Literal["yes", "no"] | None
    rolled: int | None
    note: str
    missing: list[str]
    mine: bool


class DisputeView(Model):
    """The dispute that is open, as one viewer sees it. Times are of the source's clock, seconds.

    `version` grows with every change; `instants` are those of the kept frames. `facts` are sentences
    about how surely everything is known. `subject` is what of the match it is about, of which `subjects` are
    others; `remedies` are what follows, in the match as it is after `count` batches.
    """

    id: str
    version: int
    by: str
    opened: str
    at: float
    instants: list[float]
    ruling: RulingView
    asked: list[AskedView]
    pictures: list[ShownPicture]
    facts: list[str]
    decision: DecisionView | None
    subject: str | None
    key: str | None
    subjects: list[SubjectView]
    remedies: list[RemedyView]
    count: int | None
    concerned: list[ConcernedView]
    proposal: RulingProposalView | None
    declined: str
    """Who did not consent to what was proposed last; empty where nobody has refused."""
    seal: str | None
    noted: str | None
    saves: bool
    """Whether its file is given: where the book hides distances, once the game is over."""
    trouble: str | None
    may_act: bool
    may_decide: bool
    owner: bool
    may_withdraw: bool
    may_reopen: bool

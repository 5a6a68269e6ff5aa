"""A question and its answer as a viewer is shown them: words, figures and marks in their unit and view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from shapely.geometry import LineString

from calibration.gains import Gain
from engine.game.contract import Question
from engine.game.showing import Mark
from engine.ruling import Check, Ruling, Verdict
from engine.space.geometry import FloatArray
from engine.space.table import Standing, Status, TableState
from engine.words import listed
from server.formats import units
from server.formats.units import LengthUnit
from server.table.messages import MarkView, QuestionView
from server.table.projection import Space, band, circle, line_in, point_covariance, status_words
from server.table.questions.ruling_messages import CheckView, LineView, RulingView
from server.table.questions.rulings import Rulings, key_of_question

HEADLINES = {Verdict.YES: "Yes", Verdict.NO: "No", Verdict.TOO_CLOSE: "Too close to call"}


def question_view(question: Question, unit: LengthUnit) -> QuestionView:
    """A question to choose."""
    return QuestionView(
        key=key_of_question(question),
        label=question.label or question.words,
        words=question.words,
        more=units.retold(question.more, unit),
        heading=question.heading,
        missing=question.missing,
    )


def mark_view(mark: Mark, space: Space, unit: LengthUnit) -> MarkView:
    """Something that a game draws on the table, in a viewer's space; a disc becomes its outline."""
    points = np.asarray(mark.points, dtype=np.float64).reshape(-1, 2)
    if mark.shape == "disc":
        points = circle(points[0], mark.radius)
    shape = "polygon" if mark.shape == "disc" else mark.shape
    closed = shape == "polygon"
    return MarkView(
        shape=shape,
        role=mark.role,
        points=line_in(space, points, closed=closed) if len(points) > 1 else space.outline(points),
        words=units.retold(mark.words, unit),
        verdict=None if mark.verdict is None else mark.verdict.value,
        piece=mark.piece,
    )


# The ruling


def ruling_view(
    table: TableState,
    ruling: Ruling,
    question: Question,
    space: Space | None,
    unit: LengthUnit,
    surer: str = "",
) -> RulingView:
    """A ruling with everything that shows why; `surer` is what would settle it."""
    ends = tuple(table.find(name) for name in question.pieces)
    checks = [check_view(c, unit) for c in ruling.checks]
    return RulingView(
        question=ruling.question,
        key=key_of_question(question),
        label=question.label,
        pieces=[s.name for s in ends],
        time=round(ruling.time, 3),
        verdict=ruling.verdict.value,
        headline=HEADLINES[ruling.verdict],
        sentence=sentence(ruling, unit),
        checks=checks,
        blockers=list(dict.fromkeys(name for c in checks for name in c.blockers)),
        lines=[] if space is None else _lines(ruling, ends, space, unit),
        stale=stale_words(ends, table.time),
        surer=surer,
        looks=any(c.witness.shows == "sight" for c in ruling.checks),
    )


def surer_words(
    rulings: Rulings,
    question: Question,
    ruling: Ruling,
    table: TableState,
    gains: Sequence[Gain],
    unit: LengthUnit,
) -> str:
    """What would probably settle a ruling that is too close to call: the least of `gains` that does.

    The question is asked again of the same places, known as well as they would be then. Empty where the
    ruling is clear, and where none of them is enough.
    """
    if ruling.verdict is not Verdict.TOO_CLOSE:
        return ""
    for gain in gains:
        then = rulings.ask(question, gain.applied(table))
        if then.verdict is Verdict.TOO_CLOSE:
            continue
        sds = {check.name: check.sd for check in then.checks}
        known = [
            f"{c.name} to {_deviation(sds[c.name], c.unit, unit)} instead of {_deviation(c.sd, c.unit, unit)}"
            for c in ruling.checks
            if c.verdict is Verdict.TOO_CLOSE and c.name in sds and math.isfinite(c.sd)
        ]
        words = f"Probably clear {gain.words}" + (f": {'; '.join(known)}" if known else "")
        return f"{words}. The set-up page leads there."
    return ""


def sentence(ruling: Ruling, unit: LengthUnit = "in") -> str:
    """The answer in words, with what decided it."""
    may = {Verdict.YES: "may", Verdict.NO: "may not", Verdict.TOO_CLOSE: "may perhaps"}[ruling.verdict]
    answered = f"{units.retold(ruling.question, unit)} {HEADLINES[ruling.verdict]}"
    said = f"{ruling.subject} {may} {ruling.deed}" if ruling.deed else answered
    if ruling.verdict is Verdict.YES:
        bonus = [c.name for c in ruling.checks if c.role == "modifier" and c.verdict is Verdict.YES]
        return f"{said}, with {listed(bonus)}." if bonus else f"{said}."
    return f"{said}. {reasons(ruling, unit)}"


def reasons(ruling: Ruling, unit: LengthUnit) -> str:
    """What stands against a yes, check by check; empty for a yes."""
    if ruling.verdict is Verdict.YES:
        return ""
    decided = [c for c in ruling.checks if c.role == "condition" and c.verdict is ruling.verdict]
    # The headline says already that it is too close, the reasons below what would settle it.
    short = (units.retold(c.words.partition(": too close to call")[0], unit) for c in decided)
    return " ".join(f"{c.name}: {said}." for c, said in zip(decided, short, strict=True))


def check_view(check: Check, unit: LengthUnit) -> CheckView:
    """One check in words and figures."""
    return CheckView(
        name=check.name,
        role=check.role,
        verdict=check.verdict.value,
        verdict_words=HEADLINES[check.verdict],
        unit=check.unit,
        number=_finite(check.number),
        limit=_finite(check.limit),
        margin=_finite(check.margin),
        sd=_finite(check.sd),
        p_yes=round(min(max(check.p_yes, 0.0), 1.0), 4),
        number_words=_quantity(check.number, check.unit, unit),
        limit_words=_quantity(check.limit, check.unit, unit),
        margin_words=_quantity(check.margin, check.unit, unit, signed=True),
        deviation_words=_deviation(check.sd, check.unit, unit),
        chance_words=units.chance(check.p_yes),
        words=units.retold(check.words, unit),
        citation=check.citation,
        blockers=list(check.witness.blockers),
    )


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def _quantity(value: float, kind: Literal["in", "rad", ""], unit: LengthUnit, signed: bool = False) -> str:
    # A number without a unit is how a game keeps its answer: what it means is in the words.
    if not math.isfinite(value) or not kind:
        return "–"
    said = units.length(value, unit) if kind == "in" else units.angle(value)
    return f"+{said}" if signed and value > 0 else said.replace("-", "−")


def _deviation(sd: float, kind: Literal["in", "rad", ""], unit: LengthUnit) -> str:
    if not kind:
        return ""
    if not math.isfinite(sd):
        return "–"
    return f"±{units.deviation(sd, unit) if kind == 'in' else units.angle(sd)}"


def stale_words(ends: Sequence[Standing], now: float) -> str | None:
    """That pieces are not in view now, and for how long; None where all are."""
    hidden = [s for s in ends if s.status in (Status.HELD, Status.LOST)]
    if not hidden:
        return None
    said = " and ".join(f"{s.name} is {status_words(s, now)}" for s in hidden)
    return f"This is about where they were last seen: {said}."


def _lines(ruling: Ruling, ends: tuple[Standing, ...], space: Space, unit: LengthUnit) -> list[LineView]:
    """The lines that decided; a modifier's is that of a condition again."""
    found = []
    for check in ruling.checks:
        line, shows = check.witness.line, check.witness.shows
        if line is None or not shows or check.role != "condition":
            continue
        hull = _band(line, ends)
        found.append(
            LineView(
                check=check.name,
                role=shows,
                verdict=check.verdict.value,
                line=line_in(space, np.asarray(line)),
                band=[] if hull is None else line_in(space, hull, closed=True),
                label=_quantity(check.number, check.unit, unit),
                deviation=_deviation(check.sd, check.unit, unit),
                label_at=space.outline(line.mean(axis=0)[None])[0],
            )
        )
    return found


def _band(line: FloatArray, ends: tuple[Standing, ...]) -> FloatArray | None:
    """The line as wide as its ends are unsure; each end moves with the piece that it lies nearest to."""
    covered = []
    for point in line:
        spot = LineString([point, point])
        owner = min(ends, key=lambda s: float(s.region.polygon.distance(spot)))
        covered.append((np.asarray(point), point_covariance(owner, point)))
    return band(covered)

"""Questions, rulings and checks as JSON, for records and programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.ruling import Check, Ruling
from server.pipeline.json_records import degrees, inches


def check_record(check: Check, exactly: bool = False) -> dict[str, Any]:
    """One check of a ruling: inches and degrees, rounded; `exactly` as computed, angles in radians.

    What is infinite is null in an exact record.
    """
    number = _finite if exactly else degrees if check.unit == "rad" else inches
    line = check.witness.line
    points = None if line is None else line.tolist()
    if points is not None and not exactly:
        points = [[inches(v) for v in p] for p in points]
    return {
        "name": check.name,
        "role": check.role,
        "verdict": check.verdict.value,
        "number": number(check.number),
        "limit": number(check.limit),
        "margin": number(check.margin),
        "sd": number(check.sd),
        "p_yes": check.p_yes if exactly else round(check.p_yes, 4),
        "unit": "deg" if check.unit == "rad" and not exactly else check.unit,
        "words": check.words,
        "citation": check.citation,
        "line": points,
        "shows": check.witness.shows,
        "blockers": list(check.witness.blockers),
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def ruling_record(ruling: Ruling, question: Question, exactly: bool = False) -> dict[str, Any]:
    """A ruling with what was asked and its checks, rounded or `exactly` (`check_record`)."""
    return {
        "asked": question_record(question),
        "question": ruling.question,
        "verdict": ruling.verdict.value,
        "checks": [check_record(c, exactly) for c in ruling.checks],
    }


def question_record(question: Question) -> dict[str, Any]:
    """A question, so that it can be asked again."""
    return {
        "kind": question.kind,
        "pieces": list(question.pieces),
        "data": dict(question.data),
        "label": question.label,
    }


def asked_of(record: Mapping[str, Any]) -> Question:
    """The question of a record: of today's, or of those that knew shots alone; a clear error for others."""
    words = str(record.get("question", ""))
    try:
        if "asked" not in record:
            weapon = str(record["weapon"])
            pieces: tuple[str, ...] = (str(record["from"]), str(record["to"]))
            return Question("shot", words, pieces, {"weapon": weapon}, weapon)
        asked = record["asked"]
        pieces = tuple(map(str, asked["pieces"]))
        return Question(str(asked["kind"]), words, pieces, dict(asked["data"]), str(asked["label"]))
    except (KeyError, TypeError, ValueError) as error:
        raise TableRefError(f"expected a question with kind, pieces and data but {error!r}") from error

"""A ruling that was kept against today's: what is answered otherwise, and how."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.space.table import TableState
from server.table.questions.rulings import Rulings
from server.table.records import ruling_record

ROUNDED: Mapping[str, float] = MappingProxyType({"number": 0.02, "limit": 0.02})
"""Inches or degrees by which a rounded record's numbers may differ and still be told as the same: a game's
record keeps places to a thousandth of an inch, and a rule's limit is never that fine."""

EXACT: Mapping[str, float] = MappingProxyType(
    {"number": 1e-6, "limit": 1e-9, "margin": 1e-6, "sd": 1e-4, "p_yes": 1e-3}
)
"""The same of an exact record: machines differ in the last digits of their arithmetic."""


@dataclass(frozen=True)
class Changed:
    """One thing that is different: of which check or event, what it was and what it is now.

    `weight` is "verdict" where another answer is given, "within" where a number alone moved, by less than its
    own deviation, else "other".
    """

    what: str
    was: str
    now: str
    weight: Literal["verdict", "other", "within"] = "other"

    @property
    def words(self) -> str:
        """The same in a sentence."""
        return f"{self.what} was {self.was} and is {self.now} today."


def ruled_again(
    kept: Mapping[str, Any], question: Question, table: TableState, rulings: Rulings, exactly: bool = False
) -> tuple[Changed, ...]:
    """What today's answer says otherwise than a record (`ruling_record`, rounded or `exactly`)."""
    try:
        ruling = rulings.ask(question, table)
    except TableRefError as error:
        was = str(kept.get("verdict", "answered"))
        return (Changed("the question", was, f"cannot be ruled: {error}", "verdict"),)
    return tuple(differences(kept, ruling_record(ruling, question, exactly), EXACT if exactly else ROUNDED))


def differences(
    kept: Mapping[str, Any], today: Mapping[str, Any], within: Mapping[str, float]
) -> Iterator[Changed]:
    """Where two records of a ruling disagree: verdicts, blockers, numbers, and checks that came or went.

    `within` names the numbers that are compared, each with what they may differ by.
    """
    if kept.get("verdict") != today["verdict"]:
        yield Changed("verdict", str(kept.get("verdict")), today["verdict"], "verdict")
    then = {check["name"]: check for check in kept.get("checks", ())}
    for new in today["checks"]:
        name, was = new["name"], then.pop(new["name"], None)
        if was is None:
            yield Changed(name, "not asked", _words(new))
        elif unlike := _unlike(was, new, within):
            yield Changed(name, _words(was, unlike), _words(new, unlike), _weight(was, new, unlike))
    for name, was in then.items():
        yield Changed(name, _words(was), "not asked any more")


def _weight(
    was: Mapping[str, Any], new: Mapping[str, Any], unlike: list[str]
) -> Literal["verdict", "other", "within"]:
    if "verdict" in unlike:
        return "verdict"
    numbers = was.get("number"), new["number"]
    if set(unlike) - {"number", "margin", "p_yes"} or None in numbers:
        return "other"
    moved, sd = abs(new["number"] - was["number"]), max(was.get("sd") or 0.0, new.get("sd") or 0.0)
    return "within" if moved < sd else "other"


def _unlike(was: Mapping[str, Any], new: Mapping[str, Any], within: Mapping[str, float]) -> list[str]:
    """The fields in which two records of a check differ."""
    found = [key for key in ("verdict", "blockers") if was[key] != new[key]]
    # The records of before had other spellings of a rule's place; numbers tell what matters there.
    found += ["citation"] if within is EXACT and was["citation"] != new["citation"] else []
    return found + [key for key, most in within.items() if not _close(was[key], new[key], most)]


def _close(was: Any, now: Any, most: float) -> bool:
    if was is None or now is None:
        return was is now
    return math.isclose(was, now, rel_tol=0.0, abs_tol=most)


def _words(check: Mapping[str, Any], unlike: list[str] | None = None) -> str:
    """The answer, with the fields in which it differs where neither verdict nor words need tell it."""
    figures = [f"{key} {check[key]}" for key in unlike or () if key not in ("verdict", "blockers", "number")]
    return f"{check['verdict']} ({', '.join([str(check['words']), *figures])})"

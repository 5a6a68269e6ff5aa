"""Beliefs, checks and rulings: how sure, and in which words."""

from __future__ import annotations

import math

import pytest

from engine.errors import TableRefError
from engine.ruling import (
    Belief,
    Check,
    Measurement,
    Ruling,
    Verdict,
    left_open,
    limit_words,
    make_check,
    verdict_of,
)

YES, NO, OPEN = Verdict.YES, Verdict.NO, Verdict.TOO_CLOSE


@pytest.mark.parametrize(
    ("p_yes", "confidence", "verdict"),
    [(0.95, 0.95, YES), (0.949, 0.95, OPEN), (0.05, 0.95, NO), (0.051, 0.95, OPEN), (0.5, 0.5, YES)],
)
def test_a_verdict_needs_its_confidence(p_yes, confidence, verdict):
    assert verdict_of(p_yes, confidence) is verdict


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        (Measurement(Belief(8.42, 0.018)).at_most(10), "8.42 in of 10 in, 1.58 in to spare, ±0.02"),
        (Measurement(Belief(10.31, 0.0)).at_most(10), "10.31 in of 10 in, 0.31 in too far"),
        (Measurement(Belief(math.radians(42), math.radians(0.31)), "rad").at_most(math.radians(40)),
         "42.0° of 40°, 2.0° too far, ±0.4"),
        (Measurement(Belief(3.0, 0.2)), "3.00 in, ±0.20"),
        (Measurement(Belief(1.5, 0.018)).at_least(2), "1.50 in of 2 in, 0.50 in too little, ±0.02"),
        (Measurement(Belief(1.14, 0.0)).at_least(0), "1.14 in to spare"),
        (Measurement(Belief(-0.2, 0.0)).at_least(0), "0.20 in too little"),
        (Measurement(Belief(0.3, 0.0)).at_most(0), "0.30 in too far"),
    ],
)  # fmt: skip
def test_measurements_in_words(measured, words):
    assert limit_words(measured) == words


def test_a_check_carries_number_limit_margin_and_citation():
    check = make_check("Range", Measurement(Belief(9.9, 0.1)).at_most(10), citation="Book · Range")
    assert (check.verdict, check.number, check.limit) == (OPEN, 9.9, 10)
    assert check.margin == pytest.approx(0.1)
    assert check.p_yes == pytest.approx(0.841, abs=1e-3)
    assert check.words.endswith("too close to call; 0.07 in less would settle it")
    assert check.citation == "Book · Range"


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.01, YES), (-0.05, OPEN), (-0.1, OPEN), (-0.13, OPEN), (-0.15, NO)]
)
def test_what_is_hardly_possible_takes_more_to_be_said(value, verdict):
    held = Measurement(Belief(value, 0.05)).at_least(0.0).expecting(0.95)
    assert held.verdict() is verdict
    if verdict is OPEN:
        check = make_check("Free", held, citation="Book")
        assert f"{0.14 + value:.2f} in more would settle it" in check.words


def test_of_what_may_be_too_much_less_is_needed_and_of_what_misses_its_size_what_it_misses():
    def within(value: float) -> Measurement:
        return Measurement(Belief(value, 0.05), limit=3.0, margin=0.25 - abs(value - 3.0), p_yes=0.5)

    for value, words in ((3.27, "0.11 in less"), (3.23, "0.07 in less"), (2.73, "0.11 in more")):
        assert f"; {words} would settle it" in make_check("Length", within(value), citation="Book").words


def test_no_check_without_a_limit():
    with pytest.raises(TableRefError, match="needs a limit"):
        make_check("Range", Measurement(Belief(9.9, 0.1)), citation="Book")


def test_a_check_may_be_left_open_with_its_reason():
    check = left_open(_check(YES), "Red 1 is under a hand")
    assert (check.verdict, check.p_yes) == (OPEN, 0.5)
    assert check.words == "Red 1 is under a hand (last seen: words)"


def _check(verdict: Verdict, role="condition") -> Check:
    return Check("A", verdict, 1.0, 0.0, 1.0, 0.1, 0.9, "in", "words", "Book", role)


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [
        ((_check(YES), _check(YES)), YES),
        ((_check(YES), _check(OPEN)), OPEN),
        ((_check(NO), _check(OPEN)), NO),
        ((_check(YES), _check(NO, "modifier")), YES),
    ],
)
def test_a_ruling_is_as_sure_as_its_conditions(checks, verdict):
    ruling = Ruling("May it?", 1.0, "Red 1", "Blue 1", checks)
    assert ruling.verdict is verdict
    assert ruling.check("A") is checks[0]

"""Numbers and sentences as people read them."""

from __future__ import annotations

import math

import pytest

from server.formats import units


@pytest.mark.parametrize(
    ("inches", "unit", "said"),
    [
        (0.0, "in", "0.00″"),
        (-0.004, "in", "0.00″"),
        (12.345678, "in", "12.35″"),
        (-2.5, "in", "-2.50″"),
        (10.0, "cm", "25.4 cm"),
        (-0.01, "cm", "0.0 cm"),
    ],
)
def test_lengths(inches: float, unit: units.LengthUnit, said: str) -> None:
    assert units.length(inches, unit) == said


@pytest.mark.parametrize(
    ("turn", "said"), [(0, "0°"), (-math.pi / 2, "270°"), (-0.001, "0°"), (math.tau, "0°")]
)
def test_headings(turn: float, said: str) -> None:
    assert units.heading(turn) == said


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (1.0, "over 99.9 %"),
        (0.0, "under 0.1 %"),
        (0.5, "50 %"),
        (0.97, "97.0 %"),
        (0.012, "1.2 %"),
        (0.33, "33 %"),
    ],
)
def test_chances_are_never_certain(probability: float, said: str) -> None:
    assert units.chance(probability) == said


@pytest.mark.parametrize(
    ("text", "inches", "centimetres"),
    [
        ("22.34 in of 20 in, 2.34 in too far, ±0.02", "22.34″ of 20″, 2.34″ too far, ±0.02",
         "56.7 cm of 50.8 cm, 5.9 cm too far, ±0.05"),
        ("blocked by Red 2, 0.99 in deep, ±0.01", "blocked by Red 2, 0.99″ deep, ±0.01",
         "blocked by Red 2, 2.5 cm deep, ±0.03"),
        ("53.9° of 90°, ±1.1°", "53.9° of 90°, ±1.1°", "53.9° of 90°, ±1.1°"),
        ("360°: every direction", "360°: every direction", "360°: every direction"),
        ("Red 2 is in the way", "Red 2 is in the way", "Red 2 is in the way"),
    ],
)  # fmt: skip
def test_sentences_of_the_engine(text: str, inches: str, centimetres: str) -> None:
    assert units.retold(text, "in") == inches
    assert units.retold(text, "cm") == centimetres


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C")]
)
def test_names_in_a_row(names: list[str], said: str) -> None:
    assert units.listed(names) == said

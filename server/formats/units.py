"""Numbers as people read them: lengths in inches or centimetres, angles, times, chances."""

from __future__ import annotations

import math
import re
from typing import Literal

LengthUnit = Literal["in", "cm"]

CM_PER_INCH = 2.54


def length(inches: float, unit: LengthUnit = "in", digits: int | None = None) -> str:
    """A length with its unit.

    >>> length(12.345), length(12.345, "cm"), length(-0.001)
    ('12.35″', '31.4 cm', '0.00″')
    """
    if unit == "cm":
        return _number(inches * CM_PER_INCH, 1 if digits is None else digits) + " cm"
    return _number(inches, 2 if digits is None else digits) + "″"


def deviation(inches: float, unit: LengthUnit = "in") -> str:
    """A standard deviation, one digit finer than the length that it belongs to.

    >>> deviation(0.0123), deviation(0.0123, "cm")
    ('0.012″', '0.03 cm')
    """
    return length(inches, unit, 2 if unit == "cm" else 3)


def angle(radians: float) -> str:
    """An angle in degrees.

    >>> angle(math.pi / 2)
    '90.0°'
    """
    return _number(math.degrees(radians), 1) + "°"


def heading(radians: float, digits: int = 0) -> str:
    """A heading in degrees from 0 to below 360, counter-clockwise from the table's right.

    >>> heading(-math.pi / 2), heading(-0.0001, 1)
    ('270°', '0.0°')
    """
    return f"{round(math.degrees(radians), digits) % 360:.{digits}f}°"


def chance(probability: float) -> str:
    """A probability that never claims to be certain.

    >>> chance(1.0), chance(0.5), chance(0.0004)
    ('over 99.9 %', '50 %', 'under 0.1 %')
    """
    if probability > 0.999:
        return "over 99.9 %"
    if probability < 0.001:
        return "under 0.1 %"
    percent = 100 * probability
    return f"{percent:.1f} %" if percent < 5 or percent > 95 else f"{percent:.0f} %"


def seconds(duration: float) -> str:
    """A duration.

    >>> seconds(2.34), seconds(75)
    ('2.3 s', '1 min 15 s')
    """
    if duration < 60:
        return f"{duration:.1f} s"
    return f"{int(duration // 60)} min {int(duration % 60)} s"


def moment(at_s: float) -> float:
    """A time to a thousandth of a second, never before itself: whoever goes there finds what happened then.

    >>> moment(7.1041), moment(7.104), moment(0.29)
    (7.105, 7.104, 0.29)
    """
    return math.ceil(at_s * 1000 - 1e-6) / 1000


def clock(duration: float) -> str:
    """A time of the game as on a clock.

    >>> clock(75.94), clock(3671)
    ('1:15', '1:01:11')
    """
    whole = int(duration)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


_INCHES = re.compile(
    r"(?<![\w.-])(?P<name>[A-Z]\w* )?(?P<number>-?\d+(?:\.\d+)?) in\b"
    r"(?! (?:vain|front|the|a|an|its|their|which)\b)(?P<next> [a-z]\w*)?"
)
"""A length, or the number of a piece, which may stand before that word, too: *Blue 3 in vain*."""

_AFTER_A_LENGTH = re.compile(
    r" (?:above|ahead|all|and|apart|at|away|back|backwards|behind|below|beside|between|but|deep|from|high|"
    r"left|less|long|more|not|of|off|on|or|outside|past|right|short|straight|to|too|towards?|up|wide|with)"
)
"""Words before which a number has been inches, whatever stands before it: *Range 3 in of 4 in*."""

_GIVE_OR_TAKE = re.compile(r"±(\d+(?:\.\d+)?)(?![\d.]*[°%])")


def retold(text: str, unit: LengthUnit = "in") -> str:
    """A sentence of the engine, which speaks of inches, as this page writes lengths.

    >>> retold("8.42 in of 10 in, 1.58 in to spare, ±0.02")
    '8.42″ of 10″, 1.58″ to spare, ±0.02'
    >>> retold("8.42 in of 10 in, 1.58 in to spare, ±0.02", "cm")
    '21.4 cm of 25.4 cm, 4.0 cm to spare, ±0.05'
    >>> retold("table from 4 corner tags, misfit 0.003 in", "cm")
    'table from 4 corner tags, misfit 0.01 cm'
    """

    def told(found: re.Match[str]) -> str:
        name, number, then = found["name"] or "", found["number"], found["next"] or ""
        digits = len(number.partition(".")[2])
        if name and then and not digits and not _AFTER_A_LENGTH.fullmatch(then):
            return found[0]
        said = f"{number}″" if unit == "in" else length(float(number), "cm", max(1, digits - 1))
        return f"{name}{said}{then}"

    text = _INCHES.sub(told, text)
    if unit == "in":
        return text
    return _GIVE_OR_TAKE.sub(lambda found: "±" + _number(float(found[1]) * CM_PER_INCH, 2), text)


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text

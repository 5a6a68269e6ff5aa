"""What the page is told of the check, and what it asks for. Inches, degrees, pixels of the whole picture."""

from __future__ import annotations

from typing import Literal

from calibration.kept_check import CheckVerdict, PaperName
from server.web.messages import Model

Px = tuple[float, float]
Side = Literal["short side", "long side"]
SIDES: tuple[Side, Side] = ("short side", "long side")


class SpotView(Model):
    """A place where a sheet is asked for: the marked area in the picture, and whether it is `done`."""

    where: str
    outline: list[Px]
    done: bool


class LengthView(Model):
    """A known length as it was measured; `sure_in` is the stated 95 % of its error."""

    what: Side
    true_in: float
    measured_in: float
    error_in: float
    sure_in: float
    inside: bool


class CheckedView(Model):
    """The sheet at one place: both sides, and how far its right angle is off, with the stated 95 %."""

    where: str
    lengths: list[LengthView]
    square_deg: float
    square_sure_deg: float
    square_inside: bool


class KeptCheckView(Model):
    """The last check that is kept with the table. `out_of_date` says what has changed since, or is empty."""

    made: str
    paper: PaperName
    verdict: CheckVerdict
    words: str
    out_of_date: str


class CheckView(Model):
    """The step Check. `words` say what to do now; `places` are those so far, or those of the kept check."""

    may_change: bool
    ready: bool
    running: bool
    words: str
    spots: list[SpotView]
    sheet: list[Px]
    places: list[CheckedView]
    kept: KeptCheckView | None


class DoCheck(Model):
    """Begin the check (again), take one more look, or stop it."""

    how: Literal["begin", "look", "stop"]

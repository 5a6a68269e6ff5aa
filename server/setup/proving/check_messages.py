"""What the page is told of the check, and what it asks for. Inches, degrees, pixels of the whole picture."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from calibration.kept_check import CheckVerdict, LaidName
from server.web.messages import Model

Px = tuple[float, float]
Side = Literal["short side", "long side", "length"]
SIDES: tuple[Side, Side] = ("short side", "long side")


class SpotView(Model):
    """A place where sheet or strip is asked for: the marked area in the picture, and whether it is `done`."""

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
    """What was laid at one place: both sides of a sheet and how far its angle is off, or a strip's length.

    With the stated 95 % of each.
    """

    where: str
    lengths: list[LengthView]
    square_deg: float | None = None
    square_sure_deg: float | None = None
    square_inside: bool | None = None


class StripView(Model):
    """The strip: its tags, whether both are `seen`, and the length that somebody typed.

    `taken` are those of its tags that are in play on the table: then no strip is looked for.
    """

    tags: tuple[int, int]
    seen: bool
    length_in: float | None
    taken: list[int]


class KeptCheckView(Model):
    """The last check that is kept with the table. `out_of_date` says what has changed since, or is empty."""

    made: str
    paper: LaidName
    strip_in: float | None
    verdict: CheckVerdict
    words: str
    out_of_date: str


class ProofView(Model):
    """The step Check. `words` say what to do now; `places` are those so far, or those of the kept check.

    `laid` is the outline of the sheet or strip that is being measured.
    """

    may_change: bool
    ready: bool
    running: bool
    words: str
    spots: list[SpotView]
    laid: list[Px]
    strip: StripView
    places: list[CheckedView]
    kept: KeptCheckView | None


class DoCheck(Model):
    """Begin the check (again), take one more look, say how long the strip is, or stop."""

    how: Literal["begin", "look", "length", "stop"]
    length_in: Annotated[float | None, Field(ge=3.0, le=60.0)] = None

"""What a table file keeps of a check of its inches: when, with what, what came out, and what for."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from calibration.accuracy import Accuracy
from calibration.bundle.common import Length
from calibration.lens.model import Lens
from calibration.surface import CornerTag
from calibration.table_text import block, lines_of, with_block, without_block

PaperName = Literal["letter", "a4"]
LaidName = Literal["letter", "a4", "strip"]
"""What is laid on the table: a sheet of one of the papers, or a strip with two tags."""
CheckVerdict = Literal["agrees", "differs", "unsure"]
Pair = tuple[float, float]
"""A value and its standard deviation."""


class KeptPlace(BaseModel):
    """The sheet or strip at one place: its middle on the table, and what it measured, with its deviation.

    Inches. A sheet has two sides and `square_deg`, how far the angle between them is from a right one;
    a strip has its `length_in` alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    where: Annotated[str, Field(max_length=40)]
    at_in: Pair
    short_in: Pair | None = None
    long_in: Pair | None = None
    square_deg: Pair | None = None
    length_in: Pair | None = None

    @property
    def of_strip(self) -> bool:
        """Whether a strip lay there. Raises `ValueError` for what is neither a sheet nor a strip."""
        sheet = [figure is not None for figure in (self.short_in, self.long_in, self.square_deg)]
        strip = self.length_in is not None
        if any(sheet) == strip or any(sheet) != all(sheet):
            raise ValueError("expected short_in, long_in and square_deg of a sheet, or length_in of a strip")
        return strip


class KeptCheck(BaseModel):
    """The table `[check]` of a table file.

    `paper` is what was laid; of a strip `strip_in` is the length that somebody measured, and its deviation.
    `scale` is by which share lengths came out too long by the paper, and its deviation. `stated` names the
    numbers that the check holds for, `tags_at` where the flat tags lay in the picture then: id, then shares
    of the picture's width from its left and from its top.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    made: Annotated[str, Field(max_length=40)]
    paper: LaidName
    strip_in: Pair | None = None
    verdict: CheckVerdict
    words: Annotated[str, Field(max_length=1500)]
    scale: Pair
    stated: Annotated[str, Field(max_length=64)]
    tags_at: Annotated[list[tuple[int, float, float]], Field(max_length=100)] = []
    places: Annotated[list[KeptPlace], Field(max_length=20)]

    @model_validator(mode="after")
    def _of_one_kind(self) -> KeptCheck:
        strip = self.paper == "strip"
        if (self.strip_in is not None) != strip:
            raise ValueError('expected strip_in with paper = "strip" and with nothing else')
        if any(place.of_strip != strip for place in self.places):
            raise ValueError(f"expected places of {'a strip' if strip else 'a sheet'}")
        return self

    @property
    def laid(self) -> str:
        """What was laid, in words."""
        if self.strip_in is not None:
            return f"a strip of {self.strip_in[0]:.2f} in"
        return "a sheet of paper"


def stated_mark(
    corners: tuple[CornerTag, ...],
    loose: tuple[Any, ...],
    accuracy: Accuracy,
    checked: float,
    lens: Lens | None,
    lengths: tuple[Length, ...] = (),
) -> str:
    """A short mark of all stated numbers that the table's inches come from; another one if any is changed.

    `lens` is the one that is looked through, None while it is guessed.
    """
    told: list[object] = [
        [[c.family, c.tag, c.size, c.at, c.turn, c.sd] for c in corners],
        [[t.family, t.tag, t.size] for t in loose],
        [accuracy.print_scale, accuracy.print_size, accuracy.cloth_in, checked],
    ]
    told += [[one.between, one.inches, one.sd] for one in lengths]
    if lens is not None:
        # The same lens in pictures of another size is the same.
        wide = float(lens.size[0])
        told.append([round(float(v), 4) for v in [*(lens.parameters[:4] / wide), *lens.parameters[4:]]])
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def with_check(text: str, check: KeptCheck) -> str:
    """A table file's text with this check in place of the one before."""
    if ("check",) in lines_of(text):
        text = without_block(text, ("check",))
    return with_block(
        text,
        "# Written by the set-up page's check.\n" + block("[check]", check.model_dump(exclude_none=True)),
    )

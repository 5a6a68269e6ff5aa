"""What a table file keeps of a check of its inches: when, with which paper, what came out, and what for."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from calibration.accuracy import Accuracy
from calibration.lens.model import Lens
from calibration.surface import CornerTag
from calibration.table_text import block, lines_of, with_block, without_block

PaperName = Literal["letter", "a4"]
CheckVerdict = Literal["agrees", "differs", "unsure"]
Pair = tuple[float, float]
"""A value and its standard deviation."""


class KeptPlace(BaseModel):
    """The sheet at one place: its middle on the table, and what it measured there with the stated deviation.

    Inches; `square_deg` is how far the angle between its sides is from a right one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    where: Annotated[str, Field(max_length=40)]
    at_in: Pair
    short_in: Pair
    long_in: Pair
    square_deg: Pair


class KeptCheck(BaseModel):
    """The table `[check]` of a table file.

    `scale` is by which share lengths came out too long by the paper, and its deviation. `stated` names the
    numbers that the check holds for, `tags_at` where the flat tags lay in the picture then: id, then shares
    of the picture's width from its left and from its top.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    made: Annotated[str, Field(max_length=40)]
    paper: PaperName
    verdict: CheckVerdict
    words: Annotated[str, Field(max_length=1500)]
    scale: Pair
    stated: Annotated[str, Field(max_length=64)]
    tags_at: Annotated[list[tuple[int, float, float]], Field(max_length=100)] = []
    places: Annotated[list[KeptPlace], Field(max_length=20)]


def stated_mark(
    corners: tuple[CornerTag, ...],
    loose: tuple[Any, ...],
    accuracy: Accuracy,
    checked: float,
    lens: Lens | None,
) -> str:
    """A short mark of all stated numbers that the table's inches come from; another one if any is changed.

    `lens` is the one that is looked through, None while it is guessed.
    """
    told: list[object] = [
        [[c.family, c.tag, c.size, c.at, c.turn, c.sd] for c in corners],
        [[t.family, t.tag, t.size] for t in loose],
        [accuracy.print_scale, accuracy.print_size, accuracy.cloth_in, checked],
    ]
    if lens is not None:
        # The same lens in pictures of another size is the same.
        wide = float(lens.size[0])
        told.append([round(float(v), 4) for v in [*(lens.parameters[:4] / wide), *lens.parameters[4:]]])
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def with_check(text: str, check: KeptCheck) -> str:
    """A table file's text with this check in place of the one before."""
    if ("check",) in lines_of(text):
        text = without_block(text, ("check",))
    return with_block(text, "# Written by the set-up page's check.\n" + block("[check]", check.model_dump()))

"""The move template: how it lies on the table, and its six numbered sections.

Directions are the road's: its heading is the way everybody faces, *along* counts that way and *left*
across it. A vehicle is all its bodies, the one that pulls first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Pose, Region, as_points
from engine.space.table import Standing

BOOK = "Shattered Highways 0.3.8"
TEMPLATE = f"{BOOK} · Move Template"

WIDTH = 4.0
"""Inches across: a template width."""

SECTION = 3.0
"""Inches along: a template section length. A template section is so long and a whole width wide."""

ROWS = 3
"""Section lengths of the whole template."""

RIG_ROWS = 2
"""Section lengths of the box that a vehicle with a trailer moves in."""

PLACES = {1: (2, 0), 2: (1, 0), 3: (0, 0), 4: (0, 1), 5: (1, 1), 6: (2, 1)}
"""Row from the rear and column from the right of each section: clockwise from the front right."""

At = Literal["rear", "front"]


def template_rows(vehicle: Sequence[Standing]) -> int:
    """How many section lengths a vehicle may use: two with a trailer, else three."""
    return RIG_ROWS if len(vehicle) > 1 else ROWS


@dataclass(frozen=True, slots=True)
class Template:
    """The template on the table: `rear` is the middle of its rear edge, facing along the road."""

    rear: Pose
    rows: int = ROWS

    @property
    def length(self) -> float:
        """Inches along."""
        return self.rows * SECTION

    @property
    def outline(self) -> Region:
        """What it covers."""
        return self._box(0.0, self.length, -WIDTH / 2, WIDTH / 2)

    def section(self, number: int) -> Region:
        """One of the six numbered boxes, 3 by 2 inches; the whole template alone has them all.

        >>> Template(Pose(0.0, 0.0)).section(1).outline.min(axis=0).tolist()
        [6.0, -2.0]
        """
        row, column = self._place(number)
        return self._box(row * SECTION, (row + 1) * SECTION, (column - 1) * WIDTH / 2, column * WIDTH / 2)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the sections that it has."""
        return tuple(PLACES) if self.rows == ROWS else ()

    def farthest_edge(self, number: int) -> FloatArray:
        """The middle of that edge of a section that lies farthest from the template's middle, shape (2,)."""
        row, column = self._place(number)
        low, side = row * SECTION, (column - 0.5) * WIDTH / 2
        outer = (column - 0.5) * WIDTH
        edges = [(low, side), (low + SECTION, side), (low + SECTION / 2, 0.0), (low + SECTION / 2, outer)]
        middle = self.length / 2
        return np.asarray(self.rear.to_table(max(edges, key=lambda p: (p[0] - middle) ** 2 + p[1] ** 2)))

    def _place(self, number: int) -> tuple[int, int]:
        if number not in self.numbers:
            raise TableRefError(f"expected a section from 1 to 6 of the whole template but got {number}")
        return PLACES[number]

    def _box(self, low: float, high: float, right: float, left: float) -> Region:
        corners = [(low, right), (high, right), (high, left), (low, left)]
        return Region(as_points(self.rear.to_table(corners)))


def laid_at_bumper(vehicle: Sequence[Standing], heading: float, at: At, rows: int | None = None) -> Template:
    """The template over a vehicle with its front bumper in the middle of that edge of the template.

    With the bumper at the rear edge it lies ahead, with the bumper at the front edge behind. That the
    bumper is in the middle is a house default.
    """
    rows = template_rows(vehicle) if rows is None else rows
    x, y = bumper(vehicle[0]).mean(axis=0)
    here = Pose(float(x), float(y), heading)
    return Template(here if at == "rear" else here.compose(Pose(-rows * SECTION, 0.0)), rows)


def centred_over(vehicle: Sequence[Standing], heading: float) -> Template:
    """The whole template with its middle over that of a vehicle and all its bodies."""
    frame = Pose(0.0, 0.0, heading)
    corners = frame.to_body(np.concatenate([s.region.outline for s in vehicle]))
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    x, y = frame.to_table(middle - (ROWS * SECTION / 2, 0.0))
    return Template(Pose(float(x), float(y), heading))


def bumper_of(standing: Standing) -> FloatArray:
    """The front bumper in the body frame, right end and left end, shape (2, 2): as wide as the body."""
    outline = standing.piece.body.footprint.outline
    low, high = outline.min(axis=0), outline.max(axis=0)
    return np.array([(high[0], low[1]), (high[0], high[1])])


def bumper(standing: Standing) -> FloatArray:
    """The front bumper on the table, right end and left end, shape (2, 2), inches."""
    return np.asarray(standing.pose.to_table(bumper_of(standing)))

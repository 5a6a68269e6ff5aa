"""What the page asks of a board on the table, and what it is told. Inches, and pixels of the picture."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from server.setup.setup_messages import Px
from server.web.messages import Model

Side = Annotated[float, Field(ge=1.0, le=600.0)]
Spacing = Annotated[float, Field(ge=0.5, le=6.0)]
Step = Annotated[float, Field(ge=-24.0, le=24.0)]


class BoardOffer(Model):
    """A board that can be put on the table: its `id`, and what it is.

    `sides` are what its two sizes are called (columns and rows, or length and width in inches) with `size`
    to begin with; empty where it has its own. `spacing_in` is how far apart its cells usually are; None
    where that is not asked.
    """

    id: str
    words: str
    sides: tuple[str, str] | None
    size: tuple[float, float] | None
    spacing_in: float | None


class BoardDraft(Model):
    """A board as it would lie: its lines and the two rings that it is dragged by, in the picture.

    Ring 0 moves it, ring 1 turns it about ring 0, and sets how far apart its cells are where `stretches`
    says that it can. `may_keep` says that it lies on the table.
    """

    id: str
    lines: list[list[Px]]
    rings: list[Px]
    words: str
    stretches: bool
    may_keep: bool


class BoardSetupView(Model):
    """The boards that there are, the one that the table file has in words ("" for none), and a draft."""

    offers: list[BoardOffer]
    kept: str
    draft: BoardDraft | None


class ChooseBoard(Model):
    """Put a board in the middle of the table; the id "" takes the draft away, "kept" is the file's."""

    id: Annotated[str, Field(max_length=160)]
    size: tuple[Side, Side] | None = None
    spacing_in: Spacing | None = None


class MoveBoard(Model):
    """Drag a ring of the draft to a place in the picture, or move it by inches; or turn it a quarter.

    `stretch`: ring 1 sets how far apart the cells are, too.
    """

    ring: Literal[0, 1] = 0
    to: Px | None = None
    by_in: tuple[Step, Step] | None = None
    quarter: bool = False
    stretch: bool = False

"""Where a vehicle may rest on the hexes, how surely, and which of several places somebody said."""

from __future__ import annotations

from dataclasses import dataclass

from engine.boards.board import TOLD, Cell, Rival, Snap, facing_words
from engine.boards.hexes import Hexes
from engine.errors import TableRefError


@dataclass(frozen=True, slots=True)
class Place:
    """A hex and facing on which a vehicle may rest, and how surely."""

    cell: Cell
    facing: int
    probability: float

    @property
    def key(self) -> str:
        """As the value of an input."""
        return f"{self.cell[0]},{self.cell[1]},{self.facing}"


def places(snap: Snap) -> tuple[Place, ...]:
    """The hexes and facings on which a vehicle may rest, the likeliest first; one where it is sure."""
    found = [Rival(snap.cell, snap.facing, snap.probability)]
    if snap.where != "cell":
        found += [rival for rival in snap.rivals if rival.probability >= TOLD]
    return tuple(
        Place(one.cell, one.facing, one.probability)
        for one in found
        if one.cell is not None and one.facing is not None
    )


def place_said(board: Hexes, found: tuple[Place, ...], key: object) -> Place:
    """The place that somebody said, of those where a vehicle may rest."""
    for one in found:
        if one.key == key:
            return one
    known = ", ".join(f"{one.key} ({place_name(board, one)})" for one in found) or "none"
    raise TableRefError(f"it does not rest on {key!r} as the camera saw it; expected one of {known}")


def place_name(board: Hexes, one: Place) -> str:
    """What people call it."""
    return f"{board.name_of(one.cell)} facing {facing_words(board, one.facing)}"

"""A table without cells: pieces stand anywhere and face any way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from engine.boards.board import CONFIDENCE, BoardError, Cell, Shape, Snap
from engine.space.geometry import Pose
from engine.space.pieces import ORIGIN
from engine.space.table import Standing


@dataclass(frozen=True, slots=True)
class Free:
    """The table itself.

    >>> Free().drawing()
    ()
    """

    frame: Pose = ORIGIN
    kind: Final = "free"
    cells: ClassVar[tuple[Cell, ...]] = ()
    facings: ClassVar[int] = 0

    def snap(self, standing: Standing, confidence: float = CONFIDENCE) -> Snap:  # noqa: ARG002
        """*Free*, wherever a piece stands."""
        return Snap("free")

    def pose_of(self, cell: Cell, facing: int = 0) -> Pose:  # noqa: ARG002
        """Refuses: there are no cells."""
        raise BoardError(f"a free table has no cells, so there is no cell {cell}: say a pose in inches")

    def name_of(self, cell: Cell) -> str:
        """Refuses: there are no cells."""
        raise BoardError(f"a free table has no cells, so there is no cell {cell}")

    def drawing(self) -> tuple[Shape, ...]:
        """Nothing."""
        return ()

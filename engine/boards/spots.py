"""Where a piece may stand on the cells of a board, how surely, and which of several places somebody said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.boards.board import CONFIDENCE, TOLD, Board, Cell, Rival, Snap, facing_words
from engine.errors import TableRefError
from engine.space.table import Standing


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a piece may be: a cell, None beside the board, and how surely; of a vehicle its facing, too."""

    cell: Cell | None
    probability: float
    facing: int | None = None

    @property
    def key(self) -> str:
        """The spot as the value of an input."""
        known = (*(self.cell or ()), self.facing)
        return ",".join(str(part) for part in known if part is not None)


def odds_of(snap: Snap) -> list[Rival]:
    """Every cell and facing that a piece may have, None beside the board, the most probable first."""
    return [Rival(snap.cell, snap.facing, snap.probability), *snap.rivals]


def by_cell(odds: Iterable[Rival]) -> tuple[Spot, ...]:
    """The cells, whichever way a piece faces on them, the most probable first."""
    shares: dict[Cell | None, float] = {}
    for one in odds:
        shares[one.cell] = shares.get(one.cell, 0.0) + one.probability
    likely = sorted(shares.items(), key=lambda pair: -pair[1])
    return tuple(Spot(cell, share) for k, (cell, share) in enumerate(likely) if share >= TOLD or not k)


def spots_of(board: Board, standing: Standing) -> tuple[Spot, ...]:
    """The cells on which a piece may stand, whichever way it faces, the most probable first."""
    return by_cell(odds_of(board.snap(standing)))


def places(snap: Snap) -> tuple[Spot, ...]:
    """The cells and facings on which a vehicle may stand, the most probable first; one where it is sure."""
    first, *others = odds_of(snap)
    told = [] if snap.where == "cell" else [one for one in others if one.probability >= TOLD]
    return tuple(
        Spot(one.cell, one.probability, one.facing)
        for one in (first, *told)
        if one.cell is not None and one.facing is not None
    )


def sure(spots: tuple[Spot, ...]) -> bool:
    """Whether one place is sure enough to be taken."""
    return bool(spots) and spots[0].probability >= CONFIDENCE


def said_of(board: Board, spots: tuple[Spot, ...], key: object) -> Spot:
    """The place that somebody said, of those where a piece may be. Raises `TableRefError` for any other."""
    found = next((spot for spot in spots if spot.cell is not None and spot.key == key), None)
    if found is None:
        known = ", ".join(f"{s.key} ({name_of(board, s)})" for s in spots if s.cell is not None)
        raise TableRefError(
            f"it does not stand on {key!r} as the camera saw it; expected {known or 'no place'}"
        )
    return found


def name_of(board: Board, spot: Spot) -> str:
    """What people call a place."""
    if spot.cell is None:
        return "off the board"
    facing = "" if spot.facing is None else f" facing {facing_words(board, spot.facing)}"
    return f"{board.name_of(spot.cell)}{facing}"


def spot_words(board: Board, spots: tuple[Spot, ...]) -> str:
    """Where a piece lies, with the odds where that is open: "on F3", "between F3 (60 %) and G3 (40 %)"."""
    names = [name_of(board, spot) for spot in spots]
    if sure(spots):
        return names[0] if spots[0].cell is None else f"on {names[0]}"
    share = [f"{name} ({100 * s.probability:.0f} %)" for name, s in zip(names, spots, strict=True)]
    return f"between {', '.join(share[:-1])} and {share[-1]}" if len(share) > 1 else f"probably {share[0]}"


def spot_names(board: Board, spots: tuple[Spot, ...]) -> str:
    """Where a piece lies, without odds and in the order of their names: "between F3 and G3"."""
    names = sorted(name_of(board, spot) for spot in spots)
    return f"between {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"on {names[0]}"

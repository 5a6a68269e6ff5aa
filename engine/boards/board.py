"""What every board answers: which cell a piece stands on and how surely, where it is; and a free table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import NormalDist
from typing import ClassVar, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import TableRefError
from engine.measure.uncertainty import factor
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import ORIGIN
from engine.space.table import Standing
from engine.words import listed

Cell = tuple[int, int]
"""A cell: column and row of a point, axial q and r of a hex, section and lane of a road."""

CONFIDENCE = 0.95
TOLERANCE = 0.5

# Rivals below this share are left out.
NEGLIGIBLE = 0.001

# Rivals below this share are not told to people.
TOLD = 0.02

EIGHTHS = ("right", "up and right", "up", "up and left", "left", "down and left", "down", "down and right")

# A place known without error still counts as known to a millionth, so that a piece exactly on an edge
# belongs to both sides alike.
FINEST = 1e-6

# Pairs of opposite draws.
PAIRS = 2048


class BoardError(TableRefError):
    """A board that cannot be, or a cell that it does not have."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Something to draw, in inches on the table.

    A *line* and a *polygon* have their points, a *disc* its centre and `radius`, a *label* its middle and
    `words` in letters of `radius`. What is `bold` leads the eye: edges, directions.
    """

    shape: Literal["line", "polygon", "disc", "label"]
    points: tuple[tuple[float, float], ...]
    words: str = ""
    radius: float = 0.0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Rival:
    """Where else a piece may stand, and how probably; off the board, cell and facing are None."""

    cell: Cell | None
    facing: int | None
    probability: float


@dataclass(frozen=True, slots=True)
class Snap:
    """On which cell a piece stands.

    `where` is *cell* where one cell and facing is sure enough, *between* where none is, *off* where the
    piece stands beside the board, *free* where the board has no cells. `cell` and `facing` are the most
    probable ones (None where that is off the board) and `probability` is theirs; `rivals` are the others,
    the most probable first. `offset` is how far the piece stands from the cell's middle along and across
    that facing, inches, and `turn` how far it is turned from the facing, radians; `astray` says that the
    offset is more than the board's tolerance.
    """

    where: Literal["cell", "between", "off", "free"]
    cell: Cell | None = None
    facing: int | None = None
    probability: float = 1.0
    rivals: tuple[Rival, ...] = ()
    offset: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    astray: bool = False


class Board(Protocol):
    """A board on the table. `frame` is `table_from_board`: where its origin lies and where its x points."""

    def __hash__(self) -> int:
        """Drawings are kept by the board that they show."""

    @property
    def kind(self) -> str:
        """What the table file calls it: *free*, *points*, *hexes* or *road*."""

    @property
    def frame(self) -> Pose:
        """`table_from_board`, inches and radians."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell whose middle lies on the table now; none on a free table."""

    @property
    def facings(self) -> int:
        """How many ways a piece may face, evenly spaced counter-clockwise from the board's x; 0: any way."""

    def snap(self, standing: Standing, confidence: float = CONFIDENCE) -> Snap:
        """On which cell a piece stands; *between* where the most probable one is less sure than that."""

    def pose_of(self, cell: Cell, facing: int = 0) -> Pose:
        """Where a piece on that cell with that facing stands on the table. Raises `BoardError`."""

    def name_of(self, cell: Cell) -> str:
        """What people call a cell."""

    def drawing(self) -> tuple[Shape, ...]:
        """The board as lines, dots and names on the table."""


class Celled(Board, Protocol):
    """A board with cells, as `snapped` needs it."""

    @property
    def tolerance(self) -> float:
        """How far from its cell's middle a piece may stand without being `astray`, inches."""

    def cells_at(self, points: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The cells (n, 2) of points (n, 2) in the board's frame, and which of them the board has."""


def snapped(board: Celled, standing: Standing, confidence: float = CONFIDENCE) -> Snap:
    """The cells and facings that a piece may stand on, by what is known of its pose.

    The pose's distribution is integrated over the cells with a fixed set of evenly spread draws, each
    with its opposite: the same pose always gives the same answer, and an edge halves it.
    """
    found = _odds(board, standing.pose, standing.uncertainty.total.tobytes())
    best = found[0]
    sure = best.probability >= confidence
    if best.cell is None or best.facing is None:
        return Snap("off" if sure else "between", None, None, best.probability, found[1:])
    here = board.pose_of(best.cell, best.facing).inverse().compose(standing.pose)
    return Snap(
        where="cell" if sure else "between",
        cell=best.cell,
        facing=best.facing,
        probability=best.probability,
        rivals=found[1:],
        offset=(here.x, here.y),
        turn=here.heading,
        astray=float(np.hypot(here.x, here.y)) > board.tolerance,
    )


@lru_cache(maxsize=1024)
def _odds(board: Celled, pose: Pose, known: bytes) -> tuple[Rival, ...]:
    """Every cell and facing with its probability, the most probable first.

    `known` are the bytes of the pose's (3, 3) covariance. Kept for what stands where it stood.
    """
    covariance = np.frombuffer(known).reshape(3, 3) + np.eye(3) * FINEST**2
    drawn = (pose.x, pose.y, pose.heading) + _units() @ factor(covariance).T
    cells, there = board.cells_at((drawn[:, :2] - board.frame.xy) @ board.frame.rotation)
    turned = (drawn[:, 2] - board.frame.heading) * (board.facings / (2 * np.pi))
    facings = np.rint(turned) % board.facings
    # All draws of one cell and facing share one number and those off the board the last.
    low, high = cells.min(axis=0), cells.max(axis=0)
    across, deep = high - low + 1
    keys = ((cells[:, 0] - low[0]) * deep + cells[:, 1] - low[1]) * board.facings + facings
    off = across * deep * board.facings
    keys[~there] = off
    counted = np.unique(keys, return_index=True, return_counts=True)
    rivals = []
    for key, first, count in zip(*(a.tolist() for a in counted), strict=True):
        share = count / len(keys)
        if key == off:
            rivals.append(Rival(None, None, share))
        else:
            q, r = (int(c) for c in cells[first])
            rivals.append(Rival((q, r), int(facings[first]), share))
    rivals.sort(key=lambda r: -r.probability)
    return tuple(r for r in rivals if r.probability >= NEGLIGIBLE)


@cache
def _units() -> FloatArray:
    """Draws of three independent unit normals, evenly spread (Roberts' R3 sequence), shape (n, 3)."""
    root = 1.2207440846057596  # of x^4 = x + 1
    steps = (0.5 + np.outer(np.arange(1, PAIRS + 1), root ** -np.arange(1.0, 4.0))) % 1.0
    half = np.vectorize(NormalDist().inv_cdf)(steps)
    units = np.concatenate([half, -half])
    units.flags.writeable = False
    return np.asarray(units)


def facing_words(board: Board, facing: int) -> str:
    """A facing as people read it.

    On a board of eight facings that lies square or diagonally, as one sees it on the table from above
    ("right", "up and left"); else degrees counter-clockwise from the board's x axis.
    """
    eighth = 8 * (board.frame.heading / (2 * np.pi) + facing / board.facings)
    if board.facings == len(EIGHTHS) and abs(eighth - round(eighth)) < 0.05:
        return EIGHTHS[round(eighth) % len(EIGHTHS)]
    return f"{facing * 360 / board.facings:g}°"


def place_words(board: Board, snap: Snap) -> str:
    """Where a piece stands, without odds: "on C4 facing right", "between C4 and C5"; empty on a free one.

    In the order of the board: which of two even ones is the likelier a last digit says.
    """
    if snap.where == "free":
        return ""
    best = Rival(snap.cell, snap.facing, snap.probability)
    rivals = () if snap.where == "cell" else (r for r in snap.rivals if r.probability >= TOLD)
    likely = [best, *rivals] if best.cell is not None or snap.where == "between" else []
    likely.sort(key=lambda r: (r.cell is None, r.cell or (), -1 if r.facing is None else r.facing))
    cells = list(dict.fromkeys(_cell_words(board, r) for r in likely))
    if cells in ([], [OFF]):
        return OFF
    place = f"on {cells[0]}" if len(cells) == 1 else f"between {', '.join(cells[:-1])} and {cells[-1]}"
    if board.facings <= 1:
        return place
    turned = sorted({r.facing for r in likely if r.facing is not None})
    facings = dict.fromkeys(facing_words(board, facing) for facing in turned)
    return f"{place} facing {listed(facings, 'or')}"


OFF = "off the board"


def _cell_words(board: Board, rival: Rival) -> str:
    return OFF if rival.cell is None else board.name_of(rival.cell)


def in_words(board: Board, snap: Snap) -> str:
    """Where a piece stands, for people: its cell and facing, or all that it may stand on with the odds."""
    if snap.where == "off":
        return OFF
    here = Rival(snap.cell, snap.facing, snap.probability)
    if snap.where == "cell":
        return _place(board, here)
    likely = [r for r in (here, *snap.rivals) if r.probability >= TOLD]
    share = [f"{_place(board, r)} ({100 * r.probability:.0f} %)" for r in likely]
    return f"between {', '.join(share[:-1])} and {share[-1]}" if len(share) > 1 else f"probably {share[0]}"


def _place(board: Board, rival: Rival) -> str:
    words = _cell_words(board, rival)
    if rival.facing is None or board.facings <= 1:
        return words
    return f"{words} facing {facing_words(board, rival.facing)}"


def on_table(
    frame: Pose, points: Sequence[tuple[float, float]] | FloatArray
) -> tuple[tuple[float, float], ...]:
    """Points of a board's frame on the table, inches."""
    return tuple((float(x), float(y)) for x, y in frame.to_table(points))


def arrow(frame: Pose, tail: tuple[float, float], heading: float, length: float) -> tuple[Shape, ...]:
    """An arrow from `tail` in the board's frame."""
    at = Pose(*tail, heading)
    wing = length / 4
    shaft = at.to_table([(0.0, 0.0), (length, 0.0)])
    head = at.to_table([(length - wing, wing), (length, 0.0), (length - wing, -wing)])
    return (
        Shape("line", on_table(frame, shaft), bold=True),
        Shape("line", on_table(frame, head), bold=True),
    )


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

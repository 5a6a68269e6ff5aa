"""A circuit of one's own as a line of text: its name, its pieces, and what was laid by hand.

`Sunday: 2 straight, 3 left bend; added 3..6,-2 7,1; taken 4,0; start 5,0 5,1; driven clockwise; hazard 7,1`
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import groupby

from engine.boards.board import Cell
from engine.games.frothy_races.book.circuits import PIECES

SORTS = ("hazard", "fragile", "solid")
"""What may lie on a hex."""

WAYS = ("counter-clockwise", "clockwise")

MOST_PIECES = 60
LONGEST = 40

FAR = 200
"""How far from the first hex others may lie."""

_RUN = re.compile(r"(-?\d{1,3})(?:\.\.(-?\d{1,3}))?,(-?\d{1,3})")


@dataclass(frozen=True)
class Written:
    """What the text of a circuit says.

    `marks` are obstacles: sort, and the hex by lane and place of the pieces (2.14) or on the sheet, "q,r".
    `added` and `taken` are the single hexes that were laid beside the pieces or taken away from them. `start`
    are the start places by hex, and `way` is how it is driven, where the pieces do not say so.
    """

    name: str
    pieces: tuple[str, ...] = ()
    marks: tuple[tuple[str, str], ...] = ()
    added: frozenset[Cell] = frozenset()
    taken: frozenset[Cell] = frozenset()
    start: tuple[Cell, ...] | None = None
    way: str = ""

    @property
    def by_hand(self) -> bool:
        """Whether single hexes, start places or the way were laid by hand."""
        return bool(self.added or self.taken or self.way) or self.start is not None

    @property
    def text(self) -> str:
        """As it is written."""
        sorts = dict.fromkeys(sort for sort, _ in self.marks)
        lying = (f"{s} {' '.join(name for sort, name in self.marks if sort == s)}" for s in sorts)
        rows = [(name, len(list(row))) for name, row in groupby(self.pieces)]
        pieces = ", ".join(name if count == 1 else f"{count} {name}" for name, count in rows)
        found = [f"{self.name}: {pieces}", *lying]
        if self.added:
            found.append(f"added {runs(self.added)}")
        if self.taken:
            found.append(f"taken {runs(self.taken)}")
        if self.start is not None:
            found.append(" ".join(["start", *map(cell_name, self.start)]))
        if self.way:
            found.append(f"driven {self.way}")
        return "; ".join(found).strip()


def cell_name(cell: Cell) -> str:
    """A hex by its place on the sheet, "q,r"."""
    return f"{cell[0]},{cell[1]}"


def runs(cells: Collection[Cell]) -> str:
    """Hexes in rows, those side by side in one word.

    >>> runs([(3, 1), (5, 1), (4, 1), (0, -2)])
    '0,-2 3..5,1'
    """
    words: list[str] = []
    row: list[Cell] = []
    for cell in [*sorted(cells, key=lambda c: (c[1], c[0])), None]:
        if row and (cell is None or cell != (row[-1][0] + 1, row[-1][1])):
            to = f"..{row[-1][0]}" if len(row) > 1 else ""
            words.append(f"{row[0][0]}{to},{row[0][1]}")
            row = []
        if cell is not None:
            row.append(cell)
    return " ".join(words)


def cells_in(words: Iterable[str], wrong: list[str]) -> list[Cell]:
    """The hexes that are named as "q,r" or in rows, "q..q,r"; what is against others is added to `wrong`."""
    found: list[Cell] = []
    for word in words:
        match = _RUN.fullmatch(word)
        if match is None:
            wrong.append(f"no hex {word!r}: expected its place on the sheet, as 3,-2, or a row as 3..6,-2")
            continue
        first, last, r = int(match[1]), int(match[2] or match[1]), int(match[3])
        if max(abs(first), abs(last), abs(r)) > FAR or last < first:
            wrong.append(f"no hexes {word!r}: expected places from -{FAR} to {FAR}, the lower first")
            continue
        found += [(q, r) for q in range(first, last + 1)]
    return found


def read(text: str, wrong: list[str]) -> Written:
    """What a text says; what is against it is added to `wrong`."""
    name, _, rest = text.partition(":")
    parts = [part.strip() for part in rest.split(";")]
    if not re.fullmatch(rf"[^:;,]{{1,{LONGEST}}}", name.strip()):
        wrong.append(f"expected a name of 1 to {LONGEST} letters without : ; or , but got {name.strip()!r}")
    marks: list[tuple[str, str]] = []
    cells: dict[str, list[Cell]] = {"added": [], "taken": []}
    start, way = None, ""
    for part in filter(None, parts[1:]):
        word, *names = part.split()
        if word in SORTS:
            marks += [(word, one) for one in names]
        elif word in cells:
            cells[word] += cells_in(names, wrong)
        elif word == "start":
            start = tuple(dict.fromkeys(cells_in(names, wrong)))
        elif word == "driven":
            way = " ".join(names)
            if way not in WAYS:
                wrong.append(f"expected it to be driven {' or '.join(WAYS)} but got {way!r}")
                way = ""
        else:
            wrong.append(f"no obstacle {word!r}: expected one of {', '.join(SORTS)}")
    pieces = tuple(_pieces(parts[0], wrong))
    return Written(
        name.strip(), pieces, tuple(marks), frozenset(cells["added"]), frozenset(cells["taken"]), start, way
    )


def _pieces(words: str, wrong: list[str]) -> list[str]:
    """The pieces by name, each as often as it says."""
    found: list[str] = []
    for part in filter(None, (p.strip() for p in words.split(","))):
        count, name = re.fullmatch(r"(?:(\d{1,2}) +)?(.*)", part).groups()  # type: ignore[union-attr]
        if name in PIECES:
            found += [name] * int(count or 1)
        else:
            wrong.append(f"no piece {name!r}: expected one of {', '.join(PIECES)}")
    if len(found) > MOST_PIECES:
        wrong.append(f"{len(found)} pieces: expected {MOST_PIECES} at most")
    return found[:MOST_PIECES]

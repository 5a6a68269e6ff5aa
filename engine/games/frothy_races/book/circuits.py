"""Tracks: those that are given, those that are written down, and what stands on them.

All run counter-clockwise, so that the inmost lane is the first one, and have four lanes. A circuit's lanes
begin at its finish line; the starting grid lies on the rows before it.

`Sunday: 2 straight, 3 left bend; added 3..6,-2 7,1; taken 4,0; start 5,0 5,1; driven clockwise; hazard 7,1`
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from engine.boards.board import BoardError, Cell
from engine.boards.hexes import STEPS, Hexes, Lanes
from engine.boards.laying import Laid, lay
from engine.boards.ring import MOST, LooseTrack, Ring, holes, parts, ring_of, track_of
from engine.ruling import many
from engine.space.geometry import Pose
from engine.space.pieces import ORIGIN

# Closed circuits to race on, laid from modular track pieces: house defaults (Setup asks for any track).

LANES = 4

PIECES: Mapping[str, tuple[str, ...]] = {
    "straight": ("straight 4",),
    "short straight": ("straight 1",),
    "left bend": ("left",),
    "right bend": ("right",),
    "chicane": ("right", "left", "left", "right"),
    "start grid": ("straight 6",),
}
"""The modular pieces, each as `engine.boards.laying.lay` takes it."""

GRID = ((5, 0), (5, 1), (5, 2), (5, 3), (3, 0), (3, 1), (3, 2), (3, 3))
"""Row of the start grid and lane of each grid place, from 0: four in front, four behind, a row between."""


@dataclass(frozen=True)
class Circuit:
    """A closed track of hexes.

    `words` is its name for people. `pieces` are the modular pieces in the order of travel, by their names in
    `PIECES`; `lanes` are what they come to, as `Hexes.track` takes them, and `line` the middle line where
    hexes were laid by hand, as `LooseTrack` has it. `start` is the hex and facing (0 to 11) of each grid
    place, the best first. A lap ends where a vehicle comes to place `finish` of
    its lane from the last one. `hazards`, `solid` and `fragile` are the hexes of obstacles.
    """

    id: str
    words: str
    pieces: tuple[str, ...]
    lanes: Lanes
    start: tuple[tuple[Cell, int], ...]
    finish: int = 0
    hazards: tuple[Cell, ...] = ()
    solid: tuple[Cell, ...] = ()
    fragile: tuple[Cell, ...] = ()
    line: tuple[Cell, ...] = ()

    def board(self, spacing: float = 2.0, frame: Pose = ORIGIN) -> Hexes:
        """The track with hexes of `spacing` inches from side to side, hex (0, 0) in `frame`."""
        return track_of(self.lanes, self.line, spacing, frame)

    def lies_as(self, board: Hexes) -> bool:
        """Whether a board is this track, wherever it lies and however large."""
        line = board.line if isinstance(board, LooseTrack) else ()
        return (board.lanes, line) == (self.lanes, self.line)


def laid(pieces: Sequence[str]) -> Laid:
    """Modular pieces by their names in `PIECES`, laid one after another."""
    return lay([part for name in pieces for part in PIECES[name]], LANES)


def _circuit(
    name: str, words: str, pieces: Sequence[str], hazards: Sequence[tuple[int, int]] = (),
    solid: Sequence[tuple[int, int]] = (), fragile: Sequence[tuple[int, int]] = (),
) -> Circuit:  # fmt: skip
    """A circuit whose last piece is the start grid; obstacles are given as lane and place in it, from 0."""
    track = laid(pieces)
    start = tuple((cell, 2 * side) for cell, side in (track.at(-1, lane, row) for row, lane in GRID))

    def cells(places: Sequence[tuple[int, int]]) -> tuple[Cell, ...]:
        return tuple(track.lanes[lane][place] for lane, place in places)

    return Circuit(
        id=name, words=words, pieces=tuple(pieces), lanes=track.lanes, start=start,
        hazards=cells(hazards), solid=cells(solid), fragile=cells(fragile),
    )  # fmt: skip


TURN = ("left bend", "left bend", "left bend")

CIRCUITS: tuple[Circuit, ...] = (
    _circuit(
        "oval",
        "Oval",
        ("short straight", "short straight", *TURN, "straight", "straight", *TURN, "start grid"),
        hazards=((1, 11), (2, 13)),
        fragile=((0, 10), (3, 17)),
    ),
    _circuit(
        "chicane",
        "Chicane",
        (
            *("straight", "straight", "straight", *TURN),
            *("short straight", "short straight", "short straight", "chicane"),
            *("short straight", "short straight", "short straight", *TURN, "start grid"),
        ),
        hazards=((0, 33), (1, 34)),
        solid=((3, 34),),
        fragile=((1, 22), (2, 25)),
    ),
    _circuit(
        "long",
        "Long circuit",
        (
            *("short straight", "short straight", *TURN),
            *("straight", "short straight", "short straight", "short straight", "right bend"),
            *("short straight", "short straight", "short straight", "left bend", "left bend"),
            *("straight", "short straight", "short straight", "short straight", "left bend", "left bend"),
            *("straight", "straight", "short straight", "short straight", "start grid"),
        ),
        hazards=((0, 12), (1, 13), (2, 30)),
        solid=((3, 27),),
        fragile=((1, 31), (2, 40), (0, 44)),
    ),
)
"""The circuits that come with the game; `CIRCUITS[0]` is the usual one."""


# A circuit of one's own as a line of text: its name, its pieces, and what was laid by hand.

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


# Circuits with hexes laid by hand: which way they run, where a lap begins, and all that is against them.

SHORTEST = 12
"""Spaces of a lap at least, as many as the fastest vehicle goes in a round: house default."""

FEWEST, PLACES = 2, 12
"""Start places at least and at most."""

NAMED = 3
"""Hexes that are named where something is said of many."""


def cells_of(written: Written, track: Laid | None) -> frozenset[Cell]:
    """The hexes of the pieces and those that were laid, without those that were taken away."""
    there = frozenset() if track is None else frozenset(c for lane in track.lanes for c in lane)
    return (there | written.added) - written.taken


def way_of(ring: Ring, written: Written, track: Laid | None) -> int:
    """How it is driven, 1 counter-clockwise or -1: as it is written, else as its first piece leads."""
    if written.way:
        return -1 if written.way == WAYS[1] else 1
    for cell, heading in () if track is None else track.starts:
        if cell in ring.cells - ring.aside:
            q, r = STEPS[heading]
            along = ring.current[cell][0] * (q + r / 2) + ring.current[cell][1] * r * np.sqrt(3) / 2
            return 1 if along >= 0.0 else -1
    return 1


def board_of(
    cells: frozenset[Cell], start: Sequence[Cell], written: Written, track: Laid | None, wrong: list[str]
) -> Hexes:
    """The hexes as a track, or without lanes where they are none; what is against that goes to `wrong`."""
    field = Hexes(tuple(sorted(cells)))
    if found := _no_ring(cells):
        wrong += found
        return field
    ring = ring_of(cells)
    if not FEWEST <= len(start) <= PLACES:
        told = many(len(start), "start place") if start else "no start place lies yet"
        wrong.append(f"{told}: expected {FEWEST} to {PLACES}, the best first, for laps begin ahead of them")
    if not start:
        return field
    try:
        board = LooseTrack.behind(start, cells, way_of(ring, written, track))
    except BoardError:
        aside = ", ".join(map(cell_name, start))
        wrong.append(f"no lap can begin ahead of the start places {aside}: the track does not lead on there")
        return field
    wrong += _misplaced(board, start)
    return board


def _no_ring(cells: frozenset[Cell]) -> list[str]:
    """Why the hexes are no circuit."""
    if len(cells) > MOST:
        return [f"{len(cells)} hexes: expected {MOST} at most"]
    apart = parts(cells)
    if len(apart) > 1:
        small = apart[-1]
        others = f" and the {len(small) - 1} that hang with it" if len(small) > 1 else ""
        named = cell_name(min(small))
        return [f"the hexes lie in {len(apart)} parts: lay more between them, or take {named}{others} away"]
    if not holes(cells):
        return ["it does not close: the hexes go round nothing yet, so that no lap can be told"]
    return []


def _misplaced(board: LooseTrack, start: Sequence[Cell]) -> list[str]:
    """What is against the lap and the start places."""
    found = []
    if len(board.line) < SHORTEST:
        least = f"expected {SHORTEST} or more, as far as a vehicle goes in a round"
        found.append(f"a lap is {len(board.line)} spaces: {least}")
    for cell in start:
        if board.progress(cell) < 0.5:
            found.append(f"start place {board.name_of(cell)} is half a lap and more behind the foremost")
        if cell in board.ring.aside:
            found.append(
                f"start place {board.name_of(cell)} lies aside: no direction of travel is clear there"
            )
    return found


def notes_of(board: Hexes) -> list[str]:
    """What is worth knowing of a circuit: its lap, its narrowest place, and where something is ambiguous."""
    if not isinstance(board, LooseTrack):
        return []
    ring = board.ring
    width, where = ring.narrowest
    abreast = f"{width} hexes side by side" if width > 1 else "one hex: nobody can pass there"
    found = [
        f"a lap is {len(board.line)} spaces along the middle, driven {WAYS[board.way < 0]}",
        f"its narrowest place, at {board.name_of(where)}, is {abreast}",
    ]
    for island in ring.islands:
        beside = board.name_of(min(c for c in ring.cells if _touches(c, island)))
        told = many(len(island), "hex", "hexes")
        words = f"the hole of {told} beside {beside} is an island: a lap may pass it on either side"
        if 2 * len(island) > len(ring.hole):
            words += f"; the inside is ambiguous, and taken to be the larger hole, of {len(ring.hole)} hexes"
        found.append(words)
    if ring.aside:
        told = many(len(ring.aside), "hex", "hexes")
        found.append(
            f"on {told} the direction of travel is ambiguous, for the way round does not lead there: "
            f"{_some(board, ring.aside)}; facing and progress are taken from where they join it"
        )
    return found


def _touches(cell: Cell, others: Collection[Cell]) -> bool:
    return any((cell[0] + q, cell[1] + r) in others for q, r in STEPS)


def _some(board: Hexes, cells: Collection[Cell]) -> str:
    names = [board.name_of(c) for c in sorted(cells)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more

"""A track is laid on the board of hexes, tried, and changed by hand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from engine.boards.board import BoardError, Cell
from engine.boards.hexes import STEPS, Hexes, distance
from engine.boards.laying import Laid
from engine.boards.ring import LooseTrack
from engine.errors import TableRefError
from engine.games.frothy_races.book import circuits
from engine.games.frothy_races.book.circuits import Circuit, Written, laid

# Circuits of one's own: laid from the modular pieces and single hexes as they are written, and checked.

START = "start grid"
BEGINNING = "My circuit: straight"
"""What a circuit begins with."""

EMPTY = "My circuit:"
"""What one begins with that is laid by hand alone."""

TOUCH = 6
"""Hexes side by side further apart along the middle lane are two parts of the track: house default."""


@dataclass(frozen=True)
class Attempt:
    """A circuit as far as it was laid: what its text says, what lies of it, and all that is against it.

    `cells` are its hexes and `board` the track that they make, or a field where they make none. `start` has
    hex and facing of each start place, `marked` the hex of each obstacle in `written`, and `lost` those that
    were written for a hex that is not there. `notes` are what is worth knowing.
    """

    written: Written
    track: Laid | None
    cells: frozenset[Cell] = frozenset()
    board: Hexes | None = None
    start: tuple[tuple[Cell, int], ...] = ()
    marked: tuple[Cell, ...] = ()
    lost: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """As people call it."""
        return self.written.name

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces in the order of travel."""
        return self.written.pieces

    @property
    def whole(self) -> bool:
        """Whether every piece lies."""
        parts = sum(len(circuits.PIECES[name]) for name in self.pieces)
        return self.track is not None and len(self.track.starts) == parts

    @property
    def clockwise(self) -> bool:
        """Whether it is driven clockwise."""
        return isinstance(self.board, LooseTrack) and self.board.way < 0

    @property
    def obstacles(self) -> tuple[tuple[str, Cell], ...]:
        """What lies on which hex."""
        return tuple((sort, cell) for (sort, _), cell in zip(self.written.marks, self.marked, strict=True))

    @property
    def text(self) -> str:
        """As it is written, without what lies nowhere."""
        return self.written.text

    def on(self, sort: str) -> tuple[Cell, ...]:
        """The hexes with obstacles of a sort."""
        return tuple(cell for one, cell in self.obstacles if one == sort)

    def circuit(self) -> Circuit | None:
        """To be raced on, or drawn; None where no track lies."""
        if self.board is None or not self.board.lanes:
            return None
        line = self.board.line if isinstance(self.board, LooseTrack) else ()
        return Circuit(
            id=self.text, words=self.name, pieces=self.pieces, lanes=self.board.lanes, start=self.start,
            hazards=self.on("hazard"), solid=self.on("solid"), fragile=self.on("fragile"), line=line,
        )  # fmt: skip


def circuit_of(text: str) -> Circuit:
    """The circuit of that id, or the one that is written so; the first where none is named.

    Raises `TableRefError` with all that is against it.
    """
    for one in circuits.CIRCUITS:
        if text in ("", one.id):
            return one
    if ":" not in text:
        known = ", ".join(c.id for c in circuits.CIRCUITS)
        raise TableRefError(f"no circuit {text!r}; expected one of {known}, or one of your own")
    tried = attempt(text)
    found = tried.circuit()
    if tried.wrong or found is None:
        raise TableRefError(f"{tried.name}: {'; '.join(tried.wrong)}")
    return replace(found, id=text)


@lru_cache(maxsize=64)
def attempt(text: str) -> Attempt:
    """A circuit as it is written, laid as far as it goes.

    >>> attempt("Sunday: straight, start grid").wrong
    ('it turns by 0° to the left in all: a circuit turns by 360°, by six left bends more than right ones',)
    """
    wrong: list[str] = []
    written = circuits.read(text, wrong)
    track = _laid(written, wrong)
    one = Attempt(written, track)
    one = _by_hand(one, wrong) if written.by_hand else _of_pieces(one, wrong)
    one = _with_obstacles(one, wrong)
    return replace(one, wrong=tuple(wrong), notes=tuple(circuits.notes_of(one.board)) if one.board else ())


def _of_pieces(one: Attempt, wrong: list[str]) -> Attempt:
    """The track of the pieces alone, and what is against it."""
    if one.track is None:
        return one
    start: tuple[tuple[Cell, int], ...] = ()
    if one.whole and one.pieces[-1] == START:
        start = tuple((cell, 2 * side) for cell, side in _grid(one.track, -1))
    lanes = one.track.lanes
    cells = frozenset(c for lane in lanes for c in lane)
    wrong += _against(one)
    return replace(one, cells=cells, board=Hexes.track(lanes), start=start)


def _grid(track: Laid, part: int) -> list[tuple[Cell, int]]:
    """Hex and side of each place of the start grid, by the number of its part."""
    return [track.at(part, lane, row) for row, lane in circuits.GRID]


def _by_hand(one: Attempt, wrong: list[str]) -> Attempt:
    """The track of all hexes together: pieces, what was laid beside them, without what was taken away."""
    cells = circuits.cells_of(one.written, one.track)
    if not cells:
        wrong.append("nothing lies yet: lay hexes, or begin with a piece")
        return one
    start = one.written.start
    if start is None:
        start = tuple(cell for cell, _ in _grids(one) if cell in cells)
    lost = tuple(f"no hex lies at {circuits.cell_name(c)} for a start place" for c in start if c not in cells)
    wrong += lost
    start = tuple(cell for cell in start if cell in cells)
    written = one.written if one.written.start is None else replace(one.written, start=start)
    board = circuits.board_of(cells, start, one.written, one.track, wrong)
    side = board.side if isinstance(board, LooseTrack) else lambda _: 0
    places = tuple((cell, side(cell)) for cell in start)
    return replace(one, written=written, cells=cells, board=board, start=places, lost=lost)


def _grids(one: Attempt) -> list[tuple[Cell, int]]:
    """The places of the start grid, wherever it lies among the pieces."""
    if one.track is None or START not in one.pieces:
        return []
    part = sum(len(circuits.PIECES[name]) for name in one.pieces[: one.pieces.index(START)])
    return _grid(one.track, part) if part < len(one.track.starts) else []


def _with_obstacles(one: Attempt, wrong: list[str]) -> Attempt:
    """What lies on the hexes, by the names that they have now, and what is against that."""
    if one.board is None:
        return replace(one, written=replace(one.written, marks=()))
    kept: list[tuple[str, str, Cell]] = []
    lost: list[str] = []
    for sort, name in one.written.marks:
        cell = _cell(name, one)
        if cell is None:
            lost.append(f"no hex {name!r} for a {sort} obstacle: expected lane and place, as 2.14")
        else:
            known = circuits.cell_name(cell) if one.written.by_hand else one.board.name_of(cell)
            kept.append((sort, known, cell))
    wrong += lost
    written = replace(one.written, marks=tuple((sort, name) for sort, name, _ in kept))
    one = replace(one, written=written, lost=(*one.lost, *lost), marked=tuple(c for *_, c in kept))
    wrong += _lying(one)
    return one


def _cell(name: str, one: Attempt) -> Cell | None:
    """The hex of a name: lane and place of the pieces, or its place on the sheet."""
    if "," in name:
        found = circuits.cells_in([name], [])
        return found[0] if len(found) == 1 and found[0] in one.cells else None
    if one.track is None or not re.fullmatch(r"\d{1,2}\.\d{1,4}", name):
        return None
    lane, place = (int(n) for n in name.split("."))
    there = 1 <= lane <= len(one.track.lanes) and 1 <= place <= len(one.track.lanes[lane - 1])
    cell = one.track.lanes[lane - 1][place - 1] if there else None
    return cell if cell in one.cells else None


def _laid(written: Written, wrong: list[str]) -> Laid | None:
    pieces = written.pieces
    if not pieces and written.by_hand:
        return None
    if not pieces:
        wrong.append("no piece lies yet: begin with any and end with the start grid, or lay single hexes")
        return None
    for count in range(len(pieces), 0, -1):
        try:
            track = laid(pieces[:count])
        except BoardError:
            continue
        if min(map(len, track.lanes)) < 2 and not written.by_hand:
            wrong.append("one row of hexes is no track yet: lay another piece")
            return None
        if count < len(pieces):
            over = f"piece {count + 1}, {pieces[count]}, runs over what lies already"
            wrong.append(f"{over}: take it away, or lay more before it")
        return track
    return None


def _against(one: Attempt) -> list[str]:
    """What is against a circuit: its start grid, its turns, whether it closes, what touches or lies amiss."""
    if one.track is None:
        return []
    found: list[str] = []
    grids = one.pieces.count(START)
    if grids != 1 or one.pieces[-1] != START:
        found.append(f"expected one {START}, as the last piece, for the finish line lies behind it")
    if not one.whole:
        return found
    found += _shape(one.pieces, one.track)
    if one.track.closed:
        found += _touching(one.track)
    return found


def _shape(pieces: Sequence[str], track: Laid) -> list[str]:
    """Whether it runs counter-clockwise and leads back to where it began."""
    turns = sum({"left": 1, "right": -1}.get(part, 0) for name in pieces for part in circuits.PIECES[name])
    if turns == -6:
        return ["it runs clockwise, its first lane outside: lay left bends for right ones, right for left"]
    if turns != 6:
        more = "six left bends more than right ones"
        return [
            f"it turns by {60 * turns}° to the left in all: a circuit turns by 360°, by {more}".replace(
                "-", "−"
            )
        ]
    if track.closed:
        return []
    away = distance(track.end, track.starts[0][0])
    q, r = track.starts[0][0][0] - track.end[0], track.starts[0][0][1] - track.end[1]
    ways = {STEPS[k]: words for k, words in enumerate(DIRECTIONS)}
    steps = _as_steps(q, r)
    missing = " and ".join(f"{n} to the {ways[step]}" for step, n in steps)
    end = f"its end is {away} hex{'es' * (away != 1)} from its beginning"
    return [f"it does not close: {end}, which lies {missing}"]


DIRECTIONS = ("right", "upper right", "upper left", "left", "lower left", "lower right")


def _as_steps(q: int, r: int) -> list[tuple[Cell, int]]:
    """A distance as steps in at most two directions."""
    for k in range(6):
        (a, b), (c, d) = STEPS[k], STEPS[(k + 1) % 6]
        det = a * d - b * c
        m, n = (q * d - r * c) // det, (a * r - b * q) // det
        if m >= 0 and n >= 0 and (a * m + c * n, b * m + d * n) == (q, r):
            return [(step, count) for step, count in ((STEPS[k], m), (STEPS[(k + 1) % 6], n)) if count]
    return []


def _touching(track: Laid) -> list[str]:
    """Where two parts of the track lie side by side, vehicles could cross from one to the other."""
    board = Hexes.track(track.lanes)
    length = len(track.lanes[len(track.lanes) // 2])
    for cell in board.cells:
        for other in board.neighbours(cell):
            gap = abs((board.progress(cell) - board.progress(other) + 0.5) % 1.0 - 0.5) * length
            if gap > TOUCH:
                here, there = sorted((board.name_of(cell), board.name_of(other)))
                return [f"two parts of the track touch at {here} and {there}: lay more between them"]
    return []


def _lying(one: Attempt) -> list[str]:
    """Each hex has one obstacle at most, none on the start grid; solid ones leave a way."""
    board = one.board
    if board is None:
        return []
    counts = Counter(one.marked)
    found = [f"two obstacles lie on {board.name_of(cell)}" for cell, n in counts.items() if n > 1]
    grid = {cell for cell, _ in one.start}
    found += [f"an obstacle lies on {board.name_of(c)}, on the start grid" for c in counts if c in grid]
    solid = set(one.on("solid"))
    if solid and board.circuit and not _way_round(board, solid, grid):
        found.append("solid obstacles leave no way round the track")
    return found


def _way_round(board: Hexes, solid: set[Cell], grid: set[Cell]) -> bool:
    """Whether a lap can be driven past the solid obstacles, from any hex of the start grid."""
    length = len(board.middle)
    gone = dict.fromkeys(grid - solid, 0.0)
    new = list(gone)
    while new:
        cell = new.pop()
        for other in board.neighbours(cell):
            step = (board.progress(other) - board.progress(cell) + 0.5) % 1.0 - 0.5
            there = gone[cell] + step
            if other in solid or step < -0.5 / length or there <= gone.get(other, -1.0) + 1e-9:
                continue
            if there >= 1.0:
                return True
            gone[other] = there
            new.append(other)
    return False


# What a tap on the drawing of a circuit changes in its text: hexes, obstacles, start places, its way.

HEX, PLACE, TURN = "hex", "start place", "the other way round"


def changed(text: str, sort: str, names: Sequence[str]) -> str:
    """The text of a circuit once something was put on hexes, by their places on the sheet, "q,r".

    A hex is laid or taken away, an obstacle or start place put there or taken away, as of the first of them;
    without a `sort` obstacles are taken away. Raises `TableRefError`.

    >>> changed("Sunday: straight; added 9,0", "hex", ["9,0", "3,0"])
    'Sunday: straight; taken 3,0'
    """
    wrong: list[str] = []
    cells = circuits.cells_in(names, wrong)
    known: dict[str, Callable[[Attempt, list[Cell]], Written]] = {
        HEX: _hexes, PLACE: _places, TURN: _turned, "": _cleared,
        **dict.fromkeys(circuits.SORTS, _marked(sort)),
    }  # fmt: skip
    if sort not in known:
        wrong.append(f"expected one of {', '.join(filter(None, known))} but got {sort!r}")
    if wrong:
        raise TableRefError("; ".join(wrong))
    if not cells and sort != TURN:
        return text
    one = attempt(text)
    after = known[sort](one, cells)
    return attempt(after.text).text


def _hexes(one: Attempt, cells: list[Cell]) -> Written:
    """The hexes are laid if the first of them is not there, else taken away with all that is on them."""
    was, laid = one.written, one.cells
    pieces = frozenset() if one.track is None else frozenset(c for lane in one.track.lanes for c in lane)
    some = frozenset(cells)
    if cells[0] not in laid:
        return replace(was, added=was.added | (some - pieces), taken=was.taken - some)
    start = None if was.start is None else tuple(c for c in was.start if c not in some)
    marks = tuple(
        (sort, name) for (sort, name), at in zip(was.marks, one.marked, strict=True) if at not in some
    )
    after = replace(was, added=was.added - some, taken=was.taken | (some & pieces), start=start)
    return replace(after, marks=marks)


def _places(one: Attempt, cells: list[Cell]) -> Written:
    """A start place more, the next best; or no more."""
    now = tuple(cell for cell, _ in one.start) if one.written.start is None else one.written.start
    gone = [c for c in cells if c in now]
    new = [c for c in cells if c not in now and c in one.cells and cells[0] not in now]
    start = (*(c for c in now if c not in gone), *new) if cells[0] in now else (*now, *new)
    return replace(one.written, start=start[: circuits.PLACES])


def _turned(one: Attempt, _cells: list[Cell]) -> Written:
    """Driven the other way round: its start places are turned, and the last of them is in front."""
    start = tuple(reversed(one.written.start or [cell for cell, _ in one.start]))
    return replace(
        one.written, way=circuits.WAYS[0] if one.clockwise else circuits.WAYS[1], start=start or None
    )


def _cleared(one: Attempt, cells: list[Cell]) -> Written:
    marks = ((s, n) for (s, n), at in zip(one.written.marks, one.marked, strict=True) if at not in cells)
    return replace(one.written, marks=tuple(marks))


def _marked(sort: str) -> Callable[[Attempt, list[Cell]], Written]:
    def put(one: Attempt, cells: list[Cell]) -> Written:
        lying = dict(zip(one.marked, (s for s, _ in one.written.marks), strict=True))
        after = _cleared(one, cells)
        if lying.get(cells[0]) == sort:
            return after
        there = [(sort, circuits.cell_name(c)) for c in cells if c in one.cells]
        return replace(after, marks=(*after.marks, *there))

    return put

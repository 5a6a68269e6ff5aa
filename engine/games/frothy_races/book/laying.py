"""Circuits of one's own: written as a line of text, laid from the modular pieces, and checked with words.

`Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid; hazard 2.12 3.14; fragile 1.11`
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.boards.board import BoardError, Cell
from engine.boards.hexes import STEPS, Hexes, distance
from engine.boards.laying import Laid
from engine.errors import TableRefError
from engine.games.frothy_races.book.circuits import CIRCUITS, GRID, PIECES, Circuit, laid

SORTS = ("hazard", "fragile", "solid")
"""What may lie on a hex."""

START = "start grid"
MOST_PIECES = 60
LONGEST = 40
BEGINNING = "My circuit: straight"
"""What a circuit begins with."""

TOUCH = 6
"""Hexes side by side further apart along the middle lane are two parts of the track: house default."""


@dataclass(frozen=True)
class Attempt:
    """A circuit as far as it was laid: its name, what lies of it, and all that is against racing on it."""

    name: str
    pieces: tuple[str, ...]
    track: Laid | None
    obstacles: tuple[tuple[str, Cell], ...]
    wrong: tuple[str, ...]

    @property
    def start(self) -> tuple[tuple[Cell, int], ...]:
        """Hex and facing of each place of the start grid."""
        if self.track is None or not self.whole or self.pieces[-1] != START:
            return ()
        places = (self.track.at(-1, lane, row) for row, lane in GRID)
        return tuple((cell, 2 * side) for cell, side in places)

    @property
    def whole(self) -> bool:
        """Whether every piece lies."""
        parts = sum(len(PIECES[name]) for name in self.pieces)
        return self.track is not None and len(self.track.starts) == parts

    def on(self, sort: str) -> tuple[Cell, ...]:
        """The hexes with obstacles of a sort."""
        return tuple(cell for one, cell in self.obstacles if one == sort)


def circuit_of(text: str) -> Circuit:
    """The circuit of that id, or the one that is written so; the first where none is named.

    Raises `TableRefError` with all that is against it.
    """
    for one in CIRCUITS:
        if text in ("", one.id):
            return one
    if ":" not in text:
        known = ", ".join(c.id for c in CIRCUITS)
        raise TableRefError(f"no circuit {text!r}; expected one of {known}, or one of your own")
    tried = attempt(text)
    if tried.wrong or tried.track is None:
        raise TableRefError(f"{tried.name}: {'; '.join(tried.wrong)}")
    return Circuit(
        id=text, words=tried.name, pieces=tried.pieces, lanes=tried.track.lanes, start=tried.start,
        hazards=tried.on("hazard"), solid=tried.on("solid"), fragile=tried.on("fragile"),
    )  # fmt: skip


@lru_cache(maxsize=64)
def attempt(text: str) -> Attempt:
    """A circuit as it is written, laid as far as it goes.

    >>> attempt("Sunday: straight, start grid").wrong
    ('it turns by 0° to the left in all: a circuit turns by 360°, by six left bends more than right ones',)
    """
    name, _, rest = text.partition(":")
    parts = [part.strip() for part in rest.split(";")]
    wrong: list[str] = []
    if not re.fullmatch(rf"[^:;,]{{1,{LONGEST}}}", name.strip()):
        wrong.append(f"expected a name of 1 to {LONGEST} letters without : ; or , but got {name.strip()!r}")
    pieces = tuple(_pieces(parts[0], wrong))
    track = _laid(pieces, wrong)
    obstacles: list[tuple[str, Cell]] = []
    if track is not None:
        obstacles = list(_obstacles(parts[1:], track, wrong))
    found = Attempt(name.strip(), pieces, track, tuple(obstacles), ())
    wrong += _against(found)
    return Attempt(found.name, pieces, track, found.obstacles, tuple(wrong))


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


def _laid(pieces: Sequence[str], wrong: list[str]) -> Laid | None:
    if not pieces:
        wrong.append("no piece lies yet: begin with any, and end with the start grid")
        return None
    for count in range(len(pieces), 0, -1):
        try:
            track = laid(pieces[:count])
        except BoardError:
            continue
        if min(map(len, track.lanes)) < 2:
            wrong.append("one row of hexes is no track yet: lay another piece")
            return None
        if count < len(pieces):
            over = f"piece {count + 1}, {pieces[count]}, runs over what lies already"
            wrong.append(f"{over}: take it away, or lay more before it")
        return track
    return None


def _obstacles(parts: Sequence[str], track: Laid, wrong: list[str]) -> list[tuple[str, Cell]]:
    """What lies on which hex: "hazard 1.12 2.3"."""
    found: list[tuple[str, Cell]] = []
    for part in filter(None, parts):
        sort, *names = part.split()
        if sort not in SORTS:
            wrong.append(f"no obstacle {sort!r}: expected one of {', '.join(SORTS)}")
            continue
        for name in names:
            cell = _cell(name, track)
            if cell is None:
                wrong.append(f"no hex {name!r} for a {sort} obstacle: expected lane and place, as 2.14")
            else:
                found.append((sort, cell))
    return found


def _cell(name: str, track: Laid) -> Cell | None:
    if not re.fullmatch(r"\d{1,2}\.\d{1,4}", name):
        return None
    lane, place = (int(n) for n in name.split("."))
    there = 1 <= lane <= len(track.lanes) and 1 <= place <= len(track.lanes[lane - 1])
    return track.lanes[lane - 1][place - 1] if there else None


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
    found += _lying(one)
    return found


def _shape(pieces: Sequence[str], track: Laid) -> list[str]:
    """Whether it runs counter-clockwise and leads back to where it began."""
    turns = sum({"left": 1, "right": -1}.get(part, 0) for name in pieces for part in PIECES[name])
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
    assert one.track is not None
    board = Hexes.track(one.track.lanes)
    counts = Counter(cell for _, cell in one.obstacles)
    found = [f"two obstacles lie on {board.name_of(cell)}" for cell, n in counts.items() if n > 1]
    grid = {cell for cell, _ in one.start}
    found += [f"an obstacle lies on {board.name_of(c)}, on the start grid" for c in counts if c in grid]
    solid = set(one.on("solid"))
    if solid and one.track.closed and not _way_round(board, solid, grid):
        found.append("solid obstacles leave no way round the track")
    return found


def _way_round(board: Hexes, solid: set[Cell], grid: set[Cell]) -> bool:
    """Whether a lap can be driven past the solid obstacles, from any hex of the start grid."""
    length = len(board.lanes[len(board.lanes) // 2])
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

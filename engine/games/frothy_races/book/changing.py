"""What a tap on the drawing of a circuit changes in its text: hexes, obstacles, start places, its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.boards.board import Cell
from engine.errors import TableRefError
from engine.games.frothy_races.book.by_hand import PLACES
from engine.games.frothy_races.book.laying import Attempt, attempt
from engine.games.frothy_races.book.written import SORTS, WAYS, Written, cell_name, cells_in

HEX, PLACE, TURN = "hex", "start place", "the other way round"


def changed(text: str, sort: str, names: Sequence[str]) -> str:
    """The text of a circuit once something was put on hexes, by their places on the sheet, "q,r".

    A hex is laid or taken away, an obstacle or start place put there or taken away, as of the first of them;
    without a `sort` obstacles are taken away. Raises `TableRefError`.

    >>> changed("Sunday: straight; added 9,0", "hex", ["9,0", "3,0"])
    'Sunday: straight; taken 3,0'
    """
    wrong: list[str] = []
    cells = cells_in(names, wrong)
    known: dict[str, Callable[[Attempt, list[Cell]], Written]] = {
        HEX: _hexes, PLACE: _places, TURN: _turned, "": _cleared, **dict.fromkeys(SORTS, _marked(sort)),
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
    return replace(one.written, start=start[:PLACES])


def _turned(one: Attempt, _cells: list[Cell]) -> Written:
    """Driven the other way round: its start places are turned, and the last of them is in front."""
    start = tuple(reversed(one.written.start or [cell for cell, _ in one.start]))
    return replace(one.written, way=WAYS[0] if one.clockwise else WAYS[1], start=start or None)


def _cleared(one: Attempt, cells: list[Cell]) -> Written:
    marks = ((s, n) for (s, n), at in zip(one.written.marks, one.marked, strict=True) if at not in cells)
    return replace(one.written, marks=tuple(marks))


def _marked(sort: str) -> Callable[[Attempt, list[Cell]], Written]:
    def put(one: Attempt, cells: list[Cell]) -> Written:
        lying = dict(zip(one.marked, (s for s, _ in one.written.marks), strict=True))
        after = _cleared(one, cells)
        if lying.get(cells[0]) == sort:
            return after
        there = [(sort, cell_name(c)) for c in cells if c in one.cells]
        return replace(after, marks=(*after.marks, *there))

    return put

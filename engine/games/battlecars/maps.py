"""What is printed to play with: playing boards, and weapon, speed, damage, dropped and terrain counters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from engine.boards.pictures import Cutout, GameMap, Picture
from engine.boards.points import Points
from engine.games.battlecars.book.data import OWN, PASSIVES, SHIELDING, WEAPONS, own_board
from engine.games.battlecars.book.vehicles import counters, layouts, usual_load

SETS = 4
"""Speed Counters for so many vehicles, the most that start."""

OF_EACH = 8
"""Weapon counters of a kind at the least: as many as fill two Pods of four spaces."""

DROPPED = 4
"""Counters to drop, of each kind."""

DAMAGE = 48
"""Damage markers."""

GROUND = ((1, 1), (2, 1), (2, 2), (4, 2))
"""Columns and rows of terrain markers of 2, 4, 8 and 16 damage markers (house default)."""

WIDEST = 6.5
"""Inches of a terrain marker's side that fit on a sheet; a longer one is printed in parts."""


def board_picture(players: int, spacing: float) -> Picture:
    """The playing board of so many players."""
    return Picture(board(players, spacing).drawing())


def board(players: int, spacing: float) -> Points:
    """The points of that playing board."""
    return replace(own_board(players), spacing=spacing)


MAPS = tuple(
    GameMap(name, words, partial(board_picture, players), OWN.spacing, partial(board, players))
    for name, words, players in (
        ("one-board", "the playing board of 2 or 3 players", 2),
        ("two-boards", "two playing boards side by side, of 4 players", 4),
    )
)
"""Everything that `tableref print map --game battlecars` prints."""


def cutouts(spacing: float = OWN.spacing) -> tuple[Cutout, ...]:
    """Every counter to cut out for a board with points so many inches apart."""
    small, disc = spacing / 4, spacing / 2
    data = layouts().values()
    slowest, fastest = -max(one.reverse for one in data), max(one.top for one in data)
    return (
        *(Cutout(small, small, (name,), count=rounds_of(name)) for name in (*WEAPONS, *PASSIVES)),
        *(Cutout(small, small, (str(n), "Speed"), count=SETS) for n in range(slowest, fastest + 1)),
        *(Cutout(disc, disc, (name,), disc=True, count=DROPPED) for name in PASSIVES),
        Cutout(spacing / 6, spacing / 6, ("1",), count=DAMAGE),
        *_terrain(spacing),
    )


def rounds_of(kind: str) -> int:
    """As many counters of a kind as one vehicle of every type holds as it is usually armed."""
    loads = [
        counters(usual_load(m), m.spaces).count(kind)
        for one in layouts().values()
        for m in one.mounts.values()
    ]
    return max(OF_EACH, sum(loads))


def _terrain(spacing: float) -> Iterator[Cutout]:
    """Terrain markers to the board's scale, in parts that fit on a sheet."""
    for name in ("building", "trees"):
        for most, (columns, rows) in zip(SHIELDING, GROUND, strict=True):
            across, deep = _parts(columns, spacing), _parts(rows, spacing)
            parts = across * deep
            for part in range(1, parts + 1):
                which = f", part {part} of {parts}" if parts > 1 else ""
                words = f"{name}, {columns} by {rows} point{'s' * (columns * rows > 1)}{which}"
                yield Cutout(columns * spacing / across, rows * spacing / deep, (str(most), words))


def _parts(points: int, spacing: float) -> int:
    """Into how many parts of whole points a side has to be cut."""
    parts = 1
    while points * spacing / parts > WIDEST and parts < points:
        parts *= 2
    return parts

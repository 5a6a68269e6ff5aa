"""The vehicles of the data file `vehicle_data`: layouts, hit location tables, accelerations, safe speeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Literal

from engine.errors import TableRefError
from engine.game import records
from engine.games.battlecars.book import data as book
from engine.games.battlecars.book.data import Section
from engine.games.battlecars.book.vehicle_data import HITS, VEHICLES

FILE = "vehicle_data"

BARRELS = {"front": 0, "left": 2, "rear": 4, "right": 6}
"""The way that a barrel points, eighths counter-clockwise from the vehicle's facing."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A Weapon Pod, or a Turret (`barrel` *any*): its section and how many counters it holds."""

    section: Section
    spaces: int
    barrel: Literal["front", "rear", "left", "right", "any"]

    @property
    def ways(self) -> tuple[int, ...]:
        """Eighths from the vehicle's facing along which it may fire: its barrel's and one to either side."""
        if self.barrel == "any":
            return tuple(range(book.SIDES))
        middle = BARRELS[self.barrel]
        return tuple((middle + by) % book.SIDES for by in (0, 1, -1))


Row = tuple[str, ...]
Hits = Mapping[str, tuple[Row, ...]]


@dataclass(frozen=True, slots=True)
class Layout:
    """A type of vehicle."""

    kind: Literal["car", "bike"]
    acceleration: int
    braking: int
    top: int
    reverse: int
    safe: tuple[int, ...]
    tyre: int
    engine: int
    tank: int
    special: int
    armour: Mapping[str, int | tuple[int, ...]]
    mounts: Mapping[str, Mount]
    specials: tuple[str, ...] = ()

    @property
    def bike(self) -> bool:
        """Whether it is a bike."""
        return self.kind == "bike"

    @property
    def sharpest(self) -> int:
        """The sharpest corner, eighths."""
        return len(self.safe)

    @property
    def blocks(self) -> dict[str, int]:
        """Its armour blocks by name with their points; a car's sides have three each."""
        found: dict[str, int] = {}
        for side, points in self.armour.items():
            if isinstance(points, int):
                found[side] = points
            else:
                found |= {f"{side} {part}": p for part, p in zip(book.SECTIONS, points, strict=True)}
        return found

    @property
    def tyres(self) -> dict[str, Section]:
        """Its tyres by name, with their section."""
        ends: tuple[Section, Section] = ("front", "rear")
        if self.bike:
            return {f"{end} tyre": end for end in ends}
        return {f"{side} {end} tyre": end for end in ends for side in ("left", "right")}


@cache
def layouts() -> Mapping[str, Layout]:
    """Every type of vehicle by its name."""
    found = {name: records.from_json(Layout, data, f"{FILE} · {name}") for name, data in VEHICLES.items()}
    for name, layout in found.items():
        _check(name, layout)
    return found


def _check(name: str, layout: Layout) -> None:
    wanted = {"front", "rear", "left", "right"}
    if set(layout.armour) != wanted:
        raise TableRefError(f"{FILE} · {name} · armour: expected {', '.join(sorted(wanted))}")
    if len(layout.safe) != (4 if layout.bike else 3):
        raise TableRefError(f"{FILE} · {name} · safe: expected {4 if layout.bike else 3} speeds")
    if any(mount.barrel == "any" and layout.bike for mount in layout.mounts.values()):
        raise TableRefError(f"{FILE} · {name}: a bike has no Turret")


@cache
def hits(kind: str) -> Hits:
    """The Hit Location Tables of a kind of vehicle: for each section eight rows."""
    found = records.from_json(dict[str, tuple[Row, ...]], HITS[kind], f"{FILE} · hits · {kind}")
    for section in book.SECTIONS:
        if len(found.get(section, ())) != book.SIDES:
            raise TableRefError(f"{FILE} · hits · {kind} · {section}: expected a row for each face of a D8")
    return found


def layout_called(name: str) -> Layout:
    """The type of that name."""
    known = layouts()
    if name not in known:
        raise TableRefError(f"no vehicle called {name!r}; expected one of {', '.join(known)}")
    return known[name]


# Arming


def loads(layout: Layout, mount: Mount) -> tuple[str, ...]:
    """What a Pod or Turret may be loaded with: one type of missile weapon, or a mix of passive ones."""
    if mount.barrel == "any":
        return (book.MG,)
    missiles = [book.MG, book.FLAME]
    if mount.barrel in ("front", "rear"):
        missiles += [book.SHELL] if layout.bike else [book.SHELL, book.ROCKET]
    mixes = []
    if mount.barrel != "front":
        most = min(len(book.PASSIVES), mount.spaces)
        mixes = [", ".join(mix) for n in range(1, most + 1) for mix in combinations(book.PASSIVES, n)]
    return (*missiles, *mixes)


def counters(load: str, spaces: int) -> tuple[str, ...]:
    """The counters of a full load; a mix is dealt out in turn.

    >>> counters("Smoke, Mines", 3)
    ('Smoke', 'Smoke', 'Mines')
    """
    kinds = load.split(", ")
    return tuple(sorted((kinds[k % len(kinds)] for k in range(spaces)), key=kinds.index))


def usual_load(mount: Mount) -> str:
    """What a mount is loaded with to begin with."""
    return {"front": book.SHELL, "rear": "Oil, Mines"}.get(mount.barrel, book.MG)


SPECIALS = (book.COMPUTER, book.EXTINGUISHER)


def vehicle_words(layout: Layout) -> str:
    """A type's figures in a few words."""
    corners = "/".join(map(str, layout.safe))
    return (
        f"Speed up to {layout.top}, acceleration {layout.acceleration}, braking {layout.braking}, "
        f"safe at corners {corners}, armour {sum(layout.blocks.values())}"
    )

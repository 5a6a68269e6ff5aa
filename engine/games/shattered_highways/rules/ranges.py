"""Who can be boarded, attacked and shot at, and who drives into Drag Chains: distance, margin, arc."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from engine.errors import NotUsable, TableRefError
from engine.games.shattered_highways.rules.template import BOOK, SECTION, WIDTH
from engine.measure.arcs import Arc
from engine.measure.distances import arc, contact, edge_range
from engine.ruling import Check, Measurement, Ruling, Verdict, left_open, make_check
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import Standing, Status, TableState

BOARD = f"{BOOK} · Board"
ATTACK = f"{BOOK} · Attack"
SHOOT = f"{BOOK} · Shoot"
CHAINS = f"{BOOK} · Vehicle Add-ons · Drag Chains"

BOARDING = 1.0
"""Inches from edge to edge within which a warrior may board."""

HERO_RANGE = SECTION
"""Inches from the vehicle's edge that a hero's weapon reaches: a template section length."""

WEAPON_RANGE = 2 * SECTION
"""Inches from the vehicle's edge that a mounted weapon reaches."""

Mount = Literal["front", "rear", "left", "right"]
"""Where a weapon is mounted, which is the side that it shoots to."""

_PLACES: dict[str, tuple[str, float]] = {
    "front": ("nose", 0.0),
    "rear": ("tail", math.pi),
    "left": ("left", math.pi / 2),
    "right": ("right", -math.pi / 2),
}


@dataclass(frozen=True, eq=False)
class Near:
    """Another body within so many inches, or perhaps: from which body, edge to edge.

    `distance` is held against the limit; `vehicle` is the name of the one that it belongs to.
    """

    body: str
    other: str
    vehicle: str
    distance: Measurement

    @property
    def verdict(self) -> Verdict:
        """Whether it is near enough."""
        return self.distance.verdict()


def near(table: TableState, bodies: Sequence[str], limit: float, *, own: bool = False) -> tuple[Near, ...]:
    """Every body within so many inches of one of these bodies, and those that may be; nearest first.

    Each other body is told once, from the body nearest to it. With `own` the further bodies of the same
    vehicle are told, too; sure noes are left out.
    """
    mine = [table.find(name) for name in bodies]
    without = {s.name for s in mine} if own else {s.name for b in mine for s in table.vehicle(b.name)}
    found = []
    for other in table.standings:
        if other.name in without or not _crewed(other):
            continue
        pairs = [
            (edge_range(body, other).at_most(limit), body) for body in mine if _close(body, other, limit)
        ]
        if not pairs:
            continue
        distance, body = min(pairs, key=lambda pair: pair[0].value)
        if distance.verdict() is not Verdict.NO:
            found.append(Near(body.name, other.name, table.vehicle(other.name)[0].name, distance))
    return tuple(sorted(found, key=lambda n: n.distance.value))


def _crewed(standing: Standing) -> bool:
    """Whether warriors can be on it: a vehicle, or what hangs on one."""
    return standing.piece.driven or standing.piece.hitch is not None


def _close(one: Standing, other: Standing, limit: float) -> bool:
    reach = one.piece.body.footprint.radius + other.piece.body.footprint.radius
    return math.dist(one.pose.xy, other.pose.xy) <= reach + limit + 1.0


def boardable(table: TableState, body: str) -> tuple[Near, ...]:
    """Which vehicles, or bodies of them, a warrior on that body can board: within 1 inch.

    The tractor is boarded from its own trailer, and the other way round.
    """
    return near(table, [body], BOARDING, own=True)


def rule_distance(
    table: TableState, one: str, other: str, limit: float, name: str, *, citation: str, deed: str = ""
) -> Ruling:
    """Whether two vehicles come within so many inches, edge to edge, any of their bodies."""
    mine, theirs = table.vehicle(one), table.vehicle(other)
    if mine[0] is theirs[0]:
        raise TableRefError(f"expected two vehicles but got {one} twice; name another one")
    check = _distance(mine, theirs, limit, name, citation)
    return Ruling(
        question=f"Is {other} within {limit:g} in of {one}?",
        time=table.time,
        subject=one,
        target=other,
        checks=(_as_known(check, (*mine, *theirs)),),
        deed=deed,
    )


def _distance(
    mine: Iterable[Standing], theirs: Iterable[Standing], limit: float, name: str, citation: str
) -> Check:
    every = [edge_range(a, b) for a in mine for b in theirs]
    return make_check(name, min(every, key=lambda m: m.value).at_most(limit), citation=citation)


# Mounted weapons


def body_of_mount(table: TableState, shooter: str, mount: Mount) -> Standing:
    """The body that a weapon sits on where no other is named: the first for the front, else the last."""
    vehicle = table.vehicle(shooter)
    return vehicle[0] if mount == "front" else vehicle[-1]


def arc_of(body: Standing, mount: Mount) -> Arc:
    """The 180 degrees to that side of a body, from its edge (house default: the book names no apex)."""
    place, facing = _PLACES[mount]
    return Arc.at(body.piece.body, place, facing, math.pi)


def rule_shot(
    table: TableState,
    shooter: str,
    target: str,
    mount: Mount,
    *,
    body: str | None = None,
    limit: float = WEAPON_RANGE,
) -> Ruling:
    """May a mounted weapon be fired at a vehicle: *Range* from edge to edge, *Arc* with any part of it.

    `target` may be a further body of a vehicle, which is then meant alone.
    """
    mine = table.vehicle(shooter)
    aimed = table.find(target)
    theirs = table.vehicle(target) if table.vehicle(target)[0] is aimed else (aimed,)
    if aimed in mine:
        raise NotUsable(f"{shooter} cannot shoot at itself; name another vehicle as the target")
    gun = table.find(body) if body is not None else body_of_mount(table, shooter, mount)
    inside = max((_into_arc(gun, mount, s) for s in theirs), key=lambda m: m.value)
    checks = (
        _distance(mine, theirs, limit, "Range", SHOOT),
        make_check("Arc", inside.at_least(0.0), citation=SHOOT, words=_arc_words(inside, aimed.name, mount)),
    )
    return Ruling(
        question=f"May {shooter} shoot at {aimed.name} with the weapon on its {mount}?",
        time=table.time,
        subject=shooter,
        target=aimed.name,
        checks=tuple(_as_known(c, (*mine, *theirs)) for c in checks),
        deed=f"shoot at {aimed.name}",
    )


@lru_cache(maxsize=512)
def _into_arc(gun: Standing, mount: Mount, target: Standing) -> Measurement:
    """How deep a body reaches into the arc; kept for the very same standings, as each crew member asks."""
    return arc(gun, arc_of(gun, mount), target, by="footprint")


def _arc_words(inside: Measurement, target: str, mount: Mount) -> str:
    side = {"front": "ahead", "rear": "behind", "left": "to the left", "right": "to the right"}[mount]
    if inside.value >= 0.0:
        return f"{target} reaches {inside.value:.2f} in into the arc {side}"
    return f"{target} is {-inside.value:.2f} in outside the arc {side}"


def _as_known(check: Check, pieces: Iterable[Standing]) -> Check:
    """Left open while one of the pieces is in a hand or not seen."""
    for piece in pieces:
        if piece.status in (Status.HELD, Status.LOST):
            how = "is in a hand" if piece.status is Status.HELD else "is not seen"
            return left_open(check, f"{piece.name} {how}")
    return check


# Drag Chains


def chains_section(vehicle: Sequence[Standing], heading: float) -> Standing:
    """The template section straight behind a vehicle, 3 by 4 inches, as it is known where that is."""
    last = vehicle[-1]
    outline = last.piece.body.footprint.outline
    tail = last.pose.to_table(
        (float(outline[:, 0].min()), float(np.mean([outline[:, 1].min(), outline[:, 1].max()])))
    )
    pose = Pose(float(tail[0]), float(tail[1]), heading).compose(Pose(-SECTION / 2, 0.0))
    body = Body("template section", Footprint.box(SECTION, WIDTH), 0.0)
    return Standing(Piece(f"behind {vehicle[0].name}", "marker", body), pose, last.uncertainty)


def in_chains(table: TableState, name: str, heading: float) -> tuple[Near, ...]:
    """Who overlaps the section straight behind a vehicle, and who may; deepest first."""
    vehicle = table.vehicle(name)
    section = chains_section(vehicle, heading)
    own = {s.name for s in vehicle}
    found = []
    for other in table.standings:
        if other.name in own or not _crewed(other) or not _close(section, other, 0.0):
            continue
        gap = contact(section, other).at_most(0.0)
        if gap.verdict() is not Verdict.NO:
            found.append(Near(section.name, other.name, table.vehicle(other.name)[0].name, gap))
    return tuple(sorted(found, key=lambda n: n.distance.value))

"""Whom one can reach and shoot at, and what Rams and Nudges do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from engine.errors import NotUsable, TableRefError
from engine.games.shattered_highways.book import data as book
from engine.games.shattered_highways.book.data import Part, Side
from engine.games.shattered_highways.rules.damage import (
    armour,
    bonus,
    cling,
    defends,
    harm,
    lose,
    struck_part,
)
from engine.games.shattered_highways.rules.moves import BOOK, SECTION, WIDTH
from engine.games.shattered_highways.state import Duty, Modifier, Play, Rolled, Roller
from engine.measure.arcs import Arc
from engine.measure.distances import arc, contact, edge_range
from engine.ruling import Check, Measurement, Ruling, Verdict, left_open, make_check, many
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import Standing, Status, TableState
from engine.words import listed

# Who can be boarded, attacked and shot at, and who drives into Drag Chains: distance, margin, arc.

SHOOT = f"{BOOK} · Shoot"

BOARDING = 1.0
"""Inches from edge to edge within which a warrior may board."""

HERO_RANGE = SECTION
"""Inches from the vehicle's edge that a hero's weapon reaches: a template section length."""

WEAPON_RANGE = 2 * SECTION
"""Inches from the vehicle's edge that a mounted weapon reaches."""

Mount = Literal["front", "rear", "left", "right"]
"""Where a weapon is mounted, which is the side that it shoots to."""

_TO: Mapping[Mount, str] = {
    "front": book.ARCS["fore"],
    "rear": book.ARCS["aft"],
    "left": book.ARCS["left"],
    "right": book.ARCS["right"],
}
"""Where a weapon shoots, in the words of the card."""

_PLACES: dict[str, tuple[str, float]] = {
    "front": ("nose", 0.0),
    "rear": ("tail", math.pi),
    "left": ("left", math.pi / 2),
    "right": ("right", -math.pi / 2),
}


@dataclass(frozen=True, eq=False)
class Near:
    """Another body within so many inches of a section, or perhaps, edge to edge.

    `distance` is held against the limit; `vehicle` is the name of the one that it belongs to.
    """

    other: str
    vehicle: str
    distance: Measurement

    @property
    def verdict(self) -> Verdict:
        """Whether it is near enough."""
        return self.distance.verdict()


def _close(one: Standing, other: Standing) -> bool:
    reach = one.piece.body.footprint.radius + other.piece.body.footprint.radius
    return math.dist(one.pose.xy, other.pose.xy) <= reach + 1.0


def rule_distance(
    table: TableState, one: str, other: str, limit: float, name: str, *, citation: str, deed: str = ""
) -> Ruling:
    """Whether two vehicles come within so many inches, edge to edge, any of their bodies."""
    mine, theirs = table.vehicle(one), table.vehicle(other)
    if mine[0] is theirs[0]:
        raise TableRefError(f"expected two vehicles but got {one} twice; name another one")
    check = _distance(mine, theirs, limit, name, citation)
    return Ruling(
        question=f"Is {other} within {limit:g} in of {one}?", time=table.time, subject=one, target=other,
        checks=(_as_known(check, (*mine, *theirs)),), deed=deed,
    )  # fmt: skip


def _distance(
    mine: Iterable[Standing], theirs: Iterable[Standing], limit: float, name: str, citation: str
) -> Check:
    every = [edge_range(a, b) for a in mine for b in theirs]
    return make_check(name, min(every, key=lambda m: m.value).at_most(limit), citation=citation)


# Mounted weapons


def body_of_mount(table: TableState, shooter: str, mount: Mount) -> Standing:
    """The body that a weapon sits on: the first for the front, else the last."""
    vehicle = table.vehicle(shooter)
    return vehicle[0] if mount == "front" else vehicle[-1]


def arc_of(body: Standing, mount: Mount) -> Arc:
    """The 180 degrees to that side of a body, from its edge (house default: the book names no apex)."""
    place, facing = _PLACES[mount]
    return Arc.at(body.piece.body, place, facing, math.pi)


def rule_shot(
    table: TableState, shooter: str, target: str, mount: Mount, *, limit: float = WEAPON_RANGE
) -> Ruling:
    """May a mounted weapon be fired at a vehicle: *Range* from edge to edge, *Arc* with any part of it.

    `target` may be a further body of a vehicle, which is then meant alone.
    """
    mine = table.vehicle(shooter)
    aimed = table.find(target)
    theirs = table.vehicle(target) if table.vehicle(target)[0] is aimed else (aimed,)
    if aimed in mine:
        raise NotUsable(f"{shooter} cannot shoot at itself; name another vehicle as the target")
    gun = body_of_mount(table, shooter, mount)
    inside = max((_into_arc(gun, mount, s) for s in theirs), key=lambda m: m.value)
    checks = (
        _distance(mine, theirs, limit, "Range", SHOOT),
        make_check("Arc", inside.at_least(0.0), citation=SHOOT, words=_arc_words(inside, aimed.name, mount)),
    )
    return Ruling(
        question=f"May {shooter} shoot {_TO[mount]} at {aimed.name}?", time=table.time, subject=shooter,
        target=aimed.name, checks=tuple(_as_known(c, (*mine, *theirs)) for c in checks),
        deed=f"shoot at {aimed.name}",
    )  # fmt: skip


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
        if other.name in own or not (other.piece.driven or other.piece.hitch) or not _close(section, other):
            continue
        gap = contact(section, other).at_most(0.0)
        if gap.verdict() is not Verdict.NO:
            found.append(Near(other.name, table.vehicle(other.name)[0].name, gap))
    return tuple(sorted(found, key=lambda n: n.distance.value))


# Rams and Nudges: the contest, damage to both, who holds on, who loses control.

NUDGE = book.cite("Nudge")
RAM = book.cite("Ram")


@dataclass(frozen=True, slots=True)
class Strike:
    """Who strikes whom: with which side, which halves of Rigs touch, and by whose action.

    `actor` is the warrior whose action it is; nobody's when a vehicle is out of control.
    """

    vehicle: str
    targets: tuple[str, ...]
    side: Side
    part: Part = ""
    own: Part = ""
    actor: str | None = None

    @property
    def theirs(self) -> Side:
        """The side of the others that is struck."""
        return book.OPPOSITE[self.side]

    @property
    def words(self) -> str:
        """The declaration."""
        whom = listed(self.targets)
        return f"the {self.theirs} of {whom} with the {self.side} of {self.vehicle}"


def nudge(play: Play, strike: Strike, roller: Roller) -> None:
    """A Nudge of one vehicle, or with a Rig's side of several with one roll."""
    mine, *others = _contest(play, strike, roller, "Nudge", NUDGE)
    won = []
    for name, theirs in zip(strike.targets, others, strict=True):
        by = min(3, mine.total - theirs.total)
        how = f"by {by}: within {many(by, 'section')}" if by > 0 else "in vain"
        play.tell(
            "nudge", f"{strike.vehicle} nudges {name} {how}", NUDGE, vehicle=strike.vehicle, target=name,
            side=strike.side, theirs=strike.theirs, attacker=mine.total, defender=theirs.total, by=max(0, by),
        )  # fmt: skip
        if by > 0:
            won.append((name, by))
    _harm_attacker(play, strike, book.NUDGE_DAMAGE, "the Nudge", NUDGE)
    for name in strike.targets:
        _harm_target(play, strike, name, book.NUDGE_DAMAGE, "the Nudge", NUDGE)
    for name, by in won:
        if play.state.vehicle(name).in_play:
            cling(play, name)
            duty = Duty("nudged", name, NUDGE, by=roller.player, sections=by, other=strike.vehicle)
            play.owe(duty, f"{roller.player} has to put {name} within {many(by, 'section')} of the template")
    _lose(play, strike, (mine, *others))


def chained(play: Play, name: str, by: str) -> None:
    """A vehicle into which another was nudged keeps control with a Move roll, or is moved a section."""
    striker, driver, lost = play.state.vehicle(by).control, play.state.driver(name), False
    if driver is not None:
        rolled = play.uncontested(defends(play.state, name), f"Move to keep control, {book.MOVED}+", NUDGE)
        if rolled.total >= book.MOVED:
            play.tell("kept", f"{name} is struck by {by} and keeps control", NUDGE, vehicle=name, other=by)
            return
        lost = rolled.total < book.STAYS
    harm(play, name, book.CHAIN_DAMAGE, f"{by}", NUDGE, part=struck_part(play.state.vehicle(name), "rear"))
    if play.state.vehicle(name).in_play:
        # It is nudged like any other: who clings to it rolls, and a 1 on the Move is Lost Control.
        cling(play, name)
        duty = Duty("struck", name, NUDGE, by=striker, sections=1, other=by)
        play.owe(duty, f"{striker} has to put {name} within 1 section of the template")
    if lost:
        lose(play, name)


def ram(play: Play, strike: Strike, roller: Roller) -> None:
    """A Ram of one vehicle, or with a Rig's side of several with one roll; damage is rolled for each."""
    mine, *others = _contest(play, strike, roller, "Ram", RAM)
    for name, theirs in zip(strike.targets, others, strict=True):
        crush = mine.highest and theirs.natural == 1
        won = crush or mine.total > theirs.total
        words = f"{strike.vehicle} rams {name}" + ("" if won else " in vain")
        play.tell(
            "ram", words, RAM, vehicle=strike.vehicle, target=name, side=strike.side, theirs=strike.theirs,
            attacker=mine.total, defender=theirs.total, won=won, crush=crush, warrior=strike.actor,
        )  # fmt: skip
        if not won:
            continue
        _ram_damage(play, strike, name, crush=crush)
        if play.state.vehicle(name).in_play:
            cling(play, name)
    _lose(play, strike, (mine, *others))


def _ram_damage(play: Play, strike: Strike, name: str, *, crush: bool) -> None:
    """D6, a 6 rolled again once; half of it back, to at most 3. A crush is 25 and 3, unmodified."""
    if crush:
        _harm_target(play, strike, name, book.CRUSH, f"the Ram by {strike.vehicle}", RAM, modified=False)
        _harm_attacker(play, strike, book.CRUSH_BACK, "its own Ram", RAM, modified=False)
        return
    by = play.state.vehicle(strike.vehicle).control
    damage = play.die(f"damage of the Ram against {name}", RAM, name, by)
    if damage == 6:
        damage += play.die(f"more damage of the Ram against {name}", RAM, name, by)
    extra = bonus(play.state.vehicle(strike.vehicle), play.state.vehicle(name))
    _harm_target(play, strike, name, damage, f"the Ram by {strike.vehicle}", RAM, extra)
    _harm_attacker(play, strike, min(book.MOST_BACK, damage // 2), "its own Ram", RAM)


def _contest(play: Play, strike: Strike, roller: Roller, what: str, rule: str) -> tuple[Rolled, ...]:
    others = [defends(play.state, name) for name in strike.targets]
    return play.contested(roller, others, f"{what}: {strike.words}", rule)


def _lose(play: Play, strike: Strike, rolled: Sequence[Rolled]) -> None:
    """Whoever rolled a 1 has Lost Control, once all of it is resolved."""
    for name, roll in zip((strike.vehicle, *strike.targets), rolled, strict=True):
        if roll.natural == 1:
            lose(play, name)


def _harm_target(
    play: Play, strike: Strike, name: str, amount: int, cause: str, rule: str,
    extra: tuple[Modifier, ...] = (), *, modified: bool = True,
) -> None:  # fmt: skip
    target = play.state.vehicle(name)
    part = struck_part(target, strike.theirs, strike.part)
    less = (*extra, *armour(target, strike.theirs)) if modified else ()
    harm(play, name, amount, cause, rule, part=part, modifiers=less)


def _harm_attacker(
    play: Play, strike: Strike, amount: int, cause: str, rule: str, *, modified: bool = True
) -> None:
    own = play.state.vehicle(strike.vehicle)
    part = struck_part(own, strike.side, strike.own)
    harm(
        play, own.name, amount, cause, rule, part=part, modifiers=armour(own, strike.side) if modified else ()
    )

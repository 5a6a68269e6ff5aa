"""What stands where at one instant, how surely, since when, still or moving, seen or held."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache

import numpy as np
from shapely import MultiPoint
from shapely.geometry.base import BaseGeometry

from engine.errors import NotThere, ShapeError
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import Hitch, Piece


class Status(StrEnum):
    """What the camera knows of a piece right now."""

    STILL = "still"
    MOVING = "moving"
    HELD = "held"
    LOST = "lost"


@dataclass(frozen=True, eq=False)
class PoseUncertainty:
    """How surely a pose (x, y, heading) is known: inches and radians.

    `own` is the (3, 3) covariance of what belongs to this piece alone (corner noise, tag mount).
    `shared` is a (3, k) loading on k independent unit-variance errors that all pieces of the
    table have in common (camera pose, lens): two pieces i and j covary by
    `shared_i @ shared_j.T`. That is why a range between neighbours can be better known than
    either place.
    """

    own: FloatArray
    shared: FloatArray = field(default_factory=lambda: np.zeros((3, 0)))

    def __post_init__(self) -> None:
        own = np.array(self.own, dtype=np.float64)
        shared = np.array(self.shared, dtype=np.float64)
        if own.shape != (3, 3) or shared.ndim != 2 or shared.shape[0] != 3:
            raise ShapeError(
                f"expected a (3, 3) covariance and a (3, k) loading but got {own.shape} and {shared.shape}"
            )
        object.__setattr__(self, "own", own)
        object.__setattr__(self, "shared", shared)

    @property
    def total(self) -> FloatArray:
        """The (3, 3) covariance of this piece by itself."""
        return np.asarray(self.own + self.shared @ self.shared.T)

    @cached_property
    def facts(self) -> Hashable:
        """Equal of two that are the same to the last digit."""
        return self.own.tobytes(), self.shared.shape, self.shared.tobytes()

    @classmethod
    def exact(cls) -> PoseUncertainty:
        """A pose that is known, as in a drawn table."""
        return cls(np.zeros((3, 3)))

    @classmethod
    def isotropic(cls, sd_xy: float, sd_heading: float = 0.0) -> PoseUncertainty:
        """Independent errors: `sd_xy` inches along x and y, `sd_heading` radians."""
        return cls(np.diag([sd_xy**2, sd_xy**2, sd_heading**2]))


@dataclass(frozen=True, eq=False)
class Standing:
    """One piece at one instant. Times are seconds of the source's clock."""

    piece: Piece
    pose: Pose
    uncertainty: PoseUncertainty
    status: Status = Status.STILL
    since: float = 0.0
    seen_at: float = 0.0

    @property
    def name(self) -> str:
        """The piece's name."""
        return self.piece.name

    @property
    def seen(self) -> bool:
        """Whether it is in plain view now."""
        return self.status in (Status.STILL, Status.MOVING)

    @property
    def region(self) -> Region:
        """What it covers of the table."""
        return self.piece.body.footprint.at(self.pose)


@lru_cache(maxsize=4096)
def key_of(name: str) -> str:
    """A name as people type it: case, spaces, dashes, underscores and what is not shown do not matter.

    An accent is one, typed with its letter or after it.

    >>> key_of("Red 1") == key_of("RED-1"), key_of("Zoë") == key_of("Zoe\u0308"), key_of("Ann\u200b")
    (True, True, 'ann')
    """
    typed = unicodedata.normalize("NFC", name.casefold())
    return "".join(c for c in typed if c not in " -_" and unicodedata.category(c) != "Cf")


def names_alike(what: str, names: Sequence[str]) -> str:
    """Say which name has to be another one so that all can be told apart; empty where they can.

    >>> names_alike("player", ["Ann", "Ben", "Ann"])
    "another player is called 'Ann' already: give one of them another name"
    >>> names_alike("car", ["Red 1", "RED 1"])
    "'Red 1' and 'RED 1' are too much alike: give one of them another name"
    >>> names_alike("car", ["", "Red 1"]), names_alike("car", ["Red 1", "Red 2"])
    ('one car has no name: type one', '')
    """
    known: dict[str, str] = {}
    for name in names:
        key = key_of(name)
        if not key:
            return f"one {what} has no name: type one"
        if key in known:
            twin = known[key]
            same, alike = (
                f"another {what} is called {name!r} already",
                f"{twin!r} and {name!r} are too much alike",
            )
            return f"{same if twin == name else alike}: give one of them another name"
        known[key] = name
    return ""


NEAR_SDS = 2.0
"""A thing counts as touched within so many of its outline's deviations."""


class ThingName(str):
    """What a thing is called that nobody has named: it is seen, and no piece that hides.

    >>> ThingName("Thing 1"), isinstance(ThingName("Thing 1"), str)
    ('Thing 1', True)
    """

    __slots__ = ()


class UnwatchedName(ThingName):
    """What may lie where nobody has watched the table for long enough to tell a thing from a passing hand.

    >>> isinstance(UNWATCHED, ThingName), UNWATCHED
    (True, 'something unnamed')
    """

    __slots__ = ()


UNWATCHED = UnwatchedName("something unnamed")


class OutlinedName(str):
    """What a piece without a tag is called that does not stand where it was outlined: no tag can be shown.

    >>> OutlinedName("Rock 1"), isinstance(OutlinedName("Rock 1"), str)
    ('Rock 1', True)
    """

    __slots__ = ()


class TwiceName(str):
    """What a piece is called whose tag is in view twice: it is there, and nobody knows at which of the two.

    >>> TwiceName("Red 2"), isinstance(TwiceName("Red 2"), str)
    ('Red 2', True)
    """

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that stands or lies on the table and that nobody has named.

    `region` is what it covers of the table for the camera, inches: at least what it stands on, and, of
    something high, what lies behind it. `sd` is how surely its edge is known, inches.
    """

    name: ThingName
    region: Region
    sd: float

    def touches(self, place: BaseGeometry) -> bool:
        """Whether it may reach into a part of the table."""
        return bool(self.region.polygon.distance(place) <= NEAR_SDS * self.sd)


@dataclass(frozen=True, eq=False)
class Hideout:
    """Where a car that was not read may stand, as nobody sees that the table is free there.

    `region` is what it may cover of the table in all. Nobody knows whether the car is on the table at all.
    `UNWATCHED` is whatever may lie where the table has been watched for a moment only. A piece whose tag is
    in view twice stands at one of the two places.
    """

    name: str
    region: Region
    blocks_sight: bool = True

    def touches(self, place: BaseGeometry) -> bool:
        """Whether it may reach into a part of the table."""
        return bool(self.region.polygon.intersects(place))


def hull_of(regions: Iterable[Region]) -> BaseGeometry:
    """The part of the table that lies between all these, them included."""
    return MultiPoint([tuple(p) for r in regions for p in r.outline]).convex_hull


@dataclass(frozen=True, eq=False)
class TableState:
    """The whole table at one instant.

    `surface` is the playing surface; `standings` are in the table file's order. Pieces never
    seen are absent. Of these `unplaced` are the ones that belong to the table and may stand anywhere
    on it (`never_placed`): no line or way is surely free of them. `things` are what nobody has named: no line
    or way that they touch is surely free; nor is one that leads over a place of `hideouts`. `twice` names
    those of the pieces whose tags are in view twice: they are among the unplaced, or among the hideouts.
    """

    time: float
    surface: Region
    standings: tuple[Standing, ...]
    unplaced: tuple[Piece, ...] = ()
    things: tuple[Thing, ...] = ()
    hideouts: tuple[Hideout, ...] = ()
    twice: frozenset[str] = frozenset()

    @cached_property
    def facts(self) -> Hashable:
        """Equal of two tables on which everything is measured alike: all but the time of the frame.

        That is surface, pieces, poses with their deviations, status and since when, when a piece was
        last seen that is covered or lost, and what was never seen.
        """
        known = tuple(
            (s.piece, s.pose, s.uncertainty.facts, s.status, s.since, None if s.seen else s.seen_at)
            for s in self.standings
        )
        return self.surface, known, self.unplaced, self.things, self.hideouts, self.twice

    @cached_property
    def _by_key(self) -> dict[str, Standing]:
        """The standings by the keys of their names; of two that are called alike the first counts."""
        return {key_of(s.name): s for s in reversed(self.standings)}

    @cached_property
    def _hitched(self) -> tuple[Standing, ...]:
        """Those that hang on others."""
        return tuple(s for s in self.standings if s.piece.hitch is not None)

    def called(self, name: str) -> Standing | None:
        """The standing of a piece by its name, if there is one."""
        return self._by_key.get(key_of(name))

    def find(self, name: str) -> Standing:
        """The same; a clear error names what there is."""
        standing = self.called(name)
        if standing is not None:
            return standing
        known = ", ".join(s.name for s in self.standings) or "nothing"
        raise NotThere(f"no piece called {name!r} is on the table; seen: {known}")

    def others(self, *names: str) -> tuple[Standing, ...]:
        """Everything else that stands on the table and could be in the way."""
        keys = {key_of(n) for n in names}
        return tuple(s for s in self.standings if key_of(s.name) not in keys)

    def vehicle(self, name: str) -> tuple[Standing, ...]:
        """All bodies of the vehicle that a piece belongs to: the one that pulls first, then what hangs on it.

        A piece that is hitched to nothing, and that nothing is hitched to, is alone. Bodies that were never
        seen are left out.
        """
        head = self.find(name)
        if not self._hitched:
            return (head,)
        rest = {key: s for key, s in self._by_key.items() if s is not head}
        while head.piece.hitch is not None and key_of(head.piece.hitch.to) in rest:
            head = rest.pop(key_of(head.piece.hitch.to))
        bodies = [head]
        for body in bodies:
            bodies += [s for s in self._hitched if s.piece.hangs_on(body.name) and s not in bodies]
        return tuple(bodies)

    def owned(self, owners: Mapping[str, str]) -> TableState:
        """The same table with these pieces their players', by name; others keep their owner."""
        whose = {key_of(name): owner for name, owner in owners.items()}
        standings = (
            replace(s, piece=replace(s.piece, owner=whose.get(key_of(s.name), s.piece.owner)))
            for s in self.standings
        )
        return replace(self, standings=tuple(standings))

    @property
    def hiding(self) -> tuple[str, ...]:
        """Names of the pieces that block sight and may stand in any line, as nobody knows where they are."""
        return tuple(map(self._called, (p for p in self.unplaced if p.blocks_sight)))

    def hiding_between(self, *ends: Standing) -> tuple[str, ...]:
        """Names of what nobody has seen or named and may block a line between any parts of these pieces."""
        return (*self.hiding, *self._between(*(s.region for s in ends), sight=True))

    def unknown_on(self, *places: Region) -> tuple[str, ...]:
        """Names of what nobody has seen or named and may stand on the way that leads over these places."""
        return (*map(self._called, self.unplaced), *self._between(*places))

    def things_between(self, *places: Region) -> tuple[str, ...]:
        """Names of the things that nobody has named and that touch what lies between these places."""
        if not self.things:
            return ()
        between = hull_of(places)
        return tuple(t.name for t in self.things if t.touches(between))

    def _between(self, *places: Region, sight: bool = False) -> tuple[str, ...]:
        """The same, and those of the pieces that may stand there; those that block `sight` alone."""
        hidden: tuple[str, ...] = ()
        if self.hideouts:
            between = hull_of(places)
            there = (h for h in self.hideouts if (h.blocks_sight or not sight) and h.touches(between))
            hidden = tuple(dict.fromkeys(self._told(h.name) for h in there))
        return (*hidden, *self.things_between(*places))

    def _called(self, piece: Piece) -> str:
        """The name of what nobody knows the place of: it tells by what it will be known."""
        return self._told(piece.name if piece.spot is None else OutlinedName(piece.name))

    def _told(self, name: str) -> str:
        return TwiceName(name) if name in self.twice else name

    @classmethod
    def of(cls, surface: Region, standings: Iterable[Standing], time: float = 0.0) -> TableState:
        """A table from any iterable of standings."""
        return cls(time, surface, tuple(standings))


def never_placed(
    pieces: Iterable[Piece],
    standings: Iterable[Standing],
    twice: Collection[str] = (),
    hideouts: Iterable[Hideout] = (),
) -> tuple[Piece, ...]:
    """Of the pieces that a table file lists, those that lie about on it and have no place so far.

    What only stands on it, and is solid, is taken to be there until it has been seen or the table file no
    longer names it. What players drive or carry about may well be beside the table: it is there for sure only
    if its tag is in view `twice`, by name, so that nobody knows which is the true one. Elsewhere it may stand
    where the table is not seen to be free, and what is in view twice where its tags are seen (`hideouts`).
    """
    known = {s.name for s in standings}
    seen = {h.name for h in hideouts if h.name in twice}
    found = (
        p
        for p in pieces
        if p.solid and p.name not in seen and (p.name in twice or (p.obstacle and p.name not in known))
    )
    # By their names: a record may list pieces in another order, and tells of them in the same words.
    return tuple(sorted(found, key=lambda p: p.name))


def without_gone(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """Leave out what lies about and is lost: its place was seen to be bare, and it may stand anywhere.

    What is covered stays where it was.
    """
    return tuple(s for s in standings if s.status is not Status.LOST or not s.piece.obstacle)


def unread_cars(
    pieces: Iterable[Piece], standings: Iterable[Standing], twice: Collection[str] = ()
) -> tuple[Piece, ...]:
    """Of the pieces that a table file lists, those that players move about and whose tags were not read.

    They are solid and may be on the table or beside it; those whose tags are in view `twice` are on it.
    """
    known = {s.name for s in standings}
    return tuple(
        p
        for p in pieces
        if p.solid and p.moves and not p.follows and p.name not in known and p.name not in twice
    )


def with_followers(standings: Iterable[Standing], pieces: Iterable[Piece]) -> tuple[Standing, ...]:
    """The standings, and those of the bodies that follow one of them, in the order of `pieces`."""
    listed = tuple(pieces)
    known = {s.name: s for s in standings}
    # Round again while a body was found, for another may hang on it.
    found = True
    while found:
        found = False
        for piece in listed:
            if piece.hitch is not None and piece.follows and piece.name not in known:
                puller = known.get(piece.hitch.to)
                if puller is not None:
                    known[piece.name], found = following(piece, piece.hitch, puller), True
    return tuple(known[p.name] for p in listed if p.name in known)


def following(piece: Piece, hitch: Hitch, puller: Standing) -> Standing:
    """A body that hangs straight behind the one that pulls it, and how far from that it may be.

    Its deviation is that of the one that pulls, carried to its own middle, and on top of it that of the
    angle at the pin: its middle may swing about the pin by as much.
    """
    reach = (hitch.on[0] - hitch.at[0], hitch.on[1] - hitch.at[1])
    pose = puller.pose.compose(Pose(*reach))
    carry = np.vstack([puller.pose.jacobian(reach), [0.0, 0.0, 1.0]])
    dx, dy = pose.rotation @ np.array([-hitch.at[0], -hitch.at[1]])
    swing = np.array([[-dy], [dx], [1.0]]) * hitch.sd_turn
    own = carry @ puller.uncertainty.own @ carry.T + swing @ swing.T
    uncertainty = PoseUncertainty(own, carry @ puller.uncertainty.shared)
    return Standing(piece, pose, uncertainty, puller.status, puller.since, puller.seen_at)

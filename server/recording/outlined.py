"""What carries no tag in a game's record: outlined pieces, and things that nobody has named.

Each outline is an entry, and a piece of its own in the tracks. What lies there unnamed is one entry
whenever it is something else. Tracks name a piece by its number: those of the table file come first, in its
order; every outline that an entry tells of, and that is another one than was known of that name, takes the
next, and so does every piece with a tag of a table file that was changed meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from calibration.table_text import in_short
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.geometry import Footprint, Pose, Region, as_points
from engine.space.pieces import Body, Piece, Spot
from engine.space.table import (
    UNWATCHED,
    Hideout,
    PoseUncertainty,
    Standing,
    Status,
    TableState,
    Thing,
    ThingName,
)
from server.formats.entries import Entry
from server.recording.journal import Recorded
from server.recording.library.records import SET_UP, set_up_of

OUTLINED = "camera.outlined"
"""The kind of the entries that tell of an outline."""

THINGS = "camera.things"
"""The kind of the entries that tell of all that lies there unnamed from then on."""


def thing_record(thing: Thing) -> dict[str, Any]:
    """Something that nobody has named, as an entry or a dispute keeps it: inches."""
    return {"name": str(thing.name), "outline_in": thing.region.outline.tolist(), "sd_in": thing.sd}


def thing_of(data: Mapping[str, Any]) -> Thing:
    """What `thing_record` wrote."""
    region = Region(as_points(data["outline_in"], "outline"))
    return Thing(ThingName(str(data["name"])), region, float(data["sd_in"]))


class Unknown(NamedTuple):
    """What of a table nobody knows.

    That is what lies there unnamed, where cars that were not read may stand, and the names of pieces whose
    tags are in view twice.
    """

    things: tuple[Thing, ...] = ()
    hideouts: tuple[Hideout, ...] = ()
    twice: frozenset[str] = frozenset()

    @classmethod
    def of(cls, table: TableState) -> Unknown:
        """That of this table."""
        return cls(table.things, table.hideouts, table.twice)

    def is_as(self, other: Unknown) -> bool:
        """Whether it is the very same."""
        pairs = ((self.things, other.things), (self.hideouts, other.hideouts))
        same = all(len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True)) for a, b in pairs)
        return same and self.twice == other.twice

    def record(self) -> dict[str, Any]:
        """What there is of it, as an entry or a dispute keeps it: inches."""
        hideouts = [_hideout_record(h) for h in self.hideouts]
        return {
            **({"things": [thing_record(t) for t in self.things]} if self.things else {}),
            **({"hideouts": hideouts} if hideouts else {}),
            **({"twice": sorted(self.twice)} if self.twice else {}),
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Unknown:
        """What `record` wrote; whatever is missing there is none."""
        hideouts = (
            Hideout(
                _hiding(str(h["name"])),
                Region(as_points(h["outline_in"], "outline")),
                blocks_sight=not h.get("low", False),
            )
            for h in data.get("hideouts", ())
        )
        twice = frozenset(map(str, data.get("twice", ())))
        return cls(tuple(map(thing_of, data.get("things", ()))), tuple(hideouts), twice)


def _hideout_record(hideout: Hideout) -> dict[str, Any]:
    low = {} if hideout.blocks_sight else {"low": True}
    return {"name": str(hideout.name), "outline_in": hideout.region.outline.tolist(), **low}


def _hiding(name: str) -> str:
    return UNWATCHED if name == UNWATCHED else name


def unknown_entry(unknown: Unknown, time: float) -> Entry:
    """All that nobody knows of the table from this time of the source on."""
    names = ", ".join(t.name for t in unknown.things)
    said = [f"Unnamed on the table: {names}."] if names else []
    hiding = dict.fromkeys(h.name for h in unknown.hideouts)
    if UNWATCHED in hiding:
        said.append("Part of the table has not been watched for long enough.")
    if hidden := ", ".join(n for n in hiding if n != UNWATCHED and n not in unknown.twice):
        said.append(f"May stand where nobody sees: {hidden}.")
    if unknown.twice:
        said.append(f"In view twice: {', '.join(sorted(unknown.twice))}.")
    words = " ".join(said) or "Nothing unnamed lies on the table any more."
    return Entry(THINGS, time, words, {"things": [], **unknown.record()})


def unknown_of(data: Mapping[str, Any]) -> Unknown:
    """What such an entry tells; a clear error for anything else."""
    try:
        return Unknown.read({"things": data["things"], **data})
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise TableRefError(f"expected things with their outlines, but {in_short(str(error))}") from error


def outline_record(piece: Piece) -> dict[str, Any]:
    """A piece that is known by its outline, as an entry keeps it: inches.

    Its name was said, and its height where that was not measured.
    """
    spot = piece.spot
    assert spot is not None
    return {
        "piece": piece.name,
        "kind": piece.kind,
        "footprint_in": piece.body.footprint.outline.tolist(),
        "height_in": piece.body.height,
        "at_in": [spot.pose.x, spot.pose.y],
        "edge_sd_in": spot.sd,
        "colour": piece.colour,
        **({"height_sd_in": spot.height_sd} if spot.height_sd else {}),
        "said": ["piece"] if spot.height_sd else ["piece", "height_in"],
    }


def outlined_of(data: Mapping[str, Any]) -> Piece:
    """The piece that `outline_record` wrote; a clear error for anything else."""
    try:
        x, y = map(float, data["at_in"])
        body = Body(
            "polygon", Footprint(as_points(data["footprint_in"], "footprint")), float(data["height_in"])
        )
        spot = Spot(Pose(x, y), float(data["edge_sd_in"]), float(data.get("height_sd_in", 0.0)))
        return Piece(str(data["piece"]), data["kind"], body, colour=data.get("colour"), spot=spot)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise TableRefError(f"expected an outlined piece, but {in_short(str(error))}") from error


def outlined_entry(piece: Piece, time: float) -> Entry:
    """An outline that the table file tells of, found in it while the game goes on."""
    words = f"{piece.name} has no tag: the set-up says where it stands, and how high it is."
    return Entry(OUTLINED, time, words, outline_record(piece))


def off_entry(name: str, time: float, actor: str | None = None) -> Entry:
    """A piece without a tag belongs to the table no more."""
    return Entry(OUTLINED, time, f"{name} is off the table.", {"piece": name, "off": True}, actor)


class Numbered:
    """The pieces of a game by the numbers that its tracks name them by."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = list(pieces)
        self._number = {p.name: k for k, p in enumerate(self.pieces)}
        # What was taken off the table: its name, how many there were then, and when, seconds of the game.
        self._off: list[tuple[str, int, float]] = []
        # The table files of set-ups that were changed, and which pieces with tags are listed, each from which
        # time of the game on.
        self._files: list[tuple[float, TableFile]] = []
        self._tagged: list[tuple[float, frozenset[int]]] = [(-math.inf, self._with_tags())]

    def _with_tags(self) -> frozenset[int]:
        return frozenset(k for k in self._number.values() if self.pieces[k].spot is None)

    def file_at(self, at_s: float) -> TableFile | None:
        """The table file by which the game was refereed at this time; None before the set-up was changed."""
        return next((file for since, file in reversed(self._files) if since <= at_s), None)

    def relist(self, file: TableFile, at_s: float) -> None:
        """Takes a table file that was changed at this time of the game, and its pieces with tags."""
        self._files.append((at_s, file))
        for k in self._with_tags():
            del self._number[self.pieces[k].name]
        for piece in file.pieces:
            if piece.spot is None:
                self._number[piece.name] = len(self.pieces)
                self.pieces.append(piece)
        self._tagged.append((at_s, self._with_tags()))

    def learn(self, piece: Piece) -> None:
        """Takes an outline in, unless it is known."""
        if not self.knows(piece):
            self._number[piece.name] = len(self.pieces)
            self.pieces.append(piece)

    def knows(self, piece: Piece) -> bool:
        """Whether this very outline is the newest of that name."""
        known = self._number.get(piece.name)
        before = None if known is None else self.pieces[known]
        return (
            before is not None and before.spot is not None and outline_record(before) == outline_record(piece)
        )

    def read(self, entries: Iterable[Entry | Recorded]) -> None:
        """Takes in what entries tell of outlines, and of a table file that was changed, in order."""
        for entry in entries:
            at_s = entry.at_s if isinstance(entry, Recorded) else 0.0
            if entry.kind == SET_UP:
                self.relist(set_up_of(entry.data), at_s)
            elif entry.kind != OUTLINED:
                continue
            elif entry.data.get("off"):
                self._number.pop(str(entry.data.get("piece")), None)
                self._off.append((str(entry.data.get("piece")), len(self.pieces), at_s))
            else:
                self.learn(outlined_of(entry.data))

    def news(self, pieces: Iterable[Piece], time: float) -> list[Entry]:
        """What a table file has of outlines that is not known here, and what it has no more."""
        listed = [p for p in pieces if p.spot is not None]
        names = {p.name for p in listed}
        gone = [p.name for p in self.newest if p.spot is not None and p.name not in names]
        return [off_entry(name, time) for name in gone] + [
            outlined_entry(p, time) for p in listed if not self.knows(p)
        ]

    @property
    def newest(self) -> tuple[Piece, ...]:
        """Each piece as it is known by now, in the order of the numbers."""
        return tuple(p for k, p in enumerate(self.pieces) if self._number.get(p.name) == k)

    def numbered(self, standings: Sequence[Standing], time: float) -> list[tuple[int, Standing]]:
        """Standings with their numbers, and all outlines in which nothing stands now as lost."""
        here = [(k, s) for s in standings if (k := self._number.get(s.name)) is not None]
        there = {k for k, _ in here}
        return here + [
            (k, _lost(p, p.spot, time))
            for k, p in enumerate(self.pieces)
            if p.spot is not None and k not in there
        ]

    def told(
        self, standings: Mapping[int, Standing], at_s: float
    ) -> tuple[tuple[Standing, ...], tuple[Piece, ...]]:
        """Of what tracks tell by number, what stands there, and the pieces that belong to the table."""
        tagged = next(numbers for since, numbers in reversed(self._tagged) if since <= at_s)
        there = tuple(
            s
            for k, s in standings.items()
            if (k in tagged if s.piece.spot is None else s.status is not Status.LOST)
        )
        names = {s.name for s in there}
        listed: dict[str, Piece] = {self.pieces[k].name: self.pieces[k] for k in sorted(tagged)}
        for k, standing in standings.items():
            off = any(n == standing.name and k < count and at <= at_s for n, count, at in self._off)
            if standing.piece.spot is not None and standing.name not in names and not off:
                listed[standing.name] = standing.piece
        return there, tuple(listed.values())


def _lost(piece: Piece, spot: Spot, time: float) -> Standing:
    return Standing(piece, spot.pose, PoseUncertainty.isotropic(spot.sd), Status.LOST, time, time)

"""What a battle report tells: a recorded game as chapters, from its entries and tracks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from calibration.surface import Surface
from engine.game.events import event_from_json
from engine.game.match import Match
from engine.game.registry import game_called
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, Status, TableState, key_of
from server.formats import units
from server.formats.jpeg import jpeg
from server.play.host import GAME, MATCH
from server.recording.journal import Recorded
from server.recording.library.records import RESUMED, STOPPED
from server.recording.reader import Reader
from vision.frame import Image, decode_jpeg

Tone = Literal["turn", "move", "shot", "dice", "good", "bad", "ruling", "dispute", "end", "plain"]

TONES: dict[str, Tone] = {
    "match.round": "turn",
    "match.moved": "move",
    "match.shot": "shot",
    "match.roll": "dice",
    "match.hit": "good",
    "match.missed": "plain",
    "match.damaged": "bad",
    "match.destroyed": "bad",
    "match.collision": "bad",
    "match.over": "end",
    "ruling": "ruling",
    "match.ruled": "ruling",
}

UNTOLD = {
    "match.action", "match.begin", "match.undo", "match.redo", "match.may change speed", "match.chosen",
    STOPPED, RESUMED,
}  # fmt: skip
"""Events that say nothing to a reader which their neighbours do not."""

OUTCOMES = {"match.hit": True, "match.missed": False}

GONE = {"match.destroyed": "destroyed", "match.left": "left the table"}
"""How a car can come out of the game, and what a reader is told of it."""

WORTH_AN_ARROW_IN = 0.5
"""A piece that has gone less far has stood still for a reader."""

RESTS_S = (1.0, 3.0, 10.0, 30.0, 120.0)
"""Without a match, so long a rest ends a chapter: the first of these that makes few enough."""

MOST_CHAPTERS = 40

PHOTO_QUALITY, PHOTO_WIDTH = 82, 900

WAY_STEP_IN = 0.2


@dataclass(frozen=True)
class ReportLine:
    """One sentence of a chapter."""

    at_s: float
    words: str
    tone: Tone
    citation: str = ""

    @property
    def time_words(self) -> str:
        """When, as on a clock."""
        return units.clock(self.at_s)


@dataclass(frozen=True, eq=False)
class DrivenPath:
    """How a piece went: points (n, 2) of its reference point on the table, and its pose before."""

    piece: str
    before: Pose
    points: FloatArray

    @property
    def length(self) -> float:
        """Inches along the way."""
        return float(np.hypot(*np.diff(self.points, axis=0).T).sum())


@dataclass(frozen=True, eq=False)
class ShotLine:
    """A shot: where shooter and target stood, and whether it hit (None: nobody said)."""

    shooter: str
    target: str
    line: FloatArray
    hit: bool | None


@dataclass(frozen=True, eq=False)
class Chapter:
    """A turn, or what lies between two rests where no match was played."""

    title: str
    begins_s: float
    ends_s: float
    table: TableState
    lines: tuple[ReportLine, ...]
    ways: tuple[DrivenPath, ...]
    shots: tuple[ShotLine, ...]
    photo: bytes | None = field(repr=False, default=None)

    @property
    def when(self) -> str:
        """From when to when."""
        return f"{units.clock(self.begins_s)} to {units.clock(self.ends_s)}"


@dataclass(frozen=True)
class Span:
    """A time in which a piece moved, seconds."""

    piece: str
    begins_s: float
    ends_s: float


@dataclass(frozen=True)
class Tally:
    """How a car fared."""

    name: str
    owner: str
    distance_in: float
    shots: int
    hits: int
    taken: int
    left: int | None
    fate: str


@dataclass(frozen=True)
class Report:
    """A whole game, told. `armour` holds, car by car, the armour left from a time on."""

    title: str
    subtitle: str
    duration_s: float
    facts: tuple[tuple[str, str], ...]
    tallies: tuple[Tally, ...]
    chapters: tuple[Chapter, ...]
    spans: tuple[Span, ...]
    marks: tuple[ReportLine, ...]
    armour: dict[str, tuple[tuple[float, int], ...]]
    played: bool
    """Whether a match was played: without one there are no shots and no harm to tell of."""


def tell(reader: Reader, photos: bool = True) -> Report:
    """A recorded game as its report."""
    standing = _standing(reader.entries())
    entries = [e for e in standing if e.kind not in UNTOLD or e.kind == "match.begin"]
    owners, spans = _owners(reader, entries), tuple(_spans(reader))
    told = (_chapter(reader, bound, photos) for bound in _bounds(entries, spans, reader.duration))
    chapters = tuple(c for c in told if c.lines or c.ways or c.shots)
    armour, fates = _sheets(standing)
    game = reader.game
    players = list(dict.fromkeys(owners.values()))
    facts = [
        ("Played", game.began.astimezone().strftime("%A, %d %B %Y, %H:%M")),
        ("Lasted", units.seconds(reader.duration)),
        ("Table", game.table_name),
        ("Players", units.listed(players) or "not told"),
    ]
    over = next((e.words for e in reversed(entries) if e.kind == "match.over"), None)
    if over:
        facts.append(("Result", over))
    return Report(
        title=game.name,
        subtitle=over or "As the camera saw it.",
        duration_s=reader.duration,
        facts=tuple(facts),
        tallies=tuple(_tallies(reader, entries, owners, armour, fates)),
        chapters=chapters,
        spans=spans,
        marks=tuple(_line(e) for e in entries if TONES.get(e.kind) in ("turn", "shot", "bad", "end")),
        armour=armour,
        played=any(e.kind == "match.begin" for e in entries),
    )


# The entries


def _standing(entries: Iterable[Recorded]) -> list[Recorded]:
    """The entries without what was taken back: a report tells what came to count."""
    batches: list[list[Recorded]] = [[]]
    undone: list[list[Recorded]] = []
    for entry in entries:
        kind = entry.kind
        if kind == "match.undo" and len(batches) > 1:
            taken = batches.pop()
            undone.append([e for e in taken if e.kind.startswith(MATCH)])
            # What the camera saw and players asked meanwhile cannot be taken back.
            batches[-1] += [e for e in taken if not e.kind.startswith(MATCH)]
        elif kind == "match.redo" and undone:
            batches.append(undone.pop())
        elif kind in ("match.begin", "match.action", "match.overrule"):
            undone.clear()
            batches.append([entry])
        else:
            batches[-1].append(entry)
    told = [entry for batch in batches for entry in batch]
    return sorted(told, key=lambda e: e.number)


def _event(entry: Recorded) -> dict[str, Any]:
    """The data of a match's event; empty for other entries."""
    event = entry.data.get("event")
    data = event.get("data") if isinstance(event, dict) else None
    return data if isinstance(data, dict) else {}


def _line(entry: Recorded) -> ReportLine:
    event = entry.data.get("event")
    citation = str(event.get("citation", "")) if isinstance(event, dict) else ""
    tone = TONES.get(entry.kind, "dispute" if entry.kind.startswith("dispute.") else "plain")
    text = units.retold(entry.words[:1].upper() + entry.words[1:])
    return ReportLine(entry.at_s, text if text.endswith((".", "!", "?")) else f"{text}.", tone, citation)


def _owners(reader: Reader, entries: Sequence[Recorded]) -> dict[str, str]:
    """Whose car is whose: as the match says, else as the table file does."""
    owners = {p.name: p.owner for p in reader.table.pieces if p.kind == "car" and p.owner}
    for entry in entries:
        if entry.kind == "match.begin":
            cars = _event(entry).get("state", {}).get("cars", {})
            owners = {name: str(car["owner"]) for name, car in cars.items()}
    return owners


@dataclass(frozen=True)
class _Bound:
    """A chapter to be: its title, times, and entries."""

    title: str
    begins_s: float
    ends_s: float
    entries: tuple[Recorded, ...]


def _bounds(entries: Sequence[Recorded], spans: Sequence[Span], ends_s: float) -> Iterator[_Bound]:
    """The rounds; or from rest to rest, where no match was played."""
    rounds = [k for k, e in enumerate(entries) if e.kind == "match.round"]
    if not rounds:
        for number, (begins, ends) in enumerate(_stirs(spans, ends_s), start=1):
            inside = tuple(e for e in entries if begins <= e.at_s < ends or e.at_s == ends == ends_s)
            yield _Bound(f"Move {number}", begins, ends, inside)
        return
    first = entries[rounds[0]].at_s
    yield _Bound("Before the first round", 0.0, first, tuple(entries[: rounds[0]]))
    for k, end in zip(rounds, [*rounds[1:], len(entries)], strict=True):
        title = entries[k].words[:1].upper() + entries[k].words[1:].rstrip(".")
        ends = entries[end].at_s if end < len(entries) else ends_s
        yield _Bound(title, entries[k].at_s, ends, tuple(entries[k:end]))


def _stirs(spans: Sequence[Span], ends_s: float) -> list[tuple[float, float]]:
    """From rest to rest: what moved without a rest between belongs together, in no more than a bookful."""
    found: list[tuple[float, float]] = []
    for rest_s in RESTS_S:
        found = []
        for span in sorted(spans, key=lambda s: s.begins_s):
            if found and span.begins_s - found[-1][1] < rest_s:
                found[-1] = (found[-1][0], max(found[-1][1], span.ends_s))
            else:
                found.append((span.begins_s, span.ends_s))
        if len(found) <= MOST_CHAPTERS:
            break
    # A chapter reaches to the next one's beginning: whatever is said after a move belongs to it.
    begins = [0.0, *(b for b, _ in found[1:])]
    return list(zip(begins, [*begins[1:], ends_s], strict=True)) if found else [(0.0, ends_s)]


def _chapter(reader: Reader, bound: _Bound, photos: bool) -> Chapter:
    begins_s, ends_s, inside = bound.begins_s, bound.ends_s, bound.entries
    table = reader.table_at(ends_s)
    return Chapter(
        title=bound.title,
        begins_s=begins_s,
        ends_s=ends_s,
        table=table,
        lines=tuple(_line(e) for e in inside if e.kind not in UNTOLD and not _quiet(e, inside)),
        ways=tuple(_ways(reader, table, begins_s, ends_s)),
        shots=tuple(_shots(reader, inside)),
        photo=_photo(reader, begins_s, ends_s) if photos else None,
    )


def _photo(reader: Reader, begins_s: float, ends_s: float) -> bytes | None:
    """The last still of a chapter, else the video's picture at its end: the table alone, as JPEG."""
    stills = [at_s for at_s in reader.stills() if begins_s <= at_s < ends_s]
    still = reader.still_near(stills[-1]) if stills else None
    image = None if still is None else decode_jpeg(still, "BGR")
    image = reader.frame_at(ends_s) if image is None else image
    if image is None:
        return None
    surface = reader.surface_at(ends_s)
    if surface is not None:
        image = _table_in(image, surface, reader.table.surface.outline)
    return jpeg(image, PHOTO_QUALITY, PHOTO_WIDTH)


def _table_in(image: Image, surface: Surface, outline: FloatArray) -> Image:
    """The part of a picture, which may be kept smaller than it was taken, that holds the table."""
    seen = surface.image_from_table(outline) * (image.shape[1] / surface.lens.size[0])
    low, high = seen.min(axis=0), seen.max(axis=0)
    margin = 0.03 * float((high - low).max())
    x0, y0 = np.clip(np.floor(low - margin), 0, None).astype(int)
    x1, y1 = np.ceil(high + margin).astype(int)
    part = image[y0:y1, x0:x1]
    return part if min(part.shape[:2], default=0) > 16 else image


def _quiet(entry: Recorded, inside: Sequence[Recorded]) -> bool:
    """What the camera saw is left out where a match tells the same in its words."""
    if entry.kind.startswith("play.") or entry.kind in ("camera.held", "camera.moving", "camera.appeared"):
        return True
    played = any(e.kind.startswith("match.") for e in inside)
    return entry.kind == "camera.settled" and (played or " in from where " not in entry.words)


# What moved


def _ways(reader: Reader, table: TableState, begins_s: float, ends_s: float) -> Iterator[DrivenPath]:
    for standing in table.standings:
        if standing.piece.kind != "car":
            continue
        before = _at(reader.table_at(begins_s), standing.name)
        poses = [] if before is None else [before.pose]
        poses += [
            s.pose for _, s in reader.track(standing.name, begins_s, ends_s) if s.status is not Status.LOST
        ]
        points = _thinned([(p.x, p.y) for p in poses])
        if len(points) > 1 and float(np.hypot(*(points - points[0]).T).max()) >= WORTH_AN_ARROW_IN:
            yield DrivenPath(standing.name, poses[0], points)


def _thinned(points: Sequence[tuple[float, float]]) -> FloatArray:
    """Without those that are hardly a step from the last one; the end stays."""
    kept: list[tuple[float, float]] = []
    for x, y in points:
        if not kept or np.hypot(x - kept[-1][0], y - kept[-1][1]) >= WAY_STEP_IN:
            kept.append((x, y))
    if points and len(kept) > 1:
        kept[-1] = points[-1]
    return np.array(kept).reshape(-1, 2)


def _at(table: TableState, name: str) -> Standing | None:
    return next((s for s in table.standings if key_of(s.name) == key_of(name)), None)


def _shots(reader: Reader, inside: Sequence[Recorded]) -> Iterator[ShotLine]:
    for k, entry in enumerate(inside):
        if entry.kind != "match.shot":
            continue
        data = _event(entry)
        table = reader.table_at(entry.at_s)
        one, other = (_at(table, str(data.get(key, ""))) for key in ("car", "target"))
        if one is None or other is None:
            continue
        after = next((e.kind for e in inside[k + 1 :] if e.kind in (*OUTCOMES, "match.shot")), "")
        yield ShotLine(one.name, other.name, np.array([one.pose.xy, other.pose.xy]), OUTCOMES.get(after))


def _spans(reader: Reader) -> Iterator[Span]:
    """When each car moved, and somewhere: one that is only made out anew has not."""
    for piece in reader.table.pieces:
        if piece.kind != "car":
            continue
        began: tuple[float, Pose] | None = None
        last = Pose(0.0, 0.0)
        for at_s, standing in reader.track(piece.name):
            moving = standing.status is Status.MOVING
            if moving and began is None:
                began = at_s, standing.pose
            elif not moving and began is not None:
                if _apart(began[1], standing.pose) >= WORTH_AN_ARROW_IN:
                    yield Span(piece.name, began[0], at_s)
                began = None
            last = standing.pose
        if began is not None and _apart(began[1], last) >= WORTH_AN_ARROW_IN:
            yield Span(piece.name, began[0], reader.duration)


def _apart(one: Pose, other: Pose) -> float:
    return float(np.hypot(one.x - other.x, one.y - other.y))


# How everybody fared


Armour = dict[str, tuple[tuple[float, int], ...]]


def _sheets(standing: Sequence[Recorded]) -> tuple[Armour, dict[str, str]]:
    """The armour that every car that was harmed had left from a time on, and what became of each car.

    As the sheets say it, which players may mark by hand.
    """
    match: Match[Any] | None = None
    rows: dict[str, list[tuple[float, int]]] = {}
    gone: dict[str, str] = {}
    for entry in standing:
        if entry.kind == "match.begin":
            match = Match(game_called(str(entry.data.get("game", GAME))))
        if match is None or not entry.kind.startswith(MATCH):
            continue
        match.commit([event_from_json(entry.data["event"])])
        if entry.kind in GONE:
            gone[str(_event(entry)["car"])] = GONE[entry.kind]
        for car in match.state.cars:
            left = match.state.armour(car)
            row = rows.setdefault(car.name, [(0.0, left)])
            if row[-1][1] != left:
                row.append((entry.at_s, left))
    fates = {"driving": "in play", "waiting": "not deployed"}
    cars = () if match is None else match.state.cars
    return (
        {car: tuple(row) for car, row in rows.items() if len(row) > 1},
        {car.name: fates.get(car.status) or gone.get(car.name, "out of the game") for car in cars},
    )


def _tallies(
    reader: Reader,
    entries: Sequence[Recorded],
    owners: dict[str, str],
    armour: Armour,
    fates: dict[str, str],
) -> Iterator[Tally]:
    def count(kind: str, key: str, car: str) -> int:
        return sum(e.kind == kind and _event(e).get(key) == car for e in entries)

    played = any(e.kind == "match.begin" for e in entries)
    for piece in reader.table.pieces:
        if piece.kind != "car" or (played and piece.name not in owners):
            continue
        row = armour.get(piece.name, ())
        yield Tally(
            name=piece.name,
            owner=owners.get(piece.name, piece.owner or ""),
            distance_in=_driven(reader, piece.name),
            shots=count("match.shot", "car", piece.name),
            hits=count("match.hit", "car", piece.name),
            taken=row[0][1] - row[-1][1] if row else 0,
            left=row[-1][1] if row else None,
            fate=fates.get(piece.name, "in play"),
        )


def _driven(reader: Reader, name: str) -> float:
    """Inches that a piece went while it was seen to move."""
    poses = [(s.pose.x, s.pose.y) for _, s in reader.track(name) if s.status is not Status.LOST]
    points = _thinned(poses)
    return float(np.hypot(*np.diff(points, axis=0).T).sum()) if len(points) > 1 else 0.0

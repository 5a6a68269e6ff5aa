"""What a battle report tells: a recorded game as chapters, from its entries and tracks.

Which events begin a chapter, are attacks, losses or the end, each event says by its tone; what a piece has
left are the tracks of boxes on its sheet, else what it counts down. So a report can be told of any game.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile, zip_longest
from typing import Any, Literal

import numpy as np

from engine.boards.board import Board
from engine.game.contract import Game
from engine.game.events import ASIDE, CONCEDED, DECISION, STARTS, Event, back_to
from engine.game.log.places import Places
from engine.game.log.unknown import UnknownGame
from engine.game.match import Match
from engine.game.showing import Counter, Sheet, Slots, Track, Viewer
from engine.space.geometry import FloatArray
from engine.space.table import TableState, key_of
from engine.words import listed
from server.formats import units
from server.play.drafts import draft_of
from server.play.keeping import SETUP
from server.play.moving.seeing import ranges_in
from server.recording import matches
from server.recording.journal import Recorded
from server.recording.library.records import PLAYED_OUT, RESUMED, STOPPED
from server.recording.matches import event_of
from server.recording.reader import Reader
from server.reports import tracks
from server.reports.tracks import DrivenPath, Span
from server.reports.turning_points import Swings
from server.table.questions.question_log import RULING

Tone = Literal[
    "plain", "turn", "move", "attack", "good", "bad", "miss", "loss", "dice", "ruling", "end", "quiet",
    "dispute",
]  # fmt: skip
"""What a line is to a reader: the tones of a game's events, and disputes."""

UNTOLD = (STOPPED, RESUMED, PLAYED_OUT)
"""Entries that say nothing to a reader."""

DECIDED = "dispute.decided"

TAKEN_BACK = "This decision was taken back later."

OWED = "duty"
"""In the data of an event that does what a rule owes, as a slide, a push or the fleet's shift."""

CAMERA = "camera."
TROUBLE = ("camera.gap", "camera.source", "camera.camera")
"""What the camera tells of itself, not of the pieces."""

RESTS_S = (1.0, 3.0, 10.0, 30.0, 120.0)
"""Without a match, so long a rest ends a chapter: the first of these that makes few enough."""

MOST_CHAPTERS = 40


@dataclass(frozen=True)
class ReportLine:
    """One sentence of a chapter."""

    at_s: float
    words: str
    tone: Tone
    citation: str = ""
    measured: bool | None = None
    """Whether the event was measured on the table; None where nothing had to be."""
    harmed: tuple[str, ...] = ()
    """Whom it really harmed: a skid or a collision that leaves a sheet as it was harms nobody."""

    @property
    def time_words(self) -> str:
        """When, as on a clock."""
        return units.clock(self.at_s)


@dataclass(frozen=True, eq=False)
class Attack:
    """An attack: who attacked whom in which words, and whether it succeeded (None: nobody said).

    `owner` is whose deed it was, `line` where both stood; None where the table does not know one of them, as
    a driver on foot whom no figure stands for.
    """

    at_s: float
    words: str
    owner: str
    attacker: str
    line: FloatArray | None
    succeeded: bool | None


@dataclass(frozen=True, eq=False)
class Chapter:
    """A turn, or what lies between two rests where no match was played."""

    title: str
    begins_s: float
    ends_s: float
    table: TableState
    lines: tuple[ReportLine, ...]
    ways: tuple[DrivenPath, ...]
    attacks: tuple[Attack, ...]
    photo: bytes | None = field(repr=False, default=None)
    board: Board | None = None
    """What was played on, as it lay at the end: of a road that rolls what was then on the table."""

    @property
    def when(self) -> str:
        """From when to when."""
        return f"{units.clock(self.begins_s)} to {units.clock(self.ends_s)}"


@dataclass(frozen=True)
class TurningPoint:
    """A moment at which what a player could expect swung: how, what happened, and where to see it again."""

    words: str
    chapter: Chapter
    link: str
    """The replay at that moment, on the server that has the record."""


Left = tuple[tuple[float, int], ...]
"""How many boxes, or points, were left from a time on."""


@dataclass(frozen=True)
class Tally:
    """How a vehicle fared, or whoever else attacked. `left` and `lost` are None where no sheet tells either.

    `distance_in` is how far it went by the moves that the game took, None where none tells of its way;
    without a match how far it was seen to go.
    """

    name: str
    owner: str
    distance_in: float | None
    attacks: int
    hits: int
    lost: int | None
    left: int | None
    fate: str


@dataclass(frozen=True)
class Report:
    """A whole game, told. `left` holds, piece by piece, the boxes left of those that lost any."""

    title: str
    subtitle: str
    duration_s: float
    facts: tuple[tuple[str, str], ...]
    tallies: tuple[Tally, ...]
    chapters: tuple[Chapter, ...]
    spans: tuple[Span, ...]
    marks: tuple[ReportLine, ...]
    attacks: tuple[Attack, ...]
    left: Mapping[str, Left]
    left_words: str
    """What the boxes are, as their sheet says."""
    vehicle: str
    """What the game calls a piece that is driven."""
    colours: Mapping[str, str]
    """The players' own colours, by name, as far as they are known."""
    played: bool
    """Whether a match was played: without one there are no attacks and no losses to tell of."""
    turning: tuple[TurningPoint, ...] = ()
    """Where it swung most, of a match that has come to its end or whose record has."""


def played_words(began: datetime) -> str:
    """Day and hour by this computer's clock, with its zone: a dispute's file, read anywhere, has UTC."""
    return began.astimezone().strftime("%A, %d %B %Y, %H:%M %Z")


def tell(reader: Reader, photos: bool = True) -> Report:
    """A recorded game as its report."""
    told = _Told(reader)
    moved = tuple(tracks.spans(reader))
    found = (_chapter(reader, told, bound, photos) for bound in _bounds(told, moved, reader.duration))
    game = reader.game
    players = list(game.players or dict.fromkeys(told.owners.values()))
    facts = [
        ("Played", played_words(game.began)),
        ("Lasted", units.seconds(reader.duration)),
        *([] if told.game is None else [("Game", told.game.about.title)]),
        ("Table", game.table_name),
        ("Players", listed(players) or "not told"),
    ]
    over = next((e.words for e in reversed(told.entries) if told.tone(e) == "end"), None)
    if over:
        facts.append(("Result", over))
    lines = (told.line(e) for e in told.entries)
    attacks = tuple(_attacks(reader, told, told.entries))
    return Report(
        # Named by those who played; without a match nobody has.
        title=game.name if told.game is None or not players else _against(players),
        subtitle=over or ("As the camera saw it." if told.game is None else "The game was not finished."),
        duration_s=reader.duration,
        facts=tuple(facts),
        tallies=tuple(_tallies(reader, told, attacks)),
        chapters=tuple(c for c in found if c.lines or c.ways or c.attacks),
        spans=moved,
        marks=tuple(line for line in lines if line.tone in ("turn", "attack", "bad", "loss", "end")),
        attacks=attacks,
        left={name: row for name, row in told.left.items() if len(row) > 1},
        left_words=told.left_words,
        vehicle="car" if told.game is None else told.game.about.vehicles,
        colours=told.colours,
        played=told.game is not None,
        turning=tuple(_turning(reader, told, photos)),
    )


def _against(players: list[str]) -> str:
    """Who played whom.

    >>> _against(["Ann", "Bob"]), _against(["Ann", "Bob", "Cem"]), _against(["Ann"])
    ('Ann against Bob', 'Ann, Bob and Cem', 'Ann')
    """
    return " against ".join(players) if len(players) == 2 else listed(players)


def left_on(sheet: Sheet, *, begun: bool) -> tuple[str, int] | None:
    """What a vehicle has left and how much: the boxes of its tracks of one name, *Armour, front* and so on.

    Where the sheet says what is left it is that; without a track what the sheet begins with, where that is
    counted down from full.
    """
    if sheet.left is not None:
        return sheet.left.words, sheet.left.count
    tracks = [w for w in sheet.widgets if isinstance(w, Track)]
    if tracks:
        words = tracks[0].words.partition(",")[0]
        of_it = [t for t in tracks if t.words.partition(",")[0] == words]
        return words, sum(not box.marked for track in of_it for box in track.boxes)
    first = list(takewhile(lambda w: isinstance(w, Counter), sheet.widgets))
    counters = [w for w in first if isinstance(w, Counter) and (begun or w.value == w.high)]
    return (counters[0].words, sum(c.value for c in counters)) if counters else None


def harmed(before: Sheet, after: Sheet) -> bool:
    """Whether a vehicle has lost boxes, points, whole places or its place in play."""
    if after.out and not before.out:
        return True
    one, other = (left_on(sheet, begun=True) for sheet in (before, after))
    if one is not None and other is not None and one[0] == other[0] and other[1] < one[1]:
        return True
    return _marked_on(after) > _marked_on(before)


def _marked_on(sheet: Sheet) -> int:
    """Boxes that are marked, and places that are hit."""
    boxes = (box.marked for w in sheet.widgets if isinstance(w, Track) for box in w.boxes)
    places = (slot.used for w in sheet.widgets if isinstance(w, Slots) for slot in w.slots)
    return sum(boxes) + sum(places)


class _Told:
    """The entries that came to count, the events of the match among them, and its sheets at the end."""

    def __init__(self, reader: Reader) -> None:
        every = list(reader.entries())
        self.entries = [e for e in matches.standing(every) if e.kind not in UNTOLD]
        settled = {e.data.get("id") for e in every if e.kind == DECIDED}
        self._outcomes = {e.number: id for e in every if (id := _settles(e)) is not None and id in settled}
        """By the number of a decision in the match's log the dispute whose own entry tells the same."""
        standing_numbers = {e.number for e in self.entries}
        self._back = {id for number, id in self._outcomes.items() if number not in standing_numbers}
        self.game: Game[Any] | None = None
        self.left: dict[str, Left] = {}
        self.left_words = ""
        self.sheets: tuple[Sheet, ...] = ()
        self.colours: dict[str, str] = {}
        """The players' own, by name, as far as the set-up names them."""
        self._owners: dict[str, str] = {}
        self.swings = Swings(lambda at_s: reader.table_at(at_s).owned(self._owners))
        self._driven: dict[str, float] = {}
        self._boards = [(0.0, reader.table.board)]
        self._events: dict[int, Event] = {}
        self._harmed: dict[int, tuple[str, ...]] = {}
        self._begins: int | None = None
        self._filed = {p.name: p.owner for p in reader.table.pieces if p.driven and p.owner}
        self._reader = reader
        self._replay()

    def _replay(self) -> None:
        match: Match[Any] | None = None
        ends = matches.ends_of_batches(self.entries)
        batch: list[tuple[Recorded, Event]] = []
        for entry in self.entries:
            if entry.kind == SETUP:
                draft = draft_of(entry.data["draft"])
                self.colours = {player.name: player.colour for player in draft.players}
                self._owners = {key_of(piece.name): piece.owner for piece in draft.pieces}
            if entry.kind == matches.BEGIN:
                self._begins = entry.number
                self.game = matches.game_or_unknown_of(entry)
                # Without its rules a match is told in its words alone.
                match = None if isinstance(self.game, UnknownGame) else Match(self.game)
                self.swings.begin()
            if not matches.is_match(entry):
                continue
            self._events[entry.number] = event_of(entry, self.game)
            if match is None:
                continue
            # What a decision took back is not among these entries.
            batch.append((entry, _without_back(self._events[entry.number])))
            if entry.number in ends:
                self._take(match, batch)
                batch = []

    def _take(self, match: Match[Any], batch: Sequence[tuple[Recorded, Event]]) -> None:
        """Lets a batch happen: how far pieces went by it, and what is left of them after each loss."""
        stood, state = match.places, match.state
        board = match.game.board(state, self._reader.table.board)
        went: dict[str, float] = {}
        for entry, event in batch:
            if event.tone == "move" and event.pieces:
                inches = match.game.driven(state, event, board)
                if inches is not None:
                    went[event.pieces[0]] = went.get(event.pieces[0], 0.0) + inches
            harms = event.tone in ("bad", "loss")
            before = match.game.sheets(state, Viewer()) if harms else ()
            state = state if batch[0][1].kind in ASIDE else match.folded(state, [event])
            if harms or entry is batch[-1][0]:
                self.sheets = match.game.sheets(state, Viewer())
                self._count(entry.at_s)
            if harms:
                stood_so = {sheet.piece: sheet for sheet in before}
                worse = (s for s in self.sheets if s.piece in stood_so and harmed(stood_so[s.piece], s))
                self._harmed[entry.number] = tuple(s.piece for s in worse if s.piece is not None)
        match.commit([event for _, event in batch])
        self._boards.append((batch[-1][0].at_s, match.game.board(match.state, self._reader.table.board)))
        self.swings.take(batch[0][0].number, batch[-1][0].at_s, match)
        if any(event.tone == "turn" for _, event in batch):
            self.swings.turns()
        self._drive(went, batch, stood, match.places)

    def _count(self, at_s: float) -> None:
        for sheet in self.sheets:
            counted = None if sheet.piece is None else left_on(sheet, begun=sheet.piece in self.left)
            if sheet.piece is None or counted is None:
                continue
            words, left = counted
            self.left_words = self.left_words or words
            row = self.left.get(sheet.piece, ((0.0, left),))
            self.left[sheet.piece] = row if row[-1][1] == left else (*row, (at_s, left))

    def _drive(
        self,
        went: dict[str, float],
        batch: Sequence[tuple[Recorded, Event]],
        stood: Places,
        stands: Places,
    ) -> None:
        """Adds how far the pieces went by a batch: as the game took it, else from place to place.

        Of a move that has neither, in older records, the camera's own track is measured. Where a rule puts a
        piece elsewhere, or all of them, nobody has driven.
        """
        # Whoever drives up against another and attacks in one deed has driven there.
        drivers = {"move", "attack"} if ranges_in(batch[0][1]) else {"move"}
        owed = any(e.tone == "move" and OWED in e.data for _, e in batch)
        told = (e for _, e in batch if e.tone in drivers and e.pieces and not owed)
        moved = dict.fromkeys(e.pieces[0] for e in told)
        for name in moved:
            one, other = stood.get(name), stands.get(name)
            if name not in went and one is not None and other is not None and one != other:
                went[name] = math.dist(one.pose.xy, other.pose.xy)
        keys = set(map(key_of, moved))
        for name, inches in self._tracked(*batch[0]).items():
            if key_of(name) in keys:  # a piece that was put down was pushed, too, but did not drive
                went.setdefault(name, inches)
        for name, inches in went.items():
            self._driven[key_of(name)] = self._driven.get(key_of(name), 0.0) + inches

    def _tracked(self, entry: Recorded, first: Event) -> dict[str, float]:
        """Inches along the tracks of the moves that an action names, by the piece."""
        if first.kind != "action":
            return {}
        shift = 0.0 if entry.source_s is None else entry.at_s - entry.source_s
        return {
            str(said["piece"]): tracks.driven(
                self._reader, str(said["piece"]), float(said["since_s"]) + shift,
                float(said["until_s"]) + shift,
            )
            for said in ranges_in(first).values()
        }  # fmt: skip

    def board_at(self, at_s: float) -> Board:
        """The board that was played on at a time."""
        return self._boards[bisect_right(self._boards, at_s, key=lambda one: one[0]) - 1][1]

    def driven(self, name: str) -> float | None:
        """Inches that a piece went by the moves that came to count; None where nothing tells of any."""
        return self._driven.get(key_of(name))

    @property
    def owners(self) -> dict[str, str]:
        """Whose piece is whose: as the sheets say, else as the table file does."""
        said = {s.piece: s.owner for s in self.sheets if s.piece is not None and s.owner is not None}
        return said or dict(self._filed)

    def during_match(self, entry: Recorded) -> bool:
        """Whether a match was on."""
        return self._begins is not None and entry.number > self._begins

    def event(self, entry: Recorded) -> Event | None:
        """The event of an entry, if it holds one."""
        return self._events.get(entry.number)

    def tone(self, entry: Recorded) -> Tone:
        """What an entry is to a reader."""
        event = self.event(entry)
        if event is not None:
            told = event.kind in ("begin", "action") or entry.number in self._outcomes
            return "quiet" if told else event.tone
        if entry.kind.startswith("dispute."):
            return "dispute"
        return "ruling" if entry.kind == RULING else "plain"

    def line(self, entry: Recorded) -> ReportLine:
        """An entry as a sentence."""
        event = self.event(entry)
        words = self._settled(entry) if entry.kind == DECIDED else entry.words
        text = units.retold(words[:1].upper() + words[1:])
        by = "" if event is None or event.tone != "ruling" else str(event.data.get("by") or "")
        text += "" if not by or by.casefold() in text.casefold() else f" ({by} rules)"
        text = text if text.endswith((".", "!", "?")) else f"{text}."
        citation, pieces = ("", ()) if event is None else (event.citation, event.pieces)
        measured = None if event is None else event.measured
        tone = self.tone(entry)
        # Without its rules a match says by its tones alone whom it harmed.
        said = pieces[:1] if tone in ("bad", "loss") and isinstance(self.game, UnknownGame) else ()
        harmed = self._harmed.get(entry.number, said)
        return ReportLine(entry.at_s, text, tone, citation, measured, harmed)

    def _settled(self, entry: Recorded) -> str:
        """How a dispute was decided, and that the decision was taken back where it does not stand."""
        id, decision = entry.data.get("id"), entry.data.get("decision")
        said = decision.get("words") if isinstance(decision, Mapping) else None
        words = entry.words if not said else f"Dispute {id} is decided. {said}"
        return f"{words} {TAKEN_BACK}" if id in self._back else words


def _settles(entry: Recorded) -> str | None:
    """The dispute that a decision in the match's log is about; None for any other entry."""
    return event_of(entry).data.get("dispute") if entry.kind == matches.MATCH + DECISION else None


def _without_back(event: Event) -> Event:
    return event if back_to(event) is None else replace(event, data={**event.data, "back_to": None})


# Chapters


@dataclass(frozen=True)
class _Bound:
    """A chapter to be: its title, times, and entries."""

    title: str
    begins_s: float
    ends_s: float
    entries: tuple[Recorded, ...]


def _bounds(told: _Told, moved: Sequence[Span], ends_s: float) -> Iterator[_Bound]:
    """The turns; or from rest to rest, where no match was played."""
    entries = told.entries
    turns = [k for k, e in enumerate(entries) if told.tone(e) == "turn"]
    if not turns:
        for number, (begins, ends) in enumerate(_stirs(moved, ends_s), start=1):
            inside = tuple(e for e in entries if begins <= e.at_s < ends or e.at_s == ends == ends_s)
            yield _Bound(f"Move {number}", begins, ends, inside)
        return
    first = entries[turns[0]].at_s
    yield _Bound("Before the first turn", 0.0, first, tuple(entries[: turns[0]]))
    for k, end in zip(turns, [*turns[1:], len(entries)], strict=True):
        title = entries[k].words[:1].upper() + entries[k].words[1:].rstrip(".")
        ends = entries[end].at_s if end < len(entries) else ends_s
        yield _Bound(title, entries[k].at_s, ends, tuple(entries[k:end]))


def _stirs(moved: Sequence[Span], ends_s: float) -> list[tuple[float, float]]:
    """From rest to rest: what moved without a rest between belongs together, in no more than a bookful."""
    found: list[tuple[float, float]] = []
    for rest_s in RESTS_S:
        found = []
        for span in sorted(moved, key=lambda s: s.begins_s):
            if found and span.begins_s - found[-1][1] < rest_s:
                found[-1] = (found[-1][0], max(found[-1][1], span.ends_s))
            else:
                found.append((span.begins_s, span.ends_s))
        if len(found) <= MOST_CHAPTERS:
            break
    # A chapter reaches to the next one's beginning: whatever is said after a move belongs to it.
    begins = [0.0, *(b for b, _ in found[1:])]
    return list(zip(begins, [*begins[1:], ends_s], strict=True)) if found else [(0.0, ends_s)]


def _chapter(reader: Reader, told: _Told, bound: _Bound, photos: bool) -> Chapter:
    begins_s, ends_s, inside = bound.begins_s, bound.ends_s, bound.entries
    return Chapter(
        title=bound.title,
        begins_s=begins_s,
        ends_s=ends_s,
        table=reader.table_at(ends_s),
        lines=_once(told.line(e) for e in inside if not _quiet(told, e)),
        ways=tuple(tracks.ways(reader, begins_s, ends_s)),
        attacks=tuple(_attacks(reader, told, inside)),
        photo=tracks.photo(reader, begins_s, ends_s) if photos else None,
        board=told.board_at(ends_s),
    )


def _turning(reader: Reader, told: _Told, photos: bool) -> Iterator[TurningPoint]:
    """The turning points, each with its picture; none while the game may go on."""
    if not told.swings.over and reader.game.ended is None:
        return
    ends = matches.ends_of_batches(told.entries)
    for swing in told.swings.greatest:
        first = next(k for k, e in enumerate(told.entries) if e.number == swing.number)
        last = next(k for k in range(first, len(told.entries)) if told.entries[k].number in ends)
        inside = tuple(told.entries[first : last + 1])
        bound = _Bound(swing.words, swing.since_s, swing.at_s, inside)
        link = f"/replay?game={reader.game.id}&t={units.moment(swing.at_s):.3f}"
        found = _chapter(reader, told, bound, photos)
        lines = found.lines or (told.line(inside[0]),)
        yield TurningPoint(swing.words, replace(found, lines=lines), link)


def _once(lines: Iterable[ReportLine]) -> tuple[ReportLine, ...]:
    """The lines, those of a dispute that only say again what was said of it told once."""
    said: set[str] = set()
    found = []
    for line in lines:
        if line.tone != "dispute" or line.words not in said:
            found.append(line)
        if line.tone == "dispute":
            said.add(line.words)
    return tuple(found)


def _quiet(told: _Told, entry: Recorded) -> bool:
    """What the camera saw is left out where a match tells the same in its words.

    So is what somebody only asked meanwhile, of the table or of a frozen one: nothing followed from it.
    """
    if (entry.kind == RULING and told.during_match(entry)) or entry.kind == "dispute.asked":
        return True
    if told.tone(entry) == "quiet" or entry.kind.startswith("play."):
        return True
    if entry.kind in ("camera.held", "camera.moving", "camera.appeared"):
        return True
    if entry.kind.startswith(CAMERA) and told.during_match(entry):
        # What a move was is the game's to say; that the camera saw nothing is not.
        return entry.kind not in TROUBLE
    return entry.kind == "camera.settled" and " in from where " not in entry.words


def _attacks(reader: Reader, told: _Told, inside: Sequence[Recorded]) -> Iterator[Attack]:
    players = _players(told.event, inside)
    for k, succeeded in fought(told.event, inside):
        entry = inside[k]
        event = told.event(entry)
        assert event is not None
        table = reader.table_at(entry.at_s)
        one, other = (tracks.at(table, name) for name in event.pieces[:2])
        attacker = event.pieces[0] if one is None else one.name
        line = None if one is None or other is None else np.array([one.pose.xy, other.pose.xy])
        yield Attack(entry.at_s, told.line(entry).words, players[k], attacker, line, succeeded)


def _players(event_of: Callable[[Recorded], Event | None], entries: Sequence[Recorded]) -> tuple[str, ...]:
    """Whose deed each of these entries belongs to; nobody's is empty."""
    player, found = "", []
    for event in map(event_of, entries):
        if event is not None and event.kind == "action":
            player = str(event.data.get("player") or "")
        found.append(player)
    return tuple(found)


SETTLES = ("good", "bad", "miss", "loss", "dice")
"""Tones of what tells how an attack went."""


def fought(
    event_of: Callable[[Recorded], Event | None], entries: Sequence[Recorded]
) -> Iterator[tuple[int, bool | None]]:
    """The attacks among these entries, by their places, and whether each succeeded.

    One that is declared by one deed and told again by a later one is a single attack.
    """
    events = [event_of(entry) for entry in entries]
    places = [k for k, e in enumerate(events) if e is not None and e.tone == "attack" and len(e.pieces) > 1]
    for k, later in zip_longest(places, places[1:]):
        attack, declared = events[k], _declared(events, k)
        assert attack is not None
        again = None if later is None else events[later]
        same = again is not None and again.pieces[:2] == attack.pieces[:2] and again.kind != attack.kind
        if declared and same:
            continue
        yield k, outcome(event_of, attack.pieces[1], entries[k + 1 :], declared=declared)


def _declared(events: Sequence[Event | None], k: int) -> bool:
    """Whether an attack was only declared: nothing of its own deed tells how it went."""

    def own(found: Iterable[Event | None]) -> Iterator[Event]:
        kept = (event for event in found if event is not None)
        return takewhile(lambda event: event.kind != "action", kept)

    return all(event.tone not in SETTLES for event in (*own(reversed(events[:k])), *own(events[k + 1 :])))


def outcome(
    event_of: Callable[[Recorded], Event | None],
    target: str,
    after: Sequence[Recorded],
    *,
    declared: bool = False,
) -> bool | None:
    """Whether the attack before these entries succeeded: before the next action that, or harm, is told.

    One that was only `declared` is settled by a later action of the same turn.
    """
    rolled = False
    for entry in after:
        event = event_of(entry)
        if event is None:
            continue
        # What is lost by giving up is no harm that the attack did.
        if event.tone == "attack" or event.kind == CONCEDED or (event.kind in STARTS and not declared):
            break
        if declared and event.tone == "turn":
            break
        harmed = event.tone in ("bad", "loss") and key_of(target) in map(key_of, event.pieces)
        if event.tone == "good" or harmed:
            return True
        # More dice of the same attack may be told in the same deed.
        declared = declared and event.tone != "miss"
        rolled = rolled or event.tone in ("dice", "miss")
    return False if rolled else None


# How everybody fared


def _distance(reader: Reader, told: _Told, name: str) -> float | None:
    if told.game is None:
        return tracks.driven(reader, name)
    return told.driven(name)


def _tallies(reader: Reader, told: _Told, attacks: Sequence[Attack]) -> Iterator[Tally]:
    """The vehicles, and whoever else attacked, as a driver on foot does."""
    owners, sheets = told.owners, {s.piece: s for s in told.sheets if s.piece is not None}
    cars = [name for name in tracks.vehicles(reader) if told.game is None or name in owners]
    others = {a.attacker: a.owner for a in attacks if key_of(a.attacker) not in map(key_of, cars)}
    for name in (*cars, *others):
        mine = [a for a in attacks if key_of(a.attacker) == key_of(name)]
        row, sheet = told.left.get(name, ()), sheets.get(name)
        fate = "in play" if sheet is None or not sheet.out else "out of the game"
        if name in others and sheet is None:
            fate = "–"
        yield Tally(
            name=name if name in cars else name[:1].upper() + name[1:],
            owner=owners.get(name, others.get(name, "")),
            distance_in=_distance(reader, told, name),
            attacks=len(mine),
            hits=sum(a.succeeded is True for a in mine),
            lost=row[0][1] - row[-1][1] if row else None,
            left=row[-1][1] if row else None,
            fate=fate if sheet is None else sheet.note or fate,
        )

"""A move as it was recorded: where a piece was read between two times, recognised anew from that."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import TableRefError
from engine.game.events import Event, event_to_json
from engine.motion.moves import Move, Read, add_read
from engine.space.table import Standing, Status
from server.moves.segmentation import only_touched
from server.play.moving.seeing import ranges_in
from server.recording.matches import MATCH
from server.recording.reader import Reader
from server.recording.recorder import Recorder
from server.recording.tracks import PER_SECOND

log = logging.getLogger("tableref.replay")

HALF_A_QUANTUM = 0.5 / PER_SECOND
"""Seconds by which a time in the record may differ from that of its frame."""


def move_of(reader: Reader, said: Mapping[str, Any], shift_s: float, taken_s: float) -> Move:
    """The move that an action names by its range (`server.play.moving.seeing.range_of`).

    `shift_s` leads from the source's clock to the game's own time; `taken_s` is when the action was done,
    when the place where the piece rests was known best.
    """
    # What had rested since before the game began stood there at its beginning.
    name, since = str(said["piece"]), max(float(said["since_s"]) + shift_s, 0.0)
    rests = [float(rest) + shift_s for rest in said.get("rests_s", ())]
    before = reader.table_at(since)
    if "others_s" in said:
        others, own = reader.table_at(float(said["others_s"]) + shift_s), before.find(name)
        before = replace(others, standings=tuple(own if s.name == own.name else s for s in others.standings))
    ways = list(_ways(reader.track(name, since - HALF_A_QUANTUM, taken_s + HALF_A_QUANTUM), since))
    untils = [*rests, float(said["until_s"]) + shift_s]
    parts = _parts(ways, untils, lambda k: reader.table_at(ways[k].since).find(name))
    whole: Move | None = None
    for number, (until, part) in enumerate(zip(untils, parts, strict=True), start=1):
        first, last = ways[part[0]], ways[part[-1]]
        table = before if whole is None else reader.table_at(first.since)
        if number < len(parts):
            after = reader.table_at(ways[parts[number][0]].since).find(name)
        else:
            after = _lay(reader, name, [*(way.since for way in ways[part[-1] + 1 :]), taken_s])
        reads = tuple(read for k in part for read in ways[k].reads)
        # It left its first rest when the action says: the record does not tell how long before a read.
        left = since if whole is None else first.since
        move = Move(str(said["id"]), name, table, after, left, until, reads, last.lifted)
        whole = move if whole is None else whole.and_then(move)
    assert whole is not None
    return whole


def _parts(ways: Sequence[_Way], untils: Sequence[float], lay: Callable[[int], Standing]) -> list[list[int]]:
    """The ways of each part of a move, by number: a part ends with the last way before it is told to end.

    It may hold several: where parts were joined, not every rest between is told. One on which the piece was
    only touched is none of it; `lay` says where the piece lay when a way began.
    """
    parts, begins = [], 0
    for until in untils:
        ends = max((k for k, way in enumerate(ways) if way.since <= until), default=0)
        parts.append([*(k for k in range(begins, ends) if not only_touched(lay(k), lay(k + 1))), ends])
        begins = ends + 1
    return parts


def _lay(reader: Reader, name: str, times: Sequence[float]) -> Standing:
    """Where a piece lay at the last of these times at which it had only been touched since the first."""
    there, *later = (reader.table_at(time).find(name) for time in times)
    for stands in later:
        if not only_touched(there, stands):
            break
        there = stands
    return there


@dataclass
class _Way:
    """What a piece did from one rest to the next: when it was last at the first, and its reads since."""

    since: float
    reads: list[Read] = field(default_factory=list)
    lifted: bool = False


def _ways(track: Iterable[tuple[float, Standing]], since: float) -> Iterator[_Way]:
    """Every way of a piece that rested at `since`; also those on which it was only touched."""
    way, still = _Way(since), False
    for time, standing in track:
        if still and standing.status is not Status.STILL:
            yield way
            way = _Way(time - 2 * HALF_A_QUANTUM)
        still = standing.status is Status.STILL
        way.lifted |= standing.status is Status.LOST
        if standing.status is Status.MOVING:
            add_read(way.reads, time, standing)
    yield way


def recalled(recorder: Recorder, now: Callable[[], float | None], first: Event) -> dict[str, Move]:
    """The moves that an action of the running game took before this process began, by their ids.

    They are told by the source's clock of `now`, seconds. What cannot be read any more is left out.
    """
    library, game, time = recorder.library, recorder.game, now()
    if library is None or game is None or time is None or not ranges_in(first):
        return {}
    told = event_to_json(first)
    same = [e for e in recorder.entries((f"{MATCH}action",)) if e.data["event"] == told]
    if not same or same[-1].source_s is None:
        return {}
    entry, reader = same[-1], library.reader(game.id)
    shift, ahead = entry.at_s - same[-1].source_s, time - recorder.now_s
    try:
        moves = [move_of(reader, said, shift, entry.at_s) for said in ranges_in(first).values()]
    except TableRefError as error:
        log.info("a move that was undone cannot be read from the record: %s", error)
        return {}
    return {move.id: move.on_a_clock(ahead) for move in moves}

"""A move as it was recorded: where a piece was read between two times, recognised anew from that."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game.events import Event, event_to_json
from engine.motion.moves import Move, Read, add_read
from engine.space.table import Status
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
    track = _Track(reader, name, since, taken_s)
    whole: Move | None = None
    for until in [*rests, float(said["until_s"]) + shift_s]:
        reads, lifted, left = track.part(until)
        table = before if whole is None else reader.table_at(since)
        after = reader.table_at(left).find(name)
        move = Move(str(said["id"]), name, table, after, since, until, reads, lifted)
        whole, since = move if whole is None else whole.and_then(move), left
    assert whole is not None
    return whole


class _Track:
    """Where a piece was read from one time to another, part by part: each ends where it rests."""

    def __init__(self, reader: Reader, name: str, since: float, taken_s: float) -> None:
        self._left = list(reader.track(name, since - HALF_A_QUANTUM, taken_s + HALF_A_QUANTUM))
        self._taken = taken_s

    def part(self, until: float) -> tuple[tuple[Read, ...], bool, float]:
        """The part that came to rest then: its reads, whether it was lifted, and when it was last there."""
        reads: list[Read] = []
        lifted = rests = False
        while self._left:
            time, standing = self._left[0]
            still = standing.status is Status.STILL
            if rests and not still:
                return tuple(reads), lifted, time - 2 * HALF_A_QUANTUM
            rests = still and time >= until - HALF_A_QUANTUM
            if standing.status is Status.MOVING:
                add_read(reads, time, standing)
            lifted |= standing.status is Status.LOST
            self._left.pop(0)
        return tuple(reads), lifted, self._taken


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

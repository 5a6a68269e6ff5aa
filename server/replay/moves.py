"""A move as it was recorded: where a piece was read between two times, recognised anew from that."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.errors import TableRefError
from engine.game.events import Event, event_to_json
from engine.motion.moves import Move, Read
from engine.space.table import Standing, Status
from server.play.moving.seeing import ranges_in
from server.recording.matches import MATCH
from server.recording.reader import Reader
from server.recording.recorder import Recorder

log = logging.getLogger("tableref.replay")


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
    whole: Move | None = None
    for until, looked in [*((r, r) for r in rests), (float(said["until_s"]) + shift_s, taken_s)]:
        after = reader.table_at(looked).find(name)
        part = list(reader.track(name, since, until))
        reads = tuple(_read(time, standing) for time, standing in part if standing.status is Status.MOVING)
        lifted = any(standing.status is Status.LOST for _, standing in part)
        table = before if whole is None else reader.table_at(since)
        move = Move(str(said["id"]), name, table, after, since, until, reads, lifted)
        whole = move if whole is None else whole.and_then(move)
        since = until
    assert whole is not None
    return whole


def _read(time: float, standing: Standing) -> Read:
    own = np.sqrt(np.diag(standing.uncertainty.own))
    return Read(time, standing.pose, float(own[:2].max()), float(own[2]))


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

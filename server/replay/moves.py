"""A move as it was recorded: where a piece was read between two times, recognised anew from that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.motion.moves import Move, Read
from engine.space.table import Standing, Status
from server.recording.reader import Reader


def move_of(reader: Reader, said: Mapping[str, Any], shift_s: float, taken_s: float) -> Move:
    """The move that an action names by its range (`server.play.moving.seeing.range_of`).

    `shift_s` leads from the source's clock to the game's own time; `taken_s` is when the action was done,
    when the place where the piece rests was known best.
    """
    name, since = str(said["piece"]), float(said["since_s"]) + shift_s
    rests = [float(rest) + shift_s for rest in said.get("rests_s", ())]
    whole: Move | None = None
    for until, looked in [*((r, r) for r in rests), (float(said["until_s"]) + shift_s, taken_s)]:
        after = reader.table_at(looked).find(name)
        part = list(reader.track(name, since, until))
        reads = tuple(_read(time, standing) for time, standing in part if standing.status is Status.MOVING)
        lifted = any(standing.status is Status.LOST for _, standing in part)
        move = Move(str(said["id"]), name, reader.table_at(since), after, since, until, reads, lifted)
        whole = move if whole is None else whole.and_then(move)
        since = until
    assert whole is not None
    return whole


def _read(time: float, standing: Standing) -> Read:
    own = np.sqrt(np.diag(standing.uncertainty.own))
    return Read(time, standing.pose, float(own[:2].max()), float(own[2]))

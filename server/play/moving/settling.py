"""What the referee does by itself, because the table alone decides it.

A piece that comes to stand on its ghost has been placed, in whatever order several do; one that was hidden
when it was put down is looked at as soon as it is seen again.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from engine.game.contract import Option
from engine.game.log.places import stands
from engine.space.table import key_of
from server.play.host import MatchHost
from server.play.messages import Act
from server.web.authentication import Identity

REFEREE = Identity("owner", "referee")
"""In whose name it acts."""


class Settling:
    """Watches the ghosts of a game. `look` may be called from any thread, and by several at once."""

    def __init__(self, host: MatchHost) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._right: dict[tuple[str, str], bool] = {}

    def look(self, options: Sequence[Option], ghosts: Sequence[Mapping[str, Any]]) -> None:
        """Takes what has come to stand where it must, given what may be done now and the ghosts."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._host.look_again()
            for option in self._turned_green(options, ghosts):
                act = Act(type="act", key=secrets.token_hex(8), kind=option.kind, data=dict(option.data))
                self._host.ask(REFEREE, act)
        finally:
            self._lock.release()

    def _turned_green(self, options: Sequence[Option], ghosts: Sequence[Mapping[str, Any]]) -> list[Option]:
        """The options that take a piece which was seen off its ghost and now rests on it.

        One that stands right from the first look on, as after an undo, is for people to take.
        """
        match, table = self._host.match, self._host.seeing.now(self._host.owners).table
        if match is None or self._host.modes.moves == "ask":
            return []
        wanted = {key_of(ghost["piece"]): ghost for ghost in ghosts}
        now: dict[tuple[str, str], bool] = {}
        found: list[Option] = []
        for awaited in match.game.awaits(match.state):
            name = key_of(awaited.piece)
            ghost = wanted.get(name)
            if not awaited.anywhere or ghost is None or ghost["free"]:
                continue
            key = (name, awaited.key)
            rests = ghost["right"] is not None and stands(name, table) is not None
            right = bool(ghost["right"]) if rests else self._right.get(key)
            if right is not None:
                now[key] = right
            if right and self._right.get(key) is False:
                found += [o for o in options if (o.kind, key_of(o.piece or "")) == (awaited.kind, name)]
        self._right = now
        return [option for option in found if not option.not_now]

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
from engine.game.events import Event, back_to, batches
from engine.game.log.places import Stray, standing_still
from engine.space.table import key_of
from server.play.host import REFEREE, MatchHost
from server.play.messages import Act


class Settling:
    """Watches the ghosts of a game. `look` may be called from any thread, and by several at once."""

    def __init__(self, host: MatchHost) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._right: dict[tuple[str, str], bool] = {}
        self._away: tuple[int, dict[str, bool]] = (-1, {})

    def look(
        self, options: Sequence[Option], ghosts: Sequence[Mapping[str, Any]], strays: Sequence[Stray] = ()
    ) -> None:
        """Takes what has come to stand where it must, given what may be done now and the ghosts.

        Tells of pieces that were carried off and put back, of `strays` and of those that may be moved.
        """
        # Pages are told meanwhile: what stands right is taken at the next look.
        if self._host.busy or not self._lock.acquire(blocking=False):
            return
        try:
            self._host.look_again()
            self._host.tell_put_back([*self._host.seeing.put_back(), *self._carried(strays)])
            for option in self._turned_green(options, ghosts):
                act = Act(type="act", key=secrets.token_hex(8), kind=option.kind, data=dict(option.data))
                self._host.ask(REFEREE, act)
        finally:
            self._lock.release()

    def _carried(self, strays: Sequence[Stray]) -> list[tuple[str, None]]:
        """The pieces that somebody carried off their places and put back, while nothing was done.

        What is astray by what was done, as after an undo, has to be put back.
        """
        match, table = self._host.match, self._host.seeing.now(self._host.owners).table
        if match is None:
            self._away = (-1, {})
            return []
        (count, away), now = self._away, {stray.piece: True for stray in strays}
        # An undo leaves pieces where they do not belong any more; else a hand carried off what is astray.
        undone = count != match.count and back_or_forth(match.log)
        now = {name: not undone and away.get(name, True) for name in now}
        self._away = match.count, now
        if count != match.count:
            return []
        # Under a hand it is not back yet.
        now |= {name: away[name] for name in away if name not in now and standing_still(name, table) is None}
        return [(name, None) for name, carried in away.items() if carried and name not in now]

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
            rests = ghost["right"] is not None and standing_still(name, table) is not None
            right = bool(ghost["right"]) if rests else self._right.get(key)
            if right is not None:
                now[key] = right
            if right and self._right.get(key) is False:
                found += [o for o in options if (o.kind, key_of(o.piece or "")) == (awaited.kind, name)]
        self._right = now
        return [option for option in found if not option.not_now]


def back_or_forth(log: Sequence[Event]) -> bool:
    """Whether what was done last leads back to an earlier position, or forth again."""
    first = batches(log)[-1][0]
    return first.kind in ("undo", "redo") or back_to(first) is not None

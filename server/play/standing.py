"""How a game stands: as it is worked out by who changes it, and as it is on the disk for all others."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar, overload

from engine.errors import TableRefError
from engine.game.answering import LATE_S, letting_others
from engine.game.contract import Game
from engine.game.match import Match
from engine.space.table import TableState
from server.play.consent import Proposals
from server.play.drafts import Draft
from server.play.messages import Modes
from server.play.moving.seeing import Seeing
from server.play.seats import Seats
from server.play.throws import Throws

T = TypeVar("T")


class Overtaken(TableRefError):
    """While a game was asked for long, something else was done at its table."""


@dataclass
class Standing:
    """All that is told of a game."""

    game: Game[Any]
    draft: Draft
    modes: Modes = field(default_factory=Modes)
    match: Match[Any] | None = None
    number: int = 0
    """Grows with every change."""
    seats: Seats = field(default_factory=Seats)
    proposals: Proposals = field(default_factory=Proposals)
    throws: Throws = field(default_factory=Throws)
    seen_at: dict[int, TableState] = field(default_factory=dict)
    """The table on which each of the last batches was done, by its number."""

    def aside(self) -> Standing:
        """As it is now, whatever is done here from now on."""
        return replace(
            self,
            match=None if self.match is None else self.match.aside(),
            seats=self.seats.aside(),
            proposals=self.proposals.aside(),
            throws=self.throws.aside(),
            seen_at=dict(self.seen_at),
        )


class Stands(Protocol):
    """Whoever has standings."""

    @property
    def standings(self) -> Standings:
        """Them."""
        ...


class Of(Generic[T]):
    """A field of the standing: the newest for who changes it, what is on the disk for all others."""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, host: None, _: type) -> Self: ...

    @overload
    def __get__(self, host: Stands, _: type) -> T: ...

    def __get__(self, host: Stands | None, _: type) -> Self | T:
        """The field as it stands for whoever asks."""
        if host is None:
            return self
        found: T = getattr(host.standings.mine, self._name)
        return found

    def __set__(self, host: Stands, now: T) -> None:
        """Changes the newest."""
        setattr(host.standings.newest, self._name, now)


@dataclass
class _Change:
    """A change that is being made: by which thread, and what of it was handed to the disk."""

    thread: int
    keeps: bool = False
    overtaken: bool = False
    safe: list[Callable[[], object]] = field(default_factory=list)


class Ceased:
    """Since when each deed is the newest no more, by a clock: what was tapped on it is stuck or too old."""

    STUCK_S = 3.0
    """Seconds in which others may act while a tap is on its way: pages are told within one."""
    KNOWN = 200

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since: dict[int, float] = {}

    def went_on(self, before: int | None, now: int | None) -> None:
        """The newest deed was `before`, and is `now`; None where no game is played."""
        if before is not None and before != now:
            self._since.pop(before, None)
            self._since[before] = self._clock()
            while len(self._since) > self.KNOWN:
                del self._since[next(iter(self._since))]

    def long(self, shown: int | None, now: int | None) -> bool:
        """Whether the deed that a page has shown was the newest seconds ago, and is not `now`."""
        return shown not in (None, now) and self._clock() - self._since.get(shown, math.inf) >= self.STUCK_S


class Standings:
    """The newest standing, which one thread at a time changes, and the one that all others see.

    What was changed is seen once it is on the disk; meanwhile others may change the newest. While a game is
    asked for long, and nothing of the change was kept yet, they may as well: then that change is off.
    `seeing` is what the camera knows; a change goes on with what was looked at when it began.
    """

    def __init__(self, first: Standing, seeing: Seeing) -> None:
        self.newest = self._shown = first
        self.lock = threading.RLock()
        self._seeing = seeing
        self._change: _Change | None = None
        # How many changes were handed to the disk, and how many of them are seen.
        self._kept = self._seen = 0
        self._showing = threading.Condition()

    @property
    def mine(self) -> Standing:
        """The newest for the thread that changes it; for all others what is on the disk."""
        change = self._change
        return self.newest if change is not None and change.thread == threading.get_ident() else self._shown

    @property
    def busy(self) -> bool:
        """Whether a change is being made, or written down: whoever asks would wait."""
        if self._seen < self._kept or not self.lock.acquire(blocking=False):
            return True
        self.lock.release()
        return False

    def apart(self) -> None:
        """What is changed from now on is not seen before it is on the disk."""
        if self._shown is self.newest:
            self._shown = self.newest.aside()

    def keep(self, begin: Callable[[], Callable[[], object]]) -> None:
        """Hands something of the change to the disk; what that returns waits until it is there."""
        change = self._change
        if change is None:
            begin()()
            return
        if change.overtaken:
            raise Overtaken("something else was done at this table while the game was asked: ask again")
        change.safe.append(begin())
        change.keeps = True
        self.apart()

    @contextmanager
    def changing(self, *, waits: bool = False) -> Iterator[None]:
        """One change at a time; it ends when it is on the disk, and seen.

        One that `waits` does so, too, for all that it was worked out from.
        """
        change, number, then = _Change(threading.get_ident()), 0, None
        try:
            with self.lock:
                outer, self._change = self._change, change
                try:
                    with letting_others(self._let_others if outer is None else None):
                        yield
                finally:
                    self._change = outer
                    self._kept += change.keeps
                    number = self._kept
                    then = self.newest.aside() if change.keeps else None
        finally:
            if then is not None:
                try:
                    for safe in change.safe:
                        safe()
                finally:
                    self._show(number, then)
            elif waits:
                with self._showing:
                    self._showing.wait_for(lambda: self._seen >= number)
            self._settle()

    def _show(self, number: int, then: Standing) -> None:
        """What is on the disk is seen."""
        with self._showing:
            if number > self._seen:
                self._seen, self._shown = number, then
            self._showing.notify_all()

    def _settle(self) -> None:
        """The newest itself is seen once nothing is on its way; whoever changes it now sees to that later."""
        if self._shown is not self.newest and self.lock.acquire(blocking=False):
            try:
                if self._seen == self._kept and self._change is None:
                    self._shown = self.newest
            finally:
                self.lock.release()

    @contextmanager
    def _let_others(self) -> Iterator[None]:
        """Lets others change what stands for as long as a game is waited for, where nothing was kept yet."""
        change, before, looked = self._change, self._kept, self._seeing.looked
        if change is None or change.keeps or change.thread != threading.get_ident():
            yield
            return
        self._change = None
        self.lock.release()
        try:
            yield
        finally:
            self.lock.acquire()
            self._change, self._seeing.looked = change, looked
            change.overtaken = change.overtaken or self._kept != before


class Telling:
    """Tells of changes whoever asks a game about them, beside who made the change and waits a moment at most.

    What changes while they are told is told once more, however often it does.
    """

    def __init__(self) -> None:
        self._told = threading.Condition()
        self._tell: Callable[[], None] = lambda: None
        self._changes = self._done = 0
        self._at_work = self._late = False

    def tell(self, tell: Callable[[], None]) -> None:
        """Has `tell` called, and waits for that a moment."""
        with self._told:
            self._tell, self._changes = tell, self._changes + 1
            mine = self._changes
            if not self._at_work:
                self._at_work = True
                threading.Thread(target=self._run, name="tableref-tells", daemon=True).start()
            if not self._late:
                self._late = not self._told.wait_for(lambda: self._done >= mine, LATE_S)

    def _run(self) -> None:
        while True:
            with self._told:
                tell, changes = self._tell, self._changes
                if self._done == changes:
                    self._at_work = False
                    return
            tell()
            with self._told:
                self._done, self._late = changes, False
                self._told.notify_all()

"""A game of somebody else's, asked with a time limit: one that does not answer holds up nobody for long.

Each question goes to a thread of its own beside whoever asks. What takes longer than the limit is given up,
and told as `NotAnswering`; the thread is asked to end, and the question is not put again for a while.
"""

from __future__ import annotations

import ctypes
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import partial
from queue import SimpleQueue
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Game, State
from engine.game.registry import at_line

log = logging.getLogger("tableref.games")

MOST_STUCK = 8
"""Threads of one game that did not end when they were asked to: with more of them it is not asked at all."""

MOST_SILENT = 2
"""Questions that were not answered lately: with more of them none is put to the game."""


class NotAnswering(TableRefError):
    """A game has not answered within the limit, now or a moment ago."""


@dataclass(frozen=True)
class Patience:
    """How long a game may take for an answer (`limit_s`, seconds), and how long it is left alone after that.

    `clock` gives seconds and never jumps; where none is handed in time stands still, and what was not
    answered is not asked again. `wait` waits for an answer, so long at most, and says whether it came.
    """

    limit_s: float = 5.0
    rest_s: float = 60.0
    clock: Callable[[], float] = lambda: 0.0
    wait: Callable[[threading.Event, float], bool] = threading.Event.wait


usual = Patience()
"""The patience of this process."""

LATE_S = 0.3
"""Seconds after which whoever waits for an answer lets others do what they can do without it."""

_here = threading.local()


@contextmanager
def letting_others(let: Callable[[], AbstractContextManager[None]] | None) -> Iterator[None]:
    """What is asked within this in this thread, and is late, is waited for within what `let` gives."""
    before = getattr(_here, "let", None)
    _here.let = let
    try:
        yield
    finally:
        _here.let = before


@contextmanager
def held_patiently(lock: threading.Lock) -> Iterator[None]:
    """Holds a lock that others may hold while they ask a game; whoever waits long for it lets others, too."""
    let = getattr(_here, "let", None)
    if let is None:
        with lock:
            yield
        return
    while not lock.acquire(timeout=LATE_S):
        with let():
            # Not held on the way back: whoever holds it may wait for what is let go of here.
            if lock.acquire(timeout=usual.limit_s):
                lock.release()
    try:
        yield
    finally:
        lock.release()


def _comes(done: threading.Event, patience: Patience, limit_s: float) -> bool:
    """Whether an answer comes within so many seconds."""
    let = getattr(_here, "let", None)
    if let is None:
        return patience.wait(done, limit_s)
    if patience.wait(done, min(LATE_S, limit_s)):
        return True
    with let():
        return patience.wait(done, limit_s - min(LATE_S, limit_s))


class _GivenUp(BaseException):
    """What ends a thread whose answer nobody waits for any more; no `except Exception` holds it up."""


class _Asked:
    """One question, on its way to a worker and back."""

    def __init__(self, what: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._what, self._args, self._kwargs = what, args, kwargs
        self.done = threading.Event()
        self.given_up = False
        self.found: Any = None
        self.error: BaseException | None = None

    def answer(self) -> None:
        try:
            self.found = self._what(*self._args, **self._kwargs)
        except BaseException as error:
            # Whatever a plug-in raises belongs to whoever asked.
            self.error = error
        self.done.set()


class _Worker(threading.Thread):
    """A thread that answers one question after the other, as long as each is waited for."""

    _idle: list[_Worker] = []  # noqa: RUF012 - those of the whole process
    _lock = threading.Lock()

    def __init__(self) -> None:
        super().__init__(name="tableref-game", daemon=True)
        self._todo: SimpleQueue[_Asked] = SimpleQueue()

    @classmethod
    def take(cls, asked: _Asked) -> _Worker:
        with cls._lock:
            worker = cls._idle.pop() if cls._idle else None
        if worker is None:
            worker = cls()
            worker.start()
        worker._todo.put(asked)
        return worker

    def run(self) -> None:
        with suppress(_GivenUp):
            while self._answered(self._todo.get()):
                pass

    def _answered(self, asked: _Asked) -> bool:
        """Answers, and is idle again if that was waited for."""
        asked.answer()
        with self._lock:
            if not asked.given_up:
                self._idle.append(self)
            return not asked.given_up

    def give_up(self, asked: _Asked) -> bool:
        """Asks the thread to end; False where the answer has come after all.

        What runs in Python ends so; what waits in the system or in a library ends when that returns.
        """
        with self._lock:
            if asked.done.is_set():
                return False
            asked.given_up = True
        thread, error = ctypes.c_ulong(self.ident or 0), ctypes.py_object(_GivenUp)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)
        return True


class _Limit:
    """What is known of a game that is asked within a limit: what it left open, and which threads stay."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._silent: dict[str, float] = {}
        self._open: dict[_Asked, tuple[str, float]] = {}
        self.stuck: list[_Worker] = []
        self._lock = threading.Lock()

    def ask(self, name: str, what: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if isinstance(threading.current_thread(), _Worker):
            return what(*args, **kwargs)  # the game asks itself
        patience = usual
        self._refuse_silent(name, patience)
        asked = _Asked(what, args, kwargs)
        with self._waiting_for(name, asked, patience.clock()) as since:
            worker = _Worker.take(asked)
            # Whoever asks what somebody waits for already waits no longer than they.
            late = max(LATE_S, patience.limit_s - since)
            came = _comes(asked.done, patience, late) or not worker.give_up(asked)
        if not came:
            with self._lock:
                self._silent[name] = patience.clock()
                self.stuck = [*(one for one in self.stuck if one.is_alive()), worker]
            log.error("%s does not answer %s", self._title, name)
            raise NotAnswering(
                f"This game does not answer: {self._title} has taken more than "
                f"{patience.limit_s:g} s for its {name!r}. The table goes on; the game can be ended"
            )
        if asked.error is not None:
            raise asked.error
        return asked.found

    @contextmanager
    def _waiting_for(self, name: str, asked: _Asked, now: float) -> Iterator[float]:
        """Notes that an answer is waited for; for how long somebody has waited for one of that name."""
        with self._lock:
            since = min((at for one, at in self._open.values() if one == name), default=now)
            self._open[asked] = name, now
        try:
            yield now - since
        finally:
            with self._lock:
                del self._open[asked]

    def _refuse_silent(self, name: str, patience: Patience) -> None:
        """Raises `NotAnswering` for what was not answered a moment ago."""
        if not self._silent and not self.stuck:
            return
        with self._lock:
            now = patience.clock()
            self._silent = {n: at for n, at in self._silent.items() if now - at < patience.rest_s}
            self.stuck = [one for one in self.stuck if one.is_alive()]
            silent = name in self._silent or len(self._silent) >= MOST_SILENT
            if not silent and len(self.stuck) < MOST_STUCK:
                return
            asked = name if name in self._silent else ", ".join(self._silent) or name
        raise NotAnswering(
            f"This game does not answer: {self._title} was asked for its {asked!r} a moment ago. "
            "It is asked again in a minute; the table goes on, and the game can be ended"
        )


PLAIN = frozenset({"about", "states", "events", "rules", "rulings", "facts", "kinds"})
"""What of a game is no question."""

QUESTIONS = (
    frozenset(
        {name for name, what in vars(Game).items() if callable(what)} | {one.name for one in fields(Game)}
    )
    - PLAIN
    - {name for name in vars(Game) if name.startswith("_")}
    - {"_newest"}
)
"""What a game is asked: its functions, and what the contract makes of them."""


@dataclass(frozen=True, eq=False)
class Answering(Game[State]):
    """A game each of whose answers comes within the limit."""

    limit: _Limit = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", _Limit(self.about.title))

    def __getattribute__(self, name: str) -> Any:
        """What it is asked, to be answered within the limit; all else as it is."""
        found = super().__getattribute__(name)
        if name in QUESTIONS and callable(found):
            return partial(super().__getattribute__("limit").ask, name, found)
        return found


def stumbled(game: Game[Any], error: BaseException) -> str:
    """What a game of somebody else's stumbled over and where, for people; empty if the error is not its own.

    The place is the innermost in the module or package in which its states are written. What the error says
    is for the log alone: it may hold what somebody chose in secret.
    """
    home = game.states.of.__module__.partition(".")[0]
    where = at_line(error, home.__eq__) if is_limited(game) else ""
    words = f"{game.about.title} failed: {type(error).__name__} ({where})"
    return f"{words}. The table goes on; the game can be ended, and the log says more" if where else ""


def failed(game: Game[Any], error: BaseException) -> str:
    """What a game stumbled over, for people, whoever has written it: nothing of what the error says."""
    return stumbled(game, error) or f"{game.about.title} failed: {type(error).__name__}; see the log"


def is_limited(game: Game[Any]) -> bool:
    """Whether a game is somebody else's, whose answers have a limit."""
    return isinstance(game, Answering)


def met() -> bool:
    """Whether a game of somebody else's has been asked for in this process."""
    return bool(_known)


def _written(game: Game[State]) -> dict[str, Any]:
    return {one.name: object.__getattribute__(game, one.name) for one in fields(Game) if one.init}


def itself(game: Game[State]) -> Game[State]:
    """The game as it was written, without a limit."""
    return Game(**_written(game)) if isinstance(game, Answering) else game


_known: dict[int, tuple[Game[Any], Answering[Any]]] = {}
"""The games that were met, by their own identity: of each there is one."""


def within_limit(game: Game[Any]) -> Game[Any]:
    """The same game, every time the same, whatever it is asked answered within the limit or not at all."""
    found = _known.get(id(game))
    if found is None:
        found = _known[id(game)] = game, Answering(**_written(game))
    return found[1]

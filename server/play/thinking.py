"""What a machine or the coach thinks about: worked out in a process beside the server, which goes on seeing.

A position is told as its seat may know it: the log of the match, in which of a sealed choice stands that
there is one, and what is seen.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from engine.driver.characters import LevelName, TemperName
from engine.driver.coaching import Coached, Deed, coached
from engine.driver.deciding import Choice, Driver, Position, decide
from engine.errors import TableRefError
from engine.game.contract import Game, Seen
from engine.game.events import Action, Event
from engine.game.match import Match
from engine.game.registry import folders_named, game_called
from server.formats.helper_process import HelperProcess, stopped

THINKS_S = 2.6
"""Seconds of the processor after which a decision begins nothing more: what it is at ends by three."""

PATIENCE_S = 60.0
"""Seconds after which a thought is given up, on however busy a machine: rules that do not come to an end."""

T_co = TypeVar("T_co", covariant=True)


class Job(Protocol[T_co]):
    """Something to be thought about."""

    def think(self, game: Game[Any]) -> T_co:
        """The answer, by the rules of its game."""
        ...


@dataclass(frozen=True)
class Told:
    """A position: what was said in the match so far, what is seen, and who thinks.

    `own` leaves out what anybody may do.
    """

    log: tuple[Event, ...]
    seen: Seen
    player: str
    own: bool = False

    def position(self, game: Game[Any]) -> Position[Any]:
        """The position as that seat knows it."""
        match = Match.replay(game, self.log)
        found = Position.of(match, self.seen, self.player)
        if not self.own:
            return found
        asks = found.asks
        return replace(
            found,
            options=tuple(o for o in found.options if o.player == self.player),
            asks=lambda seen: [o for o in asks(seen) if o.player == self.player],
        )


@dataclass(frozen=True)
class Decided:
    """What a machine does, if anything; `asked`: it has something to do."""

    choice: Choice | None
    asked: bool


@dataclass(frozen=True)
class Decision:
    """What a machine of this character does."""

    told: Told
    level: LevelName
    temper: TemperName
    seed: str

    def think(self, game: Game[Any]) -> Decided:
        """The best that was found, at the latest soon after `THINKS_S`, or when nobody asks any more."""
        position = self.told.position(game)
        if not position.options:
            return Decided(None, asked=False)
        choice = decide(
            position, level=self.level, temper=self.temper, seed=self.seed,
            clock=lambda: math.inf if stopped() else time.thread_time(),
            until=time.thread_time() + THINKS_S,
        )  # fmt: skip
        return Decided(None if choice is None else replace(choice, better_than=()), asked=True)


@dataclass(frozen=True)
class AsItLies:
    """The same choice with the move of its piece that was seen; nothing while that is not lawful."""

    told: Told
    choice: Choice
    seed: str
    declined: tuple[Mapping[str, str], ...] = ()
    """Answers to what is open that others did not agree to."""

    def think(self, game: Game[Any]) -> Choice | None:
        """The choice as it is done."""
        return Driver(self.told.position(game), seed=self.seed).as_it_lies(self.choice, self.declined)


@dataclass(frozen=True)
class Done:
    """A deed that was done: the position before it, what was seen by then, and what is told of it."""

    told: Told
    action: Action
    seen: Seen
    words: str


@dataclass(frozen=True)
class Advice:
    """What could be done, or could have been done beside these deeds: as much work whatever else goes on."""

    told: Told
    deeds: tuple[Done, ...]
    seed: str

    def think(self, game: Game[Any]) -> Coached:
        """The coach's answer."""
        deeds = [Deed(d.told.position(game), d.action, d.seen, d.words) for d in self.deeds]
        return coached(self.told.position(game), deeds, seed=self.seed)


def work(job: Job[Any], game: str, folders: Sequence[str]) -> Any:
    """What the process beside the server does, with the rules of the game of this name."""
    return job.think(game_called(game, folders))


class Thinker:
    """Has others think; one thought at a time."""

    def __init__(self, process: HelperProcess | None = None) -> None:
        self._process = process
        self._lock = threading.Lock()
        self._knows: tuple[Game[Any], bool] | None = None

    def __call__(self, job: Job[T_co], game: Game[Any]) -> T_co:
        """The answer of a job; `HelperEnded` where it took `PATIENCE_S` or the process is gone."""
        with self._lock:
            if self._process is None or not self._known(game):
                return job.think(game)
            found: T_co = self._process(job, game.about.id, folders_named(), patience_s=PATIENCE_S)
            return found

    def stop(self) -> None:
        """Nobody asks any more for the decision that is thought about now."""
        if self._process is not None:
            self._process.stop()

    def _known(self, game: Game[Any]) -> bool:
        """Whether another process finds the same rules by their name."""
        if self._knows is None or self._knows[0] is not game:
            try:
                same = game_called(game.about.id) is game
            except TableRefError:
                same = False
            self._knows = (game, same)
        return self._knows[1]


BESIDE = Thinker(HelperProcess(work))
"""The process that thinks for the machines of a server."""

ADVISES = Thinker(HelperProcess(work))
"""The process that thinks for its coaches, from their first question on: no machine waits for them."""

"""A game of somebody else's that does not answer: given up within the limit, left alone, asked again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.game import answering
from engine.game.answering import MOST_STUCK, NotAnswering, Patience, itself, within_limit
from engine.game.contract import NOTHING_SEEN, About, Game
from engine.game.events import Action
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.registry import game_called
from engine.game.showing import Status, Viewer
from tests.volume import volume

PATIENCE = 60.0


@dataclass(frozen=True)
class Nothing:
    """The state of a game in which nothing is."""


class Hangs:
    """A game that does not answer what it is told not to: by working for ever, or by waiting."""

    def __init__(self) -> None:
        self.hung = threading.Event()
        self.ended = threading.Event()
        self.how: Callable[[], None] = lambda: None
        self.go = threading.Event()
        self.game: Game[Nothing] = Game(
            about=About("hangs", "Hangs", "Hangs 1", "1"),
            states=States(Nothing),
            events=Events("Hangs 1"),
            begin=lambda _setup: (),
            status=lambda _state, _viewer: Status("", ""),
            offers=self.options,
            objections=lambda state, _action, seen: self.options(state, seen),
        )

    def works(self) -> None:
        self.hung.set()
        try:
            while True:
                pass
        finally:
            self.ended.set()

    def waits(self) -> None:
        self.hung.set()
        self.go.wait()
        self.ended.set()

    def options(self, _state: Any, _seen: Any) -> Any:
        self.how()
        return ()


class Clocked:
    """A game, asked with a clock and a patience of the test: it runs out as soon as the game hangs."""

    def __init__(self) -> None:
        self.now = 0.0
        self.game = Hangs()
        self.asked = within_limit(self.game.game)

    def wait(self, done: threading.Event, limit_s: float) -> bool:
        assert limit_s == 5.0
        while not self.game.hung.is_set():
            if done.wait(0.001):
                return True
        self.game.hung.clear()
        return False

    def options(self) -> Any:
        return self.asked.offers(Nothing(), NOTHING_SEEN)


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clocked]:
    one = Clocked()
    monkeypatch.setattr(answering, "usual", Patience(clock=lambda: one.now, wait=one.wait))
    yield one
    one.game.go.set()


def test_what_answers_is_told_and_what_it_raises_is_raised(clocked: Clocked) -> None:
    assert clocked.options() == ()
    assert clocked.asked.about.title == "Hangs"
    assert clocked.asked.facts == {}

    def exits() -> None:
        raise SystemExit(3)

    clocked.game.how = exits
    with pytest.raises(SystemExit):
        clocked.options()
    clocked.game.how = lambda: None
    assert clocked.options() == (), "an error is an answer"


def test_a_game_that_works_for_ever_is_given_up_and_its_thread_ends(clocked: Clocked) -> None:
    clocked.game.how = clocked.game.works
    with pytest.raises(NotAnswering, match=r"This game does not answer: Hangs has taken more than 5 s"):
        clocked.options()
    assert clocked.game.ended.wait(PATIENCE), "it holds up no processor either"


def test_an_answer_that_comes_as_nobody_waits_any_more_is_taken(
    clocked: Clocked, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Patience(wait=lambda done, _limit_s: not done.wait(PATIENCE))
    monkeypatch.setattr(answering, "usual", late)
    assert clocked.options() == ()


def test_it_is_left_alone_for_a_minute_and_asked_again_then(clocked: Clocked) -> None:
    clocked.game.how = clocked.game.works
    with pytest.raises(NotAnswering):
        clocked.options()
    clocked.game.how = lambda: None
    clocked.now = 59.0
    with pytest.raises(NotAnswering, match="a moment ago"):
        clocked.options()
    assert clocked.asked.status(Nothing(), Viewer()) == Status("", ""), "what else it is asked it answers"
    clocked.now = 61.0
    assert clocked.options() == ()


def test_two_questions_without_an_answer_silence_the_whole_game(clocked: Clocked) -> None:
    clocked.game.how = clocked.game.works
    for ask in (clocked.options, lambda: clocked.asked.check(Nothing(), Action("x", None), NOTHING_SEEN)):
        with pytest.raises(NotAnswering, match="taken more than"):
            ask()
    with pytest.raises(NotAnswering, match="a moment ago"):
        clocked.asked.status(Nothing(), Viewer())


def test_threads_that_do_not_end_are_few(clocked: Clocked) -> None:
    clocked.game.how = clocked.game.waits
    began = threading.active_count()
    for minute in range(volume(20, 200)):
        clocked.now = 100.0 * minute
        with pytest.raises(NotAnswering):
            clocked.options()
    assert threading.active_count() - began <= MOST_STUCK
    clocked.game.go.set()
    clocked.game.how = lambda: None
    for thread in clocked.asked.limit.stuck:
        thread.join(PATIENCE)
    clocked.now += 100.0
    assert clocked.options() == ()


def test_only_what_is_not_tablerefs_own_is_asked_so() -> None:
    own = game_called("battlecars")
    assert itself(own) is own
    one = Hangs().game
    assert within_limit(one) is within_limit(one)
    assert itself(within_limit(one)).status is one.status
    other = replace(within_limit(one), offers=lambda _state, _seen: ())
    assert other.options(Nothing(), NOTHING_SEEN) == (), "a variant of it is asked so, too"

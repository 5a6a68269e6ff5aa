"""One change at a time, many on their way to the disk: seen once they are there, together and in order."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.game import answering
from engine.game.answering import LATE_S, Patience, held_patiently
from engine.game.registry import games_from
from server.formats.entries import Entry, MemoryLog
from server.play.host import MatchHost
from server.play.messages import Act, Anew, Answer, Begin, Modes, SetModes, SetUp, Sit
from tests.server.fakes import PATIENCE, wait_until
from tests.server.insiders import HANGING
from tests.server.play.test_host import ANNA, BEN, DRAFT, GUEST, OWNER, act, begun, done, key, state


class Disk(MemoryLog):
    """A record that takes batches at once, and is at work on each until it is let on."""

    def __init__(self) -> None:
        super().__init__()
        self.fast = True
        self.begun: list[threading.Event] = []

    def begin(self, batch: Sequence[Entry]) -> Callable[[], Sequence[int]]:
        numbers, safe = self.append(batch), threading.Event()
        self.begun.append(safe)
        if self.fast:
            safe.set()

        def wait() -> Sequence[int]:
            assert safe.wait(PATIENCE)
            return numbers

        return wait


class Asking(threading.Thread):
    """Somebody who asks, and waits for the answer."""

    def __init__(self, ask: Callable[[], Answer]) -> None:
        super().__init__(daemon=True)
        self._ask = ask
        self.answers: list[Answer] = []
        self.start()

    def run(self) -> None:
        self.answers.append(self._ask())

    def answer(self) -> Answer:
        self.join(PATIENCE)
        return self.answers[0]


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def host(disk: Disk) -> MatchHost:
    return begun(disk)


def modes(host: MatchHost, key_: str, **said: Any) -> Answer:
    return host.ask(OWNER, SetModes(type="modes", key=key_, modes=Modes(**said)))


def test_what_waits_for_the_disk_goes_there_together_and_is_seen_in_order(
    disk: Disk, host: MatchHost
) -> None:
    played, before, number, kept = host.match, state(host), host.number, len(disk.begun)
    disk.fast = False
    anna = Asking(lambda: act(host, ANNA, "choose", car="Red 1"))
    wait_until("her deed is on its way", lambda: len(disk.begun) == kept + 1)
    owner = Asking(lambda: modes(host, "the-dice", dice="type"))
    wait_until("the owner's is behind it", lambda: len(disk.begun) == kept + 2)
    again = Asking(lambda: act(host, ANNA, "move", car="Red 1"))
    wait_until("all three are on their way", lambda: len(disk.begun) == kept + 3)
    refused = Asking(lambda: act(host, BEN, "choose", car="Blue 1"))
    told = Asking(lambda: modes(host, "the-dice", dice="type"))
    # Nothing of it is seen by anybody, nor answered; what was refused was held against what is not there yet.
    assert host.busy
    assert (state(host), host.number, host.modes.dice) == (before, number, "roll")
    first, second, third = disk.begun[kept:]
    first.set()
    done(anna.answer())
    assert state(host)["round"]["stage"] != before["round"]["stage"]
    assert host.modes.dice == "roll"
    assert not owner.answers
    assert not again.answers
    second.set()
    done(owner.answer())
    assert host.modes.dice == "type"
    assert not told.answers or told.answers == owner.answers
    third.set()
    done(again.answer())
    assert not refused.answer().accepted
    assert told.answer() == owner.answer(), "the same key is done once, and answered when it is safe"
    assert not host.busy
    assert host.match is played
    restored = MatchHost(MemoryLog())
    restored.restore(disk.entries)
    assert state(restored) == state(host)


def test_what_is_asked_in_one_go_is_waited_for_once(disk: Disk, host: MatchHost) -> None:
    """Whoever changes seats leaves one and takes one: two entries, one wait."""
    disk.fast, kept = False, len(disk.begun)
    vacating = threading.Thread(target=host.vacate_all, daemon=True)
    vacating.start()
    wait_until("both seats are freed", lambda: len(disk.begun) == kept + 2)
    assert host.seats.taken == {"Anna", "Ben"}
    for safe in disk.begun[kept:]:
        safe.set()
    vacating.join(PATIENCE)
    assert not host.seats.taken


def test_what_was_kept_before_a_mistake_is_seen(disk: Disk, host: MatchHost) -> None:
    assert host.match is not None
    events = [host.match.undo_event(None)]

    def mistaken(_: Any) -> Any:
        host._commit(events, None)
        raise RuntimeError("a mistake")

    number = host.match.count
    with pytest.raises(RuntimeError):
        host.decide(mistaken, Entry("dispute.decided", None, "Agreed."))
    assert host.match.count == number + 1
    assert not host.busy


# A game that does not answer


class Late:
    """Answers that are late: whoever waits lets others, until they are told that it is enough."""

    def __init__(self) -> None:
        self.late, self.enough, self.comes = threading.Event(), threading.Event(), False

    def wait(self, done: threading.Event, limit_s: float) -> bool:
        if limit_s == LATE_S:
            while not done.wait(0.01):
                if sys.modules["hangs"].HUNG.is_set():
                    return False
            return True
        self.late.set()
        assert self.enough.wait(PATIENCE)
        return self.comes and done.wait(PATIENCE)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Late]:
    (tmp_path / "hangs.py").write_text(HANGING, encoding="utf-8")
    one = Late()
    monkeypatch.setattr(answering, "usual", Patience(wait=one.wait))
    with games_from(str(tmp_path)):
        yield one
    one.enough.set()
    del sys.modules["hangs"]


def hanging(keeps: Any = None) -> MatchHost:
    host = MatchHost(keeps)
    draft = DRAFT.model_copy(update={"game": "hangs", "pieces": [], "answers": {}})
    done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=draft)))
    done(host.ask(ANNA, Sit(type="sit", key=key(), player="Anna")))
    done(host.ask(OWNER, Begin(type="begin", key=key())))
    return host


def test_what_needs_no_game_is_done_while_the_game_is_waited_for(late: Late) -> None:
    keeps = MemoryLog()
    host = hanging(keeps)
    hangs = Asking(lambda: host.ask(ANNA, Act(type="act", key=key(), kind="hang", data={})))
    assert late.late.wait(PATIENCE)
    done(modes(host, key(), dice="type"))
    done(host.ask(BEN, Sit(type="sit", key=key(), player="Ben")))
    assert not host.ask(GUEST, Sit(type="sit", key=key(), player="Ben")).accepted
    done(host.ask(OWNER, Anew(type="anew", key=key())))
    done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
    assert not hangs.answers
    late.enough.set()
    assert "does not answer" in str(hangs.answer().error)
    restored = MatchHost(MemoryLog())
    restored.restore(keeps.entries)
    assert (restored.match, restored.draft, restored.modes) == (None, host.draft, host.modes)


def test_an_answer_that_comes_late_to_another_position_is_no_deed(late: Late) -> None:
    keeps = MemoryLog()
    host = hanging(keeps)
    asked = Asking(lambda: host.ask(ANNA, Act(type="act", key=key(), kind="wait", data={})))
    assert late.late.wait(PATIENCE)
    done(modes(host, key(), dice="type"))
    kept, late.comes = len(keeps.entries), True
    sys.modules["hangs"].GO.set()
    late.enough.set()
    assert "ask again" in str(asked.answer().error)
    assert len(keeps.entries) == kept
    done(host.ask(ANNA, Act(type="act", key=key(), kind="wait", data={})))


def test_who_is_told_of_a_change_and_asks_the_game_holds_up_nobody(late: Late) -> None:
    host, asked, go, told = hanging(), threading.Event(), threading.Event(), list[int]()

    def looks() -> None:
        number = host.number
        asked.set()
        assert go.wait(PATIENCE)
        told.append(number)

    stop = host.watch(looks, asks=True)
    for dice in ("type", "roll", "type"):
        done(modes(host, key(), dice=dice))
    assert asked.is_set()
    assert not told
    go.set()
    wait_until("all is told, the last included", lambda: host.number in told)
    assert len(told) == 2, "what changed meanwhile is told once"
    stop()


def test_who_waits_for_somebody_that_asks_the_game_lets_others(late: Late) -> None:
    """A lock that is held while a game is asked: whoever acts may need it."""
    host, busy = hanging(), threading.Lock()
    moves, waiting = host.seeing.moves, threading.Event()

    def held() -> Any:
        waiting.set()
        with held_patiently(busy):
            return moves()

    host.seeing.moves = held
    with busy:
        acting = Asking(lambda: host.ask(ANNA, Act(type="act", key=key(), kind="wait", data={})))
        assert waiting.wait(PATIENCE)
        done(modes(host, key(), dice="type"))
        assert not acting.answers
    late.comes = True
    sys.modules["hangs"].GO.set()
    late.enough.set()
    assert not acting.answer().accepted
    assert host.modes.dice == "type"

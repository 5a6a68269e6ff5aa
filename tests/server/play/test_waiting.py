"""Nothing on the event loop waits for the match: for no slow disk, and for no game that does not answer."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from engine.game import answering
from engine.game.answering import QUESTIONS, Patience
from engine.game.contract import Game
from engine.game.registry import games_from
from server.formats.entries import Entry, MemoryLog
from tests.server.fakes import PATIENCE, wait_until
from tests.server.gaming import DRAFT, Player, Table, gaming
from tests.volume import DEEP

OWN_GAME = str(Path(__file__).parents[3] / "samples" / "own-game")

HANGING = """
import threading
from dataclasses import replace
from engine.game.answering import QUESTIONS, itself
from engine.game.registry import game_called

FAR_EDGE = itself(game_called("far_edge"))
HANGS, HUNG = set(), threading.Event()


def hanging(name, does):
    def asked(*args, **kwargs):
        if name in HANGS:
            HUNG.set()
        while name in HANGS:
            pass
        return does(*args, **kwargs)
    return asked


NAMES = [n for n in QUESTIONS if n in vars(FAR_EDGE) and callable(vars(FAR_EDGE)[n])]
MADE = {name: hanging(name, vars(FAR_EDGE)[name]) for name in NAMES}
RULES = {kind: rule._replace(do=hanging("do", rule.do)) for kind, rule in FAR_EDGE.rules.items()}
GAME = replace(
    FAR_EDGE, about=replace(FAR_EDGE.about, id="hanging", title="Hanging"), rules=RULES, **MADE
)
"""


class SlowDisk(MemoryLog):
    """A record whose disk answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go = threading.Event(), threading.Event()

    def append(self, batch: Sequence[Entry]) -> Sequence[int]:
        self.asked.set()
        assert self.go.wait(PATIENCE)
        return super().append(batch)


class Noted:
    """A lock that notes who takes it."""

    def __init__(self) -> None:
        self.lock, self.by = threading.RLock(), set[str]()

    def acquire(self, blocking: bool = True) -> bool:
        self.by.add(threading.current_thread().name)
        return self.lock.acquire(blocking)

    def release(self) -> None:
        self.lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


@contextmanager
def table_page(table: Table) -> Iterator[ClientConnection]:
    with connect(table.url.replace("http", "ws") + "ws", open_timeout=PATIENCE) as page:
        yield page


def goes_on(table: Table) -> None:
    """The table is told, healthy, and its game can be opened and left."""
    assert httpx.get(f"{table.url}healthz").json()["state"] == "running"
    with table_page(table) as page:
        assert '"type":"state"' in page.recv(timeout=PATIENCE)
    with table.joined() as one:
        assert one.state["type"] == "play"


def test_whoever_opens_or_leaves_a_page_does_not_wait_for_a_slow_disk() -> None:
    disk, lock = SlowDisk(), Noted()
    with gaming(disk) as table:
        table.host.standings.lock = lock  # type: ignore[assignment]
        with table.joined() as owner, table.joined("player") as other:
            answers: list[dict[str, Any]] = []
            asking = threading.Thread(target=lambda: answers.append(owner.ask(type="setup", draft=DRAFT)))
            asking.start()
            assert disk.asked.wait(PATIENCE)
            for _ in range(3):
                goes_on(table)
            other.connection.send("{}")
            assert not other.hear_until(lambda m: m["type"] == "answer")["accepted"]
            assert not answers
            disk.go.set()
            asking.join(PATIENCE)
            assert [one["accepted"] for one in answers] == [True]
    assert lock.by
    assert "tableref-serves" not in lock.by, "the thread of the event loop"


class Hung:
    """A plug-in that does not answer what it is told not to, and a patience that ends as soon as it hangs."""

    def __init__(self) -> None:
        self.now = 0.0

    @property
    def module(self) -> Any:
        return sys.modules["hanging"]

    def wait(self, done: threading.Event, _limit_s: float) -> bool:
        while not done.wait(0.002):
            if self.module.HUNG.is_set():
                return done.wait(0.3)
        return True

    def hang(self, *names: str) -> None:
        self.now += 100.0
        self.module.HUNG.clear()
        self.module.HANGS.update(names)

    def heal(self) -> None:
        self.now += 100.0
        self.module.HANGS.clear()
        self.module.HUNG.clear()


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hung]:
    (tmp_path / "hanging.py").write_text(HANGING, encoding="utf-8")
    one = Hung()
    monkeypatch.setattr(answering, "usual", Patience(clock=lambda: one.now, wait=one.wait))
    with games_from(OWN_GAME, str(tmp_path)):
        yield one
    one.heal()
    del sys.modules["hanging"]


def begun(owner: Player) -> None:
    pieces = [{"name": "RED1", "owner": "Anna"}, {"name": "BLUE1", "owner": "Ben"}]
    draft = DRAFT | {"game": "hanging", "pieces": pieces, "answers": {}}
    owner.done(type="setup", draft=draft)
    owner.done(type="begin")
    owner.shows(lambda s: s["phase"] == "match" and s["match"]["options"])


ALL = {one.name for one in fields(Game)} & QUESTIONS | {"do"}
# In the gate one of each kind: what acts, what is shown, what the table's pages ask; `make deep` takes all.
HANGING_IN = sorted(ALL) if DEEP else ["do", "awaits", "offers", "status"]


@pytest.mark.parametrize("question", HANGING_IN)
def test_a_game_that_does_not_answer_stops_no_table_and_can_be_ended(hung: Hung, question: str) -> None:
    with gaming(screen=True, follows=True) as table, table.joined() as owner:
        begun(owner)
        hung.hang(question)
        answers = [owner.act("go", inches=3) for _ in range(2)]
        answers += [owner.ask(type="act", kind="go", player=p, data={"inches": 3}) for p in ("Anna", "Ben")]
        said = [str(a["error"] or a["reasons"]) for a in answers if not a["accepted"]]
        if question in ("do", "offers"):
            assert any("This game does not answer: Hanging" in words for words in said), said
        goes_on(table)
        if question == "status":
            told = owner.shows(lambda s: s["trouble"])
            assert "This game does not answer: Hanging" in told["trouble"]
            assert told["match"]["status"]["what"] == "The game does not answer"
        owner.done(type="anew")
        owner.shows(lambda s: s["phase"] == "setup")
        hung.heal()
        begun(owner)


def test_the_thread_that_sees_waits_for_no_game(hung: Hung) -> None:
    with gaming(screen=True) as table, table.joined() as owner:
        begun(owner)
        hung.hang("guide", "awaits", "offers")
        seen = table.live.snapshot.number
        wait_until("more frames", lambda: table.live.snapshot.number > seen + 5)
        goes_on(table)
        owner.done(type="anew")

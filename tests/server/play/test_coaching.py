"""The coach of a game that goes on: off unless the owner lets it be asked, and for nobody but who plays."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from engine.game.match import Match
from engine.measure.sweep import Straight
from server.formats.entries import MemoryLog
from server.play.coaching import FOR_ALL
from server.play.keeping import MODES
from server.play.thinking import AsItLies, Decision, Thinker, Told
from server.table import gate
from tests.server.conftest import OpenPlay
from tests.server.gaming import DRAFT, Player, Table, gaming
from tests.server.play.moving.test_measuring import chosen, seated
from tests.server.play.moving.test_move_guide import drive, shown, take

WIDTHS = (1366, 390)


@pytest.fixture
def journal() -> MemoryLog:
    return MemoryLog()


@pytest.fixture
def table(journal: MemoryLog) -> Iterator[Table]:
    with gaming(journal, screen=True) as one:
        yield one


def asked(table: Table, what: str = "can", headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.get(f"{table.url}api/play/coach", params={"what": what}, headers=headers, timeout=60)


def told(table: Table, what: str = "can", headers: dict[str, str] | None = None) -> dict[str, Any]:
    answer = asked(table, what, headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def switch_on(owner: Player) -> None:
    owner.done(type="modes", modes={"coach": True})


def test_it_answers_whoever_plays_once_the_owner_lets_it_be_asked(
    table: Table, journal: MemoryLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben = table.shown("player"), table.shown("player")
    with table.joined() as owner, table.joined(headers=anna) as phone, table.joined(headers=ben) as other:
        chosen(owner)
        assert asked(table).status_code == 409
        assert "the coach is off" in asked(table).json()["error"]
        switch_on(owner)
        assert owner.shows(lambda s: s["modes"]["coach"])
        (*_, kept) = [e for e in journal.entries if e.kind == MODES]
        assert "the coach may be asked" in kept.words
        assert asked(table, headers=table.shown("spectator")).status_code == 403
        assert "take a seat" in asked(table, headers=anna).json()["error"]
        seated(phone, "Anna")
        seated(other, "Ben")
        mine = told(table, headers=anna)
        assert mine["player"] == "Anna"
        assert len(mine["best"]) == 3
        assert all(one["outline"] and "how it stood" in one["worth_words"] for one in mine["best"])
        assert told(table, headers=anna) == mine == told(table), "the same for the owner, and every time"
        theirs = told(table, headers=ben)
        assert (theirs["words"], theirs["best"]) == ("It is Anna's turn.", [])
        monkeypatch.setattr(gate, "hides", lambda *_: True)
        refused = asked(table, headers=anna)
        assert refused.status_code == 409
        assert "once it is over" in refused.json()["error"]


def test_what_was_done_is_judged_from_where_the_car_stood_and_drawn_beside_the_best(
    table: Table, open_play: OpenPlay
) -> None:
    with table.joined() as owner:
        chosen(owner)
        switch_on(owner)
        before = told(table)["best"]
        drive(table, "RED1", Straight(4.0))
        seen = shown(owner, "rested")
        # Pushed, and not taken yet: what can be done is still told from where it stood.
        assert told(table)["best"] == before
        assert take(owner, seen)["accepted"]
        after = told(table, "could")
        assert after["player"] == "Anna"
        assert "straight 4.0" in after["did"]["words"]
        # What could have been done is what could be done before, held against what was done.
        assert [one["outline"] for one in after["best"]] == [one["outline"] for one in before]
        assert "what was done" in str(after["best"])
        page = open_play(table)
        page.click("#coach-could")
        both = page.locator(".coach polygon.place")
        expect(both).to_have_count(2)
        ways = [one["outline"] for one in (after["did"], after["best"][0])]
        points = both.evaluate_all("all => all.map((one) => [...one.points].map((p) => [p.x, -p.y]))")
        assert points == [[pytest.approx(at, abs=0.01) for at in outline] for outline in ways]
        expect(page.locator(".coach polygon.place.did")).to_have_count(1)
        expect(page.locator(".labels text.shape")).to_have_text(["Done", "1"])


def test_a_thought_is_the_same_in_a_process_beside_the_server(table: Table) -> None:
    from server.play.thinking import BESIDE  # noqa: PLC0415 - the server's own, with its process

    with table.joined() as owner:
        chosen(owner)
        match, seen = table.host.match, table.host.seeing.now(table.host.owners)
        assert isinstance(match, Match)
        decision = Decision(Told(match.log, seen, "Anna"), "hard", "even", "s")
        one, other = Thinker()(decision, match.game), BESIDE(decision, match.game)
        assert one == other
        assert one.choice is not None
        assert one.choice.way
        assert BESIDE(AsItLies(decision.told, one.choice, "s"), match.game) is None, "nothing was pushed"
        idle = Decision(Told(match.log, seen, "Ben", own=True), "hard", "even", "s")
        assert not BESIDE(idle, match.game).asked


def test_no_machine_waits_for_a_coach(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question to the coach that takes long holds up no decision: each has a process of its own."""
    from server.play import thinking  # noqa: PLC0415 - the server's own, with their processes
    from server.replay import coaching as replayed  # noqa: PLC0415

    # Here each thinks as it does where another process does not know the game: in the thread that asks.
    for one in (thinking.BESIDE, thinking.ADVISES):
        monkeypatch.setattr(one, "_process", None)
    assert replayed.ADVISES is thinking.ADVISES
    begun, done = threading.Event(), threading.Event()

    class Long:
        def think(self, game: object) -> bool:
            begun.set()
            return done.wait(30.0)

    class Short:
        def think(self, game: object) -> str:
            return "decided"

    with table.joined() as owner:
        chosen(owner)
        game = table.host.match.game
        with ThreadPoolExecutor(2) as pool:
            long = pool.submit(thinking.ADVISES, Long(), game)
            assert begun.wait(30.0)
            assert pool.submit(thinking.BESIDE, Short(), game).result(30.0) == "decided"
            done.set()
            assert long.result(30.0)


def test_the_page_asks_where_it_is_on_and_shows_all_that_it_is(open_play: OpenPlay, tmp_path: Path) -> None:
    with gaming(screen=True) as table, table.joined() as owner:
        chosen(owner)
        page = open_play(table)
        expect(page.locator("#turn")).to_contain_text("RED1")
        expect(page.locator("#coach")).to_be_hidden()
        page.click("#modes-open")
        page.get_by_role("group", name="Coach").get_by_text("may be asked").click()
        page.keyboard.press("Escape")
        expect(page.locator("#turn .coach-on")).to_be_visible()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            page.click("#coach-can")
            lines = page.locator("#coach-list button.line")
            expect(lines).to_have_count(3)
            lines.nth(0).click()
            expect(page.locator(".coach polygon.place")).to_have_count(1)
            assert page.evaluate("document.documentElement.scrollWidth") == width
            page.screenshot(path=tmp_path / f"coach-{width}.png", full_page=True)
            # Nothing was done that it stands beside.
            expect(page.locator(".coach .did")).to_have_count(0)
            expect(page.locator(".labels text.shape")).to_have_text(["1"])
        # What can be done is another thing once something was done.
        owner.done(type="act", kind="move", data={"car": "RED1"}, unmeasured="for the test")
        expect(page.locator("#coach-list .line")).to_have_count(0)
        expect(page.locator(".coach polygon")).to_have_count(0)


def test_where_anybody_may_go_on_it_does_not_say_that_nothing_is_to_be_done(
    table: Table, open_play: OpenPlay
) -> None:
    with table.joined() as owner:
        owner.done(type="setup", draft={**DRAFT, "answers": {}})
        owner.done(type="begin")
        switch_on(owner)
        assert told(table)["words"] == FOR_ALL
        page = open_play(table)
        page.click("#coach-could")
        expect(page.locator("#coach-words")).to_have_text("Nothing has been done yet.")
        # Once something is done that is no longer true.
        assert owner.act("deployment", deployment="highway")["accepted"]
        expect(page.locator("#coach-words")).to_have_text("")

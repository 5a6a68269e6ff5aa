"""The library of games and their replay, from outside and in a browser."""

from __future__ import annotations

import gc
import json
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import insert
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from engine.errors import TableRefError
from engine.game.registry import INSTALL
from engine.ruling import Verdict
from server.disputes.recorded.reopening import disputes_of, reopened
from server.exports.forms import ExportName
from server.formats.entries import Entry
from server.formats.units import clock
from server.pipeline.runner import Runner
from server.recording.journal import GameClock
from server.recording.library import schema
from server.recording.library.games import Library
from server.recording.library.records import STOPPED, GameRecord
from server.recording.pictures.video import VideoWish, VideoWriter
from server.replay.pictures import pictures_router
from server.replay.playback import Playback
from server.replay.rerule import rule_again
from server.replay.routes import Exports, pictures_of, replay_router
from server.reports.account import tell
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from server.web.authentication import COOKIE, Role
from tests.server.conftest import Socket
from tests.server.disputes.conftest import RULINGS, about
from tests.server.fakes import HandMoved, KnowsAll, wait_until
from tests.server.filled_library import TABLE, fill
from tests.server.interface import keeps_its_word
from tests.server.page.evenings import photograph
from tests.server.page.structure import STRUCTURE
from tests.server.playback import record_game, table_at, table_file
from tests.server.recording import made
from tests.server.recording.made import record_drawn
from tests.volume import volume


@dataclass
class Shown:
    """A served library with one game."""

    url: str
    library: Library
    game: str
    server: PageServer


@contextmanager
def showing(folder: Path) -> Iterator[Shown]:
    source = HandMoved()
    live, book = Runner(source, KnowsAll(source)), Rulings.by_book(None)
    with Library.open(folder) as library:
        game = record_game(library)
        routers = [replay_router(library, book, time.monotonic)]
        with PageServer(live, book, listen(port=0), routers=routers) as server:
            yield Shown(server.address, library, game, server)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    with showing(tmp_path_factory.mktemp("games")) as one:
        yield one


@pytest.fixture
def client(shown: Shown) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=shown.url, timeout=120) as one:
        yield one


class TestLibrary:
    def test_which_games_there_are(self, shown: Shown, client: httpx.Client) -> None:
        told = client.get("/api/games").json()
        assert told["may_change"] is True
        (game,) = told["games"]
        assert (game["id"], game["name"], game["state"]) == (shown.game, "Thursday", "over")
        assert game["duration_s"] == pytest.approx(11.0, abs=1.0)

    def test_what_others_in_the_network_may(self, shown: Shown) -> None:
        """All look; only the owner is told where the games lie, and exports and deletes them."""
        game, export = f"/api/games/{shown.game}", f"/api/exports/{shown.game}?to=jsonl"
        roles: tuple[Role, ...] = ("player", "camera", "spectator")
        for role in roles:
            headers = {
                "x-forwarded-for": "192.168.1.9",
                "cookie": f"{COOKIE}={shown.server.authenticator.issue(role)}",
            }
            with httpx.Client(base_url=shown.url, headers=headers, timeout=120) as client:
                told = client.get("/api/games").json()
                assert (told["library"], told["may_change"]) == (None, False)
                assert str(shown.library.folder) not in client.get("/api/games").text
                assert client.get(game).status_code == 200
                assert client.post(export).status_code == 403
                assert client.get("/api/exports/token/game.jsonl").status_code == 403
                assert client.delete(game).status_code == 403
        with httpx.Client(
            base_url=shown.url, headers={"x-forwarded-for": "192.168.1.9"}, timeout=120
        ) as stranger:
            for path in ("/api/games", game, f"{game}/entries", f"{game}/sights?t=1&piece=Red 1", "/replay"):
                assert stranger.get(path).status_code == 401
        assert shown.library.has(shown.game)

    def test_a_page_of_many_and_a_search(self, tmp_path: Path) -> None:
        with showing(tmp_path) as own, httpx.Client(base_url=own.url, timeout=120) as client:
            fill(own.library, 120)
            pages = [client.get("/api/games", params={"first": k, "count": 50}).json() for k in (0, 50, 100)]
            ids = [g["id"] for p in pages for g in p["games"]]
            assert (len(ids), len(set(ids)), {p["total"] for p in pages}) == (121, 121, {121})
            assert len(client.get("/api/games").json()["games"]) == 50, "the whole library is never sent"
            found = client.get("/api/games", params={"player": "chloe", "place": "attic"}).json()
            assert 0 < found["total"] < 40
            assert all("Chloé" in g["players"] and g["table"] == "Attic" for g in found["games"])
            year = {"since": "2020-01-01T00:00:00Z", "until": "2021-01-01T00:00:00Z"}
            found = client.get("/api/games", params=year).json()
            assert {g["began"][:4] for g in found["games"]} == {"2020"}
            for wrong in ({"since": "soon"}, {"count": 0}, {"count": 10_000}, {"first": -1}):
                assert client.get("/api/games", params=wrong).status_code == 422

    def test_a_game_whose_rules_are_missing_says_so(self, tmp_path: Path) -> None:
        with showing(tmp_path) as own, httpx.Client(base_url=own.url, timeout=120) as client:
            assert client.get("/api/games").json()["games"][0]["missing"] is None
            journal = own.library.journal(own.game)
            data = {"game": "far_edge", "version": "2"}
            journal.append([Entry("match.begin", None, "The game begins.", data)])
            journal.close()
            (game,) = client.get("/api/games").json()["games"]
            assert game["game"] == "far_edge"
            assert game["missing"] == f"the rules of far_edge are not at hand; {INSTALL}"
            assert client.get(f"/api/games/{own.game}").json()["game"] == game

    def test_its_line_of_time(self, shown: Shown, client: httpx.Client) -> None:
        told = client.get(f"/api/games/{shown.game}").json()
        assert [m["at_s"] for m in told["marks"] if m["kind"] == "turn"] == [1.0, 11.0]
        assert {m["kind"] for m in told["marks"]} == {"turn", "ruling", "dispute", "gap"}

    def test_entries_page_by_page(self, shown: Shown, client: httpx.Client) -> None:
        address = f"/api/games/{shown.game}/entries"
        first = client.get(address, params={"limit": 5}).json()
        rest = client.get(address, params={"after": first[-1]["number"]}).json()
        assert [e["number"] for e in first + rest] == list(range(1, len(first) + len(rest) + 1))

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/api/games/nothing", 404),
            ("/api/games/nothing/entries", 404),
            ("/api/games/nothing/sights?t=1&piece=Red 1", 404),
            ("/api/games/{game}/sights?t=1&piece=Red 9", 404),
            ("/api/games/{game}/sights?t=-1&piece=Red 1", 422),
            ("/api/games/{game}/sights?t=nan&piece=Red 1", 422),
            ("/api/games/{game}/entries?limit=0", 422),
            ("/api/games/{game}/gunner.svg?t=1&piece=Red 1&piece=Red 9", 404),
            ("/api/games/nothing/gunner.svg?t=1&piece=Red 1&piece=Blue 1", 404),
        ],
    )
    def test_what_is_not_there(self, shown: Shown, client: httpx.Client, path: str, status: int) -> None:
        answer = client.get(path.format(game=shown.game))
        assert answer.status_code == status
        assert answer.json()["error"]

    def test_deleting(self, tmp_path: Path) -> None:
        with showing(tmp_path) as own, httpx.Client(base_url=own.url, timeout=120) as client:
            foreign = client.delete(f"/api/games/{own.game}", headers={"origin": "http://evil.example"})
            assert foreign.status_code == 403
            journal = own.library.journal(own.game)
            taken = client.delete(f"/api/games/{own.game}")
            assert taken.status_code == 409
            assert "being recorded" in taken.json()["error"]
            journal.close()
            part = client.delete(f"/api/games/{own.game[:-1]}")
            assert (part.status_code, own.library.has(own.game)) == (404, True), "no other one by mistake"
            assert client.delete(f"/api/games/{own.game}").json()["games"] == []
            assert client.delete(f"/api/games/{own.game}").status_code == 404


class TestSights:
    @pytest.mark.parametrize("at_s", [2.0, 8.5])
    def test_the_same_answers_as_in_play(self, shown: Shown, client: httpx.Client, at_s: float) -> None:
        told = client.get(f"/api/games/{shown.game}/sights", params={"t": at_s, "piece": "Red 1"}).json()
        table, book = table_at(table_file(), at_s), Rulings.by_book(None)
        expected = {
            (a.name, b.name): book.answer(table, (a.name, b.name))[1].verdict.value
            for a, b in book.opponents(table)
            if "Red 1" in (a.name, b.name)
        }
        assert {tuple(s["pieces"]): s["verdict"] for s in told["sees"] + told["seen_by"]} == expected
        assert Verdict.NO.value in expected.values()
        assert all(s["words"] for s in told["sees"])


@contextmanager
def watching(shown: Shown, game: str | None = None) -> Iterator[Socket]:
    address = shown.url.replace("http", "ws") + f"ws/replay?game={game or shown.game}"
    with connect(address) as connection:
        yield Socket(connection)


class TestConnection:
    def test_it_jumps_and_answers(self, shown: Shown) -> None:
        with watching(shown) as socket:
            assert socket.hear()["playback"]["duration_s"] == 12.0
            socket.send(type="select", pieces=["Red 1", "Blue 1"])
            socket.send(type="seek", at_s=9.0)
            verdicts: list[str] = []

            def answered() -> bool:
                message = socket.hear()
                if message.get("ruling"):
                    verdicts.append(message["ruling"]["verdict"])
                return verdicts[-1:] == ["yes"]

            wait_until("the answer of the 9th second", answered)

    def test_it_plays_to_its_end(self, shown: Shown) -> None:
        with watching(shown) as socket:
            socket.hear()
            socket.send(type="seek", at_s=3.0)
            socket.send(type="play", rate=16)
            times, rates = [0.0], []

            def over() -> bool:
                message = socket.hear()
                times.append(message["time"])
                if message.get("playback"):
                    rates.append(message["playback"]["rate"])
                return bool(rates) and rates[-1] == 0 and times[-1] == 12.0

            wait_until("the end", over)
            assert times == sorted(times)
            assert 16 in rates

    def test_the_loop_reads_no_record(self, shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
        """A disk may be slow, and many may look at recorded games at once."""
        read, by = Playback._snapshot, set[str]()

        def noted(self: Playback, *said: Any) -> Any:
            by.add(threading.current_thread().name)
            return read(self, *said)

        monkeypatch.setattr(Playback, "_snapshot", noted)
        with watching(shown) as socket:
            socket.hear()
            for at_s in (5.0, 10.0):
                socket.send(type="seek", at_s=at_s)
                wait_until("that moment", lambda at_s=at_s: socket.hear()["time"] == at_s)
        assert by
        assert "tableref-serves" not in by

    def test_what_it_does_not_understand(self, shown: Shown) -> None:
        with watching(shown) as socket:
            socket.hear()
            socket.send(type="move", piece="Red 1", x=1, y=1, heading=0)
            assert socket.hear_only()["type"] == "refused"

    def test_no_such_game(self, shown: Shown) -> None:
        with watching(shown, "nothing") as socket, pytest.raises(ConnectionClosed, match="no game"):
            socket.hear()

    def test_no_other_sites_page(self, shown: Shown) -> None:
        address = shown.url.replace("http", "ws") + f"ws/replay?game={shown.game}"
        with pytest.raises(Exception, match="403"), connect(address, origin="http://evil.example"):  # type: ignore[arg-type]
            pass


@pytest.fixture
def replay(browser: Browser, shown: Shown) -> Iterator[Callable[..., Page]]:
    """Opens the page; whatever it logs as an error fails the test."""
    contexts = []
    complaints: list[str] = []

    def open_page(query: str = "", width: int = 1440, height: int = 900) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(f"{shown.url}replay{query}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def x_of(page: Page, car: str) -> float:
    """Where the drawing has a car, from the left, in screen pixels."""
    box = page.locator(f"[data-piece='{car}'] .base").bounding_box()
    assert box is not None
    return box["x"]


def on_a_phone_nothing_sticks_out(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(STRUCTURE) == []


LEGEND = """() => ({
  marks: [...document.querySelectorAll("#marks line")].map((n) => [n.getAttribute("class"), getComputedStyle(n).stroke].join()),
  legend: [...document.querySelectorAll(".legend li")].map((n) => [n.dataset.kind, getComputedStyle(n, "::before").backgroundColor].join()),
})"""  # noqa: E501


class TestPage:
    def test_a_game_is_chosen_dragged_through_played_and_stepped(self, replay: Callable[..., Page]) -> None:
        page = replay("", 390, 844)
        page.wait_for_selector("#games li")
        expect(page.locator("#library-where")).to_contain_text("The library ")
        on_a_phone_nothing_sticks_out(page)
        page.set_viewport_size({"width": 1440, "height": 900})
        page.get_by_role("link", name="Thursday").click()
        expect(page.locator("#marks .turn")).to_have_count(2)
        expect(page.locator("#marks .dispute")).to_have_count(1)
        expect(page.locator("#game-name")).to_contain_text("Thursday")
        self.the_legend_says_what_each_mark_is(page)
        # Dragging moves the cars and the address.
        clock = page.locator("#clock")
        page.locator("#at").fill("2")
        expect(clock).to_contain_text("0:02.0")
        wait_until("the car to be drawn", lambda: page.locator("[data-piece='Red 1'] .base").count())
        before = x_of(page, "Red 1")
        page.locator("#at").fill("9")
        expect(clock).to_contain_text("0:09.0")
        wait_until("the car to be drawn elsewhere", lambda: x_of(page, "Red 1") > before + 50)
        wait_until("the address to say so", lambda: "t=9.00" in page.url)
        page.reload()
        expect(clock).to_contain_text("0:09.0")
        self.plays_and_steps_by_keys(page)

    @staticmethod
    def the_legend_says_what_each_mark_is(page: Page) -> None:
        """A mark has the colour that the legend gives it, and a phone has the legend, too."""
        colours = page.evaluate(LEGEND)
        assert colours["marks"]
        assert [one for one in colours["marks"] if one not in colours["legend"]] == []
        page.set_viewport_size({"width": 390, "height": 844})
        page.locator(".legend").scroll_into_view_if_needed()
        expect(page.locator(".legend")).to_be_visible()
        on_a_phone_nothing_sticks_out(page)
        photograph(page, "replay-phone")
        page.set_viewport_size({"width": 1366, "height": 800})
        photograph(page, "replay-screen")
        page.set_viewport_size({"width": 1440, "height": 900})

    @staticmethod
    def plays_and_steps_by_keys(page: Page) -> None:
        clock = page.locator("#clock")

        def put(at: str) -> None:
            page.locator("#at").fill(at)
            page.locator("#at").blur()

        put("0.5")
        expect(clock).to_contain_text("0:00.5")
        page.keyboard.press("Shift+ArrowRight")
        expect(clock).to_contain_text("0:01.0")
        page.keyboard.press("Space")
        expect(page.locator("#play")).to_have_attribute("aria-label", "Stop")
        expect(clock).not_to_contain_text("0:01.")
        page.keyboard.press("Space")
        expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
        # However far it came by then.
        put("2.5")
        expect(clock).to_contain_text("0:02.5")
        page.keyboard.press("Shift+ArrowLeft")
        expect(clock).to_contain_text("0:01.0")

    def test_the_line_of_a_game_that_goes_on_gets_the_marks_of_what_is_recorded_meanwhile(
        self, tmp_path: Path, browser: Browser
    ) -> None:
        """It grew longer, and stayed empty where anything had happened since the page was opened."""
        with showing(tmp_path) as shown, browser.new_context() as context:
            page = context.new_page()
            page.goto(f"{shown.url}replay?game={shown.game}")
            expect(page.locator("#marks .gap")).to_have_count(1)
            journal = shown.library.journal(shown.game)
            journal.clock = GameClock(journal.clock.now + 20.0)
            journal.append([Entry("camera.gap", None, "Nothing was seen for 2 s.")])
            journal.close()
            expect(page.locator("#marks .gap")).to_have_count(2)

    def test_a_link_opens_the_moment_with_its_question(
        self, shown: Shown, replay: Callable[..., Page]
    ) -> None:
        page = replay(f"?game={shown.game}&t=9&piece=Red 1&piece=Blue 1")
        expect(page.locator("#headline")).to_have_text("Yes")
        expect(page.locator("#clock")).to_contain_text("0:09.0 / 0:12")
        # It is asked of whatever moment is shown.
        page.locator("#at").fill("2")
        expect(page.locator("#headline")).to_have_text("No")

    def test_whom_could_it_see_then_and_what_did_its_gunner_see(
        self, shown: Shown, replay: Callable[..., Page]
    ) -> None:
        page = replay(f"?game={shown.game}&t=8.5&piece=Red 1", 390, 844)
        page.wait_for_selector("#sight-list li")
        on_a_phone_nothing_sticks_out(page)
        page.set_viewport_size({"width": 1440, "height": 900})
        page.click("#clear")
        expect(page.locator("#sights")).to_be_hidden()
        page.locator("#car-list button", has_text="Red 1").click()
        rows = page.locator("#sight-list li")
        expect(rows).to_have_count(4)
        expect(rows.first).to_have_attribute("data-verdict", "yes")
        expect(page.locator("#look-open")).to_be_disabled()
        rows.first.get_by_role("button").click()
        expect(page.locator("#pair")).to_have_text("Red 1 → Blue 1")
        expect(page.locator("#checks li")).not_to_have_count(0)
        # Through the gunner's eyes.
        page.locator("#look-open").click()
        expect(page.locator("#look-title")).to_have_text("What Red 1 sees of Blue 1")
        expect(page.locator("#look-view")).to_be_visible()
        view, dialog = page.locator("#look-view").bounding_box(), page.locator("#look").bounding_box()
        assert view is not None
        assert dialog is not None
        assert dialog["x"] < view["x"] < view["x"] + view["width"] < dialog["x"] + dialog["width"]
        page.locator("#look-turret").click()
        expect(page.locator("#look-said")).to_contain_text("turret")

    def test_a_game_is_called_by_what_was_played_and_by_whom(self, tmp_path: Path, browser: Browser) -> None:
        """Five evenings at one table stood there as five times its name."""
        players = [{"name": name, "colour": "#c8322b"} for name in ("Anna", "Ben")]
        with showing(tmp_path) as own:
            id = own.library.add(GameRecord.new(TABLE.read_text(encoding="utf-8"))).id
            journal = own.library.journal(id)
            journal.append([Entry("play.setup", None, "It is set up.", {"draft": {"players": players}})])
            journal.append([Entry("match.begin", None, "It begins.", {"game": "car_cult"})])
            journal.close()
            page = browser.new_page(viewport={"width": 390, "height": 844})
            page.goto(f"{own.url}replay")
            expect(page.locator("#games a", has_text="Car Cult: Anna, Ben")).to_have_count(1)
            page.goto(f"{own.url}replay?game={id}")
            expect(page.locator("#game-name")).to_contain_text("Car Cult: Anna, Ben, ")

    def test_the_library_is_searched_and_paged(self, tmp_path: Path, browser: Browser) -> None:
        with showing(tmp_path) as own:
            fill(own.library, 120)
            journal = own.library.journal("g000119")
            journal.append([Entry("match.begin", None, "It begins.", {"game": "far_edge", "version": "2"})])
            journal.close()
            page = browser.new_page(viewport={"width": 390, "height": 844})
            page.goto(f"{own.url}replay")
            expect(page.locator("#games li")).to_have_count(50)
            expect(page.locator("#library-count")).to_have_text("1 to 50 of 121 games")
            expect(page.locator("#page-back")).to_be_disabled()
            # Why something failed is in view, and stays: it stood below all games, or was gone at once.
            refused = {"status": 409, "json": {"error": "the disk is full"}}
            for tried in ("**/api/exports/*", "**/api/games/*"):
                page.route(tried, lambda route: route.fulfill(**refused))
            page.once("dialog", lambda d: d.accept())
            for does, last in (("Export", "/api/exports/"), ("Delete", "/api/games?")):
                with page.expect_response(re.compile(re.escape(last))):
                    page.get_by_role("button", name=does).first.click()
                # What was answered is drawn before anything that is asked later.
                page.evaluate("fetch('/api/games?first=0&count=50').then((answer) => answer.json())")
                expect(page.locator("#library-said")).to_have_text("The disk is full")
                expect(page.locator("#library-said")).to_be_in_viewport(ratio=1)
                page.locator("#library-said").evaluate("node => node.textContent = ''")
            page.unroute_all()
            expect(page.locator("#games .missing")).to_contain_text("the rules of far_edge are not at hand")
            page.get_by_role("button", name="Older games").click()
            expect(page.locator("#library-count")).to_have_text("51 to 100 of 121 games")
            page.get_by_role("button", name="Older games").click()
            expect(page.locator("#games li")).to_have_count(21)
            expect(page.locator("#page-on")).to_be_disabled()
            page.reload()
            expect(page.locator("#library-count")).to_have_text("101 to 121 of 121 games")
            page.get_by_label("Player, game or table").fill("chloe attic")
            expect(page.locator("#library-count")).not_to_contain_text("of")
            for text in page.locator("#games li").all_text_contents():
                assert "Chloé" in text
                assert "Attic" in text
            page.get_by_label("Player, game or table").fill("")
            page.get_by_label("From", exact=True).fill("2020-01-01")
            page.get_by_label("to", exact=True).fill("2020-12-31")
            wait_until("that year alone", lambda: "2020" in page.locator("#games li").first.inner_text())
            assert "since=2020-01-01" in page.url
            page.get_by_label("Player, game or table").fill("nobody")
            expect(page.locator("#library-none")).to_have_text("No game matches.")
            page.close()

    def test_a_day_that_cannot_be_read_is_told(self, shown: Shown, browser: Browser) -> None:
        """It threw on the page: in browsers without a date field, and in all where the address held it."""
        page, thrown = browser.new_page(), []
        page.on("pageerror", lambda error: thrown.append(str(error)))
        page.goto(f"{shown.url}replay?since=31.5.2026")
        expect(page.locator("#games li")).to_have_count(1)
        since = page.get_by_label("From", exact=True)
        since.evaluate("field => { field.type = 'text'; }")
        since.fill("31.5.2026")
        told = "“31.5.2026” is not read as a day: expected year, month and day, as in 2026-05-31."
        expect(page.locator("#library-said")).to_have_text(told)
        since.fill("2099-05-31")
        expect(page.locator("#library-said")).to_be_empty()
        expect(page.locator("#library-none")).to_have_text("No game matches.")
        assert thrown == []
        page.close()

    def test_what_was_set_up_and_not_begun_is_called_so(self, tmp_path: Path, browser: Browser) -> None:
        """Whoever ends a game and stops tableref then has stopped in the middle of nothing."""
        with showing(tmp_path) as own:
            text = TABLE.read_text(encoding="utf-8")
            begun = Entry("match.begin", None, "It begins.", {"game": "white_line_fever", "version": "1"})
            for name, entries in (("Set up", ()), ("Played", (begun,))):
                record = own.library.add(GameRecord.new(text, name=name))
                journal = own.library.journal(record.id)
                journal.append([*entries, Entry(STOPPED, None, "tableref was stopped.")])
                journal.close()
            page = browser.new_page(viewport={"width": 390, "height": 844})
            page.goto(f"{own.url}replay")
            for name, stands in (("Set up", "set up, and not begun"), ("Played", "stopped in the middle")):
                expect(page.locator("#games li", has_text=name).last).to_contain_text(stands)
            page.close()

    def test_deleting_asks_first(self, tmp_path: Path, browser: Browser) -> None:
        with showing(tmp_path) as own:
            page = browser.new_page()
            page.goto(f"{own.url}replay")
            said = []
            page.once("dialog", lambda d: (said.append(d.message), d.dismiss()))
            page.get_by_role("button", name="Delete").click()
            expect(page.locator("#games li")).to_have_count(1)
            page.once("dialog", lambda d: d.accept())
            page.get_by_role("button", name="Delete").click()
            expect(page.locator("#games li")).to_have_count(0)
            expect(page.locator("#library-none")).to_be_visible()
            page.close()
        assert "Thursday" in said[0]


@pytest.mark.parametrize("torn", [b"", b"\xff\xd8\xff\xe0 torn"])
def test_a_still_that_a_power_cut_has_torn_is_none(tmp_path: Path, samples: Path, torn: bytes) -> None:
    """And whatever wants to show it goes on without it."""
    made = record_drawn(tmp_path, samples, 3.0)
    for still in (tmp_path / "pictures" / made.id / "stills").glob("*.jpg"):
        still.write_bytes(torn)
    with Library.open(tmp_path) as library:
        reader = library.reader(made.id)
        assert reader.stills()
        assert pictures_of(reader)(reader.stills()[0]) is None
        assert [c.photo for c in tell(reader).chapters if c.photo] == []
        with pytest.raises(TableRefError, match="no picture within"):
            reopened(reader, RULINGS, 1.0, about("Red 1", "Blue 1", "Machine Gun"))


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00"), (59.99, "0:59"), (3600, "1:00:00"), (14400, "4:00:00")]
)
def test_times_as_on_a_clock(seconds: float, words: str) -> None:
    assert clock(seconds) == words


# Stills and video


@pytest.fixture(scope="module")
def game(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> made.MadeGame:
    game = made.recorded_round(tmp_path_factory.mktemp("games"), samples)
    # A second segment as a crash leaves it: cut off in the middle of a fragment.
    folder = game.folder / "pictures" / game.id / "video"
    writer = VideoWriter(folder, VideoWish(96, 10))
    for k in range(45):
        writer.add(np.full((96, 160, 3), 5 * k, np.uint8), 60 + k / 10)
    part = next(folder.glob("*.part.mp4"))
    shutil.copy(part, folder / "cut")
    writer.close()
    next(folder.glob("0000060000-*")).unlink()
    part.write_bytes((folder / "cut").read_bytes()[:-50])
    return game


@pytest.fixture(scope="module")
def url(game: made.MadeGame) -> Iterator[str]:
    source = HandMoved()
    with Library.open(game.folder) as library:
        live = Runner(source, KnowsAll(source))
        with PageServer(
            live, Rulings.by_book(None), listen(port=0), routers=[pictures_router(library)]
        ) as server:
            yield server.address


def picture(answer: httpx.Response) -> np.ndarray:
    assert answer.headers["content-type"] == "image/jpeg"
    return cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)


def test_stills_and_frames(url: str, game: made.MadeGame) -> None:
    with httpx.Client(base_url=f"{url}api/games/{game.id}/", timeout=120) as client:
        assert picture(client.get("stills/1.jpg")).shape == (1080, 1920, 3)
        assert picture(client.get("frame.jpg", params={"t": 2.0})).shape == (360, 640, 3)
        for nothing in ("stills/999.jpg", "frame.jpg?t=5000", "video/7.mp4"):
            answer = client.get(nothing)
            assert (answer.status_code, bool(answer.json()["error"])) == (404, True)
    assert httpx.get(f"{url}api/games/nobody/video", timeout=120).status_code == 404


def test_a_segment_is_given_in_parts(url: str, game: made.MadeGame) -> None:
    first, second = httpx.get(f"{url}api/games/{game.id}/video", timeout=120).json()
    assert (first["whole"], second["whole"]) == (True, False)
    whole = httpx.get(url.rstrip("/") + first["url"])
    assert whole.headers["content-type"] == "video/mp4"
    part = httpx.get(url.rstrip("/") + first["url"], headers={"range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, whole.content[100:200])


PLAYS = """async (url) => {
  const video = document.createElement("video");
  video.muted = true;
  video.src = url;
  document.body.append(video);
  await new Promise((done, failed) => {
    video.onloadeddata = done;
    video.onerror = () => failed(new Error(video.error.message));
  });
  await video.play();
  await new Promise((done) => { video.ontimeupdate = () => { if (video.currentTime > 0.2) done(); }; });
  const played = video.currentTime;
  video.pause();
  video.currentTime = 2.5;
  await new Promise((done) => { video.onseeked = done; });
  return [played, video.currentTime, video.duration, video.videoHeight];
}"""


def test_a_browser_plays_every_segment_and_seeks_in_it(
    url: str, game: made.MadeGame, browser: Browser
) -> None:
    page = browser.new_page()
    page.goto(url)
    first, second = httpx.get(f"{url}api/games/{game.id}/video", timeout=120).json()
    played, sought, lasts, high = page.evaluate(PLAYS, first["url"])
    assert played > 0.2
    assert sought == pytest.approx(2.5)
    assert lasts == pytest.approx(first["ends_s"] - first["begins_s"], abs=0.15)
    assert high == 360
    played, sought, _, high = page.evaluate(PLAYS, second["url"])
    assert played > 0.2, "one that a crash has cut off plays, too"
    assert (sought, high) == (2.5, 96)
    page.close()


PATHS = [
    "/api/games/{id}/stills/{number}.jpg", "/api/games/{id}/frame.jpg",
    "/api/games/{id}/video", "/api/games/{id}/video/{begins_ms}.mp4",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_the_interface_keeps_its_word(url: str, path: str) -> None:
    keeps_its_word(url, path, "GET", volume(10, 100))


BROKEN = [
    {"kind": "play.setup", "data": {}}, {"kind": "play.setup", "data": {"draft": 7}},
    {"kind": "match.begin", "data": {}}, {"kind": "match.begin", "data": {"event": [1]}},
    {"kind": "match.begin", "data": {"game": {}, "event": {"kind": "begin"}}},
    {"kind": "match.undo", "data": {"event": {}}}, {"kind": "match.action", "data": {"event": None}},
    {"kind": "ruling", "data": {}}, {"kind": "ruling", "data": {"asked": 3, "verdict": {}}},
    {"kind": "dispute.opened", "data": {"id": "a", "at_s": "x"}},
    {"kind": "dispute.opened", "data": {"id": "a", "at_s": 1, "question": 3, "decision": []}},
    {"kind": "camera.settled", "data": {"piece": 3}}, {"kind": "table.modes", "data": {"modes": 3}},
    {"kind": "question.modes", "data": {}}, {"kind": "", "data": {"at": {}}},
]  # fmt: skip


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """A library of its own, for games that are no longer as they were recorded."""
    with showing(tmp_path_factory.mktemp("damaged")) as one:
        yield one


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_an_entry_that_tableref_never_wrote_is_no_fault_of_the_server(
    damaged: Shown, tmp_path: Path, broken: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    library, name = damaged.library, record_game(damaged.library)
    last = list(library.reader(name).entries())[-1]
    row = {"game": name, "number": last.number + 1, "at_s": last.at_s, "wall": last.wall.isoformat()}
    with library.writing() as connection, connection.begin():
        row |= {"words": "", "kind": broken["kind"], "data": json.dumps(broken["data"]), "before": ""}
        connection.execute(insert(schema.entry), [row])
    asked = (
        "", "/entries", "/match?t=9", "/coach?t=9", "/sights?t=9&piece=Red 1", "/gunner.svg?t=9&piece=Red 1",
    )  # fmt: skip
    with httpx.Client(base_url=damaged.url, timeout=120) as client:
        for path in asked:
            answer = client.get(f"/api/games/{name}{path}")
            assert answer.status_code < 500, (path, answer.text)
        for form in ("csv", "report", "mcap", "jsonl"):
            answer = client.post(f"/api/exports/{name}?to={form}")
            assert answer.status_code < 500, (form, answer.text)
        assert client.get("/api/games").status_code == 200
    with suppress(TableRefError):
        list(rule_again(library.reader(name)))
    with suppress(TableRefError):
        disputes_of(library.reader(name), tmp_path)


def test_an_export_that_nobody_fetches_goes_with_the_program(
    damaged: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, name = damaged.library, record_game(damaged.library)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    exports = Exports()
    taken, left = (exports.write(library, name, ExportName.CSV) for _ in range(2))
    path = exports.take(taken.address.split("/")[3])
    assert path is not None
    assert path.is_file()
    assert left.name == path.name
    del exports
    gc.collect()
    assert list(tmp_path.iterdir()) == [path.parent]  # it is being sent

"""The match of a recorded game as it stood at any time, and what of one that is still on leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import update
from websockets.sync.client import connect

from engine.boards.points import Points
from engine.game.events import Event, event_to_json
from engine.game.viewing import distances_in
from engine.games.battlecars.state import EVENTS as BATTLECARS
from engine.space.geometry import Region
from engine.space.table import Status, TableState
from server.formats.entries import Entry
from server.recording.library import schema
from server.recording.library.games import Library
from server.recording.matches import BEGIN
from server.replay import match_history, timeline
from server.replay.match_history import MatchHistory
from server.replay.shelf import as_it_stood
from server.replay.timeline import Timeline
from tests.engine.games.shattered_highways.highway import car
from tests.server.conftest import Socket
from tests.server.page.evenings import photograph
from tests.server.play.test_gate import BOOK, FAR, Hidden, hide
from tests.server.playback import record_game
from tests.server.replay.test_rerule import played
from tests.server.replay.test_routes import Shown, showing
from tests.server.seams.evening import evening


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    with showing(tmp_path_factory.mktemp("games")) as one:
        yield one


@pytest.fixture(scope="module")
def match(shown: Shown) -> str:
    """A match of one manoeuvre and one shot, its entries a second apart from the twelfth on."""
    id = played(shown.library)
    reader = shown.library.reader(id)
    first = next(reader.entries([BEGIN])).number
    e = schema.entry.c
    with shown.library.writing() as connection, connection.begin():
        late = update(schema.entry).where(e.game == id, e.number >= first)
        connection.execute(late.values(at_s=12.0 + (e.number - first) / 10))
    return id


def test_armour_speeds_and_whose_turn_it_was_then(shown: Shown, match: str) -> None:
    reader = shown.library.reader(match)
    events = {e.kind.removeprefix("match."): e.at_s for e in reader.entries(["match."])}
    history = MatchHistory(reader)
    assert history.at(5.0)[0].game is None
    with httpx.Client(base_url=shown.url, timeout=120) as client:

        def then(at_s: float) -> Any:
            return client.get(f"/api/games/{match}/match", params={"t": at_s}).json()

        before, ended = then(5.0), then(events["round"])
        assert (before["status"], before["sheets"]) == (None, [])
        assert before["until_s"] is not None
        assert ended["status"]["player"] == "Anna"
        assert ended["colours"]["Anna"].startswith("#")
        # Whose the pieces are is known before they play.
        assert (before["colours"], before["owners"]) == (ended["colours"], ended["owners"])
        assert [s["piece"] for s in ended["sheets"]] == ["Red 1", "Red 2", "Blue 1", "Blue 2"]
        assert {w["words"] for w in ended["sheets"][0]["widgets"] if "value" in w} == {"Speed"}
        last = then(99.0)
        assert last["until_s"] is None
        assert last["status"]["piece"] == "Red 1"
        # A game that is over is asked from one change to the next, and each time once.
        at_s, changes = 0.0, 0
        while (found := then(at_s))["until_s"] is not None:
            assert found["until_s"] > at_s >= found["since_s"] or changes == 0
            at_s, changes = found["until_s"], changes + 1
        assert changes > 5
        assert client.get("/api/games/nothing/match", params={"t": 1}).status_code == 404


def test_the_page_shows_it(shown: Shown, match: str, browser: Browser) -> None:
    for width in (1280, 390):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(f"{shown.url}replay?game={match}&t=99")
        expect(page.locator("#turn")).to_contain_text("Anna drives")
        expect(page.locator("#order li[data-drives=true]")).to_contain_text("Anna")
        page.locator("#sheets-fold summary").click()
        expect(page.locator("#sheets .sheet")).to_have_count(4)
        expect(page.locator("#sheets .sheet[data-current=true] .pip[data-on=true]")).to_have_text("3")
        assert page.locator("#sheets .edit").count() == 0, "a record is not marked by hand"
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.locator("#at").fill("2")
        expect(page.locator("#match")).to_be_hidden()
        page.close()


ROAD = """() => {
  document.getElementById("road").hidden = false;
  document.getElementById("road-drawing").setAttribute("viewBox", "-1 -25 50 26");
  document.getElementById("road-words").textContent = "The road has not rolled on yet.";
  document.getElementById("road-covered").innerHTML = "<li><strong>Blue 1</strong> 24.0″</li>".repeat(6);
}"""


def test_no_panel_covers_another(shown: Shown, match: str, browser: Browser) -> None:
    """The table, the road below it and the line of time; in a low window they scroll."""
    for width, height in ((1366, 768), (1366, 560), (390, 844)):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{shown.url}replay?game={match}&t=99")
        expect(page.locator("#turn")).to_contain_text("Anna drives")
        page.evaluate(ROAD)
        boxes = [page.locator(f"#{id}").bounding_box() for id in ("stage", "road", "playback")]
        for above, below in pairwise(boxes):
            assert above is not None
            assert below is not None
            assert above["y"] + above["height"] <= below["y"], (width, height)
        page.close()


def test_what_stands_there_from_the_beginning_is_not_told_as_moving() -> None:
    surface = Region.rectangle(0.0, 0.0, 48.0, 48.0)
    first = [car("Red 1", 10.0, 10.0), car("Blue 1", 20.0, 10.0), car("Blue 2", 30.0, 10.0)]
    seen = TableState.of(surface, [replace(s, status=Status.MOVING) for s in first])
    later = TableState.of(surface, [first[0], car("Blue 1", 22.0, 10.0)])
    told = {s.name: s.status.value for s in as_it_stood(seen, later).standings}
    assert told == {"Red 1": "still", "Blue 1": "moving", "Blue 2": "moving"}


def test_what_lies_on_the_table_besides_the_pieces_is_drawn(tmp_path: Path, browser: Browser) -> None:
    """A counter that no piece stands for: it is on the board from the moment on at which it was dropped."""
    with evening(tmp_path, "battlecars") as one:
        while one.state.kept is None:
            one.step()
        vehicle = next(v for v in one.state.vehicles if any(m.rounds for m in v.mounts))
        mount = next(m for m in vehicle.mounts if m.rounds)
        laid = {"vehicle": vehicle.name, "mount": mount.name, "token": "Oil 1", "sort": mount.rounds[0]}
        event = BATTLECARS.told("laid", "Oil 1 is dropped", "", laid | {"cell": [4, 5]})
        action = Event("action", {}, "It drops Oil", "")
        one.seconds += 5.0
        one.journal.clock.see(one.seconds)
        told = ((f"match.{e.kind}", {"event": event_to_json(e)}, e.words) for e in (action, event))
        one.journal.append([Entry(kind, None, words, data) for kind, data, words in told])
        at_s, id = one.now, one.game
    with showing(tmp_path) as shown:
        with httpx.Client(base_url=shown.url, timeout=120) as client:

            def tokens(at_s: float) -> list[str]:
                match = client.get(f"/api/games/{id}/match", params={"t": at_s}).json()
                assert {mark["role"] for mark in match["marks"]} <= {"token", "cell", "current"}
                return [mark["words"] for mark in match["marks"] if mark["role"] == "token"]

            assert tokens(at_s - 1.0) == []
            assert tokens(at_s) == ["Oil 1"]
        for width in (1366, 390):
            page = browser.new_page(viewport={"width": width, "height": 844})
            page.goto(f"{shown.url}replay?game={id}&t={at_s}")
            expect(page.locator("#drawing .marked circle.token")).to_have_count(1)
            photograph(page, f"replay-oil-{width}")
            page.locator("#at").fill("0")
            expect(page.locator("#drawing .marked circle.token")).to_have_count(0)
            page.close()


def test_what_is_only_said_again_is_told_once(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        id = record_game(library)
        journal = library.journal(id)
        for k in range(7):
            data = {"draft": {"players": [], "pieces": [], "answers": {"k": k}}}
            journal.append([Entry("play.setup", None, "The game is being set up.", data)])
        journal.append([Entry("play.seat", None, "Anna has sat down.", {"player": "Anna"})])
        journal.close()
        line = Timeline(library.reader(id))
        told = [t.words for t in line.until(99.0, 50)]
        assert told.count("The game is being set up.") == 1
        assert told[-1] == "Anna has sat down."
        assert len(line.after(0)) == len(line), "the entries themselves are all there"


BOARD3 = replace(hide(), board=lambda _state, _table_board: Points(3, 3, 12.0))
"""Hidden distances, played on a board of its own, and a word for one player alone."""


@pytest.fixture
def hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    """A game that goes on, by a book that hides distances."""
    for module in (match_history, timeline):
        monkeypatch.setattr(module, "game_or_unknown_of", lambda _: BOARD3)
    with showing(tmp_path) as one:
        with one.library.writing() as connection, connection.begin():
            connection.execute(update(schema.game).values(ended=None))
        journal = one.library.journal(one.game)
        journal.clock.see(12.0)
        secret = Event("drawn", {}, "Anna draws the joker", BOOK, audience=("Anna",), public="Anna draws")
        alone = replace(secret, words="Only Anna knows", public="")
        for event in (Event("begin", {}, f"RED1 is {FAR} away", BOOK, tone="turn"), secret, alone):
            data = {"event": event_to_json(event), "game": "hide", "version": "1"}
            journal.append([Entry(f"match.{event.kind}", None, event.words, data)])
        yield one
        journal.close()


def everything(shown: Shown) -> str:
    """All that the replay of a game tells, by every way."""
    game = f"/api/games/{shown.game}"
    with httpx.Client(base_url=shown.url, timeout=120) as client:
        asked = ("", "/entries", "/match?t=99")
        told = [client.get(f"{game}{path}").text for path in asked]
    return "\n".join([*told, at_the_end(shown)])


def at_the_end(shown: Shown) -> str:
    """What a page is told that looks at the end of the game."""
    address = shown.url.replace("http", "ws") + f"ws/replay?game={shown.game}"
    with connect(address) as connection:
        socket, told = Socket(connection), []
        socket.send(type="seek", at_s=99.0)
        while "camera.gap" not in str(told) and "Nothing was seen" not in str(told):
            told.append(socket.hear(timeout=120))
    return json.dumps(told, ensure_ascii=False)


def test_a_running_game_tells_no_hidden_distance_and_no_secret(hidden: Shown) -> None:
    told = everything(hidden)
    assert "RED1 is … of 10" in told
    assert "Anna draws" in told
    assert not [d for d in distances_in(told) if d.startswith("8.42")]
    assert "joker" not in told
    assert "Only Anna knows" not in told


def test_once_it_is_over_all_is_told(hidden: Shown) -> None:
    hidden.library.finish(hidden.game)
    told = everything(hidden)
    assert "8.42" in told
    assert "Anna draws the joker" in told


def test_the_board_is_that_of_the_match(hidden: Shown) -> None:
    hidden.library.finish(hidden.game)
    one = match_history.MatchHistory(hidden.library.reader(hidden.game))
    game, state = one.played(99.0, BOARD3)
    assert isinstance(state, Hidden)
    assert isinstance(game.board(state, Points(2, 2, 1.0)), Points)
    told = at_the_end(hidden)
    assert '"dots": [[' in told


def test_rules_that_fail_leave_the_record_to_be_looked_at(
    hidden: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Hidden:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(type(BOARD3.events), "apply", broken)
    with httpx.Client(base_url=hidden.url, timeout=120) as client:
        told = client.get(f"/api/games/{hidden.game}/match", params={"t": 99}).json()
    assert "not at hand: division by zero" in told["status"]["who"]

"""The coach of a replay: what could have been done at a moment, told by the server and drawn by the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import update

from server.recording.library import schema
from server.recording.matches import BEGIN, game_of
from server.replay import coaching
from server.replay.match_history import MatchHistory
from server.replay.shelf import OpenGame
from server.replay.timeline import Timeline
from tests.server.page.evenings import photograph
from tests.server.playback import BEGAN
from tests.server.replay.test_match_history import hidden as hidden  # noqa: PLC0414 - a fixture
from tests.server.replay.test_rerule import driven, played
from tests.server.replay.test_routes import Shown, showing
from tests.server.seams.evening import GAMES, evening
from tests.volume import volume

WIDTHS = (1366, 390)


def spread(shown: Shown, id: str) -> str:
    """The match's entries a tenth of a second apart, so that each moment can be asked for."""
    first = next(shown.library.reader(id).entries([BEGIN])).number
    e = schema.entry.c
    with shown.library.writing() as connection, connection.begin():
        late = update(schema.entry).where(e.game == id, e.number >= first)
        connection.execute(late.values(at_s=12.0 + (e.number - first) / 10, source_s=None))
    return id


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    with showing(tmp_path_factory.mktemp("games")) as one:
        yield one


@pytest.fixture(scope="module")
def shot(shown: Shown) -> str:
    """A match of one manoeuvre that was typed and one shot."""
    return spread(shown, played(shown.library))


@pytest.fixture(scope="module")
def pushed(shown: Shown) -> str:
    """A match in which the camera saw Red 1 pushed five inches."""
    return spread(shown, driven(shown.library))


def asked(shown: Shown, game: str, at_s: float, **more: str) -> dict[str, Any]:
    with httpx.Client(base_url=shown.url, timeout=120) as client:
        answer = client.get(f"/api/games/{game}/coach", params={"t": at_s, **more})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def before(shown: Shown, game: str, kind: str) -> float:
    """The game's time just before the last action of a kind."""
    entries = shown.library.reader(game).entries(["match.action"])
    return [e.at_s for e in entries if e.data["event"]["data"]["kind"] == kind][-1] - 0.05


def test_a_drive_beside_those_that_could_have_been_driven(shown: Shown, pushed: str) -> None:
    told = asked(shown, pushed, before(shown, pushed, "move"))
    assert told["player"] == "Anna"
    did, best = told["did"], told["best"]
    assert did["piece"] == "Red 1"
    assert "Maneuver of Red 1" in did["words"]
    assert "straight 5.0" in did["words"]
    # From where the car stood before it was pushed: at 8 inches, and five on.
    middle = [sum(p[k] for p in did["outline"]) / len(did["outline"]) for k in (0, 1)]
    assert middle == pytest.approx([13.0, 10.0], abs=1.0)
    assert len(best) == 3
    assert all(one["outline"] and one["nose"] and one["leads_to"] for one in best)
    assert [one["better"] for one in best] == sorted((one["better"] for one in best), reverse=True)
    assert all("what was done" in one["worth_words"] for one in best)
    assert told["since_s"] < told["until_s"]
    # To name the car is no alternative to driving it: asked before that, it is the drive that counts.
    assert asked(shown, pushed, before(shown, pushed, "choose"))["did"]["words"] == did["words"]
    assert "cm" in asked(shown, pushed, before(shown, pushed, "move"), unit="cm")["best"][0]["words"]


def test_a_shot_beside_what_else_could_have_been_done(shown: Shown, shot: str) -> None:
    told = asked(shown, shot, before(shown, shot, "shoot"))
    assert "shoot at Blue 1" in told["did"]["words"]
    assert len({one["words"] for one in told["best"]}) == len(told["best"]) == 3
    assert told == asked(shown, shot, before(shown, shot, "shoot")), "the same every time"
    last = asked(shown, shot, 99.0)
    assert last["did"] is None
    assert "than how it stood" in str(last["best"])


@pytest.mark.parametrize("name", GAMES)
def test_nothing_else_is_told_as_done(name: str, tmp_path: Path) -> None:
    """Not what the same player did later in that turn, either."""
    told: list[tuple[Any, Any]] = []
    for seed in range(3, volume(4, 9)):
        with evening(tmp_path / str(seed), name, seed=seed) as one:
            for _ in range(40):
                if not one.over:
                    one.step()
            reader, history = one.library.reader(one.game), MatchHistory(one.library.reader(one.game))
            timeline = Timeline(reader, lambda: False, lambda: True)
            open_game = OpenGame(reader, timeline, history, game_of(reader), lambda _question: None)
            views = [coaching.coach_view(open_game, e.at_s - 0.05) for e in reader.entries(["match.action"])]
        told += [(view.did, other) for view in views if view.did for other in view.best if other.done]
    assert told
    assert [(did.words, other.words) for did, other in told if abs(other.better) > 0.005] == []


def test_where_nothing_is_to_be_told(shown: Shown, shot: str) -> None:
    assert asked(shown, shot, 1.0)["words"] == "No match was on at this moment."
    with httpx.Client(base_url=shown.url, timeout=120) as client:
        assert client.get("/api/games/nothing/coach", params={"t": 1}).status_code == 404
        assert client.get(f"/api/games/{shot}/coach", params={"t": -1}).status_code == 422
    # While it can go on: nothing of what waits to be done.
    _ended(shown, shot, None)
    with httpx.Client(base_url=shown.url, timeout=120) as client:
        waits = client.get(f"/api/games/{shot}/coach", params={"t": 99})
    assert waits.status_code == 409
    assert "nothing has been done here yet" in waits.json()["error"]
    assert asked(shown, shot, before(shown, shot, "shoot"))["did"]
    _ended(shown, shot, BEGAN)


def _ended(shown: Shown, game: str, when: datetime | None) -> None:
    with shown.library.writing() as connection, connection.begin():
        connection.execute(update(schema.game).where(schema.game.c.id == game).values(ended=when))


def test_hidden_distances_wait_until_the_game_is_over(hidden: Shown) -> None:
    with httpx.Client(base_url=hidden.url, timeout=120) as client:
        answer = client.get(f"/api/games/{hidden.game}/coach", params={"t": 5})
        assert answer.status_code == 409
        assert "once it is over" in answer.json()["error"]
        hidden.library.finish(hidden.game)
        assert client.get(f"/api/games/{hidden.game}/coach", params={"t": 99}).status_code == 200


def test_rules_that_fail_in_thought_are_said_so(
    shown: Shown, shot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(coaching, "ADVISES", broken)
    told = asked(shown, shot, before(shown, shot, "shoot"))
    assert (told["words"], told["best"]) == ("This position could not be thought through.", [])


def test_the_page_asks_only_when_it_is_told_to(
    shown: Shown, pushed: str, browser: Browser, tmp_path: Path
) -> None:
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 844})
        calls: list[str] = []
        page.on("request", lambda request, calls=calls: calls.append(request.url))
        page.goto(f"{shown.url}replay?game={pushed}&t={before(shown, pushed, 'move'):.2f}")
        expect(page.locator("#turn")).to_contain_text("Anna")
        assert not [url for url in calls if "/coach?" in url]
        page.click("#coach-ask")
        lines = page.locator("#coach-list .line")
        expect(lines).to_have_count(4)
        expect(lines.nth(0)).to_contain_text("Done")
        # What was done and the best are drawn together, each named and told apart.
        signs, places = page.locator(".labels text.shape"), page.locator(".coach polygon.place")
        expect(signs.filter(has_text=re.compile("^(Done|1)$"))).to_have_count(2)
        expect(places).to_have_count(2)
        strokes = places.evaluate_all("all => all.map((one) => getComputedStyle(one).stroke)")
        assert strokes[0] != strokes[1]
        lines.nth(2).click()
        expect(lines.nth(2)).to_have_attribute("aria-pressed", "true")
        expect(signs.filter(has_text=re.compile("^(Done|2)$"))).to_have_count(2)
        lines.nth(0).click()
        expect(signs.filter(has_text=re.compile("^(Done|1)$"))).to_have_count(2)
        page.locator("#stage").scroll_into_view_if_needed()
        photograph(page, f"coach-replay-{width}")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("document.getElementById('rate').offsetHeight") >= 44
        lines.nth(1).scroll_into_view_if_needed()
        page.screenshot(path=tmp_path / f"coach-{width}.png")
        # Another moment: the answer was not about that one.
        page.locator("#at").fill("2")
        expect(lines).to_have_count(0)
        expect(page.locator(".coach polygon")).to_have_count(0)
        page.close()

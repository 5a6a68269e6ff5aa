"""The sample game, found in its folder alone, is chosen, played by two phones and ended in Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from engine.game.registry import games_from
from engine.game.showing import Viewer
from engine.space.geometry import Pose
from server.web.authentication import COOKIE
from tests.server.gaming import DRAFT, Table, gaming

SAMPLE = Path(__file__).parents[3] / "samples" / "own-game"
PIECES = [{"name": "RED1", "owner": "Anna", "answers": {}}, {"name": "BLUE1", "owner": "Ben", "answers": {}}]


@contextmanager
def phone(browser: Browser, table: Table, player: str, heard: list[str]) -> Iterator[Page]:
    """A player's phone that has taken its seat; what the server tells it is kept in `heard`."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    issued = table.server.authenticator.issue("player")
    context.add_cookies([{"name": COOKIE, "value": issued, "url": table.url}])
    page = context.new_page()
    page.on("pageerror", lambda error: heard.append(f"pageerror {error}"))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    page.goto(f"{table.url}play")
    page.locator("#now").get_by_role("button", name=player).click()
    expect(page.locator("#me")).to_contain_text(player)
    yield page
    context.close()


def choose(page: Page, inches: int) -> None:
    page.locator("#now .rule input").fill(str(inches))
    page.locator("#now").get_by_role("button", name="Choose how far to go").click()


def test_far_edge_is_played_to_its_end(browser: Browser) -> None:
    told: dict[str, list[str]] = {"Anna": [], "Ben": []}
    with games_from(str(SAMPLE)), gaming(screen=True) as table, table.joined() as owner:
        owners = browser.new_page(viewport={"width": 1440, "height": 900})
        owners.goto(f"{table.url}play")
        owners.locator("#now").get_by_role("button", name="Far Edge").click()
        expect(owners.get_by_text("Inches to the far edge")).to_be_visible()
        owner.done(
            type="setup", draft={**DRAFT, "game": "far_edge", "pieces": PIECES, "answers": {"length": 12}}
        )
        table.source.move("RED1", Pose(6, 10, 0))
        table.source.move("BLUE1", Pose(6, 20, 0))
        owners.click("#begin")
        with (
            phone(browser, table, "Anna", told["Anna"]) as anna,
            phone(browser, table, "Ben", told["Ben"]) as ben,
        ):
            for k, (hers, his) in enumerate(((5, 2), (6, 3), (4, 1))):
                choose(anna, hers)
                expect(ben.locator("body")).to_contain_text("Anna has chosen")
                assert not any(f'"inches": {hers}' in text for text in told["Ben"][-3:])
                choose(ben, his)
                expect(owners.locator("#turn")).to_contain_text("won" if k == 2 else f"Round {k + 2}")
                # What stood before the choice may be an object of its own.
                match = table.host.match
                assert match is not None
                for ghost in match.game.ghosts(match.state, table.host.seeing.now(table.host.owners)):
                    assert ghost.pose is not None
                    table.source.move(ghost.piece, Pose(*ghost.pose))
            assert match.game.status(match.state, Viewer()).winner == "Anna"
            expect(anna.locator("#turn")).to_contain_text("Anna has won")
        owners.close()
    messages = [json.loads(text) for texts in told.values() for text in texts if text.startswith("{")]
    assert {m["type"] for m in messages} >= {"play"}
    assert not any(text.startswith("pageerror") for texts in told.values() for text in texts)


def test_the_owner_sees_whose_each_choice_is(browser: Browser) -> None:
    """Both choose in the same words: on the owner's page each stands with its player."""
    with games_from(str(SAMPLE)), gaming(screen=True) as table, table.joined() as owner:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"{table.url}play")
        owner.done(type="setup", draft={**DRAFT, "game": "far_edge", "pieces": PIECES, "answers": {}})
        owner.done(type="begin")
        for player in ("Anna", "Ben"):
            choice = f"{player}: Choose how far to go"
            page.locator("#now").get_by_text(choice, exact=True).click()
            expect(page.get_by_role("button", name=f"{choice}, in secret")).to_be_visible()
        page.close()

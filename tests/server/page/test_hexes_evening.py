"""A race on printed hexes in Chromium: four phones and the big screen, from a Speed check to icons tapped.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from engine.space.geometry import Pose
from tests.server.fakes import wait_until
from tests.server.gaming import Player
from tests.server.page.evenings import (
    LAPTOP,
    PHONE,
    SCREEN,
    Evening,
    Figure,
    counted,
    deed,
    dice_asked,
    fits,
    into_view,
    opened,
    photograph,
    roll,
    says,
    set_up,
    take,
    tap,
    tells_all,
)

PIECES = {
    "Anna": ("Red 1", "Chariot", "#c8322b"),
    "Ben": ("Blue 1", "Steamer", "#2f6fd0"),
    "Cem": ("Green 1", "War Beast", "#2e8b57"),
    "Dora": ("Gold 1", "Racer", "#c99a1e"),
}
"""Each player's vehicle, its type, and its colour."""


def begin(evening: Evening, owner: Player) -> None:
    """Four chariots with a rolling start and no truce; every one is put on its place of the grid."""
    wait_until("the first picture", lambda: evening.live.moment is not None)
    players = [(player, colour) for player, (_, _, colour) in PIECES.items()]
    pieces = [(name, whose, {"type": kind}) for whose, (name, kind, _) in PIECES.items()]
    set_up(owner, "Frothy Races", players, pieces, circuit="oval", rolling=True, truce=False)
    owner.done(type="begin")
    owner.done(type="act", kind="start", data={}, dice=[6, 5, 4, 3])
    state = evening.host.match.state  # type: ignore[union-attr]
    evening.put_all({v.name: state.board.pose_of(v.cell, v.facing) for v in state.vehicles})


def checks(anna: Page, ben: Page, owner: Player) -> None:
    """Anna plays a card on her phone, taps her dice and keeps two of them; for others her hand is a count."""
    says(anna, "#pin", "decelerate, no card")
    photograph(anna, "race-check")
    # Cards and which way are one tap; by hand the way is chosen last, and nothing rolls without it.
    expect(deed(anna, "check")).to_have_count(0)
    expect(anna.locator('[data-field="way"] .pick')).to_have_count(2)
    tap(anna.locator('#pin [data-ready="accelerate, 1 Whip card"]'))
    dice_asked(anna, 3)
    photograph(anna, "race-numbers")
    roll(anna, "1", "0", "0")
    # One tap: it says what it leads to, and is done.
    tap(anna.locator('[data-option="keep"] .pick', has_text="Speed").first)
    ben.locator('[data-sheet="Red 1"] .opens').click()
    expect(ben.locator('[data-sheet="Red 1"]')).to_contain_text("7 hidden")
    for player, (name, *_) in list(PIECES.items())[1:]:
        owner.done(type="act", kind="check", player=player, data={"vehicle": name}, dice=["0", "0"])


def attacks(evening: Evening, anna: Page, ben: Page, screen: Page, heard: list[str]) -> None:
    """Cards of an attack are chosen in secret; nobody hears them before the reveal, then icons are tapped."""
    says(screen, "#turn", "Anna moves Red 1")
    tap(anna.locator("#now", has_text="Personal attack on Blue 1").locator('[data-kind="attack"]').first)
    says(ben, "#pin", "Choose cards")
    photograph(anna, "race-secret")
    tap(anna.locator('#pin [data-ready="1 Whip card"]'))
    says(ben, "#now", "Anna has chosen")
    (secret,) = evening.host.match.secrets  # type: ignore[union-attr]
    assert any("Anna has chosen" in text and "Blue 1" in text for text in heard)
    chosen = json.dumps(secret.data["cards"]).replace(" ", "")
    assert "Whip" in chosen
    assert not any(secret.salt in text or chosen in text.replace(" ", "") for text in heard)
    tap(deed(ben, "clash").first)
    expect(ben.locator("#ask .dice").first).to_be_visible()
    photograph(ben, "race-dice")
    # Each types their own.
    roll(anna, "3", "3", "2")
    roll(ben, "1")
    says(ben, "#result", "Attack Values")
    says(ben, "#pin", "Roll for control")
    photograph(ben, "race-control")
    tap(ben.locator('#pin [data-ready="1 Reins card"]'))
    dice_asked(ben, 7)
    photograph(ben, "race-icons")
    fits(ben)
    roll(ben, "Slide", "Slide", "Left Spin", "Right Spin", "Slow", "Haste", "Damage")
    says(ben, "#pin", "Discard")
    photograph(ben, "race-outcome")
    expect(ben.locator("#now select")).to_have_count(0)
    tap(ben.locator('[data-option="discard"] .pick').first)
    says(ben, "#result", "slides")


def ghosts(evening: Evening, ben: Page, screen: Page) -> None:
    """What slid has its place drawn, until it stands there."""
    expect(screen.locator(".marked .place:not(.right)")).to_have_count(1)
    photograph(screen, "race-screen")
    photograph(ben, "race-slid")
    v, board = (evening.host.match.state.vehicle("Blue 1"), evening.host.match.state.board)  # type: ignore[union-attr]
    evening.put_all({"Blue 1": board.pose_of(v.cell, v.facing)})
    expect(screen.locator(".marked .place:not(.right)")).to_have_count(0)


def moves(evening: Evening, page: Page, anna: Page, screen: Page, owner: Player, figure: Figure) -> None:
    """A hand pushes the car; between two hexes its player says which, on one it is taken as it lies."""
    board = evening.host.match.state.board  # type: ignore[union-attr]
    v = evening.host.match.state.vehicle("Red 1")  # type: ignore[union-attr]
    here = board.pose_of(v.cell, v.facing)
    evening.put_all({"Red 1": here.compose(Pose(1.5 * board.spacing, 0.0))})
    says(page, "body", "Between two places")
    photograph(page, "race-between")
    # It is asked once, though the move might be accepted without measuring as well.
    ends = anna.locator('[data-field="ends"]')
    expect(ends).to_have_count(1)
    expect(ends.locator(".pick")).to_have_count(2)
    (ahead,) = board.ahead(v.cell, v.facing)
    said = ends.locator(".pick", has_text=board.name_of(ahead))
    said.click()
    expect(said).to_have_attribute("aria-pressed", "true")
    into_view(ends)
    photograph(anna, "race-ends-phone")
    deed(anna, "move").click()
    # What the camera cannot tell is said by the one who moves, and another has to agree.
    (asked,) = owner.shows(lambda s: s["match"]["proposals"])["match"]["proposals"]
    says(anna, "#now", "Proposed")
    owner.done(type="agree", proposal=asked["id"], agrees=True)
    wait_until("the hex that was said", lambda: evening.host.match.state.vehicle("Red 1").cell == ahead)  # type: ignore[union-attr]
    owner.done(type="undo")
    evening.put_all({"Red 1": here})
    page.locator("aside").evaluate("(node) => node.scrollTo(0, 300)")
    evening.put_all({"Red 1": here.compose(Pose(board.spacing, 0.0))})
    expect(page.locator('[data-takes="move"]')).to_be_visible()
    # What is made of the move is seen, wherever the page was scrolled to.
    aside = page.locator("aside")
    wait_until("the verdict to come into view", lambda: aside.evaluate("(node) => node.scrollTop") == 0)
    # At once, not after a while: the button and what stands below it are drawn together.
    now = page.locator("#now").inner_text()
    assert "has not measured" not in now
    assert "has not moved" not in now
    photograph(page, "race-legal")
    photograph(anna, "race-legal-phone")
    with counted(page, "Frothy Races, a move", 1, figure):
        take(page)
    photograph(screen, "race-screen-3")


def test_a_race_night(browser: Browser, tmp_path: Path, figure: Figure) -> None:
    with (
        opened(browser, tmp_path, "hexes") as evening,
        evening.joined() as connection,
    ):
        owner = Player(connection)
        begin(evening, owner)
        heard: list[str] = []
        anna, ben = evening.page(PHONE, "player"), evening.page(PHONE, "player", heard=heard)
        for page, name in ((anna, "Anna"), (ben, "Ben")):
            page.locator(".deed", has_text=name).click()
        screen = evening.page(SCREEN, "spectator", "/screen", heard)
        says(screen, "#turn", "Speed checks")
        with counted(anna, "Frothy Races, a Speed check", 3, figure):
            checks(anna, ben, owner)
        says(screen, "#turn", "phase 1")
        photograph(anna, "race-turn")
        with (
            counted(anna, "Frothy Races, an attack", 3, figure),
            counted(ben, "Frothy Races, an attack suffered, to the end", 8, figure),
        ):
            attacks(evening, anna, ben, screen, heard)
        ghosts(evening, ben, screen)
        tells_all(screen)
        page = evening.page(LAPTOP)
        moves(evening, page, anna, screen, owner, figure)
        for one in (anna, ben, page):
            fits(one)

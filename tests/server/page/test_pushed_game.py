"""The sample of a pushed game on the simulated table in Chromium: a push, a shot, a ram and the end.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

import math
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from engine.game.registry import games_from
from engine.space.geometry import Pose
from tests.server.gaming import Player
from tests.server.page.evenings import (
    LAPTOP,
    PHONE,
    Evening,
    deed,
    fits,
    opened,
    photograph,
    roll,
    says,
    set_up,
    tap,
)

SAMPLE = Path(__file__).parents[3] / "samples" / "own-game"
PLAYERS = (("Anna", "#c8322b"), ("Ben", "#1f6fd0"))
PIECES = (("Red 1", "Anna", {}), ("Blue 1", "Ben", {}))


def choose(page: Page, inches: int) -> None:
    """A speed is chosen in secret."""
    tap(page.locator(f'#now .pick[data-value="{inches}"]'))
    tap(deed(page, "speed"))


def push(evening: Evening, page: Page, name: str, to: Pose, words: str) -> None:
    """A hand pushes a car, and whose it is takes that as it was measured."""
    evening.put_all({name: to})
    says(page, "#guide", "Legal")
    says(page, "#guide", words)
    photograph(page, f"last-bumper-push-{name[:3]}")
    tap(page.locator('[data-takes="push"]'))


def test_last_bumper_is_played_to_its_end(browser: Browser, tmp_path: Path) -> None:
    with games_from(str(SAMPLE)), opened(browser, tmp_path, "duel") as evening, evening.joined() as wire:
        evening.put_all({"Red 1": Pose(15.5, 20.0), "Blue 1": Pose(30.0, 20.0, math.pi)})
        owner = Player(wire)
        set_up(owner, "last_bumper", PLAYERS, PIECES)
        owner.done(type="begin")
        anna, ben = evening.page(LAPTOP, "player"), evening.page(PHONE, "player")
        for page, name in ((anna, "Anna"), (ben, "Ben")):
            page.locator(".deed", has_text=name).click()
        choose(anna, 4)
        says(ben, "#now", "Anna has chosen")
        photograph(ben, "last-bumper-speed")
        choose(ben, 8)
        # He drives first, stops short of her car, and misses it.
        says(ben, "#guide", "up to 8″, turned by 60° at most")
        push(evening, ben, "Blue 1", Pose(22.2, 20.0, math.pi), "straight 7.80″")
        says(ben, "#turn", "Ben may shoot")
        photograph(ben, "last-bumper-shoot")
        tap(deed(ben, "shoot"))
        roll(ben, 4)
        says(anna, "#result", "Blue 1 misses Red 1")
        # She rams him, and is hurt by it.
        push(evening, anna, "Red 1", Pose(19.4, 20.0), "Red 1 rams Blue 1")
        roll(anna, 2)
        says(anna, "#result", "Red 1 rams Blue 1: it has 2 armour left")
        says(ben, "#order", "Anna2 armour")
        says(ben, "#turn", "Blue 1 is pushed away")
        photograph(anna, "last-bumper-ram")
        photograph(ben, "last-bumper-ram-ben")
        evening.put_all({"Blue 1": Pose(23.2, 20.0, math.pi)})
        says(ben, "#turn", "Everybody chooses a speed")
        # A sheet is put right by hand; then her shot decides.
        owner.done(type="overrule", path=["cars", "Blue 1", "armour"], value=1, words="counted again")
        choose(ben, 5)
        choose(anna, 4)
        # His own push begins where he was put.
        push(evening, ben, "Blue 1", Pose(25.2, 20.0, math.pi), "back 2.00″")
        tap(deed(ben, "hold"))
        push(evening, anna, "Red 1", Pose(17.4, 20.0), "back 2.00″")
        says(anna, "#turn", "Anna may shoot")
        says(anna, ".shot", "In sight clear")
        expect(anna.locator('[data-check="In sight"].line')).to_be_visible()
        photograph(anna, "last-bumper-shoot-laptop")
        tap(deed(anna, "shoot"))
        roll(anna, 4)
        for page in (anna, ben):
            says(page, "#turn", "Anna wins")
            fits(page)
            photograph(page, "last-bumper-end")

"""Car Cult on a simulated table in Chromium: two phones and the big screen, from the builder to the last car.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from engine.space.geometry import Pose
from tests.server.fakes import wait_until
from tests.server.page.evenings import (
    LAPTOP,
    PATIENCE_MS,
    PHONE,
    SCREEN,
    Evening,
    Figure,
    counted,
    deed,
    fits,
    into_view,
    nothing_asked,
    opened,
    photograph,
    roll,
    says,
    take,
    tap,
    tells_all,
)
from tests.volume import DEEP

BUILT = {
    "Red 1": {"machinegun": 0, "cannon": 1, "rifle": 0},
    "Blue 1": {"armour": 0, "gutsygunner": 0, "machinegun": 0, "rifle": 0, "mines": 1},
}
"""What is built otherwise than each car is dealt: Red 1 keeps its Armour and its Gunner."""

ENGINES = {"Red 1": "Straight Five", "Blue 1": "Quick Four"}

CREEPS = 15
"""Steps of a hand that pushes slowly."""

TRIES = 8
"""How often a number is typed: the page may be drawn anew while a finger is on its way."""


def answer(form: Locator, name: str, value: int) -> None:
    """A number of a form is typed, until the page holds it."""
    field = form.locator(f'[data-field="{name}"]')
    box = field.locator("input")
    for left in reversed(range(TRIES)):
        box.fill(str(value))
        box.press("Enter")
        try:
            expect(field).to_have_attribute("data-changed", "true", timeout=PATIENCE_MS / TRIES)
            expect(box).to_have_value(str(value), timeout=PATIENCE_MS / TRIES)
        except AssertionError:
            if not left:
                raise
        else:
            return


def build(owner: Page) -> None:
    """The game, players and cars by tapping alone; a cult over the limit is refused with the reason."""
    expect(owner.locator("li.carcard")).to_have_count(2)
    owner.locator('[data-game="car_cult"]').click()
    expect(owner.locator('[data-game="car_cult"]')).to_have_attribute("aria-pressed", "true")
    for name in ("Anna", "Ben"):
        owner.fill('input[name="name"]', name)
        owner.click("text=Add player")
        expect(owner.get_by_label(f"Colour of {name}")).to_be_visible()
    for car, player in (("Red 1", "Anna"), ("Blue 1", "Ben")):
        card = owner.locator(f'li.carcard[data-piece="{car}"]')
        card.locator(".pick", has_text=player).click()
        expect(card).to_have_attribute("data-owned", "true")
        engine = owner.locator(f'[aria-label="Engine of {car}"]')
        engine.locator(".pick", has_text=ENGINES[car]).click()
        for name, value in BUILT[car].items():
            answer(card, name, value)
    rules = owner.locator(".rules")
    answer(rules, "limit", 10)
    says(owner, ".begin", "Anna's cult has 11 zones, 1 over 10")
    expect(owner.locator("#begin")).to_be_disabled()
    into_view(rules)
    photograph(owner, "car-cult-builder")
    answer(rules, "limit", 30)
    says(owner, 'li.carcard[data-piece="Red 1"]', "Anna has 19 of 30 zones left")
    expect(owner.locator("#begin")).to_be_enabled()


def typed_dice(owner: Page) -> None:
    """The players roll, and type what their dice show."""
    owner.click("#modes-open")
    owner.locator("#modes button", has_text="typed").click()
    expect(owner.locator("#modes button", has_text="typed")).to_have_attribute("aria-pressed", "true")
    owner.locator("#modes").get_by_label("Close").click()


def deploy(anna: Page, ben: Page, screen: Page) -> None:
    """Each on their own phone, with 1 and with 2 Speed tokens; who has more of them goes first."""
    answer(anna.locator('[data-option="deploy"]'), "tokens", 1)
    for page in (anna, ben):
        option = page.locator('[data-option="deploy"]')
        option.locator('[data-kind="deploy"]').click()
        expect(option).to_have_count(0)
    says(screen, "#turn", "Ben activates Blue 1")


def activate(page: Page, tokens: tuple[str, ...], shift: int = 0) -> None:
    """The engine keeps its tokens or not, and all the new ones go onto these zones by taps."""
    tap(page.locator('[data-kind="shift"]').nth(shift))
    zones = page.locator('[data-option="allocate"]')
    expect(zones).to_have_count(1)
    photograph(page, "car-cult-tokens")
    for zone in tokens:
        pick = zones.locator(f'.pick[data-value="{zone}"]')
        tap(pick)
        # The last one that may be put does it.
        if zone != tokens[-1]:
            expect(pick).to_have_attribute("aria-pressed", "true")
    expect(zones).to_have_count(0)


def lays_a_mine(evening: Evening, ben: Page) -> None:
    """Ben drives past, and a token is put down on his route."""
    says(ben, "#now", "Minimum 6″, maximum 11″")
    evening.put("Blue 1", 20.0, 24.5, 0)
    evening.put("Mine 1", 15.0, 24.5, 0)
    says(ben, "#guide", "Legal")
    answer(ben.locator('#now [data-option="move"]'), "mines", 1)
    take(ben)
    says(ben, "#log", "Blue 1 lays Mine 1 along its route")
    tap(deed(ben, "done"))


def creeps(evening: Evening, page: Page, name: str, inches: float, words: str) -> None:
    """A hand pushes slowly; the page tells these words on the way, or where the hand pauses last."""
    assert evening.live.moment is not None
    start = evening.live.moment.table.find(name).pose
    for k in range(1, CREEPS + 1):
        before = evening.live.moment.index
        evening.live.move(name, start.compose(Pose(inches * k / CREEPS, 0.0)))
        wait_until("the next picture", lambda n=before: evening.live.moment.index > n)  # type: ignore[union-attr]
        if words in page.locator("#guide").inner_text():
            return
    says(page, "#guide", words)


def drives(evening: Evening, anna: Page, ben: Page) -> None:
    """Through the mud and past the Mine: told on the way and at rest, and the dice follow in order."""
    says(anna, "#now", "Minimum 9″, maximum 12″, drift up to 2″, 2 turns of up to 45°.")
    creeps(evening, anna, "Red 1", 8.5, "inside Mud")
    photograph(anna, "car-cult-way")
    evening.put("Red 1", 15.5, 20.0, 0)
    says(anna, "#guide", "Legal")
    says(anna, "#guide", "inside Mud")
    says(anna, "#guide", "It triggers Mine 1: where, is outlined.")
    fits(anna)
    photograph(anna, "car-cult-move")
    take(anna)
    # The Mine is Ben's: he rolls for it, on his phone.
    for page, why, value in ((anna, "Rough terrain", 15), (ben, "Mine 1 attacks", 20)):
        tap(page.locator("#ask .dice", has_text=why).locator(f'.die[data-value="{value}"]'))
    nothing_asked(anna)
    says(anna, "#log", "Mine 1 hits Red 1")
    # Armour takes both Damage tokens: nobody is asked.
    expect(deed(anna, "damage")).to_have_count(0)


def crashes(evening: Evening, anna: Page, screen: Page, figure: Figure) -> None:
    """Rocks end the move short of the minimum; the owner places the Damage tokens of that."""
    says(anna, "#now", "Minimum 9″, maximum 12″")
    evening.put("Red 1", 22.2, 20.0, 0)
    says(anna, "#guide", "It runs into Rocks.")
    says(anna, "#guide", "2″ short of its minimum.")
    photograph(anna, "car-cult-crash")
    told, before = "on the Straight Five of Red 1", (anna.locator("#log").text_content() or "")
    with counted(anna, "Car Cult, a collision and its damage", 3, figure):
        take(anna)
        for k in (1, 2):
            says(anna, "#now", "Anna places a Damage token on Red 1")
            tap(deed(anna, "damage").filter(has_text="Straight Five"))
            says(screen, "#fleet", f"{9 - k} zones undamaged")
            # The same tap once more counts from when her own page has shown what became of the first.
            expect(anna.locator("#log")).to_have_text(
                re.compile(f"(.*{told}){{{before.count(told) + k}}}", re.DOTALL)
            )


def declares(page: Page, screen: Page) -> None:
    """A target is named without a number to name it by; then that attack is measured and drawn."""
    option = page.locator('[data-option="declare"]')
    says(page, "#now", "No measuring before the target is named.")
    expect(page.locator('[data-check="Range"].line')).to_have_count(0)
    tap(option.locator('.pick[data-value="Blue 1"]'))
    says(page, ".shot .detail", "a part of Blue 1 is in sight")
    says(page, ".shot .detail", "of 24″")
    says(screen, "#turn", "attacks Blue 1 with its Cannon")


def hurts(ben: Page, anna: Page, screen: Page, left: int) -> None:
    """Two Damage tokens of one hit: the owner of the car places the first, the attacker the other."""
    for page, other, component in ((ben, anna, "Quick Four"), (anna, ben, "Mines")):
        says(page, "#now", "places a Damage token on Blue 1")
        expect(deed(other, "damage")).to_have_count(0)
        photograph(page, "car-cult-damage")
        tap(deed(page, "damage").filter(has_text=component))
        left -= 1
        says(screen, "#fleet", f"{left} zone{'s' * (left != 1)} undamaged")


def first_round(evening: Evening, owner: Page, anna: Page, ben: Page, screen: Page, figure: Figure) -> None:
    """A Mine is laid and triggered, and two shots of the Cannon hit."""
    with counted(ben, "Car Cult, a turn without a shot", 4, figure):
        activate(ben, ("Mines · 1",))
        lays_a_mine(evening, ben)
    says(screen, "#turn", "Anna activates Red 1")
    with counted(anna, "Car Cult, tokens and a move through mud past a mine", 8, figure):
        activate(anna, ("Straight Five · 2", "Straight Five · 3", "Cannon · 1", "Cannon · 2"))
        drives(evening, anna, ben)
    with counted(owner, "Car Cult, a shot", 3, figure), counted(ben, "Car Cult, damage", 1, figure):
        shoots(owner, anna, ben, screen)
    tells_all(screen)
    with counted(anna, "Car Cult, a shot with damage", 5, figure):
        declares(anna, screen)
        photograph(anna, "car-cult-attack")
        tap(deed(anna, "fire"))
        expect(anna.locator("#ask .die").first).to_be_visible()
        photograph(anna, "car-cult-dice")
        roll(anna, 20)
        says(anna, "#result", "hits Blue 1")
        photograph(anna, "car-cult-hit")
        hurts(ben, anna, screen, 5)
        tap(deed(anna, "done"))


def shoots(owner: Page, anna: Page, ben: Page, screen: Page) -> None:
    """The first shot, on the owner's page."""
    declares(owner, screen)
    expect(owner.locator('[data-check="Range"].line')).to_be_visible()
    photograph(owner, "car-cult")
    photograph(screen, "car-cult-screen")
    tap(deed(owner, "fire"))
    # What Anna rolls is asked on her phone.
    expect(owner.locator("#ask .waits")).to_contain_text("Anna")
    roll(anna, 20)
    nothing_asked(owner)
    hurts(ben, anna, screen, 7)


def last_round(evening: Evening, anna: Page, ben: Page, screen: Page, figure: Figure) -> None:
    """Into the rocks, a die rerolled by the Gunner, an explosion that reaches the attacker, the end."""
    says(screen, "#turn", "Anna activates Red 1")
    activate(anna, ("Gutsy Gunner · 1", "Cannon · 1", "Cannon · 2"))
    crashes(evening, anna, screen, figure)
    declares(anna, screen)
    deed(anna, "fire").click()
    roll(anna, 3)
    deed(anna, "reroll").click()
    roll(anna, 20)
    hurts(ben, anna, screen, 3)
    declares(anna, screen)
    deed(anna, "fire").click()
    roll(anna, 20)
    says(anna, "#now", "Who is within 4″ of Blue 1?")
    photograph(anna, "car-cult-explosion")
    deed(anna, "blast").click()
    says(anna, "#now", "Anna places a Damage token on Red 1")
    deed(anna, "damage").filter(has_text="Cannon").click()
    for page in (anna, ben, screen):
        says(page, "#turn", "Anna wins")


def test_an_evening_on_the_ground(browser: Browser, tmp_path: Path, figure: Figure) -> None:
    with opened(browser, tmp_path, "ground") as evening:
        owner = evening.page(LAPTOP)
        build(owner)
        typed_dice(owner)
        anna, ben = evening.page(PHONE, "player"), evening.page(PHONE, "player")
        for page, name in ((anna, "Anna"), (ben, "Ben")):
            page.locator(".deed", has_text=name).click()
            says(page, "#me", name)
        screen = evening.page(SCREEN, "spectator", "/screen")
        photograph(anna, "car-cult-builder-phone")
        owner.click("#begin")
        deploy(anna, ben, screen)
        first_round(evening, owner, anna, ben, screen, figure)
        if DEEP:
            last_round(evening, anna, ben, screen, figure)
        for page in (owner, anna, ben):
            fits(page)
        photograph(owner, "car-cult-end")

"""A race on a rolling road in Chromium: two phones and the big screen, a Rig of two tags.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pypdfium2
from playwright.sync_api import Browser, Locator, Page, expect

from engine.space.geometry import Pose
from tests.server.fakes import PATIENCE, wait_until
from tests.server.gaming import Player
from tests.server.page.evenings import (
    DESKTOP,
    LAPTOP,
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
    set_up,
    tap,
    tells_all,
)
from tests.volume import deep
from vision.simulate.scenes import named_scene

FLEETS = (
    ("Red 1", "Anna", {"class": "Car", "armor": ["front"]}),
    ("Red 2", "Anna", {"class": "Buggy"}),
    ("Red Rig", "Anna", {"class": "Rig", "arc_2": "left"}),
    ("Blue 1", "Ben", {"class": "Car", "chains": True}),
    ("Blue 2", "Ben", {"class": "Truck", "armor": ["front", "left"]}),
    ("Blue 3", "Ben", {"class": "Buggy"}),
)
PLAYERS = (("Anna", "#c8322b"), ("Ben", "#1f6fd0"))
ANSWERS = {"deployment": "anywhere", "front_room": 4.0}
ORDERS = {"Anna": ("Red 1", "Red Rig", "Red 2"), "Ben": ("Blue 3", "Blue 1", "Blue 2")}
START = {
    "Blue 1": Pose(36.0, 22.4), "Blue 2": Pose(20.0, 27.0), "Red Rig": Pose(16.5, 19.0),
}  # fmt: skip
RIG = ("Red Rig", "Red Rig trailer")
ROAD_END = 45.0


def begin(owner: Player) -> None:
    """Red goes first, and every vehicle stands where it was put."""
    owner.done(type="begin")
    owner.done(type="act", kind="first", data={}, dice=[6, 2])
    for vehicle in ("Red 1", "Blue 1", "Red 2", "Blue 2", "Red Rig", "Blue 3"):
        owner.done(type="act", kind="deploy", data={"vehicle": vehicle})


@contextmanager
def heard(*pages: Page) -> Iterator[list[str]]:
    """Every message that these pages get from now on; they connect anew."""
    messages: list[str] = []
    for page in pages:
        page.on("websocket", lambda ws: ws.on("framereceived", lambda said: messages.append(str(said))))
        page.reload()
        expect(page.locator("#turn")).to_contain_text("play order")
    yield messages


def write_order(page: Page, player: str) -> None:
    for vehicle in ORDERS[player]:
        page.locator("#now .pick", has_text=vehicle).click()
    expect(page.locator("#now .place-in-order")).to_have_text(
        ["1", "3", "2"] if player == "Anna" else ["2", "3", "1"]
    )
    deed(page, "order").click()


def orders_in_secret(anna: Page, ben: Page, screen: Page) -> None:
    """Nobody is told an order before both are in: no message to another page holds Ben's, nor its salt."""
    with heard(anna, screen) as messages:
        write_order(ben, "Ben")
        says(anna, "#now", "Ben has chosen")
        photograph(anna, "road-order")
        told = list(messages)
    whole = " ".join(told)
    assert "Ben has chosen" in whole
    assert "Blue 3" in whole, "what everybody knows is told: the test reads what it means to read"
    first, second, third = ORDERS["Ben"]
    for said in (f'"{first}","{second}"', f'"{first}", "{second}"', f"{first}, {second}, {third}", "salt"):
        assert said not in whole
    write_order(anna, "Anna")
    # Each rolls for who goes first, on their own phone.
    roll(ben, 2)
    roll(anna, 6)
    for page in (anna, ben, screen):
        says(page, "#turn", "Anna plays Red 1")
    assert f"{first}" in screen.locator("#turn").inner_text()


def a_move(evening: Evening, anna: Page, screen: Page) -> None:
    """The template lies over the car; a place outside it is not legal, one inside is taken."""
    tap(deed(anna, "move"))
    expect(anna.locator("#ask .die").first).to_be_visible()
    photograph(anna, "road-dice")
    roll(anna, 5)
    for page in (anna, screen):
        labels = page.locator(".marked.guided text")
        expect(labels).to_have_text([*"123456"] * 2)
        expect(page.locator(".marked.guided .reach").first).to_be_visible()
    photograph(anna, "road-template")
    photograph(screen, "road-screen")
    evening.put("Red 1", 18.0, 25.9, 0)
    says(anna, "#guide", "Not legal")
    says(anna, "#guide", "outside the template")
    expect(anna.locator(".marked.guided .goal").first).to_be_visible()
    photograph(anna, "road-not-legal")
    evening.put("Red 1", 16.5, 25.2, 0)
    says(anna, "#guide", "0.5″ ahead, 1.2″ left")
    tap(anna.locator('[data-takes="moved"]'))


def seats(anna: Page) -> None:
    """A passenger boards the truck beside, and the gunner's marker is dragged to the seat that is free."""
    tap(anna.locator(".line-of > summary", has_text="passenger"))
    board = anna.locator('[data-heading*="passenger"] [data-option="board"]')
    near = board.locator('.pick[data-value="Blue 2"]')
    expect(near).to_be_enabled()
    expect(near).to_contain_text("±")
    expect(board.locator('.pick[data-value="Blue 1"]')).to_be_disabled()
    says(anna, '[data-heading*="passenger"] [data-option="board"]', "50 %")
    photograph(anna, "road-board")
    tap(near)
    roll(anna, 5)
    card = anna.locator('[data-sheet="Red 1"]')
    free = card.locator('.slot[data-key="P1"]')
    expect(free).to_have_attribute("data-token", "")
    marker = card.locator('.movable[data-key="W1"]')
    name = marker.get_attribute("data-token")
    # With keys: picked up, and put back; then dragged.
    marker.press("Enter")
    expect(free).to_have_attribute("data-open", "true")
    marker.press("Escape")
    expect(free).to_have_attribute("data-open", "false")
    into_view(marker)
    marker.drag_to(free)
    expect(free).to_have_attribute("data-token", str(name))


def ends(evening: Evening, name: str) -> tuple[float, float]:
    """Where along the road the rear and the front of a body are, inches."""
    assert evening.live.moment is not None
    xs = evening.live.moment.table.find(name).region.outline[:, 0]
    return float(xs.min()), float(xs.max())


def along(evening: Evening, names: tuple[str, ...], inches: float) -> dict[str, Pose]:
    """Where these pieces stand when they are pushed along the road."""
    assert evening.live.moment is not None
    poses = {name: evening.live.moment.table.find(name).pose for name in names}
    return {name: Pose(p.x + inches, p.y, 0.0) for name, p in poses.items()}


def ghosts(evening: Evening) -> dict[str, Pose]:
    """Where pieces have to be put now."""
    host = evening.host
    assert host.match is not None
    found = host.match.game.ghosts(host.match.state, host.seeing.now(host.owners))
    return {g.piece: Pose(*g.pose) for g in found if g.pose is not None}


def stands_right(page: Page, count: int, kind: str) -> None:
    """So many ghosts are green, and whoever has to says so."""
    expect(page.locator(".marked .place.right")).to_have_count(count)
    tap(page.locator(f'[data-takes="{kind}"], aside [data-kind="{kind}"]').first)


def falls(page: Page, why: str, value: int) -> None:
    """Types what one die shows, of those that are asked for one after another."""
    tap(page.locator("#ask .dice", has_text=why).locator(f'.die[data-value="{value}"]'))


def lost_control(evening: Evening, ben: Page, screen: Page) -> None:
    """A 1: the ghost says where it veers to, turns green once it stands there, and the game goes on."""
    tap(deed(ben, "move"))
    falls(ben, "Move of Blue 3", 1)
    falls(ben, "veers into section", 5)
    nothing_asked(ben)
    expect(ben.locator(".marked .place")).to_have_count(1)
    photograph(ben, "road-lost-control")
    evening.put_all(ghosts(evening))
    stands_right(ben, 1, "placed")
    tap(deed(ben, "done"))
    says(screen, "#turn", "Anna plays Red Rig")


def nudges(evening: Evening, anna: Page) -> None:
    """Whom it can be moved against is nudged by one section, and put where the player likes within it."""
    nudge = anna.locator('details[data-option="nudge"]')
    nudge.locator("> summary").click()
    expect(nudge.locator('.pick[data-value="Blue 2"]')).to_be_disabled()
    near = nudge.locator('.pick[data-value="Blue 3"]')
    expect(near).to_have_attribute("aria-pressed", "true")
    nudge.locator('[data-kind="nudge"]').click()
    expect(anna.locator("#ask .dice")).to_have_count(2)
    for number, value in enumerate((5, 4)):
        anna.locator("#ask .dice").nth(number).locator(f'.die[data-value="{value}"]').click()
    says(anna, "#result", "the rear of Blue 3 with the front of Red Rig")
    says(anna, "#turn", "within 1 section of the template")
    expect(anna.locator(".marked.guided .reach").first).to_be_visible()
    photograph(anna, "road-nudge")
    stands = along(evening, ("Blue 3",), 0.5)["Blue 3"]
    evening.put("Blue 3", stands.x + 4.0, stands.y, 0)
    says(anna, "#guide", "Not legal")
    evening.put("Blue 3", stands.x, stands.y, 0)
    says(anna, "#guide", "Legal")
    anna.locator('[data-takes="placed"]').click()
    expect(anna.locator('details[data-option="nudge"]')).to_have_count(0)


def rams(evening: Evening, anna: Page, screen: Page, figure: Figure) -> None:
    """Tractor and trailer are pushed up against the buggy ahead, and the contact is what the Ram needs."""
    says(anna, "#turn", "Anna plays Red Rig")
    tap(deed(anna, "move"))
    roll(anna, 4)
    expect(anna.locator(".marked.guided .reach").first).to_be_visible()
    expect(anna.locator("#guide")).to_be_visible()
    says(anna, "#guide", "Blue 3 can be nudged or rammed: front against its rear")
    photograph(anna, "road-rig")
    nudges(evening, anna)
    gap = ends(evening, "Blue 3")[0] - ends(evening, "Red Rig")[1]
    evening.put_all(along(evening, RIG, gap - 0.02))
    says(anna, "#guide", "It stands against Blue 3, its front against the rear.")
    with counted(anna, "Shattered Highways, a Ram with typed dice", 4, figure):
        ram_typed(anna)
    for page in (anna, screen):
        says(page, "#result", "Red Rig rams Blue 3")
    tells_all(screen)
    photograph(anna, "road-aims")
    with counted(anna, "Shattered Highways, a shot with typed dice", 4, figure):
        shot_typed(anna)
    match = evening.host.match
    assert match is not None
    assert next(e.data["data"]["side"] for e in match.log if e.data.get("kind") == "ram") == "front"


def ram_typed(anna: Page) -> None:
    """The contact is there: the Ram is at hand, and the dice are typed."""
    ram = anna.locator('#pin [data-kind="ram"]')
    expect(ram).to_contain_text("Ram Blue 3")
    photograph(anna, "road-ram")
    tap(ram)
    # What was asked before still stands in the closed dialog.
    expect(anna.locator("#ask .dice").first).to_be_visible()
    expect(anna.locator("#ask .dice")).to_have_count(2)
    photograph(anna, "road-contested")
    for number, value in enumerate((5, 2)):
        tap(anna.locator("#ask .dice").nth(number).locator(f'.die[data-value="{value}"]'))
    falls(anna, "damage of the Ram", 4)
    nothing_asked(anna)


def shot_typed(anna: Page) -> None:
    """A gunner of the vehicle shoots: who, at which, and the dice."""
    line = anna.locator("#now summary, #now .line", has_text="gunner 1").first
    tap(line)
    photograph(anna, "road-gunner")
    tap(anna.locator('#now [data-option="shoot"] .pick', has_text="Blue 3").first)
    falls(anna, "Machine Gun at Blue 3", 5)
    falls(anna, "damage of the Machine Gun", 1)
    nothing_asked(anna)


def rolls_on(evening: Evening, ben: Page, screen: Page) -> None:
    """At the front edge every vehicle has its ghost; once all stand right, the road has rolled on."""
    says(ben, "#turn", "Ben plays Blue 1")
    deed(ben, "move").click()
    roll(ben, 5)
    evening.put_all(along(evening, ("Blue 1",), ROAD_END - 0.03 - ends(evening, "Blue 1")[1]))
    says(ben, "#guide", "It has reached the front edge.")
    ben.locator('[data-takes="moved"]').click()
    for page in (ben, screen):
        expect(page.locator(".marked .place")).to_have_count(7)
    photograph(ben, "road-shift")
    photograph(screen, "road-shift-screen")
    evening.put_all(ghosts(evening))
    stands_right(ben, 7, "shifted")
    wait_until("the road has rolled on", lambda: evening.host.match.state.scroll > 0.0)  # type: ignore[union-attr]
    expect(ben.locator(".marked .place")).to_have_count(0)


def replayed(evening: Evening) -> None:
    """The record shows the race on the ground, with the distance that each has covered."""
    page = evening.page(DESKTOP, to="/replay")
    page.locator("#games a").first.click()
    page.wait_for_url("**game=*")
    page.goto(f"{page.url}&t=99999")
    says(page, "#road-words", "of the road have rolled by")
    first = page.locator("#road-covered li").first
    expect(first).to_contain_text("Blue 1")
    says(page, "#road-covered li:first-child span", "43.")
    expect(page.locator("#road-drawing polygon")).to_have_count(7)
    photograph(page, "road-replay")
    page.locator("#sheets-fold summary").click()
    # Who acted then has the whole card, first; the others are lines.
    first = page.locator("#sheets [data-sheet]").first
    expect(first).to_have_attribute("data-sheet", "Blue 1")
    expect(first).to_have_attribute("data-open", "true")
    expect(page.locator('#sheets [data-open="false"]')).to_have_count(5)
    photograph(page, "road-replay-sheets")


def printed(evening: Evening) -> None:
    """Stat cards as a PDF, three to a page."""
    pdf = httpx.get(f"{evening.server.address}api/play/sheets.pdf", timeout=PATIENCE).content
    assert len(pypdfium2.PdfDocument(pdf)) == len(FLEETS) // 3


def test_a_race(browser: Browser, tmp_path: Path, figure: Figure) -> None:
    with opened(browser, tmp_path, "road") as evening:
        anna, ben = evening.page(PHONE, "player"), evening.page(PHONE, "player")
        screen = evening.page(SCREEN, "spectator", "/screen")
        behind = named_scene("road").start
        trailer = START["Red Rig"].x + behind[RIG[1]].x - behind[RIG[0]].x
        evening.put_all({**START, RIG[1]: Pose(trailer, 19.0)})
        with evening.joined() as wire:
            owner = Player(wire)
            set_up(owner, "Shattered Highways", PLAYERS, FLEETS, **ANSWERS)
            anna.locator(".deed", has_text="Anna").click()
            ben.locator(".deed", has_text="Ben").click()
            expect(anna.locator("li.carcard")).to_have_count(3)
            photograph(anna, "road-fleet")
            begin(owner)
        orders_in_secret(anna, ben, screen)
        with counted(anna, "Shattered Highways, a move", 3, figure):
            a_move(evening, anna, screen)
        tells_all(screen)
        with counted(anna, "Shattered Highways, a warrior boards", 3, figure):
            seats(anna)
        deed(anna, "done").click()
        with counted(ben, "Shattered Highways, a turn with a control lost", 5, figure):
            lost_control(evening, ben, screen)
        for page in (anna, ben):
            fits(page)
        printed(evening)


@deep
def test_a_ram_and_the_road_that_rolls_on(browser: Browser, tmp_path: Path, figure: Figure) -> None:
    with opened(browser, tmp_path, "road") as evening:
        screen = evening.page(SCREEN, "spectator", "/screen")
        behind = named_scene("road").start
        trailer = behind[RIG[0]].x + 1.5 + behind[RIG[1]].x - behind[RIG[0]].x
        evening.put_all({
            **START, "Blue 3": Pose(24.0, 19.0), RIG[0]: Pose(16.5, 19.0), RIG[1]: Pose(trailer, 19.0),
        })  # fmt: skip
        phone = evening.page(PHONE)
        with evening.joined() as wire:
            owner = Player(wire)
            set_up(owner, "Shattered Highways", PLAYERS, FLEETS, **ANSWERS)
            begin(owner)
            for player in ("Anna", "Ben"):
                said = {"vehicles": list(ORDERS[player])}
                owner.done(type="act", kind="order", player=player, data=said)
            owner.done(type="reveal", dice=[6, 2])
            for _ in ("Red 1", "Blue 3"):
                owner.done(type="act", kind="done", data={})
        rams(evening, phone, screen, figure)
        deed(phone, "done").click()
        rolls_on(evening, phone, screen)
        replayed(evening)


CUT = """() => {
  const edge = document.getElementById("stage").getBoundingClientRect();
  const whole = ({ left, right, top, bottom }) =>
    left >= edge.left && right <= edge.right && top >= edge.top && bottom <= edge.bottom;
  const seen = ({ left, right, top, bottom }) =>
    left < edge.right && right > edge.left && top < edge.bottom && bottom > edge.top;
  const cars = [...document.querySelectorAll("#drawing .cars .piece")].map((node) =>
    ({ name: node.dataset.piece, box: node.querySelector(".base").getBoundingClientRect() }));
  const labels = [...document.querySelectorAll("#drawing .labels text.car")];
  const named = labels.map((text) => text.dataset.names);
  const gap = (a, b) => Math.hypot(
    Math.max(a.left - b.right, b.left - a.right, 0), Math.max(a.top - b.bottom, b.top - a.bottom, 0));
  // So near that a name cannot be told to be another's: four pixels.
  const astray = labels.flatMap((text) => {
    const [box, own] = [text.getBoundingClientRect(), text.dataset.names];
    const mine = Math.min(...cars.filter(({ name }) => name.startsWith(own)).map((car) => gap(car.box, box)));
    const others = cars.filter(({ name }) => !name.startsWith(own));
    return others.filter((car) => gap(car.box, box) < mine - 4).map(({ name }) => [own, name]);
  });
  return {
    astray,
    cut: cars.filter(({ box }) => seen(box) && !whole(box)).map(({ name }) => name),
    whole: cars.filter(({ box }) => whole(box)).map(({ name }) => name),
    named,
  };
}"""


DOWN = """(name) => {
  const card = document.querySelector('.carcard[data-piece="Red Rig"]');
  const field = card.querySelector(`details.folded > .field[data-field="${name}"]`);
  return field.getBoundingClientRect().y - card.getBoundingClientRect().y;
}"""
"""How far down the Rig's card a field stands; found and measured at once, for the card is drawn anew."""


FLAGS = """() => {
  const card = document.querySelector('.carcard[data-piece="Red Rig"]');
  const flags = [...card.querySelectorAll('.field[data-type="flag"] .pick')];
  flags[0]?.scrollIntoView();
  return flags.map((flag) => flag.getBoundingClientRect().height);
}"""
"""Brings what is a yes or no on the Rig's card into view, and gives how high each is."""


def stays_where_it_is_set(fold: Locator, name: str) -> None:
    """A field of a fold is answered, and stands where it stood."""
    field = fold.locator(f'> .field[data-field="{name}"]')
    pick = field.locator("button.pick[aria-pressed=false]:not(:disabled)").first
    if not pick.count():
        return
    before, many = fold.page.evaluate(DOWN, name), fold.locator("> .field").count()
    pick.click()
    expect(field).to_have_attribute("data-changed", "true")
    expect(fold.locator("> .field")).to_have_count(many)
    # It is drawn anew while it is looked at.
    wait_until(f"{name} where it was", lambda: abs(fold.page.evaluate(DOWN, name) - before) < 2)


def test_what_is_set_of_a_rig_stays_under_the_finger(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, "road") as evening:
        with evening.joined() as wire:
            set_up(Player(wire), "Shattered Highways", PLAYERS, FLEETS, **ANSWERS)
        for size in (LAPTOP, PHONE):
            page = evening.page(size)
            card = page.locator('.carcard[data-piece="Red Rig"]')
            card.locator("summary", has_text="More").click()
            fold = card.locator("details.folded")
            for name in fold.locator("> .field").evaluate_all("(all) => all.map((one) => one.dataset.field)"):
                stays_where_it_is_set(fold, name)
            expect(fold.locator("> summary")).to_contain_text("·")
            heights = page.evaluate(FLAGS)
            photograph(page, f"rig-set-up-{size[0]}")
            assert heights
            assert max(heights) < 60


def test_a_trailer_has_its_name_once_it_is_decoupled(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, "road") as evening:
        page = evening.page(DESKTOP)
        with evening.joined() as wire:
            set_up(Player(wire), "Shattered Highways", PLAYERS, FLEETS, **ANSWERS)
        name = page.locator(f'.labels text[data-names="{RIG[1]}"]')
        expect(page.locator(f'.labels text[data-names="{RIG[0]}"]')).to_have_text(f"A · {RIG[0]}")
        expect(name).to_have_count(0)
        evening.put(RIG[1], 9.0, 14.0, 0.0)
        expect(name).to_have_text(f"A · {RIG[1]}")
        photograph(page, "road-decoupled")


def test_the_strip_of_a_phone_cuts_no_car_and_has_each_name_by_its_own(
    browser: Browser, tmp_path: Path
) -> None:
    """Before the first round, all stand where the scene has them: Blue 3 stood across the lower edge."""
    with opened(browser, tmp_path, "road") as evening:
        phone = evening.page(PHONE, "player")
        with evening.joined() as wire:
            owner = Player(wire)
            set_up(owner, "Shattered Highways", PLAYERS, FLEETS, **ANSWERS)
            phone.locator(".deed", has_text="Anna").click()
            owner.done(type="begin")
        expect(phone.locator("body[data-strip=true]")).to_have_count(1)
        expect(phone.locator("#turn")).to_contain_text("Who goes first")
        wait_until("Blue 3 to be named", lambda: "Blue 3" in phone.evaluate(CUT)["named"])
        photograph(phone, "road-strip")
        told = phone.evaluate(CUT)
        assert told["cut"] == []
        assert set(told["named"]) <= set(told["whole"])
        assert told["astray"] == [], "a name stands nearer to another's car"

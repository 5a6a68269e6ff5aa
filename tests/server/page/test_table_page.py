"""The page in a real Chromium: what people see, touch and hear."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.space.geometry import Pose
from engine.space.table import Status
from tests.server.conftest import Served, in_full, serving
from tests.server.fakes import STANDINGS, HandMoved, wait_until

Look = Callable[..., Page]

WIDTHS = [(390, 844), (820, 1180), (1024, 768), (1440, 900), (1920, 1080)]


@pytest.fixture(scope="module")
def opened_once(browser: Browser) -> Iterator[tuple[Served, Page, list[str]]]:
    """A table with its page, opened once; and what the page logs as an error."""
    complaints: list[str] = []
    with serving() as served, browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(in_full(said)) if said.type == "error" else None)
        page.goto(served.url)
        yield served, page, complaints


def put_back(served: Served, name: str, pose: Pose, place: Locator) -> bool:
    """Puts a car back; the last word of a drag may come after it. Whether the page shows it there."""
    served.source.move(name, pose)
    return f"{pose.x:.2f}″, {pose.y:.2f}″" in place.inner_text()


@pytest.fixture
def shown(opened_once: tuple[Served, Page, list[str]]) -> Iterator[tuple[Served, Page]]:
    """That table as it was when it was opened, nothing chosen; what the page complains of fails the test."""
    served, page, complaints = opened_once
    served.referee.hidden.clear()
    served.source.statuses.clear()
    for name, (_, pose) in STANDINGS.items():
        served.source.move(name, pose)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.evaluate("scrollTo(0, 0)")
    for button in ("#unit-in", "#view-table"):
        page.click(button)
    if page.locator("#clear").is_enabled():
        asked = page.locator("#question:visible:enabled")
        if asked.count():
            asked.select_option(index=0)
        page.click("#clear")
    page.evaluate("document.activeElement.blur()")
    for name, (piece, pose) in STANDINGS.items():
        if piece.kind == "car":
            place = page.locator(f'#car-list button[data-name="{name}"][aria-pressed="false"] .place')
            wait_until(f"{name} where it stood", partial(put_back, served, name, pose, place))
    # What is drawn anew for another size is drawn before the next picture of the screen.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    yield served, page
    told, complaints[:] = list(complaints), []
    assert told == []


def choose(page: Page, *cars: str) -> None:
    for car in cars:
        page.click(f'#car-list button[data-name="{car}"]')


def place(page: Page, car: str) -> tuple[float, float]:
    """The middle of a drawn car in view units, from its outline as drawn."""
    points = page.get_attribute(f'[data-piece="{car}"] .base', "points")
    assert points is not None
    numbers = [tuple(map(float, p.split(","))) for p in points.split()]
    return sum(p[0] for p in numbers) / len(numbers), sum(p[1] for p in numbers) / len(numbers)


def on_screen(page: Page, car: str) -> tuple[float, float]:
    box = page.locator(f'[data-piece="{car}"] .base').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def verdict(page: Page, expected: str) -> None:
    expect(page.locator("#verdict")).to_have_attribute("data-verdict", expected)


class TestTable:
    def test_everything_stands_where_it_should_moves_goes_and_is_held(
        self, shown: tuple[Served, Page]
    ) -> None:
        served, page = shown
        for name, pose in served.source.poses.items():
            # Above is away: y points up on the table and down on the screen.
            assert place(page, name) == pytest.approx((pose.x, -pose.y), abs=0.1)
        bar = page.locator("polyline.scale").bounding_box()
        edge = page.locator(".edge").bounding_box()
        assert bar is not None
        assert edge is not None
        assert page.locator("text.scale").text_content() == "6″"
        assert edge["width"] == pytest.approx(edge["height"], rel=0.01)
        assert bar["width"] / edge["width"] == pytest.approx(6 / 48, rel=0.05)
        # Each player's apart.
        assert page.locator('[data-piece="RED1"] .pattern').count() == 0
        assert page.locator('[data-piece="BLUE1"] .pattern').count() == 1
        assert page.text_content('#car-list button[data-name="RED1"] .badge') == "A"
        assert page.text_content('#car-list button[data-name="BLUE1"] .badge') == "B"
        before = on_screen(page, "RED1")
        served.source.move("RED1", Pose(20, 8.5, math.pi / 2))
        expect(page.locator('#car-list button[data-name="RED1"] .place')).to_have_text("20.00″, 8.50″, 90°")
        after = on_screen(page, "RED1")
        assert after[0] > before[0] + 50
        assert after[1] == pytest.approx(before[1], abs=3)
        assert place(page, "RED1") == pytest.approx((20, -8.5), abs=0.01)
        served.referee.hidden.add("RED1")
        expect(page.locator('[data-piece="RED1"]')).to_have_count(0)
        served.referee.hidden.clear()
        expect(page.locator('[data-piece="RED1"]')).to_have_count(1)
        served.source.set_status("RED1", Status.HELD, "RED1 is under a hand.")
        expect(page.locator('[data-piece="RED1"]')).to_have_class("piece car held  ")
        expect(page.locator(".labels text.note")).to_have_text("held")
        expect(page.locator("#s-cars")).to_contain_text("RED1: covered, held in place, seen 2.0 s ago")
        expect(page.locator("#feed li").first).to_contain_text("RED1 is under a hand.")

    def test_the_same_drawing_lies_on_the_picture_and_is_chosen_from(
        self, shown: tuple[Served, Page]
    ) -> None:
        _, page = shown
        page.click("#view-picture")
        expect(page.locator("#picture")).to_be_visible()
        wait_until("the picture", lambda: page.locator("#picture").evaluate("(canvas) => canvas.width > 600"))
        # The fake camera paints roofs red: the outline's middle must lie on one.
        x, y = on_screen(page, "mug")
        red, green, _ = page.evaluate(
            """([x, y]) => {
                const c = document.getElementById("picture"), r = c.getBoundingClientRect();
                const s = Math.min(r.width / c.width, r.height / c.height);
                const u = (x - r.x - (r.width - c.width * s) / 2) / s;
                const v = (y - r.y - (r.height - c.height * s) / 2) / s;
                return [...c.getContext("2d").getImageData(u, v, 1, 1).data];
            }""",
            [x, y],
        )[:3]
        assert red > 120 > green
        for car in ("RED1", "BLUE2"):
            page.mouse.click(*on_screen(page, car))
        expect(page.locator("#pair")).to_have_text("RED1 → BLUE2")
        expect(page.locator(".marks .line.sight")).to_have_count(1)
        expect(page.locator("#view-picture")).to_have_attribute("aria-pressed", "true")
        page.click("#view-table")
        expect(page.locator("#picture")).to_be_hidden()
        assert place(page, "RED1") == pytest.approx((9.6, -8.5), abs=0.1)

    def test_a_real_table_is_not_moved_and_its_uncertainty_is_drawn_at_its_true_width(
        self, look: Look
    ) -> None:
        class RealTable(HandMoved):
            movable = None  # type: ignore[assignment]

        with serving(RealTable(), sd=0.5) as served:
            page = look(served.url)
            choose(page, "RED1")
            expect(page.locator("#move-hint")).to_be_hidden()
            assert page.locator(".handle").count() == 0
            box = page.locator('[data-piece="RED1"] .uncertainty').bounding_box()
            edge = page.locator(".edge").bounding_box()
            assert box is not None
            assert edge is not None
            # 95 % of a plane's normal error lie within 2.45 deviations: a disc of 2.45 inches.
            assert box["width"] / edge["width"] * 48 == pytest.approx(2 * 2.45 * 0.5, rel=0.05)


class TestRuling:
    def test_another_weapon_another_distance_and_what_passes_between_are_another_answer(
        self, shown: tuple[Served, Page]
    ) -> None:
        served, page = shown
        served.source.move("RED3", Pose(40, 8, 0))
        choose(page, "RED1", "BLUE2")
        tops = set()
        for weapon, distance, expected, words in (
            ("Machine Gun", 0.0, "no", "No"),
            ("Plinker", 0.0, "yes", "Yes"),
            # 22.34 inches of 20: brought to within a hundredth.
            ("Machine Gun", 2.34, "too close to call", "Too close to call"),
        ):
            page.select_option("#question", label=weapon)
            served.source.move("BLUE2", Pose(30 - distance * 0.836, 22 - distance * 0.549, math.radians(190)))
            verdict(page, expected)
            expect(page.locator("#headline")).to_have_text(words)
            tops.add(round(page.evaluate("document.getElementById('why').getBoundingClientRect().top")))
        assert len(tops) == 1, "the reasons stay where they are"
        served.source.move("BLUE2", Pose(30, 22, math.radians(190)))
        page.select_option("#question", label="Plinker")
        verdict(page, "yes")
        expect(page.locator("#question-words")).to_contain_text("Maximum 30″")
        expect(page.locator("#sentence")).to_contain_text("RED1 may fire the Plinker at BLUE2")
        served.source.move("RED3", Pose(20, 15.6, 2.2))
        verdict(page, "no")
        expect(page.locator("#sentence")).to_contain_text("blocked by RED3")
        expect(page.locator('[data-piece="RED3"]')).to_have_class("piece car still  blocker")
        expect(page.locator(".labels text.note.blocker")).to_have_text("in the way")
        served.source.move("RED3", Pose(40, 8, 0))
        verdict(page, "yes")

    def test_every_check_shows_its_figures_in_both_units_until_cleared(
        self, shown: tuple[Served, Page]
    ) -> None:
        served, page = shown
        choose(page, "RED1")
        for kind in ("arc", "far-reach", "reach"):
            expect(page.locator(f".reach .{kind}")).to_have_count(1)
        assert page.locator(".marks .line").count() == 0
        choose(page, "BLUE2")
        expect(page.locator(".marks .line.sight")).to_have_count(1)
        expect(page.locator(".labels .figure")).to_contain_text("22.34″")
        checks = page.locator("#checks li")
        expect(checks).to_have_count(5)
        for i in range(5):
            check = checks.nth(i)
            for part in ("name", "answer", "words", "number", "limit", "margin", "chance"):
                assert (check.locator(f".{part}").text_content() or "").strip(), part
            assert "±" in (check.locator(".margin").text_content() or "")
            expect(check.locator(".citation")).to_contain_text("White Line Fever 0.9 · Shoot Weapon")
        page.click("#unit-cm")
        expect(page.locator("#sentence")).to_contain_text("56.7 cm of 50.8 cm")
        assert "″" not in (page.text_content("main") or "")
        expect(page.locator("#pair")).to_have_text("RED1 → BLUE2")
        page.click("#swap")
        expect(page.locator("#pair")).to_have_text("BLUE2 → RED1")
        # What is asked about goes away: it is refused in words.
        served.referee.hidden.add("BLUE2")
        expect(page.locator("#sentence")).to_contain_text("no piece called 'BLUE2' is on the table")
        verdict(page, "none")
        served.referee.hidden.clear()
        verdict(page, "no")
        page.click("#clear")
        verdict(page, "none")
        expect(page.locator(".marks .line")).to_have_count(0)
        expect(page.locator("#swap")).to_be_disabled()

    def test_cars_are_chosen_on_the_table_by_a_touch(self, served: Served, look: Look) -> None:
        page = look(served.url, 390, 844, has_touch=True)
        page.touchscreen.tap(*on_screen(page, "RED1"))
        expect(page.locator("#pair")).to_have_text("RED1 → …")
        page.touchscreen.tap(*on_screen(page, "BLUE2"))
        verdict(page, "no")


class TestHands:
    def test_the_keyboard_alone_is_enough_shows_its_focus_and_moves_and_turns_cars(
        self, served: Served, look: Look
    ) -> None:
        page = look(served.url)
        for k in range(20):
            page.keyboard.press("Tab")
            if k == 1:
                assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
            if page.evaluate("document.activeElement.dataset.name") == "RED1":
                break
        assert page.evaluate("document.activeElement.dataset.name") == "RED1"
        page.keyboard.press("Enter")
        expect(page.locator("#pair")).to_have_text("RED1 → …")
        for _ in range(4):
            page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.name") == "BLUE2"
        page.keyboard.press("Enter")
        verdict(page, "no")
        expect(page.locator("#spoken")).to_contain_text("No. RED1 may not fire the Machine Gun at BLUE2")
        page.keyboard.press("Escape")
        verdict(page, "none")
        page.focus('#car-list button[data-name="RED1"]')
        page.keyboard.press("Shift+ArrowRight")
        wait_until("a step to the right", lambda: served.source.poses["RED1"].x == 9.85)
        page.keyboard.press("Shift+PageUp")
        turned = math.radians(91)
        wait_until("a turn", lambda: abs(served.source.poses["RED1"].heading - turned) < 0.001)

    def test_a_car_of_a_simulated_table_can_be_dragged_and_turned_by_its_handle(
        self, shown: tuple[Served, Page]
    ) -> None:
        served, page = shown
        x, y = on_screen(page, "RED1")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 60, y - 40, steps=4)
        expect(page.locator(".hold")).to_have_count(1)
        page.mouse.up()
        wait_until("the car to arrive", lambda: served.source.poses["RED1"].x > 12)
        assert served.source.poses["RED1"].y > 10
        expect(page.locator(".hold")).to_have_count(0)
        # Dragging is not choosing.
        expect(page.locator("#pair")).to_have_text("What is asked?")
        before = served.source.poses["RED1"]
        choose(page, "RED1")
        expect(page.locator('#car-list button[data-name="RED1"] .place')).to_contain_text(f"{before.x:.2f}″")
        x, y = on_screen(page, "RED1")
        page.hover('.handle[data-turn="RED1"]')
        page.mouse.down()
        # It turns on its rear axle, 0.9 inches below where it stands.
        inch = page.evaluate("document.querySelector('#drawing').getScreenCTM().a")
        page.mouse.move(x + 80, y + 0.9 * inch, steps=4)
        page.mouse.up()
        wait_until("the car to look right", lambda: abs(served.source.poses["RED1"].heading) < 0.1)
        assert served.source.poses["RED1"].x > before.x + 0.6


SMALL_TEXT = """() => {
  const svg = document.getElementById("drawing"), b = svg.viewBox.baseVal;
  const scale = Math.min(svg.clientWidth / b.width, svg.clientHeight / b.height);
  return [...document.querySelectorAll("body *")]
    .filter((n) => [...n.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim()))
    .filter((n) => n.checkVisibility())
    .map((n) => [n.textContent.trim().slice(0, 30),
      parseFloat(getComputedStyle(n).fontSize) * (n.closest("#drawing") ? scale : 1)])
    .filter(([, size]) => size < 15.9);
}"""


class TestLooks:
    def test_nothing_jumps_overflows_or_overlaps_and_all_is_large_enough(
        self, shown: tuple[Served, Page]
    ) -> None:
        served, page = shown
        choose(page, "RED1", "BLUE2")
        verdict(page, "no")
        # The answer is read across the table.
        assert (
            page.evaluate("parseFloat(getComputedStyle(document.getElementById('headline')).fontSize)") >= 64
        )
        page.evaluate(
            """() => {
                window.shift = 0;
                new PerformanceObserver((l) => {
                    for (const e of l.getEntries()) window.shift += e.value;
                }).observe({type: "layout-shift"});
            }"""
        )
        where = page.locator('#car-list button[data-name="BLUE2"] .place')
        for i in range(10):
            served.source.move("BLUE2", Pose(34 + i / 2, 22, 1))
            expect(where).to_contain_text(f"{34 + i / 2:.2f}″")
        verdict(page, "no")
        assert page.evaluate("window.shift") < 0.02
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            # What is drawn anew for another size is drawn before the next picture of the screen.
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(SMALL_TEXT) == []
            boxes = page.evaluate(
                """() => [...document.querySelectorAll("button, select")]
                    .filter((b) => b.checkVisibility())
                    .map((b) => [b.id || b.dataset.name, b.getBoundingClientRect()])
                    .map(([name, r]) => [name, r.x, r.y, r.right, r.bottom])"""
            )
            assert len(boxes) >= 14
            for i, (one, x0, y0, x1, y1) in enumerate(boxes):
                assert x0 >= -0.5, one
                assert x1 <= width + 0.5, one
                assert min(x1 - x0, y1 - y0) >= 38, f"{one} is too small for a finger"
                for other, u0, v0, u1, v1 in boxes[i + 1 :]:
                    apart = x1 <= u0 + 1.5 or u1 <= x0 + 1.5 or y1 <= v0 + 1.5 or v1 <= y0 + 1.5
                    assert apart or {one, other} & set(served.source.poses), f"{one} and {other} overlap"

    def test_dark_and_light_are_readable_chosen_and_kept_and_motion_is_reduced_on_request(
        self, served: Served, look: Look
    ) -> None:
        page = look(served.url, reduced_motion="reduce")
        choose(page, "RED1", "BLUE2")
        verdict(page, "no")
        assert (
            page.evaluate("getComputedStyle(document.getElementById('verdict')).transitionDuration") == "0s"
        )
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            back = brightness(page, "body", "backgroundColor")
            assert (back < 0.1) is (scheme == "dark")
            for spot in ("#sentence", "#headline", "#s-rates", "#question-words", "#checks .citation", "dt"):
                assert contrast(brightness(page, spot, "color"), behind(page, spot)) >= 4.5, spot
        # Chosen, it goes before the system's, and is kept.
        for again in (False, True):
            if again:
                page.reload()
            else:
                page.click("#theme")
            expect(page.locator("#theme")).to_have_attribute("aria-label", "Colours: light")
            assert brightness(page, "body", "backgroundColor") > 0.7


class TestConnection:
    def test_is_told_when_lost_and_comes_back_with_its_question(self, look: Look) -> None:
        with serving() as first:
            port = first.port
            page = look(first.url)
            choose(page, "RED1", "BLUE2")
            verdict(page, "no")
        expect(page.locator("#lost")).to_contain_text("connection to the referee is lost")
        source = HandMoved()
        source.move("BLUE2", Pose(20, 15, 0))
        with serving(source, port=port):
            expect(page.locator("#lost")).to_be_hidden()
            expect(page.locator("#pair")).to_have_text("RED1 → BLUE2")
            expect(page.locator('#car-list button[data-name="BLUE2"] .place')).to_contain_text(
                "20.00″, 15.00″"
            )
            page.goto("about:blank")

    def test_the_status_line_and_notices_once_each_and_taken_away(self, shown: tuple[Served, Page]) -> None:
        served, page = shown
        expect(page.locator("#s-source")).to_have_text("Watching the simulated table.")
        expect(page.locator("#s-rates")).to_contain_text("on this page after")
        expect(page.locator("#s-surface")).to_contain_text("0.004″")
        served.source.notice = "The picture is too dark."
        expect(page.locator("#notices li")).to_have_text(["The picture is too dark."])
        served.source.notice = None
        expect(page.locator("#notices li")).to_have_count(0)

    def test_a_lost_camera_is_said_over_the_table(self, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("server.pipeline.runner.SILENCE", 0.2)
        with serving() as served:
            page = look(served.url)
            expect(page.locator("#trouble")).to_be_hidden()
            served.source.notice = "camera 0 is gone. Trying again in 2 s."
            served.source.paused = True
            expect(page.locator("#trouble")).to_have_text("camera 0 is gone. Trying again in 2 s.")
            served.source.paused = False
            expect(page.locator("#trouble")).to_be_hidden()


def test_a_gunner_sees_from_the_seat_that_was_chosen_on_a_phone_too(shown: tuple[Served, Page]) -> None:
    _, page = shown
    expect(page.locator("#look-open")).to_be_disabled()
    choose(page, "RED1", "BLUE1")
    page.click("#look-open")
    said = page.locator("#look-said")
    expect(said).to_contain_text(
        re.compile(r"From RED1's front \w+ tyre, 0\.20″ above the table\. Nothing of BLUE1 is seen")
    )
    page.click("#look-turret")
    expect(said).to_contain_text("From RED1's turret")
    assert page.evaluate("document.getElementById('look-view').naturalWidth") > 700
    page.set_viewport_size({"width": 390, "height": 844})
    box = page.locator("#look").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    expect(page.locator("#look")).to_be_hidden()
    # Escape closed the dialog and left the question.
    verdict(page, "no")


def brightness(page: Page, spot: str, what: str) -> float:
    """Relative luminance of a colour as WCAG counts it."""
    colour = page.evaluate(
        f"getComputedStyle(document.querySelector({spot!r})).{what}.match(/[\\d.]+/g).slice(0, 3).map(Number)"
    )
    shares = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * shares[0] + 0.7152 * shares[1] + 0.0722 * shares[2]


def behind(page: Page, spot: str) -> float:
    """The luminance of what lies behind an element: its nearest painted ancestor."""
    page.evaluate(
        """(spot) => {
            document.querySelector("[data-behind]")?.removeAttribute("data-behind");
            let node = document.querySelector(spot);
            while (getComputedStyle(node).backgroundColor.endsWith(", 0)")) node = node.parentElement;
            node.setAttribute("data-behind", "");
        }""",
        spot,
    )
    return brightness(page, "[data-behind]", "backgroundColor")


def contrast(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)

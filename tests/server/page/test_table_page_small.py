"""The page where there is little room: on a phone, on a low screen, as a small map over a stream."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, FloatRect, Page, expect

from engine.space.geometry import Pose
from engine.space.table import Status
from tests.server.conftest import Served
from tests.server.gaming import gaming
from tests.server.table.test_preview import push
from tests.volume import deep

Look = Callable[..., Page]


def box_of(page: Page, what: str) -> FloatRect:
    box = page.locator(what).bounding_box()
    assert box is not None
    return box


def nothing_lies_over_the_cars(page: Page) -> None:
    last, after = box_of(page, "#car-list li:last-child"), box_of(page, "#feed-title")
    assert last["y"] + last["height"] <= after["y"]


@pytest.mark.parametrize("height", [*(pytest.param(h, marks=deep) for h in (840, 768)), 620])
def test_on_a_low_screen_nothing_lies_over_the_foot(served: Served, look: Look, height: int) -> None:
    """Also with all that a side can show: an answer that is too close, of a car under a hand."""
    page = look(served.url, 1366, height)
    expect(page.locator("#car-list li")).to_have_count(6)
    nothing_lies_over_the_cars(page)
    for car in ("RED1", "BLUE2"):
        page.click(f'#car-list button[data-name="{car}"]')
    served.source.set_status("RED1", Status.HELD, "RED1 is covered")
    expect(page.locator("#verdict")).to_have_attribute("data-verdict", "too close to call")
    side, foot = box_of(page, "aside"), box_of(page, "footer")
    assert side["y"] + side["height"] <= foot["y"]
    # Whatever lies over it would take the click.
    page.locator('footer a[href="/replay"]').click(trial=True)
    for car in ("RED2", "RED3", "BLUE1", "BLUE3"):
        served.source.set_status(car, Status.LOST, f"{car} is lost")
    expect(page.locator("#s-cars")).to_contain_text("BLUE3: lost")
    for link in ("/replay", "/calibrate"):
        box = box_of(page, f'footer a[href="{link}"]')
        assert box["y"] + box["height"] <= height, "the words before it may be long"
    nothing_lies_over_the_cars(page)
    page.locator("#feed").scroll_into_view_if_needed()
    feed = box_of(page, "#feed")
    assert feed["height"] > 40
    assert side["y"] <= feed["y"] <= foot["y"] - 40


def test_cars_on_their_way_are_told_where_the_fewest_cars_are_hidden(served: Served, look: Look) -> None:
    for k, car in enumerate(("RED1", "RED2", "RED3")):
        served.source.move(car, Pose(8.0 + 5.0 * k, 44.0, 0.0))
    page = look(served.url, 1366, 768)
    expect(page.locator(".labels text", has_text="RED1")).to_be_visible()
    push(served, "BLUE2", 1.5)
    panel = page.locator("#driving")
    expect(panel).to_contain_text("BLUE2")
    told = box_of(page, "#driving")
    hidden = page.locator(".cars > *").evaluate_all(
        """(cars, told) => cars.map((car) => car.getBoundingClientRect()).filter((c) =>
            c.right > told.x && c.left < told.x + told.width
            && c.bottom > told.y && c.top < told.y + told.height
        ).length""",
        told,
    )
    assert hidden == 0
    assert panel.get_attribute("data-corner") != "top left"


def test_on_a_phone_what_is_on_its_way_is_told_between_the_table_and_the_answer(
    served: Served, look: Look
) -> None:
    page = look(served.url, 390, 844)
    expect(page.locator("#car-list li")).to_have_count(6)
    before = box_of(page, "#verdict")
    push(served, "RED2", 1.5)
    expect(page.locator("#driving")).to_contain_text("RED2")
    told, table, side = (box_of(page, what) for what in ("#driving", "#drawing", "aside"))
    assert table["y"] + table["height"] <= told["y"]
    assert told["y"] + told["height"] <= side["y"]
    assert box_of(page, "#verdict") == before, "what is asked beside it does not jump"
    # Several have a line each.
    for car in ("RED2", "BLUE2"):
        push(served, car, 3.0)
    expect(page.locator("#driving .way")).to_have_count(2)
    # Both at once: the panel is rebuilt with every frame.
    boxes = "(ways) => ways.map((way) => way.getBoundingClientRect().toJSON())"
    first, second = page.locator("#driving .way").evaluate_all(boxes)
    assert first["y"] + first["height"] <= second["y"] + 1
    assert page.locator("#driving").evaluate("(n) => n.scrollWidth <= n.clientWidth")


APART = """() => {
    const ink = (r) => ({ x0: r.x, x1: r.x + r.width, y0: r.y + 0.2 * r.height, y1: r.y + 0.8 * r.height });
    const boxes = [...document.querySelectorAll(".labels text")]
        .map((n) => [n.textContent, ink(n.getBBox())]);
    const over = (a, b) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
    return boxes.flatMap(([one, a], k) =>
        boxes.slice(k + 1).filter(([, b]) => over(a, b)).map(([other]) => `${one} ${other}`));
}"""
"""Which of the names and figures lie over one another: their letters, without the room above and below."""


CROWDED = """async () => {
  const { Places } = await import("/static/common/labels.js");
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const seen = { x0: 0, y0: -36, x1: 36, y1: 0 };
  const over = [];
  let names = 0;
  for (let table = 0; table < 100; table += 1) {
    const places = new Places(0.9, -1, seen);
    const wanted = Array.from({ length: 14 }, (_, k) => {
      const [x, y] = [8 + 20 * random(), 8 + 20 * random()];
      const [w, h] = k % 3 ? [2.8, 1.3] : [2 + 3 * random(), 2 + 3 * random()];
      const of = `piece ${k}`;
      places.occupy(of, [[x, y], [x + w, y], [x + w, y + h], [x, y + h]], k % 3 > 0);
      const lines = k % 5 ? [`Name ${k}`] : ["Crate", "in the way"];
      return { id: of, of, cls: "", lines, over: k % 3 === 0, held: true };
    });
    const first = places.taken.length;
    const sides = new Map();
    names += places.settle(wanted, sides).length;
    const texts = places.taken.filter((t) => wanted.every((w) => w.of !== t.name)).slice(first - 14);
    texts.forEach((a, k) => texts.slice(k + 1).forEach((b) => {
      const wide = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
      const high = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
      if (wide > 0.01 && high > 0.01) over.push(table);
    }));
    const out = (t) => t.x0 < seen.x0 || t.x1 > seen.x1 || t.y0 < seen.y0 || t.y1 > seen.y1;
    if (texts.some(out)) over.push("outside");
  }
  return { names, over };
}"""
"""A hundred tables of fourteen things that stand close together and over one another: whose names touch."""


def put(served: Served, page: Page, **places: Pose) -> None:
    """Moves cars, and waits until the page shows them there."""
    for car, pose in places.items():
        served.source.move(car, pose)
    for car, pose in places.items():
        place = page.locator(f'#car-list button[data-name="{car}"] .place')
        expect(place).to_contain_text(f"{pose.x:.2f}″, {pose.y:.2f}″")


def test_on_a_phone_names_are_seen_whole_and_apart(served: Served, look: Look) -> None:
    page = look(served.url, 390, 844)
    told = page.evaluate(CROWDED)
    assert told["names"] == 100 * (14 + 3)
    assert told["over"] == []
    # At the edge of the table, although a neighbour above and one below want to be named there, too.
    cars, stage = ("RED1", "RED2", "RED3"), box_of(page, "#stage")
    for x in (1.0, 47.0):
        put(served, page, **{car: Pose(x, 20.0 + 2.4 * k, 0.0) for k, car in enumerate(cars)})
        for car in cars:
            expect(page.locator(".labels text", has_text=car)).to_be_visible()
        names = page.evaluate(
            """() => [...document.querySelectorAll(".labels text.car")]
                .map((n) => n.getBoundingClientRect()).map((r) => [r.left, r.right])"""
        )
        assert len(names) == 6
        for left, right in names:
            assert left >= stage["x"] - 1
            assert right <= stage["x"] + stage["width"] + 1
    # Two near cars of a shot, with a third close by, and the range between them.
    near = {"RED1": Pose(20.0, 24.0, 0.0), "BLUE2": Pose(23.6, 24.4, 0.4), "RED2": Pose(21.0, 26.6, 0.0)}
    put(served, page, **near, RED3=Pose(32.0, 8.0, 2.0))
    for car in ("RED1", "BLUE2"):
        page.click(f'#car-list button[data-name="{car}"]')
    expect(page.locator(".labels .figure")).to_be_visible()
    for car in near:
        expect(page.locator(".labels text", has_text=car)).to_be_visible()
    assert page.evaluate(APART) == []
    # A small map names the cars alone.
    page.set_viewport_size({"width": 300, "height": 600})
    expect(page.locator(".labels text.terrain")).to_have_count(0)
    expect(page.locator(".labels text.car", has_text="RED1")).to_have_text("RED1")


ON_THE_LINE = """() => {
    const [line] = document.querySelectorAll(".marks polyline.line.range");
    const long = line.getTotalLength();
    const at = Array.from({ length: 200 }, (_, k) => line.getPointAtLength((long * k) / 200));
    return [...document.querySelectorAll(".labels text.car")].filter((n) => {
        const { x, y, width, height } = n.getBBox();
        return at.some((p) => p.x > x && p.x < x + width && p.y > y + 0.2 * height && p.y < y + 0.8 * height);
    }).map((n) => n.textContent);
}"""
"""Whose names lie over the line that is measured."""


def test_no_name_lies_over_the_line_that_is_measured(served: Served, look: Look) -> None:
    """A car above another one: its name is not below it, where the line comes from."""
    served.source.move("RED1", Pose(20.0, 10.0, 1.5))
    served.source.move("BLUE1", Pose(20.5, 24.0, 1.5))
    page = look(served.url, 1366, 768)
    for car in ("RED1", "BLUE1"):
        page.click(f'#car-list button[data-name="{car}"]')
    expect(page.locator(".labels .figure")).to_be_visible()
    expect(page.locator(".labels text", has_text="BLUE1")).to_be_visible()
    assert page.evaluate(ON_THE_LINE) == []


def test_the_shared_screen_says_how_a_game_begins(browser: Browser) -> None:
    with gaming() as table:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{table.url}screen")
        expect(page.locator("#fleet")).to_contain_text("Name the players under Play a game")
        with table.joined() as owner:
            owner.done(type="setup", draft={"players": [{"name": "Anna", "colour": "#c8322b"}]})
        expect(page.locator("#fleet")).to_contain_text("Anna plays.")
        order, fleet = box_of(page, "#order"), box_of(page, "#fleet")
        assert 0 <= fleet["y"] - (order["y"] + order["height"]) < 60
        page.close()

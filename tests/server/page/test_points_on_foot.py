"""A driver on foot in Chromium: its figure is pushed along the points by a hand; what was hidden is asked.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from engine.boards.board import Cell
from engine.space.geometry import Pose
from tests.server.fakes import wait_until
from tests.server.gaming import Player
from tests.server.page.evenings import (
    PHONE,
    Evening,
    deed,
    fits,
    into_view,
    opened,
    photograph,
    says,
    set_up,
)
from tests.volume import deep
from vision.simulate.play import along

DESKTOP = (1366, 900)
PLAYERS = (("Anna", "#c8322b"), ("Ben", "#1f6fd0"))
PIECES = (("Red 1", "Anna", {"type": "Saloon"}), ("Blue 1", "Ben", {"type": "Muscle Car"}))
FIGURE = "Driver"
BESIDE = Pose(0.0, 1.1)
"""Where a figure stands beside the car on its point."""
STEPS = 8
"""Pictures from one point to the next."""


def begin(evening: Evening, owner: Player) -> None:
    """Two cars on an empty board, a figure beside the first."""
    wait_until("the first picture", lambda: evening.live.moment is not None)
    set_up(owner, "Battlecars", PLAYERS, PIECES)
    owner.done(type="begin")
    owner.done(type="act", kind="start", data={}, dice=[8, 3])
    state = evening.host.match.state  # type: ignore[union-attr]
    there = {v.name: state.board.pose_of(v.cell, v.facing) for v in state.vehicles}
    evening.put_all({**there, FIGURE: there["Red 1"].compose(BESIDE)})


def at(evening: Evening, cell: Cell) -> Pose:
    return evening.host.match.state.board.pose_of(cell)  # type: ignore[union-attr]


def push(evening: Evening, name: str, way: Sequence[Pose]) -> None:
    """A hand pushes a piece along poses, as fast as the camera sees it, and rests where it ends."""
    steps = STEPS * (len(way) - 1)
    for step in range(1, steps + 1):
        before = evening.live.moment
        evening.live.source.move(name, along(way, step / steps), "push")  # type: ignore[attr-defined]
        # The second picture from here on was taken after the piece was put there.
        for _ in range(2):
            wait_until("a picture", lambda seen=before: evening.live.moment is not seen)  # type: ignore[misc]
            before = evening.live.moment
    evening.put_all({name: way[-1]})


def speeds(evening: Evening, *chosen: tuple[Page, str, int]) -> None:
    """Each player places a Speed Counter on their phone."""
    for page, name, speed in chosen:
        expect(deed(page, "speed").first).to_be_visible()
        page.locator(f'#now .leading .pick[data-value="{speed}"]').first.click()
        deed(page, "speed").first.click()
        if name != chosen[-1][1]:
            wait_until(f"{name} has chosen", lambda: len(evening.host.match.secrets) > 0)  # type: ignore[union-attr]


def cell_of(evening: Evening) -> Cell | None:
    return evening.host.match.state.person("driver of Red 1").cell  # type: ignore[union-attr]


def gets_out(anna: Page, ben: Page, evening: Evening) -> None:
    """Red 1 stands, its driver gets out, and the figure beside it stands for them."""
    speeds(evening, (anna, "Anna", 0), (ben, "Ben", 3))
    deed(anna, "leave").click()
    says(anna, "#log", "Driver stands for them")


def hidden_car(evening: Evening, ben: Page, anna: Page) -> None:
    """Ben's car is carried where nobody sees it: which way it went is asked, said, and agreed to."""
    state = evening.host.match.state  # type: ignore[union-attr]
    v = state.vehicle("Blue 1")
    column, row = v.cell
    poses = [state.board.pose_of((column - k, row), v.facing) for k in range(v.speed + 1)]
    evening.live.source.lift("Blue 1")  # type: ignore[attr-defined]
    wait_until("the car is gone", lambda: lost(evening, "Blue 1"))
    evening.live.source.put("Blue 1", poses[-1])  # type: ignore[attr-defined]
    way = ben.locator('[data-field="way"]')
    expect(way.locator(".pick")).to_have_count(3)
    says(ben, "#guide", "Not all of it was seen")
    into_view(way)
    photograph(ben, "points-hidden-phone")
    way.locator(".pick").first.click()
    ben.locator("#ask button", has_text="Understood").click()
    says(ben, ".proposals", "Waiting for Anna.")
    anna.locator(".proposals button", has_text="Agree").click()
    says(ben, "#log", "as was said")
    deed(ben, "done").click()


@deep
def test_a_figure_is_pushed_along_the_points_by_a_hand(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, "points") as evening:
        with evening.joined() as connection:
            begin(evening, Player(connection))
        anna, ben = (evening.page(PHONE, "player") for _ in PLAYERS)
        for phone, (name, _) in zip((anna, ben), PLAYERS, strict=True):
            phone.locator(".deed", has_text=name).click()
        page = evening.page(DESKTOP)
        gets_out(anna, ben, evening)
        says(page, "#turn", "driver of Red 1")
        photograph(page, "points-on-foot")
        # No place to tap lies over the figure that is to be pushed.
        expect(page.locator(".place-to-tap")).to_have_count(0)
        start = at(evening, (0, 6)).compose(BESIDE)
        push(evening, FIGURE, [start, at(evening, (1, 7)), at(evening, (2, 7))])
        says(anna, "#guide", "Legal")
        says(anna, "#guide", "2 of 2 points")
        photograph(page, "points-walked")
        photograph(anna, "points-walked-phone")
        fits(anna)
        anna.locator('[data-takes="walk"]').click()
        wait_until("the walk", lambda: cell_of(evening) == (2, 7))
        deed(anna, "done").click()
        says(ben, "#turn", "Blue 1")
        hidden_car(evening, ben, anna)
        # Carried out of sight, a knight's move away: what was not seen is asked, and the owner accepts it.
        speeds(evening, (ben, "Ben", 3))
        says(anna, "#turn", "Anna")
        evening.live.source.lift(FIGURE)  # type: ignore[attr-defined]
        wait_until("the figure is gone", lambda: lost(evening))
        evening.live.source.put(FIGURE, at(evening, (4, 6)))  # type: ignore[attr-defined]
        says(anna, "#guide", "Not all of it was seen")
        photograph(page, "points-unseen")
        photograph(anna, "points-unseen-phone")
        fits(page)
        # The point that was measured is folded away on the card of the walk.
        expect(page.locator('[data-option="walk"] .folded')).to_be_visible()
        deed(page, "walk").click()
        says(page, "#ask", "Driver was not seen from C8 to E7: accept that it went over D")
        photograph(page, "points-accept")
        page.locator('#ask [data-ruled="yes"]').click()
        wait_until("the walk that was accepted", lambda: cell_of(evening) == (4, 6))
        says(anna, "#log", "says, not measured: Driver went over D")


def lost(evening: Evening, name: str = FIGURE) -> bool:
    moment = evening.live.moment
    there = {} if moment is None else {s.name: s.status.value for s in moment.table.standings}
    return there.get(name) == "lost"

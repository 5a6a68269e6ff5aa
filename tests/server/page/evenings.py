"""A simulated table as `serve` serves it, with browsers, phones and a hand: for whole evenings."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from websockets.sync.client import ClientConnection, connect

from calibration.tablefile import parse_table
from engine.space.geometry import Pose
from server.commands.recording import RecordingOptions, recording
from server.pipeline.opening import Choice
from server.pipeline.runner import Runner
from server.play.host import MatchHost
from server.play.machine import Machines
from server.recording.library.games import Library
from server.serving.assembly import assemble
from server.serving.run import PageServer, listen
from server.setup.cameras.sourcing import Chooser
from server.web.authentication import Role
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import DrawnTable
from tests.server.gaming import Player as Device
from tests.volume import deep
from vision.simulate.scenes import named_scene

PATIENCE_MS = 1000 * PATIENCE
"""The simulated table is drawn and seen on the same machine as three browsers."""

WIDTHS = [390, pytest.param(1366, marks=deep)]
"""Pixels of a phone, where little room shows what does not fit; of a desktop in `make deep`."""

PICTURE = (1280, 720)
"""Pixels of the camera's pictures: few, as how they are read is proved elsewhere, and many are looked at."""

DESKTOP, LAPTOP, PHONE, SCREEN = (1440, 900), (1366, 768), (390, 844), (1920, 1080)

Figure = Callable[[str, object], None]
"""Tells a figure that was measured, by its words."""


@dataclass
class Evening:
    """The served table and how to look at it."""

    live: Runner
    host: MatchHost
    server: PageServer
    browser: Browser
    complaints: list[str]
    machines: Machines

    def page(
        self,
        size: tuple[int, int],
        role: Role | None = None,
        to: str = "/play",
        heard: list[str] | None = None,
    ) -> Page:
        """A device of its own: on this machine, or with the link of a role; what it is told is `heard`."""
        dark = "dark" if to == "/screen" else "light"
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=dark,  # type: ignore[arg-type]
        )
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        if heard is not None:
            page.on("websocket", lambda ws: ws.on("framereceived", lambda said: heard.append(str(said))))
        if role is None:
            page.goto(f"{self.server.address}{to.strip('/')}")
        else:
            page.goto(f"{self.server.address}join?to={to}#{self.server.authenticator.secret(role)}")
            page.wait_for_url(f"**{to}")
        return page

    def joined(self) -> ClientConnection:
        """A connection of the game, as the owner's."""
        address = self.server.address.replace("http", "ws")
        return connect(f"{address}ws/play", open_timeout=PATIENCE)

    def put(self, car: str, x: float, y: float, heading: float) -> None:
        """A hand puts a car there, and the camera has seen it."""
        self.put_all({car: Pose(x, y, math.radians(heading))})

    def put_all(self, places: Mapping[str, Pose]) -> None:
        """Hands put pieces there at once, and the camera has seen them all."""
        for name, pose in places.items():
            self.live.move(name, pose)

        def stand() -> bool:
            moment = self.live.moment
            there = {} if moment is None else {s.name: s for s in moment.table.standings}
            return all(
                name in there
                and math.hypot(there[name].pose.x - pose.x, there[name].pose.y - pose.y) < 0.1
                and there[name].status.value == "still"
                for name, pose in places.items()
            )

        wait_until(f"{', '.join(places)} in their places", stand)


@contextmanager
def opened(
    browser: Browser,
    folder: Path,
    scene: str = "default",
    fps: float = 2.0,
    size: tuple[int, int] = PICTURE,
) -> Iterator[Evening]:
    """A simulated table of so many pictures a second, served and recorded into a library in this folder."""
    table = parse_table(named_scene(scene, size).to_toml(), "the simulated table")
    player, choice = DrawnTable(table, drawn=True, fps=fps, size=size), Choice(f"sim:{scene}")
    complaints: list[str] = []
    with (
        recording(RecordingOptions(str(folder), video=None), table, choice.spec) as recorder,
        Library.open(folder) as games,
    ):
        source, referee = player.begin(choice)
        live = Runner(source, referee, keeper=recorder)
        player.time.watch(live)
        chooser = Chooser(live, player, choice)
        served = assemble(chooser, listen(port=0), table, recorder, games)
        with served.server as server:
            yield Evening(live, served.match, server, browser, complaints, served.machines)
    assert complaints == [], complaints


def set_up(
    owner: Device,
    game: str,
    players: Iterable[tuple[str, str]],
    pieces: Iterable[tuple[str, str, Mapping[str, object]]],
    **answers: object,
) -> None:
    """Names players with their colours, and pieces with owner and answers; the table sees, dice are typed."""
    draft = {
        "game": game,
        "players": [{"name": name, "colour": colour} for name, colour in players],
        "pieces": [{"name": name, "owner": whose, "answers": said} for name, whose, said in pieces],
        "answers": answers,
    }
    owner.done(type="setup", draft=draft)
    owner.done(type="modes", modes={"dice": "type", "moves": "see", "questions": "see"})


def photograph(page: Page, name: str) -> None:
    folder = os.environ.get("TABLEREF_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def deed(page: Page, kind: str) -> Locator:
    return page.locator(f'[data-kind="{kind}"]')


IN_REACH = """async (element) => {
  const seen = () => {
    const box = element.getBoundingClientRect();
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.top >= 0 && box.bottom <= innerHeight && at !== null && element.contains(at);
  };
  // What has just been told is drawn, and drawn to, within a few pictures.
  for (let k = 0; k < 30 && !seen(); k++) await new Promise(requestAnimationFrame);
  return seen() || (element.isConnected ? false : null);
}"""
"""Whether something can be tapped where it stands: in the window, and under nothing else; null once it is
drawn anew."""


@dataclass
class Effort:
    """The taps on a page, and what had to be scrolled to first."""

    taps: int = 0
    scrolls: list[str] = field(default_factory=list)


_efforts: WeakKeyDictionary[Page, Effort] = WeakKeyDictionary()


def tap(what: Locator) -> None:
    """Taps something as people do, who scroll to it first where it is out of reach."""
    what.wait_for()
    effort = _efforts.get(what.page)
    if effort is not None:
        effort.taps += 1
        while (reached := what.evaluate(IN_REACH)) is None:
            pass
        if not reached:
            effort.scrolls.append(" ".join(what.inner_text().split())[:40])
            photograph(what.page, f"out-of-reach-{effort.scrolls[-1][:12]}")
    what.click()


@contextmanager
def counted(page: Page, moment: str, most: int, figure: Figure, scrolls: int = 0) -> Iterator[None]:
    """So many taps at most bring a moment about, and nothing is scrolled to; printed with the figures.

    `scrolls` is how often it is today all the same.
    """
    effort = _efforts[page] = Effort()
    try:
        yield
    finally:
        del _efforts[page]
    size = page.viewport_size or {}
    where = f"{moment}, {size.get('width')}x{size.get('height')}"
    figure(f"taps and scrolls: {where}", f"{effort.taps} and {len(effort.scrolls)}")
    assert 0 < effort.taps <= most, f"{where}: {effort.taps} taps, of {most}"
    assert len(effort.scrolls) <= scrolls, f"{where}: out of reach: {effort.scrolls}"


def roll(page: Page, *values: int | str) -> None:
    """Types what the dice show, as they are asked for: those of one roll in as few taps as it allows."""
    left = list(values)
    while left:
        row = page.locator("#ask .dice:not([data-full])").first
        row.wait_for()
        typed = next((typing for way, typing in TYPINGS.items() if row.locator(way).count()), None)
        if typed is not None:
            dice = int(row.get_attribute("data-dice") or 0)
            typed(row, left[:dice])
            left = left[dice:]
            continue
        together = int(row.get_attribute("data-dice") or 1) if row.locator(".wholes").count() else 1
        shown, left = left[:together], left[together:]
        whole = " ".join(sorted(map(str, shown)))
        what = f'[data-whole="{whole}"]' if together > 1 else f'[data-value="{shown[0]}"]'
        tap(row.locator(f".faces .die{what}"))
    nothing_asked(page)


def _by_faces(row: Locator, shown: list[int | str]) -> None:
    """Says how many of a roll's dice show each face, until all are said."""
    faces = row.locator(".counts > .row").count()
    # Where all faces but one have their number, the rest is of that one.
    for face, count in list(Counter(shown).items())[: faces - 1]:
        tap(row.locator(f'[data-face="{face}"][data-count="{count}"]'))


def _two_at_a_time(row: Locator, shown: list[int | str]) -> None:
    """Taps where two dice cross, and the last of an odd number by its name."""
    for two in (shown[k : k + 2] for k in range(0, len(shown), 2)):
        tap(row.locator(f'[data-pair="{two[0]} · {two[1]}"]' if len(two) > 1 else f'[data-value="{two[0]}"]'))


def _by_what_counts(row: Locator, shown: list[int | str]) -> None:
    """Says how many of a roll's dice count."""
    least = int((row.get_attribute("data-high") or "").split()[0])
    tap(row.locator(f'[data-many="{sum(int(one) >= least for one in shown)}"]'))


TYPINGS = {".counts": _by_faces, ".pairs": _two_at_a_time, ".each": _by_what_counts}
"""What types the dice of one roll, by what its row holds."""


def dice_asked(page: Page, count: int) -> None:
    """So many dice are asked for, those of one roll together."""
    total = "[...document.querySelectorAll('#ask .dice')].reduce((n, r) => n + Number(r.dataset.dice), 0)"
    wait_until(f"{count} dice to be asked for", lambda: page.evaluate(total) == count)


def nothing_asked(page: Page) -> None:
    """What was done is taken: nothing is asked, and nothing said against it."""
    ask = page.locator("#ask")
    try:
        expect(ask).to_be_hidden()
    except AssertionError as error:
        raise AssertionError(f"the page says: {ask.inner_text()}") from error


def take(page: Page) -> None:
    """The move is taken as it was measured; nobody else's button does that."""
    expect(page.locator('[data-takes="move"]')).to_be_visible()
    expect(deed(page, "move")).to_have_count(0)
    tap(page.locator('[data-takes="move"]'))


def accept(page: Page, why: str) -> None:
    """Whoever may accepts a move that was not measured."""
    page.locator("summary", has_text="Accept without measuring").click()
    page.get_by_label("Why it was not measured", exact=False).fill(why)
    page.locator(".unmeasured > .deed", has_text="Accept without measuring").click()


def into_view(what: Locator) -> None:
    """Scrolls something into the window of its page, which may draw it anew at any moment."""
    what.evaluate("element => element.scrollIntoView({ block: 'center' })")


def says(page: Page, where: str, words: str) -> None:
    expect(page.locator(where)).to_contain_text(words)


def tells_all(screen: Page) -> None:
    """The big screen shows the order of play, every vehicle and the last outcome, and nothing scrolls."""
    hidden = screen.evaluate("""() => {
      const parts = [...document.querySelectorAll("#turn, #order > *, #fleet .short, #result:not([hidden])")];
      const out = parts.filter((part) => {
        const box = part.getBoundingClientRect();
        return !box.height || box.top < 0 || box.bottom > innerHeight || box.right > innerWidth;
      });
      const every = [document.documentElement, ...document.querySelectorAll("body *:not(.unseen)")];
      const scrolls = every.filter((part) =>
        part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY !== "visible");
      return [...out, ...scrolls].map((part) => `${part.tagName} ${part.id} ${part.className}`);
    }""")
    assert not hidden, f"out of sight on the big screen: {hidden}"


def fits(page: Page) -> None:
    """Nothing has to be pushed aside to be seen."""
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0

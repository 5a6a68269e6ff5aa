"""Every state of the play page that a played evening reaches can be read, seen and tapped.

A machine plays a short evening of each game, and what each page is told is kept. One page, with no server
beside it, then draws these states one after another at three widths, and is looked through each time.
"""

from __future__ import annotations

import json
import mimetypes
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from engine.game.registry import games
from server.web.pages import STATIC, page
from tests.evening.evening import Evening
from tests.server.page.axe import axe_finds
from tests.server.page.evenings import Figure, photograph
from tests.volume import DEEP, volume

HERE = Path(__file__).parent
LOOKED = (HERE / "states.js").read_text(encoding="utf-8")
CONTRAST = (HERE / "contrast.js").read_text(encoding="utf-8")

GAMES = [one.about.id for one in games() if one.about is not None]
SIZES = ((390, 844), (820, 1180), (1366, 768))
ADDRESS = "http://page.test/"

DEEDS = ("offer", "drive", "offer", "says", "drive", "offer", "stays", "mishap", "agree", "back")
"""What is done on an evening, over and over: what people do at a table."""

DUMB = """
  // A connection that hears what a test tells it.
  window.sockets = [];
  window.WebSocket = class {
    static OPEN = 1;
    constructor(address) { this.address = address; this.readyState = 0; sockets.push(this); }
    send() {}
    close() {}
  };
"""

DRAW = """async (state) => {
  document.querySelector("dialog[open]")?.close();
  sockets.find((s) => s.address.endsWith("/ws/play")).onmessage({ data: JSON.stringify(state) });
  for (const fold of document.querySelectorAll("main details")) fold.open = true;
  // What is drawn with the next picture, and what follows its size.
  for (let k = 0; k < 2; k += 1) await new Promise(requestAnimationFrame);
}"""

ASK = """async (answer) => {
  const { Asker } = await import("/static/play/ask.js");
  window.asker ??= new Asker({ ask: async () => ({ accepted: false, wanted: [] }), state: null });
  asker.settle({ type: "act", kind: "", data: {} }, answer);
}"""


def kind_of(who: str, state: dict[str, Any]) -> tuple[Any, ...]:
    """What a state looks like, whatever it counts: of those that look alike one is enough."""
    match = state["match"] or {}
    options = match.get("options", [])
    offered = sorted({(o["kind"], o["heading"] != "", bool(o["not_now"]), o["mine"]) for o in options})
    guide = (state["guide"] or {}).get("phase"), (state["guide"] or {}).get("verdict")
    asked = [bool(match.get(part)) for part in ("strays", "proposals", "chosen", "ghosts")]
    return who, state["phase"], tuple(offered), guide, tuple(asked)


@cache
def reached(game: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The states that evenings of a game reach, and what was answered; each of those that look alike once."""
    states: dict[tuple[Any, ...], dict[str, Any]] = {}
    answers: dict[tuple[Any, ...], dict[str, Any]] = {}
    for number in range(1, volume(2, 6)):
        evening = Evening(game, number)
        send = evening.send

        def sent(who: Any, send: Any = send, **message: Any) -> dict[str, Any]:
            answer: dict[str, Any] = send(who, **message)
            wanted = sorted((w["sides"], bool(w["faces"])) for w in answer["wanted"])
            reasons = sorted((bool(r["question"]), r["open"]) for r in answer["reasons"])
            if not answer["accepted"]:
                answers.setdefault((str(wanted), str(reasons), bool(answer["proposed"])), answer)
            return answer

        def keep(evening: Evening) -> None:
            for name, who in evening.at.viewers.items():
                state = evening.at.shown(who)
                states.setdefault(kind_of(name if who.role == "owner" else who.role, state), state)

        evening.send = sent  # type: ignore[method-assign]
        evening.after = keep
        evening.play([f"{k}:{DEEDS[k % len(DEEDS)]}" for k in range(volume(9, 30))])
    return list(states.values()), list(answers.values())


def shows(alone: Page) -> None:
    alone.goto(f"{ADDRESS}play")
    alone.wait_for_function("sockets.length >= 2")


@pytest.fixture(scope="module")
def opened_alone(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """The play page, from the files as they lie here, opened once; and what it complains of."""

    def give(route: Route) -> None:
        path = route.request.url.removeprefix(ADDRESS)
        if path == "play":
            route.fulfill(body=bytes(page("play").body), content_type="text/html")
        elif path.startswith("static/"):
            file = STATIC / path.removeprefix("static/")
            route.fulfill(path=file, content_type=mimetypes.guess_type(file.name)[0] or "text/plain")
        else:
            route.fulfill(status=404, body="{}")

    complaints: list[str] = []
    context = browser.new_context(reduced_motion="reduce")
    one = context.new_page()
    one.on("pageerror", lambda error: complaints.append(str(error)))
    one.add_init_script(DUMB)
    one.route("**/*", give)
    shows(one)
    yield one, complaints
    context.close()


@pytest.fixture
def alone(opened_alone: tuple[Page, list[str]]) -> Iterator[Page]:
    """That page; whatever it throws fails the test."""
    one, complaints = opened_alone
    yield one
    told, complaints[:] = list(complaints), []
    assert told == []


WRONG = """() => {
  const now = document.getElementById("now");
  now.hidden = false;
  now.innerHTML = `<button style="width: 60px; height: 44px; white-space: nowrap">
    words that run over its edge</button>
    <button style="width: 30px; height: 44px">x</button>
    <div style="width: 90px; overflow: hidden; white-space: nowrap">
    a sentence that nobody can read to its end</div>
    <button style="min-width: 60px; height: 44px; margin-top: -30px; display: block">above</button>
    <div class="field" data-lacks="true"><span class="soft">Which one</span></div>`;
  const learn = document.getElementById("learn");
  learn.hidden = false;
  learn.textContent = "a card over another one";
  const top = (node) => node.getBoundingClientRect().top;
  learn.style.transform = `translateY(${top(now) - top(learn)}px)`;
}"""
FOUND = (
    'text is cut: button "words', 'a small target: button "x"', 'text is cut: div "a sentence',
    'one button under another: button', "cards overlap", "must be chosen and is not marked",
)  # fmt: skip


def test_the_look_finds_what_is_wrong(alone: Page) -> None:
    alone.set_viewport_size({"width": 390, "height": 844})
    alone.evaluate(WRONG)
    found = alone.evaluate(LOOKED)
    shows(alone)
    assert [rule for rule in FOUND if not any(one.startswith(rule) for one in found)] == [], found


def declined(state: dict[str, Any], *ids: str) -> dict[str, Any]:
    """The same state with what was proposed in vain."""
    told = [{"id": id, "words": f"Red proposes: deed {id}", "why": f"Blue does not like {id}"} for id in ids]
    return {**state, "match": {**state["match"], "declined": told}}


def test_whoever_proposed_is_told_once_why_nothing_came_of_it(alone: Page) -> None:
    state = next(s for s in reached("car_cult")[0] if s["match"] and s["match"]["log"])
    asks = alone.locator("#ask")
    alone.set_viewport_size({"width": 390, "height": 844})
    alone.evaluate(DRAW, state)
    expect(asks).to_be_hidden()
    alone.evaluate(DRAW, declined(state, "1"))
    expect(asks).to_contain_text("Red proposes: deed 1.Blue does not like 1.")
    photograph(alone, "proposal-declined")
    alone.click("#ask button")
    # What was told is told no more.
    alone.evaluate(DRAW, declined(state, "1", "2"))
    expect(asks).to_contain_text("Red proposes: deed 2.")
    expect(asks).not_to_contain_text("deed 1")
    alone.click("#ask button")
    alone.evaluate(DRAW, declined(state, "2"))
    assert asks.is_hidden()
    shows(alone)


BUTTONS = """() => {
  const now = document.getElementById("now");
  now.hidden = false;
  const kinds = ["deed main", "deed car", "deed", "pick"];
  const states = ["", 'data-lacks="true"', 'aria-pressed="true"', 'data-state="close"'];
  now.innerHTML = kinds.flatMap((kind) => states.map((state) => `<button class="${kind}" ${state}>
    <strong>${kind} ${state.replaceAll('"', "")}</strong>
    <span class="small soft">still to choose</span></button>`)).join("");
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_button_can_be_read_under_the_pointer(theme: Literal["light", "dark"], alone: Page) -> None:
    """At rest, under the pointer and held down, whatever state it is in."""
    alone.set_viewport_size({"width": 390, "height": 844})
    alone.emulate_media(color_scheme=theme)
    alone.evaluate(BUTTONS)
    buttons, pale = alone.locator("#now button"), set()

    def look(how: str) -> None:
        mine = [f for f in alone.evaluate(CONTRAST) if f["name"].startswith("words: ")]
        pale.update(f"{how}: {f['name']}" for f in mine if f["ratio"] < 3)

    look("at rest")
    for button in buttons.all():
        button.hover()
        look("under the pointer")
        alone.mouse.down()
        look("held down")
        alone.mouse.up()
    alone.emulate_media(color_scheme="light")
    shows(alone)
    assert sorted(pale) == []


@pytest.mark.parametrize("game", GAMES)
def test_whatever_an_evening_shows_can_be_read_seen_and_tapped(
    game: str, alone: Page, figure: Figure
) -> None:
    states, answers = reached(game)
    assert len(states) >= volume(5, 30), "something was shown"
    wrong: dict[str, set[str]] = defaultdict(set)
    for width, height in SIZES:
        alone.set_viewport_size({"width": width, "height": height})
        # In the gate each is looked at on a phone and at one of the two wider sizes, in turn.
        for number, state in enumerate(states):
            if not DEEP and width != SIZES[0][0] and (width, height) != SIZES[1 + number % 2]:
                continue
            alone.evaluate(DRAW, state)
            found = alone.evaluate(LOOKED)
            if width == SIZES[0][0] and (DEEP or number % 4 == 0):
                found += [f"pale: {f['name']}" for f in alone.evaluate(CONTRAST) if f["ratio"] < 3]
            if width == SIZES[0][0] and (DEEP or number % 8 == 0):
                found += axe_finds(alone)
            for one in found:
                if one not in wrong:
                    photograph(alone, f"state-{game}-{len(wrong)}")
                wrong[one].add(f"{width} px, state {number}")
        for answer in answers:
            alone.evaluate(ASK, answer)
            for one in alone.evaluate(LOOKED):
                wrong[one].add(f"{width} px, {json.dumps(answer)[:300]}")
    figure(f"states of the play page of {game}", f"{len(states)} and {len(answers)} questions, 0 wrong")
    assert not wrong, "\n".join(f"{one}: {', '.join(sorted(where))[:200]}" for one, where in wrong.items())

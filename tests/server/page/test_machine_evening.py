"""Whole evenings of one person against two machines, by taps and drags at the owner's page.

The person is a plain one: does what the page offers, the main thing first, and drags cars where they have
to stand. In half of the evenings the machines have no hand: the person pushes their cars, and slips now and
then.
`TABLEREF_SCREENSHOTS` names a folder to keep pictures in of where an evening has stalled.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, WebSocket

from engine.driver.deciding import Choice
from engine.game.match import Match
from engine.game.pushing import length_of
from engine.game.registry import game_called
from engine.game.showing import Viewer
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, key_of
from server.play.machine import NOT_SO, STAYS_IN, Hand
from server.play.thinking import Decision, Thinker, Told
from tests.server.fakes import wait_until
from tests.server.gaming import Player as Device
from tests.server.page.evenings import Evening, Figure, opened, photograph
from tests.volume import deep
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import BOARDS

ANN, MACHINES = "Ann", ("Ben", "Cem")

SHORT: dict[str, dict[str, Any]] = {
    "battlecars": {"rounds": 8, "quiet": 3},
    "car_cult": {"quiet": 2},
    "frothy_races": {"rounds": 6},
    "shattered_highways": {"points": 40, "rounds": 4},
    "white_line_fever": {"armour_groups": [1, 1, 1], "deployment": "arena"},
}
"""What makes an evening of each game a short one."""

FPS = 5.0
"""Pictures a second of the table's own time: enough to see how a car was pushed."""

MIDDLE = (24.0, 24.0)
"""The middle of the simulated tables: nobody pulls a car over the edge to put it right."""

MOST = 1500
"""Acts of the person after which an evening should be over."""

SLIP_IN, SLIP_TURN, SLIPS = 0.2, math.radians(5.0), 1 / 3
"""Inches and radians by which a hand slips, and how often."""

ROLLS_IN = 0.35
"""Inches beside its line that a car which rolls ends at the most."""

CLOSE_IN, CLOSE_TURN = 0.12, math.radians(1.5)
"""Inches and radians within which a car stands where it was dragged to."""

ROOM_IN = 3.0
"""Inches from the middle of a car to another's at which it has room."""

TREMBLES = 8
"""Pixels within which a press is no drag."""

AGAIN = 3
"""So often a piece is put back and pushed anew before it is accepted as it stands."""

RESTS = 10
"""Looks at a piece that has not gone on, after which the hand rests."""

PRESSES = 5
"""Presses on a piece after which it cannot be dragged."""

FREE_IN = 1.5
"""Inches beside its line of a drag that surely pulls a car off it."""

OFFERED = """([done, left]) => {
  const aside = document.querySelector("aside");
  const seen = (e) => {
    const shut = e.closest("details:not([open])");
    const folded = shut && !(e.tagName === "SUMMARY" && e.parentElement === shut);
    return !folded && !e.disabled && e.getClientRects().length > 0 && (left || !e.closest(".for-machines"));
  };
  const named = (e) => e.dataset.focus ?? e.dataset.kind ?? e.dataset.value ?? e.tagName;
  const fold = (e) => (e.tagName === "SUMMARY" ? "fold of " : "");
  const key = (e) => `${fold(e)}${named(e)} ${e.textContent.trim()}`;
  const kind = (e) => e.dataset.kind ?? e.closest("[data-option]")?.dataset.option ?? e.dataset.typed ?? "";
  const found = [];
  const offer = (rank, selector, root = aside) => {
    for (const e of root.querySelectorAll(selector)) {
      if (!seen(e) || found.some((f) => f.e === e)) continue;
      found.push({ e, rank, key: key(e), words: e.textContent.trim().replace(/\\s+/g, " ").slice(0, 90) });
    }
  };
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    offer(0, "[data-ruled], .die", dialog);
    offer(1, "button", dialog);
  } else {
    offer(0, ".proposals .deed.main");
    offer(1, "#pin-take [data-takes]");
    offer(2, "#pin .row > .deed.main:not([data-kind='end']):not([data-kind='done'])");
    for (const one of [".pick", ".die", ".step"]) offer(3, `.field[data-lacks='true'] ${one}`);
    offer(4, "#now > .deed.main, #now .group > .deed.main, #now .deed.now, #pin .deed.main");
    offer(4, "#pin .readies .deed, #pin .asks .pick, #now .leading .pick");
    offer(5, ".shot[data-state='yes'] .line[aria-expanded='false']");
    offer(5.5, "#now .group[data-option] .pick[aria-pressed='false']");
    offer(5.5, "#now .group[data-option] .stepper button");
    offer(6, "#now .deed[data-kind]:not(.unmeasured > .deed), #now .pick[aria-pressed='false']");
    offer(7, "#pin .deed");
    offer(8, "#now details:not([open]):not(.rest):not(.unmeasured):not(.explained):not(.folded) > summary");
    offer(9, ".strays button");
    if (left) offer(8, ".for-machines > summary");
    offer(10, ".field[data-lacks='true'] input");
  }
  window.tapper = found.map((f) => f.e);
  return found.map(({ e, ...f }, n) => ({
    ...f, n, kind: kind(e), type: e.tagName === "INPUT" ? e.type : "button", low: e.min ?? "",
  }))
    .filter((f) => !done.includes(f.key));
}"""
"""What the page offers to tap, the main thing first; what is in a closed fold is not in view."""

MAIN, OTHERS = (2, 4), 5.5
"""The ranks of what is usually done, and of other answers than the usual ones."""

WHERE = """async (n) => {
  const e = window.tapper[n];
  if (!e?.isConnected) return null;
  e.scrollIntoView({ block: "center" });
  await new Promise(requestAnimationFrame);
  const box = e.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const at = document.elementFromPoint(x, y);
  return at && (e.contains(at) || at.contains(e)) ? [x, y] : at ? at.outerHTML.slice(0, 120) : null;
}"""
"""Where on the screen it is to be tapped; what lies over it; or nothing any more."""

DRAWN = """([piece, x, y]) => {
  const drawn = [...document.querySelectorAll(".piece")].find((e) => e.dataset.piece === piece);
  const box = drawn?.querySelector(".base")?.getBoundingClientRect();
  return box && Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y) < 20;
}"""
"""Whether the page draws a piece there."""


class Person:
    """Whoever sits at the owner's page as Ann: looks, and does one thing at a time."""

    def __init__(self, evening: Evening, page: Page, seed: str, *, pushes_all: bool) -> None:
        self.evening, self.page, self.all = evening, page, pushes_all
        self.chance, self.thinks = random.Random(seed), Thinker()
        self.play: dict[str, Any] = {}
        self.heard = 0
        self.taps = self.drags = self.slips = self.again = self.gave_up = 0
        self.done: list[str] = []
        self.main: set[str] = set()
        self.began: dict[str, Pose] = {}
        self.stood: dict[str, Pose] = {}
        self.tried: set[tuple[int, str]] = set()
        self.number = -1
        self.told: list[str] = []
        self.refused: list[str] = []
        self.minds = (-1, "")

    # What the page is told

    def hears(self, frame: str | bytes) -> None:
        message = json.loads(frame) if str(frame).startswith("{") else {}
        if message.get("type") == "play":
            self.play, self.heard = message, self.heard + 1
        elif message.get("type") == "guide":
            self.play, self.heard = {**self.play, "guide": message["guide"]}, self.heard + 1

    @property
    def match(self) -> Match[Any]:
        assert self.evening.host.match is not None
        return self.evening.host.match

    def abreast(self) -> bool:
        self.page.evaluate("0")
        return int(self.play.get("number", -1)) >= self.evening.host.number

    @property
    def over(self) -> bool:
        return bool(self.match.game.status(self.match.state, Viewer()).over)

    def looks(self) -> tuple[int, str]:
        """What the page was told so far, and what it shows: it may show only later what it was told."""
        words = self.page.evaluate(
            "document.body.textContent + document.querySelectorAll('button:disabled').length"
        )
        return self.heard, str(words)

    def news(self, looked: tuple[int, str]) -> Callable[[], bool]:
        """Whether the page was told something since, or shows something else, or all is over."""
        return lambda: self.looks() != looked or self.over

    def says(self, words: str) -> None:
        self.told.append(words)
        print(f"{self.taps + self.drags:4} #{self.match.count:3} {words}", flush=True)

    # What is done

    def act(self) -> bool:
        """Do one thing; whether there was any."""
        wait_until("the page shows what was done", self.abreast)
        if self.play.get("number") != self.number:
            self.number, self.done = self.play.get("number", -1), []
        dialog = self.page.locator("dialog[open]").count() > 0
        return (not dialog and (self.puts() or self.pushes() or self.drives())) or self.taps_on()

    def once(self, what: str) -> bool:
        """Whether this is the first time that it is tried in this position."""
        key = (self.match.count, what)
        first = key not in self.tried
        self.tried.add(key)
        return first

    def puts(self) -> bool:
        """Drags a piece onto the shape on which it has to stand."""
        told = self.play["match"]["ghosts"]
        for ghost in told:
            mine = self.all or self.evening.host.owners.get(key_of(ghost["piece"])) not in MACHINES
            if ghost["right"] is not False or ghost["pose"] is None or for_machine(ghost) or not mine:
                continue
            if self.still_told(ghost) and self.once(f"put {ghost['piece']} {ghost['pose']}"):
                self.says(f"puts {ghost['piece']}: {ghost['words']}")
                self.put(ghost["piece"], Pose(*ghost["pose"]))
                self.anew(ghost["piece"])
                return True
        return False

    def still_told(self, ghost: Mapping[str, Any]) -> bool:
        """Whether that is told a second later, too: by then it is seen that what was let go of has moved."""
        last = self.index()
        wait_until("a second of pictures", lambda: self.index() > last + FPS)
        self.abreast()
        kept = ("piece", "pose", "right")
        told = self.play["match"]["ghosts"]
        return any(all(one[key] == ghost[key] for key in kept) for one in told)

    def anew(self, piece: str) -> None:
        """What was put back is pushed anew."""
        again = (f"push {piece} ", f"right {piece} ")
        self.tried = {(count, what) for count, what in self.tried if not what.startswith(again)}

    def pushes(self) -> bool:
        """Pushes what a machine wants to be pushed, and slips now and then."""
        if not self.all:
            return False
        for ghost in filter(for_machine, self.play["match"]["ghosts"]):
            piece, goal = ghost["piece"], Pose(*ghost["pose"])
            told = ghost["words"].partition(": ")[2]
            if told and not ghost["legs"] and NOT_SO not in told:
                continue  # put back, or as good as there: the way is drawn anew once the machine has seen it
            if self.once(f"push {piece} {goal}"):
                self.says(f"pushes {piece}: {ghost['words']}")
                self.began[piece] = self.pose(piece)
                self.follow(piece, ghost["legs"] or [{"words": "carry", "pose": ghost["pose"]}])
                return True
            if NOT_SO not in ghost["words"]:
                continue
            if self.once(f"right {piece} {goal}"):
                self.says(f"puts right {piece}: {ghost['words']}")
                self.put(piece, goal)
                return True
            if self.once(f"back {piece} {goal} {self.again % AGAIN}"):
                self.says(f"puts back {piece}: {ghost['words']}")
                self.put(piece, self.began[piece])
                self.anew(piece)
                self.again += 1
                return True
        return False

    def drives(self) -> bool:
        """Drives a car of one's own, or one that a machine leaves to people, where its move is waited for."""
        machines = [m["player"] for m in self.play["machines"] if not m["left"]]
        waits = [
            o
            for o in self.play["match"]["options"]
            if o["measuring"] and not o["measuring"]["measured"] and o["player"] not in machines
        ]
        guide = self.play["guide"]
        resting = guide is not None and guide["phase"] in ("moving", "rested")
        if not waits or resting or not self.once(f"drive {[o['kind'] for o in waits]}"):
            return False
        choice = self.thought(waits[0]["player"])
        if (
            choice is None
            or choice.piece is None
            or length_of(self.pose(choice.piece), choice.way) < STAYS_IN
        ):
            self.says(f"would not drive: {choice}")
            return False
        self.says(f"drives {choice.piece}: {choice.words}")
        piece, count = choice.piece, self.match.count
        self.drag(piece, choice.way)

        def told_of() -> bool:
            self.abreast()
            guide, here = self.play["guide"], self.pose(piece)
            rested = (
                guide is not None
                and guide["phase"] == "rested"
                and self.evening.host.seeing.moves().get(guide["move"])
            )
            there = rested and math.dist(rested.after.pose.xy, here.xy) < CLOSE_IN
            return self.match.count != count or bool(there)

        wait_until(f"the page says what it makes of the move of {piece}", told_of)
        return True

    def thought(self, player: str = ANN) -> Choice | None:
        """What one has in mind in this position, or would do for a machine."""
        told = Told(self.match.log, self.evening.host.seeing.now(self.evening.host.owners), player)
        job = Decision(told, "learner", "even", str(self.match.count))
        return self.thinks(job, self.match.game).choice

    def mind(self) -> str:
        """The kind of what one has in mind."""
        if self.minds[0] != self.match.count:
            choice = self.thought()
            self.minds = self.match.count, "" if choice is None else choice.action.kind
        return self.minds[1]

    def left(self) -> bool:
        """Whether a machine leaves to people what it cannot do."""
        left = [m["player"] for m in self.play["machines"] if m["left"]]
        if left and self.once("left"):
            self.gave_up += 1
            self.says(f"LEFT to people: {left}")
        return bool(left)

    def taps_on(self) -> bool:
        """Taps what the page offers, the main thing first, nothing twice while nothing changes."""
        offers = self.page.evaluate(OFFERED, [self.done, self.left()])
        if not offers:
            return self.accepts()
        first = min(o["rank"] for o in offers)
        # What one has in mind comes before what the page would have done.
        minded = [o for o in offers if o["rank"] > 1 and o["kind"] and o["kind"] == self.mind()]
        first = min((o["rank"] for o in minded), default=first) if first > 1 else first
        # Now and then something else than what is usual is chosen before it is done.
        others = [o for o in offers if o["rank"] == OTHERS]
        if first in MAIN and others and self.once("others") and self.chance.random() < 0.5:
            first = OTHERS
        ranked = [o for o in offers if o["rank"] == first]
        one = self.chance.choice([o for o in minded if o["rank"] == first] or ranked)
        if one["rank"] in MAIN:
            self.main.add(one["key"])
        elif one["rank"] == OTHERS:
            # With another answer what was refused may be done.
            self.done = [key for key in self.done if key not in self.main]
        self.done.append(one["key"])
        at = self.page.evaluate(WHERE, one["n"])
        if not isinstance(at, list):
            if at is not None:
                self.says(f"CANNOT tap {one['words']!r}: under {at}")
                # The page may have scrolled under the finger: once more.
                if self.once(f"again {one['key']}"):
                    self.done.remove(one["key"])
            return True
        self.says(f"taps [{one['rank']}] {one['words']}")
        self.taps += 1
        if self.page.locator("dialog[open]").count():
            words = " ".join(self.page.locator("dialog[open]").first.inner_text().split())
            self.says(f"  in: {words[:300]}")
            if "cannot be done" in words or "Not by the book" in words or "does not count" in words:
                self.refused.append(words[:200])
        self.page.mouse.click(*at)
        if one["type"] == "number":
            self.page.keyboard.type(one["low"] or "1")
            self.page.keyboard.press("Tab")
        self.page.locator("body:not([data-busy])").wait_for()
        return True

    def accepts(self) -> bool:
        """Accepts a move that was not measured, where the page offers nothing else; dialogs are closed."""
        if self.page.locator("dialog[open]").count():
            self.page.locator("dialog[open] button:visible").last.click()
            return True
        fold = self.page.locator("#now details.unmeasured:visible").first
        if not fold.count() or not fold.is_visible() or not self.once("accept"):
            return False
        self.says(f"accepts without measuring: {fold.inner_text()[:100]!r}")
        fold.locator("summary").first.click()
        fold.get_by_label("Why it was not measured", exact=False).fill("it slipped")
        fold.get_by_label("Why it was not measured", exact=False).press("Tab")
        self.page.locator("#now details.unmeasured[open] > .deed").first.click()
        self.page.locator("body:not([data-busy])").wait_for()
        self.taps += 3
        return True

    # A hand

    def drag(self, piece: str, way: Sequence[Pose]) -> None:
        """Drags a piece along the way, a drag for each turn and each straight."""
        self.drags += 1
        for pose in corners(self.pose(piece), way):
            self.drag_to(piece, pose, ROLLS_IN)
        self.seen_at(piece)

    def follow(self, piece: str, legs: Sequence[Mapping[str, Any]]) -> None:
        """Pushes a piece as the page draws it, part by part, and slips now and then.

        A car rolls on: places are told to what can be drawn, and nobody shifts it by a tenth of an inch.
        """
        self.drags += 1
        for leg in legs:
            here, end = self.pose(piece), Pose(*leg["pose"])
            ahead = float(here.to_body(end.xy)[0])
            if leg["words"].startswith("turn"):
                self.turn(piece, here, wrap_angle(end.heading - here.heading))
            elif leg["words"].startswith("drive"):
                self.pull(piece, here, here.compose(Pose(ahead, 0.0)))
            else:
                self.drag_to(piece, end, ROLLS_IN)
        if self.chance.random() < SLIPS:
            self.slips += 1
            here, sign = self.pose(piece), self.chance.choice([-1, 1])
            self.pull(piece, here, here.compose(Pose(sign * SLIP_IN, 0.0)))
            self.turn(piece, self.pose(piece), self.chance.choice([-1, 1]) * SLIP_TURN)
        self.seen_at(piece)

    def put(self, piece: str, pose: Pose) -> None:
        """Puts a piece there, whatever way it takes."""
        self.drags += 1
        self.drag_to(piece, pose, CLOSE_IN)
        self.seen_at(piece)

    def drag_to(self, piece: str, pose: Pose, near: float) -> None:
        standing = self.standing(piece)
        # A figure is lifted, and looks wherever it looks.
        lifted = standing is not None and standing.piece.look == "token"
        for _ in range(PRESSES):
            here = self.pose(piece)
            turn = wrap_angle(pose.heading - here.heading)
            if abs(turn) > CLOSE_TURN and not lifted:
                self.turn(piece, here, turn)
                here = self.pose(piece)
            if math.dist(here.xy, pose.xy) <= near:
                return
            ahead, aside = (float(v) for v in here.to_body(pose.xy))
            if near < abs(aside) < FREE_IN / 2 and not lifted:
                # A car rolls on its wheels: it is pulled off its line first.
                sides = [here.to_table((ahead, aside + far)) for far in (FREE_IN, -FREE_IN)]
                # Away from what stands there: a car that is pushed into another is seen by nobody.
                inward = max(sides, key=lambda at: (self.room(piece, at), -math.dist(at, MIDDLE)))
                self.pull(piece, here, Pose(float(inward[0]), float(inward[1]), here.heading))
                here = self.pose(piece)
            self.pull(piece, here, Pose(pose.x, pose.y, here.heading))
        raise AssertionError(f"{piece} does not go to {pose}: it stands at {self.pose(piece)}")

    def room(self, piece: str, at: Sequence[float]) -> float:
        """How far the middle of the nearest other piece is, inches; as much as is needed at the most."""
        others = [pose for name, pose in self.stood.items() if name != key_of(piece)]
        return min([ROOM_IN, *(math.dist(at, pose.xy) for pose in others)])

    def pose(self, piece: str) -> Pose:
        """Where a piece stands; while it is lifted, where it stood."""
        source = self.evening.live.source
        assert isinstance(source, SimulatedTable)
        self.stood |= {key_of(name): pose for name, pose in source.poses().items()}
        return self.stood[key_of(piece)]

    def standing(self, piece: str) -> Standing | None:
        moment = self.evening.live.moment
        return (
            None
            if moment is None
            else next((s for s in moment.table.standings if key_of(s.name) == key_of(piece)), None)
        )

    def seen_at(self, piece: str) -> None:
        def seen() -> bool:
            here, truth = self.standing(piece), self.pose(piece)
            return (
                here is not None and here.status.value == "still" and math.dist(here.pose.xy, truth.xy) < 0.15
            )

        wait_until(f"{piece} is seen where it was put", seen)

    def screen(self, x: float, y: float) -> tuple[float, float]:
        a, e, f = self.page.evaluate(
            "(({ a, e, f }) => [a, e, f])(document.querySelector('#drawing').getScreenCTM())"
        )
        return a * x + e, -a * y + f

    def pull(self, piece: str, here: Pose, to: Pose) -> None:
        """Pushes a piece from where it stands."""
        begin, end = self.screen(here.x, here.y), self.screen(to.x, to.y)
        self.mouse(
            piece,
            begin,
            [
                (begin[0] + (end[0] - begin[0]) * k / 4, begin[1] + (end[1] - begin[1]) * k / 4)
                for k in range(1, 5)
            ],
        )

    def turn(self, piece: str, here: Pose, angle: float) -> None:
        """Turns a piece about its rear axle, or about its middle on a board of spaces."""
        standing = self.standing(piece)
        celled = "free" not in self.match.game.about.boards
        pivot = (0.0, 0.0) if celled or standing is None else standing.piece.body.rear_axle
        rear = here.to_table(pivot)
        nose = here.to_table((0.3 * standing.piece.body.length if standing else 1.0, 0.0))
        px, py = self.screen(float(rear[0]), float(rear[1]))
        nx, ny = self.screen(float(nose[0]), float(nose[1]))
        places = []
        for k in range(1, 7):
            part = -angle * k / 6
            dx, dy = nx - px, ny - py
            places.append(
                (
                    px + dx * math.cos(part) - dy * math.sin(part),
                    py + dx * math.sin(part) + dy * math.cos(part),
                )
            )
        self.mouse(piece, (nx, ny), places, "right")

    def mouse(
        self,
        piece: str,
        begin: tuple[float, float],
        places: Sequence[tuple[float, float]],
        button: Literal["left", "right"] = "left",
    ) -> None:
        before = self.pose(piece)
        for _ in range(PRESSES):
            self.seen_at(piece)
            middle = self.screen(before.x, before.y)
            wait_until(
                f"the page draws {piece} there", lambda at=middle: self.page.evaluate(DRAWN, [piece, *at])
            )
            self.press(begin, places, button)
            index = self.index()
            wait_until(
                f"{piece} to be moved",
                lambda last=index: self.pose(piece) != before or self.index() > last + 5,
            )
            if self.pose(piece) != before:
                break
            self.says(f"MISSED {piece} at {begin}")
        else:
            raise AssertionError(f"{piece} cannot be dragged from {begin}")
        # The last of what the hand has told is there once the page's connection has answered.
        last, still = self.pose(piece), 0

        def at_rest() -> bool:
            nonlocal last, still
            now = self.pose(piece)
            last, still = now, still + 1 if now == last else 0
            return still > RESTS

        wait_until("the hand rests", at_rest)

    def index(self) -> int:
        moment = self.evening.live.moment
        return -1 if moment is None else moment.index

    def press(
        self,
        begin: tuple[float, float],
        places: Sequence[tuple[float, float]],
        button: Literal["left", "right"],
    ) -> None:
        mouse = self.page.mouse
        mouse.move(*begin)
        mouse.down(button=button)
        if all(math.dist(begin, place) < TREMBLES for place in places):
            # So little is no drag yet: it goes farther, and back.
            mouse.move(begin[0] + 2 * TREMBLES, begin[1])
        for place in places:
            mouse.move(*place)
            index = self.index()
            # Slow enough to be seen on its way.
            wait_until("the next picture", lambda last=index: self.index() > last)
        mouse.up(button=button)


def for_machine(ghost: dict[str, Any]) -> bool:
    return str(ghost["words"]).startswith("push it onto its shape for")


def corners(start: Pose, way: Sequence[Pose]) -> Iterator[Pose]:
    """The poses of a way at which it turns, or goes another way: a drag leads from each to the next."""
    poses = [start, *way]
    for k in range(1, len(poses)):
        if k == len(poses) - 1:
            yield poses[k]
            return
        one, two = _step(poses[k - 1], poses[k]), _step(poses[k], poses[k + 1])
        if any(abs(a - b) > 0.05 for a, b in zip(one, two, strict=True)):
            yield poses[k]


def _step(a: Pose, b: Pose) -> tuple[float, float, float]:
    """Which way a step goes, in the frame of the piece, and whether it turns."""
    x, y = (float(v) for v in a.to_body(b.xy))
    far, turn = math.hypot(x, y), wrap_angle(b.heading - a.heading)
    if abs(turn) > 1e-3:
        return (0.0, 0.0, math.copysign(1.0, turn))
    return (x / far, y / far, 0.0) if far > 1e-6 else (0.0, 0.0, 0.0)


def begin(evening: Evening, game: str) -> None:
    """One car each; machines that are as good as fair."""
    driven = [p.name for p in evening.live.source.scene.pieces if p.driven and not p.follows]  # type: ignore[attr-defined]
    owners = (ANN, *MACHINES)
    colours = ("#c8322b", "#1f6fd0", "#2a8a3e")
    players = [
        {"name": n, "colour": c, "machine": None if n == ANN else {"level": "fair", "temper": "reckless"}}
        for n, c in zip(owners, colours, strict=True)
    ]
    each = [driven[0], driven[-1], driven[len(driven) // 2]]
    pieces = [{"name": p, "owner": o, "answers": {}} for p, o in zip(each, owners, strict=True)]
    with evening.joined() as wire:
        Device(wire).done(
            type="setup", draft={"game": game, "players": players, "pieces": pieces, "answers": SHORT[game]}
        )


def scene_of(game: str) -> str:
    boards = game_called(game).about.boards
    return next(scene for board, scene in BOARDS.items() if board in boards)


def stands(person: Person) -> str:
    """Where an evening has come to, for whoever has to find out why it stalls."""
    play = person.play
    match = play["match"]
    options = [
        (
            o["player"],
            o["kind"],
            o["piece"],
            o["words"],
            [r["words"] for r in o["not_now"]][:2],
            o["measuring"],
        )
        for o in match["options"]
    ]
    said = [
        match["status"]["what"],
        match["status"]["who"],
        play["guide"],
        play["machines"],
        options[:12],
        [(g["piece"], g["words"], g["right"], g["pose"]) for g in match["ghosts"]],
        match["strays"],
        match["proposals"],
        [(p, i.count, i.pushed, i.off, i.choice.words) for p, i in person.evening.machines._intents.items()],
        dict(person.evening.machines._refused),
        [line["words"] for line in match["log"]][-8:],
    ]
    return "\n".join(map(str, said))


def by_pictures(evening: Evening) -> Callable[[float], None]:
    """How a machine's hand waits: by the time of the pictures, however late they come."""
    due = [-math.inf]

    def now() -> float:
        moment = evening.live.moment
        return -math.inf if moment is None else moment.time

    def sleep(seconds: float) -> None:
        due[0] = max(due[0], now() - 1.0 / FPS) + seconds
        wait_until("the next picture", lambda: now() >= due[0] - 1.0 / FPS or evening.live.stopping)

    return sleep


def listens(page: Page, person: Person) -> None:
    """Hears what the page is told; errors of the page and of the server fail the evening."""
    complaints = person.evening.complaints

    def logs(said: ConsoleMessage) -> None:
        if said.type == "error":
            complaints.append(said.text)

    def answers(response: Response) -> None:
        if response.status >= 500:
            complaints.append(f"{response.status} {response.url}")

    def joins(socket: WebSocket) -> None:
        if "/ws/play" in socket.url:
            socket.on("framereceived", person.hears)

    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", logs)
    page.on("response", answers)
    page.on("websocket", joins)


@deep
@pytest.mark.parametrize("game", SHORT)
@pytest.mark.parametrize("pushes_all", [False, True], ids=["its own hand", "hands that slip"])
def test_an_evening_against_two_machines(
    browser: Browser,
    tmp_path: Path,
    game: str,
    pushes_all: bool,
    figure: Figure,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if pushes_all:
        monkeypatch.setattr(Hand, "there", property(lambda _: False))
    with opened(browser, tmp_path, scene_of(game), FPS) as evening:
        wait_until("the first picture", lambda: evening.live.moment is not None)
        evening.machines._hand._sleep = by_pictures(evening)
        begin(evening, game)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        person = Person(evening, page, game, pushes_all=pushes_all)
        listens(page, person)
        page.goto(f"{evening.server.address}play")
        page.locator("#begin").click()
        page.locator("body[data-phase='match']").wait_for()
        try:
            plays(person)
        except BaseException:
            photograph(page, f"stalled-{game}-{'hands' if pushes_all else 'own'}")
            print(stands(person))
            raise
        how = f"{game}, {'hands that slip' if pushes_all else 'its own hand'}"
        slips = f", {person.slips} of them {SLIP_IN} in off, {person.again} put back" if pushes_all else ""
        figure(f"taps and drags against two machines: {how}", f"{person.taps} and {person.drags}{slips}")
        figure(f"left to people, and refused: {how}", f"{person.gave_up} and {len(person.refused)}")
        photograph(page, f"over-{game}-{'hands' if pushes_all else 'own'}")
        assert not evening.complaints
        context.close()


def plays(person: Person) -> None:
    """Acts until the game is over; whoever has nothing to do waits until the page shows something else."""
    waits = ""
    while not person.over:
        looked = person.looks()
        if not person.act():
            machines = "; ".join(
                f"{m['player']}: {m['headline']} {m['words']}"
                for m in person.play["machines"]
                if m["headline"]
            )
            status = person.play["match"]["status"]
            if waits != (waits := f"waits: {status['what']} | {status['who']} | {machines}"):
                person.says(waits)

            wait_until(f"the page shows something to do\n{stands(person)}", person.news(looked))
        assert person.taps + person.drags < MOST, stands(person)
        person.page.evaluate("0")

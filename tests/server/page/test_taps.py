"""Taps and scrolls of a ram with typed dice, and of its damage, on a phone, where no evening has one.

What a vehicle takes is marked by the game; where nobody chooses who is hit, there is nothing to tap.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.games.frothy_races.rules.moves import beside, step_to
from engine.space.geometry import Pose
from tests.server.fakes import wait_until
from tests.server.gaming import Player
from tests.server.page.evenings import (
    LAPTOP,
    PHONE,
    TYPINGS,
    Evening,
    Figure,
    counted,
    opened,
    photograph,
    says,
    set_up,
    tap,
)
from tests.server.page.test_hexes_evening import PIECES, begin
from tests.volume import deep

MOST = 20
"""Rolls and taps on dice after which something is wrong."""

HIGH = 6
"""The face of a die with many, counted from 0: damage that goes through the armour."""


def types_what_is_asked(page: Page) -> None:
    """Types each roll that is asked for, one after the other: two of every face, the first faces first."""
    for _ in range(MOST):
        if not page.locator("#ask").is_visible():
            return
        row = page.locator("#ask .dice:not([data-full])").first
        dice = int(row.get_attribute("data-dice") or 1)
        typed = next((typing for way, typing in TYPINGS.items() if row.locator(way).count()), None)
        wholes = row.locator(".wholes .die")
        faces = ["0", "1", "2", "3"] if row.locator(".each").count() else named(row.locator(".face"))
        fell: list[int | str] = [faces[k // 2 % len(faces)] for k in range(dice)] if faces else []
        if typed is not None:
            typed(row, fell)
        elif wholes.count():
            tap(wholes.first)
        else:
            faces_to_tap = row.locator(".faces .die")
            tap(faces_to_tap.nth(HIGH if faces_to_tap.count() > HIGH else 0))
        # What is typed is asked with at once, and may ask for more.
        expect(page.locator("body[data-busy]")).to_have_count(0)
    raise AssertionError(f"more than {MOST} rolls are asked for")


def named(faces: Locator) -> list[str]:
    """The faces of a roll, as its rows are named."""
    return [str(face) for face in faces.evaluate_all("(all) => all.map((one) => one.dataset.value)")]


def points(evening: Evening, owner: Player) -> None:
    """Two cars on an empty board, two points apart, the one behind two points fast."""
    set_up(
        owner, "Battlecars", (("Anna", "#c8322b"), ("Ben", "#1f6fd0")),
        (("Red 1", "Anna", {"type": "Saloon"}), ("Blue 1", "Ben", {"type": "Van"})),
    )  # fmt: skip
    owner.done(type="begin")
    owner.done(type="act", kind="start", data={}, dice=[8, 3])
    owner.done(type="overrule", path=["vehicles", "Blue 1", "cell"], value=[2, 6], words="for the test")
    state = evening.host.match.state  # type: ignore[union-attr]
    evening.put_all({v.name: state.board.pose_of(v.cell, v.facing) for v in state.vehicles})
    for player, speed in (("Anna", 2), ("Ben", 1)):
        owner.done(type="act", kind="speed", player=player, data={"speed_1": speed})


@deep
@pytest.mark.parametrize("size", [PHONE, LAPTOP])
def test_a_ram_in_battlecars(browser: Browser, tmp_path: Path, figure: Figure, size: tuple[int, int]) -> None:
    with opened(browser, tmp_path, "points") as evening:
        wait_until("the first picture", lambda: evening.live.moment is not None)
        with evening.joined() as wire:
            points(evening, Player(wire))
        page = evening.page(size)
        says(page, "#turn", "Red 1")
        board = evening.host.match.state.board  # type: ignore[union-attr]
        at = board.pose_of(evening.host.match.state.vehicle("Red 1").cell, 0)  # type: ignore[union-attr]
        evening.put_all({"Red 1": at.compose(Pose(board.spacing, 0.0))})
        says(page, "#guide", "Blue 1")
        photograph(page, f"taps-battlecars-{size[0]}")
        with counted(page, "Battlecars, a ram with typed dice and its damage", 8, figure):
            tap(page.locator('[data-takes="move"]'))
            expect(page.locator("#ask .dice").first).to_be_visible()
            photograph(page, f"taps-battlecars-dice-{size[0]}")
            types_what_is_asked(page)
        says(page, "#result", "rams Blue 1")
        photograph(page, f"taps-battlecars-done-{size[0]}")


@deep
def test_a_collision_in_frothy_races(browser: Browser, tmp_path: Path, figure: Figure) -> None:
    with opened(browser, tmp_path, "hexes") as evening:
        with evening.joined() as wire:
            owner = Player(wire)
            begin(evening, owner)
            state = evening.host.match.state  # type: ignore[union-attr]
            red = state.vehicle("Red 1")
            (ahead,) = state.board.ahead(red.cell, red.facing)
            # Whatever it does then, it runs into one of the others.
            around = [beside(ahead, step_to(red.facing, side)) for side in "FLR"]
            beyond = [cell for cell in around if state.board.holds(cell)]
            others = ("Blue 1", "Green 1", "Gold 1")
            wanted = [(["Red 1", "speed"], 5), *(([name, "speed"], 0) for name in others)]
            wanted += [([name, "cell"], list(cell)) for name, cell in zip(others, beyond, strict=False)]
            for path, value in wanted:
                owner.done(type="overrule", path=["vehicles", *path], value=value, words="for the test")
            whose_of = {name: whose for whose, (name, *_) in PIECES.items()}
            for name, whose in whose_of.items():
                owner.done(type="act", kind="check", player=whose, data={"vehicle": name}, dice=["0", "0"])
            poses = [state.board.pose_of(cell, red.facing) for cell in beyond]
            evening.put_all(dict(zip(others, poses, strict=False)))
            while evening.host.match.state.step < 2:  # type: ignore[union-attr]
                who = evening.host.match.state.turn.vehicle  # type: ignore[union-attr]
                owner.done(type="act", kind="done", player=whose_of[who], data={"vehicle": who})
            evening.put_all({"Red 1": state.board.pose_of(ahead, red.facing)})
        page = evening.page(PHONE)
        says(page, "#turn", "Anna moves Red 1")
        says(page, "#guide", "into Blue 1")
        photograph(page, "taps-frothy")
        with counted(page, "Frothy Races, a collision with typed dice and its damage", 16, figure):
            # Of the ways that fit, one is taken: they stand beside the button, in view.
            tap(page.locator('#pin .asks [data-field="over"] .pick').first)
            expect(page.locator("#ask .dice").first).to_be_visible()
            photograph(page, "taps-frothy-dice")
            types_what_is_asked(page)
            while evening.host.match.state.agenda:  # type: ignore[union-attr]
                tap(page.locator("#pin .asks .pick, #pin .deed.main, #now .leading .pick").first)
                expect(page.locator("body[data-busy]")).to_have_count(0)
                types_what_is_asked(page)
        photograph(page, "taps-frothy-done")


def test_back_and_forth_stand_together_each_for_whoever_may(scripts: Page) -> None:
    """A phone has *Redo* once it has taken something back, and nothing of both before."""
    shown = scripts.evaluate(
        """async () => {
          const { LogPanel } = await import("/static/play/log.js");
          const node = document.createElement("div");
          const panel = new LogPanel(node, {});
          const match = { log: [], undoable: "a deed", redoable: "another", lying: [] };
          return [[true, false], [false, true], [false, false]].map(([back, forth]) => {
            panel.draw({ me: { acts: true, may_undo: back, may_redo: forth }, match });
            return [...node.querySelectorAll("#undo, #redo")].map((one) => [one.id, one.disabled]);
          });
        }"""
    )
    assert shown == [[["undo", False], ["redo", True]], [["undo", True], ["redo", False]], []]

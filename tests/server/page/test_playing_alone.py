"""A person against tableref on the simulated table: two taps to begin, and it plays its seat in sight.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.game.pushing import along
from engine.measure.sweep import Straight, Turn
from server.play.machine import Hand
from server.play.thinking import Decided, Thinker
from tests.server.fakes import wait_until
from tests.server.gaming import Player as Device
from tests.server.page.evenings import WIDTHS, Evening, fits, opened, photograph
from vision.simulate.live import SimulatedTable


@pytest.mark.parametrize("width", WIDTHS)
def test_a_game_against_tableref_in_two_taps(
    browser: Browser, tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # How its hand pushes is tried without a browser.
    monkeypatch.setattr(Hand, "push", lambda hand, piece, way, *_: hand._live.move(piece, way[-1]))
    with opened(browser, tmp_path) as evening:
        owner = evening.page((width, 844), to="/")
        expect(owner.locator("#go")).to_be_in_viewport()
        expect(owner.locator("#go")).to_have_text("Play a game")
        owner.click("#go")
        expect(owner.locator("#alone")).to_be_in_viewport()
        owner.click("#alone")
        expect(owner.locator("#turn .who")).to_be_visible()
        host = evening.host
        assert [p.machine is not None for p in host.draft.players] == [False, True]
        owner.locator(".deed", has_text="highway").click()
        deploy = owner.locator('[data-kind="deploy"]', has_text="Red 1").first
        deploy.click()
        # It says what it wants to do, and does it: its own car is put down.
        expect(owner.locator('.machine[data-machine="Blue"] .wants')).to_contain_text("Blue")
        photograph(owner, f"playing-alone-{width}")
        fits(owner)

        def deployed() -> bool:
            return host.match is not None and any(
                e.kind == "deployed" and e.data["car"].startswith("Blue") for e in host.match.log
            )

        wait_until("its car is put down", deployed)
        expect(owner.locator(".for-machines")).to_have_count(0)
        # Its seat is no phone's.
        owner.get_by_role("button", name="Options").first.click()
        expect(owner.locator("dialog[open] li.option .chip")).to_have_text(["Red"])
        phone = evening.page((390, 844), "player")
        expect(phone.locator("button.deed.car")).to_have_text(["Red"])
        # Where it plays all of them the owner has no seat to free, as a phone was told.
        with evening.joined() as wire:
            device, draft = Device(wire), host.draft.model_dump()
            device.done(type="anew")
            machine = {"level": "fair", "temper": "even"}
            both = [player | {"machine": machine} for player in draft["players"]]
            device.done(type="setup", draft=draft | {"players": both})
            device.done(type="begin")
        expect(phone.locator("#now")).to_contain_text("tableref plays all of them. This phone looks on.")


class Planned(Thinker):
    """Thinks as usual, but drives as it is told: 3 in, a turn to the left, 4 in."""

    def __call__(self, job: Any, game: Any) -> Any:
        found = super().__call__(job, game)
        if not isinstance(found, Decided) or found.choice is None or found.choice.action.kind != "move":
            return found
        here = job.told.seen.table.find(found.choice.piece).pose
        way = along(here, (Straight(3.0), Turn(math.radians(45.0), (-0.8, 0.0)), Straight(4.0)))
        words = f"{found.choice.piece} drives 3 in, turns left by 45°, drives 4 in"
        return replace(found, choice=replace(found.choice, way=way, words=words))


def its_turn_to_drive(evening: Evening) -> None:
    """Blue, whom tableref plays, is to drive; people push its car."""
    evening.machines._thinker = Planned()
    players = [
        {"name": "Blue", "colour": "#1f6fd0", "machine": {"level": "fair", "temper": "even"}},
        {"name": "Red", "colour": "#c8322b", "machine": None},
    ]
    pieces = [{"name": f"{p['name']} 1", "owner": p["name"], "answers": {}} for p in players]
    with evening.joined() as wire:
        owner = Device(wire)
        draft = {"game": "white_line_fever", "players": players, "pieces": pieces, "answers": {}}
        owner.done(type="setup", draft=draft)
        owner.done(type="begin")
        owner.done(type="act", kind="deployment", data={"deployment": "highway"})

        def deployed() -> bool:
            match = evening.host.match
            return match is not None and any(e.kind == "deployed" for e in match.log)

        wait_until("its car is put down", deployed)
        owner.done(type="act", kind="deploy", player="Red", data={"car": "Red 1"})


@pytest.mark.parametrize("width", WIDTHS)
def test_how_its_car_is_to_be_pushed_is_drawn_and_told(
    browser: Browser, tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the shape stands said nothing of the way there: a turn after 3 in is another than after 5."""
    monkeypatch.setattr(Hand, "there", property(lambda _: False))
    with opened(browser, tmp_path) as evening:
        owner = evening.page((width, 844))
        screen = evening.page((1920, 1080), to="/screen")
        its_turn_to_drive(evening)
        for page in (owner, screen):
            box = page.locator('.machine[data-machine="Blue"]')
            expect(box.locator("ol.way li")).to_have_text(["drive 3″", "turn left by 45°", "drive 4″"])
            for told in ("1: 3″", "2: left 45°", "3: 4″"):
                expect(page.locator(".labels text.shape", has_text=told)).to_have_count(1)
            expect(page.locator(".guided polyline.path.wanted")).to_have_count(1)
            expect(page.locator(".guided polygon.start.wanted")).to_have_count(2)
            expect(page.locator(".marked polygon.place")).to_have_count(1)
        # Its box says so, and nothing else says it again.
        expect(owner.get_by_role("group", name="To be put right")).to_have_count(0)
        photograph(owner, f"playing-alone-way-{width}")
        photograph(screen, f"playing-alone-screen-{width}")
        fits(owner)
        # Whoever pushed it as far as its first step and looks up reads what comes next.
        table = evening.host.seeing.now(evening.host.owners).table
        assert table is not None
        for pose in along(table.find("Blue 1").pose, (Straight(3.0),)):
            evening.live.move("Blue 1", pose)
        for page in (owner, screen):
            box = page.locator('.machine[data-machine="Blue"]')
            expect(box).to_contain_text("Go on with step 2.")
        photograph(owner, f"playing-alone-on-{width}")
        fits(owner)


@pytest.mark.parametrize("width", WIDTHS)
def test_who_plays_is_chosen_in_the_set_up(browser: Browser, tmp_path: Path, width: int) -> None:
    with opened(browser, tmp_path) as evening:
        owner = evening.page((width, 844))
        owner.click("#as-filed")
        owner.get_by_label("Who plays Blue", exact=True).select_option("hard")
        temper = owner.get_by_label("Temperament of Blue", exact=True)
        temper.select_option("careful")
        expect(temper).to_have_value("careful")
        wait_until(
            "the server has it",
            lambda: (
                [p.machine.model_dump() for p in evening.host.draft.players if p.machine]
                == [{"level": "hard", "temper": "careful"}]
            ),
        )
        owner.locator("ol.players").evaluate("list => list.scrollIntoView()")
        photograph(owner, f"playing-alone-setup-{width}")
        fits(owner)
        owner.get_by_label("Who plays Blue", exact=True).select_option("")
        expect(temper).to_have_count(0)


def test_a_figure_is_lifted_and_put_down_on_the_simulated_table(browser: Browser, tmp_path: Path) -> None:
    """Who gets out of a car walks: nothing else would put the figure where the game wants it."""
    with opened(browser, tmp_path, "points") as evening:
        source = evening.live.source
        assert isinstance(source, SimulatedTable)
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(evening.server.address)
        box = page.locator(".piece[data-piece='Driver'] .base").bounding_box()
        assert box is not None
        x, y, before = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, source.poses()["Driver"]
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y + 40, steps=4)
        page.mouse.up()
        wait_until("it was put down", lambda: source.poses().get("Driver", before).x < before.x - 1.0)
        assert source.poses()["Driver"].y < before.y - 1.0
        page.close()


def test_what_a_machine_takes_itself_has_no_button(scripts: Page) -> None:
    """Its move is taken by it, as long as it can: a tap of the owner's would only come between."""
    buttons = scripts.evaluate(
        """async () => {
          const { GuidePanel } = await import("/static/play/guide.js");
          const [node, pin] = [document.createElement("div"), document.createElement("div")];
          const panel = new GuidePanel(node, pin, { option: async () => true, said: () => ({}) });
          const blue = { kind: "move", piece: "Blue 1", player: "Blue" };
          const option = { ...blue, mine: true, form: { fields: {} } };
          const guide = { ...blue, phase: "rested", headline: "Not legal", words: "", verdict: "no",
            progress: null, steps: [], facts: [], reasons: [], marks: [],
            take: "Accept it as it stands", move: "1", said: { ruled: "yes" } };
          return [[], [false], [true]].map((left) => {
            const machines = left.map((left) => ({ player: "Blue", left }));
            panel.draw({ guide, machines, match: { options: [option] } });
            return pin.querySelectorAll("[data-takes]").length;
          });
        }"""
    )
    assert buttons == [1, 0, 1], "of a person, of a machine, of a machine that leaves it to people"


def test_what_a_machine_wants_is_said_once(scripts: Page) -> None:
    """Whoever pushes its car looks at the table: it was only written."""
    said = scripts.evaluate(
        """async () => {
          const said = [];
          const value = { speak: (one) => said.push(one.text), cancel() {} };
          Object.defineProperty(window, "speechSynthesis", { value });
          const { setSpeech } = await import("/static/common/speech.js");
          const { StatusPanel } = await import("/static/play/status.js");
          const panel = new StatusPanel(document.createElement("div"), document.createElement("ol"));
          const one = ([player, headline, words = ""]) => ({ player, headline, words, steps: [] });
          const draw = (...wants) => panel.draw({ match: null, seats: [], draft: { players: [] },
            machines: wants.map(one) });
          const drives = ["Blue", "Blue 1 drives 3″", "Push it onto its shape."];
          draw();
          draw(drives);  // read by nobody: it is switched off
          draw();
          setSpeech("speak", true);
          draw(drives);
          draw(drives);
          draw([...drives.slice(0, 2), "It belongs a little ahead."]);
          draw(drives, ["Red", "Red is done"]);
          draw();
          draw(drives);
          setSpeech("speak", false);
          const opened = new StatusPanel(document.createElement("div"), document.createElement("ol"));
          setSpeech("speak", true);
          const before = said.length;
          opened.draw({ match: null, seats: [], draft: { players: [] },
            machines: [{ player: "Blue", headline: "Blue is done", words: "", steps: [] }] });
          setSpeech("speak", false);
          return [said, before === said.length];
        }"""
    )
    drives = "Blue 1 drives 3 inches. Push it onto its shape."
    assert said == [[drives, "Red is done.", drives], True]

"""The page of the game under clumsy hands: quick taps, the focus, the thumb on a phone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from playwright.sync_api import Browser, FloatRect, Page, expect

from engine.game.about import SEEN
from engine.space.geometry import FloatArray, Pose
from tests.server.conftest import OpenPlay
from tests.server.fakes import STANDINGS, wait_until
from tests.server.gaming import DRAFT, Table, begun, gaming, let_stand
from tests.server.page.conftest import AtTable
from tests.server.page.test_table_page_small import APART

PHONE = (390, 844)


def kinds(table: Table) -> list[str]:
    assert table.host.match is not None
    return [e.kind for e in table.host.match.log]


def box_of(page: Page, what: str) -> FloatRect:
    box = page.locator(what).first.bounding_box()
    assert box is not None
    return box


class TestWhatARollLedTo:
    def test_a_roll_that_led_to_nothing_special_says_so_in_the_place_of_what_was_told_before(
        self, scripts: Page
    ) -> None:
        told = scripts.evaluate(
            """async () => {
              const { ResultPanel } = await import("/static/play/result.js");
              const node = document.createElement("div");
              const panel = new ResultPanel(node, true, () => {});
              const fell = { sides: 6, shows: "2", why: "Move", by: "Ann", typed: false };
              const line = (batch, words, tone, dice = []) => ({
                number: batch, batch, words, tone, dice, citation: "", first: false, undone: false,
              });
              const log = [line(1, "it hits", "good")];
              const match = { log, options: [], undoable: true };
              const shows = () => {
                panel.draw({ me: { acts: true, may_undo: true, may_redo: true }, match });
                return node.querySelector(".headline").textContent;
              };
              const told = [shows()];
              const before = line(2, "Red 1 is played", "plain");
              const after = line(2, "Red 1 stays where it is", "plain");
              log.push(before, line(2, "Move: 2", "dice", [fell]), after);
              told.push(shows(), [...node.querySelectorAll("summary .die")].map((die) => die.textContent));
              log.push(line(3, "Speed: 2", "dice", [fell]), line(3, "Blue 1 is played", "turn"));
              return [...told, shows()];
            }"""
        )
        assert told == ["It hits", "Red 1 stays where it is", ["2"], "It hits"]


class TestOnesOwn:
    """What would harm one's own is chosen, and then done: never in one tap."""

    def test_what_is_folded_away_is_no_place_to_tap_on_the_table(self, scripts: Page) -> None:
        offered = scripts.evaluate(
            """async () => {
              const { OptionsPanel } = await import("/static/play/options.js");
              const [now, pin] = [document.createElement("section"), document.createElement("section")];
              const panel = new OptionsPanel(now, pin, { point() {} }, {});
              const places = (folded) => panel.places({ me: { acts: true }, match: { status: { over: false },
                options: [{ kind: "walk", player: "A", data: {}, mine: true, not_now: [],
                  heading: "", words: "", form: { fields: { point: { type: "pick", folded, usual: null,
                    candidates: [{ value: 1, words: "B2", at: [3, 4], not_now: [] }] } } } }] } });
              return [places(false).map((one) => one.words), places(true).map((one) => one.words)];
            }"""
        )
        assert offered == [["B2"], []]

    def test_a_tap_on_the_table_does_what_ones_own_can_do_and_aims_at_nobody(self, scripts: Page) -> None:
        """It has attacked whoever was tapped, by the first of two kinds of attack."""
        told = scripts.evaluate(
            """async () => {
              const { OptionsPanel } = await import("/static/play/options.js");
              const [now, pin] = [document.createElement("section"), document.createElement("section")];
              document.body.append(now, pin);
              document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
              const option = (words, piece) => ({ kind: words, player: "A", words, more: "", heading: words,
                heading_more: "", data: {}, form: { fields: {} }, citation: "", piece, facts: [],
                reckoning: [], question: null, not_now: [], sealed: null, main: false, ends: false,
                button: "", mine: true, measuring: null });
              const draft = { players: [{ name: "A", colour: "#f00" }, { name: "B", colour: "#00f" }],
                pieces: ["W", "X", "Y", "Z"].map((name) => ({ name, owner: name === "Z" ? "B" : "A" })) };
              const done = [];
              const asker = { option: async (o) => (done.push(o.words), true) };
              const panel = new OptionsPanel(now, pin, { point() {} }, asker);
              const options = [option("drive", "X"), option("stay", "Y"), option("turn", "Y"),
                option("attack", "Z"), { ...option("put", "W"), measuring: { may: true, measured: true } }];
              panel.draw({ me: { acts: true, owner: true, role: "owner" },
                seats: [], machines: [], modes: { dice: "roll" }, trouble: null, guide: null, draft,
                match: { options, strays: [], ghosts: [], proposals: [], chosen: [], reveals: null,
                status: { over: false } } }, null);
              const shown = [];
              for (const piece of ["X", "Y", "Z", "W", "nothing"]) {
                document.activeElement.blur();
                const about = panel.tap(piece);
                await new Promise(requestAnimationFrame);
                shown.push([about, done.splice(0), document.activeElement.dataset.kind ?? null]);
              }
              now.remove();
              pin.remove();
              return shown;
            }"""
        )
        assert told == [
            [True, ["drive"], None],
            [True, [], "stay"],
            [True, [], "attack"],
            [True, [], "put"],
            [False, [], None],
        ]

    def test_one_tap_on_ones_own_harms_nothing_and_the_button_says_whose_it_is(self, scripts: Page) -> None:
        told = scripts.evaluate(
            """async () => {
              const { OptionsPanel } = await import("/static/play/options.js");
              const [now, pin] = [document.createElement("section"), document.createElement("section")];
              const one = (value, own) => ({ value, words: value, more: "", facts: [], at: null, group: "",
                leads: "", not_now: [], own });
              const option = (words, more) => ({ kind: "shoot", player: "A", words, more: "", heading: "who",
                heading_more: "", data: {}, form: { fields: {} }, citation: "", piece: null, facts: [],
                reckoning: [], question: null, not_now: [], sealed: null, main: false, ends: false,
                button: "", mine: true, measuring: null, ...more });
              const draft = { players: [{ name: "A", colour: "#f00" }, { name: "B", colour: "#00f" }],
                pieces: [{ name: "X", owner: "A" }, { name: "Z", owner: "B" }] };
              const asked = [];
              const asker = { option: async (o, said) => (asked.push(said), true) };
              const panel = new OptionsPanel(now, pin, { point() {} }, asker);
              const draw = (...options) => panel.draw({ me: { acts: true, owner: true, role: "owner" },
                seats: [], machines: [], modes: { dice: "roll" }, trouble: null, guide: null, draft,
                match: { options, strays: [], ghosts: [], proposals: [], chosen: [], reveals: null,
                status: { over: false } } }, null);
              const text = (what) => [...now.querySelectorAll(what)].map((n) => n.textContent);
              const whom = { type: "pick", words: "Whom", more: "", usual: null, optional: false,
                folded: false, least: 1, most: 1, at_once: true, candidates: [one("X", true)] };
              draw(option("Shoot", { form: { fields: { whom } } }), option("Change seat", {}));
              const told = { picks: text(".pick"), before: text(".deed") };
              now.querySelector(".pick").click();
              told.tapped = [...asked];
              told.after = text(".deed");
              now.querySelector(".deed").click();
              await new Promise(requestAnimationFrame);
              const shot = (target) => option(`Shoot ${target}`,
                { question: { kind: "shot", label: "gun", pieces: ["Y", target] } });
              const opened = () => text(".line[aria-expanded=true] .who strong");
              draw(shot("X"), option("Stay", {}));
              told.own = opened();
              draw(shot("X"), shot("Z"));
              const other = opened();
              now.querySelectorAll(".line[aria-expanded=true]").forEach((line) => line.click());
              const vain = { ...shot("V"), vain: true };
              draw(vain, option("Done", { main: true, ends: true }));
              const main = () => [...pin.querySelectorAll(".deed.main")].map((n) => n.textContent);
              told.vain = [opened(), main()];
              now.querySelector(".line").click();
              told.looked = [opened(), main()];
              return { ...told, asked, other };
            }"""
        )
        assert told["picks"] == ["Xyour own"]
        assert (told["before"], told["tapped"]) == (["Change seat"], [])
        assert told["after"][0] == "ShootX is your own"
        assert told["asked"] == [{"whom": "X"}]
        assert told["own"] == [], "a shot at one's own is no question that opens by itself"
        assert told["other"] == ["Shoot Z"]
        assert told["vain"] == [[], ["Done"]], "nor is one that can do nothing"
        assert told["looked"] == [["Shoot V"], ["Done"]], "it may be looked at, and ending the turn is main"


class TestWhatIsToBePut:
    """Where a piece has to stand is said once, and nothing is put back that was not moved."""

    def test_its_option_or_the_panel_of_its_move_says_it_and_nothing_else(self, scripts: Page) -> None:
        told = scripts.evaluate(
            """async () => {
              const { OptionsPanel } = await import("/static/play/options.js");
              const [now, pin] = [document.createElement("section"), document.createElement("section")];
              const words = "Move it to the farthest edge.";
              const option = { kind: "placed", player: "A", words: "It stands there", more: "", heading: "X",
                heading_more: words, data: {}, form: { fields: {} }, citation: "", piece: "X", facts: [],
                reckoning: [], question: null, not_now: [], sealed: null, main: false, ends: false,
                button: "", mine: true, measuring: { measured: true, happened: false, words: "" } };
              const ghost = { piece: "X", words, citation: "Book", right: false, taken_by: null };
              const said = (mine, guide, more, above = "") => {
                new OptionsPanel(now, pin, { point() {} }, {}).draw({ me: { acts: true, owner: true,
                  role: "owner" }, seats: [], machines: [], modes: { dice: "roll" }, trouble: null, guide,
                  draft: { players: [], pieces: [] }, match: { options: [{ ...option, mine }], strays: [],
                  ghosts: [{ ...ghost, ...more }], proposals: [], chosen: [], reveals: null,
                  status: { over: false, more: above } } }, null);
                return now.textContent.split(words.slice(0, -1)).length - 1;
              };
              const rested = { phase: "rested", words, kind: "placed", piece: "X", take: "", said: {} };
              const taken = { taken_by: "Y" };
              const each = [said(true, null), said(true, rested), said(false, null), said(true, null, taken)];
              return [...each, said(true, null, {}, words), said(false, null, {}, words)];
            }"""
        )
        assert told[:4] == [1, 0, 1, 2], "once; beside the panel not again; to others; and who stands there"
        assert told[4:] == [0, 0], "under the line that says it, not again"

    def test_where_the_button_says_all_there_is_no_panel_beside_it(self, scripts: Page) -> None:
        """An empty one has stood there for a token that was dropped."""
        told = scripts.evaluate(
            """async () => {
              const { OptionsPanel } = await import("/static/play/options.js");
              const [now, pin] = [document.createElement("section"), document.createElement("section")];
              const shown = (measuring) => {
                const option = { kind: "lay", player: "A", words: "Mine 1 lies there", more: "", heading: "",
                  heading_more: "", data: {}, form: { fields: { move: { type: "path", piece: "Mine 1",
                  optional: true } } }, citation: "", piece: "Mine 1", facts: [], reckoning: [],
                  question: null, not_now: [], sealed: null, main: true, ends: false, button: "",
                  mine: true, measuring };
                new OptionsPanel(now, pin, { point() {} }, {}).draw({ me: { acts: true, owner: true,
                  role: "owner" }, seats: [], machines: [], modes: { dice: "roll" }, trouble: null,
                  guide: null, draft: { players: [], pieces: [] }, match: { options: [option],
                  strays: [], ghosts: [], proposals: [], chosen: [], reveals: null,
                  status: { over: false } } }, null);
                return [now.childNodes.length, pin.textContent];
              };
              const lacks = "Mine 1 is not seen.";
              return [shown({ measured: true, may: true, happened: false, words: "" }),
                shown({ measured: false, may: false, happened: false, lacks, words: "" })];
            }"""
        )
        assert told[0] == [0, "Mine 1 lies there"]
        assert told[1][0] == 1, "that it is not seen is said"

    def test_no_is_no_putting_back_where_nothing_was_moved(self, scripts: Page) -> None:
        told = scripts.evaluate(
            """async () => {
              const { Asker } = await import("/static/play/ask.js");
              const reason = { words: "it stands 4 in away", citation: "Book", open: true, question: "" };
              const fields = { way: { type: "path" } };
              const state = { number: 0, match: { options: [{ kind: "placed", form: { fields } }] } };
              const asker = new Asker({ state });
              const buttons = (data) => {
                asker.showReasons({ type: "act", kind: "placed", data }, [reason]);
                const found = [...asker.dialog.querySelectorAll("button")].map((b) => b.textContent);
                asker.dialog.close();
                return found;
              };
              return [buttons({}), buttons({ way: "move 3" })];
            }"""
        )
        assert [buttons[-1] for buttons in told] == ["No", "No, put it back"]


class TestQuickTaps:
    """Fingers are faster than a busy page draws: no tap is lost, and nothing goes from under a finger."""

    def test_all_of_several_picks_count_though_nothing_was_drawn_between(self, scripts: Page) -> None:
        said = scripts.evaluate(
            """async () => {
              const { fields } = await import("/static/play/forms.js");
              const candidates = ["a", "b", "c"].map((value) => ({ value, words: value, not_now: [] }));
              const ordered = { words: "Order", ordered: true, most: 3, usual: null, candidates };
              const rolled = { words: "Dice", faces: ["1", "2"], count: 2, usual: null };
              const said = {};
              const inputs = { order: { type: "pick", ...ordered }, dice: { type: "die", ...rolled } };
              const form = { fields: inputs };
              document.body.append(...fields(form, {}, (name, value) => (said[name] = value)));
              const tap = (what) => document.querySelectorAll(what).forEach((one) => one.click());
              for (const value of ["c", "a", "b", "a"]) tap(`.pick[data-value="${value}"]`);
              tap('.faces .die[data-value="2"]');
              return said;
            }"""
        )
        assert said == {"order": ["c", "b"], "dice": ["2", "2"]}

    def test_pictures_of_a_dispute_are_fetched_anew_only_where_they_have_changed(self, scripts: Page) -> None:
        kept, moved = scripts.evaluate(
            """async () => {
              const { DisputeDialog } = await import("/static/dispute/dispute.js");
              const dialog = Object.create(DisputeDialog.prototype);
              Object.assign(dialog, { asked: null, state: null, picturesOf: "", picturesSince: 0 });
              const pictures = [{ name: "frame", about: "frame", words: "The frame." }];
              const at = (version, seconds) => dialog.sights(
                { id: "d", version, at: seconds, pictures, ruling: {}, declined: version },
              ).map((sight) => sight.src);
              const first = at(1, 5);
              return [at(2, 5), at(3, 6)].map((later) => later.filter((src) => first.includes(src)));
            }"""
        )
        assert kept == ["/api/disputes/d/pictures/frame?v=1", "/api/disputes/d/plan.svg?v=1"]
        assert moved == []

    def test_what_the_server_does_not_do_is_told_with_what_to_do(self, scripts: Page) -> None:
        said = scripts.evaluate(
            """async () => {
              const { ask } = await import("/static/common/patient.js");
              const real = window.fetch;
              const answers = [
                async () => new Response(JSON.stringify({ error: "No camera is there." }), { status: 422 }),
                async () => new Response("<h1>Oops</h1>", { status: 500 }),
                async () => { throw new TypeError("Failed to fetch"); },
              ];
              const words = [];
              for (window.fetch of answers) words.push(await ask("/api/setup").catch((e) => e.message));
              window.fetch = real;
              return words;
            }"""
        )
        assert said == [
            "No camera is there.",
            "The referee could not do that (error 500). Try again; if it stays so, start it anew.",
            "The referee does not answer: nothing is lost, try again. Is it still running?",
        ]

    def test_a_refusal_is_a_sentence(self, scripts: Page) -> None:
        said = scripts.evaluate(
            """async () => {
              const { Asker } = await import("/static/play/ask.js");
              const asker = new Asker({ ask: async () => ({}) });
              asker.refuse("that proposal is gone: the game went on");
              const words = document.querySelector("#ask .why").textContent;
              asker.dialog.close();
              return words;
            }"""
        )
        assert said == "That proposal is gone: the game went on"

    def test_what_is_to_be_pushed_is_in_view_beside_where_others_must_be_put(self, scripts: Page) -> None:
        wanted = scripts.evaluate(
            """async () => {
              const { MarksOnTable } = await import("/static/play/marks.js");
              const at = (x) => [[x, x]];
              const ghost = (piece, right, x) => ({ piece, right, outline: at(x), marks: [] });
              const options = [{ kind: "drive", piece: "Blue 1", measuring: { measured: false } }];
              const names = ["Red 1", "Red 2", "Blue 1"];
              const table = { pieces: names.map((name, k) => ({ name, shape: { base: at(10 + k) } })) };
              const told = (...ghosts) =>
                MarksOnTable.prototype.wanted.call({}, { guide: null, match: { ghosts, options } }, table);
              const there = ghost("Red 1", true, 1);
              return [told(there), told(there, ghost("Red 2", false, 2))];
            }"""
        )
        assert wanted == [[], [[2, 2], [12, 12]]], "where nothing is left to be put, all that plays is shown"

    def test_what_a_simulated_table_lacks_for_a_game(self, scripts: Page) -> None:
        said = scripts.evaluate(
            """async () => {
              const { unplayable } = await import("/static/common/film.js");
              const why = (board, ...boards) => {
                const game = { title: "It", boards };
                const source = { film: false, can_move: true, board };
                return unplayable({ source }, { game, phase: "setup" });
              };
              return [why("road", "free"), why("free", "points"), why("free", "road", "free")];
            }"""
        )
        bare = "It is played on a bare table, and this simulated table has a board."
        own = "It is played on a board of its own, which this simulated table does not have."
        assert said == [bare, own, ""]

    def test_whose_a_target_is_stands_on_it_once(self, scripts: Page) -> None:
        said = scripts.evaluate(
            """async () => {
              const { fields } = await import("/static/play/forms.js");
              const at = (value, more) => ({ value, words: value, more, not_now: [] });
              const candidates = [at("Blue 1", "Blue"), at("Blue 2", "Truck")];
              const form = { fields: { target: { type: "pick", words: "Target", usual: null, candidates } } };
              const whose = () => ({ player: "Blue", colour: "", own: false });
              const body = document.createElement("div");
              body.append(...fields(form, {}, () => {}, { whose }));
              return [...body.querySelectorAll(".pick")].map((pick) =>
                [...pick.children].map((part) => part.textContent));
            }"""
        )
        assert said == [["Blue 1", "Blue"], ["Blue 2", "Blue", "Truck"]]

    def test_folds_with_one_heading_stay_as_each_was_left_and_dice_of_a_roll_are_typed_together(
        self, scripts: Page
    ) -> None:
        folds, asked, card, titles, retyped = scripts.evaluate(
            """async (cites) => {
              const { h, rebuild } = await import("/static/common/dom.js");
              const { Asker } = await import("/static/play/ask.js");
              const { resultCard } = await import("/static/play/result.js");
              const part = h("div");
              document.body.append(part);
              const fold = (about) =>
                h("details", { data: { fold: about } }, h("summary", {}, "More details"));
              const draw = (shows) => rebuild(part, shows, () => [fold("gun"), fold("mine")]);
              draw(1);
              part.children[1].open = true;
              draw(2);
              const folds = [...part.children].map((one) => one.open);
              const asked = [];
              const done = { accepted: true, number: 1 };
              const ask = async (request) => (asked.push(request.dice), done);
              const asker = new Asker({ ask });
              const die = (why) => ({ sides: 6, why, faces: [], by: "Ann" });
              const wanted = ["hits", "hits", "hits", "luck", "aim", "aim"].map(die);
              asker.askDice({ type: "act" }, { wanted, given: [4] });
              const rolls = document.querySelectorAll("#ask .dice");
              const faces = (roll) => rolls[roll].querySelector(".pairs, .faces");
              const tap = (roll, face) => faces(roll).querySelector(`[data-value="${face}"]`).click();
              tap(0, 5);
              tap(0, 2);
              rolls[0].querySelector(".fallen button").click();
              tap(0, 6);
              tap(0, 3);
              tap(1, 1);
              const wholes = [...faces(2).children].map((one) => one.dataset.whole);
              faces(2).querySelector('[data-whole="2 5"]').click();
              const typed = [...asked];
              const fell = { sides: 6, shows: "5", why: "hits", by: "Ann", typed: false };
              const line = (words, tone, dice = []) => ({ words, tone, dice, citation: "", pieces: [] });
              const rolled = line("rolled", "dice", [fell, fell]);
              const card = resultCard([line("it hits", "good"), rolled, line("it explodes", "loss")]);
              const count = card.querySelectorAll(".rolled li").length;
              const titles = cites.map((citation) => {
                const reason = { words: "no", citation, open: false, question: "" };
                asker.showReasons({ type: "act" }, [reason]);
                return document.querySelector("#ask h2").textContent;
              });
              const retyped = [];
              for (const number of [1, 2]) {
                asked.length = 0;
                asker.link.state = { number };
                asker.typed = { request: { type: "act", number, dice: [4] }, number: 1 };
                await asker.retype();
                retyped.push(asked.length);
              }
              const heads = [["good", "bad"], ["bad", "good"], ["attack", "miss"]].map((tones) =>
                resultCard(tones.map((tone) => line(tone, tone))).firstChild.textContent);
              const harms = [["good"], ["bad", "A"], ["bad", "A"], ["bad", "B"]];
              const many = resultCard(harms.map(([tone, piece], k) =>
                ({ ...line(`harm ${k}`, tone), pieces: piece ? [piece] : [] })));
              heads.push(many.firstChild.textContent, many.querySelector("ul").textContent);
              const told = [card.firstChild.textContent, count, ...heads];
              return [folds, [typed, wholes.length], told, titles, retyped];
            }""",
            [SEEN, "White Line Fever 0.9 · Shooting"],
        )
        assert folds == [False, True], "each fold is known by what it is about"
        assert asked[0] == [[4, 6, 2, 3, 1, 2, 5]], "a die that was tapped by mistake is taken back"
        assert asked[1] == 21, "two dice are typed in one tap"
        heads = ["Bad", "Good", "Miss", "Harm 1; harm 3", "Harm 0Harm 2"]
        assert card == ["It explodes", 1, *heads], "what it led to comes first, and a roll is one line"
        assert titles == ["That does not count", "Not by the book"]
        assert retyped == [2, 1], "taken back, typed wrong, and asked anew only of one's own last deed"

    def test_a_finger_that_is_down_again_at_once_keeps_what_it_is_on(self, scripts: Page) -> None:
        shown = scripts.evaluate(
            """async () => {
              const { h, rebuild } = await import("/static/common/dom.js");
              const part = h("div");
              document.body.append(part);
              const draw = (words) => rebuild(part, words, () => [h("button", {}, words)]);
              const event = (kind) => new PointerEvent(kind, { bubbles: true });
              const hand = (kind) => part.firstChild.dispatchEvent(event(kind));
              const shown = [];
              const look = (done) => done(shown.push(part.textContent));
              const later = () => new Promise((done) => setTimeout(() => look(done), 100));
              draw("first");
              for (const kind of ["pointerdown", "pointerup", "pointerdown"]) hand(kind);
              draw("second");
              await later();
              hand("pointerup");
              await later();
              return shown;
            }"""
        )
        assert shown == ["first", "second"]


COVERED = """() => {
  const at = document.activeElement, { x, y, width, height } = at.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return top && (at.contains(top) || top.contains(at)) ? "" : at.getAttribute("aria-label") || at.textContent;
}"""
"""What has the focus where something else lies on its middle, or nothing of it is on the screen."""


class TestFocus:
    """After every action the focus is where it was: on the same control, or on the part that it stood in."""

    @staticmethod
    def at(page: Page) -> str:
        found = page.evaluate("document.activeElement.id || document.activeElement.textContent")
        assert isinstance(found, str)
        return found

    def lies(self, page: Page, where: str) -> None:
        wait_until(
            f"the focus in {where}", lambda: page.evaluate(f"!!document.activeElement.closest('{where}')")
        )

    def test_stays_in_its_part_on_a_sheet_on_undo_and_comes_back_from_the_dice(
        self, at_table: AtTable
    ) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        begun(owner)
        # On a sheet that is marked.
        page.get_by_label("Mark BLUE1's sheet by hand").click()
        sheet = page.locator('[data-sheet="BLUE1"]')
        sheet.get_by_label("Armour 3", exact=True).focus()
        page.keyboard.press("Enter")
        expect(sheet.locator(".left")).to_have_text("17")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Armour 3"
        assert page.evaluate("!!document.activeElement.closest('[data-sheet=\"BLUE1\"]')")
        # Where the control goes.
        page.locator(".deed.car", has_text="RED1").focus()
        page.keyboard.press("Enter")
        expect(page.locator('[data-kind="move"]').first).to_be_visible()
        self.lies(page, "#now")
        page.keyboard.press("Tab")
        self.lies(page, "#now")
        # On undo and redo.
        page.locator("#undo").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#redo")).to_be_enabled()
        assert self.at(page) == "undo"
        page.locator("#redo").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#redo")).to_be_disabled()
        self.lies(page, "#log")
        page.locator('[data-kind="move"]').first.focus()
        page.keyboard.press("Enter")
        expect(page.locator('[data-kind="floor_it"]')).to_be_visible()
        self.lies(page, "#pin")
        # From the dialog of the dice.
        let_stand(table, owner, RED1=Pose(10, 10, 0), BLUE1=Pose(18, 10, 0))
        owner.done(type="modes", modes={"dice": "type"})
        page.locator('.shot[data-label="Machine Gun"] .line').first.click()
        page.locator('[data-kind="shoot"]').focus()
        page.keyboard.press("Enter")
        page.locator('#ask .die[data-value="7"]').focus()
        page.keyboard.press("Enter")
        expect(page.locator("#result .headline")).to_be_visible()
        self.lies(page, "aside")

    def test_goes_with_the_link_at_the_top_to_what_is_left_to_do_where_its_part_is_hidden(
        self, scripts: Page
    ) -> None:
        """A move is done, and all that is left to do is the button at the foot."""
        at = scripts.evaluate(
            """async () => {
              const { h, returnFocus } = await import("/static/common/dom.js");
              const now = h("section", { id: "first", tabindex: "-1" }, h("button", {}, "Move"));
              const pin = h("section", { id: "second" }, h("button", {}, "Done"));
              const skip = h("a.skip", { href: "#first", data: { else: "#second" } }, "Skip");
              const main = h("main", { id: "all" }, now, pin);
              document.body.prepend(skip, main);
              const at = [];
              const look = () => at.push(document.activeElement.id || document.activeElement.tagName);
              now.firstChild.focus();
              now.replaceChildren();
              returnFocus();
              look();
              for (const hidden of [[], [now], [now, pin]]) {
                for (const part of [now, pin]) part.hidden = hidden.includes(part);
                skip.focus();
                skip.click();
                look();
              }
              pin.hidden = false;
              pin.firstChild.focus();
              now.hidden = pin.firstChild.hidden = true;
              returnFocus();
              look();
              main.remove();
              skip.remove();
              return at;
            }"""
        )
        assert at == ["first", "first", "second", "all", "second"]

    def test_lies_on_what_is_in_sight_whatever_stays_at_the_head_and_at_the_foot(
        self, at_table: AtTable
    ) -> None:
        """The Tab key brought a sheet just into view: below the button that ends the turn."""
        page = at_table.page
        begun(at_table.owner)
        for kind in ("choose", "move"):
            assert at_table.owner.act(kind, car="RED1")["accepted"]
        expect(page.locator("#pin button").first).to_be_visible()
        for width, height in ((1366, 500), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            # What is left free for what stays is known with the next picture of the screen.
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            page.locator("#turn button").focus()
            seen = []
            for _ in range(60):
                page.keyboard.press("Tab")
                if page.evaluate("!document.activeElement.closest('aside')"):
                    break
                seen.append(page.evaluate(COVERED))
            assert len(seen) > 5, "the sheets lie below"
            assert [one for one in seen if one] == [], width

    def test_is_kept_where_a_browser_cannot_tell_what_is_in_sight(self, at_table: AtTable) -> None:
        """Safari says so since the spring of 2024."""
        page = at_table.page
        page.evaluate("Object.defineProperty(Element.prototype, 'checkVisibility', { value: undefined })")
        begun(at_table.owner)
        for control, then in (('[data-kind="choose"]', '[data-kind="move"]'), ("#undo", "#redo:enabled")):
            page.locator(control).first.focus()
            page.keyboard.press("Enter")
            expect(page.locator(then).first).to_be_visible()
        assert self.at(page) == "undo"
        page.reload()


class TestWhatCameOfIt:
    def test_is_in_sight_after_a_typed_die_and_folds_when_the_game_goes_on(
        self, at_table: AtTable, open_play: OpenPlay
    ) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        begun(owner)
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED1")["accepted"]
        let_stand(table, owner, RED1=Pose(10, 10, 0), BLUE1=Pose(18, 10, 0))
        owner.done(type="modes", modes={"dice": "type"})
        pages = [page, open_play(table, PHONE)]
        for page in pages:
            page.locator('.shot[data-label="Machine Gun"] .line').first.click()
            aside = page.locator("aside")
            expect(page.locator(".detail .checks li").first).to_be_visible()
            aside.evaluate("(node) => node.scrollTo(0, 300)")
            assert aside.evaluate("(node) => node.scrollTop") > 0
        phone = pages[1]
        phone.locator('[data-kind="shoot"]').click()
        phone.locator('#ask .die[data-value="7"]').click()
        expect(phone.locator("#result .headline")).to_be_in_viewport(ratio=1)
        expect(phone.locator("#result .came > summary .die")).to_be_in_viewport(ratio=0.8)
        expect(phone.locator("#result .rolled")).to_be_hidden()
        unfolded = box_of(phone, "#result")["height"]
        assert owner.act("speed", to=4)["accepted"]
        for page in pages:
            expect(page.locator("#result details")).to_be_visible()
            expect(page.locator("#result .headline")).to_be_hidden()
            assert box_of(page, "#result")["height"] < 50 < unfolded
            page.locator("#result summary").click()
            expect(page.locator("#result .headline")).to_be_visible()


class TestOnAPhone:
    def test_table_and_buttons_are_in_sight_together_and_giving_up_takes_two_taps(
        self, at_table: AtTable
    ) -> None:
        page = at_table.page
        begun(at_table.owner)
        stage, first = page.locator("#stage"), page.locator("#now button").first
        for width, height in ((844, 390), (360, 640), PHONE):
            page.set_viewport_size({"width": width, "height": height})
            page.reload()
            expect(stage).to_be_in_viewport(ratio=1)
            expect(first).to_be_in_viewport(ratio=1)
            if height > width:
                assert box_of(page, "#now button")["y"] > height / 2, "in reach of a thumb"
            page.locator("#sheets article").last.scroll_into_view_if_needed()
            expect(stage).to_be_in_viewport(ratio=1)
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wide) <= 0
        page.click("#modes-open")
        button = page.get_by_role("button", name="Ben gives up")
        expect(button).to_be_hidden()
        page.get_by_text("Give up", exact=True).click()
        button.click()
        expect(page.locator("#turn")).to_contain_text("Anna wins")
        expect(page.locator("#log")).to_contain_text("Ben gives up, as the owner of the table says")
        page.click("#undo")
        expect(page.locator("#turn")).to_contain_text("Anna drives")

    def test_on_its_side_a_target_is_read_above_what_shoots_at_it(self, at_table: AtTable) -> None:
        """Its name stood word by word beside its figures, and under two rows of what is pinned."""
        table, owner, page = at_table.table, at_table.owner, at_table.page
        begun(owner)
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED1")["accepted"]
        let_stand(table, owner, RED1=Pose(10, 10, 0), BLUE1=Pose(18, 10, 0))
        page.set_viewport_size({"width": 640, "height": 360})
        page.reload()
        page.locator("#now .shot .line").first.click()
        expect(page.locator('#pin [data-kind="shoot"]')).to_be_visible()
        expect(page.locator("#now .shot .detail")).to_be_visible()
        line, name, pin = (box_of(page, what) for what in (".shot .line", ".shot .who strong", "#pin"))
        head, odds = box_of(page, "#turn"), box_of(page, ".shot .odds strong")
        assert name["height"] < 30, "in one row"
        assert pin["y"] - line["y"] > 100, "its name, where it is, and how likely a hit is"
        assert head["y"] + head["height"] <= name["y"], "its name, where it is"
        assert odds["y"] + odds["height"] <= pin["y"], "and how likely a hit is"

    def test_who_are_you_comes_first(self, open_play: OpenPlay) -> None:
        with gaming() as table, table.joined() as owner:
            owner.done(type="setup", draft=DRAFT)
            page = open_play(table, PHONE, "player")
            for phase in ("setup", "match"):
                if phase == "match":
                    owner.done(type="begin")
                expect(page.locator("body")).to_have_attribute("data-phase", phase)
                seat = page.locator("#now").get_by_role("button", name="Anna")
                expect(seat).to_be_in_viewport(ratio=1)
                assert box_of(page, "#now")["y"] < box_of(page, "#stage")["y"]
            seat.click()
            expect(page.locator("#me")).to_contain_text("Anna")
            expect(page.locator("#stage")).to_be_in_viewport(ratio=1)
            assert box_of(page, "#now")["y"] > box_of(page, "#stage")["y"]


def test_a_name_on_the_drawing_is_the_car_and_the_shape_that_it_belongs_on_is_named_apart(
    open_play: OpenPlay,
) -> None:
    with gaming() as table, table.joined() as owner:
        begun(owner)
        page = open_play(table)
        name = page.locator('.labels text[data-names="BLUE2"]')
        box = name.bounding_box()
        assert box is not None
        # Its first letter is farther from the car than a finger reaches.
        name.click(position={"x": 0.1 * box["width"], "y": box["height"] / 2})
        expect(page.locator(".piece.first")).to_have_attribute("data-piece", "BLUE2")
        page.keyboard.press("Escape")
        shape, car = page.locator(".labels .shape"), page.locator('.labels [data-names="RED2"]')
        drawn = page.locator('[data-piece="RED2"] .base')
        for ahead in (0.6, 1.6, 3.0):
            before = drawn.get_attribute("points") or ""
            table.source.move("RED2", STANDINGS["RED2"][1].compose(Pose(ahead, 0.0)))
            expect(drawn).not_to_have_attribute("points", before)
            expect(page.locator(".marked .place")).to_have_count(1)
            expect(shape).to_have_text("RED2")
            expect(car).to_be_visible()
            assert page.evaluate(APART) == []


class TestAHandAtTheSimulatedTable:
    """The car that is to be driven is driven, turned, lifted and covered with what a hand has."""

    @staticmethod
    def at(page: Page, what: str) -> tuple[float, float]:
        box = box_of(page, what)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    @staticmethod
    def rear(table: Table) -> FloatArray:
        return table.source.poses["RED1"].to_table(STANDINGS["RED1"][0].body.rear_axle)

    def test_mouse_and_keys(self, open_play: OpenPlay) -> None:
        with gaming(screen=True) as table, table.joined() as owner:
            begun(owner)
            page = open_play(table)
            # Once it shows, the drawing has the room that it keeps.
            expect(page.locator("#hands")).to_be_visible()
            expect(page.locator("#hands")).to_contain_text("Double tap and drag")
            expect(page.locator(".handle")).to_have_count(0)
            # A tap chooses it, as before; the ring is there at once.
            page.mouse.click(*self.at(page, '.piece[data-piece="RED1"] .base'))
            expect(page.locator("#turn")).to_contain_text("RED1")
            ring = page.locator('.handle[data-turn="RED1"]')
            expect(ring).to_be_visible()

            def turned(degrees: float, by: Callable[[], object]) -> None:
                before, rear = table.source.poses["RED1"].heading, self.rear(table)
                by()

                def there() -> bool:
                    now = math.degrees(table.source.poses["RED1"].heading - before)
                    return abs(math.remainder(now - degrees, 360.0)) < 1.0

                wait_until(f"{degrees} degrees", there)
                assert math.dist(self.rear(table), rear) < 0.01, "a car turns on its rear axle"
                # The page has heard of it: the next hand takes hold of the car where it is.
                ahead = STANDINGS["RED1"][0].body.footprint.outline[:, 0].max() + 1.2
                x, y = table.source.poses["RED1"].to_table((ahead, 0.0))
                page.wait_for_function(
                    """([x, y]) => {
                      const ring = document.querySelector('.handle[data-turn="RED1"]');
                      const at = ring && [ring.getAttribute("cx"), -ring.getAttribute("cy")];
                      return at && Math.hypot(at[0] - x, at[1] - y) < 0.02;
                    }""",
                    arg=[x, y],
                )

            turned(15.0, lambda: page.keyboard.press("q"))
            turned(-15.0, lambda: page.keyboard.press("e"))
            turned(-2.0, lambda: page.keyboard.press("Shift+E"))
            turned(2.0, lambda: page.keyboard.press("Shift+Q"))
            page.mouse.move(*self.at(page, '.piece[data-piece="RED1"] .base'))
            turned(-15.0, lambda: page.mouse.wheel(0, 100))

            def drag(way: float, what: str, button: Literal["left", "right"] = "left") -> None:
                """Round the rear axle by so many degrees, as it is drawn."""
                matrix = page.evaluate(
                    "(({ a, e, f }) => [a, e, f])(document.querySelector('#drawing').getScreenCTM())"
                )
                x, y = self.rear(table)
                px, py = matrix[0] * x + matrix[1], -matrix[0] * y + matrix[2]
                start = self.at(page, what)
                page.mouse.move(*start)
                page.mouse.down(button=button)
                for k in range(1, 5):
                    angle = -math.radians(way * k / 4)
                    dx, dy = start[0] - px, start[1] - py
                    page.mouse.move(
                        px + dx * math.cos(angle) - dy * math.sin(angle),
                        py + dx * math.sin(angle) + dy * math.cos(angle),
                    )
                page.mouse.up(button=button)

            turned(40.0, lambda: drag(40.0, '.handle[data-turn="RED1"]'))
            turned(-30.0, lambda: drag(-30.0, '.piece[data-piece="RED1"] .nose', "right"))
            assert table.source.lifted == []
            page.mouse.click(*self.at(page, '.piece[data-piece="RED1"] .base'))
            x, y = self.at(page, '.piece[data-piece="RED1"] .base')
            page.mouse.down()
            page.mouse.move(x + 100, y, steps=3)
            wait_until("it is lifted", lambda: table.source.lifted == ["RED1"])
            before = table.source.poses["RED1"].x
            page.mouse.up()
            wait_until("it is put down", lambda: table.source.poses["RED1"].x > before + 2)
            assert table.source.hands == []
            page.mouse.move(*self.at(page, '.piece[data-piece="BLUE2"] .base'))
            page.mouse.down()
            wait_until("a hand", lambda: len(table.source.hands) == 1)
            page.mouse.up()
            wait_until("it goes", lambda: table.source.hands[1:] == [None])
            page.get_by_role("button", name="I know how").click()
            page.reload()
            expect(page.locator(".piece.car").first).to_be_visible()
            expect(page.locator("#hands")).to_be_hidden()

    def test_a_right_drag_turns_the_car_under_the_mouse_also_beneath_the_ring_of_another(
        self, open_play: OpenPlay
    ) -> None:
        with gaming(screen=True) as table, table.joined() as owner:
            begun(owner)
            assert owner.act("choose", car="RED1")["accepted"]
            page = open_play(table)
            ring = page.locator('.handle[data-turn="RED1"]')
            expect(ring).to_be_visible()
            x, y = float(str(ring.get_attribute("cx"))), -float(str(ring.get_attribute("cy")))
            drawn = page.locator('[data-piece="BLUE2"] .base')
            before = drawn.get_attribute("points") or ""
            table.source.move("BLUE2", Pose(x + 0.4, y, table.source.poses["RED1"].heading))
            expect(drawn).not_to_have_attribute("points", before)
            red, blue = table.source.poses["RED1"], table.source.poses["BLUE2"]
            at = self.at(page, '.handle[data-turn="RED1"]')
            page.mouse.move(*at)
            page.mouse.down(button="right")
            page.mouse.move(at[0] + 40, at[1] + 60, steps=4)
            page.mouse.up(button="right")
            wait_until("it has turned", lambda: table.source.poses["BLUE2"].heading != blue.heading)
            assert table.source.poses["RED1"] == red
            # Nothing of one game is in hand in the next.
            expect(page.locator('.handle[data-turn="BLUE2"]')).to_be_visible()
            owner.done(type="anew")
            expect(page.locator("body")).to_have_attribute("data-phase", "setup")
            expect(page.locator(".handle")).to_have_count(0)

    def test_a_finger_turns_it_by_its_ring(self, browser: Browser) -> None:
        with gaming(screen=True) as table, table.joined() as owner:
            begun(owner)
            assert owner.act("choose", car="RED1")["accepted"]
            context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
            page = context.new_page()
            page.goto(f"{table.url}play")
            expect(page.locator("#hands .finger")).to_be_visible()
            expect(page.locator("#hands .mouse")).to_be_hidden()
            x, y = self.at(page, '.handle[data-turn="RED1"]')
            before = table.source.poses["RED1"].heading
            touch = context.new_cdp_session(page)
            for kind, at in (
                ("touchStart", (x, y)),
                ("touchMove", (x + 20, y)),
                ("touchMove", (x + 120, y + 40)),
            ):
                touch.send(
                    "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}]}
                )
            touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
            wait_until("it turns right", lambda: table.source.poses["RED1"].heading < before - 0.5)
            context.close()

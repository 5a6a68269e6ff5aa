"""Dice of the table are typed on the phone of whoever rolls them, and nobody holds an evening up."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from server.play.messages import Act, Sit
from server.web.authentication import Identity
from tests.server.conftest import OpenPlay
from tests.server.gaming import DRAFT, Player, gaming
from tests.server.page.evenings import LAPTOP, PHONE, nothing_asked, photograph, roll

ROWS = "#ask .dice"


SALOON: dict[str, object] = {"type": "Saloon"}


def begun(owner: Player, game: str = "battlecars", car: dict[str, object] = SALOON, **said: str) -> None:
    """Who goes first is to be rolled for by both, with dice of the table."""
    whose = (("RED1", "Anna"), ("BLUE1", "Ben"))
    cars = [{"name": n, "owner": o, "answers": car} for n, o in whose]
    owner.done(type="setup", draft={**DRAFT, "game": game, "pieces": cars, "answers": said})
    owner.done(type="modes", modes={"dice": "type", "moves": "ask", "questions": "ask"})
    owner.done(type="begin")


def seated(page: Page, player: str) -> Page:
    page.locator("#now").get_by_role("button", name=player).click()
    expect(page.locator("#me")).to_contain_text(player)
    return page


def test_a_die_of_who_goes_first_is_typed_anew(open_play: OpenPlay) -> None:
    """A turn begins with it, and nothing else came of it: there was no button."""
    with gaming() as table, table.joined() as owner:
        begun(owner)
        laptop = open_play(table, LAPTOP)
        laptop.locator('[data-kind="start"]').click()
        roll(laptop, 7, 3)
        expect(laptop.locator("#turn")).to_contain_text("Speed Counter")
        expect(laptop.locator("#result .rolled .die")).to_have_text(["7", "3"])
        laptop.locator("#result .retype").click()
        roll(laptop, 6, 3)
        expect(laptop.locator("#result .rolled .die")).to_have_text(["6", "3"])


def test_dice_that_are_rolled_here_by_now_are_asked_of_no_phone(open_play: OpenPlay) -> None:
    """Each tap on what they show was refused; the owner may type them all the same."""
    with gaming() as table, table.joined() as owner:
        begun(owner)
        anna, laptop = seated(open_play(table, PHONE, "player"), "Anna"), open_play(table, LAPTOP)
        anna.locator('[data-kind="start"]').click()
        expect(anna.locator(ROWS).first).to_be_visible()
        owner.done(type="modes", modes={"dice": "roll", "moves": "ask", "questions": "ask"})
        expect(anna.locator("#ask")).to_be_hidden()
        anna.locator('[data-kind="start"]').click()
        expect(laptop.locator("#turn")).to_contain_text("Speed Counter")


def test_dice_are_asked_where_they_are_rolled(open_play: OpenPlay) -> None:
    with gaming() as table, table.joined() as owner:
        begun(owner)
        anna, ben = (seated(open_play(table, PHONE, "player"), name) for name in ("Anna", "Ben"))
        laptop, guest = open_play(table, LAPTOP), open_play(table, PHONE, "spectator")
        start = anna.locator('[data-kind="start"]')
        start.click()
        for page, name in ((anna, "Anna"), (ben, "Ben")):
            expect(page.locator(ROWS)).to_have_count(1)
            expect(page.locator(f"{ROWS} legend")).to_have_text(f"D8 of {name} · who has first move")
        expect(anna.locator("#ask .waits")).to_have_text("Waiting for the dice of Ben.")
        expect(guest.locator(".throws")).to_contain_text("Waiting for the dice of Ben. Anna goes on then.")
        expect(guest.locator("#ask")).to_be_hidden()
        expect(laptop.locator(".throws .deed")).to_have_text("Type them here")
        photograph(anna, "dice-doer-390")
        photograph(ben, "dice-roller-390")
        photograph(laptop, "dice-owner-1366")
        # What is put aside or loaded anew is asked again.
        ben.locator("#ask .plain").click()
        expect(ben.locator(".throws p")).to_have_text("Waiting for your dice.")
        ben.locator(".throws .deed").click()
        anna.locator("#ask").get_by_role("button", name="Not now").click()
        expect(anna.locator(".throws p")).to_have_text("Waiting for your dice and those of Ben.")
        anna.locator(".throws .deed").click()
        expect(ben.locator(ROWS)).to_have_count(1)
        ben.reload()
        roll(ben, 4)
        expect(anna.locator("#ask .waits")).to_be_hidden()
        # Whoever has seen a die does nothing else instead.
        expect(anna.locator('[data-takes="back"]')).to_have_count(0)
        anna.locator("#ask").get_by_text("Not now").click()
        expect(anna.locator("#now .deed")).to_have_text(["Type what they show"])
        anna.locator("#now .deed").click()
        # Level: both roll again, and each is asked for that.
        anna.locator(f"{ROWS} .die[data-value='4']").click()
        expect(ben.locator(ROWS)).to_have_count(1)
        expect(anna.locator("#ask .waits")).to_be_visible()
        anna.locator(f"{ROWS} .die[data-value='6']").click()
        expect(anna.locator("#ask h2")).to_have_text("Waiting for dice")
        roll(ben, 2)
        nothing_asked(anna)
        for page in (anna, ben, guest):
            expect(page.locator("#turn")).to_contain_text("Speed Counter")
        # Taken back, and done again: whoever does it may type them all.
        owner.done(type="undo")
        owner.done(type="mistyped")
        start.click()
        expect(ben.locator(ROWS)).to_have_count(1)
        anna.locator('[data-takes="back"]').click()
        for page in (anna, ben):
            nothing_asked(page)
        start.click()
        anna.locator('[data-types="here"]').click()
        expect(anna.locator(ROWS)).to_have_count(2)
        photograph(anna, "dice-taken-over-390")
        for row, value in enumerate((7, 3)):
            anna.locator(ROWS).nth(row).locator(f".die[data-value='{value}']").click()
        for page in (anna, ben):
            nothing_asked(page)
        expect(guest.locator("#turn")).to_contain_text("Speed Counter")


class FirstRoll(NamedTuple):
    """How a game rolls for who goes first: a car of it, the deed and its die, and what comes next."""

    car: dict[str, object]
    said: dict[str, str]
    deed: str
    die: str
    then: str


FIRST_ROLLS = {
    "battlecars": FirstRoll(SALOON, {}, "start", "D8", "Speed Counter"),
    "shattered_highways": FirstRoll(
        {"class": "Buggy"}, {"deployment": "anywhere"}, "first", "D6", "puts a vehicle down"
    ),
}


@pytest.mark.parametrize("game", FIRST_ROLLS)
@pytest.mark.parametrize("rolls", ["phone", "owner"])
def test_whoever_plays_rolls_for_a_machine(open_play: OpenPlay, rolls: str, game: str) -> None:
    with gaming() as table, table.joined() as owner:
        first = FIRST_ROLLS[game]
        begun(owner, game, first.car, **first.said)
        machine = Identity("player", "machine:Ben")
        assert table.host.ask(machine, Sit(type="sit", key="sit-0001", player="Ben")).accepted
        anna = seated(open_play(table, PHONE, "player"), "Anna")
        laptop, guest = open_play(table, LAPTOP), open_play(table, PHONE, "spectator")
        assert table.host.ask(machine, Act(type="act", key="act-0001", kind=first.deed)).throw
        # The owner's page has what nobody else rolls; Anna's die is asked on Anna's phone, too.
        expect(laptop.locator("#ask h2")).to_have_text(f"Roll for Ben: 1 {first.die}")
        expect(laptop.locator("#ask .waits")).to_have_text("Waiting for the dice of Anna. Ben goes on then.")
        expect(anna.locator("#ask h2")).to_have_text(f"Roll for Ben: 1 {first.die}, and your own")
        expect(guest.locator("#ask")).to_be_hidden()
        photograph(anna, "dice-machine-390")
        photograph(laptop, "dice-machine-1366")
        laptop.locator("#ask").get_by_text("Not now").click()
        expect(laptop.locator(".throws p")).to_have_text(f"Roll for Ben: 1 {first.die}.")
        if rolls == "owner":
            laptop.locator(".throws .deed").click()
            laptop.locator(f"{ROWS} .die[data-value='4']").click()
            # What somebody typed is asked for nowhere else.
            expect(anna.locator(ROWS)).to_have_count(1)
            roll(anna, 6)
        else:
            roll(anna, 6, 4)
        for page in (anna, laptop):
            nothing_asked(page)
            expect(page.locator("#turn")).to_contain_text(first.then)
        typed = "the owner of the table and Anna" if rolls == "owner" else "Anna"
        assert table.host.match is not None
        assert any(f"(dice typed by {typed})" in e.words for e in table.host.match.log)


def test_the_owner_takes_back_what_a_machine_waits_with(open_play: OpenPlay) -> None:
    with gaming() as table, table.joined() as owner:
        begun(owner)
        machine = Identity("player", "machine:Ben")
        assert table.host.ask(machine, Sit(type="sit", key="sit-0001", player="Ben")).accepted
        anna, laptop = seated(open_play(table, PHONE, "player"), "Anna"), open_play(table, LAPTOP)
        assert table.host.ask(machine, Act(type="act", key="act-0001", kind="start")).throw
        back = '#ask [data-takes="back"]'
        expect(laptop.locator(back)).to_have_text("Take it back")
        # Whoever plays rolls for it, and decides nothing for it.
        expect(anna.locator(ROWS)).to_have_count(2)
        expect(anna.locator(back)).to_have_count(0)
        laptop.locator(back).click()
        for page in (anna, laptop):
            nothing_asked(page)
        assert not table.host.throws.waiting


ORDERS = """async () => {
  const { Asker } = await import("/static/play/ask.js");
  const { ThrowsDialog } = await import("/static/play/throws.js");
  const dialog = document.getElementById("ask");
  const die = (by, of) => ({ sides: 6, why: "ram", faces: [], by, of, mine: of === null, typed: false });
  const wanted = [die("Ben", "Ben")];
  const answer = { accepted: false, wanted, given: [3], throw: "t2", reasons: [], proposed: [], error: null };
  const state = { me: { player: "Anna" }, match: { throws: [
    { id: "t2", by: "Anna", own: true, may: true, waits: ["Ben"], dice: wanted }] } };
  const shown = [];
  for (const first of ["answer", "state"]) {
    const throws = new ThrowsDialog(new Asker({ ask: async () => answer, state: null }));
    const { asker } = throws;
    // Her own die is typed on the page of the deed; then Ben's is asked on his.
    asker.askDice({ type: "act" }, { wanted: [die("Anna", null)], given: [] });
    const steps = [() => asker.settle({ type: "act" }, answer), () => throws.draw(state)];
    for (const step of first === "answer" ? steps : steps.reverse()) step();
    const dice = dialog.querySelectorAll(".dice").length;
    shown.push([dialog.open, dialog.querySelector("h2").textContent, dice]);
    throws.draw({ ...state, match: { throws: [] } });
    shown.push(dialog.open);
  }
  return shown;
}"""


def test_the_answer_and_the_state_may_come_in_any_order(open_play: OpenPlay) -> None:
    with gaming() as table:
        told = open_play(table, PHONE).evaluate(ORDERS)
    assert told == [[True, "Waiting for dice", 0], False] * 2


def test_typed_dice_of_a_deed_that_is_put_off_lie_as_they_fell(scripts: Page) -> None:
    """They were typed anew after *Not now*, and sent with the move as it was called before a restart."""
    asked = scripts.evaluate(
        """async () => {
          const { Asker } = await import("/static/play/ask.js");
          const asked = [], want = { sides: 8, why: "explosion", faces: [], by: "Ann" };
          const no = { accepted: false, wanted: [], given: [], reasons: [], proposed: [], number: 3 };
          const why = (words, open) => ({ words, citation: "", open, question: "" });
          const against = { ...no, reasons: [why("not known", false)] };
          const answers = [{ ...no, wanted: [want], given: [3, 4] }, against, against,
            { ...no, accepted: true }, no];
          const ask = async (request) => (asked.push([request.data.move, request.dice]), answers.shift());
          const option = (move) => ({ kind: "crash", player: null, data: {}, form: { fields: {
            move: { type: "path", usual: move } } } });
          const status = { what: "Round 1", player: "Ann" };
          const link = { ask, state: { number: 3, match: { status, options: [option("m1")] } } };
          const asker = new Asker(link);
          const deed = { type: "act", kind: "crash", data: { move: "m1" }, dice: null };
          await asker.ask(deed);
          await asker.ask(deed);
          link.state.match.options = [option("m2")];
          document.querySelector("#ask [data-again]").click();
          await new Promise(requestAnimationFrame);
          await asker.ask({ ...deed, data: { move: "m2" } });
          await asker.ask({ ...deed, data: { move: "m2" } });
          return asked;
        }"""
    )
    assert asked == [
        ["m1", None],
        ["m1", [3, 4]],
        ["m2", [3, 4]],
        ["m2", [3, 4]],
        ["m2", None],
    ]


def test_typed_dice_that_are_refused_themselves_are_not_sent_again(scripts: Page) -> None:
    """As one that cannot be, one beside a die that lies, or one for which nothing is rolled."""
    asked = scripts.evaluate(
        """async () => {
          const { Asker } = await import("/static/play/ask.js");
          const no = { accepted: false, wanted: [], given: [], reasons: [], proposed: [], number: 3 };
          const why = { words: "leave it out", citation: "", open: false, question: "" };
          const [against, odd] = [{ ...no, reasons: [why] }, { ...no, error: "99 was typed" }];
          const sent = [];
          for (const [answer, lying] of [[odd, []], [against, [{}]], [against, []]]) {
            const dice = [];
            const ask = async (request) => (dice.push(request.dice), answer);
            const status = { what: "Round 1", player: "Ann" };
            const asker = new Asker({ ask, state: { number: 3, match: { status, options: [], lying } } });
            const deed = { type: "act", kind: "shoot", data: {} };
            for (const typed of [[8], null, null]) await asker.ask({ ...deed, dice: typed });
            sent.push(dice);
          }
          return sent;
        }"""
    )
    assert asked == [[[8], None, None], [[8], None, None], [[8], [8], None]]


def test_a_question_about_what_is_settled_by_now_goes_away(scripts: Page) -> None:
    shown = scripts.evaluate(
        """async () => {
          const { Asker } = await import("/static/play/ask.js");
          const no = { accepted: false, wanted: [], given: [], reasons: [], proposed: [], number: 3 };
          const why = (words, open) => ({ words, citation: "", open, question: "" });
          const close = { ...no, reasons: [why("180° off", true)] };
          const answers = [close, { ...no, proposed: ["Ben"], error: "Ben has to agree" }];
          const option = { kind: "placed", player: "Ann", data: { car: "Red 1" }, form: { fields: {} } };
          const match = (options, proposals = []) => ({ status: {}, options, proposals, reveals: null });
          const link = { ask: async () => answers.shift() };
          const asker = new Asker(link), dialog = document.getElementById("ask"), shown = [];
          const told = (number, what) => {
            link.state = { number, match: what };
            asker.heed(link.state);
            shown.push(dialog.open);
          };
          const deed = { type: "act", kind: "placed", player: null, data: { car: "Red 1" }, dice: null };
          link.state = { number: 2, match: match([option]) };
          await asker.ask(deed);
          told(3, match([option]));
          told(4, match([{ ...option, data: { car: "Red 2" } }]));
          await asker.ask(deed);
          told(2, match([option]));
          told(3, match([option], [{ own: true }]));
          told(5, match([option]));
          return shown;
        }"""
    )
    assert shown == [True, False, True, True, False]


def test_a_question_about_a_move_goes_away_once_the_piece_was_moved_on(scripts: Page) -> None:
    """*Does it count?* kept its old reason while the car was put right; dice stay."""
    shown = scripts.evaluate(
        """async () => {
          const { Asker } = await import("/static/play/ask.js");
          const no = { accepted: false, wanted: [], given: [], reasons: [], proposed: [], number: 3 };
          const reason = { words: "12° off", citation: "", open: true, question: "" };
          const die = { sides: 6, faces: [], why: "", by: "" };
          const judged = { ...no, reasons: [reason] };
          const answers = [judged, { ...no, wanted: [die] }, judged];
          const way = (usual) => ({ type: "path", usual });
          const at = (usual) => ({ number: 3, match: { status: {}, proposals: [], reveals: null,
            options: [{ kind: "move", player: "Ann", data: {}, form: { fields: { way: way(usual) } } }] } });
          const link = { ask: async () => answers.shift() };
          const asker = new Asker(link), dialog = document.getElementById("ask"), shown = [];
          const deed = { type: "act", kind: "move", player: null, data: { way: "move 1" } };
          for (const dice of [null, [], [4]]) {
            link.state = at("move 1");
            await asker.ask({ ...deed, dice });
            for (const usual of ["move 1", null, "move 2"]) {
              link.state = at(usual);
              asker.heed(link.state);
              shown.push(dialog.open);
            }
          }
          return shown;
        }"""
    )
    assert shown == [True, True, False, *[True] * 6]


def test_a_question_about_what_has_been_seen_since_goes_away(scripts: Page) -> None:
    """*Too close to call, wait a moment* was asked on after that moment."""
    shown = scripts.evaluate(
        """async () => {
          const { Asker } = await import("/static/play/ask.js");
          const why = { words: "not watched for long enough", citation: "", open: true, question: "seen" };
          const answer = { accepted: false, wanted: [], given: [], reasons: [why], proposed: [], number: 3 };
          const at = (...not_now) => ({ number: 3, match: { status: {}, proposals: [], reveals: null,
            options: [{ kind: "shoot", player: "Ann", data: {}, form: { fields: {} }, not_now }] } });
          const link = { ask: async () => answer, state: at() };
          const asker = new Asker(link), dialog = document.getElementById("ask"), shown = [];
          await asker.ask({ type: "act", kind: "shoot", player: null, data: {}, dice: null });
          for (const state of [at(), at(why), at(why), at()]) {
            link.state = state;
            asker.heed(state);
            shown.push(dialog.open);
          }
          return shown;
        }"""
    )
    assert shown == [True, True, True, False]


def test_what_is_drawn_anew_asks_for_no_size_and_stays_scrolled(scripts: Page) -> None:
    """To ask how large anything is, or how far it is scrolled, lays the whole page out."""
    asked, scrolls = scripts.evaluate(
        """async () => {
          const { h, rebuild } = await import("/static/common/dom.js");
          const { Board } = await import("/static/common/board.js");
          const state = await (await fetch("/api/state")).json();
          const frames = (count) => new Promise((done) => {
            const next = () => (count-- > 0 ? requestAnimationFrame(next) : done());
            next();
          });
          const parts = [0, 1, 2].map(() => h("div", { style: { height: "40px", overflow: "auto" } }));
          document.body.append(...parts);
          const long = (shows) => [h("p", { style: { height: "300px" } }, shows)];
          const draw = (shows) => parts.forEach((part) => rebuild(part, shows, () => long(shows)));
          draw("first");
          parts[0].scrollTop = 60;
          const board = new Board();
          board.draw(state, null);
          await frames(3);
          const asked = [];
          const known = ["scrollTop", "clientWidth", "clientHeight"].map((name) =>
            [name, Object.getOwnPropertyDescriptor(Element.prototype, name)]);
          for (const [name, { get, set }] of known) {
            const counted = function () {
              asked.push(`${name} of ${parts.indexOf(this)}`);
              return get.call(this);
            };
            Object.defineProperty(Element.prototype, name, { get: counted, set, configurable: true });
          }
          draw("second");
          board.draw(state, null);
          for (const [name, was] of known) Object.defineProperty(Element.prototype, name, was);
          const scrolls = parts.map((part) => part.scrollTop);
          for (const part of parts) part.remove();
          return [asked, scrolls];
        }"""
    )
    assert asked == ["scrollTop of 0"], "only what was ever scrolled is asked for how far"
    assert scrolls == [60, 0, 0]

"""The page of the game in Chromium, state by state."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from engine.space.geometry import Pose
from server.play.messages import Modes
from tests.server.conftest import OpenPlay
from tests.server.fakes import STANDINGS, wait_until
from tests.server.gaming import DRAFT, Player, Table, begun, gaming, let_stand
from tests.server.page.conftest import AtTable
from tests.server.page.evenings import IN_REACH, LAPTOP, PHONE, SCREEN, Figure, photograph, tells_all
from tests.volume import deep

SERVED = {"sd": 0.05, "follows": True}
"""What stands at a range is too close to call, and all that is measured is of the game."""


ARMED = {"brand": "Mule", "primary": "Autocannon", "secondary": "Oil"}


def ready_to_shoot(table: Table, owner: Player, apart: float) -> None:
    """RED1 has moved, BLUE1 stands ahead of it, its rear tyres so far from RED1's front tyres."""
    begun(owner)
    for kind in ("choose", "move"):
        assert owner.act(kind, car="RED1")["accepted"]
    let_stand(table, owner, RED1=Pose(10, 10, 0), BLUE1=Pose(10 + 0.9 + apart + 0.9, 10, 0))


def shot(page: Page, weapon: str = "Machine Gun", target: str = "BLUE1") -> str:
    return f'.shot[data-label="{weapon}"][data-piece="{target}"]'


class TestTooClose:
    @pytest.mark.parametrize(("answer", "modifiers"), [("yes", "Short Range +1"), ("no", "Tailgate +1")])
    def test_each_open_question_is_asked_alone(self, at_table: AtTable, answer: str, modifiers: str) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        ready_to_shoot(table, owner, 12.0)  # a Venus' Machine Gun: Short Range is 12 inches
        expect(page.locator(shot(page))).to_have_attribute("data-state", "close")
        page.click(f"{shot(page)} .line")
        page.click(f"{shot(page)} .explained summary")
        expect(page.locator(f"{shot(page)} .explained dd").first).to_contain_text("Speed of BLUE1")
        expect(page.locator(f"{shot(page)} .explained dd").last).to_contain_text("damage expected")
        photograph(page, f"explained-{answer}")
        page.click('[data-kind="shoot"]')
        expect(page.locator("#ask h2")).to_have_text("Too close to call: you decide")
        asked = page.locator("#ask .reasons li")
        expect(asked).to_have_count(1)
        expect(asked).to_contain_text("Short Range")
        asked.locator(f'[data-ruled="{answer}"]').click()
        expect(page.locator("#ask")).to_be_hidden()
        assert table.host.match is not None
        told = " ".join(e.words for e in table.host.match.log)
        assert modifiers in told
        assert ("Short Range +1" in told) is (answer == "yes")

    def test_whether_a_token_lies_under_a_car_may_be_answered_with_no(self, at_table: AtTable) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        begun(owner)
        van, sedan = STANDINGS["RED2"][0].body, STANDINGS["BLUE1"][0].body
        token = 20 + van.footprint.outline[:, 0].min() - 3.0
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED2")["accepted"]
        under = Pose(token - sedan.footprint.outline[:, 0].max(), 20, 0)
        let_stand(table, owner, RED2=Pose(20, 20, 0), BLUE1=under)
        page.click('[data-kind="drop"]')
        expect(page.locator("#ask .reasons")).to_contain_text("BLUE1: under the token")
        page.locator('#ask [data-ruled="no"]').click()
        expect(page.locator("#ask")).to_be_hidden()
        assert table.host.match is not None
        kinds = [e.kind for e in table.host.match.log]
        assert "dropped" in kinds
        assert "triggered" not in kinds

    def test_what_is_not_by_the_book_needs_the_players_word(self, at_table: AtTable) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        ready_to_shoot(table, owner, 30.0)
        page.locator(".rest summary").click()
        # A fold stays as it was left when figures change.
        line = page.locator(f"{shot(page)} .line")
        expect(line).to_be_visible()
        let_stand(table, owner, BLUE1=Pose(43, 10, 0))
        expect(line).to_contain_text("31.20")
        expect(line).to_be_visible()
        line.click()
        page.click('[data-kind="shoot"]')
        expect(page.locator("#ask h2")).to_have_text("Not by the book")
        expect(page.locator("#ask .reasons")).to_contain_text("Maximum Range")
        expect(page.locator("#ask .reasons")).to_contain_text("White Line Fever 0.9 · Shoot Weapon · Target")
        page.click('#ask [data-ruled="yes"]')
        expect(page.locator("#result")).to_contain_text("BLUE1")
        assert table.host.match is not None
        assert any(e.kind == "ruled" for e in table.host.match.log)

    def test_dice_that_fell_before_something_came_in_the_way_are_asked_with_again(
        self, at_table: AtTable
    ) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        ready_to_shoot(table, owner, 6.0)
        owner.done(type="modes", modes={"dice": "type"})
        page.click(f"{shot(page)} .line")
        page.click('[data-kind="shoot"]')
        expect(page.locator("#ask .dice")).to_have_count(1)
        let_stand(table, owner, BLUE1=Pose(50, 10, 0))
        page.locator('#ask .die[data-value="4"]').click()
        again = page.locator('#ask [data-again="dice"]')
        expect(again).to_have_text("Ask again with the dice that fell: 4")
        let_stand(table, owner, BLUE1=Pose(17.8, 10, 0))
        again.click()
        expect(page.locator("#ask")).to_be_hidden()
        assert table.host.match is not None
        assert any("shoots at BLUE1" in e.words for e in table.host.match.log)


class TestWithoutTheCamera:
    def test_a_shot_is_said_by_the_players(self, at_table: AtTable) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        ready_to_shoot(table, owner, 6.0)
        owner.done(type="modes", modes={"questions": "ask"})
        expect(page.locator(shot(page))).to_contain_text("enter the range by hand")
        page.click(f"{shot(page)} .line")
        page.get_by_role("button", name="Shoot").click()
        expect(page.locator("#ask")).to_contain_text("Choose first")
        page.keyboard.press("Escape")
        page.locator(".detail .pick", has_text="Maximum Range").click()
        page.click('[data-kind="shoot"]')
        expect(page.locator("#result .die.fell")).to_be_visible()
        assert table.host.match is not None
        told = [e.words for e in table.host.match.log]
        assert any("shoots at BLUE1" in words for words in told)
        assert not any("Short Range +1" in words for words in told)


class TestByHand:
    def test_a_sheet_is_marked_what_cannot_be_is_refused_and_a_double_tap_acts_once(
        self, at_table: AtTable
    ) -> None:
        table, owner, page = at_table.table, at_table.owner, at_table.page
        begun(owner)
        page.get_by_label("Mark BLUE1's sheet by hand").click()
        sheet = page.locator('[data-sheet="BLUE1"]')
        sheet.get_by_label("Speed 5", exact=True).click()
        expect(sheet.locator(".pips").first).to_have_attribute("aria-label", "Speed 5, at most 6")
        sheet.get_by_label("Armour 3", exact=True).click()
        expect(sheet.locator(".left")).to_have_text("17")
        fate = sheet.get_by_label("It is")
        fate.select_option("destroyed: an obstacle")
        expect(sheet).to_have_attribute("data-out", "true")
        fate.select_option("in play")
        expect(sheet).to_have_attribute("data-out", "false")
        sheet.get_by_label("Armour 20", exact=True).click()
        expect(page.locator("#ask .why")).to_contain_text("is destroyed; change 'It is' first")
        page.locator("#ask button", has_text="Understood").click()
        expect(sheet.locator(".left")).to_have_text("17")
        expect(page.locator(".log li").first).to_contain_text("marked by hand")
        page.locator(".deed.car", has_text="RED1").click()
        page.locator('[data-kind="move"]').dblclick()
        expect(page.locator('[data-kind="floor_it"]')).to_be_visible()
        assert table.host.match is not None
        assert [e.kind for e in table.host.match.log].count("moved") == 1
        expect(page.locator("#ask")).to_be_hidden()

    def test_whoever_goes_back_to_what_is_shown_before_the_sheet_has_changed_asks_nothing(
        self, at_table: AtTable
    ) -> None:
        owner, page = at_table.owner, at_table.page
        owner.done(type="setup", draft=DRAFT)
        owner.done(type="begin")
        page.get_by_label("Mark RED2's sheet by hand").click()
        fate = page.locator('[data-sheet="RED2"]').get_by_label("It is")
        expect(fate.locator("option").first).to_have_text("not deployed")
        fate.evaluate("""(node) => {
          for (const index of [1, 0]) {
            node.selectedIndex = index;
            node.dispatchEvent(new Event("change"));
          }
        }""")
        expect(fate).to_have_value("in play")


class TestHands:
    def test_a_deed_whose_answer_is_lost_is_asked_for_again_and_done_once(self, open_play: OpenPlay) -> None:
        sent: list[str] = []

        def lossy(page_side: WebSocketRoute) -> None:
            server_side = page_side.connect_to_server()

            def to_server(message: str | bytes) -> None:
                if '"type":"act"' in str(message):
                    sent.append(str(message))
                server_side.send(message)

            def to_page(message: str | bytes) -> None:
                if '"type":"answer"' in str(message) and len(sent) == 1:
                    page_side.close(code=1012)
                else:
                    page_side.send(message)

            page_side.on_message(to_server)
            server_side.on_message(to_page)

        with gaming() as table, table.joined() as owner:
            begun(owner)
            page = open_play(table, before=lambda page: page.route_web_socket("**/ws/play", lossy))
            page.locator(".deed.car", has_text="RED1").click()
            expect(page.locator('[data-kind="move"]')).to_be_visible()
            wait_until("the deed is asked for again", lambda: page.evaluate("true") and len(sent) == 2)
            first, second = map(json.loads, sent)
            assert first.pop("shown") == second.pop("newest")
            assert first == second
            expect(page.locator("body")).not_to_have_attribute("data-busy", "true")
            assert table.host.match is not None
            assert [e.kind for e in table.host.match.log].count("chosen") == 1

    def test_a_deed_that_is_told_late_is_not_done_in_another_turn(self, open_play: OpenPlay) -> None:
        """It was: what was tapped while the network was lost ended the player's next turn."""
        lost: list[str] = []

        def silent(page_side: WebSocketRoute) -> None:
            server_side, taken = page_side.connect_to_server(), bool(lost)

            def to_server(message: str | bytes) -> None:
                if '"type":"act"' in str(message) and not taken:
                    lost.append(str(message))
                else:
                    server_side.send(message)

            page_side.on_message(to_server)
            routes.append(page_side)

        routes: list[WebSocketRoute] = []
        with gaming() as table, table.joined() as owner:
            begun(owner)
            page = open_play(table, before=lambda page: page.route_web_socket("**/ws/play", silent))
            page.locator(".deed.car", has_text="RED1").click()
            wait_until("the deed is lost", lambda: page.evaluate("true") and bool(lost))
            owner.done(type="overrule", path=["cars", "RED1", "speed"], value=2, words="agreed")
            routes[0].close(code=1012)
            expect(page.locator("#ask")).to_contain_text("The game has gone on since you tapped that")
            assert table.host.match is not None
            assert not [event for event in table.host.match.log if event.kind == "chosen"]

    def test_two_who_set_up_at_once_lose_nothing_and_what_is_typed_is_not_taken_away(
        self, at_table: AtTable, open_play: OpenPlay
    ) -> None:
        table, owner = at_table.table, at_table.owner
        pages = [at_table.page, open_play(table)]
        for name, page in zip(("Anna", "Ben"), pages, strict=True):
            page.fill('input[name="name"]', name)
        for page in pages:
            page.keyboard.press("Enter")
        for page in pages:
            expect(page.locator("#order .chip")).to_have_count(2)
        assert {p.name for p in table.host.draft.players} == {"Anna", "Ben"}
        page = pages[0]
        name = page.locator('input[name="name"]')
        name.type("Charlotte")
        owner.done(type="setup", draft={"players": [{"name": "Dora", "colour": "#c8322b"}]})
        expect(page.locator("#order")).to_contain_text("Dora")
        assert name.input_value() == "Charlotte"
        name.press("Enter")
        expect(page.locator("#order")).to_contain_text("Charlotte")
        assert [p.name for p in table.host.draft.players] == ["Dora", "Charlotte"]

    def test_a_change_is_shown_once_when_its_state_is_here_before_its_answer(
        self, open_play: OpenPlay
    ) -> None:
        told: list[str] = []
        late: list[tuple[WebSocketRoute, str | bytes]] = []

        def answers_late(page_side: WebSocketRoute) -> None:
            server_side = page_side.connect_to_server()

            def to_page(message: str | bytes) -> None:
                told.append(str(message))
                if '"type":"answer"' in str(message) and not late:
                    late.append((page_side, message))
                else:
                    page_side.send(message)

            server_side.on_message(to_page)

        with gaming() as table:
            page = open_play(table, before=lambda page: page.route_web_socket("**/ws/play", answers_late))
            drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            name, players = page.locator('input[name="name"]'), page.locator("li.player")
            name.fill("Anna")
            name.press("Enter")
            expect(players).to_have_count(1)
            wait_until(
                "the state and the answer",
                lambda: page.evaluate("true") and late and any('"Anna"' in one for one in told),
            )
            page.evaluate(drawn)
            assert players.count() == 1
            name.fill("Ben")
            name.press("Enter")
            expect(players).to_have_count(2)
            page_side, answer = late[0]
            page_side.send(answer)
            wait_until("Ben", lambda: page.evaluate("true") and len(table.host.draft.players) == 2)
            page.evaluate(drawn)
            assert [p.name for p in table.host.draft.players] == ["Anna", "Ben"]
            assert players.count() == 2


def test_what_the_table_file_says_of_owners_is_one_tap(at_table: AtTable) -> None:
    table, page = at_table.table, at_table.page
    page.click("#as-filed")
    expect(page.locator("#begin")).to_be_enabled()
    wait_until("the set-up", lambda: len(table.host.draft.pieces) == 6)
    draft = table.host.draft
    assert [p.name for p in draft.players] == ["Anna", "Ben"]
    assert {p.name: p.owner for p in draft.pieces} == {
        piece.name: piece.owner for piece, _ in STANDINGS.values() if piece.kind == "car"
    }
    expect(page.locator("#as-filed")).to_have_count(0)


def test_nothing_has_to_be_pushed_aside_to_be_seen(at_table: AtTable, open_play: OpenPlay) -> None:
    def fits(page: Page) -> None:
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0

    table, owner, page = at_table.table, at_table.owner, at_table.page
    widths = (390, 820, 1440, 1920)
    expect(page.locator("li.carcard")).to_have_count(6)
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        fits(page)
    ready_to_shoot(table, owner, 6.0)
    page.click(f"{shot(page)} .line")
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator(".detail .checks li").first).to_be_visible()
        fits(page)
        box = page.locator("#turn").bounding_box()
        assert box is not None
        assert box["height"] > 60
    # Who only looks has one row above the table, also on a phone.
    looking = open_play(table, (390, 844), "spectator")
    expect(looking.locator("#order .chip")).to_have_count(2)
    fits(looking)
    head, order = (looking.locator(one).bounding_box() for one in ("header.top", "#order"))
    assert head is not None
    assert order is not None
    assert head["height"] < 2 * order["height"]
    last = looking.locator("#order .chip").last.bounding_box()
    assert last is not None
    assert last["x"] + last["width"] <= order["x"] + order["width"], "both players are in sight"
    expect(looking.locator("#dispute-open")).to_be_hidden()
    photograph(looking, "spectator-390")


@pytest.mark.parametrize("width", [390, pytest.param(820, marks=deep)])
def test_a_set_up_with_many_forms_is_laid_out_at_once_on_a_phone(open_play: OpenPlay, width: int) -> None:
    with gaming() as table, table.joined() as owner:
        page = open_play(table, (width, 900))
        told = page.context.new_cdp_session(page)
        told.send("Performance.enable")
        owner.done(type="setup", draft=DRAFT)
        expect(page.locator(".carcard .arms")).to_have_count(4)
        took = {m["name"]: m["value"] for m in told.send("Performance.getMetrics")["metrics"]}
        # Laid out again at each level of nested grids it took 400 times as long.
        assert took["LayoutDuration"] < 20 * took["ScriptDuration"]


def test_what_was_asked_in_a_turn_is_cleared_with_it_on_every_screen(
    at_table: AtTable, open_play: OpenPlay
) -> None:
    """The measuring page shows the shot of the turn, and after it nothing that is no longer asked."""
    table, owner = at_table.table, at_table.owner
    begun(owner)
    for kind in ("choose", "move"):
        assert owner.act(kind, car="RED1")["accepted"]
    table.source.move("RED1", Pose(10, 10, 0))
    table.source.move("BLUE1", Pose(18, 10, 0))
    page = open_play(table, to="")
    chosen = page.locator('#car-list button[aria-pressed="true"]')
    for car in ("RED1", "BLUE1"):
        page.click(f'#car-list button[data-name="{car}"]')
    expect(chosen).to_have_count(2)
    expect(page.locator("#sentence")).to_contain_text("RED1 may fire the Machine Gun at BLUE1")
    assert owner.act("end")["accepted"]
    expect(chosen).to_have_count(0)
    expect(page.locator("#headline")).to_have_text("Which pieces?")


def test_anybody_measures_at_any_time_before_anything_is_done(at_table: AtTable) -> None:
    """ "Pre-measuring is allowed at any time, such as before shooting a weapon"."""
    table, owner, page = at_table.table, at_table.owner, at_table.page
    begun(owner)
    table.source.move("RED1", Pose(10, 10, 0))
    table.source.move("BLUE1", Pose(18, 10, 180))
    measure = page.locator("#measure")
    measure.locator("summary").click()
    page.get_by_label("Measure from").select_option("RED1")
    page.get_by_label("Measure to").select_option("BLUE1")
    # It is nobody's shot yet: RED1 has not moved, and BLUE1's turn is another one.
    expect(measure).to_contain_text("RED1 may fire the Machine Gun at BLUE1")
    expect(measure.locator("li", has_text="Maximum Range")).to_contain_text("of 22")
    photograph(page, "measure")
    page.get_by_label("Measure from").select_option("BLUE1")
    page.get_by_label("Measure to").select_option("RED1")
    expect(measure).to_contain_text("at RED1")
    page.set_viewport_size({"width": 390, "height": 844})
    measure.scroll_into_view_if_needed()
    photograph(page, "measure-phone")


MOST_SET_UP = 55
"""Taps of four players who change every answer of every vehicle: eleven answers each in one of the games."""

OUTFITS = ["white_line_fever", pytest.param("car_cult", marks=deep)]
"""Games whose vehicles are fitted out one by one: the one that pages begin with, and that with the most."""


@pytest.mark.parametrize("game", OUTFITS)
def test_four_players_who_choose_every_weapon_set_up_in_about_forty_taps(
    at_table: AtTable, figure: Figure, game: str
) -> None:
    """Every name is typed and every vehicle outfitted by hand; what is usual needs none of it."""
    page, taps = at_table.page, 0

    def tap(what: Locator) -> None:
        nonlocal taps
        taps += 1
        what.click()

    tap(page.locator(f'[data-game="{game}"]'))
    names, cars = ("Anna", "Ben", "Cem", "Dora"), ("RED1", "BLUE1", "RED2", "BLUE2")
    for name in names:
        page.get_by_label("Name of another player").fill(name)
        tap(page.get_by_role("button", name="Add player"))
    for name, car in zip(names, cars, strict=True):
        tap(page.locator(f'.carcard[data-piece="{car}"] .picks button', has_text=name))
    expect(page.locator(".carcard .arms")).to_have_count(len(cars))
    usual = taps + 1
    for car in cars:
        fields = page.locator(f'.carcard[data-piece="{car}"] .arms > .field')
        for k in range(fields.count()):
            field = fields.nth(k)
            chosen = field.locator("select")
            if chosen.count():
                # One tap opens the list, one chooses; every other entry of it is another weapon.
                taps += 2
                values = chosen.locator("option:enabled").evaluate_all("(all) => all.map((o) => o.value)")
                chosen.select_option([v for v in values if v != chosen.input_value()][-1])
            elif field.locator(".step").count():
                tap(field.locator(".step:enabled").last)
            else:
                tap(field.locator('.pick[aria-pressed="false"]:enabled').last)
            expect(fields.nth(k)).to_have_attribute("data-changed", "true")
    # And one that begins the game.
    taps += 1
    figure(f"taps of a set-up for four, {game}: with every weapon chosen, with the usual", (taps, usual))
    assert usual <= 10
    assert taps <= MOST_SET_UP


def test_what_begins_a_game_shows_its_first_question(at_table: AtTable) -> None:
    owner, page = at_table.owner, at_table.page
    owner.done(type="setup", draft={**DRAFT, "answers": {}})
    page.set_viewport_size({"width": 1366, "height": 400})
    page.click("#begin")
    expect(page.locator("body")).to_have_attribute("data-phase", "match")
    first = page.locator('[data-kind="deployment"]').first
    expect(first).to_be_visible()
    wait_until("the first question to be shown", lambda: first.evaluate(IN_REACH))


def test_what_is_switched_in_one_breath_is_all_switched(at_table: AtTable) -> None:
    table, owner, page = at_table.table, at_table.owner, at_table.page
    owner.done(type="setup", draft=DRAFT)
    page.click("#modes-open")
    page.evaluate("""() => {
      const all = [...document.querySelectorAll("#modes button")];
      const named = (words) => all.find((b) => b.textContent === words);
      named("typed").click();
      named("may be asked").click();
    }""")
    wait_until("both to be switched", lambda: table.host.modes == Modes(dice="type", coach=True))


def test_what_all_who_play_may_do_is_not_called_the_owners(at_table: AtTable, open_play: OpenPlay) -> None:
    """*The owner is to act*, a spectator read, while every phone was asked how the cars start."""
    answers = DRAFT["answers"] | {"deployment": "decide at the table"}
    at_table.owner.done(type="setup", draft=DRAFT | {"answers": answers})
    at_table.owner.done(type="begin")
    page = open_play(at_table.table, role="spectator")
    expect(page.locator("#now")).to_contain_text("You are a spectator. Whoever plays is to act.")


def test_what_ends_a_game_takes_two_taps_each_time(at_table: AtTable) -> None:
    """Once somebody had looked what it is, *Options* opened with it under the finger, in later games, too."""
    owner, page = at_table.owner, at_table.page
    begun(owner)
    for _ in range(2):
        page.click("#modes-open")
        ends = page.get_by_role("button", name="End it and set up another")
        gives_up = page.get_by_role("button", name="Ben gives up")
        for fold, button in (("Give up", gives_up), ("End this game", ends)):
            expect(button).to_be_hidden()
            page.get_by_text(fold, exact=True).click()
            expect(button).to_be_visible()
        page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("12.5", "12.5"), ("12,5", "12.5"), ("12½", "12.5"), ("1,250.5", ""), ("7″", "7"), ("-0", "-0"),
        ("１２", "12"), ("NaN", ""), ("1e3", "1e3"),
    ],
)  # fmt: skip
def test_a_number_is_read_as_people_type_it(at_table: AtTable, typed: str, value: str) -> None:
    """A height of 1,5 inches was taken for 15: the comma is dropped by a browser that speaks English."""
    page = at_table.page
    page.evaluate("""() => {
      document.querySelector("#typed")?.remove();
      const box = document.createElement("input");
      Object.assign(box, { type: "number", step: "any", id: "typed" });
      document.body.append(box);
      box.focus();
    }""")
    page.keyboard.insert_text(typed)
    assert page.locator("#typed").input_value() == value
    page.locator("#typed").evaluate("(box) => { box.value = ''; box.setCustomValidity('') }")
    if value:
        page.keyboard.type(typed)
        assert page.locator("#typed").input_value() == value
    else:
        assert page.locator("#typed").evaluate("(box) => box.value") == ""
    page.locator("#typed").evaluate("(box) => box.remove()")


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1.5", "1.5"), ("1,5", "1.5"), (".5", "0.5"), ("1/2", "0.5"), ("1 1/2", "1.5"), ("1½", "1.5"),
        ("15/16", "0.938"), ("3 in", "3"), ("3\"", "3"), ("4 cm", "1.575"), ("40mm", "1.575"), ("1 ft", "12"),
        ("1' 6\"", "18"), ("1 foot 6 1/2", "18.5"), ("1′6″", "18"), ("0.2 m", "7.874"), ("１２", "12"),
        ("30", "30"),
        ("", ""), ("1/0", None), ("1-2", None), ("-1", None), ("31", None), ("0.1", None), ("two", None),
        ("1 1", None), ("1 yd", None), ("1 in 2", None), ("1.5/2", None), ("1 cm 2", None),
        ("Infinity", None),
    ],
)  # fmt: skip
def test_a_length_is_read_as_people_write_it(scripts: Page, typed: str, value: str | None) -> None:
    """Of *1/2* a browser kept 12, and a note that went with the next key."""
    scripts.evaluate("""async () => {
      const { lengthField, lengthIn } = await import("/static/common/lengths.js");
      document.querySelector("#typed")?.remove();
      const box = lengthField({ low: 0.2, high: 30, id: "typed" });
      window.read = () => [lengthIn(box), box.validity.valid];
      document.body.append(box);
      box.focus();
    }""")
    field = scripts.locator("#typed")
    scripts.keyboard.insert_text(typed)
    inches, right = scripts.evaluate("window.read()")
    field.blur()
    if value is None:
        assert not right
        assert "Inches from 0.2 to 30" in field.evaluate("(box) => box.validationMessage")
        assert field.input_value() == typed, "it stays to be mended"
    else:
        assert right
        assert field.input_value() == value
        assert inches is None if value == "" else round(inches, 3) == float(value)
        assert field.evaluate("(box) => box.validity.valid")
    field.evaluate("(box) => box.remove()")


def test_a_length_that_is_wrong_behind_a_fold_is_unfolded(scripts: Page) -> None:
    """Nothing seemed to happen: a browser does not ask for what it cannot show."""
    scripts.evaluate("""async () => {
      const { h } = await import("/static/common/dom.js");
      const { lengthField } = await import("/static/common/lengths.js");
      const box = lengthField({ low: 0.2, high: 30, id: "typed", required: true });
      const fold = h("details", { id: "fold" }, h("summary", {}, "More"), box);
      document.body.prepend(h("form", { id: "folded" }, fold, h("button", { id: "add" }, "Add")));
    }""")
    scripts.locator("#add").click()
    assert scripts.evaluate("[document.querySelector('#fold').open, document.activeElement.id]") == [
        True,
        "typed",
    ]
    scripts.locator("#folded").evaluate("(form) => form.remove()")


def test_what_cannot_be_read_as_numbers_stays_and_is_told(at_table: AtTable) -> None:
    table, owner, page = at_table.table, at_table.owner, at_table.page
    owner.done(type="setup", draft=DRAFT)
    expect(page.locator("li.player")).to_have_count(2)
    page.locator(".rules summary").click()
    track = page.locator(".rules .field", has_text="Armour track").locator("input")
    for typed in ("-4 4", "4.5", "four"):
        track.fill(typed)
        track.press("Enter")
        expect(track).to_have_value(typed)
        assert "Whole numbers" in track.evaluate("(box) => box.validationMessage")
        assert "armour_groups" not in table.host.draft.answers
    track.fill("４, 6")
    track.press("Enter")
    wait_until("it to be set", lambda: table.host.draft.answers.get("armour_groups") == [4, 6])
    page.locator(".rules summary").click()


def test_what_cannot_be_set_up_is_told_and_not_shown_as_set(at_table: AtTable) -> None:
    table, owner, page = at_table.table, at_table.owner, at_table.page
    owner.done(type="setup", draft=DRAFT)
    page.locator(".rules summary").click()
    track = page.locator(".rules .field", has_text="Armour track")
    usual = track.locator("input").input_value()
    track.locator("input").fill("4 99999")
    track.locator("input").press("Enter")
    expect(page.locator("dialog[open]")).to_contain_text("That cannot be set up")
    expect(page.locator("dialog[open]")).to_contain_text("Armour track: expected 1 to 8 whole numbers")
    photograph(page, "set-up-refused")
    page.get_by_role("button", name="Understood").click()
    expect(track.locator("input")).to_have_value(usual)
    assert "armour_groups" not in table.host.draft.answers


def test_a_new_phone_is_told_why_a_seat_is_not_offered(open_play: OpenPlay) -> None:
    with gaming() as table, table.joined() as owner:
        owner.done(type="setup", draft=DRAFT)
        first, second = (open_play(table, PHONE, "player") for _ in range(2))
        expect(second.locator("[data-taken]")).to_have_count(0)
        first.locator("#now").get_by_role("button", name="Anna").click()
        told = "Anna has a phone already. The owner can free a seat: Options."
        expect(second.locator("[data-taken]")).to_have_text(told)
        expect(second.locator("#now").get_by_role("button", name="Ben")).to_be_visible()


def test_whoever_is_called_by_a_colour_has_it(at_table: AtTable) -> None:
    table, page = at_table.table, at_table.page
    for count, name in enumerate(("Red", "Green", "Gold", "Anna"), start=1):
        page.get_by_label("Name of another player").fill(name)
        page.get_by_role("button", name="Add player").click()
        wait_until(f"{name} to play", lambda count=count: len(table.host.draft.players) == count)
    colours = {player.name: player.colour for player in table.host.draft.players}
    assert colours == {"Red": "#c8322b", "Green": "#2e8b57", "Gold": "#d99a00", "Anna": "#1f6fd0"}


def crowd(owner: Player, names: list[str], **answers: str) -> None:
    """Two cars for each of these players, in a game that begins; none of them is on the table."""
    owner.done(
        type="setup",
        draft={
            "players": [{"name": name, "colour": "#c8322b"} for name in names],
            "pieces": [{"name": f"{n} {k}", "owner": n, "answers": ARMED} for n in names for k in (1, 2)],
            "answers": {"deployment": "highway"} | answers,
        },
    )
    owner.done(type="begin")


@pytest.mark.parametrize("size", [SCREEN, LAPTOP])
def test_the_big_screen_shows_every_car_of_many(open_play: OpenPlay, size: tuple[int, int]) -> None:
    with gaming() as table, table.joined() as owner:
        crowd(owner, [f"Player {k}" for k in range(12)])
        screen = open_play(table, size, to="screen")
        expect(screen.locator("#fleet .short")).to_have_count(24)
        photograph(screen, f"screen-crowd-{size[0]}")
        tells_all(screen)


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_a_name_that_is_one_long_word_stays_in_its_place(open_play: OpenPlay, size: tuple[int, int]) -> None:
    with gaming() as table, table.joined() as owner:
        crowd(owner, ["W" * 37, "Ben"])
        for to in ("play", "screen", "overlay"):
            page = open_play(table, size, to=to)
            expect(page.locator("#turn .who, #o-turn")).to_contain_text("WWW")
            page.locator("#order .chip, #o-sides li").nth(1).wait_for()
            over = page.evaluate(OVER_THEIR_EDGE)
            photograph(page, f"long-name-{to}-{size[0]}")
            assert over == []


OVER_THEIR_EDGE = """[...document.querySelectorAll(":is(main, .top) *:not(svg *), #o-score, #o-sides")]
    .filter((n) => n.clientWidth && n.scrollWidth > n.clientWidth + 1)
    .filter((n) => getComputedStyle(n).overflowX === "visible")
    .map((n) => `${n.tagName} ${n.id} ${n.className}`)"""
"""Which parts of a page hold words that stand out of them."""


def test_whoever_acts_is_in_sight_on_the_strip_of_a_phone(open_play: OpenPlay) -> None:
    with gaming() as table, table.joined() as owner:
        crowd(owner, [f"Player {k}" for k in range(12)], first="Player 9")
        for _ in range(24):
            assert table.host.match is not None
            due = next(o for o in table.host.match.options() if o.kind == "deploy")
            assert owner.act("deploy", **due.data)["accepted"]
        phone = open_play(table, PHONE)
        acts = phone.locator('#order [data-drives="true"]')
        expect(acts).to_contain_text("Player 9")
        expect(acts).to_be_in_viewport(ratio=0.9, timeout=5000)
        photograph(phone, "strip-crowd")


ORDER_SEEN = """async (words) => {
  const [{ h }, { el, say }] = await Promise.all(["dom", "svg"].map((n) => import(`/static/common/${n}.js`)));
  const [told, drawn] = [h("p", {}, words), el("text", { y: 20 })];
  say(drawn, words);
  document.body.append(told, el("svg", {}, [drawn]));
  return [told, drawn].map((node) => {
    const [text] = node.childNodes;
    const lefts = [...text.data].map((c, k) => {
      const range = document.createRange();
      range.setStart(text, k);
      range.setEnd(text, k + 1);
      return [c, range.getBoundingClientRect().left];
    });
    return lefts.filter(([c]) => /[0-9]/.test(c)).sort((a, b) => a[1] - b[1]).map(([c]) => c).join("");
  });
}"""
"""The digits of a sentence from left to right, as it stands on the page and on the drawing."""


@pytest.mark.parametrize("name", ["דני כהן", "أحمد", "Ann"])
def test_figures_beside_a_name_from_right_to_left_stay_in_their_order(at_table: AtTable, name: str) -> None:
    """*hit by X 1, 2 damage: 3 left* was read as of car 3."""
    words = f"{name} 1, 2 damage by {name} 3: 4 · 5 left"
    assert at_table.page.evaluate(ORDER_SEEN, words) == ["12345", "12345"]


def test_cars_that_are_called_by_pictures_alone_are_each_set_up(at_table: AtTable) -> None:
    """Without letters in their names the second stood in the place of the first."""
    pieces = [{"name": "🚗", "owner": "Anna"}, {"name": "🚙", "owner": "Ben"}]
    at_table.owner.done(type="setup", draft=DRAFT | {"pieces": pieces, "answers": {}})
    for name, owner in (("🚗", "Anna"), ("🚙", "Ben")):
        card = at_table.page.locator(f'li.carcard[data-piece="{name}"]')
        expect(card.locator('.pick[aria-pressed="true"]').first).to_have_text(owner)


def test_of_twelve_players_each_has_a_colour_of_their_own(at_table: AtTable) -> None:
    table, page = at_table.table, at_table.page
    for k in range(12):
        page.get_by_label("Name of another player").fill(f"Player {k}")
        page.get_by_role("button", name="Add player").click()
    wait_until("all to play", lambda: len(table.host.draft.players) == 12)
    assert len({player.colour for player in table.host.draft.players}) == 12


def test_no_deed_of_an_ended_game_stays_where_the_next_is_set_up(at_table: AtTable) -> None:
    """The button that ends a turn stood there on, over the set-up."""
    owner, page = at_table.owner, at_table.page
    ready_to_shoot(at_table.table, owner, 12.0)
    expect(page.locator("#pin .deed").first).to_be_visible()
    owner.done(type="anew")
    expect(page.locator("body")).to_have_attribute("data-phase", "setup")
    expect(page.locator("#pin")).to_be_hidden()


def test_a_token_that_was_laid_without_a_tag_has_its_name(at_table: AtTable) -> None:
    """Oil, spikes and fire lie on the drawing as the same square: which it is was told nowhere on it."""
    begun(at_table.owner)
    oil = {"name": "Oil 1", "weapon": "Oil", "dropped_by": "RED2", "at": [30.0, 12.0, 0.5]}
    spikes = {"name": "Spikes 1", "weapon": "Spikes", "dropped_by": "RED2", "at": [40.0, 42.0, 0.0]}
    laid = {one["name"]: one for one in (oil, spikes)}
    at_table.owner.done(type="overrule", path=["tokens"], value=laid, words="laid earlier")
    expect(at_table.page.locator(".labels .shape")).to_have_text(["Oil 1", "Spikes 1"])
    photograph(at_table.page, "play-tokens-named")

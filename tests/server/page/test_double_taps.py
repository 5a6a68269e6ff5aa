"""What a double tap does, and what it does not."""

from __future__ import annotations

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.server.conftest import OpenPlay
from tests.server.fakes import wait_until
from tests.server.gaming import begun, gaming
from tests.server.page.conftest import AtTable
from tests.server.page.test_play_hands import box_of, kinds


class TestDoubleTaps:
    def test_a_slow_double_tap_acts_once_and_nothing_is_refused(self, open_play: OpenPlay) -> None:
        """The answer is there, the new state is not: the button stands where it stood."""
        held: list[str | bytes] = []
        sent: list[str] = []
        slow = False

        def late(page_side: WebSocketRoute) -> None:
            server_side = page_side.connect_to_server()

            def to_server(message: str | bytes) -> None:
                sent.append(str(message))
                server_side.send(message)

            page_side.on_message(to_server)

            def to_page(message: str | bytes) -> None:
                if slow and '"type":"play"' in str(message)[:40]:
                    held.append(message)
                else:
                    page_side.send(message)

            server_side.on_message(to_page)

        with gaming() as table, table.joined() as owner:
            begun(owner)
            page = open_play(table, before=lambda page: page.route_web_socket("**/ws/play", late))
            button = page.locator(".deed.car", has_text="RED1")
            expect(button).to_be_visible()
            slow = True
            button.click()
            wait_until(
                "the first tap to be answered", lambda: page.evaluate("true") and "chosen" in kinds(table)
            )
            expect(page.locator("body")).not_to_have_attribute("data-busy", "true")
            asked = sum('"act"' in message for message in sent)
            assert asked == 1
            button.click()
            # What the page sends, it sends before the next pictures of the screen are drawn.
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert sum('"act"' in message for message in sent) == asked
            expect(page.locator("#ask")).to_be_hidden()
            assert kinds(table).count("chosen") == 1

    def test_after_a_restart_which_counts_anew_the_same_tap_is_done_again(self, open_play: OpenPlay) -> None:
        connections: list[WebSocketRoute] = []

        def keep(page_side: WebSocketRoute) -> None:
            connections.append(page_side)
            page_side.connect_to_server()

        with gaming() as table, table.joined() as owner:
            begun(owner)
            page = open_play(table, before=lambda page: page.route_web_socket("**/ws/play", keep))
            undo, redo = (page.locator("#log").get_by_role("button", name=name) for name in ("Undo", "Redo"))
            for again in (False, True):
                assert owner.act("choose", car="RED1")["accepted"]
                expect(page.locator("#log")).to_contain_text("drives RED1")
                expect(redo).to_be_disabled()
                undo.click()
                wait_until("it is undone", lambda: page.evaluate("true") and bool(table.host.match.redoable))
                # Its answer has come: one that is remembered would tell its old number on the new connection.
                expect(page.locator("body")).not_to_have_attribute("data-busy", "true")
                expect(redo).to_be_enabled()
                if not again:
                    # What was done has a higher number than all that comes now.
                    table.host.number = 1
                    connections[-1].close()
                    wait_until("a new connection", lambda: page.evaluate("true") and len(connections) == 2)

    def test_a_tap_on_a_button_that_is_about_to_go_does_nothing(self, at_table: AtTable) -> None:
        """The finger is down while somebody else acts: what it is on stays, but offers nothing any more."""
        table, owner, page = at_table.table, at_table.owner, at_table.page
        begun(owner)
        # While cars were put down it stood elsewhere.
        expect(page.locator("#now")).to_contain_text("Which car?")
        page.locator(".deed.car", has_text="RED2").hover()
        page.mouse.down()
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED1")["accepted"]
        # Until it has moved another car may still be chosen: the page has to have heard of the move.
        expect(page.locator("#log")).to_contain_text("RED1 performs Maneuver 1")
        expect(page.locator("#now")).to_contain_text("Which car?")
        page.mouse.up()
        expect(page.locator('[data-kind="end"]').first).to_be_visible()
        expect(page.locator("#ask")).to_be_hidden()
        assert kinds(table).count("chosen") == 1

    ONE_THEN_TWO = """() => {
      document.title = "";
      const [one, two] = ["one", "two"].map((words) => {
        const button = document.createElement("button");
        button.textContent = words;
        button.onclick = () => { document.title += ` ${words}`; button.replaceWith(two); };
        return button;
      });
      const front = document.createElement("dialog");
      front.append(one);
      document.querySelector("dialog:modal")?.remove();
      document.body.append(front);
      front.showModal();
    }"""
    """A button that is replaced as it is pressed."""

    TAP_AT = """(x, y, pointerType = "touch") => {
      const there = document.elementFromPoint(x, y);
      there.dispatchEvent(new PointerEvent("pointerdown", { pointerType, bubbles: true }));
      there.dispatchEvent(new PointerEvent("click", { detail: 1, clientX: x, clientY: y, bubbles: true }));
    }"""
    """A tap as Safari tells each of an iPhone, however soon it comes after another."""

    def test_the_second_tap_does_not_press_what_came_in_its_place(self, scripts: Page) -> None:
        scripts.evaluate(self.ONE_THEN_TWO)
        box = box_of(scripts, "dialog:modal button")
        scripts.mouse.dblclick(box["x"] + 10, box["y"] + 10)
        assert scripts.title() == "one"
        scripts.mouse.click(box["x"] + 10, box["y"] + 10)
        assert scripts.title() == "one two"

    def test_nor_does_a_fingers_where_a_browser_counts_no_taps(self, scripts: Page) -> None:
        # Whatever was tapped before was elsewhere.
        scripts.mouse.click(2, 2)
        scripts.evaluate(self.ONE_THEN_TWO)
        scripts.evaluate(f"""() => {{
          const tap = {self.TAP_AT};
          const {{ x, y }} = document.querySelector("dialog:modal button").getBoundingClientRect();
          for (const _ of [1, 2]) tap(x + 5, y + 5);
        }}""")
        assert scripts.title() == "one"
        # Of a mouse every browser counts: what it calls a first one is one.
        box = box_of(scripts, "dialog:modal button")
        scripts.evaluate(f"() => ({self.TAP_AT})({box['x'] + 5}, {box['y'] + 5}, 'mouse')")
        assert scripts.title() == "one two"

    def test_what_stood_beside_it_is_meant(self, scripts: Page) -> None:
        """Two dice, soon one after the other; what moves up into the place of one is not meant."""
        heard = scripts.evaluate(
            f"""() => {{
              const tap = {self.TAP_AT}, heard = [];
              const row = document.createElement("dialog");
              document.querySelector("dialog:modal")?.remove();
              document.body.append(row);
              row.showModal();
              row.style = "position: fixed; left: 100px; top: 100px; display: flex";
              row.replaceChildren(...["one", "two", "three"].map((words) => {{
                const button = document.createElement("button");
                button.textContent = words;
                button.style = "flex: none; width: 30px; height: 30px; min-width: 0; padding: 0; border: 0";
                button.onclick = () => {{
                  heard.push(words);
                  if (words === "two") button.remove();
                }};
                return button;
              }}));
              const [one, two, three] = [...row.children].map((b) => b.getBoundingClientRect());
              for (const {{ x, y }} of [one, two, two]) tap(x + 15, y + 15);
              return heard;
            }}"""
        )
        assert heard == ["one", "two"]

    def test_a_tap_that_is_counted_as_a_second_one_counts_where_another_was_between(
        self, scripts: Page
    ) -> None:
        """A browser counts two taps at one place as a double tap, whatever was clicked in between."""
        heard = scripts.evaluate(
            """() => {
              const heard = [];
              const put = (name, words) => {
                const node = document.createElement(name);
                node.onclick = () => heard.push(words);
                document.body.append(node);
                return (x, y, detail) => node.dispatchEvent(
                  new MouseEvent("click", { bubbles: true, clientX: x, clientY: y, detail }));
              };
              const [cell, mark] = [put("div", "cell"), put("button", "mark")];
              cell(300, 300, 1);
              mark(100, 100, 1);
              cell(300, 300, 2);
              mark(100, 100, 1);
              cell(110, 100, 2);
              return heard;
            }"""
        )
        assert heard == ["cell", "mark", "cell", "mark"], "what came under the finger is not tapped"

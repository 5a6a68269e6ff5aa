"""What is to be done next stays in view on a phone and on a small laptop, with what it leads to."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from engine.space.geometry import Pose
from tests.server.conftest import OpenPlay
from tests.server.gaming import begun, gaming, let_stand
from tests.server.page.evenings import photograph

PHONE, LAPTOP = (390, 844), (1366, 768)


def trembling(page: Page) -> None:
    """Count how often the phone trembles."""
    page.add_init_script("window.trembled = []; navigator.vibrate = (ms) => trembled.push(ms)")


def test_what_goes_on_with_the_game_is_in_view_and_the_map_makes_room(open_play: OpenPlay) -> None:
    with gaming() as table, table.joined() as owner:
        begun(owner)
        ben = open_play(table, PHONE, "player", trembling)
        ben.locator("#now").get_by_role("button", name="Ben").click()
        expect(ben.locator("#now")).to_contain_text("Anna is to act")
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED1")["accepted"]
        let_stand(table, owner, RED1=Pose(10, 10, 0), BLUE1=Pose(18, 10, 0))
        pages = [open_play(table, size, before=trembling) for size in (PHONE, LAPTOP)]
        for page in pages:
            expect(page.locator("#pin .short-row")).to_be_in_viewport(ratio=1)
            page.locator('.shot[data-label="Machine Gun"] .line').first.click()
            expect(page.locator('#pin [data-kind="shoot"]')).to_be_in_viewport(ratio=1)
            expect(page.locator("[data-kind='shoot']")).to_have_count(1)
            expect(page.locator("#now h2", has_text="End the round")).to_have_count(0)
            photograph(page, f"turn-shot-{page.viewport_size['width']}")  # type: ignore[index]
        stage = pages[0].locator("#stage")
        expect(pages[0].locator("body")).to_have_attribute("data-strip", "true")
        assert stage.bounding_box()["height"] < 120 < pages[1].locator("#stage").bounding_box()["height"]  # type: ignore[index]
        # Ben reads the log on his phone when his turn comes.
        ben.locator("aside").evaluate("(node) => node.scrollTo(0, node.scrollHeight)")
        pages[0].locator('#pin [data-kind="end"]').click()
        expect(ben.locator("#now .deed.car").first).to_be_in_viewport(ratio=1)
        expect(ben.locator("#stage")).to_be_in_viewport(ratio=1)
        expect(ben.locator("body")).to_have_attribute("data-strip", "false")
        assert ben.evaluate("trembled.length") == 1
        assert pages[0].evaluate("trembled.length") == 0, "whoever acted is not called"


def test_only_who_can_act_is_a_line_and_a_choice_is_one_tap(open_play: OpenPlay) -> None:
    """Six warriors, two of whom have nothing to aim at; drawn from options as a game tells them."""
    with gaming() as table:
        page = open_play(table, PHONE)
        told = page.evaluate(
            """async () => {
              const { OptionsPanel } = await import("/static/play/options.js");
              const [now, pin] = [document.createElement("section"), document.createElement("section")];
              document.body.append(now, pin);
              const far = [{ words: "9″ away, of 1″", citation: "", open: false, question: "" }];
              const whom = (not_now) => ({ type: "pick", words: "Whom", more: "", usual: null, least: 1,
                most: 1, at_once: true, candidates: ["X", "Y"].map((value, k) => ({ value, words: value,
                more: "", facts: [], at: null, group: "", leads: "50 %", not_now: k ? far : not_now })) });
              const option = (kind, heading, more) => ({ kind, player: "A", words: kind, more: "", heading,
                heading_more: "", data: { who: heading }, form: { fields: {} }, citation: "", piece: null,
                facts: [], question: null, not_now: [], sealed: null, main: false, ends: false, button: "",
                mine: true, measuring: null, ...more });
              const options = [1, 2, 3, 4, 5, 6].map((n) =>
                option("board", `warrior ${n}`, { form: { fields: { to: whom(n > 4 ? far : []) } } }));
              options.push(option("done", "", { ends: true, more: "4 can still act" }));
              const match = { options, strays: [], ghosts: [], proposals: [], chosen: [], reveals: null,
                status: { over: false } };
              const play = { match, me: { acts: true, owner: true, role: "owner" }, seats: [], machines: [],
                modes: { dice: "roll" }, trouble: null, guide: null, draft: { players: [], pieces: [] } };
              const asked = [];
              const asker = { option: async (o, said) => (asked.push([o.data.who, said]), true) };
              const panel = new OptionsPanel(now, pin, { point() {} }, asker);
              panel.draw(play, null);
              const text = (what, from = now) => [...from.querySelectorAll(what)].map((n) => n.textContent);
              const lines = text(".line-of > summary strong");
              now.querySelector('.line-of .pick[data-value="X"]').click();
              const told = { lines, idle: text(".idle summary"), why: text(".idle p")[0], asked,
                barred: text(".line-of:first-of-type .rest summary"), pin: text("button", pin) };
              const shot = (words, not_now) => option("shoot", "", { words, not_now,
                question: { kind: "shot", label: "gun", pieces: [] } });
              const draw = (...options) => panel.draw({ ...play, match: { ...match, options } }, null);
              const opened = () => text(".line[aria-expanded=true] .who strong");
              draw(shot("gun at X", []), shot("gun at Y", far));
              told.one = opened();
              draw(shot("gun at X", []), shot("gun at Z", []));
              told.two = opened();
              draw(shot("gun at Z", []), shot("gun at Y", far));
              now.querySelector("[aria-expanded=true]").click();
              draw(shot("gun at Z", []), shot("gun at Y", far), shot("gun at W", far));
              return { ...told, shut: opened() };
            }"""
        )
    assert told["lines"] == [f"warrior {n}" for n in (1, 2, 3, 4)]
    assert told["idle"] == ["2 cannot act now: why?"]
    assert told["why"] == "board: X: 9″ away, of 1″; Y: 9″ away, of 1″"
    assert told["barred"][0] == "1 cannot be picked: why?"
    assert told["asked"] == [["warrior 1", {"to": "X"}]]
    assert told["pin"] == ["done4 can still act"]
    assert told["one"] == ["gun at X"], "one weapon with one target opens by itself"
    assert told["two"] == ["gun at X"], "and stays open"
    assert told["shut"] == [], "what was closed by hand stays closed"

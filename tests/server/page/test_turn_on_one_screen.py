"""What is to be done next stays in view on a phone and on a small laptop, with what it leads to."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from engine.space.geometry import Pose
from tests.server.conftest import OpenPlay
from tests.server.gaming import begun, gaming, let_stand
from tests.server.page.evenings import IN_REACH, Figure, photograph, tap
from tests.server.play.moving.test_measuring import shove

PHONE, LAPTOP = (390, 844), (1366, 768)


def ways_leave_room(page: Page) -> None:
    """However many ways a move may have gone, they take about half of the room beside the table."""
    room, ways = page.evaluate(
        """() => {
          const asks = document.createElement("div");
          asks.className = "asks";
          const way = '<button class="pick"><strong>G12, 45° right, F11, 135° left, G11, 90° right, G10'
            + '</strong><span class="small">4 points; rests facing down; skids after point 3</span></button>';
          asks.innerHTML = `<div class="field"><div class="declare">${way.repeat(8)}</div></div>`;
          document.getElementById("pin-deeds").prepend(asks);
          // The map is as large as it is while a piece is pushed on it.
          const strip = document.body.dataset.strip;
          document.body.dataset.strip = "false";
          const height = (what) => document.querySelector(what).getBoundingClientRect().height;
          const told = [height("aside"), height("#pin .asks")];
          asks.remove();
          document.body.dataset.strip = strip;
          return told;
        }"""
    )
    assert 0 < ways < 0.55 * room, f"{ways} of {room} pixels"


def names_are_written_in_full(page: Page) -> None:
    """What is written on the drawing is no fainter for the role of what it names."""
    faint = page.evaluate(
        """() => {
          const layer = document.querySelector("#stage svg .marked");
          return ["cell", "token", "reach"].filter((role) => {
            const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
            text.setAttribute("class", role);
            layer.append(text);
            const { fillOpacity } = getComputedStyle(text);
            text.remove();
            return fillOpacity !== "1";
          });
        }"""
    )
    assert faint == []


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
            # The card of the car that acts is one tap away, wherever the page is scrolled to.
            page.locator("#turn .card-open").click()
            expect(page.locator('#card [data-card="RED1"]')).to_contain_text("Armour")
            expect(page.locator("#card .button")).to_be_in_viewport(ratio=1)
            photograph(page, f"turn-card-{page.viewport_size['width']}")  # type: ignore[index]
            page.locator("#card .button").click()
            expect(page.locator("#card")).to_be_hidden()
            ways_leave_room(page)
            names_are_written_in_full(page)
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
        untouched = open_play(table, PHONE, "player", trembling)
        # What is evaluated counts as a touch.
        never = {"value": {"hasBeenActive": False}}
        untouched.evaluate("(never) => Object.defineProperty(navigator, 'userActivation', never)", never)
        called = """async (play) => {
          const { Attention } = await import("/static/play/attention.js");
          const one = new Attention(document.querySelector("aside"), document.querySelector("#now"));
          one.asked = "";
          one.heed(play, false);
          return trembled.length;
        }"""
        assert [page.evaluate(called, owner.state) for page in (ben, untouched)] == [2, 0]


def test_the_strip_of_whoever_only_looks_shows_a_car_of_whoever_acts(open_play: OpenPlay) -> None:
    """Anna's cars stand too far apart for it, and the middle between them was shown, where nothing stood."""
    with gaming() as table, table.joined() as owner:
        begun(owner)
        let_stand(table, owner, RED1=Pose(9.0, 4.0, 1.5), RED2=Pose(7.0, 42.0, 0.0))
        guest = open_play(table, PHONE, "spectator")
        expect(guest.locator("#turn")).to_contain_text("Anna drives")
        expect(guest.locator("body")).to_have_attribute("data-strip", "true")
        expect(guest.locator('.labels [data-names="RED1"]')).to_be_visible()
        stage, car = (guest.locator(what).bounding_box() for what in ("#stage", '.piece[data-piece="RED1"]'))
        photograph(guest, "turn-strip-spectator")
        assert stage is not None
        assert car is not None
        assert stage["y"] <= car["y"]
        assert car["y"] + car["height"] <= stage["y"] + stage["height"]


def test_what_is_to_do_has_room_where_letters_are_large(open_play: OpenPlay) -> None:
    with gaming() as table, table.joined() as owner:
        begun(owner)
        anna = open_play(table, PHONE, "player")
        anna.locator("#now").get_by_role("button", name="Anna").click()
        expect(anna.locator("#now")).to_contain_text("Which car?")
        anna.evaluate("document.documentElement.style.fontSize = '32px'")
        assert anna.locator("aside").bounding_box()["height"] > 250  # type: ignore[index]
        tap(anna.locator(".deed.car").first)
        expect(anna.locator("#now")).to_contain_text("Drive RED1")


ASKED_ANEW = """async (play) => {
  const { Attention } = await import("/static/play/attention.js");
  const one = new Attention(document.querySelector("aside"), document.querySelector("#now"));
  one.rest(play);
  one.asked = "something else";
  one.heed(play, false);
}"""
"""What is asked changes just after a move has come to rest."""


def test_a_phone_shows_what_is_made_of_a_move_and_never_wobbles(open_play: OpenPlay) -> None:
    """A push that chooses the car asks something new as it comes to rest: that may not hide the verdict."""
    with gaming(screen=True) as table, table.joined() as owner:
        begun(owner)
        anna = open_play(table, PHONE, "player")
        anna.locator("#now").get_by_role("button", name="Anna").click()
        expect(anna.locator("#now")).to_contain_text("Which car?")
        shove(table, "RED1", 0.0, ahead=3.0)
        expect(anna.locator("#guide .headline")).to_have_text("Legal")
        expect(anna.locator('[data-takes="move"]')).to_be_visible()
        expect(anna.locator("#now")).to_contain_text("Drive RED1")
        assert anna.locator("#guide .headline").evaluate(IN_REACH)
        rested = owner.shows(lambda s: (s["guide"] or {}).get("phase") == "rested")
        anna.evaluate(ASKED_ANEW, rested)
        assert anna.locator("#guide .headline").evaluate(IN_REACH)
        photograph(anna, "turn-verdict-390")
        for width, height in ((390, 844), (320, 640), (844, 390)):
            anna.set_viewport_size({"width": width, "height": height})
            expect(anna.locator("#pin")).to_be_visible()
            aside = anna.locator("aside").evaluate("node => [node.scrollWidth, node.clientWidth]")
            assert aside[0] <= aside[1], f"{width} pixels: it scrolls sideways"
        # On its side the table has the height of the window, also as a strip.
        anna.locator('[data-takes="move"]').click()
        expect(anna.locator("body")).to_have_attribute("data-strip", "true")
        assert anna.locator("#stage").bounding_box()["height"] > 300  # type: ignore[index]
        # The bar of inches is shown whole, or not at all.
        expect(anna.locator("#stage .scale")).to_have_count(0)
        anna.set_viewport_size({"width": 1366, "height": 768})
        expect(anna.locator("#stage .scale")).not_to_have_count(0)
        anna.set_viewport_size({"width": 844, "height": 390})
        photograph(anna, "turn-on-its-side")


def drawn_in_their_colours(page: Page) -> None:
    """A trailer has the colour of what pulls it, the car that acts its outline; tokens differ in kind."""
    told = page.evaluate(
        """async () => {
          const { coloured, MarksOnTable } = await import("/static/play/marks.js");
          const node = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
          const piece = (name, look, pulled_by = null) => ({ name, look, pulled_by,
            driven: look === "car" && !pulled_by, colour: "#123", pattern: "plain" });
          const draft = { players: [{ name: "A", colour: "#f00" }],
            pieces: [{ name: "Rig", owner: "A" }] };
          const pieces = [piece("Rig", "car"), piece("Rig trailer", "car", "Rig"),
            piece("Oil 1", "token"), piece("Oil 2", "token"), piece("Mine 1", "token")];
          const drawn = coloured({ pieces }, { draft, match: null }).pieces;
          const svg = node("svg");
          const layers = { labels: node("g"), marks: node("g") };
          svg.append(layers.labels, layers.marks);
          const marks = new MarksOnTable({ layers, flip: -1, points: () => "0,0" });
          const outline = { shape: "polygon", role: "current", points: [[0, 0]], words: "",
            radius: 0, verdict: null, piece: "Rig" };
          marks.draw({ draft, match: { ghosts: [], marks: [outline] }, guide: null });
          const none = { players: [], pieces: [] };
          const nobodys = coloured({ pieces }, { draft: none, match: null }).pieces.slice(0, 2);
          return { nobodys: nobodys.map((p) => p.colour),
            colours: drawn.map((p) => p.colour), patterns: drawn.map((p) => p.pattern),
            outline: svg.querySelector(".current").style.getPropertyValue("--owner") };
        }"""
    )
    assert told["colours"] == ["#f00", "#f00", "#123", "#123", "#123"]
    assert told["nobodys"] == ["#8a8f93", "#8a8f93"], "while a game is set up, too"
    oil, more_oil, mine = told["patterns"][2:]
    assert oil == more_oil != mine
    assert told["outline"] == "#f00"


def tells_what_a_push_could_meet(page: Page) -> None:
    """Before the push what can be met is told, and not hidden; without anything there is no card."""
    told = page.evaluate(
        """async () => {
          const { GuidePanel } = await import("/static/play/guide.js");
          const [node, pin] = [document.createElement("section"), document.createElement("section")];
          const panel = new GuidePanel(node, pin, { option: async () => true, said: () => ({}) });
          const guide = { piece: "Rig", kind: "move", player: null, phase: "ready", headline: "", words: "",
            reasons: [], steps: [], progress: null, verdict: null, take: "", said: {}, marks: [] };
          return [[], ["Blue 3 can be rammed"]].map((facts) => {
            panel.draw({ guide: { ...guide, facts }, match: { options: [] } });
            return [node.hidden, node.textContent];
          });
        }"""
    )
    assert told[0][0]
    assert told[1] == [False, "RigBlue 3 can be rammed"]


def twelve_icon_dice(page: Page) -> float:
    """How high the dialog is that asks for twelve dice with icons at once, pixels; nothing in it scrolls.

    They are typed as numbers of each face; the rest is of the last one.
    """
    told = page.evaluate(
        """async () => {
          const { Asker } = await import("/static/play/ask.js");
          const asked = [];
          const ask = async (request) => (asked.push(request.dice), { accepted: true });
          const asker = new Asker({ ask, state: null });
          const faces = ["Slide", "Left Spin", "Right Spin", "Slow", "Haste", "Damage"];
          const wanted = Array.from({ length: 12 }, () => ({ sides: 6, why: "Control", faces, by: "Ben" }));
          asker.askDice({ type: "act" }, { wanted, given: [] });
          const dialog = document.getElementById("ask");
          const box = dialog.getBoundingClientRect();
          const told = [box.top, box.bottom, dialog.scrollHeight - dialog.clientHeight];
          const many = (face, count) =>
            dialog.querySelector(`[data-face="${face}"][data-count="${count}"]`).click();
          many("Slide", 3);
          many("Slide", 3);
          for (const [k, face] of faces.slice(0, 4).entries()) many(face, [4, 3, 1, 1][k]);
          const barred = dialog.querySelector('[data-face="Haste"][data-count="4"]').disabled;
          many("Haste", 1);
          dialog.close();
          return [...told, asked, barred];
        }"""
    )
    top, bottom, beyond, asked, barred = told
    spins = ["Left Spin"] * 3 + ["Right Spin", "Slow", "Haste"]
    assert asked == [["Slide"] * 4 + spins + ["Damage"] * 2]
    assert barred, "more than are left cannot be said"
    assert page.viewport_size is not None
    assert 0 <= top < bottom <= page.viewport_size["height"]
    assert beyond <= 0
    return float(bottom - top)


def dice_in_few_taps(page: Page) -> None:
    """Dice with faces are typed two at a time; where they count as one of two sorts, by how many do."""
    start = """async ([count, counts]) => {
      const { Asker } = await import("/static/play/ask.js");
      window.asked = [];
      const ask = async (request) => (asked.push(request.dice), { accepted: true });
      const faces = counts.length ? ["0", "1", "2", "2", "3", "3"]
        : ["Slide", "Haste", "Slow", "Left Spin", "Right Spin", "Damage"];
      const want = { sides: 6, why: "a roll", faces, by: "Ben", counts };
      const wanted = Array.from({ length: count }, () => want);
      new Asker({ ask, state: null }).askDice({ type: "act" }, { wanted, given: [] });
    }"""
    ask = page.locator("#ask")
    page.evaluate(start, [5, []])
    ask.locator('[data-pair="Slide · Damage"]').click()
    ask.locator('[data-value="Slow"]').click()
    ask.get_by_label("Damage: take it back").click()
    expect(ask.locator(".soft")).to_contain_text("3 still to say")
    ask.locator('[data-pair="Haste · Haste"]').click()
    expect(ask.locator(".two:enabled")).to_have_count(0)
    photograph(page, f"dice-pairs-{page.viewport_size['width']}")  # type: ignore[index]
    least = ask.evaluate("""(node) => Math.min(...[...node.querySelectorAll("button")].flatMap((one) => {
      const { width, height } = one.getBoundingClientRect();
      return [width, height];
    }))""")
    assert least >= 40, f"{least} pixels are too few for a finger"
    ask.locator('[data-value="Left Spin"]').click()
    expect(ask).to_be_hidden()
    assert page.evaluate("asked") == [["Slide", "Haste", "Slow", "Haste", "Left Spin"]]
    kinds = ["0 or 1"] * 2 + ["2 or 3"] * 4
    page.evaluate(start, [5, kinds])
    photograph(page, f"dice-counted-{page.viewport_size['width']}")  # type: ignore[index]
    ask.locator('[data-many="2"]').click()
    assert page.evaluate("asked") == [["2 or 3"] * 2 + ["0 or 1"] * 3], "no face that nobody said"
    page.evaluate(start, [5, kinds])
    ask.get_by_text("Say what each shows").click()
    for two in ("3 · 3", "0 · 2"):
        ask.locator(f'[data-pair="{two}"]').click()
    ask.locator('[data-value="1"]').click()
    assert page.evaluate("asked") == [["3", "3", "0", "2", "1"]]


def what_one_tap_does_is_in_the_pin(page: Page) -> None:
    """Whole answers and a choice that does it stand in the pin; nothing is done that was not chosen."""
    told = page.evaluate(
        """async () => {
          const { OptionsPanel } = await import("/static/play/options.js");
          const [now, pin] = [document.createElement("section"), document.createElement("section")];
          const one = (value) => ({ value, words: value, more: "", facts: [], at: null, group: "", leads: "",
            not_now: [] });
          const pick = (words, most, at_once, values) => ({ type: "pick", words, more: "", usual: null,
            optional: true, folded: false, least: 0, most, at_once, candidates: values.map(one) });
          const cards = pick("Cards", 2, false, ["Whip 1", "Reins 1"]);
          const answers = { cards: [], way: "slower" };
          const ready = [{ words: "slower, no card", answers, leads: "2 dice" }];
          const option = (player, fields, more = {}) => ({ kind: "check", player, words: `check of ${player}`,
            more: "", heading: player, heading_more: "", data: {}, form: { fields, ready }, citation: "",
            piece: null, facts: [], reckoning: [], question: null, not_now: [], sealed: null, main: true,
            ends: false, button: "", mine: true, measuring: null, ...more });
          const asked = [];
          const asker = { option: async (o, said) => (asked.push(said), false) };
          const panel = new OptionsPanel(now, pin, { point() {} }, asker);
          const draw = (...options) => panel.draw({ me: { acts: true, owner: true, role: "owner" }, seats: [],
            machines: [], modes: { dice: "type" }, trouble: null, guide: null,
            draft: { players: [], pieces: [] }, match: { options, strays: [], ghosts: [], proposals,
            chosen: [], reveals: null, status: { over: false } } }, null);
          let proposals = [];
          const buttons = (from) => [...from.querySelectorAll("button")].map((b) => b.textContent);
          const way = pick("Roll to", 1, true, ["faster", "slower"]);
          draw(option("A", { cards, way }));
          const told = { pin: buttons(pin), now: buttons(now) };
          pin.querySelector("[data-ready]").click();
          now.querySelector('[data-value="Reins 1"]').click();
          pin.querySelector('[data-value="slower"]').click();
          await new Promise(requestAnimationFrame);
          const measuring = { measured: true, may: false, happened: true, words: "" };
          const over = pick("It went over", 1, true, ["1", "2", "3", "4", "5"]);
          const moved = option("A", { over }, { kind: "move", measuring, form: { fields: { over } } });
          draw(moved);
          told.moved = buttons(pin);
          proposals = [{ id: "p", words: "A proposes", facts: [], waits: "Waiting for B.", mine: false,
            own: true, act: null, players: [] }];
          draw(moved);
          told.proposed = [buttons(pin), buttons(now)];
          proposals = [];
          draw(option("A", { cards, way }), option("B", { cards, way }));
          const each = buttons(now).filter((b) => b.startsWith("slower, "));
          return { ...told, asked, two: [buttons(pin), each] };
        }"""
    )
    quick = "slower, no card2 dice"
    assert told["pin"] == [quick, "faster", "slower"]
    assert told["now"] == ["Whip 1", "Reins 1"]
    assert told["asked"] == [{"cards": [], "way": "slower"}, {"cards": ["Reins 1"], "way": "slower"}]
    assert told["moved"] == ["1", "2", "3", "4", "5", "check of A"], "ways stand beside what accepts the move"
    waits, beside = told["proposed"]
    assert waits == ["check of A"], "what is proposed is not covered by what might have been"
    assert beside == ["Take it back", "1", "2", "3", "4", "5"], "and can still be said otherwise"
    assert told["two"] == [[], [quick, quick]], "of two who act each has its own"


def test_only_who_can_act_is_a_line_and_a_choice_is_one_tap(open_play: OpenPlay, figure: Figure) -> None:
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
                most: 1, at_once: true, candidates: ["X", "Y", "Z"].map((value) => ({ value, words: value,
                more: "", facts: [], at: null, group: "", leads: "50 %",
                not_now: value === "Y" ? far : not_now })) });
              const option = (kind, heading, more) => ({ kind, player: "A", words: kind, more: "", heading,
                heading_more: "", data: { who: heading }, form: { fields: {} }, citation: "", piece: null,
                facts: [], reckoning: [], question: null, not_now: [], sealed: null, main: false,
                ends: false, button: "",
                mine: true, measuring: null, ...more });
              const options = [1, 2, 3, 4, 5, 6].map((n) =>
                option("board", `warrior ${n}`, { form: { fields: { to: whom(n > 4 ? far : []) } } }));
              options.push(option("done", "", { ends: true, more: "4 can still act" }));
              const draft = { players: [{ name: "A", colour: "#f00" }, { name: "B", colour: "#00f" }],
                pieces: [{ name: "X", owner: "A" }, { name: "Z", owner: "B" }] };
              const match = { options, strays: [], ghosts: [], proposals: [], chosen: [], reveals: null,
                status: { over: false } };
              const play = { match, me: { acts: true, owner: true, role: "owner" }, seats: [], machines: [],
                modes: { dice: "roll" }, trouble: null, guide: null, draft };
              const asked = [];
              const asker = { option: async (o, said) => (asked.push([o.data.who, said]), true) };
              const panel = new OptionsPanel(now, pin, { point() {} }, asker);
              panel.draw(play, null);
              const text = (what, from = now) => [...from.querySelectorAll(what)].map((n) => n.textContent);
              const lines = text(".line-of > summary strong");
              const aims = [...now.querySelector(".line-of").querySelectorAll(".pick")]
                .map((n) => [n.textContent, n.style.getPropertyValue("--colour")]);
              now.querySelector('.line-of .pick[data-value="X"]').click();
              const told = { aims, lines, idle: text(".idle summary"), why: text(".idle p")[0], asked,
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
              told.shut = opened();
              const at = (name) => ({ ...shot(`gun at ${name}`, []),
                question: { kind: "shot", label: "gun", pieces: ["W", name] } });
              draw(at("X"), at("Building 1"), at("Z"));
              return { ...told, order: text(".line .who strong") };
            }"""
        )
        drawn_in_their_colours(page)
        tells_what_a_push_could_meet(page)
        what_one_tap_does_is_in_the_pin(page)
        dice_in_few_taps(page)
        figure("pixels of the dialog for twelve icon dice on a phone", round(twelve_icon_dice(page)))
    aims = [["ZB50 %", "#00f"], ["X50 %", "#f00"], ["Y50 %9″ away, of 1″", ""]]
    assert told["aims"] == aims, "one's own come last, others with their owner; then what is barred"
    assert told["lines"] == [f"warrior {n}" for n in (1, 2, 3, 4)]
    assert told["idle"] == ["2 cannot act now: why?"]
    assert told["why"] == "board: X: 9″ away, of 1″; Y: 9″ away, of 1″; Z: 9″ away, of 1″"
    assert told["barred"][0] == "1 cannot be picked: why?"
    assert told["asked"] == [["warrior 1", {"to": "X"}]]
    assert told["pin"] == ["done4 can still act"]
    assert told["one"] == ["gun at X"], "one weapon with one target opens by itself"
    assert told["two"] == ["gun at X"], "and stays open"
    assert told["shut"] == [], "what was closed by hand stays closed"
    assert told["order"] == ["gun at Z", "gun at Building 1", "gun at X"], "nobody's after others', own last"

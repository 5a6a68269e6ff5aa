/** What is to do now: the buttons of whoever looks, one group for each kind of deed. */

import { h, rebuild } from "../common/dom.js";
import { plain } from "./ontable.js";

/** @typedef {import("./playtypes.js").Option} Option */
/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("../common/types.js").State} State */
/** @typedef {import("./ask.js").Asker} Asker */

/** The order in which groups stand; what is not named comes after. Shots have a panel of their own. */
const ORDER = ["deployment", "blast", "placed", "deploy", "choose", "move", "reverse", "drop", "floor_it", "speed"];

export class NowPanel {
  /**
   * @param {HTMLElement} node
   * @param {any} does
   * @param {Asker} asker
   */
  constructor(node, does, asker) {
    this.node = node;
    this.does = does;
    this.asker = asker;
    /** What a moved or placed car met, as people say it, until the deed is done. */
    this.met = { of: "", contacts: /** @type {string[]} */ ([]), left: false, triggered: /** @type {string[]} */ ([]) };
    this.reached = { of: "", cars: /** @type {string[]} */ ([]) };
    /** @type {Play | null} */
    this.play = null;
    /** @type {State | null} */
    this.table = null;
  }

  /**
   * @param {Play} play
   * @param {State | null} table
   */
  draw(play, table) {
    this.play = play;
    this.table = table;
    const match = play.match;
    if (!match) return;
    const pieces = (table?.pieces ?? []).map((p) => [p.name, p.kind, p.status]);
    const speeds = match.sheets.map((s) => [s.name, s.speed, s.armour, s.status]);
    const shows = [match.options, play.me, play.seats, match.state.over, match.state.tokens, match.ghosts.map((g) => [g.car, g.right]), pieces, speeds, this.met, this.reached, play.modes, play.trouble];
    rebuild(this.node, shows, () => this.make(play));
  }

  again() {
    if (this.play) this.draw(this.play, this.table);
  }

  /** @param {Play} play */
  make(play) {
    const { match, me } = play;
    if (!match) return [];
    if (me.role === "player" && !me.player) return [chooseSeat(play, this.does)];
    if (match.state.over) return this.over(play);
    const mine = match.options.filter((o) => o.mine && o.kind !== "shoot");
    if (!me.acts || !mine.length) return [this.waiting(play)];
    const kinds = [...new Set(mine.map((o) => (o.kind === "end" ? "speed" : o.kind)))];
    kinds.sort((a, b) => at(a) - at(b));
    return kinds.map((kind) => this.group(kind, mine.filter((o) => o.kind === kind || (kind === "speed" && o.kind === "end"))));
  }

  /** @param {Play} play */
  waiting({ match, me }) {
    const names = [...new Set((match?.options ?? []).map((o) => o.player).filter(Boolean))];
    const who = names.length ? names.join(" and ") : "the owner";
    return h("p.soft", {}, me.acts ? `${who} ${names.length > 1 ? "are" : "is"} to act.` : `You look on. ${who} ${names.length > 1 ? "are" : "is"} to act.`);
  }

  /** @param {Play} play */
  over({ me, trouble }) {
    return [
      !trouble && h("p", {}, "All of it is in the record: ", h("a", { href: "/replay" }, "see it again"), "."),
      me.owner && h("button.button", { type: "button", onclick: () => this.does.ask({ type: "anew" }) }, "Set up another game"),
    ];
  }

  /**
   * @param {string} kind
   * @param {Option[]} options
   */
  group(kind, options) {
    /** @type {Record<string, (options: Option[]) => Node>} */
    const groups = {
      deployment: (o) => this.deployment(o[0]),
      deploy: (o) => this.deploy(o),
      choose: (o) => this.choose(o),
      move: (o) => this.move(o[0]),
      reverse: (o) => this.reverse(o[0]),
      placed: (o) => h("div.group", {}, o.map((one) => this.placed(one))),
      blast: (o) => this.blast(o[0]),
      speed: (o) => this.speed(o),
    };
    const make = groups[kind];
    return make ? make(options) : h("div.group.row", {}, options.map((o) => this.button(o, o.words)));
  }

  /**
   * @param {Option} option
   * @param {(Node | string)[] | string} words
   * @param {Record<string, any>} [said]
   * @param {string} [cls]
   */
  button(option, words, said = {}, cls = "deed") {
    return h(`button.${cls}`, { type: "button", data: { kind: option.kind, focus: `${option.kind} ${JSON.stringify({ ...option.data, ...said })}` }, onclick: () => this.asker.option(option, said) }, words);
  }

  /** @param {Option} option */
  deployment(option) {
    const words = Object.fromEntries((this.play?.catalogue.deployments ?? []).map((d) => [d.name, d.words]));
    return h(
      "div.group",
      {},
      h("h2", {}, "How do the cars start?"),
      ["arena", "highway"].map((name) => this.button(option, [h("strong", {}, name), h("span.small", {}, words[name] ?? "")], { deployment: name })),
      this.button(option, [h("strong", {}, "roll for it"), h("span.small", {}, "a D6 decides")], { deployment: "roll" }),
    );
  }

  /** @param {Option[]} options */
  deploy(options) {
    const seen = new Map((this.table?.pieces ?? []).map((p) => [plain(p.name), p]));
    return h(
      "div.group",
      {},
      h("h2", {}, "Put the cars down"),
      h("p.soft", {}, "Tap a car when it stands where it starts."),
      h(
        "div.grid",
        {},
        options.map((o) => {
          const piece = seen.get(plain(o.data.car));
          return this.button(o, [h("strong", {}, o.data.car), h("span.small", {}, piece ? `${o.player} · ${piece.status_words || "seen"}` : `${o.player} · not seen`)], {}, "deed.car");
        }),
      ),
    );
  }

  /** @param {Option[]} options */
  choose(options) {
    const sheets = new Map((this.play?.match?.sheets ?? []).map((s) => [s.name, s]));
    return h(
      "div.group",
      {},
      h("h2", {}, "Which car?"),
      h("div.grid", {}, options.map((o) => {
        const sheet = sheets.get(o.data.car);
        return this.button(o, [h("strong", {}, o.data.car), h("span.small", {}, `Speed ${sheet?.speed} · ${sheet?.armour} armour`)], {}, "deed.car");
      })),
    );
  }

  /** @param {Option} option */
  move(option) {
    const sheet = this.play?.match?.sheets.find((s) => s.name === option.data.car);
    const number = option.words.match(/\d+/)?.[0] ?? "";
    return h(
      "div.group",
      {},
      h("h2", {}, `Drive ${option.data.car} ${sheet?.speed}″`),
      h("p.soft", {}, "Straight runs of 1″ or more, and one turn of up to 90° or one drift of 1″."),
      this.meeting(option),
      h("button.deed.main", { type: "button", data: { kind: "move", focus: "move" }, onclick: () => this.carryOut(option) }, this.metWords(`Maneuver ${number} is done`)),
    );
  }

  /** @param {Option} option */
  reverse(option) {
    return h(
      "details.group",
      {},
      h("summary", {}, "Go in reverse"),
      h("p.soft", {}, "Only where forward leaves the surface or cannot avoid a Collision."),
      h("div.row", {}, this.button(option, "It would leave the surface", { because: "surface" }), this.button(option, "It would collide", { because: "collision" })),
    );
  }

  /** @param {Option} option */
  placed(option) {
    const ghost = this.play?.match?.ghosts.find((g) => g.car === option.data.car);
    const duty = this.play?.match?.state.duties.find((/** @type {any} */ d) => d.car === option.data.car && d.kind !== "blast");
    const how = {
      spin: "Turn it round where it stands.",
      turn: `Turn it by up to ${Math.round((duty?.angle * 180) / Math.PI)}°, as ${duty?.by} chooses.`,
      push: `Push it ${duty?.inches}″.`,
      pull: `Pull it ${duty?.inches}″.`,
    };
    const right = ghost?.right ? "It stands right." : ghost ? "The dashed shape on the table shows where." : "";
    return h(
      "div.group",
      { data: { right: String(Boolean(ghost?.right)) } },
      h("h2", {}, option.data.car),
      h("p", {}, `${how[/** @type {keyof typeof how} */ (duty?.kind)] ?? ""} ${right}`),
      this.meeting(option),
      h("button.deed.main", { type: "button", data: { kind: "placed", focus: `placed ${option.data.car}` }, onclick: () => this.carryOut(option) }, this.metWords("It stands there")),
    );
  }

  /** What the car met, said by people. @param {Option} option */
  meeting(option) {
    const of = `${option.kind} ${option.data.car}`;
    if (this.met.of !== of) {
      // What the table foresaw is picked already.
      const { contacts = [], left_surface: left = false, triggered = [] } = option.data;
      this.met = { of, contacts: [...contacts], left, triggered: [...triggered] };
    }
    const state = this.play?.match?.state;
    const cars = (this.play?.match?.sheets ?? []).filter((s) => ["driving", "wreck"].includes(s.status)).map((s) => s.name);
    const terrain = (this.table?.pieces ?? []).filter((p) => p.kind === "terrain").map((p) => p.name);
    const others = [...cars, ...terrain].filter((n) => n !== option.data.car);
    const tokens = Object.keys(state?.tokens ?? {});
    const toggle = (/** @type {string[]} */ list, /** @type {string} */ name) => {
      const k = list.indexOf(name);
      if (k < 0) list.push(name);
      else list.splice(k, 1);
      this.again();
    };
    const chip = (/** @type {string} */ name, /** @type {boolean} */ on, /** @type {() => void} */ tap) =>
      h("button.pick", { type: "button", "aria-pressed": String(on), data: { focus: `met ${name}` }, onclick: tap }, name);
    return h(
      "details.met",
      { open: this.met.contacts.length + this.met.triggered.length > 0 || this.met.left },
      h("summary", {}, "It met something"),
      h("p.soft", {}, "It touched"),
      h("div.picks", {}, others.map((n) => chip(n, this.met.contacts.includes(n), () => toggle(this.met.contacts, n)))),
      tokens.length > 0 && h("p.soft", {}, "It drove over"),
      tokens.length > 0 && h("div.picks", {}, tokens.map((n) => chip(n, this.met.triggered.includes(n), () => toggle(this.met.triggered, n)))),
      h("div.picks", {}, chip("It left the surface", this.met.left, () => { this.met.left = !this.met.left; this.again(); })),
    );
  }

  /** @param {string} usual */
  metWords(usual) {
    if (this.met.left) return "It left the surface";
    const parts = [];
    if (this.met.triggered.length) parts.push(`over ${this.met.triggered.join(", ")}`);
    if (this.met.contacts.length) parts.push(`into ${this.met.contacts.join(", ")}`);
    return parts.length ? `It went ${parts.join(" and ")}` : usual;
  }

  /** @param {Option} option */
  async carryOut(option) {
    const { contacts, left, triggered } = this.met;
    const done = await this.asker.option(option, { contacts: contacts.map((other) => ({ other })), left_surface: left, triggered });
    if (done) this.met = { of: "", contacts: [], left: false, triggered: [] };
  }

  /** @param {Option} option */
  blast(option) {
    const duty = this.play?.match?.state.duties.find((/** @type {any} */ d) => d.kind === "blast");
    const of = `blast ${duty?.car}`;
    if (this.reached.of !== of) this.reached = { of, cars: [...option.data.cars] };
    const names = [...new Set([...duty.sure, ...duty.doubtful])];
    const { cars } = this.reached;
    return h(
      "div.group",
      {},
      h("h2", {}, `Who is within 5″ of ${duty.car}?`),
      h("div.picks", {}, names.map((name) =>
        h("button.pick", { type: "button", "aria-pressed": String(cars.includes(name)), onclick: () => {
          this.reached.cars = cars.includes(name) ? cars.filter((c) => c !== name) : [...cars, name];
          this.again();
        } }, name, duty.sure.includes(name) ? " · surely" : ""))),
      h("button.deed.main", { type: "button", data: { kind: "blast" }, onclick: () => this.asker.option(option, { cars: this.reached.cars }) }, cars.length ? "Roll its damage" : "Nobody"),
    );
  }

  /** @param {Option[]} options */
  speed(options) {
    const end = options.find((o) => o.kind === "end");
    const now = Number(end?.words.match(/\d+/)?.[0] ?? 0);
    const all = [...options.filter((o) => o.kind === "speed").map((o) => ({ o, to: Number(o.data.to) })), ...(end ? [{ o: end, to: now }] : [])];
    all.sort((a, b) => a.to - b.to);
    return h(
      "div.group",
      {},
      h("h2", {}, "End the round at Speed"),
      h("div.speeds", {}, all.map(({ o, to }) => this.button(o, [h("strong", {}, String(to)), h("span.small", {}, to === now ? "stay" : to > now ? `+${to - now}` : `−${now - to}`)], {}, to === now ? "deed.now" : "deed"))),
    );
  }
}

/** @param {string} kind */
function at(kind) {
  const k = ORDER.indexOf(kind);
  return k < 0 ? ORDER.length : k;
}

/**
 * Whose phone is this?
 * @param {Play} play
 * @param {any} does
 */
export function chooseSeat(play, does) {
  const rest = play.seats.filter((s) => !s.taken);
  return h(
    "div.group",
    {},
    h("h2", {}, "Who are you?"),
    h("p.soft", {}, rest.length ? "What this phone does counts for you alone." : play.seats.length ? "All seats are taken. The owner can free one." : "The owner is naming the players. This fills by itself."),
    h("div.grid", {}, rest.map((s) => h("button.deed.car", { type: "button", style: { "--colour": s.colour }, onclick: () => does.ask({ type: "sit", player: s.player }) }, h("strong", {}, s.player)))),
  );
}

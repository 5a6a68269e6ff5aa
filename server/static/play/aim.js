/** Shooting: every target with its range, sight, arc, needed roll, chance and expected damage. */

import { h, rebuild } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Option} Option */
/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Shot} Shot */

const MARK = { yes: "✓", no: "✕", "too close to call": "≈" };

export class AimPanel {
  /**
   * @param {HTMLElement} node
   * @param {any} does
   * @param {import("./ask.js").Asker} asker
   */
  constructor(node, does, asker) {
    this.node = node;
    this.does = does;
    this.asker = asker;
    this.open = "";
    /** @type {"accuracy" | "damage"} */
    this.to = "accuracy";
    this.typed = { band: "short", tailgate: false, reached: /** @type {string[]} */ ([]) };
    /** @type {Play | null} */
    this.play = null;
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    const shots = play.match?.shots ?? null;
    const options = (play.match?.options ?? []).filter((o) => o.kind === "shoot");
    this.node.hidden = !shots || !shots.length || (!options.length && shots.every((s) => !s.lawful));
    if (this.node.hidden) {
      if (this.open) this.does.point(null);
      this.open = "";
    }
    const mine = options.some((o) => o.mine);
    rebuild(this.node, [shots, mine, this.open, this.to, this.typed, play.modes], () => this.make(shots ?? [], options));
  }

  again() {
    if (this.play) this.draw(this.play);
  }

  /**
   * Opens the best shot at a car; false if there is none.
   * @param {string} target
   */
  pick(target) {
    const shot = this.play?.match?.shots?.find((s) => s.target === target);
    if (!shot || this.node.hidden) return false;
    this.show(shot);
    return true;
  }

  /** @param {Shot} shot */
  show(shot) {
    const name = nameOf(shot);
    this.open = this.open === name ? "" : name;
    this.typed = { band: shot.band === "?" ? "short" : shot.band, tailgate: shot.tailgate, reached: [] };
    if (shot.odds.damage.expected > shot.odds.accuracy.expected) this.to = "damage";
    else this.to = "accuracy";
    this.does.point(this.open ? this.car() : null, this.open ? shot.target : null, shot.weapon);
    this.again();
  }

  /** @returns {string | null} */
  car() {
    return this.play?.match?.state.round?.car ?? null;
  }

  /**
   * @param {Shot[]} shots
   * @param {Option[]} options
   */
  make(shots, options) {
    const optionOf = (/** @type {Shot} */ shot) => options.find((o) => o.data.weapon === shot.weapon && o.data.target === shot.target);
    // What nobody measured is not unlawful: the players say it.
    const likely = (/** @type {Shot} */ shot) => shot.lawful || shot.open || (!shot.seen && optionOf(shot) !== undefined);
    const lawful = shots.filter(likely);
    const rest = shots.filter((s) => !likely(s));
    const item = (/** @type {Shot} */ shot) => this.item(shot, optionOf(shot));
    return [
      h("h2", {}, `${this.car() ?? ""} shoots`),
      lawful.length === 0 && h("p.soft", {}, "No target is lawful from here."),
      h("ul.shots", {}, lawful.map(item)),
      rest.length > 0 &&
        h("details.rest", { open: rest.some((s) => nameOf(s) === this.open) }, h("summary", {}, `${rest.length} unlawful, and why`), h("ul.shots", {}, rest.map(item))),
    ];
  }

  /**
   * @param {Shot} shot
   * @param {Option | undefined} option
   */
  item(shot, option) {
    const open = this.open === nameOf(shot);
    const best = shot.odds.damage.expected > shot.odds.accuracy.expected ? shot.odds.damage : shot.odds.accuracy;
    const said = !shot.seen && option !== undefined;
    const state = shot.lawful ? "yes" : shot.open || said ? "close" : "no";
    const range = shot.checks.find((c) => c.name === "Maximum Range");
    return h(
      "li.shot",
      { data: { state, target: shot.target, weapon: shot.weapon } },
      h(
        "button.line",
        { type: "button", "aria-expanded": String(open), data: { focus: nameOf(shot) }, onclick: () => this.show(shot) },
        h("span.who", {}, h("strong", {}, shot.target), h("span.small", {}, `${shot.weapon}${range ? ` · ${range.words.split(" of ")[0].replace(" in", "″")} ${bandWords(shot)}` : ""}${shot.tailgate ? " · Tailgate" : ""}${said ? " · you say how far" : ""}`)),
        state !== "no"
          ? h("span.odds", {}, h("strong", {}, best.chance_words), h("span.small", {}, best.needed <= 1 ? "hits" : best.needed > 8 ? "cannot hit" : `${best.needed}+ on D8`))
          : h("span.odds", {}, h("strong", {}, "✕"), h("span.small", {}, shot.reasons.length === 1 ? "1 reason" : `${shot.reasons.length} reasons`)),
        state !== "no" && h("span.damage", {}, h("strong", {}, best.expected.toFixed(1)), h("span.small", {}, "damage")),
      ),
      open && this.detail(shot, option),
    );
  }

  /**
   * @param {Shot} shot
   * @param {Option | undefined} option
   */
  detail(shot, option) {
    const checks = shot.checks.map((c) =>
      h("li", { data: { verdict: c.verdict, role: c.role } }, h("span.mark", { "aria-label": c.verdict }, MARK[/** @type {keyof typeof MARK} */ (c.verdict)]), h("span", {}, h("strong", {}, c.name), ` ${c.words.replace(/(\d) in\b/g, "$1″")}`), h("span.cite", {}, c.citation)),
    );
    const others = shot.reasons.filter((r) => !shot.checks.some((c) => r.words.startsWith(`${c.name}:`)));
    return h(
      "div.detail",
      {},
      shot.seen && h("ul.checks", {}, checks, others.map((r) => h("li", { data: { verdict: "no", role: "condition" } }, h("span.mark", {}, "✕"), h("span", {}, r.words), h("span.cite", {}, r.citation)))),
      h(
        "div.declare",
        { role: "group", "aria-label": "Modifiers go to" },
        /** @type {const} */ (["accuracy", "damage"]).map((to) => {
          const odds = shot.odds[to];
          return h("button.pick", { type: "button", "aria-pressed": String(this.to === to), onclick: () => { this.to = to; this.again(); } }, h("strong", {}, to), h("span.small", {}, `${odds.chance_words} for ${odds.damage} · ${odds.expected.toFixed(2)} on average`));
        }),
      ),
      shot.odds[this.to].modifiers.length > 0 && h("p.soft", {}, shot.odds[this.to].modifiers.join(", ")),
      shot.special && h("p.soft", {}, `On a hit: ${shot.special}.`),
      option?.mine && this.fire(shot, option),
    );
  }

  /**
   * @param {Shot} shot
   * @param {Option} option
   */
  fire(shot, option) {
    const said = { apply: this.to };
    const typing = this.play?.modes.dice === "type";
    const buttons = [];
    if (shot.seen) {
      buttons.push(h("button.deed.main", { type: "button", data: { kind: "shoot" }, onclick: () => this.asker.option(option, said) }, shot.open ? "Shoot: you decide" : typing ? "Shoot and type the die" : "Roll"));
      if (!typing) buttons.push(h("button.deed", { type: "button", data: { kind: "shoot-typed" }, onclick: () => this.asker.option(option, said, []) }, "Type the die"));
    }
    return h("div", {}, h("div.row", {}, buttons), this.byHand(shot, option));
  }

  /**
   * The facts as the players see them, instead of the camera's.
   * @param {Shot} shot
   * @param {Option} option
   */
  byHand(shot, option) {
    const bands = { short: "Short Range", maximum: "Maximum Range" };
    const { typed } = this;
    const others = (this.play?.match?.sheets ?? []).filter((s) => s.status === "driving" && s.name !== shot.target && s.name !== this.car()).map((s) => s.name);
    const pick = (/** @type {string} */ words, /** @type {boolean} */ on, /** @type {() => void} */ tap) =>
      h("button.pick", { type: "button", "aria-pressed": String(on), onclick: () => { tap(); this.again(); } }, words);
    return h(
      "details.met",
      { open: !shot.seen },
      h("summary", {}, "Say it yourselves"),
      h("div.picks", {}, Object.entries(bands).map(([band, words]) => pick(words, typed.band === band, () => { typed.band = band; })), pick("Tailgate", typed.tailgate, () => { typed.tailgate = !typed.tailgate; })),
      shot.bursts && h("p.soft", {}, "It also reaches"),
      shot.bursts && h("div.picks", {}, others.map((n) => pick(n, typed.reached.includes(n), () => { typed.reached = typed.reached.includes(n) ? typed.reached.filter((r) => r !== n) : [...typed.reached, n]; }))),
      h("button.deed", { type: "button", data: { kind: "shoot-said" }, onclick: () => this.asker.option(option, { apply: this.to, ...typed }) }, "Shoot with these"),
    );
  }
}

/** @param {Shot} shot */
function nameOf(shot) {
  return `${shot.weapon} ${shot.target}`;
}

/** @param {Shot} shot */
function bandWords(shot) {
  return { short: "Short", maximum: "in range", out: "out of range", "?": "close call" }[shot.band] ?? "";
}

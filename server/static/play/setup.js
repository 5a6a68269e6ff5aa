/** Setting a game up: players in their order, cars as they are put down, what each carries, house rules. */

import { forget, h, rebuild } from "../common/dom.js";
import { chooseSeat } from "./now.js";
import { plain } from "./ontable.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Draft} Draft */
/** @typedef {import("./playtypes.js").DraftCar} DraftCar */
/** @typedef {import("../common/types.js").State} State */

const COLOURS = ["#c8322b", "#1f6fd0", "#d99a00", "#2e8b57", "#8e44ad", "#e0651a", "#0b8494", "#6b4a3a"];

export class SetUpPanel {
  /**
   * @param {HTMLElement} node
   * @param {any} does
   */
  constructor(node, does) {
    this.node = node;
    this.does = does;
    /** The car that is asked about, by a tap on the table. */
    this.picked = "";
    /** @type {Play | null} */
    this.play = null;
    /** @type {State | null} */
    this.table = null;
    /** What was changed here and is not confirmed. @type {((draft: Draft) => void)[]} */
    this.changes = [];
    this.sending = false;
    this.confirmed = { number: -1, draft: /** @type {Draft} */ ({}) };
  }

  /**
   * @param {Play} play
   * @param {State | null} table
   */
  draw(play, table) {
    // The state that holds what was confirmed may be on its way still.
    this.play = play.number < this.confirmed.number ? { ...play, ...this.confirmed } : play;
    this.table = table;
    if (this.changes.length) this.send();
    const shown = { ...play, draft: this.changed(this.play.draft) };
    const cars = this.seen().map((p) => [p.name, p.status, p.model, p.owner]);
    rebuild(this.node, ["setup", shown.draft, play.seats, play.me, cars, this.picked], () => this.make(shown));
  }

  /** @param {string} name */
  pick(name) {
    this.picked = name;
    if (this.play) this.draw(this.play, this.table);
    this.node.querySelector(`[data-car="${CSS.escape(name)}"]`)?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  seen() {
    return (this.table?.pieces ?? []).filter((p) => p.driven);
  }

  /**
   * Changes the set-up: shown at once, and asked of the server one after the other.
   * @param {(draft: Draft) => void} change
   */
  change(change) {
    this.changes.push(change);
    if (this.play) this.draw(this.play, this.table);
  }

  /**
   * The set-up with what the server has not confirmed yet.
   * @param {Draft} draft
   */
  changed(draft) {
    const after = structuredClone(draft);
    for (const change of this.changes) change(after);
    return after;
  }

  async send() {
    if (this.sending || !this.play || !this.changes.length) return;
    this.sending = true;
    const { draft: before, number } = this.play;
    const sent = this.changes.length;
    const draft = this.changed(before);
    const answer = await this.does.tell({ type: "setup", draft, before });
    this.sending = false;
    if (answer.accepted) {
      this.changes.splice(0, sent);
      this.confirmed = { number: answer.number, draft };
    } else if (answer.number <= number) {
      // Not because somebody else was faster: then it would be asked again, on what is there now.
      this.changes = [];
      this.does.refuse(answer.error);
      forget(this.node);
    }
    if (this.play) this.draw(this.play, this.table);
  }

  /** @param {Play} play */
  make(play) {
    const { me, draft } = play;
    if (me.role === "player" && !me.player) return [chooseSeat(play, this.does)];
    const parts = [this.cars(play)];
    if (!me.owner) return [h("h2", {}, me.player ? `${me.player}, arm your cars` : "The game is being set up"), ...parts];
    return [this.players(draft), ...parts, this.rules(play), this.begin(play)];
  }

  /** @param {Draft} draft */
  players(draft) {
    const swap = (/** @type {number} */ a, /** @type {number} */ b) => this.change((d) => { [d.players[a], d.players[b]] = [d.players[b], d.players[a]]; });
    const rows = draft.players.map((p, k) =>
      h(
        "li.player",
        {},
        h("input", { type: "color", value: p.colour, "aria-label": `Colour of ${p.name}`, data: { focus: `colour ${k}` }, onchange: (/** @type {any} */ e) => this.change((d) => { d.players[k].colour = e.target.value; }) }),
        h("input", { type: "text", value: p.name, maxlength: "40", autocomplete: "off", "aria-label": `Name of player ${k + 1}`, data: { focus: `player ${k}` }, onchange: (/** @type {any} */ e) => this.rename(k, e.target.value.trim()) }),
        h("button.quiet", { type: "button", disabled: k === 0, "aria-label": `${p.name} one seat to the left`, title: "One seat to the left", onclick: () => swap(k, k - 1) }, "↑"),
        h("button.quiet", { type: "button", disabled: k === draft.players.length - 1, "aria-label": `${p.name} one seat to the right`, title: "One seat to the right", onclick: () => swap(k, k + 1) }, "↓"),
        h("button.quiet", { type: "button", "aria-label": `${p.name} does not play`, title: "Does not play", onclick: () => this.remove(k) }, "✕"),
      ),
    );
    return h(
      "div.group",
      {},
      h("h2", {}, "1 · Who plays"),
      h("p.soft", {}, "From top to bottom, each sits to the right of the one above."),
      h("ol.players", {}, rows),
      draft.players.length === 0 && this.asTheFileSays(),
      h("form.row", { onsubmit: (/** @type {any} */ e) => { e.preventDefault(); const name = e.target.elements.name.value.trim(); e.target.reset(); this.add(name); } },
        h("input", { type: "text", name: "name", maxlength: "40", autocomplete: "off", placeholder: "Name", "aria-label": "Name of another player", data: { focus: "new player" } }),
        h("button", { type: "submit" }, "Add player")),
    );
  }

  /** One tap for what the table file knows already: who plays, and whose each car is. */
  asTheFileSays() {
    const owned = this.seen().filter((p) => p.owner);
    const owners = [...new Set(owned.map((p) => /** @type {string} */ (p.owner)))];
    if (owners.length < 2) return null;
    const words = `${owners.slice(0, -1).join(", ")} and ${owners[owners.length - 1]} play, each with their own cars`;
    return h("button.deed", { type: "button", id: "as-filed", onclick: () => this.takeOwners(owners, owned) }, h("strong", {}, words), h("span.small", {}, "as the table file says"));
  }

  /**
   * @param {string[]} owners
   * @param {import("../common/types.js").Piece[]} owned
   */
  takeOwners(owners, owned) {
    for (const owner of owners) this.add(owner);
    for (const piece of owned) this.assign(piece.name, piece.owner);
  }

  /** @param {string} name */
  add(name) {
    this.change((d) => {
      const used = d.players.map((p) => p.colour);
      const colour = COLOURS.find((c) => !used.includes(c)) ?? COLOURS[d.players.length % COLOURS.length];
      d.players.push({ name: name || `Player ${d.players.length + 1}`, colour });
    });
  }

  /**
   * @param {number} k
   * @param {string} name
   */
  rename(k, name) {
    if (!name) return;
    this.change((d) => {
      const before = d.players[k].name;
      d.players[k].name = name;
      for (const car of d.cars) if (car.owner === before) car.owner = name;
      if (d.first === before) d.first = name;
    });
  }

  /** @param {number} k */
  remove(k) {
    this.change((d) => {
      const [gone] = d.players.splice(k, 1);
      d.cars = d.cars.filter((c) => c.owner !== gone.name);
      if (d.first === gone.name) d.first = null;
    });
  }

  /** @param {Play} play */
  cars(play) {
    const { draft, me } = play;
    const known = new Map(draft.cars.map((c) => [plain(c.name), c]));
    const seen = this.seen();
    const here = new Map(seen.map((p) => [plain(p.name), p]));
    const names = [...new Map([...seen.map((p) => /** @type {[string, string]} */ ([plain(p.name), p.name])), ...draft.cars.map((c) => /** @type {[string, string]} */ ([plain(c.name), c.name]))]).values()];
    const shown = me.owner ? names : names.filter((n) => !me.player || known.get(plain(n))?.owner === me.player);
    return h(
      "div.group",
      {},
      me.owner && h("h2", {}, "2 · Whose cars"),
      me.owner && h("p.soft", {}, !names.length ? "Put a car down on the table and it appears here." : draft.players.length ? "Put a car down and it appears here. Tap its player." : "These stand on the table. Name the players first."),
      h("ul.cars", {}, shown.map((name) => this.car(name, known.get(plain(name)), here.get(plain(name)), play))),
      me.owner && h("form.row", { onsubmit: (/** @type {any} */ e) => { e.preventDefault(); const name = e.target.elements.car.value.trim(); e.target.reset(); this.addCar(name); } },
        h("input", { type: "text", name: "car", maxlength: "80", autocomplete: "off", placeholder: "A car without a tag", "aria-label": "Name of a car without a tag" }),
        h("button", { type: "submit" }, "Add car")),
    );
  }

  /**
   * @param {string} name
   * @param {DraftCar | undefined} car
   * @param {import("../common/types.js").Piece | undefined} piece
   * @param {Play} play
   */
  car(name, car, piece, { draft, catalogue, me }) {
    const colour = draft.players.find((p) => p.name === car?.owner)?.colour;
    const mayArm = car && (me.owner || me.player === car.owner);
    return h(
      "li.carcard",
      { style: colour ? { "--colour": colour } : {}, data: { car: name, owned: String(Boolean(car)), picked: String(this.picked === name) } },
      h("div.head", {}, h("strong", {}, name), h("span.small", {}, !piece ? "not on the table" : piece.model === "custom" ? "on the table" : piece.model || "on the table")),
      me.owner && h("div.picks", { role: "group", "aria-label": `Whose is ${name}?` }, draft.players.map((p) =>
        h("button.pick", { type: "button", "aria-pressed": String(car?.owner === p.name), style: { "--colour": p.colour }, data: { focus: `${name} ${p.name}` }, onclick: () => this.assign(name, car?.owner === p.name ? null : p.name) }, p.name))),
      mayArm && this.arms(car, catalogue),
    );
  }

  /**
   * @param {DraftCar} car
   * @param {Play["catalogue"]} catalogue
   */
  arms(car, catalogue) {
    const field = (/** @type {"brand" | "primary" | "secondary"} */ what, /** @type {{name: string, words: string}[]} */ from) =>
      h("label.arm", {}, h("span.small", {}, what), h("select", { data: { focus: `${car.name} ${what}` }, "aria-label": `${what} of ${car.name}`, onchange: (/** @type {any} */ e) => this.arm(car.name, { [what]: e.target.value }) },
        from.map((o) => h("option", { value: o.name, selected: car[what] === o.name }, o.name))), h("span.small.words", {}, from.find((o) => o.name === car[what])?.words ?? ""));
    return h("div.arms", {}, field("brand", catalogue.brands), field("primary", catalogue.weapons.filter((w) => w.hardpoint === "primary")), field("secondary", catalogue.weapons.filter((w) => w.hardpoint === "secondary")));
  }

  /**
   * @param {string} name
   * @param {Partial<DraftCar>} said
   */
  arm(name, said) {
    this.change((d) => {
      const car = d.cars.find((c) => c.name === name);
      if (car) Object.assign(car, said);
    });
  }

  /**
   * @param {string} name
   * @param {string | null} owner
   */
  assign(name, owner) {
    this.picked = "";
    this.change((d) => {
      const car = d.cars.find((c) => plain(c.name) === plain(name));
      if (owner === null) d.cars = d.cars.filter((c) => c !== car);
      else if (car) car.owner = owner;
      else d.cars.push(this.fresh(name, owner, d.cars.length));
    });
  }

  /**
   * A car with weapons dealt in the book's order, so that no two begin alike.
   * @param {string} name
   * @param {string} owner
   * @param {number} count
   * @returns {DraftCar}
   */
  fresh(name, owner, count) {
    const { brands, weapons } = /** @type {Play} */ (this.play).catalogue;
    const deal = (/** @type {{name: string}[]} */ from, /** @type {number} */ step) => from[(count * step + step) % from.length].name;
    return {
      name,
      owner,
      brand: deal(brands, 1),
      primary: deal(weapons.filter((w) => w.hardpoint === "primary"), 5),
      secondary: deal(weapons.filter((w) => w.hardpoint === "secondary"), 4),
      speed: null,
    };
  }

  /** @param {string} name */
  addCar(name) {
    const owner = this.play?.draft.players[0]?.name;
    if (name && owner) this.change((d) => d.cars.push(this.fresh(name, owner, d.cars.length)));
  }

  /** @param {Play} play */
  rules({ draft, catalogue }) {
    const deployments = [...catalogue.deployments.map((d) => ({ value: d.name, title: d.name, words: d.words })), { value: "", title: "decide at the table", words: "or roll for it" }];
    return h(
      "div.group",
      {},
      h("h2", {}, "3 · How it starts"),
      h("div.grid", { role: "group", "aria-label": "Deployment" }, deployments.map((d) =>
        h("button.deed", { type: "button", "aria-pressed": String((draft.deployment ?? "") === d.value), onclick: () => this.change((x) => { x.deployment = d.value || null; }) }, h("strong", {}, d.title), h("span.small", {}, d.words)))),
      draft.players.length > 0 && h("label.arm", {}, h("span", {}, "Drives first"), h("select", { data: { focus: "first" }, onchange: (/** @type {any} */ e) => this.change((d) => { d.first = e.target.value || null; }) }, draft.players.map((p, k) => h("option", { value: k ? p.name : "", selected: draft.first === p.name }, p.name)))),
      h("details.house", { open: Object.keys(draft.house).length > 0 }, h("summary", {}, "House rules"), h("p.soft", {}, "What the book leaves open. Each begins with its usual value."), h("div.rules", {}, catalogue.house.map((r) => this.rule(r, draft.house[r.name])))),
    );
  }

  /**
   * @param {Play["catalogue"]["house"][0]} rule
   * @param {any} value
   */
  rule(rule, value) {
    const set = (/** @type {any} */ said) => this.change((d) => {
      if (said === null || JSON.stringify(said) === JSON.stringify(rule.default)) delete d.house[rule.name];
      else d.house[rule.name] = said;
    });
    const now = value ?? rule.default;
    const focus = `rule ${rule.name}`;
    const angle = rule.words === "radians";
    const shown = angle ? Math.round((Number(now) * 180) / Math.PI) : now;
    const input = rule.choices.length
      ? h("select", { data: { focus }, onchange: (/** @type {any} */ e) => set(e.target.value) }, rule.choices.map((c) => h("option", { value: c, selected: c === now }, c)))
      : Array.isArray(rule.default)
        ? h("input", { type: "text", value: now.join(" "), data: { focus }, inputmode: "numeric", onchange: (/** @type {any} */ e) => set(numbers(e.target.value)) })
        : h("input", { type: "number", step: "any", value: String(shown), data: { focus }, onchange: (/** @type {any} */ e) => set(e.target.value === "" ? null : angle ? (Number(e.target.value) * Math.PI) / 180 : Number(e.target.value)) });
    return h("label.rule", { data: { changed: String(value !== undefined) } }, h("span", {}, rule.title), input, h("span.small", {}, angle ? "degrees" : rule.words));
  }

  /** @param {Play} play */
  begin({ draft }) {
    const without = draft.players.filter((p) => !draft.cars.some((c) => c.owner === p.name)).map((p) => p.name);
    const missing = draft.players.length < 2 ? "A game needs two players or more." : without.length ? `${without.join(" and ")} ${without.length > 1 ? "have" : "has"} no car yet.` : "";
    return h(
      "div.group.begin",
      {},
      h("p.soft", {}, missing),
      h("div.row", {}, h("button.deed.main", { type: "button", id: "begin", disabled: missing !== "", onclick: () => this.does.ask({ type: "begin" }) }, "Begin the game"), h("a", { href: "/api/play/sheets.pdf", target: "_blank" }, "Print empty sheets")),
    );
  }
}

/**
 * Whole numbers as people write them in a row.
 * @param {string} text
 */
function numbers(text) {
  const found = text.split(/[^0-9]+/).filter(Boolean).map(Number);
  return found.length ? found : null;
}

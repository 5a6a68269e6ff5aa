/** The record sheets: marked by the game, and by hand where the players overrule it. */

import { forget, h, rebuild } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Sheet} Sheet */

const STATUS = { waiting: "not deployed", driving: "", wreck: "destroyed", removed: "out of the game" };

export class SheetsPanel {
  /**
   * @param {HTMLElement} node
   * @param {any} does
   */
  constructor(node, does) {
    this.node = node;
    this.does = does;
    this.editing = "";
    /** @type {Play | null} */
    this.play = null;
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    const sheets = play.match?.sheets ?? [];
    const car = play.match?.state.round?.car;
    rebuild(this.node, [sheets, car, this.editing, play.seats, play.me], () => [
      h("div.head", {}, h("h2", {}, "Record sheets"), h("a", { href: "/api/play/sheets.pdf", target: "_blank" }, "Print")),
      h("div.sheets", {}, sheets.map((s) => this.sheet(s, play, s.name === car))),
    ]);
  }

  again() {
    if (this.play) this.draw(this.play);
  }

  /**
   * @param {Sheet} sheet
   * @param {Play} play
   * @param {boolean} current
   */
  sheet(sheet, { seats, me }, current) {
    const colour = seats.find((s) => s.player === sheet.owner)?.colour ?? "#888888";
    const editing = this.editing === sheet.name;
    const weapons = sheet.weapons.map((w) =>
      h("li", { data: { spent: String(sheet.spent.includes(w.name)) } }, h("strong", {}, w.name), h("span.small", {}, w.words)),
    );
    return h(
      "article.sheet",
      { style: { "--colour": colour }, data: { status: sheet.status, current: String(current), car: sheet.name } },
      h(
        "header",
        {},
        h("h3", {}, sheet.name, h("span.small", {}, sheet.owner)),
        h("span.brand", { title: sheet.brand_words }, sheet.brand),
        h("span.status", {}, STATUS[/** @type {keyof typeof STATUS} */ (sheet.status)] ?? ""),
        me.owner && h("button.quiet.edit", { type: "button", "aria-pressed": String(editing), "aria-label": `Mark ${sheet.name}'s sheet by hand`, title: "Mark by hand", onclick: () => { this.editing = editing ? "" : sheet.name; this.again(); } }, "✎"),
      ),
      h("ul.weapons", {}, weapons),
      h("div.speed", { role: "group", "aria-label": `Speed ${sheet.speed} of at most ${sheet.top_speed}` }, h("span.small", {}, "Speed"), [1, 2, 3, 4, 5, 6].map((n) => this.mark("pip", sheet, String(n), n === sheet.speed, n > sheet.top_speed, editing && n <= sheet.top_speed, ["speed"], n))),
      h("div.armour", {}, h("span.small", {}, "Armour"), h("strong.left", {}, sheet.armour), h("div.track", { role: "img", "aria-label": `${sheet.armour} of ${sheet.track.length} armour boxes are left` }, sheet.track.map((box) => this.box(sheet, box, editing)))),
      editing && this.fate(sheet),
      sheet.weapons.some((w) => w.droppable) && h("div.tokens", {}, h("span.small", {}, "Tokens"), h("strong", {}, sheet.tokens), editing && this.step(sheet, "tokens", sheet.tokens)),
    );
  }

  /**
   * What has become of a car, by the players' word.
   * @param {Sheet} sheet
   */
  fate(sheet) {
    const words = { driving: "in play", wreck: "destroyed: an obstacle", removed: "out of the game" };
    return h("label.tokens", {}, h("span.small", {}, "It is"), h("select", { "aria-label": `What has become of ${sheet.name}`, onchange: (/** @type {any} */ e) => this.overrule(sheet, ["status"], e.target.value) },
      sheet.status === "waiting" && h("option", { value: "waiting", selected: true }, "not deployed"),
      Object.entries(words).map(([status, said]) => h("option", { value: status, selected: sheet.status === status }, said))));
  }

  /**
   * @param {string} cls
   * @param {Sheet} sheet
   * @param {string} words
   * @param {boolean} on
   * @param {boolean} barred
   * @param {boolean} editing
   * @param {string[]} path
   * @param {number} value
   */
  mark(cls, sheet, words, on, barred, editing, path, value) {
    const data = { on: String(on), barred: String(barred) };
    if (!editing) return h(`span.${cls}`, { data }, words);
    return h(`button.${cls}`, { type: "button", data, onclick: () => this.overrule(sheet, path, value) }, words);
  }

  /**
   * @param {Sheet} sheet
   * @param {import("./playtypes.js").Box} box
   * @param {boolean} editing
   */
  box(sheet, box, editing) {
    const data = { marked: String(box.marked), big: String(box.big), ends: String(box.ends), extra: String(box.extra) };
    if (!editing) return h("span.box", { data });
    const to = box.number <= sheet.marked ? box.number - 1 : box.number;
    return h("button.box", { type: "button", data, "aria-label": `Box ${box.number}`, onclick: () => this.overrule(sheet, ["marked"], to) });
  }

  /**
   * @param {Sheet} sheet
   * @param {string} field
   * @param {number} value
   */
  step(sheet, field, value) {
    return h("span.row", {}, h("button.pip", { type: "button", "aria-label": "One less", onclick: () => this.overrule(sheet, [field], value - 1) }, "−"), h("button.pip", { type: "button", "aria-label": "One more", onclick: () => this.overrule(sheet, [field], value + 1) }, "+"));
  }

  /**
   * @param {Sheet} sheet
   * @param {string[]} path
   * @param {number | string} value
   */
  async overrule(sheet, path, value) {
    const done = await this.does.ask({ type: "overrule", path: ["cars", sheet.name, ...path], value, words: "marked by hand" });
    if (done) return;
    // What was chosen does not hold: the sheet shows again what does.
    forget(this.node);
    this.again();
  }
}

/** Record sheets: one renderer for each type of widget; marked by the game, and by hand where it is overruled. */

import { forget, h, rebuild } from "../common/dom.js";
import { colourOf } from "./status.js";
import { Tokens } from "./tokens.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Sheet} Sheet */
/** @typedef {import("./playtypes.js").Widget} Widget */
/** @typedef {(value: any) => void} Set */

/** Values of a counter that stand beside each other; of more, one more and one less. */
const ROW = 8;

/** @type {Record<string, (w: Widget, set: Set | null, tokens: Tokens | null) => any>} */
const RENDERERS = { track, counter, slots, cards, words };

/**
 * A widget; with `set` it can be overruled.
 * @param {Widget} widget
 * @param {Set | null} set
 * @param {Tokens | null} tokens
 */
function draw(widget, set, tokens) {
  const render = RENDERERS[widget.type];
  if (!render) throw new Error(`a widget of unknown type ${widget.type}`);
  const drawn = render(widget, set, tokens);
  return drawn && h("div.widget", { data: { type: widget.type, widget: widget.words } }, drawn);
}

/** @param {Widget} w @param {Set | null} set */
function track(w, set) {
  const boxes = w.boxes ?? [];
  const marked = boxes.filter((b) => b.marked).length;
  const box = (/** @type {import("./playtypes.js").Box} */ b, /** @type {number} */ k) => {
    const data = { marked: String(b.marked), big: String(b.big), ends: String(b.ends) };
    if (!set) return h("span.box", { data, title: b.words });
    return h("button.box", { type: "button", data, title: b.words, "aria-label": `${w.words} ${k + 1}`, "aria-pressed": String(b.marked), onclick: () => set(k < marked ? k : k + 1) });
  };
  return [h("span.small.label", {}, w.words), h("strong.left", {}, boxes.length - marked), h("div.track", { role: set ? "group" : "img", "aria-label": `${w.words}: ${w.more || `${boxes.length - marked} left`}` }, boxes.map(box)), notes(boxes)];
}

/**
 * What boxes cost besides, each in a line with the numbers of its boxes.
 * @param {import("./playtypes.js").Box[]} boxes
 */
function notes(boxes) {
  const said = [...new Set(boxes.map((b) => b.words).filter(Boolean))];
  const numbers = (/** @type {string} */ words) => boxes.flatMap((b, k) => (b.words === words ? [k + 1] : []));
  return said.map((words) => h("span.small.note", { data: { met: String(boxes.some((b) => b.marked && b.words === words)) } }, `${numbers(words).join(", ")}: ${words}`));
}

/** @param {Widget} w @param {Set | null} set */
function counter(w, set) {
  const { low = 0, high = 99, value = 0 } = w;
  const label = h("span.small.label", {}, w.words);
  if (high - low < ROW) {
    const pips = Array.from({ length: high - low + 1 }, (_, k) => low + k).map((n) => {
      const data = { on: String(n === value) };
      return set ? h("button.pip", { type: "button", data, "aria-label": `${w.words} ${n}`, onclick: () => set(n) }, n) : h("span.pip", { data }, n);
    });
    return [label, h("span.pips", { role: "group", "aria-label": `${w.words} ${value}${w.more ? `, ${w.more}` : ""}` }, pips), w.more && h("span.small.note", {}, w.more)];
  }
  return [label, h("strong", {}, String(value).replace("-", "−")), w.more && h("span.small", {}, w.more), set && h("span.row", {}, h("button.pip", { type: "button", disabled: value <= low, "aria-label": `${w.words}: one less`, onclick: () => set(value - 1) }, "−"), h("button.pip", { type: "button", disabled: value >= high, "aria-label": `${w.words}: one more`, onclick: () => set(value + 1) }, "+"))];
}

/** @param {Widget} w @param {Set | null} set @param {Tokens | null} tokens */
function slots(w, set, tokens) {
  const all = w.slots ?? [];
  const turned = (/** @type {number} */ k) => {
    const choices = ["", ...(w.choices ?? [])];
    const next = choices[(choices.indexOf(all[k].holds) + 1) % choices.length];
    return all.map((s, n) => (n === k ? next || null : s.value));
  };
  return [h("span.small.label", {}, w.words), w.more && h("span.small.note", {}, w.more), h("div.slots", { role: "group", "aria-label": w.words, data: { row: String((w.columns ?? 1) >= all.length) }, style: { "--columns": w.columns ?? 1 } }, all.map((s, k) =>
    (!set && tokens?.slot(w, s)) || h(set ? "button.slot" : "span.slot", { type: set ? "button" : null, role: set ? null : "img", "aria-label": `${w.words}, ${s.words || k + 1}: ${s.holds || "empty"}${s.used ? ", used" : ""}`, data: { used: String(s.used) }, onclick: set ? () => set(turned(k)) : null }, h("span.small", {}, s.words), h("strong", {}, s.holds))))];
}

/** @param {Widget} w */
function cards(w) {
  return [h("span.small.label", {}, w.words), h("div.cards", {}, (w.cards ?? []).map((face) => h("span.card", {}, face)), (w.hidden ?? 0) > 0 && h("span.card.hidden", {}, `${w.hidden} hidden`))];
}

/** @param {Widget} w @param {Set | null} set */
function words(w, set) {
  const choices = w.choices ?? [];
  if (set && choices.length) {
    const now = choices.findIndex((c) => c.words === w.text);
    return h("label.row", {}, h("span.small.label", {}, w.words), h("select", { "aria-label": w.words, onchange: (/** @type {any} */ e) => set(choices[e.target.selectedIndex - (now < 0 ? 1 : 0)].value) }, now < 0 && h("option", { selected: true }, w.text), choices.map((c, k) => h("option", { selected: k === now }, c.words))));
  }
  // What can be overruled and says nothing special stands in the sheet's note.
  if (choices.length) return null;
  return [h("span.small.label", {}, w.words), h("span.said", { data: { used: String(Boolean(w.used)) } }, h("strong", {}, w.text), " ", h("span.small", {}, w.more ?? ""))];
}

/** The card of one piece over the page, as it stands: from whose turn it is one tap away, wherever the page is scrolled to. */
export class CardDialog {
  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.dialog = dialog;
    this.title = "";
    /** @type {Play | null} */
    this.play = null;
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  }

  /** @param {string} title */
  open(title) {
    this.title = title;
    this.make();
    this.dialog.showModal();
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    if (this.dialog.open) this.make();
  }

  make() {
    const sheet = this.play?.match?.sheets.find((s) => s.title === this.title);
    if (!sheet || !this.play) return this.dialog.close();
    const close = h("button.button", { type: "button", onclick: () => this.dialog.close() }, "Close");
    this.dialog.replaceChildren(
      h("article.sheet", { style: { "--colour": colourOf(this.play, sheet.owner) ?? "#888888" }, data: { card: sheet.title } },
        h("header", {}, h("h2", { id: "card-title" }, sheet.title, " ", h("span.small", {}, sheet.owner ?? "")), sheet.note && h("span.status", {}, sheet.note)),
        sheet.more && h("p.small", {}, sheet.more),
        sheet.widgets.map((w) => draw(w, null, null))),
      h("div.buttons", {}, close),
    );
  }
}

export class SheetsPanel {
  /**
   * @param {HTMLElement} node
   * @param {any} does
   */
  constructor(node, does) {
    this.node = node;
    this.does = does;
    this.editing = "";
    this.tokens = does.option ? new Tokens(does, () => this.again()) : null;
    /** @type {Play | null} */
    this.play = null;
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    this.tokens?.heed(play);
    const sheets = play.match?.sheets ?? [];
    const current = play.match?.status.piece ?? null;
    this.node.hidden = sheets.length === 0;
    rebuild(this.node, [sheets, current, this.editing, play.seats, play.me, this.tokens?.shows, play.game.cutouts], () => [
      h("div.head", {}, h("h2", {}, "Record sheets"), h("a", { href: "/api/play/sheets.pdf", target: "_blank" }, "Print"), play.game.cutouts && h("a", { href: "/api/play/counters.pdf", target: "_blank" }, "Print counters")),
      h("div.sheets", {}, sheets.map((s) => this.sheet(s, play, current !== null && s.piece === current))),
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
  sheet(sheet, play, current) {
    const editing = this.editing === sheet.title;
    const editable = [...sheet.widgets, ...sheet.by_hand].some((w) => (w.path ?? []).length);
    return h(
      "article.sheet",
      { style: { "--colour": colourOf(play, sheet.owner) ?? "#888888" }, data: { out: String(sheet.out), current: String(current), sheet: sheet.title } },
      h(
        "header",
        {},
        h("h3", {}, sheet.title, h("span.small", {}, sheet.owner ?? "")),
        sheet.note && h("span.status", {}, sheet.note),
        play.me.owner && editable && h("button.quiet.edit", { type: "button", "aria-pressed": String(editing), "aria-label": `Mark ${sheet.title}'s sheet by hand`, title: "Mark by hand", onclick: () => { this.editing = editing ? "" : sheet.title; this.again(); } }, "✎"),
      ),
      sheet.more && h("p.small", {}, sheet.more),
      [...sheet.widgets, ...(editing ? sheet.by_hand : [])].map((w) => draw(w, editing && (w.path ?? []).length ? (value) => this.overrule(w.path ?? [], value) : null, this.tokens)),
    );
  }

  /**
   * @param {import("./playtypes.js").Path} path
   * @param {any} value
   */
  async overrule(path, value) {
    const done = await this.does.ask({ type: "overrule", path, value, words: "marked by hand" });
    if (done) return;
    // What was chosen does not hold: the sheet shows again what does.
    forget(this.node);
    this.again();
  }
}

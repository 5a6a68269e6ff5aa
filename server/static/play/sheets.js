/** Record sheets: one renderer for each type of widget; marked by the game, and by hand where it is overruled. */

import { forget, h, rebuild } from "../common/dom.js";
import { Spots, leadsOf, spot } from "./spots.js";
import { colourOf } from "./status.js";
import { Tokens } from "./tokens.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Sheet} Sheet */
/** @typedef {import("./playtypes.js").Widget} Widget */
/** @typedef {import("./spots.js").SheetSpots} SheetSpots */
/** @typedef {(value: any) => void} Overrules */

/** Values of a counter that stand beside each other; of more, one more and one less. */
const ROW = 8;

/** @type {Record<string, (w: Widget, set: Overrules | null, spots: SheetSpots | null, tokens: Tokens | null) => any>} */
const RENDERERS = { track, counter, slots, cards, words };

/**
 * A widget; with `set` it can be overruled, else its `spots` can be tapped.
 * @param {Widget} widget
 * @param {Overrules | null} set
 * @param {SheetSpots | null} spots
 * @param {Tokens | null} tokens
 */
function draw(widget, set, spots, tokens) {
  const render = RENDERERS[widget.type];
  if (!render) throw new Error(`a widget of unknown type ${widget.type}`);
  const drawn = render(widget, set, set ? null : spots, tokens);
  return drawn && h("div.widget", { data: { type: widget.type, widget: widget.words } }, drawn);
}

/**
 * The label of a widget: where all of it may be chosen, a tap on it does that.
 * @param {Widget} w
 * @param {SheetSpots | null} spots
 */
function label(w, spots) {
  const tap = spots?.at(w.key);
  return tap ? spot(".label", tap, w.words, {}, w.words) : h("span.small.label", {}, w.words);
}

/** @param {Widget} w @param {Overrules | null} set @param {SheetSpots | null} spots */
function track(w, set, spots) {
  const boxes = w.boxes ?? [];
  const marked = boxes.filter((b) => b.marked).length;
  const box = (/** @type {import("./playtypes.js").Box} */ b, /** @type {number} */ k) => {
    const data = { marked: String(b.marked), big: String(b.big), ends: String(b.ends) };
    const tap = spots?.at(w.key, k + 1);
    if (tap) return spot(".box", tap, `${w.words} ${k + 1}`, data, null);
    if (!set) return h("span.box", { data, title: b.words });
    return h("button.box", { type: "button", data, title: b.words, "aria-label": `${w.words} ${k + 1}`, "aria-pressed": String(b.marked), onclick: () => set(k < marked ? k : k + 1) });
  };
  const named = boxes.map((_, k) => /** @type {[number, any]} */ ([k + 1, spots?.at(w.key, k + 1) ?? null]));
  const role = set || named.some(([, tap]) => tap) ? "group" : "img";
  return [label(w, spots), h("strong.left", {}, boxes.length - marked), h("div.track", { role, "aria-label": `${w.words}: ${w.more || `${boxes.length - marked} left`}` }, boxes.map(box)), notes(boxes), leadsOf([...named, ["", spots?.at(w.key) ?? null]])];
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

/** @param {Widget} w @param {Overrules | null} set @param {SheetSpots | null} spots */
function counter(w, set, spots) {
  const { low = 0, high = 99, value = 0 } = w;
  const offered = spots?.numbers(w.key) ?? [];
  const every = Array.from({ length: high - low + 1 }, (_, k) => low + k);
  if (high - low < ROW || offered.length) {
    const shown = high - low < ROW ? every : every.filter((n) => n === value || offered.includes(n));
    const pips = shown.map((n) => {
      const data = { on: String(n === value) };
      const tap = spots?.at(w.key, n);
      const said = String(n).replace("-", "−");
      if (tap) return spot(".pip", tap, `${w.words} ${said}`, data, said);
      return set ? h("button.pip", { type: "button", data, "aria-label": `${w.words} ${n}`, onclick: () => set(n) }, said) : h("span.pip", { data }, said);
    });
    return [label(w, spots), h("span.pips", { role: "group", "aria-label": `${w.words} ${value}${w.more ? `, ${w.more}` : ""}` }, pips), w.more && h("span.small.note", {}, w.more), leadsOf(offered.map((n) => [String(n).replace("-", "−"), spots?.at(w.key, n) ?? null]))];
  }
  return [label(w, spots), h("strong", {}, String(value).replace("-", "−")), w.more && h("span.small", {}, w.more), set && h("span.row", {}, h("button.pip", { type: "button", disabled: value <= low, "aria-label": `${w.words}: one less`, onclick: () => set(value - 1) }, "−"), h("button.pip", { type: "button", disabled: value >= high, "aria-label": `${w.words}: one more`, onclick: () => set(value + 1) }, "+"))];
}

/** @param {Widget} w @param {Overrules | null} set @param {SheetSpots | null} spots @param {Tokens | null} tokens */
function slots(w, set, spots, tokens) {
  const all = w.slots ?? [];
  const turned = (/** @type {number} */ k) => {
    const choices = ["", ...(w.choices ?? [])];
    const next = choices[(choices.indexOf(all[k].holds) + 1) % choices.length];
    return all.map((s, n) => (n === k ? next || null : s.value));
  };
  const slot = (/** @type {import("./playtypes.js").Slot} */ s, /** @type {number} */ k) => {
    const said = `${w.words}, ${s.words || k + 1}: ${s.holds || "empty"}${s.used ? ", used" : ""}`;
    const inside = [h("span.small", {}, s.words), " ", h("strong", {}, s.holds)];
    const tap = spots?.at(s.key);
    if (tap) return spot(".slot", tap, said, { used: String(Boolean(s.used)), key: s.key }, inside);
    return (!set && tokens?.slot(w, s)) || h(set ? "button.slot" : "span.slot", { type: set ? "button" : null, role: set ? null : "img", "aria-label": said, data: { used: String(s.used) }, onclick: set ? () => set(turned(k)) : null }, inside);
  };
  return [h("span.small.label", {}, w.words), w.more && h("span.small.note", {}, w.more), h("div.slots", { role: "group", "aria-label": w.words, data: { row: String((w.columns ?? 1) >= all.length) }, style: { "--columns": w.columns ?? 1 } }, all.map(slot)), leadsOf(all.map((s, k) => [k + 1, spots?.at(s.key) ?? null]))];
}

/** @param {Widget} w */
function cards(w) {
  return [h("span.small.label", {}, w.words), h("div.cards", {}, (w.cards ?? []).map((face) => h("span.card", {}, face)), (w.hidden ?? 0) > 0 && h("span.card.hidden", {}, `${w.hidden} hidden`))];
}

/** @param {Widget} w @param {Overrules | null} set @param {SheetSpots | null} spots */
function words(w, set, spots) {
  const choices = w.choices ?? [];
  if (set && choices.length) {
    const now = choices.findIndex((c) => c.words === w.text);
    const choose = (/** @type {number} */ k) => k >= 0 && set(choices[k].value);
    return h("label.row", {}, h("span.small.label", {}, w.words), h("select", { "aria-label": w.words, onchange: (/** @type {any} */ e) => choose(e.target.selectedIndex - (now < 0 ? 1 : 0)) }, now < 0 && h("option", { selected: true }, w.text), choices.map((c, k) => h("option", { selected: k === now }, c.words))));
  }
  const tap = spots?.at(w.key) ?? null;
  // What can be overruled and says nothing special stands in the sheet's note.
  if (choices.length && !w.more && !tap) return null;
  return [label(w, spots), h("span.said", { data: { used: String(Boolean(w.used)) } }, h("strong", {}, w.text), " ", h("span.small", {}, w.more ?? "")), tap && leadsOf([["", tap]])];
}

/**
 * The whole card of a piece, as it stands, to be read.
 * @param {Sheet} sheet
 * @param {Play} play
 * @param {SheetSpots | null} spots
 */
export function whole(sheet, play, spots = null) {
  return h("article.sheet", { style: { "--colour": colourOf(play, sheet.owner) ?? "#888888" }, data: { card: sheet.title, out: String(sheet.out) } },
    h("header", {}, h("h2", { id: "card-title" }, sheet.title, " ", h("span.small", {}, sheet.owner ?? "")), sheet.note && h("span.status", {}, sheet.note)),
    sheet.more && h("p.small", {}, sheet.more),
    sheet.widgets.map((w) => draw(w, null, spots, null)));
}

/** The card of one piece over the page, as it stands: from whose turn it is one tap away, wherever the page is scrolled to. */
export class CardDialog {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {() => Spots} spots
   */
  constructor(dialog, spots) {
    this.dialog = dialog;
    this.spots = spots;
    this.title = "";
    /** Whether something on it could be tapped. */
    this.tapped = false;
    /** @type {Play | null} */
    this.play = null;
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  }

  /** @param {string} title */
  open(title) {
    this.title = title;
    this.tapped = false;
    forget(this.dialog);
    this.make();
    this.dialog.showModal();
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    this.again();
  }

  again() {
    if (this.dialog.open) this.make();
  }

  make() {
    const play = this.play;
    const sheet = play?.match?.sheets.find((s) => s.title === this.title);
    if (!sheet || !play) return this.dialog.close();
    const spots = this.spots().on(sheet.piece);
    // What was to be chosen on it is done: what came of it stands under it.
    if (this.tapped && !spots?.any) return this.dialog.close();
    this.tapped = Boolean(spots?.any);
    rebuild(this.dialog, [sheet, play.seats, this.spots().shows], () => [
      whole(sheet, play, spots),
      h("div.buttons", {}, h("button.button", { type: "button", onclick: () => this.dialog.close() }, "Close")),
    ]);
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
    /** Whose cards somebody has opened. @type {Set<string>} */
    this.opened = new Set();
    this.tokens = does.option ? new Tokens(does, () => this.again()) : null;
    /** @type {Play | null} */
    this.play = null;
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    this.tokens?.heed(play);
    const spots = this.does.spots?.() ?? new Spots();
    const current = play.match?.status.piece ?? null;
    // Who acts comes first, then what may be tapped now; the others stand as they are listed.
    const acts = (/** @type {Sheet} */ s) => current !== null && s.piece === current;
    const rank = (/** @type {Sheet} */ s) => (acts(s) ? 0 : spots.on(s.piece)?.any ? 1 : 2);
    const sheets = [...(play.match?.sheets ?? [])].sort((a, b) => rank(a) - rank(b));
    this.node.hidden = sheets.length === 0;
    rebuild(this.node, [sheets, current, this.editing, [...this.opened], play.seats, play.me, this.tokens?.shows, spots.shows, play.game.cutouts], () => [
      // A page that only looks back has a heading of its own.
      this.tokens && h("div.head", {}, h("h2", {}, "Record sheets"), h("a", { href: "/api/play/sheets.pdf", target: "_blank" }, "Print"), play.game.cutouts && h("a", { href: "/api/play/counters.pdf", target: "_blank" }, "Print counters")),
      h("div.sheets", {}, sheets.map((s) => this.sheet(s, play, acts(s), spots.on(s.piece)))),
    ]);
  }

  again() {
    if (this.play) this.draw(this.play);
  }

  /**
   * The whole card of whoever acts, of what may be tapped, and of what was opened; of the others who has it, and how it stands.
   * @param {Sheet} sheet
   * @param {Play} play
   * @param {boolean} current
   * @param {SheetSpots | null} spots
   */
  sheet(sheet, play, current, spots) {
    const editing = this.editing === sheet.title;
    const stays = current || editing || Boolean(spots?.any);
    const open = stays || this.opened.has(sheet.title);
    const editable = [...sheet.widgets, ...sheet.by_hand].some((w) => (w.path ?? []).length);
    const named = [sheet.title, h("span.small", {}, sheet.owner ?? "")];
    const turn = () => {
      if (!this.opened.delete(sheet.title)) this.opened.add(sheet.title);
      this.again();
    };
    return h(
      "article.sheet",
      { style: { "--colour": colourOf(play, sheet.owner) ?? "#888888" }, data: { out: String(sheet.out), current: String(current), open: String(open), sheet: sheet.title } },
      h(
        "header",
        {},
        h("h3", {}, stays ? named : h("button.quiet.opens", { type: "button", "aria-expanded": String(open), data: { focus: `sheet ${sheet.title}` }, onclick: turn }, named, !open && sheet.summary && h("span.summary", {}, sheet.summary))),
        sheet.note && h("span.status", {}, sheet.note),
        play.me.owner && editable && h("button.quiet.edit", { type: "button", "aria-pressed": String(editing), "aria-label": `Mark ${sheet.title}'s sheet by hand`, title: "Mark by hand", onclick: () => { this.editing = editing ? "" : sheet.title; this.again(); } }, "✎"),
      ),
      open && sheet.more && h("p.small", {}, sheet.more),
      open && [...sheet.widgets, ...(editing ? sheet.by_hand : [])].map((w) => draw(w, editing && (w.path ?? []).length ? (value) => this.overrule(w.path ?? [], value) : null, editing ? null : spots, this.tokens)),
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

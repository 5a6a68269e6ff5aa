/** A card to play from: its table, the tracks along its edges, its text, and how much of each limit it uses. */

import { h } from "../common/dom.js";

/** @typedef {import("./playtypes.js").PlayCard} PlayCard */
/** @typedef {import("./playtypes.js").CardTable} CardTable */
/** @typedef {import("./playtypes.js").CardEdge} CardEdge */

/**
 * A card behind a fold; open while it is built, which is when it has limits or something against it.
 * @param {PlayCard} card
 */
export function playCard(card) {
  const built = card.facts.length > 0 || card.wrong.length > 0;
  return h(
    "details.playcard",
    { open: built, data: { card: card.title } },
    h("summary", {}, [card.title, card.more].filter(Boolean).join(": ")),
    card.facts.length > 0 && h("div.limits", {}, card.facts.map((fact) => h("span.small", {}, h("b", {}, fact.words), " ", fact.more))),
    card.wrong.map((words) => h("p.small.wrong", {}, words)),
    card.table && table(card.table),
    card.lines.map((line) => h("p.small", {}, h("b", {}, line.words), " ", line.text, " ", line.more ?? "")),
    card.edges.map(edge),
  );
}

/** @param {CardTable} t */
function table(t) {
  const current = t.at === null ? -1 : Math.floor(t.at);
  const here = (/** @type {number} */ k) => ({ now: String(k === current) });
  const rows = t.rows.map((row) => h(
    "tr",
    {},
    h("th", { scope: "row" }, row.words),
    t.columns.map((_, k) => h("td", { data: here(k) }, row.boxes.length ? boxes(row.boxes[k]) : row.cells[k])),
  ));
  return h("div.scrolls", {}, h("table", { "aria-label": t.words }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t.words), t.columns.map((words, k) => h("th", { scope: "col", data: here(k) }, words)))), h("tbody", {}, rows)));
}

/** @param {number} count */
function boxes(count) {
  return h("span.boxes", { role: "img", "aria-label": `${count} box${count === 1 ? "" : "es"}` }, Array.from({ length: count }, () => h("i", {})));
}

/** What comes into play along a track; nothing where it only counts. @param {CardEdge} e */
function edge(e) {
  const notes = e.steps.map((step, k) => ({ step, words: e.notes[k] ?? "" })).filter((n) => n.words);
  return notes.length > 0 && h("p.small", {}, h("b", {}, e.words), " ", notes.map((n) => `${n.step}: ${n.words}`).join("; "));
}

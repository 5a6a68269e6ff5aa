/** Lays a map of one's own: pieces one after the other, marks on its cells; the server says what is wrong. */

import { h, rebuild } from "../common/dom.js";
import { byId, el, say } from "../common/svg.js";

/**
 * @typedef {[number, number]} Point
 * @typedef {{name: string, text: string}} Kept
 * @typedef {{game: string, title: string, pieces: string[], marks: string[], beginning: string, kept: Kept[]}} Laying
 * @typedef {{name: string, pieces: string[], marks: [string, string][], lines: Point[][], bold: Point[][],
 *   names: [Point, string, number][], cells: {name: string, outline: Point[]}[], wrong: string[]}} Layout
 */

/** Inches round the drawing. */
const ROUND = 0.5;

/** @type {Laying | null} */
let laying = null;
/** @type {Layout | null} */
let layout = null;
/** What a tap puts on a cell; nothing takes it away. */
let mark = "";
/** The text that is shown; what was asked before it and comes later is passed over. */
let text = "";
let said = "";

/**
 * A map as its line of text.
 * @param {string} name
 * @param {string[]} pieces
 * @param {[string, string][]} marks
 */
function written(name, pieces, marks) {
  const sorts = [...new Set(marks.map(([, sort]) => sort))];
  const lying = sorts.map((sort) => `; ${sort} ${marks.filter((m) => m[1] === sort).map(([cell]) => cell).join(" ")}`);
  return `${name}: ${pieces.join(", ")}${lying.join("")}`;
}

/**
 * Asks the server; its sentence is shown where it refuses.
 * @param {string} path
 * @param {RequestInit} [how]
 */
async function asked(path, how) {
  const answer = await fetch(path, how);
  const found = await answer.json().catch(() => ({}));
  const error = answer.ok ? "" : (found.error ?? "the server gave no answer");
  say(byId("error"), error);
  byId("error").hidden = !error;
  return answer.ok ? found : null;
}

/** @param {string} next */
async function look(next) {
  text = next;
  const found = await asked(`/api/lay/look?text=${encodeURIComponent(next)}`);
  if (text !== next || !found) return;
  layout = found;
  draw();
}

/** @param {{name?: string, pieces?: string[], marks?: [string, string][]}} changed */
function change(changed) {
  if (!layout) return;
  said = "";
  // Shown at once: the next tap may come before the server's answer.
  layout = { ...layout, ...changed };
  look(written(layout.name, layout.pieces, layout.marks));
  draw();
}

/** @param {string} cell */
function put(cell) {
  if (!layout) return;
  const others = layout.marks.filter(([at]) => at !== cell);
  const was = layout.marks.find(([at]) => at === cell)?.[1];
  change({ marks: mark && was !== mark ? [...others, [cell, mark]] : others });
}

async function keep() {
  const found = await asked("/api/lay", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) });
  if (!found) return;
  laying = found;
  said = `${layout?.name} is kept, and can be chosen where the game is set up.`;
  draw();
}

/** @param {string} name */
async function remove(name) {
  const found = await asked(`/api/lay/${encodeURIComponent(name)}`, { method: "DELETE" });
  if (found) laying = found;
  draw();
}

function drawMap() {
  if (!layout) return;
  const points = layout.cells.flatMap((c) => c.outline);
  const [xs, ys] = [points.map((p) => p[0]), points.map((p) => -p[1])];
  const box = points.length ? [Math.min(...xs) - ROUND, Math.min(...ys) - ROUND, Math.max(...xs) - Math.min(...xs) + 2 * ROUND, Math.max(...ys) - Math.min(...ys) + 2 * ROUND] : [0, 0, 12, 6];
  const path = (/** @type {Point[][]} */ lines) => lines.map((line) => `M${line.map(([x, y]) => `${x} ${-y}`).join("L")}`).join("");
  const lying = new Map(layout.marks);
  const map = byId("map");
  map.setAttribute("viewBox", box.join(" "));
  map.replaceChildren(
    ...layout.cells.map((c) => {
      const node = el("polygon", { points: c.outline.map(([x, y]) => `${x},${-y}`).join(" "), tabindex: "0", role: "button", "data-cell": c.name, "aria-label": `${c.name}${lying.has(c.name) ? `, ${lying.get(c.name)}` : ""}` });
      node.addEventListener("click", () => put(c.name));
      node.addEventListener("keydown", (event) => { if (/** @type {KeyboardEvent} */ (event).key === "Enter") put(c.name); });
      return node;
    }),
    el("path", { d: path(layout.lines) }),
    el("path", { d: path(layout.bold), class: "bold" }),
    ...layout.names.map(([[x, y], words, height]) => {
      const node = el("text", { x, y: -y + height / 3, "font-size": 1.6 * height });
      say(node, words);
      return node;
    }),
  );
}

function draw() {
  drawMap();
  const now = layout;
  const how = laying;
  if (!now || !how) return;
  say(byId("title"), `lay a map for ${how.title}`);
  rebuild(byId("work"), [now, how, mark, said], () => [
    h("label", {}, h("h2", {}, "Its name"), h("input", { id: "name", type: "text", maxlength: "40", autocomplete: "off", value: now.name, onchange: (/** @type {any} */ e) => change({ name: e.target.value.replace(/[:;,]/g, " ").trim() || now.name }) })),
    h("div", { role: "group", "aria-label": "Add a piece" }, h("h2", {}, "Add a piece"), h("div.row", {}, how.pieces.map((piece) => h("button", { type: "button", data: { piece }, onclick: () => change({ pieces: [...now.pieces, piece] }) }, `+ ${piece}`)))),
    h("div", { role: "group", "aria-label": "Pieces in the direction of travel" }, h("h2", {}, "Pieces, as they are driven"), h("div.row.laid", {}, now.pieces.map((piece, k) => h("button", { type: "button", title: "Take it away", "aria-label": `Take ${piece}, piece ${k + 1}, away`, data: { laid: String(k) }, onclick: () => change({ pieces: now.pieces.filter((_, n) => n !== k) }) }, `${piece} ✕`)))),
    h("div", { role: "group", "aria-label": "What a tap puts on a cell" }, h("h2", {}, "A tap on a cell puts"), h("div.row", {}, ["", ...how.marks].map((sort) => h("button", { type: "button", "aria-pressed": String(sort === mark), data: { mark: sort }, onclick: () => { mark = sort; draw(); } }, sort || "nothing")))),
    h("div", { id: "wrong", role: "status" }, now.wrong.map((words) => h("p.wrong", {}, `${words[0].toUpperCase()}${words.slice(1)}.`)), now.wrong.length === 0 && h("p", {}, said || "It can be played on.")),
    h("div.row", {}, h("button.deed.main", { type: "button", id: "keep", disabled: now.wrong.length > 0, onclick: keep }, "Keep it"), now.cells.length > 0 && h("a", { id: "print", target: "_blank", href: `/api/lay/map.pdf?text=${encodeURIComponent(text)}` }, "Print it, hexes of 2″")),
    how.kept.length > 0 && h("div", {}, h("h2", {}, "Kept"), h("ul.kept", {}, how.kept.flatMap((one) => [
      h("button", { type: "button", data: { kept: one.name }, onclick: () => look(one.text) }, one.name),
      h("button.quiet", { type: "button", "aria-label": `Keep ${one.name} no more`, onclick: () => remove(one.name) }, "✕"),
    ]))),
  ]);
}

const first = await asked("/api/lay");
if (first) {
  laying = first;
  await look(first.beginning);
}

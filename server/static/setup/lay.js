/** Lays a map of one's own, of pieces and single cells; the server says what each change comes to, and what is wrong. */

import { h, heeding, rebuild } from "../common/dom.js";
import { ask } from "../common/patient.js";
import { byId, say } from "../common/svg.js";
import { LayMap } from "./lay_map.js";

/**
 * @typedef {import("./lay_map.js").Layout} Layout
 * @typedef {{name: string, text: string}} Kept
 * @typedef {{id: string, words: string, free: boolean}} Tap
 * @typedef {{game: string, title: string, pieces: string[], taps: Tap[], deeds: Tap[], beginning: string, empty: string, kept: Kept[]}} Laying
 */

/** Changes that can be taken back. */
const STEPS = 100;

/** @type {Laying | null} */
let laying = null;
/** @type {Layout | null} */
let layout = null;
/** The map as it is written, and what it was before and after. */
let text = "";
/** @type {string[]} */
let past = [];
/** @type {string[]} */
let future = [];
/** What a tap does. */
let tap = "";
let said = "";
/** One change after the other: each begins with what the one before came to. */
let queue = Promise.resolve();

const map = new LayMap(/** @type {any} */ (byId("map")), (ids) => {
  // What a tap does is settled when it is made, not when its turn comes.
  const put = tap;
  change(() => ({ text, put, cells: ids.join(" ") }));
});

/**
 * Asks the server; its sentence is shown where it refuses.
 * @param {string} path
 * @param {object | null} [body]
 * @param {string} [method]
 */
async function asked(path, body, method) {
  /** @type {any} */
  let found = null;
  await heeding(complain, async () => {
    found = await ask(path, body, method);
  });
  return found;
}

/** @param {string} words */
function complain(words) {
  say(byId("error"), words);
  byId("error").hidden = !words;
}

/**
 * Shows what the server makes of a map.
 * @param {Record<string, string>} query
 */
async function look(query) {
  const found = await asked(`/api/lay/look?${new URLSearchParams(query)}`);
  if (!found) return false;
  layout = found;
  text = found.text;
  return true;
}

/**
 * A change, once those before it are done; it can be taken back.
 * @param {() => Record<string, string>} query
 */
function change(query) {
  queue = queue.then(async () => {
    const before = text;
    if (await look(query()) && text !== before) {
      past = [...past, before].slice(-STEPS);
      future = [];
      said = "";
      remember();
    }
    draw();
  });
}

/**
 * Takes the last change back, or makes it again.
 * @param {boolean} back
 */
function step(back) {
  queue = queue.then(async () => {
    const now = text;
    const next = (back ? past : future).at(-1);
    if (next === undefined || !(await look({ text: next }))) return;
    past = back ? past.slice(0, -1) : [...past, now];
    future = back ? [...future, now] : future.slice(0, -1);
    said = "";
    remember();
    draw();
  });
}

/**
 * Another name or other pieces; all else stays as it is.
 * @param {string} name
 * @param {string[]} pieces
 */
function headed(name, pieces) {
  const rest = text.indexOf(";");
  return { text: `${name}: ${pieces.join(", ")}${rest < 0 ? "" : text.slice(rest)}` };
}

/** @param {(pieces: string[]) => string[]} next */
function repiece(next) {
  change(() => headed(layout?.name ?? "", next(layout?.pieces ?? [])));
}

// What is laid and not kept is still there when the page is opened again.

function remember() {
  try {
    localStorage.setItem(`lay-${laying?.game}`, JSON.stringify({ text, past, future }));
  } catch {
    // A browser that keeps nothing: the page works all the same.
  }
}

function remembered() {
  try {
    const found = JSON.parse(localStorage.getItem(`lay-${laying?.game}`) ?? "null");
    if (typeof found?.text !== "string") return;
    text = found.text;
    past = found.past.map(String);
    future = found.future.map(String);
  } catch {
    // What cannot be read is not there.
  }
}

async function keep() {
  await queue;
  const found = await asked("/api/lay", { text });
  if (!found) return;
  laying = found;
  said = `${layout?.name} is kept, and can be chosen where the game is set up.`;
  draw();
}

/** @param {string} name */
async function remove(name) {
  const found = await asked(`/api/lay/${encodeURIComponent(name)}`, null, "DELETE");
  if (found) laying = found;
  draw();
}

/** @param {string} words */
function sentence(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

/**
 * @param {Laying} how
 * @param {Layout} now
 */
function pieces(how, now) {
  return [
    h("div", { role: "group", "aria-label": "Add a piece" }, h("h2", {}, "Add a piece"), h("div.row", {}, how.pieces.map((piece) => h("button", { type: "button", data: { piece }, onclick: () => repiece((old) => [...old, piece]) }, `+ ${piece}`)))),
    now.pieces.length > 0 && h("div", { role: "group", "aria-label": "Pieces in the direction of travel" }, h("h2", {}, "Pieces, as they are driven"), h("div.row.laid", {}, now.pieces.map((piece, k) => h("button", { type: "button", title: "Take it away", "aria-label": `Take ${piece}, piece ${k + 1}, away`, data: { laid: String(k) }, onclick: () => repiece((old) => old.filter((_, n) => n !== k)) }, `${piece} ✕`)))),
  ];
}

/** @param {Laying} how */
function taps(how) {
  return h("div", { role: "group", "aria-label": "What a tap on a cell puts there" }, h("h2", {}, "A tap on the drawing puts"), h("div.row", {},
    how.taps.map((one) => h("button", { type: "button", "aria-pressed": String(one.id === tap), data: { mark: one.id }, onclick: () => { tap = one.id; draw(); } }, one.words))));
}

/** @param {Laying} how */
function deeds(how) {
  return h("div.row", { role: "group", "aria-label": "All of it" },
    h("button", { type: "button", id: "undo", disabled: past.length === 0, onclick: () => step(true) }, "Undo"),
    h("button", { type: "button", id: "redo", disabled: future.length === 0, onclick: () => step(false) }, "Redo"),
    how.deeds.map((one) => h("button", { type: "button", data: { deed: one.id }, onclick: () => change(() => ({ text, put: one.id })) }, one.words)),
    h("button", { type: "button", id: "empty", onclick: () => { tap = how.taps.find((one) => one.free)?.id ?? tap; change(() => ({ text: how.empty })); } }, "Empty sheet"),
    h("button", { type: "button", id: "anew", onclick: () => change(() => ({ text: how.beginning })) }, "Begin anew"));
}

/** @param {Layout} now */
function verdict(now) {
  return h("div", { id: "wrong", role: "status" },
    now.wrong.map((words) => h("p.wrong", {}, sentence(words))),
    now.wrong.length === 0 && h("p", {}, said || "It can be played on."),
    now.notes.length > 0 && h("ul.notes", {}, now.notes.map((words) => h("li", {}, sentence(words)))));
}

/** @param {Laying} how */
function kept(how) {
  return how.kept.length > 0 && h("div", {}, h("h2", {}, "Kept"), h("ul.kept", {}, how.kept.flatMap((one) => [
    h("button", { type: "button", data: { kept: one.name }, onclick: () => change(() => ({ text: one.text })) }, one.name),
    h("button.quiet", { type: "button", "aria-label": `Keep ${one.name} no more`, onclick: () => remove(one.name) }, "✕"),
  ])));
}

function draw() {
  const now = layout;
  const how = laying;
  if (!now || !how) return;
  map.draw(now, how.taps.some((one) => one.id === tap && one.free));
  say(byId("title"), `lay a map for ${how.title}`);
  rebuild(byId("work"), [now, how, tap, said, past.length, future.length], () => [
    h("label", {}, h("h2", {}, "Its name"), h("input", { id: "name", type: "text", maxlength: "40", autocomplete: "off", value: now.name, onchange: (/** @type {any} */ e) => { const name = e.target.value.replace(/[:;,]/g, " ").trim() || now.name; change(() => headed(name, layout?.pieces ?? [])); } })),
    taps(how),
    deeds(how),
    verdict(now),
    h("div.row", {}, h("button.deed.main", { type: "button", id: "keep", disabled: now.wrong.length > 0, onclick: keep }, "Keep it"), now.cells.length > 0 && h("a", { id: "print", target: "_blank", href: `/api/lay/map.pdf?text=${encodeURIComponent(text)}` }, "Print it, hexes of 2″")),
    pieces(how, now),
    kept(how),
  ]);
}

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  step(key === "z" && !event.shiftKey);
});
byId("larger").addEventListener("click", () => map.scale(1));
byId("smaller").addEventListener("click", () => map.scale(-1));

const first = await asked("/api/lay");
if (first) {
  laying = /** @type {Laying} */ (first);
  tap = laying.taps[0]?.id ?? "";
  remembered();
  if (!text || !(await look({ text }))) await look({ text: laying.beginning });
  draw();
}

/** The set-up page: looks again and again, draws what is seen, and sends what people say of it. */

import { FIRST } from "../common/film.js";
import { h, rebuild, sentence, wordsOf } from "../common/dom.js";
import { lengthField, lengthIn } from "../common/lengths.js";
import { ask } from "../common/patient.js";
import { byId, el, keyed, say, set } from "../common/svg.js";
import { BoardStep } from "./setup_board.js";
import { pieceCard } from "./setup_card.js";
import { checkStep } from "./setup_check.js";
import { cornersPart, tapTag } from "./setup_corners.js";
import { outlinePart, showHandles } from "./setup_rectangle.js";
import { phonePart } from "./setup_phone.js";
import { PrintStep } from "./setup_print.js";
import { sheetPart } from "./setup_sheet.js";
import { showMeasuring } from "./setup_fit.js";
import { fitOutline } from "./setup_outline.js";
import { Things } from "./things.js";

/**
 * What the server tells, see `server/setup/setup_messages.py`.
 * @typedef {{tag: number, corners: [number, number][], what: string, name: string}} Tag
 * @typedef {{model: string, outline: [number, number][], tyres: [number, number][], height_in: number}} Model
 * @typedef {{tag: number, side_in: number | null, printed_in: number, at_height_in: number}} Card
 * @typedef {{name: string, kind: string, owner: string | null, colour: string | null, model: string, tag: number | null,
 *   seen: boolean, height: string, outline: [number, number][]}} Named
 * @typedef {{corners: number[], seen: number[], found: boolean, kept: boolean, words: string, outline: [number, number][], handles: [number, number][],
 *   size_in: [number, number] | null, corner_size_in: number, sure_in: number | null, gains: string[]}} Surface
 * @typedef {{may_change: boolean, why: string | null, next: string, step: string, table: string, file: string | null,
 *   mistake: string, tables: {name: string, current: boolean, written: boolean}[], looked: number,
 *   size: [number, number] | null, tags: Tag[], surface: Surface, sheet: import("./setup_sheet.js").Sheet, cards: Card[], pieces: Named[], models: Model[],
 *   things: {name: string, words: string, outline: [number, number][]}[], away: string[], findings: string[], measuring: import("./setup_fit.js").Measuring | null}} Setup
 * @typedef {{cameras: {index: number, name: string, running: boolean}[], may_choose: boolean, why: string | null,
 *   running: {kind: string, spec: string, words: string}, sample: string | null}} Sources
 */

/** Milliseconds between the answer to one look and the next, and after a failure. */
const PAUSE_MS = 900;
const RETRY_MS = 2000;

/** @type {HTMLImageElement} */
const picture = byId("seen");
const printing = new PrintStep(byId("print-part"));
const things = new Things(byId("things"), complain, () => lookNow());
const board = new BoardStep(byId("board-part"), ask, complain);
let shown = -1;
/** The tag whose card is open. */
let open = -1;
/** @type {Sources | null} */
let sources = null;

/**
 * What is being sent: a second tap on a button says nothing new.
 * @type {Set<string>}
 */
const underWay = new Set();

/**
 * A button that says that it works, until it has.
 * @param {HTMLButtonElement} button
 * @param {string} words
 * @param {Promise<boolean>} work
 */
async function working(button, words, work) {
  const before = button.textContent;
  button.textContent = words;
  button.setAttribute("aria-busy", "true");
  await work;
  button.textContent = before;
  button.removeAttribute("aria-busy");
}

/**
 * Sends what somebody chose and shows what came of it; true if it was taken.
 * @param {string} path
 * @param {object} body
 */
async function send(path, body) {
  const asked = path + JSON.stringify(body);
  if (underWay.has(asked)) return false;
  underWay.add(asked);
  try {
    const answer = await ask(path, body);
    complain("");
    if (path === "/api/source") sources = answer;
    await show(path === "/api/source" ? await ask("/api/setup") : answer);
    return true;
  } catch (error) {
    complain(wordsOf(error));
    return false;
  } finally {
    underWay.delete(asked);
  }
}

/** The mistake in the set-up that was told last, until it is mended. */
let mistaken = "";

/** @param {string} words */
function complain(words) {
  say(byId("said"), sentence(words));
  byId("said").hidden = !words;
}

/** Shows at once what came of a tap. */
async function lookNow() {
  await show(await ask("/api/setup")).catch(() => {});
}

async function lookOn() {
  let pause = PAUSE_MS;
  try {
    if (!document.hidden) {
      sources ??= await ask("/api/sources");
      await show(await ask("/api/setup"));
    }
  } catch {
    say(byId("next"), "The referee does not answer; is it still running? Trying again…");
    pause = RETRY_MS;
  }
  setTimeout(lookOn, pause);
}

/** @param {Setup} view */
async function show(view) {
  say(byId("next"), (await checkStep(view, ask, complain)) || view.next);
  say(byId("table"), view.table);
  if (view.mistake) complain(view.mistake);
  else if (mistaken && byId("said").textContent === sentence(mistaken)) complain("");
  mistaken = view.mistake;
  if (!view.size) {
    picture.hidden = true;
    shown = -1;
  } else if (view.looked !== shown) {
    shown = view.looked;
    picture.src = `/api/setup/picture.jpg?look=${shown}`;
    await picture.decode().catch(() => {});
    picture.hidden = false;
  }
  byId("blind").hidden = !picture.hidden;
  draw(view);
  byId("findings-part").hidden = !view.findings.length;
  keyed(byId("findings"), view.findings, (f) => f, () => document.createElement("li"), say);
  for (const [step, part] of /** @type {[string, string][]} */ ([["camera", "camera"], ["surface", "surface"], ["pieces", "pieces"]])) {
    byId(`${part}-title`).dataset.done = String(isDone(view, step));
  }
  showCameras(view);
  printing.update(view);
  showSurface(view);
  board.update(view);
  showHandles(view.may_change ? view.surface.handles : [], view.size, send);
  showPieces(view);
  things.draw({ things: view.things, away: view.away, taken: view.pieces.map((p) => p.name), may: view.may_change });
  showMeasuring(view, send);
  showPlay(view);
  showTables(view);
}

/**
 * @param {Setup} view
 * @param {string} step
 */
function isDone(view, step) {
  const order = ["camera", "surface", "pieces", "play"];
  return order.indexOf(step) < order.indexOf(view.step);
}

/** @param {Setup} view */
function draw({ size, tags, surface, sheet, pieces, things: seen }) {
  const overlay = byId("overlay");
  overlay.toggleAttribute("hidden", !size);
  if (!size) return;
  byId("sight").style.aspectRatio = `${size[0]} / ${size[1]}`;
  set(overlay, { viewBox: `0 0 ${size[0]} ${size[1]}` });
  byId("outline").replaceChildren(...(surface.outline.length ? [polygon(surface.outline, { "data-kept": String(surface.kept) })] : []));
  byId("sheet").replaceChildren(...(sheet.outline.length ? [polygon(sheet.outline)] : []));
  byId("pieces-seen").replaceChildren(...pieces.filter((p) => p.outline.length).map((p) => polygon(p.outline)));
  // As large as other text, however narrow the picture is shown.
  const high = size[0] / Math.max(24, Math.min(52, byId("sight").clientWidth / 14));
  byId("things-seen").replaceChildren(...seen.flatMap((t) => {
    const x = t.outline.reduce((sum, at) => sum + at[0], 0) / t.outline.length;
    const label = el("text", { x, y: Math.max(...t.outline.map((at) => at[1])) + high, "font-size": high });
    label.textContent = t.name;
    return [polygon(t.outline), label];
  }));
  byId("tags").replaceChildren(...tags.flatMap((tag) => {
    const x = tag.corners.reduce((sum, c) => sum + c[0], 0) / 4;
    const y = Math.min(...tag.corners.map((c) => c[1])) - high * 0.5;
    const label = el("text", { x, y: y < high ? y + 4 * high : y, "font-size": high });
    // On one sheet the tags are so near to one another that words would lie over each other.
    label.textContent = sheet.uncut ? "" : tag.name || (tag.what === "corner" ? `corner ${tag.tag}` : `tag ${tag.tag}?`);
    const square = polygon(tag.corners, { "data-what": tag.what, "data-tag": String(tag.tag) });
    square.addEventListener("click", () => tapTag(tag.tag));
    return [square, label];
  }));
}

/**
 * @param {[number, number][]} points
 * @param {Record<string, string>} [more]
 */
function polygon(points, more = {}) {
  return el("polygon", { points: points.map((p) => p.join()).join(" "), ...more });
}

/** @param {Setup} view */
function showCameras(view) {
  if (!sources) return;
  const { cameras, running, why, sample } = sources;
  rebuild(byId("cameras"), [cameras, running.kind, running.spec, why, view.size], () => {
    const pick = (/** @type {string} */ spec, /** @type {string} */ name, /** @type {boolean} */ now) =>
      h("button", { type: "button", "aria-pressed": String(now), disabled: why !== null, onclick: () => send("/api/source", { spec }) }, name);
    const file = h("input", { name: "spec", placeholder: "clip.mp4, a folder, rtsp://…", maxLength: 1000 });
    return [
      why && h("p.soft", {}, why),
      !why && !cameras.length && h("p", { id: "no-webcam" }, "No webcam is found. Plug one in and open this page again, or go on without:"),
      h("div.choices", {},
        cameras.map((c) => pick(String(c.index), c.name, c.running)),
        pick("sim:first", "Simulated table, not set up", running.spec === "sim:first"),
        pick("phone", "A phone's browser", running.kind === "phone"),
        !why && h("button", { type: "button", onclick: () => send("/api/source", { spec: FIRST }).then((done) => done && (location.href = "/play")) }, "Simulated table, play at once"),
        !why && sample && h("button", { type: "button", onclick: () => send("/api/source", { spec: sample, loop: true }).then((done) => done && (location.href = "/")) }, "Watch the sample film"),
      ),
      running.kind === "phone" && phonePart(),
      h("details", {}, h("summary", {}, "A file, a folder or an address"),
        h("form", { onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          if (file.value.trim()) send("/api/source", { spec: file.value.trim() });
        } }, h("label", {}, "File, folder or address", file), h("button", { type: "submit", disabled: why !== null }, "Use it"))),
      h("p.soft", {}, running.kind !== "none" && view.size ? `${view.size[0]} × ${view.size[1]} pixels.` : ""),
    ];
  });
}

/** @param {Setup} view */
function showSurface({ surface, sheet, tags, may_change, why, size }) {
  const shows = [surface.kept, surface.found, surface.seen, surface.found || !size ? "" : surface.words, surface.gains, may_change,
    Math.round((surface.sure_in ?? 0) * 50), surface.kept ? surface.size_in : surface.size_in?.map(Math.round), sheet.uncut, sheet.paper, sheet.words, sheet.taken,
    surface.kept || tags.map((t) => t.tag), surface.corners, surface.handles.length];
  rebuild(byId("surface"), shows, () => {
    if (!size) return [h("p.soft", {}, "Once there is a picture.")];
    const wide = surface.size_in ? `${surface.size_in[0]} × ${surface.size_in[1]} in` : "";
    if (!surface.kept && sheet.uncut) return [h("p", {}, "The corner tags still lie on one sheet."), sheetPart(sheet, may_change, send)];
    if (!surface.kept) {
      const printed = lengthField({ low: 0.2, high: 20, value: String(surface.corner_size_in), required: true });
      return [
        h("p", {}, surface.found
          ? `Found without a ruler: ${wide}, outlined in the picture.`
          : surface.words),
        surface.found && h("p.soft", {}, surface.words.split("? ").at(-1)),
        sheet.taken && h("p.soft", {}, sheet.taken),
        h("details", {}, h("summary", {}, "Corner tags of another size"),
          h("label", {}, "Side of the black square, inches", printed)),
        tags.length > 0 && cornersPart(tags, surface.corners, may_change, send),
        h("div.choices", {}, h("button.main", { type: "button", disabled: !surface.found || !may_change,
          onclick: (/** @type {any} */ event) => printed.reportValidity() && working(event.currentTarget, "Keeping the table…", send("/api/setup/surface", { corner_size_in: lengthIn(printed) })) }, "Use this table")),
        why && h("p.soft", {}, why),
      ];
    }
    return [
      h("p", {}, `${wide}. ${surface.words}`),
      why ? h("p.soft", {}, why) : sharpen(surface, sheet, may_change),
      !why && surface.handles.length > 0 && outlinePart(ask, complain),
    ];
  });
}

/**
 * @param {Surface} surface
 * @param {Setup["sheet"]} sheet
 * @param {boolean} may
 */
function sharpen({ seen, gains }, sheet, may) {
  const bar = h("input", { type: "number", step: "0.1", min: "50", max: "200", placeholder: "100" });
  const [from, to] = [0, 1].map((n) => h("select", {}, seen.map((t, k) => h("option", { value: String(t), selected: k === n }, `tag ${t}`))));
  const length = lengthField({ low: 1, high: 600, required: true });
  const onsubmit = (/** @type {Event} */ event, /** @type {object} */ body) => {
    event.preventDefault();
    send("/api/setup/length", body);
  };
  return h("details", {}, h("summary", {}, "Make it surer with a known length"),
    gains.length > 0 && h("p.soft", {}, `What each step would make of it: ${gains.join("; ")}.`),
    sheet.words && h("p.soft", {}, "Lay a whole sheet of US Letter or A4 flat on the table: the camera measures by it."),
    sheetPart(sheet, may, send),
    h("form", { onsubmit: (/** @type {Event} */ e) => onsubmit(e, { bar_mm: Number(bar.value) }) },
      h("label", {}, "The bar of 100 mm at the foot of the print measures, mm", bar),
      h("button", { type: "submit", disabled: !may }, "Use the bar")),
    h("form", { onsubmit: (/** @type {Event} */ e) => onsubmit(e, { between: [Number(from.value), Number(to.value)], length_in: lengthIn(length) }) },
      h("div.fields", {}, h("label", {}, "Centre of", from), h("label", {}, "to centre of", to), h("label", {}, "inches", length)),
      h("button", { type: "submit", disabled: !may }, "Use this length")),
    h("p.soft", {}, h("a", { href: "/calibrate" }, "Calibrate the lens"), " with a printed board: that makes it surer, too."));
}

/** @param {Setup} view */
function showPieces(view) {
  const { cards, pieces, surface, may_change, models } = view;
  if (!cards.some((c) => c.tag === open)) open = cards[0]?.tag ?? -1;
  const nameless = surface.kept ? cards : [];
  rebuild(byId("nameless"), [nameless.map((c) => c.tag), open], () => nameless.length < 2 ? [] : [
    h("p.soft", {}, "Without a name:"),
    h("div.choices", {}, nameless.map((c) => h("button", { type: "button", "aria-pressed": String(c.tag === open), onclick: () => {
      open = c.tag;
      showPieces(view);
    } }, `Tag ${c.tag}`))),
  ]);
  // One card at a time; the next one comes when this one has a name.
  keyed(byId("cards"), nameless.filter((c) => c.tag === open), (c) => `${c.tag}`,
    (card) => pieceCard(card, models, send, ask),
    (node, card) => node.dispatchEvent(new CustomEvent("known", { detail: { pieces, may_change, card, corners: view.tags.find((t) => t.tag === card.tag)?.corners } })));
  rebuild(byId("named"), [pieces.map((p) => [p.name, p.model, p.tag, p.seen, p.colour, p.height]), surface.kept, cards.length, may_change], () => [
    !surface.kept && h("p.soft", {}, cards.length ? `${cards.length} tags are seen; first keep the table.` : "Once the table is kept."),
    surface.kept && !cards.length && h("p.soft", {}, "Put down a car with its tag, or terrain with or without one: it appears here by itself. A tag on terrain buys sharper edges."),
    pieces.length > 0 && h("ul", {}, pieces.map((p) => h("li", {},
      h("span.dot", { style: { "--of": p.colour ?? "var(--edge)" } }),
      h("span.what", {}, h("strong", {}, p.name), ` · ${p.model}`, p.tag === null ? p.height && ` · ${p.height}` : ` · tag ${p.tag}, ${p.height}`, p.seen ? "" : " · not seen"),
      p.tag !== null && h("button", { type: "button", disabled: !may_change, "aria-label": `Measure ${p.name} with the camera`,
        onclick: () => send("/api/setup/measure", { name: p.name }) }, "Measure"),
      p.tag !== null && h("button", { type: "button", disabled: !may_change || !p.seen, "aria-label": `Fit the outline of ${p.name}`,
        onclick: () => fitOutline(p.name, ask, complain) }, "Outline"),
      h("button", { type: "button", disabled: !may_change, "aria-label": `Take ${p.name} out`, onclick: () => send("/api/setup/drop", { name: p.name }) }, "Take out")))),
  ]);
}

/** @param {Setup} view */
function showPlay({ step, surface }) {
  rebuild(byId("play"), [step, surface.kept], () => step === "play"
    ? [h("p", {}, "Click one car, then another: the ruling between them is there."),
       h("div.choices", {}, h("a.go", { href: "/" }, "Ask for a ruling"), h("a.go", { href: "/play" }, "Play a game"))]
    : [h("p.soft", {}, "With two cars on the table.")]);
}

/** @param {Setup} view */
function showTables({ tables, file, table, may_change }) {
  rebuild(byId("tables"), [tables, file, table, may_change], () => {
    const name = h("input", { maxLength: 40, "aria-label": "Name of the table" });
    const choose = (/** @type {string} */ how, /** @type {string} */ called) => send("/api/setup/table", { how, name: called });
    return [
      file && h("p.soft", {}, `This one is written to ${file}; what you change there is taken over at once.`),
      tables.length > 1 && h("div.choices", {}, tables.map((t) => h("button", { type: "button", "aria-pressed": String(t.current), disabled: !may_change,
        onclick: () => choose("use", t.name) }, t.name))),
      h("form", { onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); if (name.value.trim()) choose("new", name.value.trim()); } },
        h("label", {}, "Another name", name),
        h("div.choices", {}, h("button", { type: "submit", disabled: !may_change }, "New table"),
          h("button", { type: "button", disabled: !may_change, onclick: () => name.value.trim() && choose("copy", name.value.trim()) }, "Copy this one"))),
      h("p.soft", {}, "tableref tables export writes one to a file, tableref tables import brings one in."),
    ];
  });
}

lookOn();

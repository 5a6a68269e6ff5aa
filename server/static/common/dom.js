/** Builds parts of the page, and rebuilds them without taking the cursor away. */

import { inOrder } from "./svg.js";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with properties, listeners (`onclick`), attributes and children.
 * @param {string} name  A tag with classes, as "button.big".
 * @param {Record<string, any>} [properties]
 * @param {any[]} children  Nodes, texts and lists of them; what is empty is left out.
 * @returns {any}
 */
export function h(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key === "style") for (const [rule, said] of Object.entries(value)) node.style.setProperty(rule, String(said));
    else if (key in node && typeof value !== "string") /** @type {any} */ (node)[key] = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of /** @type {Child[]} */ (children.flat(Infinity))) {
    if (child !== null && child !== undefined && child !== false) node.append(child instanceof Node ? child : inOrder(String(child)));
  }
  return node;
}

/** What a finger is pressed on, and the choice that stands open: neither may be taken away under the hand. */
/** @type {EventTarget | null} */
let pressed = null;
let presses = 0;
/** @type {EventTarget | null} */
let opened = null;
/** @type {Map<HTMLElement, () => void>} */
const waiting = new Map();

function goOn() {
  const todo = [...waiting.values()];
  waiting.clear();
  for (const again of todo) again();
}

document.addEventListener("pointerdown", ({ target }) => {
  pressed = target;
  presses += 1;
  if (target instanceof HTMLSelectElement) opened = target;
}, true);
for (const kind of ["pointerup", "pointercancel"]) {
  document.addEventListener(kind, () => {
    const ended = presses;
    // The click comes after this; a quick finger may be down again by then.
    setTimeout(() => {
      if (presses === ended) pressed = null;
      goOn();
    }, 30);
  }, true);
}
document.addEventListener("change", ({ target }) => {
  opened = null;
  if (target instanceof HTMLInputElement) target.defaultValue = target.value;
  setTimeout(goOn, 0);
});
document.addEventListener("focusout", () => {
  opened = null;
  setTimeout(goOn, 0);
});

/** Pixels within which two taps are at the same place: what a finger covers. */
const FINGER = 40;

/** Milliseconds within which a second tap belongs to the first one. */
export const TWICE_MS = 400;

const TAPPED = "button, summary, a[href]";

// The second tap of a double tap belongs to what the first one did, not to what came in its place; what stood beside
// it then is meant. A browser also counts a tap as a second one where something else was tapped between the two: that
// is elsewhere. iPhones and iPads count none, each tap is a first one there: of a finger's, the time tells.
/** @type {{name: string, x: number, y: number, at: number, beside: {name: string, box: DOMRect}[]}} */
let tapped = { name: "", x: 0, y: 0, at: -Infinity, beside: [] };
let finger = false;
document.addEventListener("pointerdown", (event) => { finger = event.pointerType === "touch"; }, true);
document.addEventListener("click", (event) => {
  const control = event.target instanceof Element ? event.target.closest(TAPPED) : null;
  const [x, y, at] = [event.clientX, event.clientY, event.timeStamp];
  const soon = finger && event.detail > 0 && at - tapped.at < TWICE_MS;
  const second = (event.detail > 1 || soon) && Math.hypot(x - tapped.x, y - tapped.y) < FINGER;
  const name = control instanceof HTMLElement ? nameOf(control) : "";
  const stood = tapped.beside.some((one) => one.name === name && away(one.box, x, y) === 0);
  if (second && name !== tapped.name && !stood) {
    event.preventDefault();
    event.stopPropagation();
  } else tapped = { name, x, y, at, beside: controlsNear(x, y) };
}, true);

/** How far a point is from a box, in pixels. @param {DOMRect} box @param {number} x @param {number} y */
const away = (box, x, y) => Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));

/** What can be tapped within a finger's width, and where it is. @param {number} x @param {number} y */
const controlsNear = (x, y) => [...document.querySelectorAll(TAPPED)].flatMap((control) => {
  const box = control.getBoundingClientRect();
  return control instanceof HTMLElement && away(box, x, y) < FINGER ? [{ name: nameOf(control), box }] : [];
});

/** @type {Record<string, string>} */
const FRACTIONS = { "½": ".5", "¼": ".25", "¾": ".75", "⅛": ".125", "⅜": ".375", "⅝": ".625", "⅞": ".875" };

// A browser drops from a number what it does not write so itself: a height of 1,5 was 15 then, and 12½ was 12.
document.addEventListener("beforeinput", (event) => {
  const { target: field, data } = event;
  if (!(field instanceof HTMLInputElement) || field.type !== "number" || !data) return;
  field.setCustomValidity("");
  const meant = data.replace(/[½¼¾⅛⅜⅝⅞]/g, (fraction) => FRACTIONS[fraction]).replace(/^([^.,]*),([^.,]*)$/, "$1.$2").replace(/[\s″"]/g, "");
  if (!/^[-+.0-9e０-９]*$/i.test(meant)) {
    event.preventDefault();
    field.setCustomValidity("A number in figures, as 12.5");
    field.reportValidity();
    field.addEventListener("blur", () => field.setCustomValidity(""), { once: true });
  } else if (meant !== data) {
    event.preventDefault();
    document.execCommand("insertText", false, meant);
  }
});

const FOCUSABLE = "button, a[href], input, select, summary, [tabindex]";

/** Where the focus was last outside of dialogs: the control, its name, and the part of the page that is rebuilt with it. */
/** @type {{node: HTMLElement, name: string, part: HTMLElement | null} | null} */
let last = null;

document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLElement) || target.closest("dialog")) return;
  last = { node: target, name: nameOf(target), part: target.closest("[data-shows]") };
});
document.addEventListener("pointerdown", ({ target }) => {
  if (target instanceof Element && !target.closest(`${FOCUSABLE}, label, dialog`)) last = null;
}, true);
document.addEventListener("close", returnFocus, true);

/** The same for a control that is built anew. @param {HTMLElement} control */
const nameOf = (control) => control.dataset.focus || control.id || `${control.tagName} ${control.getAttribute("aria-label") ?? control.textContent}`;

/** @param {HTMLElement} node */
const usable = (node) => node.isConnected && !node.matches(":disabled") && (node.checkVisibility?.() ?? node.getClientRects().length > 0);

/**
 * Focuses the control of this name in a part of the page, or else the part itself, so that Tab goes on from there.
 * @param {HTMLElement | null} part
 * @param {string} name
 */
function focusHeir(part, name) {
  const controls = /** @type {HTMLElement[]} */ ([...(part ?? document).querySelectorAll(FOCUSABLE)]);
  const heir = controls.find((c) => nameOf(c) === name && usable(c));
  if (heir) heir.focus({ preventScroll: true });
  else focusPart(part && usable(part) ? part : home(), { preventScroll: true });
}

/** Focuses a part of the page, so that Tab goes on from there. @param {HTMLElement | null} part @param {FocusOptions} [how] */
function focusPart(part, how) {
  if (part && !part.hasAttribute("tabindex")) part.tabIndex = -1;
  part?.focus(how);
}

/** Where the link at the top of a page leads: to what it names, or where that is hidden to what stands in for it. */
function home() {
  const skip = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a.skip"));
  const places = skip ? [skip.hash, skip.dataset.else] : [];
  const found = /** @type {(HTMLElement | null)[]} */ (places.map((place) => (place ? document.querySelector(place) : null)));
  return found.find((part) => part && usable(part)) ?? null;
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element && event.target.closest("a.skip"))) return;
  event.preventDefault();
  focusPart(home() ?? document.querySelector("main"));
});

/** Brings a focus that has fallen to the page's body back to where it was: what had it was taken away or hidden. */
export function returnFocus() {
  const at = document.activeElement;
  if (!last || (at instanceof HTMLElement && at !== document.body && usable(at)) || document.querySelector("dialog:modal")) return;
  if (usable(last.node)) last.node.focus({ preventScroll: true });
  else focusHeir(last.part?.isConnected ? last.part : null, last.name);
}

/** @param {HTMLElement} node */
function inUse(node) {
  const at = document.activeElement;
  const typing = at instanceof HTMLInputElement && ["text", "number"].includes(at.type) && at.value !== at.defaultValue;
  return (typing && node.contains(at)) || [pressed, opened].some((t) => t instanceof Node && node.contains(t));
}

/** What a fold is known by: what it is about, or its heading, whatever it counts. @param {HTMLDetailsElement} fold */
const headingOf = (fold) => fold.dataset.fold ?? (fold.querySelector("summary")?.textContent ?? "").replace(/\d+/g, "#");

/**
 * Which folds stand open, and how they were made.
 * @param {HTMLElement} node
 * @returns {Map<string, {open: boolean, made: string | undefined}>}
 */
function folds(node) {
  return new Map([...node.querySelectorAll("details")].map((f) => [headingOf(f), { open: f.open, made: f.dataset.made }]));
}

/**
 * Whoever has opened or closed a fold finds it so again, unless it is made otherwise now.
 * @param {HTMLElement} node
 * @param {Map<string, {open: boolean, made: string | undefined}>} before
 */
function refold(node, before) {
  for (const fold of node.querySelectorAll("details")) {
    fold.dataset.made = String(fold.open);
    const was = before.get(headingOf(fold));
    if (was && was.made === fold.dataset.made) fold.open = was.open;
  }
}

/** What was ever scrolled. To ask how far anything is costs a layout of the whole page. */
const scrolled = new WeakSet();
document.addEventListener("scroll", ({ target }) => target && scrolled.add(target), { capture: true, passive: true });

/**
 * Puts other children into a node if what they show has changed; whoever types in it goes on typing.
 * @param {HTMLElement} node
 * @param {unknown} shows  What the children are made from.
 * @param {() => any[]} make
 */
export function rebuild(node, shows, make) {
  const key = JSON.stringify(shows);
  waiting.delete(node);
  if (node.dataset.shows === key) return;
  if (inUse(node)) {
    waiting.set(node, () => rebuild(node, shows, make));
    return;
  }
  const at = document.activeElement instanceof HTMLElement && node.contains(document.activeElement) ? document.activeElement : null;
  const name = at && nameOf(at);
  const scroll = scrolled.has(node) ? node.scrollTop : 0;
  const unfolded = folds(node);
  node.dataset.shows = key;
  const children = /** @type {Child[]} */ (make().flat(Infinity)).filter((c) => c !== null && c !== undefined && c !== false);
  node.replaceChildren(.../** @type {(Node | string)[]} */ (children));
  refold(node, unfolded);
  if (scroll) node.scrollTop = scroll;
  if (name) focusHeir(node, name);
}

/**
 * Lets the next `rebuild` build anew whatever it shows.
 * @param {HTMLElement} node
 */
export function forget(node) {
  delete node.dataset.shows;
}

/** An hour of the day, as this page writes it everywhere. @param {string} at */
export const hour = (at) => new Date(at).toLocaleTimeString([], { timeStyle: "short" });

/** A day with its hour. @param {string} at */
export const dayAndHour = (at) => new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/** What went wrong, in words. @param {unknown} error */
export const wordsOf = (error) => error instanceof Error ? error.message : String(error);

/**
 * Does what the server may refuse: complains in its words, or no longer of what was refused before.
 * @param {(words: string) => void} complain
 * @param {() => Promise<unknown>} does
 */
export async function heeding(complain, does) {
  try {
    await does();
    complain("");
  } catch (error) {
    complain(wordsOf(error));
  }
}

/** Names, or other words, in a row. @param {string[]} words */
export const listed = (words) => [words.slice(0, -1).join(", "), words[words.length - 1]].filter(Boolean).join(" and ");

/**
 * Begins with a capital letter.
 * @param {string} words
 */
export function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Small helpers for drawing. */

const NS = "http://www.w3.org/2000/svg";

/**
 * A new SVG element with attributes.
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {Element[]} [children]
 * @returns {SVGElement}
 */
export function el(name, attributes = {}, children = []) {
  const node = document.createElementNS(NS, name);
  set(node, attributes);
  node.append(...children);
  return node;
}

/**
 * Sets attributes, touching only what is different.
 * @param {Element} node
 * @param {Record<string, string | number>} attributes
 */
export function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    const text = String(value);
    if (node.getAttribute(key) !== text) node.setAttribute(key, text);
  }
}

/** Words that are written from right to left, as Hebrew and Arabic ones, with what joins them. */
const LEFTWARD = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";
const LEFTWARD_WORDS = new RegExp(`${LEFTWARD}+(?:[ '’\\u200c\\u200d-]*${LEFTWARD}+)*`, "gu");

/**
 * A text in which a name that is written from right to left does not turn the figures beside it round.
 * @param {string} text
 */
export function inOrder(text) {
  return text.replace(LEFTWARD_WORDS, "\u2068$&\u2069");
}

/**
 * Gives an element the text, touching it only when it is different.
 * @param {Element | null} node
 * @param {string} text
 */
export function say(node, text) {
  const shown = inOrder(text);
  if (node && node.textContent !== shown) node.textContent = shown;
}

/**
 * An element of the page that must be there.
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no element #${id}`);
  return /** @type {T} */ (/** @type {unknown} */ (node));
}

/**
 * Makes the children of a parent match a list, one keyed element each, in order, reusing what is there.
 * @template T
 * @template {Element} E
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => E} make
 * @param {(node: E, item: T) => void} update
 */
export function keyed(parent, items, key, make, update) {
  const old = new Map([...parent.children].map((c) => [c.getAttribute("data-key"), c]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    let node = /** @type {E | undefined} */ (old.get(name));
    if (node) old.delete(name);
    else {
      node = make(item);
      node.setAttribute("data-key", name);
    }
    if (node !== place) parent.insertBefore(node, place);
    else place = place.nextElementSibling;
    update(node, item);
  }
  for (const node of old.values()) node.remove();
}

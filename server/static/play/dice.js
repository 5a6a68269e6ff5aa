/** Dice of one roll that are typed in fewer taps than there are dice: two at a time, or by what they count as. */

import { h } from "../common/dom.js";

/** @typedef {number | string} Face */
/**
 * @typedef {object} Typing
 * @property {HTMLElement} legend  Whose dice they are, and what for.
 * @property {number[]} dice  Which of the values are this roll's.
 * @property {Face[]} faces  Each once.
 * @property {(Face | null)[]} values  What was typed of all rolls.
 * @property {() => void} send  Asks with them, where all are there.
 */
/** @typedef {{dice: number[], choose: (face: Face) => void, node: HTMLElement}} Row */

/**
 * A table of all faces against all: a tap where two cross types two dice, one on the name of a row a single die.
 * @param {Typing} typing
 * @returns {Row}
 */
export function pairsRow({ legend, dice, faces, values, send }) {
  const open = () => dice.filter((k) => values[k] === null);
  const put = (/** @type {Face[]} */ ...shown) => {
    const free = open();
    if (shown.length > free.length) return;
    shown.forEach((face, n) => { values[free[n]] = face; });
    draw();
    send();
  };
  const names = faces.map((face) => h("button.die.face", { type: "button", "aria-label": `one ${face}`, data: { value: String(face) }, onclick: () => put(face) }, face));
  const crossings = faces.map((down) => faces.map((across) => h("button.die.two", { type: "button", "aria-label": `${down} and ${across}`, title: `${down} and ${across}`, data: { pair: `${down} · ${across}` }, onclick: () => put(down, across) }, down === across ? "× 2" : "+")));
  // Words stand on end over a column of one finger's width.
  const table = h(faces.some((face) => String(face).length > 2) ? "div.pairs.worded" : "div.pairs", { style: { "--columns": String(faces.length) } }, h("span"), faces.map((face) => h("span.across", { "aria-hidden": "true" }, face)), faces.map((_, n) => [names[n], crossings[n]]));
  const fallen = h("div.fallen", { role: "group", "aria-label": "Tapped so far" });
  const told = h("p.soft", { "aria-live": "polite" });
  const draw = () => {
    const left = open().length;
    for (const button of names) button.disabled = left < 1;
    for (const button of crossings.flat()) button.disabled = left < 2;
    fallen.replaceChildren(...dice.filter((k) => values[k] !== null).map((k) => h("button.die.fell", { type: "button", "aria-label": `${values[k]}: take it back`, onclick: () => { values[k] = null; draw(); } }, values[k])));
    told.textContent = left > 1 ? `Two at a time, where they cross: ${left} still to say.` : `By its name: ${left} still to say.`;
    node.toggleAttribute("data-full", left < 1);
  };
  const node = h("fieldset.dice", { data: { dice: String(dice.length) } }, legend, table, fallen, told);
  draw();
  return { dice, choose: put, node };
}

/**
 * Dice of which it matters alone how many count: one tap says that. Each may be typed as it lies all the same.
 * @param {Typing} typing
 * @param {string[]} counts  What each side counts as, the highest last; of two sorts.
 * @param {() => Row} exact  The same roll, typed by faces.
 * @returns {Row}
 */
export function countedRow({ legend, dice, values, send }, counts, exact) {
  const high = counts[counts.length - 1];
  const low = counts.find((words) => words !== high) ?? high;
  const say = (/** @type {number} */ many) => {
    dice.forEach((k, n) => { values[k] = n < many ? high : low; });
    buttons.forEach((button, n) => button.setAttribute("aria-pressed", String(n === many)));
    row.node.toggleAttribute("data-full", true);
    send();
  };
  const buttons = Array.from({ length: dice.length + 1 }, (_, many) => h("button.die.whole", { type: "button", "aria-pressed": "false", "aria-label": `${many} of ${dice.length}`, data: { many: String(many) }, onclick: () => say(many) }, String(many)));
  const each = h("button.each", { type: "button", onclick: () => {
    dice.forEach((k) => { values[k] = null; });
    const other = exact();
    row.node.replaceWith(other.node);
    Object.assign(row, other);
    /** @type {HTMLElement | null} */ (other.node.querySelector("button"))?.focus();
  } }, "Say what each shows");
  /** @type {Row} */
  const row = { dice, choose: () => {}, node: h("fieldset.dice", { data: { dice: String(dice.length), high, low } }, legend, h("p", {}, "How many show ", h("strong", {}, high), "?"), h("div.faces.tally", { role: "group", "aria-label": `How many show ${high}` }, buttons), each) };
  return row;
}

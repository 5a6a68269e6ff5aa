/** Fields for a length, which is told in inches and typed as people write it: 1.5, 1 1/2, 6 ft or 4 cm. */

import { h } from "./dom.js";

/** Inches of each unit that may stand behind a number; one of its own stands for inches. @type {Record<string, number>} */
const UNITS = { "": 1, in: 1, inch: 1, inches: 1, '"': 1, ft: 12, foot: 12, feet: 12, "'": 12, mm: 1 / 25.4, cm: 1 / 2.54, m: 1000 / 25.4 };

/** A number, whole and with a fraction or either of them, and its unit. */
const PART = /^\s*(?:(\d+(?:[.,]\d*)?|[.,]\d+)(?![\d.,]*\s*\/))?(?:\s*(\d+)\s*\/\s*([1-9]\d*))?\s*([a-z"']*)[.,]?/;

/**
 * The inches of a length as it was typed; null where it is none.
 * @param {string} typed
 * @returns {number | null}
 */
export function inchesOf(typed) {
  // One sign for a fraction, as ½, stands apart from the whole before it.
  let left = typed.replace(/[\u00bc-\u00be\u2150-\u215e]/g, " $&").normalize("NFKC").toLowerCase();
  left = left.replace(/\u2044/g, "/").replace(/\u2032\u2032|''|[\u2033\u201c\u201d]/g, '"').replace(/[\u2032\u2018\u2019]/g, "'").trim();
  let sum = 0;
  // Feet may be followed by inches.
  for (const last of [false, true]) {
    const [all, whole, over, under, unit] = PART.exec(left) ?? [];
    if (!all || (whole === undefined && over === undefined) || !(unit in UNITS)) return null;
    sum += (Number((whole ?? "0").replace(",", ".")) + (over === undefined ? 0 : Number(over) / Number(under))) * UNITS[unit];
    left = left.slice(all.length).trim();
    if (left === "") return sum;
    if (last || UNITS[unit] !== 12) return null;
  }
  return null;
}

/**
 * A field for a length in inches: what was typed stands there as a decimal number once it is left.
 * @param {{low: number, high: number} & Record<string, any>} given  With what the field is given beside its limits.
 * @returns {HTMLInputElement}
 */
export function lengthField({ low, high, onchange, ...given }) {
  const box = /** @type {HTMLInputElement} */ (h("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...given }));
  const judged = () => {
    const inches = inchesOf(box.value);
    const right = box.value.trim() === "" || (inches !== null && inches >= low - ROUNDED && inches <= high + ROUNDED);
    box.setCustomValidity(right ? "" : `Inches from ${low} to ${high}, as 1.5 or 1 1/2; 4 cm and 6 ft are understood, too.`);
    return right ? inches : null;
  };
  box.addEventListener("input", judged);
  // What is wrong behind a fold could not be told.
  box.addEventListener("invalid", () => box.closest("details")?.setAttribute("open", ""));
  box.addEventListener("change", (event) => {
    const inches = judged();
    if (inches !== null) box.value = String(Number(inches.toFixed(3)));
    onchange?.(event);
  });
  return box;
}

/** What decimals may be off. */
const ROUNDED = 0.0005;

/**
 * Puts other words into a length's field, which are right.
 * @param {HTMLInputElement} box
 * @param {string} words
 */
export function putLength(box, words) {
  box.value = words;
  box.setCustomValidity("");
}

/**
 * The inches that stand in a field; null where it is empty or holds no length.
 * @param {HTMLInputElement} box
 */
export function lengthIn(box) {
  return inchesOf(box.value);
}

/** A check strip in the step Check: where it is printed, and the length that somebody measured. */

import { h } from "../common/dom.js";
import { lengthField, lengthIn } from "../common/lengths.js";

/**
 * See `StripView` in `server/setup/proving/check_messages.py`.
 * @typedef {{tags: [number, number], seen: boolean, length_in: number | null, taken: number[]}} Strip
 */

/** The papers that a strip is printed on, as the address names them. */
const PAPERS = [["letter", "US Letter"], ["a4", "A4"]];

/** Links to the strip as a PDF. */
export function stripLinks() {
  return PAPERS.map(([paper, words], n) => [n > 0 && " or ",
    h("a", { href: `/api/setup/strip.pdf?paper=${paper}`, target: "_blank" }, words)]);
}

/**
 * What a strip is and where it comes from, for those who have no sheet or want to know the scale itself.
 * @param {Strip} strip
 */
export function stripHelp({ tags, taken }) {
  const which = tags.join(" and ");
  return h("details", {}, h("summary", {}, "With a check strip in place of the sheet"),
    taken.length > 0
      ? h("p", {}, `${taken.length > 1 ? "Tags" : "Tag"} ${taken.join(" and ")} ${taken.length > 1 ? "are" : "is"} in play on this table, so no strip is looked for here. tableref calibrate check takes one with other tags.`)
      : [
        h("p", {}, `Lay it instead, nothing has to be chosen: it is known by its tags ${which}. You are asked for its length, which a ruler tells; so it proves the scale, too.`),
        h("p", {}, "Print it on ", stripLinks(), " (or by tableref print strip), and glue it flat on card. Its tags, cut apart and fixed farther apart on a ruler, are surer."),
      ]);
}

/**
 * Asks for the length of the strip that is seen.
 * @param {Strip} strip
 * @param {number | null} kept the length that was said at the last check
 * @param {(length: number) => void} say
 */
export function stripLength({ length_in }, kept, say) {
  const length = lengthField({ low: 3, high: 60, name: "strip", required: true, value: length_in ?? kept ?? "" });
  return h("form", { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    say(lengthIn(length) ?? 0);
  } },
  h("label", {}, "The strip measures, from the middle of one tag to that of the other, inches", length),
  h("div.choices", {}, h(length_in ? "button" : "button.main", { type: "submit" }, "Use this length")));
}

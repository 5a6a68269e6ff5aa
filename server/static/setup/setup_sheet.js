/** The sheet of paper that tells the printer's scale: what is seen of it, and the one tap that takes it. */

import { h } from "../common/dom.js";

/**
 * See `SheetState` in `server/setup/setup_messages.py`.
 * @typedef {{uncut: boolean, paper: string | null, words: string, outline: [number, number][], taken: string}} Sheet
 */

/**
 * What is seen of a sheet, with the button that takes its scale.
 * @param {Sheet} sheet
 * @param {boolean} may
 * @param {(path: string, body: object) => Promise<boolean>} send
 */
export function sheetPart({ paper, words, taken }, may, send) {
  return [
    words && h("p", {}, words),
    paper && h("div.choices", {}, h("button.main", { type: "button", disabled: !may, onclick: () => send("/api/setup/sheet", { paper }) }, "Use this scale")),
    taken && h("p.soft", {}, taken),
  ];
}

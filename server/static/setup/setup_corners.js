/** Which tags are the table's corners: chosen by boxes, or by tapping them in the picture. */

import { h } from "../common/dom.js";

/** The ids that are ticked, and those that the server knew when they were. @type {{ticked: Set<number>, of: string}} */
const choice = { ticked: new Set(), of: "" };

/**
 * The boxes, one a tag in view, and the button that takes four of them.
 * @param {{tag: number}[]} tags
 * @param {number[]} corners
 * @param {boolean} may
 * @param {(path: string, body: object) => Promise<boolean>} send
 */
export function cornersPart(tags, corners, may, send) {
  if (choice.of !== String(corners)) {
    choice.of = String(corners);
    choice.ticked = new Set(corners.filter((c) => tags.some((t) => t.tag === c)));
  }
  const use = h("button", { type: "button", onclick: () => send("/api/setup/corners", { tags: [...choice.ticked] }) });
  const told = () => {
    const left = 4 - choice.ticked.size;
    use.textContent = left === 0 ? "Use these four as corners" : left > 0 ? `Choose ${left} more` : `Take ${-left} away`;
    use.disabled = !may || left !== 0;
  };
  told();
  return h("details", { id: "corner-choice" }, h("summary", {}, "Other corner tags"),
    h("p.soft", {}, "Tick the four tags that lie at the corners, or tap them in the picture."),
    h("div.picks", {}, tags.map(({ tag }) => h("label", {},
      h("input", { type: "checkbox", value: String(tag), checked: choice.ticked.has(tag), "aria-label": `Tag ${tag} is a corner`,
        onchange: (/** @type {Event} */ { target }) => {
          if (/** @type {HTMLInputElement} */ (target).checked) choice.ticked.add(tag);
          else choice.ticked.delete(tag);
          told();
        } }), h("span", {}, `Tag ${tag}`)))),
    h("div.choices", {}, use));
}

/**
 * A tap on a tag in the picture is one on its box, while the boxes are shown.
 * @param {number} tag
 */
export function tapTag(tag) {
  const box = /** @type {HTMLInputElement | null} */ (document.querySelector(`#corner-choice[open] input[value="${tag}"]`));
  box?.click();
}

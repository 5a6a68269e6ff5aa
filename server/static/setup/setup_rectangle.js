/** The outline of the kept table: its corners dragged on the picture by mouse, finger or arrow keys, or the mat's edge taken. */

import { h, heeding } from "../common/dom.js";
import { byId, el, keyed } from "../common/svg.js";
import { isHeld, putOnSight, sightHandle } from "./handles.js";

const NAMES = ["Near left", "Near right", "Far right", "Far left"];
const STEP_IN = 0.25;

/**
 * What the camera offers, see `MatView` in `server/setup/fitting/fit_messages.py`.
 * @typedef {{outline: [number, number][], words: string, may_take: boolean}} Mat
 * @typedef {(path: string, body?: object) => Promise<any>} Ask
 */

/** The edge of the mat that was found last. @type {Mat | null} */
let mat = null;
/** Where that is shown, of the fold that was drawn last. @type {HTMLElement} */
let shownOffer;

/**
 * The fold in the step Table that shows the corners to drag, and finds the edge of the mat.
 * @param {Ask} ask
 * @param {(words: string) => void} complain
 * @returns {HTMLElement}
 */
export function outlinePart(ask, complain) {
  const fold = h("details", { id: "outline-drag", name: "on-picture" });
  const shown = () => {
    // Opening comes a moment after the tap: a button that is pressed by then stays the one that it was.
    if (!fold.open && mat) {
      mat = null;
      showMat();
    }
    showHandles(last.corners, last.size, last.send);
    if (document.querySelector("#outline-drag[open]")) byId("sight").scrollIntoView({ block: "nearest" });
  };
  const does = async (/** @type {string} */ path) => {
    mat = null;
    await heeding(complain, async () => {
      mat = /** @type {Mat} */ (await ask(path, {}));
      showMat();
      if (mat.may_take) byId("sight").scrollIntoView({ block: "nearest" });
    });
    if (!mat) showMat();
  };
  // The page may have been drawn anew before an answer comes: it is shown where it is seen now.
  const offer = shownOffer = h("div", { id: "mat-offer", "aria-live": "polite" });
  const showMat = () => {
    byId("mat").replaceChildren(...(mat?.outline.length ? [el("polygon", { points: mat.outline.map((p) => p.join()).join(" ") })] : []));
    shownOffer.replaceChildren(
      h("div.choices", {},
        h("button", { type: "button", onclick: () => does("/api/setup/mat") }, "Find the edge of the mat"),
        mat?.may_take && h("button.main", { type: "button", onclick: () => does("/api/setup/mat/keep") }, "Use this edge")),
      ...(mat?.words ? [h("p", {}, mat.words)] : []),
    );
  };
  fold.addEventListener("toggle", shown);
  fold.append(h("summary", {}, "Drag the outline, or find the mat's edge"),
    h("p.soft", {}, "Drag its corners in the picture, or choose one and press the arrow keys: a quarter of an inch each. The table stays a rectangle, so two sides move."),
    offer);
  showMat();
  return fold;
}

/** @typedef {(path: string, body: object) => Promise<boolean>} Send */
/** @type {{corners: [number, number][], size: [number, number] | null, send: Send}} */
let last = { corners: [], size: null, send: async () => false };

/**
 * @param {[number, number][]} corners  In pixels of the picture.
 * @param {[number, number] | null} size
 * @param {Send} send
 */
export function showHandles(corners, size, send) {
  last = { corners, size, send };
  const open = document.querySelector("#outline-drag[open]");
  const shown = size && open ? corners.map((at, n) => ({ at, n })) : [];
  keyed(byId("handles"), shown, ({ n }) => String(n), ({ n }) => corner(n), (node, { at }) => {
    if (size && !isHeld(node)) putOnSight(/** @type {HTMLElement} */ (node), at, size);
  });
}

/** @param {number} n */
function corner(n) {
  const node = h("button.corner", { type: "button", "aria-label": `${NAMES[n]} corner of the table` });
  sightHandle(node, () => last.size, {
    drop: (to) => to && last.send("/api/setup/rectangle", { corner: n, to }),
    after: () => showHandles(last.corners, last.size, last.send),
    step: (right, up) => last.send("/api/setup/rectangle", { corner: n, by_in: [right * STEP_IN, up * STEP_IN] }),
  });
  return node;
}

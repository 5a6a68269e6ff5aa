/** The outline of the kept table: its corners dragged on the picture by mouse, finger or arrow keys, or the mat's edge taken. */

import { h } from "../common/dom.js";
import { byId, el, keyed } from "../common/svg.js";

const NAMES = ["Near left", "Near right", "Far right", "Far left"];
const STEP_IN = 0.25;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-STEP_IN, 0], ArrowRight: [STEP_IN, 0], ArrowUp: [0, STEP_IN], ArrowDown: [0, -STEP_IN] };

/** The corner that a finger holds: what the server says of it meanwhile is old. */
let held = -1;

/**
 * What the camera offers, see `MatView` in `server/setup/fitting/fit_messages.py`.
 * @typedef {{outline: [number, number][], words: string, may_take: boolean}} Mat
 * @typedef {(path: string, body?: object) => Promise<any>} Ask
 */

/** The edge of the mat that was found last. @type {Mat | null} */
let mat = null;

/**
 * The fold in the step Table that shows the corners to drag, and finds the edge of the mat.
 * @param {Ask} ask
 * @param {(words: string) => void} complain
 * @returns {HTMLElement}
 */
export function outlinePart(ask, complain) {
  const fold = h("details", { id: "outline-drag", name: "on-picture" });
  const shown = () => {
    if (!fold.open) mat = null;
    showMat();
    showHandles(last.corners, last.size, last.send);
    if (document.querySelector("#outline-drag[open]")) byId("sight").scrollIntoView({ block: "nearest" });
  };
  const does = async (/** @type {string} */ path) => {
    complain("");
    try {
      mat = await ask(path, {});
    } catch (error) {
      mat = null;
      complain(error instanceof Error ? error.message : String(error));
    }
    showMat();
    if (mat?.may_take) byId("sight").scrollIntoView({ block: "nearest" });
  };
  const offer = h("div", { id: "mat-offer", "aria-live": "polite" });
  const showMat = () => {
    byId("mat").replaceChildren(...(mat?.outline.length ? [el("polygon", { points: mat.outline.map((p) => p.join()).join(" ") })] : []));
    offer.replaceChildren(
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
  keyed(byId("handles"), shown, ({ n }) => String(n), ({ n }) => handle(n), (node, { at, n }) => {
    if (n !== held && size) place(/** @type {HTMLElement} */ (node), at[0] / size[0], at[1] / size[1]);
  });
}

/**
 * Puts a handle at these shares of the picture.
 * @param {HTMLElement} node
 * @param {number} across
 * @param {number} down
 */
export function place(node, across, down) {
  node.style.left = `${within(across) * 100}%`;
  node.style.top = `${within(down) * 100}%`;
}

/** A share of the picture, no further than its edge. @param {number} share */
export const within = (share) => Math.min(1, Math.max(0, share));

/** @param {number} n */
function handle(n) {
  /** @type {[number, number] | null} */
  let to = null;
  const node = h("button.corner", {
    type: "button", "aria-label": `${NAMES[n]} corner of the table`,
    onpointerdown: (/** @type {PointerEvent} */ event) => {
      held = n;
      to = null;
      node.setPointerCapture(event.pointerId);
    },
    onpointermove: (/** @type {PointerEvent} */ { clientX, clientY }) => {
      if (held !== n) return;
      const box = byId("sight").getBoundingClientRect();
      to = [within((clientX - box.left) / box.width), within((clientY - box.top) / box.height)];
      place(node, to[0], to[1]);
    },
    onpointerup: async () => {
      const size = last.size;
      if (held === n && to && size) await last.send("/api/setup/rectangle", { corner: n, to: [to[0] * size[0], to[1] * size[1]] });
      held = -1;
      showHandles(last.corners, last.size, last.send);
    },
    onpointercancel: () => (held = -1),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const by_in = ARROWS[event.key];
      if (!by_in) return;
      event.preventDefault();
      last.send("/api/setup/rectangle", { corner: n, by_in });
    },
  });
  return node;
}

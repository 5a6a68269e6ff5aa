/** Handles over a picture, dragged with mouse or finger or moved by the arrow keys, and the picture of a piece that they lie on. */

import { byId, el } from "../common/svg.js";

/**
 * @typedef {[number, number]} Point  Pixels of the picture, from its top left.
 * @typedef {object} Does  What a handle does. `at` is where it stands: how far beside its middle it was taken is kept; without it, its
 *   middle comes to where the pointer is. `drag` comes once the pointer has gone a pixel of the screen; `drop` tells where it was let
 *   go, null where it was not dragged; `after` comes once that is done. `step` is an arrow key: to the right and up, and with Shift.
 * @property {() => Point} [at]
 * @property {(to: Point, first: boolean) => void} [drag]
 * @property {(to: Point | null) => unknown} [drop]
 * @property {() => void} [after]
 * @property {(right: number, up: number, shift: boolean) => void} step
 */

/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Those that a hand holds: what the server says of them meanwhile is old. @type {Set<Element>} */
const held = new Set();

/** Whether a hand holds it, or what came of that is still being asked. @param {Element} node */
export const isHeld = (node) => held.has(node);

/**
 * Makes an element a handle.
 * @param {HTMLElement | SVGElement} node
 * @param {(event: MouseEvent) => Point} pixel  Where a pointer is in the picture.
 * @param {Does} does
 */
export function handle(node, pixel, { at, drag, drop, after, step }) {
  /** Where it was taken, on the screen, and how far beside its middle. @type {{x: number, y: number, off: Point} | null} */
  let grip = null;
  /** @type {Point | null} */
  let to = null;
  const take = (/** @type {PointerEvent} */ event) => {
    const here = pixel(event);
    const own = at?.() ?? here;
    [grip, to] = [{ x: event.clientX, y: event.clientY, off: [own[0] - here[0], own[1] - here[1]] }, null];
    held.add(node);
    node.setPointerCapture(event.pointerId);
    node.focus({ preventScroll: true });
    event.preventDefault();
  };
  const move = (/** @type {PointerEvent} */ event) => {
    if (!grip || (!to && Math.hypot(event.clientX - grip.x, event.clientY - grip.y) < 1)) return;
    const [[x, y], first] = [pixel(event), !to];
    to = [x + grip.off[0], y + grip.off[1]];
    drag?.(to, first);
  };
  const letGo = async (/** @type {PointerEvent} */ { type }) => {
    if (!grip) return;
    grip = null;
    await drop?.(type === "pointerup" ? to : null);
    if (!grip) held.delete(node);
    after?.();
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    step(way[0], way[1], event.shiftKey);
  };
  for (const [kind, heard] of /** @type {const} */ ([
    ["pointerdown", take], ["pointermove", move], ["pointerup", letGo], ["pointercancel", letGo], ["keydown", press],
  ])) node.addEventListener(kind, /** @type {EventListener} */ (heard));
}

/**
 * Makes an element a handle over the camera's picture, which it does not leave.
 * @param {HTMLElement} node
 * @param {() => Point | null} sizeOf  Of the camera's picture.
 * @param {Does} does
 */
export function sightHandle(node, sizeOf, { drag, drop, after, step }) {
  const size = () => sizeOf() ?? [1, 1];
  const pixel = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const [box, [w, high]] = [byId("sight").getBoundingClientRect(), size()];
    return /** @type {Point} */ ([(clientX - box.left) / box.width * w, (clientY - box.top) / box.height * high]);
  };
  handle(node, pixel, {
    after,
    step,
    drag: (to, first) => {
      putOnSight(node, to, size());
      drag?.(within(to, size()), first);
    },
    drop: (to) => drop?.(to && within(to, size())),
  });
}

/**
 * Puts a handle at a pixel of the camera's picture, no further than its edge.
 * @param {HTMLElement} node
 * @param {Point} at
 * @param {Point} size
 */
export function putOnSight(node, at, size) {
  const [x, y] = within(at, size);
  node.style.left = `${x / size[0] * 100}%`;
  node.style.top = `${y / size[1] * 100}%`;
}

/** @param {Point} at @param {Point} size @returns {Point} */
const within = ([x, y], [w, high]) => [Math.min(w, Math.max(0, x)), Math.min(high, Math.max(0, y))];

/**
 * The picture round a piece, with what is drawn on it, which is drawn again when its size changes.
 * @param {string} name
 * @param {string} href
 * @param {Point} size
 * @param {Element[]} drawn
 * @param {() => void} draw
 */
export function pictureRound(name, href, [w, high], drawn, draw) {
  // A pixel's centre is where its number says; a picture's begins half a pixel before it.
  const svg = el("svg", { viewBox: `-0.5 -0.5 ${w} ${high}`, role: "group", "aria-label": `The picture round ${name}` }, [
    el("image", { href, x: -0.5, y: -0.5, width: w, height: high }), ...drawn,
  ]);
  new ResizeObserver(draw).observe(svg);
  return svg;
}

/**
 * Where a pointer is on such a picture.
 * @param {SVGElement} svg
 * @param {MouseEvent} event
 * @returns {Point}
 */
export function pixelOn(svg, event) {
  const inside = /** @type {any} */ (svg).getScreenCTM().inverse();
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(inside);
  return [x, y];
}

/** A piece's outline over the picture round it, dragged by its edges with mouse, finger or arrow keys. */

import { h, heeding, sentence } from "../common/dom.js";
import { byId, el, say, set } from "../common/svg.js";
import { handle, pictureRound, pixelOn } from "./handles.js";
import { tapOutline } from "./setup_tapped.js";

/**
 * What the server tells, see `OutlineView` in `server/setup/fitting/fit_messages.py`.
 * @typedef {{name: string, look: number, size: [number, number], low: number[], high: number[], shape: [number, number][],
 *   front_in: number, rear_in: number, left_in: number, right_in: number, turn_deg: number, sure_in: number, words: string, may_tap: boolean}} Outline
 * @typedef {{clear: boolean, words: string, front_in: number, rear_in: number, left_in: number, right_in: number, turn_deg: number, sure_in: number}} Found
 * @typedef {{front: number, rear: number, left: number, right: number, turn: number}} Edges  Inches from the tag's centre, degrees.
 * @typedef {import("./handles.js").Point} Point
 */

const LEAST_IN = 0.2;
const STEP_IN = 0.01;
const STEP_DEG = 0.2;
/** How far a finger reaches, and how large a handle is drawn, pixels of the screen. */
const REACH = 22;
const KNOB = 7;
/** How far beyond the nose the handle stands that turns, inches. */
const AHEAD_IN = 0.4;

const NAMES = { front: "Nose", rear: "Tail", left: "Left side", right: "Right side", all: "Whole outline", turn: "Direction" };
/** @typedef {keyof typeof NAMES} Handle */

/**
 * Opens a card in which the outline of a piece is fitted.
 * @param {string} name
 * @param {(path: string, body: object) => Promise<any>} ask  Throws where the server refuses.
 * @param {(words: string) => void} complain
 */
export async function fitOutline(name, ask, complain) {
  await heeding(complain, async () => card(await ask("/api/setup/outline", { name }), ask, complain));
}

/**
 * @param {Outline} view
 * @param {(path: string, body: object) => Promise<any>} ask
 * @param {(words: string) => void} complain
 */
function card(view, ask, complain) {
  const drawing = new Drawing(view);
  const close = () => byId("fitting").replaceChildren();
  const keep = () => heeding(complain, async () => {
    const { front, rear, left, right, turn } = drawing.edges;
    await ask("/api/setup/outline/keep", {
      name: view.name, front_in: front, rear_in: rear, left_in: left, right_in: right, turn_deg: turn, by_camera: drawing.byCamera });
    close();
  });
  const unclear = h("p.wrong", { role: "alert" });
  const look = h("button", { type: "button", onclick: async () => {
    look.disabled = true;
    say(look, "Looking…");
    await heeding(complain, async () => {
      /** @type {Found} */
      const found = await ask("/api/setup/outline/find", { name: view.name });
      say(unclear, sentence(found.words));
      if (found.clear) drawing.take(found);
    });
    say(look, "Find the edges");
    look.disabled = false;
  } }, "Find the edges");
  byId("fitting").replaceChildren(h("article.card", { "aria-label": `Outline of ${view.name}` },
    h("h3", {}, `The outline of ${view.name}`),
    h("p.soft", {}, view.words),
    drawing.svg,
    drawing.said,
    unclear,
    h("div.choices", {}, look),
    h("div.choices", {},
      h("button.main", { type: "button", onclick: keep }, "Keep it"),
      h("button", { type: "button", onclick: () => fitOutline(view.name, ask, complain) }, "Look again"),
      view.may_tap && h("button", { type: "button", onclick: () => tapOutline(view.name, {
        ask, complain, stretch: (name) => fitOutline(name, ask, complain) }) }, "Tap it instead"),
      h("button", { type: "button", onclick: close }, "Stop"))));
  drawing.draw();
  byId("fitting").scrollIntoView({ block: "nearest" });
}

class Drawing {
  /** @param {Outline} view */
  constructor(view) {
    this.view = view;
    /** @type {Edges} */
    this.edges = { front: view.front_in, rear: view.rear_in, left: view.left_in, right: view.right_in, turn: view.turn_deg };
    this.sure = view.sure_in;
    this.byCamera = false;
    this.planes = [view.low, view.high];
    this.inverses = this.planes.map(inverted);
    this.hull = el("polygon", {});
    this.pointer = el("line", {});
    /** @type {Map<Handle, SVGElement>} */
    this.handles = new Map();
    for (const which of /** @type {Handle[]} */ (Object.keys(NAMES))) this.handles.set(which, this.handle(which));
    this.svg = pictureRound(view.name, `/api/setup/outline.jpg?look=${view.look}`, view.size,
      [this.hull, this.pointer, ...this.handles.values()], () => this.draw());
    this.said = h("p", { role: "status" });
  }

  /**
   * Begins with the edges that the camera found.
   * @param {Found} found
   */
  take(found) {
    this.edges = { front: found.front_in, rear: found.rear_in, left: found.left_in, right: found.right_in, turn: found.turn_deg };
    this.sure = found.sure_in;
    this.byCamera = true;
    this.draw();
  }

  /** @param {Handle} which */
  handle(which) {
    const node = el("g", { role: "slider", tabindex: 0, "aria-label": NAMES[which], "data-handle": which },
      [el("circle", { class: "hit" }), el("circle", { class: "knob" })]);
    handle(node, (event) => pixelOn(this.svg, event), {
      at: () => this.place(which), drag: (to) => this.drag(which, to), step: (...way) => this.step(which, ...way),
    });
    return node;
  }

  /**
   * A place on the body, inches from the tag, in the picture at one of the two heights.
   * @param {number} plane
   * @param {Point} at
   */
  seen(plane, at) {
    return mapped(this.planes[plane], turned(at, -this.edges.turn));
  }

  /**
   * The place on the body that a pixel shows at one of the two heights.
   * @param {number} plane
   * @param {Point} pixel
   */
  shown(plane, pixel) {
    return turned(mapped(this.inverses[plane], pixel), this.edges.turn);
  }

  /**
   * Where a handle stands in the picture: an edge's where the piece is seen to end.
   * @param {Handle} which
   * @returns {Point}
   */
  place(which) {
    const { front, rear, left, right } = this.edges;
    const middle = /** @type {Point} */ ([(front + rear) / 2, (left + right) / 2]);
    if (which === "all") return this.seen(1, middle);
    if (which === "turn") return this.seen(1, [front + AHEAD_IN, 0]);
    const edge = /** @type {Point} */ ({ front: [front, middle[1]], rear: [rear, middle[1]], left: [middle[0], left], right: [middle[0], right] }[which]);
    const [low, high] = [0, 1].map((plane) => this.seen(plane, edge));
    const centre = this.seen(0, middle);
    const out = [low[0] - centre[0], low[1] - centre[1]];
    return (high[0] - low[0]) * out[0] + (high[1] - low[1]) * out[1] > 0 ? high : low;
  }

  /**
   * A handle has been dragged to a pixel.
   * @param {Handle} which
   * @param {Point} pixel
   */
  drag(which, pixel) {
    if (which === "turn") {
      const [x, y] = mapped(this.inverses[1], pixel);
      this.change("turn", -Math.atan2(y, x) * 180 / Math.PI);
      return;
    }
    const [low, high] = [0, 1].map((plane) => this.shown(plane, pixel));
    if (which === "all") {
      const { front, rear, left, right } = this.edges;
      this.move(high[0] - (front + rear) / 2, high[1] - (left + right) / 2);
    } else if (which === "front") this.change(which, Math.min(low[0], high[0]));
    else if (which === "rear") this.change(which, Math.max(low[0], high[0]));
    else if (which === "left") this.change(which, Math.min(low[1], high[1]));
    else this.change(which, Math.max(low[1], high[1]));
  }

  /**
   * An arrow key.
   * @param {Handle} which
   * @param {number} right
   * @param {number} up
   * @param {boolean} far
   */
  step(which, right, up, far) {
    const by = STEP_IN * (far ? 5 : 1);
    if (which === "all") this.move(up * by, -right * by);
    else if (which === "turn") this.change("turn", this.edges.turn + (right - up) * STEP_DEG * (far ? 5 : 1));
    else if (which === "front" || which === "rear") this.change(which, this.edges[which] + (right + up) * by);
    else this.change(which, this.edges[which] + (up - right) * by);
  }

  /**
   * @param {number} ahead
   * @param {number} aside
   */
  move(ahead, aside) {
    const e = this.edges;
    this.edges = { ...e, front: e.front + ahead, rear: e.rear + ahead, left: e.left + aside, right: e.right + aside };
    this.draw();
  }

  /**
   * @param {keyof Edges} which
   * @param {number} value
   */
  change(which, value) {
    const e = this.edges;
    const least = { front: e.rear + LEAST_IN, left: e.right + LEAST_IN }[/** @type {string} */ (which)] ?? -Infinity;
    const most = { rear: e.front - LEAST_IN, right: e.left - LEAST_IN }[/** @type {string} */ (which)] ?? Infinity;
    this.edges = { ...e, [which]: Math.min(most, Math.max(least, value)) };
    this.draw();
  }

  draw() {
    const { front, rear, left, right, turn } = this.edges;
    const outline = this.view.shape.map(([x, y]) => /** @type {Point} */ ([rear + x * (front - rear), right + y * (left - right)]));
    const hull = hullOf([0, 1].flatMap((plane) => outline.map((at) => this.seen(plane, at))));
    set(this.hull, { points: hull.map((p) => p.map((v) => v.toFixed(2)).join()).join(" ") });
    const unit = this.view.size[0] / Math.max(this.svg.clientWidth, 100);
    const [from, to] = [this.place("front"), this.place("turn")];
    set(this.pointer, { x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
    for (const [which, node] of this.handles) {
      const [x, y] = this.place(which);
      set(node, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`, ...this.told(which) });
      set(node.children[0], { r: REACH * unit });
      set(node.children[1], { r: (which === "all" ? KNOB * 0.7 : KNOB) * unit });
    }
    const off = [-(front + rear) / 2, -(left + right) / 2];
    const aside = (/** @type {number} */ v, /** @type {string} */ plus, /** @type {string} */ minus) => `${Math.abs(v).toFixed(2)} in ${v < 0 ? minus : plus}`;
    say(this.said, `${(front - rear).toFixed(2)} in long, ${(left - right).toFixed(2)} in wide. The tag sits ${aside(off[0], "ahead of", "behind")} the middle and `
      + `${aside(off[1], "left", "right")} of it, its printed top ${Math.abs(turn).toFixed(1)}° ${turn < 0 ? "right" : "left"} of the nose. `
      + (this.byCamera ? `The camera found its edges to ±${this.sure.toFixed(2)} in: drag what is off.` : `An edge can be fitted to ±${this.sure.toFixed(2)} in here.`));
  }

  /**
   * What a reader of the screen is told of a handle.
   * @param {Handle} which
   */
  told(which) {
    const e = this.edges;
    const inches = which === "all" ? (e.front + e.rear) / 2 : which === "turn" ? e.turn : e[which];
    const words = which === "turn" ? `the tag is turned ${e.turn.toFixed(1)} degrees` : `${inches.toFixed(2)} inches from the tag`;
    return { "aria-valuenow": inches.toFixed(2), "aria-valuemin": which === "turn" ? -180 : -60, "aria-valuemax": which === "turn" ? 180 : 60, "aria-valuetext": words };
  }
}

/**
 * @param {number[]} m  A homography, row by row.
 * @param {Point} p
 * @returns {Point}
 */
function mapped(m, [x, y]) {
  const w = m[6] * x + m[7] * y + m[8];
  return [(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w];
}

/**
 * @param {number[]} m
 * @returns {number[]}
 */
function inverted([a, b, c, d, e, f, g, i, j]) {
  // The adjoint is the inverse but for a factor, which a homography does not mind.
  return [e * j - f * i, c * i - b * j, b * f - c * e, f * g - d * j, a * j - c * g, c * d - a * f, d * i - e * g, b * g - a * i, a * e - b * d];
}

/**
 * @param {Point} p
 * @param {number} degrees  Counter-clockwise.
 * @returns {Point}
 */
function turned([x, y], degrees) {
  const [cos, sin] = [Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)];
  return [cos * x - sin * y, sin * x + cos * y];
}

/**
 * The convex hull (Andrew's monotone chain).
 * @param {Point[]} points
 * @returns {Point[]}
 */
function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (/** @type {Point[]} */ from) => {
    /** @type {Point[]} */
    const chain = [];
    for (const p of from) {
      while (chain.length > 1 && cross(/** @type {Point} */ (chain.at(-2)), /** @type {Point} */ (chain.at(-1)), p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/**
 * @param {Point} o
 * @param {Point} a
 * @param {Point} b
 */
function cross(o, a, b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

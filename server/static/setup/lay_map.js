/** The drawing of a map that is laid: its cells are tapped, drawn over with the mouse, or reached with the arrow keys. */

import { el, say } from "../common/svg.js";

/**
 * @typedef {[number, number]} Point
 * @typedef {{id: string, name: string, words: string, outline: Point[]}} Cell
 * @typedef {{name: string, text: string, pieces: string[], lines: Point[][], bold: Point[][], names: [Point, string, number][],
 *   cells: Cell[], free: Cell[], wrong: string[], notes: string[]}} Layout
 */

/** Inches round the drawing. */
const ROUND = 0.5;

/** Where the arrow keys lead, to the right and up. */
const ARROWS = /** @type {Record<string, Point>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] });

/** How much larger or smaller the drawing is made at a time, and at most. */
const LARGER = 1.4, LARGEST = 4;

export class LayMap {
  /**
   * @param {SVGSVGElement} svg
   * @param {(ids: string[]) => void} put  Something is put on these cells.
   */
  constructor(svg, put) {
    this.svg = svg;
    this.put = put;
    /** @type {Map<string, Point>} Where the middle of each cell is that is drawn. */
    this.middles = new Map();
    /** The cell that the keyboard is on, and the column that it goes up and down in. */
    this.at = "";
    this.column = 0;
    /** @type {Set<string> | null} Cells that the mouse is drawn over. */
    this.stroke = null;
    this.stroked = false;
    this.zoom = 1;
    svg.addEventListener("pointerdown", (event) => this.pressed(event));
    svg.addEventListener("pointerover", (event) => this.over(event));
    document.addEventListener("pointerup", () => this.lifted());
    document.addEventListener("pointercancel", () => { this.stroke = null; });
    svg.addEventListener("click", (event) => this.clicked(event));
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focusin", (event) => this.enter(idOf(event)));
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    const id = idOf(event);
    // A finger pushes the drawing about, and taps.
    this.stroke = id && event.button === 0 && event.pointerType !== "touch" ? new Set([id]) : null;
    this.stroked = false;
  }

  /** @param {PointerEvent} event */
  over(event) {
    const id = idOf(event);
    if (!this.stroke || !id || !event.buttons) return;
    this.stroke.add(id);
    for (const one of this.stroke) this.node(one)?.classList.add("stroke");
  }

  lifted() {
    const ids = [...(this.stroke ?? [])];
    this.stroke = null;
    this.stroked = ids.length > 0;
    if (ids.length) this.put(ids);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const id = idOf(event);
    // A screen reader clicks without pressing first.
    if (id && (!this.stroked || event.detail === 0)) this.put([id]);
    this.stroked = false;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const id = idOf(event);
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.put([id]);
    else if (ARROWS[event.key]) this.go(id, ARROWS[event.key]);
    else return;
    event.preventDefault();
  }

  /**
   * To the nearest cell that way; up and down in the same column.
   * @param {string} from
   * @param {Point} way
   */
  go(from, [right, up]) {
    const here = this.middles.get(from);
    if (!here) return;
    const column = up ? this.column : here[0];
    let [best, least] = ["", Infinity];
    for (const [id, [x, y]] of this.middles) {
      const on = right * (x - here[0]) + up * (y - here[1]);
      const off = Math.abs(up ? x - column : y - here[1]);
      if (on > 0.3 && on + off < least) [best, least] = [id, on + off];
    }
    if (!best) return;
    this.node(best)?.focus();
    if (up) this.column = column;
  }

  /** @param {string} id */
  enter(id) {
    const middle = this.middles.get(id);
    if (!middle) return;
    this.node(this.at)?.setAttribute("tabindex", "-1");
    this.node(id)?.setAttribute("tabindex", "0");
    this.at = id;
    this.column = middle[0];
  }

  /**
   * @param {string} id
   * @returns {SVGElement | null}
   */
  node(id) {
    return id ? this.svg.querySelector(`[data-id="${CSS.escape(id)}"]`) : null;
  }

  /** @param {number} by */
  scale(by) {
    this.zoom = Math.min(LARGEST, Math.max(1, this.zoom * (by > 0 ? LARGER : 1 / LARGER)));
    this.svg.style.setProperty("--zoom", String(this.zoom));
  }

  /**
   * @param {Layout} layout
   * @param {boolean} free  Whether cells that may be laid are shown, too.
   */
  draw(layout, free) {
    const cells = [...(free ? layout.free : []), ...layout.cells];
    const focused = this.svg.contains(document.activeElement);
    this.middles = new Map(cells.map((c) => [c.id, middleOf(c.outline)]));
    if (!this.middles.has(this.at)) this.at = (layout.cells[0] ?? cells[0])?.id ?? "";
    const laid = new Set(layout.cells);
    this.svg.setAttribute("viewBox", boxOf(cells).join(" "));
    this.svg.style.setProperty("--wide", String(boxOf(cells)[2]));
    this.svg.replaceChildren(
      ...cells.map((c) => el("polygon", {
        points: c.outline.map(([x, y]) => `${x},${-y}`).join(" "), class: laid.has(c) ? "" : "free", role: "button",
        tabindex: c.id === this.at ? "0" : "-1", "data-id": c.id, "data-cell": c.name, "aria-label": labelOf(c, laid.has(c)),
      })),
      el("path", { d: path(layout.lines) }),
      el("path", { d: path(layout.bold), class: "bold" }),
      ...layout.names.map(([[x, y], words, height]) => {
        const node = el("text", { x, y: -y + height / 3, "font-size": 1.6 * height });
        say(node, words);
        return node;
      }),
    );
    if (focused) {
      const column = this.column;
      this.node(this.at)?.focus({ preventScroll: true });
      this.column = column;
    }
  }
}

/**
 * The cell of an event, by its id.
 * @param {Event} event
 */
function idOf(event) {
  const node = event.target instanceof Element ? event.target.closest("[data-id]") : null;
  return node?.getAttribute("data-id") ?? "";
}

/**
 * @param {Cell} cell
 * @param {boolean} laid
 */
function labelOf(cell, laid) {
  if (!laid) return `${cell.name}, nothing laid`;
  return cell.words ? `${cell.name}, ${cell.words}` : cell.name;
}

/** @param {Point[][]} lines */
function path(lines) {
  return lines.map((line) => `M${line.map(([x, y]) => `${x} ${-y}`).join("L")}`).join("");
}

/**
 * @param {Point[]} points
 * @returns {Point}
 */
function middleOf(points) {
  const mean = (/** @type {number} */ n) => points.reduce((sum, p) => sum + p[n], 0) / points.length;
  return [mean(0), mean(1)];
}

/**
 * What is seen, as left, top, width and height.
 * @param {Cell[]} cells
 */
function boxOf(cells) {
  const points = cells.flatMap((c) => c.outline);
  if (!points.length) return [0, 0, 12, 6];
  const [xs, ys] = [points.map((p) => p[0]), points.map((p) => -p[1])];
  const [left, top] = [Math.min(...xs) - ROUND, Math.min(...ys) - ROUND];
  return [left, top, Math.max(...xs) - left + ROUND, Math.max(...ys) - top + ROUND];
}

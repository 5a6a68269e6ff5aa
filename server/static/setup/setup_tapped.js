/** A piece's outline tapped corner by corner in the picture round it, with mouse, finger or keyboard. */

import { h, heeding, sentence, wordsOf } from "../common/dom.js";
import { lengthField, lengthIn } from "../common/lengths.js";
import { byId, el, say, set } from "../common/svg.js";
import { handle, pictureRound, pixelOn } from "./handles.js";

/**
 * What the server tells, see `TapView` and `TappedView` in `server/setup/fitting/fit_messages.py`.
 * @typedef {import("./handles.js").Point} Point
 * @typedef {"table" | "top"} Level
 * @typedef {{name: string, look: number, size: Point, shown: [number, number, number, number], per_inch: number, height_in: number,
 *   stated: Record<Level, Point[]>, words: string}} Look
 * @typedef {{refused: string | null, sure_in: number[], other: Point[], size_in: Point | null, words: string}} Tapped
 * @typedef {"finger" | "drag" | "mouse" | "keys" | "file"} Means
 * @typedef {{at: Point, by: Means, zoom: number}} Tap
 * @typedef {{ask: (path: string, body: object) => Promise<any>, complain: (words: string) => void, stretch: (name: string) => void}} Ways
 */

/** How far a finger reaches, how large a corner is drawn, and how near to a side a tap is on it: pixels of the screen. */
const REACH = 17;
const RING = 7;
const ON_SIDE = 10;
const STEP_IN = 0.01;
/** An outline of the file with more corners than these is no outline to begin with: a circle has 48. */
const MOST_STATED = 24;
const REMEMBERED = 200;
/** By how much a part of the picture is shown larger at once, and how wide the smallest part is, pixels of the picture. */
const NEARER = 1.6;
const LEAST_PX = 40;

/**
 * Opens a card in which the outline of a piece is tapped.
 * @param {string} name
 * @param {Ways} ways
 */
export async function tapOutline(name, ways) {
  await heeding(ways.complain, async () => new Card(await ways.ask("/api/setup/tapped", { name }), ways).show());
}

class Card {
  /**
   * @param {Look} look
   * @param {Ways} ways
   */
  constructor(look, ways) {
    this.look = look;
    this.ways = ways;
    /** @type {Tap[]} */
    this.taps = [];
    this.chosen = -1;
    /** @type {Level} */
    this.level = "table";
    /** @type {Tap[][]} */
    this.before = [];
    /** @type {Tapped | null} */
    this.made = null;
    /** What was asked of the server last, and whether its answer is awaited. */
    this.asked = "";
    this.asking = false;
    /** The part of the picture that is shown: x, y, width, height. @type {number[]} */
    this.part = look.shown;
    /** How the pointer that went down last taps. @type {Means} */
    this.pointer = "mouse";
    this.other = el("polygon", { class: "other" });
    this.hull = el("polygon", {});
    this.corners = el("g", {});
    this.svg = pictureRound(look.name, `/api/setup/tapped.jpg?look=${look.look}`, look.size,
      [this.other, this.hull, this.corners], () => this.draw());
    this.svg.classList.add("taps");
    this.svg.addEventListener("pointerdown", (event) => (this.pointer = event.pointerType === "mouse" ? "mouse" : "finger"), true);
    this.svg.addEventListener("click", (event) => this.tap(event));
    this.said = h("p", { role: "status" });
    this.height = lengthField({ low: 0, high: 100, required: true, value: String(look.height_in), oninput: () => this.check() });
    const name = `level-${look.look}`;
    const level = (/** @type {Level} */ value, /** @type {string} */ words) => h("label", {},
      h("input", { type: "radio", name, value, checked: value === this.level, onchange: () => { this.level = value; this.check(); } }), h("span", {}, words));
    const button = (/** @type {string} */ words, /** @type {() => void} */ onclick) => h("button", { type: "button", onclick }, words);
    this.keep = h("button.main", { type: "button", onclick: () => this.write() }, "Keep it");
    this.undo = button("Undo", () => this.back());
    this.away = button("Take the corner away", () => this.remove(this.chosen));
    this.begin = button("Begin with its outline", () => this.fromFile());
    this.nearer = button("Nearer", () => this.showPart(1 / NEARER));
    this.farther = button("Farther", () => this.showPart(NEARER));
    this.node = h("article.card", { "aria-label": `Tap the outline of ${look.name}`, onkeydown: (/** @type {KeyboardEvent} */ event) => this.press(event) },
      h("h3", {}, `The outline of ${look.name}, tapped`),
      h("p.soft", {}, look.words),
      h("fieldset", {}, h("legend", {}, "What is tapped"),
        h("div.picks", {}, level("table", "Where it meets the table"), level("top", "Its top edge"))),
      h("label", {}, "Its height, in", this.height),
      this.svg,
      this.said,
      h("div.choices", {}, this.undo, button("Add a corner", () => this.add()), this.away, this.nearer, this.farther, this.begin),
      h("div.choices", {}, this.keep, button("Look again", () => tapOutline(look.name, ways)),
        button("Stretch it instead", () => ways.stretch(look.name)), button("Stop", () => this.close())));
  }

  show() {
    byId("fitting").replaceChildren(this.node);
    this.check();
    this.node.scrollIntoView({ block: "nearest" });
  }

  close() {
    byId("fitting").replaceChildren();
  }

  /** How many pixels of the screen a pixel of the picture has. */
  get zoom() {
    const inside = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (this.svg)).getScreenCTM();
    return inside ? Math.max(0.05, inside.a) : 1;
  }

  /**
   * Shows a smaller or larger part of the picture, about the chosen corner.
   * @param {number} times
   */
  showPart(times) {
    const { size, shown } = this.look;
    const [x, y, w, high] = this.part;
    const about = this.taps[this.chosen]?.at ?? [x + w / 2, y + high / 2];
    // One shape for all: nothing below the picture moves.
    const most = Math.min(size[0] / shown[2], size[1] / shown[3]);
    const share = Math.min(most, w / shown[2] * times);
    const [wide, tall] = [shown[2] * share, shown[3] * share];
    const within = (/** @type {number} */ low, /** @type {number} */ long, /** @type {number} */ end) => Math.min(end - long, Math.max(0, low));
    this.part = [within(about[0] - wide / 2, wide, size[0]), within(about[1] - tall / 2, tall, size[1]), wide, tall];
    this.draw();
  }

  // What is done to the corners: each step can be undone.

  /** @param {Tap[]} taps @param {number} chosen */
  change(taps, chosen) {
    this.before.push(this.taps);
    if (this.before.length > REMEMBERED) this.before.shift();
    this.taps = taps;
    this.chosen = chosen;
    this.check();
  }

  back() {
    const before = this.before.pop();
    if (!before) return;
    this.taps = before;
    this.chosen = Math.min(this.chosen, before.length - 1);
    this.check();
  }

  /** @param {MouseEvent} event */
  tap(event) {
    if (event.target instanceof Element && event.target.closest("[data-corner]")) return;
    const at = pixelOn(this.svg, event);
    const side = this.sideAt(at);
    // What is tapped in between comes after the corner that its side begins at; all else goes on round the piece.
    const place = side < 0 ? this.taps.length : side + 1;
    this.change(spliced(this.taps, place, 0, { at, by: this.pointer, zoom: this.zoom }), place);
  }

  /**
   * The side that a tap is on, by its first corner; -1 for none. The last side is closed by going on.
   * @param {Point} at
   */
  sideAt(at) {
    const near = this.taps.slice(0, -1).map((tap, n) => ({ n, far: distance(at, tap.at, this.taps[n + 1].at) * this.zoom }));
    const best = near.sort((a, b) => a.far - b.far)[0];
    return this.taps.length > 2 && best && best.far < ON_SIDE ? best.n : -1;
  }

  /** A further corner without pointing: in the middle of the side after the chosen one, the first three round the middle. */
  add() {
    const count = this.taps.length;
    const [x, y, w, high] = this.look.shown;
    /** @type {Point} */
    let at = [x + w * (0.5 + 0.25 * Math.sin(count * 2.1)), y + high * (0.5 - 0.25 * Math.cos(count * 2.1))];
    const after = count > 2 && this.chosen >= 0 ? this.chosen : count - 1;
    if (count > 2) {
      const [from, to] = [this.taps[after].at, this.taps[(after + 1) % count].at];
      at = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    }
    this.change(spliced(this.taps, after + 1, 0, { at, by: "mouse", zoom: this.zoom }), after + 1);
    this.focus(after + 1);
  }

  /** @param {number} n */
  remove(n) {
    if (n < 0) return;
    const held = document.activeElement?.closest("[data-corner]");
    this.change(spliced(this.taps, n, 1), Math.min(n, this.taps.length - 2));
    if (held && this.chosen >= 0) this.focus(this.chosen);
  }

  fromFile() {
    this.change(this.look.stated[this.level].map((at) => ({ at, by: "file", zoom: 1 })), -1);
  }

  /** @param {number} n */
  focus(n) {
    /** @type {SVGElement | null} */ (this.corners.querySelector(`[data-corner="${n}"]`))?.focus();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && event.target !== this.height) {
      event.preventDefault();
      this.back();
      return;
    }
    const corner = event.target instanceof Element ? event.target.closest("[data-corner]") : null;
    if (!corner) return;
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    this.remove(Number(corner.getAttribute("data-corner")));
    event.preventDefault();
  }

  /**
   * Moves a corner; `anew` is a step to undo, else it goes on with the last one.
   * @param {number} n
   * @param {Point} at
   * @param {Means} by
   */
  put(n, at, by, anew = true) {
    const taps = spliced(this.taps, n, 1, { at, by, zoom: this.zoom });
    if (anew) this.change(taps, n);
    else {
      this.taps = taps;
      this.check();
    }
  }

  /** @param {number} n */
  corner(n) {
    const node = el("g", { role: "button", tabindex: 0, "data-corner": n },
      [el("circle", { class: "hit" }), el("circle", { class: "ring" }), el("circle", { class: "dot" }), el("text", {})]);
    handle(node, (event) => pixelOn(this.svg, event), {
      at: () => this.taps[n].at,
      // One drag is one step to undo.
      drag: (at, first) => this.put(n, at, this.pointer === "mouse" ? "mouse" : "drag", first),
      step: (right, up, far) => {
        const [x, y] = this.taps[n].at;
        const by = STEP_IN * this.look.per_inch * (far ? 5 : 1);
        this.put(n, [x + right * by, y - up * by], "keys");
      },
    });
    node.addEventListener("focus", () => {
      this.chosen = n;
      this.draw();
    });
    return node;
  }

  // What the server makes of it.

  get body() {
    return { name: this.look.name, look: this.look.look, level: this.level, height_in: lengthIn(this.height) ?? 0, taps: this.taps };
  }

  /** Draws what there is now and asks what it comes to: one question at a time, the newest last. */
  async check() {
    this.draw();
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.asked !== JSON.stringify(this.body)) {
        const body = this.body;
        const made = await this.ways.ask("/api/setup/tapped/check", body);
        this.asked = JSON.stringify(body);
        this.made = made;
        this.draw();
      }
    } catch (error) {
      this.made = null;
      this.ways.complain(wordsOf(error));
    } finally {
      this.asking = false;
    }
  }

  async write() {
    if (!this.height.reportValidity()) return;
    await heeding(this.ways.complain, async () => {
      await this.ways.ask("/api/setup/tapped/keep", this.body);
      this.close();
    });
  }

  draw() {
    const { taps, look } = this;
    const [x, y, w, high] = this.part;
    set(this.svg, { viewBox: `${x - 0.5} ${y - 0.5} ${w} ${high}` });
    set(this.hull, { points: taps.map(({ at }) => at.map((v) => v.toFixed(2)).join()).join(" ") });
    const fresh = this.made && this.asked === JSON.stringify(this.body) ? this.made : null;
    set(this.other, { points: (fresh?.other ?? []).map((p) => p.join()).join(" ") });
    while (this.corners.children.length > taps.length) this.corners.lastElementChild?.remove();
    while (this.corners.children.length < taps.length) this.corners.append(this.corner(this.corners.children.length));
    const unit = 1 / this.zoom;
    const middle = [0, 1].map((k) => taps.reduce((sum, tap) => sum + tap.at[k], 0) / Math.max(1, taps.length));
    taps.forEach(({ at }, n) => {
      const node = /** @type {SVGElement} */ (this.corners.children[n]);
      const sure = fresh?.sure_in[n];
      set(node, {
        transform: `translate(${at[0].toFixed(2)} ${at[1].toFixed(2)})`, "data-chosen": String(n === this.chosen),
        "aria-label": `Corner ${n + 1} of ${taps.length}${sure === undefined ? "" : `, known to ±${sure.toFixed(2)} inches`}`,
      });
      const [hit, ring, dot, text] = node.children;
      set(hit, { r: REACH * unit });
      set(ring, { r: RING * unit });
      set(dot, { r: 1.5 * unit });
      const out = [at[0] - middle[0], at[1] - middle[1]];
      const far = Math.hypot(out[0], out[1]) || 1;
      set(text, { x: out[0] / far * 18 * unit, y: out[1] / far * 18 * unit, "font-size": 14 * unit });
      say(text, String(n + 1));
    });
    const chosen = this.chosen >= 0 && fresh ? fresh.sure_in[this.chosen] : undefined;
    say(this.said, !fresh ? "…" : fresh.refused !== null ? sentence(fresh.refused)
      : `${fresh.words}${chosen === undefined ? "" : ` Corner ${this.chosen + 1}: ±${chosen.toFixed(3)} in.`}`);
    this.keep.disabled = !fresh || fresh.refused !== null;
    this.undo.disabled = this.before.length === 0;
    this.away.disabled = this.chosen < 0 || !taps.length;
    say(this.away, this.chosen < 0 ? "Take the corner away" : `Take corner ${this.chosen + 1} away`);
    this.begin.hidden = taps.length > 0 || look.stated[this.level].length > MOST_STATED;
    this.nearer.disabled = w < LEAST_PX;
    this.farther.disabled = w > look.size[0] - 1 || high > look.size[1] - 1;
  }
}

/**
 * How far a point is from a side.
 * @param {Point} p
 * @param {Point} a
 * @param {Point} b
 */
function distance(p, a, b) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const along = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy || 1);
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(p[0] - a[0] - share * dx, p[1] - a[1] - share * dy);
}

/**
 * The corners with some taken out at a place, and others put there.
 * @param {Tap[]} taps
 * @param {number} place
 * @param {number} out
 * @param {Tap[]} put
 */
function spliced(taps, place, out, ...put) {
  const others = [...taps];
  others.splice(place, out, ...put);
  return others;
}

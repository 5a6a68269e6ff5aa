/** The board or map that a game is played on: put on the picture by two rings, by mouse, finger or arrow keys. */

import { h, rebuild, wordsOf } from "../common/dom.js";
import { lengthField, lengthIn, putLength } from "../common/lengths.js";
import { byId, el, keyed } from "../common/svg.js";
import { isHeld, putOnSight, sightHandle } from "./handles.js";

/**
 * What the server says of it, see `server/setup/board/board_messages.py`.
 * @typedef {{id: string, words: string, sides: [string, string] | null, size: [number, number] | null, spacing_in: number | null}} Offer
 * @typedef {{id: string, lines: [number, number][][], rings: [number, number][], words: string,
 *   stretches: boolean, may_keep: boolean}} Draft
 * @typedef {{offers: Offer[], kept: string, draft: Draft | null}} Board
 * @typedef {{ring?: number, to?: [number, number], by_in?: [number, number], quarter?: boolean}} Move
 * @typedef {(path: string, body?: object) => Promise<any>} Ask
 */

const NAMES = ["Ring 1: moves the board", "Ring 2: turns the board"];
const STEP_IN = 0.25;
const FINE_IN = 0.05;

export class BoardStep {
  /**
   * @param {HTMLElement} node
   * @param {Ask} ask  Throws where the server refuses.
   * @param {(words: string) => void} complain
   */
  constructor(node, ask, complain) {
    this.ask = ask;
    this.complain = complain;
    /** @type {Board | null} */
    this.board = null;
    /** @type {[number, number] | null} */
    this.size = null;
    this.may = false;
    /** What is still to be asked while an answer is under way. @type {Move[]} */
    this.wanted = [];
    this.busy = false;
    this.which = h("select", {});
    this.sides = [0, 1].map(() => lengthField({ low: 1, high: 600 }));
    this.sideNames = [0, 1].map(() => h("span", {}));
    this.sideLabels = [0, 1].map((k) => h("label", { hidden: true }, this.sideNames[k], this.sides[k]));
    this.apart = lengthField({ low: 0.5, high: 6 });
    this.apartLabel = h("label", { hidden: true }, "Cells apart, in", this.apart);
    this.stretch = h("input", { type: "checkbox" });
    this.put = h("button", { type: "submit" }, "Put it on the picture");
    this.kept = h("div", {});
    this.draft = h("div", { "aria-live": "polite" });
    this.which.addEventListener("change", () => this.chosen());
    this.fold = h("details", { id: "board-drag", name: "on-picture" },
      h("summary", {}, "A board or map to play on"),
      h("p.soft", {}, "For a game with cells: lay the printed map on the table, or draw the cells, and say here where they lie. A game on a bare table needs none."),
      this.kept,
      h("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.choose(this.which.value); } },
        h("label", {}, "Which", this.which),
        h("div.fields", {}, ...this.sideLabels, this.apartLabel),
        h("div.choices", {}, this.put)),
      this.draft);
    this.fold.addEventListener("toggle", () => this.fold.open ? this.look() : this.show());
    node.append(this.fold);
  }

  /**
   * What the page saw last: rings move with the camera.
   * @param {{may_change: boolean, size: [number, number] | null, surface: {kept: boolean}}} view
   */
  update({ may_change, size, surface }) {
    this.fold.hidden = !surface.kept;
    this.may = may_change;
    this.size = size;
    this.put.disabled = !may_change;
    if (this.fold.open && !this.busy && ![...byId("board-rings").children].some(isHeld)) this.look();
  }

  async look() {
    if (document.hidden) return;
    await this.does("/api/setup/board");
  }

  /** @param {string} id */
  async choose(id) {
    const asked = /** @type {Record<string, any>} */ ({ id });
    if (this.offer()?.sides) asked.size = this.sides.map(lengthIn);
    if (!this.apartLabel.hidden && this.apart.value) asked.spacing_in = lengthIn(this.apart);
    if (await this.does("/api/setup/board/choose", id === this.which.value ? asked : { id }) && this.board?.draft) byId("sight").scrollIntoView({ block: "nearest" });
  }

  /** What is chosen begins with its own sizes. */
  chosen() {
    const offer = this.offer();
    this.sideLabels.forEach((label, k) => {
      label.hidden = !offer?.sides;
      this.sideNames[k].textContent = offer?.sides?.[k] ?? "";
      putLength(this.sides[k], offer?.size ? String(offer.size[k]) : "");
      this.sides[k].required = !label.hidden;
    });
    this.apartLabel.hidden = typeof offer?.spacing_in !== "number";
    putLength(this.apart, "");
    this.apart.placeholder = String(offer?.spacing_in ?? "");
  }

  offer() {
    return this.board?.offers.find((one) => one.id === this.which.value);
  }

  /**
   * @param {string} path
   * @param {object} [body]
   */
  async does(path, body) {
    this.busy = true;
    try {
      this.board = /** @type {Board} */ (await this.ask(path, body));
      if (body) this.complain("");
      this.show();
      return true;
    } catch (error) {
      if (body) this.complain(wordsOf(error));
      return false;
    } finally {
      this.busy = false;
      this.goOn();
    }
  }

  goOn() {
    const asked = this.busy ? undefined : this.wanted.shift();
    if (asked) this.does("/api/setup/board/move", { ...asked, stretch: this.stretch.checked });
  }

  /**
   * Of where a ring is dragged only the newest place counts, and steps add up: no answer lags behind a hand.
   * @param {Move} asked
   */
  move(asked) {
    const last = this.wanted.at(-1);
    if (last && last.ring === asked.ring && last.to && asked.to) last.to = asked.to;
    else if (last && last.ring === asked.ring && last.by_in && asked.by_in) last.by_in = [last.by_in[0] + asked.by_in[0], last.by_in[1] + asked.by_in[1]];
    else this.wanted.push(asked);
    this.goOn();
  }

  show() {
    const { board, size } = this;
    const draft = this.fold.open ? board?.draft ?? null : null;
    if (board) {
      const at = this.which.value;
      rebuild(this.which, board.offers, () => board.offers.map(({ id, words }) => h("option", { value: id, selected: id === at }, words)));
      if (!at) this.chosen();
    }
    rebuild(this.kept, [board?.kept, this.may, draft?.id], () => !board?.kept ? [] : [
      h("p", {}, `This table has: ${board.kept}`),
      h("div.choices", {},
        draft?.id !== "kept" && h("button", { type: "button", disabled: !this.may, onclick: () => this.choose("kept") }, "Move it"),
        h("button", { type: "button", disabled: !this.may, onclick: () => this.does("/api/setup/board/drop", {}) }, "Take it out")),
    ]);
    rebuild(this.draft, [draft && [draft.words, draft.may_keep, draft.stretches], this.may], () => !draft ? [] : [
      h("p", { "data-wrong": String(!draft.may_keep) }, draft.words),
      h("p.soft", {}, "Drag ring 1 in the picture onto its corner of the board, then ring 2 onto the other one, until the lines lie on those of the board. Or choose a ring and press the arrow keys: a quarter of an inch each, with Shift a twentieth."),
      draft.stretches && h("label.tick", {}, this.stretch, h("span", {}, "Drawn by hand: ring 2 also says how far apart the cells are")),
      h("div.choices", {},
        h("button.main", { type: "button", disabled: !draft.may_keep || !this.may, onclick: () => this.does("/api/setup/board/keep", {}) }, "Keep it here"),
        h("button", { type: "button", onclick: () => this.move({ quarter: true }) }, "Turn it a quarter"),
        h("button", { type: "button", onclick: () => this.choose("") }, "Stop")),
    ]);
    byId("board-lines").replaceChildren(...(draft?.lines ?? []).map((line) => el("polyline", { points: line.map((p) => p.join()).join(" ") })));
    const rings = size && draft && this.may ? draft.rings.map((at, n) => ({ at, n })) : [];
    keyed(byId("board-rings"), rings, ({ n }) => String(n), ({ n }) => this.ring(n), (node, { at }) => {
      if (size && !isHeld(node)) putOnSight(/** @type {HTMLElement} */ (node), at, size);
    });
  }

  /** @param {number} n */
  ring(n) {
    const node = h("button.corner", { type: "button", "aria-label": NAMES[n] }, h("span", {}, String(n + 1)));
    sightHandle(node, () => this.size, {
      drag: (to) => this.move({ ring: n, to }),
      after: () => this.show(),
      step: (right, up, fine) => {
        const by = fine ? FINE_IN : STEP_IN;
        this.move({ ring: n, by_in: [right * by, up * by] });
      },
    });
    return node;
  }
}

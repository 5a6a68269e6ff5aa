/** What the coach told: the best things that can or could have been done, and where they put a piece. */

import { h, rebuild, sentence } from "./dom.js";
import { patiently } from "./patient.js";
import { byId, el, keyed, say, set } from "./svg.js";

/** @typedef {import("./types.js").Outline} Outline */
/**
 * @typedef {{words: string, leads_to: string, better: number, worth_words: string, done: boolean, piece: string | null,
 *   outline: Outline, nose: Outline}} Prospect
 * @typedef {{since_s?: number, until_s?: number | null, player: string | null, words: string, did: Prospect | null,
 *   best: Prospect[]}} Coached
 */

export class CoachAnswer {
  /**
   * @param {import("./board.js").Board} board
   * @param {(player: string) => string} colour  A player's.
   */
  constructor(board, colour) {
    this.board = board;
    this.colour = colour;
    this.layer = el("g", { class: "marked coach" });
    board.layers.labels.before(this.layer);
    /** What was asked last: a late answer to another question is not shown. */
    this.asked = "";
    /** @type {Coached | null} */
    this.told = null;
    /** @type {Prospect | null} */
    this.picked = null;
  }

  /**
   * Asks, and shows what is told, unless something else was asked meanwhile.
   * @param {string} address
   * @param {HTMLElement} button  The one that asks.
   */
  async askAt(address, button) {
    const words = button.textContent ?? "";
    this.asked = address;
    this.show(null);
    /** @type {HTMLButtonElement} */ (button).disabled = true;
    say(button, "Thinking…");
    try {
      const answer = await patiently(address);
      const told = await answer.json();
      if (this.asked !== address) return;
      if (answer.ok) this.show(told);
      else say(byId("coach-words"), sentence(`${told.error}.`));
    } finally {
      /** @type {HTMLButtonElement} */ (button).disabled = false;
      say(button, words);
    }
  }

  /** @param {Coached | null} told */
  show(told) {
    this.told = told;
    this.picked = null;
    this.list();
    this.drawGhost();
  }

  /** @param {Prospect} prospect */
  pick(prospect) {
    this.picked = this.picked === prospect ? null : prospect;
    this.list();
    this.drawGhost();
    if (this.picked?.outline.length) byId("stage").scrollIntoView({ block: "nearest" });
  }

  list() {
    const { told, picked } = this;
    say(byId("coach-words"), told?.words ?? "");
    byId("coach-unit").hidden = !told?.best.length;
    rebuild(byId("coach-list"), [told, picked], () => {
      const did = told?.did ? [this.line(told.did, "Done")] : [];
      return told ? [...did, ...told.best.map((prospect, k) => this.line(prospect, String(k + 1)))] : [];
    });
  }

  /**
   * @param {Prospect} prospect
   * @param {string} sign
   */
  line(prospect, sign) {
    const drawn = prospect.outline.length > 0;
    const inside = [
      h("span.sign", {}, sign),
      h("span.words", {}, sentence(prospect.words)),
      h("span.leads", {}, `${sentence(prospect.leads_to)}.`),
      sign === "Done" ? null : h("span.worth", { data: { better: String(prospect.better > 0.005) } }, prospect.worth_words),
    ];
    if (!drawn) return h("li", {}, h("div.line", {}, inside));
    return h("li", {}, h("button.line", { type: "button", data: { focus: `coach ${sign}` }, "aria-pressed": String(this.picked === prospect), onclick: () => this.pick(prospect) }, inside));
  }

  drawGhost() {
    // Inches belong on the table seen from above; over the camera's picture they would lie.
    const ghost = this.board.flip < 0 ? this.picked : null;
    const parts = ghost ? [{ id: "place", name: "polygon", outline: ghost.outline }, { id: "nose", name: "polyline", outline: ghost.nose }] : [];
    keyed(this.layer, parts, (p) => p.id, (p) => el(p.name, { class: p.id }), (node, p) => {
      set(node, { points: this.board.points(p.outline) });
      /** @type {SVGElement} */ (node).style.setProperty("--owner", this.told?.player ? this.colour(this.told.player) : "");
    });
  }
}

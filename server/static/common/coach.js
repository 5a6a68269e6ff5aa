/** What the coach told: the best that can or could have been done and what was done, and where they put a piece. */

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

  /**
   * What is drawn: what was done, and beside it what is picked, else the best; each with its sign in the list.
   * @returns {{sign: string, prospect: Prospect}[]}
   */
  drawn() {
    const { told, picked } = this;
    if (!told) return [];
    const { did, best } = told;
    const other = picked && picked !== did ? picked : did ? best.find((one) => one.outline.length) : null;
    const done = did ? [{ sign: "Done", prospect: did }] : [];
    // What was done is drawn once, also where nothing better was found.
    const beside = other && !(did?.outline.length && other.done) ? [{ sign: String(best.indexOf(other) + 1), prospect: other }] : [];
    return [...done, ...beside].filter(({ prospect }) => prospect.outline.length);
  }

  drawGhost() {
    // Inches belong on the table seen from above; over the camera's picture they would lie.
    const drawn = this.board.flip < 0 ? this.drawn() : [];
    const parts = drawn.flatMap(({ sign, prospect: { outline, nose } }) => {
      const cls = sign === "Done" ? " did" : "";
      return [{ name: "polygon", cls: `place${cls}`, outline }, { name: "polyline", cls: `nose${cls}`, outline: nose }];
    });
    const named = drawn.map(({ sign, prospect }) => ({ name: sign, outline: prospect.outline }));
    const anew = JSON.stringify(named) !== JSON.stringify(this.board.could);
    this.board.could = named;
    keyed(this.layer, parts, (p) => `${p.name} ${p.cls}`, (p) => el(p.name, { class: p.cls }), (node, p) => {
      set(node, { points: this.board.points(p.outline) });
      /** @type {SVGElement} */ (node).style.setProperty("--owner", this.told?.player ? this.colour(this.told.player) : "");
    });
    // Their names are the board's to place: between two pictures nobody else does.
    if (anew && this.board.state && this.board.flip < 0) this.board.draw(this.board.state, null);
  }
}

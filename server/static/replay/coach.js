/** The coach: what whoever had to act at this moment could have done, beside what they did. Only where it is asked. */

import { h, rebuild, sentence } from "../common/dom.js";
import { patiently } from "../common/patient.js";
import { byId, el, keyed, say, set } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {import("../common/types.js").Outline} Outline */
/**
 * @typedef {{words: string, leads_to: string, better: number, worth_words: string, done: boolean, piece: string | null,
 *   outline: Outline, nose: Outline}} Prospect
 * @typedef {{since_s: number, until_s: number | null, player: string | null, words: string, did: Prospect | null,
 *   best: Prospect[]}} Coached
 */

const ASK = "What could I have done?";

export class CoachPanel {
  /**
   * @param {string} game
   * @param {import("../common/board.js").Board} board
   * @param {(player: string) => string} colour  A player's.
   */
  constructor(game, board, colour) {
    this.game = game;
    this.board = board;
    this.colour = colour;
    this.layer = el("g", { class: "marked coach" });
    board.layers.labels.before(this.layer);
    /** @type {{at_s: number, unit: string} | null} */
    this.now = null;
    /** What was asked last: a late answer to another question is not shown. */
    this.asked = "";
    this.unit = "";
    /** @type {Coached | null} */
    this.told = null;
    /** @type {Prospect | null} */
    this.picked = null;
    byId("coach-ask").addEventListener("click", () => this.ask());
  }

  /** Lets go of an answer about another moment. @param {State} state */
  draw({ time, selection }) {
    this.now = time === null ? null : { at_s: time, unit: selection.unit };
    const { told, now } = this;
    const holds = told && now && now.unit === this.unit && now.at_s >= told.since_s && (told.until_s === null || now.at_s < told.until_s);
    if (told && !holds) this.show(null);
    this.drawGhost();
  }

  async ask() {
    if (!this.now) return;
    const { at_s, unit } = this.now;
    const query = new URLSearchParams({ t: at_s.toFixed(3), unit });
    this.asked = String(query);
    this.show(null);
    this.busy(true);
    try {
      const answer = await patiently(`/api/games/${encodeURIComponent(this.game)}/coach?${query}`);
      const told = await answer.json();
      if (this.asked !== String(query)) return;
      this.unit = unit;
      if (answer.ok) this.show(told);
      else say(byId("coach-words"), sentence(`${told.error}.`));
    } finally {
      this.busy(false);
    }
  }

  /** @param {boolean} thinking */
  busy(thinking) {
    /** @type {HTMLButtonElement} */ (byId("coach-ask")).disabled = thinking;
    say(byId("coach-ask"), thinking ? "Thinking…" : ASK);
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

/** The coach: what whoever had to act at this moment could have done, beside what they did. Only where it is asked. */

import { CoachAnswer } from "../common/coach.js";
import { byId } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */

export class CoachPanel extends CoachAnswer {
  /**
   * @param {string} game
   * @param {import("../common/board.js").Board} board
   * @param {(player: string) => string} colour  A player's.
   */
  constructor(game, board, colour) {
    super(board, colour);
    this.game = game;
    /** @type {{at_s: number, unit: string} | null} */
    this.now = null;
    this.unit = "";
    byId("coach-ask").addEventListener("click", () => this.ask());
  }

  /** Lets go of an answer about another moment. @param {State} state */
  draw({ time, selection }) {
    this.now = time === null ? null : { at_s: time, unit: selection.unit };
    const { told, now } = this;
    const holds = told && now && now.unit === this.unit && now.at_s >= (told.since_s ?? 0) && ((told.until_s ?? null) === null || now.at_s < Number(told.until_s));
    if (told && !holds) this.show(null);
    this.drawGhost();
  }

  async ask() {
    if (!this.now) return;
    const { at_s, unit } = this.now;
    this.unit = unit;
    const query = new URLSearchParams({ t: at_s.toFixed(3), unit });
    await this.askAt(`/api/games/${encodeURIComponent(this.game)}/coach?${query}`, byId("coach-ask"));
  }
}

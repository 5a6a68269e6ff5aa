/** The match as it stood at the moment that is shown: whose turn, the order of play and the record sheets. */

import { patiently } from "../common/patient.js";
import { byId } from "../common/svg.js";
import { coloured } from "../play/marks.js";
import { SheetsPanel } from "../play/sheets.js";
import { StatusPanel } from "../play/status.js";

/**
 * @typedef {{since_s: number, until_s: number | null, status: import("../play/playtypes.js").Status | null,
 *   sheets: import("../play/playtypes.js").Sheet[], colours: Record<string, string>, owners: Record<string, string>,
 *   marks: import("../play/playtypes.js").Mark[]}} MatchThen
 */

/** A match that is still being recorded is asked for again after so many milliseconds. */
const AGAIN_MS = 2000;

export class MatchPanel {
  /**
   * @param {string} game
   * @param {() => void} told  Called when the match is told anew.
   */
  constructor(game, told) {
    this.game = game;
    this.told = told;
    this.sheets = new SheetsPanel(byId("sheets"), {});
    this.status = new StatusPanel(byId("turn"), byId("order"));
    /** @type {MatchThen | null} */
    this.shown = null;
    this.asked = 0;
    this.heard = -Infinity;
    this.busy = false;
    this.wanted = 0;
  }

  /** Asks anew where the match does not stand any more as it is shown. @param {number} at_s */
  draw(at_s) {
    this.wanted = at_s;
    const { since_s: since, until_s: until } = this.shown ?? { since_s: Infinity, until_s: 0 };
    const fits = at_s >= since && (until === null ? performance.now() - this.heard < AGAIN_MS : at_s < until);
    if (!fits && !this.busy) this.fetch(at_s);
  }

  /** @param {number} at_s */
  async fetch(at_s) {
    this.busy = true;
    try {
      const answer = await patiently(`/api/games/${encodeURIComponent(this.game)}/match?t=${at_s.toFixed(3)}`);
      const none = { since_s: 0, until_s: null, status: null, sheets: [], colours: {}, owners: {}, marks: [] };
      this.show(answer.ok ? await answer.json() : none);
    } finally {
      this.busy = false;
      this.heard = performance.now();
    }
    if (this.shown && Math.abs(this.wanted - at_s) > 0.001) this.draw(this.wanted);
  }

  /**
   * The table with every piece in its player's colour, with their letters, as the pages of the game have it.
   * @param {import("../common/types.js").State} state
   */
  coloured(state) {
    const told = this.shown;
    // Before the match begins the pieces are those of its players already.
    if (!told || !Object.keys(told.owners).length) return state;
    const players = Object.entries(told.colours).map(([name, colour]) => ({ name, colour, machine: null }));
    const pieces = Object.entries(told.owners).map(([name, owner]) => ({ name, owner, answers: {} }));
    return coloured(state, { draft: { game: "", answers: {}, players, pieces }, match: { sheets: told.sheets } });
  }

  /** What a page of the game would draw of the match: what lies on the table besides the pieces. */
  get play() {
    const { status, marks } = this.shown ?? { status: null, marks: [] };
    return /** @type {import("../play/playtypes.js").Play} */ (/** @type {unknown} */ ({ guide: null, match: status && { ghosts: [], marks } }));
  }

  /** @param {MatchThen} told */
  show(told) {
    const anew = JSON.stringify(told) !== JSON.stringify(this.shown);
    this.shown = told;
    if (anew) this.told();
    byId("match").hidden = told.status === null;
    const seats = Object.entries(told.colours).map(([player, colour]) => ({ player, colour, taken: false }));
    // What a page of the game knows, as far as it is known of a record.
    const play = /** @type {import("../play/playtypes.js").Play} */ (
      /** @type {unknown} */ ({ seats, game: {}, me: { owner: false }, draft: { players: [] }, match: told.status && { status: told.status, sheets: told.sheets } })
    );
    this.status.draw(play);
    byId("sheets-fold").hidden = told.sheets.length === 0;
    this.sheets.draw(play);
  }
}

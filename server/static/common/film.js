/** What is watched, where nobody can play on it or not this game: says so, and offers a simulated table instead. */

import { h, rebuild, wordsOf } from "./dom.js";
import { ask } from "./patient.js";

/** @typedef {import("./types.js").State} State */

/** The simulated table for a first game: two cars each, near one another. */
export const FIRST = "sim:duel";

/**
 * Watches another source from now on, in the same process.
 * @param {string} spec
 * @returns {Promise<string>}  What is wrong, in a sentence; empty if nothing is.
 */
export async function watch(spec) {
  return ask("/api/source", { spec }).then(() => "", wordsOf);
}

/** Over what is to do in a game. */
export class FilmNotice {
  /**
   * @param {HTMLElement} node
   * @param {(error: string) => void} refuse
   */
  constructor(node, refuse) {
    this.node = node;
    this.refuse = refuse;
    this.busy = false;
  }

  /**
   * @param {State | null} table
   * @param {import("../play/playtypes.js").Play | null} play
   */
  draw(table, play) {
    const why = table && play ? unplayable(table, play) : "";
    this.node.hidden = why === "";
    if (!play) return;
    const { simulated, boards } = play.game;
    const other = boards[0] === "free" ? "Take a bare simulated table" : "Take the simulated table that has it";
    const words = table?.source.film ? "Play on the simulated table" : other;
    rebuild(this.node, [why, simulated, play.me.owner, this.busy], () => [
      h("p", {}, why),
      simulated && play.me.owner && h("button.deed.main", { type: "button", id: "on-simulated", disabled: this.busy, onclick: () => this.go(simulated) }, this.busy ? "Laying the table…" : words),
    ]);
  }

  /** @param {string} spec */
  async go(spec) {
    this.busy = true;
    const error = await watch(spec);
    this.busy = false;
    if (error) this.refuse(error);
  }
}

/**
 * Why this game cannot be played on what is watched; empty where it can.
 * @param {State} table
 * @param {import("../play/playtypes.js").Play} play
 */
export function unplayable({ source }, { game, phase }) {
  if (source.film) return "This is a film: its cars drive by themselves, and nobody can play on it.";
  if (source.can_move && phase === "setup" && game.boards.length > 0 && !game.boards.includes(source.board)) {
    if (game.boards[0] === "free") return `${game.title} is played on a bare table, and this simulated table has a board.`;
    return `${game.title} is played on a board of its own, which this simulated table does not have.`;
  }
  return "";
}

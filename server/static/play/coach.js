/** The coach in a game that goes on: where the players allow it, whoever's turn it is asks, on their own page. */

import { CoachAnswer } from "../common/coach.js";
import { byId } from "../common/svg.js";
import { colourOf } from "./status.js";

/** @typedef {import("./playtypes.js").Play} Play */

export class CoachPanel extends CoachAnswer {
  /** @param {import("../common/board.js").Board} board */
  constructor(board) {
    super(board, (player) => (this.play && colourOf(this.play, player)) || "");
    /** @type {Play | null} */
    this.play = null;
    /** What is answered now, and the game's number then. @type {{what: "can" | "could", number: number} | null} */
    this.about = null;
    byId("coach-can").addEventListener("click", () => this.ask("can"));
    byId("coach-could").addEventListener("click", () => this.ask("could"));
    byId("coach-close").addEventListener("click", () => this.clear());
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    const { match, me, modes } = play;
    const on = modes.coach && play.game.measures && match !== null && !match.status.over && (me.owner || me.player !== null);
    byId("coach").hidden = !on;
    const machines = new Set(play.machines.map((m) => m.player));
    byId("coach-can").hidden = !match?.options.some((o) => o.mine && !machines.has(String(o.player)));
    // What can be done now is another thing once something has been done, and so is that nothing could be judged.
    const went = this.about !== null && this.about.number !== play.number;
    const stale = this.about?.what === "can" || (this.told !== null && !this.told.best.length);
    if (this.about && (!on || (went && stale))) this.clear();
    this.drawGhost();
  }

  /** @param {"can" | "could"} what */
  async ask(what) {
    if (!this.play) return;
    this.about = { what, number: this.play.number };
    byId("coach-close").hidden = false;
    await this.askAt(`/api/play/coach?${new URLSearchParams({ what, number: String(this.play.number) })}`, byId(`coach-${what}`));
  }

  clear() {
    this.about = null;
    this.asked = "";
    byId("coach-close").hidden = true;
    this.show(null);
  }
}

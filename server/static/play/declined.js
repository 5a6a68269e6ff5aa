/** Tells whoever has proposed something that nothing comes of it. */

import { h, sentence } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Proposal} Proposal */

export class Declined {
  /** @param {import("./ask.js").Asker} asker */
  constructor(asker) {
    this.asker = asker;
    /** What is proposed from here, and the log beside which it was told. @type {{own: Proposal[], log: string}} */
    this.last = { own: [], log: "" };
    /** What was taken back here: that is no news. @type {Set<string>} */
    this.back = new Set();
    /** What is still to be told. @type {Proposal[]} */
    this.untold = [];
    asker.dialog.addEventListener("close", () => this.tell());
  }

  /**
   * Hears what is asked from here.
   * @param {Record<string, unknown>} request
   */
  asked({ type, proposal, agrees }) {
    if (type === "agree" && !agrees) this.back.add(String(proposal));
  }

  /** The page is connected anew: what waited before may have been done since. */
  anew() {
    this.last = { own: [], log: "" };
    this.untold = [];
  }

  /**
   * A proposal that is gone although nothing has happened was declined, or could not be done.
   * @param {Play} play
   */
  heed({ match }) {
    const waiting = match?.proposals ?? [];
    const own = waiting.filter((p) => p.own);
    const log = JSON.stringify(match?.log ?? null);
    // Whoever leaves their seat has left their proposals there; another one of that kind stands in its place.
    const there = (/** @type {Proposal} */ p) => waiting.some(({ id }) => id === p.id) || own.some(({ kind }) => kind === p.kind);
    const gone = this.last.own.filter((p) => !there(p) && !this.back.has(p.id));
    if (match && log === this.last.log) this.untold.push(...gone);
    else this.untold = [];
    this.last = { own, log };
    this.tell();
  }

  /** Tells it once nothing else is asked. */
  tell() {
    if (!this.untold.length || this.asker.dialog.open) return;
    const told = this.untold.splice(0);
    this.asker.show("Not agreed to", [
      ...told.map(({ words }) => h("p.why", {}, sentence(words))),
      h("p.soft", {}, "It was declined, or cannot be done any more. Propose it again, or do something else."),
    ], [h("button.button", { type: "button", onclick: () => this.asker.dialog.close() }, "Understood")]);
  }
}

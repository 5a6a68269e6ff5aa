/** Tells whoever has proposed something that nothing comes of it, and everybody of a dispute that a restart has closed. */

import { h, sentence } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Declined} Told */

/** Where a window keeps what was understood in it: a phone draws its page anew whenever it was put away. */
const KEPT = "declined";

export class Declined {
  /** @param {import("./ask.js").Asker} asker */
  constructor(asker) {
    this.asker = asker;
    /** What was told in this window, by its id. @type {Set<string>} */
    this.told = new Set(understood());
    /** What is still to be told. @type {Told[]} */
    this.untold = [];
    asker.dialog.addEventListener("close", () => this.tell());
  }

  /** @param {Play} play */
  heed({ match }) {
    this.untold = (match?.declined ?? []).filter(({ id }) => !this.told.has(id));
    this.tell();
  }

  /** Tells it once nothing else is asked. */
  tell() {
    if (!this.untold.length || this.asker.dialog.open) return;
    const news = this.untold.splice(0);
    for (const { id } of news) this.told.add(id);
    this.asker.show("Nothing came of it", [
      ...news.flatMap(({ words, why, advice }, k) => [
        h("p.why", {}, `${sentence(words)}.`),
        h("p", {}, `${sentence(why)}.`),
        advice !== news[k + 1]?.advice && h("p.soft", {}, advice),
      ]),
    ], [h("button.button", { type: "button", onclick: () => this.close(news) }, "Understood")]);
  }

  /** @param {Told[]} news  What was understood. */
  close(news) {
    this.asker.dialog.close();
    try {
      sessionStorage.setItem(KEPT, JSON.stringify([...understood(), ...news.map(({ id }) => id)]));
    } catch {
      // Without storage it is told once more on the next page.
    }
  }
}

/** @returns {string[]} */
function understood() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

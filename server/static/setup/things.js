/** What lies on the table that nobody has named: asked about in one tap. */

import { h, rebuild } from "../common/dom.js";
import { byId } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */

const WHAT = { flat: "Flat: dice or paper", nothing: "Nothing is there" };

export class Things {
  /** @param {(words: string) => void} refused */
  constructor(refused) {
    this.refused = refused;
    this.box = byId("things");
  }

  /** @param {State} state */
  draw({ things = [] }) {
    this.box.hidden = !things.length;
    rebuild(this.box, [things.map((t) => t.name)], () => (things.length ? [
      h("h3", {}, things.length > 1 ? "What are these?" : "What is this?"),
      ...things.map(({ name, words }) => h("article", { "aria-label": name },
        h("p", {}, words),
        h("p.actions", {}, Object.entries(WHAT).map(([what, label]) =>
          h("button", { type: "button", "aria-label": `${name}: ${label}`, onclick: () => this.say(name, what) }, label))))),
      h("p.soft", {}, "Or take it away: it goes from here by itself."),
    ] : []));
  }

  /**
   * @param {string} name
   * @param {string} what
   */
  async say(name, what) {
    const body = JSON.stringify({ name, what });
    const answer = await fetch("/api/things", { method: "POST", headers: { "content-type": "application/json" }, body }).catch(() => null);
    if (!answer?.ok) this.refused(answer ? (await answer.json()).error : "The referee does not answer; is it still running?");
  }
}

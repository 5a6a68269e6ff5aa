/** Beside the notice that what is stated cannot all be true: by how much, since when, and going on all the same. */

import { h, rebuild, wordsOf } from "../common/dom.js";
import { ask } from "../common/patient.js";
import { byId } from "../common/svg.js";

const PATH = "/api/contradiction";

/** @typedef {{asked: boolean, gone_on: boolean, may_say: boolean, words: string, leads_to: string}} View */

export class GoingOn {
  /** @param {(words: string) => void} refused */
  constructor(refused) {
    this.refused = refused;
    this.box = byId("going-on");
    this.busy = false;
    this.query = "";
  }

  /**
   * Only where nothing fits is anything asked for.
   * @param {boolean} contradicted
   * @param {string} query
   */
  async heed(contradicted, query) {
    this.query = query;
    if (!contradicted) return this.show(null);
    const view = await ask(PATH + query).catch(() => null);
    if (view) this.show(view);
  }

  async say() {
    this.busy = true;
    await ask(PATH, null, "POST").then(() => this.heed(true, this.query), (error) => this.refused(wordsOf(error)));
    this.busy = false;
  }

  /** @param {View | null} view */
  show(view) {
    const told = view?.words ? view : null;
    this.box.hidden = !told;
    rebuild(this.box, [told], () => (told ? [
      h("h3", {}, told.gone_on ? "Gone on, less surely" : "Nothing is ruled until this is settled"),
      h("p", {}, `${told.words[0].toUpperCase()}${told.words.slice(1)}.`),
      told.gone_on ? h("p.soft", {}, told.leads_to)
        : told.may_say ? h("p.actions", {}, h("button", { type: "button", onclick: () => this.busy || this.say() }, "Go on, less surely"), h("span.soft", {}, told.leads_to))
        : h("p.soft", {}, "The owner of the table can settle it, or go on less surely."),
    ] : []));
  }
}

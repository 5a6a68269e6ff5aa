/** Beside a notice that names a wrong number of the table file: take the camera's, or measure it again. */

import { h, wordsOf } from "../common/dom.js";
import { lengthField, lengthIn } from "../common/lengths.js";
import { ask } from "../common/patient.js";
import { byId } from "../common/svg.js";
import { GoingOn } from "./going_on.js";
import { SameCamera } from "./same_camera.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {{key: string, words: string, ours: string | null, measure: string[]}} Doubted */
/** @typedef {{may_change: boolean, doubts: Doubted[]}} View */

export class Settling {
  /** @param {(words: string) => void} refused */
  constructor(refused) {
    this.refused = refused;
    this.box = byId("settle");
    this.camera = new SameCamera();
    this.goingOn = new GoingOn(refused);
    /** @type {string | null} */
    this.heard = null;
    this.drawn = "";
    this.asked = 0;
  }

  /**
   * What is doubted is asked for anew only when what is told has changed.
   * @param {State} state
   */
  draw(state) {
    const heard = JSON.stringify([state.selection.unit, state.notices]);
    if (heard === this.heard) return;
    this.heard = heard;
    this.look(`?unit=${state.selection.unit}`);
  }

  /** @param {string} query */
  async look(query) {
    this.asked += 1;
    const number = this.asked;
    // Most notices are about other things: whether a number is doubted is what health tells.
    const health = await ask("/healthz").catch(() => null);
    if (number !== this.asked || !health) return;
    this.camera.heed(health.another_camera);
    this.goingOn.heed(health.consistent === false, query);
    if (health.doubts.length) this.ask("", null, query);
    else this.show({ may_change: false, doubts: [] });
  }

  /**
   * @param {string} what
   * @param {object | null} body
   * @param {string} [query]
   */
  async ask(what, body, query = "") {
    this.asked += 1;
    const number = this.asked;
    try {
      const told = await ask(`/api/doubts${what}${query}`, body);
      if (number === this.asked) this.show(told);
    } catch (error) {
      if (body) this.refused(wordsOf(error));
    }
  }

  /** @param {View} view */
  show(view) {
    const open = view.may_change ? view.doubts.filter((d) => d.ours || d.measure.length) : [];
    const drawn = JSON.stringify(open.map((d) => d.key));
    if (drawn === this.drawn) {
      // The camera's number changes a little all the time: the buttons stay under the hand.
      this.box.querySelectorAll("article > p:first-child").forEach((p, n) => (p.textContent = said(open[n])));
      return;
    }
    this.drawn = drawn;
    this.box.hidden = !open.length;
    const title = open.length > 1 ? "Settle it: one of these" : "Settle it";
    this.box.replaceChildren(...(open.length ? [h("h3", {}, title)] : []), ...open.map((d) => this.card(d)));
  }

  /** @param {Doubted} doubted */
  card(doubted) {
    const { key, words, ours, measure } = doubted;
    const inputs = measure.map((name) => lengthField({ low: 0, high: 600, required: true, "aria-label": name }));
    const typed = h("form.measured", {
      hidden: true,
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        this.settle("/measured", { key, lengths_in: inputs.map(lengthIn) });
      },
    }, inputs.map((input, n) => h("label", {}, `inches ${measure[n]} `, input)), h("button", { type: "submit" }, "Keep"));
    const again = h("button", {
      type: "button",
      "aria-expanded": "false",
      onclick: () => {
        typed.hidden = !typed.hidden;
        again.setAttribute("aria-expanded", String(!typed.hidden));
        if (!typed.hidden) inputs[0].focus();
      },
    }, "Measure again");
    return h("article.doubt", { "aria-label": words },
      h("p", {}, said(doubted)),
      h("p.actions", {},
        ours && h("button.primary", { type: "button", onclick: () => this.settle("/take", { key }) }, "Take ours"),
        measure.length ? again : null),
      measure.length ? typed : null);
  }

  /**
   * @param {string} what
   * @param {object} body
   */
  settle(what, body) {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.ask(what, body);
  }
}

/** @param {Doubted} doubted */
function said({ words, ours }) {
  return ours ? `Ours: ${ours}.` : words;
}

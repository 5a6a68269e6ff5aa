/** What is disputed: what was done last, a question that is picked, or a decision that is had again. */

import { hour } from "../common/dom.js";
import { patiently } from "../common/patient.js";
import { QuestionForm, questionsAt } from "./asking.js";
import { byId, keyed, say } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {import("../common/types.js").Offer} Offer */

export class ChooseDialog {
  /** @param {(step: string, body: object) => void} act */
  constructor(act) {
    this.act = act;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("dispute-choose"));
    this.unit = "in";
    /** When it was opened, milliseconds: a question is asked of the table as it stood then. */
    this.opened = 0;
    this.form = new QuestionForm("choose", (pieces) => questionsAt("/api/questions", this.unit, pieces));
    byId("choose-close").addEventListener("click", () => this.dialog.close());
    byId("choose-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.act("", { ...this.form.asked(), back_s: (performance.now() - this.opened) / 1000 });
    });
  }

  /**
   * Opens it; without a match, what is measured on this page is disputed at once.
   * @param {State} state
   */
  async open(state) {
    [this.opened, this.unit] = [performance.now(), state.selection.unit];
    const answer = await patiently(`/api/disputes/offer?unit=${this.unit}`).catch(() => null);
    if (!answer?.ok) return this.act("", {});
    /** @type {Offer} */
    const offer = await answer.json();
    const [{ playing }, { ruling }] = [offer, state];
    if (!playing && ruling) return this.act("", { pieces: ruling.pieces, question: ruling.key });
    this.draw(offer);
    this.form.offer(state.pieces.map((p) => p.name), playing ? [] : state.selection.pieces);
    /** @type {HTMLDetailsElement} */ (byId("choose-else")).open = !offer.subjects.length;
    say(byId("choose-said"), "");
    if (!document.querySelector("dialog[open]")) this.dialog.showModal();
  }

  /** @param {Offer} offer */
  draw({ playing, restarted, subjects, decided }) {
    byId("choose-none").hidden = !playing || subjects.length > 0;
    byId("choose-restarted").hidden = !restarted;
    rows("choose-subjects", subjects, (s) => s.key, (s) => s.words, (s) => this.act("", { key: s.key }), (s) => s.more);
    const again = decided.filter((d) => d.may_reopen);
    byId("choose-again").hidden = !again.length;
    rows("choose-decided", again, (d) => d.id, decidedWords, (d) => this.act(`${d.id}/reopen`, {}));
  }
}

/**
 * A decision with its hour, and that it is not in force any more.
 * @param {Offer["decided"][number]} decided
 */
function decidedWords({ words, at, stands }) {
  return `Open again: ${hour(at)}, ${stands ? "in force" : "taken back since"}. ${words}`;
}

/**
 * A list of buttons.
 * @template T
 * @param {string} id
 * @param {T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => string} words
 * @param {(item: T) => void} chosen
 * @param {(item: T) => string} more what stands small below its words
 */
export function rows(id, items, key, words, chosen, more = () => "") {
  keyed(byId(id), items, key, () => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.append(document.createElement("span"), document.createElement("span"));
    item.append(button);
    return item;
  }, (node, item) => {
    const button = /** @type {HTMLButtonElement} */ (node.firstElementChild);
    const [said, beside] = /** @type {HTMLElement[]} */ ([...button.children]);
    say(said, words(item));
    say(beside, more(item));
    beside.className = "more";
    beside.hidden = !more(item);
    button.onclick = () => chosen(item);
  });
}

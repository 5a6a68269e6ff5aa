/** A question that is picked: a list for each piece, one for the next, and the questions about them. */

import { patiently } from "../common/patient.js";
import { byId, say } from "../common/svg.js";

const MOST_PICKED = 8;

/** @typedef {import("../common/types.js").Question} Question */

export class QuestionForm {
  /**
   * @param {string} name what the ids of the form's parts begin with
   * @param {(pieces: string[]) => string} address where the questions about pieces are told
   */
  constructor(name, address) {
    this.name = name;
    this.address = address;
    this.form = /** @type {HTMLFormElement} */ (byId(`${name}-form`));
    /** @type {string[]} */
    this.picked = [];
    /** @type {string[]} */
    this.names = [];
    /** The address of what is offered. */
    this.offered = "";
  }

  get list() {
    return /** @type {HTMLSelectElement} */ (/** @type {unknown} */ (this.form.elements.namedItem("question")));
  }

  asked() {
    return { pieces: this.picked, question: this.list.value };
  }

  /**
   * @param {string[]} names the pieces that there are
   * @param {string[]} pieces those that are picked
   * @param {string} [key] the question to choose; else the chosen one stays, where there is such a one
   */
  async offer(names, pieces, key) {
    const address = this.address(pieces);
    const changed = address !== this.offered;
    [this.names, this.picked, this.offered] = [names, pieces, address];
    byId(`${this.name}-pieces`).replaceChildren(...[...pieces, ...(pieces.length < MOST_PICKED ? [""] : [])].map((piece, k) => this.pickList(piece, k)));
    if (changed) {
      const answer = await patiently(address).catch(() => null);
      if (!answer?.ok || this.offered !== address) return;
      /** @type {Question[]} */
      const questions = await answer.json();
      const whole = questions.filter((q) => !q.missing);
      key ??= this.list.value;
      this.list.replaceChildren(...whole.map((q) => new Option(q.label, q.key)));
      const missing = whole.length ? "" : (questions[0]?.missing ?? "another piece");
      say(byId(`${this.name}-missing`), `Still to be picked: ${missing}.`);
      byId(`${this.name}-missing`).hidden = !missing;
      for (const button of this.form.querySelectorAll("button")) button.disabled = Boolean(missing);
    }
    if (key !== undefined && [...this.list.options].some((option) => option.value === key)) this.list.value = key;
  }

  /**
   * The list of one piece of the question; a piece that stands in another place changes places with it.
   * @param {string} piece
   * @param {number} place
   */
  pickList(piece, place) {
    const label = document.createElement("label");
    const list = document.createElement("select");
    list.append(new Option("–", ""), ...this.names.map((name) => new Option(name, name)));
    list.value = piece;
    list.addEventListener("change", () => {
      const pieces = [...this.picked];
      const other = pieces.indexOf(list.value);
      if (other >= 0) pieces[other] = piece;
      pieces[place] = list.value;
      this.offer(this.names, pieces.filter(Boolean));
    });
    label.append(place ? "And" : "About", list);
    return label;
  }
}

/**
 * Where questions are told, with these pieces picked.
 * @param {string} path
 * @param {string} unit
 * @param {string[]} pieces
 */
export function questionsAt(path, unit, pieces) {
  const query = new URLSearchParams({ unit });
  for (const piece of pieces) query.append("piece", piece);
  return `${path}?${query}`;
}

/** What lies on the table that nobody has named: asked about in one tap; terrain is kept with its outline. */

import { h, wordsOf } from "../common/dom.js";
import { lengthField, lengthIn, putLength } from "../common/lengths.js";
import { ask } from "../common/patient.js";
import { keyed } from "../common/svg.js";
import { sideLook } from "./side_look.js";

/**
 * @typedef {{name: string, words: string}} Thing
 * @typedef {{things: Thing[], away: string[], taken: string[], may: boolean}} Seen  `away` are pieces without a tag that
 *   left their places, `taken` the names that are in use.
 */

const PATH = "/api/things";

export class Things {
  /**
   * @param {HTMLElement} box
   * @param {(words: string) => void} refused
   * @param {() => void} [done]
   */
  constructor(box, refused, done = () => {}) {
    this.refused = refused;
    this.done = done;
    this.box = box;
    this.title = h("h3", {});
    this.cards = h("div", {});
    this.gone = h("div", {});
    this.foot = h("p.soft", {}, "Or take it away: it goes from here by itself.");
    /** @type {string[]} */
    this.taken = [];
    box.append(this.title, this.cards, this.gone, this.foot);
  }

  /** @param {Seen} seen */
  draw({ things, away, taken, may }) {
    this.taken = [...taken, ...away];
    this.box.hidden = !may || !(things.length || away.length);
    this.foot.hidden = this.title.hidden = !things.length;
    this.title.textContent = things.length > 1 ? "What are these?" : "What is this?";
    keyed(this.cards, things, (t) => t.name, (t) => this.card(t), (node, t) => node.dispatchEvent(new CustomEvent("known", { detail: { thing: t, away } })));
    keyed(this.gone, away, (name) => name, (name) => h("article", { "aria-label": name },
      h("p", {}, `${name} does not stand where it was outlined.`),
      h("p.actions", {}, h("button", { type: "button", "aria-label": `${name} is off the table`, onclick: () => this.say("off", { piece: name }) }, "It is off the table"))), () => {});
  }

  /**
   * @param {Thing} thing
   * @returns {HTMLElement}
   */
  card({ name }) {
    const words = h("p", {});
    const moved = h("span.actions", {});
    const called = h("input", { maxLength: 40, required: true, autocomplete: "off", "aria-label": `Name of ${name}` });
    const height = lengthField({ low: 0.05, high: 40, required: true, "aria-label": `Height of ${name}, in` });
    /** What a photograph told; null once somebody types another. @type {number | null} */
    let measured = null;
    const basis = h("p.soft", {}, "Its outline is the camera's; its height is what you say.");
    const by = (/** @type {number | null} */ found) => {
      measured = found;
      if (found !== null) putLength(height, String(found));
      basis.textContent = found === null ? "Its outline is the camera's; its height is what you say." : "Its outline is the camera's; its height is the photograph's.";
    };
    height.addEventListener("input", () => by(null));
    const form = h("form", { hidden: true, onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.say("keep", { name, called: called.value.trim(), height_in: measured === null ? lengthIn(height) : null });
    } },
      h("div.fields", {}, h("label", {}, "Name", called), h("label", {}, "Height above the table, in", height)),
      sideLook(name, by, this.refused), basis,
      h("p.actions", {}, h("button.main", { type: "submit", "aria-label": `Keep ${name}` }, "Keep it")));
    const terrain = (/** @type {Event} */ { currentTarget }) => {
      /** @type {HTMLElement} */ (currentTarget).setAttribute("aria-pressed", "true");
      form.hidden = false;
      called.value ||= free(this.taken);
      height.focus();
    };
    const tap = (/** @type {string} */ label, /** @type {(event: Event) => void} */ onclick) => h("button", { type: "button", "aria-label": `${name}: ${label}`, onclick }, label);
    const node = h("article", { "aria-label": name }, words,
      h("p.actions", {}, tap("Terrain", terrain), tap("Flat: dice or paper", () => this.say("", { name, what: "flat" })),
        tap("Nothing is there", () => this.say("", { name, what: "nothing" })), moved), form);
    node.addEventListener("known", (/** @type {Event} */ event) => {
      const { thing, away } = /** @type {CustomEvent} */ (event).detail;
      if (words.textContent !== thing.words) words.textContent = thing.words;
      keyed(moved, away, (/** @type {string} */ piece) => piece,
        (/** @type {string} */ piece) => tap(`It is ${piece}, moved`, () => this.say("moved", { name, piece })), () => {});
    });
    return node;
  }

  /**
   * @param {string} how
   * @param {object} said
   */
  async say(how, said) {
    await ask(how ? `${PATH}/${how}` : PATH, said).then(() => this.done(), (error) => this.refused(wordsOf(error)));
  }
}

/**
 * A name that no piece has.
 * @param {string[]} taken
 */
function free(taken) {
  const known = taken.map((name) => name.toLowerCase());
  let n = 1;
  while (known.includes(`rock ${n}`)) n += 1;
  return `Rock ${n}`;
}

/** The step Print: what somebody has, what will be read from this camera, and one PDF of it. */

import { h, sentence } from "../common/dom.js";
import { GamePart } from "./setup_print_game.js";
import { stripLinks } from "./setup_strip.js";

/**
 * What the server says of it, see `server/setup/printing/print_messages.py`.
 * @typedef {{size_in: number, middle_px: number, corner_px: number, read: string, words: string}} Size
 * @typedef {{ids: string, sizes: Size[], proposed_in: number | null, words: string, paper: string, on: string,
 *   games: import("./setup_print_game.js").Choice[], game: import("./setup_print_game.js").GameAdvice}} Advice
 */

const WAIT_MS = 250;
const SIZES = [0.75, 0.9, 1.1];
const USUAL = 0.9;

export class PrintStep {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.size = 0;
    /** Whether somebody chose a size: then the proposed one is only told. */
    this.chosen = false;
    /** What the last question was, so that only another one is asked. */
    this.asked = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.soon = undefined;
    this.seen = "";
    this.corners = h("input", { type: "checkbox", name: "corners", checked: true });
    /** Whether somebody said themselves whether corner tags are wanted. */
    this.said = false;
    /** Whether somebody chose the paper. */
    this.papered = false;
    this.place = h("div.picks", {});
    /** @type {{size: number, mark: HTMLElement, radio: HTMLInputElement}[]} */
    this.picks = [];
    SIZES.forEach((size) => this.addPick(size));
    this.told = h("p", { role: "status" });
    this.words = h("p.soft", {});
    this.ids = h("p.soft", {});
    this.paper = h("p", { "aria-live": "polite" });
    this.game = new GamePart();
    this.wrong = h("p.wrong", { role: "alert", hidden: true });
    this.link = h("a.go", { target: "_blank", id: "print-sheet" }, "Make the PDF");
    const number = (/** @type {string} */ name, /** @type {string} */ words, /** @type {number} */ value, /** @type {number} */ most, step = 1) =>
      h("label", {}, words, h("input", { type: "number", name, min: step < 1 ? "0.5" : "0", max: String(most), step: String(step), value: String(value), required: true }));
    // Which paper is told by the system that tableref runs on, until somebody says another.
    this.sheet = h("select", { name: "paper" }, h("option", { value: "letter" }, "US Letter"), h("option", { value: "a4" }, "A4"));
    this.form = h("form", { id: "print-form", oninput: (/** @type {Event} */ event) => this.changed(event), onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      if (this.link.href) this.link.click();
    } },
      h("div.fields", {}, number("cars", "Cars", 6, 60), number("holders", "Without flat roof", 0, 60),
        number("terrain", "Pieces of terrain", 4, 60), number("spares", "Spare tags", 2, 60),
        number("width_ft", "Table width, ft", 4, 30, 0.5), number("depth_ft", "Table depth, ft", 4, 30, 0.5),
        h("label", {}, "Paper", this.sheet)),
      this.game.node,
      h("label.tick", {}, this.corners, h("span", {}, "Corner tags too")),
      h("fieldset", {}, h("legend", {}, "Roof tag's black square"),
        this.place),
      this.told,
      this.words, this.ids, this.paper, this.wrong,
      h("div.choices", {}, this.link),
      this.game.sheets,
      h("p.soft", {}, "Print at 100 %, on matte paper. A car without a flat roof gets a paper bridge: its legs fold down, its feet are glued before and behind the cockpit."),
      h("p.soft", {}, "To prove the inches later (step Check) a sheet of paper will do, or a check strip, printed on ", stripLinks(), "."));
    this.details = h("details", {}, h("summary", {}, "One sheet for what you have"), this.form);
    place.append(this.details);
    this.pick([], null);
  }

  /** @param {number} size inches */
  addPick(size) {
    const mark = h("small", {});
    const radio = h("input", { type: "radio", name: "size_in", value: String(size), "aria-label": `${size} inch` });
    this.picks.push({ size, mark, radio });
    this.place.append(h("label", {}, radio, h("span", {}, `${size} in`, mark)));
  }

  /** @param {Event} event */
  changed({ target }) {
    if (target === this.corners) this.said = true;
    if (target === this.sheet) this.papered = true;
    this.game.changed(target);
    if (target instanceof HTMLInputElement && target.name === "size_in") {
      this.chosen = true;
      this.size = Number(target.value);
    }
    // An answer that is still under way is one to what the form said before.
    this.asked = "";
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.ask(), WAIT_MS);
  }

  /**
   * What the page sees now: other tags or another table make another sheet.
   * @param {import("./setup.js").Setup} view
   */
  update({ surface, tags, size, step, table, pieces }) {
    // Nobody who has all corner tags on the table wants them again, and the step steps back.
    const laid = surface.kept || surface.seen.length >= 4;
    if (!this.said) this.corners.checked = !laid;
    if (!this.details.dataset.shown && step !== "camera") {
      this.details.dataset.shown = "yes";
      this.details.open = !laid;
    }
    // Where the table is found, its size is known.
    for (const name of ["width_ft", "depth_ft"]) {
      const field = /** @type {HTMLInputElement} */ (this.form.elements.namedItem(name));
      const label = /** @type {HTMLElement} */ (field.closest("label"));
      label.hidden = field.disabled = surface.found;
    }
    this.seen = JSON.stringify([table, surface.kept, surface.found, size, tags.map((t) => t.tag), pieces.length]);
    this.ask();
  }

  async ask() {
    const query = this.query();
    const asked = `${query} ${this.seen}`;
    if (asked === this.asked) return;
    this.asked = asked;
    // What is not a number here is told here, in the browser's own words, beside the field.
    const bad = /** @type {HTMLInputElement | null} */ (this.form.querySelector("input:invalid"));
    if (bad) {
      this.tell(`${bad.closest("label")?.firstChild?.textContent}: ${bad.validationMessage}`);
      return;
    }
    try {
      const answer = await fetch(`/api/setup/print?${query}`);
      const said = await answer.json();
      if (asked !== this.asked) return;
      if (!answer.ok) this.tell(said.error);
      else this.show(said);
    } catch {
      this.asked = "";
    }
  }

  query() {
    const fields = new FormData(this.form);
    fields.delete("corners");
    fields.delete("size_in");
    if (!this.papered) fields.delete("paper");
    this.game.add(fields);
    const query = new URLSearchParams(/** @type {any} */ (fields));
    query.set("corners", String(this.corners.checked));
    query.set("size_in", String(this.size || USUAL));
    return String(query);
  }

  /** @param {string} words */
  tell(words) {
    this.wrong.textContent = sentence(words);
    this.wrong.hidden = !words;
    // A link without an address is one that cannot be followed.
    if (words) this.link.removeAttribute("href");
    else this.link.href = `/api/setup/print.pdf?${this.query()}`;
    this.link.setAttribute("aria-disabled", String(Boolean(words)));
  }

  /** @param {Advice} advice */
  show({ ids, sizes, proposed_in, words, paper, on, games, game }) {
    if (this.game.show(games, game)) this.ask();
    if (!this.chosen && proposed_in !== null && this.size !== proposed_in) {
      this.size = proposed_in;
      this.ask();
    }
    this.pick(sizes, proposed_in);
    this.words.textContent = words;
    this.ids.textContent = ids && `Ids: ${ids}.`;
    this.paper.textContent = paper;
    if (!this.papered) this.sheet.value = on;
    this.game.link(this.query());
    this.tell("");
  }

  /**
   * Marks the size that is proposed, and tells of the chosen one what will be read.
   * @param {Size[]} sizes
   * @param {number | null} proposed
   */
  pick(sizes, proposed) {
    const at = this.size || USUAL;
    // Under a camera with few pixels larger ones are offered, too.
    for (const { size_in } of sizes) if (!this.picks.some((p) => p.size === size_in)) this.addPick(size_in);
    for (const { size, mark, radio } of this.picks) {
      radio.checked = size === at;
      mark.textContent = size === proposed ? "proposed" : "";
    }
    this.told.textContent = sizes.find((s) => s.size_in === at)?.words ?? "";
  }
}

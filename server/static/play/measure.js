/** Measuring at any time, before anything is done: from one piece to another, what the book asks of the two. */

import { h, rebuild } from "../common/dom.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {import("./playtypes.js").Play} Play */

const ICONS = { yes: "✓", no: "✕", "too close to call": "≈" };

export class MeasurePanel {
  /**
   * @param {HTMLElement} node
   * @param {{measure: (pieces: string[], question: string | null) => void}} does
   */
  constructor(node, does) {
    this.node = node;
    this.does = does;
    this.open = false;
  }

  /**
   * @param {State | null} state
   * @param {Play} play
   */
  draw(state, { phase, match, game }) {
    // Where the book hides distances nothing is offered to measure.
    this.node.hidden = !game.measures || phase !== "match" || !match || match.status.over || !state?.pieces.length;
    if (!state || this.node.hidden) return;
    const names = state.pieces.map((p) => p.name);
    const { selection, questions, asked, ruling, refusal } = state;
    rebuild(this.node, [names, selection.pieces, questions, asked, ruling, refusal, this.open], () => [
      h("details", { open: this.open, data: { fold: "measure" }, ontoggle: (/** @type {any} */ e) => { this.open = e.target.open; } },
        h("summary", {}, "Measure"),
        this.make(state, names)),
    ]);
  }

  /**
   * @param {State} state
   * @param {string[]} names
   */
  make({ selection, questions, asked, ruling, refusal }, names) {
    const [from = "", to = ""] = selection.pieces;
    const key = questions.find((q) => q.key === asked)?.key ?? "";
    const two = Boolean(from && to);
    return h("div.measure", {},
      this.pick("From", from, ["", ...names], (name) => this.does.measure(name ? [name, ...(to && to !== name ? [to] : [])] : [], null)),
      from && this.pick("To", to, ["", ...names.filter((name) => name !== from)], (name) => this.does.measure(name ? [from, name] : [from], null)),
      two && questions.length > 1 && h("label", {}, "What", h("select", { "aria-label": "What is measured", data: { focus: "measure what" }, onchange: (/** @type {any} */ e) => this.does.measure([from, to], e.target.value) },
        questions.map((q) => new Option(q.label, q.key, false, q.key === key)))),
      two && refusal && h("p.soft", {}, refusal),
      two && !refusal && ruling && [
        h("p", { "aria-live": "polite", data: { verdict: ruling.verdict } }, h("strong", {}, ruling.headline), " ", ruling.sentence),
        h("ul.checks", {}, ruling.checks.map((c) =>
          h("li", { data: { verdict: c.verdict, role: c.role } }, h("span.mark", { "aria-label": c.verdict }, ICONS[c.verdict]), h("span", {}, h("strong", {}, c.name), ` ${c.words}`), h("span.cite", {}, c.citation)))),
      ]);
  }

  /**
   * @param {string} words
   * @param {string} now
   * @param {string[]} names
   * @param {(name: string) => void} chosen
   */
  pick(words, now, names, chosen) {
    return h("label", {}, words, h("select", { "aria-label": `Measure ${words.toLowerCase()}`, data: { focus: `measure ${words}` }, onchange: (/** @type {any} */ e) => chosen(e.target.value) },
      names.map((name) => new Option(name || "…", name, false, name === now))));
  }
}

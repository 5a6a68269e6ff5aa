/** The screen of whoever moves a piece: what the game makes of the move while the hand pushes, and at rest. */

import { h, rebuild } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Guide} Guide */
/** @typedef {import("./playtypes.js").Option} Option */

/** The share of a budget from which it counts as overdrawn. */
const OVER = 1.05;

export class GuidePanel {
  /**
   * @param {HTMLElement} node
   * @param {HTMLElement} pin  Where the button that takes the move stays in view.
   * @param {{option: (option: Option, said: Record<string, any>) => Promise<boolean>,
   *   said: (option: Option) => Record<string, any>}} does
   */
  constructor(node, pin, does) {
    this.node = node;
    this.pin = pin;
    this.does = does;
  }

  /** @param {Play} play */
  draw(play) {
    const { guide } = play;
    // Before the hand moves the table shows where the piece may go, and its option how far; what it could meet is told here.
    this.node.hidden = guide === null || (guide.phase === "ready" && !guide.facts.length);
    document.body.dataset.guide = guide?.phase ?? "";
    const option = guide === null ? undefined : optionOf(guide, play);
    document.body.dataset.takes = option && guide?.take ? "true" : "";
    rebuild(this.pin, [guide, option], () => [guide && option && guide.take && h(accepts(guide) ? "button.deed" : "button.deed.main", { type: "button", data: { takes: guide.kind, focus: "take" }, onclick: () => this.take(guide, option) }, guide.take)]);
    if (guide === null) return;
    this.node.dataset.verdict = guide.verdict ?? "";
    rebuild(this.node, [guide, option], () => this.make(guide, option));
  }

  /**
   * @param {Guide} guide
   * @param {Option | undefined} option
   */
  make(guide, option) {
    const { progress, phase } = guide;
    if (phase === "ready") return [h("h2", {}, guide.piece), h("ul.met", {}, guide.facts.map((words) => h("li", {}, words)))];
    return [
      h("h2", {}, guide.piece, progress && h("span.used", {}, progress.words)),
      progress && this.gauge(progress.used, progress.of, progress.words),
      guide.steps.length > 0 && h("ol.steps", {}, guide.steps.map((words) => h("li", {}, words))),
      guide.headline !== guide.piece && h(phase === "rested" ? "p.headline" : "p.rest", {}, guide.headline),
      guide.facts.length > 0 && h("ul.met", {}, guide.facts.map((words) => h("li", {}, words))),
      guide.reasons.length > 0 && h("ul.reasons", {}, guide.reasons.map((r) => h("li", { data: { verdict: r.verdict } }, h("strong", {}, r.name), ` ${r.words}`, h("span.cite", {}, r.citation)))),
      phase !== "moving" && guide.words && h(accepts(guide) ? "p.todo" : "p.soft", {}, guide.words),
      option && accepts(guide) && option.measuring && h("p.soft", {}, option.measuring.settled || option.measuring.words),
    ];
  }

  /**
   * @param {number} used
   * @param {number} of
   * @param {string} words
   */
  gauge(used, of, words) {
    return h("div.gauge", { role: "img", "aria-label": words, data: { over: String(used > of * OVER) } }, h("span", { style: { width: `${100 * Math.min(used / of, 1)}%` } }));
  }

  /**
   * The game takes the move as it was seen: the server knows it by its name.
   * @param {Guide} guide
   * @param {Option} option
   */
  take(guide, option) {
    const path = Object.entries(option.form.fields).find(([, input]) => input.type === "path");
    return this.does.option(option, { ...this.does.said(option), ...guide.said, ...(path ? { [path[0]]: guide.move } : {}) });
  }
}

/**
 * Whether tableref itself takes what its piece did, as it does as long as it can: nobody else's tap is wanted.
 * @param {Guide} guide
 * @param {Play["machines"]} machines
 */
export const takenByMachine = ({ player }, machines) => machines.some((m) => m.player === player && !m.left);

/**
 * The game's own offer to take this move, if whoever looks may.
 * @param {Guide} guide
 * @param {Play} play
 */
function optionOf(guide, play) {
  const { phase, kind, piece } = guide;
  if (phase !== "rested" || takenByMachine(guide, play.machines)) return undefined;
  return play.match?.options.find((o) => o.mine && o.kind === kind && o.piece === piece);
}

/** Whether taking the move is accepting one that does not count as it was measured. @param {Guide} guide */
const accepts = ({ said }) => "ruled" in said;

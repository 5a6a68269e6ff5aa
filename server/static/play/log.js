/** What happened, newest first, each with its rule; and back and forth in it. */

import { h, listed, rebuild, sentence } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").LogLine} LogLine */

export class LogPanel {
  /**
   * @param {HTMLElement} node
   * @param {any} does
   */
  constructor(node, does) {
    this.node = node;
    this.does = does;
  }

  /** @param {Play} play */
  draw(play) {
    const match = play.match;
    if (!match) return;
    rebuild(this.node, [match.log, match.undoable, match.redoable, match.lying, play.me], () => [
      h(
        "div.head",
        {},
        h("h2", {}, "What happened"),
        (play.me.may_undo || play.me.may_redo) && h("div.row", {},
          h("button", { type: "button", id: "undo", disabled: !match.undoable || !play.me.may_undo, title: match.undoable ?? "", onclick: () => this.does.ask({ type: "undo" }) }, "Undo"),
          h("button", { type: "button", id: "redo", disabled: !match.redoable || !play.me.may_redo, title: match.redoable ?? "", onclick: () => this.does.ask({ type: "redo" }) }, "Redo"),
        ),
      ),
      lying(match.lying, play.me.acts, this.does),
      h("ol.log", { "aria-live": "polite", tabindex: "0", "aria-label": "What happened, newest first" }, batches(match.log).map(entry)),
    ]);
  }
}

/**
 * Dice that stay as they fell before an undo.
 * @param {import("./playtypes.js").Die[]} dice
 * @param {boolean} acts
 * @param {any} does
 */
function lying(dice, acts, does) {
  if (!dice.length) return null;
  const wrong = acts && dice.some((d) => d.typed);
  return h(
    "div.lying",
    {},
    h("p.soft", {}, "Undone, but the dice stay as they fell: ", thrown(dice).map((some) => `${some[0].why}: ${listed(some.map((d) => String(d.shows)))}`).join("; "), "."),
    wrong && h("button", { type: "button", id: "mistyped", onclick: () => does.ask({ type: "mistyped" }) }, "A die was typed wrong: ask anew"),
  );
}

/**
 * The dice of each throw: those that were rolled together for one thing.
 * @param {import("./playtypes.js").Die[]} dice
 */
function thrown(dice) {
  /** @type {import("./playtypes.js").Die[][]} */
  const throws = [];
  for (const die of dice) {
    const last = throws[throws.length - 1];
    if (last?.[0].why === die.why && last[0].by === die.by) last.push(die);
    else throws.push([die]);
  }
  return throws;
}

/**
 * What belongs together, the newest first.
 * @param {LogLine[]} log
 * @returns {LogLine[][]}
 */
export function batches(log) {
  /** @type {LogLine[][]} */
  const found = [];
  for (const line of log) {
    if (found.length && found[found.length - 1][0].batch === line.batch) found[found.length - 1].push(line);
    else found.push([line]);
  }
  return found.reverse();
}

/** @param {LogLine[]} batch */
function entry(batch) {
  const [first, ...rest] = batch;
  return h(
    "li",
    { data: { undone: String(first.undone), tone: loudest(batch) } },
    h("p.deed-words", {}, sentence(first.words), notMeasured(first), !rest.length && h("span.cite", {}, first.citation)),
    rest.length > 0 && h("ul", {}, rest.map((line) => h("li", { data: { tone: line.tone } }, sentence(line.words), h("span.cite", {}, line.citation)))),
  );
}

/** @param {LogLine} line */
export const notMeasured = (line) => line.measured === false && h("span.not-measured", {}, "not measured");

/** @param {LogLine[]} batch */
const loudest = (batch) => ["end", "loss", "bad", "good"].find((tone) => batch.some((line) => line.tone === tone)) ?? "";

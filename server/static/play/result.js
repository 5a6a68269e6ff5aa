/** What came of the last deed: the dice as they fell, and what followed. */

import { h, rebuild, sentence } from "../common/dom.js";
import { speak } from "../common/speech.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").LogLine} LogLine */

/** Kinds of events that are worth a card of their own, and of which mood. */
const TELLS = { hit: "yes", missed: "no", collision: "no", destroyed: "no", left: "no", blast: "no", "lost control": "no", floored: "yes", triggered: "no", over: "yes", ruled: "close" };

export class ResultPanel {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
    this.said = -1;
  }

  /** @param {Play} play */
  draw(play) {
    const lines = lastTold(play.match?.log ?? []);
    this.node.hidden = !lines.length;
    rebuild(this.node, lines, () => (lines.length ? [resultCard(lines)] : []));
    const newest = lines.length ? lines[0].number : -1;
    if (this.said >= 0 && newest > this.said) speak(headline(lines).words);
    this.said = Math.max(newest, 0);
  }
}

/**
 * The newest batch that tells something, as long as it is not undone and little has followed.
 * @param {LogLine[]} log
 */
export function lastTold(log) {
  for (let k = log.length - 1; k >= 0 && log[log.length - 1].batch - log[k].batch < 4; k -= 1) {
    if (log[k].kind in TELLS && !log[k].undone) return log.filter((l) => l.batch === log[k].batch && l.kind !== "action");
  }
  return [];
}

/** @param {LogLine[]} lines */
function headline(lines) {
  const order = ["over", "destroyed", "left", "blast", "hit", "missed", "collision", "lost control", "floored", "triggered", "ruled"];
  const found = order.map((kind) => lines.find((l) => l.kind === kind)).find(Boolean) ?? lines[0];
  return { words: found.words, mood: TELLS[/** @type {keyof typeof TELLS} */ (found.kind)] ?? "", citation: found.citation };
}

/** @param {LogLine[]} lines */
export function resultCard(lines) {
  const dice = lines.filter((l) => l.kind === "roll").map((l) => /^(.*): D(\d+) shows (\d+)$/.exec(l.words));
  const { words, mood, citation } = headline(lines);
  const rest = lines.filter((l) => l.words !== words && l.kind !== "roll" && l.kind !== "round");
  return h(
    "div.result",
    { data: { mood } },
    dice.length > 0 && h("div.rolled", {}, dice.map((d) => d && h("figure", {}, h("span.die.fell", { data: { sides: d[2] }, "aria-label": `D${d[2]} shows ${d[3]}` }, d[3]), h("figcaption", {}, `D${d[2]} ${d[1]}`)))),
    h("p.headline", {}, sentence(words)),
    h("p.cite", {}, citation),
    rest.length > 0 && h("ul", {}, rest.map((l) => h("li", {}, sentence(l.words)))),
  );
}

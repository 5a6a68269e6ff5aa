/** What came of the last deed: what it led to, then a line for each roll with its dice, and what else followed. */

import { h, rebuild, sentence } from "../common/dom.js";
import { speak } from "../common/speech.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").LogLine} LogLine */
/** @typedef {import("./playtypes.js").Die} Die */

/** Tones of events that are worth a card of their own, the most important first, and its mood. */
const TELLS = { end: "yes", loss: "no", good: "yes", bad: "no", miss: "", attack: "", ruling: "close" };

/** Tones of events that a result leaves to other places. */
const SILENT = ["turn", "quiet"];

/** Letters of a headline from which on it is set smaller, so that what is to do next stays in view. */
const LONG = 90;

/** Dice that a line has room for. */
const FEW_DICE = 5;

/** Lines below a headline that a phone has room for beside what is to do next. */
const MOST_LINES = 2;

export class ResultPanel {
  /**
   * @param {HTMLElement} node
   * @param {boolean} [folds]  To one line, once something else was done.
   * @param {() => void} [retypes]  Takes the last deed back and asks for its dice anew.
   */
  constructor(node, folds = false, retypes = undefined) {
    this.node = node;
    this.folds = folds;
    this.retypes = retypes;
    this.said = -1;
  }

  /** @param {Play} play */
  draw(play) {
    const all = play.match?.log ?? [];
    const lines = lastTold(all);
    const plain = lines.length > 0 && !lines.some((l) => l.tone in TELLS);
    const folded = this.folds && lines.length > 0 && (plain || lines[0].batch !== all[all.length - 1].batch);
    const may = Boolean(this.retypes && play.me.acts && play.me.may_retype && play.match?.undoable);
    const dice = lines.flatMap((l) => l.dice);
    const wrong = may && (plain || !folded) && lines.some((l) => l.dice.some((d) => d.typed));
    // Where a turn begins with a roll nothing is told of it here but its dice, while they may be typed anew.
    const last = all.filter((l) => l.batch === all[all.length - 1].batch && !l.undone);
    const began = may && !wrong && lines[0]?.batch !== last[0]?.batch ? last.flatMap((l) => l.dice).filter((d) => d.typed) : [];
    const busy = play.me.acts && Boolean(play.match?.options.some((o) => o.mine));
    const briefly = this.folds && busy && matchMedia("(max-width: 860px)").matches;
    this.node.hidden = !lines.length && !began.length;
    rebuild(this.node, [lines, folded, wrong, briefly, began], () => {
      const retype = (wrong || began.length > 0) && h("button.retype", { type: "button", data: { retype: "dice" }, onclick: this.retypes }, "A die was typed wrong");
      const begins = began.length > 0 && h("div.result", {}, rolled(began));
      if (!lines.length) return [begins, retype];
      return [folded ? h("details", { data: { plain: String(plain) } }, h("summary", {}, h("span", {}, sentence(headline(lines).words)), plain && dice.length <= FEW_DICE && fallen(dice)), resultCard(lines)) : resultCard(lines, briefly), begins, retype];
    });
    const newest = lines.length ? lines[0].number : -1;
    if (this.said >= 0 && newest > this.said) speak(headline(lines).words);
    this.said = Math.max(newest, 0);
  }
}

/**
 * The newest batch that tells something, as long as it is not undone and little has followed. A single roll that has
 * just fallen tells what came of it, also where that is nothing special, unless a new turn has begun with it.
 * @param {LogLine[]} log
 */
export function lastTold(log) {
  const newest = log.filter((l) => l.batch === log[log.length - 1].batch && !l.first);
  const begins = newest.some((l) => l.tone === "turn");
  if (!begins && rollsOf(newest.flatMap((l) => (l.undone ? [] : l.dice))).length === 1) return newest;
  for (let k = log.length - 1; k >= 0 && log[log.length - 1].batch - log[k].batch < 4; k -= 1) {
    if (log[k].tone in TELLS && !log[k].undone) return log.filter((l) => l.batch === log[k].batch && !l.first);
  }
  return [];
}

/** The first line, and the first about each piece of which nothing was told before. @param {LogLine[]} lines */
function firstOfEach(lines) {
  const told = new Set();
  return lines.filter((line, k) => {
    const fresh = line.pieces.length > 0 && !line.pieces.some((piece) => told.has(piece));
    line.pieces.forEach((piece) => told.add(piece));
    return k === 0 || fresh;
  });
}

/** @param {LogLine[]} lines */
function headline(lines) {
  const first = (/** @type {string} */ tone) => lines.find((l) => l.tone === tone);
  // What harm a success did tells more than the success.
  const good = lines.map((l) => l.tone).lastIndexOf("good");
  const harms = good < 0 ? [] : firstOfEach(lines.slice(good).filter((l) => l.tone === "bad"));
  // A roll that led to nothing special: what came of it, else the roll itself.
  const rolled = lines.filter((l) => l.dice.length);
  const came = lines.slice(lines.indexOf(rolled[0])).find((l) => !l.dice.length && !SILENT.includes(l.tone)) ?? rolled.at(-1);
  const found = first("end") ?? first("loss") ?? harms[0] ?? Object.keys(TELLS).map(first).find(Boolean) ?? came ?? lines[0];
  const leads = found === harms[0] ? harms : [found];
  return { leads, words: leads.map((l) => l.words).join("; "), mood: TELLS[/** @type {keyof typeof TELLS} */ (found.tone)] ?? "", citation: found.citation };
}

/**
 * @param {LogLine[]} lines
 * @param {boolean} [briefly]  Many rolls are their dice in a row, until they are opened.
 */
export function resultCard(lines, briefly = false) {
  const rolls = lines.flatMap((l) => rollsOf(l.dice));
  const { leads, words, mood, citation } = headline(lines);
  const rest = lines.filter((l) => !leads.some((lead) => lead.words === l.words) && !l.dice.length && !SILENT.includes(l.tone));
  const came = [
    rolls.length > 0 && rolled(rolls.flat()),
    rest.length > 0 && h("ul", {}, rest.map((l) => h("li", {}, sentence(l.words)))),
  ];
  return h(
    "div.result",
    { data: { mood } },
    h("p.headline", { data: { long: String(words.length > LONG) } }, sentence(words)),
    h("p.cite", {}, citation),
    briefly && rolls.length + rest.length > MOST_LINES ? h("details.came", { data: { fold: words } }, h("summary", {}, "How it came", fallen(rolls.flat())), came) : came,
  );
}

/** A line for each roll with its dice. @param {Die[]} dice */
function rolled(dice) {
  return h("ul.rolled", {}, rollsOf(dice).map((each) => h("li", {}, h("span", {}, rolledFor(each)), fallen(each))));
}

/** @param {Die[]} dice */
function rolledFor([{ sides, why, by }, ...more]) {
  const named = more.length ? `${more.length + 1} D${sides}` : `D${sides}`;
  return [named, why, by && `rolled by ${by}`].filter(Boolean).join(" ");
}

/** @param {Die[]} dice */
function fallen(dice) {
  return h("span.fallen", {}, dice.map((d) => h("span.die.fell", { role: "img", data: { sides: String(d.sides) }, "aria-label": `D${d.sides} shows ${d.shows}` }, d.shows)));
}

/**
 * Dice that were thrown together for the same, in a row.
 * @param {Die[]} dice
 * @returns {Die[][]}
 */
function rollsOf(dice) {
  /** @type {Die[][]} */
  const rolls = [];
  for (const die of dice) {
    const last = rolls.at(-1)?.[0];
    if (last && last.sides === die.sides && last.why === die.why && last.by === die.by) rolls[rolls.length - 1].push(die);
    else rolls.push([die]);
  }
  return rolls;
}

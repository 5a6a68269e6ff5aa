/** Places on record sheets that may be tapped: a tap does there what its line among the options does. */

import { h } from "../common/dom.js";

/** @typedef {import("./playtypes.js").SheetPlace} SheetPlace */
/** @typedef {import("./playtypes.js").Option} Option */
/**
 * @typedef {object} Tap
 * @property {string} words  What is chosen there.
 * @property {string} leads  What that leads to.
 * @property {boolean} on  Whether it is picked.
 * @property {boolean} answered  Whether its input has an answer.
 * @property {() => void} tap
 */
/**
 * @typedef {object} Chooser
 * @property {(o: Option) => Record<string, any>} said
 * @property {(o: Option, name: string, value: any) => void} pick
 * @property {(o: Option) => unknown} carryOut
 */

export class Spots {
  constructor() {
    /** @type {Map<string, Tap>} */
    this.taps = new Map();
  }

  /**
   * The places that these options offer. A place that two inputs offer is the first one's until that has its answer.
   * @param {Option[]} options
   * @param {Chooser} chooser
   */
  static of(options, chooser) {
    const found = new Spots();
    for (const o of options) {
      if (o.on) found.put(o.on, { words: o.words, leads: o.more, on: false, answered: false, tap: () => chooser.carryOut(o) });
      for (const [name, input] of Object.entries(o.form.fields)) {
        const said = chooser.said(o)[name];
        const many = (input.most ?? 1) > 1;
        const value = said ?? (input.at_once ? null : input.usual);
        const answered = said !== undefined && said !== null && !many;
        const pick = (/** @type {any} */ next) => () => chooser.pick(o, name, next);
        for (const c of input.candidates ?? []) {
          if (!c.on || c.not_now.some((reason) => !reason.open)) continue;
          const chosen = many ? /** @type {any[]} */ (value ?? []) : [];
          const on = many ? chosen.includes(c.value) : value === c.value;
          const toggled = on ? chosen.filter((v) => v !== c.value) : [...chosen, c.value].slice(0, input.most);
          found.put(c.on, { words: c.words, leads: c.leads, on, answered, tap: pick(many ? toggled : on && said === c.value ? null : c.value) });
        }
        // A candidate has one place, a number one for each value from the lowest on.
        (input.on ?? []).forEach((spot, k) => {
          const n = (input.low ?? 0) + k;
          if (spot) found.put(spot, { words: `${input.words} ${n}`.replace("-", "−"), leads: input.leads?.[k] ?? "", on: n === value, answered, tap: pick(n) });
        });
      }
    }
    return found;
  }

  /**
   * @param {SheetPlace} spot
   * @param {Tap} tap
   */
  put({ piece, key, number }, tap) {
    const where = JSON.stringify([piece, key, number]);
    const before = this.taps.get(where);
    if (!before || (before.answered && !before.on)) this.taps.set(where, tap);
  }

  /**
   * Those of one sheet.
   * @param {string | null} piece
   */
  on(piece) {
    return piece === null ? null : new SheetSpots(this, piece);
  }

  /** What is drawn anew when it changes. */
  get shows() {
    return [...this.taps].map(([where, { leads, on }]) => [where, leads, on]);
  }
}

export class SheetSpots {
  /**
   * @param {Spots} all
   * @param {string} piece
   */
  constructor(all, piece) {
    this.all = all;
    this.piece = piece;
  }

  get any() {
    return [...this.all.taps.keys()].some((where) => JSON.parse(where)[0] === this.piece);
  }

  /**
   * @param {string | undefined} key
   * @param {number | null} [number]
   */
  at(key, number = null) {
    return key ? (this.all.taps.get(JSON.stringify([this.piece, key, number])) ?? null) : null;
  }

  /**
   * The numbers of a counter that may be tapped, in order.
   * @param {string | undefined} key
   */
  numbers(key) {
    return [...this.all.taps.keys()].map((where) => JSON.parse(where)).filter(([piece, k, n]) => piece === this.piece && k === key && n !== null).map(([, , n]) => /** @type {number} */ (n)).sort((a, b) => a - b);
  }
}

/**
 * A place to tap.
 * @param {string} name  Tag and classes of what it is without a tap, but for the tag.
 * @param {Tap} tap
 * @param {string} label  What stands there.
 * @param {Record<string, any>} data
 * @param {any} inside
 */
export function spot(name, tap, label, data, inside) {
  return h(`button.spot${name}`, { type: "button", title: [tap.words, tap.leads].filter(Boolean).join(": "), "aria-label": [label, tap.words, tap.leads].filter(Boolean).join(". "), "aria-pressed": String(tap.on), data: { ...data, focus: `spot ${label}` }, onclick: tap.tap }, inside);
}

/**
 * What places lead to, beside them: each in a line with the names of its places.
 * @param {[string | number, Tap | null][]} named
 */
export function leadsOf(named) {
  const told = [...new Set(named.map(([, tap]) => tap?.leads).filter(Boolean))];
  return told.map((words) => h("span.small.note.leads", {}, h("b", {}, named.filter(([, tap]) => tap?.leads === words).map(([name]) => name).join(", ")), ` ${words}`));
}

/** Dice that a deed waits for, typed where they are rolled: each player's on their own phone. */

import { h, listed, sentence } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Throw} Throw */

export class ThrowsDialog {
  /** @param {import("./ask.js").Asker} asker */
  constructor(asker) {
    this.asker = asker;
    /** Those that were shown by themselves: what was put aside is not shown again. @type {Set<string>} */
    this.known = new Set();
    /** What was tapped of each, so that news of the others takes none of it away. @type {Map<string, (number | string | null)[]>} */
    this.tapped = new Map();
    /** The one that was shown last, and whether the dice of others are typed here. @type {{id: string, all: boolean, shows: string} | null} */
    this.open = null;
    /** @type {Throw[]} */
    this.throws = [];
    /** Whose page it is. @type {string | null} */
    this.player = null;
    asker.elsewhere = (id) => {
      this.known.delete(id);
      // The answer to a deed may be here before the state that has its dice: what was asked before is answered.
      if (!this.throws.some((t) => t.id === id)) asker.dialog.close();
      else this.show(id);
    };
    asker.dialog.addEventListener("close", () => {
      // It may stand open again with the next dice before it is told that it was closed.
      if (!asker.dialog.open) this.next();
    });
  }

  /** @param {Play} play */
  draw(play) {
    this.throws = play.match?.throws ?? [];
    this.player = play.me.player;
    const there = new Map(this.throws.map((t) => [t.id, t]));
    for (const id of this.tapped.keys()) if (!there.has(id)) this.tapped.delete(id);
    const open = this.now;
    const one = there.get(open?.id ?? "");
    if (open && one && (one.may || one.dice.some(asked))) return this.make(open.id, open.all);
    if (open) this.asker.dialog.close();
    this.next();
  }

  /** What stands open, where it is not something else by now. */
  get now() {
    const { open, dataset } = this.asker.dialog;
    return this.open && open && dataset.throw === this.open.id ? this.open : null;
  }

  /** What was not shown yet stands open by itself, once nothing else does. */
  next() {
    const fresh = this.throws.find((t) => !this.known.has(t.id) && (t.own || t.dice.some(asked)));
    if (fresh && !this.asker.dialog.open) this.show(fresh.id);
  }

  /**
   * @param {string} id
   * @param {boolean} [all]  Whether the dice of others are typed here, too.
   */
  show(id, all = false) {
    this.known.add(id);
    this.make(id, all);
  }

  /**
   * @param {string} id
   * @param {boolean} all
   */
  make(id, all) {
    const one = this.throws.find((t) => t.id === id);
    if (!one) return;
    const here = one.dice.flatMap((die, k) => (!die.typed && (die.mine || (all && one.may)) ? [k] : []));
    const waits = all && one.may ? "" : this.waits(one);
    const shows = JSON.stringify([id, all, here]);
    // What others type meanwhile takes no die away under the hand.
    if (this.now?.shows !== shows) this.build(one, all, here);
    const told = /** @type {HTMLElement} */ (this.asker.dialog.querySelector(".waits"));
    told.textContent = waits;
    told.hidden = !waits;
    /** @type {HTMLElement} */ (this.asker.dialog.querySelector("[data-types]")).hidden = !one.may || all || !one.waits.length;
    // Once a die has fallen it is not taken back.
    if (!one.back) this.asker.dialog.querySelector("[data-takes]")?.remove();
    this.asker.dialog.dataset.throw = id;
    this.open = { id, all, shows };
  }

  /**
   * @param {Throw} one
   * @param {boolean} all
   * @param {number[]} here  Which of its dice are typed here.
   */
  build(one, all, here) {
    const { id } = one;
    const values = this.tapped.get(id) ?? one.dice.map(() => null);
    this.tapped.set(id, values);
    const ask = (/** @type {(number | string | null)[] | null} */ dice) => this.asker.ask({ type: "rolled", throw: id, dice });
    const send = () => {
      if (here.every((k) => values[k] !== null)) ask(values.map((value, k) => (here.includes(k) ? value : null)));
    };
    const rows = this.asker.rows(one.dice, here, values, send);
    const close = h("button.button.plain", { type: "button", onclick: () => this.asker.dialog.close() }, "Not now");
    const take = h("button.button", { type: "button", data: { types: "here" }, onclick: () => this.make(id, true) }, "Type them here");
    const back = h("button.button.plain", { type: "button", data: { takes: "back" }, onclick: () => ask(null) }, "Take it back");
    this.asker.show(
      rows.length ? rollFor(one, here) || "Roll the dice and tap what they show" : "Waiting for dice",
      [...rows.map((r) => r.node), h("p.why.waits", { "aria-live": "polite" })],
      [take, ...(one.back ? [back] : []), close],
    );
  }

  /** Whose dice it waits for, but for whoever looks. @param {Throw} one */
  others(one) {
    return listed(one.waits.filter((player) => player !== this.player));
  }

  /** What whoever looks has to roll themselves; empty where that is nothing. @param {Throw} one */
  yours(one) {
    const others = this.others(one);
    return one.dice.some(asked) ? `Waiting for your dice${others && ` and those of ${others}`}.` : "";
  }

  /** For whose dice it waits, but for those of whoever looks. @param {Throw} one */
  waits(one) {
    const others = this.others(one);
    const then = one.own ? "" : sentence(`${one.by} goes on then.`);
    return [others && `Waiting for the dice of ${others}.`, then].filter(Boolean).join(" ");
  }

  /** What is to be rolled for a machine by whoever looks; empty where nothing is. @param {Throw} one */
  forMachine(one) {
    const here = one.dice.flatMap((die, k) => (asked(die) ? [k] : []));
    const words = rollFor(one, here);
    return words && `${words}.`;
  }

  /**
   * What deeds wait for, in a part of the page.
   * @param {Play} play
   */
  group({ match }) {
    if (!match?.throws?.length) return null;
    return h(
      "div.group.throws",
      { role: "group", "aria-label": "Dice that are waited for", data: { heading: "Dice" } },
      match.throws.map((t) => h("div", { data: { throw: t.id } },
        h("p", {}, this.forMachine(t) || this.yours(t) || this.waits(t) || `${t.by} types the dice.`),
        h("div.row", {}, (t.may || t.dice.some(asked)) && h(`button.deed${t.dice.some(asked) ? ".main" : ""}`, { type: "button", data: { focus: `dice ${t.id}` }, onclick: () => this.show(t.id) }, t.dice.some(asked) ? "Type what they show" : "Type them here")))),
    );
  }
}

/** @param {import("./playtypes.js").ThrownDie} die */
const asked = (die) => die.mine && !die.typed;

/**
 * Which dice are rolled for a machine: *Roll for Red: 2 D6 and 1 D20*; empty where all are a person's own.
 * @param {Throw} one
 * @param {number[]} here
 */
function rollFor(one, here) {
  const kinds = new Map();
  const its = one.machine ? here.filter((k) => one.dice[k].of === null) : [];
  if (!its.length) return "";
  for (const k of its) {
    const { faces, sides } = one.dice[k];
    const kind = faces.length ? "" : `D${sides}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const dice = [...kinds].map(([kind, many]) => `${many} ${kind || (many > 1 ? "dice with icons" : "die with icons")}`);
  return `Roll for ${one.by}: ${listed(dice)}${its.length < here.length ? ", and your own" : ""}`;
}

/** Asks the server for a deed, and people for what it wants: dice, decisions on what is too close. */

import { h, sentence } from "../common/dom.js";
import { heardNumber } from "../common/speech.js";
import { byId } from "../common/svg.js";
import { countedRow, pairsRow } from "./dice.js";

/** @typedef {import("./playtypes.js").Answer} Answer */
/** @typedef {import("./playtypes.js").Option} Option */
/** @typedef {import("./playtypes.js").Reason} Reason */

/** What means the newest deed: of two pages that ask for it at once the first is heard. */
const OF_THE_NEWEST = new Set(["undo", "redo", "mistyped", "anew"]);

export class Asker {
  /** @param {import("./playlink.js").PlayLink} link */
  constructor(link) {
    this.link = link;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("ask"));
    this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dialog.close());
    /** @type {Set<string>} */
    this.underWay = new Set();
    /** The last deed that was done, and the game's number after it. */
    this.done = { same: "", number: 0 };
    /** The number of the game after the last choice in secret from here: of all who choose, the last one reveals. */
    this.sealed = 0;
    /** Shows the dice of a deed that are asked for on other phones, too. @type {(id: string) => void} */
    this.elsewhere = () => {};
    /** The last deed, where its dice were typed here, and the game's number after it. @type {{request: Record<string, any>, number: number} | null} */
    this.typed = null;
    /** Typed dice of a deed that was not done: for the same deed in the same turn they lie as they fell. @type {{same: string, dice: (number | string)[], turn: string} | null} */
    this.fell = null;
    /** What the open dialog is about, and the game's number when it was asked. @type {{request: Record<string, any>, number: number, proposed: boolean, judged: boolean, stood: boolean, dice: boolean} | null} */
    this.about = null;
  }

  /**
   * The page is connected anew: what was done here before is in what it is shown, whatever its number was.
   * @param {{number: number}} state
   */
  anew({ number }) {
    this.done = { same: "", number: 0 };
    this.typed = null;
    if (this.sealed) this.sealed = number;
  }

  /**
   * Does what an option offers, with what people said besides.
   * @param {Option} option
   * @param {Record<string, any>} [said]
   * @param {(number | string)[] | null} [dice]
   */
  async option(option, said = {}, dice = null) {
    const done = await this.ask({ type: "act", kind: option.kind, player: option.player, data: { ...option.data, ...said }, dice });
    if (done && option.sealed) {
      this.sealed = this.done.number;
      this.reveal();
    }
    return done;
  }

  /** Where the last choice was made here and what was chosen is to be revealed, nobody has to say so: its dice are asked for. */
  reveal() {
    const { number, match } = this.link.state ?? { number: 0, match: null };
    if (!this.sealed || number < this.sealed) return;
    this.sealed = 0;
    if (match?.reveals) this.ask({ type: "reveal" });
  }

  /**
   * Asks; what is wanted besides is asked of people, and the deed is asked for again with it.
   * @param {Record<string, any>} request
   * @returns {Promise<boolean>}
   */
  async ask(request) {
    const newest = this.link.state?.match?.newest;
    if (OF_THE_NEWEST.has(request.type) && newest !== undefined) request = { ...request, newest };
    const said = request;
    request = this.withFallen(request);
    // A double tap asks for the same twice: the first is under way, or done and not yet shown.
    const same = JSON.stringify(request);
    const unseen = same === this.done.same && (this.link.state?.number ?? 0) < this.done.number;
    if (unseen || this.underWay.has(same)) return false;
    this.underWay.add(same);
    document.body.dataset.busy = "true";
    try {
      const answer = await this.link.ask(request);
      if (answer.accepted) {
        this.fell = null;
        this.done = { same, number: answer.number };
        this.typed = request.type === "act" && request.dice?.length ? { request, number: answer.number } : null;
      }
      const done = this.settle(request, answer);
      // Dice that were kept and do not help are asked for anew.
      if (request !== said && !done && !answer.wanted.length) this.fell = null;
      return done;
    } finally {
      this.underWay.delete(same);
      if (!this.underWay.size) delete document.body.dataset.busy;
    }
  }

  /** A die was typed wrong: the deed is taken back, and where it was done here and is the last, its dice are asked for anew. */
  async retype() {
    const own = this.typed?.number === this.link.state?.number ? this.typed : null;
    const back = await this.ask({ type: "mistyped", back: true });
    if (back && own) await this.ask({ ...own.request, dice: [] });
  }

  /**
   * @param {Record<string, any>} request
   * @param {Answer} answer
   */
  settle(request, answer) {
    if (answer.accepted) {
      // Of dice that are asked for on several phones the state tells what is still to be typed.
      if (this.dialog.open && request.type !== "rolled") this.dialog.close();
      // What came of it and what is to do next stand on top.
      if (request.type === "act" || request.type === "begin") document.querySelector("aside")?.scrollTo({ top: 0 });
      return true;
    }
    if (answer.throw) this.elsewhere(answer.throw);
    else if (answer.wanted.length) this.askDice(request, answer);
    else if (answer.proposed.length) this.show("Proposed", [h("p.why", {}, sentence(answer.error ?? ""))], [h("button.button", { type: "button", onclick: () => this.dialog.close() }, "Understood")]);
    else if (answer.reasons.length) this.showReasons(request, answer.reasons, answer.asks);
    else this.refuse(answer.error ?? "The referee refused this.");
    // Where dice lie already, those that were typed may be what is amiss; and so where no reason is against the deed.
    const lie = this.link.state?.match?.lying?.length || !answer.reasons.length;
    const dice = answer.wanted.length ? answer.given : lie ? [] : (request.dice ?? []);
    if (dice.length) this.fell = { same: bare(request), dice, turn: turnOf(this.link.state) };
    if (answer.wanted.length || answer.proposed.length || answer.reasons.length) this.about = { request, number: answer.number, proposed: answer.proposed.length > 0, judged: answer.reasons.length > 0 && !request.dice?.length, stood: (this.offered(request)?.not_now?.length ?? 0) > 0, dice: answer.wanted.length > 0 };
    return false;
  }

  /**
   * A deed with the dice that fell for it before it was put off; what is asked for with dice keeps them.
   * @param {Record<string, any>} request
   * @returns {Record<string, any>}
   */
  withFallen(request) {
    const { same, dice, turn } = this.fell ?? { same: "", dice: [], turn: "" };
    return same === bare(request) && turn === turnOf(this.link.state) && !request.dice?.length ? { ...request, dice } : request;
  }

  /**
   * A dialog about something that is settled by now, or cannot be done any more, goes away.
   * @param {import("./playtypes.js").Play} play
   */
  heed({ match, number, modes, me }) {
    const about = this.about;
    if (!about || !this.dialog.open || this.underWay.size || number < about.number) return;
    const { request, proposed, judged } = about;
    const asked = proposed ? match?.proposals.some((p) => p.own) : request.type === "act" ? this.offered(request) : request.type !== "reveal" || match?.reveals;
    // What stands against a move says nothing of the next one, as of a car that was put right meanwhile. Dice that fell lie there.
    const other = judged && request.data && JSON.stringify(this.asMeasured(request).data) !== JSON.stringify(request.data);
    // Nor of what has been seen since, as once the table was watched for long enough.
    const stands = this.offered(request)?.not_now?.length ?? 0;
    const settled = judged && about.stood && !stands;
    about.stood ||= stands > 0;
    // Dice that are rolled here by now only the owner may type.
    const rolled = about.dice && modes?.dice === "roll" && !me.owner;
    if (!asked || other || settled || rolled) this.dialog.close();
  }

  /** What is offered now of what was asked for. @param {Record<string, any>} request */
  offered({ kind, player, data = {} }) {
    const mine = (/** @type {Option} */ o) => o.player === null || player == null || o.player === player;
    return this.link.state?.match?.options.find((o) => o.kind === kind && mine(o) && Object.entries(o.data).every(([name, value]) => JSON.stringify(value) === JSON.stringify(data[name])));
  }

  /**
   * The same again, of the move that is measured now: after a restart it has another name.
   * @param {Record<string, any>} request
   */
  asMeasured(request) {
    const now = Object.entries(this.offered(request)?.form.fields ?? {}).filter(([name, i]) => i.type === "path" && i.usual && request.data?.[name]);
    return { ...request, data: { ...request.data, ...Object.fromEntries(now.map(([name, i]) => [name, i.usual])) } };
  }

  /** @param {string} words */
  refuse(words) {
    this.show("That cannot be done", [h("p.why", {}, sentence(words))], [h("button.button", { type: "button", onclick: () => this.dialog.close() }, "Understood")]);
  }

  /**
   * All reasons; what is too close to call is the players' to decide, each question alone where there is one.
   * Dice that have fallen are not rolled anew because a hand was in the way: they may be asked with again.
   * @param {Record<string, any>} request
   * Where others have to agree, it `asks` them: what is said here is proposed to them.
   * @param {Reason[]} reasons
   * @param {string} [asks]
   */
  showReasons(request, reasons, asks = "") {
    const open = reasons.every((r) => r.open);
    const questions = reasons.filter((r) => r.question);
    const each = questions.length === reasons.length;
    const before = typeof request.data?.ruled === "string" ? { "": request.data.ruled } : (request.data?.ruled ?? {});
    const led = asks ? `It is proposed: ${asks} has to agree.` : "It counts at once, and the record says who said it.";
    const again = (/** @type {any} */ ruled) => this.ask({ ...request, data: { ...request.data, ruled } });
    /** @type {Record<string, string>} */
    const said = {};
    const decide = (/** @type {Reason} */ { question }) => {
      const pick = (/** @type {string} */ answer) =>
        h("button.pick", { type: "button", "aria-pressed": "false", data: { ruled: answer }, onclick: (/** @type {any} */ e) => {
          said[question] = answer;
          for (const b of e.target.parentElement.children) b.setAttribute("aria-pressed", String(b === e.target));
          if (Object.keys(said).length === questions.length) again({ ...before, ...(each ? {} : { "": "yes" }), ...said });
        } }, answer);
      return h("div.picks", { role: "group", "aria-label": question }, pick("yes"), pick("no"));
    };
    const list = h("ul.reasons", {}, reasons.map((r) => h("li", { data: { open: String(r.open) } }, h("strong", {}, sentence(r.words)), h("span.cite", {}, r.citation), r.question && open && decide(r))));
    // Nothing is put back where nothing was moved.
    const moved = (this.link.state?.match?.options ?? []).some((o) => o.kind === request.kind && Object.entries(o.form.fields).some(([name, input]) => input.type === "path" && request.data?.[name]));
    const close = (/** @type {string} */ words, /** @type {boolean} */ main) => h(`button.button${main ? "" : ".plain"}`, { type: "button", onclick: () => this.dialog.close() }, words);
    if (open) {
      const accept = h("button.button", { type: "button", data: { ruled: "yes" }, onclick: () => again("yes") }, asks ? "Propose it" : "We accept it");
      const title = each ? "Too close to call: you decide" : "Does it count? You decide";
      this.show(asks ? title.replace("you decide", "you propose").replace("You decide", "You propose") : title, [list, h("p.soft", {}, led)], questions.length ? [close("Not now", false)] : [accept, close(moved ? "No, put it back" : "No", false)], "close");
    } else {
      const all = Object.fromEntries(reasons.map((r) => [r.question, "yes"]));
      const play = h("button.button.plain", { type: "button", data: { ruled: "yes" }, onclick: () => again({ ...before, ...all }) }, asks ? "Propose to play it anyway" : "Play it anyway (players' ruling)");
      const dice = request.dice ?? [];
      const retry = h("button.button.plain", { type: "button", data: { again: "dice" }, onclick: () => this.ask(this.asMeasured(request)) }, `Ask again with the dice that fell: ${dice.join(", ")}`);
      // No book speaks of a move that is not known any more.
      const counts = reasons.every((r) => r.citation.startsWith("house default")) ? "That does not count" : "Not by the book";
      const title = request.type === "setup" ? "That cannot be set up" : counts;
      this.show(title, [list, each && h("p.soft", {}, led)].filter(Boolean), [close("Understood", true), ...(dice.length ? [retry] : []), ...(each ? [play] : [])], "no");
    }
  }

  /**
   * Dice that are thrown together for the same are typed together, whichever of them shows what.
   * @param {Record<string, any>} request
   * @param {Answer} answer
   */
  askDice(request, answer) {
    /** @type {(number | string | null)[]} */
    const values = answer.wanted.map(() => null);
    const send = () => {
      if (values.every((v) => v !== null)) this.ask({ ...request, dice: [...answer.given, ...values] });
    };
    const rows = this.rows(answer.wanted, [...values.keys()], values, send);
    this.show("Roll the dice and tap what they show", rows.map((r) => r.node), [
      h("button.button.plain", { type: "button", onclick: () => this.dialog.close() }, "Not now"),
    ]);
  }

  /**
   * The rolls of the dice that are asked for here, each with those that are thrown for the same; numbers are heard, too.
   * @param {import("./playtypes.js").WantedDie[]} wanted
   * @param {number[]} here  Which of the dice.
   * @param {(number | string | null)[]} values  What each shows, as far as it was tapped.
   * @param {() => void} send
   */
  rows(wanted, here, values, send) {
    /** @type {Map<string, number[]>} */
    const rolls = new Map();
    for (const k of here) {
      const same = JSON.stringify(wanted[k]);
      rolls.set(same, [...(rolls.get(same) ?? []), k]);
    }
    const rows = [...rolls.values()].map((dice) => this.rollRow(wanted[dice[0]], dice, values, send));
    if (rows.length) heardNumber((value) => {
      const next = rows.find((r) => r.dice.some((k) => values[k] === null));
      if (next && this.dialog.open && !next.want.faces.length && value <= next.want.sides) next.choose(value);
    }, () => this.dialog.open);
    return rows;
  }

  /**
   * The dice of one roll: what was tapped so far, each of which may be taken back, and the faces.
   * @param {import("./playtypes.js").WantedDie} want
   * @param {number[]} dice  Which of the values are this roll's.
   * @param {(number | string | null)[]} values
   * @param {() => void} send
   */
  rollRow(want, dice, values, send) {
    const faces = want.faces.length ? [...new Set(want.faces)] : Array.from({ length: want.sides }, (_, n) => n + 1);
    const several = dice.length > 1;
    const results = several ? resultsOf(faces, dice.length) : [];
    if (several && !results.length) {
      const typing = { legend: legendOf(want, dice.length), dice, faces, values, send };
      const pairs = () => ({ want, ...pairsRow(typing) });
      const exact = faces.length > MOST_COUNTED ? null : dice.length > MOST_PAIRED ? () => this.countRows(want, dice, faces, values, send) : pairs;
      if (exact && new Set(want.counts ?? []).size === 2) return { want, ...countedRow(typing, want.counts, exact) };
      if (exact) return exact();
    }
    const buttons = faces.map((face) =>
      h("button.die", { type: "button", "aria-pressed": "false", data: { value: String(face) }, onclick: () => choose(face) }, face),
    );
    const whole = (/** @type {(number | string)[]} */ shown) => {
      dice.forEach((k, n) => { values[k] = shown[n]; });
      draw();
      send();
    };
    const inOne = results.map((shown) => h("button.die.whole", { type: "button", "aria-pressed": "false", data: { whole: shown.join(" ") }, onclick: () => whole(shown) }, shown.map((face) => h("span", {}, face))));
    const fallen = h("div.fallen", { role: "group", "aria-label": "Tapped so far" });
    const draw = () => {
      const shown = dice.map((k) => values[k]);
      buttons.forEach((b) => b.setAttribute("aria-pressed", String(!several && b.dataset.value === String(shown[0]))));
      inOne.forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.whole === [...shown].sort(inOrder(faces)).join(" "))));
      node.toggleAttribute("data-full", shown.every((v) => v !== null));
      if (several) fallen.replaceChildren(...shown.map((value, n) => value === null
        ? h("span.die.blank", { "aria-hidden": "true" })
        : h("button.die.fell", { type: "button", "aria-label": `${value}: take it back`, onclick: () => { values[dice[n]] = null; draw(); } }, value)));
    };
    const choose = (/** @type {number | string} */ value) => {
      const k = several ? dice.find((n) => values[n] === null) : dice[0];
      if (k === undefined) return;
      values[k] = value;
      draw();
      send();
    };
    const node = h("fieldset.dice", { data: { dice: String(dice.length) } }, legendOf(want, dice.length), inOne.length ? h("div.faces.wholes", {}, inOne) : [several && fallen, h(`div.faces${faces.some((face) => String(face).length > 2) ? ".worded" : ""}`, {}, buttons)]);
    draw();
    return { want, dice, choose, node };
  }

  /**
   * The dice of one roll of which there are too many results for a button each: how many show each face. One tap a
   * face that fell; where all faces but one have their number, the rest is of that one.
   * @param {import("./playtypes.js").WantedDie} want
   * @param {number[]} dice
   * @param {(number | string)[]} faces
   * @param {(number | string | null)[]} values
   * @param {() => void} send
   */
  countRows(want, dice, faces, values, send) {
    const counts = new Map(faces.map((face) => [face, 0]));
    /** Faces whose number was said, not counted up die by die: no more of them is to come. @type {Set<number | string>} */
    const said = new Set();
    const left = () => dice.length - [...counts.values()].reduce((sum, n) => sum + n, 0);
    const count = (/** @type {number | string} */ face, /** @type {number} */ n, whole = true) => {
      counts.set(face, n);
      if (whole && n) said.add(face);
      else said.delete(face);
      const last = faces.filter((other) => !said.has(other));
      if (last.length === 1 && left() > 0 && !counts.get(last[0])) counts.set(last[0], left());
      const shown = [...counts].flatMap(([value, many]) => Array(many).fill(value));
      dice.forEach((k, at) => { values[k] = shown[at] ?? null; });
      draw();
      send();
    };
    const add = (/** @type {number | string} */ face) => left() > 0 && count(face, (counts.get(face) ?? 0) + 1, false);
    const columns = Array.from({ length: Math.min(dice.length, MOST_COLUMNS) }, (_, k) => k + 1);
    const rows = faces.map((face) => ({
      face,
      name: h("button.die.face", { type: "button", data: { value: String(face) }, onclick: () => add(face) }, face),
      many: columns.map((n) => h("button.die", { type: "button", "aria-label": `${n} ${face}`, data: { face: String(face), count: String(n) }, onclick: () => count(face, counts.get(face) === n ? 0 : n) }, `× ${n}`)),
    }));
    const told = h("p.soft", { "aria-live": "polite" });
    const node = h("fieldset.dice", { data: { dice: String(dice.length) } }, legendOf(want, dice.length), h("div.counts", {}, rows.map((row) => h("div.row", { role: "group", "aria-label": `How many show ${row.face}` }, row.name, row.many))), told);
    const draw = () => {
      for (const row of rows) {
        const own = counts.get(row.face) ?? 0;
        row.name.replaceChildren(String(row.face), ...(own > columns.length ? [` × ${own}`] : []));
        /** @type {HTMLButtonElement} */ (row.name).disabled = left() < 1;
        row.many.forEach((button, k) => {
          button.setAttribute("aria-pressed", String(own === k + 1));
          /** @type {HTMLButtonElement} */ (button).disabled = k + 1 - own > left();
        });
      }
      told.textContent = `How many of each: ${left()} still to say.`;
      node.toggleAttribute("data-full", left() < 1);
    };
    draw();
    return { want, dice, choose: add, node };
  }

  /**
   * @param {string} title
   * @param {(Node | string)[]} body
   * @param {Node[]} buttons
   * @param {string} [mood]
   */
  show(title, body, buttons, mood = "") {
    this.about = null;
    this.dialog.dataset.mood = mood;
    delete this.dialog.dataset.throw;
    this.dialog.replaceChildren(h("h2", { id: "ask-title" }, title), ...body, h("div.buttons", {}, buttons));
    if (!this.dialog.open) this.dialog.showModal();
    else this.dialog.querySelector("button")?.focus();
  }
}

/** A deed without its dice. @param {Record<string, any>} request */
const bare = ({ dice: _, ...request }) => JSON.stringify(request);

/** The round and whose turn it is. @param {import("./playtypes.js").Play | null} play */
const turnOf = (play) => `${play?.match?.status.what} ${play?.match?.status.player}`;

/** Of so many results of a roll at most each is a button: one tap instead of one a die. */
const MOST_RESULTS = 21;

/** So many dice are typed two at a time where they are not a button together; of more it is said how many show each face. */
const MOST_PAIRED = 8;

/** Of so many faces at most two dice are typed at a time, or the dice that show each are counted. */
const MOST_COUNTED = 6;

/** Buttons of a number in a row: more dice of one face are counted up by taps on the face. */
const MOST_COLUMNS = 4;

/**
 * Whose dice they are, how many, and what they are rolled for.
 * @param {import("./playtypes.js").WantedDie} want
 * @param {number} count
 */
function legendOf({ faces, sides, by, why }, count) {
  const name = faces.length ? (count > 1 ? `${count} dice` : "One die") : `${count > 1 ? `${count} ` : ""}D${sides}`;
  return h("legend", {}, h("strong", {}, by ? `${name} of ${by}` : name), ` · ${why}`);
}

/**
 * What dice that are thrown together may show, whichever of them shows what; nothing where that is too much to look through.
 * @param {(number | string)[]} faces  Each once.
 * @param {number} count
 * @returns {(number | string)[][]}
 */
function resultsOf(faces, count) {
  if (faces.some((face) => String(face).length > 2)) return [];
  /** @type {(number | string)[][]} */
  let found = [[]];
  for (let k = 0; k < count; k += 1) {
    found = found.flatMap((shown) => faces.slice(shown.length ? faces.indexOf(shown[k - 1]) : 0).map((face) => [...shown, face]));
    if (found.length > MOST_RESULTS) return [];
  }
  return found;
}

/**
 * Sorts what dice show as the faces are listed.
 * @param {(number | string)[]} faces
 * @returns {(a: any, b: any) => number}
 */
const inOrder = (faces) => (a, b) => faces.indexOf(a) - faces.indexOf(b);

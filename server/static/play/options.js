/** What may be done now: the options of whoever looks, grouped by their headings, each with its form. */

import { coloursOf, ownersOf, plain as keyOf } from "./marks.js";
import { h, listed, rebuild, sentence } from "../common/dom.js";
import { fields, filled, missing } from "./forms.js";
import { takenByMachine } from "./guide.js";
import { Spots } from "./spots.js";

/** @typedef {import("./playtypes.js").Option} Option */
/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("../common/types.js").State} State */
/** @typedef {import("../common/dom.js").Child} Child */

const MARK = { yes: "✓", no: "✕", "too close to call": "≈" };

/** Words of so many letters at most stand beside each other in one row. */
const SHORT = 3;

/** Of so many who may act each stands open; of more each is a line. */
const MOST_OPEN = 3;

/** So many buttons stay in view at most: more are a list. */
const MOST_PINNED = 6;

/** So many candidates stay in view at most where nothing else is to be done. */
const MOST_ASKED = 4;

export class OptionsPanel {
  /**
   * @param {HTMLElement} node
   * @param {HTMLElement} pin  Where what is usually done, and what ends a turn, stays in view.
   * @param {any} does
   * @param {import("./ask.js").Asker} asker
   * @param {import("./throws.js").ThrowsDialog | null} [throws]
   */
  constructor(node, pin, does, asker, throws = null) {
    this.node = node;
    this.pin = pin;
    /** What stands in the pin. @type {Option[]} */
    this.pinned = [];
    /** The option of which whole answers stand in the pin: where it is the only one that has any. @type {Option | undefined} */
    this.quick = undefined;
    /** The option of which what one tap answers stands in the pin: where it alone is to be done. @type {Option | undefined} */
    this.asked = undefined;
    this.does = does;
    this.asker = asker;
    this.throws = throws;
    /** What was answered to the forms of options that are still open. @type {Map<string, Record<string, any>>} */
    this.answers = new Map();
    /** Which part of the match they were given in. @type {string | undefined} */
    this.round = undefined;
    /** The option whose question is looked at. */
    this.open = "";
    /** The option that was opened by itself. */
    this.offered = "";
    /** @type {Play | null} */
    this.play = null;
    /** @type {State | null} */
    this.table = null;
  }

  /**
   * @param {Play} play
   * @param {State | null} table
   */
  draw(play, table) {
    this.play = play;
    this.table = table;
    const { match, me } = play;
    if (!match) return;
    const known = new Set(match.options.map(idOf));
    this.forget(match, known);
    if (this.open && !known.has(this.open)) this.look("");
    // What alone is to be done, or alone may be measured, is looked at by itself, once.
    const played = new Set(play.machines.map((m) => m.player));
    const asking = me.acts ? match.options.filter((o) => o.mine && o.question) : [];
    const main = asking.filter((o) => o.main);
    // What is aimed at one's own, or can do nothing, is not put before anybody.
    const only = main.length ? main : asking.filter((o) => !hopeless(o) && !o.vain && !played.has(String(o.player)) && !this.target(o)?.own);
    if (only.length === 1 && this.offered !== idOf(only[0])) {
      this.offered = idOf(only[0]);
      return this.look(this.offered);
    }
    if (!only.length) this.offered = "";
    const shows = [match.options, match.strays, told(match.ghosts), match.proposals, match.throws, match.chosen, match.reveals, match.status.over, match.status.more, restedOf(play), play.me, play.seats, play.machines.map((m) => m.player), play.modes.dice, play.trouble, this.taken(play), this.open, [...this.answers], this.open && this.ruling()];
    this.pinned = this.pinnedOf(play);
    const usual = this.freely(play).filter((o) => o.main);
    const ready = usual.filter((o) => o.form.ready?.length);
    this.quick = ready.length === 1 ? ready[0] : undefined;
    const asked = usual.filter((o) => !o.ends);
    // While something is proposed that is to be answered or rolled for here, that comes first.
    const waits = match.proposals.some((p) => p.own || p.mine);
    this.asked = !waits && asked.length === 1 && (moved(asked[0]) || fewToPick(asked[0])) ? asked[0] : undefined;
    rebuild(this.node, shows, () => this.make(play));
    rebuild(this.pin, shows, () => this.inPin());
    this.does.offer?.(this.places(play));
  }

  /**
   * Forgets what was answered to options that are over. One whose player has nothing to do is back once others have
   * decided what came first: what was picked waits, for as long as the match stands in the same part of its round.
   * @param {NonNullable<Play["match"]>} match
   * @param {Set<string>} known
   */
  forget({ options, status }, known) {
    const busy = new Set(options.map((o) => o.player));
    for (const whole of this.answers.keys()) {
      const id = whole.replace(/^unmeasured /, "");
      if (!known.has(id) && (busy.has(JSON.parse(id)[1]) || status.what !== this.round)) this.answers.delete(whole);
    }
    this.round = status.what;
  }

  /**
   * The places on the table that may be picked by a tap, each with whether it is picked, and what a tap does: it
   * answers every form that offers the place.
   * @param {Play} play
   * @returns {{point: import("./playtypes.js").Point, words: string, on: boolean, tap: () => void}[]}
   */
  places({ match, me }) {
    if (!match || !me.acts || match.status.over || diceFirst(match)) return [];
    /** @type {Map<string, {point: import("./playtypes.js").Point, words: string, on: boolean, taps: (() => void)[]}>} */
    const found = new Map();
    for (const o of match.options.filter((option) => option.mine && !closed(option))) {
      for (const [name, input] of Object.entries(o.form.fields)) {
        // What is folded away is not the thing to tap: a piece that is to be pushed may stand below.
        const offered = input.type === "pick" && !(input.folded && this.said(o)[name] === undefined);
        for (const c of offered ? (input.candidates ?? []) : []) {
          if (!c.at || c.not_now.some((reason) => !reason.open)) continue;
          const place = found.get(String(c.at)) ?? { point: c.at, words: c.words, on: false, taps: [] };
          place.on ||= (this.said(o)[name] ?? input.usual) === c.value;
          place.taps.push(() => this.answer(o, name, c.value));
          found.set(String(c.at), place);
        }
      }
    }
    return [...found.values()].map(({ taps, ...place }) => ({ ...place, tap: () => taps.forEach((tap) => tap()) }));
  }

  /**
   * The places on record sheets where a tap does what an option offers; of one that is looked at first, while it is.
   * @param {Play} play
   */
  spots(play) {
    return Spots.of(this.freely(play), this);
  }

  /** Which move the panel beside takes. @param {Play} play */
  taken({ guide, machines }) {
    return guide?.phase === "rested" && guide.take && !takenByMachine(guide, machines) && [guide.kind, guide.piece];
  }

  again() {
    if (this.play) this.draw(this.play, this.table);
  }

  /** @param {Play} play */
  make(play) {
    const { match, me } = play;
    if (!match) return [];
    if (me.role === "player" && !me.player) return [chooseSeat(play, this.does)];
    if (match.status.over) return this.over(play);
    const strays = [this.strays(play), this.amiss(play)];
    const machines = new Set(play.machines.map((m) => m.player));
    const every = me.acts ? match.options.filter((o) => o.mine) : [];
    const mine = every.filter((o) => !machines.has(String(o.player)));
    const theirs = this.forMachines(every.filter((o) => machines.has(String(o.player))));
    const secret = this.secret(play);
    const proposed = [this.proposed(play), this.throws?.group(play)];
    if (diceFirst(match)) return [proposed, strays];
    if (!mine.length) return [proposed, strays, secret, !secret && this.waiting(play), theirs];
    const groups = [...new Set(mine.map((o) => o.heading))].map((heading) => mine.filter((o) => o.heading === heading));
    const idle = groups.filter((group) => group[0].heading && group.every((o) => hopeless(o)));
    // What is one tap away comes before what has to be opened first.
    const active = groups.filter((group) => idle.length < 2 || !idle.includes(group)).sort((a, b) => Number(a.every((o) => this.opensFirst(o))) - Number(b.every((o) => this.opensFirst(o))));
    // Of many who may act each is a line, of which one is open; on a phone of two, where picking does what they may do.
    const each = active.filter((group) => group[0].heading && !group.some((o) => o.main));
    const folds = each.length > MOST_OPEN || (matchMedia("(max-width: 860px)").matches && each.filter((group) => group.some(goesAtOnce)).length > 1);
    return [proposed, strays, secret, ...active.map((group) => (folds && group[0].heading && !group.some((o) => o.main) ? this.line(group) : this.group(group))), idle.length > 1 && idleFold(idle), theirs];
  }

  /**
   * Options under one heading as a line that opens, of which one is open at a time.
   * @param {Option[]} options
   */
  line(options) {
    const [{ heading }] = options;
    const may = [...new Set(options.filter((o) => !hopeless(o)).map((o) => o.words))];
    return h(
      "details.line-of",
      { name: "act", data: { fold: `line ${heading}` }, open: options.some((o) => idOf(o) === this.open) },
      h("summary", { onclick: opensInView }, h("strong", {}, heading), h("span.small", {}, may.join(" · "))),
      this.group(options),
    );
  }

  /**
   * What tableref may do in its own seats, which the owner can do for it: behind a fold.
   * @param {Option[]} theirs
   */
  forMachines(theirs) {
    if (!theirs.length) return null;
    const names = listed([...new Set(theirs.map((o) => String(o.player)))]);
    const headings = [...new Set(theirs.map((o) => o.heading))];
    return h("details.rest.for-machines", {}, h("summary", {}, `Act for ${names}`), headings.map((heading) => this.group(theirs.filter((o) => o.heading === heading))));
  }

  /** What whoever looks may do here, without opening it first. @param {Play} play */
  freely({ match, me, machines }) {
    if (!match || !me.acts || match.status.over || diceFirst(match)) return [];
    const played = new Set(machines.map((m) => m.player));
    return match.options.filter((o) => o.mine && !played.has(String(o.player)) && !closed(o) && !this.takenElsewhere(o) && (!o.question || this.open === idOf(o)));
  }

  /**
   * What stays in view: what is usually done, where that is one thing, and what ends a turn.
   * @param {Play} play
   */
  pinnedOf(play) {
    const free = this.freely(play);
    const main = free.filter((o) => o.main && !o.ends && (!goesAtOnce(o) || moved(o)));
    // Words of a few letters are one row, of which what is usual is a part.
    const row = main.length === 1 && isShort(main[0]) ? free.filter((o) => o.heading === main[0].heading && isShort(o)) : main;
    // One of several that are alike is not torn from the others.
    const alike = main.length === 1 && !isShort(main[0]) && bare(main[0]) && free.some((o) => o !== main[0] && o.kind === main[0].kind && o.heading === main[0].heading);
    return [...(main.length === 1 && !alike ? row : []), ...free.filter((o) => o.ends)].slice(0, MOST_PINNED);
  }

  /** The buttons in the pin. */
  inPin() {
    const row = this.pinned.filter(isShort);
    const rest = this.pinned.filter((o) => !isShort(o) && idOf(o) !== this.open);
    const looked = this.looked();
    return [
      looked && h("div.row", {}, this.carries(looked)),
      this.quick && this.readies(this.quick),
      this.asked && this.left(this.asked),
      row.length > 0 && [row[0].heading && h("p.small", {}, row[0].heading), h("div.short-row", {}, row.map((o) => this.button(o)))],
      // Beside a shot that is looked at and can do something, what ends the turn is not what is done next.
      rest.length > 0 && h("div.row", {}, rest.map((o) => this.deed(o, o.main && (!looked || looked.vain === true)))),
    ];
  }

  /**
   * Whole answers that are often given, a tap each.
   * @param {Option} o
   */
  readies(o) {
    return h("div.readies", { role: "group", "aria-label": `${o.words}, in one tap` }, (o.form.ready ?? []).map(({ words, answers, leads }) =>
      h("button.deed", { type: "button", data: { ready: words, focus: `ready ${idOf(o)} ${words}` }, onclick: () => this.carryOut(o, null, answers) }, words, leads && h("span.small", {}, leads))));
  }

  /**
   * What is left to say, which one tap says and does: in view, as a button is.
   * @param {Option} o
   */
  left(o) {
    const form = { fields: pickedBy(o.form, (input) => Boolean(input.at_once)) };
    return Object.keys(form.fields).length > 0 && h("div.asks", { data: { option: o.kind } }, fields(form, this.said(o), (name, value) => this.pick(o, name, value), { about: `${o.piece ?? o.words}, at once`, lines: true, whose: this.whose(o) }));
  }

  /** The option that is looked at and may be done: its button stays in view, too. */
  looked() {
    const open = this.play?.match?.options.find((o) => idOf(o) === this.open);
    return open && open.mine && !closed(open) ? open : null;
  }

  /**
   * The buttons of an option whose question is looked at: the server rolls, or the dice are typed.
   * @param {Option} o
   */
  carries(o) {
    const nothing = this.nothing(o);
    return [
      h(`button.deed${o.vain ? "" : ".main"}`, { type: "button", data: { kind: o.kind, focus: `do ${idOf(o)}` }, onclick: () => this.whole(o) }, nothing ? sentence(nothing) : `${o.button || o.words}${stateOf(o) === "yes" ? "" : ": you decide"}`),
      !nothing && this.play?.modes.dice !== "type" && this.play?.me.owner && h("button.deed", { type: "button", data: { typed: o.kind }, onclick: () => this.carryOut(o, []) }, "Type the dice"),
    ];
  }

  /**
   * What an option comes to whose *no* is said, or measured: "" where it may come to more.
   * @param {Option} o
   */
  nothing(o) {
    const said = this.said(o);
    const measured = idOf(o) === this.open ? this.ruling()?.verdict : null;
    for (const [name, input] of Object.entries(o.form.fields)) {
      const [yes, no] = ["yes", "no"].map((value) => input.candidates?.find((c) => c.value === value));
      if (yes && no?.leads && (said[name] ?? measured) === "no") return no.leads;
    }
    return "";
  }

  /**
   * What an option is called: with its player before it where another's beside it would read the same.
   * @param {Option} o
   */
  called(o) {
    const alike = this.play?.match?.options.some((other) => other.mine && other.player !== o.player && other.words === o.words && other.heading === o.heading);
    return o.player && alike ? `${o.player}: ${o.words}` : o.words;
  }

  /**
   * The button that carries an option out, with what its form still asks.
   * @param {Option} o
   * @param {boolean} main
   */
  deed(o, main = o.main) {
    const words = o.sealed ? `${this.called(o)}, in secret` : this.called(o);
    const left = missing(o.form, this.said(o)).map(([, input]) => input.words);
    const why = o.not_now.map((r) => r.words);
    const own = harmsOwn(o, this.said(o));
    const notes = left.length ? [`still to choose: ${left.map(inside).join(", ")}`] : [...(own ? [`${own.words} is your own`] : []), ...(o.ends && !o.main && o.more ? [o.more] : []), ...why];
    return h(`button.deed${main ? ".main" : ""}`, { type: "button", title: o.citation, data: { kind: o.kind, focus: idOf(o), lacks: String(left.length > 0) }, onclick: () => this.whole(o) }, words, notes.map((note) => h("span.small", {}, note)));
  }

  /** @param {Play} play */
  waiting({ match, me }) {
    const names = [...new Set((match?.options ?? []).map((o) => o.player).filter(Boolean))];
    // What is nobody's in particular is for all who play.
    const who = names.length ? listed(/** @type {string[]} */ (names)) : match?.options.length ? "Whoever plays" : "The owner";
    return h("p.soft", {}, me.acts ? `${who} ${names.length > 1 ? "are" : "is"} to act.` : `You are a spectator. ${who} ${names.length > 1 ? "are" : "is"} to act.`);
  }

  /** @param {Play} play */
  over({ me, trouble, record }) {
    return [
      !trouble && h("p", {}, "All of it is in the record: ", h("a", { href: record ? `/replay?game=${record}` : "/replay" }, "see it again"), "."),
      me.owner && h("button.button", { type: "button", onclick: () => this.does.ask({ type: "anew" }) }, "Set up another game"),
    ];
  }

  /** What stands elsewhere than it was left. @param {Play} play */
  strays({ match }) {
    const strays = match?.strays ?? [];
    if (!strays.length) return null;
    const mine = strays.filter((s) => s.mine).map((s) => s.piece);
    const stay = (/** @type {string[]} */ pieces) => () => this.does.ask({ type: "stays", pieces });
    return h(
      "div.group.strays",
      { role: "group", "aria-label": "Out of place", data: { heading: "Out of place" } },
      h("h2", {}, "Out of place"),
      h("p.soft", {}, strays.length > 1 ? "Put them back on their dashed shapes, or let them stay." : "Put it back on its dashed shape, or let it stay."),
      h("ul", {}, strays.map((s) => h("li", { data: { piece: s.piece } }, h("span", {}, `${s.words}${taken(match?.ghosts.find((g) => g.piece === s.piece))}.`), s.mine && h("button", { type: "button", data: { focus: `stays ${s.piece}` }, "aria-label": `${s.piece}: It stays there`, onclick: stay([s.piece]) }, "It stays there")))),
      mine.length > 1 && h("button.deed", { type: "button", data: { focus: "stay all" }, onclick: stay(mine) }, "All stay where they stand"),
      [...new Set(strays.filter((s) => s.mine).map((s) => s.leads))].map((words) => h("p.soft.leads", {}, words)),
    );
  }

  /** What players say instead of the table, until those whom it is about agree. @param {Play} play */
  proposed({ match }) {
    if (!match?.proposals.length) return null;
    const answer = (/** @type {string} */ proposal, /** @type {boolean} */ agrees) => () => this.does.ask({ type: "agree", proposal, agrees });
    const button = (/** @type {string} */ words, /** @type {string} */ focus, /** @type {() => any} */ onclick, main = false) =>
      h(`button.deed${main ? ".main" : ""}`, { type: "button", data: { focus }, onclick }, words);
    return h(
      "div.group.proposals",
      { role: "group", "aria-label": "Proposed", data: { heading: "Proposed" } },
      h("h2", {}, "Proposed"),
      match.proposals.map((p) => h(
        "div",
        { data: { proposal: p.id } },
        h("p", {}, h("strong", {}, p.words)),
        h("ul.reasons", {}, p.facts.map((words) => h("li", {}, words))),
        h("p.soft", {}, p.waits),
        h(
          "div.row",
          {},
          p.mine && button("Agree", `agree ${p.id}`, answer(p.id, true), true),
          p.mine && !p.own && button("No", `no ${p.id}`, answer(p.id, false)),
          p.act && button("Roll for it", `do ${p.id}`, () => this.asker.ask({ type: "act", ...p.act, dice: null }), true),
          p.own && button("Take it back", `back ${p.id}`, answer(p.id, false)),
        ),
      )),
    );
  }

  /** What a rule wants elsewhere, or off the table. @param {Play} play */
  amiss({ match, draft }) {
    const strays = new Set((match?.strays ?? []).map((s) => s.piece));
    // The line of whose turn it is, or the option that takes a piece, may say where it has to stand.
    const saidBeside = (/** @type {import("./playtypes.js").Ghost} */ g) => match?.status.more === g.words || (match?.options ?? []).some((o) => o.mine && o.piece === g.piece && o.heading_more === g.words);
    // Where a machine's car is to be pushed stands in what that machine wants.
    const said = (/** @type {import("./playtypes.js").Ghost} */ g) => strays.has(g.piece) || ((g.citation === "tableref" || saidBeside(g)) && !g.taken_by);
    const ghosts = (match?.ghosts ?? []).filter((g) => g.right === false && !said(g));
    if (!ghosts.length) return null;
    const colours = coloursOf(draft);
    return h(
      "div.group.amiss",
      { role: "group", "aria-label": "To be put right", data: { heading: "To be put right" } },
      h("h2", {}, "To be put right"),
      h("ul", {}, ghosts.map((g) => h("li", { data: { piece: g.piece }, style: { "--owner": colours.get(keyOf(g.piece)) ?? "" } }, h("span", {}, !g.words.includes(g.piece) && [h("strong", {}, g.piece), ": "], `${sentence(g.words.replace(/\.$/, ""))}${taken(g)}.`)))),
    );
  }

  /** Who has chosen in secret. @param {Play} play */
  secret({ match, me }) {
    if (!match || (!match.chosen.length && !match.reveals)) return null;
    return h(
      "div.group",
      {},
      h("ul.chosen", {}, match.chosen.map((c) =>
        h("li.option", { data: { player: c.player } }, h("span", {}, `${c.player} has chosen.`), c.mine && !match.reveals && h("button", { type: "button", onclick: () => this.does.ask({ type: "withdraw", group: c.group, player: c.player }) }, "Take it back")))),
      match.reveals && me.acts && h("button.deed.main", { type: "button", onclick: () => this.does.ask({ type: "reveal" }) }, "Reveal what was chosen"),
    );
  }

  /** @param {Option[]} options */
  group(options) {
    const [{ heading, heading_more: more }] = options;
    const shut = options.filter((o) => hopeless(o) && !(this.pinned.includes(o)));
    const open = options.filter((o) => !shut.includes(o) && !this.takenElsewhere(o) && !(this.pinned.includes(o) && bare(o)));
    const unmeasured = options.filter((o) => o.measuring);
    // Its heading stands in the pin with it, or it has none.
    if (options.every((o) => this.pinned.includes(o) && bare(o) && (isShort(o) || (!heading && !this.measures(o))))) return null;
    return h(
      "div.group",
      { role: "group", data: { heading }, "aria-label": heading || "Other actions" },
      heading && h("h2", {}, heading),
      more && !this.saidAbove(more) && h("p.soft", {}, more),
      this.list(open),
      shut.length > 0 &&
        h("details.rest", { data: { fold: `rest ${heading}` }, open: shut.some((o) => idOf(o) === this.open) }, h("summary", {}, whyNot(shut)), this.list(shut)),
      unmeasured.filter((o) => o.measuring?.measured && this.takenElsewhere(o)).map((o) => this.more(o)),
      // The panel knows of the newest picture, the options of one up to a second old.
      unmeasured.filter((o) => !o.measuring?.measured && !this.takenBeside(o)).map((o) => h("p.soft", {}, o.measuring?.lacks)),
      // Before anything has happened to a piece there is nothing to accept.
      unmeasured.filter((o) => o.measuring?.may && o.measuring.happened).map((o) => this.acceptance(o, o.piece ?? o.words)),
    );
  }

  /** Whether anything is said of how an option is measured. @param {Option} o */
  measures(o) {
    if (!o.measuring) return false;
    return (o.measuring.measured ? this.takenElsewhere(o) : !this.takenBeside(o)) || (o.measuring.may && o.measuring.happened);
  }

  /** Whether the line of whose turn it is, or the panel of the move, says the same. @param {string} words */
  saidAbove(words) {
    return this.play?.match?.status.more === words || restedOf(this.play) === words;
  }

  /** Whether the panel of the move takes an option, or nothing can until it is measured. @param {Option} o */
  takenElsewhere(o) {
    if (!o.measuring || !this.play) return false;
    return !o.measuring.measured || this.takenBeside(o);
  }

  /** Whether the panel of the move takes an option as it is measured. @param {Option} o */
  takenBeside(o) {
    return this.play !== null && String(this.taken(this.play)) === String([o.kind, o.piece]);
  }

  /** What may be said of a move besides, which the button of its panel takes with it. @param {Option} o */
  more(o) {
    return h("div.group", { data: { option: o.kind } }, fields(o.form, this.said(o), (name, value) => this.answer(o, name, value), { about: o.piece ?? o.words, lines: true, whose: this.whose(o) }));
  }

  /**
   * Says that a move counts which the camera did not measure, with the reason: the owner, or whoever moves proposes it.
   * @param {Option} o
   * @param {string} whose
   */
  acceptance(o, whose) {
    const id = `unmeasured ${idOf(o)}`;
    const said = this.answers.get(id) ?? {};
    const answer = (/** @type {string} */ name, /** @type {any} */ value) => {
      this.answers.set(id, { ...said, ...this.answers.get(id), [name]: value });
      this.again();
    };
    const why = { type: "text", words: "Why it was not measured", more: "", usual: null, optional: false, folded: false, longest: 200 };
    // What the option's own form asks above is not asked twice: its answers stand there.
    const asked = o.measuring?.measured && o.measuring.may && !closed(o) ? this.said(o) : null;
    const rest = Object.fromEntries(Object.entries(o.form.fields).filter(([, input]) => !["path", "pose"].includes(input.type)));
    const form = { fields: { ...(asked ? {} : rest), unmeasured: why } };
    const accept = async () => {
      const { unmeasured, ...typed } = filled(form, this.answers.get(id) ?? {});
      const data = asked ? { ...filled({ fields: rest }, asked), ...typed } : typed;
      if (!unmeasured) return this.does.refuse("Say why it was not measured.");
      const done = await this.asker.ask({ type: "act", kind: o.kind, player: o.player, data: { ...o.data, ...data }, unmeasured, dice: null });
      if (done) this.answers.delete(id);
    };
    return h(
      "details.group.unmeasured",
      { data: { unmeasured: o.kind, piece: o.piece ?? "", fold: id } },
      h("summary", {}, `Accept without measuring: ${whose}`),
      fields(form, said, answer, { about: `${o.piece ?? o.words}, without measuring`, lines: true, whose: this.whose(o) }),
      h("p.soft", {}, o.measuring?.words),
      h("button.deed", { type: "button", data: { focus: id }, onclick: accept }, this.play?.me.owner ? "Accept without measuring" : "Propose it without measuring"),
    );
  }

  /** @param {Option[]} options */
  list(options) {
    // First what others have, then what is nobody's; what can do nothing comes last but for one's own: nobody aims at them.
    const rank = (/** @type {Option} */ o) => 4 * Number(this.target(o)?.own ?? false) + 2 * Number(o.vain ?? false) + Number(!this.target(o));
    const asking = options.filter((o) => o.question).sort((a, b) => rank(a) - rank(b));
    const plain = options.filter((o) => !o.question && !shownFields(o).length);
    const told = options.filter((o) => !o.question && shownFields(o).length);
    const short = plain.length > 1 && plain.every((o) => o.words.length <= SHORT);
    return [
      asking.length > 0 && h("ul.shots", {}, asking.map((o) => this.item(o))),
      ...told.map((o) => this.withForm(o)),
      plain.length > 0 && h(short ? "div.short-row" : plain.length > 1 ? "div.grid" : "div.row", {}, plain.map((o) => this.button(o))),
    ];
  }

  /**
   * An option that needs nothing more.
   * @param {Option} o
   */
  button(o) {
    const why = o.not_now.map((r) => r.words).join("; ");
    const colour = this.play?.seats.find((s) => s.player === o.player)?.colour;
    const piece = o.piece !== null && o.words === o.piece;
    return h(
      `button.deed${o.main ? ".now" : ""}${piece ? ".car" : ""}`,
      { type: "button", style: piece && colour ? { "--colour": colour } : {}, title: o.citation, data: { kind: o.kind, focus: idOf(o), state: stateOf(o) }, onclick: () => this.carryOut(o) },
      h("strong", {}, this.called(o)),
      o.more && h("span.small", {}, o.more),
      o.facts.map((fact) => h("span.small", {}, [fact.words, fact.more].filter(Boolean).join(" "))),
      why && h("span.small", {}, why),
      o.sealed && h("span.small", {}, "in secret"),
    );
  }

  /**
   * An option with a form: at once where it is what is usually done or all there is, else behind a fold.
   * @param {Option} o
   */
  withForm(o) {
    const form = this.asked === o ? { fields: pickedBy(o.form, (input) => !input.at_once) } : o.form;
    const goes = goesAtOnce(o) && !harmsOwn(o, this.said(o)) && (!missing(o.form, {}).length || missing(o.form, this.said(o)).length > 0);
    const button = !this.pinned.includes(o) && !goes && this.deed(o);
    const parts = [o.more && h("p.soft", {}, o.more), o.facts.length > 0 && h("p.soft", {}, o.facts.map((fact) => [fact.words, fact.more].filter(Boolean).join(" ")).join(" · ")), explained(o), o.main && this.quick !== o && (o.form.ready?.length ?? 0) > 0 && this.readies(o), ...fields(form, this.said(o), (name, value) => this.pick(o, name, value), { about: o.piece ?? o.words, lines: true, whose: this.whose(o) }), button].flat();
    if (goesAtOnce(o)) return h("div.group", { data: { option: o.kind } }, !o.main && h("p", {}, h("strong", {}, this.called(o))), parts);
    if (!this.opensFirst(o)) return h("div.group", { data: { option: o.kind } }, parts);
    return h("details.group", { data: { option: o.kind, fold: idOf(o) } }, h("summary", {}, this.called(o)), parts);
  }

  /** Whether an option stands behind a fold: something has to be said for it, and it is neither usual nor all there is. @param {Option} o */
  opensFirst(o) {
    if (o.question || o.main || goesAtOnce(o) || !shownFields(o).length) return false;
    const forced = Object.values(o.form.fields).some((input) => !input.folded && !input.optional && input.type !== "path");
    return forced && this.play?.match?.options.filter((other) => other.mine).length !== 1;
  }

  /**
   * Carries an option out once its form is filled. A number counts from the tap on: that takes it out of its field.
   * @param {Option} o
   */
  whole(o) {
    const left = missing(o.form, this.said(o)).map(([, input]) => input.words);
    return left.length ? this.does.refuse(`Choose first: ${left.map(inside).join(", ")}.`) : this.carryOut(o);
  }

  /**
   * Who has a piece, for whoever may do this.
   * @param {Option} o
   * @returns {(name: any) => {player: string, colour: string, own: boolean} | null}
   */
  whose(o) {
    const owners = ownersOf(this.play?.draft);
    return (name) => {
      const found = typeof name === "string" ? owners.get(keyOf(name)) : undefined;
      return found ? { ...found, own: found.player === o.player } : null;
    };
  }

  /** Who has what an option is aimed at: the last piece that its question is about. @param {Option} o */
  target(o) {
    const pieces = o.question?.pieces ?? [];
    return pieces.length > 1 ? this.whose(o)(pieces[pieces.length - 1]) : null;
  }

  /**
   * An option that a question of the table stands behind: a line that opens.
   * @param {Option} o
   */
  item(o) {
    const id = idOf(o);
    const open = this.open === id;
    const nothing = this.nothing(o);
    const state = nothing ? "no" : stateOf(o);
    const owner = this.target(o);
    return h(
      owner ? "li.shot.owned" : "li.shot",
      { style: owner ? { "--owner": owner.colour } : {}, data: { state, piece: o.piece ?? "", label: o.question?.label ?? "" } },
      h(
        "button.line",
        { type: "button", "aria-expanded": String(open), data: { focus: `look ${id}` }, onclick: () => this.look(open ? "" : id) },
        h("span.who", {}, h("strong", {}, o.words), [owner && !owner.own && owner.player, o.more].filter(Boolean).map((words) => h("span.small", {}, words))),
        nothing
          ? h("span.odds", {}, h("strong", {}, "✕"), h("span.small", {}, nothing))
          : state === "no"
          ? h("span.odds", {}, h("strong", {}, "✕"), h("span.small", {}, o.not_now.length === 1 ? "1 reason" : `${o.not_now.length} reasons`))
          : o.facts.map((fact, k) => h(k ? "span.damage" : "span.odds", {}, h("strong", {}, fact.words), h("span.small", {}, fact.more))),
      ),
      open && this.detail(o),
    );
  }

  /** @param {Option} o */
  detail(o) {
    const ruling = this.ruling();
    const measured = /** @type {import("../common/types.js").Check[]} */ (ruling?.checks ?? []);
    const checks = measured.map((c) =>
      h("li", { data: { verdict: c.verdict, role: c.role } }, h("span.mark", { "aria-label": c.verdict }, MARK[c.verdict]), h("span", {}, h("strong", {}, c.name), ` ${c.words}`), h("span.cite", {}, c.citation)));
    const told = new Set(measured.map((c) => c.name));
    const others = o.not_now.filter((r) => !told.has(r.question));
    const asked = fields(o.form, this.said(o), (name, value) => this.answer(o, name, value), { about: o.words, fold: "Enter it by hand", lines: true, whose: this.whose(o) });
    return h(
      "div.detail",
      {},
      h("ul.checks", {}, checks, others.map((r) => h("li", { data: { verdict: r.open ? "too close to call" : "no", role: "condition" } }, h("span.mark", {}, r.open ? "≈" : "✕"), h("span", {}, r.words), h("span.cite", {}, r.citation)))),
      explained(o),
      asked.slice(0, -1),
      this.looked() !== o && h("div.row", {}, this.carries(o)),
      asked.slice(-1),
    );
  }

  /** The table's answer to the question that is looked at, once it is there. */
  ruling() {
    const question = this.play?.match?.options.find((o) => idOf(o) === this.open)?.question;
    const ruling = /** @type {any} */ (this.table?.ruling);
    return question && ruling && ruling.label === question.label && String(ruling.pieces) === String(question.pieces) ? ruling : null;
  }

  /** @param {Option} o */
  said(o) {
    const said = Object.entries(this.answers.get(idOf(o)) ?? {});
    // What is not to be picked any more, as a card that was played meanwhile, is not picked.
    return Object.fromEntries(said.map(([name, value]) => [name, offered(o.form.fields[name], value)]));
  }

  /**
   * An answer that may be all that was still to be said: then it is done.
   * @param {Option} o
   * @param {string} name
   * @param {any} value
   */
  pick(o, name, value) {
    const { at_once: atOnce, most = 1 } = o.form.fields[name];
    const picked = value !== null && (!Array.isArray(value) || value.length === most);
    // One's own is harmed by the button alone.
    const own = harmsOwn(o, { [name]: value });
    if (!atOnce || !picked || own || missing(o.form, { ...this.said(o), [name]: value }).length) return this.answer(o, name, value);
    this.answers.set(idOf(o), { ...this.said(o), [name]: value });
    this.carryOut(o).then((done) => {
      if (done) return;
      // What was not done is not chosen either.
      this.answer(o, name, null);
    });
  }

  /**
   * @param {Option} o
   * @param {string} name
   * @param {any} value
   */
  answer(o, name, value) {
    this.answers.set(idOf(o), { ...this.said(o), [name]: value });
    this.again();
  }

  /**
   * @param {Option} o
   * @param {any[] | null} [dice]
   * @param {Record<string, any>} [answers]  To its form, else what was said.
   */
  async carryOut(o, dice = null, answers = this.said(o)) {
    // A tap on a button that stood there a moment longer than what it offers.
    if (!this.play?.match?.options.some((other) => other.kind === o.kind && other.player === o.player && other.piece === o.piece)) return false;
    const seen = o.measuring ? Object.entries(o.form.fields).filter(([, i]) => i.type === "path" && i.usual).map(([name, i]) => [name, i.usual]) : [];
    const done = await this.asker.option(o, { ...Object.fromEntries(seen), ...filled(o.form, answers) }, dice);
    if (done) this.answers.delete(idOf(o));
    return done;
  }

  /** Looks at the question of an option on the table. @param {string} id */
  look(id) {
    this.open = id;
    this.does.point(this.play?.match?.options.find((o) => idOf(o) === id)?.question ?? null);
    this.again();
  }

  /**
   * What a tap on a piece means: the one thing to do with one's own is done. What is aimed at another's piece, or
   * one of several things, is shown: a tap too many attacks nobody. So is what takes a piece as it lies: who taps
   * it may be about to drag it.
   * @param {string} piece
   */
  tap(piece) {
    const about = (this.play?.match?.options ?? []).filter((o) => o.mine && o.piece === piece);
    const plain = about.filter((o) => !o.question && !shownFields(o).length && !this.takenElsewhere(o));
    if (plain.length === 1 && !plain[0].measuring && (this.whose(plain[0])(piece)?.own ?? true)) this.carryOut(plain[0]);
    else if (about.length && about[0].question) this.look(idOf(about[0]));
    else if (plain.length) showDeed(plain[0]);
    return about.length > 0;
  }
}

/** Brings the button of an option into view, and to the keyboard. @param {Option} o */
function showDeed(o) {
  const ids = [idOf(o), `do ${idOf(o)}`];
  const button = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-focus]")]).find((n) => ids.includes(n.dataset.focus ?? ""));
  button?.closest("details")?.setAttribute("open", "");
  button?.scrollIntoView({ block: "center" });
  button?.focus();
}

/** @param {Option} o */
const idOf = (o) => JSON.stringify([o.kind, o.player, o.piece, o.words.length > SHORT && o.question ? o.words : "", o.data]);

/** @param {Option} o */
const closed = (o) => o.not_now.some((reason) => !reason.open);

/**
 * Whether an option cannot be done as things stand: it is not lawful, or nothing that it needs may be picked.
 * @param {Option} o
 */
const hopeless = (o) => closed(o) || Object.values(o.form.fields).some((input) => !input.optional && (input.least ?? 1) > 0 && (input.candidates ?? []).length > 0 && (input.candidates ?? []).every(barred));

/** @param {import("./playtypes.js").Candidate} candidate */
const barred = ({ not_now }) => not_now.some((reason) => !reason.open);

/** Why an option cannot be done, each reason once. @param {Option} o */
const whyHopeless = (o) => [...new Set([...o.not_now, ...Object.values(o.form.fields).flatMap((input) => (input.candidates ?? []).filter(barred).flatMap((c) => c.not_now.map((r) => ({ ...r, words: `${c.words}: ${r.words}` }))))].map((r) => r.words))].join("; ");

/**
 * Those who cannot do anything now, in one line, with the reasons behind it.
 * @param {Option[][]} groups
 */
function idleFold(groups) {
  return h(
    "details.rest.idle",
    { data: { fold: "idle" } },
    h("summary", {}, `${groups.length} cannot act now: why?`),
    h("ul", {}, groups.map((group) => h("li", {}, h("strong", {}, group[0].heading), group.map((o) => h("p.small", {}, `${o.words}: ${whyHopeless(o)}`))))),
  );
}

/** The heading over what may not be done. @param {Option[]} shut */
function whyNot(shut) {
  const what = shut.every((o) => o.question) ? (shut.length === 1 ? "illegal target" : "illegal targets") : "not allowed now";
  return `${shut.length} ${what}: why?`;
}

/** @param {Option} o */
const stateOf = (o) => (closed(o) ? "no" : o.not_now.length ? "close" : "yes");

/** The inputs that somebody fills: what is seen is not asked. @param {Option} o */
const shownFields = (o) => Object.values(o.form.fields).filter((input) => input.type !== "path" && input.type !== "pose");

/** A label within a sentence. @param {string} words */
const inside = (words) => words.charAt(0).toLowerCase() + words.slice(1);

/** What opens comes into view with what stands in it. @param {Event} event */
function opensInView({ currentTarget }) {
  const fold = /** @type {HTMLElement} */ (currentTarget).closest("details");
  requestAnimationFrame(() => fold?.open && fold.scrollIntoView({ block: "start" }));
}

/** Whether nothing is asked for an option. @param {Option} o */
const bare = (o) => !o.question && !shownFields(o).length;

/** Whether picking one does what the option offers; of several that may be picked, fewer need its button. @param {Option} o */
const goesAtOnce = (o) => !o.question && Object.values(o.form.fields).some((input) => input.at_once && (input.most ?? 1) === 1);

/**
 * What of an answer is still to be picked.
 * @param {import("./playtypes.js").Input | undefined} input
 * @param {any} value
 */
function offered(input, value) {
  if (!input?.candidates) return value;
  const has = (/** @type {any} */ one) => input.candidates?.some((c) => c.value === one);
  return Array.isArray(value) ? value.filter(has) : has(value) ? value : null;
}

/**
 * Whether dice have fallen for what is done here, so that nothing else is done before the others have, too.
 * @param {NonNullable<Play["match"]>} match
 */
const diceFirst = ({ throws }) => (throws ?? []).some((t) => t.own && !t.back && !t.machine);

/** Whether what one tap answers is so little that it can stay in view. @param {Option} o */
const fewToPick = (o) => goesAtOnce(o) && Object.values(o.form.fields).filter((input) => input.at_once).every((input) => (input.candidates ?? []).filter((c) => !barred(c)).length <= MOST_ASKED);

/**
 * One's own that these answers to an option would harm.
 * @param {Option} o
 * @param {Record<string, any>} said
 */
const harmsOwn = (o, said) => Object.entries(said).flatMap(([name, value]) => (o.form.fields[name]?.candidates ?? []).filter((c) => c.own && [value].flat().includes(c.value)))[0];

/** Whether an option is a move that is measured. @param {Option} o */
const moved = (o) => Boolean(o.measuring?.measured);

/**
 * Some inputs of a form.
 * @param {import("./playtypes.js").Form} form
 * @param {(input: import("./playtypes.js").Input) => boolean} which
 */
const pickedBy = (form, which) => Object.fromEntries(Object.entries(form.fields).filter(([, input]) => which(input)));

/** @param {Option} o */
const isShort = (o) => bare(o) && o.words.length <= SHORT;

/** How the odds of a shot come about, step by step: behind a fold. @param {Option} o */
const explained = ({ reckoning, words }) => reckoning.length > 0 && h(
  "details.explained",
  { data: { fold: `explain ${words}` } },
  h("summary", {}, "Explain this shot"),
  h("dl", {}, reckoning.map((r) => [h("dt", {}, r.figure), h("dd", {}, r.words, h("span.cite", {}, r.citation))])),
);

/**
 * Whose phone is this?
 * @param {Play} play
 * @param {any} does
 */
export function chooseSeat(play, does) {
  const rest = play.seats.filter((s) => !s.taken);
  const machines = new Set(play.machines.map((m) => m.player));
  const gone = play.seats.filter((s) => s.taken && !machines.has(s.player)).map((s) => s.player);
  const none = gone.length ? "All seats are taken. The owner can free one: Options." : "tableref plays all of them. This phone looks on.";
  return h(
    "div.group",
    {},
    h("h2", {}, "Who are you?"),
    h("p.soft", {}, rest.length ? "What this phone does counts for you alone." : play.seats.length ? none : "The owner is naming the players. This fills by itself."),
    h("div.grid", {}, rest.map((s) => h("button.deed.car", { type: "button", style: { "--colour": s.colour }, onclick: () => does.ask({ type: "sit", player: s.player }) }, h("strong", {}, s.player)))),
    rest.length > 0 && gone.length > 0 && h("p.soft", { data: { taken: "" } }, `${listed(gone)} ${gone.length > 1 ? "have phones" : "has a phone"} already. The owner can free a seat: Options.`),
  );
}

/** Who stands where a piece has to stand. @param {import("./playtypes.js").Ghost | undefined} ghost */
const taken = (ghost) => (ghost?.taken_by ? `; ${ghost.taken_by} stands there` : "");

/** What the panel of the move says of a piece at rest: what it says while that is pushed is no news here. @param {Play | null} play */
const restedOf = (play) => (play?.guide?.phase === "rested" ? play.guide.words : null);

/** What is said of where pieces have to stand: a drawing that trembles is no news. @param {import("./playtypes.js").Ghost[]} ghosts */
const told = (ghosts) => ghosts.filter((g) => g.right === false).map((g) => [g.piece, g.words, g.taken_by]);

/** Forms: one renderer for each type of input. They hold what was answered and say when it has changed. */

import { h } from "../common/dom.js";
import { lengthField, lengthIn } from "../common/lengths.js";

/** @typedef {import("./playtypes.js").Form} Form */
/** @typedef {import("./playtypes.js").Input} Input */
/** @typedef {import("./playtypes.js").Candidate} Candidate */
/** @typedef {import("../common/dom.js").Child} Child */
/**
 * @typedef {object} Field
 * @property {string} name
 * @property {Input} input
 * @property {any} value  What was answered, else what is usual.
 * @property {boolean} answered
 * @property {string} about  What the form belongs to, for names that are read out.
 * @property {(value: any) => void} set  Null takes the answer back.
 * @property {(value: any) => {player: string, colour: string, own: boolean} | null} whose  Who has a piece that may be picked.
 * @property {boolean} lines  Whether candidates are lines to tap, however many; else many are a list that opens.
 */

/** @type {Record<string, (field: Field) => Child | Child[]>} */
const RENDERERS = {
  pick: (f) => ((f.input.most ?? 1) > 1 ? several(f) : one(f)),
  pieces: several,
  number,
  numbers,
  die,
  flag,
  text,
  // Where a piece stands and how it got there is seen; the panel of the move takes it.
  pose: () => null,
  path: () => null,
};

/**
 * The inputs of a form; those that are seldom needed behind a fold. What was answered of these stands before it,
 * or `stays` where it is: then nothing moves under a finger, and the fold says what was answered in it.
 * @param {Form} form
 * @param {Record<string, any>} answers
 * @param {(name: string, value: any) => void} set
 * @param {{about?: string, fold?: string, lines?: boolean, whose?: Field["whose"], stays?: boolean}} [how]
 * @returns {Child[]}
 */
export function fields(form, answers, set, { about = "", fold = "More details", lines = false, whose = () => null, stays = false } = {}) {
  const all = Object.entries(form.fields).map(([name, input]) => ({ name, input, node: field(name, input, answers, set, { about, lines, whose }) }));
  const said = (/** @type {{name: string}} */ f) => answers[f.name] !== undefined;
  const shown = all.filter((f) => f.node && (!f.input.folded || (said(f) && !stays)));
  const folded = all.filter((f) => f.node && !shown.includes(f));
  return [
    ...shown.map((f) => f.node),
    folded.length > 0 && h("details.folded", { data: { fold: `${about} ${fold}` } }, h("summary", {}, fold, folded.some(said) && h("span.small", {}, ` · ${folded.filter(said).map((f) => f.input.words).join(", ")}`)), folded.map((f) => f.node)),
  ];
}

/**
 * @param {string} name
 * @param {Input} input
 * @param {Record<string, any>} answers
 * @param {(name: string, value: any) => void} set
 * @param {Pick<Field, "about" | "lines" | "whose">} how
 */
function field(name, input, answers, set, how) {
  const { lines } = how;
  const render = RENDERERS[input.type];
  if (!render) throw new Error(`an input of unknown type ${input.type}`);
  const answered = answers[name] !== undefined && answers[name] !== null;
  const value = answered ? answers[name] : input.usual;
  const node = render({ name, input, value, answered, ...how, set: (said) => set(name, said) });
  const lacks = lines && !input.at_once && missing({ fields: { [name]: input } }, answers).length > 0;
  return node && h("div.field", { data: { field: name, type: input.type, changed: String(answered), lacks: String(lacks) } }, node);
}

/**
 * What is missing before a form can be used.
 * @param {Form} form
 * @param {Record<string, any>} answers
 */
export function missing(form, answers) {
  return Object.entries(form.fields).filter(([name, input]) => {
    const given = answers[name] ?? input.usual;
    if (["pose", "path"].includes(input.type)) return false;
    return !input.optional && (given === null || given === undefined || (Array.isArray(given) && given.length < least(input)));
  });
}

/**
 * The answers to a form with what is usual where nothing was answered.
 * @param {Form} form
 * @param {Record<string, any>} answers
 */
export function filled(form, answers) {
  const usual = Object.entries(form.fields).filter(([, i]) => i.usual !== null && !["pose", "path"].includes(i.type)).map(([name, i]) => [name, i.usual]);
  return { ...Object.fromEntries(usual), ...Object.fromEntries(Object.entries(answers).filter(([, v]) => v !== null && v !== undefined)) };
}

/** @param {Input} input */
const least = ({ type, least: fewest = 1, count = 1 }) => (type === "die" ? count : fewest);

/** @param {Candidate} candidate */
const closed = ({ not_now }) => not_now.some((reason) => !reason.open);

/** @param {Field} f */
const label = ({ input }) => [h("span.label", {}, input.words), input.more && h("span.small", {}, input.more)];

/** Up to so many candidates are buttons; more are a list that opens. */
const MOST_BUTTONS = 4;

/** @param {Field} f */
function one(f) {
  const { input, value, answered, about, name, set } = f;
  const candidates = input.candidates ?? [];
  if (candidates.length > MOST_BUTTONS && !f.lines) {
    const chosen = candidates.find((c) => c.value === value);
    return h(
      "label.arm",
      {},
      label(f),
      h("select", { data: { focus: `${about} ${name}` }, onpointerdown: inFull(candidates, true), onkeydown: inFull(candidates, true), onblur: inFull(candidates, false), "aria-label": [input.words, about].filter(Boolean).join(" of "), onchange: (/** @type {any} */ e) => set(candidates[e.target.selectedIndex - (chosen ? 0 : 1)]?.value ?? null) },
        !chosen && h("option", { value: "", selected: true }, "…"),
        candidates.map((c) => h("option", { value: String(c.value), selected: c === chosen, disabled: closed(c) }, c.words))),
      h("span.small.words", {}, chosen?.more ?? ""),
    );
  }
  return h("div", { role: "group", "aria-label": [input.words, about].filter(Boolean).join(" of ") }, label(f), offered(f, candidates, (c) => choice(f, c, c.value === value && (answered || !input.at_once), () => set(c.value === value && input.optional ? null : c.value))));
}

/**
 * Where they are chosen candidates say what they do; what was chosen is short, as it stands in a narrow box.
 * @param {Candidate[]} candidates
 * @param {boolean} whole
 */
const inFull = (candidates, whole) => (/** @type {any} */ { currentTarget }) => {
  const options = /** @type {HTMLOptionElement[]} */ ([...currentTarget.options]);
  options.slice(-candidates.length).forEach((option, k) => {
    const { words, more } = candidates[k];
    option.label = whole && more ? `${words}: ${more}` : words;
  });
};

/**
 * Candidates to tap, under what groups them; those that may not be picked behind a fold, with the reasons.
 * @param {Field} f
 * @param {Candidate[]} candidates
 * @param {(c: Candidate) => any} draw
 */
function offered(f, candidates, draw) {
  const leads = candidates.some((c) => c.leads);
  const many = (f.input.most ?? 1) > 1 || f.input.type === "pieces";
  const box = leads ? "div.leading" : many || candidates.length > MOST_BUTTONS ? "div.picks" : "div.declare";
  // One's own pieces come last: nobody aims at them.
  const own = (/** @type {Candidate} */ c) => Number(f.whose(c.value)?.own ?? false);
  const may = (f.lines ? candidates.filter((c) => !closed(c)) : [...candidates]).sort((a, b) => own(a) - own(b));
  const not = candidates.filter((c) => !may.includes(c));
  const groups = [...new Set(may.map((c) => c.group))];
  return [
    groups.map((group) => [group && h("p.small.grouped", {}, group), h(box, {}, may.filter((c) => c.group === group).map(draw))]),
    not.length > 0 && h("details.rest", { data: { fold: `${f.about} ${f.name} not` } }, h("summary", {}, `${not.length} cannot be picked: why?`), h(box, {}, not.map(draw))),
  ];
}

/** @param {Field} f */
function several(f) {
  const { input, value, about, set } = f;
  const chosen = /** @type {any[]} */ (value ?? []);
  // What was tapped last counts, drawn anew or not: of two quick taps the first would be lost.
  let tapped = chosen;
  const toggle = (/** @type {any} */ v) => {
    const others = input.most === 1 ? [] : tapped;
    tapped = tapped.includes(v) ? tapped.filter((x) => x !== v) : [...others, v].slice(0, input.most ?? 99);
    set(tapped);
  };
  const place = (/** @type {any} */ v) => (input.ordered && chosen.includes(v) ? String(chosen.indexOf(v) + 1) : "");
  return h("div", { role: "group", "aria-label": [input.words, about].filter(Boolean).join(" of ") }, label(f), offered(f, input.candidates ?? [], (c) => choice(f, c, chosen.includes(c.value), () => toggle(c.value), place(c.value))));
}

/**
 * A candidate to tap: its words, its figures, and why it may not be picked.
 * @param {Field} f
 * @param {Candidate} c
 * @param {boolean} on
 * @param {() => void} tap
 * @param {string} [place]  Its number among those that were picked, where their order counts.
 */
function choice(f, c, on, tap, place = "") {
  const why = c.not_now.map((r) => r.words).join("; ");
  const owner = f.whose(c.value);
  return h(
    "button.pick",
    { type: "button", style: owner ? { "--colour": owner.colour } : {}, "aria-pressed": String(on), disabled: closed(c), title: why || c.not_now[0]?.citation || "", data: { focus: `${f.about} ${f.name} ${c.value}`, value: String(c.value) }, onclick: tap },
    place && h("span.place-in-order", {}, place),
    h("strong", {}, c.words),
    owner && !owner.own && h("span.small", {}, owner.player),
    c.own && h("span.small", {}, "your own"),
    (c.facts ?? []).map((fact) => h("span.small", {}, h("b", {}, fact.words), fact.more && ` ${fact.more}`)),
    c.more && !(owner && !owner.own && c.more === owner.player) && h("span.small", {}, c.more),
    c.leads && h("span.leads", {}, c.leads),
    why && h("span.small", {}, why),
  );
}

/** Radians and degrees: people say degrees. */
const DEGREE = Math.PI / 180;

/** @param {Field} f */
function number(f) {
  const { input, value, about, name, set } = f;
  if (input.leads?.length) return h("div", { role: "group", "aria-label": [input.words, about].filter(Boolean).join(" of ") }, label(f), h("div.leading", {}, input.leads.map((leads, k) => {
    const n = (input.low ?? 0) + k;
    return choice(f, { value: n, words: String(n).replace("-", "−"), more: "", not_now: [], facts: [], at: null, leads, group: "" }, n === value, () => set(n));
  })));
  const scale = input.unit === "rad" ? DEGREE : 1;
  const unit = { in: "inches", rad: "degrees" }[input.unit ?? ""] ?? "";
  const round = (/** @type {number} */ n) => Number((n / scale).toFixed(2));
  const shown = value === null || value === undefined ? "" : String(round(value));
  const called = [input.words, about].filter(Boolean).join(" of ");
  const limits = { low: round(input.low ?? 0), high: round(input.high ?? 99) };
  const given = { value: shown, "aria-label": called, data: { focus: `${about} ${name}` } };
  const box = unit === "inches"
    ? lengthField({ ...limits, ...given, onchange: () => box.reportValidity() && set(lengthIn(box)) })
    : h("input", { type: "number", step: input.whole ? "1" : "any", min: String(limits.low), max: String(limits.high), ...given, onchange: (/** @type {any} */ e) => (e.target.validity.badInput ? e.target.reportValidity() : set(e.target.value === "" ? null : Number(e.target.value) * scale)) });
  const [low, high, now] = [input.low ?? 0, input.high ?? 99, Number(value ?? input.low ?? 0)];
  const step = (/** @type {number} */ by, /** @type {string} */ sign, /** @type {string} */ words) =>
    h("button.step", { type: "button", disabled: by < 0 ? now <= low : now >= high, "aria-label": [`${words}: ${input.words}`, about].filter(Boolean).join(", "), data: { focus: `${about} ${name} ${words}` }, onclick: () => set(Math.min(Math.max(now + by, low), high)) }, sign);
  const stepped = input.whole && unit === "" ? h("span.stepper", {}, step(-1, "−", "one less"), box, step(1, "+", "one more")) : box;
  return h("label.rule", {}, label(f), stepped, unit && h("span.small", {}, unit));
}

/** @param {Field} f */
function numbers(f) {
  const { value, about, name, set, input } = f;
  const read = (/** @type {HTMLInputElement} */ box) => {
    const typed = box.value.normalize("NFKC");
    box.setCustomValidity(/[\p{L}.]|(^|\s)-/u.test(typed) ? "Whole numbers with blanks between, as 4 4 6" : "");
    if (!box.reportValidity()) return;
    const found = typed.split(/[^0-9]+/).filter(Boolean).map(Number);
    set(found.length ? found : null);
  };
  return h("label.rule", {}, label(f), h("input", { type: "text", inputmode: "numeric", value: (value ?? []).join(" "), "aria-label": [input.words, about].filter(Boolean).join(" of "), data: { focus: `${about} ${name}` }, onchange: (/** @type {any} */ e) => read(e.target) }));
}

/** @param {Field} f */
function die(f) {
  const { input, value, about, name, set } = f;
  const shown = /** @type {any[]} */ (value ?? []);
  const tapped = [...shown];
  const rolls = Array.from({ length: input.count ?? 1 }, (_, k) =>
    h("div.faces", { role: "group", "aria-label": `${input.words} ${k + 1}` }, (input.faces ?? []).map((face) =>
      h("button.die", { type: "button", "aria-pressed": String(String(shown[k]) === face), data: { focus: `${about} ${name} ${k} ${face}`, value: face }, onclick: () => {
        tapped[k] = face;
        const next = Array.from({ length: input.count ?? 1 }, (__, n) => tapped[n]);
        set(next.some((v) => v === undefined) ? next.filter((v) => v !== undefined) : next);
      } }, face))));
  return h("fieldset.dice", {}, h("legend", {}, h("strong", {}, input.words), input.by && ` ${input.by} rolls`), rolls);
}

/** @param {Field} f */
function flag(f) {
  const { input, value, about, name, set } = f;
  return h("button.pick", { type: "button", "aria-pressed": String(value === true), title: input.more, data: { focus: `${about} ${name}` }, onclick: () => set(value === true ? (input.usual === true ? false : null) : true) }, input.words);
}

/** @param {Field} f */
function text(f) {
  const { input, value, about, name, set } = f;
  return h("label.rule", {}, label(f), h("input", { type: "text", maxlength: String(input.longest ?? 80), autocomplete: "off", value: value ?? "", "aria-label": [input.words, about].filter(Boolean).join(" of "), data: { focus: `${about} ${name}` }, onchange: (/** @type {any} */ e) => set(e.target.value.trim() || null) }));
}

/** The ruling in words and figures, large enough to be read across the table. */

import { byId, keyed, say, set } from "./svg.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Check} Check */

const ICONS = { yes: "#i-yes", no: "#i-no", "too close to call": "#i-close", none: "#i-ask" };

export class RulingPanel {
  /** @param {{ask: (key: string) => void, swap: () => void, clear: () => void}} does */
  constructor(does) {
    /** @type {HTMLSelectElement} */
    this.list = byId("question");
    this.list.addEventListener("change", () => does.ask(this.list.value));
    byId("swap").addEventListener("click", does.swap);
    byId("clear").addEventListener("click", does.clear);
    this.spoken = "";
  }

  /** @param {State} state */
  draw(state) {
    const { selection, questions, ruling, refusal } = state;
    const asked = questions.find((q) => q.key === state.asked) ?? (selection.pieces.length ? undefined : questions[0]);
    this.drawQuestions(questions, asked);
    this.drawPicked(selection.pieces, asked);
    const verdict = refusal ? "none" : (ruling?.verdict ?? "none");
    byId("verdict").dataset.verdict = verdict;
    set(byId("verdict-icon"), { href: ICONS[verdict] });
    const missing = `Pick ${asked?.missing || "a piece to ask about"}, on the table or in the list.`;
    const unseen = !refusal && selection.pieces.length > 0 && !state.pieces.length;
    say(byId("headline"), refusal ? "Not now" : unseen ? "Looking…" : (ruling?.headline ?? (selection.pieces.length ? "And which other?" : "Which pieces?")));
    say(byId("sentence"), refusal ?? ruling?.sentence ?? (unseen ? `${selection.pieces.join(" and ")}: not seen yet.` : missing));
    const stale = refusal ? null : (ruling?.stale ?? null);
    byId("stale").hidden = stale === null;
    say(byId("stale"), stale ?? "");
    const surer = refusal ? "" : (ruling?.surer ?? "");
    byId("surer").hidden = surer === "";
    say(byId("surer"), surer);
    say(byId("question-words"), asked?.more ?? "");
    keyed(byId("checks"), refusal ? [] : (ruling?.checks ?? []), (c) => c.name, makeCheck, updateCheck);
    keyed(byId("chips"), refusal ? [] : (ruling?.checks ?? []), (c) => c.name, makeChip, updateChip);
    byId("why-hint").hidden = Boolean(ruling) && !refusal;
    this.speak(refusal ?? (ruling ? `${ruling.headline}. ${ruling.sentence}` : ""));
  }

  /**
   * Tells screen readers, only when the answer is another one.
   * @param {string} words
   */
  speak(words) {
    if (words === this.spoken) return;
    this.spoken = words;
    byId("spoken").textContent = words;
  }

  /**
   * @param {import("./types.js").Question[]} questions
   * @param {import("./types.js").Question} [asked]
   */
  drawQuestions(questions, asked) {
    const keys = questions.map((q) => q.key).join("\n");
    if (this.list.dataset.keys !== keys) {
      this.list.dataset.keys = keys;
      const headings = [...new Set(questions.map((q) => q.heading))];
      this.list.replaceChildren(
        ...headings.flatMap((heading) => {
          const options = questions.filter((q) => q.heading === heading).map((q) => new Option(q.label, q.key));
          if (!heading) return options;
          const group = document.createElement("optgroup");
          group.label = heading;
          group.append(...options);
          return [group];
        }),
      );
    }
    this.list.disabled = !questions.length;
    if (asked && document.activeElement !== this.list && this.list.value !== asked.key) this.list.value = asked.key;
  }

  /**
   * @param {string[]} pieces
   * @param {import("./types.js").Question} [asked]
   */
  drawPicked(pieces, asked) {
    say(byId("pair"), [...pieces, ...(asked?.missing && pieces.length ? ["…"] : [])].join(" → ") || "What is asked?");
    /** @type {HTMLButtonElement} */ (byId("swap")).disabled = pieces.length < 2;
    /** @type {HTMLButtonElement} */ (byId("clear")).disabled = !pieces.length;
  }
}

function makeChip() {
  const item = document.createElement("li");
  item.innerHTML = '<svg class="icon" viewBox="0 0 24 24"><use/></svg><span></span>';
  return item;
}

/**
 * @param {HTMLLIElement} item
 * @param {Check} check
 */
function updateChip(item, check) {
  item.dataset.verdict = check.verdict;
  item.dataset.role = check.role;
  const use = item.querySelector("use");
  if (use) set(use, { href: ICONS[check.verdict] });
  say(item.querySelector("span"), check.name);
}

/** @param {Check} check */
function makeCheck(check) {
  const item = document.createElement("li");
  item.innerHTML =
    '<h3><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use/></svg><span class="name"></span><span class="answer"></span></h3>' +
    '<p class="words"></p><dl><div><dt>measured</dt><dd class="number"></dd></div><div><dt>limit</dt><dd class="limit"></dd></div>' +
    '<div><dt>margin</dt><dd class="margin"></dd></div><div><dt>chance</dt><dd class="chance"></dd></div></dl><p class="citation"></p>';
  item.dataset.role = check.role;
  return item;
}

/**
 * @param {HTMLLIElement} item
 * @param {Check} check
 */
function updateCheck(item, check) {
  item.dataset.verdict = check.verdict;
  item.dataset.role = check.role;
  const use = item.querySelector("use");
  if (use) set(use, { href: ICONS[check.verdict] });
  /** @type {[string, string][]} */
  const texts = [
    ["name", check.name],
    ["answer", check.verdict_words],
    ["words", check.words],
    ["number", check.number_words],
    ["limit", check.limit_words],
    ["margin", `${check.margin_words} ${check.deviation_words}`.trim()],
    ["chance", check.chance_words],
    ["citation", check.citation],
  ];
  for (const [name, text] of texts) say(item.querySelector(`.${name}`), text);
}

/** The ruling in words and figures, large enough to be read across the table. */

import { byId, keyed, say, set } from "./svg.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Check} Check */

const ICONS = { yes: "#i-yes", no: "#i-no", "too close to call": "#i-close", none: "#i-ask" };

export class RulingPanel {
  /** @param {{weapon: (name: string) => void, swap: () => void, clear: () => void}} does */
  constructor(does) {
    /** @type {HTMLSelectElement} */
    this.weapon = byId("weapon");
    this.weapon.addEventListener("change", () => does.weapon(this.weapon.value));
    byId("swap").addEventListener("click", does.swap);
    byId("clear").addEventListener("click", does.clear);
    this.spoken = "";
  }

  /** @param {State} state */
  draw(state) {
    const { selection, ruling, refusal } = state;
    this.drawWeapons(state);
    this.drawPair(state);
    const verdict = refusal ? "none" : (ruling?.verdict ?? "none");
    byId("verdict").dataset.verdict = verdict;
    set(byId("verdict-icon"), { href: ICONS[verdict] });
    say(byId("headline"), refusal ? "Not now" : (ruling?.headline ?? (selection.shooter ? "At whom?" : "Choose two cars")));
    say(byId("sentence"), refusal ?? ruling?.sentence ?? invitation(selection));
    const stale = refusal ? null : (ruling?.stale ?? null);
    byId("stale").hidden = stale === null;
    say(byId("stale"), stale ?? "");
    const usual = selection.weapon ?? state.usual_weapon;
    say(byId("weapon-words"), state.weapons.find((w) => w.name === usual)?.words ?? "");
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

  /** @param {State} state */
  drawWeapons({ weapons, selection, usual_weapon }) {
    const names = weapons.map((w) => w.name).join("\n");
    if (this.weapon.dataset.names !== names) {
      this.weapon.dataset.names = names;
      const kinds = [...new Set(weapons.map((w) => w.kind))];
      this.weapon.replaceChildren(
        ...kinds.map((kind) => {
          const group = document.createElement("optgroup");
          group.label = kind;
          group.append(...weapons.filter((w) => w.kind === kind).map((w) => new Option(w.name, w.name)));
          return group;
        }),
      );
    }
    const chosen = selection.weapon ?? usual_weapon;
    if (document.activeElement !== this.weapon && this.weapon.value !== chosen) this.weapon.value = chosen;
  }

  /** @param {State} state */
  drawPair({ selection }) {
    const { shooter, target } = selection;
    say(byId("pair"), shooter ? `${shooter} → ${target ?? "…"}` : "Who shoots whom?");
    /** @type {HTMLButtonElement} */ (byId("swap")).disabled = !(shooter && target);
    /** @type {HTMLButtonElement} */ (byId("clear")).disabled = !shooter;
  }
}

/** @param {import("./types.js").Selection} selection */
function invitation({ shooter }) {
  return shooter ? `Now choose the car that ${shooter} aims at.` : "Click or tap them on the table: the first one shoots at the second.";
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
    ["margin", `${check.margin_words} ${check.deviation_words}`],
    ["chance", check.chance_words],
    ["citation", check.citation],
  ];
  for (const [name, text] of texts) say(item.querySelector(`.${name}`), text);
}

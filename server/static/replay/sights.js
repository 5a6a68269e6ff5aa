/** The answers about one piece and every other, at the moment that is shown. */

import { patiently } from "../common/patient.js";
import { byId, keyed, say, set } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {{pieces: string[], verdict: string, headline: string, words: string}} Sight */
/** @typedef {{piece: string, label: string, at_s: number, sees: Sight[], seen_by: Sight[]}} Answer */

const ICONS = { yes: "#i-yes", no: "#i-no", "too close to call": "#i-close" };

export class Sights {
  /**
   * @param {string} game
   * @param {(pieces: string[]) => void} choose
   */
  constructor(game, choose) {
    this.game = game;
    this.choose = choose;
    /** The question that was asked last: a late answer to another one is not shown. */
    this.asked = "";
  }

  /**
   * Asks when one piece is picked and the game stands still.
   * @param {State} state
   * @param {boolean} standing
   */
  draw({ selection, time }, standing) {
    const { pieces, question, unit } = selection;
    const wanted = pieces.length === 1 && standing && time !== null;
    byId("sights").hidden = !wanted;
    if (!wanted || time === null) {
      this.asked = "";
      return;
    }
    const query = new URLSearchParams({ t: String(time), piece: pieces[0], unit });
    if (question) query.set("question", question);
    if (this.asked === String(query)) return;
    this.asked = String(query);
    this.fetch(this.asked);
  }

  /** @param {string} query */
  async fetch(query) {
    const answer = await patiently(`/api/games/${encodeURIComponent(this.game)}/sights?${query}`);
    const told = await answer.json();
    if (query !== this.asked) return;
    if (answer.ok) this.show(told);
    else {
      say(byId("sights-title"), told.error);
      byId("sight-list").replaceChildren();
    }
  }

  /** @param {Answer} told */
  show({ piece, label, sees, seen_by }) {
    say(byId("sights-title"), `${label}: ${piece} and the others, and they and it`);
    keyed(
      byId("sight-list"),
      [...sees, ...seen_by],
      (s) => s.pieces.join("\n"),
      (s) => this.make(s),
      (item, s) => {
        item.dataset.verdict = s.verdict;
        const use = item.querySelector("use");
        if (use) set(use, { href: ICONS[/** @type {keyof typeof ICONS} */ (s.verdict)] });
        say(item.querySelector(".pair"), s.pieces.join(" → "));
        say(item.querySelector(".said"), `${s.headline}. ${s.words}`);
      },
    );
  }

  /** @param {Sight} sight */
  make({ pieces }) {
    const item = document.createElement("li");
    item.innerHTML =
      '<button type="button"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use/></svg>' +
      '<span class="pair"></span><span class="said"></span></button>';
    item.querySelector("button")?.addEventListener("click", () => this.choose(pieces));
    return item;
  }
}

/** A film that shows itself: while nobody touches the page, it asks what each moment is good for, and says it. */

import { byId, say } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {{at_s: number, pieces: string[], verdict: string | null, by: string | null, words: string}} Stop */

export class Tour {
  /** @param {import("../common/question.js").Question} question */
  constructor(question) {
    this.question = question;
    /** @type {Stop[] | null} */
    this.stops = null;
    /** @type {Stop | undefined} */
    this.at = undefined;
    this.over = false;
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => this.end(), { capture: true, once: true });
  }

  /** @param {State} state */
  draw({ source, time, ruling }) {
    if (!source.film) return this.end();
    if (this.over) return;
    if (this.stops === null) {
      this.stops = [];
      this.load();
    }
    if (time === null || source.began === null || !this.stops.length) return;
    const now = time - source.began;
    const stop = this.stops.filter((s) => s.at_s <= now).pop() ?? this.stops[0];
    byId("tour").hidden = false;
    byId("tour").dataset.holds = String(holds(stop, ruling));
    say(byId("tour"), stop.words);
    if (stop === this.at) return;
    this.at = stop;
    this.question.pick(stop.pieces);
  }

  async load() {
    try {
      const answer = await fetch("/api/tour");
      if (answer.ok) this.stops = await answer.json();
    } catch {
      // Without it the film plays all the same.
    }
  }

  /** Whoever touches the page leads it from then on; what is asked stays. */
  end() {
    this.over = true;
    byId("tour").hidden = true;
  }
}

/**
 * Whether what is said of a moment is what is answered.
 * @param {Stop} stop
 * @param {import("../common/types.js").Ruling | null} ruling
 */
function holds({ pieces, verdict, by }, ruling) {
  if (verdict === null) return true;
  return ruling !== null && String(ruling.pieces) === String(pieces) && ruling.verdict === verdict && (by === null || ruling.blockers.includes(by));
}

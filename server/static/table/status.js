/** The status line, the notices and what happened. */

import { byId, keyed, say } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */

export class StatusLine {
  constructor() {
    this.feed = byId("feed");
  }

  /** @param {State} state */
  draw(state) {
    byId("s-source").dataset.state = state.source.state;
    say(byId("s-source"), state.source.words);
    say(byId("s-rates"), state.rates.words);
    say(byId("s-cars"), ofCars(state));
    const surface = state.surface;
    say(byId("s-surface"), surface ? `±${surface.residual_words} at the corner tags` : "not found yet");
    // How it was found is for whoever asks.
    byId("s-surface").title = surface?.note ?? "";
    keyed(byId("notices"), [...new Set(state.notices)], (n) => n, () => document.createElement("li"), say);
    this.drawFeed(state);
  }

  /** @param {State} state */
  drawFeed({ events }) {
    keyed(
      this.feed,
      [...events].reverse(),
      (e) => String(e.number),
      (e) => {
        const item = document.createElement("li");
        const time = document.createElement("time");
        time.textContent = e.time_words;
        item.append(time, ` ${e.words}`);
        item.dataset.kind = e.kind;
        return item;
      },
      () => {},
    );
  }
}

/** @param {State} state */
function ofCars({ pieces }) {
  const cars = pieces.filter((p) => p.driven);
  const odd = cars.filter((c) => c.status !== "still");
  if (!cars.length) return "none seen yet";
  if (!odd.length) return `all ${cars.length} in sight and standing`;
  return odd.map((c) => `${c.name}: ${c.status_words}`).join("; ");
}

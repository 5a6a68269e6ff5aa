/** Learning by playing: of what is to be done now one sentence, in other words than the book's, and its place there. */

import { h, rebuild } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */

/** Where there is room it stands open until somebody shuts it. */
const ROOM = "(min-width: 861px)";

export class LearnPanel {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
    this.open = kept() ? kept() === "open" : matchMedia(ROOM).matches;
  }

  /** @param {Play} play */
  draw({ match, game, me }) {
    const mine = match && me.acts && !match.status.over ? match.options.filter((o) => o.mine && o.kind in game.hints) : [];
    const option = mine.find((o) => o.main) ?? mine[0];
    this.node.hidden = !option;
    if (!option) return;
    const kind = option.kind;
    rebuild(this.node, [game.id, kind, option.citation, this.open], () => [
      h("details", { open: this.open, ontoggle: (/** @type {any} */ e) => this.keep(e.target.open) },
        h("summary", {}, "Learn by playing"),
        h("p", { data: { hint: kind } }, game.hints[kind]),
        option.citation && h("p.cite", {}, option.citation)),
    ]);
  }

  /** @param {boolean} open */
  keep(open) {
    this.open = open;
    try {
      localStorage.setItem("learn", open ? "open" : "shut");
    } catch {
      // Without storage it stays as long as the page.
    }
  }
}

function kept() {
  try {
    return localStorage.getItem("learn");
  } catch {
    return null;
  }
}

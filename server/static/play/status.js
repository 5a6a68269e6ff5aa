/** Where the match stands, and the order of the players. */

import { h, rebuild, sentence } from "../common/dom.js";
import { speak } from "../common/speech.js";

/** @typedef {import("./playtypes.js").Play} Play */

export class StatusPanel {
  /**
   * @param {HTMLElement} node
   * @param {HTMLElement} order
   * @param {(title: string) => void} [opens]  Shows the card of the piece whose turn it is.
   */
  constructor(node, order, opens = undefined) {
    this.node = node;
    this.order = order;
    this.opens = opens;
    /** By player what a machine wants to do, as it was said last. @type {Map<string, string> | null} */
    this.said = null;
  }

  /** @param {Play} play */
  draw(play) {
    this.drawOrder(play);
    const status = play.match?.status ?? null;
    this.node.hidden = status === null;
    const saying = (play.machines ?? []).filter((m) => m.headline);
    this.say(saying);
    const coach = (play.modes?.coach ?? false) && status !== null && !status.over;
    const card = this.opens && status?.piece ? play.match?.sheets.find((s) => s.piece === status.piece)?.title : undefined;
    rebuild(this.node, [status, play.seats, saying, coach, card], () => [
      status &&
        h(
          "div.turn",
          { style: { "--colour": colourOf(play, status.player) ?? "var(--accent)" } },
          h("p.what", {}, status.what),
          h("p.who", {}, status.who),
          status.more && h("p.more", {}, status.more),
          coach && h("p.small.coach-on", {}, "The coach may be asked."),
          card && h("button.card-open", { type: "button", "aria-haspopup": "dialog", "aria-label": `The card of ${card}`, data: { focus: "card" }, onclick: () => this.opens?.(card) }, "Card"),
        ),
      saying.map((m) =>
        h("div.machine", { role: "status", style: { "--colour": colourOf(play, m.player) ?? "var(--accent)" }, data: { machine: m.player } },
          h("p.wants", {}, m.headline),
          m.steps.length > 0 && h("ol.way", {}, m.steps.map((words) => h("li", {}, words))),
          m.words && h("p.soft", {}, m.words))),
    ]);
  }

  /**
   * Says once what a machine wants to do, and what hands are asked for; not what stood there when the page was opened.
   * @param {Play["machines"]} saying
   */
  say(saying) {
    const before = this.said;
    this.said = new Map(saying.map((m) => [m.player, m.headline]));
    if (before) for (const m of saying) if (before.get(m.player) !== m.headline) speak(`${sentence(m.headline)}. ${m.words}`.trim());
  }

  /** @param {Play} play */
  drawOrder(play) {
    const places = play.match?.status.order ?? play.draft.players.map((p) => ({ player: p.name, current: false, out: false, count: null, count_words: "" }));
    rebuild(this.order, [places, play.seats], () =>
      places.map((p) =>
        h(
          "li.chip",
          { style: { "--colour": colourOf(play, p.player) ?? "#888888" }, data: { drives: String(p.current), out: String(p.out) }, "aria-current": p.current ? "step" : null },
          h("span.player", {}, p.player),
          p.count !== null && h("span.count", {}, p.count_words || p.count),
        ),
      ),
    );
    // On a phone the order is a strip: whoever acts is in sight on it.
    const [strip, acts] = [this.order, this.order.querySelector('[data-drives="true"]')].map((node) => node?.getBoundingClientRect());
    if (strip && acts && acts.right > strip.right) this.order.scrollLeft += acts.left - strip.left;
    else if (strip && acts && acts.left < strip.left) this.order.scrollLeft -= strip.left - acts.left;
  }
}

/**
 * A player's colour.
 * @param {Play} play
 * @param {string | null} player
 */
export function colourOf({ seats }, player) {
  return seats.find((s) => s.player === player)?.colour;
}

/** The driver's screen: what the camera makes of the car that is being pushed, on the table and in words. */

import { h, rebuild } from "../common/dom.js";
import { el, keyed, set } from "../common/svg.js";

/** @typedef {import("../common/types.js").Outline} Outline */
/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Option} Option */
/**
 * What the server recognised; lengths in inches.
 * @typedef {{phase: "ready" | "pushing" | "rested" | "unseen", car: string, words: string, speed?: number, used?: number,
 *   left?: number, used_words?: string, steps?: string[], path?: Outline, from?: Outline, ghost?: Outline | null, reach?: Outline[],
 *   touch?: string | null, touch_at?: Outline | null, verdict?: string, headline?: string, met?: string[],
 *   reasons?: {name: string, words: string, citation: string, verdict: string}[], off_words?: string,
 *   action?: Record<string, any>}} Driving
 */

export class DrivingPanel {
  /**
   * @param {HTMLElement} node
   * @param {{option: (option: Option, said: Record<string, any>) => Promise<boolean>}} does
   * @param {import("../common/board.js").Board} board
   */
  constructor(node, does, board) {
    this.node = node;
    this.does = does;
    this.board = board;
    this.layer = el("g", { class: "driving" });
    board.layers.marks.before(this.layer);
  }

  /**
   * @param {Driving | null} driving  What the server recognised; null while nothing is driven.
   * @param {Play | null} play
   */
  draw(driving, play) {
    // Before the hand moves the table alone shows where the car may go.
    this.node.hidden = driving === null || driving.phase === "ready";
    document.body.dataset.driving = driving?.phase ?? "";
    this.drawOnTable(driving);
    if (driving === null) return;
    const option = moveOption(driving, play);
    this.node.dataset.verdict = driving.verdict ?? "";
    rebuild(this.node, [driving, option], () => this.make(driving, option));
  }

  /** @param {Driving | null} driving */
  drawOnTable(driving) {
    // Inches belong on the table seen from above; over the camera's picture they would lie.
    const seen = this.board.flip < 0 ? driving : null;
    const verdict = seen?.verdict ?? "";
    const points = (/** @type {Outline} */ outline) => this.board.points(outline);
    const items = [
      ...(seen?.reach ?? []).map((ring, i) => ({ id: `reach${i}`, name: "polygon", cls: "within", points: points(ring) })),
      ...(seen?.from ? [{ id: "from", name: "polygon", cls: "from", points: points(seen.from) }] : []),
      ...(seen?.ghost ? [{ id: "ghost", name: "polygon", cls: `goal ${seen.phase}`, points: points(seen.ghost) }] : []),
      ...(seen?.touch_at ? [{ id: "touch", name: "polygon", cls: "touch", points: points(seen.touch_at) }] : []),
      ...(seen?.path?.length
        ? [
            { id: "under", name: "polyline", cls: "under", points: points(seen.path) },
            { id: "path", name: "polyline", cls: "path", points: points(seen.path) },
          ]
        : []),
    ];
    keyed(
      this.layer,
      items,
      (i) => i.id,
      (i) => el(i.name),
      (node, i) => set(node, { points: i.points, class: i.cls, "data-verdict": verdict }),
    );
  }

  /**
   * @param {Driving} driving
   * @param {Option | undefined} option
   */
  make(driving, option) {
    const { phase, car } = driving;
    if (phase === "unseen") return [h("h2", {}, car ?? "Driving"), h("p.soft", {}, driving.words)];
    return [
      h("h2", {}, car, h("span.used", {}, driving.used_words)),
      this.gauge(driving),
      h("ol.steps", {}, (driving.steps ?? []).map((words) => h("li", {}, words))),
      phase === "pushing" ? this.pushing(driving) : this.rested(driving, option),
    ].flat();
  }

  /** How much of the Speed is used. @param {Driving} driving */
  gauge({ used = 0, speed = 1 }) {
    const share = Math.min(used / speed, 1);
    const over = used > speed + 0.25;
    return h("div.gauge", { role: "img", "aria-label": `${used.toFixed(1)} of ${speed} inches`, data: { over: String(over) } }, h("span", { style: { width: `${100 * share}%` } }));
  }

  /** @param {Driving} driving */
  pushing({ left = 0, touch }) {
    const rest = left > 0.05 ? `${left.toFixed(1)}″ to go` : left < -0.05 ? `${(-left).toFixed(1)}″ too far` : "all of it used";
    return [
      h("p.rest", { data: { over: String(left < -0.25) } }, rest),
      touch && h("p.warn", {}, `${touch === "the edge" ? "The edge of the table" : touch} lies ahead.`),
    ];
  }

  /**
   * @param {Driving} driving
   * @param {Option | undefined} option
   */
  rested(driving, option) {
    const legal = driving.verdict === "yes";
    const met = driving.met ?? [];
    return [
      h("p.headline", {}, h("strong", {}, driving.headline ?? "")),
      met.length > 0 && h("ul.met", {}, met.map((words) => h("li", {}, `It ${words}.`))),
      !legal && h("ul.reasons", {}, (driving.reasons ?? []).map((r) => h("li", { data: { verdict: r.verdict } }, h("strong", {}, r.name), ` ${r.words}`, h("span.cite", {}, r.citation)))),
      driving.off_words && h("p.soft", {}, driving.off_words),
      option &&
        h(
          "button.deed.main",
          { type: "button", data: { kind: "drive", focus: "drive" }, onclick: () => this.take(driving, option) },
          legal ? takes(driving) : "Accept it as it stands",
        ),
    ];
  }

  /**
   * The game takes the manoeuvre as it was seen.
   * @param {Driving} driving
   * @param {Option} option
   */
  take(driving, option) {
    // What the players accept is theirs to accept: the rule's own objections need not be asked again.
    const ruled = driving.verdict === "yes" ? {} : { ruled: "yes" };
    return this.does.option(option, { ...driving.action, ...ruled });
  }
}

/**
 * The game's own offer to move this car, if whoever looks may take it.
 * @param {Driving} driving
 * @param {Play | null} play
 * @returns {Option | undefined}
 */
function moveOption({ phase, car }, play) {
  if (phase !== "rested") return undefined;
  const mine = (play?.match?.options ?? []).filter((o) => o.mine);
  const choice = mine.find((o) => o.kind === "choose" && o.data.car === car);
  // Who has just moved a car has chosen it.
  return mine.find((o) => o.kind === "move" && (o.data.car ?? car) === car) ?? (choice && { ...choice, kind: "move" });
}

/** @param {Driving} driving */
function takes({ action }) {
  if (action?.left_surface) return "It left the surface";
  const met = [...(action?.contacts ?? []).map((/** @type {any} */ c) => c.other), ...(action?.triggered ?? [])];
  return met.length ? `Done: it met ${met.join(", ")}` : "The manoeuvre is done";
}

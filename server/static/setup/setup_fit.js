/** A named piece measured with the camera: how its tag sits, while it is put on the corner tags. */

import { h, rebuild } from "../common/dom.js";
import { byId } from "../common/svg.js";

/**
 * What the server tells, see `server/setup/fitting/fit_messages.py`.
 * @typedef {{height_in: number, sd_height_in: number, at_in: [number, number], sd_at_in: number, turn_deg: number,
 *   sd_turn_deg: number}} Mount
 * @typedef {{name: string, words: string, places: number, stated: Mount, found: Mount | null, may_keep: boolean,
 *   of_both: boolean}} Measuring
 */

/**
 * Shows how the measuring goes, or nothing while nothing is measured.
 * @param {{measuring: Measuring | null, may_change: boolean}} view
 * @param {(path: string, body: object) => Promise<boolean>} send
 */
export function showMeasuring({ measuring, may_change }, send) {
  rebuild(byId("measuring"), [measuring, may_change], () => {
    if (!measuring) return [];
    const { name, words, places, stated, found, may_keep, of_both } = measuring;
    const say = (/** @type {string} */ how) => () => send("/api/setup/measure", { name, how });
    return [h("article.card", { "aria-label": `Measure ${name}` },
      h("h3", {}, `How the tag sits on ${name}`),
      h("p", { role: "status" }, words),
      h("table", {},
        h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", {}, "Stated"), h("th", {}, found ? `Seen, ${places} place${places === 1 ? "" : "s"}` : "Seen"))),
        h("tbody", {}, rows(stated, found).map(([what, before, now]) => h("tr", {}, h("th", {}, what), h("td", {}, before), h("td", {}, now))))),
      of_both ? h("p.soft", {}, "In the height, what was stated counts too, as far as it is sure.") : null,
      h("div.choices", {},
        h("button.main", { type: "button", disabled: !may_keep || !may_change, onclick: say("keep") }, "Keep it"),
        h("button", { type: "button", disabled: !may_change, onclick: say("begin") }, "Start again"),
        h("button", { type: "button", disabled: !may_change, onclick: say("stop") }, "Stop")))];
  });
}

/**
 * What is measured, as the file has it and as it is seen.
 * @param {Mount} stated
 * @param {Mount | null} found
 */
function rows(stated, found) {
  /** @type {[string, (m: Mount) => string][]} */
  const all = [
    ["Height, in", (m) => m.sd_height_in < 1 ? `${m.height_in.toFixed(2)} ± ${m.sd_height_in.toFixed(2)}` : "not yet"],
    ["Ahead of the middle, in", (m) => at(m.at_in[0], m.sd_at_in)],
    ["Left of the middle, in", (m) => at(m.at_in[1], m.sd_at_in)],
    ["Turned left, degrees", (m) => m.sd_turn_deg < 20 ? `${(Math.round(m.turn_deg * 10) / 10 + 0).toFixed(1)} ± ${m.sd_turn_deg.toFixed(1)}` : "not yet"],
  ];
  return all.map(([what, shows]) => [what, shows(stated), found ? shows(found) : "–"]);
}

/**
 * @param {number} value
 * @param {number} sd
 */
function at(value, sd) {
  return sd < 0.3 ? `${value.toFixed(2)} ± ${sd.toFixed(2)}` : "not yet";
}

/** The step Check: a sheet of paper or a strip laid in three places, one after the other, and what came of it. */

import { h, heeding, rebuild } from "../common/dom.js";
import { byId, el } from "../common/svg.js";
import { stripHelp, stripLength } from "./setup_strip.js";

/**
 * What the server tells, see `server/setup/proving/check_messages.py`.
 * @typedef {{where: string, outline: [number, number][], done: boolean}} Spot
 * @typedef {{what: string, true_in: number, measured_in: number, error_in: number, sure_in: number, inside: boolean}} Length
 * @typedef {{where: string, lengths: Length[], square_deg: number | null, square_sure_deg: number | null, square_inside: boolean | null}} Place
 * @typedef {{made: string, paper: string, strip_in: number | null, verdict: string, words: string, out_of_date: string}} Kept
 * @typedef {{may_change: boolean, ready: boolean, running: boolean, words: string, spots: Spot[],
 *   laid: [number, number][], strip: import("./setup_strip.js").Strip, places: Place[], kept: Kept | null}} Check
 * @typedef {(path: string, body?: object) => Promise<any>} Ask
 */

const PATH = "/api/setup/check";
const PAPERS = /** @type {Record<string, string>} */ ({ letter: "US Letter", a4: "A4" });
const VERDICTS = /** @type {Record<string, string>} */ ({ agrees: "Agrees", differs: "Does not agree", unsure: "Too unsure to tell" });

/** @type {Check | null} */
let last = null;

/**
 * Asks how the check goes, one more look if one is being made; what to do now, or nothing while none is.
 * @param {import("./setup.js").Setup} view
 * @param {Ask} ask
 * @param {(words: string) => void} complain
 * @returns {Promise<string>}
 */
export async function checkStep({ surface, size }, ask, complain) {
  const before = last?.running;
  last = surface.kept && size ? await ask(PATH) : null;
  if (last?.running && last.may_change) last = /** @type {Check} */ (await ask(PATH, { how: "look" }));
  show(last, size, ask, complain);
  // On a phone the verdict is far below the picture.
  if (before && last && !last.running) byId("check-part").scrollIntoView({ block: "nearest" });
  return last?.running ? last.words : "";
}

/**
 * @param {Check | null} check
 * @param {[number, number] | null} size
 * @param {Ask} ask
 * @param {(words: string) => void} complain
 */
function show(check, size, ask, complain) {
  mark(check, size);
  const tell = async (/** @type {{how: string, length_in?: number}} */ asked) => {
    await heeding(complain, async () => {
      last = /** @type {Check} */ (await ask(PATH, asked));
      show(last, size, ask, complain);
      // What to do stands right above the picture.
      if (asked.how !== "stop") byId("next").scrollIntoView({ block: "nearest" });
    });
  };
  // Until the first place is measured; right below the picture, where people look.
  const asks = check?.running && check.may_change && check.strip.seen && !check.spots.some((s) => s.done);
  rebuild(byId("check-asks"), [asks && check.strip.length_in], () =>
    (asks ? [stripLength(check.strip, check.kept?.strip_in ?? null, (length_in) => tell({ how: "length", length_in }))] : []));
  const shows = check && { ...check, words: "", laid: [], spots: check.spots.map((s) => [s.where, s.done]), places: check.places.map(rounded) };
  rebuild(byId("check"), [shows], () => {
    if (!check) return [h("p.soft", {}, "Once the table is kept.")];
    const { running, ready, may_change, spots, strip, places, kept } = check;
    const does = (/** @type {string} */ how, /** @type {string} */ words) => h("button", {
      type: "button", disabled: !may_change || (how === "begin" && !ready), onclick: () => tell({ how }),
    }, words);
    if (running) {
      return [
        h("ol.spots", {}, spots.map(({ where, done }) => h("li", { data: { done: String(done) } }, where, done ? " ✓" : ""))),
        figures(places),
        h("div.choices", {}, does("begin", "Start again"), does("stop", "Stop")),
      ];
    }
    if (!kept) {
      return [
        h("p.soft", {}, "Prove the inches before the first game: one sheet of US Letter or A4, or a check strip, laid in three places that the picture shows. Play goes on without it."),
        h("div.choices", {}, does("begin", "Begin the check")),
        stripHelp(strip),
      ];
    }
    return [
      h("p.verdict", { data: { verdict: kept.out_of_date ? "old" : kept.verdict } }, kept.out_of_date ? "Out of date" : VERDICTS[kept.verdict]),
      kept.out_of_date && h("p", {}, kept.out_of_date),
      h("p", {}, kept.words),
      h("p.soft", {}, `Checked ${kept.made} with ${kept.strip_in === null ? PAPERS[kept.paper] : `a strip of ${kept.strip_in.toFixed(2)} in`}; kept with the table.`),
      h("details", { open: kept.verdict !== "agrees" }, h("summary", {}, "What was measured"), figures(places)),
      h("div.choices", {}, does("begin", "Check again")),
      stripHelp(strip),
    ];
  });
}

/**
 * The areas that are asked for, drawn into the picture; the next one stands out.
 * @param {Check | null} check
 * @param {[number, number] | null} size
 */
function mark(check, size) {
  const spots = (size && check?.running && check.spots) || [];
  const asked = spots.find((s) => !s.done);
  const shape = (/** @type {[number, number][]} */ points, /** @type {string} */ state) =>
    el("polygon", { points: points.map((p) => p.join()).join(" "), "data-state": state });
  byId("check-marks").replaceChildren(
    ...spots.map((s) => shape(s.outline, s.done ? "done" : s === asked ? "asked" : "later")),
    ...(check?.running && check.laid.length ? [shape(check.laid, "laid")] : []),
  );
}

/** @param {Place[]} places */
function figures(places) {
  if (!places.length) return null;
  return h("table", {},
    h("thead", {}, h("tr", {}, ["Known", "Measured", "Error (95 % stated)", ""].map((t) => h("th", {}, t)))),
    places.map(({ where, lengths, square_deg, square_sure_deg, square_inside }) => h("tbody", {},
      h("tr", {}, h("th.place", { colSpan: 4 }, where)),
      lengths.map((l) => row(`${l.true_in.toFixed(2)} in`, l.measured_in.toFixed(2), `${signed(l.error_in, 2)} ± ${l.sure_in.toFixed(2)}`, l.inside)),
      square_deg !== null && row("90°", `${(90 + square_deg).toFixed(1)}°`, `${signed(square_deg, 1)} ± ${(square_sure_deg ?? 0).toFixed(1)}°`, square_inside === true))));
}

/**
 * @param {string} known
 * @param {string} measured
 * @param {string} error
 * @param {boolean} inside
 */
function row(known, measured, error, inside) {
  return h("tr", { data: { inside: String(inside) } }, [known, measured, error, inside ? "inside" : "outside"].map((t) => h("td", {}, t)));
}

/**
 * @param {number} value
 * @param {number} digits
 */
function signed(value, digits) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
}

/** So that a table of figures is built anew only where one of them is another. @param {Place} place */
const rounded = ({ where, lengths, square_deg, square_sure_deg }) =>
  [where, lengths.map((l) => [l.measured_in, l.error_in, l.sure_in].map((v) => v.toFixed(2))), square_deg?.toFixed(1), square_sure_deg?.toFixed(1)];

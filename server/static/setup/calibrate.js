/** The lens calibration: asks for one look after the other and draws what was found. */

import { ask } from "../common/patient.js";
import { byId, el, say } from "../common/svg.js";

/** Milliseconds between the answer to one look and the next, and after a failure. */
const PAUSE_MS = 120;
const RETRY_MS = 1500;
/** The sine of the largest useful tilt, and of the least that counts, degrees 45 and 10. */
const MOST_TILT = 0.71;
const LEAST_TILT = 0.17;
const RADIUS = 50;

/**
 * @typedef {{board: string, looked: number, size: [number, number] | null, corners: [number, number][],
 *   taken: boolean, words: string, views: number, wanted: number, cells: number[][],
 *   tilts: [number, number][], missing: string[], will_do: boolean, enough: boolean}} Progress
 * @typedef {{name: string, used: boolean, corners: number, rms_px: number | null, tilt_deg: number | null,
 *   why: string}} ViewRow
 * @typedef {{words: string[], views: ViewRow[], kept: string}} LensFound
 */

/** @type {HTMLImageElement} */
const picture = byId("seen");
/** @type {HTMLButtonElement} */
const solve = byId("solve");
/** @type {HTMLFormElement} */
const form = byId("form");
/** The look whose picture is shown. */
let shown = 0;
let solving = false;

async function lookOn() {
  let pause = PAUSE_MS;
  try {
    if (!document.hidden && !solving) await show(await ask("/api/calibrate/look", null, "POST"));
  } catch (error) {
    say(byId("words"), `${wordsOf(error)} Trying again…`);
    pause = RETRY_MS;
  }
  setTimeout(lookOn, pause);
}

/** @param {Progress} progress */
async function show(progress) {
  if (progress.looked !== shown && progress.size) {
    shown = progress.looked;
    picture.src = `/api/calibrate/picture.jpg?look=${shown}`;
    // The corners are drawn together with the picture that they were found in.
    await picture.decode();
    picture.hidden = false;
  }
  say(byId("words"), progress.words);
  byId("words").dataset.taken = String(progress.taken);
  say(byId("board"), progress.board);
  say(byId("count"), String(progress.views));
  say(byId("of"), `of ${progress.wanted} pictures`);
  const bar = /** @type {HTMLProgressElement} */ (byId("bar"));
  bar.max = progress.wanted;
  bar.value = Math.min(progress.views, progress.wanted);
  byId("enough").hidden = !progress.enough;
  solve.disabled = !progress.will_do || solving;
  drawPicture(progress);
  drawMap(progress);
  drawTilts(progress);
  const hints = progress.missing.length ? progress.missing : [progress.enough ? "" : "more views make it surer"];
  byId("hints-title").hidden = progress.enough;
  say(byId("hints-title"), progress.will_do ? "Would help" : "Still missing");
  byId("hints").replaceChildren(
    ...hints.filter(Boolean).map((words) => {
      const item = document.createElement("li");
      item.textContent = words[0].toUpperCase() + words.slice(1);
      return item;
    }),
  );
}

/** @param {Progress} progress */
function drawPicture({ size, corners, cells, views }) {
  if (!size) return;
  const [width, height] = size;
  byId("sight").style.aspectRatio = `${width} / ${height}`;
  byId("overlay").setAttribute("viewBox", `0 0 ${width} ${height}`);
  const radius = width / 160;
  byId("corners").replaceChildren(...corners.map(([x, y]) => el("circle", { cx: x, cy: y, r: radius })));
  const empty = cells.flatMap((row, r) => row.map((count, c) => ({ count, r, c }))).filter((cell) => !cell.count);
  byId("cells").replaceChildren(
    ...(views ? empty : []).map(({ r, c }) =>
      el("rect", {
        x: (c * width) / 3 + 4,
        y: (r * height) / 3 + 4,
        width: width / 3 - 8,
        height: height / 3 - 8,
      }),
    ),
  );
}

/** @param {Progress} progress */
function drawMap({ cells }) {
  const most = Math.max(1, ...cells.flat());
  byId("map").replaceChildren(
    ...cells.flatMap((row, r) =>
      row.flatMap((count, c) => [
        el("rect", { x: c * 32, y: r * 18, width: 32, height: 18, "fill-opacity": count ? 0.2 + (0.5 * count) / most : 0 }),
        el("text", { x: c * 32 + 16, y: r * 18 + 9 }, []),
      ]),
    ),
  );
  const texts = byId("map").querySelectorAll("text");
  cells.flat().forEach((count, k) => say(texts[k], String(count)));
}

/** @param {Progress} progress */
function drawTilts({ tilts }) {
  byId("tilts").replaceChildren(
    el("circle", { class: "wanted", r: RADIUS }),
    el("circle", { class: "ring", r: (RADIUS * LEAST_TILT) / MOST_TILT }),
    el("path", { class: "ring", d: `M-${RADIUS} 0H${RADIUS}M0-${RADIUS}V${RADIUS}` }),
    ...tilts.map(([x, y]) => {
      const shrunk = Math.min(1, MOST_TILT / Math.max(Math.hypot(x, y), 1e-6));
      return el("circle", {
        class: "view",
        r: 4,
        cx: ((x * shrunk) / MOST_TILT) * RADIUS,
        cy: ((y * shrunk) / MOST_TILT) * RADIUS,
      });
    }),
  );
}

/** @param {unknown} error */
function wordsOf(error) {
  const words = error instanceof Error ? error.message : String(error);
  return words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");
}

/** @param {LensFound} found */
function report(found) {
  byId("report").replaceChildren(
    ...found.words.map((words) => {
      const item = document.createElement("li");
      item.textContent = words;
      return item;
    }),
  );
  byId("rows").replaceChildren(
    ...found.views.map((view) => {
      const row = document.createElement("tr");
      const cells = [
        view.name,
        String(view.corners),
        view.rms_px === null ? "" : `${view.rms_px.toFixed(2)} px`,
        view.tilt_deg === null ? "" : `${Math.round(view.tilt_deg)}°`,
        view.used ? "used" : "dropped",
      ];
      row.append(
        ...cells.map((text) => {
          const cell = document.createElement("td");
          cell.textContent = text;
          return cell;
        }),
      );
      return row;
    }),
  );
}

solve.addEventListener("click", async () => {
  solving = true;
  solve.disabled = true;
  say(byId("words"), "Calibrating…");
  byId("result").hidden = false;
  try {
    const found = /** @type {LensFound} */ (await ask("/api/calibrate/solve", null, "POST"));
    byId("result").dataset.good = "true";
    say(byId("kept"), found.kept);
    report(found);
  } catch (error) {
    byId("result").dataset.good = "false";
    say(byId("kept"), wordsOf(error));
    report({ words: [], views: [], kept: "" });
  }
  solving = false;
  byId("result").scrollIntoView({ block: "nearest" });
});

async function begin() {
  const asked = Object.fromEntries(new FormData(form));
  const numbers = Object.fromEntries(
    ["columns", "rows", "square_mm", "marker_mm"].map((name) => [name, Number(asked[name])]),
  );
  try {
    await show(await ask("/api/calibrate/begin", { ...asked, ...numbers }));
    byId("result").hidden = true;
  } catch (error) {
    byId("result").hidden = false;
    byId("result").dataset.good = "false";
    say(byId("kept"), wordsOf(error));
    report({ words: [], views: [], kept: "" });
  }
}

byId("again").addEventListener("click", begin);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  begin();
});

lookOn();

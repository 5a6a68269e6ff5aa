/**
 * The overlay for a stream: the last ruling, the score of a game, the time played and a small map.
 *
 * `?show=ruling,score,clock,map` chooses the parts, `hold=20` takes a ruling away after so many seconds,
 * `size=1.5` makes everything larger, `unit=cm` measures in centimetres.
 */

import { Board } from "../common/board.js";
import { Link } from "../common/link.js";
import { PlayLink } from "../play/playlink.js";
import { byId, keyed, say } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */

const asked = new URLSearchParams(location.search);
const shown = new Set((asked.get("show") ?? "ruling,score,clock,map").split(",").map((part) => part.trim()));
const hold = 1000 * (Number(asked.get("hold")) || 0);
const size = Math.min(Math.max(Number(asked.get("size")) || 1, 0.4), 4);
document.documentElement.style.setProperty("--size", String(size));
byId("o-map").hidden = !shown.has("map");

const board = shown.has("map") ? new Board() : null;
const link = new Link({
  draw,
  refused: () => {},
  lost: (words) => {
    byId("o-lost").hidden = words === null;
    say(byId("o-lost"), words ?? "");
  },
  greet: () => [{ type: "show", view: "table", unit: asked.get("unit") === "cm" ? "cm" : "in" }, { type: "follow" }],
});

/** When the newest state came, on this page's clock: the game's time goes on between two states. */
let heard = 0;
/** What was ruled last and when it came: the same answer a moment later does not hold it longer. */
let ruled = { gist: "", at: 0 };

/** @param {State} state */
function draw(state) {
  heard = performance.now();
  board?.draw(state, null);
  drawRuling(state);
  drawClock();
}

/** @param {State} state */
function drawRuling({ ruling, refusal }) {
  const gist = ruling ? [...ruling.pieces, ruling.key, ruling.verdict].join("\n") : "";
  if (gist !== ruled.gist) ruled = { gist, at: performance.now() };
  const over = hold > 0 && performance.now() - ruled.at > hold;
  byId("o-ruling").hidden = !shown.has("ruling") || !ruling || refusal !== null || over;
  if (!ruling) return;
  byId("o-ruling").dataset.verdict = ruling.verdict;
  say(byId("o-pair"), [ruling.pieces.join(" → "), ruling.label].filter(Boolean).join(" · "));
  say(byId("o-headline"), ruling.headline);
  say(byId("o-sentence"), ruling.sentence);
  const decided = ruling.checks.filter((c) => c.role === "condition" && c.verdict === ruling.verdict);
  const told = decided.length && ruling.verdict !== "yes" ? decided : ruling.checks;
  say(byId("o-rule"), told[0]?.citation ?? "");
}

function drawClock() {
  const state = link.state;
  const began = state?.source.began ?? null;
  byId("o-clock").hidden = !shown.has("clock") || began === null || state?.time === null;
  if (!state || began === null || state.time === null) return;
  const since = state.source.state === "running" ? (performance.now() - heard) / 1000 : 0;
  say(byId("o-clock"), clock(state.time - began + since));
}

/** @param {number} seconds */
function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

/**
 * What everybody has left, and whose turn it is. Without a game there is no score.
 * @param {import("../play/playtypes.js").Play} play
 */
function drawScore(play) {
  const match = play.match;
  byId("o-score").hidden = match === null;
  if (!match) return;
  const { status, sheets } = match;
  say(byId("o-turn"), status.over ? `${status.what} · ${status.who}` : [status.what, status.who, status.more].filter(Boolean).join(" · "));
  const last = match.log.at(-1);
  say(byId("o-last"), last && last.tone !== "turn" ? last.words : "");
  const sides = status.order.map((place) => {
    const mine = sheets.filter((s) => s.owner === place.player);
    const tracks = mine.filter((s) => !s.out).flatMap((s) => s.widgets.filter((w) => w.boxes));
    const boxes = tracks.flatMap((w) => w.boxes ?? []).filter((box) => !box.marked).length;
    const left = [mine.length > 0 && `of ${mine.length}`, tracks.length > 0 && `${boxes} ${tracks[0].words.toLowerCase()}`].filter(Boolean).join(", ");
    const colour = play.seats.find((s) => s.player === place.player)?.colour ?? "#888888";
    return { player: place.player, colour, count: place.count ?? "", left, out: place.out, turn: !status.over && place.current };
  });
  keyed(byId("o-sides"), sides, (s) => s.player, makeSide, (item, s) => {
    item.style.setProperty("--colour", s.colour);
    item.dataset.turn = String(s.turn);
    item.dataset.out = String(s.out);
    say(item.querySelector(".name"), s.player);
    say(item.querySelector(".count"), String(s.count));
    say(item.querySelector(".left"), s.left);
  });
}

function makeSide() {
  const item = document.createElement("li");
  item.innerHTML = '<span class="badge"></span><span class="name"></span><span class="count"></span><span class="left"></span>';
  return item;
}

if (shown.has("score")) new PlayLink({ draw: drawScore, guide: () => {}, lost: () => {} }).open();

setInterval(() => {
  if (link.state) drawRuling(link.state);
  drawClock();
}, 250);
link.open();

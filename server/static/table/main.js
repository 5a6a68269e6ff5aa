/** The page: hears the state, hands it to each view, and passes on what people ask. */

import { Board } from "../common/board.js";
import { DisputeDialog } from "../dispute/dispute.js";
import { Hand } from "../common/drag.js";
import { GunnerDialog } from "../common/gunner.js";
import { Link } from "../common/link.js";
import { CarList } from "../common/pieces.js";
import { Question } from "../common/question.js";
import { RulingPanel } from "../common/ruling.js";
import { SourceDialog } from "../setup/sources.js";
import { Tour } from "./tour.js";
import { FIRST, watch } from "../common/film.js";
import { Settling } from "../setup/settling.js";
import { Things } from "../setup/things.js";
import { StatusLine } from "./status.js";
import { byId, say, set } from "../common/svg.js";
import { WaysPanel } from "./ways.js";

/** @typedef {import("../common/types.js").State} State */

/** What this page asks for; said again after a lost connection. */
const wish = {
  view: /** @type {import("../common/types.js").View} */ ("table"),
  unit: /** @type {import("../common/types.js").Unit} */ (kept("unit") === "cm" ? "cm" : "in"),
};

const show = () => ({ type: "show", view: wish.view, unit: wish.unit });
const question = new Question((message) => link.send(message));

const does = {
  choose: (/** @type {string} */ name) => question.choose(name),
  ask: (/** @type {string} */ key) => question.ask(key),
  swap: () => question.swap(),
  clear: () => question.clear(),
  move,
  send: (/** @type {Record<string, any>} */ message) => link.send(message),
};
const board = new Board();
const hand = new Hand(board, does);
const cars = new CarList(does);
const ruling = new RulingPanel(does);
const status = new StatusLine();
const settling = new Settling(refused);
const things = new Things(byId("things"), refused);
new SourceDialog();
const gunner = new GunnerDialog();
const ways = new WaysPanel(byId("driving"), board);
const dispute = new DisputeDialog(refused);
const tour = new Tour(question);
const link = new Link({ draw, refused, lost, greet: () => [show(), question.message()] });

/**
 * @param {State} state
 * @param {ImageBitmap | null} picture
 */
function draw(state, picture) {
  showFilm(state);
  question.heed(state);
  board.draw(state, picture);
  hand.draw();
  cars.draw(state);
  ruling.draw(state);
  gunner.draw(state);
  dispute.draw(state);
  ways.draw(state);
  status.draw(state);
  settling.draw(state);
  things.draw({ things: state.things ?? [], away: state.away ?? [], taken: state.pieces.map((p) => p.name), may: true });
  say(byId("book"), state.book);
  for (const view of ["table", "picture"]) press(`view-${view}`, state.selection.view === view);
  for (const unit of ["in", "cm"]) press(`unit-${unit}`, state.selection.unit === unit);
}

/** Whether what is watched is a film; null until that has been told. @type {boolean | null} */
let film = null;

/**
 * A film is looked at in its own picture first, and played elsewhere: nobody can move its cars.
 * @param {State} state
 */
function showFilm(state) {
  tour.draw(state);
  if (state.source.film === film) return;
  if (state.source.film && state.time === null) return;
  film = state.source.film;
  say(byId("go"), film ? "Play on the simulated table" : "Play a game");
  if (!film) return;
  wish.view = "picture";
  link.send(show());
}

byId("go").addEventListener("click", async (event) => {
  if (!film) return;
  event.preventDefault();
  say(byId("go"), "Laying the table…");
  const error = await watch(FIRST);
  if (!error) location.href = "/play";
  else {
    say(byId("go"), "Play on the simulated table");
    refused(error);
  }
});

/**
 * @param {string} id
 * @param {boolean} pressed
 */
function press(id, pressed) {
  set(byId(id), { "aria-pressed": String(pressed) });
}

/**
 * @param {string} piece
 * @param {number} x
 * @param {number} y
 * @param {number} heading
 */
function move(piece, x, y, heading) {
  link.send({ type: "move", piece, x, y, heading });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/** @param {string} error */
function refused(error) {
  banner(error);
  clearTimeout(fading);
  fading = setTimeout(() => banner(null), 6000);
}

/** @param {string | null} words */
function lost(words) {
  if (words === null && byId("lost").dataset.why !== "lost") return;
  clearTimeout(fading);
  banner(words, "lost");
}

/**
 * @param {string | null} words
 * @param {string} [why]
 */
function banner(words, why = "refused") {
  const node = byId("lost");
  node.hidden = words === null;
  node.dataset.why = words === null ? "" : why;
  say(node, words ?? "");
}

for (const view of /** @type {const} */ (["table", "picture"])) {
  byId(`view-${view}`).addEventListener("click", () => {
    wish.view = view;
    link.send(show());
  });
}
for (const unit of /** @type {const} */ (["in", "cm"])) {
  byId(`unit-${unit}`).addEventListener("click", () => {
    wish.unit = unit;
    keep("unit", unit);
    link.send(show());
  });
}

const THEMES = ["auto", "light", "dark"];
const THEME_NAMES = { auto: "as the system", light: "light", dark: "dark" };

function theme() {
  return document.documentElement.dataset.theme ?? "auto";
}

/** @param {string} name */
function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  keep("theme", name);
  const said = `Colours: ${THEME_NAMES[/** @type {keyof typeof THEME_NAMES} */ (name)]}`;
  set(byId("theme"), { "aria-label": said, title: said });
  set(byId("theme-icon"), { href: `#i-${name}` });
}

byId("theme").addEventListener("click", () => setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]));
setTheme(theme());

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && question.pieces.length && !document.querySelector("dialog[open]")) question.clear();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && link.pending) link.redraw();
});

/** @param {string} key */
function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

link.open();

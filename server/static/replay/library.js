/** The list of recorded games: open one, take it along in another form, or delete it. */

import { dayAndHour, heeding, sentence } from "../common/dom.js";
import { ask, patiently } from "../common/patient.js";
import { byId, keyed, say } from "../common/svg.js";
import { clock, titleOf } from "./playback.js";

/**
 * @typedef {{id: string, name: string, table: string, players: string[], game: string | null, missing: string | null,
 *   began: string, ended: string | null, state: string, entries: number, duration_s: number, duration_words: string}} Game
 */

/** How a game stands, where that is worth a word. */
const STATES = /** @type {Record<string, string>} */ ({
  imported: "imported: played elsewhere",
  stopped: "stopped in the middle",
  "cut off": "cut off: tableref ended without being stopped",
});

const FORMS = [
  ["jsonl", "JSON Lines, all of it (can be brought in again)"],
  ["mcap", "MCAP, for Foxglove and Lichtblick"],
  ["report", "Battle report, a page to pass on"],
  ["pdf", "Battle report, PDF to print"],
  ["csv", "CSV, tracks and events"],
  ["video", "MP4, the camera's video"],
];

/** So many games are shown at once. */
const AT_ONCE = 50;
/** A day as a date field tells it. A browser without such a field tells whatever was typed. */
const DAY = /^\d{4}-\d\d?-\d\d?$/;
/** Milliseconds without another letter after which it is searched. */
const TYPED_MS = 250;

/** What is looked for, kept in the address: a link to it can be passed on, and the way back leads to it. */
const wanted = { words: "", since: "", until: "", first: 0 };
/** Counts what was asked: of two answers only that to the newest question is shown. */
let asked = 0;

/** Shows the library, and looks through it as it is asked to. */
export async function showLibrary() {
  byId("library").hidden = false;
  // There is nothing yet to look at, nor lengths.
  byId("switches").hidden = true;
  byId("skip").setAttribute("href", "#library");
  say(byId("skip"), "Skip to the recorded games");
  const place = new URLSearchParams(location.search);
  for (const name of /** @type {const} */ (["words", "since", "until"])) {
    field(name).value = place.get(name) ?? "";
    wanted[name] = field(name).value;
  }
  wanted.first = Math.max(0, Math.floor(Number(place.get("first")) || 0));
  let timer = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, TYPED_MS);
  });
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  byId("page-back").addEventListener("click", () => turn(-AT_ONCE));
  byId("page-on").addEventListener("click", () => turn(AT_ONCE));
  await fetchGames();
}

/** @param {"words" | "since" | "until"} name */
function field(name) {
  return /** @type {HTMLInputElement} */ (byId(`search-${name}`));
}

function search() {
  const before = JSON.stringify(wanted);
  for (const name of /** @type {const} */ (["words", "since", "until"])) wanted[name] = field(name).value.trim();
  if (JSON.stringify(wanted) === before) return;
  wanted.first = 0;
  fetchGames();
}

/** @param {number} by */
async function turn(by) {
  wanted.first = Math.max(0, wanted.first + by);
  await fetchGames();
  byId("library-title").scrollIntoView();
}

/**
 * The beginning of a day where this page is looked at, so many days later.
 * @param {string} day
 * @param {number} later
 */
function dayBegins(day, later) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

async function fetchGames() {
  const unread = [wanted.since, wanted.until].find((day) => day && !DAY.test(day));
  if (unread) return complain(`“${unread}” is not read as a day: expected year, month and day, as in 2026-05-31.`);
  const query = new URLSearchParams({ first: String(wanted.first), count: String(AT_ONCE) });
  if (wanted.words) query.set("words", wanted.words);
  if (wanted.since) query.set("since", dayBegins(wanted.since, 0));
  if (wanted.until) query.set("until", dayBegins(wanted.until, 1));
  const place = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) if (value) place.set(name, String(value));
  history.replaceState(null, "", `${location.pathname}${place.size ? `?${place}` : ""}`);
  const number = ++asked;
  const answer = await patiently(`/api/games?${query}`);
  const told = await answer.json();
  if (number !== asked) return;
  complain(answer.ok ? "" : told.error);
  if (answer.ok) show(told);
}

/** @param {{games: Game[], total: number, first: number, library: string | null, may_change: boolean}} told */
function show({ games, total, first, library, may_change: mayChange }) {
  const looking = Boolean(wanted.words || wanted.since || wanted.until);
  byId("search").hidden = !looking && total === 0;
  byId("library-none").hidden = games.length > 0;
  const none = looking || first ? "No game matches." : "None yet. Every game that is refereed is recorded by itself.";
  say(byId("library-none"), none);
  const which = games.length < total ? `${first + 1} to ${first + games.length} of ${total} games` : `${total} ${total === 1 ? "game" : "games"}`;
  say(byId("library-count"), games.length ? which : "");
  byId("pages").hidden = games.length === total;
  for (const [id, off] of /** @type {[string, boolean][]} */ ([["page-back", first === 0], ["page-on", first + games.length >= total]])) {
    /** @type {HTMLButtonElement} */ (byId(id)).disabled = off;
  }
  say(byId("library-where"), sentence(library ?? ""));
  keyed(byId("games"), games, (g) => g.id, (g) => item(g, mayChange), () => {});
}

/**
 * @param {Game} game
 * @param {boolean} mayChange
 */
function item(game, mayChange) {
  const node = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/replay?game=${encodeURIComponent(game.id)}`;
  say(link, titleOf(game));
  const about = document.createElement("p");
  about.className = "soft";
  const stands = game.state === "stopped" && !game.game ? "set up, and not begun" : STATES[game.state];
  const said = [dayAndHour(game.began), clock(game.duration_s), `${game.entries} entries`, stands, game.id];
  say(about, said.filter(Boolean).join(" · "));
  const who = document.createElement("p");
  const title = titleOf(game);
  const more = [game.players.join(", "), game.game, game.table].filter((words) => words && !title.includes(words));
  say(who, more.join(" · "));
  node.append(link, who, about);
  if (game.missing) {
    const missing = document.createElement("p");
    missing.className = "missing";
    missing.textContent = `Only to look at: ${game.missing}`;
    node.append(missing);
  }
  if (game.state === "being recorded") node.append(badge(game.state));
  if (mayChange) node.append(tools(game));
  return node;
}

/** @param {string} words */
function badge(words) {
  const node = document.createElement("span");
  node.className = "now";
  node.textContent = words;
  return node;
}

/** @param {Game} game */
function tools(game) {
  const node = document.createElement("div");
  node.className = "tools";
  const form = document.createElement("select");
  form.setAttribute("aria-label", `Form to export ${titleOf(game)} in`);
  form.append(...FORMS.map(([value, words]) => new Option(words, value)));
  const take = button("Export", async () => {
    take.disabled = true;
    await save(game, form.value);
    take.disabled = false;
  });
  node.append(form, take);
  if (game.state !== "being recorded") node.append(button("Delete…", () => remove(game)));
  return node;
}

/**
 * @param {string} words
 * @param {() => void} does
 */
function button(words, does) {
  const node = document.createElement("button");
  node.type = "button";
  node.textContent = words;
  node.addEventListener("click", does);
  return node;
}

/** @param {string} words */
const complain = (words) => say(byId("library-said"), sentence(words));

/**
 * @param {Game} game
 * @param {string} form
 */
async function save(game, form) {
  await heeding(complain, async () => {
    const told = await ask(`/api/exports/${encodeURIComponent(game.id)}?to=${form}`, null, "POST");
    const link = document.createElement("a");
    link.href = told.address;
    link.download = told.name;
    link.click();
  });
}

/** @param {Game} game */
async function remove(game) {
  const sure = window.confirm(
    `Delete ${titleOf(game)} of ${dayAndHour(game.began)}, with its pictures and video? This cannot be undone.`,
  );
  if (!sure) return;
  // What is there now is shown whatever came of it; why it was not deleted is told after that, and stays.
  await heeding(complain, () => ask(`/api/games/${encodeURIComponent(game.id)}`, null, "DELETE").finally(fetchGames));
}

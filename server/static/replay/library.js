/** The list of recorded games: open one, take it along in another form, or delete it. */

import { byId, keyed, say } from "../common/svg.js";
import { clock } from "./playback.js";

/**
 * @typedef {{id: string, name: string, table: string, began: string, ended: string | null, state: string,
 *   entries: number, duration_s: number, duration_words: string}} Game
 */

/** How a game stands, where that is worth a word. */
const STATES = /** @type {Record<string, string>} */ ({
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

/** Fetches the library and shows it. */
export async function showLibrary() {
  byId("library").hidden = false;
  // There is nothing yet to look at, nor lengths.
  byId("switches").hidden = true;
  const answer = await fetch("/api/games");
  const told = await answer.json();
  if (!answer.ok) {
    say(byId("library-said"), told.error);
    return;
  }
  byId("library-none").hidden = told.games.length > 0;
  say(byId("library-where"), told.library ?? "");
  keyed(byId("games"), /** @type {Game[]} */ (told.games), (g) => g.id, (g) => item(g, told.may_change), () => {});
}

/**
 * @param {Game} game
 * @param {boolean} mayChange
 */
function item(game, mayChange) {
  const node = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/replay?game=${encodeURIComponent(game.id)}`;
  link.textContent = game.name;
  const about = document.createElement("p");
  about.className = "soft";
  const when = new Date(game.began).toLocaleString();
  const said = [when, clock(game.duration_s), `${game.entries} entries`, STATES[game.state], game.id];
  about.textContent = said.filter(Boolean).join(" · ");
  node.append(link, about);
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
  form.setAttribute("aria-label", `Form to export ${game.name} in`);
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

/**
 * @param {Game} game
 * @param {string} form
 */
async function save(game, form) {
  say(byId("library-said"), "");
  const answer = await fetch(`/api/exports/${encodeURIComponent(game.id)}?to=${form}`, { method: "POST" });
  const told = await answer.json();
  if (!answer.ok) {
    say(byId("library-said"), told.error);
    return;
  }
  const link = document.createElement("a");
  link.href = told.address;
  link.download = told.name;
  link.click();
}

/** @param {Game} game */
async function remove(game) {
  const sure = window.confirm(
    `Delete ${game.name} of ${new Date(game.began).toLocaleString()}, with its pictures and video? This cannot be undone.`,
  );
  if (!sure) return;
  const answer = await fetch(`/api/games/${encodeURIComponent(game.id)}`, { method: "DELETE" });
  say(byId("library-said"), answer.ok ? "" : (await answer.json()).error);
  await showLibrary();
}

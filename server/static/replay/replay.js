/** A recorded game: its timeline, the table as it stood, and any question asked of it. */

import { Board } from "../common/board.js";
import { Hand } from "../common/drag.js";
import { fileLinks } from "../dispute/evidence.js";
import { CoachPanel } from "./coach.js";
import { showLibrary } from "./library.js";
import { GunnerDialog } from "../common/gunner.js";
import { Link } from "../common/link.js";
import { patiently } from "../common/patient.js";
import { CarList } from "../common/pieces.js";
import { Question } from "../common/question.js";
import { RulingPanel } from "../common/ruling.js";
import { Sights } from "./sights.js";
import { byId, keyed, say, set } from "../common/svg.js";
import { MatchPanel } from "./match.js";
import { MarksOnTable } from "../play/marks.js";
import { Playback } from "./playback.js";
import { RoadPanel } from "./road.js";

/** @typedef {import("../common/types.js").State} State */

const asked = new URLSearchParams(location.search);
const game = asked.get("game");

/** What this page asks for; said again after a lost connection. */
const wish = {
  view: /** @type {"table" | "both" | "picture"} */ ("table"),
  unit: /** @type {import("../common/types.js").Unit} */ ("in"),
};

if (game) open(game);
else showLibrary();

/** @param {string} id */
function open(id) {
  byId("player").hidden = false;
  const show = () => ({ type: "show", view: wish.view === "table" ? "table" : "picture", unit: wish.unit });
  const question = new Question((message) => link.send(message), asked.getAll("piece"), asked.get("question"));
  const does = {
    choose: (/** @type {string} */ name) => question.choose(name),
    ask: (/** @type {string} */ key) => question.ask(key),
    swap: () => question.swap(),
    clear: () => question.clear(),
    move: () => {},
    send: () => {},
  };
  const board = new Board();
  const onTable = new MarksOnTable(board);
  const hand = new Hand(board, does);
  const cars = new CarList(does);
  const ruling = new RulingPanel(does);
  const match = new MatchPanel(id, () => link.redraw());
  const coach = new CoachPanel(id, board, (player) => match.shown?.colours[player] ?? "");
  const road = new RoadPanel();
  const sights = new Sights(id, (pieces) => question.pick(pieces));
  const playback = new Playback(id, {
    seek: (at_s) => link.send({ type: "seek", at_s }),
    play: (rate) => link.send({ type: "play", rate }),
    step: (by, forward) => link.send({ type: "step", by, forward }),
    told: (words) => lost(words),
    link: (at_s) => linkTo(at_s),
    grown: () => seal(),
  });
  /** The ids of the disputes whose sealed file is there, by the numbers of what was said of them. */
  let sealed = /** @type {Map<number, string>} */ (new Map());
  const gunner = new GunnerDialog(() => `/api/games/${encodeURIComponent(id)}/gunner.svg?t=${playback.at_s.toFixed(3)}&`);
  let first = true;
  const link = new Link(
    {
      draw,
      refused: lost,
      lost,
      greet: () => {
        const at_s = first ? Number(asked.get("t")) || 0 : playback.at_s;
        first = false;
        return [show(), question.message(), { type: "seek", at_s }];
      },
    },
    `/ws/replay?game=${encodeURIComponent(id)}`,
  );

  /**
   * @param {State} told
   * @param {ImageBitmap | null} picture
   */
  function draw(told, picture) {
    const state = match.coloured(told);
    byId("stage").dataset.only = wish.view === "picture" ? "picture" : "";
    question.heed(state);
    onTable.name(match.play);
    board.draw(state, picture);
    onTable.draw(match.play);
    hand.draw();
    cars.draw(state);
    ruling.draw(state);
    sights.draw(state, playback.standing);
    gunner.draw(state);
    playback.draw(state);
    road.draw(state);
    coach.draw(state);
    if (state.time !== null) match.draw(state.time);
    drawFeed(state);
    for (const view of ["table", "both", "picture"]) press(`view-${view}`, wish.view === view);
    for (const unit of ["in", "cm"]) press(`unit-${unit}`, state.selection.unit === unit);
  }

  /** @param {State} state */
  function drawFeed({ events }) {
    keyed(byId("feed"), [...events].reverse(), (e) => String(e.number), (e) => {
      const item = document.createElement("li");
      const time = document.createElement("button");
      time.type = "button";
      time.textContent = e.time_words;
      time.addEventListener("click", () => playback.go(e.time));
      const said = document.createElement("span");
      said.append(e.words);
      item.append(time, said);
      return item;
    }, (item, e) => {
      set(/** @type {Element} */ (item), { "data-undone": String(e.undone) });
      const dispute = sealed.get(e.number);
      if (!dispute || item.querySelector(".files")) return;
      const files = document.createElement("span");
      files.className = "files";
      files.append("Evidence", ...fileLinks(`/api/games/${encodeURIComponent(id)}/disputes`, dispute, ""));
      item.lastElementChild?.append(files);
    });
  }

  /**
   * The address of a moment with its question, kept in the address bar.
   * @param {number} at_s
   */
  function linkTo(at_s) {
    const place = new URLSearchParams({ game: id, t: at_s.toFixed(3) });
    for (const piece of question.pieces) place.append("piece", piece);
    if (question.question) place.set("question", question.question);
    history.replaceState(null, "", `?${place}`);
    return location.href;
  }

  for (const view of /** @type {const} */ (["table", "both", "picture"])) {
    byId(`view-${view}`).addEventListener("click", () => {
      wish.view = view;
      link.send(show());
      link.redraw();
    });
  }
  for (const unit of /** @type {const} */ (["in", "cm"])) {
    byId(`unit-${unit}`).addEventListener("click", () => {
      wish.unit = unit;
      link.send(show());
    });
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && link.pending) link.redraw();
  });
  link.open();
  seal();

  async function seal() {
    sealed = await sealedIn(id);
    link.redraw();
  }
}

/**
 * @param {string} game
 * @returns {Promise<Map<number, string>>}
 */
async function sealedIn(game) {
  const answer = await patiently(`/api/games/${encodeURIComponent(game)}/disputes`);
  // Why a game cannot be had is told with its timeline.
  const had = /** @type {{id: string, entries: number[], saved: boolean}[]} */ (answer.ok ? await answer.json() : []);
  return new Map(had.filter((d) => d.saved).flatMap((d) => d.entries.map((number) => [number, d.id])));
}

/**
 * @param {string} id
 * @param {boolean} pressed
 */
function press(id, pressed) {
  set(byId(id), { "aria-pressed": String(pressed) });
}

/** @param {string | null} words */
function lost(words) {
  byId("lost").hidden = words === null;
  say(byId("lost"), words ?? "");
}

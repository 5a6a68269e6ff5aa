/** The page of the game: hears what the server decided, draws it, and passes on what people do. */

import { Asker } from "./ask.js";
import { Attention, everyone, onTheTable, plays } from "./attention.js";
import { Board } from "../common/board.js";
import { CoachPanel } from "./coach.js";
import { Declined } from "./declined.js";
import { DisputeDialog } from "../dispute/dispute.js";
import { FilmNotice } from "../common/film.js";
import { h, listed, rebuild, returnFocus } from "../common/dom.js";
import { Hand } from "../common/drag.js";
import { GuidePanel } from "./guide.js";
import { InviteDialog } from "../setup/invite.js";
import { Link } from "../common/link.js";
import { LearnPanel } from "./learn.js";
import { LogPanel } from "./log.js";
import { MeasurePanel } from "./measure.js";
import { ModesDialog } from "./modes.js";
import { MarksOnTable, coloured } from "./marks.js";
import { OptionsPanel } from "./options.js";
import { PlayLink } from "./playlink.js";
import { ResultPanel } from "./result.js";
import { SetUpPanel } from "./setup.js";
import { CardDialog, SheetsPanel } from "./sheets.js";
import { Spots } from "./spots.js";
import { Settling } from "../setup/settling.js";
import { StatusPanel } from "./status.js";
import { Things } from "../setup/things.js";
import { ThrowsDialog } from "./throws.js";
import { byId, say } from "../common/svg.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("../common/types.js").State} State */

/** What the table's drawing is asked for. */
const wish = { pieces: /** @type {string[]} */ ([]), question: /** @type {string | null} */ (null) };
/** @type {Play | null} */
let play = null;
/** @type {State | null} */
let table = null;
/** The turn of the match, as last told. @type {number | null | undefined} */
let turn;

const does = {
  /** @param {Record<string, unknown>} request */
  ask(request) {
    return asker.ask(request);
  },
  /** @param {Record<string, unknown>} request */
  tell: (request) => game.ask(request),
  /**
   * What became of what was told: the reasons, where it was refused.
   * @param {Record<string, unknown>} request
   * @param {import("./playtypes.js").Answer} answer
   */
  settle: (request, answer) => asker.settle(request, answer),
  /**
   * @param {import("./playtypes.js").Option} option
   * @param {Record<string, any>} said
   */
  option: (option, said) => asker.option(option, said),
  /**
   * What was answered to the form of an option.
   * @param {import("./playtypes.js").Option} option
   */
  said: (option) => options.said(option),
  /** @param {string} error */
  refuse: (error) => asker.refuse(error),
  /**
   * Shows a question on the table: its lines, and what it reaches.
   * @param {import("./playtypes.js").Question | null} question
   */
  point(question) {
    const next = { pieces: question?.pieces ?? [], question: question?.label || null };
    if (JSON.stringify(next) === JSON.stringify(wish)) return;
    Object.assign(wish, next);
    link.send(select());
  },
  /**
   * Measures between pieces, whatever option was looked at.
   * @param {string[]} pieces
   * @param {string | null} question
   */
  measure(pieces, question) {
    options.look("");
    does.point({ kind: "", words: "", pieces, label: question ?? "", missing: "" });
  },
  /** @param {string} name */
  choose(name) {
    if (play?.phase === "setup") return setup.pick(name);
    if (!options.tap(name)) does.point({ kind: "", words: "", pieces: [name], label: "", missing: "" });
  },
  /** @param {Record<string, any>} message */
  send: (message) => link.send(message),
  table: () => table,
  /**
   * What may be tapped now, on the table and on the cards.
   * @param {any[]} places
   */
  offer(places) {
    onTable.offer(places);
    sheets.again();
    card.again();
    byId("turn").toggleAttribute("data-taps", Boolean(does.spots().on(play?.match?.status.piece ?? null)?.any));
  },
  /** The places on record sheets that may be tapped. */
  spots: () => (play ? options.spots(play) : new Spots()),
};

const select = () => ({ type: "select", ...wish });
const board = new Board();
const onTable = new MarksOnTable(board);
const hand = new Hand(board, does);
const game = new PlayLink({
  draw,
  guide: guided,
  lost: (words) => lost("game", words),
  anew: (state) => {
    asker.anew(state);
    setup.anew();
  },
});
const asker = new Asker(game);
const declined = new Declined(asker);
const throws = new ThrowsDialog(asker);
const setup = new SetUpPanel(byId("now"), does);
const options = new OptionsPanel(byId("now"), byId("pin-deeds"), does, asker, throws);
const sheets = new SheetsPanel(byId("sheets"), does);
const log = new LogPanel(byId("log"), does);
const result = new ResultPanel(byId("result"), true, () => asker.retype());
const card = new CardDialog(/** @type {HTMLDialogElement} */ (byId("card")), does.spots);
const status = new StatusPanel(byId("turn"), byId("order"), (title) => card.open(title));
const learn = new LearnPanel(byId("learn"));
const coach = new CoachPanel(board);
const measure = new MeasurePanel(byId("measure"), does);
const film = new FilmNotice(byId("film"), (error) => asker.refuse(error));
const guide = new GuidePanel(byId("guide"), byId("pin-take"), does);
const attention = new Attention(/** @type {HTMLElement} */ (document.querySelector("aside")), byId("now"));
new InviteDialog(/** @type {HTMLDialogElement} */ (byId("invite")), byId("invite-open"));
const modes = new ModesDialog(/** @type {HTMLDialogElement} */ (byId("modes")), byId("modes-open"), does);
const things = new Things(byId("things"), (error) => asker.refuse(error));
const settling = new Settling((error) => asker.refuse(error));
const dispute = new DisputeDialog((error) => asker.refuse(error));
const link = new Link({
  draw: see,
  refused: (error) => asker.refuse(error),
  lost: (words) => lost("table", words),
  greet: () => [{ type: "show", view: "table", unit: "in" }, select()],
});

/**
 * The table has changed.
 * @param {State} state
 * @param {ImageBitmap | null} picture
 */
function see(state, picture) {
  if (turn !== undefined && state.turn !== turn) {
    // What was asked in one turn is not asked in the next.
    options.look("");
    does.point(null);
  }
  turn = state.turn;
  table = play ? coloured(state, play) : state;
  dispute.draw(state);
  film.draw(state, play);
  settling.draw(state);
  things.draw({ things: state.things ?? [], away: state.away ?? [], taken: state.pieces.map((p) => p.name), may: Boolean(play?.me.owner) });
  pointToThings((state.things ?? []).map((t) => t.name), state.away ?? []);
  follow();
  board.draw(table, picture);
  onTable.draw(play);
  coach.drawGhost();
  inHand(play?.guide ?? null);
  // Rings would lie over the lines of a question.
  if (wish.question === null && wish.pieces.length < 2) hand.draw();
  else if (!hand.busy) board.layers.ghost.replaceChildren();
  if (play?.phase === "setup") setup.draw(play, state);
  else if (play) options.draw(play, table);
  if (play) measure.draw(table, play);
}

// What holds everything comes into view with its way out, wherever somebody reads.
new MutationObserver(() => {
  if (!byId("going-on").hidden) byId("going-on").parentElement?.scrollTo({ top: 0 });
}).observe(byId("going-on"), { attributes: true, attributeFilter: ["hidden"] });

/**
 * Before a game the question about things lies below all that is set up: at the top it is told, and led to.
 * @param {string[]} names
 * @param {string[]} away  What carries no tag and left its place.
 */
function pointToThings(names, away) {
  const told = byId("things-told");
  told.hidden = byId("things").hidden || play?.phase !== "setup";
  const what = names.length > 1 ? `${names.length} things are` : `${names[0]} is`;
  const words = names.length ? `Nobody has said what ${what}` : `${listed(away)} left the place`;
  say(/** @type {HTMLElement} */ (told.firstElementChild), `${words}: say it below`);
}

byId("things-told").addEventListener("click", () => {
  byId("things").scrollIntoView({ block: "start" });
  byId("things").querySelector("button")?.focus({ preventScroll: true });
});

/**
 * The game has changed.
 * @param {Play} state
 */
function draw(state) {
  play = state;
  document.body.dataset.phase = state.phase;
  document.body.dataset.role = state.me.role;
  document.body.dataset.seat = state.me.role === "player" && !state.me.player ? "none" : "";
  drawMe(state);
  byId("invite-open").hidden = !state.me.owner;
  say(byId("record-trouble"), state.trouble ?? "");
  byId("record-trouble").hidden = !state.trouble;
  status.draw(state);
  byId("log").hidden = state.match === null;
  // What is chosen among the options draws the cards anew.
  sheets.draw(state);
  card.draw(state);
  if (state.phase === "setup") setup.draw(state, link.state);
  else options.draw(state, table);
  log.draw(state);
  result.draw(state);
  coach.draw(state);
  modes.draw(state);
  guide.draw(state);
  learn.draw(state);
  film.draw(link.state, state);
  if (table) see(link.state ?? table, link.picture);
  // Whoever has just done something is shown what came of it, above what is asked next.
  asker.reveal();
  asker.heed(state);
  declined.heed(state);
  throws.draw(state);
  attention.rest(state);
  attention.heed(state, document.body.dataset.busy === "true" || state.number <= asker.done.number);
  returnFocus();
}

/** What is seen of the piece that is moved has changed. */
function guided() {
  if (!game.state) return;
  play = game.state;
  guide.draw(play);
  attention.rest(play);
  follow();
  if (table) board.draw(table, link.picture);
  onTable.draw(play);
  if (play.phase === "match") options.draw(play, table);
}

/** The drawing shows what matters now: on a phone as a strip where nothing on it is to be tapped. */
function follow() {
  onTable.name(play);
  const strip = play?.phase === "match" && !onTheTable(play, options.places(play));
  board.strip = strip && matchMedia("(max-width: 860px) and (min-height: 501px)").matches;
  document.body.dataset.strip = String(strip);
  const wanted = onTable.wanted(play, table);
  board.wanted = play && board.strip ? plays(play, table, wish.pieces) : wanted.length || play?.phase !== "match" ? wanted : everyone(play, table);
}

/** The piece that was awaited last, and in what phase. */
let awaited = "";
let phase = "";

/**
 * What is to be driven lies in the hand at once, with its ring, and how a hand does it is told under the table.
 * @param {import("./playtypes.js").Guide | null} guide
 */
function inHand(guide) {
  const acts = Boolean(play?.me.acts && hand.canMove);
  byId("hands").hidden = !acts || handsKnown();
  document.body.toggleAttribute("data-pushes", acts);
  // What was driven last in a game is in nobody's hand when the next one is set up.
  if (play && play.phase !== phase) hand.hold("");
  phase = play?.phase ?? "";
  const piece = (guide?.player ?? null) === null || play?.me.owner || guide?.player === play?.me.player ? (guide?.piece ?? "") : "";
  if (piece !== awaited && acts && piece) hand.hold(piece);
  awaited = piece;
}

/** Whether somebody has read how a hand does it. */
function handsKnown() {
  try {
    return localStorage.getItem("hands") === "known";
  } catch {
    return byId("hands").dataset.known === "true";
  }
}

byId("hands-known").addEventListener("click", () => {
  byId("hands").dataset.known = "true";
  try {
    localStorage.setItem("hands", "known");
  } catch {
    // Without storage it is known as long as the page.
  }
  byId("hands").hidden = true;
});

/** @param {Play} state */
function drawMe({ me, seats }) {
  const colour = seats.find((s) => s.player === me.player)?.colour;
  const roles = /** @type {Record<string, string>} */ ({ owner: "Owner", player: "Player", camera: "Camera", spectator: "Spectator" });
  rebuild(byId("me"), [me, colour], () => [
    h("span.chip", { style: colour ? { "--colour": colour } : {} }, h("span.player", {}, me.player ?? roles[me.role])),
  ]);
}

/** @type {Record<string, string | null>} */
const troubles = { game: null, table: null };

/**
 * @param {"game" | "table"} which
 * @param {string | null} words
 */
function lost(which, words) {
  troubles[which] = words;
  const said = troubles.game ?? troubles.table;
  byId("lost").hidden = said === null;
  say(byId("lost"), said ?? "");
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && link.pending) link.redraw();
});

link.open();
game.open();

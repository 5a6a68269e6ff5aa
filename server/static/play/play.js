/** The page of the game: hears what the server decided, draws it, and passes on what people do. */

import { AimPanel } from "./aim.js";
import { Asker } from "./ask.js";
import { Board } from "../common/board.js";
import { DisputeDialog } from "../dispute/dispute.js";
import { h, rebuild } from "../common/dom.js";
import { Hand } from "../common/drag.js";
import { DrivingPanel } from "./driving.js";
import { InviteDialog } from "../setup/invite.js";
import { Link } from "../common/link.js";
import { LogPanel } from "./log.js";
import { ModesDialog } from "./modes.js";
import { NowPanel } from "./now.js";
import { OnTable } from "./ontable.js";
import { PlayLink } from "./playlink.js";
import { ResultPanel } from "./result.js";
import { SetUpPanel } from "./setup.js";
import { SheetsPanel } from "./sheets.js";
import { byId, say } from "../common/svg.js";
import { TurnPanel } from "./turn.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("../common/types.js").State} State */

/** What the table's drawing is asked for. */
const wish = {
  shooter: /** @type {string | null} */ (null),
  target: /** @type {string | null} */ (null),
  weapon: /** @type {string | null} */ (null),
};
/** @type {Play | null} */
let play = null;
/** @type {State | null} */
let table = null;

const does = {
  /** @param {Record<string, unknown>} request */
  ask: (request) => asker.ask(request),
  /** @param {Record<string, unknown>} request */
  tell: (request) => game.ask(request),
  /**
   * @param {import("./playtypes.js").Option} option
   * @param {Record<string, any>} said
   */
  option: (option, said) => asker.option(option, said),
  /** @param {string} error */
  refuse: (error) => asker.refuse(error),
  /**
   * Shows a shot on the table: its line, range and reach.
   * @param {string | null} shooter
   * @param {string | null} [target]
   * @param {string | null} [weapon]
   */
  point(shooter, target = null, weapon = null) {
    if (wish.shooter === shooter && wish.target === target && wish.weapon === weapon) return;
    Object.assign(wish, { shooter, target, weapon });
    link.send(select());
  },
  /** @param {string} name */
  choose(name) {
    if (play?.phase === "setup") return setup.pick(name);
    const choice = play?.match?.options.find((o) => o.mine && o.kind === "choose" && o.data.car === name);
    if (choice) asker.option(choice);
    else if (!aim.pick(name)) does.point(name);
  },
  /**
   * @param {string} piece
   * @param {number} x
   * @param {number} y
   * @param {number} heading
   */
  move: (piece, x, y, heading) => link.send({ type: "move", piece, x, y, heading }),
  table: () => table,
};

const select = () => ({ type: "select", pieces: [wish.shooter, wish.target].filter(Boolean), question: wish.weapon });
const board = new Board();
const onTable = new OnTable(board);
const hand = new Hand(board, does);
const game = new PlayLink({ draw, drive, lost: (words) => lost("game", words) });
const asker = new Asker(game);
const setup = new SetUpPanel(byId("now"), does);
const now = new NowPanel(byId("now"), does, asker);
const aim = new AimPanel(byId("aim"), does, asker);
const sheets = new SheetsPanel(byId("sheets"), does);
const log = new LogPanel(byId("log"), does);
const result = new ResultPanel(byId("result"));
const turn = new TurnPanel(byId("turn"), byId("order"));
const driving = new DrivingPanel(byId("driving"), does, board);
new InviteDialog(/** @type {HTMLDialogElement} */ (byId("invite")), byId("invite-open"));
const modes = new ModesDialog(/** @type {HTMLDialogElement} */ (byId("modes")), byId("modes-open"), does);
const dispute = new DisputeDialog((error) => asker.refuse(error), () => play?.me.player);
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
  table = play ? onTable.coloured(state, play) : state;
  dispute.draw(state);
  board.draw(table, picture);
  onTable.draw(play);
  // Handles would lie over the line of a shot.
  if (wish.target === null) hand.draw();
  else board.layers.ghost.replaceChildren();
  if (play?.phase === "setup") setup.draw(play, state);
  else if (play) now.draw(play, table);
}

/**
 * The game has changed.
 * @param {Play} state
 */
function draw(state) {
  play = state;
  document.body.dataset.phase = state.phase;
  document.body.dataset.role = state.me.role;
  drawMe(state);
  byId("invite-open").hidden = !state.me.owner;
  say(byId("record-trouble"), state.trouble ?? "");
  byId("record-trouble").hidden = !state.trouble;
  turn.draw(state);
  for (const id of ["sheets", "log"]) byId(id).hidden = state.match === null;
  if (state.phase === "setup") setup.draw(state, link.state);
  else now.draw(state, table);
  aim.draw(state);
  sheets.draw(state);
  log.draw(state);
  result.draw(state);
  modes.draw(state);
  drive(state.driving);
  if (table) see(link.state ?? table, link.picture);
}

/** @param {any} seen */
function drive(seen) {
  driving.draw(seen, play);
}

/** @param {Play} state */
function drawMe({ me, seats }) {
  const colour = seats.find((s) => s.player === me.player)?.colour;
  const roles = /** @type {Record<string, string>} */ ({ owner: "Owner", player: "Player", camera: "Camera", spectator: "Looking on" });
  rebuild(byId("me"), [me, colour], () => [
    h("span.chip", { style: colour ? { "--colour": colour } : {} }, me.player ?? roles[me.role]),
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

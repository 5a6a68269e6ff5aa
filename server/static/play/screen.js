/** The big shared screen: the table, whose turn it is, the last ruling, and how the cars stand. */

import { Board } from "../common/board.js";
import { DisputeDialog } from "../dispute/dispute.js";
import { h, rebuild } from "../common/dom.js";
import { Link } from "../common/link.js";
import { MarksOnTable, coloured } from "./marks.js";
import { PlayLink } from "./playlink.js";
import { ResultPanel } from "./result.js";
import { byId, say } from "../common/svg.js";
import { StatusPanel, colourOf } from "./status.js";
import { whole } from "./sheets.js";

/** @typedef {import("./playtypes.js").Play} Play */

/** @type {Play | null} */
let play = null;
const board = new Board();
const onTable = new MarksOnTable(board);
const status = new StatusPanel(byId("turn"), byId("order"));
const result = new ResultPanel(byId("result"));
const lost = (/** @type {string | null} */ words) => {
  byId("lost").hidden = words === null;
  say(byId("lost"), words ?? "");
};
const dispute = new DisputeDialog(() => {});
const link = new Link({
  draw: see,
  refused: () => {},
  lost,
  greet: () => [{ type: "show", view: "table", unit: "in" }],
});
const game = new PlayLink({ draw, guide: guided, lost });

/**
 * @param {import("../common/types.js").State} state
 * @param {ImageBitmap | null} picture
 */
function see(state, picture) {
  dispute.draw(state);
  onTable.name(play);
  board.draw(play ? coloured(state, play) : state, picture);
  onTable.draw(play);
}

/** @param {Play} state */
function draw(state) {
  play = state;
  status.draw(state);
  result.draw(state);
  fleet(state);
  acting();
  if (link.state) see(link.state, link.picture);
}

/** What is seen of the piece that is moved has changed. */
function guided() {
  play = game.state;
  onTable.draw(play);
}

/** @param {Play} state */
function fleet(state) {
  const { match, draft, seats, phase } = state;
  const sheets = match?.sheets ?? [];
  const current = match?.status.piece ?? null;
  rebuild(byId("fleet"), [sheets, draft, seats, phase, current], () => [
    phase === "setup"
      ? [h("h2", {}, "The game is being set up"), h("p.soft", {}, draft.players.length ? `${draft.players.map((p) => p.name).join(", ")} ${draft.players.length > 1 ? "play" : "plays"}.` : "Name the players under Play a game, on the computer that has the camera.")]
      : sheets.map((s) => {
          const boxes = s.widgets.find((w) => w.boxes)?.boxes ?? [];
          const left = boxes.filter((b) => !b.marked).length;
          return h(
            "div.short",
            { style: { "--colour": colourOf(state, s.owner) ?? "#888888" }, data: { out: String(s.out), current: String(current !== null && s.piece === current) } },
            h("strong", {}, s.title),
            boxes.length ? h("span.bar", { role: "img", "aria-label": `${left} of ${boxes.length} left` }, h("span", { style: { "--left": `${(100 * left) / boxes.length}%` } })) : h("span"),
            h("span.left", {}, s.out ? s.note : s.summary || s.note),
          );
        }),
    current !== null && sheets.filter((s) => s.piece === current).map((s) => whole(s, state)),
  ]);
}

/** How the cars are listed: the first that has room, as nobody can scroll here. The last tells of each how much is left, by its bar. */
const LISTED = ["with-card", "in-lines", "in-two-columns", "in-three-columns"];

/** Lists every car, and the whole card of whoever acts where there is room for it. */
function acting() {
  const [node, side] = [byId("fleet"), /** @type {HTMLElement} */ (document.querySelector("aside"))];
  for (const listed of LISTED) {
    node.dataset.listed = listed;
    if (side.scrollHeight <= side.clientHeight) return;
  }
}

new ResizeObserver(acting).observe(byId("result"));
addEventListener("resize", acting);

link.open();
game.open();

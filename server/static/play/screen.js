/** The big shared screen: the table, whose turn it is, the last ruling, and how the cars stand. */

import { Board } from "../common/board.js";
import { DisputeDialog } from "../dispute/dispute.js";
import { h, rebuild } from "../common/dom.js";
import { Link } from "../common/link.js";
import { OnTable } from "./ontable.js";
import { PlayLink } from "./playlink.js";
import { ResultPanel } from "./result.js";
import { byId, say } from "../common/svg.js";
import { TurnPanel } from "./turn.js";

/** @typedef {import("./playtypes.js").Play} Play */

/** @type {Play | null} */
let play = null;
const board = new Board();
const onTable = new OnTable(board);
const turn = new TurnPanel(byId("turn"), byId("order"));
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
const game = new PlayLink({ draw, drive: () => {}, lost });

/**
 * @param {import("../common/types.js").State} state
 * @param {ImageBitmap | null} picture
 */
function see(state, picture) {
  dispute.draw(state);
  board.draw(play ? onTable.coloured(state, play) : state, picture);
  onTable.draw(play);
}

/** @param {Play} state */
function draw(state) {
  play = state;
  turn.draw(state);
  result.draw(state);
  fleet(state);
  if (link.state) see(link.state, link.picture);
}

/** @param {Play} state */
function fleet({ match, draft, seats, phase }) {
  const sheets = match?.sheets ?? [];
  rebuild(byId("fleet"), [sheets, draft, seats, phase, match?.state.round?.car], () =>
    phase === "setup"
      ? [h("h2", {}, "The game is being set up"), h("p.soft", {}, draft.players.length ? `${draft.players.map((p) => p.name).join(", ")} ${draft.players.length > 1 ? "play" : "plays"}.` : "Name the players with Play a game, on the page of the machine with the camera.")]
      : sheets.map((s) =>
          h(
            "div.short",
            { style: { "--colour": seats.find((x) => x.player === s.owner)?.colour ?? "#888888" }, data: { status: s.status, current: String(s.name === match?.state.round?.car) } },
            h("strong", {}, s.name),
            h("span.small", {}, s.status === "wreck" ? "destroyed" : s.status === "removed" ? "out" : `Speed ${s.speed}`),
            h("span.bar", { role: "img", "aria-label": `${s.armour} of ${s.track.length} armour` }, h("span", { style: { "--left": `${(100 * s.armour) / s.track.length}%` } })),
            h("span.left", {}, s.armour, h("span.small", {}, " armour")),
          ),
        ),
  );
}

link.open();
game.open();

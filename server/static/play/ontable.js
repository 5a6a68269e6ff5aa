/** What the game adds to the drawing of the table: players' colours, wrecks, ghosts. */

import { el, keyed, set } from "../common/svg.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("../common/types.js").State} State */

export class OnTable {
  /** @param {import("../common/board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.layer = el("g", { class: "places" });
    board.layers.labels.before(this.layer);
  }

  /**
   * The table with every car in its player's colour.
   * @param {State} state
   * @param {Play} play
   * @returns {State}
   */
  coloured(state, play) {
    const cars = new Map(play.draft.cars.map((c) => [plain(c.name), c]));
    const colours = new Map(play.draft.players.map((p) => [p.name, p.colour]));
    const sheets = new Map((play.match?.sheets ?? []).map((s) => [plain(s.name), s]));
    const signs = signsOf(play.draft.players.map((p) => p.name));
    const pieces = state.pieces.map((piece) => {
      const car = cars.get(plain(piece.name));
      if (!piece.driven) return piece;
      if (!car) return { ...piece, colour: "#8a8f93", pattern: /** @type {"plain"} */ ("plain"), sign: "", owner: null };
      const wreck = ["wreck", "removed"].includes(sheets.get(plain(car.name))?.status ?? "");
      return {
        ...piece,
        owner: car.owner,
        sign: wreck ? "✕" : (signs.get(car.owner) ?? ""),
        colour: wreck ? "#5b5f63" : (colours.get(car.owner) ?? piece.colour),
        pattern: /** @type {"plain"} */ ("plain"),
      };
    });
    return { ...state, pieces };
  }

  /** @param {Play | null} play */
  draw(play) {
    const ghosts = this.board.flip < 0 ? (play?.match?.ghosts ?? []) : [];
    const turn = play?.match?.state.round;
    const current = turn?.car ? this.board.state?.pieces.find((p) => plain(p.name) === plain(turn.car)) : null;
    const items = [
      ...ghosts.map((g) => ({ id: `ghost ${g.car}`, points: this.board.points(g.outline), cls: g.right ? "place right" : "place" })),
      ...(current?.shape ? [{ id: "turn", points: this.board.points(current.shape.base), cls: "current" }] : []),
    ];
    keyed(
      this.layer,
      items,
      (i) => i.id,
      () => el("polygon"),
      (node, i) => set(node, { points: i.points, class: i.cls }),
    );
  }
}

/**
 * A name without what people write differently.
 * @param {string} name
 */
export function plain(name) {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/**
 * The shortest beginnings by which the players can be told apart.
 * @param {string[]} names
 * @returns {Map<string, string>}
 */
export function signsOf(names) {
  const signs = new Map();
  for (const name of names) {
    let length = 1;
    while (length < name.length && names.some((n) => n !== name && n.slice(0, length) === name.slice(0, length))) length += 1;
    signs.set(name, name.slice(0, length));
  }
  return signs;
}

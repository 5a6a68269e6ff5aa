/** What the game draws on the table: one shape each, by its role; players' colours; where pieces must be put. */

import { el, keyed, say, set } from "../common/svg.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Mark} Mark */
/** @typedef {import("../common/types.js").State} State */

/** Each shape as an SVG element. */
const SHAPES = { polygon: "polygon", line: "polyline", disc: "circle", label: "text" };

export class MarksOnTable {
  /** @param {import("../common/board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.layer = el("g", { class: "marked" });
    this.guided = el("g", { class: "marked guided" });
    this.places = el("g", { class: "marked places" });
    board.layers.labels.before(this.layer, this.places);
    board.layers.marks.before(this.guided);
  }

  /**
   * What has to be seen well now: where the piece that is moved may go, and where pieces must be put; with these
   * also what is to be pushed.
   * @param {Play | null} play
   * @param {State | null} table
   * @returns {import("../common/types.js").Point[]}
   */
  wanted(play, table) {
    const ghosts = (play?.match?.ghosts ?? []).filter((g) => !g.right).flatMap((g) => [...g.outline, ...g.marks.flatMap((mark) => mark.points)]);
    const found = [...ghosts, ...(play?.guide?.marks ?? []).flatMap((mark) => mark.points)];
    if (!found.length) return found;
    const pushed = new Set((play?.match?.options ?? []).flatMap((o) => (o.measuring && o.piece !== null ? [plain(o.piece)] : [])));
    return [...found, ...(table?.pieces ?? []).flatMap((p) => (pushed.has(plain(p.name)) ? (p.shape?.base ?? []) : []))];
  }

  /**
   * Which shapes the drawing names: where pieces must be put that are not there, and what was laid that no camera
   * knows; and what is written besides, which names leave free. Before it is drawn.
   * @param {Play | null} play
   */
  name(play) {
    const known = new Set((this.board.state?.pieces ?? []).filter((p) => p.shape).map((p) => plain(p.name)));
    const laid = (play?.match?.marks ?? []).filter((mark) => mark.role === "token" && mark.shape === "polygon" && mark.words && !known.has(plain(mark.words)));
    const ghosts = (play?.match?.ghosts ?? []).filter((g) => g.outline.length && !g.right);
    // At each corner of the way to a shape, and in the shape, stands how far it is up to there.
    this.board.shapes = ghosts.flatMap((g) => [
      { name: g.piece, outline: g.outline },
      ...g.marks.filter((mark) => mark.words).map((mark) => ({ name: mark.words, id: `${g.piece} ${mark.words}`, outline: mark.shape === "polygon" ? mark.points : g.outline })),
    ]);
    this.board.shapes.push(...laid.map((mark) => ({ name: mark.words, id: `laid ${mark.words}`, outline: mark.points })));
    const marks = [...(play?.match?.marks ?? []), ...(play?.guide?.marks ?? [])];
    this.board.spots = marks.filter((mark) => mark.shape === "label").flatMap((mark) => mark.points.slice(0, 1));
  }

  /** @param {Play | null} play */
  draw(play) {
    // Inches belong on the table seen from above; over the camera's picture they would lie.
    const seen = this.board.flip < 0 ? play : null;
    const ghosts = (seen?.match?.ghosts ?? []).filter((g) => g.outline.length);
    const colours = coloursOf(seen?.draft);
    /** @type {{cls: string, mark: Mark, owner?: string}[]} */
    const items = [
      ...ghosts.flatMap((g) => {
        const right = g.right ? " right" : "";
        const owner = colours.get(plain(g.piece)) ?? "";
        const line = (/** @type {string} */ role, /** @type {import("./playtypes.js").Point[]} */ points) => ({ owner, cls: `${role}${right}`, mark: { shape: role === "place" ? "polygon" : "line", role: "ghost", points, words: "", radius: 0, verdict: null, piece: g.piece } });
        return [line("place", g.outline), line("nose", g.nose), ...(g.right || g.marks.length ? [] : g.turns.map((points) => line("turning", points)))];
      }),
      ...(seen?.match?.marks ?? []).map((mark) => ({ cls: mark.role.replace(" ", "-"), mark, owner: colours.get(plain(mark.piece ?? "")) })),
    ];
    this.put(this.layer, items);
    const guide = seen?.guide;
    this.put(this.guided, [...ways(guide?.marks ?? [], guide?.phase ?? ""), ...ghosts.flatMap((g) => ways(g.marks, "wanted", colours.get(plain(g.piece))))]);
  }

  /**
   * Places that may be picked by a tap.
   * @param {{point: import("./playtypes.js").Point, words: string, on: boolean, tap: () => void}[]} offered
   */
  offer(offered) {
    const seen = this.board.flip < 0 ? offered : [];
    const apart = seen.flatMap((one, k) => seen.slice(k + 1).map((other) => Math.hypot(one.point[0] - other.point[0], one.point[1] - other.point[1])));
    const radius = Math.min(1, 0.36 * Math.min(...apart, 3));
    keyed(this.places, seen, (one) => String(one.point), () => {
      const node = el("circle");
      // A hand that moves cars about does not take one for it.
      node.addEventListener("pointerdown", (event) => event.stopPropagation());
      return node;
    }, (node, one) => {
      set(node, { cx: one.point[0], cy: -one.point[1], r: radius, class: one.on ? "place-to-tap on" : "place-to-tap", "data-place": one.words, role: "button", "aria-label": one.words, "aria-pressed": String(one.on) });
      node.onclick = one.tap;
    });
  }

  /**
   * @param {SVGElement} layer
   * @param {{cls: string, mark: Mark, owner?: string}[]} items
   */
  put(layer, items) {
    keyed(
      layer,
      items.map((item, k) => ({ ...item, id: `${k} ${item.mark.shape} ${item.cls}` })),
      (i) => i.id,
      (i) => {
        const name = SHAPES[/** @type {keyof typeof SHAPES} */ (i.mark.shape)];
        if (!name) throw new Error(`a mark of unknown shape ${i.mark.shape}`);
        return el(name);
      },
      (node, i) => {
        const { shape, points, radius, words, verdict } = i.mark;
        const [[x, y] = [0, 0]] = points;
        if (shape === "disc") set(node, { cx: x, cy: -y, r: radius });
        else if (shape === "label") {
          set(node, { x, y: -y });
          say(node, words);
        } else set(node, { points: this.board.points(points) });
        set(node, { class: i.cls, "data-verdict": verdict ?? "" });
        /** @type {SVGElement} */ (node).style.setProperty("--owner", i.owner ?? "");
      },
    );
  }
}

/**
 * Marks of a way that is gone, or to be gone: its line stands out from whatever lies under it.
 * @param {Mark[]} marks
 * @param {string} phase
 * @param {string} [owner]  The colour of whose piece it is.
 */
const ways = (marks, phase, owner) => marks.flatMap((mark) => {
  const item = { cls: `${mark.role.replace(" ", "-")} ${phase}`, mark, owner };
  return mark.role === "path" ? [{ cls: "under", mark }, item] : [item];
});

/**
 * By piece the colour of the player who has it.
 * @param {Play["draft"] | undefined} draft
 * @returns {Map<string, string>}
 */
export function coloursOf(draft) {
  return new Map([...ownersOf(draft)].map(([name, { colour }]) => [name, colour]));
}

/**
 * By piece the player who has it, with their colour.
 * @param {Play["draft"] | undefined} draft
 * @returns {Map<string, {player: string, colour: string}>}
 */
export function ownersOf(draft) {
  const colours = new Map((draft?.players ?? []).map((p) => [p.name, p.colour]));
  return new Map((draft?.pieces ?? []).map((p) => [plain(p.name), { player: p.owner, colour: colours.get(p.owner ?? "") ?? "" }]));
}

/**
 * A name without what people write differently, as `key_of` of the engine has it.
 * @param {string} name
 */
export function plain(name) {
  return name.toLowerCase().normalize("NFC").replace(/[ _\p{Cf}-]/gu, "");
}

/** What tokens and other things that lie about are filled with, each kind otherwise. */
const FILLS = /** @type {const} */ (["plain", "stripes", "dots", "chequer"]);

/**
 * What a token is, without its number.
 * @param {string} name
 */
const sortOf = (name) => plain(name).replace(/\d+$/, "");

/**
 * The table with every piece that plays in its player's colour, trailers in that of what pulls them; tokens of
 * different kinds are filled differently.
 * @param {State} state
 * @param {Pick<Play, "draft"> & {match: {sheets: import("./playtypes.js").Sheet[]} | null}} play
 * @returns {State}
 */
export function coloured(state, play) {
  const drafted = new Map(play.draft.pieces.map((p) => [plain(p.name), p]));
  const colours = new Map(play.draft.players.map((p) => [p.name, p.colour]));
  const sheets = new Map((play.match?.sheets ?? []).map((s) => [plain(s.piece ?? ""), s]));
  const signs = signsOf(play.draft.players.map((p) => p.name));
  const sorts = [...new Set(state.pieces.filter((p) => p.look === "token").map((p) => sortOf(p.name)))].sort();
  const pulled = new Map(state.pieces.map((p) => [p.name, p.pulled_by ?? ""]));
  const pieces = state.pieces.map((piece) => {
    let head = piece.name;
    for (let k = 0; k < pulled.size && pulled.get(head); k++) head = pulled.get(head) ?? "";
    const known = drafted.get(plain(head));
    if (piece.look === "token") return { ...piece, pattern: FILLS[sorts.indexOf(sortOf(piece.name)) % FILLS.length] };
    if (!known && !piece.driven && !piece.pulled_by) return piece;
    const pattern = /** @type {"plain"} */ ("plain");
    if (!known) return { ...piece, colour: "#8a8f93", pattern, sign: "", owner: null };
    const out = sheets.get(plain(head))?.out ?? false;
    return {
      ...piece,
      owner: known.owner,
      sign: out ? "✕" : (signs.get(known.owner) ?? ""),
      colour: out ? "#5b5f63" : (colours.get(known.owner) ?? piece.colour),
      pattern,
    };
  });
  return { ...state, pieces };
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

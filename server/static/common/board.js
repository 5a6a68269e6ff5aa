/** The table: the same drawing from above in inches, or over the camera's picture in pixels. */

import { Places, short } from "./labels.js";
import { drawMarks } from "./marks.js";
import { byId, el, keyed, say, set } from "./svg.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Piece} Piece */
/** @typedef {import("./types.js").Outline} Outline */
/** @typedef {import("./types.js").Point} Point */

const TEXT = 16;

/** Inches round what is wanted, and how few inches of the table are shown at least. */
const [ROUND, CLOSEST] = [1.5, 16];

/** How much wider a strip may become for cars that its edge would cut. */
const WIDER = 1.3;

/** The size of a turning handle in screen pixels. */
export const HANDLE = 11;

export class Board {
  constructor() {
    /** @type {SVGSVGElement} */
    this.svg = byId("drawing");
    this.stage = byId("stage");
    /** @type {HTMLCanvasElement} */
    this.canvas = byId("picture");
    /** In the table view y points up, on the screen down. */
    this.flip = -1;
    this.scale = 1;
    /** The stage's size in pixels, until it may be another one. @type {{w: number, h: number} | null} */
    this.measured = null;
    /** What has to be seen well where there is little room, inches on the table. @type {Point[]} */
    this.wanted = [];
    this.narrow = false;
    /** Whether a piece lies on it. @type {((piece: Piece) => boolean) | null} */
    this.onStrip = null;
    /** The part of the table that is shown for it. @type {import("./types.js").Bounds | null} */
    this.shown = null;
    /** @type {State | null} */
    this.state = null;
    /** The pieces with a ring to turn them by: names leave room for it. @type {string[]} */
    this.ringed = [];
    /** Shapes on the table that pieces belong on, each with its name; `id` where others have the same. @type {{name: string, id?: string, outline: Outline}[]} */
    this.shapes = [];
    /** Shapes of where pieces could stand, or could have stood, named likewise. @type {{name: string, outline: Outline}[]} */
    this.could = [];
    /** What else is written on the table: names leave room for it. @type {Point[]} */
    this.spots = [];
    /** In which of its places each name stood last: it stays there while there is room. */
    this.sides = /** @type {Map<string, number>} */ (new Map());
    this.layers = Object.fromEntries(
      ["surface", "map", "reach", "things", "terrain", "cars", "marks", "labels", "ghost"].map((name) => [
        name,
        // A piece says its name itself.
        el("g", name === "labels" ? { class: name, "aria-hidden": "true" } : { class: name }),
      ]),
    );
    this.boardLayers = [el("g"), el("g")];
    this.layers.map.append(...this.boardLayers);
    this.svg.append(patterns(), ...Object.values(this.layers));
    new ResizeObserver(() => {
      this.measured = null;
      if (this.state) this.draw(this.state, null);
    }).observe(this.stage);
  }

  /**
   * @param {State} state
   * @param {ImageBitmap | null} picture
   */
  draw(state, picture) {
    this.state = state;
    byId("waiting").hidden = state.bounds !== null;
    say(byId("waiting"), state.source.words);
    // Why nothing is ruled stands on the table: on a phone the notices are far below it.
    const trouble = state.source.state === "lost" ? state.source.words : state.source.blind;
    byId("trouble").hidden = !trouble || state.bounds === null;
    say(byId("trouble"), trouble);
    if (!state.bounds) return;
    const onPicture = state.selection.view === "picture";
    this.flip = onPicture ? 1 : -1;
    if (this.stage.dataset.view !== state.selection.view) {
      this.stage.dataset.view = state.selection.view;
      this.measured = null;
    }
    this.fit((onPicture ? null : this.near(state.bounds)) ?? state.bounds);
    this.drawPicture(state, onPicture ? picture : null);
    this.drawSurface(state);
    drawMarks(this.layers.reach, state.reach, (outline) => this.points(outline));
    this.drawThings(state);
    const blockers = new Set(state.ruling?.blockers ?? []);
    const shown = state.pieces.filter((p) => p.shape);
    this.drawPieces(this.layers.terrain, shown.filter((p) => p.look !== "car"), state, blockers);
    this.drawPieces(this.layers.cars, shown.filter((p) => p.look === "car"), state, blockers);
    this.drawMarks(state);
    // A strip is too low for the names of a whole table: it has those of what it is about.
    const named = this.strip ? (this.wanted.length && this.onStrip) || (() => false) : null;
    this.drawLabels(named ? shown.filter(named) : shown, state, blockers);
    set(this.svg, { "aria-label": inWords(state) });
  }

  /** Whether the stage is a strip that shows no more than where something happens. */
  get strip() {
    return this.narrow;
  }

  set strip(narrow) {
    if (this.narrow !== narrow) this.measured = null;
    this.narrow = narrow;
  }

  /** The stage's size in pixels, asked for once until it changes: each time would cost a layout of the whole page. */
  get room() {
    return (this.measured ??= { w: this.stage.clientWidth, h: this.stage.clientHeight });
  }

  /** Whether there is room for more than the most needful words. */
  get roomy() {
    return this.room.w > 560;
  }

  /** Whether there is room for no more than the cars' names, as on the small map over a stream. */
  get tiny() {
    return this.room.w < 320;
  }

  /** The part of the view's space that the stage shows, which is more than the bounds where their shapes differ. */
  get seen() {
    const { x, y, width, height } = this.svg.viewBox.baseVal;
    const [w, h] = [this.room.w / this.scale, this.room.h / this.scale];
    return { x0: x + (width - w) / 2, y0: y + (height - h) / 2, x1: x + (width + w) / 2, y1: y + (height + h) / 2 };
  }

  /** Whether the stage shows all of a line, with a row of words above it. @param {Outline} line */
  shows(line) {
    const { x0, y0, x1, y1 } = this.seen;
    return line.every(([x, y]) => x >= x0 && x <= x1 && this.flip * y - TEXT / this.scale >= y0 && this.flip * y <= y1);
  }

  /**
   * The part of the bounds round what is wanted, of the same shape; the one that is shown stays while it serves.
   * @param {import("./types.js").Bounds} whole
   * @returns {import("./types.js").Bounds | null}
   */
  near(whole) {
    if (this.roomy || this.tiny || !this.wanted.length) return (this.shown = null);
    if (this.strip) return this.along(whole);
    const [xs, ys] = [0, 1].map((k) => this.wanted.map((p) => p[k]));
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const b = this.shown;
    const serves = b && left >= b.x && right <= b.x + b.width && low >= b.y && high <= b.y + b.height;
    if (serves && b.width < 2 * Math.max(right - left + 2 * ROUND, CLOSEST)) return b;
    const share = Math.max((right - left + 2 * ROUND) / whole.width, (high - low + 2 * ROUND) / whole.height, CLOSEST / whole.width);
    if (share >= 1) return (this.shown = null);
    const [width, height] = [share * whole.width, share * whole.height];
    const within = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ room) => Math.min(Math.max(at, from), from + room);
    return (this.shown = {
      x: within((left + right - width) / 2, whole.x, whole.width - width),
      y: within((low + high - height) / 2, whole.y, whole.height - height),
      width,
      height,
    });
  }

  /**
   * A strip across the table round what is wanted; a car that its edge would cut is on it, too, where there is room.
   * @param {import("./types.js").Bounds} whole
   * @returns {import("./types.js").Bounds | null}
   */
  along(whole) {
    this.shown = null;
    const cars = (this.state?.pieces ?? []).flatMap((p) => (p.look === "car" && p.shape ? [p.shape.base] : []));
    let wanted = this.wanted;
    const first = this.stripRound(wanted, whole);
    let strip = first;
    for (const base of cars) {
      if (inside(base, strip) || !base.some((point) => inside([point], strip))) continue;
      const wider = this.stripRound([...wanted, ...base], whole);
      if (wider.width <= WIDER * first.width) [wanted, strip] = [[...wanted, ...base], wider];
    }
    // Names of what lies beside the strip, or is cut by its edge, would crowd there.
    this.onStrip = (piece) => piece.shape !== null && inside(piece.shape.base, strip);
    return strip;
  }

  /**
   * The part of the table round some points that has the strip's shape.
   * @param {Point[]} wanted
   * @param {import("./types.js").Bounds} whole
   */
  stripRound(wanted, whole) {
    const [xs, ys] = [0, 1].map((k) => wanted.map((p) => p[k]));
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const shape = this.room.w / Math.max(this.room.h, 1);
    const width = Math.min(Math.max(right - left + 2 * ROUND, (high - low + 2 * ROUND) * shape, CLOSEST), whole.width);
    const height = Math.min(width / shape, whole.height);
    const within = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ room) => Math.min(Math.max(at, from), from + room);
    const x = within((left + right - width) / 2, whole.x, whole.width - width);
    // Where not all of it fits, the first is shown, and not what lies in the middle between.
    const middle = high - low > height ? wanted[0][1] : (low + high) / 2;
    const y = within(middle - height / 2, whole.y, whole.height - height);
    return { x, y, width, height };
  }

  /** @param {import("./types.js").Bounds} b */
  fit(b) {
    const top = this.flip < 0 ? -(b.y + b.height) : b.y;
    set(this.svg, { viewBox: `${b.x} ${top} ${b.width} ${b.height}` });
    const aspect = (b.width / b.height).toFixed(5);
    if (!this.strip && this.stage.style.getPropertyValue("--aspect") !== aspect) {
      this.stage.style.setProperty("--aspect", aspect);
      this.measured = null;
    }
    const { w, h } = this.room;
    this.scale = Math.min(w / b.width, h / b.height) || 1;
    this.svg.style.fontSize = `${TEXT / this.scale}px`;
  }

  /**
   * The part of the camera's picture that the bounds name, under the drawing.
   * @param {State} state
   * @param {ImageBitmap | null} picture
   */
  drawPicture({ bounds, picture: size }, picture) {
    this.canvas.hidden = this.flip < 0;
    if (!bounds || !size || !picture) return;
    const shrunk = picture.width / size.width;
    // The bounds count from the middle of the first pixel, a bitmap from its corner.
    const [x, y] = [(bounds.x + 0.5) * shrunk, (bounds.y + 0.5) * shrunk];
    const [w, h] = [Math.round(bounds.width * shrunk), Math.round(bounds.height * shrunk)];
    if (this.canvas.width !== w) this.canvas.width = w;
    if (this.canvas.height !== h) this.canvas.height = h;
    this.canvas.getContext("2d")?.drawImage(picture, x, y, w, h, 0, 0, w, h);
  }

  /** @param {State} state */
  drawSurface({ table }) {
    const lines = table
      ? [
          { id: "edge", name: "polygon", cls: "edge", points: table.outline },
          ...table.grid.map((points, i) => ({ id: `grid${i}`, name: "polyline", cls: "grid", points })),
          ...(table.scale && this.shows(table.scale.line)
            ? [{ id: "scale", name: "polyline", cls: "scale", points: table.scale.line }]
            : []),
        ]
      : [];
    keyed(
      this.layers.surface,
      lines,
      (l) => l.id,
      (l) => el(l.name, { class: l.cls }),
      (node, l) => set(node, { points: this.points(l.points) }),
    );
    this.drawBoard(table?.board ?? null);
  }

  /**
   * The lines, points and names of the board that is played on: one path for all that look alike.
   * @param {import("./types.js").TableBoard | null} board
   */
  drawBoard(board) {
    const path = (/** @type {Outline[]} */ lines, end = "") =>
      lines.map((line) => `M${line.map(([x, y]) => `${x} ${this.flip * y}`).join("L")}${end}`).join("");
    const paths = board
      ? [
          { id: "lines", d: path(board.lines) },
          { id: "bold", d: path(board.bold) },
          { id: "dots", d: path(board.dots, "Z") },
        ]
      : [];
    // Names are as large as they are printed, larger where they could not be read, and left out where that is no help.
    const names = (board?.names ?? [])
      .map((l, i) => ({ ...l, id: `name ${i}`, size: Math.min(Math.max(1.4 * l.height, 10 / this.scale), 3.6 * l.height) }))
      .filter((l) => l.size * this.scale >= 6);
    const [lines, labels] = this.boardLayers;
    keyed(lines, paths, (p) => p.id, (p) => el("path", { class: p.id }), (node, p) => set(node, { d: p.d }));
    keyed(labels, names, (l) => l.id, () => el("text"), (node, l) => {
      set(node, { x: l.at[0], y: this.flip * l.at[1], "font-size": l.size });
      say(node, l.words);
    });
  }

  /**
   * @param {Element} layer
   * @param {Piece[]} pieces
   * @param {State} state
   * @param {Set<string>} blockers
   */
  drawPieces(layer, pieces, state, blockers) {
    const picked = state.selection.pieces;
    keyed(
      layer,
      pieces,
      (p) => p.name,
      (p) => el("g", { "data-piece": p.name, role: "img" }),
      (node, p) => {
        set(node, { "aria-label": [p.name, p.look === "car" ? p.owner : p.look].filter(Boolean).join(", ") });
        const role = ["first", "second"][picked.indexOf(p.name)] ?? "";
        set(node, {
          class: `piece ${p.look} ${p.status} ${role} ${blockers.has(p.name) ? "blocker" : ""}`,
          fill: p.colour,
        });
        keyed(node, this.parts(p), (q) => q.id, (q) => el("polygon", { class: q.cls }), (poly, q) => {
          set(poly, { points: this.points(q.outline), class: q.cls });
        });
      },
    );
  }

  /** @param {Piece} piece */
  parts(piece) {
    const shape = /** @type {import("./types.js").Shape} */ (piece.shape);
    const parts = [
      { id: "halo", cls: "halo", outline: shape.base },
      { id: "base", cls: "base", outline: shape.base },
    ];
    const raised = shape.details.filter((d) => d.part !== "tyre");
    const tyres = shape.details.filter((d) => d.part === "tyre");
    if (shape.top) {
      tyres.forEach((d, i) => parts.push({ id: `tyre${i}`, cls: "tyre", outline: d.outline }));
      parts.push({ id: "top", cls: "top", outline: shape.top });
    }
    if (piece.pattern !== "plain") {
      parts.push({ id: "pattern", cls: `pattern ${piece.pattern}`, outline: shape.top ?? shape.base });
    }
    raised.forEach((d, i) => parts.push({ id: `part${i}`, cls: d.part, outline: d.outline }));
    if (!shape.top) tyres.forEach((d, i) => parts.push({ id: `tyre${i}`, cls: "tyre", outline: d.outline }));
    parts.push({ id: "sure", cls: "uncertainty", outline: shape.uncertainty });
    return parts;
  }

  /** @param {State} state */
  drawMarks({ ruling, refusal }) {
    const lines = refusal ? [] : (ruling?.lines ?? []);
    const items = lines.flatMap((m) => [
      { id: `${m.check} band`, name: "polygon", cls: `band ${m.role}`, points: m.band, m },
      { id: `${m.check} under`, name: "polyline", cls: `under ${m.role}`, points: m.line, m },
      { id: `${m.check} line`, name: "polyline", cls: `line ${m.role}`, points: m.line, m },
    ]);
    keyed(
      this.layers.marks,
      items,
      (i) => i.id,
      (i) => el(i.name),
      (node, i) =>
        set(node, { class: i.cls, points: this.points(i.points), "data-verdict": i.m.verdict, "data-check": i.m.check }),
    );
  }

  /**
   * What nobody has named, as grey shapes.
   * @param {State} state
   */
  drawThings({ things = [] }) {
    keyed(this.layers.things, things, (t) => t.name, (t) => {
      const node = el("polygon", { class: "thing" });
      const title = el("title");
      say(title, t.words);
      node.append(title);
      return node;
    }, (node, t) => set(node, { points: this.points(t.shape) }));
  }

  /**
   * @param {Piece[]} shown
   * @param {State} state
   * @param {Set<string>} blockers
   */
  drawLabels(shown, state, blockers) {
    const { table, ruling, selection } = state;
    const places = new Places(TEXT / this.scale, this.flip, this.seen);
    /** @type {import("./labels.js").Label[]} */
    const labels = [];
    if (table?.scale && this.shows(table.scale.line)) {
      const [a, b] = [table.scale.line[0], table.scale.line[table.scale.line.length - 1]];
      labels.push(places.fixed("scale", "scale", [(a[0] + b[0]) / 2, a[1]], table.scale.words, -0.5));
    }
    for (const p of shown) places.occupy(p.name, p.shape?.top ?? p.shape?.base ?? [], p.look === "car");
    const seen = this.seen;
    const shapes = [...this.shapes, ...this.could].filter(({ outline }) => {
      const [x, y] = middleOf(outline);
      return x >= seen.x0 && x <= seen.x1 && this.flip * y >= seen.y0 && this.flip * y <= seen.y1;
    });
    const idOf = (/** @type {{name: string, id?: string}} */ { name, id }) => `${id ?? name}, where it belongs`;
    for (const shape of shapes) places.occupy(idOf(shape), shape.outline);
    for (const p of shown) {
      if (this.ringed.includes(p.name)) {
        places.spare(p.shape?.handle ?? [0, 0], HANDLE / this.scale);
      }
    }
    const range = ruling?.lines.find((m) => m.role === "range");
    if (range) {
      const text = this.roomy ? `${range.label} ${range.deviation}` : range.label;
      labels.push(places.near("range", "figure", range.label_at, text, 1.25));
      // A name stands beside the line that is asked about, where there is room.
      places.along(range.line);
    }
    for (const t of state.things ?? []) {
      const at = middleOf(t.shape);
      if (!this.tiny && !(this.shown && !inside([at], this.shown))) labels.push(places.fixed(`thing ${t.name}`, "terrain", at, t.name, 0.3));
    }
    for (const at of this.spots) places.spare(at, 0.6 * places.em);
    /** @type {(import("./labels.js").Wanted & {rank: number})[]} */
    const named = [];
    for (const p of shown) {
      const blocks = blockers.has(p.name);
      const chosen = selection.pieces.includes(p.name);
      const note = blocks ? "in the way" : p.status === "held" || p.status === "lost" ? p.status : "";
      const cls = `${p.look} ${chosen ? "chosen" : ""} ${blocks ? "blocker" : ""}`;
      if (this.tiny && p.look !== "car") continue;
      if (this.shown && !inside([p.shape?.middle ?? [0, 0]], this.shown)) continue;
      // What hangs on a car is known by the car's name, until it is decoupled.
      if (p.look === "car" && !p.driven && !chosen && !note && hangs(p, shown)) continue;
      const lines = [p.sign && !this.tiny ? `${p.sign} · ${short(p.name)}` : short(p.name), ...(note ? [note] : [])];
      // What is in the way is small on a phone, and the cars are near: told on it, it would hide them.
      const over = p.look !== "car" && ((p.look === "terrain" && !blocks) || places.roomOn(p.name, lines));
      named.push({ id: p.name, of: p.name, cls, lines, over, held: true, rank: chosen ? 0 : p.look === "car" ? 1 : 2 });
    }
    // A shape has its name in it where nothing is written, else beside it; a finger on that does not take hold of the piece.
    for (const shape of shapes) named.push({ id: idOf(shape), of: idOf(shape), cls: "shape", lines: [short(shape.name)], over: true, held: false, rank: 3 });
    // Whom it is about comes first: the others find what room is left.
    labels.push(...places.settle(named.sort((a, b) => a.rank - b.rank), this.sides));
    keyed(
      this.layers.labels,
      labels,
      (l) => l.id,
      () => el("text"),
      (node, l) => {
        set(node, { class: l.cls, x: l.x, y: l.y, "data-names": l.piece ?? "" });
        say(node, l.text);
      },
    );
  }

  /**
   * @param {Outline} outline
   * @returns {string}
   */
  points(outline) {
    return outline.map(([x, y]) => `${x},${this.flip * y}`).join(" ");
  }

  /**
   * Where on the view's space a pointer is.
   * @param {MouseEvent} event
   * @returns {Point}
   */
  placeOf(event) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return [0, 0];
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [at.x, this.flip * at.y];
  }

  /**
   * The car whose name a pointer is on, or the nearest to it within a finger's reach.
   * @param {MouseEvent} event
   * @param {(piece: Piece) => boolean} fits  What else is looked for than a car.
   * @returns {Piece | null}
   */
  carAt(event, fits = (piece) => piece.look === "car") {
    const on = event.target instanceof SVGTextElement ? event.target.getAttribute("data-names") : null;
    const named = this.state?.pieces.find((p) => p.name === on && fits(p) && p.shape);
    if (named) return named;
    const [x, y] = this.placeOf(event);
    let best = null;
    let nearest = Infinity;
    for (const piece of this.state?.pieces ?? []) {
      if (!fits(piece) || !piece.shape) continue;
      const far = Math.hypot(piece.shape.middle[0] - x, piece.shape.middle[1] - y);
      const size = Math.hypot(
        piece.shape.handle[0] - piece.shape.middle[0],
        piece.shape.handle[1] - piece.shape.middle[1],
      );
      if (far < nearest && far < Math.max(0.65 * size, 24 / this.scale)) [best, nearest] = [piece, far];
    }
    return best;
  }
}

/**
 * The middle of a shape's corners.
 * @param {Outline} outline
 * @returns {Point}
 */
function middleOf(outline) {
  const mean = (/** @type {0 | 1} */ axis) => outline.reduce((sum, point) => sum + point[axis], 0) / outline.length;
  return [mean(0), mean(1)];
}

/** As a share of its length, how far a trailer stands at most from what pulls it. */
const COUPLED = 0.25;

/**
 * Whether a piece hangs on one that is seen, as a trailer does.
 * @param {Piece} piece
 * @param {Piece[]} shown
 */
function hangs(piece, shown) {
  if (!piece.pulled_by) return true;
  const own = piece.shape?.base ?? [];
  const head = shown.find((p) => p.name === piece.pulled_by)?.shape?.base ?? [];
  const apart = (/** @type {Outline} */ some, /** @type {Outline} */ others) => some.flatMap(([x, y]) => others.map(([u, v]) => Math.hypot(x - u, y - v)));
  return Math.min(...apart(own, head)) <= COUPLED * Math.max(...apart(own, own));
}

/**
 * Whether all of some points lie within bounds.
 * @param {Point[]} points
 * @param {import("./types.js").Bounds} b
 */
const inside = (points, b) => points.every(([x, y]) => x >= b.x && x <= b.x + b.width && y >= b.y && y <= b.y + b.height);

/** @param {State} state */
function inWords({ selection, pieces, ruling }) {
  const cars = pieces.filter((p) => p.driven).length;
  const where = selection.view === "picture" ? "The camera's picture of the table" : "The table seen from above";
  return `${where}, ${cars} cars${ruling ? `. ${ruling.sentence}` : ""}`;
}

/** Patterns that tell the players apart without colour, in the size of the view's letters. */
function patterns() {
  const attributes = { patternUnits: "objectBoundingBox", width: 0.2, height: 0.2, viewBox: "0 0 8 8" };
  return el("defs", {}, [
    el("pattern", { id: "p-stripes", ...attributes }, [el("path", { d: "M-2 10L10 -2M-6 6L6 -6M2 14L14 2", class: "ink" })]),
    el("pattern", { id: "p-dots", ...attributes }, [el("circle", { cx: 4, cy: 4, r: 2, class: "spot" })]),
    el("pattern", { id: "p-chequer", ...attributes }, [el("path", { d: "M0 0h4v8h4V4H0z", class: "spot" })]),
  ]);
}

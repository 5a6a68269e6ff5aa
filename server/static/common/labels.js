/** Where names and figures are written, so that they hide neither cars nor each other. */

/** @typedef {import("./types.js").Point} Point */
/** @typedef {{id: string, cls: string, x: number, y: number, text: string, piece?: string}} Label */
/** @typedef {{x0: number, y0: number, x1: number, y1: number, name: string, weight: number}} Box */
/** @typedef {Omit<Box, "name" | "weight">} Seen */
/**
 * A name that has yet to find its place.
 * @typedef {object} Wanted
 * @property {string} id
 * @property {string} cls
 * @property {string[]} lines
 * @property {string} of  The outline that it names, as it was told to `occupy`.
 * @property {boolean} over  Whether it stands in that outline where nothing else does, else beside it.
 * @property {boolean} held  Whether a finger on the name takes hold of the piece.
 */

/** The mean width of a letter and the height of a line, as shares of the letters' size. */
const WIDE = 0.64;
const LINE = 1.05;
const GAP = 0.2;

/** What it costs to lie over something, per square of a letter's size; of two names that touch neither can be read. */
const TOUCH = 20;
const TEXT = 40;
const CAR = 12;
const RING = 12;
const ON_LINE = 6;
const GROUND = 3;

/** What it costs to stand as near to another car as to the own one, and what counts as near, in letters. */
const MISLEADS = 3;
const NEARER = 0.15;

/** What the next best place costs, and another one than the last time: a name does not jump about. */
const NEXT = 0.3;
const MOVES = 0.8;

/** How often names make room for one another once all stand somewhere. */
const ROUNDS = 4;

/** How far below its place the foot of a figure may lie, in letters, the best first. */
const NEAR = [-0.5, -1.5, -2.5, -3.5, -4.5, 2.2, 3.4];

/** Below, above, to the right, to the left; where neighbours take all four, from corner to corner. */
const SIDES = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
  [1, 1],
  [-1, 1],
  [1, -1],
  [-1, -1],
];

/** Letters of a name at the most, and how many of a longer one stand before and after what is left out. */
const LONGEST = 24;
const ENDS = [14, 8];

/**
 * A name as it is written on the drawing: names of many cars differ at the end.
 * @param {string} name
 */
export function short(name) {
  const letters = [...name];
  return letters.length > LONGEST ? `${letters.slice(0, ENDS[0]).join("")}…${letters.slice(-ENDS[1]).join("")}` : name;
}

/** How far a name may stand from what it names, in lines: where all is crowded it goes a little away. */
const AWAY = [0, 1, 2, 3];

export class Places {
  /**
   * @param {number} em  The letters' size in the view's space.
   * @param {number} flip  -1 where the view's y points up.
   * @param {Seen} seen  The part of the view's space that is shown: beyond it nobody reads.
   */
  constructor(em, flip, seen) {
    this.em = em;
    this.flip = flip;
    this.seen = seen;
    /** @type {Box[]} */
    this.taken = [];
  }

  /**
   * Keeps an outline free of others' names, a car's before all.
   * @param {string} name
   * @param {Point[]} outline
   * @param {boolean} [car]
   */
  occupy(name, outline, car = false) {
    const xs = outline.map((p) => p[0]);
    const ys = outline.map((p) => this.flip * p[1]);
    this.taken.push({ name, weight: car ? CAR : GROUND, x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) });
  }

  /**
   * Keeps a round spot free.
   * @param {Point} at
   * @param {number} radius
   * @param {number} [weight]
   */
  spare(at, radius, weight = RING) {
    const [x, y] = [at[0], this.flip * at[1]];
    this.taken.push({ name: "", weight, x0: x - radius, y0: y - radius, x1: x + radius, y1: y + radius });
  }

  /**
   * Keeps a line free, letter by letter.
   * @param {Point[]} line
   */
  along(line) {
    for (const [k, [x, y]] of line.slice(1).entries()) {
      const [fromX, fromY] = line[k];
      const steps = Math.ceil(Math.hypot(x - fromX, y - fromY) / (this.em / 2));
      for (let i = 1; i < steps; i += 1) this.spare([fromX + ((x - fromX) * i) / steps, fromY + ((y - fromY) * i) / steps], this.em / 4, ON_LINE);
    }
  }

  /**
   * A label that stands where it stands.
   * @param {string} id
   * @param {string} cls
   * @param {Point} at
   * @param {string} text
   * @param {number} [down]  How far its foot lies below the place, in letters.
   * @param {number} [size]
   * @returns {Label}
   */
  fixed(id, cls, at, text, down = 0, size = 1) {
    const [x, y] = [at[0], this.flip * at[1] + down * this.em];
    const half = (text.length * WIDE * size * this.em) / 2;
    this.taken.push({ name: "", weight: TEXT, x0: x - half, y0: y - size * this.em, x1: x + half, y1: y + 0.3 * size * this.em });
    return { id, cls, x, y, text };
  }

  /**
   * A label as near to its place as hides no piece: in it, above it or below it.
   * @param {string} id
   * @param {string} cls
   * @param {Point} at
   * @param {string} text
   * @param {number} size
   * @returns {Label}
   */
  near(id, cls, at, text, size) {
    const others = this.taken;
    const hides = NEAR.map((down) => {
      this.taken = [];
      this.fixed(id, cls, at, text, down, size);
      const [box] = this.taken;
      return others.reduce((sum, t) => sum + t.weight * shared(t, box), 0) + (within(this.seen, box) ? 0 : Infinity);
    });
    this.taken = others;
    return this.fixed(id, cls, at, text, NEAR[Math.max(hides.indexOf(Math.min(...hides)), 0)], size);
  }

  /**
   * Whether lines over the middle of a piece leave enough of it to be seen: the name of a small one would hide it.
   * @param {string} name
   * @param {string[]} lines
   */
  roomOn(name, lines) {
    const own = this.taken.find((b) => b.name === name);
    return own !== undefined && own.x1 - own.x0 >= wide(lines) * this.em && own.y1 - own.y0 >= 2 * lines.length * LINE * this.em;
  }

  /**
   * Finds each name its place, the first ones first; then they make room for one another.
   * @param {Wanted[]} wanted
   * @param {Map<string, number>} last  Which of its places each had; is kept up to date.
   * @returns {Label[]}
   */
  settle(wanted, last) {
    const named = wanted.flatMap((want) => {
      const own = this.taken.find((t) => t.name === want.of);
      return own ? [{ want, own, box: /** @type {Box | null} */ (null) }] : [];
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      let moved = false;
      for (const one of named) {
        const others = this.taken.filter((t) => t !== one.box && t !== one.own);
        const boxes = this.boxesOf(one.own, one.want);
        const costs = boxes.map((box, k) => this.cost(box, others) + NEXT * k + (last.get(one.want.id) === k ? 0 : MOVES) + (one.want.over ? 0 : one.own.weight * shared(one.own, box) / this.em ** 2 + (this.misleads(box, one.own, others) ? MISLEADS : 0)));
        const best = costs.indexOf(Math.min(...costs));
        moved ||= one.box === null || last.get(one.want.id) !== best;
        last.set(one.want.id, best);
        one.box = boxes[best];
        this.taken = [...others, one.own, one.box];
      }
      if (!moved) break;
    }
    return named.flatMap(({ want, box }) => (box ? this.lines(want, (box.x0 + box.x1) / 2, box.y0) : []));
  }

  /**
   * Where a name may stand, the best place first, each moved to where all of it is seen.
   * @param {Box} own
   * @param {Wanted} want
   * @returns {Box[]}
   */
  boxesOf(own, { lines, over }) {
    const [width, height] = [wide(lines) * this.em, lines.length * LINE * this.em];
    const [x, y] = [(own.x0 + own.x1) / 2, (own.y0 + own.y1) / 2];
    const at = (/** @type {number} */ cx, /** @type {number} */ cy) => pushed(this.seen, { name: "", weight: TEXT, x0: cx - width / 2, y0: cy - height / 2, x1: cx + width / 2, y1: cy + height / 2 });
    const spare = [Math.max(own.x1 - own.x0 - width, 0) / 2, Math.max(own.y1 - own.y0 - height, 0) / 2];
    const inside = over ? [[0, 0], ...SIDES].map(([right, down]) => at(x + right * spare[0], y + down * spare[1])) : [];
    const beside = AWAY.flatMap((away) => SIDES.map(([right, down]) => at(
      x + right * ((own.x1 - own.x0 + width) / 2 + (GAP + away * LINE) * this.em),
      y + down * ((own.y1 - own.y0 + height) / 2 + (GAP + away * LINE) * this.em),
    )));
    return [...inside, ...beside];
  }

  /**
   * Whether a name would seem to be that of another car.
   * @param {Box} box
   * @param {Box} own
   * @param {Box[]} others
   */
  misleads(box, own, others) {
    const near = apart(own, box) + NEARER * this.em;
    return own.weight === CAR && others.some((t) => t.weight === CAR && apart(t, box) < near);
  }

  /**
   * How much of what is written and drawn a box lies over.
   * @param {Box} box
   * @param {Box[]} others
   */
  cost(box, others) {
    return others.reduce((sum, t) => {
      const over = shared(t, box) / this.em ** 2;
      return sum + t.weight * over + (t.weight === TEXT && over > 0 ? TOUCH : 0);
    }, 0);
  }

  /**
   * @param {Wanted} want
   * @param {number} x
   * @param {number} top
   * @returns {Label[]}
   */
  lines({ id, of, cls, lines, held }, x, top) {
    return lines.map((text, i) => ({
      id: i ? `${id} note` : id,
      ...(held ? { piece: of } : {}),
      cls: i ? `note ${cls}` : cls,
      x,
      y: top + (i * LINE + 0.85) * this.em,
      text,
    }));
  }
}

/**
 * How wide the longest of some lines is, in letters' sizes.
 * @param {string[]} lines
 */
const wide = (lines) => Math.max(...lines.map((l) => l.length)) * WIDE;

/**
 * The area of two boxes that is both's.
 * @param {Box} a
 * @param {Box} b
 */
function shared(a, b) {
  const width = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
  const height = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  return Math.max(width, 0) * Math.max(height, 0);
}

/**
 * How far two boxes are from each other.
 * @param {Box} a
 * @param {Box} b
 */
function apart(a, b) {
  const right = Math.max(a.x0 - b.x1, b.x0 - a.x1, 0);
  const down = Math.max(a.y0 - b.y1, b.y0 - a.y1, 0);
  return Math.hypot(right, down);
}

/**
 * @param {Seen} outer
 * @param {Box} inner
 */
function within(outer, inner) {
  return inner.x0 >= outer.x0 && inner.x1 <= outer.x1 && inner.y0 >= outer.y0 && inner.y1 <= outer.y1;
}

/**
 * A box where all of it is seen, as near as that is.
 * @param {Seen} seen
 * @param {Box} box
 * @returns {Box}
 */
function pushed(seen, box) {
  const right = Math.max(seen.x0 - box.x0, 0) + Math.min(seen.x1 - box.x1, 0);
  const down = Math.max(seen.y0 - box.y0, 0) + Math.min(seen.y1 - box.y1, 0);
  return { ...box, x0: box.x0 + right, x1: box.x1 + right, y0: box.y0 + down, y1: box.y1 + down };
}

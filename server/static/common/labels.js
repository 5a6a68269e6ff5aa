/** Where names and figures are written, so that they hide neither cars nor each other. */

/** @typedef {import("./types.js").Point} Point */
/** @typedef {{id: string, cls: string, x: number, y: number, text: string, piece?: string}} Label */
/** @typedef {{x0: number, y0: number, x1: number, y1: number, name: string}} Box */

/** The mean width of a letter and the height of a line, as shares of the letters' size. */
const WIDE = 0.64;
const LINE = 1.05;
const GAP = 0.2;

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

export class Places {
  /**
   * @param {number} em  The letters' size in the view's space.
   * @param {number} flip  -1 where the view's y points up.
   * @param {Omit<Box, "name">} seen  The part of the view's space that is shown: beyond it nobody reads.
   */
  constructor(em, flip, seen) {
    this.em = em;
    this.flip = flip;
    this.seen = seen;
    /** @type {Box[]} */
    this.taken = [];
  }

  /**
   * Keeps a piece's outline free of other pieces' names.
   * @param {string} name
   * @param {Point[]} outline
   */
  occupy(name, outline) {
    const xs = outline.map((p) => p[0]);
    const ys = outline.map((p) => this.flip * p[1]);
    this.taken.push({ name, x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) });
  }

  /**
   * Keeps a round spot free.
   * @param {Point} at
   * @param {number} radius
   */
  spare(at, radius) {
    const [x, y] = [at[0], this.flip * at[1]];
    this.taken.push({ name: "", x0: x - radius, y0: y - radius, x1: x + radius, y1: y + radius });
  }

  /**
   * Keeps a line free, letter by letter.
   * @param {Point[]} line
   */
  along(line) {
    for (const [k, [x, y]] of line.slice(1).entries()) {
      const [fromX, fromY] = line[k];
      const steps = Math.ceil(Math.hypot(x - fromX, y - fromY) / (this.em / 2));
      for (let i = 1; i < steps; i += 1) this.spare([fromX + ((x - fromX) * i) / steps, fromY + ((y - fromY) * i) / steps], this.em / 4);
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
    this.taken.push({ name: "", x0: x - half, y0: y - size * this.em, x1: x + half, y1: y + 0.3 * size * this.em });
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
      return others.reduce((sum, t) => sum + shared(t, box), 0) + (within(this.seen, box) ? 0 : Infinity);
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
   * Lines over the middle of a piece.
   * @param {string} name
   * @param {string} cls
   * @param {Point} middle
   * @param {string[]} lines
   * @returns {Label[]}
   */
  over(name, cls, middle, lines) {
    const y = this.flip * middle[1] - ((lines.length * LINE) / 2) * this.em;
    const half = (wide(lines) * this.em) / 2;
    this.taken.push({ name: "", x0: middle[0] - half, y0: y, x1: middle[0] + half, y1: y + lines.length * LINE * this.em });
    return this.lines(name, cls, middle[0], y, lines);
  }

  /**
   * Lines beside a piece: where they stood last if there is room, else on the first side that is free.
   * @param {string} name
   * @param {string} cls
   * @param {string[]} lines
   * @param {Map<string, number>} sides  Where they stood last; is kept up to date.
   * @returns {Label[]}
   */
  beside(name, cls, lines, sides) {
    const own = this.taken.find((b) => b.name === name);
    if (!own) return [];
    const last = sides.get(name) ?? 0;
    const order = [last, ...SIDES.keys()];
    const boxes = order.map((side) => this.boxAt(own, SIDES[side], lines));
    let choice = boxes.findIndex((box) => within(this.seen, box) && !this.taken.some((t) => t !== own && shared(t, box) > 0));
    if (choice < 0) {
      // No side is free: the one where it hides least, moved to where all of it is seen.
      const hidden = boxes.map((box) => this.hidden(pushed(this.seen, box)));
      choice = hidden.indexOf(Math.min(...hidden));
    }
    sides.set(name, order[choice]);
    const box = pushed(this.seen, boxes[choice]);
    this.taken.push(box);
    return this.lines(name, cls, (box.x0 + box.x1) / 2, box.y0, lines);
  }

  /**
   * A name in the middle of a shape, or beside it where that would hide a piece or what is written.
   * @param {string} id
   * @param {Point} middle
   * @param {string} text
   * @param {Map<string, number>} sides
   * @returns {Label[]}
   */
  onShape(id, middle, text, sides) {
    const others = this.taken.filter((t) => t.name !== id);
    const half = (wide([text]) * this.em) / 2;
    const [x, y] = [middle[0], this.flip * middle[1]];
    const box = { name: "", x0: x - half, x1: x + half, y0: y - (LINE * this.em) / 2, y1: y + (LINE * this.em) / 2 };
    const free = others.every((t) => shared(t, box) === 0);
    const labels = free ? this.over(id, "shape", middle, [text]) : this.beside(id, "shape", [text], sides);
    // It names a place: a finger on it does not take hold of the piece.
    return labels.map(({ piece: _, ...label }) => label);
  }

  /**
   * How much of what is written and drawn a box lies over.
   * @param {Box} box
   */
  hidden(box) {
    return this.taken.reduce((sum, t) => sum + shared(t, box), 0);
  }

  /**
   * @param {Box} own
   * @param {number[]} side
   * @param {string[]} lines
   * @returns {Box}
   */
  boxAt(own, [right, down], lines) {
    const width = wide(lines) * this.em;
    const height = lines.length * LINE * this.em;
    const gap = GAP * this.em;
    const x = (own.x0 + own.x1) / 2 + right * ((own.x1 - own.x0 + width) / 2 + gap);
    const y = (own.y0 + own.y1) / 2 + down * ((own.y1 - own.y0 + height) / 2 + gap);
    return { name: "", x0: x - width / 2, y0: y - height / 2, x1: x + width / 2, y1: y + height / 2 };
  }

  /**
   * @param {string} name
   * @param {string} cls
   * @param {number} x
   * @param {number} top
   * @param {string[]} lines
   * @returns {Label[]}
   */
  lines(name, cls, x, top, lines) {
    return lines.map((text, i) => ({
      id: i ? `${name} note` : name,
      piece: name,
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
 * @param {Omit<Box, "name">} outer
 * @param {Box} inner
 */
function within(outer, inner) {
  return inner.x0 >= outer.x0 && inner.x1 <= outer.x1 && inner.y0 >= outer.y0 && inner.y1 <= outer.y1;
}

/**
 * A box where all of it is seen, as near as that is.
 * @param {Omit<Box, "name">} seen
 * @param {Box} box
 * @returns {Box}
 */
function pushed(seen, box) {
  const right = Math.max(seen.x0 - box.x0, 0) + Math.min(seen.x1 - box.x1, 0);
  const down = Math.max(seen.y0 - box.y0, 0) + Math.min(seen.y1 - box.y1, 0);
  return { ...box, x0: box.x0 + right, x1: box.x1 + right, y0: box.y0 + down, y1: box.y1 + down };
}

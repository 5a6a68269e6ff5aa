/** Choosing cars with a finger or a mouse, and what a hand does at a simulated table: drive, turn, lift, cover. */

import { HANDLE } from "./board.js";
import { TWICE_MS } from "./dom.js";
import { byId, el, keyed, set } from "./svg.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./types.js").Piece} Piece */

/** @typedef {[number, number, number]} At  x and y in inches, heading in radians. */

/** Pixels that a finger may tremble before it drags. */
const FAR = 6;
const EVERY_MS = 40;

/** A press that stays so long is a hand over the table; two taps that come so soon after one another lift. */
const HOLD_MS = 550;

/** Radians that a key or a click of the wheel turns, with Shift, and at most within `EVERY_MS`. */
const [TURN, LITTLE, AT_ONCE] = [Math.PI / 12, Math.PI / 90, Math.PI / 30];

/** What was put down counts as where it is until the camera has surely seen it there. */
const SEEN_MS = 1500;

/** Inches beside its line within which a pushed car goes straight, and its share of the way up to the most. */
const [STRAIGHT, SHARE, STRAIGHT_MOST] = [0.3, 0.1, 0.6];

/**
 * @typedef {object} Grip
 * @property {Piece} piece
 * @property {"push" | "ring" | "turn" | "lift"} how
 * @property {At} at  Where it stood when it was taken hold of.
 * @property {import("./types.js").Point} from
 * @property {[number, number]} screen
 * @property {boolean} moved
 * @property {number} told
 */

/**
 * A figure or a marker that stands on the table, and not what the table shows of a rule: a hand lifts it.
 * @param {Piece} piece
 */
const isToken = ({ look, kind }) => look === "token" && kind !== "token";

export class Hand {
  /**
   * @param {Board} board
   * @param {{choose: (name: string) => void, send: (message: Record<string, any>) => void}} does
   */
  constructor(board, does) {
    this.board = board;
    this.does = does;
    /** @type {Grip | null} */
    this.grip = null;
    /** The car that wheel and keys turn, with a ring to turn it by. */
    this.held = "";
    /** Where a car was put last. @type {{name: string, at: At, when: number} | null} */
    this.put = null;
    /** Radians that are still to be turned. */
    this.turning = 0;
    /** The last tap on a car. */
    this.tapped = { name: "", when: -Infinity };
    /** A press that lays a hand over the table if it stays: where on the screen, and whether it does by now. */
    this.press = { from: [0, 0], on: false, covers: false, told: 0 };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.holding = undefined;
    const svg = board.svg;
    svg.addEventListener("pointerdown", (e) => this.take(e));
    svg.addEventListener("pointermove", (e) => this.drag(e));
    svg.addEventListener("pointerup", (e) => this.letGo(e));
    svg.addEventListener("pointercancel", () => this.drop());
    svg.addEventListener("contextmenu", (e) => this.canMove && e.preventDefault());
    // Parts of a drawing cannot forbid that a finger scrolls the page: what has taken hold of something does.
    svg.addEventListener("touchstart", (e) => this.canMove && this.grip && e.preventDefault(), { passive: false });
    svg.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    document.addEventListener("keydown", (e) => this.key(e));
  }

  /** Whether a finger is down on something. */
  get busy() {
    return this.grip !== null || this.press.covers;
  }

  get canMove() {
    const state = this.board.state;
    return Boolean(state?.source.can_move && state.selection.view === "table");
  }

  /** Draws the rings by which chosen cars are turned. */
  draw() {
    const state = this.board.state;
    byId("stage").dataset.movable = String(this.canMove);
    if (this.busy || !state) return;
    const chosen = state.pieces.filter(
      (p) => this.canMove && p.shape && (p.name === this.held || state.selection.pieces.includes(p.name)),
    );
    this.board.ringed = chosen.map((p) => p.name);
    // The same ring goes along: it may be just taken hold of.
    keyed(this.board.layers.ghost, chosen, (p) => p.name, (p) => el("circle", { class: "handle", "data-turn": p.name }), (ring, p) => {
      const [x, y] = p.shape?.handle ?? [0, 0];
      set(ring, { cx: x, cy: -y, r: HANDLE / this.board.scale });
    });
  }

  /** @param {string} name */
  named(name) {
    return this.board.state?.pieces.find((p) => p.name === name && p.shape) ?? null;
  }

  /**
   * Where a piece is: as it was put, until that has been seen.
   * @param {Piece} piece
   * @returns {At}
   */
  at(piece) {
    const put = this.put;
    if (put?.name === piece.name && performance.now() - put.when < SEEN_MS) return put.at;
    return [piece.x, piece.y, piece.heading];
  }

  /** @param {PointerEvent} event */
  take(event) {
    const right = event.button === 2 && this.canMove;
    if ((event.button !== 0 && !right) || this.grip) return;
    const on = this.canMove ? this.board.carAt(event, (p) => p.look === "car" || isToken(p)) : this.board.carAt(event);
    // A right drag needs no ring: one that lies over another car leaves it the car under the mouse.
    const turns = event.target instanceof Element && !(right && on) ? event.target.getAttribute("data-turn") : null;
    const piece = turns ? this.named(turns) : on;
    const twice = piece?.name === this.tapped.name && event.timeStamp - this.tapped.when < TWICE_MS;
    if (this.canMove && !turns && !right) this.wait(event);
    if (!piece) return;
    this.turning = 0;
    this.grip = {
      piece,
      how: turns ? "ring" : right ? "turn" : (twice && this.canMove) || isToken(piece) ? "lift" : "push",
      at: this.at(piece),
      from: this.board.placeOf(event),
      screen: [event.clientX, event.clientY],
      moved: false,
      told: 0,
    };
    this.board.svg.setPointerCapture(event.pointerId);
  }

  /**
   * A press that stays where it is lays a hand over the table.
   * @param {PointerEvent} event
   */
  wait(event) {
    const at = this.board.placeOf(event);
    this.board.svg.setPointerCapture(event.pointerId);
    this.press = { from: [event.clientX, event.clientY], on: true, covers: false, told: 0 };
    clearTimeout(this.holding);
    this.holding = setTimeout(() => {
      this.press.covers = true;
      this.cover(at);
    }, HOLD_MS);
  }

  /**
   * A hand lies there over the table, or nowhere.
   * @param {import("./types.js").Point | null} at
   */
  cover(at) {
    this.does.send({ type: "hand", at });
    const layer = this.board.layers.ghost;
    if (at) layer.replaceChildren(el("circle", { class: "hold", cx: at[0], cy: -at[1], r: 3 }));
    else layer.replaceChildren();
  }

  /**
   * What becomes of a press that moves: on the cloth a hand that lies there goes along, on a car it goes away and drives.
   * @param {PointerEvent} event
   */
  pressOn(event) {
    const press = this.press;
    if (!press.on || Math.hypot(event.clientX - press.from[0], event.clientY - press.from[1]) < FAR) return;
    if (!press.covers || this.grip) {
      this.release();
    } else if (event.timeStamp - press.told >= EVERY_MS) {
      press.told = event.timeStamp;
      this.cover(this.board.placeOf(event));
    }
  }

  /** The press is over, and the hand that it laid goes away. */
  release() {
    clearTimeout(this.holding);
    if (this.press.covers) this.cover(null);
    this.press = { ...this.press, on: false, covers: false };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    this.pressOn(event);
    const grip = this.grip;
    if (!grip || !this.canMove) return;
    if (!grip.moved && Math.hypot(event.clientX - grip.screen[0], event.clientY - grip.screen[1]) < FAR) return;
    if (grip.how === "lift" && !grip.moved) this.does.send({ type: "lift", piece: grip.piece.name });
    grip.moved = true;
    this.drawGhost(grip, event);
    if (event.timeStamp - grip.told < EVERY_MS) return;
    grip.told = event.timeStamp;
    // What is lifted is nowhere until it is put down.
    if (grip.how !== "lift") this.place(grip.piece.name, this.poseFor(grip, event));
  }

  /**
   * @param {string} name
   * @param {At} at
   */
  place(name, at) {
    const [x, y, heading] = at;
    this.put = { name, at, when: performance.now() };
    this.does.send({ type: "move", piece: name, x, y, heading });
  }

  /** @param {PointerEvent} event */
  letGo(event) {
    const [grip, held] = [this.grip, this.press.covers];
    if (grip?.moved) this.place(grip.piece.name, this.poseFor(grip, event));
    this.drop();
    if (!grip || held) return;
    const tap = !grip.moved && grip.how === "push";
    this.tapped = { name: tap ? grip.piece.name : "", when: event.timeStamp };
    if ((grip.moved || tap) && !isToken(grip.piece)) this.hold(grip.piece.name);
    if (tap) this.does.choose(grip.piece.name);
  }

  /**
   * Takes a car in hand: wheel and keys turn it, and it has a ring.
   * @param {string} name
   */
  hold(name) {
    if (name === this.held) return;
    this.held = name;
    this.turning = 0;
    this.draw();
  }

  drop() {
    this.release();
    this.grip = null;
    this.draw();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const piece = this.canMove ? this.board.carAt(event) : null;
    if (!piece || event.ctrlKey) return;
    event.preventDefault();
    this.hold(piece.name);
    this.turn(-Math.sign(event.deltaY || event.deltaX) * (event.shiftKey ? LITTLE : TURN));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const way = { q: 1, e: -1 }[event.key.toLowerCase()];
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    if (!way || typing || event.ctrlKey || event.altKey || event.metaKey || !this.canMove || !this.named(this.held)) return;
    event.preventDefault();
    this.turn(way * (event.shiftKey ? LITTLE : TURN));
  }

  /**
   * Turns the car in hand by so many radians, as fast as a hand would.
   * @param {number} angle
   */
  turn(angle) {
    const idle = this.turning === 0;
    this.turning += angle;
    if (idle) this.turnOn();
  }

  turnOn() {
    const piece = this.named(this.held);
    if (!piece || !this.canMove || this.busy || !this.turning) {
      this.turning = 0;
      return;
    }
    const step = Math.sign(this.turning) * Math.min(Math.abs(this.turning), AT_ONCE);
    this.turning = Math.abs(this.turning - step) < 1e-9 ? 0 : this.turning - step;
    this.place(piece.name, turned(piece, this.at(piece), step));
    if (this.turning) setTimeout(() => this.turnOn(), EVERY_MS);
  }

  /**
   * @param {Grip} grip
   * @param {PointerEvent} event
   * @returns {At}
   */
  poseFor({ piece, how, at, from }, event) {
    const [x, y] = this.board.placeOf(event);
    if (how === "ring" || how === "turn") {
      const [px, py] = pivotOf(piece, at);
      const looks = Math.atan2(y - py, x - px);
      // By its ring the nose follows the hand; by a drag from anywhere it turns as the hand goes round.
      const angle = how === "ring" ? looks - at[2] : looks - Math.atan2(from[1] - py, from[0] - px);
      return turned(piece, at, Math.atan2(Math.sin(angle), Math.cos(angle)));
    }
    const [dx, dy] = [x - from[0], y - from[1]];
    if (how === "lift") return [at[0] + dx, at[1] + dy, at[2]];
    const [cos, sin] = [Math.cos(at[2]), Math.sin(at[2])];
    const [ahead, aside] = [dx * cos + dy * sin, dy * cos - dx * sin];
    // A car rolls on its wheels: only who means to pulls it off its line.
    const rolls = Math.abs(aside) < Math.min(Math.max(STRAIGHT, SHARE * Math.abs(ahead)), STRAIGHT_MOST);
    return rolls ? [at[0] + ahead * cos, at[1] + ahead * sin, at[2]] : [at[0] + dx, at[1] + dy, at[2]];
  }

  /**
   * Where the car will be put, until the referee has seen it there.
   * @param {Grip} grip
   * @param {PointerEvent} event
   */
  drawGhost(grip, event) {
    const layer = this.board.layers.ghost;
    const [x, y, heading] = this.poseFor(grip, event);
    const { piece } = grip;
    let ghost = layer.querySelector(".hold");
    if (!ghost) {
      ghost = el("polygon", { class: `hold ${grip.how}`, points: this.board.points(piece.shape?.base ?? []) });
      layer.replaceChildren(ghost);
    }
    const degrees = (-(heading - piece.heading) * 180) / Math.PI;
    set(ghost, {
      transform: `translate(${x - piece.x} ${-(y - piece.y)}) rotate(${degrees} ${piece.x} ${-piece.y})`,
    });
  }
}

/**
 * What a piece turns about when it stands there.
 * @param {Piece} piece
 * @param {At} at
 * @returns {[number, number]}
 */
function pivotOf(piece, [x, y, heading]) {
  const [px, py] = piece.shape?.pivot ?? [piece.x, piece.y];
  const [dx, dy, by] = [px - piece.x, py - piece.y, heading - piece.heading];
  return [x + dx * Math.cos(by) - dy * Math.sin(by), y + dx * Math.sin(by) + dy * Math.cos(by)];
}

/**
 * Where a piece stands once it has turned by so much.
 * @param {Piece} piece
 * @param {At} at
 * @param {number} angle
 * @returns {At}
 */
function turned(piece, at, angle) {
  const [x, y, heading] = at;
  const [px, py] = pivotOf(piece, at);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [px + (x - px) * cos - (y - py) * sin, py + (x - px) * sin + (y - py) * cos, heading + angle];
}

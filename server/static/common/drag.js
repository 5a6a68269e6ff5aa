/** Choosing cars with a finger or a mouse, and moving them where the table is a simulated one. */

import { HANDLE } from "./board.js";
import { byId, el, set } from "./svg.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./types.js").Piece} Piece */

const FAR = 6;
const EVERY_MS = 40;

/**
 * @typedef {object} Grip
 * @property {Piece} piece
 * @property {boolean} turns
 * @property {import("./types.js").Point} from
 * @property {[number, number]} screen
 * @property {boolean} moved
 * @property {number} told
 */

export class Hand {
  /**
   * @param {Board} board
   * @param {{choose: (name: string) => void,
   *   move: (name: string, x: number, y: number, heading: number) => void}} does
   */
  constructor(board, does) {
    this.board = board;
    this.does = does;
    /** @type {Grip | null} */
    this.grip = null;
    const svg = board.svg;
    svg.addEventListener("pointerdown", (e) => this.take(e));
    svg.addEventListener("pointermove", (e) => this.drag(e));
    svg.addEventListener("pointerup", (e) => this.letGo(e));
    svg.addEventListener("pointercancel", () => this.drop());
  }

  get canMove() {
    const state = this.board.state;
    return Boolean(state?.source.can_move && state.selection.view === "table");
  }

  /** Draws the handles by which chosen cars are turned. */
  draw() {
    const state = this.board.state;
    byId("stage").dataset.movable = String(this.canMove);
    if (this.grip || !state) return;
    const chosen = state.pieces.filter(
      (p) => this.canMove && p.shape && state.selection.pieces.includes(p.name),
    );
    this.board.layers.ghost.replaceChildren(
      ...chosen.map((p) => {
        const [x, y] = p.shape?.handle ?? [0, 0];
        return el("circle", { class: "handle", cx: x, cy: -y, r: HANDLE / this.board.scale, "data-turn": p.name });
      }),
    );
  }

  /** @param {PointerEvent} event */
  take(event) {
    if (event.button !== 0) return;
    const turning = event.target instanceof Element ? event.target.getAttribute("data-turn") : null;
    const piece = turning
      ? (this.board.state?.pieces.find((p) => p.name === turning) ?? null)
      : this.board.carAt(event);
    if (!piece) return;
    this.grip = {
      piece,
      turns: turning !== null,
      from: this.board.placeOf(event),
      screen: [event.clientX, event.clientY],
      moved: false,
      told: 0,
    };
    this.board.svg.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const grip = this.grip;
    if (!grip || !this.canMove) return;
    if (!grip.moved && Math.hypot(event.clientX - grip.screen[0], event.clientY - grip.screen[1]) < FAR) return;
    grip.moved = true;
    this.drawGhost(grip, event);
    if (event.timeStamp - grip.told < EVERY_MS) return;
    grip.told = event.timeStamp;
    this.does.move(grip.piece.name, ...this.poseFor(grip, event));
  }

  /** @param {PointerEvent} event */
  letGo(event) {
    const grip = this.grip;
    this.drop();
    if (!grip) return;
    if (grip.moved) this.does.move(grip.piece.name, ...this.poseFor(grip, event));
    else if (!grip.turns) this.does.choose(grip.piece.name);
  }

  drop() {
    this.grip = null;
    this.board.layers.ghost.replaceChildren();
    this.draw();
  }

  /**
   * @param {Grip} grip
   * @param {PointerEvent} event
   * @returns {[number, number, number]}
   */
  poseFor({ piece, turns, from }, event) {
    const [x, y] = this.board.placeOf(event);
    if (turns) return [piece.x, piece.y, Math.atan2(y - piece.y, x - piece.x)];
    return [piece.x + x - from[0], piece.y + y - from[1], piece.heading];
  }

  /**
   * Where the car will be put, until the referee has seen it there.
   * @param {Grip} grip
   * @param {PointerEvent} event
   */
  drawGhost(grip, event) {
    const [x, y, heading] = this.poseFor(grip, event);
    const { piece } = grip;
    const layer = this.board.layers.ghost;
    let ghost = layer.querySelector(".hold");
    if (!ghost) {
      ghost = el("polygon", { class: "hold", points: this.board.points(piece.shape?.base ?? []) });
      layer.replaceChildren(ghost);
    }
    const degrees = (-(heading - piece.heading) * 180) / Math.PI;
    set(ghost, {
      transform: `translate(${x - piece.x} ${-(y - piece.y)}) rotate(${degrees} ${piece.x} ${-piece.y})`,
    });
  }
}

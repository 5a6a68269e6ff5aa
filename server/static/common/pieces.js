/** The list of cars: everything the table offers, for keyboards and screen readers. */

import { byId, keyed, say, set } from "./svg.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Piece} Piece */

const STEP = 0.25;
const TURN = Math.PI / 36;

export class CarList {
  /**
   * @param {{choose: (name: string) => void,
   *   move: (name: string, x: number, y: number, heading: number) => void}} does
   */
  constructor(does) {
    this.does = does;
    this.list = byId("car-list");
    /** @type {State | null} */
    this.state = null;
    /** The car that Tab stops at. */
    this.current = "";
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("focusin", (event) => {
      const name = nameOf(event.target);
      if (name) this.setCurrent(name);
    });
  }

  /** @param {State} state */
  draw(state) {
    this.state = state;
    const cars = state.pieces.filter((p) => p.driven);
    if (!cars.some((c) => c.name === this.current)) this.current = cars[0]?.name ?? "";
    byId("move-hint").hidden = !state.source.can_move;
    keyed(
      this.list,
      cars,
      (c) => c.name,
      (c) => this.make(c),
      (node, c) => this.update(node, c, state),
    );
  }

  /** @param {Piece} car */
  make(car) {
    const item = document.createElement("li");
    item.innerHTML =
      '<button type="button"><span class="badge"></span><span class="name"></span><span class="role"></span>' +
      '<span class="status"></span><span class="place"></span></button>';
    item.querySelector("button")?.addEventListener("click", () => this.does.choose(car.name));
    return item;
  }

  /**
   * @param {HTMLLIElement} item
   * @param {Piece} car
   * @param {State} state
   */
  update(item, car, state) {
    const button = /** @type {HTMLButtonElement} */ (item.querySelector("button"));
    const at = state.selection.pieces.indexOf(car.name);
    const role = at < 0 ? "" : String(at + 1);
    set(button, { "aria-pressed": String(at >= 0), tabindex: car.name === this.current ? 0 : -1 });
    button.dataset.name = car.name;
    item.dataset.status = car.status;
    item.dataset.role = role;
    const badge = /** @type {HTMLElement} */ (item.querySelector(".badge"));
    badge.style.setProperty("--colour", car.colour);
    badge.dataset.pattern = car.pattern;
    say(badge, car.sign);
    say(item.querySelector(".name"), car.name);
    say(item.querySelector(".role"), role);
    say(item.querySelector(".status"), car.status_words);
    say(item.querySelector(".place"), car.place_words);
  }

  /** @param {string} name */
  setCurrent(name) {
    this.current = name;
    for (const button of this.list.querySelectorAll("button")) {
      button.tabIndex = button.dataset.name === name ? 0 : -1;
    }
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const name = nameOf(event.target);
    if (!name || event.ctrlKey || event.altKey || event.metaKey) return;
    const handled = event.shiftKey ? this.nudge(name, event.key) : this.walk(name, event.key);
    if (handled) event.preventDefault();
  }

  /**
   * @param {string} name
   * @param {string} key
   */
  walk(name, key) {
    const buttons = [...this.list.querySelectorAll("button")];
    const at = buttons.findIndex((b) => b.dataset.name === name);
    const last = buttons.length - 1;
    const to = {
      ArrowDown: Math.min(at + 1, last),
      ArrowRight: Math.min(at + 1, last),
      ArrowUp: Math.max(at - 1, 0),
      ArrowLeft: Math.max(at - 1, 0),
      Home: 0,
      End: last,
    }[key];
    if (to === undefined) return false;
    buttons[to].focus();
    return true;
  }

  /**
   * @param {string} name
   * @param {string} key
   */
  nudge(name, key) {
    const car = this.state?.pieces.find((p) => p.name === name);
    const step = {
      ArrowRight: [STEP, 0, 0],
      ArrowLeft: [-STEP, 0, 0],
      ArrowUp: [0, STEP, 0],
      ArrowDown: [0, -STEP, 0],
      PageUp: [0, 0, TURN],
      PageDown: [0, 0, -TURN],
    }[key];
    if (!car || !step || !this.state?.source.can_move) return false;
    this.does.move(name, car.x + step[0], car.y + step[1], car.heading + step[2]);
    return true;
  }
}

/** @param {EventTarget | null} target */
function nameOf(target) {
  return target instanceof HTMLElement ? (target.closest("button")?.dataset.name ?? "") : "";
}

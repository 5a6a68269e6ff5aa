/** A picture that can be looked at closely: wheel, two fingers, double click, drag, keys. */

const MOST = 16;

export class Zoom {
  /**
   * @param {HTMLElement} pane what shows a part of it
   * @param {HTMLElement} inside what is moved and made larger
   */
  constructor(pane, inside) {
    this.pane = pane;
    this.inside = inside;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    /** @type {Map<number, {x: number, y: number}>} */
    this.fingers = new Map();
    pane.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.by(Math.exp(-event.deltaY / 400), this.at(event));
    });
    pane.addEventListener("dblclick", (event) => this.by(this.scale < 2 ? 3 : 1 / this.scale, this.at(event)));
    pane.addEventListener("pointerdown", (event) => {
      pane.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, this.at(event));
    });
    pane.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) {
      pane.addEventListener(name, (event) => this.fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
    }
    pane.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {{clientX: number, clientY: number}} event */
  at({ clientX, clientY }) {
    const { left, top } = this.pane.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = this.at(event);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.fingers.set(event.pointerId, now);
    if (other) {
      const apart = (/** @type {{x: number, y: number}} */ p) => Math.hypot(p.x - other.x, p.y - other.y);
      this.by(apart(now) / Math.max(apart(before), 1), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else this.shift(now.x - before.x, now.y - before.y);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (step) this.shift(step[0], step[1]);
    else if (event.key === "+" || event.key === "=") this.by(1.5);
    else if (event.key === "-") this.by(1 / 1.5);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  /**
   * @param {number} dx
   * @param {number} dy
   */
  shift(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.show();
  }

  /**
   * Makes it so many times as large about a point of the pane, its middle unless said.
   * @param {number} times
   * @param {{x: number, y: number}} [about]
   */
  by(times, about = { x: this.pane.clientWidth / 2, y: this.pane.clientHeight / 2 }) {
    const scale = Math.min(Math.max(this.scale * times, 1), MOST);
    this.x = about.x - ((about.x - this.x) * scale) / this.scale;
    this.y = about.y - ((about.y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.show();
  }

  fit() {
    this.scale = 1;
    this.x = this.y = 0;
    this.show();
  }

  /** Never lets it leave the pane. */
  show() {
    const { clientWidth: w, clientHeight: h } = this.pane;
    this.x = Math.min(Math.max(this.x, w * (1 - this.scale)), 0);
    this.y = Math.min(Math.max(this.y, h * (1 - this.scale)), 0);
    this.inside.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
  }
}

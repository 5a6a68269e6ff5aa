/** The dialog that shows what the gunner sees, drawn anew while it is open. */

import { patiently } from "./patient.js";
import { byId, say, set } from "./svg.js";

/** @typedef {import("./types.js").State} State */

const SEATS = /** @type {const} */ (["left", "right", "turret"]);

/** Milliseconds between two drawings of a table in play. */
const AGAIN = 1000;

export class GunnerDialog {
  /**
   * @param {() => string} [address]  Where the drawings are asked for; it may end in a query of its own.
   */
  constructor(address = () => "/api/gunner.svg?") {
    this.address = address;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("look"));
    this.view = /** @type {HTMLImageElement} */ (byId("look-view"));
    /** @type {import("./types.js").Selection | null} */
    this.asked = null;
    /** The seat that was chosen; null is the one from which the sight line runs. */
    this.seat = /** @type {string | null} */ (null);
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.looking = undefined;
    byId("look-open").addEventListener("click", () => this.open());
    byId("look-close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => clearInterval(this.looking));
    this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dialog.close());
    for (const seat of SEATS) {
      byId(`look-${seat}`).addEventListener("click", () => {
        this.seat = this.seat === seat ? null : seat;
        this.look();
      });
    }
  }

  /** @param {State} state */
  draw({ selection, ruling }) {
    const able = ruling?.looks === true;
    /** @type {HTMLButtonElement} */ (byId("look-open")).disabled = !able;
    this.asked = able ? selection : null;
    if (!able && this.dialog.open) this.dialog.close();
  }

  open() {
    this.seat = null;
    this.dialog.showModal();
    this.look();
    clearInterval(this.looking);
    this.looking = setInterval(() => document.hidden || this.look(), AGAIN);
  }

  /** Asks for a new drawing; what cannot be drawn is said. */
  async look() {
    if (!this.asked) return;
    const { pieces, question, unit } = this.asked;
    const query = new URLSearchParams({ unit, width: widthOf(this.dialog) });
    for (const piece of pieces) query.append("piece", piece);
    if (question) query.set("question", question);
    if (this.seat) query.set("seat", this.seat);
    for (const seat of SEATS) set(byId(`look-${seat}`), { "aria-pressed": String(seat === this.seat) });
    say(byId("look-title"), `What ${pieces[0]} sees of ${pieces[1]}`);
    say(byId("look-said"), await drawn(this.view, `${this.address()}${query}`));
  }
}

/**
 * Pixels of a drawing that fills a dialog; below 960 its caption stands outside of it.
 * @param {Element} dialog
 */
export function widthOf(dialog) {
  return String(Math.min(Math.max(dialog.clientWidth - 40, 240), 959));
}

/**
 * Shows a drawing, and returns its caption or why there is none.
 * @param {HTMLImageElement} image
 * @param {string} address
 */
export async function drawn(image, address) {
  try {
    const answer = await patiently(address);
    const text = await answer.text();
    image.hidden = !answer.ok;
    if (!answer.ok) return String(JSON.parse(text).error);
    const before = image.src;
    image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    if (before.startsWith("blob:")) URL.revokeObjectURL(before);
    const title = new DOMParser().parseFromString(text, "image/svg+xml").querySelector("svg > title");
    return title?.textContent ?? "";
  } catch {
    return "The referee does not answer; is it still running?";
  }
}

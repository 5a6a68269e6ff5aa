/** The picture in the card of a tag without a name: what the camera takes the piece for, and a model laid over it. */

import { h, sentence } from "../common/dom.js";
import { el, say, set } from "../common/svg.js";

/**
 * What the server tells, see `SightView` in `server/setup/fitting/fit_messages.py`.
 * @typedef {{length_in: number, width_in: number, to_in: [number, number], outline: [number, number][], words: string}} Size
 * @typedef {{tag: number, look: number, size: [number, number], car: Size | null, other: Size | null, no_car: string, no_other: string,
 *   fits: string[], again_px: number}} View
 * @typedef {{outline: [number, number][], words: string, contradicts: boolean}} Tried
 */

/** Where no edge was clear it is looked again, milliseconds: a hand may have been in the way. */
const AGAIN_MS = 3000;

export class Sight {
  /**
   * @param {number} tag
   * @param {(path: string, body: object) => Promise<any>} ask  Throws where the server refuses.
   * @param {() => void} changed  Called when something else is seen.
   */
  constructor(tag, ask, changed) {
    this.tag = tag;
    this.ask = ask;
    this.changed = changed;
    /** @type {View | null} */
    this.view = null;
    this.car = true;
    /** What was asked for last: the tag's corners, its size and height as they are said to be, and when. */
    /** @type {[number, number][] | null} */
    this.at = null;
    this.said = "";
    this.asked = 0;
    this.busy = false;
    /** What is laid over the picture: the look, the model and where the tag's top points. */
    this.laid = "";
    this.seen = el("polygon", { class: "found" });
    this.over = el("polygon", { class: "model" });
    this.image = el("image", {});
    this.svg = el("svg", { "aria-hidden": "true" }, [this.image, this.seen, this.over]);
    this.picture = h("div.sight", {}, h("img", { alt: `The picture round tag ${tag}`, src: `/api/setup/tag/${tag}.jpg` }), this.svg);
    this.words = h("p.soft.seen", { "aria-live": "polite" }, "Looking for its edges…");
    this.verdict = h("p.verdict", { "aria-live": "polite" });
  }

  /**
   * Looks at the tag if it was not yet, has moved, is said to sit elsewhere, or showed no clear edge.
   * @param {[number, number][] | undefined} corners
   * @param {boolean} may
   * @param {number} printed
   * @param {number | null} height
   */
  async know(corners, may, printed, height) {
    if (!may) say(this.words, "");
    if (!may || !corners || this.busy || !(printed > 0)) return;
    const moved = this.at ? Math.max(...corners.flat().map((v, k) => Math.abs(v - /** @type {any} */ (this.at).flat()[k]))) : Infinity;
    const unclear = this.view && !(this.car ? this.view.car : this.view.other);
    const said = `${printed} ${height}`;
    if (moved <= (this.view?.again_px ?? 0) && said === this.said && !(unclear && Date.now() - this.asked > AGAIN_MS)) return;
    this.busy = true;
    [this.at, this.said, this.asked] = [corners, said, Date.now()];
    try {
      const view = await this.ask("/api/setup/seen", { tag: this.tag, printed_in: printed, height_in: height });
      if (view.look !== this.view?.look) this.show(view);
    } catch (error) {
      // The tag may be under a hand again: what was seen stays, and it is looked again.
      this.at = null;
      if (!this.view) say(this.words, error instanceof Error ? sentence(error.message) : "");
    }
    this.busy = false;
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    const [w, high] = view.size;
    // A pixel's centre is where its number says; a picture's begins half a pixel before it.
    set(this.svg, { viewBox: `-0.5 -0.5 ${w} ${high}` });
    set(this.image, { href: `/api/setup/seen.jpg?look=${view.look}`, x: -0.5, y: -0.5, width: w, height: high });
    set(this.over, { points: "" });
    this.laid = "";
    this.changed();
  }

  /** How large it is seen to be, as what it is said to be. */
  get size() {
    return (this.car ? this.view?.car : this.view?.other) ?? null;
  }

  /**
   * Draws what is chosen: a car or not, and which model.
   * @param {boolean} car
   * @param {string} model
   * @param {string} top
   */
  choose(car, model, top) {
    this.car = car;
    if (!this.view) return;
    const size = this.size;
    // What is no car has an outline, too.
    set(this.seen, { points: points((size ?? this.view.other)?.outline ?? []) });
    say(this.words, size ? size.words : car ? this.view.no_car : this.view.no_other);
    this.lay(car ? model : "", top);
  }

  /**
   * Length and width that are offered for what is no car; the tag's top may point to a side.
   * @param {string} top
   * @returns {{sizes: [number, number], to: [number, number]} | null}
   */
  offered(top) {
    const size = this.car ? null : this.size;
    if (!size) return null;
    const crosswise = top === "left" || top === "right";
    const [long, wide] = size.to_in;
    return crosswise ? { sizes: [size.width_in, size.length_in], to: [wide, long] } : { sizes: [size.length_in, size.width_in], to: [long, wide] };
  }

  /**
   * Lays a model over the picture, and tells whether it fits.
   * @param {string} model
   * @param {string} top
   */
  async lay(model, top) {
    const look = this.view?.look;
    const laid = model && `${look} ${model} ${top}`;
    if (laid === this.laid) return;
    this.laid = laid;
    /** @type {Tried} */
    let tried = { outline: [], words: "", contradicts: false };
    try {
      if (laid) tried = await this.ask("/api/setup/seen/model", { tag: this.tag, look, model, top });
    } catch {
      // Looked at anew meanwhile: the new look asks again.
    }
    if (laid !== this.laid) return;
    set(this.over, { points: points(tried.outline) });
    say(this.verdict, tried.words);
    this.verdict.dataset.wrong = String(tried.contradicts);
  }
}

/** @param {[number, number][]} outline */
function points(outline) {
  return outline.map((p) => p.join()).join(" ");
}

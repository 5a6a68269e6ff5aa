/** A road that rolls under the table, as it lies on the ground: the race from where it began, and how far each has come. */

import { byId, el, keyed, say, set } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */

/** Inches of the road that are shown before where it began and behind where it ends on the table. */
const ROOM = 1;

export class RoadPanel {
  constructor() {
    this.svg = byId("road-drawing");
    this.layers = ["road", "table", "pieces"].map((name) => el("g", { class: name }));
    this.svg.append(...this.layers);
  }

  /** @param {State} state */
  draw({ road, pieces: onTable }) {
    byId("road").hidden = road === null;
    if (road === null) return;
    const { since, until, width } = road;
    // In the colours of the table beside it, which are the players'.
    const colours = new Map(onTable.map((p) => [p.name, p.colour]));
    const pieces = road.pieces.map((p) => ({ ...p, colour: colours.get(p.name) ?? p.colour }));
    const box = (/** @type {number} */ from, /** @type {number} */ to) => ({ x: from, y: -width, width: to - from, height: width });
    set(this.svg, { viewBox: `${-ROOM} ${-width - ROOM} ${until + 2 * ROOM} ${width + 2 * ROOM}` });
    const boxes = [[{ id: "whole", ...box(0, until) }], [{ id: "window", ...box(since, until) }]];
    boxes.forEach((items, k) => {
      keyed(this.layers[k], items, (i) => i.id, () => el("rect"), (node, { id, ...rest }) => set(node, { class: id, ...rest }));
    });
    keyed(this.layers[2], pieces, (p) => p.name, () => el("polygon"), (node, p) => {
      set(node, { points: p.outline.map(([x, y]) => `${x},${-y}`).join(" "), fill: p.colour });
    });
    say(byId("road-words"), `${road.words}.`);
    const told = pieces.filter((p) => p.covered !== null);
    keyed(byId("road-covered"), told, (p) => p.name, (p) => {
      const item = document.createElement("li");
      item.append(document.createElement("strong"), document.createElement("span"));
      return item;
    }, (item, p) => {
      item.style.setProperty("--colour", p.colour);
      const [name, covered] = item.children;
      say(name, p.name);
      say(covered, p.words);
    });
  }
}

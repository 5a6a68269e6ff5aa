/** Cars that are being moved, as the table's page shows them, without a game. */

import { h, rebuild } from "../common/dom.js";
import { el, keyed, set } from "../common/svg.js";

const CORNERS = [["top", "left"], ["top", "right"], ["bottom", "right"], ["bottom", "left"]];

/** The share of the stage that the panel may come to take. */
const PANEL_WIDE = 0.6;
const PANEL_HIGH = 0.2;

/** Cars on their way as the table's page shows them, without a game: the path, and what it was so far. */
export class WaysPanel {
  /**
   * @param {HTMLElement} node
   * @param {import("../common/board.js").Board} board
   */
  constructor(node, board) {
    this.node = node;
    this.board = board;
    this.layer = el("g", { class: "driving" });
    board.layers.marks.before(this.layer);
  }

  /** @param {import("../common/types.js").State} state */
  draw({ ways }) {
    const items = ways.flatMap((way) => [
      { id: `from ${way.car}`, name: "polygon", cls: "from", points: this.board.points(way.start) },
      { id: `under ${way.car}`, name: "polyline", cls: "under", points: this.board.points(way.path) },
      { id: `path ${way.car}`, name: "polyline", cls: "path", points: this.board.points(way.path) },
    ]);
    keyed(this.layer, items, (i) => i.id, (i) => el(i.name), (node, i) => set(node, { points: i.points, class: i.cls }));
    if (this.node.hidden && ways.length) this.node.dataset.corner = this.emptiest();
    this.node.hidden = ways.length === 0;
    rebuild(this.node, ways.map((w) => [w.car, w.length_words, w.steps]), () =>
      ways.map((way) =>
        h(
          "div.way",
          {},
          h("h2", {}, way.car, h("span.used", {}, way.length_words)),
          h("ol.steps", {}, way.steps.map((step) => h("li", {}, step))),
        ),
      ),
    );
  }

  /** The corner of the stage with the fewest cars: there the panel hides least. It stays while it is shown. */
  emptiest() {
    const stage = this.board.stage.getBoundingClientRect();
    const cars = [...this.board.layers.cars.children].map((car) => car.getBoundingClientRect());
    const [wide, high] = [PANEL_WIDE * stage.width, PANEL_HIGH * stage.height];
    const crowd = CORNERS.map(([down, across]) => {
      const left = across === "left" ? stage.left : stage.right - wide;
      const top = down === "top" ? stage.top : stage.bottom - high;
      return cars.filter((c) => c.right > left && c.left < left + wide && c.bottom > top && c.top < top + high).length;
    });
    return CORNERS[crowd.indexOf(Math.min(...crowd))].join(" ");
  }
}

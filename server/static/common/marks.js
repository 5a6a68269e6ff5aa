/** Draws marks of any game: areas, lines and words on the table; their role decides how. */

import { el, keyed, say, set } from "./svg.js";

/** @typedef {import("./types.js").Mark} Mark */

const ELEMENTS = { polygon: "polygon", line: "polyline", label: "text" };

/**
 * @param {Element} layer
 * @param {Mark[]} marks
 * @param {(outline: import("./types.js").Outline) => string} points  As an SVG attribute, in the view's space.
 */
export function drawMarks(layer, marks, points) {
  const items = marks.map((mark, i) => ({ mark, id: `${mark.shape} ${mark.role} ${i}` }));
  keyed(layer, items, (i) => i.id, ({ mark }) => make(mark), (node, { mark }) => {
    const at = points(mark.points);
    if (mark.shape === "label") {
      const [x, y] = at.split(",");
      set(node, { x, y });
      say(node, mark.words);
    } else set(node, { points: at });
    set(node, { "data-verdict": mark.verdict ?? "" });
  });
}

/** @param {Mark} mark */
function make({ shape, role }) {
  if (!(shape in ELEMENTS)) throw new Error(`a mark of unknown shape ${shape}`);
  return el(ELEMENTS[shape], { class: `mark ${role.replaceAll(" ", "-")}` });
}

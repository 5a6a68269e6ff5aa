/** A check in progress: draws the strip's places and what its length came out as. */

const SVG = "http://www.w3.org/2000/svg";
const EVERY_MS = 400;

/**
 * @typedef {{x_in: number, y_in: number, measured_in: number, sd_in: number, error_in: number}} Place
 * @typedef {{doing: string, length_in: number, outline: [number, number][], placements: Place[],
 *   map_in: (number | null)[][], words: string[]}} Check
 */

/** @param {string} id */
function part(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** @param {number} inches */
const signed = (inches) => `${inches < 0 ? "−" : "+"}${Math.abs(inches).toFixed(3)}`;

/** @param {Check} check */
function drawMap(check) {
  const xs = check.outline.map((p) => p[0]);
  const ys = check.outline.map((p) => p[1]);
  const [left, right, near, far] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [width, height] = [right - left, far - near];
  const map = part("map");
  map.setAttribute("viewBox", `${left} ${-far} ${width} ${height}`);
  const shapes = [];
  check.map_in.forEach((row, r) =>
    row.forEach((error, c) => {
      const x = left + (c * width) / 3;
      const y = -far + (r * height) / 3;
      const tried = error !== null;
      shapes.push(
        shape("rect", { x, y, width: width / 3, height: height / 3, class: tried ? "third" : "untried" }),
      );
      if (tried) shapes.push(shape("text", { x: x + width / 6, y: y + height / 3 - 0.6, class: "rms" }, `rms ${error.toFixed(3)}`));
    }),
  );
  for (const place of check.placements) {
    shapes.push(shape("circle", { cx: place.x_in, cy: -place.y_in, r: 0.6 }));
    // Near an edge the figure moves inward, so that all of it can be read.
    const x = Math.min(Math.max(place.x_in, left + 4.2), right - 4.2);
    const above = -place.y_in - 3 > -far;
    shapes.push(shape("text", { x, y: -place.y_in + (above ? -1.2 : 2.6) }, signed(place.error_in)));
  }
  map.replaceChildren(...shapes);
}

/** @param {Check} check */
function tell(check) {
  part("doing").textContent = check.doing;
  part("words").replaceChildren(
    ...check.words.map((sentence) => {
      const said = document.createElement("p");
      said.textContent = sentence;
      return said;
    }),
  );
  part("none").hidden = check.placements.length > 0;
  part("places").hidden = check.placements.length === 0;
  part("rows").replaceChildren(
    ...check.placements.map((place) => {
      const row = document.createElement("tr");
      const cells = [
        `${place.x_in.toFixed(1)}, ${place.y_in.toFixed(1)}`,
        `${place.measured_in.toFixed(3)} ±${place.sd_in.toFixed(3)} in`,
        `${signed(place.error_in)} in`,
      ];
      for (const words of cells) row.insertCell().textContent = words;
      return row;
    }),
  );
}

async function look() {
  try {
    const answer = await fetch("/api/check", { cache: "no-store" });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const check = /** @type {Check} */ (await answer.json());
    tell(check);
    drawMap(check);
  } catch {
    part("doing").textContent = "The check does not answer: it has ended, or tableref was stopped.";
  }
  setTimeout(look, EVERY_MS);
}

void look();

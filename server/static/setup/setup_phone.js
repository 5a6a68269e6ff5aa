/** The phone as a camera: the link to it, as a square to scan. */

import { h, wordsOf } from "../common/dom.js";
import { ask } from "../common/patient.js";

/** What was answered last; nothing is asked twice for one choice. @type {{link: string, square: string} | string | null} */
let known = null;

/**
 * The link by which a phone becomes the camera; it comes a moment later than what it stands in.
 * @returns {HTMLElement}
 */
export function phonePart() {
  const place = h("div", { id: "phone" });
  if (known) fill(place, known);
  else cameraLink().then((found) => fill(place, (known = found)), (error) => fill(place, wordsOf(error)));
  return place;
}

/** The camera's link, or why there is none. */
async function cameraLink() {
  const said = await ask("/api/links");
  return said.links.find((/** @type {{role: string}} */ one) => one.role === "camera") ?? String(said.why);
}

/**
 * @param {HTMLElement} place
 * @param {{link: string, square: string} | string} found
 */
function fill(place, found) {
  if (typeof found === "string") {
    place.replaceChildren(h("p.soft", {}, found));
    return;
  }
  place.replaceChildren(
    h("p", {}, "Scan this with the phone that looks down on the table; both are in the same network."),
    h("img.scan", { src: found.square, alt: "Square to scan: the phone that is the camera", width: 200, height: 200 }),
    found.link.startsWith("https:") ? ""
      : h("p.soft", {}, "Its browser gives the live camera to https pages only: start tableref with --lan --tls for that. Single pictures it sends as it is."));
}

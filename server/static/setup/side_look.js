/** A thing's height by a second look: a photograph from the side, in which its top is tapped. */

import { h } from "../common/dom.js";
import { el, set } from "../common/svg.js";
import { handle, pixelOn } from "./handles.js";

/** @typedef {[number, number]} Point */

const PATH = "/api/things/look";

/** The longer side of what is sent, pixels: tags are read in it from across a table, and it is quick in a house's network. */
const LONGEST = 2400;

const FAILED = "The referee does not answer; is it still running?";

/**
 * The button that takes the photograph, and below it the part of it that is tapped.
 * @param {string} name  Of the thing.
 * @param {(height: number) => void} found  The height that a tap told, inches.
 * @param {(words: string) => void} refused
 * @returns {HTMLElement}
 */
export function sideLook(name, found, refused) {
  const shown = h("div", {});
  const words = h("p.soft", { role: "status" });
  const file = h("input", { type: "file", accept: "image/*", "aria-label": `Photograph of ${name} from the side` });
  file.setAttribute("capture", "environment");
  file.addEventListener("change", async () => {
    const [picture] = file.files ?? [];
    if (!picture) return;
    words.textContent = "The table is looked for in the photograph.";
    shown.replaceChildren();
    const small = await shrunk(picture).catch(() => null);
    const answer = small && await ask(`${PATH}?name=${encodeURIComponent(name)}`, "image/jpeg", small);
    file.value = "";
    words.textContent = answer?.words ?? "";
    if (!small) refused("That is no picture: take a photograph, or choose one.");
    if (small && answer) shown.replaceChildren(tapped(URL.createObjectURL(small), answer.box));
  });

  /** @param {string} path @param {string} type @param {BodyInit} body */
  async function ask(path, type, body) {
    const answer = await fetch(path, { method: "POST", headers: { "content-type": type }, body }).catch(() => null);
    if (answer?.ok) return answer.json();
    refused(answer ? (await answer.json()).error : FAILED);
    return null;
  }

  /** @param {string} source @param {[number, number, number, number]} box */
  function tapped(source, [left, top, width, high]) {
    const r = width / 40;
    const ring = el("g", { class: "top-mark", tabindex: 0, role: "button", "aria-label": `Top of ${name}`, hidden: "" },
      [el("circle", { r: 2.5 * r, class: "reach" }), el("circle", { r }), el("circle", { r: r / 6, class: "dot" })]);
    const photo = el("image", {});
    const svg = /** @type {SVGSVGElement} */ (el("svg", { viewBox: `${left} ${top} ${width} ${high}`, role: "group", "aria-label": `${name} in the photograph` }, [photo, ring]));
    const image = new Image();
    image.onload = () => set(photo, { href: source, width: image.naturalWidth, height: image.naturalHeight });
    image.src = source;
    /** @type {Point} */
    let at = [left + width / 2, top + high / 2];
    const put = (/** @type {Point} */ to) => {
      at = [Math.min(left + width, Math.max(left, to[0])), Math.min(top + high, Math.max(top, to[1]))];
      set(ring, { transform: `translate(${at[0]} ${at[1]})` });
      ring.removeAttribute("hidden");
    };
    const told = async () => {
      const answer = await ask(`${PATH}/top`, "application/json", JSON.stringify({ name, x: at[0], y: at[1] }));
      if (!answer) return;
      words.textContent = `${answer.words} Drag the mark, or tap again, if it is not on the top.`;
      found(answer.height_in);
    };
    handle(ring, (event) => pixelOn(svg, event), {
      at: () => at,
      drag: put,
      drop: (to) => to && told(),
      step: (right, up, shift) => {
        const by = shift ? width / 40 : width / 400;
        put([at[0] + right * by, at[1] - up * by]);
        told();
      },
    });
    svg.addEventListener("click", (event) => {
      if (ring.contains(/** @type {Node} */ (event.target))) return;
      put(pixelOn(svg, event));
      told();
    });
    return svg;
  }

  return h("div.side-look", {}, h("label.button", {}, "Photograph it from the side", file), words, shown);
}

/**
 * A picture as a JPEG that is no larger than is needed, the right way up.
 * @param {File} picture
 * @returns {Promise<Blob>}
 */
async function shrunk(picture) {
  const whole = await createImageBitmap(picture);
  const scale = Math.min(1, LONGEST / Math.max(whole.width, whole.height));
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(whole.width * scale), height: Math.round(whole.height * scale) });
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(whole, 0, 0, canvas.width, canvas.height);
  whole.close();
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/jpeg", 0.92));
}

/** The card of a tag that nobody has named: what is it, whose, and which model. */

import { h } from "../common/dom.js";
import { lengthField, lengthIn, putLength } from "../common/lengths.js";
import { el } from "../common/svg.js";
import { Sight } from "./setup_sight.js";

/** @typedef {import("./setup.js").Card} Card */
/** @typedef {import("./setup.js").Model} Model */
/** @typedef {import("./setup.js").Named} Named */

const OWNERS = ["Red", "Blue", "Green", "Yellow"];
const KINDS = [["car", "Car"], ["truck", "Truck"], ["trailer", "Trailer"], ["terrain", "Terrain"], ["token", "Token"]];
const WITH_MODEL = ["car", "truck", "trailer"];

/** Counts the cards, so that each has radio buttons of its own. */
let made = 0;

/**
 * A card that keeps what is typed in it while the page looks on.
 * @param {Card} card
 * @param {Model[]} models
 * @param {(path: string, body: object) => Promise<boolean>} send
 * @param {(path: string, body: object) => Promise<any>} ask  Throws where the server refuses.
 * @returns {HTMLElement}
 */
export function pieceCard(card, models, send, ask) {
  const id = `card-${++made}`;
  /** @type {Named[]} */
  let pieces = [];
  let named = false;
  let sized = false;
  /** Whether somebody typed length or width: then the camera's are no more offered. */
  let typed = false;
  const title = `Tag ${card.tag}`;
  const name = h("input", { name: "name", maxLength: 40, autocomplete: "off", required: true });
  const other = h("input", { maxLength: 40, autocomplete: "off", placeholder: "another", "aria-label": "Another owner" });
  const size = lengthField({ low: 0.2, high: 20, value: String(card.printed_in), required: true });
  const height = lengthField({ low: 0, high: 40, placeholder: "the model's" });
  const [long, wide] = [0, 1].map(() => lengthField({ low: 0.1, high: 100 }));
  const top = h("select", {}, ["nose", "left", "tail", "right"].map((t) => h("option", { value: t }, t === "left" || t === "right" ? `${t} side` : t)));
  const kind = radios(`${id}-kind`, KINDS.map(([value, words]) => [value, words]), "car");
  const owner = radios(`${id}-owner`, OWNERS.map((o) => [o, o]), "Red");
  const model = radios(`${id}-model`, models.map((m) => [m.model, pictureOf(m)]), "");
  const cars = h("fieldset", {}, h("legend", {}, "Model"), model);
  const owners = h("fieldset", {}, h("legend", {}, "Whose"), owner, other);
  const from = [0, 1].map(() => h("small", {}));
  const box = h("div.fields", {}, h("label", {}, "Length, in", long, from[0]), h("label", {}, "Width, in", wide, from[1]));
  const look = h("p.soft", {});
  const add = h("button.main", { type: "submit" }, "Add");
  const sight = new Sight(card.tag, ask, () => fit());
  const details = h("details", {}, h("summary", {}, "Tag and height"), look,
    h("div.fields", {}, h("label", {}, "Tag's black square, in", size), h("label", {}, "Height above the table, in", height),
      h("label", {}, "Its printed top points to the", top)));

  const chosen = (/** @type {string} */ what) => /** @type {HTMLInputElement | null} */ (form.querySelector(`input[name="${id}-${what}"]:checked`))?.value ?? "";
  const whose = () => other.value.trim() || chosen("owner");
  const fit = () => {
    const car = WITH_MODEL.includes(chosen("kind"));
    cars.hidden = owners.hidden = !car;
    box.hidden = car;
    height.placeholder = car ? "the model's" : "";
    // What has no model needs its height: the field may not be folded away.
    if (!car) details.open = true;
    sight.choose(car, chosen("model"), top.value);
    const fits = sight.view?.fits ?? [];
    for (const span of model.querySelectorAll("span")) span.dataset.fits = String(fits.includes(/** @type {HTMLInputElement} */ (span.previousElementSibling).value));
    if (!typed) offer(sight.offered(top.value));
    if (!named) name.value = free(car ? whose() : chosen("kind"), pieces);
    add.disabled = car && !chosen("model");
  };
  /**
   * Length and width as the camera sees them, with what they come from; nothing is said of what somebody types.
   * @param {{sizes: [number, number], to: [number, number]} | null} seen
   */
  const offer = (seen) => [long, wide].forEach((field, k) => {
    putLength(field, seen ? String(seen.sizes[k]) : "");
    from[k].textContent = seen ? `by the camera, ±${seen.to[k].toFixed(2)}` : "";
  });
  const form = h("form", {
    oninput: (/** @type {Event} */ event) => {
      if (event.target === long || event.target === wide) {
        typed = true;
        for (const note of from) note.textContent = "";
      }
      named ||= event.target === name;
      sized ||= event.target === size;
      fit();
    },
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      const car = WITH_MODEL.includes(chosen("kind"));
      add.disabled = true;
      await send("/api/setup/piece", {
        tag: card.tag, name: name.value.trim(), kind: chosen("kind"), owner: car ? whose() : null,
        model: car ? chosen("model") : null, length_in: car ? null : lengthIn(long), width_in: car ? null : lengthIn(wide),
        seen_to_in: car || typed ? null : Math.max(...(sight.offered(top.value)?.to ?? [])) || null,
        height_in: lengthIn(height), tag_size_in: lengthIn(size), top: top.value,
      });
      add.disabled = false;
    },
  },
  h("div.who", {}, sight.picture, h("div", {}, h("h3", {}, `${title}: what is it?`), kind)),
  sight.words, owners, cars, sight.verdict, box, h("label", {}, "Name", name), details, add);
  const node = h("article.card", { "aria-label": title }, form);
  node.addEventListener("known", (/** @type {any} */ { detail }) => {
    pieces = detail.pieces;
    const side = detail.card.side_in;
    look.textContent = side === null ? "" : `It looks ${side.toFixed(2)} in wide on a roof ${detail.card.at_height_in} in high.`;
    // Before the table is found nobody knows how large the tag is.
    if (!sized && side !== null) putLength(size, String(detail.card.printed_in));
    sight.know(detail.corners, detail.may_change, lengthIn(size) ?? card.printed_in, lengthIn(height) || null);
    fit();
    add.disabled ||= !detail.may_change;
  });
  return node;
}

/**
 * A name that is free: whose it is, and a number.
 * @param {string} whose
 * @param {Named[]} pieces
 */
function free(whose, pieces) {
  const taken = new Set(pieces.map((p) => p.name.toLowerCase()));
  const words = whose.charAt(0).toUpperCase() + whose.slice(1);
  let n = 1;
  while (taken.has(`${words} ${n}`.toLowerCase())) n += 1;
  return `${words} ${n}`;
}

/**
 * @param {string} name
 * @param {any[][]} choices  Values with what shows them.
 * @param {string} at
 */
function radios(name, choices, at) {
  return h("div.picks", {}, choices.map(([value, shows]) => h("label", {},
    h("input", { type: "radio", name, value, checked: value === at, "aria-label": value }), h("span", {}, shows))));
}

/**
 * A model from above, nose to the right, with its name.
 * @param {Model} model
 */
function pictureOf(model) {
  const outline = `M${model.outline.map(([x, y]) => `${x} ${-y}`).join("L")}Z`;
  return [
    el("svg", { viewBox: "-3.1 -0.85 6.2 1.7", "aria-hidden": "true" }, [
      el("path", { d: outline }),
      ...model.tyres.map(([x, y]) => el("circle", { cx: x, cy: -y, r: 0.12 })),
    ]),
    h("small", {}, model.model),
  ];
}

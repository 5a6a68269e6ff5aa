/** The dialog for the source: what runs, what there is, and another in its place. */

import { heeding } from "../common/dom.js";
import { ask } from "../common/patient.js";
import { byId, say } from "../common/svg.js";

/**
 * What the server says of sources, see `server/sourcing.py`.
 * @typedef {object} Sources
 * @property {boolean} may_choose
 * @property {string | null} why
 * @property {{ kind: string, name: string, words: string, spec: string, loop: boolean, size: string, fps: number | null, focus: string, exposure: string }} running
 * @property {{ index: number, name: string, running: boolean }[]} cameras
 * @property {string[]} sizes
 */

/** Milliseconds between two pictures of the source that runs. */
const AGAIN = 1000;

export class SourceDialog {
  constructor() {
    this.dialog = /** @type {HTMLDialogElement} */ (byId("sources"));
    this.form = /** @type {HTMLFormElement} */ (byId("source-form"));
    /** @type {Sources | null} */
    this.sources = null;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.looking = undefined;
    byId("source-open").addEventListener("click", () => this.open());
    byId("source-close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => clearInterval(this.looking));
    // A click beside the dialog is one on its backdrop.
    this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dialog.close());
    byId("source-list").addEventListener("change", () => this.fit());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.choose();
    });
  }

  async open() {
    say(byId("source-said"), "");
    // What was told when it was open last may no longer be so, and a choice made in it would be lost with the answer.
    byId("source-list").replaceChildren();
    this.disable("");
    say(byId("source-now"), "Looking for what there is…");
    this.dialog.showModal();
    const answer = /** @type {Sources | null} */ (await ask("/api/sources").catch(() => null));
    if (!this.dialog.open) return;
    if (!answer) {
      say(byId("source-now"), "");
      this.disable("The source of this page cannot be changed.");
      return;
    }
    this.show(answer);
    clearInterval(this.looking);
    this.looking = setInterval(() => this.look(), AGAIN);
  }

  /** @param {string | null} why  Empty where that is not known yet; null where a choice is open. */
  disable(why) {
    /** @type {HTMLFieldSetElement} */ (byId("source-all")).disabled = why !== null;
    byId("source-why").hidden = !why;
    say(byId("source-why"), why ?? "");
  }

  /** @param {Sources} sources */
  show(sources) {
    this.sources = sources;
    const { running, cameras } = sources;
    say(byId("source-now"), running.words);
    this.disable(sources.why);
    const other = ["pictures", "video", "stream"].includes(running.kind);
    byId("source-list").replaceChildren(
      ...cameras.map((c) => card(String(c.index), c.name, c.running, sources.may_choose ? `/api/sources/${c.index}/picture.jpg` : "")),
      card("sim", "Simulated table", running.kind === "simulated"),
      card("phone", "A phone's browser", running.kind === "phone"),
      card("other", "A file or an address", other),
    );
    this.field("text").value = other ? running.spec : "";
    this.field("loop").checked = running.loop;
    const sizes = [...new Set([...sources.sizes, running.size])];
    const size = /** @type {HTMLSelectElement} */ (this.form.elements.namedItem("size"));
    size.replaceChildren(...sizes.map((s) => new Option(s === "own" ? "the camera's own" : s.replace("x", " × "), s)));
    size.value = running.size;
    this.field("fps").value = String(running.fps ?? 30);
    this.field("focus").checked = running.focus !== "auto";
    this.field("exposure").checked = running.exposure !== "auto";
    say(byId("source-phone"), `Then open ${location.origin}/camera on the phone, in the same network and over https.`);
    this.fit();
  }

  /**
   * A field of the form.
   * @param {string} name
   */
  field(name) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(name));
  }

  /** What is chosen: a camera's number, sim, phone or other. */
  get chosen() {
    return String(new FormData(this.form).get("source") ?? "");
  }

  /** Shows the options of what is chosen. */
  fit() {
    const chosen = this.chosen;
    byId("source-spec").hidden = byId("source-loop").hidden = chosen !== "other";
    byId("source-phone").hidden = chosen !== "phone";
    byId("source-camera").hidden = !/^\d+$/.test(chosen);
  }

  /** A new picture of the source that runs. */
  look() {
    const image = /** @type {HTMLImageElement | null} */ (this.dialog.querySelector("img[data-now]"));
    if (image && !document.hidden) image.src = `/api/picture.jpg?${Date.now()}`;
  }

  async choose() {
    const chosen = this.chosen;
    const held = (/** @type {string} */ name, /** @type {string | undefined} */ was) =>
      this.field(name).checked ? (was && was !== "auto" ? was : "lock") : "auto";
    const camera = /^\d+$/.test(chosen);
    const body = {
      spec: chosen === "other" ? this.field("text").value.trim() : chosen,
      loop: chosen === "other" && this.field("loop").checked,
      size: this.field("size").value,
      fps: camera ? Number(this.field("fps").value) : null,
      focus: held("focus", this.sources?.running.focus),
      exposure: held("exposure", this.sources?.running.exposure),
    };
    if (!body.spec) {
      say(byId("source-said"), "Say which file, folder or address.");
      this.field("text").focus();
      return;
    }
    await heeding((words) => say(byId("source-said"), words), async () => {
      await ask("/api/source", body);
      this.dialog.close();
    });
  }
}

/**
 * One source to choose, with what it sees.
 * @param {string} value
 * @param {string} name
 * @param {boolean} running
 * @param {string} [picture]
 */
function card(value, name, running, picture = "") {
  const label = document.createElement("label");
  const sight = document.createElement("span");
  sight.className = "sight";
  const shown = running ? `/api/picture.jpg?${Date.now()}` : picture;
  if (shown) {
    const image = document.createElement("img");
    image.alt = "";
    image.addEventListener("error", () => (image.hidden = true));
    image.addEventListener("load", () => (image.hidden = false));
    if (running) image.dataset.now = "";
    image.src = shown;
    sight.append("no picture", image);
  } else {
    sight.append({ sim: "drawn", phone: "over the network" }[value] ?? "clip, photo, stream");
  }
  const radio = document.createElement("input");
  Object.assign(radio, { type: "radio", name: "source", value, checked: running });
  const said = document.createElement("span");
  said.className = "said";
  const now = document.createElement("span");
  now.className = "now";
  now.textContent = running ? "now" : "";
  sight.append(now);
  said.append(radio, name);
  label.append(sight, said);
  return label;
}


/** The links by which others come in, as squares to scan: for the owner alone. */

import { h, wordsOf } from "../common/dom.js";
import { ask } from "../common/patient.js";

const WORDS = {
  player: ["Players", "act for themselves"],
  spectator: ["Spectators", "the big screen, and everybody else"],
  camera: ["The phone that is the camera", "when the source is a phone"],
  owner: ["Owner", "may do everything: keep this one to yourself"],
};

export class InviteDialog {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {HTMLElement} opener
   */
  constructor(dialog, opener) {
    this.dialog = dialog;
    opener.addEventListener("click", () => this.open());
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  }

  async open() {
    this.dialog.showModal();
    await ask("/api/links").then((said) => this.show(said.links, said.why), (error) => this.show([], wordsOf(error)));
    await this.listDevices();
  }

  /** Which devices came in, each with a button that takes its pass back. */
  async listDevices() {
    /** @type {{device: string, role: string, words: string, seen_words: string}[]} */
    const devices = await ask("/api/passes").catch(() => []);
    this.dialog.querySelector(".devices")?.remove();
    if (!devices.length) return;
    this.dialog.append(
      h("section.devices", {}, h("h3", {}, "Devices"), h("p.soft", {}, "A pass lasts 14 days. A device whose pass is taken back needs a link to come in again."),
        h("ul", {}, devices.map((one) => h("li", {},
          h("span", {}, h("strong", {}, one.role), ` · ${one.words}, ${one.seen_words}`),
          h("button.quiet", { type: "button", "aria-label": `Take back the pass of ${one.words} (${one.role})`, onclick: () => this.takeBack(one.device) }, "Take back"))))),
    );
  }

  /** @param {string} device */
  async takeBack(device) {
    await ask(`/api/passes/${encodeURIComponent(device)}`, null, "DELETE").catch(() => null);
    await this.listDevices();
  }

  /**
   * @param {{role: string, link: string, square: string}[]} links
   * @param {string | null} why
   */
  show(links, why) {
    const order = Object.keys(WORDS);
    const sorted = [...links].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
    this.dialog.replaceChildren(
      h("div.head", {}, h("h2", { id: "invite-title" }, "Invite"), h("button.quiet", { type: "button", "aria-label": "Close", onclick: () => this.dialog.close() }, "✕")),
      h("p.soft", {}, why ?? "Scan with a phone in the same network. Whoever has a link may come in."),
      ...sorted.map((one, k) => {
        const [title, words] = WORDS[/** @type {keyof typeof WORDS} */ (one.role)];
        return h("details.link", { open: k === 0 }, h("summary", {}, h("strong", {}, title), h("span.small", {}, words)), h("img", { src: one.square, alt: `Square to scan: ${title}`, width: 240, height: 240 }), h("a", { href: one.link }, one.link.replace(/#.*/, "#…")));
      }),
    );
  }
}

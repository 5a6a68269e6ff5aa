/** Tokens on record sheets that an option moves to another place: dragged, or picked up and put down with taps or keys. */

import { h } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Slot} Slot */
/** @typedef {import("./playtypes.js").Widget} Widget */
/** @typedef {import("./playtypes.js").Option} Option */

/** A pointer that has moved by so many pixels drags; one that has not, taps. */
const DRAGS = 8;

export class Tokens {
  /**
   * @param {{option: (option: Option, said: Record<string, any>) => Promise<boolean>}} does
   * @param {() => void} again  Draws the sheets anew.
   */
  constructor(does, again) {
    this.does = does;
    this.again = again;
    /** The token that is picked up. */
    this.held = "";
    /** @type {Option[]} */
    this.options = [];
  }

  /** @param {Play} play */
  heed(play) {
    this.options = (play.match?.options ?? []).filter((o) => o.mine);
    if (this.held && !this.options.some((o) => names(o, this.held))) this.held = "";
  }

  /** What is drawn anew when it changes. */
  get shows() {
    return [this.held, this.options.map((o) => [o.kind, o.data, o.form])];
  }

  /**
   * The option that moves a token, with the input that takes the place.
   * @param {Widget} widget
   * @param {string} token
   */
  mover(widget, token) {
    const option = token ? this.options.find((o) => (widget.moved_by ?? []).includes(o.kind) && names(o, token)) : undefined;
    const input = Object.entries(option?.form.fields ?? {}).find(([, i]) => i.type === "pick");
    return option && input ? { option, field: input[0], keys: (input[1].candidates ?? []).filter((c) => !c.not_now.some((r) => !r.open)).map((c) => c.value) } : null;
  }

  /**
   * A place with its token, where something may be moved; else null.
   * @param {Widget} widget
   * @param {Slot} slot
   */
  slot(widget, slot) {
    if (!(widget.moved_by ?? []).length) return null;
    const mine = this.mover(widget, slot.token ?? "");
    const coming = this.mover(widget, this.held);
    const open = coming !== null && coming.keys.includes(slot.key);
    const words = `${slot.words || widget.words}: ${slot.holds || "empty"}`;
    const inside = [h("span.small", {}, slot.words), " ", h("strong", {}, slot.holds)];
    const data = { used: String(slot.used), key: slot.key ?? "", token: slot.token ?? "", open: String(open), held: String(Boolean(mine) && this.held === slot.token) };
    if (open) return h("button.slot", { type: "button", data: { ...data, focus: `place ${slot.key}` }, "aria-label": `Put ${this.held} here, ${words}`, onclick: () => this.put(widget, slot.key ?? "") }, inside);
    if (!mine) return h("span.slot", { role: "img", "aria-label": words, data }, inside);
    const on = {
      onclick: () => this.pick(this.held === slot.token ? "" : (slot.token ?? "")),
      onkeydown: (/** @type {KeyboardEvent} */ e) => e.key === "Escape" && this.pick(""),
      onpointerdown: (/** @type {PointerEvent} */ e) => this.drag(e, widget, slot.token ?? "", mine.keys),
    };
    return h("button.slot.movable", { type: "button", "aria-pressed": data.held, "aria-label": `Move ${slot.token}, ${words}`, data: { ...data, focus: `token ${slot.token}` }, ...on }, inside);
  }

  /** @param {string} token */
  pick(token) {
    this.held = token;
    this.again();
  }

  /**
   * @param {Widget} widget
   * @param {string} key
   */
  async put(widget, key) {
    const mover = this.mover(widget, this.held);
    this.held = "";
    this.again();
    if (mover) await this.does.option(mover.option, { [mover.field]: key });
  }

  /**
   * Follows a pointer until it is let go: over an open place the token is put there.
   * @param {PointerEvent} down
   * @param {Widget} widget
   * @param {string} token
   * @param {string[]} keys
   */
  drag(down, widget, token, keys) {
    const node = /** @type {HTMLElement} */ (down.currentTarget);
    const sheet = node.closest(".sheet");
    const over = (/** @type {PointerEvent} */ e) => {
      const found = document.elementFromPoint(e.clientX, e.clientY)?.closest(".slot");
      const key = found?.getAttribute("data-key") ?? "";
      return found && found.closest(".sheet") === sheet && keys.includes(key) ? key : "";
    };
    let dragged = false;
    const move = (/** @type {PointerEvent} */ e) => {
      const [dx, dy] = [e.clientX - down.clientX, e.clientY - down.clientY];
      dragged ||= Math.hypot(dx, dy) > DRAGS;
      if (!dragged) return;
      node.style.translate = `${dx}px ${dy}px`;
      node.style.pointerEvents = "none";
      for (const slot of sheet?.querySelectorAll(".slot") ?? []) slot.toggleAttribute("data-may", keys.includes(slot.getAttribute("data-key") ?? ""));
    };
    const up = (/** @type {PointerEvent} */ e) => {
      for (const [name, heard] of /** @type {const} */ ([["pointermove", move], ["pointerup", up], ["pointercancel", up]])) node.removeEventListener(name, /** @type {any} */ (heard));
      node.style.translate = "";
      node.style.pointerEvents = "";
      for (const slot of sheet?.querySelectorAll("[data-may]") ?? []) slot.removeAttribute("data-may");
      if (!dragged) return;
      // The click that ends a drag is none.
      node.addEventListener("click", (click) => click.stopImmediatePropagation(), { capture: true, once: true });
      setTimeout(() => this.again(), 0);
      const key = e.type === "pointerup" ? over(e) : "";
      this.held = key ? token : "";
      if (key) this.put(widget, key);
    };
    node.setPointerCapture(down.pointerId);
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", up);
    node.addEventListener("pointercancel", up);
  }
}

/**
 * @param {Option} option
 * @param {string} token
 */
const names = (option, token) => Object.values(option.data).includes(token);

/** What is done by itself and what is asked; speech; seats; ending the game. */

import { h, rebuild } from "../common/dom.js";
import { can, setSpeech, speechOn } from "../common/speech.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Modes} Modes */

const AUTOMATIC = /** @type {const} */ ([
  ["questions", "Range and sight", "measured on the table"],
  ["moves", "Moves", "recognised while the hand pushes, and seen when they stand right"],
]);

/** What it means that the coach is on: said to all. */
export const COACH = "Whoever's turn it is may ask tableref what they can do, on their own page";

export class ModesDialog {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {HTMLElement} opener
   * @param {any} does
   */
  constructor(dialog, opener, does) {
    this.dialog = dialog;
    this.does = does;
    /** @type {Play | null} */
    this.play = null;
    /** What was switched here and is not told yet: the next tap does not take it back. @type {Partial<Modes>} */
    this.said = {};
    opener.addEventListener("click", () => {
      // What ends a game, or gives up, is unfolded anew each time.
      for (const fold of this.dialog.querySelectorAll("details")) fold.open = false;
      this.dialog.showModal();
      this.again();
    });
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  }

  /** @param {Play} play */
  draw(play) {
    this.play = play;
    this.said = Object.fromEntries(Object.entries(this.said).filter(([name, said]) => play.modes[/** @type {keyof Modes} */ (name)] !== said));
    if (this.dialog.open) this.again();
  }

  again() {
    const { play } = this;
    if (!play) return;
    const speech = [speechOn("listen"), speechOn("speak")];
    rebuild(this.dialog, [play.modes, play.me, play.seats, play.draft.players, play.phase, play.match?.may_concede, play.trouble, speech], () => this.make(play));
  }

  /** @param {Play} play */
  make(play) {
    const { me } = play;
    return [
      h("div.head", {}, h("h2", { id: "modes-title" }, "Options"), h("button.quiet", { type: "button", "aria-label": "Close", onclick: () => this.dialog.close() }, "✕")),
      me.owner && this.automatic(play.modes),
      this.speech(),
      me.owner && play.seats.length > 0 && this.seats(play),
      me.role !== "owner" && this.mine(play),
      play.match && this.givingUp(play.match),
      h("p", {}, h("a", { href: "/screen" }, "The big shared screen"), " · ", h("a", { href: "/" }, "The table and its rulings")),
      me.owner && play.phase === "match" && h("details.group", {}, h("summary", {}, "End this game"), !play.trouble && h("p.soft", {}, "The record keeps all of it."), h("button.deed", { type: "button", onclick: () => { this.dialog.close(); this.does.ask({ type: "anew" }); } }, "End it and set up another")),
    ];
  }

  /** Unfolded first, so that no single tap gives up. @param {import("./playtypes.js").Match} match */
  givingUp({ may_concede: players }) {
    const giveUp = (/** @type {string} */ player) => { this.dialog.close(); this.does.ask({ type: "concede", player }); };
    return players.length > 0 && h("details.group", { data: { concede: "" } }, h("summary", {}, "Give up"),
      h("p.soft", {}, "Everything of that player leaves the game. The owner of the table can undo it."),
      h("div.row", {}, players.map((player) => h("button.deed", { type: "button", data: { player, focus: `give up ${player}` }, onclick: () => giveUp(player) }, `${player} gives up`))));
  }

  /** @param {Modes} modes */
  automatic(modes) {
    const set = async (/** @type {Partial<Modes>} */ said) => {
      Object.assign(this.said, said);
      const done = await this.does.ask({ type: "modes", modes: { ...(this.play?.modes ?? modes), ...this.said } });
      if (!done) this.said = {};
    };
    const pair = (/** @type {string} */ title, /** @type {[string, string, boolean, Partial<Modes>][]} */ choices) =>
      h("div.option", {}, h("span", {}, title), h("div.switch", { role: "group", "aria-label": title }, choices.map(([name, words, on, said]) => h("button", { type: "button", title: words, "aria-pressed": String(on), data: { focus: `${title} ${name}` }, onclick: () => set(said) }, name))));
    return h(
      "div.group",
      {},
      pair("Dice", [
        ["rolled here", "tableref rolls, and the record keeps how", modes.dice === "roll", { dice: "roll" }],
        ["typed", "Roll your own and tap what they show", modes.dice === "type", { dice: "type" }],
      ]),
      AUTOMATIC.map(([key, title, words]) =>
        pair(title, [
          ["seen", words, modes[key] === "see", { [key]: "see" }],
          ["ask me", "You enter it by hand", modes[key] === "ask", { [key]: "ask" }],
        ]),
      ),
      pair("Coach", [
        ["off", "Nobody is told what they can do", !modes.coach, { coach: false }],
        ["may be asked", COACH, modes.coach, { coach: true }],
      ]),
    );
  }

  speech() {
    const one = (/** @type {"listen" | "speak"} */ what, /** @type {string} */ words) =>
      can[what] && h("label.tick", {}, h("input", { type: "checkbox", checked: speechOn(what), onchange: (/** @type {any} */ e) => { setSpeech(what, e.target.checked); this.again(); } }), words);
    return h("div.group", {}, one("listen", "Listen for dice that are called out, in English"), one("speak", "Read out rulings, and what tableref wants to do"), can.listen && h("p.soft", {}, "The browser itself listens, and may ask its maker's service; off unless you switch it on."));
  }

  /** @param {Play} play */
  seats({ seats, draft }) {
    const machines = draft.players.filter((p) => p.machine).map((p) => p.name);
    const phones = seats.filter((s) => !machines.includes(s.player));
    return phones.length > 0 && h("div.group", {}, h("h3", {}, "Phones"), h("ul", {}, phones.map((s) => h("li.option", {}, h("span.chip", { style: { "--colour": s.colour } }, h("span.player", {}, s.player)), s.taken ? h("button", { type: "button", onclick: () => this.does.ask({ type: "free", player: s.player }) }, "Free the seat") : h("span.soft", {}, "no phone yet")))));
  }

  /** @param {Play} play */
  mine({ me }) {
    const leave = async () => {
      await fetch("/api/leave", { method: "POST" });
      location.reload();
    };
    return h("div.group", {}, me.player && h("button", { type: "button", onclick: () => this.does.ask({ type: "sit", player: null }) }, `I am not ${me.player}`), h("button", { type: "button", onclick: leave }, "Leave the table"));
  }
}

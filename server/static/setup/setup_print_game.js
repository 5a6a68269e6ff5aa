/** What of a game is printed beside its tags: a map, counters, and record sheets that are filled in by hand. */

import { h, rebuild } from "../common/dom.js";

/**
 * What the server says of it, see `server/setup/printing/print_messages.py`.
 * @typedef {{game: string, title: string, needs: boolean}} Choice
 * @typedef {{maps: {map: string, words: string, spacing_in: number | null}[], proposed: string, words: string, counters: boolean, fill_in: string}} GameAdvice
 */

export class GamePart {
  constructor() {
    this.games = h("select", { name: "game" });
    this.maps = h("select", { name: "map" });
    this.apart = h("input", { type: "number", name: "spacing_in", min: "0.5", max: "6", step: "any" });
    this.counters = h("input", { type: "checkbox", name: "counters" });
    this.words = h("p.soft", {});
    this.mapLabel = h("label.row", { hidden: true }, "Map", this.maps);
    this.apartLabel = h("label", { hidden: true }, "Its cells apart, in", this.apart);
    this.counterLabel = h("label.tick", { hidden: true }, this.counters, h("span", {}, "Its counters too"));
    /** The game whose proposed map was taken over. */
    this.taken = "";
    this.sheets = h("p.soft", { hidden: true });
    this.node = h("div", {},
      h("div.fields", {}, h("label.row", {}, "Game to be played", this.games), this.mapLabel, this.apartLabel),
      this.words, this.counterLabel);
    this.offer([]);
  }

  /**
   * Another game has other maps: what was chosen of the last one goes.
   * @param {EventTarget | null} target
   */
  changed(target) {
    if (target !== this.games) return;
    this.choose([], "");
    this.taken = this.apart.value = "";
    this.counters.checked = false;
  }

  /**
   * What was chosen, in the form in which it is asked for.
   * @param {FormData} fields
   */
  add(fields) {
    fields.set("counters", String(this.counters.checked));
    if (!this.apart.value || this.apartLabel.hidden) fields.delete("spacing_in");
  }

  /**
   * Shows what the game has to print; true where its proposed map was chosen with that.
   * @param {Choice[]} games
   * @param {GameAdvice} advice
   */
  show(games, { maps, proposed, words, counters, fill_in }) {
    this.offer(games);
    const game = this.games.value;
    const takes = game !== this.taken && proposed !== this.maps.value;
    this.choose(maps, takes ? proposed : this.maps.value);
    this.taken = game;
    const chosen = maps.find((one) => one.map === this.maps.value);
    this.mapLabel.hidden = !maps.length;
    this.apartLabel.hidden = typeof chosen?.spacing_in !== "number";
    this.apart.placeholder = String(chosen?.spacing_in ?? "");
    this.counterLabel.hidden = !counters;
    this.words.textContent = words;
    this.fillIn = fill_in;
    return takes;
  }

  /**
   * The paper that is filled in by hand, for what the form says.
   * @param {string} query
   */
  link(query) {
    rebuild(this.sheets, [this.fillIn, query], () => this.fillIn ? [
      "To play from on paper: ", h("a", { target: "_blank", href: `/api/setup/fill-in.pdf?${query}` }, this.fillIn), "."] : []);
    this.sheets.hidden = !this.fillIn;
  }

  /** @param {Choice[]} games */
  offer(games) {
    rebuild(this.games, games, () => [h("option", { value: "" }, "any, on a bare table"),
      ...games.map(({ game, title }) => h("option", { value: game, selected: game === this.games.value }, title))]);
  }

  /**
   * @param {GameAdvice["maps"]} maps
   * @param {string} at
   */
  choose(maps, at) {
    rebuild(this.maps, maps, () => [h("option", { value: "" }, "none"),
      ...maps.map(({ map, words }) => h("option", { value: map }, words))]);
    this.maps.value = at;
  }
}

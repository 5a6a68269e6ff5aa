/** Whose round it is, and the order of the players, each to the right of the one before. */

import { h, rebuild } from "../common/dom.js";

/** @typedef {import("./playtypes.js").Play} Play */

export class TurnPanel {
  /**
   * @param {HTMLElement} node
   * @param {HTMLElement} order
   */
  constructor(node, order) {
    this.node = node;
    this.order = order;
  }

  /** @param {Play} play */
  draw(play) {
    this.drawOrder(play);
    const said = turnWords(play);
    this.node.hidden = said === null;
    rebuild(this.node, said, () => [
      h(
        "div.turn",
        { style: { "--colour": said?.colour ?? "var(--soft)" } },
        h("p.what", {}, said?.what ?? ""),
        h("p.who", {}, said?.who ?? ""),
        said?.more && h("p.more", {}, said.more),
      ),
    ]);
  }

  /** @param {Play} play */
  drawOrder({ draft, match, seats, me }) {
    const round = match?.state.round;
    const players = (match?.state.players ?? draft.players.map((p) => p.name)).map((/** @type {string} */ name) => ({
      name,
      colour: seats.find((s) => s.player === name)?.colour ?? "#888888",
      drives: round?.driver === name,
      out: match !== null && !match.sheets.some((s) => s.owner === name && ["driving", "waiting"].includes(s.status)),
      left: match?.sheets.filter((s) => s.owner === name && ["driving", "waiting"].includes(s.status)).length,
      mine: me.player === name,
    }));
    rebuild(this.order, players, () =>
      players.map((/** @type {any} */ p) =>
        h(
          "li.chip",
          { style: { "--colour": p.colour }, data: { drives: String(p.drives), out: String(p.out) }, "aria-current": p.drives ? "step" : null },
          p.name,
          p.left !== undefined && h("span.count", { title: "in play", data: { of: p.left === 1 ? " car" : " cars" } }, p.left),
        ),
      ),
    );
  }
}

/**
 * The round in words.
 * @param {Play} play
 * @returns {{what: string, who: string, more: string, colour: string} | null}
 */
export function turnWords({ phase, match, seats }) {
  if (phase === "setup" || !match) return null;
  const { state } = match;
  const colour = (/** @type {string | null} */ name) => seats.find((s) => s.player === name)?.colour ?? "var(--soft)";
  if (state.over) {
    return { what: "The game is over", who: state.winner ? `${state.winner} wins` : "Nobody wins", more: "", colour: colour(state.winner) };
  }
  if (state.duties.length) {
    const duty = state.duties[0];
    const words = { spin: "spins out", turn: "is turned", push: "is pushed", pull: "is pulled", blast: "explodes" };
    const owner = match.sheets.find((s) => s.name === duty.car)?.owner ?? null;
    return {
      what: "First of all",
      who: `${duty.car} ${words[/** @type {keyof typeof words} */ (duty.kind)]}`,
      more: duty.citation,
      colour: colour(duty.by ?? owner),
    };
  }
  if (!state.round) {
    const waiting = match.sheets.filter((s) => s.status === "waiting").length;
    return { what: "Deployment", who: state.deployment ? `${waiting} cars to put down` : "Which one?", more: "", colour: "var(--accent)" };
  }
  const round = state.round;
  const hands = round.hands !== round.driver;
  const more = [
    round.car ? `${round.car}${round.reverse ? ", in reverse" : ""}` : "chooses a car",
    round.car ? `Maneuver ${round.manoeuvre}` : "",
    hands ? `out of control: ${round.hands} drives` : "",
  ];
  return {
    what: `Round ${round.number}`,
    who: hands ? `${round.hands} drives ${round.driver}'s car` : `${round.driver} drives`,
    more: more.filter(Boolean).join(" · "),
    colour: colour(round.hands),
  };
}

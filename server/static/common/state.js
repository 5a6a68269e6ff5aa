/** What the page knows: pure functions from a state and a message to the next state. */

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Change} Change */

const EVENTS_KEPT = 200;

/**
 * The state after a message. A field that a change does not hold stays as it was.
 * @param {State | null} state
 * @param {State | Change} message
 * @returns {State}
 */
export function after(state, message) {
  if (message.type === "state") return message;
  if (state === null) throw new Error("a change came before the whole state");
  const { type: _, pieces = [], gone = [], events = [], ...replaced } = message;
  return {
    ...state,
    ...replaced,
    pieces: pieces.length || gone.length ? merged(state.pieces, pieces, gone) : state.pieces,
    events: events.length ? [...state.events, ...events].slice(-EVENTS_KEPT) : state.events,
  };
}

/**
 * @param {import("./types.js").Piece[]} known
 * @param {import("./types.js").Piece[]} changed
 * @param {string[]} gone
 */
function merged(known, changed, gone) {
  const pieces = new Map(known.map((p) => [p.name, p]));
  for (const name of gone) pieces.delete(name);
  for (const piece of changed) pieces.set(piece.name, piece);
  return [...pieces.values()];
}

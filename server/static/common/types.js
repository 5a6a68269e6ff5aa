/**
 * The messages and shapes of the protocol, as the page knows them. docs/protocol.md describes them.
 *
 * @typedef {[number, number]} Point
 * @typedef {Point[]} Outline
 * @typedef {"yes" | "no" | "too close to call"} Verdict
 * @typedef {"table" | "picture"} View
 * @typedef {"in" | "cm"} Unit
 *
 * @typedef {{part: "cabin" | "window" | "nose" | "light" | "tyre", outline: Outline}} Detail
 * @typedef {{base: Outline, top: Outline | null, details: Detail[], uncertainty: Outline, middle: Point,
 *   handle: Point, pivot: Point}} Shape
 * @typedef {{name: string, kind: string, driven: boolean, pulled_by: string | null, look: "car" | "terrain" | "token", owner: string | null, sign: string,
 *   pattern: "plain" | "stripes" | "dots" | "chequer", colour: string, model: string, x: number, y: number,
 *   heading: number, status: "still" | "moving" | "held" | "lost", status_words: string, age: number,
 *   place_words: string, deviation_words: string, shape: Shape | null}} Piece
 * @typedef {{lines: Outline[], bold: Outline[], dots: Outline[],
 *   names: {at: Point, words: string, height: number}[]}} TableBoard
 * @typedef {{outline: Outline, grid: Outline[], board: TableBoard | null, scale: {line: Outline, words: string} | null,
 *   size_words: string}} Table
 * @typedef {{x: number, y: number, width: number, height: number}} Bounds
 * @typedef {{shape: "polygon" | "line" | "label", role: string, points: Outline, words: string,
 *   verdict: Verdict | null, piece: string | null}} Mark
 * @typedef {{check: string, role: "sight" | "range", verdict: Verdict, line: Outline, band: Outline,
 *   label: string, deviation: string, label_at: Point}} Line
 * @typedef {{name: string, role: "condition" | "modifier", verdict: Verdict, verdict_words: string,
 *   number_words: string, limit_words: string, margin_words: string, deviation_words: string,
 *   chance_words: string, words: string, citation: string, blockers: string[]}} Check
 * @typedef {{question: string, key: string, label: string, pieces: string[], verdict: Verdict, headline: string,
 *   sentence: string, checks: Check[], blockers: string[], lines: Line[], stale: string | null, surer: string, looks: boolean}} Ruling
 * @typedef {{pieces: string[], question: string | null, view: View, unit: Unit}} Selection
 * @typedef {{number: number, entry: number | null, time: number, time_words: string, kind: string, piece: string | null, words: string,
 *   undone: boolean}} Event
 * @typedef {{key: string, label: string, words: string, more: string, heading: string, missing: string}} Question
 * @typedef {{name: string, state: "starting" | "running" | "lost" | "ended" | "stopped", words: string,
 *   can_move: boolean, film: boolean, board: string, blind: string, began: number | null}} Source
 *
 * @typedef {{id: string, version: number, by: string, opened: string, at: number, instants: number[],
 *   ruling: Ruling, asked: {by: string, ruling: Ruling}[],
 *   pictures: {name: string, about: string, media: string, words: string}[], facts: string[],
 *   decision: {way: string, outcome: Outcome, words: string} | null, seal: string | null, noted: string | null,
 *   subject: string | null, key: string | null, subjects: {key: string, words: string, more: string}[],
 *   remedies: {outcome: Outcome, words: string, goes: string[]}[], count: number | null,
 *   concerned: {player: string, here: boolean}[], proposal: Proposal | null, declined: string,
 *   trouble: string | null, may_act: boolean, may_decide: boolean, owner: boolean,
 *   may_withdraw: boolean, may_reopen: boolean, saves: boolean}} Dispute
 * @typedef {"yes" | "no"} Outcome
 * @typedef {{number: number, by: string, outcome: Outcome | null, rolled: number | null, note: string,
 *   missing: string[], mine: boolean}} Proposal
 * @typedef {{playing: boolean, restarted: boolean, subjects: {key: string, words: string, more: string}[],
 *   decided: {id: string, words: string, at: string, stands: boolean, seal: string, may_reopen: boolean}[]}} Offer
 *
 * @typedef {object} State
 * @property {"state"} type
 * @property {number} number
 * @property {number | null} time
 * @property {Selection} selection
 * @property {number | null} turn
 * @property {Bounds | null} bounds
 * @property {Table | null} table
 * @property {Piece[]} pieces
 * @property {{width: number, height: number, follows: boolean} | null} picture
 * @property {Source} source
 * @property {{since: number, until: number, width: number, words: string, pieces: {name: string, colour: string,
 *   outline: Outline, covered: number | null, words: string}[]} | null} road
 * @property {{at_s: number, rate: number, duration_s: number} | null} playback
 * @property {{fps: number, seeing: number, delay: number | null, words: string}} rates
 * @property {{residual: number, residual_words: string, note: string} | null} surface
 * @property {string[]} notices
 * @property {Event[]} events
 * @property {string} book
 * @property {Question[]} questions
 * @property {string | null} asked
 * @property {Mark[]} reach
 * @property {Ruling | null} ruling
 * @property {string | null} refusal
 * @property {Dispute | null} dispute
 * @property {{car: string, path: Outline, start: Outline, length_words: string, steps: string[]}[]} ways
 * @property {{name: string, shape: Outline, words: string}[]} things
 * @property {string[]} away
 *
 * @typedef {{type: "change", number: number, gone?: string[]} & Partial<Omit<State, "type" | "number">>} Change
 * @typedef {{type: "refused", about: string, error: string}} Refused
 */

export {};

/**
 * The messages of a played game, as the page knows them: docs/protocol.md describes them, and docs/contract.md
 * the types of a game that they hold.
 *
 * @typedef {[number, number]} Point
 * @typedef {(string | number)[]} Path
 * @typedef {"yes" | "no" | "too close to call"} Verdict
 * @typedef {{words: string, citation: string, open: boolean, question: string}} Reason
 * @typedef {{sides: number, why: string, faces: string[], by: string | null, counts: string[]}} WantedDie
 * @typedef {{type: "answer", key: string, number: number, accepted: boolean, error: string | null, reasons: Reason[],
 *   wanted: WantedDie[], given: (number | string)[], throw: string | null, proposed: string[], asks: string}} Answer
 *
 * @typedef {{words: string, more: string}} Fact
 * @typedef {{piece: string, key: string, number: number | null}} SheetPlace
 * @typedef {{value: any, words: string, more: string, not_now: Reason[], facts: Fact[], at: Point | null, leads: string, group: string,
 *   on?: SheetPlace | null, own?: boolean}} Candidate
 * @typedef {{type: string, words: string, more: string, usual: any, optional: boolean, folded: boolean,
 *   candidates?: Candidate[], least?: number, most?: number, low?: number, high?: number, whole?: boolean, unit?: string,
 *   faces?: string[], count?: number, by?: string | null, longest?: number, piece?: string, ordered?: boolean, at_once?: boolean, leads?: string[],
 *   on?: (SheetPlace | null)[]}} Input
 * @typedef {{fields: Record<string, Input>, note?: string, ready?: {words: string, answers: Record<string, any>, leads: string}[]}} Form
 * @typedef {{kind: string, words: string, pieces: string[], label: string, missing: string}} Question
 * @typedef {{kind: string, player: string | null, words: string, more: string, heading: string, heading_more: string,
 *   data: Record<string, any>, form: Form, citation: string, piece: string | null, facts: Fact[], question: Question | null,
 *   not_now: Reason[], sealed: string | null, main: boolean, ends: boolean, button: string, mine: boolean, on?: SheetPlace | null, vain?: boolean,
 *   reckoning: {figure: string, words: string, citation: string}[],
 *   measuring: {measured: boolean, may: boolean, happened: boolean, lacks: string, words: string, settled: string} | null}} Option
 * @typedef {{id: string, kind: string, words: string, facts: string[], waits: string, mine: boolean, own: boolean,
 *   act: Record<string, any> | null}} Proposal
 *
 * @typedef {WantedDie & {of: string | null, mine: boolean, typed: boolean}} ThrownDie
 * @typedef {{id: string, by: string, machine: boolean, own: boolean, may: boolean, back: boolean, waits: string[], dice: ThrownDie[]}} Throw
 *
 * @typedef {{marked: boolean, big: boolean, ends: boolean, words: string}} Box
 * @typedef {{words: string, holds: string, value: any, used: boolean, token?: string, key?: string}} Slot
 * @typedef {{type: string, words: string, more?: string, text?: string, used?: boolean, choices?: any[], path?: Path, key?: string,
 *   boxes?: Box[], value?: number, low?: number, high?: number, slots?: Slot[], columns?: number, moved_by?: string[], cards?: string[],
 *   hidden?: number}} Widget
 * @typedef {{title: string, owner: string | null, widgets: Widget[], piece: string | null, more: string, summary: string,
 *   note: string, out: boolean, by_hand: Widget[]}} Sheet
 * @typedef {{player: string, current: boolean, out: boolean, count: number | null, count_words: string}} Place
 * @typedef {{what: string, who: string, more: string, player: string | null, piece: string | null, order: Place[],
 *   over: boolean, winner: string | null}} Status
 * @typedef {{shape: string, role: string, points: Point[], words: string, radius: number, verdict: Verdict | null,
 *   piece: string | null}} Mark
 * @typedef {{piece: string, words: string, citation: string, right: boolean | null, outline: Point[],
 *   nose: Point[], turns: Point[][], taken_by: string | null, marks: Mark[]}} Ghost
 * @typedef {{piece: string, kind: string, player: string | null, phase: "ready" | "moving" | "rested" | "unseen",
 *   headline: string, words: string, verdict: Verdict | null, progress: {used: number, of: number, words: string} | null,
 *   steps: string[], facts: string[], reasons: {name: string, words: string, citation: string, verdict: Verdict}[],
 *   marks: Mark[], take: string, move: string | null, said: Record<string, any>}} Guide
 *
 * @typedef {{sides: number, shows: string, why: string, by: string | null, typed: boolean}} Die
 * @typedef {{number: number, batch: number, first: boolean, words: string, citation: string, tone: string, pieces: string[],
 *   undone: boolean, dice: Die[], measured: boolean | null}} LogLine
 * @typedef {{id: string, title: string, book: string, vehicles: string, players: [number, number], cutouts: boolean, lays: boolean, measures: boolean,
 *   boards: string[], simulated: string, start: boolean, what: string, lasts: string, level: string, prints: string, maker: string,
 *   found: string, link: string, hints: Record<string, string>}} Game
 * @typedef {{level: string, temper: string}} Machine
 * @typedef {{name: string, colour: string, machine: Machine | null}} DraftPlayer
 * @typedef {{name: string, owner: string, answers: Record<string, any>}} DraftPiece
 * @typedef {{game: string, players: DraftPlayer[], pieces: DraftPiece[], answers: Record<string, any>}} Draft
 * @typedef {{words: string, cells: string[], boxes: number[]}} CardRow
 * @typedef {{words: string, columns: string[], rows: CardRow[], at: number | null}} CardTable
 * @typedef {{words: string, side: string, steps: string[], at: number, notes: string[]}} CardEdge
 * @typedef {{title: string, owner: string | null, piece: string | null, more: string, table: CardTable | null, edges: CardEdge[],
 *   lines: Widget[], facts: Fact[], wrong: string[], places: string[]}} PlayCard
 * @typedef {{pieces: Record<string, Form>, game: Form, not_yet: Reason[], cards: Record<string, PlayCard>}} SetUpForm
 * @typedef {{dice: "roll" | "type", moves: "see" | "ask", questions: "see" | "ask", coach: boolean}} Modes
 * @typedef {{id: string, words: string, why: string, advice: string}} Declined
 * @typedef {{status: Status, options: Option[], sheets: Sheet[], ghosts: Ghost[], strays: {piece: string, words: string, mine: boolean, leads: string}[], proposals: Proposal[], declined?: Declined[], throws?: Throw[], marks: Mark[],
 *   chosen: {group: string, player: string, mine: boolean}[], reveals: string | null, may_concede: string[], undoable: string | null,
 *   redoable: string | null, lying: Die[], newest?: number, log: LogLine[]}} Match
 * @typedef {object} Play
 * @property {"play"} type
 * @property {number} number
 * @property {Game[]} games
 * @property {{id: string, where: string, reason: string}[]} broken
 * @property {Game} game
 * @property {"setup" | "match"} phase
 * @property {{role: string, player: string | null, owner: boolean, acts: boolean, may_undo: boolean, may_redo: boolean, may_retype: boolean}} me
 * @property {{player: string, colour: string, taken: boolean}[]} seats
 * @property {Draft} draft
 * @property {SetUpForm | null} setup
 * @property {Modes} modes
 * @property {Match | null} match
 * @property {Guide | null} guide
 * @property {{player: string, level: string, temper: string, headline: string, words: string, steps: string[], left: boolean}[]} machines
 * @property {string | null} trouble
 * @property {string | null} record  The game's id in the library.
 */

export {};

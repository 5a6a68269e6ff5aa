/**
 * The messages of a played game, as the page knows them. docs/protocol.md describes them.
 *
 * @typedef {{words: string, citation: string, open: boolean}} Reason
 * @typedef {{type: "answer", key: string, number: number, accepted: boolean, error: string | null, reasons: Reason[],
 *   wanted: {sides: number, why: string}[], given: number[]}} Answer
 * @typedef {{kind: string, player: string | null, words: string, data: Record<string, any>,
 *   mine: boolean}} Option
 * @typedef {{name: string, hardpoint: string, damage: number, short: number | null, maximum: number | null,
 *   special: string, droppable: boolean, words: string}} Weapon
 * @typedef {{number: number, marked: boolean, big: boolean, extra: boolean, ends: boolean}} Box
 * @typedef {{name: string, owner: string, brand: string, brand_words: string, weapons: Weapon[], speed: number,
 *   top_speed: number, armour: number, marked: number, tokens: number, spent: string[], status: string,
 *   penalty: number, track: Box[]}} Sheet
 * @typedef {{needed: number, chance: number, chance_words: string, damage: number, expected: number,
 *   modifiers: string[]}} Odds
 * @typedef {{name: string, role: string, verdict: string, words: string, citation: string}} ShotCheck
 * @typedef {{weapon: string, hardpoint: string, target: string, owner: string, speed: number, lawful: boolean,
 *   open: boolean, seen: boolean, reasons: Reason[], checks: ShotCheck[], band: string, tailgate: boolean,
 *   reached: string[], bursts: boolean, special: string, odds: {accuracy: Odds, damage: Odds}}} Shot
 * @typedef {{number: number, batch: number, kind: string, words: string, citation: string, undone: boolean}} LogLine
 * @typedef {{name: string, colour: string}} DraftPlayer
 * @typedef {{name: string, owner: string, brand: string, primary: string, secondary: string, speed: number | null}} DraftCar
 * @typedef {{players: DraftPlayer[], cars: DraftCar[], first: string | null, deployment: string | null,
 *   house: Record<string, any>}} Draft
 * @typedef {{dice: "roll" | "type", shots: "see" | "ask", moves: "see" | "ask", places: "see" | "ask"}} Modes
 * @typedef {{state: any, sheets: Sheet[], options: Option[], undoable: string | null, redoable: string | null,
 *   log: LogLine[], shots: Shot[] | null, ghosts: {car: string, kind: string, outline: [number, number][], right: boolean}[]}} Match
 * @typedef {object} Play
 * @property {"play"} type
 * @property {number} number
 * @property {string} game
 * @property {"setup" | "match"} phase
 * @property {{role: string, player: string | null, owner: boolean, acts: boolean, may_undo: boolean}} me
 * @property {{player: string, colour: string, taken: boolean}[]} seats
 * @property {Draft} draft
 * @property {{brands: {name: string, words: string}[], weapons: Weapon[], deployments: {name: string, words: string}[],
 *   house: {name: string, title: string, words: string, default: any, choices: string[]}[]}} catalogue
 * @property {Modes} modes
 * @property {Match | null} match
 * @property {any} driving
 * @property {string | null} trouble
 */

export {};

/** The timeline: where the game is, its marks, and the buttons that move through it. */

import { dayAndHour } from "../common/dom.js";
import { patiently } from "../common/patient.js";
import { byId, el, keyed, say, set } from "../common/svg.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {{number: number, at_s: number, kind: string, words: string, verdict: string | null}} Mark */

const WIDTH = 1000;
const HEIGHT = 30;
/** Marks nearer to each other than this, in thousandths of the line, are drawn once. */
const APART = 2;
/** Of a game that goes on the marks are asked for again so many milliseconds after it has grown. */
const AGAIN_MS = 3000;

export class Playback {
  /**
   * @param {string} game
   * @param {{seek: (at_s: number) => void, play: (rate: number) => void,
   *   step: (by: "frame" | "event", forward: boolean) => void, told: (words: string | null) => void,
   *   link: (at_s: number) => string, grown: () => void}} does  `grown`: more of it has been recorded.
   */
  constructor(game, does) {
    this.game = game;
    this.does = does;
    /** @type {HTMLInputElement} */
    this.range = byId("at");
    /** @type {HTMLSelectElement} */
    this.rates = byId("rate");
    /** What the server said last, and when: between two messages the time goes on by itself. */
    this.known = { at_s: 0, rate: 0, heard: 0 };
    this.duration = 0;
    this.dragging = false;
    this.marks = /** @type {Mark[]} */ ([]);
    /** Asks for the marks again; 0 while nothing does. */
    this.again = 0;
    this.listen();
    this.fetchMarks();
    const beat = () => {
      this.show();
      requestAnimationFrame(beat);
    };
    requestAnimationFrame(beat);
  }

  /** The game's time that is shown now. */
  get at_s() {
    const { at_s, rate, heard } = this.known;
    return Math.min(at_s + (rate * (performance.now() - heard)) / 1000, this.duration);
  }

  /** Whether the game stands still. */
  get standing() {
    return this.known.rate === 0;
  }

  listen() {
    this.range.addEventListener("input", () => {
      this.dragging = true;
      this.go(Number(this.range.value));
    });
    this.range.addEventListener("change", () => {
      this.dragging = false;
    });
    byId("play").addEventListener("click", () => this.toggle());
    this.rates.addEventListener("change", () => {
      if (!this.standing) this.does.play(Number(this.rates.value));
    });
    for (const by of /** @type {const} */ (["frame", "event"])) {
      byId(`${by}-back`).addEventListener("click", () => this.does.step(by, false));
      byId(`${by}-on`).addEventListener("click", () => this.does.step(by, true));
    }
    byId("copy").addEventListener("click", () => this.copy());
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  toggle() {
    this.does.play(this.standing ? Number(this.rates.value) : 0);
  }

  /** @param {number} at_s */
  go(at_s) {
    this.known = { ...this.known, at_s, heard: performance.now() };
    this.does.seek(at_s);
  }

  async copy() {
    const address = this.does.link(this.at_s);
    try {
      await navigator.clipboard.writeText(address);
      this.does.told("The link to this moment has been copied.");
    } catch {
      this.does.told(`The link to this moment is ${address}`);
    }
    setTimeout(() => this.does.told(null), 3000);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const busy = event.target instanceof HTMLElement && event.target.closest("button, select, input, #car-list, #feed");
    if (event.ctrlKey || event.altKey || event.metaKey || (busy && event.target !== this.range)) return;
    if (event.key === " ") this.toggle();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      this.does.step(event.shiftKey ? "event" : "frame", event.key === "ArrowRight");
    } else return;
    event.preventDefault();
  }

  async fetchMarks() {
    const answer = await patiently(`/api/games/${encodeURIComponent(this.game)}`);
    const told = await answer.json();
    if (!answer.ok) {
      this.does.told(told.error);
      return;
    }
    const title = titleOf(told.game);
    say(byId("game-name"), `${title}, ${dayAndHour(told.game.began)}`);
    document.title = `${title}: tableref replay`;
    this.marks = told.marks;
    this.drawMarks();
  }

  grow() {
    this.again = 0;
    this.fetchMarks();
    this.does.grown();
  }

  /** @param {State} state */
  draw(state) {
    if (!state.playback || state.time === null) return;
    const moved = this.duration !== state.playback.duration_s;
    if (moved && this.duration) this.again ||= setTimeout(() => this.grow(), AGAIN_MS);
    this.duration = state.playback.duration_s;
    const was = this.standing;
    this.known = { at_s: state.time, rate: state.playback.rate, heard: performance.now() };
    if (moved) {
      this.range.max = String(this.duration);
      this.drawMarks();
    }
    set(byId("play-icon"), { href: this.standing ? "#i-play" : "#i-pause" });
    set(byId("play"), { "aria-label": this.standing ? "Play" : "Stop" });
    if (this.standing && !(was && this.dragging)) this.does.link(this.at_s);
  }

  show() {
    const at_s = this.at_s;
    if (!this.dragging) this.range.value = String(at_s);
    const words = `${clock(at_s)} of ${clock(this.duration)}`;
    say(byId("clock"), `${clock(at_s, 1)} / ${clock(this.duration)}`);
    set(this.range, { "aria-valuetext": words });
  }

  /** Disputes stand in the upper half, attacks and what was ruled in the lower; of many in one place one is drawn. */
  drawMarks() {
    if (!this.duration) return;
    const last = /** @type {Record<string, number>} */ ({});
    const shown = [];
    for (const mark of this.marks) {
      const x = (WIDTH * mark.at_s) / this.duration;
      const sort = `${mark.kind} ${mark.verdict ?? ""}`;
      if (x - (last[sort] ?? -APART) < APART && mark.kind !== "turn") continue;
      last[sort] = x;
      shown.push({ ...mark, x });
    }
    keyed(
      byId("marks"),
      shown,
      (m) => String(m.number),
      () => el("line"),
      (node, m) => {
        const [y1, y2] = { attack: [15, HEIGHT], ruling: [15, HEIGHT], decision: [15, HEIGHT], dispute: [0, 16] }[m.kind] ?? [0, HEIGHT];
        // What a dispute is about was ruled, too; on the line it is a dispute, as the legend has it.
        set(node, { x1: m.x, x2: m.x, y1, y2, class: m.kind, "data-verdict": (m.kind === "ruling" && m.verdict) || "" });
      },
    );
  }
}

/**
 * @param {number} seconds
 * @param {number} [digits]
 */
export function clock(seconds, digits = 0) {
  const part = 10 ** digits;
  const whole = Math.floor(Math.max(0, seconds) * part + 1e-6) / part;
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = (whole % 60).toFixed(digits).padStart(digits ? 3 + digits : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/**
 * What a recorded game is called: its own name, else what was played and by whom, as many are played at one table.
 * @param {{name: string, table: string, players: string[], game: string | null}} about
 */
export function titleOf({ name, table, players, game }) {
  return name === table && game !== null && players.length ? `${game}: ${players.join(", ")}` : name;
}

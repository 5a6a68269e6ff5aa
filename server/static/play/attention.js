/** Draws the eye to what is new: a question that is put to whoever looks, and where on the table it plays. */

import { byId } from "../common/svg.js";
import { plain } from "./marks.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("../common/types.js").State} State */
/** @typedef {import("../common/types.js").Point} Point */

/** What stays in view at the head and at the foot of what scrolls. */
const STAYS = ["turn", "pin"];

/** Milliseconds for which a phone trembles. */
const TREMBLES = 60;

export class Attention {
  /**
   * @param {HTMLElement} aside  What scrolls.
   * @param {HTMLElement} now  Where the question stands.
   */
  constructor(aside, now) {
    this.aside = aside;
    this.now = now;
    /** What is asked of whoever looks, as last told; null before anything was. @type {string | null} */
    this.asked = null;
    /** The move that rests and that whoever looks may take, as last told. */
    this.rests = "";
    const free = new ResizeObserver(() => this.leaveFree());
    for (const node of [aside, ...STAYS.map(byId)]) free.observe(node);
  }

  /** What is brought into view, as by the Tab key, lies between what stays at the head and at the foot. */
  leaveFree() {
    const padding = STAYS.map((id) => `${byId(id).offsetHeight}px`).join(" ");
    const page = getComputedStyle(this.aside).overflowY === "visible";
    this.aside.style.scrollPaddingBlock = page ? "" : padding;
    document.documentElement.style.scrollPaddingBlock = page ? padding : "";
  }

  /**
   * Where a piece comes to rest, whoever may take the move sees what is made of it.
   * @param {Play} play
   */
  rest({ guide, me }) {
    const mine = me.acts && (me.owner || guide?.player === null || guide?.player === me.player);
    const rests = mine && guide?.phase === "rested" ? `${guide.piece} ${guide.move}` : "";
    if (rests && rests !== this.rests) this.aside.scrollTo({ top: 0 });
    this.rests = rests;
  }

  /**
   * A new question comes into view. A phone that did not bring it about trembles once.
   * @param {Play} play
   * @param {boolean} acting  Whether it follows from what is being done here.
   */
  heed(play, acting) {
    const asked = askedOf(play);
    const fresh = this.asked !== null && asked !== "" && asked !== this.asked;
    const called = this.asked === "";
    this.asked = asked;
    if (!fresh || acting) return;
    this.show();
    // A page that nobody has touched yet may not, and the browser complains.
    if (called && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(TREMBLES);
  }

  /**
   * The question under the line that says whose turn it is; what came before it stays above where there is room,
   * and what is made of a move that rests always.
   */
  show() {
    if (this.rests) return this.aside.scrollTo({ top: 0 });
    const [box, seen] = [this.now.getBoundingClientRect(), this.aside.getBoundingClientRect()];
    const pin = this.aside.querySelector("#pin")?.getBoundingClientRect().height ?? 0;
    const top = this.aside.scrollTop + box.top - seen.top;
    const head = /** @type {HTMLElement | null} */ (this.aside.querySelector("#turn"))?.offsetHeight ?? 0;
    const room = seen.height - pin;
    const fits = top + Math.min(box.height, room / 2) <= room;
    this.aside.scrollTo({ top: fits ? 0 : Math.max(top - head - GAP, 0) });
  }
}

/** Pixels between the line that stays and the question. */
const GAP = 8;

/**
 * What is asked of whoever looks: what they may do, without what changes while they look.
 * @param {Play} play
 */
function askedOf({ match, me, machines }) {
  if (!match || !me.acts || match.status.over) return "";
  const played = new Set(machines.map((m) => m.player));
  const mine = match.options.filter((o) => o.mine && !played.has(String(o.player))).map((o) => `${o.kind} ${o.player} ${o.heading}`);
  const dice = (match.throws ?? []).filter((t) => !t.own && t.dice.some((die) => die.mine && !die.typed));
  const found = [...new Set([...mine, ...[...match.proposals.filter((p) => p.mine && !p.own), ...dice].map(({ id }) => id)])];
  return found.length ? JSON.stringify(found.sort()) : "";
}

/**
 * Whether something on the table is to be pushed, put right, tapped or looked at.
 * @param {Play} play
 * @param {unknown[]} places  That may be picked by a tap.
 */
export function onTheTable({ match, guide, me }, places) {
  if (!match || match.status.over) return true;
  if (guide || places.length || match.strays.length || match.ghosts.some((g) => g.right === false)) return true;
  // A tap on a piece is as good as on its button.
  return me.acts && match.options.some((o) => o.mine && o.piece !== null && o.words === o.piece);
}

/**
 * Where on the table it plays: the pieces that are asked about, else the one whose turn it is, else those of whoever
 * acts, else one's own.
 * @param {Play} play
 * @param {State | null} table
 * @param {string[]} asked
 * @returns {Point[]}
 */
export function plays({ match, draft, me }, table, asked) {
  const whose = match?.status.player ?? me.player;
  const own = match?.status.piece ? [match.status.piece] : draft.pieces.filter((p) => whose === null || p.owner === whose).map((p) => p.name);
  const about = new Set((asked.length ? asked : own).map(plain));
  return (table?.pieces ?? []).filter((p) => p.shape && about.has(plain(p.name))).flatMap((p) => p.shape?.base ?? []);
}

/**
 * Where anything that plays stands: what else is on the table need not be seen well.
 * @param {Play} play
 * @param {State | null} table
 * @returns {Point[]}
 */
export function everyone({ draft }, table) {
  const known = new Set(draft.pieces.map((p) => plain(p.name)));
  return (table?.pieces ?? []).filter((p) => p.shape && known.has(plain(p.name))).flatMap((p) => p.shape?.base ?? []);
}

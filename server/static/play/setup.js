/** Setting a game up: which one, players in their order, pieces as they are put down, and the game's forms. */

import { forget, h, listed, rebuild, sentence } from "../common/dom.js";
import { unplayable } from "../common/film.js";
import { fields } from "./forms.js";
import { COACH } from "./modes.js";
import { plain } from "./marks.js";
import { chooseSeat } from "./options.js";
import { playCard } from "./playcard.js";

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Draft} Draft */
/** @typedef {import("./playtypes.js").DraftPiece} DraftPiece */
/** @typedef {import("../common/types.js").State} State */

const COLOURS = ["#c8322b", "#1f6fd0", "#d99a00", "#2e8b57", "#8e44ad", "#e0651a", "#0b8494", "#6b4a3a", "#d6478f", "#7a8b1c", "#26306b", "#6f7f8a"];

/** Colours by the words that players are called by: Green has green cars. @type {Record<string, string>} */
const CALLED = { red: COLOURS[0], blue: COLOURS[1], gold: COLOURS[2], yellow: COLOURS[2], green: COLOURS[3], purple: COLOURS[4], orange: COLOURS[5], brown: COLOURS[7] };

/**
 * A colour for one more player: the one that the name says, else the next that nobody has.
 * @param {string} name
 * @param {string[]} used
 */
function colourFor(name, used) {
  const called = CALLED[name.trim().toLowerCase()];
  const free = COLOURS.filter((c) => !used.includes(c));
  return (free.includes(called) ? called : free[0]) ?? COLOURS[used.length % COLOURS.length];
}

/** How well tableref plays, and what it cares for: as `engine/driver/characters.py` names them. */
const LEVELS = { learner: "a learner", fair: "fair", hard: "hard" };
const TEMPERS = { even: "even", reckless: "reckless", careful: "careful", vengeful: "vengeful" };

export class SetUpPanel {
  /**
   * @param {HTMLElement} node
   * @param {any} does
   */
  constructor(node, does) {
    this.node = node;
    this.does = does;
    /** The piece that is asked about, by a tap on the table. */
    this.picked = "";
    /** @type {Play | null} */
    this.play = null;
    /** @type {State | null} */
    this.table = null;
    /** What was changed here and is not confirmed. @type {((draft: Draft) => void)[]} */
    this.changes = [];
    /** What the server is asked to change now: a state that holds the change may be here before its answer. @type {Draft | null} */
    this.asked = null;
    this.confirmed = { number: -1, draft: /** @type {Draft} */ ({}) };
  }

  /** The page is connected anew: what was confirmed is in what it is shown, whatever its number was. */
  anew() {
    this.confirmed = { number: -1, draft: /** @type {Draft} */ ({}) };
  }

  /**
   * @param {Play} play
   * @param {State | null} table
   */
  draw(play, table) {
    // The state that holds what was confirmed may be on its way still.
    this.play = play.number < this.confirmed.number ? { ...play, ...this.confirmed } : play;
    this.table = table;
    if (this.changes.length) this.send();
    const shown = { ...play, draft: this.changed(this.asked ?? this.play.draft) };
    const pieces = this.seen().map((p) => [p.name, p.status, p.model, p.owner]);
    rebuild(this.node, ["setup", shown.draft, shown.setup, play.game, play.games, play.broken, play.seats, play.me, play.modes, pieces, this.picked, table && unplayable(table, play)], () => this.make(shown));
  }

  /** @param {string} name */
  pick(name) {
    this.picked = name;
    if (this.play) this.draw(this.play, this.table);
    this.node.querySelector(`[data-piece="${CSS.escape(name)}"]`)?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  /** What stands on the table; before the first picture of another source that is not known. */
  seen() {
    if (this.table?.source.state === "starting") return [];
    return (this.table?.pieces ?? []).filter((p) => p.driven);
  }

  /**
   * Changes the set-up: shown at once, and asked of the server one after the other.
   * @param {(draft: Draft) => void} change
   */
  change(change) {
    this.changes.push(change);
    if (this.play) this.draw(this.play, this.table);
  }

  /**
   * The set-up with what the server has not confirmed yet.
   * @param {Draft} draft
   */
  changed(draft) {
    const after = structuredClone(draft);
    for (const change of this.changes) change(after);
    return after;
  }

  async send() {
    if (this.asked || !this.play || !this.changes.length) return;
    const { draft: before, number } = this.play;
    this.asked = before;
    const sent = this.changes.length;
    const draft = this.changed(before);
    const request = { type: "setup", draft, before };
    const answer = await this.does.tell(request);
    this.asked = null;
    if (answer.accepted) {
      this.changes.splice(0, sent);
      this.confirmed = { number: answer.number, draft };
    } else if (answer.number <= number) {
      // Not because somebody else was faster: then it would be asked again, on what is there now.
      this.changes = [];
      this.does.settle(request, answer);
      forget(this.node);
    }
    if (this.play) this.draw(this.play, this.table);
  }

  /** @param {Play} play */
  make(play) {
    const { me, draft } = play;
    if (me.role === "player" && !me.player) return [chooseSeat(play, this.does)];
    if (!me.owner) return [h("h2", {}, me.player ? `${me.player}, your choice` : "The game is being set up"), this.pieces(play)];
    return [draft.players.length === 0 && this.alone(play), this.games(play), this.players(draft), this.pieces(play), this.rules(play), this.begin(play)];
  }

  /** Which game is played. @param {Play} play */
  games({ games, broken, game }) {
    const choose = (/** @type {string} */ id) => this.change((d) => {
      d.game = id;
      d.answers = {};
      for (const piece of d.pieces) piece.answers = {};
    });
    return h(
      "div.group",
      {},
      h("h2", {}, "1 · Which game"),
      h("div.grid", { role: "group", "aria-label": "Game" }, [...games].sort((a, z) => Number(z.start) - Number(a.start)).map((g) =>
        h("button.deed", { type: "button", "aria-pressed": String(g.id === game.id), data: { game: g.id, focus: `game ${g.id}` }, onclick: () => g.id !== game.id && choose(g.id) }, h("strong", {}, g.title, g.start && h("span.start", {}, "start here")), g.what && h("span.small.what", {}, g.what), h("span.small", {}, [seats(g.players), g.lasts, g.level].filter(Boolean).join(" · "))))),
      this.book(game),
      broken.map((b) => h("p.small.broken", { data: { broken: b.id } }, h("strong", {}, `${b.id} cannot be played`), ` (from ${b.where}): ${b.reason}`)),
    );
  }

  /** What is needed for the game that is chosen, and where its book is to be had. @param {import("./playtypes.js").Game} game */
  book({ book, maker, found, link, prints }) {
    if (!found && !prints) return null;
    return h(
      "dl.book",
      {},
      found && [h("dt", {}, "The book"), h("dd", {}, `${book}, by ${maker}. ${sentence(found)}. `, link && h("a", { href: link, target: "_blank", rel: "noreferrer" }, "Look at it"))],
      prints && [h("dt", {}, "To print"), h("dd", {}, `For a table of your own ${prints}.`)],
    );
  }

  /** @param {Draft} draft */
  players(draft) {
    const swap = (/** @type {number} */ a, /** @type {number} */ b) => this.change((d) => { [d.players[a], d.players[b]] = [d.players[b], d.players[a]]; });
    const rows = draft.players.map((p, k) =>
      h(
        "li.player",
        {},
        h("input", { type: "color", value: p.colour, "aria-label": `Colour of ${p.name}`, data: { focus: `colour ${k}` }, onchange: (/** @type {any} */ e) => this.change((d) => { d.players[k].colour = e.target.value; }) }),
        h("input", { type: "text", value: p.name, maxlength: "40", autocomplete: "off", "aria-label": `Name of player ${k + 1}`, data: { focus: `player ${k}` }, onchange: (/** @type {any} */ e) => this.rename(k, e.target.value.trim()) }),
        h("button.quiet", { type: "button", disabled: k === 0, "aria-label": `${p.name} one seat to the left`, title: "One seat to the left", onclick: () => swap(k, k - 1) }, "↑"),
        h("button.quiet", { type: "button", disabled: k === draft.players.length - 1, "aria-label": `${p.name} one seat to the right`, title: "One seat to the right", onclick: () => swap(k, k + 1) }, "↓"),
        h("button.quiet", { type: "button", "aria-label": `${p.name} does not play`, title: "Does not play", onclick: () => this.remove(k) }, "✕"),
        this.playedBy(p, k),
      ),
    );
    return h(
      "div.group",
      {},
      h("h2", {}, "2 · Who plays"),
      h("p.soft", {}, "From top to bottom, each sits to the right of the one above."),
      h("ol.players", {}, rows),
      draft.players.length === 0 && this.asTheFileSays(),
      h("form.row", { onsubmit: (/** @type {any} */ e) => { e.preventDefault(); const name = e.target.elements.name.value.trim(); e.target.reset(); this.add(name); } },
        h("input", { type: "text", name: "name", maxlength: "40", autocomplete: "off", placeholder: "Name", "aria-label": "Name of another player", data: { focus: "new player" } }),
        h("button", { type: "submit" }, "Add player")),
    );
  }

  /**
   * Whether a person plays here or tableref does, and how.
   * @param {import("./playtypes.js").DraftPlayer} p
   * @param {number} k
   */
  playedBy({ name, machine }, k) {
    const put = (/** @type {{level: string, temper: string} | null} */ value) => this.change((d) => { d.players[k].machine = value; });
    const level = machine?.level ?? "";
    return h("span.by", {},
      h("select", { "aria-label": `Who plays ${name}`, data: { focus: `by ${k}` }, onchange: (/** @type {any} */ e) => put(e.target.value ? { level: e.target.value, temper: machine?.temper ?? "even" } : null) },
        h("option", { value: "", selected: !level }, "a person"),
        Object.entries(LEVELS).map(([value, words]) => h("option", { value, selected: level === value }, `tableref, ${words}`))),
      machine && h("select", { "aria-label": `Temperament of ${name}`, data: { focus: `temper ${k}` }, onchange: (/** @type {any} */ e) => put({ level, temper: e.target.value }) },
        Object.entries(TEMPERS).map(([value, words]) => h("option", { value, selected: machine.temper === value }, words))));
  }

  /**
   * One tap for a game against tableref, with what the table file knows: the first player is whoever taps.
   * @param {Play} play
   */
  alone(play) {
    const { game } = play;
    const { owners, owned } = this.owners();
    if (owners.length < 2 || (this.table && unplayable(this.table, play))) return null;
    const most = game.players[1];
    const playing = owners.slice(0, most);
    const begin = async () => {
      const before = this.play?.draft;
      /** @type {string[]} */
      const colours = [];
      for (const name of playing) colours.push(colourFor(name, colours));
      const players = playing.map((name, k) => ({ name, colour: colours[k], machine: k ? { level: "fair", temper: "even" } : null }));
      const pieces = owned.filter((p) => playing.includes(String(p.owner))).map((p) => ({ name: p.name, owner: p.owner, answers: {} }));
      const request = { type: "setup", draft: { ...before, players, pieces }, before };
      const answer = await this.does.tell(request);
      if (answer.accepted) this.does.ask({ type: "begin" });
      else this.does.settle(request, answer);
    };
    return h("div.group", {}, h("button.deed.main", { type: "button", id: "alone", onclick: begin }, h("strong", {}, "Play against tableref"), h("span.small", {}, `${game.title}: you are ${playing[0]}; it plays ${playing.slice(1).join(", ")}`)));
  }

  /** Who owns what of the pieces on the table, as its file says. */
  owners() {
    const owned = this.seen().filter((p) => p.owner);
    return { owned, owners: [...new Set(owned.map((p) => /** @type {string} */ (p.owner)))] };
  }

  /** One tap for what the table file knows already: who plays, and whose each car is. */
  asTheFileSays() {
    const { owned, owners } = this.owners();
    if (owners.length < 2) return null;
    const words = `${listed(owners)} play, each with what is theirs`;
    return h("button.deed", { type: "button", id: "as-filed", onclick: () => this.takeOwners(owners, owned) }, h("strong", {}, words), h("span.small", {}, "as the table was set up"));
  }

  /**
   * @param {string[]} owners
   * @param {import("../common/types.js").Piece[]} owned
   */
  takeOwners(owners, owned) {
    for (const owner of owners) this.add(owner);
    for (const piece of owned) this.assign(piece.name, piece.owner);
  }

  /** @param {string} name */
  add(name) {
    this.change((d) => {
      const colour = colourFor(name, d.players.map((p) => p.colour));
      d.players.push({ name: name || `Player ${d.players.length + 1}`, colour, machine: null });
    });
  }

  /**
   * @param {number} k
   * @param {string} name
   */
  rename(k, name) {
    if (!name) return;
    this.change((d) => {
      const before = d.players[k].name;
      d.players[k].name = name;
      for (const piece of d.pieces) if (piece.owner === before) piece.owner = name;
      // Whatever was answered with the name is asked again.
      for (const [field, value] of Object.entries(d.answers)) if (value === before) delete d.answers[field];
    });
  }

  /** @param {number} k */
  remove(k) {
    this.change((d) => {
      const [gone] = d.players.splice(k, 1);
      d.pieces = d.pieces.filter((p) => p.owner !== gone.name);
      for (const [field, value] of Object.entries(d.answers)) if (value === gone.name) delete d.answers[field];
    });
  }

  /** @param {Play} play */
  pieces(play) {
    const { draft, me } = play;
    const known = new Map(draft.pieces.map((p) => [plain(p.name), p]));
    const seen = this.seen();
    const here = new Map(seen.map((p) => [plain(p.name), p]));
    const names = [...new Map([...seen, ...draft.pieces].map((p) => /** @type {[string, string]} */ ([plain(p.name), p.name]))).values()];
    const shown = me.owner ? names : names.filter((n) => !me.player || known.get(plain(n))?.owner === me.player);
    const kind = play.game.vehicles;
    return h(
      "div.group",
      {},
      me.owner && h("h2", {}, "3 · Whose is what"),
      me.owner && h("p.soft", {}, !names.length ? `Put a ${kind} down on the table and it appears here.` : draft.players.length ? `Put a ${kind} down and it appears here. Tap its player.` : "These stand on the table. Name the players first."),
      h("ul.cars", {}, shown.map((name) => this.piece(name, known.get(plain(name)), here.get(plain(name)), play))),
      me.owner && h("form.row", { onsubmit: (/** @type {any} */ e) => { e.preventDefault(); const name = e.target.elements.piece.value.trim(); e.target.reset(); this.addPiece(name); } },
        h("input", { type: "text", name: "piece", maxlength: "80", autocomplete: "off", placeholder: `A ${kind} without a tag`, "aria-label": `Name of a ${kind} without a tag` }),
        h("button", { type: "submit" }, `Add ${kind}`)),
    );
  }

  /**
   * @param {string} name
   * @param {DraftPiece | undefined} piece
   * @param {import("../common/types.js").Piece | undefined} seen
   * @param {Play} play
   */
  piece(name, piece, seen, { draft, setup, me }) {
    const colour = draft.players.find((p) => p.name === piece?.owner)?.colour;
    const form = piece && (me.owner || me.player === piece.owner) ? setup?.pieces[piece.name] : undefined;
    return h(
      "li.carcard",
      { style: colour ? { "--colour": colour } : {}, data: { piece: name, owned: String(Boolean(piece)), picked: String(this.picked === name) } },
      h("div.head", {}, h("strong", {}, name), h("span.small", {}, !seen ? "not on the table" : seen.model === "custom" ? "on the table" : seen.model || "on the table"), form?.note && h("span.small.note", {}, form.note)),
      me.owner && h("div.picks", { role: "group", "aria-label": `Whose is ${name}?` }, draft.players.map((p) =>
        h("button.pick", { type: "button", "aria-pressed": String(piece?.owner === p.name), style: { "--colour": p.colour }, data: { focus: `${name} ${p.name}` }, onclick: () => this.assign(name, piece?.owner === p.name ? null : p.name) }, p.name))),
      form && piece && h("div.arms", {}, fields(form, piece.answers, (field, value) => this.arm(piece.name, field, value), { about: name, fold: "More", stays: true })),
      form && piece && setup?.cards[piece.name] && playCard(setup.cards[piece.name]),
    );
  }

  /**
   * @param {string} name
   * @param {string} field
   * @param {any} value
   */
  arm(name, field, value) {
    this.change((d) => answer(d.pieces.find((p) => p.name === name)?.answers, field, value));
  }

  /**
   * @param {string} name
   * @param {string | null} owner
   */
  assign(name, owner) {
    this.picked = "";
    this.change((d) => {
      const piece = d.pieces.find((p) => plain(p.name) === plain(name));
      if (owner === null) d.pieces = d.pieces.filter((p) => p !== piece);
      else if (piece) piece.owner = owner;
      else d.pieces.push({ name, owner, answers: {} });
    });
  }

  /** @param {string} name */
  addPiece(name) {
    const owner = this.play?.draft.players[0]?.name;
    if (name && owner) this.assign(name, owner);
  }

  /** The form of the game. @param {Play} play */
  rules({ draft, setup, game, modes }) {
    if (!setup) return null;
    const set = (/** @type {string} */ field, /** @type {any} */ value) => this.change((d) => answer(d.answers, field, value));
    return h("div.group.rules", {}, h("h2", {}, "4 · How it is played"), game.lays && h("p", {}, h("a", { href: "/lay" }, "Lay a map of your own")), fields(setup.game, draft.answers, set, { fold: "House rules", stays: true }), this.coach(modes, game));
  }

  /**
   * Whether the coach may be asked in this game: a house switch.
   * @param {import("./playtypes.js").Modes} modes
   * @param {import("./playtypes.js").Game} game
   */
  coach(modes, game) {
    const put = (/** @type {any} */ e) => this.does.ask({ type: "modes", modes: { ...modes, coach: e.target.checked } });
    return h("div.coach-switch", {},
      h("label.tick", {}, h("input", { type: "checkbox", checked: modes.coach, data: { focus: "coach" }, onchange: put }), "A coach"),
      h("p.soft", {}, game.measures ? `${COACH}. All are shown that it is on.` : "The book hides distances: the coach answers once the game is over, in the replay."));
  }

  /** @param {Play} play */
  begin({ setup, game }) {
    const why = setup?.not_yet ?? [];
    return h(
      "div.group.begin",
      {},
      why.map((reason) => h("p.soft", { title: reason.citation }, sentence(reason.words))),
      h("div.row", {}, h("button.deed.main", { type: "button", id: "begin", disabled: why.length > 0, onclick: () => this.does.ask({ type: "begin" }) }, "Begin the game"), h("a", { href: "/api/play/sheets.pdf", target: "_blank" }, Object.keys(setup?.cards ?? {}).length ? "Print the cards to play from" : "Print empty sheets"), game.cutouts && h("a", { href: "/api/play/counters.pdf", target: "_blank" }, "Print counters")),
    );
  }
}

/**
 * How many play a game, in words.
 * @param {[number, number]} players
 */
function seats([fewest, most]) {
  return fewest === most ? `${most} players` : `${fewest} to ${most} players`;
}

/**
 * Puts an answer where it belongs; null takes it back.
 * @param {Record<string, any> | undefined} answers
 * @param {string} field
 * @param {any} value
 */
function answer(answers, field, value) {
  if (!answers) return;
  if (value === null) delete answers[field];
  else answers[field] = value;
}

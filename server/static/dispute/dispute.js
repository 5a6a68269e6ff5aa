/** The dispute: what is frozen on every screen, to look at, to ask about, and to decide. */

import { hour } from "../common/dom.js";
import { askAgain, patiently } from "../common/patient.js";
import { QuestionForm, questionsAt } from "./asking.js";
import { ChooseDialog, rows } from "./choose.js";
import { FORM } from "./disputeform.js";
import { drawn, widthOf } from "../common/gunner.js";
import { SettlePanel } from "./settle.js";
import { byId, keyed, say, set } from "../common/svg.js";
import { Zoom } from "./zoom.js";

/** @typedef {import("../common/types.js").State} State */
/** @typedef {import("../common/types.js").Dispute} Dispute */
/** @typedef {import("../common/types.js").Ruling} Ruling */
/** @typedef {{key: string, label: string, src: string, words: string, marks?: string, fine?: boolean}} Sight */

const SEATS = /** @type {const} */ (["left", "right", "turret"]);
const SEAT_WORDS = { left: "Left tyre", right: "Right tyre", turret: "Turret" };

export class DisputeDialog {
  /** @param {(error: string) => void} refused */
  constructor(refused) {
    this.refused = refused;
    document.body.insertAdjacentHTML("beforeend", FORM);
    this.dialog = /** @type {HTMLDialogElement} */ (byId("dispute"));
    this.picture = /** @type {HTMLImageElement} */ (byId("pane-picture"));
    this.marks = /** @type {HTMLImageElement} */ (byId("pane-marks"));
    askAgain(this.picture);
    askAgain(this.marks);
    this.zoom = new Zoom(byId("pane"), byId("pane-inside"));
    /** @type {State | null} */
    this.state = null;
    /** The dispute that was hidden on this screen. */
    this.hidden = "";
    /** What was drawn last: id, version and unit. */
    this.drawnOf = "";
    this.version = 0;
    /** What the pictures are of, and the version since which they are. */
    this.picturesOf = "";
    this.picturesSince = 0;
    /** The dispute that was ended from here, of which a message may still be under way. */
    this.released = "";
    /** Which of the other questions is looked at; null is the one in dispute. */
    this.asked = /** @type {number | null} */ (null);
    this.chosen = "";
    const act = (/** @type {string} */ step, /** @type {object} */ body) => this.act(step, body);
    this.chooser = new ChooseDialog(act);
    this.settle = new SettlePanel(act);
    this.form = new QuestionForm("ask", (pieces) => questionsAt(`/api/disputes/${this.state?.dispute?.id}/questions`, this.state?.selection.unit ?? "in", pieces));
    /** A screen that only shows has no button. */
    this.button = document.getElementById("dispute-open");
    this.button?.addEventListener("click", () => this.open());
    // Told at once: a message that comes before the dialog's own word that it is closed would open it again.
    const hide = () => (this.hidden = this.state?.dispute?.id ?? "");
    byId("dispute-hide").addEventListener("click", () => {
      hide();
      this.dialog.close();
    });
    this.dialog.addEventListener("cancel", hide);
    this.dialog.addEventListener("close", () => this.dialog.open || hide());
    byId("pane-in").addEventListener("click", () => this.zoom.by(1.6));
    byId("pane-out").addEventListener("click", () => this.zoom.by(1 / 1.6));
    byId("pane-fit").addEventListener("click", () => this.zoom.fit());
    byId("pane-lines").addEventListener("change", () => this.look());
    byId("ask-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.act("now/ask", this.form.asked());
    });
    byId("ask-instead").addEventListener("click", () => this.act("now/about", this.form.asked()));
    byId("dispute-release").addEventListener("click", () => this.act("now/release", {}));
    byId("when-at").addEventListener("input", () => this.sayWhen());
    byId("when-at").addEventListener("change", () => this.act("now/about", { at: this.instant() }));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (!this.button || event.key !== "d" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!document.querySelector("dialog[open]")) this.open();
  }

  /** Asks what shall be frozen, or shows what is. */
  open() {
    if (this.state?.dispute) {
      this.hidden = "";
      this.draw(this.state);
      return;
    }
    if (this.state) this.chooser.open(this.state);
  }

  /** @param {State} state */
  draw(state) {
    this.state = state;
    const dispute = state.dispute?.id === this.released ? null : state.dispute;
    if (this.button) set(this.button, { "data-open": String(Boolean(dispute)) });
    if (!dispute) {
      this.drawnOf = this.hidden = "";
      if (this.dialog.open) this.dialog.close();
      return;
    }
    if (!this.dialog.open && this.hidden !== dispute.id) {
      for (const other of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (other).close();
      this.dialog.showModal();
    }
    const of = `${dispute.id} ${dispute.version} ${state.selection.unit}`;
    if (of === this.drawnOf) return;
    if (!this.drawnOf.startsWith(dispute.id)) [this.chosen, this.asked] = ["", null];
    // A message that was under way while this screen acted.
    if (this.drawnOf.startsWith(dispute.id) && dispute.version < this.version) return;
    [this.drawnOf, this.version] = [of, dispute.version];
    // What was decided is about the question in dispute.
    if (dispute.decision) this.asked = null;
    this.drawAll(state, dispute);
  }

  /**
   * @param {State} state
   * @param {Dispute} dispute
   */
  drawAll(state, dispute) {
    say(byId("dispute-about"), `Frozen by ${dispute.by}, ${hour(dispute.opened)}`);
    say(byId("dispute-subject"), dispute.subject ?? "");
    const others = dispute.may_act ? dispute.subjects.filter((s) => s.key !== dispute.key) : [];
    byId("dispute-others").hidden = !others.length;
    rows("dispute-subjects", others, (s) => s.key, (s) => s.words, (s) => this.act("now/about", { key: s.key }), (s) => s.more);
    if (this.asked !== null && this.asked >= dispute.asked.length) this.asked = null;
    this.drawRuling(dispute);
    this.drawAsked(dispute);
    this.drawWhen(dispute);
    this.drawForms(state, dispute);
    this.settle.draw(dispute);
    this.drawStrip(dispute);
    say(byId("dispute-said"), "");
  }

  /** @param {Dispute} dispute */
  drawRuling(dispute) {
    const ruling = this.ruling(dispute);
    say(byId("dispute-title"), titled(ruling));
    // What was decided against the ruling counts, and the ruling is only what was measured.
    const decided = this.asked === null && dispute.decision?.outcome !== ruling.verdict ? dispute.decision : null;
    const counts = byId("dispute-counts");
    counts.hidden = !decided;
    say(counts, decided ? `Decided: ${decided.outcome === "yes" ? "Yes" : "No"}` : "");
    set(counts, { "data-verdict": decided?.outcome ?? "" });
    say(byId("dispute-verdict"), decided ? `The ruling was: ${ruling.headline}` : ruling.headline);
    set(byId("dispute-verdict"), { "data-verdict": ruling.verdict, "data-overruled": String(Boolean(decided)) });
    say(byId("dispute-sentence"), ruling.sentence);
    keyed(byId("dispute-checks"), ruling.checks, (c) => c.name, makeCheck, (node, check) => {
      node.dataset.verdict = check.verdict;
      node.dataset.role = check.role;
      const cells = node.children;
      say(cells[0], check.name);
      say(cells[1], check.verdict_words);
      say(cells[2], check.chance_words ? `${check.words}; chance of a yes ${check.chance_words.replaceAll(" ", "\u00a0")}` : check.words);
      say(cells[3], check.citation);
    });
    keyed(byId("dispute-facts"), dispute.facts, (f) => f, () => document.createElement("li"), say);
  }

  /** @param {Dispute} dispute @returns {Ruling} */
  ruling(dispute) {
    return this.asked === null ? dispute.ruling : dispute.asked[this.asked].ruling;
  }

  /** @param {Dispute} dispute */
  drawAsked(dispute) {
    byId("dispute-asked-all").hidden = !dispute.asked.length;
    const rows = [
      { key: "main", number: /** @type {number | null} */ (null), words: `In dispute: ${said(dispute.ruling)}` },
      ...dispute.asked.map((a, k) => ({ key: String(k), number: k, words: `${a.by}: ${said(a.ruling)}` })),
    ];
    keyed(byId("dispute-asked"), rows, (r) => r.key, () => {
      const item = document.createElement("li");
      item.append(document.createElement("button"));
      return item;
    }, (node, row) => {
      const button = /** @type {HTMLButtonElement} */ (node.firstElementChild);
      button.type = "button";
      say(button, row.words);
      set(button, { "aria-pressed": String(this.asked === row.number) });
      button.onclick = () => {
        this.asked = row.number;
        this.chosen = row.number === null ? "" : "plan";
        if (this.state?.dispute) this.drawAll(this.state, this.state.dispute);
      };
    });
  }

  /** @param {Dispute} dispute */
  drawWhen(dispute) {
    const range = /** @type {HTMLInputElement} */ (byId("when-at"));
    byId("when").hidden = Boolean(dispute.decision) || !dispute.may_act || dispute.instants.length < 2;
    range.max = String(dispute.instants.length - 1);
    const away = dispute.instants.map((t) => Math.abs(t - dispute.at));
    range.value = String(away.indexOf(Math.min(...away)));
    this.sayWhen();
  }

  instant() {
    return this.state?.dispute?.instants[Number(/** @type {HTMLInputElement} */ (byId("when-at")).value)] ?? 0;
  }

  sayWhen() {
    const instants = this.state?.dispute?.instants ?? [0];
    const back = instants[instants.length - 1] - this.instant();
    say(byId("when-words"), back < 0.05 ? "the newest" : `${back.toFixed(1)} s earlier`);
  }

  /**
   * @param {State} state
   * @param {Dispute} dispute
   */
  drawForms(state, dispute) {
    byId("ask-form").hidden = Boolean(dispute.decision) || !dispute.may_act;
    const { pieces, key } = this.ruling(dispute);
    if (!byId("ask-form").hidden) this.form.offer(state.pieces.map((p) => p.name), pieces, key);
  }

  // Looking

  /**
   * The version since which its pictures are the same: who consents, or that it is decided, changes none of them.
   * @param {Dispute} dispute
   */
  pictured({ id, version, at, pictures, ruling }) {
    const of = JSON.stringify([id, at, pictures, ruling]);
    if (of !== this.picturesOf) [this.picturesOf, this.picturesSince] = [of, version];
    return this.picturesSince;
  }

  /**
   * Everything that can be looked at.
   * @param {Dispute} dispute
   * @returns {Sight[]}
   */
  sights(dispute) {
    const { id, pictures } = dispute;
    const version = this.pictured(dispute);
    const of = (/** @type {string} */ name) => `/api/disputes/${id}/pictures/${encodeURIComponent(name)}?v=${version}`;
    const asked = this.asked === null ? "" : `&asked=${this.asked}`;
    const marks = pictures.find((p) => p.about === "marks" && this.asked === null);
    const unit = this.state?.selection.unit ?? "in";
    return [
      ...pictures.filter((p) => p.about === "frame").map((p) => ({ key: p.name, label: "Frame", src: of(p.name), words: p.words, marks: marks && of(marks.name) })),
      ...pictures.filter((p) => p.about === "detail" && this.asked === null).map((p) => ({ key: p.name, label: p.name === "near" ? "What decided" : "Close by", src: of(p.name), words: p.words })),
      { key: "plan", label: "From above", src: `/api/disputes/${id}/plan.svg?v=${version}${asked}`, words: "The table from above." },
      ...(this.state?.dispute && this.ruling(this.state.dispute).looks ? SEATS : []).map((seat) => ({
        key: seat,
        label: SEAT_WORDS[seat],
        src: `/api/disputes/${id}/gunner.svg?seat=${seat}&unit=${unit}&v=${version}${asked}`,
        words: `${SEAT_WORDS[seat]}.`,
      })),
      ...pictures.filter((p) => p.about === "before" || p.about === "after").map((p) => ({ key: p.name, label: p.words, src: of(p.name), words: p.words })),
      ...pictures.filter((p) => p.about === "tag").map((p) => ({ key: p.name, label: p.words, src: of(p.name), words: p.words, fine: true })),
    ];
  }

  /** @param {Dispute} dispute */
  drawStrip(dispute) {
    const sights = this.sights(dispute);
    if (!sights.some((s) => s.key === this.chosen)) this.chosen = sights[0].key;
    keyed(byId("strip"), sights, (s) => s.key, makeThumb, (node, sight) => {
      const image = /** @type {HTMLImageElement} */ (node.querySelector("img"));
      if (image.dataset.src !== sight.src) {
        image.dataset.src = sight.src;
        image.src = sight.src;
      }
      say(node.querySelector("span"), sight.label);
      const button = /** @type {HTMLButtonElement} */ (node.firstElementChild);
      set(button, { "aria-pressed": String(sight.key === this.chosen) });
      button.onclick = () => {
        this.chosen = sight.key;
        this.zoom.fit();
        this.look();
        for (const other of byId("strip").querySelectorAll("button")) set(other, { "aria-pressed": String(other === button) });
      };
    });
    this.look();
  }

  /** Shows what was chosen in the pane. */
  async look() {
    const dispute = this.state?.dispute;
    const sight = dispute && this.sights(dispute).find((s) => s.key === this.chosen);
    if (!sight) return;
    const lines = byId("pane-lines");
    lines.hidden = !sight.marks;
    const shown = sight.marks && /** @type {HTMLInputElement} */ (lines.querySelector("input")).checked;
    this.marks.hidden = !shown;
    if (sight.marks && shown) this.marks.src = sight.marks;
    set(byId("pane"), { "data-fine": String(Boolean(sight.fine)), "aria-label": sight.words });
    const words = sight.src.includes("/gunner.svg")
      ? await drawn(this.picture, `${sight.src}&width=${widthOf(byId("pane"))}`)
      : sight.words;
    if (!sight.src.includes("/gunner.svg")) {
      this.picture.hidden = false;
      this.picture.src = sight.src;
    }
    if (this.chosen === sight.key) say(byId("pane-words"), words);
  }

  // Acting

  /**
   * Asks the server; what it refuses is said.
   * @param {string} step
   * @param {object} body
   */
  async act(step, body) {
    try {
      const unit = this.state?.selection.unit ?? "in";
      // It is meant of the dispute that is shown here: by now another one may be open.
      const of = step.startsWith("now/") && step !== "now/answer" ? { dispute: this.state?.dispute?.id } : {};
      const answer = await patiently(`/api/disputes${step && `/${step}`}?unit=${unit}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...of, ...body }),
      });
      const told = await answer.json();
      if (!answer.ok) this.complain(String(told.error));
      else if (this.state) this.told(step, this.state, told);
    } catch {
      this.complain("The referee does not answer; is it still running?");
    }
  }

  /**
   * Shows the answer to an own step at once.
   * @param {string} step
   * @param {State} state
   * @param {Dispute | null} dispute
   */
  told(step, state, dispute) {
    if (step === "now/ask" && dispute) [this.asked, this.chosen] = [dispute.asked.length - 1, "plan"];
    else if (step === "now/about") this.asked = null;
    else if (step === "now/release") this.released = state.dispute?.id ?? "";
    const known = state.dispute;
    // The connection may have told of this step before, and of later ones: what is asked here is still to be drawn.
    const newest = dispute && known?.id === dispute.id && known.version > dispute.version ? known : dispute;
    if (newest && this.drawnOf.startsWith(newest.id)) this.drawnOf = newest.id;
    this.draw({ ...state, dispute: newest });
  }

  /** @param {string} words */
  complain(words) {
    if (this.dialog.open) say(byId("dispute-said"), words);
    else if (this.chooser.dialog.open) say(byId("choose-said"), words);
    else this.refused(words);
  }
}

/** @param {Ruling} ruling */
function said(ruling) {
  return `${titled(ruling)}: ${ruling.headline}`;
}

/** @param {Ruling} ruling */
function titled({ pieces, label, question }) {
  return [pieces.join(" → "), label].filter(Boolean).join(", ") || question;
}

function makeCheck() {
  const item = document.createElement("li");
  for (const name of ["name", "answer", "words", "citation"]) {
    const part = document.createElement("span");
    part.className = name;
    item.append(part);
  }
  return item;
}

/** @param {Sight} sight */
function makeThumb(sight) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  const image = document.createElement("img");
  image.alt = "";
  image.loading = "lazy";
  askAgain(image);
  if (sight.fine) image.dataset.fine = "true";
  button.append(image, document.createElement("span"));
  item.append(button);
  return item;
}

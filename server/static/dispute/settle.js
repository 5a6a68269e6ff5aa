/** How a dispute is settled: what counts and what follows, who has agreed, what was decided. */

import { listed } from "../common/dom.js";
import { byId, say } from "../common/svg.js";
import { fileLinks } from "./evidence.js";

/** @typedef {import("../common/types.js").Dispute} Dispute */
/** @typedef {import("../common/types.js").Outcome} Outcome */

export class SettlePanel {
  /** @param {(step: string, body: object) => Promise<void>} act */
  constructor(act) {
    this.act = act;
    /** @type {Dispute | null} */
    this.dispute = null;
    /** The id of the dispute whose decision was shown. */
    this.seen = "";
    byId("decide-form").addEventListener("submit", (event) => event.preventDefault());
    byId("decide-form").addEventListener("click", ({ target }) => this.propose(target));
    byId("proposal-mine").addEventListener("click", ({ target }) => this.answer(target));
    byId("die").querySelector(".dice")?.append(...[1, 2, 3, 4, 5, 6].map(die));
    byId("dispute-reopen").addEventListener("click", () => this.reopen());
  }

  /** @param {Dispute} dispute */
  draw(dispute) {
    this.dispute = dispute;
    const { decision, seal, noted, saves, trouble, may_act, may_decide, id } = dispute;
    const open = !decision && may_act;
    byId("decide-form").hidden = !open || !may_decide;
    byId("decide-not").hidden = !open || may_decide;
    say(byId("decide-not"), `${names(dispute)} settle this on their own devices, or the owner of the table does.`);
    this.drawProposal(dispute);
    this.drawWays(dispute);
    byId("decided").hidden = !decision;
    // What counts from now on is what everybody looks for, not the ruling above it.
    if (decision && this.seen !== id) byId("decided").scrollIntoView({ block: "nearest" });
    this.seen = decision ? id : "";
    say(byId("decided-words"), decision?.words ?? "");
    say(byId("decided-seal"), seal ?? "");
    say(byId("decided-noted"), noted ?? "");
    const square = /** @type {HTMLImageElement} */ (byId("decided-square"));
    const src = decision ? `/api/disputes/${encodeURIComponent(id)}/seal.svg` : "";
    if (square.getAttribute("src") !== src) square.src = src;
    byId("decided-trouble").hidden = !trouble;
    say(byId("decided-trouble"), trouble ?? "");
    byId("decided-files").replaceChildren(...(saves ? fileLinks("/api/disputes", id) : decision ? ["It can be saved as a file once the game is over."] : []));
    byId("dispute-reopen").hidden = !dispute.may_reopen;
    const release = byId("dispute-release");
    release.hidden = !dispute.may_withdraw;
    say(release, decision ? "Back to the table, on every screen" : "Withdraw: the ruling stands");
  }

  /** @param {Dispute} dispute */
  drawProposal({ proposal, remedies, declined, decision, trouble }) {
    byId("proposal").hidden = !proposal;
    // That the game went on, and what was proposed with it, is told where it was proposed.
    const gone = declined || trouble || "";
    byId("declined").hidden = !gone || Boolean(decision);
    say(byId("declined"), gone);
    if (!proposal) return;
    const follows = following(remedies.find((r) => r.outcome === proposal.outcome)).map((words) => `, ${words}`);
    const rolled = proposal.rolled === null ? "a D6, rolled here when all have agreed" : `a D6 that showed ${proposal.rolled}`;
    const what = proposal.outcome === null ? ` to roll for it, ${rolled}; 4 and more is yes` : `: ${proposal.outcome} counts${follows.join("")}`;
    say(byId("proposal-words"), `${capital(proposal.by)} proposes${what}. Waiting for ${listed(proposal.missing)}.`);
    say(byId("proposal-note"), proposal.note && `Reason: ${proposal.note}`);
    byId("proposal-mine").hidden = !proposal.mine;
  }

  /** @param {Dispute} dispute */
  drawWays(dispute) {
    const { owner, concerned, remedies, ruling } = dispute;
    say(byId("decide-title"), owner ? "Decide as the owner of the table" : "What counts?");
    say(byId("decide-who"), owner || concerned.length < 2 ? "" : `Decided when ${names(dispute)} have agreed, each on their own device.${away(dispute)}`);
    const choices = /** @type {Outcome[]} */ (["yes", "no"]).flatMap((outcome) => {
      const remedy = remedies.find((r) => r.outcome === outcome);
      return remedies.length && !remedy ? [] : [{ outcome, remedy }];
    });
    // Where one answer is left there is nothing to roll for.
    byId("die").hidden = choices.length < 2;
    byId("ways").replaceChildren(...choices.map(({ outcome, remedy }) => {
      const button = document.createElement("button");
      button.type = "button";
      Object.assign(button.dataset, { way: "said", outcome });
      const head = document.createElement("strong");
      const overrules = ruling.verdict !== "too close to call" && ruling.verdict !== outcome;
      head.textContent = `${capital(outcome)} counts${overrules ? ", which overrules the referee" : ""}`;
      button.append(head);
      for (const words of following(remedy)) {
        const line = document.createElement("span");
        line.textContent = words;
        button.append(line);
      }
      return button;
    }));
  }

  /** @param {EventTarget | null} target */
  async propose(target) {
    const button = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("[data-way]")) : null;
    if (!button) return;
    const { outcome, rolled } = button.dataset;
    const form = /** @type {HTMLFormElement} */ (byId("decide-form"));
    const note = /** @type {HTMLInputElement} */ (form.elements.namedItem("note")).value.trim();
    const count = this.dispute?.count ?? null;
    await this.act("now/propose", { note, ...(outcome && { outcome }), ...(rolled && { rolled: Number(rolled) }), ...(count !== null && { count }) });
    // Whoever has proposed it far below sees who is waited for, and who does not agree.
    if (this.dispute?.proposal || this.dispute?.declined) byId("dispute-about").scrollIntoView({ block: "nearest" });
  }

  /** @param {EventTarget | null} target */
  answer(target) {
    const button = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("[data-consents]")) : null;
    const number = this.dispute?.proposal?.number;
    if (button && number !== undefined) this.act("now/answer", { number, consents: button.dataset.consents === "true" });
  }

  async reopen() {
    const id = this.dispute?.id;
    await this.act("now/release", {});
    await this.act(`${id}/reopen`, {});
  }
}

/** @param {Dispute} dispute */
function names({ concerned }) {
  return listed(concerned.map((c) => c.player)) || "The players";
}

/** @param {Dispute} dispute */
function away({ concerned }) {
  const gone = concerned.filter((c) => !c.here).map((c) => c.player);
  return gone.length ? ` No device is here for ${listed(gone)}: take the seat on the page of the game, or let the owner decide.` : "";
}

/** @param {string} words */
function capital(words) {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** @param {number} value */
function die(value) {
  const button = document.createElement("button");
  button.type = "button";
  Object.assign(button.dataset, { way: "rolled", rolled: String(value) });
  button.textContent = String(value);
  button.setAttribute("aria-label", `We rolled a ${value}`);
  return button;
}

/**
 * What follows from an answer, and all that goes with it: whoever agrees to it has to know that.
 * @param {Dispute["remedies"][number] | undefined} remedy
 */
function following(remedy) {
  return remedy ? [remedy.words, ...remedy.goes.map((gone) => `with it goes “${gone}”`)] : [];
}

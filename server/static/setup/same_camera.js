/** Beside the notice that another camera may answer: the owner says that it is the same one. */

import { h, heeding, rebuild } from "../common/dom.js";
import { ask } from "../common/patient.js";
import { byId } from "../common/svg.js";

const PATH = "/api/camera/same";

/** @typedef {{asked: boolean, may_say: boolean}} View */

export class SameCamera {
  constructor() {
    this.box = byId("same-camera");
    this.said = "";
    this.busy = false;
    /** @type {View} */
    this.view = { asked: false, may_say: false };
  }

  /**
   * Only where another camera is suspected is anything asked for.
   * @param {boolean} suspected
   */
  async heed(suspected) {
    if (suspected === this.view.asked) return;
    this.said = "";
    if (!suspected) return this.show({ asked: false, may_say: false });
    const view = await ask(PATH).catch(() => null);
    if (view) this.show(view);
  }

  async say() {
    this.busy = true;
    this.said = "Looking at the corner tags…";
    this.show(this.view);
    let told = this.view;
    await heeding((words) => (this.said = words), async () => {
      told = await ask(PATH, null, "POST");
    });
    this.busy = false;
    this.show(told);
    // The box may be higher than what is seen of it.
    this.box.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    const { asked, may_say } = view;
    this.box.hidden = !asked;
    rebuild(this.box, [asked, may_say, this.busy, this.said], () => (asked ? [
      may_say
        ? h("p", {}, "Another camera may answer than the one that was calibrated. If it is the same, and only its cable or its place was touched, its calibration can be used again, once the corner tags agree with it.")
        : h("p", {}, "Another camera may answer than the one that was calibrated. The owner of the table can say that it is the same one."),
      may_say && h("p.actions", {}, h("button.primary", { type: "button", disabled: this.busy, onclick: () => this.say() }, "It is the same camera")),
      this.said && h("p", { role: "alert" }, this.said),
    ] : []));
  }
}

/** The driver's screen: what the camera makes of the car that is being pushed. */

export class DrivingPanel {
  /**
   * @param {HTMLElement} node
   * @param {unknown} _does
   * @param {import("./board.js").Board} _board
   */
  constructor(node, _does, _board) {
    this.node = node;
  }

  /**
   * @param {{words?: string} | null} driving  What the server recognised; null while nothing is driven.
   * @param {import("./playtypes.js").Play | null} _play
   */
  draw(driving, _play) {
    this.node.hidden = !driving?.words;
    this.node.textContent = driving?.words ?? "";
  }
}

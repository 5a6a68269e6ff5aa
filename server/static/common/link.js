/** The connection to the server: opens, listens, answers, and comes back when it was lost. */

import { after } from "./state.js";

/** @typedef {import("./types.js").State} State */

const PAUSES = [500, 1000, 2000, 4000];

/**
 * What the page does with what it hears.
 * @typedef {object} Ears
 * @property {(state: State, picture: ImageBitmap | null) => void} draw
 * @property {(error: string) => void} refused
 * @property {(words: string | null) => void} lost  A sentence while the connection is lost, else null.
 * @property {() => object[]} greet  What to say first on a new connection.
 */

export class Link {
  /**
   * @param {Ears} ears
   * @param {string} [path]
   */
  constructor(ears, path = "/ws") {
    this.ears = ears;
    this.path = path;
    /** @type {State | null} */
    this.state = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.tries = 0;
    /** Whether a newer state waits for its frame of the screen. */
    this.pending = false;
    /** @type {ImageBitmap | null} */
    this.picture = null;
    /** The number of the message whose picture has not come yet. */
    this.awaited = 0;
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.path}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.awaited = 0;
      for (const message of this.ears.greet()) this.send(message);
    };
    socket.onmessage = ({ data }) => this.hear(data);
    socket.onclose = ({ reason }) => {
      if (this.socket !== socket) return;
      const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
      this.tries += 1;
      this.ears.lost(`The connection to the referee is lost${reason ? ` (${reason})` : ""}. Trying again…`);
      setTimeout(() => this.open(), pause);
    };
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {string | ArrayBuffer} data */
  hear(data) {
    if (typeof data !== "string") {
      this.see(data);
      return;
    }
    const message = JSON.parse(data);
    switch (message.type) {
      case "state":
      case "change":
        this.state = after(this.state, message);
        this.ears.lost(null);
        this.awaited = message.picture?.follows ? message.number : 0;
        if (!this.awaited) this.soon(message.number);
        break;
      case "refused":
        this.ears.refused(message.error);
        break;
      default:
        throw new Error(`a message of unknown type ${message.type}`);
    }
  }

  /**
   * A picture: four bytes with the number of its message, then a JPEG.
   * @param {ArrayBuffer} data
   */
  async see(data) {
    const number = new DataView(data).getUint32(0);
    try {
      const bitmap = await createImageBitmap(new Blob([data.slice(4)], { type: "image/jpeg" }));
      this.picture?.close();
      this.picture = bitmap;
    } finally {
      if (this.awaited === number) this.awaited = 0;
      this.soon(number);
    }
  }

  /**
   * Draws with the screen's next frame and tells the server that it has been done.
   * @param {number} number
   */
  soon(number) {
    if (document.hidden) {
      // Nobody looks: one message a second is enough to be up to date later.
      this.pending = true;
      setTimeout(() => this.send({ type: "drawn", number }), 1000);
      return;
    }
    requestAnimationFrame(() => {
      this.redraw();
      this.send({ type: "drawn", number });
    });
  }

  redraw() {
    this.pending = false;
    if (this.state) this.ears.draw(this.state, this.picture);
  }
}

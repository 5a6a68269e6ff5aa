/** The connection to the game: hears its state, asks for deeds, each with a key of its own. */

/** @typedef {import("./playtypes.js").Play} Play */
/** @typedef {import("./playtypes.js").Answer} Answer */

/** What is done to the game as it was shown, and to no other. */
const MEANT = new Set(["act", "concede", "withdraw", "stays", "overrule"]);

const PAUSES = [500, 1000, 2000, 4000];

/** How long an answer may take before the page says that it waits, milliseconds. */
const PATIENCE = 8000;

export class PlayLink {
  /**
   * @param {{draw: (state: Play) => void, guide: (guide: import("./playtypes.js").Guide | null) => void,
   *   lost: (words: string | null) => void, anew?: (state: Play) => void}} ears  `anew` hears the first state of
   *   each connection: tableref may have started again since, and counts its changes from the beginning then.
   */
  constructor(ears) {
    this.ears = ears;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Play | null} */
    this.state = null;
    this.tries = 0;
    this.fresh = true;
    /** What has no answer yet; told again it says of what it was meant. @type {Map<string, {again: string, tell: (answer: Answer) => void}>} */
    this.asked = new Map();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws/play`);
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.fresh = true;
      // What had no answer is asked again with its old key: done once, however often it is told. Where others have
      // gone on with the game meanwhile, it is not done any more.
      for (const { again } of this.asked.values()) socket.send(again);
    };
    socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    socket.onclose = ({ reason }) => {
      if (this.socket !== socket) return;
      const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
      this.tries += 1;
      this.ears.lost(`The connection to the game is lost${reason ? ` (${reason})` : ""}. Trying again…`);
      setTimeout(() => this.open(), pause);
    };
  }

  /** @param {any} message */
  hear(message) {
    switch (message.type) {
      case "play":
        this.state = message;
        this.ears.lost(null);
        if (this.fresh) this.ears.anew?.(message);
        this.fresh = false;
        this.ears.draw(message);
        break;
      case "guide":
        if (this.state) this.state = { ...this.state, guide: message.guide };
        this.ears.guide(message.guide);
        break;
      case "answer":
        this.asked.get(message.key)?.tell(message);
        this.asked.delete(message.key);
        break;
      default:
        throw new Error(`a message of unknown type ${message.type}`);
    }
  }

  /**
   * Asks for something; the promise holds what became of it.
   * @param {Record<string, unknown>} request
   * @returns {Promise<Answer>}
   */
  ask(request) {
    const key = newKey();
    const newest = MEANT.has(String(request.type)) ? this.state?.match?.newest : undefined;
    const message = JSON.stringify({ ...request, shown: newest, key });
    const again = newest === undefined ? message : JSON.stringify({ ...request, newest, key });
    return new Promise((tell) => {
      // It is not given up: told again with another key, it could be done twice.
      const late = setTimeout(() => this.ears.lost("The referee has not answered yet. Waiting…"), PATIENCE);
      this.asked.set(key, {
        again,
        tell: (answer) => {
          clearTimeout(late);
          this.ears.lost(null);
          tell(answer);
        },
      });
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(message);
    });
  }
}

/** A key that no other deed has. `crypto.randomUUID` is there over https only, so it is made by hand. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
}

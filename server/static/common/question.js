/** What is asked on a page: the pieces that are picked, in order, and one of the questions about them. */

/** @typedef {import("./types.js").State} State */

export class Question {
  /**
   * @param {(message: object) => void} send
   * @param {string[]} [pieces]
   * @param {string | null} [question]
   */
  constructor(send, pieces = [], question = null) {
    this.send = send;
    this.pieces = pieces;
    /** The key of the question that was chosen; null is the usual one. */
    this.question = question;
    /** Whether what is picked is enough, as far as the server has said. */
    this.whole = false;
    /** The turn of the match, as last told. @type {number | null | undefined} */
    this.turn = undefined;
  }

  message() {
    return { type: "select", pieces: this.pieces, question: this.question };
  }

  /** @param {string[]} pieces */
  pick(pieces) {
    this.pieces = pieces;
    this.whole = false;
    this.send(this.message());
  }

  /**
   * One more piece; one that is picked already is let go, and after a whole question it begins anew.
   * @param {string} name
   */
  choose(name) {
    const at = this.pieces.indexOf(name);
    if (at >= 0) this.pick(this.pieces.slice(0, at));
    else this.pick(this.whole ? [name] : [...this.pieces, name]);
  }

  swap() {
    this.pick([...this.pieces].reverse());
  }

  clear() {
    this.pick([]);
  }

  /** @param {string} key */
  ask(key) {
    this.question = key;
    this.send(this.message());
  }

  /**
   * Takes in what the server made of it: a question that these pieces have not is let go.
   * @param {State} state
   */
  heed({ time, selection, questions, asked, ruling, turn }) {
    const over = this.turn !== undefined && turn !== this.turn;
    this.turn = turn;
    if (over && (this.pieces.length || this.question)) {
      this.question = null;
      this.clear();
      return;
    }
    if (time === null || selection.pieces.join("\n") !== this.pieces.join("\n") || selection.question !== this.question) return;
    const offered = questions.find((q) => q.key === asked);
    this.whole = offered !== undefined && offered.missing === "";
    if (this.question && !offered && questions.length) {
      this.question = null;
      this.send(this.message());
    } else if (ruling && ruling.pieces.length < this.pieces.length) {
      this.pick(this.pieces.slice(ruling.pieces.length));
    }
  }
}

/** Numbers that are spoken and rulings that are read out, by the browser itself; off by default. */

const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/** @param {"listen" | "speak"} what */
export function speechOn(what) {
  try {
    return localStorage.getItem(`speech-${what}`) === "on";
  } catch {
    return false;
  }
}

/**
 * @param {"listen" | "speak"} what
 * @param {boolean} on
 */
export function setSpeech(what, on) {
  try {
    localStorage.setItem(`speech-${what}`, on ? "on" : "off");
  } catch {
    // Without storage it stays off.
  }
  if (what === "speak" && !on) window.speechSynthesis?.cancel();
}

/** Whether this browser can do it at all. */
export const can = {
  listen: "SpeechRecognition" in window || "webkitSpeechRecognition" in window,
  speak: "speechSynthesis" in window,
};

/** @param {string} words */
export function speak(words) {
  if (!can.speak || !speechOn("speak")) return;
  const said = new SpeechSynthesisUtterance(words.replace(/″/g, " inches"));
  said.lang = "en";
  window.speechSynthesis.speak(said);
}

/**
 * The number that a phrase speaks of, from 1 to 8; null for none.
 * @param {string} phrase
 * @returns {number | null}
 */
export function numberIn(phrase) {
  // What recognisers make of short words.
  const like = /** @type {Record<string, number>} */ ({ won: 1, to: 2, too: 2, tree: 3, free: 3, for: 4, fore: 4, sex: 6, ate: 8 });
  for (const word of phrase.toLowerCase().split(/[^a-z0-9]+/)) {
    const value = /^[1-8]$/.test(word) ? Number(word) : WORDS.indexOf(word) > 0 ? WORDS.indexOf(word) : like[word];
    if (value) return value;
  }
  return null;
}

/**
 * Listens while it is wanted, and tells each number that is said.
 * @param {(value: number) => void} tell
 * @param {() => boolean} wanted
 */
export function heardNumber(tell, wanted) {
  if (!can.listen || !speechOn("listen")) return;
  const Recogniser = /** @type {any} */ (window).SpeechRecognition ?? /** @type {any} */ (window).webkitSpeechRecognition;
  const ear = new Recogniser();
  ear.lang = "en";
  ear.continuous = true;
  ear.onresult = (/** @type {any} */ event) => {
    for (let k = event.resultIndex; k < event.results.length; k += 1) {
      const value = event.results[k].isFinal ? numberIn(event.results[k][0].transcript) : null;
      if (value) tell(value);
    }
    if (!wanted()) ear.stop();
  };
  ear.onend = () => wanted() && speechOn("listen") && setTimeout(() => wanted() && ear.start(), 300);
  ear.onerror = (/** @type {any} */ event) => {
    // Refused by the person: it is not asked again and again.
    if (event.error === "not-allowed" || event.error === "service-not-allowed") setSpeech("listen", false);
  };
  ear.start();
}

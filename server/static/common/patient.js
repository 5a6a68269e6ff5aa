/** Asking the server: it says why it refuses, and when it is busy with what others asked. */

const TRIES = 8;

/**
 * Asks the server and returns what it answers. Throws why it refuses in its own words, or that it does not answer.
 * @param {string} path
 * @param {object | null} [body]  Sent as JSON.
 * @param {string} [method]
 * @returns {Promise<any>}
 */
export async function ask(path, body = null, method = body ? "POST" : "GET") {
  const sent = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { method, ...sent }).catch(() => null);
  if (!answer) throw new Error("The referee does not answer: nothing is lost, try again. Is it still running?");
  const said = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(said?.error ?? `The referee could not do that (error ${answer.status}). Try again; if it stays so, start it anew.`);
  return said;
}

/**
 * Asks, and asks again while the server says that it is busy: then it has done nothing yet.
 * @param {string} address
 * @param {RequestInit} [how]
 * @returns {Promise<Response>}
 */
export async function patiently(address, how) {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(address, how);
    const again = answer.headers.get("retry-after");
    if (answer.status !== 503 || again === null || tries === TRIES) return answer;
    await new Promise((done) => setTimeout(done, 1000 * Number(again)));
  }
}

/**
 * A picture that could not be made now is asked for again.
 * @param {HTMLImageElement} image
 */
export function askAgain(image) {
  let tries = 0;
  image.addEventListener("load", () => (tries = 0));
  image.addEventListener("error", () => {
    const { src } = image;
    tries += 1;
    if (src && tries < TRIES) setTimeout(() => image.src === src && (image.src = src), 1000);
  });
}

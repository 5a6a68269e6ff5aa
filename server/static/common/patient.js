/** Asking for what takes long to make: the server says when it is busy with what others asked. */

const TRIES = 8;

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

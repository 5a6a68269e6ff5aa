/** Exchanges the secret behind the # for a pass, and leaves nothing of it in the address bar. */

import { ask } from "../common/patient.js";
import { byId, say } from "../common/svg.js";

const secret = location.hash.slice(1);
const to = new URLSearchParams(location.search).get("to") ?? "";

// The link must not stay in the history either.
if (secret) history.replaceState(null, "", location.pathname + location.search);

async function join() {
  byId("joining").hidden = false;
  byId("how").hidden = true;
  const said = await ask("/api/join", { secret });
  // Only a page of this server: a path without a second slash.
  location.replace(/^\/[a-z]*$/.test(to) ? to : said.page);
}

if (secret) {
  join().catch((error) => {
    byId("joining").hidden = true;
    byId("how").hidden = false;
    say(byId("why"), `${error.message}.`);
  });
}

/** The phone as a camera: sends one picture after the other, the next when the last was taken. */

import { byId, say } from "../common/svg.js";

const WIDTH = 1920;
const QUALITY = 0.9;
/** How often one picture is sent: the referee searches a table that is new to it beside its other work. */
const REPEATS = 8;
const REPEAT_MS = 250;
const PAUSES = [500, 1000, 2000, 4000];

/** @type {HTMLVideoElement} */
const video = byId("preview");
const canvas = document.createElement("canvas");

/** @type {WebSocket | null} */
let socket = null;
/** @type {MediaStream | null} */
let stream = null;
/** @type {WakeLockSentinel | null} */
let awake = null;
/** A single picture on its way. @type {{picture: ImageBitmap, left: number} | null} */
let single = null;
let number = 0;
let tries = 0;
/** Whether the server still owes an answer to the last picture. */
let owed = false;
/** When the last answers came. @type {number[]} */
let answers = [];

if (!navigator.mediaDevices?.getUserMedia) {
  // Browsers give the live camera to https pages and to this machine only; single pictures they allow.
  say(
    byId("words"),
    "This browser gives its live camera only to secure pages (https). You can send single pictures, " +
      "or start tableref with --certificate and --key.",
  );
  byId("start").hidden = true;
  byId("single").hidden = false;
}

byId("start").addEventListener("click", start);
byId("stop").addEventListener("click", stop);
byId("photo").addEventListener("change", async (event) => {
  const file = /** @type {HTMLInputElement} */ (event.target).files?.[0];
  if (!file) return;
  const picture = await createImageBitmap(file);
  single = { picture, left: REPEATS };
  connect(sendSingle);
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && stream) stayAwake();
});

async function start() {
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      video: { facingMode: "environment", width: { ideal: WIDTH }, height: { ideal: 1080 } },
      audio: false,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(byId("words"), `The camera cannot be used: ${why}. Allow it in the browser and try again.`);
    return;
  }
  video.srcObject = stream;
  await video.play();
  byId("start").hidden = true;
  byId("stop").hidden = false;
  stayAwake();
  connect(sendFrame);
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  video.srcObject = null;
  socket?.close();
  awake?.release();
  byId("start").hidden = false;
  byId("stop").hidden = true;
  say(byId("words"), "Stopped.");
  say(byId("rate"), "");
}

async function stayAwake() {
  try {
    awake = (await navigator.wakeLock?.request("screen")) ?? null;
  } catch {
    // Some browsers refuse on low battery; the person then keeps the screen on.
  }
}

/** @param {() => void} then  What to do once connected. */
function connect(then) {
  if (socket?.readyState === WebSocket.OPEN) {
    then();
    return;
  }
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const opened = new WebSocket(`${scheme}//${location.host}/ws/camera`);
  socket = opened;
  opened.onopen = () => {
    tries = 0;
    owed = false;
    then();
  };
  opened.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type !== "taken") throw new Error(`a message of unknown type ${message.type}`);
    owed = false;
    say(byId("words"), message.words);
    if (message.number) count();
    if (stream) sendFrame();
    else if (single?.left) setTimeout(sendSingle, REPEAT_MS);
  };
  opened.onclose = ({ code }) => {
    if (!stream) return;
    // 1013: another camera is at work; asking often would not help.
    const pause = code === 1013 ? 5000 : PAUSES[Math.min(tries, PAUSES.length - 1)];
    tries += 1;
    if (code !== 1013) say(byId("words"), "The connection is lost. Trying again…");
    setTimeout(() => stream && connect(sendFrame), pause);
  };
}

function sendSingle() {
  if (!single?.left) return;
  single.left -= 1;
  sendImage(single.picture, single.picture.width, single.picture.height, 0);
}

function sendFrame() {
  if (!stream || owed) return;
  if (typeof video.requestVideoFrameCallback === "function") {
    video.requestVideoFrameCallback((now, frame) => {
      sendImage(video, video.videoWidth, video.videoHeight, frame.captureTime ?? now);
    });
  } else {
    requestAnimationFrame((now) => sendImage(video, video.videoWidth, video.videoHeight, now));
  }
}

/**
 * @param {CanvasImageSource} image
 * @param {number} width
 * @param {number} height
 * @param {number} taken  When it was taken, on the page's clock; 0 if that does not matter.
 */
function sendImage(image, width, height, taken) {
  if (owed || !width || !height) return;
  owed = true;
  const shrunk = Math.min(1, WIDTH / Math.max(width, height));
  canvas.width = Math.round(width * shrunk);
  canvas.height = Math.round(height * shrunk);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob(
    async (blob) => {
      const body = await blob?.arrayBuffer();
      if (!body || socket?.readyState !== WebSocket.OPEN) {
        owed = false;
        return;
      }
      number += 1;
      const message = new Uint8Array(8 + body.byteLength);
      const header = new DataView(message.buffer);
      header.setUint32(0, number);
      header.setUint32(4, taken ? age(taken) : 0);
      message.set(new Uint8Array(body), 8);
      socket.send(message);
    },
    "image/jpeg",
    QUALITY,
  );
}

/**
 * Milliseconds since a picture was taken; 0 where a browser states nothing believable.
 * @param {number} taken
 */
function age(taken) {
  const since = Math.round(performance.now() - taken);
  return since > 0 && since < 2000 ? since : 0;
}

function count() {
  const now = performance.now();
  answers = [...answers.filter((t) => t > now - 2000), now];
  say(byId("rate"), `${(answers.length / 2).toFixed(1)} pictures a second, ${canvas.width} × ${canvas.height}`);
}

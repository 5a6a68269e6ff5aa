"""From the camera to the page: how long a frame takes, and how many a second go all the way.

Part of `python -m benchmarks.reading`. The real server, its threads and a page on the machine as it is:
what else runs on it is in these figures. The page is its connection alone (a WebSocket client in a process
of its own, which acknowledges like the page), or the page itself in a Chromium that draws it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np
from playwright.sync_api import sync_playwright
from websockets.sync.client import connect

from calibration.tablefile import TableFile, parse_table
from engine.errors import TableRefError
from server.pipeline.referee import Moment, Referee
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.crowd import crowded_scene, shuttling
from vision.frame import Frame, JpegFrame
from vision.simulate.live import ScriptedTable
from vision.source import Source

ROOT = Path(__file__).resolve().parents[1]
MOVING = ("Car 1", "Car 2", "Car 3")
QUALITY = 80
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
# Before this the tags are being found, seconds.
WARM_S = 3.0
# A crowded machine may keep a page waiting for so long.
PATIENCE_S = 60.0


def drawn(size: tuple[int, int], printed_px: float, frames: int) -> tuple[TableFile, list[bytes]]:
    """20 cars, 3 of them running to and fro, as JPEG frames, and their table file."""
    scene = crowded_scene(size, cars=20, printed_px=printed_px, foreign=6, seed=3)
    scene = replace(scene, sensor=replace(scene.sensor, blur=1.0, noise=3.0))
    table = ScriptedTable(scene, shuttling(scene, MOVING, frames / 30), fps=30.0, seconds=frames / 30)
    coded = []
    for _ in range(frames):
        data = cv2.imencode(".jpg", table.read().image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        coded.append(data.tobytes())
    return parse_table(scene.to_toml()), coded


class Camera(Source):
    """Gives coded frames to and fro at `fps`, stamped with the time at which each is handed over."""

    live = True
    notice: str | None = None
    name = "the benchmark's camera"

    def __init__(
        self,
        coded: list[bytes],
        fps: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._coded = [*coded, *coded[-2:0:-1]]
        self._period, self._clock, self._sleep = 1.0 / fps, clock, sleep
        self._index = 0
        self._due: float | None = None

    def read(self) -> Frame:
        """The next frame, when it is due."""
        now = self._clock()
        due = now if self._due is None else self._due
        self._sleep(max(due - now, 0.0))
        # Late, it does not hurry: a camera drops what nobody has fetched.
        self._due = max(due, now) + self._period
        frame = self._frame(self._clock())
        self._index += 1
        return frame

    def _frame(self, at: float) -> Frame:
        return JpegFrame(self._coded[self._index % len(self._coded)], at, self._index, self.name)

    def close(self) -> None:
        """Nothing is held open."""


class Counting(Referee):
    """The referee, which also counts its frames."""

    seen = 0

    def step(self, frame: Frame) -> Moment:
        """One frame through the whole pipeline."""
        self.seen += 1
        return super().step(frame)


@contextmanager
def serving(table: TableFile, coded: list[bytes], fps: float) -> Iterator[tuple[Counting, PageServer]]:
    """The referee at work, and the server of its page."""
    referee = Counting(table, beside=True)
    opened = listen(port=0)
    live = Runner(Camera(coded, fps), referee)
    with PageServer(live, Rulings.by_book(table.game), opened) as server:
        yield referee, server


def port_of(server: PageServer) -> int:
    """Where a server answers."""
    port = urlsplit(server.address).port
    assert port is not None
    return port


def measure(table: TableFile, coded: list[bytes], fps: float, seconds: float) -> dict[str, float]:
    """Frames a second seen, of so many given; the page's delay behind the camera, milliseconds.

    `cpu_ms` is what the server's process spends on a frame that goes all the way, on all cores.
    """
    with serving(table, coded, fps) as (referee, server):
        page = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.paging", str(port_of(server)), str(seconds)],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert page.stdout is not None
        page.stdout.readline()
        began, seen, spent = time.monotonic(), referee.seen, time.process_time()
        said = page.stdout.read()
        took = time.monotonic() - began
        count, cpu = referee.seen - seen, time.process_time() - spent
        complaint = page.stderr.read() if page.stderr is not None else ""
        if page.wait() != 0:
            raise TableRefError(f"the page's connection broke: {complaint.strip()[-400:]}")
    delays = json.loads(said)
    return {
        "given_fps": fps,
        "seen_fps": round(count / took, 1),
        "cpu_ms": round(1e3 * cpu / max(count, 1), 1),
        "messages": len(delays),
        "delay_median_ms": round(1e3 * float(np.median(delays)), 1),
        "delay_p95_ms": round(1e3 * float(np.quantile(delays, 0.95)), 1),
    }


def browsed(table: TableFile, coded: list[bytes], fps: float, seconds: float) -> dict[str, float] | None:
    """Frames a second seen, and drawn, while a Chromium on the machine shows the page; None without one."""
    chromium = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if chromium is None:
        return None
    with serving(table, coded, fps) as (referee, server), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        # The page says of every message that it has drawn it.
        page.add_init_script(
            """window.drawn = 0;
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) { drawn += 1; return send.call(this, text); };"""
        )
        page.goto(server.address)
        page.wait_for_timeout(1e3 * WARM_S)
        began, seen, drawn = time.monotonic(), referee.seen, page.evaluate("window.drawn")
        page.wait_for_timeout(1e3 * seconds)
        count, drawn = referee.seen - seen, page.evaluate("window.drawn") - drawn
        took = time.monotonic() - began
        browser.close()
    return {"given_fps": fps, "seen_fps": round(count / took, 1), "drawn_fps": round(drawn / took, 1)}


def watch(port: int, seconds: float) -> list[float]:
    """A page: takes every message, acknowledges it, and notes how old its frame is by then."""
    delays = []
    with connect(f"ws://127.0.0.1:{port}/ws", max_size=None, open_timeout=PATIENCE_S) as socket:
        warm = time.monotonic() + WARM_S
        last = None
        while (now := time.monotonic()) < warm + seconds:
            raw = socket.recv(timeout=PATIENCE_S)
            if isinstance(raw, bytes):
                continue
            message = json.loads(raw)
            arrived = time.monotonic()
            socket.send(json.dumps({"type": "drawn", "number": message["number"]}))
            if last is None and now >= warm:
                print("begun", flush=True)
                last = 0.0
            if last is not None and message["time"] != last:
                last = message["time"]
                delays.append(arrived - last)
    return delays


def run(*, quick: bool) -> dict[str, Any]:
    """The delay at 30 frames a second, and how many a second go all the way, at 1080p and 4K."""
    seconds = 5.0 if quick else 20.0
    found: dict[str, Any] = {}
    for name, size, px, most in (("1080p", (1920, 1080), 18.0, 90.0), ("4k", (3840, 2160), 36.0, 45.0)):
        table, coded = drawn(size, px, 60)
        if name == "1080p":
            found["page at 30 fps, 1080p"] = measure(table, coded, 30.0, seconds)
        found[f"page at full speed, {name}"] = measure(table, coded, most, seconds)
        found[f"page in Chromium, {name}"] = browsed(table, coded, most, seconds)
    return found


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(watch(int(sys.argv[1]), float(sys.argv[2]))), flush=True)
    else:
        cv2.setNumThreads(1)
        for what, figures in run(quick=True).items():
            print(what, figures)

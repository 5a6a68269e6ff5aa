"""`python -m benchmarks.reading [--json] [--quick]`: how fast, surely and exactly small tags are read.

`--wrong-ids N` only counts wrong ids over N reads with foreign tags in view, on the tables of `--seed`.
Ours and the general readers that are installed read the very same JPEG frames, each in a process
of its own (two packages that bundle libapriltag corrupt each other's memory), on one core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np

from benchmarks import exactness, paging
from benchmarks.command import command, table
from benchmarks.peers import PEERS, measure_peer
from benchmarks.truth import true_frames
from engine.errors import TableRefError
from tests.crowd import crowded_scene, shuttling
from vision.frame import Frame, JpegFrame
from vision.simulate.live import ScriptedTable
from vision.sources.base import SourceEnded
from vision.tags.watch import Watch

RENDERS = Path(__file__).resolve().parents[1].parent / "shared" / "renders"
FULL_VIEW = 0.99
# A read this far from the tag of that number is a read of something else, pixels.
WRONG_PX = 3.0
QUALITY = 80
MOVING = ("Car 1", "Car 2", "Car 3")
# Frames before this are for finding the tags, not for following them.
WARM = 30


def draw_clip(
    folder: Path, size: tuple[int, int], printed_px: float, blur: float, frames: int, seed: int = 3
) -> Path:
    """20 cars, 3 of them running to and fro, 6 foreign tags between; frames with truth."""
    folder.mkdir(parents=True)
    scene = crowded_scene(size, cars=20, printed_px=printed_px, foreign=6, seed=seed)
    scene = replace(scene, sensor=replace(scene.sensor, blur=blur, noise=3.0))
    # They stand for a second before they start.
    acts = [replace(a, start=a.start + 1.0, end=a.end + 1.0) for a in shuttling(scene, MOVING, frames / 30)]
    table = ScriptedTable(scene, acts, fps=30.0, seconds=frames / 30)
    keys = [[c.family, c.tag] for c in scene.corners]
    keys += [[p.mount.family, p.mount.tag] for p in scene.pieces if p.mount is not None]
    rows = []
    while True:
        try:
            frame = table.read()
        except SourceEnded:
            break
        name = f"{frame.index:04d}.jpg"
        cv2.imwrite(str(folder / name), frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        tags = table.truth(name)["tags"]
        rows.append({"file": name, "time": frame.time, "tags": _short(tags)})
    return _manifest(folder, keys, 0.8 * printed_px, rows)


def _short(tags: dict[str, Any]) -> dict[str, Any]:
    return {
        i: {
            "centre": np.mean(t["corners_px"], axis=0).tolist(),
            "visible": t["visible_fraction"] if t["in_frame"] else 0.0,
        }
        for i, t in tags.items()
    }


def _manifest(folder: Path, keys: list[list[Any]], side: float, rows: list[dict[str, Any]]) -> Path:
    path = folder / "clip.json"
    path.write_text(json.dumps({"keys": keys, "side": side, "frames": rows}), encoding="utf-8")
    return path


def rendered_clip(folder: Path) -> Path | None:
    """The path-traced clip of `shared/renders`, if it is there."""
    if not (RENDERS / "clip-1080p").is_dir():
        return None
    folder.mkdir(parents=True)
    rows, keys = [], []
    for k, truth in enumerate(true_frames(RENDERS / "clip-1080p")):
        keys = [["tag36h11", i] for i in truth.tags]
        rows.append({"file": str(truth.picture), "time": k / 10, "tags": _short(truth.raw["tags"])})
    return _manifest(folder, keys, 16.0, rows)


def load(path: Path) -> tuple[dict[str, Any], list[tuple[Any, float, dict[str, Any]]]]:
    """A clip's description and its frames: coded bytes, time, truth."""
    clip = json.loads(path.read_text(encoding="utf-8"))
    frames = [
        (np.fromfile(path.parent / f["file"], np.uint8), float(f["time"]), f["tags"]) for f in clip["frames"]
    ]
    return clip, frames


def measure_ours(path: Path) -> dict[str, Any]:
    """Decoding and following, one core; recall and wrong ids of what is followed."""
    clip, frames = load(path)
    keys = [(str(f), int(i)) for f, i in clip["keys"]]
    watch = Watch(keys)
    times: list[float] = []
    seen = read = reads = wrong = 0
    first: dict[int, float] = {}
    before, warm = 0, min(WARM, len(frames) // 3)
    for k, (coded, at, truth) in enumerate(frames):
        began = time.process_time()
        frame = JpegFrame(coded, at, k)
        found = watch.read(frame, lambda _: clip["side"])
        spent = time.process_time() - began
        searched, before = watch.searches != before, watch.searches
        wrong += _wrong(found, truth)
        reads += len(found)
        known = set(first)
        for d in found:
            first.setdefault(d.tag, at)
        if k < warm:
            continue
        # In play a search runs beside, on another core.
        if not searched:
            times.append(spent)
        visible = {i for _, i in keys if str(i) in truth and truth[str(i)]["visible"] >= FULL_VIEW}
        # Recall while tracked: how soon a tag is found at first is told beside it.
        seen += len(visible & known)
        read += len(visible & known & {d.tag for d in found})
    return {
        "name": "tableref",
        "ms": round(1e3 * float(np.mean(times)), 2),
        "recall": round(read / max(seen, 1), 4),
        "wrong_ids": wrong,
        "reads": reads,
        "found_by_s": round(max(first.values(), default=0.0), 2),
        "not_found": len(keys) - len(first),
    }


def _wrong(found: list[Any], truth: dict[str, Any]) -> int:
    return sum(
        str(d.tag) not in truth or bool(np.hypot(*(d.centre - truth[str(d.tag)]["centre"])) > WRONG_PX)
        for d in found
    )


def in_process(what: str, path: Path) -> dict[str, Any] | None:
    """One measurement in a process of its own, None if that reader is not installed."""
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.reading", "--measure", what, str(path)],
        env={**os.environ, **single},
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise TableRefError(f"measuring {what} failed: {done.stderr.strip()[-400:]}")
    result: dict[str, Any] | None = json.loads(lines[-1])
    return result


def sustained(path: Path) -> float:
    """Frames a second of decoding, following and searching beside, by the wall clock, all cores."""
    clip, frames = load(path)
    watch = Watch([(str(f), int(i)) for f, i in clip["keys"]], beside=True)
    for k, (coded, at, _) in enumerate(frames):
        watch.read(JpegFrame(coded, at, k), lambda _: clip["side"])
    began, later = time.perf_counter(), frames[-1][1] + 1 / 30
    # To and fro, so that nothing jumps.
    order = frames[::-1]
    for k, (coded, _, _) in enumerate(order):
        watch.read(JpegFrame(coded, later + k / 30, len(frames) + k), lambda _: clip["side"])
    return len(order) / (time.perf_counter() - began)


def trials(
    count: int, *, seed: int = 100, printed_px: tuple[float, ...] = (15.0, 18.0, 22.0)
) -> dict[str, int]:
    """Reads with foreign tags in view until there are `count`, and how many were wrong.

    Every read of every frame counts, and each region look at a place where a foreign tag lies. Tables
    and noise are drawn from `seed`.
    """
    rng = np.random.default_rng(seed)
    reads = wrong = 0
    for n, px in _endless(printed_px):
        scene = crowded_scene(cars=20, printed_px=px, foreign=14, seed=seed + n)
        sensor = replace(scene.sensor, blur=float(rng.uniform(0.5, 1.2)), noise=2.0)
        table = ScriptedTable(replace(scene, sensor=sensor), fps=10.0, seconds=0.1)
        frame = table.read()
        truth = _short(table.truth()["tags"])
        keys = [(p.mount.family, p.mount.tag) for p in scene.pieces if p.mount is not None]
        watch = Watch(keys + [(c.family, c.tag) for c in scene.corners])
        foreign = [t.tag for t in scene.loose if str(t.tag) in truth]
        for k in range(60):
            grey = _noisy(frame, rng)
            found = watch.read(Frame(grey, k / 10, k), partial(_same, 0.8 * px))
            reads += len(found)
            wrong += _wrong(found, truth)
            if k % 6 == 0:
                for tag in foreign:
                    looked = watch.reader.guess_at(grey, np.array(truth[str(tag)]["centre"]), 0.8 * px)
                    reads += 1
                    wrong += _wrong(looked, truth)
            if reads >= count:
                return {"reads": reads, "wrong": wrong}
    raise AssertionError


def _same(side: float, _key: Any) -> float:
    return side


def _endless(sizes: tuple[float, ...]) -> Iterator[tuple[int, float]]:
    seed = 0
    while True:
        yield seed, sizes[seed % len(sizes)]
        seed += 1


def _noisy(frame: Frame, rng: np.random.Generator) -> Any:
    shift = rng.integers(0, 200, 2)
    noise = np.roll(_grain(frame.grey.shape), tuple(shift), axis=(0, 1))
    return cv2.add(frame.grey, noise, dtype=cv2.CV_8U)


_grains: dict[tuple[int, ...], Any] = {}


def _grain(shape: tuple[int, ...]) -> Any:
    if shape not in _grains:
        _grains[shape] = np.round(np.random.default_rng(7).normal(0, 3.5, shape)).astype(np.int16)
    return _grains[shape]


def run(*, quick: bool) -> dict[str, Any]:
    """Everything; with `quick` fewer frames and reads."""
    frames = 75 if quick else 120
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        hd, uhd = (1920, 1080), (3840, 2160)
        clips: dict[str, Path | None] = {
            "1080p 18 px": draw_clip(folder / "a", hd, 18.0, 1.0, frames),
            "4K 36 px": draw_clip(folder / "b", uhd, 36.0, 1.0, frames),
            "1080p 18 px, blur 1.2": draw_clip(folder / "c", hd, 18.0, 1.2, frames),
            "1080p 15 px": draw_clip(folder / "d", hd, 15.0, 0.9, frames),
            "1080p 15 px, blur 1.2": draw_clip(folder / "e", hd, 15.0, 1.2, frames),
            "rendered 1080p": rendered_clip(folder / "f"),
        }
        rows: list[dict[str, Any]] = []
        for clip, path in clips.items():
            if path is None:
                continue
            for what in ("tableref", *PEERS):
                measured = in_process(what, path)
                if measured is not None:
                    rows.append({"clip": clip, **measured})
        alone = {
            f"frames a second without the page, {clip}": round(sustained(path), 1)
            for clip, path in clips.items()
            if path is not None and clip in ("1080p 18 px", "4K 36 px")
        }
    tried = trials(3_000 if quick else 100_000)
    exact = exactness.measure(RENDERS, scenes=2 if quick else 10)
    paged = paging.run(quick=quick)
    return summary(rows, paged, tried) | {"exact": exact | alone | paged}


def summary(rows: list[dict[str, Any]], paged: dict[str, Any], tried: dict[str, int]) -> dict[str, Any]:
    """The promised fields and every row measured; frames a second are those with the page."""
    by = {(r["clip"], r["name"]): r for r in rows}

    def ratio(clip: str) -> float:
        return round(float(by[clip, "tableref"]["ms"]) / float(by[clip, "pupil-apriltags d1"]["ms"]), 4)

    def recall(px: str) -> float:
        return min(
            float(r["recall"]) for r in rows if r["name"] == "tableref" and f"1080p {px} px" in r["clip"]
        )

    return {
        "ratio_1080p": ratio("1080p 18 px"),
        "ratio_4k": ratio("4K 36 px"),
        "recall_18px": recall("18"),
        "recall_15px": recall("15"),
        "wrong_ids": tried["wrong"] + sum(r["wrong_ids"] for r in rows if r["name"] == "tableref"),
        "reads": tried["reads"] + sum(r["reads"] for r in rows if r["name"] == "tableref"),
        "fps_1080p": paged["page at full speed, 1080p"]["seen_fps"],
        "fps_4k": paged["page at full speed, 4k"]["seen_fps"],
        "peers": rows,
    }


def tell(figures: dict[str, Any]) -> None:
    """The figures for people."""
    print(f"{'clip':24} {'reader':22} {'ms a frame':>10} {'recall':>8}   (decoding included, one core)")
    for row in figures.get("peers", ()):
        found = f"   all found by {row['found_by_s']} s, {row['not_found']} not" if "not_found" in row else ""
        print(f"{row['clip']:24} {row['name']:22} {row['ms']:10.2f} {row['recall']:8.3f}{found}")
    table({k: v for k, v in (figures | figures.get("exact", {})).items() if k not in ("peers", "exact")})


def compared(
    *,
    quick: Annotated[bool, "fewer frames and reads"] = False,
    wrong_ids: Annotated[int | None, "only count wrong ids over so many reads"] = None,
    seed: Annotated[int, "of the tables of --wrong-ids"] = 100,
    measure: Annotated[tuple[str, str] | None, "one reader over one clip, in this process"] = None,
) -> dict[str, Any]:
    """All figures, or those of a part."""
    cv2.setNumThreads(1)
    if measure:
        what, path = measure[0], Path(measure[1])
        figures = measure_ours(path) if what == "tableref" else measure_peer(what, *load(path))
        # At once: some readers crash while their process ends.
        print(json.dumps(figures), flush=True)
        os._exit(0)
    return trials(wrong_ids, seed=seed) if wrong_ids else run(quick=quick)


if __name__ == "__main__":
    sys.exit(command(compared, say=tell))

"""`python -m benchmarks.things FOLDER [--json]`: are things found that nobody named, and nothing else.

Frames with exact truth as in `shared/renders/things`: cars and terrain stand where the truth says, all else
on the table is unknown. A still is shown for four seconds, a sequence (`sequence.json`) at its own rate and
its last frame for four more. Counted are things of a square inch or more with visible contrast that nobody
holds: `found`, their share that is found within four seconds; `outline_in`, how far their outline in the
picture lies from what was found, inches on the table; `coverage_95`, the share within its stated 95 %;
`false_per_hour`, what was told where the truth has nothing; and `ms_per_frame`, at 15 frames a second.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from shapely import LineString, Polygon

from benchmarks.renders import Mode
from benchmarks.truth import TrueFrame, pictures_with_truth, read_truth
from calibration.surface import Surface
from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Thing
from vision.frame import Frame
from vision.tags.reading import TagReader
from vision.things import LOOK_EVERY_S, ThingWatch

SHOWN_S, FPS = 4.0, 15.0
LEAST_AREA, LEAST_CONTRAST, BEYOND_IN = 1.0, 15.0, 1.2
# Of a thing so much must be covered by what was found, and of what was found so little by nothing.
FOUND, OWN = 0.4, 0.3


@dataclass
class Score:
    """What a run adds up."""

    wanted: int = 0
    found: int = 0
    false: int = 0
    seconds: float = 0.0
    spent: float = 0.0
    off: list[float] = field(default_factory=list)
    inside: list[bool] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """The sums as shares and percentiles."""
        off = np.array(self.off or [math.nan])
        return {
            "found": None if not self.wanted else round(self.found / self.wanted, 4),
            "things": self.wanted,
            "outline_in": {"median": _told(np.median(off)), "p95": _told(np.percentile(off, 95))},
            "false_per_hour": round(self.false / max(self.seconds, 1e-9) * 3600.0, 2),
            "false": self.false,
            "coverage_95": None if not self.inside else round(float(np.mean(self.inside)), 4),
            "ms_per_frame": round(1000.0 * self.spent / max(self.seconds * FPS, 1.0), 3),
            "missed": self.missed,
        }


def _told(value: Any) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)


def shows(folder: Path) -> Iterator[tuple[str, list[tuple[float, TrueFrame]]]]:
    """What is shown and at which times, seconds: each still by itself, a sequence as one."""
    pairs = pictures_with_truth(folder)
    if not pairs:
        raise TableRefError(f"no picture with a truth file of the same name below {folder}")
    for place in sorted({truth.parent for truth, _ in pairs}):
        here = [(t, p) for t, p in pairs if t.parent == place]
        sequence = place / "sequence.json"
        if sequence.is_file():
            rate = float(json.loads(sequence.read_text(encoding="utf-8"))["fps"])
            frames = [read_truth(t, p) for t, p in here if t.stem.startswith("frame_")]
            here = [(t, p) for t, p in here if not t.stem.startswith("frame_")]
            times = [(k / rate, frame) for k, frame in enumerate(frames)]
            end = (len(frames) - 1) / rate
            more = [(end + k * LOOK_EVERY_S, frames[-1]) for k in range(1, _looks() + 1)]
            yield str(sequence), [*times, *more]
        for truth, picture in here:
            frame = read_truth(truth, picture)
            yield str(picture), [(k * LOOK_EVERY_S, frame) for k in range(_looks() + 1)]


def _looks() -> int:
    return round(SHOWN_S / LOOK_EVERY_S)


def play(name: str, shown: list[tuple[float, TrueFrame]], score: Score) -> None:
    """One still or sequence, and what is told at its end."""
    first, last = shown[0][1], shown[-1][1]
    keys = {(c.family, c.tag) for c in first.corners}
    image, before = first.image(), first
    read = TagReader.of(frozenset(keys)).read_all(Frame(image, 0.0, 0))
    surface = Mode().surface(first, first.lens, read)
    watch = ThingWatch(_table_of(first), [c.corners_at() for c in first.corners])
    told: tuple[Thing, ...] = ()
    for k, (at, truth) in enumerate(shown):
        if truth is not before:
            image, before = truth.image(), truth
        frame = Frame(image, at, k)
        began = time.process_time()
        told = watch.update(frame, surface, standings(truth))
        score.spent += time.process_time() - began
    score.seconds += shown[-1][0] - shown[0][0] + LOOK_EVERY_S
    _judge(name, last, surface, told, score)


def standings(truth: TrueFrame) -> list[Standing]:
    """Cars and tagged terrain where they truly stand: as the tracker holds them, read or not."""
    raws = {
        int(r["tag_id"]): r for r in (*truth.raw["cars"], *truth.raw["terrain"]) if r["tag_id"] is not None
    }
    return [
        _standing(p, raws[p.mount.tag]) for p in truth.pieces if p.mount is not None and p.mount.tag in raws
    ]


def _standing(piece: Piece, raw: dict[str, Any]) -> Standing:
    x, y, *_ = raw["center_in"]
    return Standing(piece, Pose(x, y, math.radians(raw["heading_deg"])), PoseUncertainty.exact())


def _table_of(truth: TrueFrame) -> Region:
    places = np.array([c.at for c in truth.corners])
    low, high = places.min(axis=0) - BEYOND_IN, places.max(axis=0) + BEYOND_IN
    return Region.rectangle(*low.tolist(), *(high - low).tolist())


def _judge(name: str, truth: TrueFrame, surface: Surface, told: tuple[Thing, ...], score: Score) -> None:
    """Holds what is told against what is there."""
    there = truth.raw.get("things", [])
    seen = {t["id"]: Polygon(_on_table(surface, t)).buffer(0) for t in there if len(t["silhouette_px"]) > 2}
    found: dict[int, list[Thing]] = {}
    for thing in told:
        shape = thing.region.polygon.buffer(0)
        shares = {k: shape.intersection(s).area / max(min(shape.area, s.area), 1e-9) for k, s in seen.items()}
        best = max(shares, key=lambda k: shares[k], default=None)
        if best is None or shares[best] < OWN:
            score.false += 1
            score.missed.append(f"{name}: false at {np.round(thing.region.outline.mean(axis=0), 1).tolist()}")
        else:
            found.setdefault(best, []).append(thing)
    for raw in there:
        if not counts(raw):
            continue
        score.wanted += 1
        own, shape = found.get(raw["id"], []), seen.get(raw["id"])
        covered = sum(t.region.polygon.buffer(0).intersection(shape).area for t in own) if shape else 0.0
        if shape is None or covered < FOUND * shape.area:
            score.missed.append(f"{name}: {raw['kind']} {raw['id']} ({covered:.1f} sq in of it found)")
            continue
        score.found += 1
        _outline(shape, own, score)


def counts(raw: dict[str, Any]) -> bool:
    """Whether a thing is one that has to be found."""
    area = Polygon(raw["outline_in"]).buffer(0).area
    plain = not raw.get("cloth_itself") and not raw.get("in_hand")
    return bool(
        plain and area >= LEAST_AREA and raw["contrast"] >= LEAST_CONTRAST and raw["visible_fraction"] > 0.5
    )


def _on_table(surface: Surface, raw: dict[str, Any]) -> FloatArray:
    """The outline that the camera sees, laid on the table, (n, 2) inches."""
    return np.asarray(surface.table_from_image(np.array(raw["silhouette_px"], dtype=np.float64)))


def _outline(shape: Polygon, own: list[Thing], score: Score) -> None:
    ring = (
        LineString(shape.exterior.coords)
        if isinstance(shape, Polygon)
        else LineString(shape.convex_hull.exterior.coords)
    )
    rims = [LineString([*t.region.outline, t.region.outline[0]]) for t in own]
    for at in np.arange(0.0, ring.length, 0.1):
        off = min(rim.distance(ring.interpolate(float(at))) for rim in rims)
        score.off.append(off)
        score.inside.append(off <= 1.96 * own[0].sd)


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER|CLIP", help="pictures with truth files beside them"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    score = Score()
    folder = asked.folder if asked.folder.is_dir() else asked.folder.parent
    for name, shown in shows(folder):
        play(name, shown, score)
    figures = score.figures()
    print(json.dumps(figures) if asked.json else "\n".join(f"{k}: {v}" for k, v in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

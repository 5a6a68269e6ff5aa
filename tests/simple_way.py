"""Ours against the simple way, a plain homography.

Without a calibrated lens, hobby trackers take the homography of the corner tags' centres. Both ways get the
very same reads: each corner tag is left out in turn and placed from the others (of many, eight), and places
all over the table, between the corner tags, are found from all of them. Simulated tables are plain
projections through random lenses and are held against the true places; the real photograph, where `../shared`
is there, against what a tape measure said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.renders import CHI2_95
from calibration.accuracy import Accuracy
from calibration.bundle.common import Common
from calibration.bundle.solve import solve
from calibration.lens.model import Lens, LensError, guess_lens
from calibration.surface import CornerTag, SeenCorner, Surface, diagonal_crossing, project
from calibration.tablefile import load_table
from engine.space.geometry import FloatArray
from server.pipeline.photo import open_picture
from vision.evidence import sort_out
from vision.frame import Frame
from vision.tags.reading import TagReader

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "samples" / "overhead-table-1" / "table.toml"
PHOTO = ROOT.parent / "shared" / "photos" / "overhead-table-1" / "frame_00.jpg"

SIZE = (1280, 720)
TAG_IN = 1.75
PLACE_SD_IN = 1 / 16
NOISES_PX = (0.3, 0.5, 0.7, 1.0)
COUNTS = (4, 6, 8, 10, 48)
# Of five, four are left in which three may stand in one line: neither way can begin there. 48 are a grid.
ALONG, ACROSS = 8, 6
LEFT_OUT = 8
BENDS = {"straight": 0.01, "bent": 0.1}
"""Standard deviations of k1: a camera that straightens its own picture, and what webcams' lenses bend."""

Placing = Callable[[FloatArray], FloatArray]
"""Pixels (n, 2) to places on the table (n, 2), inches."""


@dataclass(frozen=True, eq=False)
class Table:
    """Corner tags as stated and seen, where they truly lie (n, 2), and places between them with pixels."""

    seen: tuple[SeenCorner, ...]
    true: FloatArray
    between: FloatArray
    pixels: FloatArray
    common: Common
    lens: Lens


@dataclass
class Tally:
    """Errors of both ways at the same places, inches, and chi-squares of ours by its stated deviation.

    `excess` is, table by table, the median of our errors less that of the simple way's.
    """

    ours: list[float] = field(default_factory=list)
    simple: list[float] = field(default_factory=list)
    chi_squares: list[float] = field(default_factory=list)
    excess: list[float] = field(default_factory=list)

    def extend(self, other: Tally) -> None:
        """Takes another table's places too."""
        self.excess.append(float(np.median(other.ours) - np.median(other.simple)))
        self.ours += other.ours
        self.simple += other.simple
        self.chi_squares += other.chi_squares

    def record(self) -> dict[str, Any]:
        """Medians and 95th percentiles in inches; where ours is worse, by tables and by places."""
        ours, simple = np.array(self.ours), np.array(self.simple)
        worse = [e for e in self.excess if e > 0]
        tables = {
            "tables": len(self.excess),
            "tables_ours_worse": len(worse),
            "worse_by_median_in": round(float(np.median(worse)), 4) if worse else 0.0,
            "worse_by_most_in": round(max(worse, default=0.0), 4),
        }
        return tables | {
            "places": len(ours),
            "ours_median_in": round(float(np.median(ours)), 4),
            "simple_median_in": round(float(np.median(simple)), 4),
            "ours_p95_in": round(float(np.percentile(ours, 95)), 4),
            "simple_p95_in": round(float(np.percentile(simple, 95)), 4),
            "ours_worse": round(float((ours > simple).mean()), 3),
            "inside_95": round(float((np.array(self.chi_squares) < CHI2_95).mean()), 3),
        }


def homography(corners: Sequence[SeenCorner]) -> Placing:
    """The simple way: a homography of the corner tags' centres, no lens."""
    H, _ = cv2.findHomography(_centres(corners), np.array([c.corner.at for c in corners]))

    def place(pixels: FloatArray) -> FloatArray:
        flat = cv2.perspectiveTransform(pixels.reshape(-1, 1, 2), H)
        return np.asarray(flat, dtype=np.float64).reshape(-1, 2)

    return place


def left_out(table: Table, tally: Tally, stated_sd: float = 0.0) -> None:
    """Places each corner tag from the others. `stated_sd`: how far `table.true` is off along each axis."""
    for i in range(0, len(table.seen), max(1, len(table.seen) // LEFT_OUT)):
        one = table.seen[i]
        others = [*table.seen[:i], *table.seen[i + 1 :]]
        surface = solve(table.lens, others, common=table.common).surface
        centre, by_corners = diagonal_crossing(one.corners)
        noise = by_corners @ (one.covariance + _leaning(one, surface)) @ by_corners.T
        _add(tally, surface, homography(others), centre[None], table.true[i : i + 1], noise, stated_sd)


def _leaning(seen: SeenCorner, surface: Surface) -> FloatArray:
    """What leaning, bending and the cloth under it make of a tag's corners in the picture, (8, 8)."""
    square = surface.table_from_image(seen.corners)
    points = np.column_stack([square, np.zeros(4)])
    jacobians = project(surface.lens, surface.rotation, surface.translation, points)[1]
    by_world = np.zeros((8, 12))
    for k, block in enumerate(jacobians[:, :, 3:6] @ surface.rotation):
        by_world[2 * k : 2 * k + 2, 3 * k : 3 * k + 3] = block
    return by_world @ seen.corner.paper.spread(square - square.mean(axis=0)) @ by_world.T


def between(table: Table, tally: Tally) -> None:
    """Places points between the corner tags, whose pixels are known exactly, from all of them."""
    surface = solve(table.lens, table.seen, common=table.common).surface
    _add(tally, surface, homography(table.seen), table.pixels, table.between, np.zeros((2, 2)), 0.0)


def _add(
    tally: Tally, surface: Surface, simple: Placing, pixels: FloatArray, true: FloatArray,
    noise: FloatArray, stated_sd: float,
) -> None:  # fmt: skip
    found = surface.table_from_image(pixels)
    by_pixel, by_parameters, _ = surface.jacobians(found, 0.0)
    off = found - true
    for d, P, J in zip(off, by_pixel, by_parameters, strict=True):
        covariance = P @ noise @ P.T + J @ surface.covariance @ J.T + np.eye(2) * stated_sd**2
        tally.chi_squares.append(float(d @ np.linalg.solve(covariance, d)))
    tally.ours += np.hypot(*off.T).tolist()
    tally.simple += np.hypot(*(simple(pixels) - true).T).tolist()


def _centres(corners: Sequence[SeenCorner]) -> FloatArray:
    return np.array([diagonal_crossing(c.corners)[0] for c in corners])


def simulated(rng: np.random.Generator, count: int, noise: float, bend: float) -> Table:
    """A table under a random lens (`bend` as in `BENDS`) and camera that sees all its corner tags."""
    while True:
        try:
            table = _drawn(rng, count, noise, bend)
        except LensError:
            continue
        if table is not None:
            return table


def _drawn(rng: np.random.Generator, count: int, noise: float, bend: float) -> Table | None:
    accuracy = Accuracy()
    width, depth = rng.uniform(36, 60), rng.uniform(30, 48)
    stated = _laid(count) * (width, depth)
    true = stated + rng.normal(0, PLACE_SD_IN, stated.shape)
    lens = _random_lens(rng, bend)
    # Looks from all sides at the table's middle, up to 40 degrees from straight down.
    tilt, azimuth = math.radians(rng.uniform(0, 40)), rng.uniform(-math.pi, math.pi)
    target = np.array([width / 2, depth / 2, 0.0]) + rng.normal(0, 2, 3) * (1, 1, 0)
    back = np.array([math.sin(tilt) * math.cos(azimuth), math.sin(tilt) * math.sin(azimuth), math.cos(tilt)])
    position = target + back * rng.uniform(1.05, 1.5) * width * lens.K[0, 0] / SIZE[0]
    rotation = _towards(-back, rng.uniform(-0.1, 0.1))
    translation = -rotation @ position
    scale = rng.normal(0, accuracy.print_scale)
    seen = []
    for i, (at, lies) in enumerate(zip(stated, true, strict=True)):
        tag = CornerTag("tag36h11", i, TAG_IN, (float(at[0]), float(at[1])), None, PLACE_SD_IN, accuracy.laid)
        square = replace(tag, at=(0.0, 0.0), turn=rng.uniform(-math.pi, math.pi)).corners_at()
        rise = rng.multivariate_normal(np.zeros(12), accuracy.laid.spread(square)).reshape(4, 3)
        # The cloth lifts a tag as it lifts what is placed beside it: that is not this benchmark's matter.
        points = np.column_stack([square * (1 + scale) + lies, np.zeros(4)]) + rise
        pixels = project(lens, rotation, translation, points)[0]
        if (pixels < 5).any() or (pixels > np.array(SIZE) - 5).any():
            return None
        seen.append(SeenCorner(tag, pixels + rng.normal(0, noise, (4, 2)), np.eye(8) * noise**2))
    grid = np.stack(np.meshgrid(np.linspace(0.1, 0.9, 5), np.linspace(0.1, 0.9, 5)), -1).reshape(-1, 2)
    places = grid * (width, depth)
    shown = project(lens, rotation, translation, np.column_stack([places, np.zeros(25)]))[0]
    return Table(tuple(seen), true, places, shown, accuracy.common, guess_lens(SIZE))


def _laid(count: int) -> FloatArray:
    """Where the corner tags lie, shares of width and depth: round the border, or all over the table."""
    if count == ALONG * ACROSS:
        return np.stack(np.meshgrid(np.linspace(0, 1, ALONG), np.linspace(0, 1, ACROSS)), -1).reshape(-1, 2)
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    middles = [(0.5, 0), (0.5, 1), (0, 0.5), (1, 0.5), (0.25, 0), (0.75, 1)]
    return np.array([*corners, *middles][:count], dtype=np.float64)


def _random_lens(rng: np.random.Generator, bend: float) -> Lens:
    """A webcam's: 50 to 80 degrees wide, its centre off the middle, if bent then mostly like a barrel."""
    focal = SIZE[0] / 2 / math.tan(math.radians(rng.uniform(50, 80)) / 2)
    off = rng.normal(0, 0.015 * SIZE[0], 2)
    K = np.array([[focal, 0, SIZE[0] / 2 + off[0]], [0, focal, SIZE[1] / 2 + off[1]], [0, 0, 1.0]])
    k1 = rng.normal(-0.5 * bend, bend)
    return Lens(
        SIZE, K, np.array([k1, -0.3 * k1 + rng.normal(0, 0.2 * bend), *rng.normal(0, 0.0007, 2), 0.0])
    )


def _towards(ahead: FloatArray, roll: float) -> FloatArray:
    """Rotation camera_from_table of a camera that looks along `ahead`, y of the table up in the picture."""
    right = np.cross(ahead, (-math.sin(roll), math.cos(roll), 0.0))
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(ahead, right), ahead])


def photographed(noise: float | None = None) -> Table:
    """The real table; `noise` states the corners' deviation in pixels, None the reader's own."""
    table = load_table(SAMPLE)
    frame = Frame(open_picture(PHOTO), 0.0, 0, str(PHOTO))
    corners = sort_out(TagReader.of(table.keys).read_all(frame), table).corners
    if noise is not None:
        corners = tuple(replace(c, covariance=np.eye(8) * noise**2) for c in corners)
    true = np.array([c.corner.at for c in corners])
    nothing = np.zeros((0, 2))
    return Table(corners, true, nothing, nothing, table.accuracy.common, table.lens_for(frame.size))

"""`python -m benchmarks.sizes [--pictures N] [--json]`: large and distant tags in one picture.

Each picture (1920 x 1080) has 28 tags from 300 to 15 pixels wide, turned anyhow, tilted by up to 60 degrees,
on a mottled ground, blurred by 0.7, 1.2 or 1.5 px (a standard deviation) in turn, with noise 3. Told are how
many each reader has, how many of a size only one of the two has, and false ones. Ours reads it as a picture
that stands alone and of which nothing is known, the stock reader (pupil-apriltags) in full resolution.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter

import cv2
import numpy as np

from benchmarks.peers import reader_of
from engine.space.geometry import FloatArray
from vision.frame import Frame, Image
from vision.tags.unnamed import reader_of_all

WIDTH, HEIGHT = 1920, 1080
SIZES_PX = (300, 220, 160, 120, 90, 70, 60, 50, 45, 40, 36, 32, 30, *range(29, 14, -1))
BLURS_PX, NOISE, MOST_TILT_DEG = (0.7, 1.2, 1.5), 3.0, 60.0
MODULE, FINER = 32, 4
STOCK = "pupil-apriltags d1"


def drawn(tag: int) -> Image:
    """A printed tag with its white margin, `MODULE` pixels a module."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    black = cv2.aruco.generateImageMarker(dictionary, tag, 8 * MODULE)
    return np.pad(np.asarray(black, np.uint8), MODULE, constant_values=255)


def turned(angle: float) -> FloatArray:
    """A rotation of the picture by radians, (2, 2)."""
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin], [sin, cos]])


def lay(image: Image, tag: int, side: float, middle: tuple[float, float], rng: np.random.Generator) -> None:
    """Draws a tag whose black square is `side` pixels wide, seen from aside by up to `MOST_TILT_DEG`."""
    print_ = drawn(tag)
    around = turned(float(rng.uniform(0, math.pi)))
    narrow = math.cos(math.radians(float(rng.uniform(0, MOST_TILT_DEG))))
    map_ = around @ np.diag([1.0, narrow]) @ around.T @ turned(float(rng.uniform(0, math.tau)))
    map_ = map_ * side / (8 * MODULE)
    reach = int(side)
    corner = np.array([int(middle[0]) - reach, int(middle[1]) - reach])
    aside = np.array(middle) - corner - map_ @ np.full(2, len(print_) / 2)
    finer = np.hstack([map_ * FINER, (aside * FINER)[:, None] + (FINER - 1) / 2])
    size = (2 * reach * FINER, 2 * reach * FINER)
    layers = [cv2.warpAffine(what, finer, size) for what in (print_, np.full_like(print_, 255))]
    shown, share = (cv2.resize(x, (2 * reach, 2 * reach), interpolation=cv2.INTER_AREA) for x in layers)
    part = image[corner[1] : corner[1] + 2 * reach, corner[0] : corner[0] + 2 * reach]
    part[:] = (part * (1 - share / 255.0) + shown * (share / 255.0)).astype(np.uint8)


def picture(seed: int) -> tuple[Image, dict[int, int]]:
    """A picture, and how wide each tag is."""
    rng = np.random.default_rng(seed)
    mottled = cv2.GaussianBlur(rng.normal(0, 60, (HEIGHT, WIDTH)), (0, 0), 6)
    image = np.clip(150 + mottled, 0, 255).astype(np.uint8)
    taken: list[tuple[float, float, float]] = []
    for tag, side in enumerate(SIZES_PX):
        while True:
            x, y = rng.uniform(side, WIDTH - side), rng.uniform(side, HEIGHT - side)
            if all(math.dist((x, y), (a, b)) > 0.9 * (side + other) for a, b, other in taken):
                break
        taken.append((x, y, side))
        lay(image, tag, side, (float(x), float(y)), rng)
    seen = cv2.GaussianBlur(image, (0, 0), BLURS_PX[seed % len(BLURS_PX)]) + rng.normal(0, NOISE, image.shape)
    return np.clip(seen, 0, 255).astype(np.uint8), dict(enumerate(SIZES_PX))


def run(pictures: int) -> dict[str, object]:
    """All pictures."""
    stock = reader_of(STOCK)
    count: Counter[str] = Counter()
    alone: dict[str, list[int]] = {"ours alone": [], "stock alone": []}
    for seed in range(pictures):
        grey, there = picture(seed)
        frame = Frame(np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8), 0.0, seed, "drawn")
        ours = {d.tag for d in reader_of_all(()).read_all(frame)}
        theirs = stock(grey)
        count += Counter(
            tags=len(there), ours=len(ours & there.keys()), stock=len(theirs & there.keys()),
            ours_false=len(ours - there.keys()), stock_false=len(theirs - there.keys()),
        )  # fmt: skip
        alone["ours alone"] += [there[t] for t in ours - theirs if t in there]
        alone["stock alone"] += [there[t] for t in theirs - ours if t in there]
    return {**count, **{who: dict(sorted(Counter(sizes).items())) for who, sizes in alone.items()}}


def main() -> None:
    """Reads and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=24)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    asked = parser.parse_args()
    found = run(asked.pictures)
    if asked.json:
        print(json.dumps(found))
        return
    for name, told in found.items():
        print(f"{name:12} {told}")


if __name__ == "__main__":
    main()

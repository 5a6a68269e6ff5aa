"""`python -m benchmarks.singles [--json]`: what one picture that stands alone tells of small tags.

Drawn tables of 20 cars with tags of 16 to 22 pixels and 4 foreign tags, sharp (as drawn, blur about 0.7 px),
sharp through a sensor of one colour a pixel whose other colours a camera makes up from its neighbours
(bilinear demosaicing), and out of focus (1.5 px), noise 3, JPEG 85: told are how many tags a first reading
of the whole picture has, how many `tableref locate` has, and how many of these stand more than a fifth of an
inch from where they are.
And tables with 16 of 20 cars missing and 14 foreign tags: how many cars are told that are not there.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.tablefile import parse_table
from server.pipeline.photo import PhotoReading, look_at, open_picture
from vision.frame import Frame, Image
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.variations import crowded_scene
from vision.tags.reading import TagReader

SIZES, SEEDS, ABSENT_SEEDS = (16.0, 18.0, 20.0, 22.0), (1, 2), (5, 6, 7)
DRAWN_PX, NOISE, QUALITY, WRONG_IN = 0.7, 3.0, 85, 0.2


@dataclass(frozen=True)
class Camera:
    """How a picture is taken: blur (a standard deviation, pixels), and whether through one colour a pixel."""

    blur: float = DRAWN_PX
    mosaic: bool = False


CAMERAS = {
    "sharp": Camera(), "demosaiced": Camera(mosaic=True), "blur 1.5": Camera(1.5),
    "blur 1.5, demosaiced": Camera(1.5, mosaic=True),
}  # fmt: skip


@dataclass
class Count:
    """Of `there` tags, so many `first` read, `read` in the end, and `wrong`."""

    there: int = 0
    first: int = 0
    read: int = 0
    wrong: int = 0


def demosaiced(image: Image) -> Image:
    """A picture (h, w, 3) as a sensor of red, green, green and blue pixels sees it, the rest interpolated."""
    seen = np.empty(image.shape[:2], np.uint8)
    # Rows and columns of a square of four pixels, and the channel (blue, green, red) that each sees.
    for row, column, channel in ((0, 0, 2), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
        seen[row::2, column::2] = image[row::2, column::2, channel]
    # OpenCV names the pattern by its second row and column.
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_BayerBG2BGR), np.uint8)


def photograph(scene: Scene, camera: Camera, seed: int, file: Path) -> None:
    """One picture of the scene."""
    image = np.asarray(ScriptedTable(scene).read().image)
    if camera.blur > DRAWN_PX:
        wider = math.sqrt(camera.blur**2 - DRAWN_PX**2)
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), wider), np.uint8)
    if camera.mosaic:
        image = demosaiced(image)
    noise = np.random.default_rng(seed).normal(0, NOISE, image.shape)
    cv2.imwrite(
        str(file), np.clip(image + noise, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    )


def look(shown: Scene, stated: Scene, camera: Camera, seed: int) -> tuple[PhotoReading, int]:
    """What is made of a picture of one scene by another one's table file, and what a first reading has."""
    table = parse_table(stated.to_toml())
    carried = {(p.mount.family, p.mount.tag) for p in table.pieces if p.mount is not None}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.jpg"
        photograph(shown, camera, seed, file)
        first = TagReader.of(table.keys).read_all(Frame(open_picture(file), 0.0, 0))
        return look_at(file, table), sum((d.family, d.tag) in carried for d in first)


def run() -> dict[str, object]:
    """All pictures."""
    figures: dict[str, object] = {}
    for name, camera in CAMERAS.items():
        count = Count()
        for size in SIZES:
            for seed in SEEDS:
                scene = crowded_scene(printed_px=size, seed=seed, foreign=4)
                seen, first = look(scene, scene, camera, seed)
                count.there += len(scene.start)
                count.first += first
                count.read += len(seen.sightings)
                count.wrong += sum(
                    math.dist(s.pose.xy, scene.start[s.piece.name].xy) > WRONG_IN for s in seen.sightings
                )
        figures[name] = vars(count)
    absent = pictures = 0
    for size in (16.0, 20.0):
        for camera in CAMERAS.values():
            for seed in ABSENT_SEEDS:
                shown = crowded_scene(cars=4, printed_px=size, seed=seed, foreign=14)
                seen, _ = look(shown, crowded_scene(cars=20, printed_px=size, seed=seed), camera, seed)
                shows = {p.mount.tag for p in shown.pieces if p.mount} | {t.tag for t in shown.loose}
                absent += sum(s.detection.tag not in shows for s in seen.sightings)
                pictures += 1
    figures["absent"] = {"pictures": pictures, "told": absent}
    return figures


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.singles", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    arguments = parser.parse_args(argv)
    figures = run()
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, told in figures.items():
            print(f"{name:20} {told}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

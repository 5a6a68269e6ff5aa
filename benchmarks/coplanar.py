"""`python -m benchmarks.coplanar FOLDER [--mistakes] [--json]`: tags that lie flat, told from roof tags.

Every frame with exact truth below the folder as people state it, with their lens and with none, with and
without the places of the corner tags: as it is, where nothing may be called flat; with one stated number
wrong at a time (`--mistakes`, as `benchmarks.honesty` makes them), where nothing may either; and as a drawing
of the same table would show it, all roof tags in the table's plane, where it ought to be called so.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.honesty import cases
from benchmarks.honesty_scene import Scene, scenes
from benchmarks.stated import Stated, evidence, judged
from calibration.bundle.coplanar import all_coplanar
from calibration.lens.model import guess_lens
from engine.errors import TableRefError
from vision.frame import Detection


def told(stated: Stated, detections: Sequence[Detection], *, ruler: bool) -> bool:
    """Whether the tags are called flat."""
    corners, tags, frame = evidence(stated, detections, ruler=ruler)
    found = judged(stated, detections, ruler=ruler)
    return all_coplanar(found, stated.lens, corners, tags, frame, stated.common)


def drawn(scene: Scene) -> list[Detection]:
    """The frame's reads as a drawing of the table would give them: every tag in the table's plane."""
    surface = judged(scene.stated, scene.detections).surface
    flat = []
    for d in scene.detections:
        piece = scene.stated.pieces.get(d.tag)
        if piece is None or piece.mount is None:
            flat.append(d)
            continue
        places = surface.table_from_image(d.corners, piece.mount.height)
        flat.append(replace(d, corners=surface.image_from_table(places)))
    return flat


def run(folder: Path, *, mistakes: bool = False) -> dict[str, str]:
    """Of each kind of picture, how many of how many were called flat."""
    count: Counter[str] = Counter()
    of: Counter[str] = Counter()
    for scene in scenes(folder):
        for name, stated, detections, ruler in _asked(scene, mistakes=mistakes):
            try:
                count[name] += told(stated, detections, ruler=ruler)
                of[name] += 1
            except TableRefError:
                continue
    return {name: f"{count[name]} of {total}" for name, total in sorted(of.items())}


def _asked(scene: Scene, *, mistakes: bool) -> Iterator[tuple[str, Stated, Sequence[Detection], bool]]:
    bare = replace(scene.stated, lens=guess_lens(scene.stated.lens.size))
    pictures = (("as it is", scene.detections), ("drawn flat", drawn(scene)))
    for name, detections in pictures:
        for lens, stated in (("lens calibrated", scene.stated), ("no lens", bare)):
            for ruler in (True, False):
                yield f"{name}, {lens}, {'places' if ruler else 'no places'}", stated, detections, ruler
    for case in cases(scene) if mistakes else ():
        yield f"mistake: {case.row}", case.stated, scene.detections, True


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coplanar", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mistakes", action="store_true", help="also with one stated number wrong at a time")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    arguments = parser.parse_args(argv)
    figures = run(arguments.folder, mistakes=arguments.mistakes)
    if not figures:
        parser.error(f"no frames with exact truth below {arguments.folder}")
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, called in figures.items():
            print(f"{name:42} {called}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""`python -m benchmarks.firsttime [FOLDER] [--tables N] [--json]`: how true a table is that nobody measured.

Simulated tables as people lay them: a camera somewhere above, tilted; corner tags laid and turned by hand;
prints that came out 1 % too large or small, roofs that are 0.1 inch higher or lower than the catalogue says
(standard deviations). Each is set up by the very steps of the set-up page, and where the cars' tags are
found is held against the truth: as it is at first, with one length measured by a ruler, and with the lens
calibrated besides.

With FOLDER, the pictures with truth below it are taken as a camera's in place of these: their table files
are hidden, and the heights of their tags are taken as measured.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.renders import CHI2_95
from benchmarks.truth import TrueFrame, true_frames
from calibration.bundle.doubts import judge
from calibration.lens.model import Lens, guess_lens, usual_covariance
from calibration.table_text import block, with_block
from calibration.tablefile import TableFile, parse_table
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body, Piece, TagMount
from server.pipeline.photo import open_picture
from server.setup.setup_messages import NamePiece
from server.setup.surface_setup import FoundTable, TableFinder
from server.setup.table_changes import RULED_SHARE, piece_text, rescaled
from vision.evidence import sort_out
from vision.frame import Detection, Frame
from vision.locate import locate_all
from vision.simulate.drawing.camera import overhead
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import first_scene, sim_lens
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all

PRINT_SCALE, ROOF_IN = 0.01, 0.1
CARS_ON_IT = 6
WAYS = ("nothing measured", "a known length", "a known length and the lens")


def hand_laid(rng: np.random.Generator) -> tuple[Scene, float]:
    """A table as somebody might lay it, and by which share its prints are too large."""
    scale = float(rng.normal(0.0, PRINT_SCALE))
    scene = first_scene()
    far = [(0.0, 0.0), (rng.uniform(38, 44), 0.0)]
    far += [(far[1][0] + rng.uniform(-2, 1), rng.uniform(34, 41)), (rng.uniform(-2, 2), rng.uniform(34, 41))]
    corners = tuple(
        replace(c, at=at, turn=float(rng.uniform(-math.pi, math.pi)), size=2.4 * (1 + scale))
        for c, at in zip(scene.corners, far, strict=True)
    )
    pieces: list[Piece] = []
    start: dict[str, Pose] = {}
    for n in range(CARS_ON_IT):
        model = str(rng.choice([m for m in CARS if not m.startswith("rig")]))
        body = CARS[model]
        height = body.height + float(rng.normal(0.0, ROOF_IN))
        mount = TagMount(USUAL_FAMILY, 41 + n, 0.9 * (1 + scale), height)
        name = f"Car {n + 1}"
        pieces.append(Piece(name, "car", Body(model, body.footprint, height, body.tyres), mount))
        place = rng.uniform((5, 4), (far[1][0] - 5, 32))
        while any(math.dist(place, p.xy) < 5 for p in start.values()):
            place = rng.uniform((5, 4), (far[1][0] - 5, 32))
        start[name] = Pose(float(place[0]), float(place[1]), float(rng.uniform(-math.pi, math.pi)))
    camera = overhead(
        sim_lens(), over=tuple(rng.uniform((17, 15), (25, 20)).tolist()), height=float(rng.uniform(64, 72)),
        tilt_deg=float(rng.uniform(0, 6)), azimuth_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.uniform(-6, 6)),
    )  # fmt: skip
    seed = int(rng.integers(1 << 30))
    return replace(scene, corners=corners, pieces=tuple(pieces), start=start, camera=camera, seed=seed), scale


def set_up(scene: Scene, found: FoundTable) -> TableFile:
    """The table file that the page writes when somebody says what each tag is."""
    text = found.text("Table", 2.4)
    for n, piece in enumerate(scene.pieces):
        named = NamePiece(tag=41 + n, name=piece.name, kind="car", model=piece.body.model)
        text = with_block(text, piece_text(named))
    return parse_table(text)


def _told(truth: TrueFrame, found: FoundTable) -> TableFile:
    """The table file where somebody has measured how high each tag of a picture's truth sits."""
    text = found.text("Table", truth.corners[0].size)
    for piece in truth.pieces:
        assert piece.mount is not None
        fields = {
            "name": piece.name,
            "kind": "terrain",
            "size_in": [2.0, 2.0],
            "height_in": piece.mount.height,
        }
        fields |= {"tag": piece.mount.tag, "tag_size_in": piece.mount.size}
        text = with_block(text, block("[[piece]]", fields))
    return parse_table(text)


def in_folder(folder: Path) -> dict[str, Any]:
    """Every picture of the folder as a table that nobody has set up."""
    rows: list[dict[str, Any]] = []
    pictures = unseen = 0
    for truth in true_frames(folder):
        pictures += 1
        frame = Frame(open_picture(truth.picture), 0.0, 0, truth.picture.name)
        detections = reader_of_all(()).read_all(frame, thorough=False)
        guess = guess_lens(frame.size)
        found = TableFinder(truth.corners[0].size).look(frame, detections, guess)
        if not isinstance(found, FoundTable):
            unseen += 1
            continue
        # The file's frame has the first corner tag as its origin and the second one along x.
        origin, ahead = (truth.tags[tag].centre[:2] for _, tag in found.corners[:2])
        table_from_file = Pose(float(origin[0]), float(origin[1]), math.atan2(*(ahead - origin)[::-1]))
        places = {
            p.name: table_from_file.inverse().to_table(truth.tags[p.mount.tag].centre[None, :2])[0]
            for p in truth.pieces
            if p.mount is not None
        }
        rows += errors(places, _told(truth, found), guess, detections)
    return {"pictures": pictures, "left_out": unseen, WAYS[0]: _figures(rows)}


def errors(
    places: Mapping[str, FloatArray], table: TableFile, lens: Lens, detections: list[Detection]
) -> list[dict[str, Any]]:
    """Of each car's tag, how far it is off and whether the truth is within the stated 95 %."""
    seen = sort_out(detections, table)
    judged = judge(lens, seen.corners, [*seen.loose, *seen.raised], table.frame, table.accuracy.common)
    out = []
    for s in locate_all(detections, table.pieces, judged.surface, 0.0):
        off = s.tag_pose.xy - places[s.piece.name]
        spread: FloatArray = s.tag_uncertainty.own[:2, :2] + (
            s.tag_uncertainty.shared[:2] @ s.tag_uncertainty.shared[:2].T
        )
        inside = float(off @ np.linalg.solve(spread, off)) <= CHI2_95
        out.append({"in": float(np.hypot(*off)), "inside": inside, "consistent": judged.consistent})
    return out


def measure(tables: int, seed: int) -> dict[str, Any]:
    """So many tables in the three ways; every figure in inches."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    unseen = 0
    for _ in range(tables):
        scene, scale = hand_laid(rng)
        frame = ScriptedTable(scene, seconds=0.1).read()
        detections = reader_of_all(()).read_all(frame, thorough=False)
        guess = guess_lens(frame.size)
        found = TableFinder().look(frame, detections, guess)
        if not isinstance(found, FoundTable) or found.corners[0][1] != 0:
            unseen += 1
            continue
        table = set_up(scene, found)
        ruled = 1 + scale + float(rng.normal(0.0, RULED_SHARE))
        measured = parse_table(rescaled(table, ruled, "measured with a ruler"))
        calibrated = replace(scene.lens, origin="board", covariance=usual_covariance(scene.lens))
        for way, file, lens in zip(
            WAYS, (table, measured, measured), (guess, guess, calibrated), strict=True
        ):
            places = {name: pose.xy for name, pose in scene.start.items()}
            rows[way] += errors(places, file, lens, detections)
    return {"tables": tables, "left_out": unseen, **{way: _figures(r) for way, r in rows.items()}}


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    off = np.array([r["in"] for r in rows])
    at = {"median": 50, "p95": 95, "max": 100}
    return {
        "tag_center_in": {k: round(float(np.percentile(off, p)), 4) for k, p in at.items()},
        "coverage_95": round(float(np.mean([r["inside"] for r in rows])), 4),
        "consistent": round(float(np.mean([r["consistent"] for r in rows])), 4),
        "n": len(rows),
    }


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="pictures with truth files beside them")
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    asked = parser.parse_args()
    found = measure(asked.tables, asked.seed) if asked.folder is None else in_folder(asked.folder)
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{found['left_out']} left out: a corner tag was not read")
    for way in [w for w in WAYS if w in found]:
        f = found[way]
        c = f["tag_center_in"]
        print(
            f"{way:30} median {c['median']:.3f}  p95 {c['p95']:.3f}  max {c['max']:.3f} in; "
            f"truth inside the stated 95 %: {f['coverage_95']:.1%} of {f['n']}"
        )


if __name__ == "__main__":
    main()

"""`python -m benchmarks.firsttime [FOLDER] [--tables N] [--json]`: how true a table is that nobody measured.

Simulated tables as people lay them: a camera somewhere above, tilted, with a lens of its own as unlike the
guessed one as webcams' are (a calibration finds it to half a percent of focal length); corner tags laid
and turned by hand on a cloth that waves by 0.04 inch; prints that came out 1 % too large or small, each
tag 0.3 % besides; roofs that are 0.1 inch higher or lower than the catalogue says, with tags glued on 0.04
inch beside the middle (standard deviations, those that a table file without `[accuracy]` takes for granted).
Each is set up by the very steps of the set-up page, and where the cars' tags are found is held against
the truth: as it is at first, with one length measured by a ruler, with the lens calibrated besides, and
with the heights of the tags measured by the camera, each car put on every corner tag both ways by a
hand. `--parts` prints what each of these errors does alone.

With FOLDER, the pictures with truth below it are taken as a camera's in place of these: their table files
are hidden, and the heights of their tags are taken as measured. Of each piece whose tag is read, *Find the
edges* is asked for the outline, begun as a sedan or as a box of 4 inches, and `outline_in` says by how much
the edges of those that are offered are off.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.firsttime_heights import kept, looks_at, measured, put_about
from benchmarks.firsttime_outlines import outline_figures, outlines_found, tell_outlines
from benchmarks.renders import CHI2_95
from benchmarks.truth import TrueFrame, true_frames
from calibration.bundle.doubts import Judged, judge
from calibration.lens.model import Lens, guess_lens, usual_covariance
from calibration.mounts import Mounted
from calibration.surface import Surface
from calibration.table_text import block, with_block
from calibration.tablefile import TableFile, parse_table
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body, Piece, TagMount
from server.pipeline.photo import open_picture
from server.setup.printing.known_length import length_ratio
from server.setup.printing.last_look import LastLook
from server.setup.setup_messages import KnownLength, NamePiece
from server.setup.surface_setup import FoundTable, TableFinder
from server.setup.table_changes import RULED_IN, piece_text, rescaled
from vision.evidence import sort_out
from vision.frame import Detection, Frame
from vision.locate import locate_all
from vision.simulate.drawing.camera import overhead
from vision.simulate.scene import Scene, SceneLooseTag, ScenePlacement, SceneSnapshot
from vision.simulate.scenes import first_scene, sim_lens
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all

CARS_ON_IT = 6
# The plane that the cloth waves about is taken so high that no wave reaches below the table.
PLANE_IN = 0.2
# How far webcams' lenses point beside the middle, a share of the width: root mean square
# of what `tableref calibrate lens` finds from the photographs of boards in shared/photos, along both axes.
CENTRE_ASIDE = 0.02
WAYS = ("nothing measured", "a known length", "a known length and the lens", "those and the heights")
LATER = "the length before the lens"


@dataclass(frozen=True)
class Errors:
    """What is not as it is stated, standard deviations: shares of size, inches, degrees."""

    print_scale: float = 0.01
    print_size: float = 0.003
    cloth_in: float = 0.04
    roof_in: float = 0.1
    glue_in: float = 0.04
    glue_deg: float = 1.5
    ruler_in: float = RULED_IN
    lens: float = 1.0
    """By how many of the deviations of a guessed lens the lens differs from it; 0: that of the samples."""


@dataclass(frozen=True, eq=False)
class Laid:
    """A table as somebody might lay it; `scale` is by which share its prints are too large."""

    scene: Scene
    scale: float
    corner_heights: tuple[float, ...]
    places: Mapping[str, FloatArray]
    """Where each car's tag is, (2,) inches."""


def lens_drawn(rng: np.random.Generator, usual: Lens, spread: float) -> Lens:
    """A webcam's lens as unlike the guessed one as webcams' are; `usual` where nothing is drawn."""
    if spread <= 0.0:
        return usual
    guess = guess_lens(usual.size)
    sd, covariance = guess.sd.copy(), guess.covariance.copy()
    # A whole picture's centre: that of one cut out of a larger picture is granted more.
    sd[2:4] = CENTRE_ASIDE * usual.size[0]
    covariance[2, 2] = covariance[3, 3] = sd[2] ** 2
    # To the picture's farthest corner, in units of its width; a lens draws no two places as one.
    far = float(np.hypot(*usual.size)) / 2
    while True:
        change = np.clip(rng.multivariate_normal(np.zeros(len(sd)), covariance), -2 * sd, 2 * sd)
        lens = guess.adjusted(spread * change)
        r = np.linspace(0.0, 1.2 * far / lens.K[0, 0], 100)
        k1, k2, _, _, k3 = lens.dist
        if (1 + 3 * k1 * r**2 + 5 * k2 * r**4 + 7 * k3 * r**6 > 0.2).all():
            return lens


def calibration_of(rng: np.random.Generator, lens: Lens, spread: float) -> Lens:
    """The lens as a calibration finds it that states nothing of its errors; exact where nothing is drawn."""
    covariance = usual_covariance(lens)
    off = spread * rng.multivariate_normal(np.zeros(len(covariance)), covariance)
    return replace(lens.adjusted(off), origin="board", covariance=covariance)


def hand_laid(rng: np.random.Generator, errors: Errors) -> Laid:
    """A table as somebody might lay it."""
    scale = float(rng.normal(0.0, errors.print_scale))

    def printed(size: float) -> float:
        return size * (1 + scale) * (1 + float(rng.normal(0.0, errors.print_size)))

    def waves() -> float:
        return max(0.0, PLANE_IN + float(rng.normal(0.0, errors.cloth_in)))

    scene = first_scene()
    far = [(0.0, 0.0), (rng.uniform(38, 44), 0.0)]
    far += [(far[1][0] + rng.uniform(-2, 1), rng.uniform(34, 41)), (rng.uniform(-2, 2), rng.uniform(34, 41))]
    corners = tuple(
        SceneLooseTag(
            c.family, c.tag, printed(2.4), Pose(*at, float(rng.uniform(-math.pi, math.pi))), waves()
        )
        for c, at in zip(scene.corners, far, strict=True)
    )
    pieces: list[Piece] = []
    start: dict[str, Pose] = {}
    for n in range(CARS_ON_IT):
        model = str(rng.choice([m for m in CARS if not m.startswith("rig")]))
        body = CARS[model]
        height = body.height + float(rng.normal(0.0, errors.roof_in))
        ahead, left = rng.normal(0.0, errors.glue_in, 2).tolist()
        glued = Pose(ahead, left, math.radians(rng.normal(0.0, errors.glue_deg)))
        mount = TagMount(USUAL_FAMILY, 41 + n, printed(0.9), height, glued)
        name = f"Car {n + 1}"
        pieces.append(Piece(name, "car", Body(model, body.footprint, height, body.tyres), mount))
        place = rng.uniform((5, 4), (far[1][0] - 5, 32))
        while any(math.dist(place, p.xy) < 5 for p in start.values()):
            place = rng.uniform((5, 4), (far[1][0] - 5, 32))
        start[name] = Pose(float(place[0]), float(place[1]), float(rng.uniform(-math.pi, math.pi)))
    usual = sim_lens()
    lens = lens_drawn(rng, usual, errors.lens)
    # As high as makes the table as large in the picture as under the samples' lens.
    height = float(rng.uniform(64, 72) * lens.K[0, 0] / usual.K[0, 0])
    camera = overhead(
        lens, over=tuple(rng.uniform((17, 15), (25, 20)).tolist()), height=height,
        tilt_deg=float(rng.uniform(0, 6)), azimuth_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.uniform(-6, 6)),
    )  # fmt: skip
    seed = int(rng.integers(1 << 30))
    scene = replace(
        scene, corners=(), loose=corners, pieces=tuple(pieces), start=start, camera=camera, seed=seed
    )
    places = {p.name: start[p.name].compose(p.mount.body_from_tag).xy for p in pieces if p.mount is not None}
    return Laid(scene, scale, tuple(t.height for t in corners), places)


def set_up(scene: Scene, found: FoundTable) -> TableFile:
    """The table file that the page writes when somebody says what each tag is."""
    text = found.text("Table", 2.4)
    for n, piece in enumerate(scene.pieces):
        named = NamePiece(tag=41 + n, name=piece.name, kind="car", model=piece.body.model)
        text = with_block(text, piece_text(named))
    return parse_table(text)


def _told(truth: TrueFrame, found: FoundTable) -> TableFile:
    """The table file where somebody has measured how high each tag of a picture's truth sits.

    What it says of outlines is no more than a newcomer's first guess: each car a sedan, all else a box.
    """
    text = found.text("Table", truth.corners[0].size)
    for piece in truth.pieces:
        assert piece.mount is not None
        fields: dict[str, Any] = {"name": piece.name, "height_in": piece.mount.height}
        if piece.look == "car":
            fields |= {"kind": "car", "model": "sedan"}
        else:
            fields |= {"kind": "terrain", "size_in": [4.0, 4.0]}
        fields |= {"tag": piece.mount.tag, "tag_size_in": piece.mount.size}
        text = with_block(text, block("[[piece]]", fields))
    return parse_table(text)


def in_folder(folder: Path) -> dict[str, Any]:
    """Every picture of the folder as a table that nobody has set up."""
    rows: list[dict[str, Any]] = []
    outlines: list[dict[str, Any]] = []
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
        table = _told(truth, found)
        rows += errors_of(places, table, guess, detections)
        surface = surface_of(table, guess, detections)
        last = LastLook(frame, tuple(detections), table, (surface, table.surface.outline))
        outlines += outlines_found(truth, last)
    return {
        "pictures": pictures,
        "left_out": unseen,
        WAYS[0]: _figures(rows),
        "outline_in": outline_figures(outlines),
    }


def errors_of(
    places: Mapping[str, FloatArray], table: TableFile, lens: Lens, detections: list[Detection]
) -> list[dict[str, Any]]:
    """Of each car's tag, how far it is off and whether the truth is within the stated 95 %."""
    judged = _judged(table, lens, detections)
    out = []
    for s in locate_all(detections, table.pieces, judged.surface, 0.0):
        off = s.tag_pose.xy - places[s.piece.name]
        spread: FloatArray = s.tag_uncertainty.own[:2, :2] + (
            s.tag_uncertainty.shared[:2] @ s.tag_uncertainty.shared[:2].T
        )
        squared = float(off @ np.linalg.solve(spread, off))
        out.append(
            {
                "in": float(np.hypot(*off)), "inside": squared <= CHI2_95, "squared": squared,
                "consistent": judged.consistent,
            }
        )  # fmt: skip
    return out


def measure(tables: int, seed: int, errors: Errors, *, heights: bool = True) -> dict[str, Any]:
    """So many tables in all ways; every figure in inches. Without `heights`, nobody puts cars about."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[dict[str, Any]]] = {way: [] for way in (*WAYS, LATER)}
    high: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    unseen = 0
    for _ in range(tables):
        laid = hand_laid(rng, errors)
        hands = np.random.default_rng(rng.integers(1 << 30))
        scene = laid.scene
        waving = {
            name: ScenePlacement(pose, max(0.0, PLANE_IN + float(hands.normal(0.0, errors.cloth_in))))
            for name, pose in scene.start.items()
        }
        about = put_about(scene, laid.corner_heights, hands) if heights else []
        looks = looks_at(scene, [SceneSnapshot(waving), *about], reader_of_all(()))
        detections = looks[0]
        guess = guess_lens(scene.lens.size)
        picture = Frame(np.zeros((1, 1, 3), np.uint8), 0.0, 0, "read already")
        found = TableFinder().look(picture, detections, guess)
        if not isinstance(found, FoundTable) or found.corners[0][1] != 0:
            unseen += 1
            continue
        table = set_up(scene, found)
        calibrated = calibration_of(hands, scene.lens, errors.lens)
        length = math.dist(scene.loose[0].pose.xy, scene.loose[1].pose.xy) + float(
            hands.normal(0.0, errors.ruler_in)
        )
        guessed, known = (with_length(table, length, lens, detections) for lens in (guess, calibrated))
        for way, file, lens in zip(WAYS, (table, guessed, known), (guess, guess, calibrated), strict=False):
            rows[way] += errors_of(laid.places, file, lens, detections)
        rows[LATER] += errors_of(laid.places, guessed, calibrated, detections)
        for way, file, lens in ((WAYS[0], table, guess), (WAYS[3], known, calibrated)):
            if heights:
                mounts = measured(file, surface_of(file, lens, detections), looks)
                high[way] += height_errors(scene, mounts)
                if way == WAYS[3]:
                    rows[way] += errors_of(laid.places, kept(file, mounts), lens, detections)
    figures = {
        way: _figures(rows[way]) | ({"height_in": _heights(high[way])} if high.get(way) else {})
        for way in (*WAYS, LATER)
        if rows[way]
    }
    return {"tables": tables, "left_out": unseen, **figures}


def with_length(table: TableFile, length: float, lens: Lens, detections: list[Detection]) -> TableFile:
    """The table after somebody has typed how far corner tags 0 and 1 are apart, under this lens."""
    asked = KnownLength(between=(0, 1), length_in=length)
    ratio = length_ratio(asked, table, surface_of(table, lens, detections), detections)
    return parse_table(rescaled(table, *ratio))


def surface_of(table: TableFile, lens: Lens, detections: list[Detection]) -> Surface:
    """The table under the camera, as one picture shows it."""
    return _judged(table, lens, detections).surface


def _judged(table: TableFile, lens: Lens, detections: list[Detection]) -> Judged:
    seen = sort_out(detections, table)
    tags = [*seen.loose, *seen.raised]
    return judge(lens, seen.corners, tags, table.frame, table.accuracy.common, table.corners)


def height_errors(scene: Scene, mounts: Mapping[str, Mounted]) -> list[dict[str, Any]]:
    """Of each measured car, how far its tag's height is off and whether that is within the stated 95 %."""
    out = []
    for name, found in mounts.items():
        mount = scene.piece(name).mount
        assert mount is not None
        off = abs(found.height - mount.height)
        aside = math.dist(found.at, (mount.body_from_tag.x, mount.body_from_tag.y))
        turned = abs(found.turn - mount.body_from_tag.heading)
        out.append(
            {
                "in": off, "inside": off <= 1.96 * found.sd_height, "sd": found.sd_height,
                "at": aside, "turn": math.degrees(turned), "turn_inside": turned <= 1.96 * found.sd_turn,
            }
        )  # fmt: skip
    return out


def _heights(rows: list[dict[str, Any]]) -> dict[str, Any]:
    off = np.array([r["in"] for r in rows])
    return {
        "median": round(float(np.median(off)), 4),
        "p95": round(float(np.percentile(off, 95)), 4),
        "max": round(float(off.max()), 4),
        "within_0.06": round(float((off <= 0.06).mean()), 4),
        "coverage_95": round(float(np.mean([r["inside"] for r in rows])), 4),
        "sd_median": round(float(np.median([r["sd"] for r in rows])), 4),
        "offset_median": round(float(np.median([r["at"] for r in rows])), 4),
        "turn_deg_median": round(float(np.median([r["turn"] for r in rows])), 2),
        "turn_coverage_95": round(float(np.mean([r["turn_inside"] for r in rows])), 4),
        "n": len(rows),
    }


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    off = np.array([r["in"] for r in rows])
    at = {"median": 50, "p95": 95, "max": 100}
    return {
        "tag_center_in": {k: round(float(np.percentile(off, p)), 4) for k, p in at.items()},
        "coverage_95": round(float(np.mean([r["inside"] for r in rows])), 4),
        # One where the stated deviations are as large as the errors.
        "error_to_stated": round(float(np.sqrt(np.mean([r["squared"] for r in rows]) / 2)), 3),
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
    parser.add_argument("--parts", action="store_true", help="each error alone, in place of all together")
    asked = parser.parse_args()
    if asked.parts:
        for name, alone in PARTS.items():
            print(f"{name}:")
            tell(measure(asked.tables, asked.seed, alone, heights=False))
        return
    simulated = asked.folder is None
    found = measure(asked.tables, asked.seed, Errors()) if simulated else in_folder(asked.folder)
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{found['left_out']} left out: a corner tag was not read")
    tell(found)
    if "outline_in" in found:
        tell_outlines(found["outline_in"])


_EXACT = Errors(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
PARTS = {
    "nothing but the camera and the reader": _EXACT,
    "the lens (20 % of focal length)": replace(_EXACT, lens=1.0),
    "the print's scale (1 %)": replace(_EXACT, print_scale=0.01, ruler_in=RULED_IN),
    "each tag's size (0.3 %)": replace(_EXACT, print_size=0.003),
    "the cloth's waves (0.04 in)": replace(_EXACT, cloth_in=0.04),
    "the roofs (0.1 in)": replace(_EXACT, roof_in=0.1),
}
"""What `--parts` lets be wrong alone."""


def tell(found: dict[str, Any]) -> None:
    """One line a way, and one for heights."""
    for way in [w for w in (*WAYS, LATER) if w in found]:
        f = found[way]
        c = f["tag_center_in"]
        print(
            f"{way:30} median {c['median']:.3f}  p95 {c['p95']:.3f}  max {c['max']:.3f} in; truth inside the "
            f"stated 95 %: {f['coverage_95']:.1%} of {f['n']}; {f['error_to_stated']:.2f} of the stated"
        )
    for way in [w for w in WAYS if "height_in" in found.get(w, {})]:
        h = found[way]["height_in"]
        print(
            f"heights, {way:30} median {h['median']:.3f}  p95 {h['p95']:.3f}  max {h['max']:.3f} in, "
            f"{h['within_0.06']:.1%} within 0.06; inside the stated 95 %: {h['coverage_95']:.1%} of {h['n']} "
            f"(stated ±{h['sd_median']:.3f}); offsets {h['offset_median']:.3f} in, "
            f"turns {h['turn_deg_median']:.1f}° ({h['turn_coverage_95']:.1%} inside)"
        )


if __name__ == "__main__":
    main()

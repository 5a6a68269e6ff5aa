"""`python -m benchmarks.firsttime [FOLDER|CLIP] [--tables N] [--json]`: a table that nobody measured.

How true it is, and how well it knows that. Simulated tables as people lay them: a camera somewhere above,
tilted, with a lens of its own, as unlike the guessed one as is granted to a lens that bends, to one that
straightens its picture, or to a picture cut out of a larger one (`calibration.bundle.guessed`; a calibration
finds it to half a percent of focal length); corner tags laid and turned by hand on a cloth that waves by 0.04
inch; prints that came out 1 % too large or small, each tag 0.1 % besides, all squares 0.0015 inch wider or
narrower by the ink; roofs that are 0.1 inch higher or lower than the catalogue says, with tags glued on 0.04
inch beside the middle (standard deviations, those that a table file without `[accuracy]` takes for granted).
Each is set up by the very steps of the set-up page, and where the cars' tags are found is held against the
truth: as it is at first, with one length measured by a ruler, with the lens calibrated besides, and with the
heights of the tags measured by the camera, each car put on every corner tag both ways by a hand. `--parts`
prints what each of these errors does alone.

With FOLDER or CLIP, pictures and clips with truth are taken as a camera's in place of these, their table
files hidden: see `benchmarks.firsttime_pictures`, which tells what is found, and what a newcomer is taken to
know.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from benchmarks.clip_truth import EACH
from benchmarks.command import command
from benchmarks.firsttime_pictures import (
    Row,
    centre_figures,
    errors_of,
    height_figures,
    height_row,
    in_pictures,
    judged_by,
    surface_of,
    tell_centres,
    tell_heights,
    tell_pictures,
)
from calibration.accuracy import INK_IN, RULED_IN
from calibration.bundle.guessed import SHARES, cut_out, straightened
from calibration.lens.model import Lens, guess_lens, usual_covariance
from calibration.mounts import EYE_IN, HAND_IN, HAND_TURN_DEG, Mounted
from calibration.surface import Surface
from calibration.table_text import with_block
from calibration.tablefile import TableFile, parse_table
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body, Piece, TagMount
from server.setup.fitting.on_marks import MarksWatch, stated_mount, surer, with_mount
from server.setup.printing import known_length
from server.setup.setup_messages import KnownLength, NamePiece
from server.setup.surface_setup import FoundTable, TableFinder
from server.setup.table_changes import piece_text
from vision.frame import Detection, Frame
from vision.simulate.drawing.camera import overhead
from vision.simulate.drawing.render import Renderer
from vision.simulate.scene import Scene, SceneLooseTag, ScenePlacement, SceneSnapshot
from vision.simulate.scenes import first_scene, sim_lens
from vision.tags.reading import TagReader
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all

Looks = list[list[Detection]]


def put_about(scene: Scene, corner_heights: Sequence[float], rng: np.random.Generator) -> list[SceneSnapshot]:
    """Every car on every corner tag both ways, four cars at a time, as a hand and an eye put them.

    The eye is the same for all cars of a table. `corner_heights` is how high the cloth is at the corner tags.
    """
    names = [p.name for p in scene.pieces]
    eye = rng.normal(0.0, EYE_IN, 2)
    snapshots = []
    for quarter in (0, 2):
        for turn in range(len(names)):
            placements = dict(scene.snapshot.placements)
            for k, tag in enumerate(scene.loose[:4]):
                off = eye + rng.normal(0.0, HAND_IN, 2)
                askew = math.radians(rng.normal(0.0, HAND_TURN_DEG))
                at = Pose(
                    tag.pose.x + off[0], tag.pose.y + off[1], tag.pose.heading + quarter * math.pi / 2 + askew
                )
                placements[names[(k + turn) % len(names)]] = ScenePlacement(at, corner_heights[k])
            snapshots.append(SceneSnapshot(placements))
    return snapshots


def looks_at(scene: Scene, snapshots: Sequence[SceneSnapshot], reader: TagReader) -> Looks:
    """What is read in a picture of each."""
    renderer = Renderer(scene)
    return [
        reader.read_all(Frame(renderer.picture([s], n), float(n), n, "put about"), thorough=False)
        for n, s in enumerate(snapshots)
    ]


def measured(table: TableFile, surface: Surface, looks: Looks) -> Mapping[str, Mounted]:
    """By car, how its tag sits, by the steps of the set-up page. The first look shows all corner tags."""
    found = {}
    for piece in table.pieces:
        watch = MarksWatch()
        watch.look(looks[0], table, surface)
        watch.begin(piece.name)
        for look in looks[1:]:
            # A car rests where two looks see it at the same place.
            for _ in range(2):
                watch.look(look, table, surface)
        mounted = watch.found(table, surface)
        if mounted is not None:
            found[piece.name] = mounted
    return found


def kept(table: TableFile, found: Mapping[str, Mounted]) -> TableFile:
    """The table file after *Keep it* on every car's card."""
    for piece in table.pieces:
        if piece.mount is None or piece.name not in found:
            continue
        if surer(found[piece.name], stated_mount(piece.mount, table)):
            table = parse_table(with_mount(table, piece.name, found[piece.name]))
    return table


CARS_ON_IT = 6
# The plane that the cloth waves about is taken so high that no wave reaches below the table.
PLANE_IN = 0.2
# No webcam that is hung over a table sees further to the side than so many times as far as down.
STEEPEST = 2.0
# How the camera hangs, degrees.
TURNED = {"tilt_deg": (0, 6), "azimuth_deg": (0, 360), "roll_deg": (-6, 6)}
WAYS = ("nothing measured", "a known length", "a known length and the lens", "those and the heights")
LATER = "the length before the lens"


@dataclass(frozen=True)
class Errors:
    """What is not as it is stated, standard deviations: shares of size, inches, degrees."""

    print_scale: float = 0.01
    print_size: float = 0.001
    ink_in: float = INK_IN
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
    """A lens as unlike the guessed one as is granted to each kind of lens; `usual` where nothing is drawn."""
    if spread <= 0.0:
        return usual
    guess = guess_lens(usual.size)
    kind = (guess, straightened(guess), cut_out(guess))[rng.choice(len(SHARES), p=SHARES)]
    # To the picture's farthest corner; a lens draws no two places as one.
    far = float(np.hypot(*usual.size)) / 2
    while True:
        change = rng.multivariate_normal(np.zeros(len(guess.covariance)), kind.covariance)
        lens = guess.adjusted(spread * change)
        aside = float(np.hypot(*(lens.K[:2, 2] - np.array(usual.size) / 2)))
        r = np.linspace(0.0, STEEPEST, 200)
        k1, k2, _, _, k3 = lens.dist
        seen = r * (1 + k1 * r**2 + k2 * r**4 + k3 * r**6) < (far + aside) / lens.K[0, 0]
        grows = 1 + 3 * k1 * r**2 + 5 * k2 * r**4 + 7 * k3 * r**6 > 0.2
        if grows[seen].all() and not seen[-1]:
            return lens


def calibration_of(rng: np.random.Generator, lens: Lens, spread: float) -> Lens:
    """The lens as a calibration finds it that states nothing of its errors; exact where nothing is drawn."""
    covariance = usual_covariance(lens)
    off = spread * rng.multivariate_normal(np.zeros(len(covariance)), covariance)
    return replace(lens.adjusted(off), origin="board", covariance=covariance)


def hand_laid(rng: np.random.Generator, errors: Errors) -> Laid:
    """A table as somebody might lay it."""
    scale, ink = (float(rng.normal(0.0, sd)) for sd in (errors.print_scale, errors.ink_in))

    def printed(size: float) -> float:
        return size * (1 + scale) * (1 + float(rng.normal(0.0, errors.print_size))) + ink

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
    middle = rng.uniform((17, 15), (25, 20))
    angles = {n: float(rng.uniform(*of)) for n, of in TURNED.items()}
    camera = overhead(lens, over=tuple(middle.tolist()), height=height, **angles)
    # It is shown in the middle of the picture, wherever the lens has its centre.
    aside = middle - camera.unproject(np.array([lens.size]) / 2, 0.0)[0]
    camera = overhead(lens, over=tuple((middle + aside).tolist()), height=height, **angles)
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


def measure(tables: int, seed: int, errors: Errors, *, heights: bool = True) -> dict[str, Any]:
    """So many tables in all ways; every figure in inches. Without `heights`, nobody puts cars about."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Row]] = {way: [] for way in (*WAYS, LATER)}
    high: dict[str, list[Row]] = {way: [] for way in WAYS}
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
            rows[way] += _errors(laid, file, lens, detections)
        rows[LATER] += _errors(laid, guessed, calibrated, detections)
        for way, file, lens in ((WAYS[0], table, guess), (WAYS[3], known, calibrated)):
            if heights:
                mounts = measured(file, surface_of(file, lens, detections), looks)
                high[way] += height_errors(scene, mounts)
                if way == WAYS[3]:
                    rows[way] += _errors(laid, kept(file, mounts), lens, detections)
    figures = {
        way: centre_figures(rows[way]) | ({"height_in": _heights(high[way])} if high.get(way) else {})
        for way in (*WAYS, LATER)
        if rows[way]
    }
    return {"tables": tables, "left_out": unseen, **figures}


def _errors(laid: Laid, table: TableFile, lens: Lens, detections: list[Detection]) -> list[Row]:
    return errors_of(laid.places, table, judged_by(table, lens, detections), detections)


def with_length(table: TableFile, length: float, lens: Lens, detections: list[Detection]) -> TableFile:
    """The table after somebody has typed how far corner tags 0 and 1 are apart, under this lens."""
    asked = KnownLength(between=(0, 1), length_in=length)
    surface = surface_of(table, lens, detections)
    return parse_table(known_length.with_length(asked, table, surface, detections))


def height_errors(scene: Scene, mounts: Mapping[str, Mounted]) -> list[Row]:
    """Of each measured car, how far its tag's height is off and whether that is within the stated 95 %."""
    out = []
    for name, found in mounts.items():
        mount = scene.piece(name).mount
        assert mount is not None
        aside = math.dist(found.at, (mount.body_from_tag.x, mount.body_from_tag.y))
        turned = abs(found.turn - mount.body_from_tag.heading)
        out.append(
            height_row(found.height, found.sd_height, mount.height)
            | {"at": aside, "turn": math.degrees(turned), "turn_inside": turned <= 1.96 * found.sd_turn}
        )
    return out


def _heights(rows: list[Row]) -> dict[str, Any]:
    return {
        **height_figures(rows),
        "offset_median": round(float(np.median([r["at"] for r in rows])), 4),
        "turn_deg_median": round(float(np.median([r["turn"] for r in rows])), 2),
        "turn_coverage_95": round(float(np.mean([r["turn_inside"] for r in rows])), 4),
    }


_EXACT = Errors(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
PARTS = {
    "nothing but the camera and the reader": _EXACT,
    "the lens (20 % of focal length)": replace(_EXACT, lens=1.0),
    "the print's scale (1 %)": replace(_EXACT, print_scale=0.01, ruler_in=RULED_IN),
    "each tag's size (0.1 %)": replace(_EXACT, print_size=0.001),
    "the ink (0.0015 in)": replace(_EXACT, ink_in=INK_IN),
    "the cloth's waves (0.04 in)": replace(_EXACT, cloth_in=0.04),
    "the roofs (0.1 in)": replace(_EXACT, roof_in=0.1),
}
"""What `--parts` lets be wrong alone."""


def tell(found: dict[str, Any]) -> None:
    """One line a way, and one for heights."""
    if "cameras" in found:
        tell_pictures(found)
        return
    for name in found if "left_out" not in found else ():
        print(f"{name}:")
        tell(found[name])
    if found.get("left_out"):
        print(f"{found['left_out']} left out: a corner tag was not read")
    for way in [w for w in (*WAYS, LATER) if w in found]:
        tell_centres(way, found[way])
    for way in [w for w in WAYS if "height_in" in found.get(w, {})]:
        h = found[way]["height_in"]
        tell_heights(way, h)
        print(
            f"{'':39} offsets {h['offset_median']:.3f} in, turns {h['turn_deg_median']:.1f}° "
            f"({h['turn_coverage_95']:.1%} inside)"
        )


def found(
    source: Annotated[
        Path | None,
        "pictures with truth files beside them, and clips (a video with truth.jsonl and scene.json beside "
        f"it), at any depth; of a clip {EACH} moments at rest without a hand and {EACH} with a hand",
    ] = None,
    *,
    tables: int = 40,
    seed: int = 17,
    parts: Annotated[bool, "each error alone, in place of all together"] = False,
) -> dict[str, Any]:
    """The figures of pictures, of drawn tables, or of each error alone."""
    if parts:
        return {name: measure(tables, seed, alone, heights=False) for name, alone in PARTS.items()}
    return in_pictures(source) if source else measure(tables, seed, Errors())


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    return command(found, argv, tell)


if __name__ == "__main__":
    sys.exit(main())

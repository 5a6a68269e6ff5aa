"""How exactly small tags are read: headings of single frames, what a settled tag comes to, and how soon.

Part of `python -m benchmarks.reading`. Truth is the simulator's or that of `shared/renders`; the stock
reader's corners, where it reads the tag at all, go through the very same steps beside ours.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.renders import Mode
from benchmarks.truth import TrueFrame, true_frames
from calibration.surface import PARAMETERS, Surface, SurfaceError
from calibration.tablefile import parse_table
from engine.space.geometry import FloatArray, Pose, wrap_angle
from engine.space.pieces import Piece
from engine.space.table import Status
from server.pipeline.referee import Referee
from tests.crowd import crowded_scene
from vision.frame import Detection, Frame, JpegFrame, Sighting
from vision.locate import locate_all
from vision.simulate.drawing.camera import Camera
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Act
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene
from vision.tags.reader import STOCK_SD, read_tags
from vision.tags.reading import Expected, TagReader
from vision.track import average

SIZES_PX = (18.0, 20.0, 22.0, 24.0)
"""Printed sides, with the white margin."""

BLUR, NOISE, QUALITY = 0.9, 3.0, 80
SETTLED_OVER = 10
# A read this far from the tag's own place is a wrong one, inches.
WRONG_IN = 0.5


class Errors:
    """Headings (degrees) and centres (pixels) off the truth, by who has read them."""

    def __init__(self) -> None:
        self._heading: dict[str, list[float]] = defaultdict(list)
        self._centre: dict[str, list[float]] = defaultdict(list)

    def add(self, who: str, heading: float, centre_px: float | None = None) -> None:
        """One read: radians, pixels (None: not compared)."""
        self._heading[who].append(abs(math.degrees(wrap_angle(heading))))
        if centre_px is not None:
            self._centre[who].append(centre_px)

    def figures(self) -> dict[str, dict[str, float | int | None]]:
        """Of each: 95th percentile of the heading, median of the centre, how many."""
        return {
            who: {
                "heading_p95_deg": round(float(np.quantile(headings, 0.95)), 3),
                "centre_median_px": round(float(np.median(centres)), 4)
                if (centres := self._centre.get(who))
                else None,
                "reads": len(headings),
            }
            for who, headings in self._heading.items()
        }


def stock_detections(frame: Frame, families: list[str]) -> list[Detection]:
    """The general reader's own corners."""
    noise = np.eye(8) * STOCK_SD**2
    return [Detection(r.family, r.tag, r.corners, noise) for r in read_tags(frame.grey, families)]


def exact_surface(camera: Camera) -> Surface:
    """The table under a camera that is known exactly."""
    return Surface(camera.lens, camera.R, camera.t, np.zeros((PARAMETERS, PARAMETERS)), 0.0)


def drawn_frames(scene: Scene, count: int) -> Iterator[JpegFrame]:
    """A table on which nothing moves, as a camera sends it."""
    table = ScriptedTable(scene, fps=30.0, seconds=count / 30)
    for k in range(count):
        coded = cv2.imencode(".jpg", table.read().image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        yield JpegFrame(coded.tobytes(), k / 30, k)


def settled(px: float, scenes: int, seed: int = 400) -> Errors:
    """Tags of one size on tables where nothing moves: each frame by itself, and ten together."""
    errors = Errors()
    for n in range(scenes):
        scene = crowded_scene(cars=20, printed_px=px, seed=seed + n)
        scene = replace(scene, sensor=replace(scene.sensor, blur=BLUR, noise=NOISE))
        surface = exact_surface(scene.camera)
        reader = TagReader.of({(p.mount.family, p.mount.tag) for p in scene.pieces if p.mount is not None})
        expected: list[Expected] = []
        reads: dict[str, list[Sighting]] = defaultdict(list)
        for frame in drawn_frames(scene, SETTLED_OVER + 2):
            expected = expected or _places(scene, surface)
            found = reader.read_near(frame, expected)
            for s in locate_all(found, scene.pieces, surface, frame.time):
                reads[s.piece.name].append(s)
            if frame.index == 0:
                _score_each(
                    errors, "stock, one frame", stock_detections(frame, reader.families), scene, surface
                )
            if frame.index == SETTLED_OVER:
                _score_each(errors, "one frame", found, scene, surface)
        for name, all_of_it in reads.items():
            latest = all_of_it[-SETTLED_OVER:]
            if len(latest) == SETTLED_OVER:
                pose, _ = average(latest)
                true = scene.start[name]
                off = math.dist((pose.x, pose.y), (true.x, true.y))
                errors.add("settled", pose.heading - true.heading, off * _scale(latest[-1]))
    return errors


def _places(scene: Scene, surface: Surface) -> list[Expected]:
    """Where a tracker expects the tags: a little beside where they are."""
    rng = np.random.default_rng(scene.seed)
    expected = []
    for piece in scene.pieces:
        mount = piece.mount
        assert mount is not None
        pose = scene.start[piece.name].compose(mount.body_from_tag)
        half = mount.size / 2
        square = np.array([(half, half), (half, -half), (-half, -half), (-half, half)])
        corners = surface.image_from_table(pose.to_table(square), mount.height)
        expected.append(Expected(mount.family, mount.tag, corners + rng.uniform(-0.2, 0.2, 2)))
    return expected


def _scale(sighting: Sighting) -> float:
    """Pixels to the inch at a tag."""
    mount = sighting.piece.mount
    assert mount is not None
    return sighting.detection.side / mount.size


def _score_each(
    errors: Errors, who: str, detections: Iterable[Detection], scene: Scene, surface: Surface
) -> None:
    for s in locate_all(detections, scene.pieces, surface, 0.0):
        true = scene.start[s.piece.name]
        off = math.dist((s.pose.x, s.pose.y), (true.x, true.y))
        if off < WRONG_IN:
            errors.add(who, s.pose.heading - true.heading, off * _scale(s))


def rendered(folder: Path) -> Errors:
    """Roof tags of 18 to 24 pixels in path-traced stills and clips, each frame by itself."""
    errors = Errors()
    for truth in true_frames(folder):
        image = cv2.imread(str(truth.picture))
        assert image is not None
        frame = Frame(np.asarray(image, dtype=np.uint8), 0.0, 0)
        keys = {(c.family, c.tag) for c in truth.corners}
        keys |= {(p.mount.family, p.mount.tag) for p in truth.pieces if p.mount is not None}
        ours = TagReader.of(keys).read_all(frame)
        try:
            surface = Mode().surface(truth, truth.lens, ours)
        except SurfaceError:
            continue
        pieces = [p for p in truth.pieces if _small(p, truth)]
        for who, detections in (
            ("one frame", ours),
            ("stock, one frame", stock_detections(frame, ["tag36h11"])),
        ):
            for s in locate_all(detections, pieces, surface, 0.0):
                true = truth.tags[s.detection.tag]
                place = np.array([s.tag_pose.x, s.tag_pose.y])
                if true.visible >= 0.99 and float(np.hypot(*(place - true.centre[:2]))) < WRONG_IN:
                    errors.add(who, s.tag_pose.heading - true.heading)
    return errors


def _small(piece: Piece, truth: TrueFrame) -> bool:
    """Whether a piece's printed tag is 18 to 24 pixels wide, its white margin included."""
    assert piece.mount is not None
    corners: FloatArray = truth.tags[piece.mount.tag].corners_in_image
    side = float(np.mean(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)))
    return SIZES_PX[0] - 0.5 <= side * 10 / 8 <= SIZES_PX[-1] + 0.5


def hand_off(acts: int, fps: float = 30.0) -> list[float]:
    """Seconds from when a hand has pushed a car to its place to when it counts as settled."""
    scene = default_scene((1280, 720))
    cars = [p.name for p in scene.pieces if p.driven]
    pushes: list[Act] = []
    where = dict(scene.start)
    for n in range(acts):
        name = cars[n % len(cars)]
        back = n // len(cars) % 2 == 1
        where[name] = scene.start[name] if back else where[name].compose(Pose(2.0 + 0.1 * n, 0.2, 0.15))
        begins = 1.0 + 1.6 * n
        pushes.append(Act(begins, begins + 1.0, name, (where[name],)))
    table = ScriptedTable(scene, pushes, fps=fps)
    referee = Referee(parse_table(scene.to_toml()))
    waiting: dict[str, float] = {}
    taken: list[float] = []
    for _ in range(table.frames):
        moment = referee.step(table.read())
        waiting |= {a.piece: a.end for a in pushes if a.piece and a.end <= moment.time < a.end + 1.0 / fps}
        for standing in moment.table.standings:
            if standing.name in waiting and standing.status is Status.STILL:
                taken.append(moment.time - waiting.pop(standing.name))
    return taken + [math.inf] * len(waiting)


def measure(renders: Path | None, *, scenes: int) -> dict[str, Any]:
    """Everything, by where the frames come from."""
    found: dict[str, Any] = {f"drawn {px:g} px": settled(px, scenes).figures() for px in SIZES_PX}
    if renders is not None and renders.is_dir():
        found["rendered 18 to 24 px"] = rendered(renders).figures()
    taken = hand_off(6 * scenes)
    found["hand-off"] = {"settled_p95_s": round(float(np.quantile(taken, 0.95)), 2), "acts": len(taken)}
    return found

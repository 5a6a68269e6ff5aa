"""The table without pieces: floor, wooden top, cloth, a road; as linear reflectance per pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.space.geometry import FloatArray, Pose
from vision.simulate.drawing.camera import Camera, Patch
from vision.simulate.drawing.solids import Colour, colour_of
from vision.simulate.drawing.tags import PlacedTag
from vision.simulate.scene import Scene

Linear = NDArray[np.float32]
Halved = NDArray[np.float16]

FLOOR = "#4c4640"
WOOD = "#8f6440"
ASPHALT = "#4a4b4e"
BOARD_INK = "#3b3f46"

_RIM = 3.5  # inches of wood around the cloth
_ROAD_WIDTH = 4.6
_DASH = 1.3
# The lens is inverted for the whole picture at once, from this many nodes a side.
_FRAME_NODES = 28
_TAG_SAMPLES = 8


def mottle(rng: np.random.Generator, shape: tuple[int, int], cell: float) -> Linear:
    """Smooth noise of unit deviation whose blobs are about `cell` pixels wide, shape (h, w)."""
    rows, cols = (max(2, math.ceil(n / cell) + 2) for n in shape)
    coarse = rng.standard_normal((rows, cols)).astype(np.float32)
    return np.asarray(
        cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), dtype=np.float32
    )


class _Sheet:
    """A drawing of the table seen straight from above, `ppi` pixels an inch, y upward.

    It reaches as far as the camera sees, and a little further.
    """

    def __init__(self, scene: Scene, ppi: float) -> None:
        self.ppi = ppi
        low, high = _seen(scene.camera)
        self.origin = (float(low[0]), float(low[1]))
        self.shape = (math.ceil((high[1] - low[1]) * ppi), math.ceil((high[0] - low[0]) * ppi))
        self.rng = np.random.default_rng(scene.seed)
        self.ink: Linear = np.empty((*self.shape, 3), dtype=np.float32)
        (x, y), (a, b) = scene.near_left, scene.size
        self.cloth = self.rectangle((x, y), (x + a, y + b))

    def spot(self, points: FloatArray) -> FloatArray:
        """Table inches (n, 2) as columns and rows of the sheet."""
        return np.asarray((points - np.array(self.origin)) * self.ppi - 0.5)

    def rectangle(self, low: tuple[float, float], high: tuple[float, float]) -> Patch:
        """The sheet's pixels between two table points, as far as the sheet reaches."""
        h, w = self.shape
        corners = np.rint(self.spot(np.array([low, high])) + 0.5).astype(int)
        (x0, y0), (x1, y1) = np.clip(corners, 0, (w, h))
        return Patch(int(x0), int(y0), int(x1 - x0), int(y1 - y0))

    def fill(self, patch: Patch, colour: Colour, texture: Linear) -> None:
        """Paints a patch in one colour times a (h, w) texture around 1."""
        self.ink[patch.slices] = np.asarray(colour, dtype=np.float32) * texture[..., None]

    def stroke(
        self, line: FloatArray, width: float, colour: Colour, strength: float = 1.0, soft: float = 0.0
    ) -> None:
        """Paints along a line on the cloth, `width` inches wide, edges `soft` inches blurred."""
        thickness = max(1, round(width * self.ppi))
        spots = self.spot(line)
        around = Patch.around(spots, (self.shape[1], self.shape[0]), thickness + 8)
        mask = np.zeros((around.h, around.w), dtype=np.uint8)
        points = np.rint((spots - (around.x, around.y)) * 16).astype(np.int32)
        cv2.polylines(mask, [points.reshape(-1, 1, 2)], False, 255, thickness, cv2.LINE_AA, 4)
        if soft > 0.0:
            mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), soft * self.ppi), dtype=np.uint8)
        self.lay(mask, around, colour, strength)

    def lay(self, mask: NDArray[np.uint8], around: Patch, colour: Colour, strength: float) -> None:
        """Lays a colour on the cloth as far as a mask (0 to 255) of a patch covers it."""
        inside = np.zeros_like(mask)
        cut = around.shared(self.cloth)
        if cut is None:
            return
        rows, cols = slice(cut.y - around.y, None), slice(cut.x - around.x, None)
        inside[rows, cols][: cut.h, : cut.w] = mask[rows, cols][: cut.h, : cut.w]
        cover = (inside.astype(np.float32) * (strength / 255.0))[..., None]
        region = self.ink[around.slices]
        grain = 1.0 + 0.05 * mottle(self.rng, (around.h, around.w), 1.6)[..., None]
        region += cover * (np.asarray(colour, dtype=np.float32) * grain - region)


def _seen(camera: Camera) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest table x and y in the picture, with an inch to spare."""
    w, h = camera.size
    u, v = np.linspace(-1, w, 40), np.linspace(-1, h, 40)
    rim = [np.column_stack([u, np.full(40, y)]) for y in (-1.0, float(h))]
    rim += [np.column_stack([np.full(40, x), v]) for x in (-1.0, float(w))]
    points = camera.unproject(np.vstack(rim), 0.0)
    return points.min(axis=0) - 1.0, points.max(axis=0) + 1.0


def _floor_and_wood(sheet: _Sheet, scene: Scene) -> None:
    rng, ppi = sheet.rng, sheet.ppi
    h, w = sheet.shape
    whole = Patch(0, 0, w, h)
    carpet = 1.0 + 0.16 * mottle(rng, (h, w), 1.2 * ppi) + 0.10 * mottle(rng, (h, w), 0.25 * ppi)
    sheet.fill(whole, colour_of(FLOOR), np.clip(carpet, 0.3, 2.0))
    (x, y), (a, b) = scene.near_left, scene.size
    top = sheet.rectangle((x - _RIM, y - _RIM), (x + a + _RIM, y + b + _RIM))
    _shade_around(sheet, top, 0.55, 1.6)
    # Grain runs along x: noise stretched a hundredfold.
    grain = 1.0 + 0.13 * cv2.resize(
        mottle(rng, (top.h, 48), 2.2), (top.w, top.h), interpolation=cv2.INTER_CUBIC
    )
    grain += 0.05 * mottle(rng, (top.h, top.w), 1.5 * ppi)
    sheet.fill(top, colour_of(WOOD), np.clip(grain, 0.4, 1.8).astype(np.float32))


def _shade_around(sheet: _Sheet, patch: Patch, strength: float, inches: float) -> None:
    """A soft shadow all around something that lies or stands higher."""
    mask = np.zeros(sheet.shape, dtype=np.uint8)
    mask[patch.slices] = 255
    small = cv2.resize(mask, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), max(0.5, inches * sheet.ppi / 4))
    soft = cv2.resize(small, (sheet.shape[1], sheet.shape[0]), interpolation=cv2.INTER_LINEAR)
    sheet.ink *= (1.0 - strength * soft.astype(np.float32) / 255.0)[..., None]


def _cloth(sheet: _Sheet, scene: Scene) -> None:
    rng, ppi = sheet.rng, sheet.ppi
    (x, y), (a, b) = scene.near_left, scene.size
    cloth = sheet.cloth
    _shade_around(sheet, cloth, 0.35, 0.12)
    shape = (cloth.h, cloth.w)
    felt = 1.0 + 0.07 * mottle(rng, shape, 7.0 * ppi) + 0.05 * mottle(rng, shape, 1.8 * ppi)
    felt += 0.035 * mottle(rng, shape, 0.3 * ppi) + 0.05 * mottle(rng, shape, 1.6)
    sheet.fill(cloth, colour_of(scene.cloth), np.clip(felt, 0.4, 1.7))
    # Where the cloth lay folded.
    for share in (1 / 3, 2 / 3):
        for line in (
            [(x, y + share * b), (x + a, y + share * b)],
            [(x + share * a, y), (x + share * a, y + b)],
        ):
            points = np.array(line)
            sheet.stroke(points, 0.14, tuple(0.80 * c for c in colour_of(scene.cloth)), 0.30, 0.10)  # type: ignore[arg-type]


def road_line(scene: Scene) -> FloatArray:
    """The middle of the road from side to side, (n, 2) table inches."""
    # It starts and ends a little beside the cloth, so that its round ends are cut off.
    t = np.linspace(-0.08, 1.08, 280)
    (x, y), (a, b) = scene.near_left, scene.size
    along = x + a * t
    across = y + b * (0.50 + 0.20 * np.sin(2.0 * math.pi * (t - 0.04)))
    return np.column_stack([along, across])


def _offset(line: FloatArray, by: float) -> FloatArray:
    """A line shifted sideways by some inches."""
    tangent = np.gradient(line, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    return line + by * np.column_stack([-tangent[:, 1], tangent[:, 0]])


def _road(sheet: _Sheet, scene: Scene) -> None:
    line = road_line(scene)
    sheet.stroke(line, _ROAD_WIDTH + 0.5, tuple(0.7 * c for c in colour_of(scene.cloth)), 0.6, 0.20)  # type: ignore[arg-type]
    sheet.stroke(line, _ROAD_WIDTH, colour_of(ASPHALT))
    for side in (-1.0, 1.0):
        sheet.stroke(_offset(line, side * (_ROAD_WIDTH / 2 - 0.22)), 0.10, (0.62, 0.64, 0.64), 0.85)
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    run = np.concatenate([[0.0], np.cumsum(steps)])
    for start in np.arange(0.4, run[-1] - _DASH, 2 * _DASH):
        at = np.linspace(start, start + _DASH, 6)
        dash = np.column_stack([np.interp(at, run, line[:, 0]), np.interp(at, run, line[:, 1])])
        sheet.stroke(dash, 0.13, (0.08, 0.46, 0.68), 0.9)
    # Somebody braked hard.
    for side in (0.7, 1.25):
        sheet.stroke(_offset(line, side)[88:132], 0.13, (0.02, 0.02, 0.02), 0.45, 0.05)


def _board(sheet: _Sheet, scene: Scene) -> None:
    """The scene's board, printed on the cloth in faint ink."""
    h, w = sheet.shape
    mask = np.zeros(sheet.shape, dtype=np.uint8)
    for shape in scene.board.drawing():
        spots = sheet.spot(np.array(shape.points))
        points = [np.rint(spots * 16).astype(np.int32).reshape(-1, 1, 2)]
        thickness = max(1, round((0.08 if shape.bold else 0.035) * sheet.ppi))
        if shape.shape == "disc":
            x, y = (int(v) for v in points[0].ravel())
            cv2.circle(mask, (x, y), round(16 * shape.radius * sheet.ppi), 255, -1, cv2.LINE_AA, 4)
        elif shape.shape == "label":
            _letter(mask, spots[0], shape.words, shape.radius * sheet.ppi)
        else:
            cv2.polylines(mask, points, shape.shape == "polygon", 255, thickness, cv2.LINE_AA, 4)
    sheet.lay(mask, Patch(0, 0, w, h), colour_of(BOARD_INK), 0.6)


def _letter(mask: NDArray[np.uint8], middle: FloatArray, words: str, height: float) -> None:
    """Writes words about a place of a sheet, capitals `height` pixels high."""
    font, line = cv2.FONT_HERSHEY_SIMPLEX, max(1, round(height / 9))
    scale = cv2.getFontScaleFromHeight(font, max(1, round(height)), line)
    (w, h), below = cv2.getTextSize(words, font, scale, line)
    text = np.zeros((h + 2 * below, w + 2 * below), dtype=np.uint8)
    cv2.putText(text, words, (below, h + below), font, scale, 255, line, cv2.LINE_AA)
    x, y = (round(float(v)) for v in middle - np.array(text.shape[::-1]) / 2)
    if min(x, y) >= 0:
        # A sheet's rows run upward.
        there = mask[y : y + text.shape[0], x : x + text.shape[1]]
        np.maximum(there, text[::-1][: there.shape[0], : there.shape[1]], out=there)


def paint_tag(canvas: Linear, patch: Patch, per_pixel: int, camera: Camera, tag: PlacedTag) -> None:
    """Paints a tag onto the supersampled canvas of a patch, in place."""
    reach = Patch.around(camera.project(tag.square(tag.printed)), camera.size, 1)
    part = reach.shared(patch)
    if part is None:
        return
    rows = slice((part.y - patch.y) * per_pixel, (part.y + part.h - patch.y) * per_pixel)
    cols = slice((part.x - patch.x) * per_pixel, (part.x + part.w - patch.x) * per_pixel)
    white, cover = tag.paint(*camera.tile_samples(patch, per_pixel, tag.height, rows, cols))
    region = canvas[rows, cols]
    region += (cover[..., None] * (white[..., None] - region)).astype(np.float32)


def _lay_tags(image: Linear, scene: Scene) -> None:
    """Corner tags and loose ones, onto the finished background."""
    camera = scene.camera
    for tag in flat_tags(scene):
        patch = Patch.around(camera.project(tag.square(tag.printed)), camera.size, 1)
        if patch.w < 1 or patch.h < 1:
            continue
        canvas = np.repeat(np.repeat(image[patch.slices], _TAG_SAMPLES, 0), _TAG_SAMPLES, 1)
        paint_tag(canvas, patch, _TAG_SAMPLES, camera, tag)
        image[patch.slices] = cv2.resize(canvas, (patch.w, patch.h), interpolation=cv2.INTER_AREA)


def flat_tags(scene: Scene) -> list[PlacedTag]:
    """The scene's corner tags, then its loose ones, where they lie."""
    corners = [
        PlacedTag(c.family, c.tag, c.size, Pose(*c.at, math.pi / 2 if c.turn is None else c.turn), 0.0)
        for c in scene.corners
    ]
    return corners + [PlacedTag(t.family, t.tag, t.size, t.pose, t.height) for t in scene.loose]


def pixels_per_inch(camera: Camera) -> float:
    """How large an inch on the table is in the middle of the picture."""
    x, y = camera.size[0] / 2, camera.size[1] / 2
    step = camera.unproject(np.array([(x, y), (x + 1.0, y)]), 0.0)
    return float(1.0 / np.linalg.norm(step[1] - step[0]))


def draw_background(scene: Scene) -> Halved:
    """The empty table with its flat tags as the camera sees it, unlit: (h, w, 3) linear BGR, read-only.

    To eleven bits, finer than any camera's noise: so it is half as large.

    Scenes in which only other things stand on the same table share one, for as long as it is remembered.
    """
    return _drawn(ground_of(scene))


@dataclass(frozen=True)
class Ground:
    """A scene, the same as another one if their backgrounds are."""

    scene: Scene = field(compare=False)
    key: tuple[object, ...]


def ground_of(scene: Scene) -> Ground:
    """The scene as far as its background depends on it."""
    lens, camera = scene.camera.lens, scene.camera
    seen_by = tuple(a.tobytes() for a in (lens.K, lens.dist, camera.R, camera.t))
    laid = (scene.near_left, scene.size, scene.corners, scene.loose)
    painted = (scene.cloth, scene.road, scene.board_fields, scene.seed)
    return Ground(scene, (lens.size, seen_by, repr((laid, painted))))


@lru_cache(maxsize=2)
def _drawn(ground: Ground) -> Halved:
    scene = ground.scene
    camera = scene.camera
    sheet = _Sheet(scene, min(40.0, max(12.0, 1.15 * pixels_per_inch(camera))))
    _floor_and_wood(sheet, scene)
    _cloth(sheet, scene)
    if scene.road:
        _road(sheet, scene)
    if scene.board_fields is not None:
        _board(sheet, scene)
    w, h = camera.size
    x, y = camera.samples(Patch(0, 0, w, h), 1, 0.0, nodes=_FRAME_NODES)
    spots = sheet.spot(np.stack([x, y], axis=-1)).astype(np.float32)
    image = np.asarray(
        cv2.remap(sheet.ink, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT),
        dtype=np.float32,
    )
    _lay_tags(image, scene)
    halved = image.astype(np.float16)
    halved.flags.writeable = False
    return halved

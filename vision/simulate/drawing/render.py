"""Draws snapshots of a scene; from one picture to the next only what has changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from vision.frame import Image
from vision.simulate.drawing.background import Linear, draw_background, paint_tag, pixels_per_inch
from vision.simulate.drawing.camera import Camera, Patch
from vision.simulate.drawing.sensor import Noise, compressed, develop, tone_table
from vision.simulate.drawing.solids import Hand, SolidFace, faces_of, faces_of_hand, outlines_of_hand
from vision.simulate.drawing.tags import PlacedTag
from vision.simulate.scene import Scene, ScenePlacement, SceneSnapshot

HAND = "\0hand"

# Samples a pixel along each side, and the size of the tiles that are drawn so finely. Patches
# are whole tiles: a polygon cut elsewhere would be rounded a little differently.
_FINE = 4
_TILE = 64
_SHIFT = 5


_Key = tuple[str, ScenePlacement | Hand]


_UNDER = 500.0
"""Inches by which tokens are painted before what may stand on them."""


@dataclass(frozen=True, eq=False)
class Rendering:
    """One thing at one place, projected.

    `outlines` are its faces in pixels in painting order, `boxes` (n, 2, 2) their lowest and
    highest x and y. `extent` holds the thing itself, `reach` its shadow, too. Things of higher
    `order` are painted later.
    """

    outlines: tuple[FloatArray, ...]
    colours: tuple[tuple[float, float, float], ...]
    boxes: FloatArray
    tag: PlacedTag | None
    extent: Patch
    reach: Patch
    shadow: Linear
    order: float

    def in_tile(self, tile: Patch) -> list[int]:
        """Which outlines touch a tile, in painting order."""
        low, high = (tile.x - 1, tile.y - 1), (tile.x + tile.w, tile.y + tile.h)
        touching = (self.boxes[:, 0] <= high).all(axis=1) & (self.boxes[:, 1] >= low).all(axis=1)
        return [int(n) for n in np.flatnonzero(touching)]


@dataclass(frozen=True, eq=False)
class _Item:
    """A thing in one exposure: where it is in each of the exposure's snapshots."""

    states: tuple[ScenePlacement | Hand, ...]
    drawn: tuple[Rendering, ...]
    reach: Patch


def tag_of(piece: Piece, placement: ScenePlacement) -> PlacedTag | None:
    """A piece's tag where it is when the piece is at `placement`; None if it has none."""
    mount = piece.mount
    if mount is None:
        return None
    pose = placement.pose.compose(mount.body_from_tag)
    return PlacedTag(mount.family, mount.tag, mount.size, pose, mount.height + placement.lift)


class Renderer:
    """Turns snapshots of one scene into pictures."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.laid: tuple[Piece, ...] = ()
        """What was laid on the table besides, in no table file."""
        self._camera: Camera = scene.camera
        self._base = draw_background(scene)
        self._ppi = pixels_per_inch(scene.camera)
        self._margin = math.ceil(4 * scene.sensor.blur) + 1 if scene.sensor.blur > 0 else 0
        self._table = tone_table(scene.sensor.tone)
        self._noise = Noise(scene.camera.size, scene.sensor.noise, scene.seed)
        # Unlit, by left column and top row, the tiles in which something stands or throws its shadow.
        self._drawn_tiles: dict[tuple[int, int], Linear] = {}
        self._image: Image = np.zeros(self._base.shape, dtype=np.uint8)
        self._items: dict[str, _Item] = {}
        self._cache: dict[_Key, Rendering] = {}
        self._develop(Patch(0, 0, *scene.camera.size))

    def picture(self, snapshots: Sequence[SceneSnapshot], index: int) -> Image:
        """The picture of one exposure, (h, w, 3) BGR; `index` chooses its noise.

        `snapshots` spread evenly over the time that the shutter is open; one if nothing moves.
        """
        items = self._items_of(snapshots)
        for patch in self._changed(items):
            self._redraw(patch, items)
        self._items = items
        # What stands still need not be projected again; the rest would only fill the memory.
        self._cache = {
            (name, state): drawn
            for name, item in items.items()
            for state, drawn in zip(item.states, item.drawn, strict=True)
        }
        return compressed(self._noise.on(self._image, index), self.scene.sensor)

    def things(self, snapshot: SceneSnapshot) -> list[tuple[str, Rendering]]:
        """What a snapshot shows, by name, in painting order: what comes later hides what came before."""
        items = self._items_of([snapshot])
        return sorted(((n, i.drawn[0]) for n, i in items.items()), key=lambda pair: pair[1].order)

    def _items_of(self, snapshots: Sequence[SceneSnapshot]) -> dict[str, _Item]:
        """What there is to draw, by name; a thing must be there in all snapshots or in none."""
        items: dict[str, _Item] = {}
        for piece in (*self.scene.pieces, *self.laid):
            places = [s.placements.get(piece.name) for s in snapshots]
            states = tuple(p for p in places if p is not None)
            if len(states) == len(places):
                items[piece.name] = self._item(piece.name, states, piece)
        hands = tuple(s.hand for s in snapshots if s.hand is not None)
        if len(hands) == len(snapshots):
            items[HAND] = self._item(HAND, hands, None)
        return items

    def _item(self, name: str, states: tuple[ScenePlacement | Hand, ...], piece: Piece | None) -> _Item:
        if len(set(states)) == 1:
            states = states[:1]
        drawn = tuple(self._drawn(name, state, piece) for state in states)
        reach = drawn[0].reach
        for other in drawn[1:]:
            reach = reach.joined(other.reach)
        return _Item(states, drawn, reach)

    def _drawn(self, name: str, state: ScenePlacement | Hand, piece: Piece | None) -> Rendering:
        found = self._cache.get((name, state))
        if found is not None:
            return found
        if isinstance(state, Hand):
            return self._project_hand(state)
        assert piece is not None
        return self._project_piece(piece, state)

    def _project_piece(self, piece: Piece, state: ScenePlacement) -> Rendering:
        eye = self._camera.position
        faces = faces_of(piece, state.pose, state.lift, eye, self.scene.light.sun)
        tag = tag_of(piece, state)
        points = [f.corners for f in faces] + ([tag.square(tag.printed)] if tag is not None else [])
        outline = state.pose.to_table(piece.body.footprint.outline)
        casts = [(outline, state.lift, state.lift + piece.body.height)]
        # Painted from far to near the point under the camera: the nearer one hides the farther.
        nearest = float(np.linalg.norm(outline - eye[:2], axis=1).min())
        under = _UNDER if piece.look == "token" else 0.0
        return self._finish(faces, points, tag, casts, -nearest + 1000.0 * state.lift - under)

    def _project_hand(self, hand: Hand) -> Rendering:
        faces = faces_of_hand(hand)
        casts = [
            (outline[:, :2], float(outline[:, 2].min()), float(outline[:, 2].max()))
            for outline in outlines_of_hand(hand)
        ]
        return self._finish(faces, [f.corners for f in faces], None, casts, math.inf)

    def _finish(
        self,
        faces: list[SolidFace],
        points: list[FloatArray],
        tag: PlacedTag | None,
        casts: list[tuple[FloatArray, float, float]],
        order: float,
    ) -> Rendering:
        """Projects faces and casts shadows: each a table outline between two heights."""
        pixels = self._camera.project(np.vstack(points))
        cuts = np.cumsum([len(p) for p in points])[:-1]
        outlines = tuple(np.split(pixels, cuts))[: len(faces)]
        sun, light = self.scene.light.sun.toward, self.scene.light
        lean = -np.array(sun[:2]) / sun[2]
        shades = []
        for outline, low, high in casts:
            thrown = np.vstack([outline + low * lean, outline + high * lean])
            flat = np.column_stack([thrown, np.zeros(len(thrown))])
            shades.append(
                (self._camera.project(flat), (0.10 + light.softness * (low + high) / 2) * self._ppi)
            )
        widest = math.ceil(3 * max(s for _, s in shades))
        reach = Patch.around(np.vstack([pixels] + [p for p, _ in shades]), self._camera.size, widest)
        return Rendering(
            outlines=outlines,
            colours=tuple(f.colour for f in faces),
            boxes=np.array([(o.min(axis=0), o.max(axis=0)) for o in outlines]),
            tag=tag,
            extent=Patch.around(pixels, self._camera.size),
            reach=reach,
            shadow=self._shadow(reach, shades),
            order=order,
        )

    def _shadow(self, reach: Patch, shades: list[tuple[FloatArray, float]]) -> Linear:
        """How much light is left around a thing, (h, w, 1) in 0 to 1."""
        if reach.w < 1 or reach.h < 1:
            return np.ones((reach.h, reach.w, 1), dtype=np.float32)
        # Soft shadows lose nothing when drawn small.
        shrink = max(1, int(min(soft for _, soft in shades) / 2))
        shape = (math.ceil(reach.h / shrink), math.ceil(reach.w / shrink))
        darkest = np.zeros(shape, dtype=np.uint8)
        for points, soft in shades:
            mask = np.zeros(shape, dtype=np.uint8)
            spots = (points - (reach.x - 0.5, reach.y - 0.5)) / shrink - 0.5
            hull = cv2.convexHull(spots.astype(np.float32))
            cv2.fillConvexPoly(mask, np.rint(hull * (1 << _SHIFT)).astype(np.int32), 255, cv2.LINE_AA, _SHIFT)
            np.maximum(darkest, cv2.GaussianBlur(mask, (0, 0), soft / shrink), out=darkest)
        size = (shape[1] * shrink, shape[0] * shrink)
        whole = cv2.resize(darkest, size, interpolation=cv2.INTER_LINEAR)[: reach.h, : reach.w]
        left = 1.0 - whole.astype(np.float32) * np.float32(self.scene.light.shadow / 255.0)
        return np.asarray(left[..., None], dtype=np.float32)

    def _changed(self, items: dict[str, _Item]) -> list[Patch]:
        """Where the picture differs from the last one: patches that do not overlap."""
        patches = []
        for name in items.keys() | self._items.keys():
            old, new = self._items.get(name), items.get(name)
            if old is not None and new is not None and old.states == new.states:
                continue
            patches += [item.reach for item in (old, new) if item is not None]
        merged: list[Patch] = []
        for patch in patches:
            if patch.w < 1 or patch.h < 1:
                continue
            grown = patch.snapped(_TILE, self._camera.size)
            while overlapping := [m for m in merged if m.meets(grown)]:
                for other in overlapping:
                    merged.remove(other)
                    grown = grown.joined(other)
            merged.append(grown)
        return merged

    def _redraw(self, patch: Patch, items: dict[str, _Item]) -> None:
        """Draws a patch anew, averaged over the exposure, and develops it."""
        there = [item for item in items.values() if item.reach.meets(patch)]
        steps = max((len(item.drawn) for item in there), default=1)
        bare = self._base[patch.slices].astype(np.float32)
        light = np.zeros((patch.h, patch.w, 3), dtype=np.float32)
        for step in range(steps):
            now = [item.drawn[step % len(item.drawn)] for item in there]
            light += self._compose(bare.copy(), patch, sorted(now, key=lambda d: d.order))
        light /= np.float32(steps)
        for tile in patch.tiles(_TILE):
            if any(item.reach.meets(tile) for item in there):
                rows, cols = _within(patch, tile)
                self._drawn_tiles[tile.x, tile.y] = light[rows, cols].copy()
            else:
                self._drawn_tiles.pop((tile.x, tile.y), None)
        self._develop(patch)

    def _compose(self, ground: Linear, patch: Patch, things: list[Rendering]) -> Linear:
        """One instant of a patch, unlit, (h, w, 3): painted onto its bare ground, in place."""
        hands = [thing for thing in things if thing.order == math.inf]
        pieces = [thing for thing in things if thing.order < math.inf]
        # Pieces throw their shadows on the table, a hand also on the pieces.
        for layer in (pieces, hands):
            for thing in layer:
                _multiply(ground, patch, thing)
            for tile in patch.tiles(_TILE):
                solid = [thing for thing in layer if thing.extent.meets(tile)]
                if solid:
                    self._paint(ground, patch, tile, solid)
        return ground

    def _paint(self, ground: Linear, patch: Patch, tile: Patch, things: list[Rendering]) -> None:
        """Paints things onto one tile of a patch's ground, finely sampled, in place."""
        rows, cols = _within(patch, tile)
        size = (tile.w * _FINE, tile.h * _FINE)
        canvas = np.asarray(cv2.resize(ground[rows, cols], size, interpolation=cv2.INTER_NEAREST), np.float32)
        for thing in things:
            for n in thing.in_tile(tile):
                outline, colour = thing.outlines[n], thing.colours[n]
                spots = (outline - (tile.x - 0.5, tile.y - 0.5)) * _FINE - 0.5
                spots = np.rint(spots * (1 << _SHIFT)).astype(np.int32)
                cv2.fillPoly(canvas, [spots.reshape(-1, 1, 2)], colour, cv2.LINE_8, _SHIFT)
            if thing.tag is not None:
                paint_tag(canvas, tile, _FINE, self._camera, thing.tag)
        ground[rows, cols] = cv2.resize(canvas, (tile.w, tile.h), interpolation=cv2.INTER_AREA)

    def _develop(self, patch: Patch) -> None:
        """Blurs and tones the light of a patch into grey levels."""
        size = self._camera.size
        touched = patch.grown(self._margin, size)
        if self.scene.sensor.blur > 0:
            source = touched.grown(self._margin, size)
            soft = cv2.GaussianBlur(
                self._lit(source), (0, 0), self.scene.sensor.blur, borderType=cv2.BORDER_REFLECT_101
            )
            x, y = touched.x - source.x, touched.y - source.y
            light = np.asarray(soft[y : y + touched.h, x : x + touched.w], dtype=np.float32)
        else:
            light = self._lit(touched)
        self._image[touched.slices] = develop(light, self._table)

    def _lit(self, patch: Patch) -> Linear:
        """The light that comes from a patch as it was drawn last, (h, w, 3)."""
        light = self._base[patch.slices].astype(np.float32)
        for (x, y), drawn in self._drawn_tiles.items():
            tile = Patch(x, y, drawn.shape[1], drawn.shape[0])
            both = tile.shared(patch)
            if both is not None:
                light[_within(patch, both)] = drawn[_within(tile, both)]
        light *= _light_on(patch, self.scene)
        return light


def _within(patch: Patch, part: Patch) -> tuple[slice, slice]:
    """Rows and columns of a part in an array of the patch that it lies in."""
    x, y = part.x - patch.x, part.y - patch.y
    return slice(y, y + part.h), slice(x, x + part.w)


def _multiply(ground: Linear, patch: Patch, thing: Rendering) -> None:
    """Darkens a patch by a thing's shadow, in place."""
    reach = thing.reach
    both = reach.shared(patch)
    if both is not None:
        ground[_within(patch, both)] *= thing.shadow[_within(reach, both)]


def _light_on(patch: Patch, scene: Scene) -> Linear:
    """How brightly each pixel of a patch is lit, (h, w, 3)."""
    light = scene.light
    w, h = scene.camera.size
    rows, cols = patch.slices
    u = np.linspace(-1.0, 1.0, w, dtype=np.float32)[None, cols]
    v = np.linspace(1.0, -1.0, h, dtype=np.float32)[rows, None] * np.float32(h / w)
    field = (1.0 + light.slope[1] * u + light.slope[0] * v) * (1.0 - light.vignette * (u * u + v * v))
    colour = np.asarray(light.colour, dtype=np.float32) * np.float32(light.brightness)
    return np.asarray(cv2.merge([field * channel for channel in colour]), dtype=np.float32)


def exposures(moving_px: float) -> int:
    """How many snapshots an exposure needs so that a smear of `moving_px` pixels looks smooth."""
    return 1 if moving_px < 0.05 else min(8, max(2, math.ceil(moving_px)))


def smear(camera: Camera, before: SceneSnapshot, after: SceneSnapshot) -> float:
    """How many pixels the fastest thing moves between two snapshots."""
    scale = pixels_per_inch(camera)
    worst = 0.0
    for name, a in before.placements.items():
        b = after.placements.get(name)
        if b is not None:
            worst = max(worst, _apart(a.pose, b.pose), abs(a.lift - b.lift))
    if before.hand is not None and after.hand is not None:
        worst = max(worst, _apart(before.hand.pose, after.hand.pose))
    return worst * scale


def _apart(a: Pose, b: Pose) -> float:
    """Inches between two poses, a turn counted at two inches from the middle."""
    turn = abs(math.remainder(a.heading - b.heading, math.tau))
    return math.hypot(a.x - b.x, a.y - b.y) + 2.0 * turn
